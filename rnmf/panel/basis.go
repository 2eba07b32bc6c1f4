package panel

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// improveBasis returns the W of the half-step from w with the statistics t. It needs no data. With
// sweeps 0 they go on until one changes W by less than a tenth of what the first did.
func improveBasis(w *mat.Dense, t *Statistics, sweeps int, pool *work.Pool) *mat.Dense {
	out := mat.DenseCopyOf(w)
	v := out.RawMatrix().Data
	m, r := t.m, t.r
	inverses := make([]float64, r)
	kernel.Inverses(inverses, t.gram, r)
	var square kernel.Cross
	var trace float64
	if t.entries {
		square.Set(t.gram, nil, r, r)
		for k := range r {
			trace += t.gram[k*r+k]
		}
	}
	const width = 48
	count := (m + width - 1) / width
	tiles, crosses, gammas := make([]float64, m*r), make([]float64, m*r), make([]float64, m)
	changes, moved := make([]float64, m), make([]float64, count)
	tile := func(i int) (first, b int) { return i * width, min(width, m-i*width) }
	pool.Each(count, func(_, i int) {
		first, b := tile(i)
		kernel.Load(tiles[first*r:], v, r, true, first, r, b)
		n := crosses[first*r:][:r*b]
		kernel.Load(n, t.cross, r, true, first, r, b)
		if !t.entries {
			return
		}
		// What is linear: P + γGV.
		gv := make([]float64, r*b)
		square.Add(gv, tiles[first*r:][:r*b], b)
		gamma := gammas[first:][:b]
		for j := range gamma {
			if trace > 0 {
				gamma[j] = share34 * t.gamma[first+j] / trace
			}
		}
		for k := range r {
			kernel.Mul(gv[k*b:][:b], gamma)
		}
		for k, g := range gv {
			n[k] += g
		}
	})
	most, early := sweeps, false
	if sweeps == 0 {
		most, early = 1+int(t.samples)/(2*r), true
	}
	var before float64
	for sweep := range most {
		pool.Each(count, func(_, i int) {
			first, b := tile(i)
			if t.entries {
				moved[i] = kernel.GramSweepWeighted(changes[first:][:b], tiles[first*r:][:r*b], crosses[first*r:][:r*b], t.gram, gammas[first:][:b], nil, r, b)
			} else {
				moved[i] = kernel.GramSweep(changes[first:][:b], tiles[first*r:][:r*b], crosses[first*r:][:r*b], t.gram, inverses, r, b)
			}
		})
		change := total(moved)
		if sweep == 0 {
			before = change
		}
		if early && change <= enough*before {
			break
		}
	}
	pool.Each(count, func(_, i int) {
		first, b := tile(i)
		kernel.Load(v[first*r:], tiles[first*r:], b, true, 0, b, r)
	})
	return out
}

// enough is the share of the first change, squared, at which sweeps end.
const enough = 0.01

// safeBasis returns the W that goes from w towards the one that was too far, not beyond, to the
// minimum of a bound that lies above that of the loss: from δᵀMδ ≤ Σ_k δ_k² (Mx)_k/x_k.
func safeBasis(w, far *mat.Dense, t *Statistics, x []float64) *mat.Dense {
	out := mat.DenseCopyOf(w)
	for i := range t.m {
		from, to, v := w.RawRowView(i), far.RawRowView(i), out.RawRowView(i)
		var gain, bend float64
		for k := range v {
			d := to[k] - from[k]
			gain += d * t.cross[i*t.r+k]
			bend += d * d * t.bound[i*t.r+k] / x[k]
		}
		along := min(max(gain, 0)/bend, 1)
		if math.IsNaN(along) {
			along = 0
		}
		for k := range v {
			v[k] = max(0, from[k]+along*(to[k]-from[k]))
		}
	}
	return out
}

// scalesOf returns the x of the safe bound: any positive numbers make one; these suit HHᵀ.
func scalesOf(gram []float64, r int) []float64 {
	x := make([]float64, r)
	for k := range x {
		x[k] = 1
		if len(gram) > 0 {
			if g := gram[k*r+k]; g > 1e-300 && g < 1e300 {
				x[k] = 1 / math.Sqrt(g)
			}
		}
	}
	return x
}
