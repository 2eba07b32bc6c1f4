package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
)

// What a report says of a sparse set it computes of stored values and of the factors, without WH.

// sizes finds factors that are not of the set.
func (r Report) sizes() error {
	if r.Result.W == nil || r.Result.H == nil {
		return fmt.Errorf("%w: the result has no W or no H", datasets.ErrParameter)
	}
	m, n := r.Set.Dims()
	rows, k := r.Result.W.Dims()
	parts, columns := r.Result.H.Dims()
	if rows != m || columns != n || parts != k {
		return fmt.Errorf("%w: W is %d×%d and H %d×%d, but the set has %d features and %d samples", datasets.ErrSize, rows, k, parts, columns, m, n)
	}
	return nil
}

// stored tells the values of a sample that are stored, and what the parts make of them.
func (r Report) stored(j int, tell func(i int, v, wh float64)) {
	x, h := r.Set.Sparse, mat.Col(nil, j, r.Result.H)
	for at := x.Start[j]; at < x.Start[j+1]; at++ {
		i, wh := int(x.Row[at]), 0.0
		for k, c := range h {
			wh += r.Result.W.At(i, k) * c
		}
		tell(i, x.Value[at], wh)
	}
}

// squares returns Σ‖x − Wh‖² and Σ‖x‖² over all samples, and tells those of each: by
// ‖x − Wh‖² = ‖x‖² − 2 xᵀWh + hᵀWᵀWh, which needs stored values alone.
func (r Report) squares(each func(j int, far, size float64)) (far, size float64) {
	var gram mat.Dense
	gram.Mul(r.Result.W.T(), r.Result.W)
	_, n := r.Set.Dims()
	for j := range n {
		h := r.Result.H.ColView(j)
		var own, cross float64
		r.stored(j, func(_ int, v, wh float64) { own, cross = own+v*v, cross+v*wh })
		rest := max(0, own-2*cross+mat.Inner(h, &gram, h))
		far, size = far+rest, size+own
		if each != nil {
			each(j, rest, own)
		}
	}
	return far, size
}

// Explained returns for each sample of a sparse set the share of its sum of squares that the parts
// explain, 1 − ‖x − Wh‖²/‖x‖²: 1 is all of it, and 0 no more than nothing does. It is 1 for a sample of
// zeros that the parts make zeros of, and negative where they make it worse. Errors are datasets.ErrSize for a set that
// is not sparse, and those of Parts.
func (r Report) Explained() ([]float64, error) {
	if _, err := r.check(); err != nil {
		return nil, err
	}
	if r.Set.Sparse == nil {
		return nil, fmt.Errorf("%w: %q is not sparse: see rnmf.Result.Outliers", datasets.ErrSize, r.Set.Name)
	}
	return r.explained(), nil
}

func (r Report) explained() []float64 {
	_, n := r.Set.Dims()
	of := make([]float64, n)
	r.squares(func(j int, far, size float64) {
		switch {
		case far == 0:
			of[j] = 1
		case size > 0:
			of[j] = 1 - far/size
		}
	})
	return of
}

// sparseRows is rows for a sparse set.
func (r Report) sparseRows() []row {
	of := r.explained()
	rows := make([]row, len(of))
	for j := range rows {
		type off struct {
			feature int
			size    float64
		}
		var all []off
		r.stored(j, func(i int, v, wh float64) { all = append(all, off{i, math.Abs(v - wh)}) })
		slices.SortStableFunc(all, func(a, b off) int { return cmp.Compare(b.size, a.size) })
		rows[j] = row{sample: j, weight: of[j], share: -1}
		for _, o := range all[:min(3, len(all))] {
			rows[j].off = append(rows[j].off, o.feature)
		}
	}
	return r.sorted(rows)
}

// measure names what samples are ordered by.
func (r Report) measure() string {
	if r.Set.Sparse != nil && r.Suspects == nil {
		return "explained"
	}
	return "weight"
}

// at returns an entry of the data.
func (r Report) at(i, j int) float64 {
	if r.Set.Sparse != nil {
		return r.Set.Sparse.At(i, j)
	}
	return r.Set.X.At(i, j)
}
