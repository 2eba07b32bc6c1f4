// Package claims judges what the five papers say. Each claim is data: where it stands, what it
// says, the rule that was said before, and a function that follows the rule (Claim). Of
// returns those of a notebook, judged by what is stored; files named papers_ have them. The
// other files compute what single sentences need: a lemma and what rests on it, norms and
// energies that are printed with a square too many, a subproblem without its last term, and
// the costs of a round.
package claims

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// TruncatedCauchy is f_W(v) of the Truncated Cauchy paper, (3), for one column w of W,
//
//	f(h) = Σ_i g(((v_i − w_i h)/γ)²),   g(x) = ln(1 + min(x, σ)),
//
// its least value over h ≥ 0 and the smallest h that has it. Between the h where an entry
// reaches the cut-off f is smooth: each piece is searched on a grid, and then refined.
func TruncatedCauchy(w, v []float64, gamma, sigma float64) (least, at float64) {
	cost := func(h float64) (sum float64) {
		for i, a := range w {
			e := (v[i] - a*h) / gamma
			sum += math.Log1p(min(e*e, sigma))
		}
		return sum
	}
	least = cost(0)
	try := func(h float64) {
		if c := cost(h); h >= 0 && (c < least-1e-12*(1+least) || c <= least && h < at) {
			least, at = c, h
		}
	}
	reach := gamma * math.Sqrt(sigma)
	for i, a := range w {
		if a == 0 {
			continue
		}
		// Where entry i is not cut off. Outside all of these f is constant.
		from, to := max(0, (v[i]-reach)/a), (v[i]+reach)/a
		if to <= 0 {
			continue
		}
		const grid = 24
		var c [grid + 1]float64
		place := func(k int) float64 { return from + (to-from)*float64(k)/grid }
		for k := range c {
			c[k] = cost(place(k))
		}
		for k := range c {
			if (k == 0 || c[k] <= c[k-1]) && (k == grid || c[k] <= c[k+1]) {
				try(refine(cost, place(k), (to-from)/grid))
			}
		}
		try(v[i] / a)
	}
	return least, at
}

// refine minimises a cost near h, within a width, by golden sections.
func refine(cost func(h float64) float64, h, width float64) float64 {
	const ratio = 0.6180339887498949
	low, high := max(0, h-width), h+width
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	ca, cb := cost(a), cost(b)
	for range 30 {
		if ca <= cb {
			high, b, cb = b, a, ca
			a = high - ratio*(high-low)
			ca = cost(a)
		} else {
			low, a, ca = a, b, cb
			b = low + ratio*(high-low)
			cb = cost(b)
		}
	}
	return (low + high) / 2
}

// A Counterexample is one to Lemma 1 of the Truncated Cauchy paper, which says that for
// columns of W of length 1 and ‖v‖ ≤ α the best h has ‖h‖ ≤ 2α + σα/(√2γ).
type Counterexample struct {
	Epsilon, Gamma, Sigma float64
	W, V                  []float64
	Bound                 float64 // of the lemma
	H, Cost               float64 // the global minimum
	Within                float64 // the least cost at any h up to the bound
}

// Lemma1 returns it: W = (ε, √(1 − 2ε²), ε)ᵀ, v = (1, 1, 1)ᵀ/√3, so α = 1. Two entries of v are
// reached only by h = 1/(√3ε), however far beyond its cut-off that takes the third, whose loss is
// constant there: the cost is ln(1 + σ), everywhere else up to twice that. As ε goes to 0 the best
// h grows without bound.
func Lemma1(epsilon, gamma, sigma float64) Counterexample {
	c := Counterexample{Epsilon: epsilon, Gamma: gamma, Sigma: sigma,
		W: []float64{epsilon, math.Sqrt(1 - 2*epsilon*epsilon), epsilon},
		V: []float64{1 / math.Sqrt(3), 1 / math.Sqrt(3), 1 / math.Sqrt(3)}}
	c.Bound = 2 + sigma/(math.Sqrt2*gamma)
	c.Cost, c.H = TruncatedCauchy(c.W, c.V, gamma, sigma)
	c.Within = math.Inf(1)
	const grid = 1 << 16
	for k := range grid + 1 {
		h := c.Bound * float64(k) / grid
		var sum float64
		for i, a := range c.W {
			e := (c.V[i] - a*h) / gamma
			sum += math.Log1p(min(e*e, sigma))
		}
		c.Within = min(c.Within, sum)
	}
	return c
}

// A Gap is what Theorem 1 of the Truncated Cauchy paper bounds, for one number of samples.
type Gap struct {
	N      int
	Sup    float64 // mean over draws of sup_W |R(f_W) − R_n(f_W)|
	Excess float64 // mean of R(f_{W_n}) − R(f_{W*})
	Bound  float64 // (7) for this n, with δ = 0.05
}

