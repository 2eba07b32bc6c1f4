package choose

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
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

// The largest of the samples that do not fit comes first, also where half of the fits give it a part to
// itself, which leaves no residual; the others come by Share and Apart.
func TestOrderOfSuspects(t *testing.T) {
	x := odd(t, 12, 30, 55)
	x.Set(4, 77, 1e4*x.At(4, 77))
	x.Set(9, 101, 20*x.At(9, 101))
	s, err := OutlierSearch{X: x, Models: []rnmf.Model{rnmf.L21NMF(3), rnmf.HuberNMF(3)}, Starts: 2}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if first := s.Samples[0]; first.Sample != 77 || first.Share > 0.9 || s.Flagged < 3 {
		t.Errorf("%d are flagged, first %+v", s.Flagged, s.Samples[:6])
	}
	for k, b := range s.Samples[1:] {
		switch a := s.Samples[k]; {
		case a.flagged() != (k < s.Flagged) || b.flagged() && a.Size < b.Size,
			!a.flagged() && (a.Share < b.Share-1e-9 || math.Abs(a.Share-b.Share) < 1e-9 && a.Apart < b.Apart):
			t.Errorf("%+v comes before %+v", a, b)
		}
	}
}

// Ten clean sets, real and made up, at the rank of the data and below it: hardly a sample is flagged, and
// what is only hard to draw is rare.
func TestOutlierSearchOfCleanData(t *testing.T) {
	digits, err := datasets.Digits().Sample(20, 1)
	if err != nil {
		t.Fatal(err)
	}
	fashion, err := datasets.Fashion().Sample(15, 1)
	if err != nil {
		t.Fatal(err)
	}
	wine := datasets.Wine().X
	wine = mat.DenseCopyOf(wine)
	for i := range wine.RawMatrix().Rows {
		row := wine.RawRowView(i)
		floats.Scale(1/floats.Max(row), row)
	}
	sized := planted(30, 200, 3, 0.05, 9)
	rng := rand.New(rand.NewPCG(1, 2))
	for j := range 200 { // samples of all sizes, errors with them
		by := math.Exp(0.5 * rng.NormFloat64())
		for i := range 30 {
			sized.Set(i, j, by*sized.At(i, j))
		}
	}
	exact, _, _ := datasets.LowRank(25, 150, 3, 2)
	flagged, samples, rare := 0, 0, 0
	for name, c := range map[string]struct {
		x    *mat.Dense
		rank int
	}{
		"digits": {digits.Scaled().X, 8}, "clothes": {fashion.Scaled().X, 6}, "wines": {wine, 3},
		"planted": {planted(20, 200, 3, 0.05, 4), 3}, "rank too low": {planted(20, 200, 5, 0.05, 5), 3},
		"rank too high": {planted(20, 200, 3, 0.05, 6), 6}, "noise": {planted(40, 100, 2, 0.5, 7), 2},
		"of all sizes": {sized, 3}, "exact": {exact, 3}, "few features": {planted(6, 300, 2, 0.1, 8), 2},
	} {
		_, n := c.x.Dims()
		s, err := OutlierSearch{X: c.x, Models: []rnmf.Model{rnmf.L21NMF(c.rank), rnmf.HuberNMF(c.rank)}, Starts: 1}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d wrong, %d rare of %d", name, s.Flagged, s.Rare, n)
		flagged, samples, rare = flagged+s.Flagged, samples+n, rare+s.Rare
		if float64(s.Flagged) > max(2, 0.02*float64(n)) {
			t.Errorf("%s: %v", name, s)
		}
	}
	if float64(flagged) > 0.01*float64(samples) || rare == 0 {
		t.Errorf("%d of %d are wrong, %d rare", flagged, samples, rare)
	}
}

