package score

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

// matched checks that pi is a matching as large as possible and returns its cost.
func matched(t *testing.T, cost *mat.Dense, pi []int) float64 {
	t.Helper()
	rows, cols := cost.Dims()
	if len(pi) != rows {
		t.Fatalf("%d rows matched of %d", len(pi), rows)
	}
	used := make(map[int]bool)
	var total float64
	for i, j := range pi {
		if j < 0 {
			continue
		}
		if used[j] {
			t.Fatalf("column %d is used twice", j)
		}
		used[j] = true
		total += cost.At(i, j)
	}
	if len(used) != min(rows, cols) {
		t.Fatalf("%d pairs of %d×%d", len(used), rows, cols)
	}
	return total
}

func TestAssignmentSciPy(t *testing.T) {
	var g struct {
		Cases []struct {
			Cost  [][]float64
			Pi    []int
			Total float64
		}
	}
	testkit.Golden(t, "testdata/match.json", &g)
	for n, c := range g.Cases {
		cost := testkit.FromRows(c.Cost)
		pi, err := Assignment(cost)
		if err != nil {
			t.Fatal(err)
		}
		if got := matched(t, cost, pi); !testkit.Near(got, c.Total, 1e-12) {
			t.Errorf("case %d: cost %g, want %g", n, got, c.Total)
		}
		for i := range pi {
			if pi[i] != c.Pi[i] {
				t.Errorf("case %d: row %d to %d, want %d", n, i, pi[i], c.Pi[i])
			}
		}
	}
}

// cheapest tries all matchings of the rows from i on, skipping some if need be.
func cheapest(cost *mat.Dense, i, skips int, used []bool) float64 {
	rows, cols := cost.Dims()
	if i == rows {
		return 0
	}
	best := math.Inf(1)
	if skips > 0 {
		best = cheapest(cost, i+1, skips-1, used)
	}
	for j := range cols {
		if !used[j] {
			used[j] = true
			best = min(best, cost.At(i, j)+cheapest(cost, i+1, skips, used))
			used[j] = false
		}
	}
	return best
}

func TestAssignmentBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		rows, cols := 1+rng.IntN(7), 1+rng.IntN(7)
		cost := mat.NewDense(rows, cols, nil)
		for i := range rows {
			for j := range cols {
				cost.Set(i, j, float64(rng.IntN(9)-4)) // many ties
			}
		}
		pi, err := Assignment(cost)
		if err != nil {
			t.Fatal(err)
		}
		want := cheapest(cost, 0, max(rows-cols, 0), make([]bool, cols))
		if got := matched(t, cost, pi); got != want {
			t.Fatalf("cost %g, want %g for\n%v", got, want, mat.Formatted(cost))
		}
	}
}

func TestAssignmentErrors(t *testing.T) {
	if _, err := Assignment(&mat.Dense{}); !errors.Is(err, rnmf.ErrEmpty) {
		t.Error(err)
	}
	if _, err := Assignment(mat.NewDense(1, 2, []float64{0, math.NaN()})); !errors.Is(err, rnmf.ErrNotFinite) {
		t.Error(err)
	}
}

func BenchmarkAssignment(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	cost := mat.NewDense(100, 100, nil)
	for i := range 100 {
		for j := range 100 {
			cost.Set(i, j, rng.Float64())
		}
	}
	for b.Loop() {
		if _, err := Assignment(cost); err != nil {
			b.Fatal(err)
		}
	}
}
