package papers

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"gonum.org/v1/gonum/mat"
)

// New samples are placed one by one: a component without any stays empty, as W does
// not follow.
func TestOrthogonalTransform(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	w := mat.NewDense(6, 3, []float64{1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1})
	like := func(n int, class func(j int) int) *mat.Dense {
		x := mat.NewDense(6, n, nil)
		x.Apply(func(i, j int, _ float64) float64 { return w.At(i, class(j))*float64(1+j%5) + 0.1*rng.Float64() }, x)
		return x
	}
	x, y := like(30, func(j int) int { return j % 3 }), like(5, func(int) int { return 0 })
	near := Neighbors(x, 3, nil)
	for _, m := range []Model{ONMF(3), {Rank: 3, Loss: ByColumn{Loss: L1{}}, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}}, {Rank: 3, Loss: ByColumn{Loss: Truncated{Loss: L1{}, Cut: 3}}, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}}, RMNMF(3, near, 0.1)} {
		r := MustFit(t, m, x)
		together, err := r.Transform(context.Background(), y, nil)
		if err != nil {
			t.Fatal(err)
		}
		for j := range 5 {
			alone, err := r.Transform(context.Background(), y.Slice(0, 6, j, j+1), nil)
			if err != nil {
				t.Fatal(err)
			}
			for k := range 3 {
				if got, want := together.At(k, j), alone.At(k, 0); math.Abs(got-want) > 1e-9*(1+want) {
					t.Errorf("%T: sample %d has %.4f of component %d among others, %.4f alone", m.Loss, j, got, k, want)
				}
			}
		}
	}
}

// clusterCost is what is left of each cluster without its first singular vector, which
// for W, H ≥ 0 with orthogonal rows is the least for this partition.
func clusterCost(x *mat.Dense, of []int, r int) float64 {
	m, n := x.Dims()
	var sum float64
	for k := range r {
		var data []float64
		for j := range n {
			if of[j] == k {
				data = append(data, mat.Col(nil, j, x)...)
			}
		}
		if data == nil {
			continue
		}
		var svd mat.SVD
		svd.Factorize(mat.NewDense(len(data)/m, m, data), mat.SVDNone)
		for _, s := range svd.Values(nil)[1:] {
			sum += s * s
		}
	}
	return sum
}

func ownComponent(h *mat.Dense) []int { return (&Result{W: ones(h), H: h}).Clusters() }

func ones(h *mat.Dense) *mat.Dense {
	r, _ := h.Dims()
	w := mat.NewDense(r, r, nil)
	for k := range r {
		w.Set(k, k, 1)
	}
	return w
}

// dingONMF is (8) with (23) of Ding, Li, Peng and Park (2006), G = Hᵀ:
// F ← F∘(XG)/(FGᵀG), G ← G∘√(XᵀF / (GGᵀXᵀF)).
func dingONMF(x, f, g *mat.Dense) (*mat.Dense, *mat.Dense) {
	xf := Mul(x.T(), f)
	next := mat.DenseCopyOf(g)
	den := Mul(g, Mul(g.T(), xf))
	next.Apply(func(i, k int, v float64) float64 { return v * math.Sqrt(xf.At(i, k)/max(den.At(i, k), 1e-300)) }, g)
	g = next
	return Update(f, Mul(x, g), Mul(f, Mul(g.T(), g))), g
}

// choiONMF is ONMF-S of Choi (2008), S = H: S ← S∘(AᵀX)/(SXᵀAS), A ← A∘(XSᵀ)/(ASSᵀ).
func choiONMF(x, a, s *mat.Dense) (*mat.Dense, *mat.Dense) {
	ax := Mul(a.T(), x)
	s = Update(s, ax, Mul(Mul(s, ax.T()), s))
	return Update(a, Mul(x, s.T()), Mul(a, Mul(s, s.T()))), s
}

func TestONMF(t *testing.T) {
	const m, r = 5, 2
	found := 0
	for seed := range uint64(10) {
		x, _ := Planted(m, 9, 3, 0.2, 0, seed)
		best := math.Inf(1)
		of := make([]int, 9)
		for code := range 1 << 9 {
			for j := range of {
				of[j] = code >> j & 1
			}
			best = min(best, clusterCost(x, of, r))
		}
		least := math.Inf(1)
		for start := range uint64(30) {
			model := ONMF(r)
			model.Seed, model.Tol, model.MaxIter = start, 1e-13, 5000
			if start > 2 {
				model.Init = nil // the fill of empty components is used
			}
			a := MustFit(t, model, x)
			if cost := clusterCost(x, ownComponent(a.H), r); a.Objective < best*(1-1e-9) || !Near(a.Objective, cost, 1e-6) {
				t.Errorf("objective %g, of its clusters %g, best of all %g", a.Objective, cost, best)
			}
			g := Mul(a.H, a.H.T())
			if g.At(0, 1) != 0 || g.At(0, 0) == 0 || g.At(1, 1) == 0 {
				t.Errorf("HHᵀ = %v", mat.Formatted(g))
			}
			least = min(least, a.Objective)
		}
		if Near(least, best, 1e-6) {
			found++
		}
	}
	if found < 9 {
		t.Errorf("the best of all partitions in %d of 10", found)
	}
}

// The published updates, from the same start, rounded to the clusters they have found
// and refitted, are on average no better.
func TestONMFOracles(t *testing.T) {
	const m, n, r = 12, 45, 3
	var ours, dings, chois float64
	for seed := range uint64(6) {
		x, _ := ClassesOf(r, n/r, m, 0, seed)
		model := ONMF(r)
		model.Seed, model.MaxIter = seed, 300
		ours += MustFit(t, model, x).Objective
		w, h, err := KMeansInit{Shift: 0.2}.Start(t.Context(), x, r, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		f, g := mat.DenseCopyOf(w), mat.DenseCopyOf(h.T())
		a, s := mat.DenseCopyOf(w), mat.DenseCopyOf(h)
		for range 300 {
			f, g = dingONMF(x, f, g)
			a, s = choiONMF(x, a, s)
		}
		for _, rows := range []*mat.Dense{mat.DenseCopyOf(g.T()), s} {
			unit := Mul(rows, rows.T())
			if off := unit.At(0, 1) / math.Sqrt(unit.At(0, 0)*unit.At(1, 1)); off > 0.1 {
				t.Errorf("the oracle's rows have the cosine %g: is it transcribed right?", off)
			}
		}
		dings += clusterCost(x, ownComponent(mat.DenseCopyOf(g.T())), r)
		chois += clusterCost(x, ownComponent(s), r)
	}
	if ours > dings*1.001 || ours > chois*1.001 {
		t.Errorf("ours %g, Ding et al. %g, Choi %g", ours, dings, chois)
	}
}

// A row of W that is 0 does not draw all samples to its component.
func TestOrthogonalEmptyW(t *testing.T) {
	x := Uniform(6, 12, 1)
	w := Uniform(6, 3, 2)
	for i := range 6 {
		w.Set(i, 1, 0)
	}
	m := RMNMF(3, Ring(12, 1), 5)
	m.Init = WarmStart{W: w, H: Uniform(3, 12, 3)}
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil || !OneEach(s.H()) {
			t.Fatal(s.Round, err)
		}
	}
}
