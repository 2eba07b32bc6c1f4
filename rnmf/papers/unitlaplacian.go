package papers

import (
	"fmt"
	"github.com/robustnmf/robustnmf/rnmf"

	"gonum.org/v1/gonum/mat"
)

// UnitLaplacian is Laplacian with each row of V scaled to length 1,
//
//	λ Σ_k v_kLv_kᵀ / ‖v_k‖²,
//
// which is λ tr(VLVᵀ) wherever the model has VVᵀ = I. Unlike Laplacian it does not depend on the
// scale of V, so the fit cannot make it small by making W large, and a λ means the same on all data
// with the same graph. A row of zeros counts as β, the bound of what any row can have.
//
// With β ≥ L's largest eigenvalue and M = βI − L, the term of a row is β − vMvᵀ/‖v‖². As vMvᵀ/s is
// convex in v and s together, it lies above its tangent at v₀ and s₀ = ‖v₀‖², which gives the bound
//
//	vLvᵀ/‖v‖² ≤ β + (v₀Mv₀ᵀ/s₀²)‖v‖² − (2/s₀) v₀Mvᵀ.
type UnitLaplacian struct {
	Graph  *rnmf.Graph
	Lambda float64
}

// top returns β, the largest d_i + d_j over the edges (Anderson and Morley 1985).
func (p UnitLaplacian) top() float64 {
	var beta float64
	n, _ := p.Graph.Dims()
	for i := range n {
		to, _ := p.Graph.Neighbors(i)
		for _, j := range to {
			beta = max(beta, p.Graph.Degree(i)+p.Graph.Degree(j))
		}
	}
	return beta
}

// row returns ‖v‖² and vLvᵀ/‖v‖², and writes vL. A row whose squares underflow counts as zeros.
func (p UnitLaplacian) row(vl, v []float64, beta float64) (s, ratio float64) {
	mulLaplacian(p.Graph, vl, v)
	var norm float64
	for _, x := range v {
		norm += x * x
	}
	if norm == 0 {
		return 0, beta
	}
	for j, x := range v {
		ratio += x * vl[j]
	}
	return norm, max(ratio/norm, 0)
}

// Value returns λ Σ_k v_kLv_kᵀ/‖v_k‖².
func (p UnitLaplacian) Value(v *mat.Dense) float64 {
	r, n := v.Dims()
	beta, vl := p.top(), make([]float64, n)
	var sum float64
	for k := range r {
		_, ratio := p.row(vl, v.RawRowView(k), beta)
		sum += ratio
	}
	return p.Lambda * sum
}

// Majorize adds λ v₀Mv₀ᵀ/s₀² to D and λ v₀M/s₀ to C.
func (p UnitLaplacian) Majorize(q *rnmf.Quadratic, v *mat.Dense) {
	if p.Lambda == 0 {
		return
	}
	c, d := q.Linear(), q.Diagonal()
	r, n := v.Dims()
	beta, vl := p.top(), make([]float64, n)
	for k := range r {
		vk, ck, dk := v.RawRowView(k), c.RawRowView(k), d.RawRowView(k)
		s, ratio := p.row(vl, vk, beta)
		if s == 0 {
			continue // the bound is β
		}
		for j, x := range vk {
			dk[j] += p.Lambda * (beta - ratio) / s
			ck[j] += p.Lambda * (beta*x - vl[j]) / s
		}
	}
}

// Check finds a graph that does not fit a factor r×n, and a bad λ.
func (p UnitLaplacian) Check(_, n int) error {
	if err := checkLambda("UnitLaplacian.Lambda", p.Lambda); err != nil {
		return err
	}
	if p.Graph == nil {
		return errParameter("UnitLaplacian.Graph", p.Graph, "a graph")
	}
	if vertices, _ := p.Graph.Dims(); vertices != n {
		return fmt.Errorf("%w: UnitLaplacian.Graph has %d vertices, want %d", rnmf.ErrShape, vertices, n)
	}
	return nil
}
