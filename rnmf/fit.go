package rnmf

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// A fit is the state of a running factorisation. Both factors are kept with r
// rows, so that the two half-steps are the same code.
type fit struct {
	model   Model
	x, mask *mat.Dense
	wt, h   *mat.Dense // r×m, r×n
	loss    Loss       // at the scale of the round
	rho     Loss       // the function in it
	columns bool       // it is applied to norms of columns: loss is ByColumn
	tuning  Tuning     // estimates it, nil if it is given or final
	solverW Solver
	solverH Solver
	pool    *workspace
	onlyH   bool // W stays as it is

	largest  float64      // magnitude in X
	median   float64      // magnitude in X, -1 before usual is asked for it
	heaviest float64      // weight in the mask, or 1
	heavy    []float64    // the heaviest of each column, nil without a mask
	norms    [2][]float64 // squared norms of the columns and rows of X
	lengths  float64      // the sum of those of the columns, weighed
	weights  float64      // the sum of their weights, 0 before it is asked for
	cross    []float64    // WᵀX, nil if unknown
	gram     []float64    // WᵀW, with it

	next      *mat.Dense // H after the H half-step of the round to come
	ahead     bool       // next is up to date
	residuals *Residuals // those of the round to come, for its scale
	tuned     bool       // the scale has been estimated for this round

	trace   Trace
	reason  Reason
	reached float64 // the objective of the factors once run is over
	spent   time.Duration
	due     time.Duration // for what is done ahead
}

