package rnmf

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// eachResidual calls visit with every tile of the columns of X; its E is the residual.
func (f *fit) eachResidual(visit func(t *Tile, i int)) (count int) {
	q := f.quadratic(false)
	width := tileWidth(q.m, q.n, 2)
	count = (q.n + width - 1) / width
	q.layout.prepareProduct()
	w := new(walk)
	f.pool.share(count, q.m*q.n*q.r, func(t *Tile, i int) {
		t.load(q, w, f.h, i*width, min(width, q.n-i*width))
		t.residual()
		visit(t, i)
	})
	return count
}

// objective evaluates the loss and the penalties.
func (f *fit) objective() float64 {
	q := f.quadratic(false)
	sums := make([]float64, q.n)
	count := f.eachResidual(func(t *Tile, i int) {
		if q.sample == columns {
			s := make([]float64, t.B)
			kernel.SquaredNorms(s, t.e, t.mask, t.M, t.B)
			sums[i] = lossOfSquares(q.loss, s)
			return
		}
		sums[i] = t.lossOfEntries()
	})
	return total(sums[:count]) + f.penalties()
}

func (f *fit) penalties() (sum float64) {
	for p, v := range f.eachPenalty {
		sum += p.Value(v)
	}
	return sum
}

// eachPenalty yields the penalties with their factors.
func (f *fit) eachPenalty(yield func(p Penalty, v *mat.Dense) bool) {
	for i, p := range slices.Concat(f.model.OnW, f.model.OnH) {
		v := f.wt
		if i >= len(f.model.OnW) {
			v = f.h
		}
		if !yield(p, v) {
			return
		}
	}
}

// columnSquares returns ‖x_j − Wh_j‖² for all samples, given what a half-step of H saw at the present W.
func (f *fit) columnSquares(saw observed) []float64 {
	_, n := f.x.Dims()
	s := make([]float64, n)
	if saw.cross != nil && saw.gram != nil {
		r, h := f.model.Rank, f.h.RawMatrix().Data
		square := f.pool.layOut(f.wt).square(saw.gram)
		const width = 48
		lost := make([]bool, (n+width-1)/width)
		f.pool.share(len(lost), r*r*n, func(t *Tile, i int) {
			first, b := i*width, min(width, n-i*width)
			space := t.Space(3 * r * b)
			v, n, gv := space[:r*b], space[r*b:][:r*b], space[2*r*b:]
			kernel.Load(v, h, f.h.RawMatrix().Stride, false, first, r, b)
			kernel.Load(n, saw.cross, len(s), false, first, r, b)
			square.Add(gv, v, b)
			lost[i] = !gramSquares(s[first:][:b], f.norms[0][first:], n, gv, v, r, b)
		})
		if !slices.Contains(lost, true) {
			return s
		}
	}
	return f.squaredNorms()
}

// squaredNorms returns the squared norms of the columns of the residual, from the residual itself:
// in differences of Gram matrices digits cancel.
func (f *fit) squaredNorms() []float64 {
	_, n := f.x.Dims()
	s := make([]float64, n)
	f.eachResidual(func(t *Tile, _ int) {
		kernel.SquaredNorms(s[t.First:][:t.B], t.e, t.mask, t.M, t.B)
	})
	return s
}
