package rnmf

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// MU is the multiplicative update of the papers,
//
//	V ← V ∘ (U(Ω∘X) + C⁺) / (U(Ω∘UᵀV) + D∘V + C⁻),
//
// which is (2)-(3) of the L2,1 paper for Frobenius, (16)-(17) for the L2,1 loss and (62)-(63) for
// L1. It keeps zeros, so a start with zeros stays there, and reaches in hundreds of rounds what
// HALS reaches in tens: it is here to be taught and compared with. Negative entries of UX and C are
// counted in the denominator, which keeps the bound (Ding, Li and Jordan 2010).
//
// With a Laplacian it is (7) of the RRA paper,
//
//	V ← V ∘ (UX + λVG) / (UUᵀV + λV·diag(d)),
//
// all columns at once. Here the proof for one coordinate after the other (Cai et al. 2011) is not
// enough, as −λG is no less than 0 off the diagonal. But the ratio is a step −∇/a along the
// gradient, halved, with a = (Mv)/v + λd and M = UUᵀ; the Hessian is
// M + λL ⪯ diag((Mv)/v) + 2λ·diag(d) ⪯ 2·diag(a), and a step of that length does not raise q.
//
// Where W may be negative, in semi-NMF, the update of H is that of Ding, Li and Jordan, with N = UX
// and G = UUᵀ split into positive and negative parts,
//
//	H ← H ∘ √((N⁺ + G⁻H) / (N⁻ + G⁺H))   (10).
type MU struct{}

// SignedU returns true.
func (MU) SignedU() bool { return true }

// Improve multiplies v by the ratio above, once.
func (s MU) Improve(q *Quadratic, v *mat.Dense) {
	if q.family != Gaussian {
		s.poisson(q, v)
		return
	}
	if mat.Min(q.U) < 0 {
		q.rootRatio(v)
		return
	}
	q.FreezeNeighbors(v)
	if q.Weighted() {
		q.Tiles(v, func(t *Tile) {
			r, b := t.R, t.B
			x, y := t.split()
			space := t.Space(2 * r * b)
			num, den := space[:r*b], space[r*b:]
			t.AddCross(num, x)
			t.AddCross(den, y)
			t.multiply(num, den)
		})
		return
	}
	_, _, r := q.Dims()
	q.Gram()
	q.Tiles(v, func(t *Tile) {
		b := t.B
		num, den := t.Cross(), t.Space(r*b)
		t.AddGram(den, t.V)
		if t.weighsColumns() {
			for k := range r {
				kernel.Mul(num[k*b:][:b], t.Col)
				kernel.Mul(den[k*b:][:b], t.Col)
			}
		}
		t.multiply(num, den)
	})
}

// multiply moves the negative terms to the other side and multiplies V.
func (t *Tile) multiply(num, den []float64) {
	if t.C != nil || t.D != nil {
		for i, v := range t.V {
			if num[i] < 0 {
				den[i] -= num[i]
				num[i] = 0
			}
			if t.D != nil {
				den[i] += t.D[i] * v
			}
			if t.C != nil {
				num[i] += max(t.C[i], 0)
				den[i] -= min(t.C[i], 0)
			}
		}
	}
	kernel.Ratio(t.V, num, den)
}

// rootRatio is (10) of Ding, Li and Jordan, with penalties, and with weights in the additive form: their
// proof bounds each of −2N⁺v, 2N⁻v, vᵀG⁺v and −vᵀG⁻v by functions of one entry alone.
func (q *Quadratic) rootRatio(v *mat.Dense) {
	q.Decouple(v)
	p := q.GramForm(v)
	if p.Stopped() {
		return
	}
	r, n := q.r, q.n
	plus, minus := make([]float64, r*r), make([]float64, r*r)
	for i, g := range p.G {
		plus[i], minus[i] = max(g, 0), max(-g, 0)
	}
	from := mat.DenseCopyOf(v).RawMatrix().Data
	p.eachRow(func(k int) {
		num, den := make([]float64, n), make([]float64, n)
		kernel.AddCross(num, minus[k*r:][:r], from, r, 1, n)
		kernel.AddCross(den, plus[k*r:][:r], from, r, 1, n)
		to := v.RawRowView(k)
		for j, x := range p.N[k*n:][:n] {
			a, b := p.W[j]*num[j]+max(x, 0), p.W[j]*den[j]+max(-x, 0)
			if p.d != nil {
				b += p.d.At(k, j) * from[k*n+j]
			}
			if y := to[j] * math.Sqrt(a/b); b > 0 && y < MaxFactor {
				to[j] = y
			}
		}
	})
}
