package rnmf_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

func TestGraph(t *testing.T) {
	g := Ring(17, 1)
	dense := mat.NewDense(17, 17, nil)
	dense.Copy(g)
	again, err := NewGraphFromMatrix(dense)
	if err != nil || !again.SameAs(g) {
		t.Errorf("a graph made of a graph differs: %v", err)
	}
	v := Uniform(3, 17, 2)
	var want, got mat.Dense
	want.Mul(v, dense)
	got.CloneFrom(v)
	g.Mul(&got, v)
	if !mat.EqualApprox(&want, &got, 1e-14) {
		t.Error("VG differs")
	}
	// tr(VLVᵀ) of the definition L = diag(d) − G.
	l := mat.NewDense(17, 17, nil)
	l.Scale(-1, dense)
	for i := range 17 {
		var d float64
		for j := range 17 {
			d += dense.At(i, j)
		}
		if !Near(g.Degree(i), d, 1e-15) {
			t.Errorf("degree %g, want %g", g.Degree(i), d)
		}
		l.Set(i, i, d)
	}
	var vl, vlv mat.Dense
	vl.Mul(v, l)
	vlv.Mul(&vl, v.T())
	if r := g.Roughness(v); !Near(r, mat.Trace(&vlv), 1e-13) {
		t.Errorf("roughness %g, want %g", r, mat.Trace(&vlv))
	}
	if n := 2 * g.Edges(); n != g.Stored() || g.SymmetricDim() != 17 || g.Degree(16) != 0 {
		t.Error("edges, dimension or isolated vertex")
	}
}

func TestColors(t *testing.T) {
	complete := []Edge{}
	for i := range 6 {
		for j := range i {
			complete = append(complete, Edge{i, j, 1})
		}
	}
	all, _ := NewGraph(7, complete)
	none, _ := NewGraph(5, nil)
	for i, g := range []*Graph{Ring(2, 1), Ring(90, 2), all, none} {
		seen := make([]int, g.SymmetricDim())
		most := 0
		for c, class := range g.Classes() {
			for k, i := range class {
				seen[i]++
				if k > 0 && class[k-1] >= i {
					t.Error("not ascending")
				}
				to, _ := g.Neighbors(i)
				most = max(most, len(to))
				for _, j := range to {
					if slices.Contains(g.Classes()[c], j) {
						t.Errorf("%d and %d are neighbours of one class", i, j)
					}
				}
			}
		}
		if slices.Min(seen) != 1 || slices.Max(seen) != 1 || len(g.Classes()) > most+1 {
			t.Errorf("graph %d: %d classes with at most %d neighbours, vertices in %v classes", i, len(g.Classes()), most, seen)
		}
	}
}

func TestGraphErrors(t *testing.T) {
	nan := math.NaN()
	square := func(v ...float64) *mat.Dense { return mat.NewDense(2, 2, v) }
	x := Uniform(3, 4, 1)
	for _, c := range []struct {
		name string
		make func() (*Graph, error)
		want error
		says string
	}{
		{"no vertex", func() (*Graph, error) { return NewGraph(0, nil) }, ErrEmpty, "0 vertices"},
		{"out of range", func() (*Graph, error) { return NewGraph(3, []Edge{{0, 1, 1}, {2, 3, 1}}) }, ErrShape, "edge 1 joins 2 and 3, want 0 to 2"},
		{"NaN", func() (*Graph, error) { return NewGraph(3, []Edge{{0, 2, nan}}) }, ErrNotFinite, "G[0,2] = NaN"},
		{"negative", func() (*Graph, error) { return NewGraph(3, []Edge{{2, 1, -1}}) }, ErrNegative, "G[2,1] = -1"},
		{"two weights", func() (*Graph, error) { return NewGraph(3, []Edge{{2, 1, 1}, {1, 2, 2}}) }, ErrParameter, "G[1,2] is given as 1 and as 2"},
		{"not square", func() (*Graph, error) { return NewGraphFromMatrix(x) }, ErrShape, "3×4"},
		{"not symmetric", func() (*Graph, error) { return NewGraphFromMatrix(square(0, 1, 2, 0)) }, ErrParameter, "G[0,1] is 1 and G[1,0] is 2"},
		{"Inf", func() (*Graph, error) { return NewGraphFromMatrix(square(0, 1, 1, math.Inf(1))) }, ErrNotFinite, "G[1,1] = +Inf"},
		{"NaN below", func() (*Graph, error) { return NewGraphFromMatrix(square(0, 1, nan, 1)) }, ErrNotFinite, "G[1,0] = NaN"},
	} {
		g, err := c.make()
		if g != nil || !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
