package papers

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

// convexOracle is (28) and (29) of Ding, Li and Jordan (2010), X ≈ XWGᵀ.
func convexOracle(x, w, g *mat.Dense) (*mat.Dense, *mat.Dense) {
	k := Mul(x.T(), x)
	plus, minus := mat.DenseCopyOf(k), mat.DenseCopyOf(k)
	plus.Apply(func(_, _ int, v float64) float64 { return (math.Abs(v) + v) / 2 }, k)
	minus.Apply(func(_, _ int, v float64) float64 { return (math.Abs(v) - v) / 2 }, k)
	root := func(v, up1, up2, down1, down2 *mat.Dense) *mat.Dense {
		next := mat.DenseCopyOf(v)
		next.Apply(func(i, j int, a float64) float64 {
			return a * math.Sqrt((up1.At(i, j)+up2.At(i, j))/(down1.At(i, j)+down2.At(i, j)))
		}, v)
		return next
	}
	g = root(g, Mul(plus, w), Mul(g, Mul(w.T(), Mul(minus, w))), Mul(minus, w), Mul(g, Mul(w.T(), Mul(plus, w))))
	gg := Mul(g.T(), g)
	return root(w, Mul(plus, g), Mul(Mul(minus, w), gg), Mul(minus, g), Mul(Mul(plus, w), gg)), g
}

func TestConvexNMF(t *testing.T) {
	const m, n, r = 10, 30, 3
	for seed := range uint64(2) {
		plain, _ := Planted(m, n, r, 0.1, 0.1, seed)
		for _, x := range []*mat.Dense{plain, Signed(m, n, r, seed)} {
			init := KMeansInit{Shift: 0.2}
			_, h, err := init.Start(t.Context(), x, r, rand.New(rand.NewPCG(seed, 0x52_4e_4d_46)))
			if err != nil {
				t.Fatal(err)
			}
			p := new(convexSolver)
			if _, _, err := (convexInit{p, WarmStart{W: ConstantOnes(m, r), H: h}}).Start(t.Context(), x, r, nil); err != nil {
				t.Fatal(err)
			}
			w, g := mat.DenseCopyOf(p.g.T()), mat.DenseCopyOf(h.T())
			last := math.Inf(1)
			for range 400 {
				w, g = convexOracle(x, w, g)
				now := mat.Norm(NaiveResidual(x, Mul(x, w), mat.DenseCopyOf(g.T())), 2)
				if now > last*(1+1e-10) {
					t.Fatal("the oracle rises: is it transcribed right?")
				}
				last = now
			}
			for _, loss := range []Loss{nil, ByColumn{Loss: L1{Eps: 1e-3}}, Cauchy{Scale: 0.3}} {
				s := ConvexNMF{Model{Rank: r, Seed: seed, Init: init, Signed: true, MaxIter: 200, Tol: -1, Loss: loss}}
				a, err := s.Fit(context.Background(), x)
				if err != nil {
					t.Fatal(err)
				}
				Falls(t, LossName(loss), a.Trace)
				if mat.Min(a.G) < 0 || mat.Min(a.H) < 0 || !mat.EqualApprox(a.W, Mul(x, a.G), 1e-9) {
					t.Error("G or H is negative, or W is not XG")
				}
				if want := NaiveObjective(s.Model, loss, x, a.W, a.H); !Near(a.Objective, want, 1e-9) {
					t.Errorf("objective %g, want %g", a.Objective, want)
				}
				if loss == nil && math.Sqrt(a.Objective) > last*1.005 {
					t.Errorf("%g, the multiplicative updates reach %g", math.Sqrt(a.Objective), last)
				}
			}
		}
	}
	x, _ := Planted(m, n, r, 0.1, 0, 1)
	for _, model := range []Model{{Rank: r, Mask: x}, {Rank: r, Solver: MU{}}, {Rank: r, OnW: []Penalty{Ridge{Lambda: 1}}}} {
		if _, err := (ConvexNMF{model}).Fit(context.Background(), x); !errors.Is(err, ErrParameter) {
			t.Error(err)
		}
	}
	if _, err := (ConvexNMF{NMF(2)}).Fit(context.Background(), Signed(4, 5, 2, 1)); !errors.Is(err, ErrNegative) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a, err := ConvexNMF{NMF(r)}.Fit(ctx, x)
	if !errors.Is(err, context.Canceled) || a.Reason != Cancelled || !mat.EqualApprox(a.W, Mul(x, a.G), 1e-12) {
		t.Errorf("%v, %+v", err, a)
	}
	// Where the objective is known only now and then, a fit goes back by several rounds.
	for after := range 15 {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		model := Model{Rank: r, TraceEvery: 1 + after%5, Watch: func(Point) { seen++ }, Loss: Cauchy{}, OnH: []Penalty{ends{&after, cancel}}}
		a, err := ConvexNMF{model}.Fit(ctx, x)
		if !errors.Is(err, context.Canceled) || seen == 0 || !mat.EqualApprox(a.W, Mul(x, a.G), 1e-12) {
			t.Errorf("every %d rounds: %v, %v", model.TraceEvery, err, a)
		}
		cancel()
	}
}

// Where the data have a lower rank than the model rounding errors decide which round is the best, and W is XG there,
// too.
func TestConvexNMFOfLowRank(t *testing.T) {
	x := mat.NewDense(8, 10, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64(j % 3 * (1 + i)) }, x)
	for _, loss := range []Loss{Cauchy{}, Correntropy{}, CellCase{Loss: Huber{}}, MMEstimator{}} {
		for _, every := range []int{0, 3} {
			for seed := range uint64(3) {
				r, err := ConvexNMF{Model{Rank: 5, Loss: loss, Tol: -1, MaxIter: 60, TraceEvery: every, Seed: seed}}.Fit(t.Context(), x)
				if err != nil || !mat.EqualApprox(r.W, Mul(x, r.G), 1e-9*mat.Max(r.W)) {
					t.Errorf("%T, every %d rounds, seed %d: %v", loss, every, seed, err)
				}
			}
		}
	}
}

// An ends is a penalty of 0 that ends a fit after so many half-steps.
type ends struct {
	after *int
	end   func()
}

func (ends) Value(*mat.Dense) float64 { return 0 }

func (e ends) Majorize(*Quadratic, *mat.Dense) {
	if *e.after--; *e.after < 0 {
		e.end()
	}
}
