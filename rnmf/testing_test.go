package rnmf

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// Everything here is written for obviousness: the tests hold the engine
// against it.

var (
	near, nearly = testkit.Near, testkit.Nearly
	uniform      = testkit.Uniform
	scaled       = testkit.Scaled
)

// The tables of all losses, solvers and penalties, which the properties are tested
// over; TestTables finds what is missing. A new part needs a line here, at the end of
// its list, and no more.

// fixedLosses are all losses at a scale that suits residuals about 0.1 to 1.
var fixedLosses = []Loss{
	Frobenius{},
	L1{Eps: 1e-3},
	Huber{Cut: 0.2},
	Hypersurface{Scale: 0.3},
	Correntropy{Scale: 0.4},
	Cauchy{Scale: 0.2},
	Truncated{Loss: Cauchy{Scale: 0.2}, Cut: 0.5},
	Truncated{Loss: Frobenius{}, Cut: 0.4},
	ByColumn{Frobenius{}},
	ByColumn{L1{Eps: 1e-3}},
	ByColumn{Huber{Cut: 0.8}},
	ByColumn{Cauchy{Scale: 0.8}},
	ByColumn{LogShrink{Gamma: 0.6, Scale: 1}},
	LogShrink{Gamma: 6, Scale: 0.1}, // with a jump
	ByColumn{Truncated{Loss: L1{Eps: 1e-3}, Cut: 1}},
	rootLoss{},
	ByColumn{rootLoss{}},
	Manhattan{Mu: 0.1},
}

// tunedLosses estimate their scale.
var tunedLosses = []Loss{
	L1{}, Huber{}, Hypersurface{}, Correntropy{}, Cauchy{},
	Truncated{Loss: Cauchy{}},
	Truncated{Loss: Cauchy{}, Rule: NormalThreeSigma},
	Truncated{Loss: Frobenius{}},
	ByColumn{L1{}}, ByColumn{Huber{}}, ByColumn{Hypersurface{}}, ByColumn{Correntropy{}}, ByColumn{Cauchy{}},
	LogShrink{Gamma: 1}, ByColumn{LogShrink{Gamma: 6}},
	ByColumn{Truncated{Loss: L1{}, Rule: NormalThreeSigma}},
	ByColumn{Truncated{Loss: L1{}}},
	Manhattan{}, TwoStage{},
}

// allSolvers are those for any factor ≥ 0.
var allSolvers = []Solver{
	HALS{}, HALS{Sweeps: 2}, MU{}, Additive{}, Additive{Solver: MU{}},
	OGM{}, OGM{Steps: 5, Plain: true}, Additive{Solver: OGM{}},
	FGD{}, FGD{Plain: true}, Additive{Solver: FGD{}},
	RRA{}, RRA{Energy: 0.3},
	ProxLinear{}, ProxLinear{Plain: true}, Additive{Solver: ProxLinear{}},
}

// constrainedSolvers are those that keep W or H in another set, each with one for the
// other factor.
var constrainedSolvers = []Model{
	{SolverW: LeastSquares{}}, {SolverW: LeastSquares{}, SolverH: MU{}}, {SolverW: LeastSquares{}, SolverH: Additive{}},
	{SolverW: Additive{LeastSquares{}}, SolverH: Additive{}},
	{SolverH: Orthogonal{}}, {SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}}, {Solver: Additive{}, SolverH: Additive{Orthogonal{}}},
}

// modelsOfSolvers is a Model with nothing but its solvers for each of both lists.
func modelsOfSolvers() (models []Model) {
	for _, s := range allSolvers {
		models = append(models, Model{Solver: s})
	}
	return append(models, constrainedSolvers...)
}

// solverName tells the solvers of a model.
func solverName(m Model) string {
	return fmt.Sprintf("%T%+v, W %T%+v, H %T%+v", m.Solver, m.Solver, m.SolverW, m.SolverW, m.SolverH, m.SolverH)
}

// rootLoss is a loss as a user would write one, ρ(s) = (s + 0.01)^0.4.
type rootLoss struct{}

func (rootLoss) Rho(s float64) (value, slope float64) {
	return math.Pow(s+0.01, 0.4), 0.4 * math.Pow(s+0.01, -0.6)
}

// lossName tells a loss and its parameters.
func lossName(l Loss) string { return fmt.Sprintf("%T%+v", l, l) }

// naiveObjective is Σ Mask∘ρ((X − WH)²) and the penalties, entry by entry.
func naiveObjective(m Model, l Loss, x, w, h *mat.Dense) float64 {
	rows, cols := x.Dims()
	_, r := w.Dims()
	c, byColumn := l.(ByColumn)
	var sum float64
	for j := range cols {
		var norm float64
		for i := range rows {
			k := 1.0
			if m.Mask != nil {
				k = m.Mask.At(i, j)
			}
			if k == 0 {
				continue
			}
			e := x.At(i, j)
			for a := range r {
				e -= w.At(i, a) * h.At(a, j)
			}
			if byColumn {
				norm += k * e * e
				continue
			}
			v := e * e
			if l != nil {
				v, _ = l.Rho(e * e)
			}
			sum += k * v
		}
		if byColumn {
			v, _ := c.Loss.Rho(norm)
			sum += v
		}
	}
	wt := mat.DenseCopyOf(w.T())
	for _, p := range m.OnW {
		sum += p.Value(wt)
	}
	for _, p := range m.OnH {
		sum += p.Value(h)
	}
	return sum
}

