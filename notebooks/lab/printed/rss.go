package printed

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// RSS is RSS-NMF by fast gradient descent, Algorithm 2 of its paper with its four
// parameters, where papers.FGD has none. With V = X/σ_ρ, the residual E = V − WH and ρ(e) =
// √(1 + e²) − 1,
//
//	F = Σ ρ(E) + ½‖ΛHˡ − Yˡ‖²                                               (12)
//	∇ = −Wᵀ(E ⊘ √(1 + E²)) + Λ²Hˡ − ΛYˡ
//	H̄ = H where ∇ ≥ 0, max(H, σ) elsewhere                                   (22)
//	D = H̄ ∘ ∇ ⊘ (Wᵀ(WH̄ ⊘ √(1 + (V − WH̄)²)) + δ)                             (25)
//	H ← H − βD,   β = min(β*, τ sup{β: H − βD ≥ 0})                          (26), (29), (30)
//
// with β* of Newton's method (28) on φ(β) = F(H − βD), whose derivatives leave out the
// label term as printed; then W in the same way, the columns of W to the sum 1 (23), (24),
// and Λ by (13). It ends by (47), |F_n − F_{n−1}| < ξ |F_n − F_1|.
//
// As printed F may rise: the label term is in ∇ but not in φ, nor Λ²Hˡ in the denominator,
// (23) changes it, and a step of Newton goes far past the minimum where the loss is nearly straight: for a
// single residual z far beyond σ_ρ, (28) gives about −z³/σ_ρ². Where Λ would be 0 or 0/0 it stays, and
// Newton's steps, whose end the paper leaves open, are 20 at most and end at a change of 10⁻⁶.
type RSS struct {
	Start
	Repairs
	Labels rnmf.Labels // Names or classes number the components, Rank at most; Weight 0 is 1, as printed
	Scale  float64     // σ_ρ; 0: 1, as printed, for pixels in 0..255
	Delta  float64     // δ; 0: 1e-6
	Floor  float64     // σ of (22); 0: 1e-6
	Tau    float64     // τ; 0: 0.9
	Xi     float64     // ξ; 0: 1e-6
}

// Repairs are of what Algorithm 2 has wrong, one by one; none is as printed.
type Repairs struct {
	Search      bool // φ has the label term
	Denominator bool // wΛ²H̄ˡ is in the denominator of (25)
	One         bool // a step of 1 is always allowed: max(1, τ sup) in (29)
	Weights     bool // WH̄ in (25) has the weights of H, not those of H̄
}

// Fit factorises x.
func (s RSS) Fit(ctx context.Context, x mat.Matrix) (*rnmf.Result, error) {
	f, err := s.begin(ctx, x)
	if err != nil {
		return nil, err
	}
	for _, p := range []struct {
		v        *float64
		standard float64
	}{{&s.Scale, 1}, {&s.Delta, 1e-6}, {&s.Floor, 1e-6}, {&s.Tau, 0.9}, {&s.Xi, 1e-6}} {
		if *p.v == 0 {
			*p.v = p.standard
		}
	}
	_, n := f.x.Dims()
	if err := cmp.Or(weight("RSS.Scale", s.Scale), weight("RSS.Delta", s.Delta), weight("RSS.Floor", s.Floor), weight("RSS.Tau", s.Tau), weight("RSS.Xi", s.Xi), weight("RSS.Labels.Weight", s.Labels.Weight)); err != nil {
		return nil, err
	}
	if len(s.Labels.Class) != n {
		return nil, fmt.Errorf("%w: %d classes of %d samples", rnmf.ErrLabels, len(s.Labels.Class), n)
	}
	for j, c := range s.Labels.Class {
		if c < rnmf.Unlabelled || c >= s.Rank {
			return nil, fmt.Errorf("%w: Class[%d] is %d, want %d to %d", rnmf.ErrLabels, j, c, rnmf.Unlabelled, s.Rank-1)
		}
	}
	if s.Labels.Weight == 0 {
		s.Labels.Weight = 1
	}
	f.x.Scale(1/s.Scale, f.x)
	f.w.Scale(1/s.Scale, f.w)
	lambda := make([]float64, s.Rank)
	for k := range lambda {
		lambda[k] = 1
	}
	s.normalise(f, lambda)
	also := s.Stop
	s.Stop = func(t rnmf.Trace) bool { // (47)
		last := t[len(t)-1].Objective
		return also != nil && also(t) || math.Abs(last-t[len(t)-2].Objective) < s.Xi*math.Abs(last-t[0].Objective)
	}
	betaH, betaW := 1., 1.
	r, err := s.run(ctx, f, func() float64 { return s.value(f, lambda) }, func() error {
		g, e := s.gradient(f, lambda), f.residual()
		betaH = s.step(f.h, g, betaH, func(bar *mat.Dense) *mat.Dense {
			d := product(f.w.T(), s.share(f.x, e, product(f.w, bar)))
			if s.Denominator {
				s.labelled(d, func(k, j, _ int, v float64) float64 { return v + s.Labels.Weight*lambda[k]*lambda[k]*bar.At(k, j) })
			}
			return d
		}, e, func(d *mat.Dense) *mat.Dense { return product(f.w, d) }, func(d *mat.Dense, beta float64) (first, second float64) {
			s.labelled(d, func(k, j, c int, v float64) float64 {
				l := lambda[k]
				rest := l * (f.h.At(k, j) - beta*v)
				if k == c {
					rest--
				}
				first, second = first-s.Labels.Weight*l*v*rest, second+s.Labels.Weight*l*l*v*v
				return v
			})
			return first, second
		})
		e = f.residual()
		g = product(influence(f.residual()), f.h.T())
		g.Scale(-1, g)
		betaW = s.step(f.w, g, betaW, func(bar *mat.Dense) *mat.Dense {
			return product(s.share(f.x, e, product(bar, f.h)), f.h.T())
		}, e, func(d *mat.Dense) *mat.Dense { return product(d, f.h) }, nil)
		s.normalise(f, lambda)
		return nil
	})
	if r != nil {
		r.W.Scale(s.Scale, r.W)
	}
	return r, err
}

