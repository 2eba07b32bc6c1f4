// Package fittest is what tests of rnmf and of packages above it share: data, and evaluations that are
// written for obviousness.
package fittest

import (
	"cmp"
	"context"
	"fmt"
	"github.com/robustnmf/robustnmf/rnmf"
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

var (
	Near, Nearly = testkit.Near, testkit.Nearly
	Uniform      = testkit.Uniform
	Scaled       = testkit.Scaled
)

// LossName tells a loss and its parameters.
func LossName(l rnmf.Loss) string { return fmt.Sprintf("%T%+v", l, l) }

// OfSamples takes a loss of samples, or a nil one, apart: into what is taken of an entry of a sample, and
// what is taken of their sum.
func OfSamples(l rnmf.Loss) (entry, sample func(s float64) (value, slope float64), bySample bool) {
	square := rnmf.Frobenius{}.Rho
	switch l := l.(type) {
	case nil:
		return square, square, false
	case rnmf.ByColumn:
		return square, l.Loss.Rho, true
	case rnmf.CellCase:
		return l.Loss.Rho, func(s float64) (value, slope float64) {
			root := math.Sqrt(l.Eps*l.Eps + s)
			return root, 1 / (2 * root)
		}, true
	}
	return l.Rho, square, false
}

// NaiveObjective is Σ Mask∘ρ((X − WH)²) and the penalties, entry by entry.
func NaiveObjective(m rnmf.Model, l rnmf.Loss, x, w, h *mat.Dense) float64 {
	rows, cols := x.Dims()
	_, r := w.Dims()
	entry, sample, _ := OfSamples(l)
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
			v, _ := entry(e * e)
			norm += k * v
		}
		v, _ := sample(norm)
		sum += v
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

// NaiveWeights is Ω, the slopes of the loss at X − WH, times the mask.
func NaiveWeights(m rnmf.Model, l rnmf.Loss, x, w, h *mat.Dense) *mat.Dense {
	rows, cols := x.Dims()
	omega := mat.NewDense(rows, cols, nil)
	e := NaiveResidual(x, w, h)
	entry, sample, _ := OfSamples(l)
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
				v, _ := entry(e.At(i, j) * e.At(i, j))
				norm += k * v
			}
		}
		_, of := sample(norm)
		for i := range rows {
			k := at(i, j)
			if k > 0 {
				_, s := entry(e.At(i, j) * e.At(i, j))
				omega.Set(i, j, k*s*of)
			}
		}
	}
	return omega
}

func NaiveResidual(x, w, h *mat.Dense) *mat.Dense {
	var e mat.Dense
	e.Mul(w, h)
	e.Sub(x, &e)
	return &e
}

// Planted returns a non-negative matrix of rank r with some noise, and gross
// errors in a share of its entries.
func Planted(m, n, r int, noise, gross float64, seed uint64) (x, clean *mat.Dense) {
	clean = mat.NewDense(m, n, nil)
	clean.Mul(Uniform(m, r, seed), Uniform(r, n, seed+1))
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

// Neighbors joins each column of x with its k nearest by edges of weight 1, or
// weight(squared distance): neighbor.KNN by definition, which tests in this package
// cannot import.
func Neighbors(x *mat.Dense, k int, weight func(square float64) float64) *rnmf.Graph {
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
	var edges []rnmf.Edge
	for i := range n {
		var others []int
		for j := range n {
			if j != i {
				others = append(others, j)
			}
		}
		slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(squares.At(i, a), squares.At(i, b)) })
		for _, j := range others[:min(k, n-1)] {
			e := rnmf.Edge{I: min(i, j), J: max(i, j), Weight: 1}
			if weight != nil {
				e.Weight = weight(squares.At(e.I, e.J))
			}
			edges = append(edges, e)
		}
	}
	g, err := rnmf.NewGraph(n, edges)
	if err != nil {
		panic(err)
	}
	return g
}

