package choose

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/robustnmf/robustnmf/datasets"
)

// E d is the sum over the distribution, also where a series takes its place.
func TestExpectedDeviance(t *testing.T) {
	for _, y := range []float64{0.01, 1, 9.9, 10.1, 30} {
		p, want := distuv.Poisson{Lambda: y}, 0.0
		for x := 0.0; x < 40+10*y; x++ {
			d := 2 * y
			if x > 0 {
				d = 2 * (x*math.Log(x/y) - x + y)
			}
			want += p.Prob(x) * d
		}
		if got := expectedDeviance(y); math.Abs(got-want) > 2e-3*want {
			t.Errorf("at a mean of %g it is %g, want %g", y, got, want)
		}
	}
}

// Poisson counts are told, with gross entries as well; whole numbers that are no counts, and counts that
// were scaled, are not.
func TestCompareLossesCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const m, n, r = 70, 90, 3
	random := func(_, _ int, _ float64) float64 { return rng.ExpFloat64() * rng.ExpFloat64() }
	of := func(level, gross float64) *mat.Dense {
		w, h := mat.NewDense(m, r, nil), mat.NewDense(r, n, nil)
		w.Apply(random, w)
		h.Apply(random, h)
		x := new(mat.Dense)
		x.Mul(w, h)
		x.Scale(level*m*n/mat.Sum(x), x)
		x.Apply(func(_, _ int, mean float64) float64 {
			v := distuv.Poisson{Lambda: max(mean, 1e-9), Src: rng}.Rand()
			if rng.Float64() < gross {
				v += math.Round(50 * level)
			}
			return v
		}, x)
		return x
	}
	scaled := of(5, 0)
	scaled.Scale(0.5, scaled)
	tenfold := of(5, 0)
	tenfold.Scale(10, tenfold)
	for name, c := range map[string]struct {
		x    *mat.Dense
		want bool
	}{
		"mean 20": {of(20, 0), true}, "mean 2": {of(2, 0), true}, "mean 0.5": {of(0.5, 0), true}, "gross entries": {of(5, 0.04), true},
		"halves": {scaled, false}, "ten times as much": {tenfold, false}, "clothes": {clothes(t), false},
	} {
		if testing.Short() && name != "gross entries" && name != "clothes" {
			continue
		}
		d, err := HeldOut{Folds: 3}.CompareLosses(context.Background(), c.x, r)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.3f", name, d.Dispersion)
		if d.Counts != c.want || c.want != strings.Contains(d.String(), "look like counts") {
			t.Errorf("%s: Counts is %v: %v", name, d.Counts, d)
		}
	}
}

// clothes are some images as whole numbers up to 255.
func clothes(t *testing.T) *mat.Dense {
	s, err := datasets.Fashion().Sample(8, 1)
	if err == nil {
		s, err = s.Shrink(9, 9)
	}
	if err != nil {
		t.Fatal(err)
	}
	x := new(mat.Dense)
	x.Scale(255/mat.Max(s.X), s.X)
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(v) }, x)
	return x
}
