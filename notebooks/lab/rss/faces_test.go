package rss

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// TestPersons has six images of 2 × 2 pixels, of two persons, whose first two images have labels.
func TestPersons(t *testing.T) {
	x := mat.NewDense(4, 6, nil)
	x.Apply(func(_, j int, _ float64) float64 { return float64(j) / 10 }, x)
	class := []int{0, 1, 0, 1, rnmf.Unlabelled, rnmf.Unlabelled}
	task := Task{Set: &datasets.Set{X: x, Height: 2, Width: 2, Labels: []int{0, 1, 0, 1, 0, 1}, Classes: []string{"a", "b"}}, Labels: rnmf.Labels{Class: class}}
	if first, second := task.Pairs(5); !slices.Equal(first, []int{0, 1}) || !slices.Equal(second, []int{2, 3}) {
		t.Error(first, second)
	}
	found := []int{0, 0, 0, 0, 1, 1} // wrong for 4, right for 5
	if share := task.Named(found); share != 0.5 {
		t.Errorf("%g of the two without a label are right, want 0.5", share)
	}
	if got := task.Disputed(found, []int{1, 1, 1, 1, 1, 0}); !slices.Equal(got, []int{5}) { // 4 is wrong in both
		t.Errorf("%v are disputed, want 5", got)
	}
	// Both are found to be b, whose first labelled image has the value 0.1; of 2 × 2 pixels all are on the cross.
	if got, want := task.Persons(found, []int{4, 5}), mat.NewDense(4, 2, []float64{1, 0.1, 1, 0.1, 1, 0.1, 1, 0.1}); !mat.Equal(got, want) {
		t.Errorf("%v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
	// The third image of each is without a label: that of a is named wrong, that of b right.
	if these, others := task.NamedAt(found, 3); these != 0.5 || !math.IsNaN(others) {
		t.Errorf("of the third images %g are right, of the others %g, want 0.5 and none", these, others)
	}
	if _, others := task.NamedAt([]int{0, 0, 0, 0, 0, 1}, 1, 2); others != 1 {
		t.Errorf("of the third images %g are right, want all", others)
	}
	framed := func(persons int) (blue, orange int) {
		album, err := task.Album("", found, persons)
		if err != nil {
			t.Fatal(err)
		}
		for y := range album.Image().Bounds().Dy() {
			for x := range album.Image().Bounds().Dx() {
				switch album.Image().At(x, y) {
				case viz.Color(0):
					blue++
				case viz.Color(1):
					orange++
				}
			}
		}
		return blue, orange
	}
	if blue, orange := framed(1); blue != 0 || orange == 0 {
		t.Errorf("the first person has %d blue pixels and %d orange ones", blue, orange)
	}
	if blue, orange := framed(5); blue == 0 || blue != orange {
		t.Errorf("both persons have %d blue pixels and %d orange ones", blue, orange)
	}
	if order, marks := task.InOrder(); !slices.Equal(order, []int{0, 2, 4, 1, 3, 5}) || !slices.Equal(marks, []int{0, 0, 0, 0, -1, -1}) {
		t.Error(order, marks)
	}
	if got, want := task.Mended(mat.NewDense(4, 6, nil)).RawRowView(3), []float64{0, 0.1, 0.2, 0.3, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("%v are mended, want %v", got, want)
	}
	if got, want := task.Alone(mat.NewDense(4, 6, nil)).RawRowView(3), []float64{0, 0, 0, 0, 0.4, 0.5}; !slices.Equal(got, want) {
		t.Errorf("%v are left alone, want %v", got, want)
	}
	spoiled := mat.DenseCopyOf(x) // two entries of sample 1, and one of sample 5, which has no label
	for _, at := range [][2]int{{0, 1}, {3, 1}, {0, 5}} {
		spoiled.Set(at[0], at[1], 1)
	}
	if got := task.Trusted(spoiled, x); got != 0.1 {
		t.Errorf("the wrong entries have the mean weight %g, want 0.1", got)
	}
	// The class a has the samples 0 and 2 of the values 0 and 0.2, and b has 1 and 3 of 0.1 and 0.3. Pixel 0 is wrong in
	// 1 alone, where the fit is at the right value, pixel 1 in 2 alone, where it is in the middle, pixel 2 in 0 and 2.
	tied, fit := mat.DenseCopyOf(x), mat.DenseCopyOf(x)
	for _, at := range [][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 2}} {
		tied.Set(at[0], at[1], 1)
	}
	fit.Set(0, 1, 0.3)
	fit.Set(1, 2, 0.5)
	if got, want := task.Tie(tied, fit), [3]float64{0.5, 0.5, 0}; got != want {
		t.Errorf("the fit stands at %v, want %v", got, want)
	}
	weights := mat.NewDense(4, 6, nil)
	weights.Set(1, 2, 1)
	if got := task.Neither(tied, weights); got != 0.5 { // pixel 1 has a weight, pixel 0 has none
		t.Errorf("both samples are shut out at %g of the pixels, want 0.5", got)
	}
	moved := Followed{All: [][]float64{{0.5, 0.1, 0.9, 0.8}, {0.2, 0.3, 0.2, 0.5}}}
	if moved.Stay(0) != 1./3 || moved.Thirds(0) != [3]float64{0.25, 0.25, 0.5} {
		t.Error(moved.Stay(0), moved.Thirds(0))
	}
	ways := task.Ways(tied, fit, 0, 2) // pixel 1 alone: from 0 to 1
	if !slices.Equal(ways, []float64{0.5}) {
		t.Errorf("the fit is at %v of the way, want 0.5", ways)
	}
	if c := pile([]float64{0.5, 0.4, 2.5, -1}); c.Title.Text != "50 % in the middle" || c.X.Max != 4./3 {
		t.Error(c.Title.Text, c.X.Max)
	}
	if got, want := task.Half(tied), (0.35+0.5)/2; math.Abs(got-want) > 1e-12 { // from 0.3 to 1, and from 0 to 1
		t.Errorf("half the way is %g, want %g", got, want)
	}
	// Of three samples of a class two are in the first half; which ones depends on the seed alone.
	drawn := map[string]bool{}
	for seed := range uint64(100) {
		halves, err := Halves(task.Set, seed)
		if err != nil || !slices.Equal(halves[1].Labels, []int{0, 1}) && !slices.Equal(halves[1].Labels, []int{1, 0}) {
			t.Fatal(halves, err)
		}
		both := slices.Concat(halves[0].X.RawRowView(0), halves[1].X.RawRowView(0))
		if !slices.IsSorted(both[:4]) {
			t.Errorf("the first half %v is not in the order of the set", both[:4])
		}
		drawn[fmt.Sprint(both)] = true
		if slices.Sort(both); !slices.Equal(both, x.RawRowView(0)) {
			t.Errorf("the halves have %v", both)
		}
		again, err := Halves(task.Set, seed)
		if err != nil || !mat.Equal(again[1].X, halves[1].X) {
			t.Error("the same seed has other halves", err)
		}
	}
	if len(drawn) != 9 {
		t.Errorf("%d of the 9 ways to divide 3 + 3 samples were drawn", len(drawn))
	}
	other := &datasets.Set{X: x, Labels: []int{0, 1}, Classes: []string{"b", "a"}} // names its classes in another order
	if share := task.NamedIn(other, []int{1, 1}); share != 0.5 {
		t.Errorf("%g of the other set are right, want 0.5", share)
	}
	if x.At(0, 1) != 0.1 {
		t.Error("the data have changed")
	}
}

// TestKept has the p that is derived in notebook 03b, −dω′(d)/ω(d).
func TestKept(t *testing.T) {
	cut := rnmf.Truncated{Loss: rnmf.Cauchy{Scale: 1}, Cut: 3.3}
	if got := Shifted(cut, 3, 1); math.Abs(got-3) > 1e-12 { // the image at the distance 4 is shut out, so the other one alone pulls
		t.Errorf("beyond the cut-off a shift of 1 becomes %g, want 3", got)
	}
	if got := Shifted(cut, 6, 1); got != 1 { // both are shut out
		t.Errorf("where neither pulls a shift of 1 becomes %g", got)
	}
	for _, d := range []float64{0.05, 0.9} {
		for _, c := range []struct {
			loss rnmf.Loss
			want float64
		}{
			{rnmf.Frobenius{}, 0},
			{rnmf.Hypersurface{Scale: 0.1}, d * d / (d*d + 0.01)},
			{rnmf.Cauchy{Scale: 0.1}, 2 * d * d / (d*d + 0.01)},
		} {
			if got := Kept(c.loss, d); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("%T keeps %g of a shift at %g, want %g", c.loss, got, d, c.want)
			}
		}
	}
}

