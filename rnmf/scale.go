package rnmf

import "math"

// A Tuner is a Loss that estimates its scale from the data. Tune gets the
// distribution of the squared residuals (of entries of X that are not 0, see
// Residuals, or of columns under ByColumn) and returns a loss with that scale
// fixed. The engine calls Tune at the start of each round, on what Tune returned
// before, and the objective of the round is that of the returned loss.
type Tuner interface {
	Loss
	Tune(s *Residuals) Loss
}

// A Scaled loss can tell its scale, for the trace.
type Scaled interface {
	ScaleNow() float64
}

// OutlierRule says from where on residuals count as outliers.
type OutlierRule int

const (
	// ThreeSigma is the rule of the Truncated Cauchy paper, section 3.3: mean
	// plus three standard deviations of those magnitudes that do not exceed
	// their median. On pure Gaussian noise it marks 36.6 % of all entries.
	ThreeSigma OutlierRule = iota
	// NormalThreeSigma is three standard deviations of a normal distribution
	// with the same median magnitude, 3·1.4826·median: 0.27 % of Gaussian noise.
	NormalThreeSigma
)

// madToSigma is 1/Φ⁻¹(¾): the standard deviation of a normal distribution over
// the median of its magnitudes.
const madToSigma = 1.4826022185056018

// Tune sets Eps, once. A smaller one makes the weights of fitted entries so
// large that they hold the factors where they are: on ORL faces with salt &
// pepper, 60 rounds with this one end at a lower L1 norm than with less.
func (l L1) Tune(s *Residuals) Loss {
	if l.Eps == 0 {
		l.Eps = max(0.05*typical(s), leastScale)
	}
	return l
}

// Tune sets Cut to the median of |e|.
func (l Huber) Tune(s *Residuals) Loss {
	if l.Cut == 0 || l.auto {
		l.Cut, l.auto = typical(s), true
	}
	return l
}

// Tune sets Scale to 1.4826 times the median of |e|.
func (l Hypersurface) Tune(s *Residuals) Loss {
	if l.Scale == 0 || l.auto {
		l.Scale, l.auto = madToSigma*typical(s), true
	}
	return l
}

// Tune sets Scale to the root of half the mean square.
func (l Correntropy) Tune(s *Residuals) Loss {
	if l.Scale == 0 || l.auto {
		l.Scale, l.auto = min(max(math.Sqrt(s.Mean()/2), floor(s)), mostScale), true
	}
	return l
}

// Tune sets Scale by Nagy's iteration.
func (l Cauchy) Tune(s *Residuals) Loss {
	if l.Scale == 0 || l.auto {
		l.Scale, l.auto = nagy(s, l.Scale), true
	}
	return l
}

// Tune tunes the loss below, then sets Cut by the rule.
func (l Truncated) Tune(s *Residuals) Loss {
	if t, ok := l.Loss.(Tuner); ok {
		l.Loss = t.Tune(s)
	}
	if l.Cut == 0 || l.auto {
		l.Cut, l.auto = l.Rule.Cut(s), true
	}
	return l
}

// Tune tunes the loss of the columns. Norms of columns seldom come near 0, so
// the Eps of an L1 loss is a thousandth of their median.
func (l ByColumn) Tune(s *Residuals) Loss {
	if v, ok := l.Loss.(L1); ok && v.Eps == 0 {
		return ByColumn{L1{Eps: max(1e-3*typical(s), leastScale)}}
	}
	if t, ok := l.Loss.(Tuner); ok {
		l.Loss = t.Tune(s)
	}
	return l
}

// ScaleNow returns Eps.
func (l L1) ScaleNow() float64 { return l.Eps }

// ScaleNow returns Cut.
func (l Huber) ScaleNow() float64 { return l.Cut }

// ScaleNow returns Scale.
func (l Hypersurface) ScaleNow() float64 { return l.Scale }

// ScaleNow returns Scale.
func (l Correntropy) ScaleNow() float64 { return l.Scale }

// ScaleNow returns Scale.
func (l Cauchy) ScaleNow() float64 { return l.Scale }

// ScaleNow returns the scale of the loss below, or Cut where that has none.
func (l Truncated) ScaleNow() float64 {
	if s, ok := l.Loss.(Scaled); ok {
		return s.ScaleNow()
	}
	return l.Cut
}

