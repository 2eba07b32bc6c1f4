package panel

import (
	"iter"
	"math"
	"math/bits"

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
	for k := range p.marks {
		var mark uint64
		for i, x := range raw.Data[64*k : min(64*k+64, len(raw.Data))] {
			b := math.Float64bits(x)
			mark |= (b | -b) >> 63 << i // the first bit of b | −b is set unless b is 0
		}
		p.marks[k] = mark
		count += bits.OnesCount64(mark)
	}
	p.values = make([]float64, 0, count)
	for k, mark := range p.marks {
		for ; mark != 0; mark &= mark - 1 {
			p.values = append(p.values, raw.Data[64*k+bits.TrailingZeros64(mark)])
		}
	}
	return p
}

// blocks yields the entries, row after row, in blocks of 64 that share their memory, each with the
// number of its first entry.
func (p *packed) blocks() iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		var block [64]float64
		values, size := p.values, p.rows*p.columns
		for k, mark := range p.marks {
			clear(block[:])
			for ; mark != 0; mark &= mark - 1 {
				block[bits.TrailingZeros64(mark)] = values[0]
				values = values[1:]
			}
			if !yield(64*k, block[:min(64, size-64*k)]) {
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
	for first, block := range p.blocks() {
		copy(v[first:], block)
	}
	return mat.NewDense(p.rows, p.columns, v)
}
