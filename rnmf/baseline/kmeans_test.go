package baseline

import (
	"fmt"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

func TestKMeansScikitLearn(t *testing.T) {
	var g struct {
		KMeans []struct {
			X       [][]float64
			K       int
			Inertia float64
		}
	}
	testkit.Golden(t, "testdata/baselines.json", &g)
	for _, c := range g.KMeans {
		x := testkit.FromRows(c.X)
		before := mat.DenseCopyOf(x)
		got, err := KMeans{K: c.K, Restarts: 100}.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(x, before) {
			t.Error("k-means changed its input")
		}
		// The best of 100 starts here, of 300 there.
		if !testkit.Near(got.Inertia, c.Inertia, 1e-10) {
			t.Errorf("K = %d: inertia %.12g, want %.12g", c.K, got.Inertia, c.Inertia)
		}
	}
}

// What 0 stands for, and that another value makes a difference.
func TestKMeansDefaults(t *testing.T) {
	noise := testkit.Uniform(3, 90, 5) // many minima: the number of starts counts
	fit := func(k KMeans) *Clustering {
		k.K = 12
		c, err := k.Fit(t.Context(), noise)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, written := range []KMeans{{Restarts: 10}, {MaxIter: 300}} {
		if !reflect.DeepEqual(fit(KMeans{}), fit(written)) {
			t.Errorf("%+v is not the default", written)
		}
	}
	for _, other := range []KMeans{{Restarts: 1}, {MaxIter: 1}, {Seed: 1}} {
		if reflect.DeepEqual(fit(KMeans{}), fit(other)) {
			t.Errorf("%+v makes no difference", other)
		}
	}
}

func BenchmarkKMeans(b *testing.B) {
	for _, c := range []struct{ m, n, k int }{{1024, 400, 40}, {2576, 400, 40}, {320, 1404, 36}, {64, 1797, 10}, {1024, 1440, 20}, {16, 10992, 10}} {
		b.Run(fmt.Sprintf("%dx%d,K=%d", c.m, c.n, c.k), func(b *testing.B) {
			x := testkit.Falling(c.m, c.n, 0.8, 1)
			b.ResetTimer()
			for b.Loop() {
				if _, err := (KMeans{K: c.k}).Fit(b.Context(), x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
