package rnmf

import (
	"cmp"
	"encoding/gob"
	"math"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// CellCase is a loss for wrong entries and wrong samples at once: cellwise and casewise outliers, as
// robust statistics call them (Centofanti, Hubert and Rousseeuw 2024). It wraps a loss ρ ≥ 0 of entries,
//
//	Σ_j √(ε² + p_j),   p_j = Σ_i Mask_ij ρ(e_ij²)   (1).
//
// The inequality of a Loss holds twice. The root is concave and increasing, and so is ρ:
//
//	√(ε² + q) ≤ √(ε² + p_j) + c_j (q − p_j),   c_j = 1/(2√(ε² + p_j))   (2),
//	ρ(u) ≤ ρ(s) + ρ′(s)(u − s)   (3).
//
// With (3) in (2), weighted squares touch (1) and lie above it elsewhere. The weight of an entry is
// the product of that of the entry and that of its sample,
//
//	ω_ij = c_j ρ′(e_ij²)   (4),
//
// so no half-step raises the objective. CellCase{Loss: Frobenius{}} is ByColumn{L1{}}, the L2,1 loss. A
// sample that is wrong as a whole counts by the root of its loss and not by the loss, while in the
// others the single entries that do not fit lose their weight.
//
// The floor ε, in units of √ρ, keeps the weight of a sample finite that is fitted exactly. With Eps 0
// it is estimated together with the scale of Loss: ε² is a thousandth of ρ at the median |e|, which
// among hundreds of entries is a millionth of p_j or less. For Frobenius it is that of ByColumn{L1{}}.
type CellCase struct {
	Loss
	Eps float64
}

func init() { gob.Register(CellCase{}) }

// floorShare is ε² over the loss of the median entry.
const floorShare = 1e-3

// Rho is that of a sample with one entry, √(ε² + ρ(s)).
func (l CellCase) Rho(s float64) (value, slope float64) {
	p, slope := l.Loss.Rho(s)
	return math.Sqrt(l.Eps*l.Eps + p), slope * sampleWeight(l.Eps*l.Eps, p)
}

// sampleWeight is c_j of (2).
func sampleWeight(floor, p float64) float64 { return 0.5 / max(math.Sqrt(floor+p), tiny) }

// Check finds a bad parameter.
func (l CellCase) Check() error {
	return cmp.Or(checkInner("CellCase.Loss", l.Loss), checkLoss(l.Loss), checkScale("CellCase.Eps", l.Eps))
}

// Tuning tunes the loss of entries, and sets Eps.
func (l CellCase) Tuning() Tuning {
	given := l.Eps > 0
	if isSquared(l.Loss) { // residuals are norms of samples
		if given {
			return nil
		}
		return func(s *Residuals) (Loss, bool) {
			next, settled := L1{}.TuningOfColumns()(s)
			l.Eps = next.(L1).Eps
			return l, settled
		}
	}
	below := tuningOf(l.Loss)
	if below == nil && given {
		return nil
	}
	return func(s *Residuals) (Loss, bool) {
		preliminary := false
		if below != nil {
			next, settled := below(s)
			if l.Loss, preliminary = unwrap(next); l.Loss == nil {
				return nil, true
			}
			if settled {
				below = nil
			}
		}
		if !given {
			median := s.Median()
			p, _ := l.Loss.Rho(median * median)
			l.Eps = min(max(math.Sqrt(floorShare*p), leastScale), mostScale)
		}
		if preliminary {
			return Preliminary{l}, false
		}
		return l, below == nil
	}
}

// ScaleNow returns the scale of the loss of entries, or Eps for Frobenius.
func (l CellCase) ScaleNow() float64 {
	if isSquared(l.Loss) {
		return l.Eps
	}
	return scaleNow(l.Loss)
}

// Relax returns that of the loss of entries: the weight of a sample does not change which h fits
// it best.
func (l CellCase) Relax() Loss { return relax(l.Loss) }

// OfCells returns the loss of entries and ε.
func (l CellCase) OfCells() (rho Loss, eps float64) { return l.Loss, l.Eps }

// cellsOf returns the loss of entries and ε of a CellCase, or of a loss like it, or false.
func cellsOf(l Loss) (rho Loss, eps float64, cells bool) {
	if c, ok := l.(interface{ OfCells() (Loss, float64) }); ok {
		rho, eps = c.OfCells()
		return rho, eps, true
	}
	return nil, 0, false
}

// floorOf returns ε² of a loss like CellCase that is no loss of columns, or 0.
func floorOf(l Loss) float64 {
	if rho, eps, cells := cellsOf(l); cells && !isSquared(rho) {
		return eps * eps
	}
	return 0
}

// sampleSums writes p_j of a tile of columns, from the values of the loss of entries, which it weighs
// by the mask, to Col. It returns their part of (1).
func (t *Tile) sampleSums() (sum float64) {
	if t.mask != nil {
		kernel.Mul(t.values, t.mask)
	}
	t.Col = grow(t.Col, t.B)
	clear(t.Col)
	for i := range t.M {
		for j, v := range t.values[i*t.B:][:t.B] {
			t.Col[j] += v
		}
	}
	for _, p := range t.Col {
		sum += math.Sqrt(t.q.floor + p)
	}
	return sum
}

// weighCells computes Omega from E by (4), and the loss if it is wanted. In the additive form Omega is
// the weights of entries alone; those of samples are in Col, or in Row.
func (t *Tile) weighCells() {
	q := t.q
	if q.trans {
		t.weighEach(nil)
		for i := range t.M {
			if row := t.omega[i*t.B:][:t.B]; q.additive == 0 {
				for j := range row {
					row[j] *= q.row[i]
				}
			}
		}
		return
	}
	loss := t.lossOfEntries()
	if t.walk.wantsLoss {
		t.loss = loss
	}
	for j, p := range t.Col {
		t.Col[j] = sampleWeight(q.floor, p)
	}
	if q.additive == 0 {
		for i := range t.M {
			kernel.Mul(t.omega[i*t.B:][:t.B], t.Col)
		}
	}
}

// cellSums returns p_j for all samples.
func (f *fit) cellSums() []float64 {
	_, n := f.x.Dims()
	s := make([]float64, n)
	f.eachResidual(func(t *Tile, _ int) {
		t.lossOfEntries()
		copy(s[t.First:], t.Col)
	})
	return s
}

// weighSamples sets the weights of samples where those are rows. squares returns the squared norms of
// their residuals.
func (f *fit) weighSamples(q *Quadratic, squares func() []float64) {
	if q.floor == 0 {
		q.weighRows(squares)
		return
	}
	q.row = f.cellSums()
	for j, p := range q.row {
		q.row[j] = sampleWeight(q.floor, p)
	}
}
