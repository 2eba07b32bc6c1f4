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

// Literal transcriptions of the RSS-NMF paper, in its letters: V is the data, the
// first l samples are labelled, and rho(x) = √(1 + x²) − 1.

type paper struct {
	v, y *mat.Dense // m×n, r×l
}

// inFront returns labels of the first l of n samples, and Y (8).
func inFront(r, l, n int, seed uint64) (Labels, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 5))
	labels, y := Labels{Class: make([]int, n)}, mat.NewDense(r, l, nil)
	for j := range n {
		labels.Class[j] = Unlabelled
		if j < l {
			labels.Class[j] = rng.IntN(r)
			y.Set(labels.Class[j], j, 1)
		}
	}
	return labels, y
}

// lambda is (13).
func (p paper) lambda(h *mat.Dense) []float64 {
	r, l := p.y.Dims()
	out := make([]float64, r)
	for k := range r {
		var hy, hh float64
		for j := range l {
			hy += h.At(k, j) * p.y.At(k, j)
			hh += h.At(k, j) * h.At(k, j)
		}
		out[k] = hy / hh
	}
	return out
}

// f is (12), at the given Λ.
func (p paper) f(w, h *mat.Dense, lambda []float64) float64 {
	e := NaiveResidual(p.v, w, h)
	var sum float64
	for _, x := range e.RawMatrix().Data {
		sum += math.Sqrt(1+x*x) - 1
	}
	r, l := p.y.Dims()
	for k := range r {
		for j := range l {
			d := lambda[k]*h.At(k, j) - p.y.At(k, j)
			sum += 0.5 * d * d
		}
	}
	return sum
}

// parts are Wᵀ(V/√(1 + (V − WH)²)) and the same with A in place of V.
func (p paper) parts(w, h, a *mat.Dense) (ofV, ofA *mat.Dense) {
	e := NaiveResidual(p.v, w, h)
	x, y := mat.DenseCopyOf(p.v), mat.DenseCopyOf(a)
	for i, d := range e.RawMatrix().Data {
		root := math.Sqrt(1 + d*d)
		x.RawMatrix().Data[i] /= root
		y.RawMatrix().Data[i] /= root
	}
	ofV, ofA = new(mat.Dense), new(mat.Dense)
	ofV.Mul(w.T(), x)
	ofA.Mul(w.T(), y)
	return ofV, ofA
}

// mur is a round of Algorithm 1. As printed (18) has +Λ²H − ΛY in the denominator;
// split by sign ΛY is in the numerator.
func (p paper) mur(w, h *mat.Dense, lambda []float64, printed bool) (w1, h1 *mat.Dense) {
	num, den := p.parts(w, h, Mul(w, h))
	r, l := p.y.Dims()
	for k := range r {
		for j := range l {
			y := lambda[k] * p.y.At(k, j)
			den.Set(k, j, den.At(k, j)+lambda[k]*lambda[k]*h.At(k, j))
			if printed {
				den.Set(k, j, den.At(k, j)-y)
			} else {
				num.Set(k, j, num.At(k, j)+y)
			}
		}
	}
	h1 = mat.DenseCopyOf(h)
	h1.MulElem(h1, num)
	h1.DivElem(h1, den)
	t := paper{v: mat.DenseCopyOf(p.v.T())}
	num, den = t.parts(mat.DenseCopyOf(h1.T()), mat.DenseCopyOf(w.T()), mat.DenseCopyOf(Mul(w, h1).T())) // (19)
	wt := mat.DenseCopyOf(w.T())
	wt.MulElem(wt, num)
	wt.DivElem(wt, den)
	return mat.DenseCopyOf(wt.T()), h1
}

// MU is Algorithm 1 with (18) split by sign.
func TestRSSNMFUpdates(t *testing.T) {
	const m, n, r, l = 8, 20, 3, 9
	v, _ := Planted(m, n, r, 0.1, 0.1, 2)
	v.Scale(3, v)
	labels, y := inFront(r, l, n, 1)
	p := paper{v, y}
	w, h := Uniform(m, r, 3), Uniform(r, n, 4)
	model := RSSNMF(r, 1, labels)
	model.Solver, model.Tol, model.MaxIter, model.Init = MU{}, -1, 25, WarmStart{W: w, H: h}
	for s, err := range model.Steps(context.Background(), v) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Round > 0 {
			w, h = p.mur(w, h, p.lambda(h), false)
		}
		if !mat.EqualApprox(w, s.W(), 1e-9) || !mat.EqualApprox(h, s.H(), 1e-9) {
			t.Fatalf("round %d differs", s.Round)
		}
		if f := p.f(w, h, p.lambda(h)); !Near(f, s.Objective, 1e-10) {
			t.Fatalf("round %d: objective %g, want %g", s.Round, s.Objective, f)
		}
	}
}

