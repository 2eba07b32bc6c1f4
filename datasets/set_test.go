package datasets

import (
	"errors"
	"image/color"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

// smallSet has six 2×4 images of three classes; column j holds 8j..8j+7.
func smallSet() *Set {
	flat := make([]float64, 48)
	for i := range flat {
		flat[i] = float64(i)
	}
	return &Set{Name: "small", X: columnsOf(flat, 8), Height: 2, Width: 4, Max: 50,
		Labels: []int{0, 1, 2, 0, 1, 2}, Classes: []string{"a", "b", "c"}}
}

func TestSetImage(t *testing.T) {
	s := smallSet()
	s.X.Set(0, 5, -3)
	s.X.Set(1, 5, 99)
	s.X.Set(2, 5, math.NaN())
	img := s.Image(5)
	if b := img.Bounds(); b.Dx() != 4 || b.Dy() != 2 {
		t.Fatalf("bounds %v", b)
	}
	for _, c := range []struct{ x, y, want int }{{0, 0, 0}, {1, 0, 255}, {2, 0, 0}, {3, 1, 240}} {
		if got := color.GrayModel.Convert(img.At(c.x, c.y)).(color.Gray).Y; int(got) != c.want {
			t.Errorf("pixel (%d, %d) is %d, want %d", c.x, c.y, got, c.want)
		}
	}
	s.Height = 0
	stored := &Set{Sparse: &sparse.Matrix{Rows: 2, Cols: 1, Start: []int{0, 0}}, Height: 2, Width: 1}
	for _, c := range []struct {
		s    *Set
		j    int
		want error
	}{{s, 0, ErrNotImages}, {smallSet(), 6, ErrColumn}, {smallSet(), -1, ErrColumn}, {stored, 0, ErrSize}, {&Set{Height: 2, Width: 1}, 0, ErrSize}} {
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !errors.Is(err, c.want) {
					t.Errorf("%v, %d: a panic with %v, want %v", c.s, c.j, err, c.want)
				}
			}()
			c.s.Image(c.j)
		}()
	}
}

func TestSetPick(t *testing.T) {
	s := smallSet()
	p, err := s.Pick([]int{4, 0, 4})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p.Labels, []int{1, 0, 1}) || p.X.At(3, 0) != 35 || p.X.At(3, 1) != 3 {
		t.Errorf("%v %v", p.Labels, mat.Formatted(p.X))
	}
	p.X.Set(0, 0, -1)
	p.Labels[0] = 9
	if !mat.Equal(s.X, smallSet().X) || s.Labels[4] != 1 {
		t.Error("the set shares data with what was picked")
	}
	for _, bad := range [][]int{{6}, {0, -1}} {
		if _, err := s.Pick(bad); !errors.Is(err, ErrColumn) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, err := s.Pick(nil); !errors.Is(err, ErrSize) {
		t.Errorf("nothing picked: %v", err)
	}
}

