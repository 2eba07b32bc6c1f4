package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func cars() *Set {
	return &Set{Name: "cars", X: mat.NewDense(3, 4, []float64{
		-2, 4, math.NaN(), 6,
		1000, 3000, 2000, 1000,
		5, 5, 5, 5,
	}), Samples: []string{"a", "b", "c", "d"}, Features: []string{"x", "weight", "same"}, Units: []string{"", "kg", "m"}}
}

// Each step does what it says, by hand.
func TestPrepareSteps(t *testing.T) {
	nan := math.NaN()
	l := math.Log1p
	for name, c := range map[string]struct {
		steps    []Preprocessor
		want     []float64 // in rows of four
		features string
	}{
		"nothing":   {nil, []float64{-2, 4, nan, 6, 1000, 3000, 2000, 1000, 5, 5, 5, 5}, "[x weight same]"},
		"largest":   {[]Preprocessor{ScaleFeatures{}}, []float64{-1. / 3, 2. / 3, nan, 1, 1. / 3, 1, 2. / 3, 1. / 3, 1, 1, 1, 1}, "[x weight same]"},
		"range":     {[]Preprocessor{ScaleFeatures{By: Range}}, []float64{0, 0.75, nan, 1, 0, 1, 0.5, 0, 0, 0, 0, 0}, "[x weight same]"},
		"deviation": {[]Preprocessor{MostVariable{Count: 1}, ScaleFeatures{By: Deviation}}, []float64{1000 / math.Sqrt(687500), 3000 / math.Sqrt(687500), 2000 / math.Sqrt(687500), 1000 / math.Sqrt(687500)}, "[weight]"},
		"shift":     {[]Preprocessor{ShiftFeatures{}}, []float64{0, 6, nan, 8, 1000, 3000, 2000, 1000, 5, 5, 5, 5}, "[x weight same]"},
		"split":     {[]Preprocessor{SplitSigns{}}, []float64{0, 4, nan, 6, 1000, 3000, 2000, 1000, 5, 5, 5, 5, 2, 0, nan, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "[x+ weight+ same+ x- weight- same-]"},
		"log":       {[]Preprocessor{ShiftFeatures{}, Log1p{}}, []float64{0, l(6), nan, l(8), l(1000), l(3000), l(2000), l(1000), l(5), l(5), l(5), l(5)}, "[x weight same]"},
		"sums":      {[]Preprocessor{MostVariable{Count: 2}, ShiftFeatures{}, SampleSums{To: 1}}, []float64{0, 6. / 3006, nan, 8. / 1008, 1, 3000. / 3006, 1, 1000. / 1008}, "[x weight]"},
		"median":    {[]Preprocessor{FillMissing{}}, []float64{-2, 4, 4, 6, 1000, 3000, 2000, 1000, 5, 5, 5, 5}, "[x weight same]"},
		"by mean":   {[]Preprocessor{ShiftFeatures{}, ScaleFeatures{By: Largest}, MostVariable{Count: 1, ByMean: true}}, []float64{0, 0.75, nan, 1}, "[x]"},
	} {
		s, p, err := Prepare(cars(), c.steps...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := mat.NewDense(len(c.want)/4, 4, c.want)
		if !nearly(s.X, want) || fmt.Sprint(s.Features) != c.features || fmt.Sprint(s.Samples) != "[a b c d]" {
			t.Errorf("%s:\n%v %q %q", name, mat.Formatted(s.X), s.Features, s.Samples)
		}
		// New data get the same; here the same data in another order.
		other, err := cars().Pick([]int{3, 1, 0, 2})
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.Apply(other)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if picked, err := s.Pick([]int{3, 1, 0, 2}); err != nil || !nearly(again.X, picked.X) || fmt.Sprint(again.Features) != c.features {
			t.Errorf("%s, again:\n%v", name, mat.Formatted(again.X))
		}
	}
}

// nearly compares with NaN as a value.
func nearly(a, b mat.Matrix) bool {
	m, n := a.Dims()
	if r, c := b.Dims(); r != m || c != n {
		return false
	}
	for i := range m {
		for j := range n {
			v, w := a.At(i, j), b.At(i, j)
			if math.IsNaN(v) != math.IsNaN(w) || math.Abs(v-w) > 1e-12*max(1, math.Abs(w)) {
				return false
			}
		}
	}
	return true
}

// Whatever is prepared comes back, in the features that were kept, and in their units.
func TestPrepareUndo(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	pool := []Preprocessor{Log1p{}, ScaleFeatures{}, ScaleFeatures{By: Range}, ScaleFeatures{By: Deviation}, ShiftFeatures{}, MostVariable{Count: 5}, MostVariable{Count: 3}, SplitSigns{}}
	undone := 0
	for trial := range 300 {
		m, n := 2+rnd.IntN(8), 1+rnd.IntN(6)
		s := &Set{X: mat.NewDense(m, n, nil)}
		for i := range m {
			s.Features, s.Units = append(s.Features, fmt.Sprint("f", i)), append(s.Units, fmt.Sprint("u", i))
			for j := range n {
				if s.X.Set(i, j, math.Exp(3*rnd.NormFloat64())); rnd.IntN(8) == 0 {
					s.X.Set(i, j, math.NaN())
				} else if rnd.IntN(8) == 0 {
					s.X.Set(i, j, -s.X.At(i, j))
				}
			}
		}
		before := mat.DenseCopyOf(s.X)
		var steps []Preprocessor
		for range rnd.IntN(5) {
			steps = append(steps, pool[rnd.IntN(len(pool))])
		}
		u, p, err := Prepare(s, steps...)
		if err != nil {
			if !errors.Is(err, ErrValue) && !errors.Is(err, ErrParameter) {
				t.Fatalf("trial %d: %v", trial, err)
			}
			continue
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var stored Preparation
		if err := json.Unmarshal(text, &stored); err != nil {
			t.Fatal(err)
		}
		back, err := stored.Undo(u.X)
		if err != nil {
			t.Fatalf("trial %d, %v: %v", trial, p, err)
		}
		var kept []int
		for _, name := range back.Features {
			var i int
			fmt.Sscanf(name, "f%d", &i)
			kept = append(kept, i)
		}
		want, err := s.PickFeatures(kept)
		if err != nil || !nearly(back.X, want.X) || fmt.Sprint(back.Units) != fmt.Sprint(want.Units) {
			t.Fatalf("trial %d, %v: %v\n%v\n%v", trial, p, err, mat.Formatted(back.X), mat.Formatted(want.X))
		}
		if !nearly(before, s.X) {
			t.Fatalf("trial %d: the data were changed", trial)
		}
		undone++
	}
	if undone < 150 {
		t.Errorf("only %d were prepared", undone)
	}
}

// Parts add up to what is above the offset.
func TestPrepareParts(t *testing.T) {
	s := cars()
	u, p, err := Prepare(s, ScaleFeatures{By: Range}, MostVariable{Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	if u.Units != nil {
		t.Errorf("prepared in %q", u.Units)
	}
	w := mat.NewDense(2, 2, []float64{1, 0, 0.5, 0.25})
	parts, err := p.Parts(w)
	if err != nil {
		t.Fatal(err)
	}
	if !nearly(parts.X, mat.NewDense(2, 2, []float64{8, 0, 1000, 500})) || fmt.Sprint(parts.Features, parts.Units) != "[x weight] [ kg]" {
		t.Errorf("%v %q %q", mat.Formatted(parts.X), parts.Features, parts.Units)
	}
	_, p, err = Prepare(s, ShiftFeatures{}, Log1p{}, ScaleFeatures{})
	if err != nil {
		t.Fatal(err)
	}
	parts, err = p.Parts(mat.NewDense(3, 1, []float64{1, 1, 0.5}))
	if err != nil || !nearly(parts.X, mat.NewDense(3, 1, []float64{math.Log1p(8), math.Log1p(3000), math.Log1p(5) / 2})) ||
		fmt.Sprint(parts.Units) != "[log(1 + x) log(1 + x / kg) log(1 + x / m)]" {
		t.Errorf("%v, %v", parts, err)
	}
	d := Digits()
	_, p, err = Prepare(d, ScaleFeatures{})
	if err != nil {
		t.Fatal(err)
	}
	if parts, err := p.Parts(d.X); err != nil || parts.Height != 8 || parts.Check() != nil {
		t.Errorf("%v, %v", parts, err)
	}
}

func TestPrepareErrors(t *testing.T) {
	for name, c := range map[string]struct {
		steps []Preprocessor
		want  error
		say   string
	}{
		"log of a negative":   {[]Preprocessor{Log1p{}}, ErrValue, "datasets.Log1p: datasets: value out of range: -2, x of a, has no log(1 + x): put ShiftFeatures or SplitSigns"},
		"sums of a negative":  {[]Preprocessor{SampleSums{}}, ErrValue, "-2, x of a, is negative"},
		"a sum":               {[]Preprocessor{ShiftFeatures{}, SampleSums{To: -1}}, ErrParameter, "-1"},
		"a measure":           {[]Preprocessor{ScaleFeatures{By: 9}}, ErrParameter, "ScaleFeatures.By is 9"},
		"no features":         {[]Preprocessor{MostVariable{}}, ErrParameter, "Count is 0"},
		"by a mean below 0":   {[]Preprocessor{ScaleFeatures{By: Range}, MostVariable{Count: 1, ByMean: true}}, nil, ""},
		"chosen after signs":  {[]Preprocessor{SplitSigns{}, MostVariable{Count: 1}}, ErrParameter, "before SplitSigns"},
		"split twice":         {[]Preprocessor{SplitSigns{}, SplitSigns{}}, ErrParameter, "before SplitSigns"},
		"nil":                 {[]Preprocessor{nil}, ErrParameter, "nil"},
		"chosen by a mean -8": {[]Preprocessor{negate{}, MostVariable{Count: 1, ByMean: true}}, ErrValue, "the mean of x"},
	} {
		_, _, err := Prepare(cars(), c.steps...)
		if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
	none := cars()
	for j := range 4 {
		none.X.Set(1, j, math.NaN())
	}
	if _, _, err := Prepare(none, FillMissing{}); !errors.Is(err, ErrValue) || !strings.Contains(err.Error(), "weight is missing in all samples") {
		t.Error(err)
	}
	if s, _, err := Prepare(none, ScaleFeatures{By: Deviation}, MostVariable{Count: 3}); err != nil || !math.IsNaN(s.X.At(1, 0)) {
		t.Errorf("%v, %v", s, err)
	}
	far := cars()
	far.X.Set(1, 1, math.Inf(1))
	if _, _, err := Prepare(far); !errors.Is(err, ErrValue) || !strings.Contains(err.Error(), "weight of b, is infinite") {
		t.Error(err)
	}
	if _, _, err := Prepare(&Set{}); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	far.X.Set(1, 1, 1.7e308)
	far.X.Set(1, 2, -1.7e308)
	if _, _, err := Prepare(far, ScaleFeatures{By: Range}); !errors.Is(err, ErrValue) {
		t.Error(err)
	}
	if s, _, err := Prepare(far, ScaleFeatures{By: Deviation}, MostVariable{Count: 1}); err != nil || s.Features[0] != "x" && s.Features[0] != "weight" {
		t.Errorf("%v, %v", s, err)
	}
	_, p, err := Prepare(cars(), ScaleFeatures{}, SplitSigns{})
	if err != nil {
		t.Fatal(err)
	}
	other := cars()
	other.Features = []string{"x", "same", "weight"}
	if _, err := p.Apply(other); !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), `feature 1 is "same", but was "weight"`) {
		t.Error(err)
	}
	if _, err := p.Apply(Digits()); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	if _, err := p.Undo(mat.NewDense(3, 1, nil)); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	if _, err := p.Undo(nil); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	if _, err := p.Undo(mat.NewDense(6, 1, []float64{1e308, 1e308, 1e308, 0, 0, 0})); !errors.Is(err, ErrValue) {
		t.Error(err)
	}
	// A record that is damaged is an error.
	for _, text := range []string{`{}`, `{"Rows":3,"Features":["x"]}`, `{"Rows":3,"Steps":[{"Scale":[1,1,1]}]}`, `{"Rows":3,"Steps":[{"Scale":[1,1],"Offset":[0,0]}]}`,
		`{"Rows":3,"Steps":[{"Scale":[1,0,1],"Offset":[0,0,0]}]}`, `{"Rows":3,"Steps":[{"Keep":[3]}]}`, `{"Rows":3,"Steps":[{"Keep":[]}]}`, `{"Rows":3,"Steps":[{"Split":true},{"Keep":[1]}]}`,
		`{"Rows":3,"Steps":[{"Sum":-1}]}`, `{"Rows":3,"Steps":[{"Fill":[1]}]}`} {
		var p Preparation
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Apply(cars()); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := p.Undo(mat.NewDense(3, 1, nil)); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// negate makes values negative.
type negate struct{}

func (negate) learn(s *Set) (Prepared, error) {
	m, _ := s.X.Dims()
	p := Prepared{Offset: make([]float64, m), Scale: make([]float64, m)}
	for i := range m {
		p.Offset[i], p.Scale[i] = 1e4, 1
	}
	return p, nil
}