// ScaleNow returns the scale of the loss of the columns.
func (l ByColumn) ScaleNow() float64 { return scaleNow(l.Loss) }

func scaleNow(l Loss) float64 {
	if s, ok := l.(Scaled); ok {
		return s.ScaleNow()
	}
	return 0
}

// tunes reports whether a loss would estimate anything, so that the residuals
// need not be gathered for one that would not.
func tunes(l Loss) bool {
	switch l := l.(type) {
	case L1:
		return l.Eps == 0
	case Huber:
		return l.Cut == 0 || l.auto
	case Hypersurface:
		return l.Scale == 0 || l.auto
	case Correntropy:
		return l.Scale == 0 || l.auto
	case Cauchy:
		return l.Scale == 0 || l.auto
	case LogShrink:
		return l.Scale == 0 || l.auto
	case Truncated:
		return l.Cut == 0 || l.auto || tunes(l.Loss)
	case Manhattan:
		return l.Mu == 0 || l.last > 0 && l.Mu > l.last
	case ByColumn:
		return tunes(l.Loss)
	case TwoStage:
		return !l.then
	}
	_, ok := l.(Tuner)
	return ok
}

// underWay reports whether a loss is still on its way to the one that is wanted: the
// objective of what it is now is none to end a fit by, nor a scale to stay at.
func underWay(l Loss) bool {
	switch l := l.(type) {
	case Manhattan:
		return l.last > 0 && l.Mu > l.last
	case ByColumn:
		return underWay(l.Loss)
	case TwoStage:
		return !l.then
	}
	return false
}

// Cut returns the size of residual above which an entry is an outlier.
func (r OutlierRule) Cut(s *Residuals) float64 {
	med := s.Quantile(0.5)
	if r == NormalThreeSigma {
		return max(3*madToSigma*math.Sqrt(med), floor(s))
	}
	// Two passes, so that the deviation does not cancel.
	var n, sum, ss float64
	for v, count := range s.All() {
		if v <= med {
			n += float64(count)
			sum += float64(count) * math.Sqrt(v)
		}
	}
	if n == 0 {
		return max(math.Sqrt(med), floor(s)) // all in the bin of the median
	}
	mu := sum / n
	for v, count := range s.All() {
		if v <= med {
			d := math.Sqrt(v) - mu
			ss += float64(count) * d * d
		}
	}
	return max(mu+3*math.Sqrt(ss/n), floor(s))
}

// nagy finds the scale of a Cauchy distribution with location 0 by
//
//	γ ← γ √(1/e₀ − 1),  e₀ = mean 1/(1 + s/γ²)   (18),
//
// starting from the scale of the round before, or from the median of |e|,
// which is γ itself where the residuals do follow a Cauchy distribution.
func nagy(s *Residuals, gamma float64) float64 {
	low := floor(s)
	if gamma <= low {
		gamma = max(math.Sqrt(s.Quantile(0.5)), low)
	}
	for range 50 {
		g2 := gamma * gamma
		var sum float64
		for v, count := range s.All() {
			sum += float64(count) * (g2 / (g2 + v))
		}
		if s.N() == 0 {
			break
		}
		// The step needs 0 < e₀ < 1: at e₀ = 1 every residual is 0.
		e0 := min(max(sum/float64(s.N()), 1e-12), 1-1e-12)
		next := max(gamma*math.Sqrt(1/e0-1), low)
		done := math.Abs(next-gamma) <= 1e-3*gamma
		gamma = next
		if done {
			break
		}
	}
	return min(gamma, mostScale)
}

// typical returns the median of |e|, not below the floor.
func typical(s *Residuals) float64 {
	return min(max(math.Sqrt(s.Quantile(0.5)), floor(s)), mostScale)
}

// floor keeps a scale away from 0 where the fit is (nearly) exact: 1e-6 of the
// root mean square residual, or of ten usual entries of the data if that is less, as
// a gross entry would make it as large as it is itself; and never below leastScale.
func floor(s *Residuals) float64 {
	size := math.Sqrt(s.Mean())
	if s.data > 0 {
		size = min(size, 10*s.data)
	}
	return min(max(1e-6*size, leastScale), mostScale)
}

// The squares of scales are normal numbers with a finite inverse.
const (
	leastScale = 1e-75
	mostScale  = 1e150
)
