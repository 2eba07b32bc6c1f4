// Package input checks what the packages above rnmf are given. Its errors are those of
// rnmf, and name the first bad entry.
package input

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
)

// maxEntry is the largest entry that rnmf accepts.
const maxEntry = 1e100

// Matrix returns a as a dense matrix, the same one if it is dense, after checking that
// it is there and that its entries are finite and can be squared.
func Matrix(name string, a mat.Matrix) (*mat.Dense, error) { return UpTo(maxEntry, name, a) }

// UpTo is Matrix for entries up to another size than those of data.
func UpTo(most float64, name string, a mat.Matrix) (*mat.Dense, error) {
	if isnil.Matrix(a) {
		return nil, fmt.Errorf("%w: %s is nil", rnmf.ErrEmpty, name)
	}
	if err := isnil.Check(a); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", rnmf.ErrShape, name, err)
	}
	m, n := a.Dims()
	if m == 0 || n == 0 {
		return nil, fmt.Errorf("%w: %s is %d×%d", rnmf.ErrEmpty, name, m, n)
	}
	d, ok := a.(*mat.Dense)
	if !ok {
		d = mat.DenseCopyOf(a)
	}
	for i := range m {
		for j, v := range d.RawRowView(i) {
			if math.Abs(v) <= most {
				continue
			}
			kind := rnmf.ErrTooLarge
			if !finite(v) {
				kind = rnmf.ErrNotFinite
			}
			return nil, &rnmf.EntryError{Matrix: name, Row: i, Col: j, Value: v, Err: kind}
		}
	}
	return d, nil
}

// Dims finds a matrix of another shape than it must have.
func Dims(name string, a mat.Matrix, rows, cols int) error {
	if r, c := a.Dims(); r != rows || c != cols {
		return fmt.Errorf("%w: %s is %d×%d, want %d×%d", rnmf.ErrShape, name, r, c, rows, cols)
	}
	return nil
}

// Finite finds the first entry of a vector that is not finite.
func Finite(name string, v []float64) error {
	for i, x := range v {
		if !finite(x) {
			return fmt.Errorf("%w: %s[%d] = %g", rnmf.ErrNotFinite, name, i, x)
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Labels returns the sorted labels that occur, and the place of each, or the first that
// is negative.
func Labels(name string, labels []int) (sorted []int, place map[int]int, err error) {
	for i, l := range labels {
		if l < 0 {
			return nil, nil, fmt.Errorf("%w: %s[%d] = %d is negative", rnmf.ErrLabels, name, i, l)
		}
	}
	sorted = slices.Clone(labels)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	place = make(map[int]int, len(sorted))
	for i, l := range sorted {
		place[l] = i
	}
	return sorted, place, nil
}

// Parameter is the error of a parameter that is out of range.
func Parameter(name string, value any, want string) error {
	return fmt.Errorf("%w: %s is %v, want %s", rnmf.ErrParameter, name, value, want)
}
