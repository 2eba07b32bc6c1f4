package printed

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// Hypersurface is HCNMF (Hamza and Brady 2006; Truncated Cauchy paper, section 4), the model
// of rnmf.HypersurfaceNMF by projected gradients with Armijo's rule, which both papers call
// expensive: each try of a step takes the objective of all entries again.
//
//	min over W, H ≥ 0 of Σ √(1 + (X − WH)²/σ²) − 1
//	∂/∂H = −Wᵀ(E ⊘ σ²√(1 + E²/σ²)),   E = X − WH
//	H(t) = max(0, H − t∂),   F(H(t)) − F(H) ≤ c⟨∂, H(t) − H⟩,   c = 0.01
//
// The step t begins where it ended in the round before, and is taken by factors of 10 down
// until the rule holds, or up as long as it does (Lin 2007). So no round raises F.
type Hypersurface struct {
	Start
	Scale float64 // σ; 0: 1, as printed
	// Tries, if not nil, counts the objectives that Armijo's rule took.
	Tries *int
}

// Fit factorises x.
func (s Hypersurface) Fit(ctx context.Context, x mat.Matrix) (*rnmf.Result, error) {
	f, err := s.begin(ctx, x)
	if err != nil {
		return nil, err
	}
	if s.Scale == 0 {
		s.Scale = 1
	}
	if !(s.Scale > 0) || math.IsInf(s.Scale, 0) {
		return nil, fmt.Errorf("%w: Hypersurface.Scale is %g, want 0 (1) or more", rnmf.ErrParameter, s.Scale)
	}
	if s.Tries == nil {
		s.Tries = new(int)
	}
	stepH, stepW := 1., 1.
	return s.run(ctx, f, func() float64 { return s.value(f) }, func() error {
		if err := s.descend(ctx, f, f.h, &stepH, func(slope *mat.Dense) *mat.Dense { return product(f.w.T(), slope) }); err != nil {
			return err
		}
		return s.descend(ctx, f, f.w, &stepW, func(slope *mat.Dense) *mat.Dense { return product(slope, f.h.T()) })
	})
}

// value is F.
func (s Hypersurface) value(f *state) (sum float64) {
	for _, e := range f.residual().RawMatrix().Data {
		e /= s.Scale
		sum += e * e / (1 + math.Sqrt(1+e*e))
	}
	return sum
}

// slope is −∂F/∂E by entries: E ⊘ σ²√(1 + E²/σ²), with the sign of a gradient in WH.
func (s Hypersurface) slope(f *state) *mat.Dense {
	e := f.residual()
	e.Apply(func(_, _ int, v float64) float64 {
		v /= s.Scale
		return -v / math.Sqrt(1+v*v) / s.Scale
	}, e)
	return e
}

// descend takes a projected gradient step of the factor v; gradient makes that of v of that
// of WH.
func (s Hypersurface) descend(ctx context.Context, f *state, v *mat.Dense, step *float64, gradient func(*mat.Dense) *mat.Dense) error {
	const c, factor = 0.01, 10
	before, g := s.value(f), gradient(s.slope(f))
	from := mat.DenseCopyOf(v)
	holds := func(t float64) bool {
		*s.Tries++
		var along float64
		v.Apply(func(i, j int, a float64) float64 {
			b := max(0, a-t*g.At(i, j))
			along += g.At(i, j) * (b - a)
			return b
		}, from)
		after := s.value(f)
		return after-before <= c*along && !math.IsNaN(after)
	}
	if holds(*step) {
		good := mat.DenseCopyOf(v)
		for range 20 {
			if !holds(*step*factor) || mat.Equal(v, good) {
				break
			}
			*step *= factor
			good.Copy(v)
		}
		v.Copy(good)
		return nil
	}
	for range 60 {
		*step /= factor
		if holds(*step) {
			return nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	v.Copy(from) // at a minimum, up to rounding
	return nil
}
