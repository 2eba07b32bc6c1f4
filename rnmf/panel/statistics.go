package panel

import (
	"fmt"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
)

// Statistics are what a panel contributes to a round: sums over its columns. Those of several
// panels add up to those of all; floating-point sums are taken in the order in which they are
// merged, so always merge in the order of panels.
type Statistics struct {
	m, r    int
	entries bool // P, γ and D instead of XDHᵀ
	linear  bool // cross has the whole linear term of the bound: see surrogate; stored in Coefficients alone

	of        stamp
	samples   uint64
	objective float64   // of the factors that came
	cross     []float64 // m×r: XDHᵀ, or P = (Ω∘E)Hᵀ
	gram      []float64 // r×r: HDHᵀ, or HHᵀ
	gamma     []float64 // m: Σ_j ω_ij ‖h_j‖²
	bound     []float64 // m×r: Σ_j ω_ij h_kj Σ_l x_l h_lj; of counts Σ_j (ω_ij − ω₀d_j) h_kj, or nil
	sums      []float64 // r, of counts: Σ_j ω₀d_j h_kj; then cross is Σ_j ω_ij (x_ij/y_ij) h_kj
	moved     []float64 // squared change of H by each sweep
	moves     moves
	residuals *histogram.Counts // of squares; nil if not asked for
}

// moves says whether the half-step has changed H, and whether its extrapolation has.
type moves struct{ step, extrapolated bool }

// Samples returns the number of columns that were summed over.
func (s *Statistics) Samples() int { return int(s.samples) }

// Objective returns the loss of these columns, at the factors with which the round began.
func (s *Statistics) Objective() float64 { return s.objective }

// Merge adds the sums of the columns that follow those of s, which may be the zero value. The error
// is rnmf.ErrEmpty for statistics of nothing, rnmf.ErrShape for those of another shape or kind, and
// rnmf.ErrParameter for those of other columns, of another fit or of another round.
func (s *Statistics) Merge(o *Statistics) error {
	if o == nil || o.samples == 0 {
		return fmt.Errorf("%w: statistics of no samples", rnmf.ErrEmpty)
	}
	if s.samples == 0 && s.m == 0 {
		*s = Statistics{of: o.of, m: o.m, r: o.r, entries: o.entries}
	}
	next := stamp{s.of.fit, s.of.generation, s.of.from + int(s.samples)}
	if err := o.of.is(next, "statistics"); err != nil {
		return err
	}
	if s.m != o.m || s.r != o.r || s.entries != o.entries {
		return fmt.Errorf("%w: statistics for W of %d×%d cannot be merged with those for W of %d×%d, or of another kind of loss", rnmf.ErrShape, s.m, s.r, o.m, o.r)
	}
	s.samples += o.samples
	s.objective += o.objective
	s.moves.step, s.moves.extrapolated = s.moves.step || o.moves.step, s.moves.extrapolated || o.moves.extrapolated
	for _, p := range []struct {
		to   *[]float64
		from []float64
	}{{&s.cross, o.cross}, {&s.gram, o.gram}, {&s.gamma, o.gamma}, {&s.bound, o.bound}, {&s.sums, o.sums}, {&s.moved, o.moved}} {
		if len(*p.to) == 0 && len(p.from) > 0 {
			*p.to = make([]float64, len(p.from))
		}
		for i, v := range p.from {
			(*p.to)[i] += v
		}
	}
	if o.residuals != nil {
		if s.residuals == nil {
			s.residuals = new(histogram.Counts)
		}
		s.residuals.Merge(o.residuals)
	}
	return nil
}

// scale multiplies all sums that the W half-step needs, and takes away what has another meaning.
func (s *Statistics) scale(by float64) {
	for _, v := range [][]float64{s.cross, s.gram, s.gamma, s.bound, s.sums} {
		for i := range v {
			v[i] *= by
		}
	}
}

// MarshalBinary returns the statistics in a versioned form with a checksum.
func (s *Statistics) MarshalBinary() ([]byte, error) {
	e := new(encoder)
	e.put(s)
	return e.seal(kindStatistics), nil
}

// UnmarshalBinary reads what MarshalBinary has written. The error is rnmf.ErrFormat.
func (s *Statistics) UnmarshalBinary(b []byte) error {
	d, err := open(b, kindStatistics)
	if err != nil {
		return err
	}
	read := d.statistics()
	if err := d.end(); err != nil {
		return err
	}
	*s = *read
	return nil
}

func (e *encoder) put(s *Statistics) {
	e.stamp(s.of)
	e.int(s.m)
	e.int(s.r)
	e.bool(s.entries)
	e.uint(s.samples)
	e.float(s.objective)
	for _, v := range [][]float64{s.cross, s.gram, s.gamma, s.bound, s.sums, s.moved} {
		e.floats(v)
	}
	e.moves(s.moves)
	e.bool(s.residuals != nil)
	if s.residuals != nil {
		e.histogram(s.residuals)
	}
}

func (d *decoder) statistics() *Statistics {
	s := &Statistics{of: d.stamp(), m: d.int(), r: d.int(), entries: d.bool(), samples: d.uint(), objective: d.float(),
		cross: d.floats(), gram: d.floats(), gamma: d.floats(), bound: d.floats(), sums: d.floats(), moved: d.floats(), moves: d.moves()}
	if d.bool() {
		s.residuals = d.histogram()
	}
	fits := func(v []float64, n int) bool { return len(v) == 0 || len(v) == n }
	if d.err == nil && (s.m < 0 || s.r < 0 || !fits(s.cross, s.m*s.r) || !fits(s.gram, s.r*s.r) || !fits(s.gamma, s.m) || !fits(s.bound, s.m*s.r) || !fits(s.sums, s.r)) {
		d.err = fmt.Errorf("%w: statistics whose parts do not fit together", rnmf.ErrFormat)
	}
	return s
}

func (e *encoder) moves(v moves) {
	e.bool(v.step)
	e.bool(v.extrapolated)
}

func (d *decoder) moves() moves { return moves{step: d.bool(), extrapolated: d.bool()} }