// naiveWeights is Ω, the slopes of the loss at X − WH, times the mask.
func naiveWeights(m Model, l Loss, x, w, h *mat.Dense) *mat.Dense {
	rows, cols := x.Dims()
	omega := mat.NewDense(rows, cols, nil)
	e := naiveResidual(x, w, h)
	c, byColumn := l.(ByColumn)
	at := func(i, j int) float64 {
		if m.Mask == nil {
			return 1
		}
		return m.Mask.At(i, j)
	}
	for j := range cols {
		var norm float64
		for i := range rows {
			if k := at(i, j); k > 0 {
				norm += k * e.At(i, j) * e.At(i, j)
			}
		}
		for i := range rows {
			k := at(i, j)
			if k == 0 {
				continue
			}
			s := 1.0
			if byColumn {
				_, s = c.Loss.Rho(norm)
			} else if l != nil {
				_, s = l.Rho(e.At(i, j) * e.At(i, j))
			}
			omega.Set(i, j, k*s)
		}
	}
	return omega
}

func naiveResidual(x, w, h *mat.Dense) *mat.Dense {
	var e mat.Dense
	e.Mul(w, h)
	e.Sub(x, &e)
	return &e
}

// planted returns a non-negative matrix of rank r with some noise, and gross
// errors in a share of its entries.
func planted(m, n, r int, noise, gross float64, seed uint64) (x, clean *mat.Dense) {
	clean = mat.NewDense(m, n, nil)
	clean.Mul(uniform(m, r, seed), uniform(r, n, seed+1))
	x = mat.DenseCopyOf(clean)
	rng := rand.New(rand.NewPCG(seed, 2))
	for i := range m {
		for j := range n {
			v := x.At(i, j) + noise*rng.NormFloat64()
			if rng.Float64() < gross {
				v += 2 + 2*rng.Float64()
			}
			x.Set(i, j, max(v, 0))
		}
	}
	return x, clean
}

// neighbors joins each column of x with its k nearest by edges of weight 1, or
// weight(squared distance): neighbor.KNN by definition, which tests in this package
// cannot import.
func neighbors(x *mat.Dense, k int, weight func(square float64) float64) *Graph {
	m, n := x.Dims()
	squares := mat.NewDense(n, n, nil)
	for l := range m {
		row := x.RawRowView(l)
		for i, v := range row {
			to := squares.RawRowView(i)
			for j, u := range row {
				to[j] += (v - u) * (v - u)
			}
		}
	}
	var edges []Edge
	for i := range n {
		var others []int
		for j := range n {
			if j != i {
				others = append(others, j)
			}
		}
		slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(squares.At(i, a), squares.At(i, b)) })
		for _, j := range others[:min(k, n-1)] {
			e := Edge{min(i, j), max(i, j), 1}
			if weight != nil {
				e.Weight = weight(squares.At(e.I, e.J))
			}
			edges = append(edges, e)
		}
	}
	g, err := NewGraph(n, edges)
	if err != nil {
		panic(err)
	}
	return g
}

// matchedShare is the share of samples whose cluster is named after their class, by the
// best of all namings: score.Accuracy by definition, for few clusters.
func matchedShare(truth, found []int) float64 {
	k := max(slices.Max(truth), slices.Max(found)) + 1
	best, name, used := 0.0, make([]int, k), make([]bool, k)
	var try func(c int)
	try = func(c int) {
		if c == k {
			right := 0.0
			for j, f := range found {
				if name[f] == truth[j] {
					right++
				}
			}
			best = max(best, right/float64(len(truth)))
			return
		}
		for l := range k {
			if !used[l] {
				used[l], name[c] = true, l
				try(c + 1)
				used[l] = false
			}
		}
	}
	try(0)
	return best
}