func TestSetSample(t *testing.T) {
	var s Set
	s.X = mat.NewDense(1, 60, nil)
	s.Classes = []string{"x", "y"}
	for j := range 60 {
		s.X.Set(0, j, float64(j))
		s.Labels = append(s.Labels, j%2)
	}
	a, err := s.Sample(7, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := s.Sample(7, 1)
	c, _ := s.Sample(7, 2)
	if !mat.Equal(a.X, b.X) || mat.Equal(a.X, c.X) {
		t.Error("the seed does not decide")
	}
	row := a.X.RawRowView(0)
	if len(row) != 14 || !slices.IsSorted(row) || len(slices.Compact(slices.Clone(row))) != 14 {
		t.Errorf("drawn %v", row)
	}
	count := 0
	for j, l := range a.Labels {
		count += l
		if int(row[j])%2 != l {
			t.Errorf("column %d has label %d", j, l)
		}
	}
	if count != 7 {
		t.Errorf("%d of class 1", count)
	}
	for _, k := range []int{0, -1, 31} {
		if _, err := s.Sample(k, 1); !errors.Is(err, ErrSize) {
			t.Errorf("%d a class: %v", k, err)
		}
	}
	s.Labels = nil
	if _, err := s.Sample(1, 1); !errors.Is(err, ErrNoLabels) {
		t.Error(err)
	}
}

func TestSetScaled(t *testing.T) {
	s := smallSet()
	if got := s.Scaled(); got.Max != 1 || got.X.At(7, 5) != 47.0/50 || s.X.At(7, 5) != 47 {
		t.Errorf("scaled to %v", got.X.At(7, 5))
	}
	s.Max = 0
	if got := s.Scaled(); got.X.At(7, 5) != 1 {
		t.Errorf("of unknown range to %v", got.X.At(7, 5))
	}
}

func TestSetShrink(t *testing.T) {
	s := smallSet()
	got, err := s.Shrink(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	// The blocks of image 0 are 0 1 4 5 and 2 3 6 7.
	if got.X.At(0, 0) != 2.5 || got.X.At(1, 0) != 4.5 || got.X.At(0, 5) != 42.5 || got.Height != 1 || got.Width != 2 {
		t.Errorf("%v", mat.Formatted(got.X))
	}
	if got, err = s.Shrink(2, 3); err != nil {
		t.Fatal(err)
	}
	// Four pixels into three: 3/4 and 1/4, 1/2 and 1/2, 1/4 and 3/4.
	for i, want := range []float64{0.25, 1.5, 2.75, 4.25, 5.5, 6.75} {
		if v := got.X.At(i, 0); math.Abs(v-want) > 1e-12 {
			t.Errorf("pixel %d is %v, want %v", i, v, want)
		}
	}
	for _, to := range [][2]int{{0, 1}, {1, 5}, {3, 4}, {-1, -1}} {
		if _, err := s.Shrink(to[0], to[1]); !errors.Is(err, ErrSize) {
			t.Errorf("to %v: %v", to, err)
		}
	}
	s.Width = 0
	if _, err := s.Shrink(1, 1); !errors.Is(err, ErrNotImages) {
		t.Error(err)
	}
}

func TestSetCheck(t *testing.T) {
	if err := smallSet().Check(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Set){
		"no data":    func(s *Set) { s.X = nil },
		"labels":     func(s *Set) { s.Labels = s.Labels[1:] },
		"class":      func(s *Set) { s.Labels[3] = 3 },
		"size":       func(s *Set) { s.Height = 3 },
		"width only": func(s *Set) { s.Height = 0 },
	} {
		s := smallSet()
		spoil(s)
		if err := s.Check(); !errors.Is(err, ErrSize) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSetString(t *testing.T) {
	for _, c := range []struct {
		s    *Set
		want string
	}{
		{smallSet(), "small: 8 pixels (images 2×4) × 6 samples, 3 classes, values 0 to 47"},
		{&Set{X: mat.NewDense(1, 2, []float64{1, 2})}, "set: 1 features × 2 samples, values 1 to 2"},
		{&Set{Name: "e"}, "e: empty"},
	} {
		if got := c.s.String(); got != c.want {
			t.Errorf("%s", got)
		}
	}
}

func TestNatural(t *testing.T) {
	sorted := []string{"", "-1", "1", "02", "2", "9", "10", "a", "a/2", "a-b", "s1/2", "s1/10", "s2/1", "s10/1", "s10/1a"}
	want := strings.Join([]string{"", "-1", "1", "02", "2", "9", "10", "a", "a-b", "a/2", "s1/2", "s1/10", "s2/1", "s10/1", "s10/1a"}, " ")
	slices.Reverse(sorted)
	slices.SortFunc(sorted, natural)
	if got := strings.Join(sorted, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, a := range sorted {
		for _, b := range sorted {
			if natural(a, b) != -natural(b, a) || (natural(a, b) == 0) != (a == b) {
				t.Errorf("%q and %q", a, b)
			}
		}
	}
}

// columnsOf returns the matrix of so many rows whose columns lie one after the other.
func columnsOf(flat []float64, rows int) *mat.Dense {
	return mat.DenseCopyOf(mat.NewDense(len(flat)/rows, rows, flat).T())
}
