package explore

import (
	"math"
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
