// Package isnil finds matrices that are not there.
package isnil

import (
	"reflect"

	"gonum.org/v1/gonum/mat"
)

// Matrix reports whether a is nil: the interface, a pointer in it, or what it is the transpose of.
func Matrix(a mat.Matrix) bool {
	for {
		if v := reflect.ValueOf(a); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return true
		}
		t, ok := a.(mat.Untransposer)
		if !ok {
			return false
		}
		a = t.Untranspose()
	}
}
