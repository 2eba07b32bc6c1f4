package rnmf

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
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
	golden(t, "metrics.json", &g)
	for i, c := range g.Scores {
		table, err := Confusion(c.Truth, c.Found)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(table.Counts, c.Counts) {
			t.Errorf("case %d: counts %v, want %v", i, table.Counts, c.Counts)
		}
		got, err := Score(c.Truth, c.Found)
		if err != nil {
			t.Fatal(err)
		}
		want := Scores{c.Accuracy, c.Purity, c.NMI, c.ARI}
		for _, p := range [][2]float64{
			{got.Accuracy, want.Accuracy}, {got.Purity, want.Purity}, {got.AdjustedRand, want.AdjustedRand},
			{got.NMI[Arithmetic], want.NMI[0]}, {got.NMI[Geometric], want.NMI[1]}, {got.NMI[Max], want.NMI[2]},
		} {
			if !near(p[0], p[1], 1e-12) {
				t.Errorf("case %d: %+v, want %+v", i, got, want)
				break
			}
		}
		var alone Scores // by the functions for one score
		alone.Accuracy, _ = Accuracy(c.Truth, c.Found)
		alone.Purity, _ = Purity(c.Truth, c.Found)
		alone.AdjustedRand, _ = AdjustedRand(c.Truth, c.Found)
		for _, by := range []Mean{Arithmetic, Geometric, Max} {
			if alone.NMI[by], err = NMI(c.Truth, c.Found, by); err != nil {
				t.Error(err)
			}
		}
		if alone != got {
			t.Errorf("case %d: %+v one by one, %+v at once", i, alone, got)
		}
	}
}

func TestMeanString(t *testing.T) {
	if s := fmt.Sprint(Arithmetic, Geometric, Max, Mean(9)); s != "arithmetic geometric max Mean(9)" {
		t.Error(s)
	}
}

// checkScores checks what holds for any labels.
func checkScores(t *testing.T, truth, found []int) {
	t.Helper()
	s, err := Score(truth, found)
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
	if s.NMI[Max] > s.NMI[Arithmetic]+slack || s.NMI[Arithmetic] > s.NMI[Geometric]+slack {
		t.Fatalf("NMI out of order: %v", s.NMI)
	}
	// Symmetric but for purity.
	back, err := Score(found, truth)
	if err != nil {
		t.Fatal(err)
	}
	if back.Accuracy != s.Accuracy || !near(back.AdjustedRand, s.AdjustedRand, slack) || !near(back.NMI[Max], s.NMI[Max], slack) {
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
	same, err := Score(found, found)
	if err != nil {
		t.Fatal(err)
	}
	if same.Accuracy != 1 || same.Purity != 1 || same.AdjustedRand != 1 || !near(same.NMI[Max], 1, slack) {
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
		a, _ := Score(truth, found)
		b, _ := Score(truth2, found2)
		if a.Accuracy != b.Accuracy || a.Purity != b.Purity || !near(a.NMI[0], b.NMI[0], 1e-12) || !near(a.AdjustedRand, b.AdjustedRand, 1e-12) {
			t.Fatalf("%+v after renaming %+v", a, b)
		}
	}
}

func TestScoresDegenerate(t *testing.T) {
	for _, c := range []struct {
		truth, found []int
		want         Scores
	}{
		{[]int{7}, []int{3}, Scores{1, 1, [3]float64{1, 1, 1}, 1}},
		{[]int{1, 1, 1, 1}, []int{5, 5, 5, 5}, Scores{1, 1, [3]float64{1, 1, 1}, 1}},
		{[]int{0, 1, 2, 3}, []int{3, 2, 1, 0}, Scores{1, 1, [3]float64{1, 1, 1}, 1}},
		{[]int{0, 0, 1, 1}, []int{2, 2, 2, 2}, Scores{0.5, 0.5, [3]float64{}, 0}},
		{[]int{2, 2, 2, 2}, []int{0, 1, 2, 3}, Scores{0.25, 1, [3]float64{}, 0}},
		{[]int{math.MaxInt, 0}, []int{0, math.MaxInt}, Scores{1, 1, [3]float64{1, 1, 1}, 1}},
	} {
		got, err := Score(c.truth, c.found)
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
		{nil, nil, ErrEmpty, ""},
		{[]int{1}, []int{1, 2}, ErrShape, "1 true labels and 2"},
		{[]int{1, 0, -4}, []int{1, 2, 3}, ErrLabels, "truth[2] = -4"},
		{[]int{1, 0, 4}, []int{1, -2, 3}, ErrLabels, "found[1] = -2"},
	} {
		all := make([]error, 6)
		_, all[0] = Confusion(c.truth, c.found)
		_, all[1] = Score(c.truth, c.found)
		_, all[2] = Accuracy(c.truth, c.found)
		_, all[3] = Purity(c.truth, c.found)
		_, all[4] = NMI(c.truth, c.found, Max)
		_, all[5] = AdjustedRand(c.truth, c.found)
		for i, err := range all {
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.place) {
				t.Errorf("function %d of %v, %v: %v", i, c.truth, c.found, err)
			}
		}
	}
	if _, err := NMI([]int{1}, []int{1}, 3); !errors.Is(err, ErrParameter) {
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
			if s, err := Score(truth, found); err == nil || s != (Scores{}) {
				t.Fatalf("%v, %v: %+v, %v", truth, found, s, err)
			}
			return
		}
		checkScores(t, truth, found)
	})
}

