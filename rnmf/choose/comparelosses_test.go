package choose

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

func TestCompareLosses(t *testing.T) {
	clean := planted(20, 60, 3, 0.03, 4)
	gross := mat.DenseCopyOf(clean)
	rng := rand.New(rand.NewPCG(1, 9))
	gross.Apply(func(_, _ int, v float64) float64 {
		if rng.Float64() < 0.15 {
			return v + 2
		}
		return v
	}, gross)
	holes := mat.DenseCopyOf(gross)
	mask := mat.NewDense(20, 60, nil)
	mask.Apply(func(i, j int, _ float64) float64 {
		if (i*7+j)%11 == 0 {
			holes.Set(i, j, math.NaN())
			return 0
		}
		return 1
	}, mask)
	fill := mat.DenseCopyOf(clean) // some entries are what stands for "missing"
	for k := range 30 {
		fill.Set(k%20, 2*k, 9.96921e36)
	}
	spoiled, _, err := datasets.OutlierSamples{Share: 0.2}.Apply(clean, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		x, mask  *mat.Dense
		want     LossKind
		low, top float64 // of the tail
	}{
		{"normal noise", clean, nil, BySquares, 0, 0.02},
		{"gross errors", gross, nil, ByOmission, 0.1, 0.5},
		{"gross errors, some missing", holes, mask, ByOmission, 0.1, 0.5},
		{"fill values", fill, nil, ByEntry, 0, 0.2},
		{"samples of noise", spoiled, nil, BySample, 0.02, 0.1},
	} {
		s := HeldOut{Folds: 3}
		if c.mask != nil {
			s.Mask = c.mask
		}
		d, err := s.CompareLosses(context.Background(), c.x, 3)
		if err != nil {
			t.Fatal(err)
		}
		if d.Suggestion != c.want || d.Reason == "" {
			t.Errorf("%s: %v, want %v: %+v", c.name, d.Suggestion, c.want, d)
		}
		if !(d.Kurtosis > 1 && d.Tail >= c.low && d.Tail < c.top && d.FarSamples >= 0 && d.FarSamples < 0.5) {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
	// What nobody can predict does not hide how well the others are predicted.
	var means []float64
	for _, x := range []*mat.Dense{clean, fill} {
		e, err := HeldOut{}.Of(t.Context(), NewFitFunc(rnmf.RobustNMF(3)), x)
		if err != nil {
			t.Fatal(err)
		}
		mean, _ := MeanError(e.Absolute)
		means = append(means, mean)
	}
	if means[1] > 1.1*means[0] {
		t.Errorf("next to fill values entries are predicted to %.3g, without them to %.3g", means[1], means[0])
	}
	if _, err := (HeldOut{Folds: 1}).CompareLosses(context.Background(), clean, 3); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
	if s := LossKind(7).String(); s != "LossKind(7)" {
		t.Error(s)
	}
}

// Without ranks it tries several, and says what is doubtful: that nothing differs, that most is
// zero, that zeros would predict as well.
func TestCompareLossesDoubts(t *testing.T) {
	s := HeldOut{Folds: 3}
	d, err := s.CompareLosses(t.Context(), planted(30, 300, 8, 0.03, 4))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Ranks) < 1 || len(d.Votes) != len(d.Ranks) || d.Suggestion != BySquares || d.Warnings != nil {
		t.Errorf("clean data: %v, ranks %v", d, d.Ranks)
	}
	sparse := mat.NewDense(40, 60, nil)
	rng := rand.New(rand.NewPCG(3, 3))
	sparse.Apply(func(int, int, float64) float64 {
		if rng.Float64() < 0.03 {
			return 1 + float64(rng.IntN(5))
		}
		return 0
	}, sparse)
	if d, err = s.CompareLosses(t.Context(), sparse, 5); err != nil {
		t.Fatal(err)
	}
	if d.Suggestion == ByEntry || len(d.Warnings) != 2 || !strings.Contains(d.String(), "% of the entries are 0") || !strings.Contains(d.String(), "worse than zeros") {
		t.Errorf("few entries, by chance: %v", d)
	}
	for _, c := range []struct {
		votes         []LossKind
		entry, sample float64
		own           [kinds]float64
		want          LossKind
		none, open    bool
	}{
		{[]LossKind{0, 0, 0}, 0.01, -0.02, [kinds]float64{}, BySquares, true, false},
		{[]LossKind{0, 0, 0}, 0.2, -0.02, [kinds]float64{ByOmission: -0.09}, BySquares, false, false},
		{[]LossKind{1, 1, 0}, -0.4, -0.02, [kinds]float64{}, ByEntry, false, false},
		{[]LossKind{1, 0, 0}, -0.4, -0.02, [kinds]float64{}, ByEntry, false, true},
		{[]LossKind{2, 2, 2}, -0.22, -0.3, [kinds]float64{ByOmission: -1}, BySample, false, false},
		{[]LossKind{3, 1, 1}, -0.4, -0.02, [kinds]float64{ByEntry: -0.3, ByOmission: -0.39}, ByEntry, false, false},
		{[]LossKind{3, 3, 1}, -0.4, -0.02, [kinds]float64{ByEntry: -0.3, ByOmission: -0.45}, ByOmission, false, false},
		{[]LossKind{3, 3, 3}, 0.01, -0.02, [kinds]float64{ByOmission: -0.2}, ByOmission, false, false},
	} {
		d := LossComparison{Votes: c.votes, Ranks: []int{1, 2, 3}}
		d.decide(ratios{entry: c.entry, sample: c.sample, own: c.own})
		if d.Suggestion != c.want || d.NoDifference != c.none || d.Undecided != c.open || strings.Contains(d.String(), "(undecided)") != c.open {
			t.Errorf("%+v: %v", c, &d)
		}
		if lines := strings.Split(d.String(), "\n"); len(lines) != 2 || c.none != strings.Contains(lines[0], "no difference") || strings.Contains(lines[0], "speak for much") != (c.want == ByOmission) || strings.Count(lines[1], "0.000") != int(kinds) {
			t.Errorf("%+v: %q", c, lines)
		}
	}
	if m := BySample.Model(3); m.Rank != 3 || m.Loss != (rnmf.ByColumn{Loss: rnmf.L1{}}) {
		t.Error(m)
	}
	for _, c := range []struct{ m, n, top int }{{1, 9, 1}, {4, 9, 2}, {1000, 500, 20}} {
		if r := comparedRanks(c.m, c.n); r[len(r)-1] != c.top || r[0] < 1 || !slices.IsSorted(r) {
			t.Errorf("%d×%d: ranks %v", c.m, c.n, r)
		}
	}
}

// A LossComparison has the errors of NMF, HuberNMF, L21NMF and RobustNMF, each under its name.
func TestCompareLossesErrors(t *testing.T) {
	x := uniform(8, 20, 1)
	x.Set(3, 4, 9)
	s := HeldOut{Folds: 3, Seed: 2}
	d, err := s.CompareLosses(context.Background(), x, 2)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[float64]bool{}
	for _, c := range []struct {
		name  string
		model rnmf.Model
		got   float64
	}{{"Squared", BySquares.probe(2), d.Squared}, {"Entries", ByEntry.probe(2), d.Entries}, {"Samples", BySample.probe(2), d.Samples}, {"Omission", ByOmission.probe(2), d.Omission}} {
		e, err := s.Of(context.Background(), NewFitFunc(c.model), x)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := MeanError(e.Absolute)
		if c.got != want || seen[want] {
			t.Errorf("%s is %g, want %g, like no other", c.name, c.got, want)
		}
		seen[want] = true
	}
}

// Far is a sample whose relative error is more than twice the median one.
func TestFarSamples(t *testing.T) {
	const m, n = 3, 20
	x, e := constant(m, n, 4), constant(m, n, 1)
	for j, size := range []float64{1.9, 2, 2.1, 5} {
		for i := range m {
			e.Set(i, j, size)
		}
	}
	for i := range m { // as large an error as the last, but of a large sample
		e.Set(i, 4, 5)
		x.Set(i, 4, 12)
	}
	var d LossComparison
	if d.describe(x, e); d.FarSamples != 0.1 {
		t.Errorf("far samples %g, want 2 of 20", d.FarSamples)
	}
}

// The numbers of errors that are known.
func TestDescribe(t *testing.T) {
	const m, n = 100, 50
	rng := rand.New(rand.NewPCG(2, 2))
	e, x := mat.NewDense(m, n, nil), constant(m, n, 2)
	e.Apply(func(_, j int, _ float64) float64 {
		if j < 5 {
			return 4 * rng.NormFloat64()
		}
		return rng.NormFloat64()
	}, e)
	e.Set(0, 7, math.NaN())
	var d LossComparison
	d.describe(x, e)
	if d.FarSamples != 0.1 {
		t.Errorf("far samples %g", d.FarSamples)
	}
	// A mixture of 9 parts of variance 1 and one of 16 has kurtosis 3(0.9 + 25.6)/2.5².
	if want := 3 * (0.9 + 25.6) / 6.25; math.Abs(d.Kurtosis-want) > 2 {
		t.Errorf("kurtosis %g, want about %g", d.Kurtosis, want)
	}
	// Of the tenth of deviation 4, P(|z| > 5·1.1/4) is 17 %.
	if math.Abs(d.Tail-0.017) > 0.006 {
		t.Errorf("tail %g", d.Tail)
	}
}

func constant(m, n int, v float64) *mat.Dense {
	x := mat.NewDense(m, n, nil)
	x.Apply(func(int, int, float64) float64 { return v }, x)
	return x
}
