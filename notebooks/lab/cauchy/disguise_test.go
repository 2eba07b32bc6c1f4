package cauchy

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

// lit makes faces of 32×32 of some persons: a stripe in a place of their own, under lights
// that come more and more from the left.
func lit(persons int) *datasets.Set {
	const each = 22
	s := &datasets.Set{X: mat.NewDense(1024, persons*each, nil), Height: 32, Width: 32, Max: 1}
	for p := range persons {
		s.Classes = append(s.Classes, fmt.Sprint(p))
		for k := range each {
			for i := range 1024 {
				v := 0.5 - 0.01*float64(k)*float64(i%32)/32
				if i/32 == 14+2*p {
					v += 0.4
				}
				s.X.Set(i, p*each+k, v)
			}
			s.Labels = append(s.Labels, p)
		}
	}
	return s
}

// Each person has the same conditions in both sessions, side light is that which is not
// even, and what is covered is covered.
func TestDisguise(t *testing.T) {
	faces := lit(3)
	before := mat.DenseCopyOf(faces.X)
	d, err := Disguise(faces, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(before, faces.X) {
		t.Error("the faces are changed")
	}
	type place struct {
		person, condition int
		second            bool
	}
	count := map[place]int{}
	for j, c := range d.Condition {
		count[place{d.Labels[j], c, d.Second[j]}]++
		left, right := d.X.At(12*32, j), d.X.At(12*32+31, j)
		if side := left-right > 0.154; c != 3 && c != 4 && side != (c == 2) {
			t.Errorf("%s: %g on the left, %g on the right", Conditions[c], left, right)
		}
		if lens := d.X.At(8*32+7, j); (lens <= 0.1) != (c == 4) {
			t.Errorf("%s: a lens of %g", Conditions[c], lens)
		}
		if row := d.X.RawRowView(0)[j]; math.Abs(row-0.5) > 1e-12 {
			t.Errorf("%s: the forehead is %g", Conditions[c], row)
		}
	}
	for p := range 3 {
		for c, want := range []int{2, 0, 3, 3, 3} {
			for _, second := range []bool{false, true} {
				if got := count[place{p, c, second}]; got != want {
					t.Errorf("person %d has %d %s, want %d", p, got, Conditions[c], want)
				}
			}
		}
	}
	again, err := Disguise(faces, 1)
	if err != nil || !mat.Equal(again.X, d.X) {
		t.Errorf("the same seed gives other images: %v", err)
	}
	if few, err := faces.Pick([]int{0, 1, 2, 30, 31, 50}); err != nil {
		t.Error(err)
	} else if _, err := Disguise(few, 1); err == nil {
		t.Error("few images of a person")
	}
}

// AR's numbers of images are conditions.
func TestOfAR(t *testing.T) {
	s := &datasets.Set{X: mat.NewDense(4, 52, nil), Height: 2, Width: 2, Max: 255, Classes: []string{"m-001", "w-001"}}
	for j := range 52 {
		s.Labels = append(s.Labels, j/26)
	}
	d, err := OfAR(s)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range map[int]int{0: 0, 3: 1, 6: 2, 7: 4, 9: 4, 10: 3, 12: 3, 13: 0, 38: 3, 51: 3} {
		if d.Condition[j] != want || d.Second[j] != (j%26 >= 13) {
			t.Errorf("image %d: %s, second session %v", j+1, Conditions[d.Condition[j]], d.Second[j])
		}
	}
	s.Labels[30] = 0
	if _, err := OfAR(s); err == nil {
		t.Error("27 images of a person")
	}
}

// disguised checks that a table has all experiments once for so many trials.
func disguised(t *testing.T, all stored.Table, persons, most, trials int) {
	t.Helper()
	want := 1 // SEC, which has one trial
	for _, r := range disguiseRivals() {
		for k := 1; k <= most; k++ {
			experiment, level := "clusters", k
			if k == 1 {
				experiment, level = "recognition", persons
			}
			rows := all.Where("experiment", experiment, "k", fmt.Sprint(level), "model", r.Name)
			if len(rows) != trials || len(rows.Different("trial")) != trials {
				t.Errorf("%s, k = %d, %s: %d rows, want %d", experiment, level, r.Name, len(rows), trials)
			}
			want += trials
		}
	}
	if len(all) != want {
		t.Errorf("%d rows, want %d", len(all), want)
	}
	for _, r := range all {
		for _, name := range append([]string{"accuracy", "nmi"}, Conditions...) {
			recognition := r.Text("experiment") == "recognition"
			there := name == "accuracy" || recognition == (name != "nmi") && name != "expressions"
			if v := r.Number(name); v < 0 || v > 1 || math.IsNaN(v) == there {
				t.Errorf("%s: %v", name, r)
			}
		}
	}
}

func TestDisguiseResults(t *testing.T) {
	all := DisguiseResults()
	disguised(t, all, 38, 10, 10)
}

func TestDisguiseStore(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of a small experiment")
	}
	d, err := Disguise(lit(3), 1)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "disguise.csv")
	var texts [2]string
	for i := range texts {
		if err := d.store(t.Context(), stored.Trials{Count: 2, Out: out}, "", 10, 3); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Error("a second run writes another file")
	}
	disguised(t, stored.Parse(texts[0]), 3, 3, 2)
}

// The run with real occlusions stores weights and clusters of each model, with shares from 0 to 1.
func TestStoreOcclusion(t *testing.T) {
	s, err := datasets.Fashion().Sample(13, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.Scaled().Shrink(7, 7); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "occlusion.csv")
	if err := storeOcclusion(t.Context(), stored.Trials{Count: 1, Out: out}, s, 3, 2); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	all, models := stored.Parse(string(text)), len(disguiseRivals())
	if got, want := len(all), (models-1)+2*models; got != want {
		t.Errorf("%d rows, want %d", got, want)
	}
	for _, r := range all {
		if none := r.Text("model") == "k-means"; none != (r.Text("rounds") == "0") || !none && r.Text("rounds") != "2" {
			t.Errorf("%v: rounds", r)
		}
		for _, column := range []string{"accuracy", "sunglasses", "eyes", "scarves", "mouths"} {
			here := (column == "accuracy") == (r.Text("experiment") == "clusters")
			if v := r.Number(column); here && !(v >= 0 && v <= 1) || !here && !math.IsNaN(v) {
				t.Errorf("%v: %s is %g", r, column, v)
			}
		}
	}
}
