package rnmf

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
)

// A Loss is a concave, increasing function ρ of a squared residual s ≥ 0; its slope ρ′(s) is the
// weight that the residual gets. Concavity is all that the engine needs:
//
//	ρ(u) ≤ ρ(s) + ρ′(s)(u − s)   for all u, s ≥ 0,
//
// so the weighted squares Σ ρ′(s)·u touch the objective at s and lie above it elsewhere
// (CheckLoss).
//
// A Loss may be a Tuner as well, which estimates its scale, and have more methods:
//
//   - Weigh(omega, value, e []float64) computes many slopes at once, faster than Rho:
//     omega_i = ρ′(e_i²) and, where value is not nil, value_i = ρ(e_i²), all three of the same
//     length, within 1e-14 of what Rho gives. Only where e_i², or its ratio to the square of the
//     scale, is above 1e300 or below 1e-300 may they differ.
//   - ScaleNow() float64 returns the scale, which a trace shows.
//   - TuningOfColumns() Tuning replaces Tuning under ByColumn, where residuals are norms of
//     columns, which do not scatter around 0.
//   - Relax() Loss returns a convex loss of about the same scale, with which Transform begins.
//     Without this method that is Huber with ScaleNow as cut-off, or Frobenius.
//   - Squared() bool returns true for plain least squares, ρ(s) = s: all weights are 1, and a half-step
//     takes UX and UUᵀ in place of the residual, which is several times as fast.
//   - OfColumns() Loss returns the ρ of a loss that is taken of the squared norms of columns, as
//     ByColumn is.
//   - OfCells() (rho Loss, eps float64) returns the ρ ≥ 0 of entries and the ε > 0 of a loss (1) of
//     CellCase.
//   - Check() error finds bad parameters before a fit.
type Loss interface {
	Rho(s float64) (value, slope float64)
}

// ByColumn applies a loss to the squared norm of a whole column (a sample), s_j = ‖x_j − Wh_j‖²,
// instead of to each entry. The L2,1 loss is ByColumn{L1{}}.
type ByColumn struct{ Loss }

// Check finds a bad parameter.
func (l ByColumn) Check() error { return checkInner("ByColumn.Loss", l.Loss) }

// Frobenius is the squared error of standard NMF, ρ(s) = s (L2,1 paper, (1)).
type Frobenius struct{}

// Rho returns s and 1.
func (Frobenius) Rho(s float64) (value, slope float64) { return s, 1 }

// L1 is the smoothed absolute value, ρ(s) = √(s + ε²) (L2,1 paper, (60)). Its sum, which a trace
// shows, exceeds the L1 norm by at most ε for each entry. With Eps 0 it is set once, before the
// first round, to a tenth of the median residual; in ByColumn{L1{}} to a thousandth.
type L1 struct{ Eps float64 }

// Rho returns √(s + ε²) and 1/(2√(s + ε²)).
func (l L1) Rho(s float64) (value, slope float64) {
	v := math.Sqrt(s + l.Eps*l.Eps)
	return v, 0.5 / max(v, tiny)
}

// Huber is quadratic up to Cut and linear from there (Truncated Cauchy paper, Table 1):
//
//	ρ(e²) = e²  for |e| ≤ c,   2c|e| − c²  beyond.
//
// With Cut 0 it is estimated: 1.345σ̂, where σ̂ is that of Residuals.Sigma, or, if Printed,
// that median (section 4.7). Huber is also what RNMF-L1 becomes after minimising over its outliers:
// min_S (e − S)² + λ|S| has c = λ/2.
type Huber struct {
	Cut     float64
	Printed bool
}

// Rho returns the formula above and min(1, c/|e|).
func (l Huber) Rho(s float64) (value, slope float64) {
	c := l.Cut
	if s <= c*c {
		return s, 1
	}
	e := math.Sqrt(s)
	return c * (2*e - c), c / e
}

// Hypersurface is ρ(s) = √(1 + s/σ²) − 1 (RSS-NMF paper, (4), where σ is 1: pixels in 0..255 and in
// 0..1 are then two models). With Scale 0, σ is estimated as 1.287σ̂ (see Huber).
type Hypersurface struct {
	Scale float64
}

