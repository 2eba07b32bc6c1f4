package printed

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// Divergence is CNMF by the generalised Kullback-Leibler divergence, the second of the two
// formulations of Liu, Wu, Li, Cai and Huang (2012). All labelled samples of a class share
// their coefficients, H = ZA with A of zeros and ones as in papers.CNMF (RSS-NMF paper, (6)):
//
//	D = Σ x log(x/y) − x + y,   Y = WZA
//	w_ik ← w_ik Σ_j (x_ij/y_ij) h_kj / Σ_j h_kj
//	z_kc ← z_kc Σ_{j of c} Σ_i w_ik x_ij/y_ij / (n_c Σ_i w_ik)
//
// with c a class of n_c labelled samples, or one sample without a label. These are Lee and
// Seung's updates under a linear constraint; neither raises D. Entries of X that are 0 count
// as y. Errors of single pixels weigh less than by squares, but without bound all the same.
type Divergence struct {
	Start
	Labels rnmf.Labels
}

// Fit factorises x.
func (s Divergence) Fit(ctx context.Context, x mat.Matrix) (*rnmf.Result, error) {
	f, err := s.begin(ctx, x)
	if err != nil {
		return nil, err
	}
	_, n := f.x.Dims()
	if len(s.Labels.Class) != n {
		return nil, fmt.Errorf("%w: %d classes of %d samples", rnmf.ErrLabels, len(s.Labels.Class), n)
	}
	// column[j] is the column of Z that sample j has.
	column, place, columns := make([]int, n), map[int]int{}, 0
	for j, c := range s.Labels.Class {
		if c < rnmf.Unlabelled || c >= n {
			return nil, fmt.Errorf("%w: Class[%d] is %d, want %d to %d", rnmf.ErrLabels, j, c, rnmf.Unlabelled, n-1)
		}
		at, known := place[c]
		if c == rnmf.Unlabelled || !known {
			at = columns
			columns++
			if c != rnmf.Unlabelled {
				place[c] = at
			}
		}
		column[j] = at
	}
	size := make([]float64, columns)
	for _, c := range column {
		size[c]++
	}
	z := mat.NewDense(s.Rank, columns, nil) // begins with the means of the start
	for j, c := range column {
		for k := range s.Rank {
			z.Set(k, c, z.At(k, c)+f.h.At(k, j)/size[c])
		}
	}
	spread := func() {
		for k := range s.Rank {
			row := f.h.RawRowView(k)
			for j, c := range column {
				row[j] = z.At(k, c)
			}
		}
	}
	spread()
	ratio := func() *mat.Dense { // X ⊘ WH, where X is not 0
		y := product(f.w, f.h)
		y.Apply(func(i, j int, v float64) float64 {
			if a := f.x.At(i, j); a > 0 {
				return a / max(v, 1e-300)
			}
			return 0
		}, y)
		return y
	}
	return s.run(ctx, f, func() float64 { return divergence(f.x, product(f.w, f.h)) }, func() error {
		num := product(ratio(), f.h.T())
		for k := range s.Rank {
			if sum := mat.Sum(f.h.RowView(k)); sum > 0 {
				for i := range num.RawMatrix().Rows {
					f.w.Set(i, k, f.w.At(i, k)*num.At(i, k)/sum)
				}
			}
		}
		num = product(f.w.T(), ratio())
		gathered := mat.NewDense(s.Rank, columns, nil)
		for k := range s.Rank {
			for j, c := range column {
				gathered.Set(k, c, gathered.At(k, c)+num.At(k, j))
			}
			if sum := mat.Sum(f.w.ColView(k)); sum > 0 {
				for c := range columns {
					z.Set(k, c, z.At(k, c)*gathered.At(k, c)/(size[c]*sum))
				}
			}
		}
		spread()
		return nil
	})
}

// divergence is D.
func divergence(x, y *mat.Dense) (sum float64) {
	m, n := x.Dims()
	for i := range m {
		for j := range n {
			a, b := x.At(i, j), max(y.At(i, j), 1e-300)
			sum += b - a
			if a > 0 {
				sum += a * math.Log(a/b)
			}
		}
	}
	return sum
}
