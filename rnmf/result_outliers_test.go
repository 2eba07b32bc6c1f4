package rnmf_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// What was saved has lost its mask; Outliers with the mask of the fit tells
// what Outliers told before. Without one all entries must be numbers.
func TestOutliersMasked(t *testing.T) {
	x, _ := Planted(12, 15, 2, 0.1, 0.1, 2)
	holes := Masks(x, 3)["missing"]
	dirty := mat.DenseCopyOf(holes[0])
	for i := range 12 {
		for j := range 15 {
			if holes[1].At(i, j) == 0 {
				dirty.Set(i, j, math.NaN())
			}
		}
	}
	type report interface {
		Outliers(x, mask mat.Matrix) (*Outliers, error)
	}
	same := func(name string, a, b *Outliers) {
		if !sameBits(a.Weights, b.Weights) || !sameBits(a.S, b.S) || !slices.Equal(a.Samples, b.Samples) || !slices.Equal(a.Sizes, b.Sizes) {
			t.Errorf("%s: another report", name)
		}
	}
	for _, loss := range []Loss{nil, Huber{}, Truncated{Loss: Cauchy{}}, ByColumn{L1{}}} {
		m := Model{Rank: 2, Loss: loss, Mask: holes[1], MaxIter: 20}
		r := MustFit(t, m, dirty)
		want, err := r.Outliers(dirty, nil)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := r.Save(&file); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(&file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := loaded.Outliers(dirty, nil); !errors.Is(err, ErrNotFinite) {
			t.Errorf("%T: without the mask: %v", loss, err)
		}
		got, err := loaded.Outliers(dirty, holes[1])
		if err != nil {
			t.Fatal(err)
		}
		same(LossName(loss), got, want)
	}
	clean := FillMissing(dirty, holes[1], work.Never)
	c, err := OcclusionNMF{Model: Model{Rank: 2, MaxIter: 20}, Height: 4, Width: 3}.Fit(t.Context(), clean)
	if err != nil {
		t.Fatal(err)
	}
	negative := ConstantOnes(12, 15)
	negative.Set(3, 4, -1)
	for name, r := range map[string]report{"Result": c.Result, "OcclusionNMF": c} {
		want, err := r.Outliers(clean, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Outliers(clean, ConstantOnes(12, 15))
		if err != nil {
			t.Fatal(err)
		}
		same(name, got, want)
		for _, bad := range []struct {
			mask mat.Matrix
			want error
			says string
		}{
			{Uniform(15, 12, 1), ErrShape, "Mask is 15×12"},
			{mat.NewDense(12, 15, nil), ErrEmpty, "no entry"},
			{(*mat.Dense)(nil), ErrEmpty, "Mask is nil"},
			{negative, ErrNegative, "Mask[3,4] = -1"},
		} {
			if _, err := r.Outliers(clean, bad.mask); !errors.Is(err, bad.want) || !strings.Contains(err.Error(), bad.says) {
				t.Errorf("%s: %v, want %q", name, err, bad.says)
			}
		}
	}
	// An entry of the support that is missing is not an outlier.
	c.Support.Set(1, 2, 1)
	mask := ConstantOnes(12, 15)
	mask.Set(1, 2, 0)
	o, err := c.Outliers(clean, mask)
	if err != nil || o.Weights.At(1, 2) != 1 || o.S.At(1, 2) != 0 {
		t.Errorf("missing, weight %v: %v", o.Weights.At(1, 2), err)
	}
}

// The weights of samples are 0 to 1, and sizes finite, for any number of features and samples: a mean of
// ones was 1 and a little more where rounding added up.
func TestOutliersOfFew(t *testing.T) {
	for m := 1; m <= 100; m++ {
		for n := 1; n <= 3; n++ {
			for _, rank := range []int{1, 2} {
				for _, loss := range []Loss{nil, Huber{Cut: 0.1}, ByColumn{L1{}}, CellCase{Loss: Huber{Cut: 0.1}}} {
					r := &Result{W: Uniform(m, rank, uint64(m)), H: Uniform(rank, n, uint64(n)), Loss: loss}
					for name, x := range map[string]*mat.Dense{"fitted": r.WH(), "other": Uniform(m, n, 7), "zeros": mat.NewDense(m, n, nil)} {
						o, err := r.Outliers(x, nil)
						if err != nil {
							t.Fatal(err)
						}
						for j, w := range o.Samples {
							if !(w >= 0 && w <= 1) || !(o.Sizes[j] >= 0 && o.Sizes[j] <= math.MaxFloat64) {
								t.Errorf("%d×%d of rank %d, %T, %s: sample %d has the weight %v and the size %v", m, n, rank, loss, name, j, w, o.Sizes[j])
							}
						}
					}
				}
			}
		}
	}
}
