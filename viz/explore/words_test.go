package explore

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A share is 0 or 100 % only where it is none or all.
func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0 %", 1e-9: "0.1 %", 0.004: "0.4 %", 0.01: "1 %", 0.475: "48 %", 0.99: "99 %", 0.995: "99.5 %", 0.99999: "99.9 %", 1: "100 %"} {
		if got := percent(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
	x := mat.NewDense(100, 100, nil)
	for k := range 100 {
		x.Set(k, k*7%100, float64(k))
	}
	if _, reason := guessKind(&datasets.Set{X: x}); !strings.Contains(reason, "and 99.0 % of them are 0") {
		t.Error(reason)
	}
	x.Apply(func(i, j int, v float64) float64 {
		if k := 100*i + j; k >= 1999 {
			return float64(1 + k%50)
		}
		return 0
	}, x)
	if _, reason := guessKind(&datasets.Set{X: x}); !strings.Contains(reason, "only 19.9 % of them are 0, where counts have 20 % and more") {
		t.Error(reason)
	}
}

// One part is told in the singular, and nobody is advised to take fewer.
func TestOnePart(t *testing.T) {
	x := mat.NewDense(30, 40, nil) // single entries, which nobody can predict
	for k := range 60 {
		x.Set(k*7%30, k*11%40, float64(1+k%3))
	}
	for _, factor := range []float64{1, 1.5} { // counts, and measurements
		var y mat.Dense
		y.Scale(factor, x)
		a, err := Study{Rank: 1, Starts: 2, Loss: rnmf.Frobenius{}}.Run(t.Context(), &datasets.Set{X: &y})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := a.Report()
		if err != nil {
			t.Fatal(err)
		}
		var page strings.Builder
		if err := rep.WriteHTML(&page); err != nil {
			t.Fatal(err)
		}
		if len(a.Warnings) == 0 || math.IsNaN(a.HeldOut) {
			t.Errorf("%g, %q", a.HeldOut, a.Warnings)
		}
		for _, text := range []string{a.String(), page.String()} {
			for _, never := range []string{"1 parts", "take fewer (", "take fewer parts", "fewer parts ("} {
				if strings.Contains(text, never) {
					t.Errorf("%q in %q", never, a.Warnings)
				}
			}
		}
	}
}

// Channels of a spectrum have one unit, however much they differ, and negative ones may be noise. Columns that are
// counted tell nothing.
func TestStepsForSpectra(t *testing.T) {
	channels, counted := []string{}, []string{}
	x := mat.NewDense(6, 20, nil)
	for i := range 6 {
		channels, counted = append(channels, strconv.Itoa(400+5*i)), append(counted, strconv.Itoa(i))
		for j := range 20 {
			x.Set(i, j, math.Pow(10, float64(i))*float64(10+j))
		}
	}
	for _, c := range []struct {
		names      []string
		low        float64
		what, says string
	}{
		{channels, 10, "as it is", "400 to 425"},
		{channels, -1, "as it is", "noise around 0"},
		{channels, -1e6, "each feature", "negative"},
		{counted, 10, "each feature", "scales"},
		{counted, -1, "each feature", "negative"},
		{nil, 10, "each feature", "scales"},
	} {
		x.Set(0, 0, c.low)
		if _, choice, reason := stepsFor(&datasets.Set{X: x, Features: c.names}, Measurements); !strings.Contains(choice, c.what) || !strings.Contains(reason, c.says) {
			t.Errorf("%q from %g: %s, %s", c.names, c.low, choice, reason)
		}
	}
}

// Samples without any value are told, as they seem to fit, and are counted to no part.
func TestEmptySamples(t *testing.T) {
	s := datasets.Wine()
	s.X = mat.DenseCopyOf(s.X)
	m, n := s.Dims()
	for i := range m {
		s.X.Set(i, 7, 0)
		s.X.Set(i, 9, math.NaN())
	}
	a, err := Study{Rank: 2, Starts: 2, Loss: rnmf.Frobenius{}, Steps: []datasets.Preprocessor{}}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(a.Warnings, "\n"), "2 samples have no value but 0 or missing ones, so nothing of them can seem wrong: sample 7, sample 9") {
		t.Errorf("%q", a.Warnings)
	}
	if count := a.Parts[0].Samples + a.Parts[1].Samples; count != n-2 {
		t.Errorf("parts of %d samples, want %d", count, n-2)
	}
}

// A part belongs to one sample alone where it is the largest of no other, or has three quarters there; an empty sample
// has none.
func TestLoneParts(t *testing.T) {
	h := mat.NewDense(4, 60, nil)
	for j := range 60 {
		h.Set(0, j, 1)
	}
	h.Set(1, 5, 100)
	h.SetCol(8, []float64{0, 0.1, 0, 0}) // part 1 is the largest of it, too
	h.Set(2, 6, 7)
	h.SetCol(7, make([]float64, 4))
	w := mat.NewDense(3, 4, []float64{1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 3, 1})
	parts, samples := lone(&rnmf.Result{W: w, H: h})
	if !slices.Equal(parts, []int{1, 2}) || !slices.Equal(samples, []int{5, 6}) {
		t.Errorf("parts %v of samples %v", parts, samples)
	}
	h.SetCol(9, []float64{0, 50, 0, 0}) // a third of part 1
	if parts, samples = lone(&rnmf.Result{W: w, H: h}); !slices.Equal(parts, []int{2}) || !slices.Equal(samples, []int{6}) {
		t.Errorf("parts %v of samples %v", parts, samples)
	}
}
