package rnmf

// TwoStage is an MM-estimator (Yohai 1987): First, whose scale is so tight that
// many outliers cannot enter, finds a fit and the size of its residuals; from
// there Then, wide enough to use nearly all of what is good, goes on at that
// size, which stays. One loss cannot do both: what is tight throws good entries
// away and leaves the factors rough, and what is wide fits the outliers when it
// begins far from the data. As the second scale is fixed, the objective never
// rises again.
//
// First ends when a round has lowered the median residual by less than 1 %, or
// when it is a fiftieth of what it was at the start: in data without noise the
// scale would otherwise run ahead of the fit, and lock out good entries.
//
// The First of the zero value begins tighter than it goes on: five rounds with a
// cut-off of two standard deviations. Where two fifths of the data are outliers
// the median residual of the start is nearly theirs, and three would let them in.
type TwoStage struct {
	First Loss // nil: Truncated{Loss: Cauchy{}, Rule: NormalThreeSigma}, begun tighter
	Then  Loss // nil: Truncated{Loss: Frobenius{}, Rule: NormalThreeSigma}

	now           Loss // one of them, at the scale of the round
	start, median float64
	tight         int // rounds that are still to be cut tighter
	then          bool
}

var _ Weigher = TwoStage{}

// Rho is that of the stage reached.
func (l TwoStage) Rho(s float64) (value, slope float64) { return l.stage().Rho(s) }

func (l TwoStage) check() error {
	for _, stage := range []struct {
		name string
		loss Loss
	}{{"TwoStage.First", l.First}, {"TwoStage.Then", l.Then}} {
		if stage.loss != nil {
			if err := checkInner(stage.name, stage.loss); err != nil {
				return err
			}
		}
	}
	return nil
}

// Weigh is that of the stage reached.
func (l TwoStage) Weigh(omega, value, e []float64) { weightsAndValues(l.stage(), omega, value, e) }

// ScaleNow is the scale of the stage reached.
func (l TwoStage) ScaleNow() float64 { return scaleNow(l.stage()) }

func (l TwoStage) stage() Loss {
	switch {
	case l.now != nil:
		return l.now
	case l.First != nil:
		return l.First
	}
	return Truncated{Loss: Cauchy{}, Rule: NormalThreeSigma}
}

// Tune tunes the first stage, or changes to the second.
func (l TwoStage) Tune(s *Residuals) Loss {
	if l.then {
		return l
	}
	before := l.median
	l.median = typical(s)
	if l.now == nil {
		l.start = l.median
		l.now = l.stage()
		if l.First == nil {
			l.tight = tightRounds
		}
	} else if l.tight == 0 {
		low := 0.02 * l.start
		l.then = l.median <= before && l.median > 0.99*before || l.median < low
		if l.then && l.median < low {
			s = ResidualsOf(low * low)
		}
	}
	if l.then {
		if l.now = l.Then; l.now == nil {
			l.now = Truncated{Loss: Frobenius{}, Rule: NormalThreeSigma}
		}
	}
	if t, ok := l.now.(Tuner); ok {
		l.now = t.Tune(s)
	}
	if l.then {
		l.now = freeze(l.now)
	}
	if l.tight > 0 {
		l.tight--
		t := l.now.(Truncated)
		t.Cut = max(t.Cut*2/3, leastScale)
		l.now = t
	}
	return l
}

// tightRounds is how long the zero value cuts off at two deviations, not three.
const tightRounds = 5

// RobustNMF is no paper's, but what this package recommends where some entries
// are grossly wrong: a tight truncated Cauchy loss until its scale settles, then
// least squares on what lies within three standard deviations of that. Small data
// that are nearly of that rank can lock it in from one start or another (notebook
// 02, section 5).
func RobustNMF(rank int) Model { return Model{Rank: rank, Loss: TwoStage{}} }
