package papers

import (
	"cmp"
	"context"
	"fmt"
	"github.com/robustnmf/robustnmf/rnmf"
	"math"

	"gonum.org/v1/gonum/mat"
)

// CNMF gives all labelled samples of a class the same coefficients (Liu and Wu 2010; RSS-NMF paper,
// (6), (7), where the square is missing),
//
//	min ‖X − WZA‖²,   A = ( C 0 ; 0 I ),   H = ZA.
//
// The samples of a class enter by their mean alone: with x̄ the mean of its n_c labelled samples,
//
//	Σ_j ‖x_j − Wz‖² = ‖√n_c x̄ − W √n_c z‖² + Σ_j ‖x_j − x̄‖²,
//
// so this is standard NMF of fewer columns, but only for the squared error without penalties on H.
type CNMF struct {
	Model  rnmf.Model // without Mask and OnH; Loss nil or Frobenius
	Labels rnmf.Labels
}

// With returns the same with another Model, as edit changes it.
func (s CNMF) With(edit func(m *rnmf.Model)) rnmf.Fitter[*rnmf.Result] {
	if edit != nil {
		edit(&s.Model)
	}
	return s
}

// Fit factorises x. The objective and the trace are those of all samples. A start of your own is
// for the reduced problem: H has columns for the labelled classes, then for the other samples.
func (s CNMF) Fit(ctx context.Context, x mat.Matrix) (*rnmf.Result, error) {
	if !isSquared(s.Model.Loss) || s.Model.Family != rnmf.Gaussian || s.Model.Mask != nil || s.Model.OnH != nil {
		return nil, errParameter("CNMF.Model", "a model with Loss, Family, Mask or OnH", "the squared error alone")
	}
	data, err := matrix("X", x)
	if err != nil {
		return nil, err
	}
	m, n := data.Dims()
	if err := s.Labels.Check(math.MaxInt, n); err != nil {
		return nil, err
	}
	if err := cmp.Or(checkEntries("X", data, s.Model.Signed), ctx.Err()); err != nil {
		return nil, err
	}
	reduced, column, scale, within := s.reduce(ctx, data)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, columns := reduced.Dims(); s.Model.Rank > min(m, columns) {
		return nil, fmt.Errorf("%w: %d, want 1 to %d for X of %d×%d, of which %d columns are left when each class is one", rnmf.ErrRank, s.Model.Rank, min(m, columns), m, n, columns)
	}
	if err := checkEntries("√n times the mean of a class, ", reduced, true); err != nil {
		return nil, err
	}
	model := s.Model
	if s.Model.Watch != nil {
		model.Watch = func(p rnmf.Point) {
			p.Objective += within
			s.Model.Watch(p)
		}
	}
	r, err := model.Fit(ctx, reduced)
	if r == nil {
		return nil, err
	}
	r.H = expand(r.H, column, scale)
	r.Objective += within
	for i := range r.Trace {
		r.Trace[i].Objective += within
	}
	return r, err
}

// reduce returns the data with one column √n_c x̄ for each class, the column that each sample has
// gone to, the √n_c of each, and the scatter within the classes; they are not complete if ctx ends.
func (s CNMF) reduce(ctx context.Context, x *mat.Dense) (reduced *mat.Dense, column []int, scale []float64, within float64) {
	place := make([]int, s.Labels.Classes())
	for c, size := range classSizes(s.Labels) {
		place[c] = len(scale)
		if size > 0 {
			scale = append(scale, math.Sqrt(float64(size)))
		}
	}
	column = make([]int, len(s.Labels.Class))
	for j, c := range s.Labels.Class {
		if c >= 0 {
			column[j] = place[c]
			continue
		}
		column[j] = len(scale)
		scale = append(scale, 1)
	}
	m, _ := x.Dims()
	reduced = mat.NewDense(m, max(len(scale), 1), nil)
	for i := range m {
		if i%64 == 0 && ctx.Err() != nil {
			break
		}
		row, sums := x.RawRowView(i), reduced.RawRowView(i)
		for j, v := range row {
			sums[column[j]] += v / scale[column[j]]
		}
		for j, v := range row {
			if s.Labels.Class[j] >= 0 {
				d := v - sums[column[j]]/scale[column[j]]
				within += d * d
			}
		}
	}
	return reduced, column, scale, within
}

// expand returns H = ZA.
func expand(z *mat.Dense, column []int, scale []float64) *mat.Dense {
	r, _ := z.Dims()
	h := mat.NewDense(r, len(column), nil)
	for k := range r {
		from, to := z.RawRowView(k), h.RawRowView(k)
		for j, c := range column {
			to[j] = from[c] / scale[c]
		}
	}
	return h
}

// classSizes returns the number of labelled samples of each class.
func classSizes(l rnmf.Labels) []int {
	size := make([]int, l.Classes())
	for _, c := range l.Class {
		if c >= 0 {
			size[c]++
		}
	}
	return size
}
