package choose

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
)

// From 1e-313 to 1e240. Powers of two, by which multiplying is exact.
var scales = []int{-1040, -900, -565, -300, -1, 0, 1, 266, 500, 800}

func scaled(x *mat.Dense, power int) *mat.Dense {
	y := mat.NewDense(x.RawMatrix().Rows, x.RawMatrix().Cols, nil)
	y.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, power) }, x)
	return y
}

// coarse has few digits, so that it is exact also where numbers end.
func coarse(m, n int, seed uint64) *mat.Dense {
	x := uniform(m, n, seed)
	x.Apply(func(_, _ int, v float64) float64 { return math.Ceil(16 * v) }, x)
	return x
}

// The data's unit does not change a score, by not a bit.
func TestScoresOfAnyScale(t *testing.T) {
	x, w, h := coarse(6, 20, 1), coarse(6, 2, 2), coarse(2, 20, 3)
	clusters := make([]int, 20)
	for j := range clusters {
		clusters[j] = j % 3
	}
	h.Set(0, 3, 5000) // so that errors have a tail, and one sample is far
	type scores struct{ absolute, squared, silhouette, kurtosis, tail, far float64 }
	at := func(power int) (s scores) {
		// The factors differ, too: the residual is not always of the size of the data.
		fixed := func(context.Context, mat.Matrix, mat.Matrix, uint64) (*rnmf.Result, error) {
			return &rnmf.Result{W: scaled(w, power-8), H: h}, nil
		}
		y := scaled(x, power)
		e, err := HeldOut{Folds: 2}.Of(context.Background(), fixed, y)
		if err != nil {
			t.Fatal(err)
		}
		var d LossComparison
		d.describe(y, e.residual)
		s = scores{e.Absolute[0], e.Squared[0], 0, d.Kurtosis, d.Tail, d.FarSamples}
		if s.silhouette, err = Silhouette(y, clusters); err != nil {
			t.Fatal(err)
		}
		return s
	}
	want := at(0)
	if !(want.squared > 0 && want.silhouette != 0 && want.kurtosis > 3 && want.tail > 0 && want.far > 0) {
		t.Fatalf("%+v", want)
	}
	for _, power := range scales {
		if got := at(power); got != want {
			t.Errorf("times 2^%d: %+v, want %+v", power, got, want)
		}
	}
	// A fold that is tiny next to the rest has errors of its own.
	tiny, hidden := coarse(6, 20, 1), mat.NewDense(6, 20, nil)
	tiny.Scale(1e-170, tiny)
	nothing := func(context.Context, mat.Matrix, mat.Matrix, uint64) (*rnmf.Result, error) {
		return &rnmf.Result{W: mat.NewDense(6, 1, nil), H: mat.NewDense(1, 20, nil)}, nil
	}
	for i := range 6 {
		tiny.Set(i, 0, 1e170)
		hidden.Set(i, 1, 1)
		hidden.Set(i, 0, float64(i%2))
	}
	e, err := HeldOut{Folds: 2, Mask: hidden}.Of(context.Background(), nothing, tiny)
	if err != nil {
		t.Fatal(err)
	}
	for f := range 2 {
		if e.Absolute[f] != 1 || e.Squared[f] != 1 {
			t.Errorf("errors %g and %g of a model that predicts nothing", e.Absolute[f], e.Squared[f])
		}
	}
	// A model may be far off.
	high := func(context.Context, mat.Matrix, mat.Matrix, uint64) (*rnmf.Result, error) {
		return &rnmf.Result{W: constant(6, 1, math.Ldexp(1, 600)), H: constant(1, 20, 1)}, nil
	}
	if e, err = (HeldOut{Folds: 2}).Of(context.Background(), high, constant(6, 20, 1)); err != nil {
		t.Fatal(err)
	}
	if want := math.Ldexp(1, 600); e.Squared[0] != want || e.Absolute[0] != want {
		t.Errorf("errors %g and %g, want 2^600", e.Absolute[0], e.Squared[0])
	}
}

// All of a LossComparison, fits included.
func TestCompareLossesOfAnyScale(t *testing.T) {
	x := planted(12, 30, 2, 0.03, 4)
	rng := rand.New(rand.NewPCG(1, 9))
	x.Apply(func(_, _ int, v float64) float64 {
		if rng.Float64() < 0.15 {
			return v + 2
		}
		return v
	}, x)
	var want *LossComparison
	for _, power := range []int{0, 266, -200, -300} { // 1e80, 1e-60 and 1e-90
		d, err := HeldOut{Folds: 3}.CompareLosses(context.Background(), scaled(x, power), 2)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = d
		}
		if power == -300 { // below 1e-75 robust losses have no scale, but there are numbers
			if !(d.Kurtosis > 1 && d.Kurtosis <= 360) {
				t.Errorf("times 2^%d: %+v", power, d)
			}
			continue
		}
		if d.Suggestion != ByOmission || !(math.Abs(d.Kurtosis/want.Kurtosis-1) < 0.01 && math.Abs(d.Squared/want.Squared-1) < 0.01) {
			t.Errorf("times 2^%d: %+v, want %+v", power, d, want)
		}
	}
}

