package score

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

func TestScoresScikitLearn(t *testing.T) {
	var g struct {
		Scores []struct {
			Truth, Found          []int
			Counts                [][]int
			Accuracy, Purity, ARI float64
			NMI                   [3]float64
		}
	}
	testkit.Golden(t, "testdata/metrics.json", &g)
	for i, c := range g.Scores {
		table, err := Confusion(c.Truth, c.Found)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(table.Counts, c.Counts) {
			t.Errorf("case %d: counts %v, want %v", i, table.Counts, c.Counts)
		}
		got, err := NewAgreement(c.Truth, c.Found)
		if err != nil {
			t.Fatal(err)
		}
		want := Agreement{c.Accuracy, c.Purity, c.NMI, c.ARI}
		for _, p := range [][2]float64{
			{got.Accuracy, want.Accuracy}, {got.Purity, want.Purity}, {got.AdjustedRand, want.AdjustedRand},
			{got.NMI[NMIArithmetic], want.NMI[0]}, {got.NMI[NMIGeometric], want.NMI[1]}, {got.NMI[NMIMax], want.NMI[2]},
		} {
			if !testkit.Near(p[0], p[1], 1e-12) {
				t.Errorf("case %d: %+v, want %+v", i, got, want)
				break
			}
		}
		var alone Agreement // by the functions for one score
		alone.Accuracy, _ = Accuracy(c.Truth, c.Found)
		alone.Purity, _ = Purity(c.Truth, c.Found)
		alone.AdjustedRand, _ = AdjustedRand(c.Truth, c.Found)
		for _, by := range []NMIMean{NMIArithmetic, NMIGeometric, NMIMax} {
			if alone.NMI[by], err = NMI(c.Truth, c.Found, by); err != nil {
				t.Error(err)
			}
		}
		if alone != got {
			t.Errorf("case %d: %+v one by one, %+v at once", i, alone, got)
		}
	}
}

func TestNMIMeanString(t *testing.T) {
	if s := fmt.Sprint(NMIArithmetic, NMIGeometric, NMIMax, NMIMean(9)); s != "arithmetic geometric max NMIMean(9)" {
		t.Error(s)
	}
}

// checkScores checks what holds for any labels.
func checkScores(t *testing.T, truth, found []int) {
	t.Helper()
	s, err := NewAgreement(truth, found)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{s.Accuracy, s.Purity, s.NMI[0], s.NMI[1], s.NMI[2]} {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("%+v of %v, %v is out of [0, 1]", s, truth, found)
		}
	}
	if !(s.AdjustedRand >= -1 && s.AdjustedRand <= 1) {
		t.Fatalf("adjusted Rand index %g of %v, %v", s.AdjustedRand, truth, found)
	}
	if s.Accuracy > s.Purity {
		t.Fatalf("accuracy %g > purity %g", s.Accuracy, s.Purity)
	}
	const slack = 1e-12
	if s.NMI[NMIMax] > s.NMI[NMIArithmetic]+slack || s.NMI[NMIArithmetic] > s.NMI[NMIGeometric]+slack {
		t.Fatalf("NMI out of order: %v", s.NMI)
	}
	// Symmetric but for purity.
	back, err := NewAgreement(found, truth)
	if err != nil {
		t.Fatal(err)
	}
	if back.Accuracy != s.Accuracy || !testkit.Near(back.AdjustedRand, s.AdjustedRand, slack) || !testkit.Near(back.NMI[NMIMax], s.NMI[NMIMax], slack) {
		t.Fatalf("%+v, the other way %+v", s, back)
	}
	// The matched table holds the same counts, and its diagonal the hits.
	table, err := Confusion(truth, found)
	if err != nil {
		t.Fatal(err)
	}
	m := table.Matched()
	if len(m.Classes) <= len(m.Clusters) {
		diagonal := 0
		for i := range m.Classes {
			diagonal += m.Counts[i][i]
		}
		if got := float64(diagonal) / float64(len(truth)); got != s.Accuracy {
			t.Fatalf("diagonal %g, accuracy %g", got, s.Accuracy)
		}
	}
	for i := range m.Classes {
		for j, l := range m.Clusters {
			if m.Counts[i][j] != table.Counts[i][slices.Index(table.Clusters, l)] {
				t.Fatalf("matched table differs: %v, %v", m, table)
			}
		}
	}
	same, err := NewAgreement(found, found)
	if err != nil {
		t.Fatal(err)
	}
	if same.Accuracy != 1 || same.Purity != 1 || same.AdjustedRand != 1 || !testkit.Near(same.NMI[NMIMax], 1, slack) {
		t.Fatalf("same partition: %+v", same)
	}
}

func TestScoresProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 300 {
		n, k, l := 1+rng.IntN(60), 1+rng.IntN(8), 1+rng.IntN(8)
		truth, found := make([]int, n), make([]int, n)
		for i := range n {
			truth[i], found[i] = rng.IntN(k), rng.IntN(l)
		}
		checkScores(t, truth, found)

		// Renaming clusters and reordering samples changes nothing.
		name, order := rng.Perm(1000), rng.Perm(n)
		truth2, found2 := make([]int, n), make([]int, n)
		for i, j := range order {
			truth2[i], found2[i] = truth[j], name[found[j]]
		}
		a, _ := NewAgreement(truth, found)
		b, _ := NewAgreement(truth2, found2)
		if a.Accuracy != b.Accuracy || a.Purity != b.Purity || !testkit.Near(a.NMI[0], b.NMI[0], 1e-12) || !testkit.Near(a.AdjustedRand, b.AdjustedRand, 1e-12) {
			t.Fatalf("%+v after renaming %+v", a, b)
		}
	}
}

func TestScoresDegenerate(t *testing.T) {
	for _, c := range []struct {
		truth, found []int
		want         Agreement
	}{
		{[]int{7}, []int{3}, Agreement{1, 1, [3]float64{1, 1, 1}, 1}},
		{[]int{1, 1, 1, 1}, []int{5, 5, 5, 5}, Agreement{1, 1, [3]float64{1, 1, 1}, 1}},
		{[]int{0, 1, 2, 3}, []int{3, 2, 1, 0}, Agreement{1, 1, [3]float64{1, 1, 1}, 1}},
		{[]int{0, 0, 1, 1}, []int{2, 2, 2, 2}, Agreement{0.5, 0.5, [3]float64{}, 0}},
		{[]int{2, 2, 2, 2}, []int{0, 1, 2, 3}, Agreement{0.25, 1, [3]float64{}, 0}},
		{[]int{math.MaxInt, 0}, []int{0, math.MaxInt}, Agreement{1, 1, [3]float64{1, 1, 1}, 1}},
	} {
		got, err := NewAgreement(c.truth, c.found)
		if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%v, %v: %+v, want %+v", c.truth, c.found, got, c.want)
		}
	}
}

func TestLabelErrors(t *testing.T) {
	for _, c := range []struct {
		truth, found []int
		want         error
		place        string
	}{
		{nil, nil, rnmf.ErrEmpty, ""},
		{[]int{1}, []int{1, 2}, rnmf.ErrShape, "1 true labels and 2"},
		{[]int{1, 0, -4}, []int{1, 2, 3}, rnmf.ErrLabels, "truth[2] = -4"},
		{[]int{1, 0, 4}, []int{1, -2, 3}, rnmf.ErrLabels, "found[1] = -2"},
	} {
		all := make([]error, 6)
		_, all[0] = Confusion(c.truth, c.found)
		_, all[1] = NewAgreement(c.truth, c.found)
		_, all[2] = Accuracy(c.truth, c.found)
		_, all[3] = Purity(c.truth, c.found)
		_, all[4] = NMI(c.truth, c.found, NMIMax)
		_, all[5] = AdjustedRand(c.truth, c.found)
		for i, err := range all {
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.place) {
				t.Errorf("function %d of %v, %v: %v", i, c.truth, c.found, err)
			}
		}
	}
	if _, err := NMI([]int{1}, []int{1}, 3); !errors.Is(err, rnmf.ErrParameter) {
		t.Error(err)
	}
}

func FuzzScores(f *testing.F) {
	f.Add([]byte{0, 0}, false)
	f.Add([]byte{1, 2, 3, 1, 2, 3, 0, 0, 1, 9}, false)
	f.Add([]byte{1, 2, 200, 1}, true)
	f.Fuzz(func(t *testing.T, b []byte, negative bool) {
		if len(b) > 200 {
			return
		}
		n := len(b) / 2
		truth, found := make([]int, n), make([]int, n)
		for i := range n {
			truth[i], found[i] = int(b[2*i])<<(8*(i%7)), int(b[2*i+1])
		}
		if n == 0 || negative {
			if n > 0 {
				truth[n-1] = -1 - truth[n-1]
			}
			if s, err := NewAgreement(truth, found); err == nil || s != (Agreement{}) {
				t.Fatalf("%v, %v: %+v, %v", truth, found, s, err)
			}
			return
		}
		checkScores(t, truth, found)
	})
}

// Scores print as a line, a confusion table as a table.
func TestScoresString(t *testing.T) {
	a, err := NewAgreement([]int{0, 0, 1, 1}, []int{3, 3, 5, 3})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(a); got != "accuracy 0.750, purity 0.750, NMI 0.344, adjusted Rand index 0.000" {
		t.Error(got)
	}
	c, err := Confusion([]int{0, 0, 1, 1}, []int{3, 3, 5, 3})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(c), "  class\\cluster  3  5\n              0  2  0\n              1  1  1"; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	d, err := DetectSamples([]bool{true, true, false}, []bool{true, false, true})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.String(); got != "precision 0.500, recall 0.500, F1 0.500: 2 flagged, 1 of the 2 outliers among them" {
		t.Error(got)
	}
}
