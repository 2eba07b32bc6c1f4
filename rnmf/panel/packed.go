package panel

import (
	"iter"
	"math"

	"gonum.org/v1/gonum/mat"
)

// packed is a matrix of which only the entries that are not 0 take memory: factors of sparse data have
// many zeros, and a fit keeps two W that it seldom needs.
type packed struct {
	rows, columns int
	marks         []uint64 // a bit for each entry, set where it is not 0
	values        []float64
}

// pack packs a matrix without gaps between its rows; nil stays nil.
func pack(v *mat.Dense) *packed {
	if v == nil {
		return nil
	}
	raw := v.RawMatrix()
	p := &packed{rows: raw.Rows, columns: raw.Cols, marks: make([]uint64, (len(raw.Data)+63)/64)}
	count := 0
	for i, x := range raw.Data {
		if math.Float64bits(x) != 0 {
			p.marks[i/64] |= 1 << (i % 64)
			count++
		}
	}
	p.values = make([]float64, 0, count)
	for _, x := range raw.Data {
		if math.Float64bits(x) != 0 {
			p.values = append(p.values, x)
		}
	}
	return p
}

// all yields all entries, row after row.
func (p *packed) all() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		k := 0
		for i := range p.rows * p.columns {
			var x float64
			if p.marks[i/64]>>(i%64)&1 != 0 {
				x = p.values[k]
				k++
			}
			if !yield(i, x) {
				return
			}
		}
	}
}

// dense returns the matrix, nil for nil.
func (p *packed) dense() *mat.Dense {
	if p == nil {
		return nil
	}
	v := make([]float64, p.rows*p.columns)
	for i, x := range p.all() {
		v[i] = x
	}
	return mat.NewDense(p.rows, p.columns, v)
}