// Theorem1 measures |R − R_n| against n. Samples are drawn from a population of so many
// points, with ‖v‖ ≤ α = 1, one part and some gross errors, so R is a mean over all of it
// and no estimate; W runs over directions of length 1 in m = 3 dimensions (r = 1), for which
// f_W is computed exactly, and W_n is the best of them on the sample. No bound on h is
// needed for this: f_W is bounded by m ln(1 + σ) itself, so |R − R_n| falls like 1/√n for
// each W (Hoeffding), whatever Lemma 1 says. (7) is far above that trivial bound.
func Theorem1(sizes []int, population, directions, draws int, seed uint64) []Gap {
	const m, gamma, sigma = 3, 0.1, 9
	rng := rand.New(rand.NewPCG(seed, 7))
	unit := func(v []float64) []float64 {
		var sum float64
		for _, a := range v {
			sum += a * a
		}
		for i := range v {
			v[i] /= math.Sqrt(sum)
		}
		return v
	}
	part := unit([]float64{0.6, 0.5, 0.3})
	all := make([][]float64, population)
	for j := range all {
		v := make([]float64, m)
		h := 0.2 + 0.6*rng.Float64()
		for i := range v {
			v[i] = max(0, part[i]*h+0.03*rng.NormFloat64())
		}
		if rng.Float64() < 0.2 {
			v[rng.IntN(m)] = rng.Float64()
		}
		var sum float64
		for _, a := range v {
			sum += a * a
		}
		if sum > 1 {
			unit(v)
		}
		all[j] = v
	}
	loss := mat.NewDense(directions, population, nil)
	risk := make([]float64, directions)
	for d := range directions {
		w := unit([]float64{math.Abs(rng.NormFloat64()), math.Abs(rng.NormFloat64()), math.Abs(rng.NormFloat64())})
		if d%2 == 0 { // half of them near the part
			for i := range w {
				w[i] = part[i] + 0.1*w[i]
			}
			unit(w)
		}
		row := loss.RawRowView(d)
		for j, v := range all {
			row[j], _ = TruncatedCauchy(w, v, gamma, sigma)
			risk[d] += row[j] / float64(population)
		}
	}
	best := math.Inf(1)
	for _, r := range risk {
		best = min(best, r)
	}
	var gaps []Gap
	for _, n := range sizes {
		g := Gap{N: n, Bound: GeneralisationBound(n, m, 1, 1, gamma, sigma, 0.05)}
		sample := make([]int, n)
		for range draws {
			for i := range sample {
				sample[i] = rng.IntN(population)
			}
			var sup float64
			least, chosen := math.Inf(1), 0
			for d := range directions {
				row := loss.RawRowView(d)
				var mean float64
				for _, j := range sample {
					mean += row[j] / float64(n)
				}
				sup = max(sup, math.Abs(mean-risk[d]))
				if mean < least {
					least, chosen = mean, d
				}
			}
			g.Sup += sup / float64(draws)
			g.Excess += (risk[chosen] - best) / float64(draws)
		}
		gaps = append(gaps, g)
	}
	return gaps
}

// GeneralisationBound is the last line of (7) for ‖v‖ ≤ α. The letter of some denominators
// is damaged in the text at hand (r for γ); they are taken for γ, as the units want.
func GeneralisationBound(n, m, r int, alpha, gamma, sigma, delta float64) float64 {
	mf, rf, nf := float64(m), float64(r), float64(n)
	inner := (8*rf*alpha*alpha+2*alpha*alpha)/(gamma*gamma) +
		sigma*alpha*alpha/(math.Sqrt2*math.Pow(gamma, 3)) + 2*rf*sigma*sigma*alpha*alpha/math.Pow(gamma, 4)
	lg, _ := math.Lgamma(mf / 2)
	cover := math.Log(math.Pow(4, 1/mf)*math.Sqrt(math.Pi)*inner*mf*rf*nf/2) - lg/mf
	return 2/nf + alpha*alpha/(gamma*gamma)*math.Sqrt((mf*rf*cover+math.Log(2/delta))/(2*nf))
}

// Exponent is the slope of log y against log x by least squares.
func Exponent(x, y []float64) float64 {
	var mx, my, xy, xx float64
	for i := range x {
		mx += math.Log(x[i]) / float64(len(x))
		my += math.Log(y[i]) / float64(len(y))
	}
	for i := range x {
		d := math.Log(x[i]) - mx
		xy += d * (math.Log(y[i]) - my)
		xx += d * d
	}
	return xy / xx
}
