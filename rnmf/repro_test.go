package rnmf

import (
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The same seed gives the same bits, however many goroutines share the work,
// and leaves X and the mask as they are.
func TestSameSeedSameBits(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	x, _ := planted(40, 210, 4, 0.05, 0.1, 1)
	inputs := masks(x, 2)
	losses := slices.Concat(tunedLosses, fixedLosses)
	if testing.Short() {
		losses = losses[3:11]
	}
	for _, loss := range losses {
		for i, solver := range []Solver{nil, MU{}, Additive{}, OGM{}} {
			m := Model{Rank: 4, Loss: loss, Solver: solver, Seed: 11, MaxIter: 4, Tol: -1, OnH: []Penalty{Sparse{0.01}}, TraceKKT: true}
			in := inputs[[]string{"none", "missing", "weights"}[i%3]]
			if in[1] != nil {
				m.Mask = mat.DenseCopyOf(in[1])
			}
			data := mat.DenseCopyOf(in[0])
			var want *Result
			for _, procs := range []int{1, 2, 8} {
				runtime.GOMAXPROCS(procs)
				force(t, procs)
				got := mustFit(t, m, data)
				if !sameBits(data, in[0]) || in[1] != nil && !sameBits(m.Mask.(*mat.Dense), in[1]) {
					t.Fatalf("%s: the input has changed", lossName(loss))
				}
				if want == nil {
					want = got
					continue
				}
				if !sameBits(got.W, want.W) || !sameBits(got.H, want.H) || got.Objective != want.Objective || got.KKT != want.KKT || got.Loss != want.Loss {
					t.Errorf("%s %T: other bits on %d processors", lossName(loss), solver, procs)
				}
				for k, p := range got.Trace {
					q := want.Trace[k]
					if p.Seconds = q.Seconds; p != q {
						t.Errorf("%s %T: %+v on %d processors, %+v on one", lossName(loss), solver, p, procs, q)
					}
				}
			}
			m.Seed++
			if mat.Equal(mustFit(t, m, data).W, want.W) {
				t.Errorf("%s: the same from another seed", lossName(loss))
			}
		}
	}
}

// sameBits also finds NaN equal to NaN.
func sameBits(a, b *mat.Dense) bool {
	return slices.EqualFunc(a.RawMatrix().Data, b.RawMatrix().Data, func(x, y float64) bool { return x == y || x != x && y != y })
}

// A view into a larger matrix, a transpose, and a copy are the same data.
func TestViews(t *testing.T) {
	large := uniform(20, 30, 1)
	view := large.Slice(3, 12, 5, 20).(*mat.Dense)
	dense := mat.DenseCopyOf(view)
	transposed := mat.DenseCopyOf(dense.T()).T()
	mask := uniform(20, 30, 2)
	for _, loss := range tunedLosses {
		m := Model{Rank: 3, Loss: loss, MaxIter: 5, Mask: mask.Slice(3, 12, 5, 20), OnW: []Penalty{Ridge{0.1}}}
		want := mustFit(t, m, dense)
		for _, x := range []mat.Matrix{view, transposed} {
			if got := mustFit(t, m, x); !mat.Equal(got.W, want.W) || !mat.Equal(got.H, want.H) {
				t.Errorf("%s: %T gives other factors", lossName(loss), x)
			}
		}
	}
}

// The given factors are copied, and a warm start goes on where a fit ended.
func TestWarmStart(t *testing.T) {
	x, _ := planted(12, 17, 3, 0.1, 0.1, 1)
	for _, loss := range fixedLosses {
		m := Model{Rank: 3, Loss: loss, Solver: HALS{Plain: true}, MaxIter: 20, Tol: -1}
		whole := mustFit(t, m, x)
		m.MaxIter = 12
		half := mustFit(t, m, x)
		w, h := mat.DenseCopyOf(half.W), mat.DenseCopyOf(half.H)
		m.MaxIter, m.Init = 8, Factors{W: half.W, H: half.H}
		rest := mustFit(t, m, x)
		if !mat.Equal(half.W, w) || !mat.Equal(half.H, h) {
			t.Errorf("%s: the start has changed", lossName(loss))
		}
		if !near(rest.Objective, whole.Objective, 1e-6) {
			t.Errorf("%s: 12 and 8 rounds reach %g, 20 rounds %g", lossName(loss), rest.Objective, whole.Objective)
		}
	}
}