// TestFollow starts by label, so the fit begins near the mean of the two labelled images of a class: a square in one of
// them is then half there.
func TestFollow(t *testing.T) {
	s := digits(t, 6)
	task, err := Draw(s, 3, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.DenseCopyOf(task.X)
	one, other := task.Pairs(1)
	for i := range 9 {
		x.Set(i, one[0], 2)
	}
	m := rnmf.Model{Rank: 3, Seed: 1, MaxIter: 2, Tol: -1, Init: rnmf.LabelInit{Labels: task.Labels}}
	f, err := task.Follow(t.Context(), m, x, one[0], other[0])
	if err != nil || len(f.Ways) != 3 || len(f.Ways[0]) != 9 || !mat.Equal(f.Faces.ColView(2), f.Fit.ColView(one[0])) {
		t.Fatal(err, f.Ways)
	}
	if !slices.Equal(f.All[2], task.AllWays(x, f.Fit)) {
		t.Error(f.All[2])
	}
	m.Loss = rnmf.MMEstimator{}
	if first, neither, err := task.Begin(t.Context(), m, x); err != nil || neither < 0 || neither > 1 || first.(rnmf.Truncated).Cut <= 0 {
		t.Error(first, neither, err)
	}
	m.Loss = nil
	start, err := task.Film([]string{"model", "other"}, []Followed{f, f}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	end, err := task.Film([]string{"model", "other"}, []Followed{f, f}, 2, 1)
	if err != nil || start.Image().Bounds() != end.Image().Bounds() {
		t.Error("the pictures of two rounds differ in size", err)
	}
	for _, way := range f.Ways[0] {
		if third(way) != 1 {
			t.Errorf("the start is at %g of the way, want it in the middle", way)
		}
	}
	m.Rank = -1
	if _, err := task.Follow(t.Context(), m, x, one[0], other[0]); err == nil {
		t.Error("a rank of −1 gave no error")
	}
	if _, _, err := task.Begin(t.Context(), m, x); err == nil {
		t.Error("a rank of −1 begins without an error")
	}
}