// MatchedShare is the share of samples whose cluster is named after their class, by the
// best of all namings: score.Accuracy by definition, for few clusters.
func MatchedShare(truth, found []int) float64 {
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

func MustFit(t testing.TB, m rnmf.Model, x mat.Matrix) *rnmf.Result {
	t.Helper()
	r, err := m.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TryFit is mustFit on a goroutine that is not the test's: it reports, and returns nil.
func TryFit(t testing.TB, m rnmf.Model, x mat.Matrix) *rnmf.Result {
	t.Helper()
	r, err := m.Fit(context.Background(), x)
	if err != nil {
		t.Errorf("%s %T: %v", LossName(m.Loss), m.Solver, err)
		return nil
	}
	return r
}

// Sound reports factors that are not finite or out of their signs, and a trace with
// anything else than numbers in it.
func Sound(t testing.TB, name string, r *rnmf.Result) bool {
	t.Helper()
	return SoundSigns(t, name, r, false)
}

// SoundSigns is sound for a W that may be signed.
func SoundSigns(t testing.TB, name string, r *rnmf.Result, signed bool) bool {
	t.Helper()
	ok := true
	for _, f := range []struct {
		name string
		v    *mat.Dense
	}{{"W", r.W}, {"H", r.H}} {
		signed := signed && f.name == "W"
		f.v.Apply(func(i, j int, v float64) float64 {
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 && !signed {
				t.Errorf("%s: %s[%d,%d] is %g", name, f.name, i, j, v)
				ok = false
			}
			return v
		}, f.v)
	}
	for _, p := range append(r.Trace, rnmf.Point{Objective: r.Objective, KKT: r.KKT}) {
		for _, v := range []float64{p.Objective, p.Scale, p.KKT, p.Seconds} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: %+v", name, p)
				return false
			}
		}
	}
	return ok
}

