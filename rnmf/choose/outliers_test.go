package choose

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// odd returns data of rank 3 of which some samples have something more.
func odd(t *testing.T, samples ...int) *mat.Dense {
	t.Helper()
	x := planted(20, 200, 3, 0.05, 4)
	for _, j := range samples {
		for i := range 20 {
			if (i+j)%4 == 0 { // each has a pattern of its own
				x.Set(i, j, x.At(i, j)+1)
			}
		}
	}
	return x
}

// Odd samples are flagged, and hardly any other; where there are none, hardly any is.
func TestOutlierSearch(t *testing.T) {
	odds := []int{12, 30, 55}
	for _, mask := range []mat.Matrix{nil, constant(20, 200, 1)} {
		s, err := OutlierSearch{X: odd(t, odds...), Mask: mask, Models: []rnmf.Model{rnmf.L21NMF(3), rnmf.HuberNMF(3)}, Starts: 3}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		worst := s.Columns(3)
		slices.Sort(worst)
		if !slices.Equal(worst, odds) || s.Flagged < 3 || s.Flagged > 6 || s.Samples[0].Chance > 0.5 || s.Samples[0].Share != 1 && math.Abs(s.Samples[0].Share-1) > 1e-9 {
			t.Errorf("the worst are %v: %v, %+v", worst, s, s.Samples[:4])
		}
		if !(s.Starts > s.ByChance && s.Losses > s.ByChance && s.Starts <= 1 && s.Losses <= 1) || s.Worst != 10 {
			t.Errorf("%+v", s)
		}
		if names := s.Names(2, strconv.Itoa); len(names) != 2 || names[s.Samples[0].Sample] != strconv.Itoa(s.Samples[0].Sample) {
			t.Error(names)
		}
		if !strings.Contains(s.String(), "two losses") {
			t.Error(s)
		}
	}
	s, err := OutlierSearch{X: odd(t), Models: []rnmf.Model{rnmf.L21NMF(3)}, Starts: 1}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Flagged > 5 || !math.IsNaN(s.Starts) || !math.IsNaN(s.Losses) || len(s.Columns(999)) != 200 || len(s.Columns(-1)) != 0 {
		t.Errorf("without any: %v", s)
	}
}

func TestOutlierSearchErrors(t *testing.T) {
	x, models := uniform(6, 8, 1), []rnmf.Model{rnmf.NMF(2)}
	for name, s := range map[string]OutlierSearch{
		"no data":   {Models: models},
		"no models": {X: x},
		"starts":    {X: x, Models: models, Starts: -1},
		"flags":     {X: x, Models: models, FalseFlags: math.NaN()},
	} {
		if _, err := s.Run(t.Context()); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A new odd sample has a small weight also if it comes alone, one as the others has
// not; entries that are missing do not count.
func TestOutliersOf(t *testing.T) {
	x := odd(t)
	first := mat.DenseCopyOf(x.Slice(0, 20, 0, 50))
	r, err := rnmf.L21NMF(3).Fit(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	as := mat.DenseCopyOf(x.Slice(0, 20, 50, 51))
	for name, c := range map[string]struct {
		y        *mat.Dense
		low, top float64
	}{
		"as the others": {as, 0.4, 1},
		"odd":           {mat.DenseCopyOf(odd(t, 50).Slice(0, 20, 50, 51)), 0, 0.2},
	} {
		y := mat.DenseCopyOf(c.y)
		y.Set(4, 0, math.NaN())
		mask := constant(20, 1, 1)
		mask.Set(4, 0, 0)
		o, err := OutliersOf(t.Context(), r, first, nil, y, mask)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Samples) != 1 || !(o.Samples[0] >= c.low && o.Samples[0] <= c.top) || o.S.RawMatrix().Cols != 1 || o.S.At(4, 0) != 0 {
			t.Errorf("%s: %v", name, o.Samples)
		}
	}
	if _, err := OutliersOf(t.Context(), r, x, nil, as, nil); !errors.Is(err, ErrParameter) || !errors.Is(err, rnmf.ErrShape) {
		t.Error(err)
	}
	if _, err := OutliersOf(t.Context(), nil, x, nil, as, nil); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
}
