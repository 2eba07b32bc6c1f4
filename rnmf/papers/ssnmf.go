package papers

import (
	"cmp"
	"context"
	"fmt"
	"github.com/robustnmf/robustnmf/rnmf"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// SSNMF factorises data and labels together (Lee, Yoo and Choi 2010; RSS-NMF paper, (5)),
//
//	min over W, U, H ≥ 0 of Σ ρ(X − WH) + λ Σ ρ(Y − UH) over the labelled samples,
//
// (for a loss ByColumn, Σ_j ρ(‖x_j − Wh_j‖² + λ‖y_j − Uh_j‖²)), where y_cj is 1 if j is of class c,
// or 0. It fits the data with the labels stacked below them, under a mask that is λ there and 0
// where no label is known. Components belong to no class; U (classes×r) relates them to the
// classes. With a large λ and components to spare, the labelled samples fit their labels by
// coefficients of their own, and Predict is then wrong for the others.
type SSNMF struct {
	Model  rnmf.Model // nil Loss is the paper's
	Labels rnmf.Labels
	Lambda float64 // 0 is 1
}

// SSNMFResult is the Result for the data, with U, and the Labels of the fit, which Save both leaves out. Its
// objective and trace are those of both sums.
type SSNMFResult struct {
	*rnmf.Result
	U      *mat.Dense
	Labels rnmf.Labels
}

// With returns the same with another Model, as edit changes it.
func (s SSNMF) With(edit func(m *rnmf.Model)) rnmf.Fitter[*SSNMFResult] {
	if edit != nil {
		edit(&s.Model)
	}
	return s
}

// Fit factorises x and the labels. A start of your own has U below W.
func (s SSNMF) Fit(ctx context.Context, x mat.Matrix) (*SSNMFResult, error) {
	if err := wantGaussian("SSNMF", s.Model); err != nil {
		return nil, err
	}
	stacked, model, err := s.stack(ctx, x)
	if err != nil {
		return nil, err
	}
	r, err := model.Fit(ctx, stacked)
	if r == nil {
		return nil, err
	}
	m, _ := x.Dims()
	rows, rank := r.W.Dims()
	u := mat.DenseCopyOf(r.W.Slice(m, rows, 0, rank))
	r.W, r.Mask = mat.DenseCopyOf(r.W.Slice(0, m, 0, rank)), nil
	if s.Model.Mask != nil {
		r.Mask, _ = matrix("Mask", s.Model.Mask)
	}
	return &SSNMFResult{r, u, s.Labels}, err
}

// stack puts the labels below the data, and the mask of both into the model.
func (s SSNMF) stack(ctx context.Context, x mat.Matrix) (*mat.Dense, rnmf.Model, error) {
	model, lambda, l := s.Model, s.Lambda, s.Labels
	dense, err := matrix("X", x)
	if err != nil {
		return nil, model, err
	}
	m, n := dense.Dims()
	if err := l.Check(math.MaxInt, n); err != nil {
		return nil, model, err
	}
	if !slices.ContainsFunc(l.Class, func(c int) bool { return c >= 0 }) {
		return nil, model, fmt.Errorf("%w: no sample has a label", rnmf.ErrLabels)
	}
	if !(lambda >= 0 && lambda <= maxEntry) {
		return nil, model, errParameter("SSNMF.Lambda", lambda, "0 or more")
	}
	var known *mat.Dense
	if model.Mask != nil {
		known, err = matrix("Mask", model.Mask)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, model, err
		}
		if err := wantDims("Mask", known, m, n); err != nil {
			return nil, model, err
		}
	}
	mask := mat.NewDense(m+l.Classes(), n, nil)
	if err := ctx.Err(); err != nil {
		return nil, model, err
	}
	data := mat.NewDense(m+l.Classes(), n, nil)
	for i := range m {
		if i%64 == 0 && m*n > 1<<22 && ctx.Err() != nil {
			return nil, model, ctx.Err()
		}
		copy(data.RawRowView(i), dense.RawRowView(i))
		if row := mask.RawRowView(i); known != nil {
			copy(row, known.RawRowView(i))
		} else {
			for j := range row {
				row[j] = 1
			}
		}
	}
	for j, c := range l.Class {
		if c < 0 {
			continue
		}
		data.Set(m+c, j, 1)
		for k := range l.Classes() {
			mask.Set(m+k, j, cmp.Or(lambda, 1))
		}
	}
	model.Mask = mask
	return data, model, nil
}

// Predict returns the class of each sample from its coefficients h, the largest entry of Uh: see Result.Predict.
// A class without labels is never predicted. If there are no Labels, each row of U is a class.
func (r *SSNMFResult) Predict(h mat.Matrix) ([]int, error) {
	u, err := matrix("U", r.U)
	if err != nil {
		return nil, err
	}
	d, err := matrix("H", h)
	if err != nil {
		return nil, err
	}
	classes, rank := u.Dims()
	_, n := d.Dims()
	if err := cmp.Or(wantDims("H", d, rank, n), checkUpTo(rnmf.MaxFactor, "U", u, true), checkUpTo(rnmf.MaxFactor, "H", d, true)); err != nil {
		return nil, err
	}
	var uh mat.Dense
	uh.Mul(u, d)
	found := slices.Repeat([]int{rnmf.Unlabelled}, n)
	for c := range classes {
		if r.Labels.Classes() > 0 && !slices.Contains(r.Labels.Class, c) {
			continue
		}
		for j, best := range found {
			if best < 0 || uh.At(c, j) > uh.At(best, j) {
				found[j] = c
			}
		}
	}
	return found, nil
}
