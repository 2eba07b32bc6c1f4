package rnmf

import "math"

// A Tuner is a Loss that can estimate its scale from the data. Tuning begins an estimate, or
// returns nil where the scale is given.
type Tuner interface {
	Loss
	Tuning() Tuning
}

// A Tuning is a running estimate of the scale of a loss. Each fit has its own, whose state from
// round to round is in variables of the closure: a Loss is configuration, and never changes.
//
// A fit calls it with the distribution of the squared residuals, and goes on with the loss that it
// returns, whose scale is fixed. It calls it in each round until the scale changes by less than 2 %,
// or for eight rounds; then ever more seldom, each time after half as many rounds again; and once
// more when the fit has converged. If that last call changes the scale by more than 1 %, the fit
// goes on. Model.TuneFor asks for other rounds. Once settled is true the fit calls no more.
type Tuning func(s *Residuals) (next Loss, settled bool)

// Preliminary marks a loss that a Tuning returns on the way to the final one, as the first stage of
// MMEstimator. While the loss is a Preliminary neither Tol nor TuneFor applies; one that is settled is final.
type Preliminary struct{ Loss }

// Check finds one that no Tuning has returned.
func (l Preliminary) Check() error {
	return errParameter("the loss", "a Preliminary", "the loss in it, as only a Tuning returns a Preliminary")
}

// unwrap takes the mark off a loss.
func unwrap(l Loss) (loss Loss, preliminary bool) {
	i, preliminary := l.(Preliminary)
	if preliminary {
		l, _ = unwrap(i.Loss)
	}
	return l, preliminary
}

// tuningOf begins an estimate of the scale of a loss, nil if it has nothing to estimate.
func tuningOf(l Loss) Tuning {
	if t, ok := l.(Tuner); ok {
		return t.Tuning()
	}
	return nil
}

// OutlierRule is a rule for the magnitude above which residuals count as outliers.
type OutlierRule int

const (
	// ThreeSigma is the rule of the Truncated Cauchy paper, section 3.3: mean plus three standard
	// deviations of the magnitudes up to their median. It marks 36.6 % of Gaussian noise.
	ThreeSigma OutlierRule = iota
	// NormalThreeSigma is 3σ̂ (see Residuals.Sigma), which marks 0.27 % of Gaussian noise.
	NormalThreeSigma
	// ThreeOrSixSigma is NormalThreeSigma if residuals do not become ever rarer from 2.5σ̂ to 6σ̂, and
	// 6σ̂ if they do. Where nothing is wrong larger residuals are rarer, however badly the data are
	// fitted; if they are not, some entries are wrong.
	ThreeOrSixSigma
)

// Tuning sets Eps once, to a tenth of the median of |e|. With a smaller one the weights of fitted
// entries are so large that the factors hardly move.
func (l L1) Tuning() Tuning { return l.tuning(0.1) }

// TuningOfColumns sets Eps once, to a thousandth of the median: norms of columns are seldom near 0.
func (l L1) TuningOfColumns() Tuning { return l.tuning(1e-3) }

func (l L1) tuning(share float64) Tuning {
	if l.Eps > 0 {
		return nil
	}
	return func(s *Residuals) (Loss, bool) { return L1{Eps: max(share*s.Median(), leastScale)}, true }
}

// Tuning sets Cut to 1.345σ̂ or, as Printed, to the median of |e|.
func (l Huber) Tuning() Tuning {
	return tuningTo(l.Cut, 1.345*madToSigma, l.Printed, (*Residuals).Median, func(c float64) Loss { l.Cut = c; return l })
}

// Tuning sets Scale to 1.287σ̂.
func (l Hypersurface) Tuning() Tuning {
	return tuningTo(l.Scale, 1.287*madToSigma, false, nil, func(c float64) Loss { return Hypersurface{c} })
}

// Tuning sets Scale to 3.352σ̂ or, as Printed, to the root of half the mean square.
func (l Correntropy) Tuning() Tuning {
	root := func(s *Residuals) float64 { return max(math.Sqrt(s.Mean()/2), s.Floor()) }
	return tuningTo(l.Scale, 3.352*madToSigma, l.Printed, root, func(c float64) Loss { l.Scale = c; return l })
}

// Tuning sets Scale to 2.385σ̂ or, as Printed, by Nagy's iteration, which goes on from the scale
// of the round before.
func (l Cauchy) Tuning() Tuning {
	nagy := func(s *Residuals) float64 { return nagy(s, l.Scale) }
	return tuningTo(l.Scale, 2.385*madToSigma, l.Printed, nagy, func(c float64) Loss { l.Scale = c; return l })
}

// TuningOfColumns is that of the printed rule: norms of columns are not normal around 0.
func (l Huber) TuningOfColumns() Tuning       { return Huber{l.Cut, true}.Tuning() }
func (l Correntropy) TuningOfColumns() Tuning { return Correntropy{l.Scale, true}.Tuning() }
func (l Cauchy) TuningOfColumns() Tuning      { return Cauchy{l.Scale, true}.Tuning() }

