package claims

import (
	"math"
	"testing"

	"github.com/robustnmf/robustnmf/rnmf/score"
)

// TestMostNMI compares a split with the scores of its labels, and wants no split to be above the
// bound for its accuracy.
func TestMostNMI(t *testing.T) {
	const n0, n1 = 5, 7
	most := MostNMI(n0, n1)
	for i := range n0 + 1 {
		for j := range n1 + 1 {
			accuracy, nmi := split(n0, n1, i, j)
			classes, clusters := make([]int, n0+n1), make([]int, n0+n1)
			for k := range classes {
				if k < n0 && k >= i || k >= n0 && k-n0 >= j {
					clusters[k] = 1
				}
				if k >= n0 {
					classes[k] = 1
				}
			}
			a, err := score.Accuracy(classes, clusters)
			if err != nil {
				t.Fatal(err)
			}
			b, err := score.NMI(classes, clusters, score.NMIMax)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(a-accuracy) > 1e-12 || math.Abs(b-nmi) > 1e-12 {
				t.Errorf("%d of %d and %d of %d: accuracy %g, NMI %g; want %g, %g", i, n0, j, n1, accuracy, nmi, a, b)
			}
			if bound := most(accuracy); nmi > bound+1e-12 {
				t.Errorf("NMI %g at accuracy %g, above the bound %g", nmi, accuracy, bound)
			}
		}
	}
	// No line between two splits passes above the hull, and each point of it is on such a line.
	at := func(i, j int) (x, y float64) { return split(n0, n1, i, j) }
	for a := 0.5; a < 1; a += 0.01 {
		highest := 0.0
		for s := range (n0 + 1) * (n1 + 1) {
			for u := range (n0 + 1) * (n1 + 1) {
				xs, ys := at(s%(n0+1), s/(n0+1))
				xu, yu := at(u%(n0+1), u/(n0+1))
				if xs <= a && a <= xu && xs < xu {
					highest = max(highest, ys+(yu-ys)*(a-xs)/(xu-xs))
				}
			}
		}
		if bound := most(a); bound < highest-1e-12 {
			t.Errorf("at accuracy %g a mixture of two splits has %g, above the bound %g", a, highest, bound)
		}
	}
	if bound := most(1); math.Abs(bound-1) > 1e-12 {
		t.Errorf("%g at accuracy 1", bound)
	}
	if low, high := most(0.6), most(0.9); !(0 < low && low < high && high < 1) {
		t.Errorf("%g at accuracy 0.6, %g at 0.9", low, high)
	}
}

// TestTwoClasses wants the printed pairs of three tables, with the straight line as the bound of classes of equal size.
func TestTwoClasses(t *testing.T) {
	all := TwoClasses(Stored().PrintedRSS)
	if len(all) != 30 {
		t.Errorf("%d pairs", len(all))
	}
	for _, p := range all {
		if line := 2*p.Accuracy - 100; p.Set == "UMIST" && p.Most < line || p.Set != "UMIST" && math.Abs(p.Most-line) > 0.5 {
			t.Errorf("%+v, the line is at %.1f", p, line)
		}
	}
	if p := (TwoClass{NMI: 50, Most: 50}); !p.Possible() || (TwoClass{NMI: 50.2, Most: 50}).Possible() {
		t.Error("a pair on its line")
	}
}