// As printed, (18) turns negative where Λ²H − ΛY outweighs the data, and raises
// the objective.
func TestRSSNMFAsPrinted(t *testing.T) {
	const m, n, r, l = 4, 12, 3, 9
	negative, rises := 0, 0
	for seed := range uint64(20) {
		v, _ := Planted(m, n, r, 0.1, 0.1, seed)
		v.Scale(0.3, v) // data that do not outweigh the labels
		_, y := inFront(r, l, n, seed)
		p := paper{v, y}
		w, h := Uniform(m, r, seed+1), Uniform(r, n, seed+2)
		w.Scale(0.3, w)
		lambda := p.lambda(h)
		before := p.f(w, h, lambda)
		w1, h1 := p.mur(w, h, lambda, true)
		if mat.Min(h1) < 0 {
			negative++
		}
		if p.f(w1, h1, lambda) > before {
			rises++
		}
		if w1, h1 = p.mur(w, h, lambda, false); mat.Min(h1) < 0 || p.f(w1, h1, lambda) > before*(1+1e-12) {
			t.Errorf("seed %d: split by sign it rises from %g to %g", seed, before, p.f(w1, h1, lambda))
		}
	}
	if negative < 10 || rises < 10 {
		t.Errorf("negative in %d, rises in %d of 20", negative, rises)
	}
	t.Logf("as printed: negative in %d, rises in %d of 20", negative, rises)
}

// along is (25), the scaled gradient, with Λ²H in the denominator as well.
func (p paper) along(w, h *mat.Dense, lambda []float64) *mat.Dense {
	num, den := p.parts(w, h, Mul(w, h))
	d := mat.DenseCopyOf(h)
	r, n := h.Dims()
	l := 0
	if p.y != nil {
		_, l = p.y.Dims()
	}
	for k := range r {
		for j := range n {
			gradient, below := den.At(k, j)-num.At(k, j), den.At(k, j)
			if j < l {
				gradient += lambda[k]*lambda[k]*h.At(k, j) - lambda[k]*p.y.At(k, j)
				below += lambda[k] * lambda[k] * h.At(k, j)
			}
			d.Set(k, j, h.At(k, j)*gradient/below)
		}
	}
	return d
}

// fgd is one update of Algorithm 2 by the book: Newton with the derivatives of φ,
// label term included, and (29) with 1 always allowed.
func (p paper) fgd(w, h *mat.Dense, lambda []float64) *mat.Dense {
	d := p.along(w, h, lambda)
	e, wd := NaiveResidual(p.v, w, h), Mul(w, d)
	sup := math.Inf(1)
	for i, x := range d.RawMatrix().Data {
		if x > 0 {
			sup = min(sup, h.RawMatrix().Data[i]/x)
		}
	}
	beta := 1.0
	for range 50 {
		var first, second float64
		for i, x := range e.RawMatrix().Data {
			g := wd.RawMatrix().Data[i]
			z := x + beta*g
			root := math.Sqrt(1 + z*z)
			first += g * z / root
			second += g * g / (root * root * root)
		}
		if p.y != nil {
			r, l := p.y.Dims()
			for k := range r {
				for j := range l {
					g := lambda[k] * d.At(k, j)
					first -= g * (lambda[k]*(h.At(k, j)-beta*d.At(k, j)) - p.y.At(k, j))
					second += g * g
				}
			}
		}
		beta = min(max(0, beta-first/second), max(1, 0.9*sup))
	}
	out := mat.DenseCopyOf(d)
	out.Scale(-beta, out)
	out.Add(h, out)
	return out
}