func mustFit(t testing.TB, m Model, x mat.Matrix) *Result {
	t.Helper()
	r, err := m.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tryFit is mustFit on a goroutine that is not the test's: it reports, and returns nil.
func tryFit(t testing.TB, m Model, x mat.Matrix) *Result {
	t.Helper()
	r, err := m.Fit(context.Background(), x)
	if err != nil {
		t.Errorf("%s %T: %v", lossName(m.Loss), m.Solver, err)
		return nil
	}
	return r
}

// sound reports factors that are not finite or out of their signs, and a trace with
// anything else than numbers in it.
func sound(t testing.TB, name string, r *Result) bool {
	t.Helper()
	return soundSigns(t, name, r, false)
}

// soundSigns is sound for a W that may be signed.
func soundSigns(t testing.TB, name string, r *Result, signed bool) bool {
	t.Helper()
	ok := true
	for _, f := range []struct {
		name string
		v    *mat.Dense
	}{{"W", r.W}, {"H", r.H}} {
		if err := checkEntries(f.name, f.v, nil, f.name == "W" && signed); err != nil {
			t.Errorf("%s: %v", name, err)
			ok = false
		}
	}
	for _, p := range append(r.Trace, Point{Objective: r.Objective, KKT: r.KKT}) {
		for _, v := range []float64{p.Objective, p.Scale, p.KKT, p.Seconds} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: %+v", name, p)
				return false
			}
		}
	}
	return ok
}

// masks returns no mask, one with missing entries, and one with weights; the
// data of the second hold NaN where an entry is missing.
func masks(x *mat.Dense, seed uint64) map[string][2]*mat.Dense {
	m, n := x.Dims()
	rng := rand.New(rand.NewPCG(seed, 3))
	missing, weights, holes := mat.NewDense(m, n, nil), mat.NewDense(m, n, nil), mat.DenseCopyOf(x)
	for i := range m {
		for j := range n {
			if rng.Float64() < 0.7 || i == j {
				missing.Set(i, j, 1)
			} else {
				holes.Set(i, j, math.NaN())
			}
			weights.Set(i, j, 1.7*rng.Float64())
		}
	}
	return map[string][2]*mat.Dense{"none": {x, nil}, "missing": {holes, missing}, "weights": {x, weights}}
}

type penalties struct {
	name     string
	onW, onH []Penalty
}

// penaltiesFor returns penalties to try on factors of m and n columns, where the rank
// is 4 or more if there are labels.
func penaltiesFor(m, n, rank int) []penalties {
	list := []penalties{
		{"none", nil, nil},
		{"sparse H, ridge W", []Penalty{Ridge{0.1}}, []Penalty{Sparse{0.2}}},
		{"both on both", []Penalty{Sparse{0.05}, Ridge{0.02}}, []Penalty{Ridge{0.3}, Sparse{0.01}, LogSparse{0.5, 0.05}}},
		{"graph H, log W", []Penalty{LogSparse{0.3, 0.2}}, []Penalty{Laplacian{ring(n, 1), 0.7}}},
		{"graphs on both", []Penalty{Sparse{0.05}, LogSparse{0.1, 0.3}, Laplacian{ring(m, 2), 3}}, []Penalty{Laplacian{ring(n, 3), 50}, Ridge{0.1}, Laplacian{ring(n, 4), 0.2}}},
		{"graph H, ridge W", []Penalty{Ridge{0.3}}, []Penalty{Laplacian{ring(n, 1), 0.7}}},
		{"unit graph H", nil, []Penalty{UnitLaplacian{ring(n, 2), 3}, Ridge{0.01}}},
	}
	if rank >= 4 {
		list = append(list,
			penalties{"weak labels", nil, []Penalty{someLabels(n, 0.1), Sparse{0.01}}},
			penalties{"strong labels", nil, []Penalty{someLabels(n, 10), Sparse{0.01}}})
	}
	return list
}

// oneIn returns a function that tells whether to take the next of many combinations: all
// of them, or with -short one in n, and says so in the end. n has no factor in common
// with the sizes of inner loops, so that each of their values has its turn.
func oneIn(t testing.TB, n int) (take func() bool) {
	taken, all := 0, 0
	t.Cleanup(func() {
		if taken < all {
			t.Logf("-short: %d of %d combinations", taken, all)
		}
	})
	return func() bool {
		all++
		if testing.Short() && all%n != 1 {
			return false
		}
		taken++
		return true
	}
}

// sideBySide does all of it on all processors, each fit on one alone: small fits lose
// more by waiting for each other's goroutines than they gain, and their bits are the
// same (TestSameSeedSameBits).
func sideBySide(all []func()) {
	defer func(was func() int) { work.Processors = was }(work.Processors)
	work.Processors = func() int { return 1 }
	var next atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := next.Add(1) - 1; int(i) < len(all); i = next.Add(1) - 1 {
				all[i]()
			}
		}()
	}
	wait.Wait()
}

// signed returns data of both signs.
func signed(m, n, r int, seed uint64) *mat.Dense {
	x := mul(normal(m, r, seed), uniform(r, n, seed+1))
	e := normal(m, n, seed+2)
	e.Scale(0.1, e)
	x.Add(x, e)
	return x
}

func normal(m, n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 77))
	x := mat.NewDense(m, n, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	return x
}

// oneEach reports whether no column has two entries that are not 0.
func oneEach(h *mat.Dense) bool {
	r, n := h.Dims()
	for j := range n {
		count := 0
		for k := range r {
			if h.At(k, j) != 0 {
				count++
			}
		}
		if count > 1 {
			return false
		}
	}
	return true
}