// tuningTo sets a scale that is not given to so many times σ̂/1.4826 or, if printed, by the paper's
// rule. The multiples of σ̂ are those at which a loss has 95 % of the efficiency of least squares on normal residuals
// (Holland and Welsch 1977), for Correntropy 99 %, as its weights fall fastest. The papers' scales are
// smaller; much that the model does not fit then counts as an outlier.
func tuningTo(given, times float64, printed bool, rule func(*Residuals) float64, at func(scale float64) Loss) Tuning {
	if given > 0 {
		return nil
	}
	return func(s *Residuals) (Loss, bool) {
		scale := times * s.spread()
		if printed {
			scale = rule(s)
		}
		return at(min(scale, mostScale)), false
	}
}

// Tuning tunes the inner loss, and sets Cut by the rule.
func (l Truncated) Tuning() Tuning {
	below, given := tuningOf(l.Loss), l.Cut > 0
	if below == nil && given {
		return nil
	}
	return func(s *Residuals) (Loss, bool) {
		if below != nil {
			next, settled := below(s)
			if l.Loss, _ = unwrap(next); l.Loss == nil {
				return nil, true
			}
			if settled {
				below = nil
			}
		}
		if !given {
			l.Cut = l.Rule.Cut(s)
		}
		return l, given && below == nil
	}
}

// Tuning tunes the loss of the columns, by TuningOfColumns where it has one.
func (l ByColumn) Tuning() Tuning {
	below := tuningOf(l.Loss)
	if c, ok := l.Loss.(interface{ TuningOfColumns() Tuning }); ok {
		below = c.TuningOfColumns()
	}
	if below == nil {
		return nil
	}
	return func(s *Residuals) (Loss, bool) {
		next, settled := below(s)
		if loss, preliminary := unwrap(next); preliminary {
			return Preliminary{ByColumn{loss}}, settled
		}
		return ByColumn{next}, settled
	}
}

// ScaleNow returns the scale, 0 if it is still to be estimated.
func (l L1) ScaleNow() float64           { return l.Eps }
func (l Huber) ScaleNow() float64        { return l.Cut }
func (l Hypersurface) ScaleNow() float64 { return l.Scale }
func (l Correntropy) ScaleNow() float64  { return l.Scale }
func (l Cauchy) ScaleNow() float64       { return l.Scale }

// ScaleNow returns the scale of the inner loss, or Cut where that has none.
func (l Truncated) ScaleNow() float64 {
	if s, ok := l.Loss.(interface{ ScaleNow() float64 }); ok {
		return s.ScaleNow()
	}
	return l.Cut
}

// ScaleNow returns the scale of the loss of the columns.
func (l ByColumn) ScaleNow() float64 { return scaleNow(l.Loss) }

func scaleNow(l Loss) float64 {
	if s, ok := l.(interface{ ScaleNow() float64 }); ok {
		return s.ScaleNow()
	}
	return 0
}

// Cut returns the size of residual above which an entry is an outlier.
func (r OutlierRule) Cut(s *Residuals) float64 {
	switch sigma := s.Sigma(); {
	case r == NormalThreeSigma || r == ThreeOrSixSigma && standsOut(s, sigma):
		return 3 * sigma
	case r == ThreeOrSixSigma:
		return 6 * sigma
	}
	med := s.Quantile(0.5)
	// Two passes, so that the deviation does not cancel.
	var n, sum, ss float64
	for v, count := range s.All() {
		if v <= med {
			n += float64(count)
			sum += float64(count) * math.Sqrt(v)
		}
	}
	if n == 0 {
		return s.Median() // all in the bin of the median
	}
	mu := sum / n
	for v, count := range s.All() {
		if v <= med {
			d := math.Sqrt(v) - mu
			ss += float64(count) * d * d
		}
	}
	return max(mu+3*math.Sqrt(ss/n), s.Floor())
}

// standsOut reports whether the density of residuals stops falling somewhere from 2.5 to 6.2
// deviations: whether it falls by less than a twentieth within a factor of 1.44, and by less than
// the error of a count. It does if there are too few to tell.
func standsOut(s *Residuals, sigma float64) bool {
	var bins [5]float64 // how many lie from 2.5·1.2^i to 2.5·1.2^(i+1) deviations
	for v, count := range s.All() {
		if i := math.Log(math.Sqrt(v)/(2.5*sigma)) / math.Log(1.2); i >= 0 && i < 5 {
			bins[int(i)] += float64(count)
		}
	}
	for i, n := range bins[1:] { // next to bin i
		low := min(1.2*bins[i], 1.44*bins[max(i-1, 0)])
		if n > 0.95*low+3*math.Sqrt(n) && n > 0.005*float64(s.N()) {
			return true
		}
	}
	return s.N() < 100
}

// nagy finds the scale of a Cauchy distribution with location 0 by
//
//	γ ← γ √(1/e₀ − 1),  e₀ = mean 1/(1 + s/γ²)   (18),
//
// starting from the scale of the round before, or from the median of |e|, which is γ itself where
// the residuals do follow a Cauchy distribution.
func nagy(s *Residuals, gamma float64) float64 {
	low := s.Floor()
	if gamma <= low {
		gamma = s.Median()
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
		last := gamma
		if gamma = max(gamma*math.Sqrt(1/e0-1), low); math.Abs(gamma-last) <= 1e-3*last {
			break
		}
	}
	return min(gamma, mostScale)
}

// The squares of scales are normal numbers with a finite inverse.
const (
	leastScale = 1e-75
	mostScale  = 1e150
)
