package panel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// The round for Poisson deviances (rnmf.Family) takes O(nnz·r) operations: all zeros of a column count
// linearly, with one weight, so that their sum is known from those of W and of the other entries. Let ω₀
// be that weight, ρ′(0) for a loss of entries and 1 otherwise. A half-step of H lowers, for each column
//
//	Σ_i ω_i(y_i − x_i ln y_i) = Σ_k l_k v_k − Σ ω_i x_i ln y_i,   l_k = ω₀Σ_i w_ik + Σ (ω_i − ω₀)w_ik,    (7)
//
// where the sums without limits are over the entries that are not 0, and y = Wv. The weight of a sample
// changes no minimiser. Coordinate descent takes one v_k after the other along Newton's step −f/f′ (Hsieh
// and Dhillon 2011), with f = l_k − Σ ωxw_ik/y and f′ = Σ ωxw_ik²/y². Where v_k grows that never goes too
// far, as −ln y bends less and less. Where it falls, to (1 − a)v_k, each y falls by a share of at most a,
// so that f′ grows by at most 1/(1 − a)², and
//
//	change ≤ −a·f·v_k + a²f′v_k²/2(1 − a) ≤ 0   up to a = 2N/(1 + 2N),   N = f/(f′v_k),
//
// which is Newton's a = N itself up to ½. So no coordinate becomes 0 where a count needs it.
//
// W takes the multiplicative update, whose sums over panels are few,
//
//	w_ik ← w_ik Σ_j ω_ij(x_ij/y_ij)h_kj / Σ_j ω_ij h_kj,                                                (8)
//
// and never raises the objective: there is no safe step.

// countSweeps is the number of sweeps over the coordinates in a half-step of H.
const countSweeps = 2

// The least mean that is divided by, and the largest ratio of a count to its mean: see package kernel.
const leastMean, mostRatio = 1e-150, 1e150

// weighsZeros reports whether a loss has a weight of its own for each zero.
func weighsZeros(l rnmf.Loss) bool {
	rho, byColumn := unpack(l)
	return !byColumn && !isSquared(rho)
}

// checkFamily finds what panels cannot do with a family.
func checkFamily(f rnmf.Family, loss rnmf.Loss, missing bool) error {
	refuse := func(what, why string) error {
		return fmt.Errorf("%w: panels do not take %s: %s", rnmf.ErrParameter, what, why)
	}
	switch {
	case f < rnmf.Gaussian || f > rnmf.SparsePoisson:
		return fmt.Errorf("%w: Family is %d, want Gaussian, Poisson or SparsePoisson", rnmf.ErrParameter, int(f))
	case f != rnmf.Gaussian && missing:
		return refuse("missing entries with Family "+f.String(), "rnmf.Model.Fit takes a Mask")
	case f == rnmf.Poisson && weighsZeros(loss):
		return refuse(fmt.Sprintf("%T with Family Poisson", loss), "each zero of X would have a weight; take SparsePoisson, which counts zeros linearly")
	}
	return nil
}

func errFamily(name string, f rnmf.Family) error {
	return fmt.Errorf("%w: %s takes no Family %v: its surrogates of W are sums of squares; Batch and rnmf.Model.Fit take it", rnmf.ErrParameter, name, f)
}

// keepPositive leaves a half of each entry that was extrapolated under Poisson, as rnmf.Model.Fit does: a
// mean of 0 where a count is not could never be mended.
func (r *Round) keepPositive(v, before []float64) {
	if r.family == rnmf.Gaussian {
		return
	}
	for i, x := range before {
		v[i] = max(v[i], 0.5*x)
	}
}