// A nil pointer within the interface is told as nil is, not by a panic, and so is a sparse matrix whose parts do not
// fit together.
func TestNilWithin(t *testing.T) {
	x := uniform(5, 8, 1)
	fit := NewFitFunc(rnmf.NMF(2))
	of := func(s HeldOut, x mat.Matrix) error {
		_, err := s.Of(context.Background(), fit, x)
		return err
	}
	judge := func(s Scorer) error {
		s.Fit = func(Setting) FitFunc { return fit }
		_, err := s.Score(context.Background(), Setting{})
		return err
	}
	for _, none := range []mat.Matrix{(*mat.Dense)(nil), (*mat.SymDense)(nil)} {
		for name, err := range map[string]error{
			"HeldOut.Of: X":    of(HeldOut{}, none),
			"HeldOut.Of: Mask": of(HeldOut{Mask: none}, x),
			"Silhouette: X": func() error {
				_, err := Silhouette(none, make([]int, 8))
				return err
			}(),
			"CompareLosses: X": func() error {
				_, err := HeldOut{}.CompareLosses(context.Background(), none, 2)
				return err
			}(),
			"CompareLosses: Mask":      second(HeldOut{Mask: none}.CompareLosses(t.Context(), x, 2)),
			"RankSearch: Mask":         second(RankSearch{X: x, Mask: none}.Run(t.Context())),
			"OutlierSearch: Mask":      second(OutlierSearch{X: x, Mask: none, Models: []rnmf.Model{rnmf.NMF(2)}}.Run(t.Context())),
			"ConsensusParts: Mask":     second(ConsensusParts{X: x, Mask: none, Fit: fit}.Run(t.Context())),
			"Scorer: X":                judge(Scorer{X: none}),
			"Scorer: Mask":             judge(Scorer{X: x, Mask: none}),
			"Scorer: X, no folds":      judge(Scorer{X: none, Folds: -1}),
			"Scorer: Mask, no folds":   judge(Scorer{X: x, Mask: none, Folds: -1}),
			"HeldOut.Of: X is nil":     of(HeldOut{}, nil),
			"HeldOut.Of: both are nil": of(HeldOut{Mask: none}, none),
		} {
			if !errors.Is(err, ErrParameter) && !errors.Is(err, rnmf.ErrEmpty) || !strings.Contains(err.Error(), "nil") {
				t.Errorf("%s is a nil %T: %v", name, none, err)
			}
		}
	}
	broken := &sparse.Matrix{Rows: 5, Cols: 8}
	models := []rnmf.Model{rnmf.NMF(2)}
	fitted, err := rnmf.NMF(2).Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"HeldOut.Of: X":       of(HeldOut{}, broken),
		"HeldOut.Of: Mask":    of(HeldOut{Mask: broken}, x),
		"Silhouette":          second(Silhouette(broken, make([]int, 8))),
		"CompareLosses":       second(HeldOut{}.CompareLosses(t.Context(), broken.T().T(), 2)),
		"RankSearch":          second(RankSearch{X: broken}.Run(t.Context())),
		"OutlierSearch: X":    second(OutlierSearch{X: broken, Models: models}.Run(t.Context())),
		"OutlierSearch: Mask": second(OutlierSearch{X: x, Mask: broken, Models: models}.Run(t.Context())),
		"OutliersOf: X":       second(OutliersOf(t.Context(), fitted, broken, nil, x, nil)),
		"OutliersOf: Y":       second(OutliersOf(t.Context(), fitted, x, nil, broken, nil)),
		"ConsensusParts":      second(ConsensusParts{X: broken, Fit: fit}.Run(t.Context())),
		"Race: X":             second(Auto(2).Fit(t.Context(), broken)),
		"Race: Mask":          second(Race{Model: rnmf.Model{Rank: 2, Mask: broken}}.Fit(t.Context(), x)),
		"Scorer":              judge(Scorer{X: broken}),
	} {
		if !errors.Is(err, rnmf.ErrShape) {
			t.Errorf("%s is a sparse matrix whose parts do not fit together: %v", name, err)
		}
	}
	if err := of(HeldOut{Folds: 2}, x); err != nil {
		t.Errorf("no Mask: %v", err)
	}
}

// A mask of another shape is an error that names it.
func TestMaskOfOtherShape(t *testing.T) {
	x, small := uniform(20, 30, 1), constant(3, 3, 1)
	for field, err := range map[string]error{
		"HeldOut.Mask":       second(HeldOut{Mask: small}.CompareLosses(t.Context(), x, 2)),
		"RankSearch.Mask":    second(RankSearch{X: x, Mask: small}.Run(t.Context())),
		"OutlierSearch.Mask": second(OutlierSearch{X: x, Mask: small, Models: []rnmf.Model{rnmf.NMF(2)}}.Run(t.Context())),
	} {
		if !errors.Is(err, ErrParameter) || !errors.Is(err, rnmf.ErrShape) || !strings.Contains(err.Error(), field+" is 3×3") {
			t.Errorf("%s: %v", field, err)
		}
	}
}
