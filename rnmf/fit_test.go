package rnmf_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
)

// FuzzFit fits the random problem of a seed, with bytes for some of its entries.
// Whatever they are, the end is a sound Result or an error of this package.
func FuzzFit(f *testing.F) {
	f.Add(uint64(1), []byte{})
	f.Add(uint64(80), binary.LittleEndian.AppendUint64(nil, math.Float64bits(1e100)))
	f.Add(uint64(224), binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN())))
	f.Add(uint64(1456), binary.LittleEndian.AppendUint64(nil, 1))
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		p := randomProblem(seed)
		p.MaxIter = min(p.MaxIter, 6)
		if len(data) < 8 {
			if err := p.check(); err != nil {
				t.Fatalf("%v\n%v", err, p)
			}
			return
		}
		raw := p.x.RawMatrix().Data
		for i := 0; i+8 <= len(data) && i/8 < len(raw); i += 8 {
			raw[i/8] = math.Float64frombits(binary.LittleEndian.Uint64(data[i:]))
		}
		r, err := p.Fit(context.Background(), p.x)
		if err != nil {
			for _, known := range []error{ErrNotFinite, ErrNegative, ErrTooLarge, ErrEmpty} {
				if errors.Is(err, known) {
					return
				}
			}
			t.Fatalf("%v\n%v", err, p)
		}
		if err := finite(r, p.Signed); err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
		o, err := r.Outliers(p.x, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s := mat.Sum(o.S) + mat.Sum(o.Weights); p.Mask == nil && math.IsNaN(s) {
			t.Fatalf("outliers of NaN\n%v", p)
		}
	})
}