// A round of FGD{Printed: true} is one of Algorithm 2, to the accuracy of the line
// search. It does not scale the factors as (23) and (24) do: from factors that are
// Scaled it goes to the same WH.
func TestRSSNMFGradient(t *testing.T) {
	const m, n, r, l = 8, 20, 3, 9
	v, _ := Planted(m, n, r, 0.1, 0.1, 2)
	v.Scale(3, v)
	labels, y := inFront(r, l, n, 1)
	p, pt := paper{v, y}, paper{v: mat.DenseCopyOf(v.T())}
	w, h := Uniform(m, r, 3), Uniform(r, n, 4)
	round := func() *Result {
		model := RSSNMF(r, 1, labels)
		model.Solver, model.Tol, model.MaxIter, model.Init = FGD{Printed: true}, -1, 1, WarmStart{W: w, H: h}
		return MustFit(t, model, v)
	}
	for i := range 12 {
		got := round()
		before := p.f(w, h, p.lambda(h))
		for k := range r { // (23), (24)
			length := mat.Sum(w.ColView(k))
			for i := range m {
				w.Set(i, k, w.At(i, k)/length)
			}
			for j := range n {
				h.Set(k, j, h.At(k, j)*length)
			}
		}
		if !Near(p.f(w, h, p.lambda(h)), before, 1e-12) {
			t.Errorf("round %d: scaled, with Λ solved again, the objective is another", i)
		}
		if again := round(); !mat.EqualApprox(Mul(got.W, got.H), Mul(again.W, again.H), 1e-9) {
			t.Errorf("round %d: scaled, it goes elsewhere", i)
		}
		h = p.fgd(w, h, p.lambda(h))
		wt := pt.fgd(mat.DenseCopyOf(h.T()), mat.DenseCopyOf(w.T()), nil)
		w = mat.DenseCopyOf(wt.T())
		after := p.f(w, h, p.lambda(h))
		if after > before*(1+1e-12) {
			t.Errorf("round %d: Algorithm 2, corrected, rises", i)
		}
		if !Near(got.Objective, after, 1e-3) || !mat.EqualApprox(Mul(w, h), Mul(got.W, got.H), 0.03) {
			t.Errorf("round %d: objective %g, want %g", i, got.Objective, after)
		}
	}
}

// As printed, without Λ²H in the denominator of (20), the largest step is below 1,
// and a half-step that ends at 0.9 of it can do worse than the multiplicative one.
func TestFGDAsPrinted(t *testing.T) {
	const m, n, r, l = 4, 12, 3, 9
	below, worse := 0, 0
	for seed := range uint64(20) {
		v, _ := Planted(m, n, r, 0.1, 0.1, seed)
		v.Scale(0.3, v)
		_, y := inFront(r, l, n, seed)
		p := paper{v, y}
		w, h := Uniform(m, r, seed+1), Uniform(r, n, seed+2)
		w.Scale(0.3, w)
		lambda := p.lambda(h)
		num, den := p.parts(w, h, Mul(w, h))
		d := mat.NewDense(r, n, nil)
		sup := math.Inf(1)
		for k := range r {
			for j := range n {
				g := den.At(k, j) - num.At(k, j)
				if j < l {
					g += lambda[k]*lambda[k]*h.At(k, j) - lambda[k]*p.y.At(k, j)
				}
				d.Set(k, j, h.At(k, j)*g/den.At(k, j))
				if x := d.At(k, j); x > 0 {
					sup = min(sup, h.At(k, j)/x)
				}
			}
		}
		if sup < 1 {
			below++
		}
		// Newton on the loss alone, from 1.
		e, wd := NaiveResidual(v, w, h), Mul(w, d)
		beta := 1.0
		for range 50 {
			var first, second float64
			for i, x := range e.RawMatrix().Data {
				g := wd.RawMatrix().Data[i]
				root := math.Sqrt(1 + (x+beta*g)*(x+beta*g))
				first += g * (x + beta*g) / root
				second += g * g / (root * root * root)
			}
			beta -= first / second
		}
		beta = min(beta, 0.9*sup)
		d.Scale(-beta, d)
		d.Add(h, d)
		if _, h1 := p.mur(w, h, lambda, false); p.f(w, d, lambda) > p.f(w, h1, lambda) {
			worse++
		}
	}
	t.Logf("as printed: the largest step below 1 in %d, worse than a multiplicative update in %d of 20", below, worse)
	if below < 10 || worse == 0 {
		t.Errorf("%d, %d", below, worse)
	}
}

// A column of its own β is at least as good as a common one from the same point.
func TestFGDLowers(t *testing.T) {
	x, _ := Planted(12, 40, 4, 0.1, 0.1, 5)
	labels, _ := inFront(4, 20, 40, 3)
	for _, scale := range []float64{0.05, 0.3, 3} {
		lowest := math.Inf(1)
		for _, solver := range []Solver{MU{}, FGD{Printed: true}, FGD{}} {
			model := RSSNMF(4, scale, labels)
			model.Solver, model.Seed, model.Tol, model.MaxIter = solver, 3, -1, 1
			var reached float64
			HalfStep(t, model, x, func(q *Quadratic, h *mat.Dense) {
				solver.Improve(q, h)
				reached = NaiveObjective(model, model.Loss, x, mat.DenseCopyOf(q.U.T()), h)
			})
			if reached > lowest*(1+1e-6) {
				t.Errorf("scale %g: %T%+v reaches %g, the one before %g", scale, solver, solver, reached, lowest)
			}
			lowest = min(lowest, reached)
		}
	}
}
