package rra

import (
	"slices"
	"testing"

	"github.com/robustnmf/robustnmf/rnmf"
)

// three is a part of two classes, whose graph is a triangle within the first, an edge within the second, and a wrong edge from the
// triangle to a sample of the second; the last sample is alone.
func three(t *testing.T) Part {
	t.Helper()
	var edges []rnmf.Edge
	for _, e := range [][2]int{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {5, 2}} {
		edges = append(edges, rnmf.Edge{I: e[0], J: e[1], Weight: 1})
	}
	g, err := rnmf.NewGraph(7, edges)
	if err != nil {
		t.Fatal(err)
	}
	return Part{Graph: g, Labels: []int{0, 0, 0, 1, 1, 1, 1}, Classes: 2, Seed: 1}
}

func TestConnected(t *testing.T) {
	p := three(t)
	if got := p.Connected(); got != 3 {
		t.Errorf("%d connected parts, want 3", got)
	}
	if of, _ := p.parts(); !slices.Equal(of, []int{0, 0, 0, 1, 1, 0, 2}) {
		t.Errorf("the parts are %v", of)
	}
}

func TestOtherEdges(t *testing.T) {
	p := three(t)
	for _, c := range []struct {
		name                 string
		part                 func() (Part, error)
		within, wrong, parts int
	}{
		{"no wrong ones", func() (Part, error) { return p.Wrong(0) }, 4, 0, 4},
		{"joined", p.Joined, 4, -1, 1}, // which of the two new ones are wrong is left to chance
		{"scattered", p.Scattered, 4, 1, 0},
		{"half of them wrong", func() (Part, error) { return p.Wrong(0.5) }, 4, 4, 0},
		{"fewer than there are", func() (Part, error) { return p.Wrong(0.1) }, 4, 0, 4},
		{"as many as there can be", func() (Part, error) { return p.Wrong(1) }, 4, 12, 1},
	} {
		q, err := c.part()
		if err != nil {
			t.Fatal(err)
		}
		within, wrong := q.edges()
		if c.wrong < 0 {
			if len(within)+len(wrong) != 7 {
				t.Errorf("%s: %d edges, want 7", c.name, len(within)+len(wrong))
			}
		} else if len(within) != c.within || len(wrong) != c.wrong {
			t.Errorf("%s: %d edges within and %d wrong ones, want %d and %d", c.name, len(within), len(wrong), c.within, c.wrong)
		}
		if got := q.Connected(); c.parts > 0 && got != c.parts {
			t.Errorf("%s: %d parts, want %d", c.name, got, c.parts)
		}
	}
	if within, wrong := p.edges(); len(within) != 4 || len(wrong) != 1 || p.WrongShare() != 0.2 {
		t.Error("the part itself has changed")
	}
}
