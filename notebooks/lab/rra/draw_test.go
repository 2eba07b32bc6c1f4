package rra

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

func TestDrawClusters(t *testing.T) {
	text := "solver,classes,trial,accuracy\n"
	for solver, v := range map[string][4]string{ // two draws of 2 classes, and two of 3
		Algorithm1:           {"0.5", "0.6", "0.5", "0.6"},
		"MUR":                {"0.4", "0.5", "0.4", "0.8"},
		"NeNMF":              {"0.6", "0.7", "0.3", "0.4"},
		"NMF":                {"0.5", "0.6", "0.6", "0.7"},
		Held:                 {"0.9", "0.9", "0.2", "0.2"},
		"coordinate descent": {"0.3", "0.3", "0.3", "0.3"},
		"k-means":            {"0.1", "0.1", "0.1", "0.1"},
	} {
		for i, accuracy := range v {
			text += strings.Join([]string{`"` + solver + `"`, []string{"2", "3"}[i/2], []string{"1", "2"}[i%2], accuracy}, ",") + "\n"
		}
	}
	all := stored.Parse(text)
	if v := ahead(all.Where("classes", "3"), "MUR"); len(v) != 2 || math.Abs(v[0]+10) > 1e-9 || math.Abs(v[1]-20) > 1e-9 {
		t.Errorf("MUR is ahead by %v", v)
	}
	levels, leads := DrawClusters("a set", all)
	if got := levels.Title.Text; got != "a set: "+Held+" leads at 1 of 2" && got != "a set: NMF leads at 1 of 2" {
		t.Error(got)
	}
	// Differences that do not vary: MUR −10 and unsure, NeNMF 10 and −20, NMF 0 and 10.
	if got := leads.Title.Text; got != "a set: Algorithm 1 leads 2 of 6, trails 2" {
		t.Error(got)
	}
	if got := Over(all, "MUR", "NMF"); math.Abs(got+7.5) > 1e-9 {
		t.Errorf("MUR is ahead of NMF by %g points", got)
	}
	if mean, half := interval([]float64{1, 2, 3}); mean != 2 || math.Abs(half-4.302653/math.Sqrt(3)) > 1e-5 {
		t.Errorf("the interval is %g ± %g", mean, half)
	}
}

func TestSquares(t *testing.T) {
	w := mat.NewDense(36, 3, nil) // images of 6×6
	for i := range 36 {
		w.Set(i, 0, 1) // all white
		if row, column := i/6, i%6; row >= 3 && row < 5 && column >= 4 {
			w.Set(i, 1, 2) // a square
			w.Set(i, 2, 2) // and an edge
		}
		if i%6 == 0 {
			w.Set(i, 2, 2)
		}
	}
	if got := Squares(w, 6, 2); got != 1 {
		t.Errorf("%d squares, want 1", got)
	}
}

// A picture with edges is another one than a picture without.
func TestDrawEmbedding(t *testing.T) {
	h := mat.NewDense(2, 4, []float64{0, 1, 2, 3, 0, 1, 1, 0})
	var pictures [2]bytes.Buffer
	for i, edges := range [][]rnmf.Edge{nil, {{I: 0, J: 1, Weight: 1}, {I: 2, J: 3, Weight: 1}}} {
		g, err := rnmf.NewGraph(4, edges)
		if err != nil {
			t.Fatal(err)
		}
		c, err := DrawEmbedding("two objects", h, []int{0, 0, 1, 1}, g)
		if err != nil {
			t.Fatal(err)
		}
		if err := viz.WritePNG(&pictures[i], c); err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Equal(pictures[0].Bytes(), pictures[1].Bytes()) {
		t.Error("the edges are not drawn")
	}
	if _, err := DrawEmbedding("", mat.NewDense(3, 1, nil), []int{0}, nil); err == nil {
		t.Error("three coefficients are too many")
	}
}
