package panel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

// planted is WH with noise, and gross entries or, with columns, gross samples.
func planted(m, n, r int, seed uint64, share float64, columns bool) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 9))
	part := func(rows, cols int) *mat.Dense {
		d := mat.NewDense(rows, cols, nil)
		for i := range rows {
			for j := range cols {
				if rng.Float64() < 0.4 {
					d.Set(i, j, rng.ExpFloat64())
				}
			}
		}
		return d
	}
	var x mat.Dense
	x.Mul(part(m, r), part(r, n))
	for j := range n {
		gross := rng.Float64() < share
		for i := range m {
			v := max(0, x.At(i, j)+0.1*rng.NormFloat64())
			if columns && gross || !columns && rng.Float64() < share {
				v = 10 * rng.Float64()
			}
			x.Set(i, j, v)
		}
	}
	return &x
}

// sparsely returns a sparse matrix and the same one with its zeros.
func sparsely(m, n int, seed uint64, share float64) (*sparse.Matrix, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := planted(m, n, 4, seed, 0.05, false)
	s := &sparse.Matrix{Rows: m, Cols: n, Start: []int{0}}
	for j := range n {
		for i := range m {
			if rng.Float64() > share {
				x.Set(i, j, 0)
			} else {
				s.Row, s.Value = append(s.Row, int32(i)), append(s.Value, x.At(i, j))
			}
		}
		s.Start = append(s.Start, len(s.Row))
	}
	return s, x
}

func startOf(m, n, r int, seed uint64) rnmf.WarmStart {
	return rnmf.WarmStart{W: testkit.Uniform(m, r, seed), H: testkit.Uniform(r, n, seed+1)}
}

var columnLosses = []rnmf.Loss{nil, rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-2}}, rnmf.ByColumn{Loss: rnmf.Huber{Cut: 2}}, rnmf.ByColumn{Loss: rnmf.Cauchy{Scale: 1}}}

// A fit in panels is that in one piece, but for rounding, under losses of columns.
func TestPanelsEqualFit(t *testing.T) {
	const m, n, r = 57, 203, 5
	x := planted(m, n, r, 3, 0.1, true)
	s, sx := sparsely(m, n, 4, 0.3)
	for _, c := range []struct {
		name string
		x    *mat.Dense
		of   func(width int) Source
	}{{"dense", x, func(w int) Source { return FromDense(x, w) }}, {"sparse", sx, func(w int) Source { return FromSparse(s, w) }}} {
		for i, loss := range columnLosses {
			for _, plain := range []bool{true, false} {
				model := rnmf.Model{Rank: r, Loss: loss, Solver: rnmf.HALS{Sweeps: 4, NoExtrapolation: plain}, Init: startOf(m, n, r, 7), Tol: -1, MaxIter: 60}
				want, err := model.Fit(context.Background(), c.x)
				if err != nil {
					t.Fatal(err)
				}
				for _, width := range []int{0, 31, 64} {
					got, err := Batch{Model: model}.Fit(context.Background(), c.of(width))
					if err != nil {
						t.Fatal(err)
					}
					name := fmt.Sprintf("%s, loss %d, plain %v, width %d", c.name, i, plain, width)
					if len(got.Trace) != len(want.Trace) {
						t.Fatalf("%s: %d rounds, want %d", name, len(got.Trace), len(want.Trace))
					}
					for k, p := range got.Trace {
						if f := want.Trace[k].Objective; !(math.Abs(p.Objective-f) <= 1e-11*f) {
							t.Errorf("%s: round %d has %.17g, want %.17g", name, k, p.Objective, f)
							break
						}
					}
				}
			}
		}
	}
}

// An estimated scale of a loss of columns is that of Fit in each round, whatever TuneFor is, and so are the
// objectives and the end.
func TestPanelsTuneAsFit(t *testing.T) {
	const m, n, r = 70, 220, 4
	x := planted(m, n, r, 3, 0.1, true)
	for _, loss := range []rnmf.Loss{rnmf.L1{}, rnmf.Huber{}, rnmf.Cauchy{}, rnmf.Truncated{Loss: rnmf.L1{}}} {
		for _, tuneFor := range []int{0, 5, -1} {
			for _, plain := range []bool{false, true} {
				model := rnmf.Model{Rank: r, Loss: rnmf.ByColumn{Loss: loss}, TuneFor: tuneFor, MaxIter: 200, Init: startOf(m, n, r, 5), Solver: rnmf.HALS{Sweeps: 4, NoExtrapolation: plain}}
				want, err := model.Fit(context.Background(), x)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Batch{Model: model}.Fit(context.Background(), FromDense(x, 64))
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%T, TuneFor %d, plain %v", loss, tuneFor, plain)
				if len(got.Trace) != len(want.Trace) || got.Reason != want.Reason {
					t.Fatalf("%s: %v after %d rounds, want %v after %d", name, got.Reason, len(got.Trace)-1, want.Reason, len(want.Trace)-1)
				}
				for k, p := range got.Trace {
					f := want.Trace[k]
					if !(math.Abs(p.Objective-f.Objective) <= 1e-11*f.Objective && math.Abs(p.Scale-f.Scale) <= 1e-11*f.Scale) {
						t.Errorf("%s: round %d has %.17g at scale %.17g, want %.17g at %.17g", name, k, p.Objective, p.Scale, f.Objective, f.Scale)
						break
					}
				}
			}
		}
	}
}

