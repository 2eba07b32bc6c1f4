// Package drive decides what a fit does next, wherever its data are: whether the scale of the loss is
// estimated, how far factors are extrapolated, whether they are accepted, and whether the fit has
// converged. It has numbers alone, no data and no factors. A Driver leads a fit: rnmf.Model.Fit does
// what it says in memory, package panel in panels.
package drive

import (
	"iter"
	"math"
)

// A Scale is the schedule by which the scale of a loss is estimated. One that is estimated in every
// round for ever keeps the fit from extrapolating and from ending. So an estimate has a beginning, in
// which it is renewed in each round; a rest, in which the fit extrapolates and the time from one
// estimate to the next grows by half; and a last check, once the fit has converged.
type Scale struct {
	For         int  // rnmf.Model.TuneFor: the rounds with an estimate; 0 for this schedule, negative for all
	On          bool // there is an estimate to come
	Preliminary bool // the loss is a rnmf.Preliminary, which is tuned in every round
	At          int  // once the scale rests: the round of the next estimate
}

// The numbers of the schedule.
const (
	RestShare  = 0.02 // a change of the scale that is small enough to rest
	RestRound  = 8    // the last round of the beginning
	FixedShare = 0.01 // a change up to which a fit may end
)

// Due reports whether the scale is estimated before a round.
func (s Scale) Due(round int) bool {
	switch {
	case !s.On:
		return false
	case s.For < 0 || s.Preliminary:
		return true
	case s.For > 0:
		return round <= s.For
	}
	return round >= s.At
}

// Rests reports whether estimates have become rare: factors are extrapolated across them.
func (s Scale) Rests() bool { return s.At > 0 }

// Estimated sets the round of the next estimate after one for the given round. It asks whether the new
// scale is within RestShare of the one before only where that matters.
func (s *Scale) Estimated(round int, settled, preliminary bool, alike func() bool) {
	s.On, s.Preliminary = s.On && !settled, preliminary && !settled // what is settled is final
	if s.On && !s.Preliminary && s.For == 0 && (s.Rests() || round >= RestRound || alike()) {
		s.At = max(round+3, round*3/2)
	}
}

// ChecksAtEnd reports whether a fit may only end if its scale is a fixed point of its rule, within
// FixedShare.
func (s Scale) ChecksAtEnd() bool { return s.On && s.For == 0 }

// Alike reports whether the scales of two losses differ by at most a share, judged by the weights that
// they give to squared residuals, relative to that of a residual of 0.
func Alike(a, b interface {
	Rho(s float64) (value, slope float64)
}, squares iter.Seq2[float64, int], share float64) bool {
	_, mostA := a.Rho(0)
	_, mostB := b.Rho(0)
	weight := func(s float64) float64 {
		_, slope := a.Rho(s)
		return slope / mostA
	}
	ratio := (1 + share) * (1 + share)
	for v := range squares {
		_, slope := b.Rho(v)
		if w := slope / mostB; !(w >= weight(v*ratio)-1e-9 && w <= weight(v/ratio)+1e-9) {
			return false
		}
	}
	return true
}

// A Momentum extrapolates both factors, V ← max(0, V + β(V − V_before)), as in E-HALS (Ang and Gillis
// 2019): β grows by γ as long as the objective falls, and shrinks by η where it would have risen; a
// bound on β follows more slowly.
type Momentum struct {
	Beta, Bound float64
	Last        float64 // the β of the last extrapolation that was accepted
	Known       bool    // there are factors of the round before, to extrapolate from
	Tried       bool    // the factors at hand are extrapolated
}

// The parameters of Ang and Gillis.
const (
	firstBeta  = 0.5
	growBeta   = 1.05
	growBound  = 1.01
	shrinkBeta = 1.5
)

// Begin returns the β of a round, 0 if there is nothing to extrapolate from.
func (p *Momentum) Begin() (beta float64) {
	if p.Beta == 0 {
		p.Beta, p.Bound, p.Last = firstBeta, 1, firstBeta
	}
	if p.Tried = p.Known; p.Tried {
		beta = p.Beta
	}
	p.Known = true
	return beta
}

// Accepts reports whether extrapolated factors are kept. An extrapolation that gains next to nothing
// went too far, and must not end the fit.
func (p Momentum) Accepts(objective, before, tol float64) bool {
	return !p.Tried || objective <= before-max(tol, 1e-9)*math.Abs(before)
}

// Accepted is the momentum after factors were kept: the next extrapolation is longer.
func (p Momentum) Accepted() Momentum {
	if p.Tried {
		p.Last = p.Beta
		p.Bound = min(1, growBound*p.Bound)
		p.Beta = min(p.Bound, growBeta*p.Beta)
	}
	p.Tried = false
	return p
}

// Rejected is the momentum after factors were not kept: the next extrapolation is shorter.
func (p Momentum) Rejected() Momentum {
	p.Bound = p.Last
	p.Beta /= shrinkBeta
	p.Tried, p.Known = false, false
	return p
}

// maxFactor bounds the entries of factors: it is rnmf.MaxFactor, which solvers keep to as well.
const maxFactor = 1e120

// Extrapolate extrapolates v from the factor before, which becomes v as it was.
func Extrapolate(v, before []float64, beta float64) {
	for j, a := range v {
		v[j], before[j] = min(max(0, a+beta*(a-before[j])), maxFactor), a
	}
}