// Masks returns no mask, one with missing entries, and one with weights; the
// data of the second hold NaN where an entry is missing.
func Masks(x *mat.Dense, seed uint64) map[string][2]*mat.Dense {
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

// OneIn returns a function that tells whether to take the next of many combinations: all
// of them, or with -short one in n, and says so in the end. n has no factor in common
// with the sizes of inner loops, so that each of their values has its turn.
func OneIn(t testing.TB, n int) (take func() bool) {
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

// SideBySide does all of it on all processors, each fit on one alone: small fits lose
// more by waiting for each other's goroutines than they gain, and their bits are the
// same (TestSameSeedSameBits).
func SideBySide(all []func()) {
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

// Signed returns data of both signs.
func Signed(m, n, r int, seed uint64) *mat.Dense {
	x := Mul(Normal(m, r, seed), Uniform(r, n, seed+1))
	e := Normal(m, n, seed+2)
	e.Scale(0.1, e)
	x.Add(x, e)
	return x
}

func Normal(m, n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 77))
	x := mat.NewDense(m, n, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	return x
}

// OneEach reports whether no column has two entries that are not 0.
func OneEach(h *mat.Dense) bool {
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

// ClassesOf makes samples of classes that share little, with noise and gross
// errors in a share of the entries.
func ClassesOf(classes, each, m int, gross float64, seed uint64) (x *mat.Dense, truth []int) {
	rng := rand.New(rand.NewPCG(seed, 7))
	centre := mat.NewDense(m, classes, nil)
	centre.Apply(func(_, _ int, _ float64) float64 { return math.Pow(rng.Float64(), 3) }, centre)
	x = mat.NewDense(m, classes*each, nil)
	truth = make([]int, classes*each)
	for j := range truth {
		truth[j] = j % classes
		light := 0.5 + rng.Float64()
		for i := range m {
			v := light*centre.At(i, truth[j]) + 0.1*rng.Float64()
			if rng.Float64() < gross {
				v = 3 * rng.Float64()
			}
			x.Set(i, j, v)
		}
	}
	return x, truth
}

// SomeLabels labels about half of n samples with classes 0, 1 and 3: class 2 has
// none.
func SomeLabels(n int, weight float64) rnmf.Labels {
	l := rnmf.Labels{Class: make([]int, n), Names: []string{"a", "b", "c", "d"}, Weight: weight}
	for j := range l.Class {
		l.Class[j] = []int{0, rnmf.Unlabelled, 1, rnmf.Unlabelled, 3, 0, rnmf.Unlabelled}[j%7]
	}
	return l
}

// Share returns the share of entries that agree.
func Share(found, truth []int) float64 {
	var right float64
	for j, c := range found {
		if c == truth[j] {
			right++
		}
	}
	return right / float64(len(truth))
}

func ConstantOnes(m, n int) *mat.Dense {
	d := mat.NewDense(m, n, nil)
	d.Apply(func(int, int, float64) float64 { return 1 }, d)
	return d
}

func Mul(a, b mat.Matrix) *mat.Dense {
	var c mat.Dense
	c.Mul(a, b)
	return &c
}

func Elem(a, b mat.Matrix) *mat.Dense {
	var c mat.Dense
	c.MulElem(a, b)
	return &c
}

// Update is V ∘ num / den.
func Update(v, num, den *mat.Dense) *mat.Dense {
	var c mat.Dense
	c.DivElem(num, den)
	return Elem(v, &c)
}

// Ring joins each of n vertices with the next, with weights that differ, and a
// few others; the last stays alone if n > 3.
func Ring(n int, seed uint64) *rnmf.Graph {
	rng := rand.New(rand.NewPCG(seed, 5))
	var edges []rnmf.Edge
	for i := range max(n-2, 0) {
		edges = append(edges, rnmf.Edge{I: i, J: i + 1, Weight: 0.2 + rng.Float64()})
		if j := rng.IntN(n - 1); j > i+1 {
			edges = append(edges, rnmf.Edge{I: j, J: i, Weight: rng.Float64()})
		}
	}
	g, err := rnmf.NewGraph(n, edges)
	if err != nil {
		panic(err)
	}
	return g
}

func Recovered(clean *mat.Dense, r *rnmf.Result) float64 {
	return mat.Norm(NaiveResidual(clean, r.W, r.H), 2) / mat.Norm(clean, 2)
}

// Falls reports a trace that rises.
func Falls(t *testing.T, name string, trace rnmf.Trace) {
	t.Helper()
	for i, p := range trace[1:] {
		if p.Objective > trace[i].Objective*(1+1e-10) {
			t.Errorf("%s: round %d rises from %g to %g", name, p.Round, trace[i].Objective, p.Objective)
		}
	}
}

// Lazy does nothing.
type Lazy struct{}

func (Lazy) Improve(*rnmf.Quadratic, *mat.Dense) {}

// ScaleNow is the scale of a loss, 0 if it has none.
func ScaleNow(l rnmf.Loss) float64 {
	if s, ok := l.(interface{ ScaleNow() float64 }); ok {
		return s.ScaleNow()
	}
	return 0
}

// TuningOf begins an estimate of the scale of a loss, nil if it has nothing to estimate.
func TuningOf(l rnmf.Loss) rnmf.Tuning {
	if t, ok := l.(rnmf.Tuner); ok {
		return t.Tuning()
	}
	return nil
}

// IsSquared reports whether a loss is plain least squares.
func IsSquared(l rnmf.Loss) bool {
	s, ok := l.(interface{ Squared() bool })
	return ok && s.Squared()
}

// HalfStep calls do with the half-step of H at the start of a fit, the bounds of the penalties in it, and
// that H, which do may change.
func HalfStep(t testing.TB, m rnmf.Model, x mat.Matrix, do func(q *rnmf.Quadratic, h *mat.Dense)) {
	t.Helper()
	m.SolverH, m.SolverW, m.MaxIter = &probe{do}, Lazy{}, 1
	MustFit(t, m, x)
}

// A probe calls do once.
type probe struct {
	do func(q *rnmf.Quadratic, h *mat.Dense)
}

func (p *probe) Improve(q *rnmf.Quadratic, v *mat.Dense) {
	if do := p.do; do != nil {
		p.do = nil
		do(q, v)
	}
}

// Bound returns the C and D of a penalty at v, without data.
func Bound(t testing.TB, p rnmf.Penalty, v *mat.Dense) (c, d *mat.Dense) {
	t.Helper()
	r, n := v.Dims()
	HalfStep(t, rnmf.Model{Rank: r, Init: rnmf.WarmStart{W: ConstantOnes(r, r), H: ConstantOnes(r, n)}}, ConstantOnes(r, n), func(q *rnmf.Quadratic, _ *mat.Dense) {
		p.Majorize(q, v)
		c, d = q.Linear(), q.Diagonal()
	})
	return c, d
}
