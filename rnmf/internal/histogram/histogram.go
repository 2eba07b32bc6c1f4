// Package histogram counts non-negative numbers in bins of 0.4 % that are the same for all data.
package histogram

import (
	"iter"
	"math"
)

// The first bits of a number, its exponent and eight of its mantissa, are its bin: non-negative floats
// are ordered like their bits. So counts of parts of the data merge without an agreement on the range,
// and the order of merging does not matter.
const (
	Shift   = 52 - 8 // bits that do not count
	PerTwo  = 1 << 8 // bins in an octave
	Octaves = 2047   // of finite numbers
)

// Counts are the numbers in all bins. An octave takes memory only once a number falls into it.
type Counts struct {
	Zeros  uint64 // and numbers below 2.3e-308
	Octave [Octaves]*[PerTwo]uint64
}

// A Bin is a bin that is not empty: Low ≤ v < High, or 0 alone.
type Bin struct {
	Low, High float64
	Count     uint64
}

// Of returns the bin of a positive number, empty.
func Of(v float64) Bin {
	bits := math.Float64bits(v) >> Shift
	return Bin{Low: math.Float64frombits(bits << Shift), High: math.Float64frombits((bits + 1) << Shift)}
}

// Middle is the middle of the bin.
func (b Bin) Middle() float64 { return 0.5*b.Low + 0.5*b.High }

// Add counts a number.
func (c *Counts) Add(v float64) { c.AddCount(v, 1) }

// AddCount counts a number several times. What is infinite goes to the last bin.
func (c *Counts) AddCount(v float64, count uint64) {
	bits := math.Float64bits(v) >> Shift
	o := bits / PerTwo
	switch {
	case v <= 0 || o == 0:
		c.Zeros += count
		return
	case o >= Octaves:
		o, bits = Octaves-1, PerTwo-1
	}
	if c.Octave[o] == nil {
		c.Octave[o] = new([PerTwo]uint64)
	}
	c.Octave[o][bits%PerTwo] += count
}

// Reset forgets all numbers, and keeps the memory for the next.
func (c *Counts) Reset() {
	c.Zeros = 0
	for _, bins := range c.Octave {
		if bins != nil {
			clear(bins[:])
		}
	}
}

// Merge adds other counts.
func (c *Counts) Merge(other *Counts) {
	c.Zeros += other.Zeros
	for o, bins := range other.Octave {
		if bins == nil {
			continue
		}
		if c.Octave[o] == nil {
			c.Octave[o] = new([PerTwo]uint64)
		}
		for i, n := range bins {
			c.Octave[o][i] += n
		}
	}
}

// Bins yields the bins that are not empty, ascending.
func (c *Counts) Bins() iter.Seq[Bin] {
	return func(yield func(Bin) bool) {
		if c.Zeros > 0 && !yield(Bin{Count: c.Zeros}) {
			return
		}
		for o, bins := range c.Octave {
			if bins == nil {
				continue
			}
			for i, n := range bins {
				bits := uint64(o)*PerTwo + uint64(i)
				if n > 0 && !yield(Bin{math.Float64frombits(bits << Shift), math.Float64frombits((bits + 1) << Shift), n}) {
					return
				}
			}
		}
	}
}

// Total is how many numbers were counted, and of these those that are not 0.
func (c *Counts) Total() (all, positive uint64) {
	for b := range c.Bins() {
		all += b.Count
		if b.Low > 0 {
			positive += b.Count
		}
	}
	return all, positive
}

// Median returns that of the numbers that are not 0, or 0 if there are none.
func (c *Counts) Median() float64 {
	_, positive := c.Total()
	rank := float64(positive) / 2
	for b := range c.Bins() {
		if b.Low == 0 {
			continue
		}
		if n := float64(b.Count); rank <= n {
			return b.Low + (b.High-b.Low)*rank/n
		}
		rank -= float64(b.Count)
	}
	return 0
}
