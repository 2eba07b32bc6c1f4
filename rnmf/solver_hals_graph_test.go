package rnmf_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

// The Laplacian of the groups is PᵀLP: a V that is constant in each group is as
// rough over the samples as over the groups.
func TestGroups(t *testing.T) {
	x, _ := Planted(20, 150, 3, 0.1, 0, 2)
	knn := Neighbors(x, 5, func(s float64) float64 { return math.Exp(-s) })
	none, _ := NewGraph(9, nil)
	pair, _ := NewGraph(2, []Edge{{0, 1, 1}})
	for i, g := range []*Graph{knn, Ring(200, 1), twoParts(60, rand.New(rand.NewPCG(1, 1))), none, pair} {
		levels := 0
		for of, small := g.Groups(); small != nil; of, small = g.Groups() {
			count, n := small.SymmetricDim(), g.SymmetricDim()
			if slices.Min(of) != 0 || slices.Max(of) != count-1 || count >= n {
				t.Fatalf("graph %d: %d vertices in groups %d to %d of %d", i, n, slices.Min(of), slices.Max(of), count)
			}
			v := Uniform(2, count, 3)
			wide := mat.NewDense(2, n, nil)
			for j, a := range of {
				for k := range 2 {
					wide.Set(k, j, v.At(k, a))
				}
			}
			if got, want := small.Roughness(v), g.Roughness(wide); !Near(got, want, 1e-12) {
				t.Errorf("graph %d: roughness %g over %d groups, %g over %d vertices", i, got, count, want, n)
			}
			g, levels = small, levels+1
		}
		if g.Edges() > 0 || levels == 0 && i < 3 {
			t.Errorf("graph %d: %d levels, %d edges in the last", i, levels, g.Edges())
		}
	}
}

// Moving groups never raises the half-step's objective and never leaves V ≥ 0;
// and where the graph outweighs the data, a few corrections go further than many
// sweeps.
func TestCorrection(t *testing.T) {
	x, _ := Planted(30, 240, 4, 0.2, 0.1, 3)
	// Like images of an object on a turntable.
	var edges []Edge
	for i := range 240 {
		edges = append(edges, Edge{i, (i + 1) % 240, 1}, Edge{i, (i + 2) % 240, 0.5})
	}
	g, err := NewGraph(240, edges)
	if err != nil {
		t.Fatal(err)
	}
	for _, lambda := range []float64{1e-2, 1, 1e2, 1e6} {
		for _, loss := range []Loss{nil, ByColumn{L1{}}} {
			m := GNMF(4, g, lambda)
			m.Loss = loss
			m.OnH = append(m.OnH, Ridge{0.1})
			problem, h := halfStep(t, m, x)
			// The value of the problem, by its own definition.
			p := problem(h).GramForm(h)
			value := func(v []float64) (sum float64) {
				_, n, r := p.Dims()
				at := mat.NewDense(r, n, nil)
				for j := range n {
					for k := range r {
						at.Set(k, j, v[j*r+k])
						sum += p.D(k)[j]*v[j*r+k]*v[j*r+k] - 2*p.N[k*n+j]*v[j*r+k]
						for l := range r {
							sum += p.W[j] * p.G[k*r+l] * v[j*r+k] * v[j*r+l]
						}
					}
				}
				return sum + lambda*g.Roughness(at)
			}
			tiers := GridLevelOf(p, h)
			last, scale := value(tiers.V()), 0.0
			scale = math.Abs(last)
			for range 12 {
				for _, step := range []func(){tiers.Sweep, tiers.Correct} {
					step()
					now := value(tiers.V())
					if now > last+1e-12*scale || slices.Min(tiers.V()) < 0 {
						t.Fatalf("λ = %g, %s: %.15g after %.15g", lambda, LossName(loss), now, last)
					}
					last = now
				}
			}
			alone := GridLevelOf(p, h)
			for range 120 {
				alone.Sweep()
			}
			if end := value(alone.V()); lambda == 1e6 && last >= end {
				t.Errorf("%s: %.12g with groups, %.12g by sweeps alone", LossName(loss), last, end)
			}
		}
	}
}

// Where sweeps are cheap beside UX they go on for longer, and that saves rounds.
func TestEnoughSweeps(t *testing.T) {
	for _, c := range []struct {
		r, m int
		want float64
	}{{1, 1, 0.01}, {50, 1024, 0.01}, {16, 1024, 0.005}, {10, 1280, 0.0025}, {1, 1 << 20, 0.002}} {
		if got := EnoughSweeps(c.r, c.m); got != c.want {
			t.Errorf("r = %d, m = %d: %g, want %g", c.r, c.m, got, c.want)
		}
	}
	// A half-step from the start ends nearer to its minimum.
	x, _ := Planted(400, 120, 4, 0.1, 0.1, 3)
	g := Neighbors(x, 5, nil)
	problem, h := halfStep(t, GNMF(4, g, 1), x)
	value := func(h *mat.Dense) float64 {
		p := problem(h).GramForm(h)
		sum := g.Roughness(h)
		for j := range 120 {
			for k := range 4 {
				sum -= 2 * p.N[k*120+j] * h.At(k, j)
				for l := range 4 {
					sum += p.W[j] * p.G[k*4+l] * h.At(k, j) * h.At(l, j)
				}
			}
		}
		return sum
	}
	after := func(s HALS, times int) float64 {
		v := mat.DenseCopyOf(h)
		for range times {
			s.Improve(problem(v), v)
		}
		return value(v)
	}
	first, least := value(h), after(HALS{}, 50)
	if left := (after(HALS{}, 1) - least) / (first - least); !(left >= 0 && left < 2e-3) { // 3e-3 with 0.01
		t.Errorf("a half-step leaves %.2g of the way to its minimum", left)
	}
}
