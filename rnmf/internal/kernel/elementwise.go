package kernel

// maxFactor bounds the entries of the factors. It is far above what any fit of
// data within range needs, and its square can be summed without overflow.
const maxFactor = 1e120

// Mul does x_i ← x_i y_i. The slices may be the same.
func Mul(x, y []float64) {
	y = y[:len(x)]
	if useAVX2 {
		mulSIMD(x, y)
	} else {
		mulPortable(x, y)
	}
}

// apart does e_i ← x_i + y_i and y_i ← −y_i.
func apart(e, x, y []float64) {
	x, y = x[:len(e)], y[:len(e)]
	if useAVX2 {
		apartSIMD(e, x, y)
	} else {
		apartPortable(e, x, y)
	}
}

// Shift takes the outliers of the additive form out of the data,
// x_i ← x_i − (1 − ω_i/bound) e_i.
func Shift(x, e, omega []float64, bound float64) {
	e, omega = e[:len(x)], omega[:len(x)]
	if useAVX2 {
		shiftSIMD(x, e, omega, bound)
	} else {
		shiftPortable(x, e, omega, bound)
	}
}

// Ratio is a multiplicative update, v_i ← v_i n_i/d_i. A negative n_i counts in
// the denominator instead; v_i stays where d_i is not positive or the result is
// not below maxFactor.
func Ratio(v, num, den []float64) {
	num, den = num[:len(v)], den[:len(v)]
	if useAVX2 {
		ratioSIMD(v, num, den)
	} else {
		ratioPortable(v, num, den)
	}
}

// Step takes each v_i to x = max(0, v_i + n_i/d_i), the minimiser of
// d x² − 2(n + dv)x over x ≥ 0, and writes x − v_i to delta. Where d_i is not
// positive the bound is flat or linear: v_i stays, or goes to 0 if n_i < 0. It
// stays too where n_i/d_i overflows, as then d_i is rounding. delta may be num or
// den.
func Step(v, delta, num, den []float64) {
	delta, num, den = delta[:len(v)], num[:len(v)], den[:len(v)]
	if useAVX2 {
		stepSIMD(v, delta, num, den)
	} else {
		stepPortable(v, delta, num, den)
	}
}

// eight are the partial sums of the entries 0, 8, 16, …, of 1, 9, 17, …, and so
// on: as many as a vector holds, and enough to hide the latency of an addition.
type eight [8]float64

func (s *eight) total() float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// Sum returns Σ x_i, or Σ mask_i x_i where mask is not nil.
func Sum(x, mask []float64) float64 {
	if mask != nil {
		mask = mask[:len(x)]
	}
	var s eight
	if useAVX2 {
		sumSIMD(&s, x, mask)
	} else {
		sumPortable(&s, x, mask)
	}
	return s.total()
}

// SumSquares returns Σ x_i² over the entries whose mask is positive, and their
// number. mask may be nil: all of them.
func SumSquares(x, mask []float64) (sum float64, count int) {
	if mask != nil {
		mask = mask[:len(x)]
	}
	var s, c eight
	if useAVX2 {
		sumSquaresSIMD(&s, &c, x, mask)
	} else {
		sumSquaresPortable(&s, &c, x, mask)
	}
	if mask == nil {
		return s.total(), len(x)
	}
	return s.total(), int(c.total())
}

// SquaredNorms writes Σ_i e_ij², or Σ_i mask_ij e_ij² where mask is not nil, for
// each column of a tile.
func SquaredNorms(s, e, mask []float64, m, b int) {
	s, e = s[:b], e[:m*b]
	if mask != nil {
		mask = mask[:m*b]
	}
	switch {
	case len(e) == 0:
		clear(s)
	case useAVX2:
		squaredNormsSIMD(s, e, mask, m, b)
	default:
		squaredNormsPortable(s, e, mask, m, b)
	}
}

// GramSweep does a sweep of coordinate descent over the r components of a tile
// (V and N = UX are r×b, G = UUᵀ):
//
//	v_kj ← max(0, v_kj + (n_kj − Σ_l g_kl v_lj)·inv_k),
//
// one k after the other, with inv from Inverses. It writes the squared change of
// each column to change (length b) and returns the sum. A v_kj for which that is
// no number below maxFactor stays.
func GramSweep(change, v, n, g, inv []float64, r, b int) float64 {
	return gramSweep(formPlain, change, v, n, g, inv, nil, nil, r, b)
}

// GramSweepWeighted is GramSweep with weights w of the columns and, where d is
// not nil, a diagonal (r×b); N is UX·diag(w) and whatever is linear:
//
//	v_kj ← max(0, v_kj + (n_kj − w_j Σ_l g_kl v_lj − d_kj v_kj)/(w_j g_kk + d_kj)),
//
// with the exceptions of Step.
func GramSweepWeighted(change, v, n, g, w, d []float64, r, b int) float64 {
	if d == nil {
		return gramSweep(formWeighted, change, v, n, g, nil, w, nil, r, b)
	}
	return gramSweep(formDiagonal, change, v, n, g, nil, w, d, r, b)
}

// form says what a sweep has.
type form int

const (
	formPlain form = iota
	formWeighted
	formDiagonal
	forms
)

func gramSweep(f form, change, v, n, g, inv, w, d []float64, r, b int) float64 {
	change, v, n, g = change[:b], v[:r*b], n[:r*b], g[:r*r]
	switch f {
	case formPlain:
		inv = inv[:r]
	case formDiagonal:
		d = d[:r*b]
		fallthrough
	default:
		w = w[:b]
	}
	clear(change)
	if len(v) == 0 {
		return 0
	}
	if useAVX2 {
		gramSweepSIMD(f, change, v, n, g, inv, w, d, r, b)
	} else {
		gramSweepPortable(f, change, v, n, g, inv, w, d, r, b)
	}
	return Sum(change, nil)
}

// Inverses writes 1/g_kk for GramSweep, and 0 where that is too large: such a
// component has no part in the model.
func Inverses(inv, g []float64, r int) {
	for k := range inv[:r] {
		inv[k] = 0
		if x := 1 / g[k*r+k]; x > 0 && x < huge {
			inv[k] = x
		}
	}
}
