// Package isnil finds matrices that are not there, or whose parts do not fit together.
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

// Check returns what the Check method of a matrix says, or of what it is the transpose of: sparse matrices have one,
// for parts that do not fit together. The matrix is not nil.
func Check(a mat.Matrix) error {
	for {
		if c, ok := a.(interface{ Check() error }); ok {
			return c.Check()
		}
		t, ok := a.(mat.Untransposer)
		if !ok {
			return nil
		}
		a = t.Untranspose()
	}
}
