package rss

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
)

// TestAlike has four images of 1 × 3 pixels, two of each of two persons.
func TestAlike(t *testing.T) {
	x := mat.NewDense(3, 4, []float64{
		1, 0, 3, 0,
		0, 4, 0, 2,
		0, 0, 3, 2})
	task := Task{Set: &datasets.Set{X: x, Height: 1, Width: 3, Classes: []string{"a", "b"}}}
	faces := task.Means([]int{0, 1, 0, 1})
	if want := mat.NewDense(3, 2, []float64{2, 0, 0, 3, 1.5, 1}); !mat.Equal(faces, want) {
		t.Errorf("the means are %v, want %v", mat.Formatted(faces), mat.Formatted(want))
	}
	few := task.Means([]int{0, 1, -1, -1})
	if want := mat.NewDense(3, 2, []float64{1, 0, 0, 4, 0, 0}); !mat.Equal(few, want) {
		t.Errorf("the means of the labelled samples are %v, want %v", mat.Formatted(few), mat.Formatted(want))
	}
	swapped := Images(few, []int{1, 0})
	before, after := Alike(few, swapped), -0.5 // of (1, 0, 0) with (0, 4, 0)
	if math.Abs(before-after) > 1e-12 {
		t.Errorf("the persons are like each other by %g, want %g", before, after)
	}
	placed, err := Placed(few, swapped)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(placed, few) || math.Abs(Alike(few, placed)-1) > 1e-12 {
		t.Errorf("in their places they are %v, and like themselves by %g", mat.Formatted(placed), Alike(few, placed))
	}
}
