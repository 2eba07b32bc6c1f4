package cauchy

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// An Inside is a fit in two stages before one of its rounds, or at its end.
type Inside struct {
	Sigma, Cut    float64   // the scale of the errors, and the cut-off of the round that follows
	Good, Covered []float64 // the magnitudes of the errors, ascending
	Second        bool      // whether the round belongs to the second stage
}

// Look fits a model in two stages to x, of which mask marks the covered entries, and returns what it
// looked like before each round and at the end.
func Look(ctx context.Context, m rnmf.Model, x, mask *mat.Dense) (all []Inside, err error) {
	for step, err := range m.Steps(ctx, x) {
		if err != nil {
			return nil, err
		}
		r, in := step.Result(), Inside{}
		if l, ok := r.Loss.(rnmf.Truncated); ok { // that of the round that has just ended
			_, in.Second = l.Loss.(rnmf.Frobenius)
			in.Cut = l.Cut
			if len(all) > 0 {
				all[len(all)-1].Cut, all[len(all)-1].Second = in.Cut, in.Second
			}
		}
		var wh mat.Dense
		wh.Mul(r.W, r.H)
		var squares []float64
		for i, v := range x.RawMatrix().Data {
			e := math.Abs(v - wh.RawMatrix().Data[i])
			if v != 0 {
				squares = append(squares, e*e)
			}
			if mask.RawMatrix().Data[i] > 0 {
				in.Covered = append(in.Covered, e)
			} else {
				in.Good = append(in.Good, e)
			}
		}
		in.Sigma = rnmf.NewResiduals(squares...).Sigma()
		slices.Sort(in.Good)
		slices.Sort(in.Covered)
		all = append(all, in)
	}
	return all, nil
}

// Within returns the share of ascending magnitudes that are at most cut.
func Within(ascending []float64, cut float64) float64 {
	n, _ := slices.BinarySearch(ascending, math.Nextafter(cut, math.Inf(1)))
	return float64(n) / float64(len(ascending))
}

// Relabel lets chain mark the rows and columns of each image by turns, until none changes. z has 1 where a pixel is
// marked. gain is what marking a pixel costs by itself, and b what an edge between a marked and an unmarked pixel
// costs; chain is given what marking costs with the present labels on both sides of its line.
func Relabel(z, gain *mat.Dense, height, width int, b float64, chain func(gain []float64, b float64) []bool) {
	_, images := z.Dims()
	for j := range images {
		for turns, changed := 0, true; changed && turns < 50; turns++ {
			changed = false
			for _, l := range [2]struct{ lines, pitch, length, step int }{{height, width, width, 1}, {width, 1, height, width}} {
				for line := range l.lines {
					costs := make([]float64, l.length)
					for i := range costs {
						costs[i] = gain.At(line*l.pitch+i*l.step, j)
						for _, side := range [2]int{line - 1, line + 1} {
							if side >= 0 && side < l.lines {
								costs[i] += b * (1 - 2*z.At(side*l.pitch+i*l.step, j))
							}
						}
					}
					for i, marked := range chain(costs, b) {
						at, label := line*l.pitch+i*l.step, 0.0
						if marked {
							label = 1
						}
						changed = changed || z.At(at, j) != label
						z.Set(at, j, label)
					}
				}
			}
		}
	}
}
