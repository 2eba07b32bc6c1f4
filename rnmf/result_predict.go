package rnmf

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// labels returns the labels that the fit had.
func (r *Result) labels() (Labels, error) {
	for _, p := range r.OnH {
		if c, ok := p.(interface{ SampleLabels() Labels }); ok {
			if l := c.SampleLabels(); slices.ContainsFunc(l.sizes(), func(n int) bool { return n > 0 }) {
				return l, nil
			}
		}
	}
	return Labels{}, fmt.Errorf("%w: OnH of the model has no Labels with a class (RSSNMF puts them there)", ErrLabels)
}

// LabelScores returns ΛH for coefficients h (r×p): r.H, or those of new samples that Transform
// found. Λ is that of r.H, the coefficients of the samples with labels. Where a sample is of class k, row k is near 1 and those of the other classes near 0.
func (r *Result) LabelScores(h mat.Matrix) (*mat.Dense, error) {
	l, err := r.labels()
	if err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	rank, n := r.H.Dims()
	if err := cmp.Or(l.Check(rank, n), wantRows(h, rank)); err != nil {
		return nil, err
	}
	s := mat.DenseCopyOf(h)
	for k, v := range l.Lambda(r.H) {
		floats.Scale(v, s.RawRowView(k))
	}
	return s, nil
}

// Predict returns the class of each sample from its coefficients h, the one with the largest of its
// LabelScores. h is r.H, whose samples with labels are predicted as well, or what Transform found
// for new samples. A class without labels is never predicted. Without Labels in OnH the error is
// ErrLabels.
//
// The k-means of the RSS-NMF paper is baseline.KMeans{K: k}.Fit on the H of Normalized(1).
func (r *Result) Predict(h mat.Matrix) ([]int, error) {
	s, err := r.LabelScores(h)
	if err != nil {
		return nil, err
	}
	l, _ := r.labels()
	sizes := l.sizes()
	return argmax(s, func(k int) bool { return k < len(sizes) && sizes[k] > 0 }), nil
}

// wantRows checks coefficients of any number of samples.
func wantRows(h mat.Matrix, rank int) error {
	if err := wantMatrix("H", h); err != nil {
		return err
	}
	_, n := h.Dims()
	return cmp.Or(wantDims("H", h, rank, n), checkFactor("H", asDense(h), true))
}

// argmax returns the largest row of each column among those that may be.
func argmax(s *mat.Dense, may func(k int) bool) []int {
	rows, n := s.Dims()
	found := make([]int, n)
	for j := range found {
		found[j] = -1
		for k := range rows {
			if may(k) && (found[j] < 0 || s.At(k, j) > s.At(found[j], j)) {
				found[j] = k
			}
		}
	}
	return found
}