func TestHoyer(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{
		{[]float64{3}, 0},
		{[]float64{0, 0, 0}, 0},
		{[]float64{2, -2, 2, 2}, 0},
		{[]float64{0, -7, 0}, 1},
		{[]float64{1, 1, 0, 0}, (2 - math.Sqrt2)},
		{[]float64{1e300, 1e300, 0, 0}, (2 - math.Sqrt2)},
		{[]float64{5e-324, 5e-324, 0, 0}, (2 - math.Sqrt2)},
	} {
		got, err := Hoyer(c.v)
		if err != nil || !near(got, c.want, 1e-14) {
			t.Errorf("%v: %g, %v, want %g", c.v, got, err, c.want)
		}
	}
	if _, err := Hoyer(nil); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	if _, err := Hoyer([]float64{0, math.Inf(1)}); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "[1]") {
		t.Error(err)
	}
	a := mat.NewDense(2, 3, []float64{1, 0, 2, 1, 5, 0})
	got, err := HoyerColumns(a)
	if want := []float64{0, 1, 1}; err != nil || !slices.EqualFunc(got, want, func(a, b float64) bool { return near(a, b, 1e-14) }) {
		t.Error(got, err)
	}
}

func TestRelativeError(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	random := func(m, n int) *mat.Dense {
		d := mat.NewDense(m, n, nil)
		for i := range m {
			for j := range n {
				d.Set(i, j, rng.Float64())
			}
		}
		return d
	}
	for _, m := range []int{1, 63, 64, 65, 200} {
		x, w, h := random(m, 7), random(m, 3), random(3, 7)
		var e mat.Dense
		e.Mul(w, h)
		exact := mat.DenseCopyOf(&e)
		e.Sub(x, &e)
		got, err := RelativeError(x, w, h)
		if want := mat.Norm(&e, 2) / mat.Norm(x, 2); err != nil || !near(got, want, 1e-13) {
			t.Errorf("%g, %v, want %g", got, err, want)
		}
		if got, err = RelativeError(exact, w, h); err != nil || got > 1e-15 {
			t.Errorf("exact factors: %g, %v", got, err)
		}
		view := random(9, m).Slice(1, 8, 0, m).T() // not dense
		if _, err = RelativeError(view, w, h); err != nil {
			t.Error(err)
		}
	}
	// A factor may be larger than data may be.
	x := random(4, 7)
	w, h := random(4, 3), random(3, 7)
	want, err := RelativeError(x, w, h)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := RelativeError(x, scaled(w, 1e120), scaled(h, 1e-120)); err != nil || !near(got, want, 1e-13) {
		t.Errorf("with W of 1e120: %g, %v, want %g", got, err, want)
	}
	zero := mat.NewDense(2, 3, nil)
	one := mat.NewDense(1, 3, []float64{1, 1, 1})
	if got, err := RelativeError(zero, mat.NewDense(2, 1, nil), one); err != nil || got != 0 {
		t.Error(got, err)
	}
	if _, err := RelativeError(zero, mat.NewDense(2, 1, []float64{0, 1}), one); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	if _, err := RelativeError(zero, mat.NewDense(3, 1, nil), one); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	bad := mat.NewDense(2, 3, []float64{0, 0, 0, 0, math.NaN(), 0})
	var entry *EntryError
	if _, err := RelativeError(bad, mat.NewDense(2, 1, nil), one); !errors.As(err, &entry) || entry.Row != 1 || entry.Col != 1 || entry.Matrix != "clean" {
		t.Error(err)
	}
}