// Rho returns √(1 + s/σ²) − 1 and 1/(2σ²√(1 + s/σ²)).
func (l Hypersurface) Rho(s float64) (value, slope float64) {
	c := 1 / (l.Scale * l.Scale)
	x := s * c
	if math.IsInf(x, 1) {
		e := math.Sqrt(s)
		return e / l.Scale, 0.5 / l.Scale / e
	}
	root := math.Sqrt(1 + x)
	return x / (1 + root), 0.5 * c / root // x/(1+√(1+x)) = √(1+x) − 1 without cancellation
}

// Correntropy is the correntropy-induced metric of CIM-NMF, ρ(s) = 1 − exp(−s/2σ²) (Truncated
// Cauchy paper, Table 1, without its constant factor, and with the sign of the weight's exponent
// corrected). With Scale 0, σ is estimated: 3.352σ̂ (see Huber) or, if Printed, the root of half
// the mean square, which very large entries make useless.
type Correntropy struct {
	Scale   float64
	Printed bool
}

// Rho returns 1 − exp(−s/2σ²) and exp(−s/2σ²)/2σ².
func (l Correntropy) Rho(s float64) (value, slope float64) {
	c := 0.5 / (l.Scale * l.Scale)
	return -math.Expm1(-s * c), c * math.Exp(-s*c)
}

// Cauchy is ρ(s) = ln(1 + s/γ²) (Truncated Cauchy paper, (2) with σ = ∞ and without its factor ½).
// With Scale 0, γ is estimated: 2.385σ̂ (see Huber) or, if Printed, by Nagy's iteration (18).
type Cauchy struct {
	Scale   float64
	Printed bool
}

// Rho returns ln(1 + s/γ²) and 1/(γ² + s).
func (l Cauchy) Rho(s float64) (value, slope float64) {
	g := l.Scale * l.Scale
	if s/g > math.MaxFloat64 {
		return math.Log(s) - math.Log(g), 1 / s
	}
	return math.Log1p(s / g), 1 / (g + s)
}

// Check finds a bad scale.
func (l L1) Check() error           { return checkScale("L1.Eps", l.Eps) }
func (l Huber) Check() error        { return checkScale("Huber.Cut", l.Cut) }
func (l Hypersurface) Check() error { return checkScale("Hypersurface.Scale", l.Scale) }
func (l Correntropy) Check() error  { return checkScale("Correntropy.Scale", l.Scale) }
func (l Cauchy) Check() error       { return checkScale("Cauchy.Scale", l.Scale) }

// Truncated stops a loss from growing beyond a residual of size Cut, ρ(s) = ρ₀(min(s, Cut²)): what
// lies beyond has weight 0 and no influence at all. Truncated{Loss: Cauchy{}} is the Truncated
// Cauchy loss (1). With Cut 0 the cut-off follows Rule.
type Truncated struct {
	Loss
	Cut  float64
	Rule OutlierRule
}

// Rho returns ρ₀(min(s, Cut²)), and slope 0 where s > Cut².
func (l Truncated) Rho(s float64) (value, slope float64) {
	if c := l.Cut * l.Cut; s > c {
		value, _ = l.Loss.Rho(c)
		return value, 0
	}
	return l.Loss.Rho(s)
}

// Check finds a bad parameter.
func (l Truncated) Check() error {
	if err := cmp.Or(checkInner("Truncated.Loss", l.Loss), checkLoss(l.Loss)); err != nil {
		return err
	}
	if l.Rule < ThreeSigma || l.Rule > ThreeOrSixSigma {
		return errParameter("Truncated.Rule", int(l.Rule), "ThreeSigma, NormalThreeSigma or ThreeOrSixSigma")
	}
	return checkScale("Truncated.Cut", l.Cut)
}

// tiny is the least norm that is divided by. Smaller residuals are rounding errors of data in
// range.
const tiny = 1e-150

// isSquared reports whether a loss is plain least squares, ρ(s) = s.
func isSquared(l Loss) bool {
	q, ok := l.(interface{ Squared() bool })
	return ok && q.Squared()
}

// Squared returns true.
func (Frobenius) Squared() bool { return true }

