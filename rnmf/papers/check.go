package papers

import (
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// The ranges of package rnmf: entries of data and weights of penalties are at most maxEntry, and squares
// of scales are normal numbers with a finite inverse.
const (
	maxEntry   = 1e100
	leastScale = 1e-75
	mostScale  = 1e150
)

func errParameter(name string, value any, want string) error {
	return fmt.Errorf("%w: %s is %v, want %s", rnmf.ErrParameter, name, value, want)
}

// checkScale finds a scale that is out of range, unless it is 0.
func checkScale(name string, v float64) error {
	if !(v == 0 || v >= leastScale && v <= mostScale) {
		return errParameter(name, v, "1e-75 to 1e+150, or 0 to have it estimated")
	}
	return nil
}

// checkLambda finds a weight of a penalty that is negative, too large or NaN.
func checkLambda(name string, v float64) error {
	if !(v >= 0 && v <= maxEntry) {
		return errParameter(name, v, "0 to 1e+100")
	}
	return nil
}

// matrix returns a as a dense matrix, the same one if it is dense, after checking that it is there, and that the
// parts of a sparse one fit together.
func matrix(name string, a mat.Matrix) (*mat.Dense, error) {
	if isNil(a) {
		return nil, fmt.Errorf("%w: %s is nil", rnmf.ErrEmpty, name)
	}
	if err := checkParts(a); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", rnmf.ErrShape, name, err)
	}
	if d, ok := a.(*mat.Dense); ok && !d.IsEmpty() {
		return d, nil
	}
	if m, n := a.Dims(); m == 0 || n == 0 {
		return nil, fmt.Errorf("%w: %s is %d×%d", rnmf.ErrEmpty, name, m, n)
	}
	return mat.DenseCopyOf(a), nil
}

// isNil reports whether there is no matrix: nil, a pointer that is, or the transpose of one.
func isNil(a mat.Matrix) bool {
	for {
		if v := reflect.ValueOf(a); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return true
		}
		t, transposed := a.(mat.Untransposer)
		if !transposed {
			return false
		}
		a = t.Untranspose()
	}
}

// checkParts returns what the method Check of a matrix says, or of what it is the transpose of.
func checkParts(a mat.Matrix) error {
	if c, ok := a.(interface{ Check() error }); ok {
		return c.Check()
	}
	if t, ok := a.(mat.Untransposer); ok {
		return checkParts(t.Untranspose())
	}
	return nil
}

// wantDims finds a matrix of another shape.
func wantDims(name string, a mat.Matrix, rows, cols int) error {
	if r, c := a.Dims(); r != rows || c != cols {
		return fmt.Errorf("%w: %s is %d×%d, want %d×%d", rnmf.ErrShape, name, r, c, rows, cols)
	}
	return nil
}

// checkEntries finds the first entry that is not finite, is negative (unless signed) or is too large to
// be squared.
func checkEntries(name string, a *mat.Dense, signed bool) error {
	return checkUpTo(maxEntry, name, a, signed)
}

func checkUpTo(most float64, name string, a *mat.Dense, signed bool) error {
	rows, _ := a.Dims()
	for i := range rows {
		for j, v := range a.RawRowView(i) {
			bad := rnmf.ErrNegative
			switch {
			case v >= 0 && v <= most || signed && v < 0 && v >= -most:
				continue
			case math.IsNaN(v) || math.IsInf(v, 0):
				bad = rnmf.ErrNotFinite
			case v > 0 || signed:
				bad = rnmf.ErrTooLarge
			}
			return &rnmf.EntryError{Matrix: name, Row: i, Col: j, Value: v, Err: bad}
		}
	}
	return nil
}

// isSquared reports whether a loss is plain least squares, or nil, which is the same.
func isSquared(l rnmf.Loss) bool {
	if c, ok := l.(interface{ OfColumns() rnmf.Loss }); ok {
		l = c.OfColumns()
	}
	q, ok := l.(interface{ Squared() bool })
	return l == nil || ok && q.Squared()
}

// total sums in order.
func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// wantGaussian is the error of a model that is more than a loss, penalties and a solver, and is defined for
// squares alone.
func wantGaussian(name string, m rnmf.Model) error {
	if m.Family != rnmf.Gaussian {
		return errParameter(name+".Model.Family", m.Family, "Gaussian: it is defined for squares")
	}
	return nil
}
