package rnmf

// A Point is one line of a trace: where a fit stood after a round.
type Point struct {
	Round     int     // 0 is the start, before any update
	Seconds   float64 // spent in the algorithm alone: no trace, no display
	Objective float64 // at this round's scale, penalties included
	Scale     float64 // the loss's scale (Scale, Cut or Eps), 0 if it has none
	KKT       float64 // see Result.KKT; negative where it was not asked for
}

// A Trace is the history of a fit, one Point for each round.
type Trace []Point