// unpack returns the function ρ of a loss, and whether it is applied to columns. nil is Frobenius. Of a
// CellCase it is the loss of entries, or the same as ByColumn{L1{}}; see floorOf.
func unpack(l Loss) (rho Loss, byColumn bool) {
	if rho, eps, cells := cellsOf(l); cells {
		if isSquared(rho) {
			return L1{Eps: eps}, true
		}
		return rho, false
	}
	if c, ok := l.(interface{ OfColumns() Loss }); ok {
		return c.OfColumns(), true
	}
	return cmp.Or[Loss](l, Frobenius{}), false
}

// OfColumns returns the loss of the columns.
func (l ByColumn) OfColumns() Loss { return l.Loss }

// CheckLoss returns an error that wraps ErrParameter if a loss is not a concave function
// of the squared residual that never decreases, if its slope is not its derivative, or if Weigh differs from
// Rho. It tries residuals |x − WH| from 0 to ten times size, a usual one; a loss with a Tuning is
// tried at the scale of residuals of that size. Run it once on a loss of your own: descent rests on this.
//
// A loss of your own should not embed one of this package: the engine would use the Tuning and
// Weigh that come with it instead of your Rho.
func CheckLoss(l Loss, size float64) error {
	if !(size > 0 && size <= maxEntry) {
		return errParameter("size", size, "a number above 0, up to 1e+100")
	}
	if l == nil {
		return errParameter("the loss", l, "a loss")
	}
	if err := checkPart(l); err != nil {
		return err
	}
	if tuning := tuningOf(l); tuning != nil {
		given := l
		l, _ = tuning(NewResiduals(0.25*size*size, size*size, 2*size*size))
		if l, _ = unwrap(l); l == nil {
			return errTunedToNil(given)
		}
		if embeds(given, l) {
			return fmt.Errorf("%w: loss %T is tuned to the %T that it embeds: it needs a Tuning of its own", ErrParameter, given, l)
		}
		if tuningOf(l) != nil {
			return fmt.Errorf("%w: loss %T is tuned to a %T whose scale is not given: its Tuning is not nil", ErrParameter, given, l)
		}
	}
	const n = 400
	var e, s [n]float64
	for i := range s {
		e[i] = 10 * size * float64(i) / (n - 1)
		s[i] = e[i] * e[i]
	}
	if w, ok := l.(interface {
		Weigh(omega, value, e []float64)
	}); ok {
		var omega, value [n]float64
		w.Weigh(omega[:], value[:], e[:])
		for i, a := range s {
			v, d := l.Rho(a)
			if !(math.Abs(value[i]-v) <= 1e-9*math.Abs(v) && math.Abs(omega[i]-d) <= 1e-9*math.Abs(d)) {
				return errLoss(l, a, "Weigh has the value %g and the slope %g, Rho %g and %g", value[i], omega[i], v, d)
			}
		}
	}
	for _, a := range s {
		va, da := l.Rho(a)
		if math.IsNaN(va) || math.IsInf(va, 0) || math.IsNaN(da) || math.IsInf(da, 0) {
			return errLoss(l, a, "value %g or slope %g is not finite", va, da)
		}
		if da < 0 {
			return errLoss(l, a, "slope %g is negative", da)
		}
		for _, b := range s {
			vb, _ := l.Rho(b)
			bound := va + da*(b-a)
			if vb > bound+1e-9*(math.Abs(va)+math.Abs(da*(b-a))+math.Abs(vb)) {
				return errLoss(l, a, "ρ(%g) = %g lies above the tangent, %g", b, vb, bound)
			}
		}
	}
	return checkLoss(l)
}

// embeds reports whether a loss is a struct that embeds one of the type of inner.
func embeds(outer, inner Loss) bool {
	t := reflect.TypeOf(outer)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.Type == reflect.TypeOf(inner) {
			return true
		}
	}
	return false
}

func errTunedToNil(l Loss) error {
	return errParameter("the loss", fmt.Sprintf("a %T that is tuned to nil", l), "a loss")
}

func errLoss(l Loss, s float64, format string, args ...any) error {
	return fmt.Errorf("%w: loss %T at s = %g: %s", ErrParameter, l, s, fmt.Sprintf(format, args...))
}