var entryLosses = []rnmf.Loss{rnmf.L1{Eps: 3e-3}, rnmf.Huber{Cut: 0.2}, rnmf.Cauchy{Scale: 0.2}, rnmf.Hypersurface{Scale: 0.2}, rnmf.Correntropy{Scale: 0.7}, rnmf.Truncated{Loss: rnmf.Cauchy{Scale: 0.2}, Cut: 2}}

// No round of a fit with panels raises the objective at a fixed scale.
func TestPanelsDescend(t *testing.T) {
	seeds, rounds := uint64(6), 80
	if testing.Short() {
		seeds, rounds = 2, 30 // fewer problems, and shorter fits
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 77))
		m, n, r := 30+rng.IntN(80), 30+rng.IntN(150), 2+rng.IntN(7)
		x := planted(m, n, r, seed, 0.05+0.3*rng.Float64(), seed%3 == 0)
		s, _ := sparsely(m, n, seed, 0.4)
		for _, loss := range append(append([]rnmf.Loss{}, columnLosses...), entryLosses...) {
			for _, plain := range []bool{false, true} {
				for _, c := range []struct {
					name string
					Source
					missing bool
				}{{"dense", FromDense(x, 40), false}, {"sparse", FromSparse(s, 40), false}, {"missing", FromSparse(s, 40), true}} {
					got, err := Batch{Model: rnmf.Model{Rank: r, Loss: loss, Seed: seed, MaxIter: rounds, Tol: -1, Solver: rnmf.HALS{NoExtrapolation: plain}}, Missing: c.missing}.Fit(context.Background(), c.Source)
					if err != nil {
						t.Fatal(err)
					}
					for i := 1; i < len(got.Trace); i++ {
						if a, b := got.Trace[i].Objective, got.Trace[i-1].Objective; !(a <= b*(1+1e-12)) {
							t.Errorf("%s %T, seed %d, plain %v: round %d rises from %.17g to %.17g", c.name, loss, seed, plain, i, b, a)
						}
					}
				}
			}
		}
	}
}

// Losses of entries take other steps than Fit, and end in the same minimum from most starts.
func TestPanelsEndLow(t *testing.T) {
	for _, loss := range entryLosses {
		as := 0
		for seed := range uint64(3) {
			x := planted(60, 140, 4, seed, 0.1, false)
			b := Batch{Model: rnmf.Model{Rank: 4, Loss: loss, Seed: seed, MaxIter: 200, Tol: 1e-6}}
			start, err := b.Start(context.Background(), FromDense(x, 50))
			if err != nil {
				t.Fatal(err)
			}
			got, err := b.Fit(context.Background(), FromDense(x, 50))
			if err != nil {
				t.Fatal(err)
			}
			b.Model.Init = start
			want, err := b.Model.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			if got.Objective < 1.02*want.Objective {
				as++
			}
			t.Logf("%T, seed %d: %g, Fit has %g", loss, seed, got.Objective, want.Objective)
		}
		if as < 2 {
			t.Errorf("%T: only %d of 3 fits end as low as Fit", loss, as)
		}
	}
}

