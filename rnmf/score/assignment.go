package score

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
)

// Assignment solves the assignment problem: it picks at most one column for each
// row, no column twice and as many pairs as the smaller side allows, so that
//
//	Σᵢ cost(i, π(i))
//
// is as small as possible, and returns π, with −1 for a row without a column.
// Costs may be negative: negate a profit to make it as large as possible. Of
// several optima it always takes the same one.
//
// It is the Hungarian algorithm in the form of shortest augmenting paths
// (Jonker and Volgenant 1987) and needs time O(a²b), a ≤ b being the sides.
func Assignment(cost mat.Matrix) ([]int, error) {
	c, err := input.Matrix("cost", cost)
	if err != nil {
		return nil, err
	}
	rows, cols := c.Dims()
	if rows <= cols {
		return assign(rows, cols, c.At), nil
	}
	column := assign(cols, rows, func(i, j int) float64 { return c.At(j, i) })
	pi := make([]int, rows)
	for i := range pi {
		pi[i] = -1
	}
	for j, i := range column {
		pi[i] = j
	}
	return pi, nil
}

// assign gives a column to each of the n ≤ m rows. It adds one row after the
// other, by the shortest path that ends in a free column, measured in reduced
// costs c(i, j) − u(i) − v(j) ≥ 0, which are 0 on the pairs chosen so far.
// Index 0 is a virtual column that the row to be added starts from.
func assign(n, m int, cost func(i, j int) float64) []int {
	u := make([]float64, n+1)
	v := make([]float64, m+1)
	row := make([]int, m+1)      // the row of a column, 0 if free; both count from 1
	before := make([]int, m+1)   // the column before this one on the shortest path
	dist := make([]float64, m+1) // of the columns not yet reached
	done := make([]bool, m+1)
	for i := 1; i <= n; i++ {
		row[0] = i
		for j := range dist {
			dist[j], done[j] = math.Inf(1), false
		}
		at := 0
		for row[at] != 0 {
			done[at] = true
			r, next, delta := row[at], 0, math.Inf(1)
			for j := 1; j <= m; j++ {
				if done[j] {
					continue
				}
				if d := cost(r-1, j-1) - u[r] - v[j]; d < dist[j] {
					dist[j], before[j] = d, at
				}
				if dist[j] < delta {
					delta, next = dist[j], j
				}
			}
			for j := range dist {
				if done[j] {
					u[row[j]] += delta
					v[j] -= delta
				} else {
					dist[j] -= delta
				}
			}
			at = next
		}
		for at != 0 {
			row[at] = row[before[at]]
			at = before[at]
		}
	}
	out := make([]int, n)
	for j := 1; j <= m; j++ {
		if row[j] > 0 {
			out[row[j]-1] = j - 1
		}
	}
	return out
}
