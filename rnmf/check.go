package rnmf

import (
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"
)

// A loss, solver or penalty of this package whose parameters can be wrong has
// the method check, beside the type; those without cannot be wrong.
type checked interface{ check() error }

// checkOne asks a loss, a solver or a penalty, which may be nil.
func checkOne(part any) error {
	if err := checkPointer(part); err != nil {
		return err
	}
	if c, ok := part.(checked); ok {
		return c.check()
	}
	return nil
}

// checkPointer finds a pointer that is nil, or points at a part of this package: it has
// the methods, but the engine asks for the types of values, and would treat it as a
// part of the user's.
func checkPointer(part any) error {
	t := reflect.TypeOf(part)
	if t == nil || t.Kind() != reflect.Pointer {
		return nil
	}
	here := reflect.TypeFor[Model]().PkgPath()
	for _, kind := range []struct {
		name string
		of   reflect.Type
	}{{"a loss", reflect.TypeFor[Loss]()}, {"a solver", reflect.TypeFor[Solver]()}, {"a penalty", reflect.TypeFor[Penalty]()}} {
		switch {
		case !t.Implements(kind.of):
		case reflect.ValueOf(part).IsNil():
			return errParameter(kind.name, fmt.Sprintf("a nil %T", part), "a value")
		case t.Elem().PkgPath() == here && t.Elem().Implements(kind.of):
			return errParameter(kind.name, fmt.Sprintf("a %T", part), "the value, no pointer")
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
		if err := checkOne(p); err != nil {
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
	if _, nested := l.(ByColumn); nested {
		return errParameter(name, "ByColumn", "a loss of a squared residual; ByColumn goes outside")
	}
	return checkOne(l)
}
