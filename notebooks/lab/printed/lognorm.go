package printed

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

// LogNorm is LS-NMF of the RLS-NMF paper by its updates (13) and (14), and with Gamma
// RLS-NMF by (46), (49) and (50), which in the letters of this project are
//
//	S = S_{γ/2}(X − WH)                                                       (46), before each of
//	H ← H ∘ (2Wᵀ(X − S) + 2λHG) ⊘ (2WᵀWH + 2λHD + β ⊘ (1 + H))                (50)
//	W ← W ∘ 2(X − S)Hᵀ ⊘ (2WHHᵀ + α ⊘ (1 + W))                                (49)
//
// rnmf.MU merges 2λHG and β ⊘ (1 + H), which stand on two sides of the fraction here, into
// their difference: with a graph and β > 0 its steps are longer. Both descend, to other
// points. The paper has X with samples of length 1 and its weights in raw units.
//
//	‖X − WH − S‖² + γ‖S‖_{2,log} + λ tr(HLHᵀ) + α Σ log(1 + W) + β Σ log(1 + H)   (35)
type LogNorm struct {
	Start
	Alpha, Beta, Lambda float64
	Gamma               float64     // 0: no S, which is LS-NMF
	Graph               *rnmf.Graph // may be nil if Lambda is 0
}

// Fit factorises x. No round raises the objective.
func (s LogNorm) Fit(ctx context.Context, x mat.Matrix) (*rnmf.Result, error) {
	f, err := s.begin(ctx, x)
	if err != nil {
		return nil, err
	}
	_, n := f.x.Dims()
	if err := cmp.Or(weight("LogNorm.Alpha", s.Alpha), weight("LogNorm.Beta", s.Beta), weight("LogNorm.Lambda", s.Lambda), weight("LogNorm.Gamma", s.Gamma)); err != nil {
		return nil, err
	}
	if s.Graph != nil || s.Lambda > 0 {
		if err := graph(s.Graph, n); err != nil {
			return nil, err
		}
	}
	shrink := papers.LogShrink{Gamma: s.Gamma, Scale: 1}
	outliers := func() (*mat.Dense, error) { return shrink.Shrink(f.residual()) }
	less := func() (*mat.Dense, error) { // X − S
		if s.Gamma == 0 {
			return f.x, nil
		}
		o, err := outliers()
		if err != nil {
			return nil, err
		}
		var y mat.Dense
		y.Sub(f.x, o)
		return &y, nil
	}
	var failed error
	near := mat.NewDense(s.Rank, n, nil)
	r, err := s.run(ctx, f, func() float64 {
		e := f.residual()
		var sum float64
		if s.Gamma > 0 {
			o, err := outliers()
			if failed = cmp.Or(failed, err); err != nil {
				return math.NaN()
			}
			for j := range n {
				sum += s.Gamma * math.Log1p(mat.Norm(o.ColView(j), 2))
			}
			e.Sub(e, o)
		}
		norm := mat.Norm(e, 2)
		sum += norm*norm + logs(f.w, s.Alpha) + logs(f.h, s.Beta)
		if s.Lambda > 0 {
			sum += s.Lambda * s.Graph.Roughness(f.h)
		}
		return sum
	}, func() error {
		y, err := less()
		if err != nil {
			return err
		}
		num, den := product(f.w.T(), y), product(product(f.w.T(), f.w), f.h)
		num.Scale(2, num)
		if s.Lambda > 0 {
			s.Graph.Mul(near, f.h)
			near.Scale(2*s.Lambda, near)
			num.Add(num, near)
		}
		den.Apply(func(k, j int, v float64) float64 {
			v = 2*v + s.Beta/(1+f.h.At(k, j))
			if s.Lambda > 0 {
				v += 2 * s.Lambda * s.Graph.Degree(j) * f.h.At(k, j)
			}
			return v
		}, den)
		times(f.h, num, den)
		if y, err = less(); err != nil {
			return err
		}
		num, den = product(y, f.h.T()), product(f.w, product(f.h, f.h.T()))
		num.Scale(2, num)
		den.Apply(func(i, k int, v float64) float64 { return 2*v + s.Alpha/(1+f.w.At(i, k)) }, den)
		times(f.w, num, den)
		return nil
	})
	if failed != nil {
		return nil, failed
	}
	return r, err
}

// logs is weight · Σ log(1 + v).
func logs(v *mat.Dense, weight float64) (sum float64) {
	for _, a := range v.RawMatrix().Data {
		sum += math.Log1p(a)
	}
	return weight * sum
}
