package rra

import (
	"bytes"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// Two directions with a short and a long sample each: at length 1 those of one direction are neighbours, and a sample 0 stays 0.
func TestUnit(t *testing.T) {
	p := Part{Labels: make([]int, 13)}
	p.X = mat.NewDense(2, 13, nil)
	for j := range 12 {
		p.Labels[j] = j % 2
		p.X.Set(j%2, j, math.Pow(3, float64(j/2)))
		p.X.Set(1-j%2, j, 0.001*float64(j)*p.X.At(j%2, j))
	}
	q, err := p.Unit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for j := range 12 {
		to, _ := q.Graph.Neighbors(j)
		for _, i := range to {
			if i < 12 && i%2 != j%2 {
				t.Errorf("%d and %d are neighbours", i, j)
			}
		}
	}
	if p.Graph != nil || p.X.At(0, 2) != 3 {
		t.Error("the part itself has changed")
	}
}

func TestBrightness(t *testing.T) {
	p := three(t)
	p.X = mat.NewDense(2, 7, []float64{1, 1, 5, 1, 1, 7, 1, 1, 1, 5, 1, 1, 7, 1})
	if wrong, right := p.Brightness(); wrong != 6 || right != 1 {
		t.Errorf("%g with a wrong edge, %g without", wrong, right)
	}
}

// A ring of six samples, and one that is alone.
func TestLayout(t *testing.T) {
	var edges []rnmf.Edge
	for i := range 6 {
		edges = append(edges, rnmf.Edge{I: i, J: (i + 1) % 6, Weight: 1})
	}
	g, err := rnmf.NewGraph(7, edges)
	if err != nil {
		t.Fatal(err)
	}
	d := hops(g)
	for i, want := range []float64{0, 1, 2, 3, 2, 1, 5} {
		if d.At(0, i) != want || d.At(i, 0) != want {
			t.Errorf("from 0 to %d it takes %g, want %g", i, d.At(0, i), want)
		}
	}
	stress := func(rounds int) (sum float64) {
		at := layout(g, 1, rounds)
		for i := range at {
			for j := range i {
				sum += math.Pow(math.Hypot(at[i].X-at[j].X, at[i].Y-at[j].Y)/d.At(i, j)-1, 2)
			}
		}
		return sum
	}
	last := stress(0)
	for rounds := 1; rounds <= 20; rounds++ {
		next := stress(rounds)
		if next > last*(1+1e-12) {
			t.Errorf("round %d raises the stress from %g to %g", rounds, last, next)
		}
		last = next
	}
	if last > 1 {
		t.Errorf("the stress is %g", last)
	}
}

// A wrong edge looks different from one within a class, and pictures have few colours.
func TestDrawGraph(t *testing.T) {
	p := three(t)
	q := p
	q.Labels = []int{0, 0, 0, 1, 1, 0, 1}
	at := p.Place()
	var pictures [2]bytes.Buffer
	for i, part := range []Part{p, q} {
		c := DrawGraph("a graph", part, at)
		if err := viz.WritePNG(&pictures[i], c); err != nil {
			t.Fatal(err)
		}
		colours, b := map[color.Color]bool{}, c.Image().Bounds()
		for y := range b.Dy() {
			for x := range b.Dx() {
				colours[c.Image().At(x, y)] = true
			}
		}
		if most := 10 + part.Classes; len(colours) < 4 || len(colours) > most {
			t.Errorf("%d colours, want 4 to %d", len(colours), most)
		}
	}
	if bytes.Equal(pictures[0].Bytes(), pictures[1].Bytes()) {
		t.Error("the pictures are the same")
	}
}

func TestSettings(t *testing.T) {
	all := Settings()
	if len(all) != 16 || all[0].Lambda != 1 || all[15].Lambda != 1e6 || all[7].Ridge != 0 || all[8].Ridge != 1 || all[0].Stop(nil) || all[4].Stop(nil) {
		t.Errorf("%v", all)
	}
}

func TestChain(t *testing.T) {
	k, b, least, err := Chain(5, 10, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{11, 21, 21, 21, 11} {
		if k.At(i, i) != want || mat.Sum(k.RowView(i)) != 1 {
			t.Errorf("row %d of K is %v", i, mat.Row(nil, i, k))
		}
	}
	var slope mat.Dense
	slope.Mul(k, least)
	slope.Sub(&slope, b)
	if mat.Norm(&slope, 2) > 1e-12 || mat.Sum(b) != 3 || mat.Min(least) < 0 {
		t.Errorf("v = %v, slope %v", mat.Formatted(least), mat.Formatted(&slope))
	}
}
