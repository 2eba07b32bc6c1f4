package panel

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// improveBasis writes the W of the half-step from w with the statistics t to out (m×r), which may be
// the memory of t.cross, and returns it as a matrix. It needs no data. With sweeps 0 they go on, for each 48 rows of W, until one changes these by less than a tenth of what the
// first did: that split depends on no panel.
func improveBasis(out []float64, w *mat.Dense, t *Statistics, sweeps int, pool *work.Pool) *mat.Dense {
	m, r := t.m, t.r
	from := w.RawMatrix()
	inverses := make([]float64, r)
	kernel.Inverses(inverses, t.gram, r)
	var square kernel.Cross
	var trace float64
	if t.entries {
		square.Set(t.gram, nil, r, r)
		trace = traceOf(t.gram, r)
	}
	most, early := sweeps, false
	if sweeps == 0 {
		most, early = 1+int(t.samples)/(2*r), true
	}
	const width = 48
	spaces := make([][]float64, pool.Size())
	pool.Each((m+width-1)/width, func(id, i int) {
		first := i * width
		b := min(width, m-first)
		spaces[id] = grow(spaces[id], 3*r*b+2*b)
		tile, n, gv, rest := spaces[id][:r*b], spaces[id][r*b:][:r*b], spaces[id][2*r*b:][:r*b], spaces[id][3*r*b:]
		change, gamma := rest[:b], rest[b:][:b]
		kernel.Load(tile, from.Data, from.Stride, true, first, r, b)
		kernel.Load(n, t.cross, r, true, first, r, b)
		if t.entries {
			// What is linear: P + γGV.
			clear(gv)
			square.Add(gv, tile, b)
			for j := range gamma {
				gamma[j] = 0
				if trace > 0 {
					gamma[j] = share34 * t.gamma[first+j] / trace
				}
			}
			for k := range r {
				kernel.Mul(gv[k*b:][:b], gamma)
			}
			if !t.linear {
				for k, g := range gv {
					n[k] += g
				}
			}
		}
		var before float64
		for sweep := range most {
			var moved float64
			if t.entries {
				moved = kernel.GramSweepWeighted(change, tile, n, t.gram, gamma, nil, r, b)
			} else {
				moved = kernel.GramSweep(change, tile, n, t.gram, inverses, r, b)
			}
			if sweep == 0 {
				before = moved
			}
			if early && moved <= enough*before {
				break
			}
		}
		kernel.Load(out[first*r:], tile, b, true, 0, b, r)
	})
	return mat.NewDense(m, r, out)
}

func traceOf(gram []float64, r int) (trace float64) {
	for k := range r {
		trace += gram[k*r+k]
	}
	return trace
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