// run goes round after round until there is a reason to stop; seen is called
// after each, and ends the fit without a reason by returning false.
//
// The objective of a round is known only from the residuals of its factors, and
// these are what the H half-step of the round to come begins with. So that
// half-step is done ahead, on a copy, and the objective comes out of its weights
// for next to nothing.
func (f *fit) run(seen func() bool) {
	maxIter, tol := f.model.MaxIter, f.model.Tol
	if maxIter == 0 {
		maxIter = 500
	}
	if tol == 0 {
		tol = 1e-5
	}
	f.model.Tol = tol
	f.next = mat.DenseCopyOf(f.h)
	if !f.begin() {
		f.reason = Cancelled
		return
	}
	if !seen() {
		return
	}
	first := f.trace[0].Objective
	best := kept{objective: first} // of this scale
	var last kept                  // the last one whose objective is known
	var push momentum
	since := 0 // rounds since the last one whose objective is known
	for round := 1; f.reason == 0; round++ {
		if since == 0 {
			last.keep(f.wt, f.h, f.trace[len(f.trace)-1].Objective)
		}
		since++
		before := f.loss
		retuned := f.residuals != nil && round > 1
		if retuned {
			f.tune()
			if last.objective = f.look(); !f.pool.Stop() {
				best = kept{objective: last.objective}
			}
		}
		fixed := !f.tunesIn(round + 1)
		untraced := since < f.model.TraceEvery && round < maxIter && fixed && !retuned && !f.extrapolates()
		var reached float64
		if untraced {
			f.pass()
		} else {
			reached = f.round(round, &last, &push, fixed && !retuned, round < maxIter)
		}
		if f.pool.Stop() {
			f.wt, f.h = last.wt, last.h
			f.setLoss(before)
			f.reason = Cancelled
			break
		}
		if untraced {
			continue
		}
		start := last.objective
		switch {
		case math.IsNaN(reached) || math.IsInf(reached, 0) || f.explodes(reached, 10*(math.Abs(first)+math.Abs(start))):
			f.reason = Diverged
			f.wt, f.h = last.wt, last.h
		case mat.Equal(last.wt, f.wt) && mat.Equal(last.h, f.h):
			f.reason = Stalled
			if reached == 0 || f.kkt() < 1e-6 {
				f.reason = Converged // at a minimum nothing can change
			}
		case f.settled(start, reached, since):
			f.reason = Converged
		case round >= maxIter:
			f.reason = MaxIter
		}
		if f.reason != 0 && f.reason != Diverged && f.collapsed() {
			f.reason = Collapsed
		}
		since = 0
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
	f.reached = f.trace[len(f.trace)-1].Objective
	if best.wt != nil {
		f.wt, f.h, f.reached = best.wt, best.h, best.objective
	}
}

// begin finds the scale and the objective of the start, and tells whether it could:
// if the fit is cancelled that far, only where it is little work, so that then too
// there is something to return.
func (f *fit) begin() bool {
	scale := func() {
		if f.tuning != nil {
			f.measure()
			f.tune()
		}
	}
	if f.little() {
		f.resume(scale)
	} else {
		scale()
	}
	objective := f.look()
	if f.pool.Stop() {
		if !f.little() {
			return false
		}
		f.resume(func() { objective = f.objective() })
	}
	f.record(0, objective)
	return true
}

// little tells whether a pass over the data takes some milliseconds at most.
func (f *fit) little() bool {
	m, n := f.x.Dims()
	return m*n*f.model.Rank <= 1<<24
}

// round does both half-steps and returns the objective that they reach. The
// factors are pushed further the way they go as long as that pays, if a push is
// allowed: the scale must be the same before and after.
func (f *fit) round(round int, last *kept, push *momentum, mayPush, goesOn bool) float64 {
	if !mayPush || !f.extrapolates() {
		push.reset()
		f.stepH()
		f.timed(f.stepW)
		return f.reach(round, goesOn)
	}
	f.stepH()
	cross, gram := f.cross, f.gram
	push.extrapolate(0, f.h)
	f.timed(f.stepW)
	push.extrapolate(1, f.wt)
	// A push that gains next to nothing has gone too far as well, and must not end
	// the fit.
	least := max(f.model.Tol, 1e-9) * math.Abs(last.objective)
	if reached := f.reach(round, true); !push.tried || reached <= last.objective-least || f.pool.Stop() {
		push.accept()
		return reached
	}
	// The plain round, whose H half-step is already there.
	push.reject()
	f.pay()
	f.ahead = false
	f.h.Copy(push.plain[0])
	f.wt.Copy(last.wt)
	f.cross, f.gram = cross, gram
	f.timed(f.stepW)
	return f.reach(round, goesOn)
}

// reach returns the objective of the current factors, and gets the residuals
// that the round to come needs, or does its first half-step.
func (f *fit) reach(round int, goesOn bool) float64 {
	if f.pool.Stop() {
		return math.NaN()
	}
	if !goesOn {
		return f.objective()
	}
	if f.tunesIn(round + 1) {
		return f.measure()
	}
	f.tuned = false
	return f.look()
}

// pass does a round whose objective is not wanted, and the first half-step of the
// next.
func (f *fit) pass() {
	f.stepH()
	f.timed(f.stepW)
	if !f.pool.Stop() {
		f.tuned = false
		f.foresee(nil)
	}
}

// underWay reports whether a loss is still on its way to the one that is wanted: the
// objective of what it is now is none to end a fit by, nor a scale to stay at.
func (f *fit) underWay() bool {
	l, _ := unpack(f.model.Loss)
	switch l.(type) {
	case TwoStage, Manhattan, *TwoStage, *Manhattan:
		return f.tuning != nil
	}
	return false
}

// tunesIn reports whether the scale is estimated again in a round.
func (f *fit) tunesIn(round int) bool {
	return f.tuning != nil && (f.model.TuneFor == 0 || round <= f.model.TuneFor || f.underWay())
}

// look does the H half-step of the round to come on a copy of H, and returns the
// objective of the current factors.
func (f *fit) look() float64 {
	q := f.foresee(f.h)
	if math.IsNaN(q.seen.loss) && !f.pool.Stop() {
		return f.objective() // the solver cannot tell
	}
	return q.seen.loss + f.penalties()
}

// foresee does that half-step, and takes the loss at the H given, unless that is nil.
func (f *fit) foresee(from *mat.Dense) *Quadratic {
	begin := time.Now()
	q := f.quadratic(false)
	q.seen.from = from
	f.next.Copy(f.h)
	improve(q, f.next, f.model.OnH, f.solverH)
	f.ahead, f.cross, f.gram = true, q.seen.cross, q.seen.gram
	f.due += time.Since(begin)
	return q
}

// stepH takes the H that look has made, or makes it.
func (f *fit) stepH() {
	if !f.ahead {
		f.look()
	}
	f.pay()
	f.h, f.next, f.ahead = f.next, f.h, false
}

// pay adds what was done ahead to the seconds of the algorithm, once it is used.
func (f *fit) pay() {
	f.spent += f.due
	f.due = 0
}

// stepW does the W half-step.
func (f *fit) stepW() {
	if f.onlyH {
		return
	}
	improve(f.quadraticOfW(), f.wt, f.model.OnW, f.solverW)
	f.cross, f.gram = nil, nil
}

// improve lowers the quadratic of a half-step.
func improve(q *Quadratic, v *mat.Dense, penalties []Penalty, s Solver) {
	for _, p := range penalties {
		p.Majorize(q, v)
	}
	s.Improve(q, v)
	if constraint(s) == nil {
		q.settle(v)
	}
}

// extrapolates reports whether the factors are extrapolated between rounds.
func (f *fit) extrapolates() bool { return extrapolates(f.solverW) && extrapolates(f.solverH) }

// kept are factors put aside, and their objective.
type kept struct {
	wt, h     *mat.Dense
	objective float64
}

func (k *kept) keep(wt, h *mat.Dense, objective float64) {
	if k.wt == nil {
		k.wt, k.h = mat.DenseCopyOf(wt), mat.DenseCopyOf(h)
	} else {
		k.wt.Copy(wt)
		k.h.Copy(h)
	}
	k.objective = objective
}

// timed adds what work takes to the seconds of the algorithm.
func (f *fit) timed(work func()) {
	t := time.Now()
	work()
	f.spent += time.Since(t)
}

// resume lets work run to its end although the fit is cancelled.
func (f *fit) resume(work func()) {
	stop := f.pool.Stop
	f.pool.Stop = func() bool { return false }
	work()
	f.pool.Stop = stop
}

func (f *fit) record(round int, objective float64) {
	p := Point{Round: round, Seconds: f.spent.Seconds(), Objective: objective, Scale: scaleNow(f.loss), KKT: -1}
	if f.model.TraceKKT {
		if p.KKT = f.kkt(); f.pool.Stop() {
			p.KKT = -1
		}
	}
	f.trace = append(f.trace, p)
}

// quadratic sets up a half-step: of W on the transposed data, or of H.
func (f *fit) quadratic(ofW bool) *Quadratic {
	m, n := f.x.Dims()
	r := f.model.Rank
	q := &Quadratic{U: f.wt, m: m, n: n, r: r, data: data{x: f.x, mask: f.mask, norms: f.norms[0]}, loss: f.rho,
		retuned: f.tuned, pool: f.pool, seen: &observed{loss: math.NaN()}}
	q.follows = !ofW && !f.onlyH && len(f.model.OnW) == 0
	q.signedU = !ofW && leavesSigns(f.solverW)
	if f.columns {
		q.sample = columns
	}
	if ofW {
		q.U, q.m, q.n, q.trans, q.norms = f.h, n, m, true, f.norms[1]
		if f.columns {
			q.sample = rows
		}
	}
	q.layout = f.pool.layOut(q.U)
	return q
}

// eachResidual calls visit with every tile of the columns of X; its E is the
// residual.
func (f *fit) eachResidual(visit func(t *Tile, i int)) (count int) {
	q := f.quadratic(false)
	width := tileWidth(q.m, q.n, 2)
	count = (q.n + width - 1) / width
	q.layout.prepareProduct()
	w := &walk{need: needE}
	f.pool.share(count, q.m*q.n*q.r, func(t *Tile, i int) {
		t.load(q, w, f.h, i*width, min(width, q.n-i*width))
		visit(t, i)
	})
	return count
}

// objective evaluates the loss and the penalties.
func (f *fit) objective() float64 {
	q := f.quadratic(false)
	sums := make([]float64, q.n)
	count := f.eachResidual(func(t *Tile, i int) {
		if q.sample == columns {
			s := make([]float64, t.B)
			kernel.SquaredNorms(s, t.E, t.mask, t.M, t.B)
			sums[i] = lossOfSquares(q.loss, s)
			return
		}
		sums[i] = t.lossOfEntries()
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
	if f.cross != nil && f.gram != nil {
		r, h := f.model.Rank, f.h.RawMatrix().Data
		square := f.pool.layOut(f.wt).square(f.gram)
		const width = 48
		lost := make([]bool, (n+width-1)/width)
		f.pool.share(len(lost), r*r*n, func(t *Tile, i int) {
			first, b := i*width, min(width, n-i*width)
			space := t.Space(3 * r * b)
			v, n, gv := space[:r*b], space[r*b:][:r*b], space[2*r*b:]
			kernel.Load(v, h, f.h.RawMatrix().Stride, false, first, r, b)
			kernel.Load(n, f.cross, len(s), false, first, r, b)
			square.Add(gv, v, b)
			lost[i] = !gramSquares(s[first:][:b], f.norms[0][first:], n, gv, v, r, b)
		})
		if !slices.Contains(lost, true) {
			return s
		}
	}
	return f.squaredNorms()
}

// squaredNorms returns the squared norms of the columns of the residual, from the
// residual itself: in differences of Gram matrices digits cancel.
func (f *fit) squaredNorms() []float64 {
	_, n := f.x.Dims()
	s := make([]float64, n)
	f.eachResidual(func(t *Tile, _ int) {
		kernel.SquaredNorms(s[t.First:][:t.B], t.E, t.mask, t.M, t.B)
	})
	return s
}

// measure puts the distribution of the current residuals aside for tune, and
// returns the objective.
func (f *fit) measure() float64 {
	begin := time.Now()
	defer func() { f.due += time.Since(begin) }()
	m, n := f.x.Dims()
	q := f.quadratic(false)
	byColumn := q.sample == columns
	size := min(f.largest, grossData*f.usual())
	zeros := f.largest == 0 // X has nothing else to take a scale from
	if zeros {
		size = float64(f.model.Rank) * max(mat.Max(f.wt), -mat.Min(f.wt)) * mat.Max(f.h)
	}
	largest := size * size
	if byColumn {
		largest *= float64(m) * f.heaviest
	}
	losses, sums, counts := make([]float64, n), make([]float64, n), make([]float64, n)
	all := newResiduals(largest)
	f.eachResidual(func(t *Tile, i int) {
		if t.seen == nil {
			t.seen = newResiduals(largest)
		}
		if byColumn {
			s := make([]float64, t.B)
			kernel.SquaredNorms(s, t.E, t.mask, t.M, t.B)
			for _, v := range s {
				t.seen.add(v)
			}
			losses[i], sums[i], counts[i] = lossOfSquares(q.loss, s), total(s), float64(t.B)
			return
		}
		for k := range t.M {
			var mask []float64
			if t.mask != nil {
				mask = t.mask[k*t.B:][:t.B]
			}
			var x []float64
			if !zeros {
				x = f.x.RawRowView(k)[t.First:][:t.B]
			}
			sum, count := t.seen.addAll(t.E[k*t.B:][:t.B], x, mask)
			sums[i], counts[i] = sums[i]+sum, counts[i]+count
		}
		losses[i] = t.lossOfEntries()
	})
	for _, t := range f.pool.tiles {
		if t.seen != nil {
			all.merge(t.seen)
			t.seen = nil
		}
	}
	all.close(total(sums) / total(counts))
	all.data = f.usual()
	if byColumn {
		all.data *= math.Sqrt(float64(m) * f.heaviest)
	}
	// A scale must not follow rounding errors.
	least := 1e-24 * size * size
	if byColumn {
		least *= float64(m) * f.heaviest
	}
	if !(all.mean >= least) { // also where there are none
		all = ResidualsOf(least)
	}
	f.residuals = all
	return total(losses) + f.penalties()
}

// tune lets the loss estimate its scale from the residuals put aside.
func (f *fit) tune() {
	f.pay()
	if !f.pool.Stop() { // if not, they are incomplete, and the fit is over
		var settled bool
		var next Loss
		if next, settled = f.tuning(f.residuals); settled {
			f.tuning = nil
		}
		f.setLoss(next)
	}
	f.residuals, f.ahead, f.tuned = nil, false, f.tuning != nil
}

// setLoss sets the loss of the rounds to come.
func (f *fit) setLoss(l Loss) {
	f.loss = l
	f.rho, f.columns = unpack(l)
}

// kkt returns how far an exact coordinate step would still move the factors,
//
//	max over V ∈ {W, H} of ‖V − max(0, V − ∇/(2·curvature))‖_F / ‖V‖_F,
//
// which is 0 exactly where the KKT conditions V ≥ 0, ∇ ≥ 0, V∘∇ = 0 hold, and
// does not depend on the units of X.
func (f *fit) kkt() float64 {
	if constraint(f.solverW) != nil || constraint(f.solverH) != nil {
		return f.moves()
	}
	if f.onlyH {
		return f.kktOf(false)
	}
	return max(f.kktOf(false), f.kktOf(true))
}

func (f *fit) kktOf(ofW bool) float64 {
	q, v, penalties := f.quadratic(ofW), f.h, f.model.OnH
	if ofW {
		v, penalties = f.wt, f.model.OnW
		q.weighRows(f.squaredNorms)
	}
	for _, p := range penalties {
		p.Majorize(q, v)
	}
	q.apart(v)
	width := tileWidth(q.m, q.n, 2)
	count := (q.n + width - 1) / width
	moved := make([]float64, count)
	u, uu := q.layout.cross(), q.layout.squares()
	w := &walk{need: needE}
	f.pool.share(count, q.m*q.n*q.r, func(t *Tile, i int) {
		t.load(q, w, v, i*width, min(width, q.n-i*width))
		t.weigh() // the slopes as they are: loadWeights may leave out those of columns
		moved[i] = t.moved(u, uu)
	})
	return relative(math.Sqrt(total(moved)), v)
}

// moves takes the place of kkt where a factor lies in another set than V ≥ 0: how far
// another half-step of the solvers moves them, relative to their norm.
func (f *fit) moves() float64 {
	far := moved(f.quadratic(false), f.h, f.model.OnH, f.solverH)
	if f.onlyH {
		return far
	}
	return max(far, moved(f.quadraticOfW(), f.wt, f.model.OnW, f.solverW))
}

func moved(q *Quadratic, v *mat.Dense, penalties []Penalty, s Solver) float64 {
	if c := constraint(s); c != nil {
		s = c.Probe()
	}
	to := mat.DenseCopyOf(v)
	for _, p := range penalties {
		p.Majorize(q, to)
	}
	s.Improve(q, to)
	to.Sub(to, v)
	return relative(mat.Norm(to, 2), v)
}

// quadraticOfW is the half-step of W, with the weights of the samples under ByColumn.
func (f *fit) quadraticOfW() *Quadratic {
	q := f.quadratic(true)
	q.weighRows(f.columnSquares)
	return q
}

// weighRows sets the weights of the samples, which are rows, from the squared norms of
// their residuals.
func (q *Quadratic) weighRows(squares func() []float64) {
	if q.sample != rows || isFrobenius(q.loss) {
		return
	}
	q.row = squares()
	for j, s := range q.row {
		_, q.row[j] = q.loss.Rho(s)
	}
}

// relative returns a length as a share of that of v, where v is not 0. From tiny
// entries a step can be longer by more than a number holds.
func relative(length float64, v *mat.Dense) float64 {
	norm := mat.Norm(v, 2)
	if norm == 0 {
		norm = 1
	}
	return min(length/norm, math.MaxFloat64)
}

// moved returns the squared length of one exact step of all coordinates at once;
// uu is U∘U.
func (t *Tile) moved(u, uu *kernel.Cross) float64 {
	r, b := t.R, t.B
	space := t.Space(2 * r * b)
	num, den := space[:r*b], space[r*b:]
	kernel.Mul(t.E, t.Omega)
	u.Add(num, t.E, b)
	uu.Add(den, t.Omega, b)
	if t.C != nil {
		for i, c := range t.C {
			num[i] += c
		}
	}
	if t.D != nil {
		for i, d := range t.D {
			num[i] -= d * t.V[i]
			den[i] += d
		}
	}
	kernel.Step(t.V, num, num, den) // of this tile alone; the factor keeps its V
	sum, _ := kernel.SumSquares(num, nil)
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

// lengths returns the squared norms of the columns and of the rows of X, and the
// largest magnitude in it.
func lengths(x *mat.Dense, stop func() bool) (norms [2][]float64, largest float64) {
	m, n := x.Dims()
	norms = [2][]float64{make([]float64, n), make([]float64, m)}
	raw := x.RawMatrix()
	if !work.Pieces(m, 8*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			row := x.RawRowView(i)
			norms[1][i], _ = kernel.SumSquares(row, nil)
			for j, v := range row {
				if raw.Stride != n {
					norms[0][j] += v * v
				}
				if a := math.Abs(v); a > largest {
					largest = a
				}
			}
		}
	}) {
		return norms, largest
	}
	if raw.Stride == n {
		kernel.SquaredNorms(norms[0], raw.Data, nil, m, n)
	}
	return norms, largest
}