// counts is the round under Poisson deviances.
func (p *pass) counts() {
	x := p.x.Sparse
	if x == nil {
		x = withoutZeros(p.x.Dense)
	}
	p.x = Panel{Sparse: x}
	of := make([]float64, p.r) // the sums of the columns of W
	for i := range p.m {
		floats.Add(of, p.rows[i*p.r:][:p.r])
	}
	ofEntries := weighsZeros(p.loss)
	zero := 1.0
	if ofEntries {
		_, zero = p.rho.Rho(0)
	}
	p.weighted = grow(p.weighted, len(x.Value)) // ωx/y at the end
	if ofEntries {
		p.weights = grow(p.weights, len(x.Value)) // ω − ω₀ at the end
	}
	const width = 24
	count := (p.b + width - 1) / width
	losses, moved := make([]float64, count), make([]float64, count*max(p.sweeps, 1))
	slopes := make([]float64, p.b) // of samples
	p.pool.Each(count, func(id, i int) {
		w, first := &p.workers[id], i*width
		b := min(width, p.b-first)
		p.prepare(w, first, b, 0)
		c := counting{pass: p, worker: w, of: of, zero: zero, ofEntries: ofEntries}
		for j := range b {
			c.begin(first+j, w.v[j:], b)
			if !p.redo {
				of := c.loss(true)
				if losses[i] += of; p.out != nil {
					p.out[first+j] = of
				}
			}
			if p.step {
				c.loadRows(first + j)
				c.descend(moved[i*p.sweeps:][:p.sweeps])
				for k, v := range c.v {
					w.v[k*b+j] = v
				}
			}
		}
		if p.step {
			p.extrapolate(w, first, b)
		}
		if !p.summed() {
			return
		}
		for j := range b {
			c.begin(first+j, w.v[j:], b)
			c.loss(false)
			slopes[first+j] = c.slope
			c.weigh(x.Start[first+j], x.Start[first+j+1])
		}
	})
	p.t.objective = total(losses)
	if !p.summed() || p.pool.Stop() {
		return
	}
	p.addMoved(moved, count)
	p.sumCounts(slopes, zero, ofEntries)
}

// weigh keeps ωx/y and ω − ω₀ of the entries from..to, those of the column at work.
func (c *counting) weigh(from, to int) {
	for k := from; k < to; k++ {
		omega := c.slope
		if c.ofEntries {
			omega = c.omega[k-from]
			c.weights[k] = omega - c.zero
		}
		c.weighted[k] = omega * min(c.x[k-from]/max(c.y[k-from], leastMean), mostRatio)
	}
}

// sumCounts makes the sums of (8) from what weigh has kept.
func (p *pass) sumCounts(slopes []float64, zero float64, ofEntries bool) {
	p.dense = grow(p.dense, p.b*p.r) // Hᵀ
	raw := p.to.H.RawMatrix()
	for k := range p.r {
		for j, v := range raw.Data[k*raw.Stride:][:p.b] {
			p.dense[j*p.r+k] = v
			p.t.sums[k] += zero * slopes[j] * v
		}
	}
	if ofEntries {
		p.t.bound = make([]float64, p.m*p.r)
	}
	p.sparseRows(0, p.b, func(_ *worker, j, k, i int) {
		hj := p.dense[j*p.r:][:p.r]
		floats.AddScaled(p.t.cross[i*p.r:][:p.r], p.weighted[k], hj)
		if ofEntries {
			floats.AddScaled(p.t.bound[i*p.r:][:p.r], p.weights[k], hj)
		}
	})
}

// counting is the work on one column after the other.
type counting struct {
	*pass
	*worker
	of        []float64
	zero      float64 // ω₀
	ofEntries bool

	x           []float64 // the entries of the column
	u           []float64 // r×nnz, their rows of W
	y, omega    []float64 // their means, and weights under a loss of entries
	v           []float64 // r, coefficients
	slope       float64   // of the sample
	root, value []float64
}

// begin takes column j, with the coefficients v, stride apart.
func (c *counting) begin(j int, v []float64, stride int) {
	x, r := c.pass.x.Sparse, c.r
	from, to := x.Start[j], x.Start[j+1]
	c.x = x.Value[from:to]
	c.y, c.v = grow(c.y, to-from), grow(c.v, r)
	for k := range c.v {
		c.v[k] = v[k*stride]
	}
	for i, row := range x.Row[from:to] {
		c.y[i] = floats.Dot(c.rows[int(row)*r:][:r], c.v)
	}
}

// loadRows transposes the rows of W that column j needs, which begin has brought into the cache: the
// loops of descend go along them.
func (c *counting) loadRows(j int) {
	x, r := c.pass.x.Sparse, c.r
	rows := x.Row[x.Start[j]:x.Start[j+1]]
	n := len(rows)
	c.u = grow(c.u, r*n)
	i := 0
	for ; i+4 <= n; i += 4 {
		a, b := c.rows[int(rows[i])*r:][:r], c.rows[int(rows[i+1])*r:][:r]
		d, e := c.rows[int(rows[i+2])*r:][:r], c.rows[int(rows[i+3])*r:][:r]
		for k, v := range a {
			to := c.u[k*n+i:][:4]
			to[0], to[1], to[2], to[3] = v, b[k], d[k], e[k]
		}
	}
	for ; i < n; i++ {
		for k, v := range c.rows[int(rows[i])*r:][:r] {
			c.u[k*n+i] = v
		}
	}
}