// Pictures of noise among clothes are no farther apart than the odd boot, but they are many: they are
// flagged, and hardly a boot with them.
func TestOutlierSearchOfNoise(t *testing.T) {
	s, err := datasets.Fashion().Scaled().Sample(40, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.Shrink(14, 14); err != nil {
		t.Fatal(err)
	}
	x, where, err := datasets.OutlierSamples{Share: 0.05, Max: 1}.Apply(s.X, 1)
	if err != nil {
		t.Fatal(err)
	}
	found, err := OutlierSearch{X: x, Models: []rnmf.Model{rnmf.L21NMF(8), rnmf.HuberNMF(8)}, Starts: 1}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	for _, j := range found.Columns(found.Flagged) {
		if mat.Max(where.ColView(j)) > 0 {
			hits++
		}
	}
	if hits < 19 || found.Flagged > hits+4 {
		t.Errorf("%d of 20 pictures of noise among %d that are flagged: %v", hits, found.Flagged, found)
	}
}

// Noise from 0 to the largest value among digits is no farther from its parts than digits are from theirs;
// it is found by the direction of its residuals. So are digits whose pixels change places, also where
// all are black or white. What is clean has few that look so.
func TestOutlierSearchOfNoiseAmongDigits(t *testing.T) {
	s, err := datasets.Digits().Sample(30, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, n := s.X.Dims()
	binary := mat.DenseCopyOf(s.X)
	binary.Apply(func(_, _ int, v float64) float64 { return math.Floor(v / 8.5) }, binary)
	for name, x := range map[string]*mat.Dense{"grey": s.X, "black and white": binary} {
		for _, kind := range []string{"clean", "noise", "permuted"} {
			if kind == "noise" && name == "black and white" {
				continue // grey among black and white needs no residuals
			}
			x, rng := mat.DenseCopyOf(x), rand.New(rand.NewPCG(8, 8))
			var foreign []int
			for k := range 12 {
				j := 25 * k
				was, to := mat.Col(nil, j, x), rng.Perm(m)
				for i := range m {
					switch kind {
					case "noise":
						x.Set(i, j, 16*rng.Float64())
					case "permuted":
						x.Set(i, j, was[to[i]])
					}
				}
				if kind != "clean" {
					foreign = append(foreign, j)
				}
			}
			found, err := OutlierSearch{X: x, Models: []rnmf.Model{rnmf.L21NMF(8), rnmf.HuberNMF(8)}, Starts: 1}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			hits := 0
			for _, j := range found.Columns(found.Flagged) {
				if slices.Contains(foreign, j) {
					hits++
				}
			}
			t.Logf("%s, %s: %d of %d among %d of %d", name, kind, hits, len(foreign), found.Flagged, n)
			if hits < len(foreign)-1 || float64(found.Flagged-hits) > 0.02*float64(n) {
				t.Errorf("%s, %s: %d of %d among %d that are flagged", name, kind, hits, len(foreign), found.Flagged)
			}
		}
	}
}

// Errors that are independent have directions by chance, and so have the small ones of a fit whose rank is
// too low: neither is strange.
func TestStrangeOfNoise(t *testing.T) {
	for rank := range 3 {
		rng := rand.New(rand.NewPCG(uint64(rank), 9))
		e := mat.NewDense(300, 200, nil)
		for k := range rank {
			for j := range 200 {
				size := 20 * rng.ExpFloat64()
				for i := k; i < 300; i += rank {
					e.Set(i, j, e.At(i, j)+size*math.Sin(float64(i)))
				}
			}
		}
		e.Apply(func(_, _ int, v float64) float64 { return v + rng.NormFloat64() }, e)
		odd := 0
		marked, _, _ := strange(t.Context(), e, 0, 1)
		for _, is := range marked {
			if is {
				odd++
			}
		}
		if odd > 4 { // 2 %
			t.Errorf("%d of 200 are strange where the rank is %d too low", odd, rank)
		}
	}
	for name, e := range map[string]*mat.Dense{"zeros": mat.NewDense(80, 30, nil), "one": mat.NewDense(80, 1, nil), "equal": constant(80, 30, 1), "huge": constant(80, 30, 1e200)} {
		marked, way, _ := strange(t.Context(), e, 0, 1)
		for j, is := range marked {
			if is || way[j] != 0 {
				t.Errorf("%s: strange, %g on the way", name, way[j])
			}
		}
	}
}

// Next to residuals that have five directions in common those of noise are strange, and on the way to a direction by
// chance they are at the end. A sample of noise that comes twice is no stranger: each has a direction of the other.
func TestStrange(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	e := mat.NewDense(200, 300, nil)
	for j := range 300 {
		for i := range 200 {
			e.Set(i, j, 0.3*rng.NormFloat64())
		}
		for k := range 5 {
			size := 1 + rng.Float64()
			for i := k; i < 200; i += 5 {
				e.Set(i, j, e.At(i, j)+size)
			}
		}
		if j < 10 {
			for i := range 200 {
				e.Set(i, j, rng.NormFloat64())
			}
		}
	}
	e.Slice(0, 200, 6, 8).(*mat.Dense).Copy(e.Slice(0, 200, 8, 10))
	odd, way, _ := strange(t.Context(), e, 0, 1)
	for j := range 300 {
		if want := j < 6; odd[j] != want || want && math.Abs(way[j]-1) > 0.2 || j >= 10 && math.Abs(way[j]) > 0.6 {
			t.Errorf("sample %d: strange %v, %.2f of the way", j, odd[j], way[j])
		}
	}
}

// What follows each fit ends with its context, too.
func TestOutlierSearchCancelled(t *testing.T) {
	x, _, _ := datasets.LowRank(30, 50, 4, 1)
	r, err := rnmf.NMF(2).Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := byChance(ended, r, x, nil, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("exchanges: %v", err)
	}
	if _, _, err := strange(ended, x, 0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("directions: %v", err)
	}
}

// A sample with one gross entry is found, however gross; so is every sample with one, also where
// they are many and alike.
func TestOutlierSearchOneEntry(t *testing.T) {
	for _, gross := range []float64{30, 1e6} {
		x, _, _ := datasets.LowRank(30, 500, 4, 1)
		rng := rand.New(rand.NewPCG(4, 4))
		x.Apply(func(_, _ int, v float64) float64 { return max(0, v*(1+0.05*rng.NormFloat64())) }, x)
		var wrong []int
		for k := range 12 {
			j := 41 * k
			x.Set((7*k)%30, j, gross)
			wrong = append(wrong, j)
		}
		s, err := OutlierSearch{X: x, Models: []rnmf.Model{rnmf.L21NMF(4), rnmf.HuberNMF(4)}, Starts: 2}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		first := s.Columns(12)
		slices.Sort(first)
		if !slices.Equal(first, wrong) || s.Flagged < 12 || s.Flagged > 17 {
			t.Errorf("entries of %g: the first are %v: %v", gross, first, s)
		}
	}
}

// The error for a missing entry names the field that hides it.
func TestMissingNamesTheMask(t *testing.T) {
	x := odd(t)
	x.Set(3, 4, math.NaN())
	for field, err := range map[string]error{
		"OutlierSearch.Mask": second(OutlierSearch{X: x, Models: []rnmf.Model{rnmf.NMF(2)}}.Run(t.Context())),
		"RankSearch.Mask":    second(RankSearch{X: x}.Run(t.Context())),
		"HeldOut.Mask":       second(HeldOut{}.CompareLosses(t.Context(), x)),
	} {
		if !errors.Is(err, rnmf.ErrNotFinite) || !strings.Contains(err.Error(), field) || strings.Contains(err.Error(), "Model.Mask") || !strings.Contains(err.Error(), "X[3,4]") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// The largest entries that a fit takes are no error, though exchanged residuals add to them.
func TestOutlierSearchOfLargest(t *testing.T) {
	single, all := uniform(10, 30, 1), uniform(10, 30, 2)
	single.Set(3, 4, 1e100)
	all.Scale(1e100, all)
	for _, x := range []*mat.Dense{single, all} {
		if _, err := (OutlierSearch{X: x, Models: []rnmf.Model{rnmf.NMF(2)}, Starts: 2}).Run(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestOutlierSearchErrors(t *testing.T) {
	x, models := uniform(6, 8, 1), []rnmf.Model{rnmf.NMF(2)}
	for name, s := range map[string]OutlierSearch{
		"no models": {X: x},
		"starts":    {X: x, Models: models, Starts: -1},
		"flags":     {X: x, Models: models, FalseFlags: math.NaN()},
	} {
		if _, err := s.Run(t.Context()); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (OutlierSearch{Models: models}).Run(t.Context()); !errors.Is(err, rnmf.ErrEmpty) {
		t.Errorf("no data: %v", err)
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
	for name, c := range map[string]struct {
		x           *mat.Dense
		mask, maskY mat.Matrix
	}{
		"samples":  {x: x},
		"features": {x: mat.DenseCopyOf(first.Slice(0, 19, 0, 50))},
		"columns":  {x: first, mask: constant(20, 49, 1)},
		"rows":     {x: first, mask: constant(19, 50, 1)},
		"nil":      {x: first, mask: (*mat.Dense)(nil)},
		"new":      {x: first, maskY: constant(20, 2, 1)},
	} {
		if _, err := OutliersOf(t.Context(), r, c.x, c.mask, as, c.maskY); !errors.Is(err, rnmf.ErrShape) && !(name == "nil" && errors.Is(err, ErrParameter)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := OutliersOf(t.Context(), &rnmf.Result{H: r.H}, first, nil, as, nil); !errors.Is(err, ErrParameter) {
		t.Errorf("no W: %v", err)
	}
	if _, err := OutliersOf(t.Context(), nil, x, nil, as, nil); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
}
