package panel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

func lossName(l rnmf.Loss) string { return fmt.Sprintf("%T%+v", l, l) }

// Bad input is an error that errors.Is can test, and names the entry in X, not in its panel.
func TestPanelErrors(t *testing.T) {
	good := func() *mat.Dense { return testkit.Uniform(20, 50, 1) }
	with := func(v float64) Source {
		x := good()
		x.Set(3, 44, v)
		x.Set(19, 49, v)
		return FromDense(x, 16)
	}
	sparse := func(row []int32, value []float64) Source {
		return FromSparse(&sparse.Matrix{Rows: 5, Cols: 3, Start: []int{0, 0, 2, 3}, Row: row, Value: value}, 2)
	}
	model := rnmf.Model{Rank: 3}
	small := rnmf.Model{Rank: 2}
	for _, c := range []struct {
		name string
		b    Batch
		x    Source
		want error
		says string
	}{
		{"nil", Batch{Model: model}, nil, rnmf.ErrEmpty, ""},
		{"nil matrix", Batch{Model: model}, FromDense(nil, 3), rnmf.ErrEmpty, ""},
		{"negative", Batch{Model: model}, with(-1), rnmf.ErrNegative, "X[3,44]"},
		{"NaN", Batch{Model: model}, with(math.NaN()), rnmf.ErrNotFinite, "X[3,44]"},
		{"infinite", Batch{Model: model}, with(math.Inf(1)), rnmf.ErrNotFinite, "X[3,44]"},
		{"too large", Batch{Model: model}, with(1e101), rnmf.ErrTooLarge, "X[3,44]"},
		{"rank", Batch{Model: rnmf.Model{Rank: 21}}, FromDense(good(), 0), rnmf.ErrRank, "20×50"},
		{"penalty", Batch{Model: rnmf.Model{Rank: 3, OnH: []rnmf.Penalty{rnmf.Lasso{Lambda: 1}}}}, FromDense(good(), 0), rnmf.ErrParameter, "penalties"},
		{"mask", Batch{Model: rnmf.Model{Rank: 3, Mask: good()}}, FromDense(good(), 0), rnmf.ErrParameter, "Missing"},
		{"cells and cases", Batch{Model: rnmf.CellCaseNMF(3)}, FromDense(good(), 0), rnmf.ErrParameter, "CellCase"},
		{"signed", Batch{Model: rnmf.Model{Rank: 3, Signed: true}}, FromDense(good(), 0), rnmf.ErrParameter, "Signed"},
		{"sweeps", Batch{Model: rnmf.Model{Rank: 3, Solver: rnmf.HALS{Sweeps: -1}}}, FromDense(good(), 0), rnmf.ErrParameter, "HALS.Sweeps"},
		{"scale", Batch{Model: rnmf.Model{Rank: 3, Loss: rnmf.Huber{Cut: -1}}}, FromDense(good(), 0), rnmf.ErrParameter, "Huber.Cut"},
		{"no scale", Batch{Model: rnmf.Model{Rank: 3, Loss: unscaled{}}}, FromDense(good(), 0), rnmf.ErrParameter, "unscaled"},
		{"tuned to no scale", Batch{Model: rnmf.Model{Rank: 3, Loss: tunedTo{next: unscaled{}}}}, FromDense(good(), 0), rnmf.ErrParameter, "unscaled"},
		{"tuned to nil", Batch{Model: rnmf.Model{Rank: 3, Loss: tunedTo{}}}, FromDense(good(), 0), rnmf.ErrParameter, "tuned to nil"},
		{"tuned to nil later", Batch{Model: rnmf.Model{Rank: 3, Loss: tunedTo{after: 3}}}, FromDense(good(), 0), rnmf.ErrParameter, "tuned to nil"},
		{"tuned to no scale later", Batch{Model: rnmf.Model{Rank: 3, Loss: tunedTo{next: unscaled{}, after: 3}}}, FromDense(good(), 0), rnmf.ErrParameter, "unscaled"},
		{"solver", Batch{Model: rnmf.Model{Rank: 3, Solver: rnmf.MU{}}}, FromDense(good(), 0), rnmf.ErrParameter, "MU"},
		{"start", Batch{Model: rnmf.Model{Rank: 3, Init: rnmf.NNDSVD{}}}, FromDense(good(), 0), rnmf.ErrParameter, "NNDSVD"},
		{"shape of the start", Batch{Model: rnmf.Model{Rank: 3, Init: startOf(20, 49, 3, 1)}}, FromDense(good(), 0), rnmf.ErrShape, "H"},
		{"scale", Batch{Model: rnmf.Model{Rank: 3, Loss: rnmf.Cauchy{Scale: -1}}}, FromDense(good(), 0), rnmf.ErrParameter, "Scale"},
		{"dense missing", Batch{Model: model, Missing: true}, FromDense(good(), 0), rnmf.ErrParameter, "sparse"},
		{"unsorted", Batch{Model: small}, sparse([]int32{3, 1, 0}, []float64{1, 2, 3}), datasets.ErrFormat, "column 1"},
		{"duplicate", Batch{Model: small}, sparse([]int32{3, 3, 0}, []float64{1, 2, 3}), datasets.ErrFormat, "twice"},
		{"row", Batch{Model: small}, sparse([]int32{3, 5, 0}, []float64{1, 2, 3}), datasets.ErrFormat, "row 5"},
		{"sparse negative", Batch{Model: small}, sparse([]int32{1, 3, 4}, []float64{1, 2, -3}), rnmf.ErrNegative, "X[4,2]"},
		{"heights", Batch{Model: model}, uneven{}, rnmf.ErrShape, "panel 1 is 19×5"},
	} {
		r, err := c.b.Fit(context.Background(), c.x)
		if r != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v; want %v and %q", c.name, r, err, c.want, c.says)
		}
	}
}

