package rnmf

import (
	"iter"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A fit is the state of a running factorisation. Both factors are kept with r
// rows, so that the two half-steps are the same code.
type fit struct {
	model   Model
	x, mask *mat.Dense
	wt, h   *mat.Dense // r×m, r×n
	loss    Loss       // at the scale of the round
	solver  Solver
	pool    *pool
	onlyH   bool // W stays as it is

	largest float64   // magnitude in X
	squares []float64 // squared residuals, tile after tile, for a Tuner
	columns []float64 // ‖x_j − Wh_j‖² after an H half-step, if the solver knows them
	trace   Trace
	reason  Reason
	spent   time.Duration
}

// run goes round after round until there is a reason to stop; seen is called
// after each, and ends the fit without a reason by returning false.
func (f *fit) run(seen func() bool) {
	maxIter, tol := f.model.MaxIter, f.model.Tol
	if maxIter == 0 {
		maxIter = 500
	}
	if tol == 0 {
		tol = 1e-5
	}
	f.resume(func() {
		f.timed(f.tune)
		f.record(0, f.objective())
	})
	if !seen() {
		return
	}
	first := f.trace[0].Objective
	best := kept{objective: first} // of this scale
	var last kept                  // the round before
	for round := 1; f.reason == 0; round++ {
		last.keep(f.wt, f.h, f.trace[round-1].Objective)
		before := f.loss
		if round > 1 && (f.model.TuneFor == 0 || round <= f.model.TuneFor) && tunes(f.loss) {
			f.timed(f.tune)
			if !f.pool.stop() {
				last.objective = f.objectiveOfSquares()
			}
			best = kept{objective: last.objective}
		}
		reached := math.NaN()
		f.timed(func() {
			reached = f.halfStep(false)
			if !f.onlyH {
				reached = f.halfStep(true)
			}
		})
		if !f.pool.stop() {
			if math.IsNaN(reached) {
				reached = f.objective()
			} else {
				reached += f.penalties()
			}
		}
		if f.pool.stop() {
			f.wt, f.h = last.wt, last.h // of the last complete round, whose objective is known
			f.loss = before
			f.reason = Cancelled
			break
		}
		start := last.objective
		switch {
		case math.IsNaN(reached) || math.IsInf(reached, 0) || reached > 10*(math.Abs(first)+math.Abs(start))+f.rounding():
			f.reason = Diverged
			f.wt, f.h = last.wt, last.h
		case mat.Equal(last.wt, f.wt) && mat.Equal(last.h, f.h):
			f.reason = Stalled
			if reached == 0 || f.kkt() < 1e-6 {
				f.reason = Converged // at a minimum nothing can change
			}
		case tol >= 0 && math.Abs(start-reached) <= tol*math.Abs(start)+f.rounding():
			f.reason = Converged
		case round >= maxIter:
			f.reason = MaxIter
		}
		if f.reason != Diverged {
			f.record(round, reached)
			if !seen() {
				return
			}
		}
		// A solver without descent (RRA as printed) must not lose the best.
		switch {
		case f.reason != Diverged && reached <= best.objective+1e-9*math.Abs(best.objective):
			best = kept{objective: min(reached, best.objective)}
		case best.wt == nil:
			best.keep(last.wt, last.h, best.objective)
		}
	}
	if best.wt != nil {
		f.wt, f.h = best.wt, best.h
	}
}

// kept are factors put aside, and their objective.
type kept struct {
	wt, h     *mat.Dense
	objective float64
}

func (k *kept) keep(wt, h *mat.Dense, objective float64) {
	k.wt, k.h, k.objective = mat.DenseCopyOf(wt), mat.DenseCopyOf(h), objective
}

// timed adds what work takes to the seconds of the algorithm.
func (f *fit) timed(work func()) {
	t := time.Now()
	work()
	f.spent += time.Since(t)
}

// resume lets work run to its end although the fit is cancelled.
func (f *fit) resume(work func()) {
	stop := f.pool.stop
	f.pool.stop = func() bool { return false }
	work()
	f.pool.stop = stop
}

func (f *fit) record(round int, objective float64) {
	p := Point{Round: round, Seconds: f.spent.Seconds(), Objective: objective, Scale: scaleNow(f.loss), KKT: -1}
	if f.model.TraceKKT {
		f.resume(func() { p.KKT = f.kkt() })
	}
	f.trace = append(f.trace, p)
}

// quadratic sets up a half-step: of W on the transposed data, or of H.
func (f *fit) quadratic(ofW bool) *Quadratic {
	m, n := f.x.Dims()
	r := f.model.Rank
	q := &Quadratic{U: f.wt, m: m, n: n, r: r, x: f.x, mask: f.mask, loss: f.loss, pool: f.pool, reached: math.NaN()}
	_, byColumn := f.loss.(ByColumn)
	if byColumn {
		q.sample, q.loss = columns, f.loss.(ByColumn).Loss
	}
	if ofW {
		q.U, q.m, q.n, q.trans = f.h, n, m, true
		if byColumn {
			q.sample = rows
		}
	}
	return q
}

// halfStep improves one factor and returns the loss that it reached, or NaN
// where the solver does not know.
func (f *fit) halfStep(ofW bool) float64 {
	q, v, penalties := f.quadratic(ofW), f.h, f.model.OnH
	if ofW {
		v, penalties = f.wt, f.model.OnW
		if q.sample == rows && !isFrobenius(q.loss) {
			s := f.columns
			if s == nil {
				s = f.columnSquares()
			}
			q.row = make([]float64, len(s))
			for j, v := range s {
				_, q.row[j] = q.loss.Rho(v)
			}
		}
	}
	for _, p := range penalties {
		p.Majorize(q, v)
	}
	f.solver.Improve(q, v)
	f.columns = nil
	if !ofW && !math.IsNaN(q.reached) {
		f.columns = q.squares
	}
	return q.reached
}

// eachResidual calls visit with every tile of the columns of X; its E is the
// residual.
func (f *fit) eachResidual(visit func(t *Tile, i int)) (count int) {
	q := f.quadratic(false)
	width := tileWidth(q.m, q.n, 2)
	count = (q.n + width - 1) / width
	f.pool.each(count, func(t *Tile, i int) {
		t.loadResidual(q, f.h, i*width, min(width, q.n-i*width))
		visit(t, i)
	})
	return count
}

// objectiveOfSquares is objective right after tune, without products where the
// residuals are at hand.
func (f *fit) objectiveOfSquares() float64 {
	if _, byColumn := f.loss.(ByColumn); byColumn || f.mask != nil {
		return f.objective()
	}
	m, n := f.x.Dims()
	width := tileWidth(m, n, 2)
	sums := make([]float64, (n+width-1)/width)
	f.pool.each(len(sums), func(_ *Tile, i int) {
		sums[i] = lossOfSquares(f.loss, f.squares[i*width*m:min((i+1)*width, n)*m])
	})
	return total(sums) + f.penalties()
}

// objective evaluates the loss and the penalties.
func (f *fit) objective() float64 {
	q := f.quadratic(false)
	sums := make([]float64, q.n)
	count := f.eachResidual(func(t *Tile, i int) {
		if q.sample == columns {
			s := make([]float64, t.B)
			squaredNorms(s, t.E, t.maskTile, t.M, t.B)
			sums[i] = lossOfSquares(q.loss, s)
			return
		}
		sums[i] = lossOf(q.loss, t.E, t.maskTile)
	})
	return total(sums[:count]) + f.penalties()
}

func (f *fit) penalties() float64 {
	var sum float64
	for _, p := range f.model.OnW {
		sum += p.Value(f.wt)
	}
	for _, p := range f.model.OnH {
		sum += p.Value(f.h)
	}
	return sum
}

// columnSquares returns ‖x_j − Wh_j‖² for all samples.
func (f *fit) columnSquares() []float64 {
	_, n := f.x.Dims()
	s := make([]float64, n)
	f.eachResidual(func(t *Tile, _ int) {
		squaredNorms(s[t.First:][:t.B], t.E, t.maskTile, t.M, t.B)
	})
	return s
}

// tune lets the loss estimate its scale from the current residuals.
func (f *fit) tune() {
	tuner, ok := f.loss.(Tuner)
	if !ok || !tunes(f.loss) {
		return
	}
	m, n := f.x.Dims()
	if _, byColumn := f.loss.(ByColumn); byColumn {
		if s := f.columnSquares(); !f.pool.stop() {
			f.loss = tuner.Tune(f.visible(oneTile(s), m))
		}
		return
	}
	f.squares = grow(f.squares, m*n)
	width := tileWidth(m, n, 2)
	known := make([]int, n) // by tile
	count := f.eachResidual(func(t *Tile, i int) {
		out := f.squares[t.First*m:][:m*t.B]
		k := 0
		for l, e := range t.E {
			if t.maskTile == nil || t.maskTile[l] > 0 {
				out[k] = e * e
				k++
			}
		}
		known[i] = k
	})
	if f.pool.stop() {
		return // the residuals are incomplete; the fit is over
	}
	var tiles iter.Seq[[]float64] = func(yield func([]float64) bool) {
		for i := range count {
			if !yield(f.squares[i*width*m:][:known[i]]) {
				return
			}
		}
	}
	f.loss = tuner.Tune(f.visible(tiles, 1))
}

// visible returns the squared residuals, each a sum over m entries, or one of
// the size below which rounding errors take over where they are all smaller: a
// scale must not follow those.
func (f *fit) visible(s iter.Seq[[]float64], m int) iter.Seq[[]float64] {
	if least := 1e-24 * f.largest * f.largest * float64(m); mean(s) < least {
		return oneTile([]float64{least})
	}
	return s
}

// rounding returns by how much rounding errors in the residuals may change the
// objective, so that an exact fit neither goes on for ever nor seems to diverge.
func (f *fit) rounding() float64 {
	m, n := f.x.Dims()
	loss, terms, s := f.loss, float64(m)*float64(n), 1e-28*f.largest*f.largest
	if c, ok := loss.(ByColumn); ok {
		loss, terms, s = c.Loss, float64(n), s*float64(m)
	} else if f.mask != nil {
		terms *= mat.Max(f.mask)
	}
	above, _ := loss.Rho(s)
	at, _ := loss.Rho(0)
	return terms * (above - at)
}

// loadResidual fills X, V, E and the mask of a tile, without weights.
func (t *Tile) loadResidual(q *Quadratic, v *mat.Dense, first, b int) {
	plain := Quadratic{U: q.U, m: q.m, n: q.n, r: q.r, x: q.x, mask: q.mask, trans: q.trans, loss: Frobenius{}}
	if q.mask != nil {
		t.load(&plain, v, first, b) // loads E, as a mask makes it Weighted
		return
	}
	t.load(&plain, v, first, b)
	t.residual()
}

// kkt returns how far an exact coordinate step would still move the factors,
//
//	max over V ∈ {W, H} of ‖V − max(0, V − ∇/(2·curvature))‖_F / ‖V‖_F,
//
// which is 0 exactly where the KKT conditions V ≥ 0, ∇ ≥ 0, V∘∇ = 0 hold, and
// does not depend on the units of X.
func (f *fit) kkt() float64 {
	if f.onlyH {
		return f.kktOf(false)
	}
	return max(f.kktOf(false), f.kktOf(true))
}

func (f *fit) kktOf(ofW bool) float64 {
	q, v, penalties := f.quadratic(ofW), f.h, f.model.OnH
	if ofW {
		v, penalties = f.wt, f.model.OnW
		if q.sample == rows && !isFrobenius(q.loss) {
			q.row = f.columnSquares()
			for j, s := range q.row {
				_, q.row[j] = q.loss.Rho(s)
			}
		}
	}
	for _, p := range penalties {
		p.Majorize(q, v)
	}
	width := tileWidth(q.m, q.n, 2)
	count := (q.n + width - 1) / width
	moved := make([]float64, count)
	u := q.U.RawMatrix().Data
	uu := make([]float64, len(u))
	for i, a := range u {
		uu[i] = a * a
	}
	f.pool.each(count, func(t *Tile, i int) {
		t.load(q, v, i*width, min(width, q.n-i*width))
		if !q.Weighted() {
			t.residual()
		}
		t.weigh() // the slopes as they are: load may leave out those of columns
		moved[i] = t.moved(u, uu)
	})
	norm := mat.Norm(v, 2)
	if norm == 0 {
		norm = 1
	}
	return math.Sqrt(total(moved)) / norm
}

// moved returns the squared length of one exact step of all coordinates at once;
// uu is U∘U.
func (t *Tile) moved(u, uu []float64) float64 {
	m, r, b := t.M, t.R, t.B
	space := t.Space(2 * r * b)
	num, den := space[:r*b], space[r*b:]
	for i, w := range t.Omega {
		t.E[i] *= w
	}
	kernel.AddCross(num, u, t.E, m, r, b)
	kernel.AddCross(den, uu, t.Omega, m, r, b)
	var sum float64
	for i, v := range t.V {
		n, d := num[i], den[i]
		if t.C != nil {
			n += t.C[i]
		}
		if t.D != nil {
			n -= t.D[i] * v
			d += t.D[i]
		}
		x := v - step(v, n, d)
		sum += x * x
	}
	return sum
}

// total sums in order, so that the number of goroutines does not matter.
func total(parts []float64) float64 {
	var sum float64
	for _, p := range parts {
		sum += p
	}
	return sum
}
