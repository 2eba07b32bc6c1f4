package panel

import (
	"math"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A histogram counts non-negative numbers in bins of 0.4 %, which are the same for all data: the
// first bits of a number, its exponent and eight of its mantissa, are its bin. So counts of panels
// merge without an agreement on the range, and the order of merging does not matter. An octave
// takes memory only once a number falls into it.
type histogram struct {
	zeros   uint64
	octaves [2047]*[256]uint64
}

func (h *histogram) add(v float64) { h.addCount(v, 1) }

func (h *histogram) addCount(v float64, count uint64) {
	bits := math.Float64bits(v) >> 44
	o := bits >> 8
	switch {
	case v <= 0 || o == 0:
		h.zeros += count
		return
	case o >= uint64(len(h.octaves)): // an infinite square
		o, bits = uint64(len(h.octaves))-1, 255
	}
	if h.octaves[o] == nil {
		h.octaves[o] = new([256]uint64)
	}
	h.octaves[o][bits&255] += count
}

func (h *histogram) merge(other *histogram) {
	h.zeros += other.zeros
	for o, bins := range other.octaves {
		if bins == nil {
			continue
		}
		if h.octaves[o] == nil {
			h.octaves[o] = new([256]uint64)
		}
		for i, c := range bins {
			h.octaves[o][i] += c
		}
	}
}

// each calls visit for each bin that is not empty, ascending.
func (h *histogram) each(visit func(low, high float64, count uint64)) {
	if h.zeros > 0 {
		visit(0, 0, h.zeros)
	}
	for o, bins := range h.octaves {
		if bins == nil {
			continue
		}
		for i, c := range bins {
			if c > 0 {
				bits := uint64(o)<<8 | uint64(i)
				visit(math.Float64frombits(bits<<44), math.Float64frombits((bits+1)<<44), c)
			}
		}
	}
}

// count is how many numbers are positive.
func (h *histogram) count() (n uint64) {
	h.each(func(low, _ float64, c uint64) {
		if low > 0 {
			n += c
		}
	})
	return n
}

// median returns that of the positive numbers, 0 if there are none.
func (h *histogram) median() (half float64) {
	rank, found := float64(h.count())/2, false
	h.each(func(low, high float64, c uint64) {
		if low == 0 || found {
			return
		}
		if rank <= float64(c) {
			half, found = low+(high-low)*rank/float64(c), true
		}
		rank -= float64(c)
	})
	return half
}

// groups is into how many groups of equal size residuals turns the counts.
const groups = 1 << 14

// residuals returns the distribution for a Tuning: as many groups of about the same number of
// squares, in their order, each represented by its mean. So the mean is that of all squares, and
// quantiles are right within a group.
func (h *histogram) residuals() *rnmf.Residuals {
	var total uint64
	h.each(func(_, _ float64, c uint64) { total += c })
	if total == 0 {
		return rnmf.ResidualsOf(0)
	}
	size := (total + groups - 1) / groups
	room := total - (total-1)/size*size // the first group is the smaller one: means of the largest count most
	s := make([]float64, 0, (total+size-1)/size)
	var sum, filled float64
	h.each(func(low, high float64, c uint64) {
		middle := 0.5*low + 0.5*high
		for c > 0 {
			take := min(c, room)
			sum += middle * float64(take)
			filled += float64(take)
			c -= take
			if room -= take; room == 0 {
				s = append(s, sum/filled)
				sum, filled, room = 0, 0, size
			}
		}
	})
	return rnmf.ResidualsOf(s...)
}
