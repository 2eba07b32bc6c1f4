package rra

import (
	"bytes"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

func TestSpots(t *testing.T) {
	h := mat.NewDense(2, 5, []float64{0, 1, 0.1, 1, 3, 0, 1, 0, 1.2, 0})
	for distance, want := range map[float64]int{0: 5, 0.15: 4, 0.25: 3, 2: 2, 3: 1} {
		if n := Spots(h, distance); n != want {
			t.Errorf("%d spots at the distance %g, want %d", n, distance, want)
		}
	}
}

// A free picture has names in the place of a legend, and an inset changes it.
func TestFree(t *testing.T) {
	h := mat.NewDense(2, 6, []float64{0, 1, 2, 9, 9.2, 9, 0, 1, 1, 8, 8, 8.2})
	objects := []int{0, 0, 0, 1, 1, 2}
	g, err := rnmf.NewGraph(6, []rnmf.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}, {I: 2, J: 3, Weight: 1}, {I: 3, J: 5, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var pictures [2]bytes.Buffer
	for i, zoom := range []int{-1, 1} {
		c, err := DrawEmbedding("three objects", h, objects, g)
		if err != nil {
			t.Fatal(err)
		}
		if err := Free(c, h, objects, g, zoom); err != nil {
			t.Fatal(err)
		}
		if c.X.Label.Text != "first coefficient: 9.2 wide" || c.Y.Label.Text != "second coefficient: 8.2 high" {
			t.Errorf("axes %q and %q", c.X.Label.Text, c.Y.Label.Text)
		}
		if err := viz.WritePNG(&pictures[i], c); err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Equal(pictures[0].Bytes(), pictures[1].Bytes()) {
		t.Error("the inset is not drawn")
	}
}

// Names take free places, each another one, and none where all is taken.
func TestRoom(t *testing.T) {
	h, objects := mat.NewDense(2, 2, []float64{0, 1, 0, 1}), []int{0, 0}
	r := newRoom(box{0, 1, 0, 1})
	r.line(0, 0, 1, 1)
	first, _ := r.near(h, objects, 0)
	second, ok := r.near(h, objects, 0)
	if !ok || first == second {
		t.Errorf("names at %v and %v", first, second)
	}
	r.fill(r.box)
	if at, ok := r.near(h, objects, 0); ok {
		t.Errorf("a name at %v, where something is drawn", at)
	}
}
