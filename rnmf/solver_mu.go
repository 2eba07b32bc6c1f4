package rnmf

import (
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

var _ Solver = MU{}

// SignedU returns true.
func (MU) SignedU() bool { return true }

// Improve multiplies v by the ratio above, once.
func (MU) Improve(q *Quadratic, v *mat.Dense) {
	if q.signedU {
		q.rootRatio(v)
		return
	}
	q.freezeNeighbors(v)
	if q.Weighted() {
		u := q.layout.cross()
		q.tiles(v, needSplit|needWeights, func(t *Tile) {
			r, b := t.R, t.B
			t.split()
			space := t.Space(2 * r * b)
			num, den := space[:r*b], space[r*b:]
			u.Add(num, t.X, b)
			u.Add(den, t.y, b)
			t.multiply(num, den)
		})
		return
	}
	_, _, r := q.Dims()
	u, gram := q.gram()
	square := q.layout.square(gram)
	q.tiles(v, needCross|needWeights, func(t *Tile) {
		b := t.B
		num, den := t.cross(u, gram), t.Space(r*b)
		square.Add(den, t.V, b)
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
