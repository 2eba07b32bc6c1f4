package rnmf

import "math"

// A Point is one line of a trace: where a fit stood after a round.
type Point struct {
	Round     int     // 0 is the start, before any update
	Seconds   float64 // spent in the algorithm alone: no trace, no display
	Objective float64 // at this round's scale, penalties included
	Scale     float64 // the loss's scale (Scale, Cut or Eps), 0 if it has none; that within Truncated and CellCase, whose own Cut and Eps change, too
	KKT       float64 // see Result.KKT; negative where it was not asked for
}

// A Trace is the history of a fit, one Point for every TraceEvery rounds.
type Trace []Point

// Settled is the stopping rule (16) of the Truncated Cauchy paper,
//
//	|F_t − F_{t−1}| ≤ tol·|F_0 − F_t|:
//
// the last round is small compared with the whole way, which unlike Model.Tol does not depend on
// how low the objective can get. Use it in the body of a loop over Steps. As printed it also
// compares objectives at different scales of the loss, where these are estimated (see TuneFor).
func (t Trace) Settled(tol float64) bool {
	n := len(t)
	if n < 2 {
		return false
	}
	now := t[n-1].Objective
	rounds := float64(t[n-1].Round - t[n-2].Round)
	return math.Abs(now-t[n-2].Objective) <= rounds*tol*math.Abs(t[0].Objective-now)
}
