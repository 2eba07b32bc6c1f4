package datasets

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

// sparseSet is a set of a few counts, sparse and dense.
func sparseSet() (thin, dense *Set) {
	x := &sparse.Matrix{Rows: 4, Cols: 3, Start: []int{0, 2, 3, 6}, Row: []int32{0, 2, 3, 0, 1, 3}, Value: []float64{1, 3, 2, 4, 1, 5}}
	thin = &Set{Name: "counts", Sparse: x, Samples: []string{"a", "b", "c"}, Features: []string{"p", "q", "r", "s"}, Labels: []int{0, 1, 0}, Classes: []string{"x", "y"}}
	dense, err := thin.Dense()
	if err != nil {
		panic(err)
	}
	return thin, dense
}

// What a sparse set can do, it does as the dense one.
func TestSparseSet(t *testing.T) {
	s, d := sparseSet()
	before := s.Sparse.Value[1]
	gap, gapD := sparseSet() // with a value that is missing
	gap.Sparse.Value[4] = math.NaN()
	gapD.X.Set(1, 2, math.NaN())
	for name, f := range map[string]func(*Set) (*Set, error){
		"Pick":         func(s *Set) (*Set, error) { return s.Pick([]int{2, 0}) },
		"PickFeatures": func(s *Set) (*Set, error) { return s.PickFeatures([]int{3, 0}) },
		"Sample":       func(s *Set) (*Set, error) { return s.Sample(1, 1) },
		"Prepare": func(s *Set) (*Set, error) {
			u, _, err := Prepare(s, SampleSums{}, Log1p{}, MostVariable{Count: 3}, ScaleFeatures{By: Deviation})
			return u, err
		},
		"Apply": func(s *Set) (*Set, error) {
			_, p, err := Prepare(s, SampleSums{}, ScaleFeatures{})
			if err != nil {
				return nil, err
			}
			return p.Apply(s)
		},
	} {
		for _, sets := range [][2]*Set{{s, d}, {gap, gapD}} {
			a, err := f(sets[0])
			b, errB := f(sets[1])
			if err != nil || errB != nil {
				t.Fatal(name, err, errB)
			}
			if a.Sparse == nil {
				t.Errorf("%s: not sparse any more", name)
			}
			if a, err = a.Dense(); err != nil {
				t.Fatal(name, err)
			}
			if !nearly(a.X, b.X) || !slices.Equal(a.Samples, b.Samples) || !slices.Equal(a.Features, b.Features) {
				t.Errorf("%s: %v, want %v", name, mat.Formatted(a.X), mat.Formatted(b.X))
			}
		}
	}
	if got := gap.String(); !strings.HasSuffix(got, "6 entries that are not 0 (50 %), 1 missing") {
		t.Error(got)
	}
	if s.Sparse.Value[1] != before {
		t.Error("the data have changed")
	}
	for name, f := range map[string]func() error{
		"Shrink":   func() error { _, err := (&Set{Sparse: s.Sparse, Height: 2, Width: 2}).Shrink(1, 1); return err },
		"WriteCSV": func() error { return s.WriteCSV(&strings.Builder{}) },
		"Corrupt":  func() error { _, _, err := s.Corrupt(SaltPepper{Share: 0.5, High: 1}, 1); return err },
	} {
		if err := f(); !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), "Set.Dense") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, step := range []Preprocessor{SplitSigns{}, FillMissing{}, ScaleFeatures{By: Range}} {
		one := *s
		one.Sparse = &sparse.Matrix{Rows: 2, Cols: 2, Start: []int{0, 2, 4}, Row: []int32{0, 1, 0, 1}, Value: []float64{1, 3, 2, 4}}
		one.Samples, one.Features, one.Labels, one.Classes = nil, nil, nil, nil
		if _, _, err := Prepare(&one, step); !errors.Is(err, ErrParameter) {
			t.Errorf("%T: %v", step, err)
		}
	}
	if got := s.String(); got != "counts: 4 features × 3 samples, 2 classes, 6 entries that are not 0 (50 %)" {
		t.Error(got)
	}
	if err := (&Set{Sparse: s.Sparse, X: d.X}).Check(); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	if s.Mask() != nil || d.Mask() != nil {
		t.Error("a mask where nothing is missing")
	}
	d.X.Set(1, 2, math.NaN())
	if m := d.Mask(); m == nil || m.At(1, 2) != 0 || m.At(0, 0) != 1 {
		t.Errorf("the mask is %v", m)
	}
}

// A few wrong values change neither the scale nor the others, and where they do, a note says so.
func TestRobustScaling(t *testing.T) {
	x := mat.NewDense(3, 6, []float64{
		1, 2, 3, 1e9, 2, math.NaN(),
		-999, 10, 12, 11, 13, 12,
		0, 0, 0, 0, 7, 0,
	})
	s := &Set{X: x, Features: []string{"a", "b", "c"}}
	u, p, err := Prepare(s, ScaleFeatures{By: RobustRange})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		i, j int
		want float64
	}{{0, 0, 0}, {0, 1, 0.5}, {0, 2, 1}, {0, 3, (1e9 - 1) / 2}, {1, 1, 0}, {1, 4, 1}, {1, 0, -1009.0 / 3}, {2, 4, 1}, {2, 0, 0}} {
		if got := u.X.At(c.i, c.j); math.Abs(got-c.want) > 1e-9*math.Abs(c.want) {
			t.Errorf("(%d, %d) becomes %g, want %g", c.i, c.j, got, c.want)
		}
	}
	if back, err := p.Undo(u.X); err != nil || math.Abs(back.X.At(0, 3)-1e9) > 1 || u.Notes != nil {
		t.Errorf("%v, %v, %q", back, err, u.Notes)
	}
	if u, _, err = Prepare(s, ScaleFeatures{By: MedianDeviation}); err != nil || math.Abs(u.X.At(1, 1)-10/1.4826) > 1e-9 {
		t.Errorf("%v, %v", u, err)
	}
	for by := Largest; by <= MedianDeviation; by++ {
		u, _, err := Prepare(s, ScaleFeatures{By: by})
		if err != nil {
			t.Fatal(err)
		}
		if warned := len(u.Notes) == 1 && strings.Contains(u.Notes[0], "stretch the scale of a"); warned != (by <= Deviation) {
			t.Errorf("%d: %q", by, u.Notes)
		}
	}
	if s.Notes != nil {
		t.Error("the set itself has a note")
	}
}
