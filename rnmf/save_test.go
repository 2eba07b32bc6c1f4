package rnmf

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// steep is a loss that this package does not know.
type steep struct{ A float64 }

func (l steep) Rho(s float64) (value, slope float64) {
	return l.A * math.Log1p(s), l.A / (1 + s)
}

func TestSaveLoad(t *testing.T) {
	gob.Register(steep{})
	x := mat.NewDense(4, 5, []float64{1, 2, 3, 4, 5, 2, 1, 0, 3, 2, 6, 5, 4, 3, 9, 1, 0, 0, 1, 1})
	for _, m := range []Model{
		NMF(2), L21NMF(2), TruncatedCauchyNMF(2), CappedNMF(2, 0), RNMFL1(2, .1),
		{Rank: 2, Loss: steep{2}, OnH: []Penalty{Sparse{.1}}, Solver: MU{}},
	} {
		a, err := m.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		if err := a.Save(&buf); err != nil {
			t.Fatalf("%T: %v", m.Loss, err)
		}
		whole := buf.Bytes()
		b, err := Load(bytes.NewReader(whole))
		if err != nil {
			t.Fatalf("%T: %v", m.Loss, err)
		}
		if !mat.Equal(a.W, b.W) || !mat.Equal(a.H, b.H) || a.Loss != b.Loss || a.Objective != b.Objective ||
			a.Reason != b.Reason || len(a.Trace) != len(b.Trace) {
			t.Errorf("%T: loaded %+v, saved %+v", m.Loss, b, a)
		}
		ha, err := a.Transform(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		hb, err := b.Transform(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(ha, hb) {
			t.Errorf("%T: the loaded result transforms differently", m.Loss)
		}
		for _, cut := range []int{0, 3, 5, 6, len(whole) / 2, len(whole) - 1} {
			if _, err := Load(bytes.NewReader(whole[:cut])); !errors.Is(err, ErrFormat) {
				t.Errorf("first %d bytes: %v", cut, err)
			}
		}
		later := bytes.Clone(whole)
		later[5]++
		if _, err := Load(bytes.NewReader(later)); !errors.Is(err, ErrFormat) {
			t.Errorf("later version: %v", err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	r, err := NMF(1).Fit(context.Background(), mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
	if err != nil {
		f.Fatal(err)
	}
	var buf bytes.Buffer
	if err := r.Save(&buf); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Load(bytes.NewReader(data))
		if err != nil {
			return
		}
		if v := mat.Sum(r.W) + mat.Sum(r.H); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatal("not finite")
		}
	})
}