// value is F.
func (s RSS) value(f *state, lambda []float64) (sum float64) {
	for _, e := range f.residual().RawMatrix().Data {
		sum += e * e / (1 + math.Sqrt(1+e*e))
	}
	for j, c := range s.Labels.Class {
		if c < 0 {
			continue
		}
		for k, l := range lambda {
			d := l * f.h.At(k, j)
			if k == c {
				d--
			}
			sum += s.Labels.Weight * d * d / 2
		}
	}
	return sum
}

// labelled replaces the entries in the columns of labelled samples, of which c is the class.
func (s RSS) labelled(a *mat.Dense, by func(k, j, c int, v float64) float64) {
	a.Apply(func(k, j int, v float64) float64 {
		if c := s.Labels.Class[j]; c >= 0 {
			return by(k, j, c, v)
		}
		return v
	}, a)
}

// gradient is ∇ for H.
func (s RSS) gradient(f *state, lambda []float64) *mat.Dense {
	g := product(f.w.T(), influence(f.residual()))
	g.Scale(-1, g)
	s.labelled(g, func(k, j, c int, v float64) float64 {
		w := s.Labels.Weight
		v += w * lambda[k] * lambda[k] * f.h.At(k, j)
		if k == c {
			v -= w * lambda[k]
		}
		return v
	})
	return g
}

// step takes v to v − βD and returns β; change makes WD or DH of D, and labels has the label term's
// part of φ′ and φ″, nil if there is none.
func (s RSS) step(v, g *mat.Dense, beta float64, denominator func(bar *mat.Dense) *mat.Dense, e *mat.Dense, change func(d *mat.Dense) *mat.Dense, labels func(d *mat.Dense, beta float64) (first, second float64)) float64 {
	bar := mat.DenseCopyOf(v)
	bar.Apply(func(i, j int, a float64) float64 {
		if g.At(i, j) < 0 {
			return max(a, s.Floor)
		}
		return a
	}, bar)
	d := denominator(bar)
	supremum := math.Inf(1)
	d.Apply(func(i, j int, a float64) float64 {
		a = bar.At(i, j) * g.At(i, j) / (a + s.Delta)
		if a > 0 {
			supremum = min(supremum, v.At(i, j)/a)
		}
		return a
	}, d)
	move := change(d).RawMatrix().Data
	rest := e.RawMatrix().Data
	for range 20 {
		var first, second float64
		for i, w := range move {
			a := rest[i] + beta*w
			root := math.Sqrt(1 + a*a)
			first += w * a / root
			second += w * w / (root * root * root)
		}
		if s.Search && labels != nil {
			first2, second2 := labels(d, beta)
			first, second = first+first2, second+second2
		}
		if !(second > 0) {
			break
		}
		next := max(0, beta-first/second)
		settled := math.Abs(next-beta) <= 1e-6*max(1, beta)
		if beta = next; settled {
			break
		}
	}
	most := s.Tau * supremum
	if s.One {
		most = max(1, most)
	}
	beta = min(beta, most)
	if math.IsInf(beta, 0) || math.IsNaN(beta) {
		beta = 1
	}
	v.Apply(func(i, j int, a float64) float64 { return max(0, a-beta*d.At(i, j)) }, v)
	return beta
}

// normalise is (24), (23) and (13).
func (s RSS) normalise(f *state, lambda []float64) {
	m, _ := f.w.Dims()
	for k := range lambda {
		if sum := mat.Sum(f.w.ColView(k)); sum > 0 {
			for i := range m {
				f.w.Set(i, k, f.w.At(i, k)/sum)
			}
			row := f.h.RawRowView(k)
			for j := range row {
				row[j] *= sum
			}
		}
		var own, all float64
		for j, c := range s.Labels.Class {
			if h := f.h.At(k, j); c >= 0 {
				all += h * h
				if c == k {
					own += h
				}
			}
		}
		if own > 0 && all > 0 {
			lambda[k] = own / all
		}
	}
}

// influence is E ⊘ √(1 + E²).
func influence(e *mat.Dense) *mat.Dense {
	e.Apply(func(_, _ int, v float64) float64 { return v / math.Sqrt(1+v*v) }, e)
	return e
}

// share is Y ⊘ √(1 + (V − Y)²), as printed, or with the residual E of H in place of V − Y.
func (s RSS) share(v, e, y *mat.Dense) *mat.Dense {
	y.Apply(func(i, j int, a float64) float64 {
		r := v.At(i, j) - a
		if s.Weights {
			r = e.At(i, j)
		}
		return a / math.Sqrt(1+r*r)
	}, y)
	return y
}
