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
// which is (2)-(3) of the L2,1 paper for Frobenius, (16)-(17) for the L2,1 loss
// and (62)-(63) for L1. It keeps zeros, so a start with zeros stays there, and
// reaches in hundreds of rounds what HALS reaches in tens: it is here to be
// taught and compared with. Negative entries of UX and C are counted in the
// denominator, which keeps the bound (Ding, Li and Jordan 2010).
//
// With a Laplacian it is (7) of the RRA paper,
//
//	V ← V ∘ (UX + λVG) / (UUᵀV + λV·diag(d)),
//
// all columns at once. Here the proof for one coordinate after the other (Cai et
// al. 2011) is not enough, as −λG is no less than 0 off the diagonal. But the
// ratio is a step −∇/a along the gradient, halved, with a = (Mv)/v + λd and M =
// UUᵀ; the Hessian is M + λL ⪯ diag((Mv)/v) + 2λ·diag(d) ⪯ 2·diag(a), and a step
// of that length does not raise q.
type MU struct{}

var _ Solver = MU{}

// Improve multiplies v by the ratio above, once.
func (MU) Improve(q *Quadratic, v *mat.Dense) {
	q.apart(v)
	if q.Weighted() {
		u := q.cross()
		q.model = true
		if q.mask == nil { // the weights come with the split
			q.bare = true
			q.rho, q.ours = rhoOf(q.loss, math.Inf(1))
		}
		defer func() { q.model, q.bare, q.ours = false, false, false }()
		q.Tiles(v, func(t *Tile) {
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
	square := q.square(gram)
	q.crossTiles(v, func(t *Tile) {
		b := t.B
		num, den := t.crossed(u, gram), t.Space(r*b)
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

// split turns X into Ω∘X and Y into Ω∘UᵀV. In a bare tile the weights are those of
// the loss alone, and the loss is taken here if it is wanted; for a loss that the
// kernels know, X and Y come only now.
func (t *Tile) split() {
	q := t.q
	if q.ours {
		q.layOut(kernel.InTurn)
		t.y = grow(t.y, t.M*t.B)
		x := q.x.RawMatrix()
		if q.trans {
			x.Data = nil
		}
		sum := q.rho.Split(&q.pool.layout.product, t.X, t.y, x.Data, x.Stride, t.First, t.V, t.B, q.entry)
		if q.entry {
			t.loss = sum
		}
		return
	}
	if q.bare {
		t.weigh()
	}
	kernel.Mul(t.X, t.Omega)
	kernel.Mul(t.y, t.Omega)
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