// loss returns that of the column, and leaves the weights of its entries, or its own. With counts it
// adds the residuals to the histogram, if that is wanted.
func (c *counting) loss(counts bool) (loss float64) {
	n := len(c.x)
	c.root = grow(c.root, n)
	kernel.Deviance(c.root, c.x, c.y)
	rest := floats.Dot(c.of, c.v) // the sum of the means of the zeros
	for _, y := range c.y {
		rest -= y
	}
	rest = 2 * max(rest, 0)
	measures := counts && c.measures
	if measures && c.measured == nil {
		c.measured = new(histogram.Counts)
	}
	c.slope = 1
	if !c.ofEntries {
		s, _ := kernel.SumSquares(c.root, nil)
		if s += rest; c.byColumn {
			loss, c.slope = c.rho.Rho(s)
			if measures {
				c.measured.Add(s)
			}
			return loss
		}
		return s
	}
	c.omega, c.value = grow(c.omega, n), grow(c.value, n)
	rnmf.SparsePoisson.Weigh(c.rho, c.omega, c.value, c.root, c.x)
	if measures {
		for i, e := range c.root {
			if c.x[i] != 0 {
				c.measured.Add(rnmf.SparsePoisson.Judged(c.x[i], e*e))
			}
		}
	}
	at, _ := c.rho.Rho(0)
	return total(c.value) + float64(c.m-n)*at + c.zero*rest
}

// descend sweeps over the coefficients, and adds their squared changes.
func (c *counting) descend(moved []float64) {
	n := len(c.x)
	for sweep := range moved {
		for k, v := range c.v {
			u := c.u[k*n:][:n]
			f, bend := c.zero*c.of[k], 0.0
			if c.ofEntries {
				for i, a := range u {
					f += (c.omega[i] - c.zero) * a
					z := a / max(c.y[i], leastMean)
					g := c.omega[i] * c.x[i] * z
					f -= g
					bend += g * z
				}
			} else {
				x, y := c.x[:n], c.y[:n]
				for i, a := range u {
					z := a / max(y[i], leastMean)
					g := x[i] * z
					f -= g
					bend += g * z
				}
			}
			to := newton(v, f, bend)
			if to == v {
				continue
			}
			d := to - v
			for i, a := range u {
				c.y[i] += d * a
			}
			c.v[k] = to
			moved[sweep] += d * d
		}
	}
}

// newton returns a coordinate v after the step of (7), given the derivatives f and bend.
func newton(v, f, bend float64) float64 {
	switch {
	case bend <= 0:
		if f > 0 {
			return 0
		}
		return v
	case f <= 0:
		if to := v - f/bend; to < rnmf.MaxFactor {
			return to
		}
		return v
	case v == 0:
		return 0
	}
	share := f / bend / v
	if share > 0.5 {
		share = 2 * share / (1 + 2*share)
		if math.IsNaN(share) {
			share = 0.9
		}
	}
	return v - min(share, 0.999)*v
}

// improveBasisOfCounts is (8).
func improveBasisOfCounts(w *mat.Dense, t *Statistics) *mat.Dense {
	out := mat.NewDense(t.m, t.r, nil)
	for i := range t.m {
		from, to := w.RawRowView(i), out.RawRowView(i)
		for k, v := range from {
			below := t.sums[k]
			if t.bound != nil {
				below += t.bound[i*t.r+k]
			}
			to[k] = v
			if next := v * (t.cross[i*t.r+k] / below); below > 0 && next < rnmf.MaxFactor {
				to[k] = next
			}
		}
	}
	return out
}

// withoutZeros returns a dense panel without its zeros.
func withoutZeros(x *mat.Dense) *sparse.Matrix {
	m, n := x.Dims()
	s := &sparse.Matrix{Rows: m, Cols: n, Start: make([]int, n+1)}
	for j := range n {
		for i := range m {
			if v := x.At(i, j); v != 0 {
				s.Row, s.Value = append(s.Row, int32(i)), append(s.Value, v)
			}
		}
		s.Start[j+1] = len(s.Value)
	}
	return s
}
