package rra

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

func TestOverNMF(t *testing.T) {
	draws := stored.Parse("solver,trial,accuracy\nNMF,1,0.5\nNMF,2,0.6\nMUR,2,0.8\nMUR,1,0.4\n")
	if v := OverNMF(draws, "MUR"); len(v) != 2 || math.Abs(v[0]-20) > 1e-9 || math.Abs(v[1]+10) > 1e-9 {
		t.Errorf("MUR is ahead by %v", v)
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

// Each sample goes through its places.
func TestWays(t *testing.T) {
	var pictures [2]bytes.Buffer
	for i := range pictures {
		c := viz.NewChart()
		c.X.Max, c.Y.Max = 4, 4
		Ways(c, []int{0, 1}, []mat.Matrix{mat.NewDense(2, 2, []float64{0, 1, 3, 2}), mat.NewDense(2, 2, []float64{2, 4, 0, 1})}[:i+1]...)
		if err := viz.WritePNG(&pictures[i], c); err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Equal(pictures[0].Bytes(), pictures[1].Bytes()) {
		t.Error("the ways are not drawn")
	}
}

func TestCurve(t *testing.T) {
	s := Curve("a name", 3, rnmf.Trace{{Round: 0, Objective: 5}, {Round: 2, Objective: 4, KKT: 7}}, Objective)
	if s.Name != "a name" || s.Style != 3 || len(s.X) != 2 || s.X[1] != 2 || s.Y[1] != 4 || KKT(rnmf.Point{KKT: 7}) != 7 {
		t.Errorf("%v", s)
	}
}

func TestParabola(t *testing.T) {
	s := Parabola(1, -2, 4, 0, 3)
	if n := len(s.X); s.X[0] != 0 || s.Y[0] != 4 || s.X[n-1] != 3 || s.Y[n-1] != 4 || slices.Min(s.Y) != -0.5 {
		t.Errorf("from (%g, %g) to (%g, %g), lowest %g", s.X[0], s.Y[0], s.X[n-1], s.Y[n-1], slices.Min(s.Y))
	}
}

// Each level curve that is drawn changes the picture.
func TestDrawPlane(t *testing.T) {
	curve := []viz.Series{{Name: "down", X: []float64{1, 2}, Y: []float64{1, 0}}}
	levels := []plotter.XYs{{{X: 0, Y: 0}, {X: 3, Y: 1}}, {{X: 1, Y: -1}, {X: 3, Y: 0}}}
	var pictures [3]bytes.Buffer
	for i := range pictures {
		c, err := DrawPlane("a plane", curve, plotter.XY{X: 2}, levels[:i]...)
		if err != nil {
			t.Fatal(err)
		}
		if err := viz.WritePNG(&pictures[i], c); err != nil {
			t.Fatal(err)
		}
		if i > 0 && bytes.Equal(pictures[i].Bytes(), pictures[i-1].Bytes()) {
			t.Errorf("the level curve %d is not drawn", i)
		}
	}
}

func TestGains(t *testing.T) {
	all, held := Gains("MUR", Held)
	if len(all.Values("MUR", "PIE")) != 9 || len(held.Values("COIL-20", "4")) != 10 || math.Abs(all.Mean(Held, "PIE")-stat.Mean(means(held, "PIE"), nil)) > 1e-9 {
		t.Errorf("%v, %v", all, held)
	}
}

func means(r *lesson.Results, row string) (all []float64) {
	for _, column := range r.Columns {
		all = append(all, r.Mean(row, column))
	}
	return all
}
