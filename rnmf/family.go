package rnmf

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A Family is a distribution of the entries of X around WH, as in generalised linear models. It says
// which deviance d(x, y) ≥ 0 of an entry x from its mean y the loss is taken of: ρ(d) for each entry,
// or ρ(Σ_i d) for each sample under ByColumn. The deviance takes the place of the squared residual
// everywhere: in weights, scales, masks, outliers and the trace.
type Family int

const (
	// Gaussian has d = (x − y)², the squared residual. It is the default.
	Gaussian Family = iota
	// Poisson is for counts. It has
	//
	//	d = 2(x ln(x/y) − x + y),
	//
	// 2y where x = 0: twice the Kullback-Leibler divergence, so that Frobenius is the NMF of Lee and
	// Seung (1999) for counts. Where means are 1 or more √d is nearly standard normal: the scale of
	// a loss is known, and need not be estimated unless counts vary more than Poisson's.
	//
	// Where means are small a single event is far from its mean: d(1, 0.005) is 8.6. A loss of entries
	// that takes such an event for an outlier is biased: Cauchy at scale 3 would converge to half of
	// the rate. So a count counts as an outlier only as far as it would at a mean of 1: let
	// s₁ = d(x, min(x, 1)), infinite where x = 0; then
	//
	//	ρ(d) for d ≤ s₁,   ρ(s₁) + ρ′(s₁)(d − s₁) beyond,
	//
	// which is concave as well. Losses of samples need none of this.
	//
	// Counts need not be integers, but have to be in their own unit: an estimated scale is at least 1, that
	// of Poisson counts, and counts that were divided by a total or by their largest vary far less, so
	// that every loss would take them for right. They must not be negative, and a mean of 0 for a count that is not
	// 0 counts as 1e-150 of it.
	Poisson
	// SparsePoisson is Poisson, but that losses of entries count the deviances 2y of zeros as they are,
	// times ρ′(0). Then a zero is never an outlier, while under Poisson one is where the mean is large, as
	// where a detector was off; and a round on sparse data need not visit the zeros.
	SparsePoisson
	families
)

func (f Family) String() string {
	if f < 0 || f >= families {
		return fmt.Sprintf("Family(%d)", int(f))
	}
	return [...]string{"Gaussian", "Poisson", "SparsePoisson"}[f]
}

// Deviance returns d(x, y) of one entry, for Poisson with x, y ≥ 0.
func (f Family) Deviance(x, y float64) float64 {
	e := f.residual(x, y)
	return e * e
}

// residual returns the signed root of the deviance.
func (f Family) residual(x, y float64) float64 {
	if f == Gaussian {
		return x - y
	}
	e := []float64{0}
	kernel.Deviance(e, []float64{x}, []float64{y})
	return e[0]
}

// Judged returns the deviance at which a loss of entries takes the slope of an entry x whose deviance
// is d: d itself, or less by the rule of Poisson.
func (f Family) Judged(x, d float64) float64 {
	switch {
	case f == Gaussian || f == Poisson && x == 0:
		return d
	case x <= 1:
		return 0
	}
	return min(d, f.Deviance(x, 1))
}

// Weigh writes the slopes of a loss of entries x, whose deviances have the signed roots e, to omega,
// and the values to value, by the rule of Poisson.
func (f Family) Weigh(l Loss, omega, value, e, x []float64) {
	f.weigh(l, omega, value, make([]float64, len(e)), e, x)
}

// weigh is Weigh, where value may be nil, which also leaves the roots of what Judged returns in judged.
func (f Family) weigh(l Loss, omega, value, judged, e, x []float64) {
	if f == Gaussian {
		Weigh(l, omega, value, e)
		return
	}
	for i := range omega {
		omega[i] = 1
	}
	kernel.Deviance(judged, x, omega) // from a mean of 1: 0 or less where x ≤ 1
	zero := math.Inf(1)
	if f == SparsePoisson {
		zero = 0
	}
	for i, c := range judged {
		if x[i] == 0 {
			c = zero
		}
		judged[i] = min(math.Abs(e[i]), max(c, 0))
	}
	Weigh(l, omega, value, judged)
	if value == nil {
		return
	}
	for i, c := range judged {
		if e := math.Abs(e[i]); e > c {
			value[i] += omega[i] * ((e - c) * (e + c))
		}
	}
}

// size is about the deviance of an entry that is off by v, where entries are about v.
func (f Family) size(v float64) float64 {
	if f == Gaussian {
		return v * v
	}
	return v
}

// checkFamily finds a family that there is not, and solvers and options that do not go with it.
func (m Model) checkFamily() error {
	if m.Family < 0 || m.Family >= families {
		return errParameter("Family", int(m.Family), "Gaussian, Poisson or SparsePoisson")
	}
	if m.Family == Gaussian {
		return nil
	}
	if m.Signed {
		return errParameter("Signed", true, "false where Family is not Gaussian: counts are not negative")
	}
	solverW, solverH := m.solvers()
	for _, s := range []Solver{solverW, solverH} {
		if !takes(s, m.Family) {
			return errParameter("a solver", fmt.Sprintf("%T", s), "HALS or MU, as Family is not Gaussian: this one lowers squares")
		}
	}
	return nil
}

// takes reports whether a solver can lower the deviances of a family.
func takes(s Solver, f Family) bool {
	t, ok := s.(interface{ Takes(f Family) bool })
	return f == Gaussian || ok && t.Takes(f)
}

// Takes returns true: see Family.
func (HALS) Takes(Family) bool { return true }

// Takes returns true: see Family.
func (MU) Takes(Family) bool { return true }

// Family returns that of the model; see Solver for what a solver has to do for Poisson.
func (q *Quadratic) Family() Family { return q.family }

// sumsOf returns the sums of the columns and rows of X: under Poisson they take the place of squared
// norms, as the deviance of a rounding error of εy is about ε²y.
func sumsOf(x *mat.Dense) (s [2][]float64) {
	m, n := x.Dims()
	s = [2][]float64{make([]float64, n), make([]float64, m)}
	for i := range m {
		for j, v := range x.RawRowView(i) {
			s[0][j] += v
			s[1][i] += v
		}
	}
	return s
}

// lift makes the zeros of a start positive where WH is 0 and X is not, as there the deviance is
// infinite: to a hundredth of the mean of the factor. With onlyH, W stays. A sample of which nothing is
// known keeps its zeros.
func (f *fit) lift() {
	var y mat.Dense
	y.Mul(f.wt.T(), f.h)
	m, n := f.x.Dims()
	zero, known := false, make([]bool, n)
	for i := range m {
		for j, v := range y.RawRowView(i)[:n] {
			if f.mask == nil || f.mask.At(i, j) > 0 {
				known[j] = true
				zero = zero || v == 0 && f.x.At(i, j) > 0
			}
		}
	}
	if !zero {
		return
	}
	for i, v := range []*mat.Dense{f.h, f.wt} {
		if i == 1 && f.onlyH {
			return
		}
		data := v.RawMatrix().Data
		least := 0.01 * total(data) / float64(len(data))
		if least == 0 {
			least = 0.01 * math.Sqrt(robustMean(f.x, f.pool.Stop)/float64(f.model.Rank))
		}
		for k, x := range data {
			if i == 1 || known[k%n] {
				data[k] = max(x, least)
			}
		}
	}
}
