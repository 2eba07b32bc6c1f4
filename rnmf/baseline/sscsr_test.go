package baseline

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// chain is a graph of groups, each a clique of weights around 1, with weak edges between them.
func chain(t *testing.T, groups, each int, weak float64, seed uint64) (*rnmf.Graph, []int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	n := groups * each
	class := make([]int, n)
	var edges []rnmf.Edge
	for i := range n {
		class[i] = i % groups
		for j := range i {
			w := weak * rng.Float64()
			if class[j] == class[i] {
				w = 0.5 + rng.Float64()
			}
			edges = append(edges, rnmf.Edge{I: i, J: j, Weight: w})
		}
	}
	g, err := rnmf.NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g, class
}

// unlabelled are n labels that are not known.
func unlabelled(n int) []int {
	l := make([]int, n)
	for i := range l {
		l[i] = rnmf.Unlabelled
	}
	return l
}

func symmetric(a *mat.Dense) *mat.SymDense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			s.SetSym(i, j, a.At(i, j))
		}
	}
	return s
}

// Without labels Z is UUᵀ of the K smallest eigenvalues of L, from another library's
// decomposition.
func TestSSCSRWithoutLabels(t *testing.T) {
	g, class := chain(t, 3, 8, 0.1, 2)
	s := SSCSR{K: 3, Graph: g, Labels: unlabelled(24), Tol: 1e-9, MaxIter: 3000}
	r, err := s.Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l := mat.NewSymDense(24, nil)
	for i := range 24 {
		for j := range i {
			l.SetSym(i, j, -g.At(i, j)/math.Sqrt(g.Degree(i)*g.Degree(j)))
		}
		l.SetSym(i, i, 1)
	}
	var e mat.EigenSym
	e.Factorize(l, true)
	var v mat.Dense
	e.VectorsTo(&v)
	u := v.Slice(0, 24, 0, 3)
	var want mat.Dense
	want.Mul(u, u.T())
	values := e.Values(nil)
	if !mat.EqualApprox(r.Z, &want, 1e-6) || math.Abs(r.Objective-values[0]-values[1]-values[2]) > 1e-6 || !r.Converged {
		t.Errorf("objective %g, want %g; converged %v after %d rounds", r.Objective, values[0]+values[1]+values[2], r.Converged, r.Rounds)
	}
	if a, err := score.Accuracy(class, r.Labels); err != nil || a != 1 {
		t.Errorf("accuracy %g, %v", a, err)
	}
}

// The minimum is that of the dual: for any N with |N| ≤ λ where M is 1 and 0 elsewhere the
// sum of the K smallest eigenvalues of L + N is a lower bound, and the multipliers give one
// that is as large as the objective.
func TestSSCSRIsOptimal(t *testing.T) {
	g, class := chain(t, 3, 8, 0.9, 3)
	labels := unlabelled(24)
	for j := range 9 {
		labels[j] = class[j]
	}
	s := SSCSR{K: 3, Graph: g, Labels: labels, Lambda: 0.3, Tol: 1e-8, MaxIter: 5000}
	r, y, err := s.solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := normalizedLaplacian(g)
	for i := range 24 {
		for j := range 24 {
			if v := y.At(i, j); s.apart(i, j) && math.Abs(v) <= s.Lambda*(1+1e-6) {
				n.Set(i, j, n.At(i, j)+v)
			} else if math.Abs(v) > 1e-6 {
				t.Fatalf("multiplier %g at [%d,%d]", v, i, j)
			}
		}
	}
	var e mat.EigenSym
	e.Factorize(symmetric(n), false)
	values := e.Values(nil)
	if dual := values[0] + values[1] + values[2]; math.Abs(dual-r.Objective) > 1e-5 {
		t.Errorf("objective %.9g, the dual bound is %.9g", r.Objective, dual)
	}
	// Z is feasible, and pairs of different classes have less in common than without λ.
	e.Factorize(symmetric(r.Z), false)
	values = e.Values(values)
	if values[0] < -1e-9 || values[23] > 1+1e-9 || math.Abs(mat.Trace(r.Z)-3) > 1e-6 {
		t.Errorf("eigenvalues from %g to %g, trace %g", values[0], values[23], mat.Trace(r.Z))
	}
	s.Labels = unlabelled(24)
	plain, _, err := s.solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Labels = labels
	var with, without float64
	for i := range 24 {
		for j := range 24 {
			if s.apart(i, j) {
				with += math.Abs(r.Z.At(i, j))
				without += math.Abs(plain.Z.At(i, j))
			}
		}
	}
	if with > without/2 {
		t.Errorf("pairs of different classes share %g, without λ %g", with, without)
	}
}

func TestSSCSRSameBits(t *testing.T) {
	g, class := chain(t, 4, 40, 0.3, 4) // as many as have a tridiagonal form
	labels := unlabelled(160)
	copy(labels, class[:30])
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	var first *Spectral
	for _, p := range []int{1, 2} {
		runtime.GOMAXPROCS(p)
		r, err := SSCSR{K: 4, Graph: g, Labels: labels, MaxIter: 10}.Fit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
		} else if !mat.Equal(r.Z, first.Z) || !slices.Equal(r.Labels, first.Labels) {
			t.Error("other numbers with two processors")
		}
	}
	if r := first; r.Rounds != 10 && !r.Converged {
		t.Errorf("%d rounds", r.Rounds)
	}
}

// The projection of a symmetric matrix is nearer to it than any other feasible one tried.
// Weights count relative to each other, however small they are.
func TestNormalizedLaplacianOfAnyUnit(t *testing.T) {
	edges := []rnmf.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 3}, {I: 3, J: 4, Weight: 2}}
	var want *mat.Dense
	for _, unit := range []float64{1, 1e-290, 1e-170, 1e90} {
		scaled := slices.Clone(edges)
		for k := range scaled {
			scaled[k].Weight *= unit
		}
		g, err := rnmf.NewGraph(5, scaled)
		if err != nil {
			t.Fatal(err)
		}
		l := normalizedLaplacian(g)
		if want == nil {
			want = l
		}
		if !mat.EqualApprox(l, want, 1e-14) {
			t.Errorf("weights times %g: %v", unit, mat.Formatted(l))
		}
	}
}

func TestFantope(t *testing.T) {
	a := testkit.Uniform(6, 6, 1)
	var sym mat.Dense
	sym.Add(a, a.T())
	never := func() bool { return false }
	z := fantope(&sym, 2, never)
	if math.Abs(mat.Trace(z)-2) > 1e-9 {
		t.Errorf("trace %g", mat.Trace(z))
	}
	far := func(b mat.Matrix) float64 {
		var d mat.Dense
		d.Sub(&sym, b)
		return mat.Norm(&d, 2)
	}
	for seed := range uint64(50) {
		other := testkit.Uniform(6, 6, seed+2)
		var o mat.Dense
		o.Add(other, other.T())
		p := fantope(&o, 2, never) // feasible
		var between mat.Dense
		between.Add(z, p)
		between.Scale(0.5, &between)
		if far(p) < far(z)-1e-9 || far(&between) < far(z)-1e-9 {
			t.Fatalf("a feasible matrix at %g, the projection at %g", min(far(p), far(&between)), far(z))
		}
	}
	if all := fantope(&sym, 6, never); !mat.EqualApprox(all, mat.NewDiagDense(6, []float64{1, 1, 1, 1, 1, 1}), 1e-9) {
		t.Error("of trace n is the identity alone")
	}
}