// uneven has panels of different heights.
type uneven struct{}

func (uneven) Dims() (m, n int)             { return 20, 10 }
func (uneven) Panels() int                  { return 2 }
func (uneven) Columns(p int) (from, to int) { return 5 * p, 5*p + 5 }
func (uneven) Load(p int) (Panel, error)    { return Panel{Dense: testkit.Uniform(20-p, 5, 1)}, nil }

// Counts come back from their binary form.
func TestCountsAsBytes(t *testing.T) {
	var h histogram.Counts
	for i := range 1000 {
		h.Add(float64(i*i) * 1e-3)
	}
	e := new(encoder)
	e.histogram(&h)
	d := decoder{b: e.b[len(magic)+2:]}
	got := d.histogram()
	all, positive := got.Total()
	if err := d.end(); err != nil || got.Median() != h.Median() || all != 1000 || positive != 999 {
		t.Errorf("%d numbers with median %g, want 1000 with %g; %v", all, got.Median(), h.Median(), err)
	}
}

// The scales of a fit in panels are near those of Fit.
func TestPanelsTune(t *testing.T) {
	x := planted(70, 220, 4, 3, 0.1, false)
	for _, loss := range []rnmf.Loss{rnmf.L1{}, rnmf.Huber{}, rnmf.Cauchy{Printed: true}, rnmf.Hypersurface{}, rnmf.Correntropy{Printed: true}, rnmf.MMEstimator{},
		rnmf.ByColumn{Loss: rnmf.L1{}}, rnmf.ByColumn{Loss: rnmf.Huber{}}} {
		model := rnmf.Model{Rank: 4, Loss: loss, Seed: 3, TuneFor: 30, MaxIter: 60, Init: startOf(70, 220, 4, 5)}
		want, err := model.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Batch{Model: model}.Fit(context.Background(), FromDense(x, 64))
		if err != nil {
			t.Fatal(err)
		}
		scale := func(r *rnmf.Result) float64 { return r.Trace[len(r.Trace)-1].Scale }
		if a, b := scale(got.Result), scale(want); !(math.Abs(a-b) <= 0.15*b) {
			t.Errorf("%T: scale %g, Fit has %g", loss, a, b)
		}
	}
}

// unscaled is a loss whose scale is 0, and tunedTo one that is tuned to another after some calls.
type unscaled struct{}

func (unscaled) Rho(s float64) (value, slope float64) { return rnmf.Cauchy{}.Rho(s) }

type tunedTo struct {
	next  rnmf.Loss
	after int
}

func (tunedTo) Rho(s float64) (value, slope float64) { return rnmf.Cauchy{Scale: 1}.Rho(s) }

func (l tunedTo) Tuning() rnmf.Tuning {
	calls := 0
	return func(s *rnmf.Residuals) (rnmf.Loss, bool) {
		if calls++; calls > l.after {
			return l.next, false
		}
		return rnmf.Cauchy{Scale: s.Median()}, false
	}
}