// Factors and objectives are finite and not negative for zeros, constants, one row or column, and
// entries from 1e-150 to 1e100.
func TestPanelsDegenerate(t *testing.T) {
	scaled := func(f float64) *mat.Dense {
		x := planted(12, 20, 2, 1, 0.1, false)
		x.Scale(f, x)
		return x
	}
	ones := mat.NewDense(7, 9, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	gross := planted(12, 20, 2, 1, 0, false)
	gross.Set(3, 5, 1e36)
	losses := append(append([]rnmf.Loss{rnmf.Huber{}, rnmf.Cauchy{}, rnmf.ByColumn{Loss: rnmf.L1{}}}, columnLosses...), entryLosses...)
	for name, x := range map[string]*mat.Dense{"zeros": mat.NewDense(6, 8, nil), "ones": ones, "a row": planted(1, 9, 1, 2, 0, false), "a column": planted(9, 1, 1, 2, 0, false),
		"tiny": scaled(1e-150), "small": scaled(1e-80), "large": scaled(1e80), "huge": scaled(1e98), "gross": gross} {
		m, n := x.Dims()
		s := &sparse.Matrix{Rows: m, Cols: n, Start: []int{0}}
		for j := range n {
			for i := range m {
				if v := x.At(i, j); v != 0 {
					s.Row, s.Value = append(s.Row, int32(i)), append(s.Value, v)
				}
			}
			s.Start = append(s.Start, len(s.Row))
		}
		if testing.Short() {
			t.Logf("-short: one loss in three for %s", name)
		}
		for li, loss := range losses {
			if testing.Short() && (li+n)%3 > 0 {
				continue // one loss in three, others for other shapes
			}
			for _, missing := range []bool{false, true} {
				if missing && len(s.Value) == 0 {
					continue
				}
				for _, width := range []int{0, 3} {
					// One panel without extrapolation, which keeps no factors to go back to.
					r, err := Batch{Model: rnmf.Model{Rank: min(2, m, n), Loss: loss, MaxIter: 20, Seed: 1, Solver: rnmf.HALS{NoExtrapolation: width == 0}}, Missing: missing}.Fit(context.Background(), FromSparse(s, width))
					if err != nil {
						t.Fatalf("%s, %s: %v", name, lossName(loss), err)
					}
					for _, v := range [][]float64{r.W.RawMatrix().Data, r.H.RawMatrix().Data} {
						for _, x := range v {
							if !(x >= 0 && x <= math.MaxFloat64) {
								t.Fatalf("%s, %s, missing %v: a factor has %g", name, lossName(loss), missing, x)
							}
						}
					}
					for _, p := range r.Trace {
						if math.IsNaN(p.Objective) || math.IsInf(p.Objective, 0) {
							t.Errorf("%s, %s, missing %v: an objective of %g", name, lossName(loss), missing, p.Objective)
						}
					}
				}
			}
		}
	}
}

// A fit whose rounds change nothing any more ends, in panels as in one piece, however small Tol is.
func TestPanelsStandStill(t *testing.T) {
	const m, n = 6, 8
	x, w, h := mat.NewDense(m, n, nil), mat.NewDense(m, 1, nil), mat.NewDense(1, n, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64(2 * ((i + j) % 2)) }, x)
	one := func(_, _ int, _ float64) float64 { return 1 } // the best factors of rank 1
	w.Apply(one, w)
	h.Apply(one, h)
	for _, c := range []struct {
		family rnmf.Family
		plain  bool
		want   []rnmf.Reason
	}{
		{rnmf.Gaussian, true, []rnmf.Reason{rnmf.Converged}},
		{rnmf.Gaussian, false, []rnmf.Reason{rnmf.Converged}},
		{rnmf.Poisson, true, []rnmf.Reason{rnmf.Converged, rnmf.Stalled}},
	} {
		model := rnmf.Model{Rank: 1, Family: c.family, Solver: rnmf.HALS{Sweeps: 2, NoExtrapolation: c.plain}, Init: rnmf.WarmStart{W: w, H: h}, Tol: -1, MaxIter: 9}
		whole, err := model.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Batch{Model: model}.Fit(t.Context(), FromDense(x, 3))
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]*rnmf.Result{"Fit": whole, "panels": got.Result} {
			if !slices.Contains(c.want, r.Reason) || r.Rounds() != 1 {
				t.Errorf("%v, plain %v, %s: %v after %d rounds", c.family, c.plain, name, r.Reason, r.Rounds())
			}
		}
	}
}

// A loss of one's own is known by its methods, as ours are: one that is squared, or of columns, takes the same
// path to the same bits, and panels refuse one of cells.
func TestStrangeLosses(t *testing.T) {
	x := FromDense(planted(31, 74, 3, 3, 0.05, false), 30)
	fit := func(l rnmf.Loss) *Result {
		r, err := Batch{Model: rnmf.Model{Rank: 3, Loss: l, MaxIter: 12, Tol: -1}}.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, c := range []struct{ ours, theirs rnmf.Loss }{
		{nil, squares{}}, {rnmf.ByColumn{Loss: rnmf.L1{Eps: 0.1}}, ofColumns{rnmf.L1{Eps: 0.1}}}, {rnmf.ByColumn{Loss: rnmf.Frobenius{}}, ofColumns{squares{}}},
	} {
		if ours, theirs := fit(c.ours), fit(c.theirs); !mat.Equal(ours.W, theirs.W) || !mat.Equal(ours.H, theirs.H) || ours.Objective != theirs.Objective {
			t.Errorf("%T: the objective is %g, that of %T %g", c.theirs, theirs.Objective, c.ours, ours.Objective)
		}
	}
	if _, err := (Batch{Model: rnmf.Model{Rank: 3, Loss: ofCells{}}}).Fit(t.Context(), x); !errors.Is(err, rnmf.ErrParameter) || !strings.Contains(err.Error(), "panel.ofCells") {
		t.Errorf("a loss of cells: %v", err)
	}
}

type squares struct{}

func (squares) Rho(s float64) (value, slope float64) { return s, 1 }
func (squares) Squared() bool                        { return true }

type ofColumns struct{ of rnmf.Loss }

func (l ofColumns) Rho(s float64) (value, slope float64) { return l.of.Rho(s) }
func (l ofColumns) OfColumns() rnmf.Loss                 { return l.of }

type ofCells struct{}

func (ofCells) Rho(s float64) (value, slope float64) { return math.Sqrt(1 + s), 0.5 / math.Sqrt(1+s) }
func (ofCells) OfCells() (rnmf.Loss, float64)        { return rnmf.Frobenius{}, 1 }
