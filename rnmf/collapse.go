package rnmf

import (
	"math"
	"slices"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/mat"
)

// collapsed tells whether WH is nothing beside X, by the sums of their entries, which
// for WH are known without it; large entries of X count as the median, since WH may
// well be nothing beside gross errors. With penalties on both factors W = H = 0 is a
// local minimum whatever X is, as the loss gains only by the product of W and H what
// the penalties lose by each. Multiplicative updates never arrive at 0; where a fit
// with Tol ends they are below this bound by far. Without penalties nothing pulls to
// 0, and a start of zeros is one's own.
func (f *fit) collapsed() bool {
	if len(f.model.OnW) == 0 && len(f.model.OnH) == 0 {
		return false
	}
	m, n := f.x.Dims()
	data := level(f.x, work.Never) * float64(m) * float64(n)
	mass, _ := masses(f.wt, f.h)
	return data > 0 && mass <= 1e-7*data
}

// masses returns the sum of all |w_ik| h_kj, and those of each component.
func masses(wt, h *mat.Dense) (all float64, each []float64) {
	r, _ := h.Dims()
	each = make([]float64, r)
	for k := range each {
		var w float64
		for _, v := range wt.RawRowView(k) {
			w += math.Abs(v)
		}
		each[k] = w * total(h.RawRowView(k))
		all += each[k]
	}
	return all, each
}

// Live returns the number of components that make up more than 1e-9 of WH. Fewer than the rank are left
// where penalties weigh too much; none is where they weigh far too much, and then the
// Reason is Collapsed.
func (r *Result) Live() int {
	all, each := masses(mat.DenseCopyOf(r.W.T()), r.H)
	live := 0
	for _, v := range each {
		if v > 1e-9*all {
			live++
		}
	}
	return live
}

// settle takes the components of V whose row of U is 0 to what is best for the
// penalties: nothing of X depends on them. The solvers leave them, as q may have no
// curvature there. So where H has lost a component W loses it too, and its penalty.
func (q *Quadratic) settle(v *mat.Dense) {
	if q.c == nil || q.graph.Graph != nil {
		return
	}
	for k := range q.r {
		if slices.ContainsFunc(q.U.RawRowView(k), func(u float64) bool { return u != 0 }) {
			continue
		}
		vk := v.RawRowView(k)
		for j, c := range q.c.RawRowView(k) {
			var d float64
			if q.d != nil {
				d = q.d.At(k, j)
			}
			vk[j] = step(vk[j], c-d*vk[j], d)
		}
	}
}
