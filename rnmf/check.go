package rnmf

import (
	"errors"
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"
)

// checkPart asks a loss, a solver or a penalty, which may be nil, whether its parameters
// are right, if it has a method for that.
func checkPart(part any) error {
	if v := reflect.ValueOf(part); v.Kind() == reflect.Pointer && v.IsNil() {
		return errParameter("a loss, solver or penalty", fmt.Sprintf("a nil %T", part), "a value")
	}
	if c, ok := part.(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}

// checkSolvers finds a bad solver, and factors and penalties that do not go with one.
func checkSolvers(solverW, solverH Solver, onW []Penalty) error {
	if err := errors.Join(checkPart(solverW), checkPart(solverH)); err != nil {
		return err
	}
	if leavesSigns(solverH) {
		return errParameter("the solver of H", fmt.Sprintf("%T", solverH), "one that leaves no negative entries")
	}
	if !leavesSigns(solverW) {
		return nil
	}
	if !takesSignedU(solverH) {
		return errParameter("the solver of H", fmt.Sprintf("%T", solverH), "HALS, MU or Additive of them, as W may be negative")
	}
	for _, p := range onW {
		if s, ok := p.(interface{ Signed() bool }); !ok || !s.Signed() {
			return errParameter("OnW", p, "Ridge alone, as W may be negative")
		}
	}
	return nil
}

// checkPenalties finds the first penalty that is nil or wrong, or does not suit
// a factor r×n.
func checkPenalties(penalties []Penalty, r, n int) error {
	for _, p := range penalties {
		if p == nil {
			return errParameter("a penalty", p, "a value")
		}
		if err := checkPart(p); err != nil {
			return err
		}
		if s, ok := p.(SamplePenalty); ok {
			if err := s.Check(r, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// wantMatrix finds a matrix that is nil, or is a *mat.Dense that is.
func wantMatrix(name string, a mat.Matrix) error {
	if isNil(a) {
		return fmt.Errorf("%w: %s is nil", ErrEmpty, name)
	}
	return nil
}

func isNil(a mat.Matrix) bool {
	d, dense := a.(*mat.Dense)
	return a == nil || dense && d == nil
}

// checkScale finds a scale or cut-off that is negative or no number, or whose square
// is not finite or has no finite inverse.
func checkScale(name string, v float64) error {
	if !(v == 0 || v >= leastScale && v <= mostScale) {
		return errParameter(name, v, "1e-75 to 1e+150, or 0 to have it estimated")
	}
	return nil
}

// checkLambda finds a weight of a penalty that is negative, too large or no
// number.
func checkLambda(name string, v float64) error {
	if !(v >= 0 && v <= maxEntry) {
		return errParameter(name, v, "0 to 1e+100")
	}
	return nil
}

// checkInner finds what cannot be a loss of a squared residual within another.
func checkInner(name string, l Loss) error {
	if l == nil {
		return errParameter(name, l, "a loss")
	}
	if _, nested := unpack(l); nested {
		return errParameter(name, "ByColumn", "a loss of a squared residual; ByColumn goes outside")
	}
	return checkPart(l)
}
