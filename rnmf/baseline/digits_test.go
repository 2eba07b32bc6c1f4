package baseline_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

// TestBaselinesOnDigits compares PCA and k-means on real data with
// scikit-learn's, the latter with the lowest inertia of 300 starts.
func TestBaselinesOnDigits(t *testing.T) {
	if testing.Short() {
		t.Skip("a second, and half a minute under the race detector")
	}
	var g struct {
		Digits struct {
			Variance []float64
			Total    float64
			Inertia  map[string]float64
		}
	}
	testkit.Golden(t, "testdata/baselines.json", &g)
	x := datasets.Digits().X
	p, err := baseline.PCA(t.Context(), x, len(g.Digits.Variance))
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range g.Digits.Variance {
		if math.Abs(p.Variance[k]-want) > 1e-9*want {
			t.Errorf("variance %d is %.12g, want %.12g", k, p.Variance[k], want)
		}
	}
	if math.Abs(p.Total-g.Digits.Total) > 1e-9*p.Total {
		t.Errorf("total variance %.12g, want %.12g", p.Total, g.Digits.Total)
	}
	for name, want := range g.Digits.Inertia {
		k, err := strconv.Atoi(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := baseline.KMeans{K: k, Restarts: 40}.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if c.Inertia > 1.01*want || c.Inertia < want*(1-1e-3) {
			t.Errorf("K = %d: inertia %.0f of 40 starts, scikit-learn's best of 300 is %.0f", k, c.Inertia, want)
		}
	}
}
