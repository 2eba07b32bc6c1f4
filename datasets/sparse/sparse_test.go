package sparse

import (
	"errors"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/datasets/internal/limit"
)

// What does not fit together is an error of Check, and too many zeros one of DenseWithin. (Package
// datasets tests the rest with files.)
func TestCheck(t *testing.T) {
	good := func() *Matrix {
		return &Matrix{Rows: 3, Cols: 2, Start: []int{0, 2, 3}, Row: []int32{0, 2, 1}, Value: []float64{1, 2, 3}}
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for name, harm := range map[string]func(*Matrix){
		"starts":  func(m *Matrix) { m.Start = m.Start[:2] },
		"falling": func(m *Matrix) { m.Row[0], m.Row[1] = 2, 0 },
		"twice":   func(m *Matrix) { m.Row[1] = 0 },
		"row":     func(m *Matrix) { m.Row[2] = 3 },
		"values":  func(m *Matrix) { m.Value = m.Value[:2] },
		"rows":    func(m *Matrix) { m.Rows = -1 },
	} {
		m := good()
		harm(m)
		if err := m.Check(); !errors.Is(err, limit.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if x, err := good().DenseWithin(6); err != nil || x.At(2, 0) != 2 || x.At(1, 1) != 3 || x.At(0, 1) != 0 {
		t.Errorf("%v, %v", x, err)
	}
	if _, err := good().DenseWithin(5); !errors.Is(err, limit.ErrTooLarge) || !strings.Contains(err.Error(), "3×2 with 3 entries") {
		t.Errorf("too large: %v", err)
	}
	if _, err := (&Matrix{Rows: 3, Start: []int{0}}).Dense(); !errors.Is(err, limit.ErrSize) {
		t.Errorf("no columns: %v", err)
	}
}
