package rnmf

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A Quadratic is the upper bound of the objective that one half-step lowers: over the factor V ≥ 0
// (r×n) with the other factor U (r×m) fixed,
//
//	q(V) = Σ Ω∘(X − UᵀV)² + Σ D∘V² − 2 Σ C∘V + λ tr(VLVᵀ) + constant,
//
// with the Poisson deviances of X and UᵀV in place of squares if Family is Poisson,
// where Ω are the slopes of the loss at the V the half-step starts from, and the last term is there
// with a Laplacian only. (Under ByColumn without penalties or a mask Ω is 1 in the half-step of H, as no
// weight changes which v_j is best for x_j: a Solver that trades columns against each other takes their
// weights from Loss.) In the H half-step U is Wᵀ and V is H; in the W half-step the roles
// change, X is the transposed data, U is H and V is Wᵀ. A Solver sees no difference.
//
// Nothing of the size of X is ever stored: a Solver works on one Tile after the other, each of
// which brings its part of X, the residual and the weights.
type Quadratic struct {
	U *mat.Dense // r×m, not to be changed

	m, n, r int
	data
	loss     Loss
	sample   axis
	row      []float64  // weights of the m rows, where those are samples under ByColumn or CellCase
	floor    float64    // ε² > 0 under CellCase
	c, d     *mat.Dense // nil while no penalty has asked for them
	graph    coupling   // of columns
	refused  *coupling  // one that cannot be
	additive float64    // > 0: the additive form, with this L as the weight of all

	pool     *workspace
	layout   *layout // of U
	gram     *grams
	observed *observed // shared with the additive form
}

// A coupling is λ tr(VLVᵀ) with the Laplacian of a graph, which is nil if there is none.
type coupling struct {
	graph  *Graph
	lambda float64
}

// data is X as the user gave it, and how a half-step sees it.
type data struct {
	x, mask *mat.Dense // mask nil if all entries count
	trans   bool       // the W half-step works on the transpose of x
	norms   []float64  // squared norms of the n columns; under Poisson their sums
	family  Family
}

// observed is what a half-step also computes, at the V that it starts from.
type observed struct {
	lossAt      *mat.Dense // that V, if its loss is wanted and not known yet
	loss        float64    // there, NaN if unknown
	cross, gram []float64  // UX and UUᵀ, which give ‖x_j − Uᵀv_j‖² for any V; or nil
}

// axis is what a loss is taken of, and where samples lie in a Quadratic.
type axis int

const (
	entries axis = iota // the loss is taken of each entry
	columns             // of samples, which are columns: the H half-step
	rows                // of samples, which are rows: the W half-step
)

// Dims returns the shapes: U is r×m, V is r×n.
func (q *Quadratic) Dims() (m, n, r int) { return q.m, q.n, q.r }

// Linear returns C (r×n), for a Penalty to add to.
func (q *Quadratic) Linear() *mat.Dense {
	if q.c == nil {
		q.c = mat.NewDense(q.r, q.n, nil)
	}
	return q.c
}

// Diagonal returns D (r×n), for a Penalty to add to. It must stay non-negative.
func (q *Quadratic) Diagonal() *mat.Dense {
	if q.d == nil {
		q.d = mat.NewDense(q.r, q.n, nil)
	}
	return q.d
}

// Weighted reports whether Ω differs from entry to entry, so that a Tile has E and Omega. If not, Ω
// is row_i·col_j, and products with U and UUᵀ replace all sums over entries.
func (q *Quadratic) Weighted() bool {
	return q.additive == 0 && (q.mask != nil || q.family != Gaussian || q.sample == entries && !isSquared(q.loss))
}

// plain reports whether tiles need no residual.
func (q *Quadratic) plain() bool {
	return !q.Weighted() && q.additive == 0 && !(q.sample == columns && q.penalised())
}

// penalised reports whether q has more than the weighted squares.
func (q *Quadratic) penalised() bool { return q.c != nil || q.d != nil || q.graph.graph != nil }

// Additive returns the problem in the additive form: since ω ≤ L, the slope of the loss at 0,
//
//	ω(x − y)² ≤ L(x − s − y)² + constant,   s = (1 − ω/L)(x − y₀),
//
// with equality at y₀ = Uᵀv₀ of the start. The outliers s are subtracted from X; all weights are L.
// Under CellCase ω and L are those of the entries alone, and all weights of a sample c_j L.
func (q *Quadratic) Additive() *Quadratic {
	a := *q
	a.gram = new(grams)
	if _, a.additive = q.loss.Rho(0); !(a.additive > 0) || math.IsInf(a.additive, 0) {
		a.additive = 1 // this is no loss: there is no such L
	}
	if q.mask != nil {
		a.additive *= mat.Max(q.mask)
	}
	return &a
}

// grams are G and the U of UX, which are made once.
type grams struct {
	sync.Once
	cross *kernel.Cross
	g     []float64
}

// Gram returns G = U·diag(Row)·Uᵀ (r×r, row by row), with Row the weights of samples that are rows;
// where q is Weighted it is UUᵀ. In the additive form the weights of the rows have gone into the data,
// and only the bound is left, which is in Tile.Col; under CellCase those of samples are left. G must
// not be changed.
func (q *Quadratic) Gram() []float64 { return q.makeGram(q.pool.sharing(q.m * q.r * q.r / 2)).g }

// makeGram makes G and what UX is computed with, when it is first asked for.
func (q *Quadratic) makeGram(share kernel.Share) *grams {
	q.gram.Do(func() {
		q.gram.g = make([]float64, q.r*q.r)
		c := q.layout.crossBy(share)
		q.gram.cross = c
		if q.row != nil && (q.additive == 0 || q.floor > 0) && !q.Weighted() {
			q.gram.cross = q.layout.rows(q.row, share)
		}
		kernel.GramShared(q.gram.g, c, q.gram.cross, share)
		if q.gram.cross == c && !q.Weighted() {
			q.observed.gram = q.gram.g
		}
	})
	return q.gram
}

// Loss returns the ρ of the loss whose bound q is, at its present scale. ofEntries reports whether the
// loss is Σ Mask∘ρ(E²), and byColumn whether it is Σ_j ρ(‖e_j‖²) over the columns of X here, as it is
// under ByColumn in the half-step of H.
func (q *Quadratic) Loss() (rho Loss, ofEntries, byColumn bool) {
	return q.loss, q.sample == entries && q.floor == 0, q.sample == columns
}

// SquaredNorms returns the squared norms of the n columns of X, which with Gram and Tile.Cross give the
// squared norms of the columns of the residual. They must not be changed.
func (q *Quadratic) SquaredNorms() []float64 { return q.norms }

// Stopped reports whether the fit has been cancelled. A Solver that works for long outside Tiles looks
// from time to time, and returns; what it leaves in V is not used.
func (q *Quadratic) Stopped() bool { return q.pool.Stop() }

// Each calls f for 0..n−1 on the goroutines of the fit, in any order; work is the number of
// multiply-adds in all, and where that is little the caller does it alone. f must touch nothing that
// another call touches. A cancelled fit skips the rest.
func (q *Quadratic) Each(n, work int, f func(i int)) {
	q.pool.share(n, work, func(_ *Tile, i int) { f(i) })
}

// A walk is what all tiles of one pass over the data share.
type walk struct {
	wantsLoss bool       // they have the V whose loss is wanted
	rho       kernel.Rho // the loss, for Tile.split
	fused     bool       // the kernels know it, and make Ω∘X and Ω∘UᵀV at once
}

// Tiles hands the columns of v to f, tile by tile, and stores the V that f leaves. Tiles are
// handled by several goroutines at once, in any order; f must touch nothing outside its tile. The
// split does not depend on their number, so neither does the result. A cancelled fit skips the
// rest.
//
// Where columns are coupled the tiles of one class of columns come after those of another: see
// Couple.
func (q *Quadratic) Tiles(v *mat.Dense, f func(t *Tile)) {
	if q.graph.graph != nil {
		q.byClasses(v, f)
	} else {
		q.inOrder(v, f)
	}
}

// walk begins a pass over the data from v. The objective of a fit is the loss that the first pass sees
// which begins where the half-step begins. A Solver, ours or a stranger's, may do something with v before,
// or begin with another matrix, so v is compared; that costs nothing next to a pass. Where no pass begins
// there, the fit computes its objective itself, by a pass of its own.
func (q *Quadratic) walk(v *mat.Dense) *walk {
	w := &walk{wantsLoss: q.observed.lossAt != nil && mat.Equal(q.observed.lossAt, v)}
	if q.mask == nil && q.Weighted() {
		if w.rho, w.fused = rhoOf(q.loss, math.Inf(1)); q.floor > 0 || q.family != Gaussian {
			w.fused = false // the weights of samples come first
		}
	}
	return w
}

// handle lets f improve a tile.
func (t *Tile) handle(q *Quadratic, w *walk, v *mat.Dense, first, b int, f func(t *Tile)) {
	t.load(q, w, v, first, b)
	if !q.Weighted() {
		t.loadScales()
	}
	f(t)
	t.store(v)
}

// takeLoss takes the loss that the tiles of a walk have found.
func (q *Quadratic) takeLoss(w *walk, losses []float64) {
	if w.wantsLoss {
		q.observed.loss, q.observed.lossAt = total(losses), nil
	}
}

// inOrder hands out tiles of neighbouring columns. If f computes UX, q.observed keeps it.
func (q *Quadratic) inOrder(v *mat.Dense, f func(t *Tile)) {
	width := q.tileWidth()
	count := (q.n + width - 1) / width
	q.observed.cross = nil
	if q.sample == columns && q.additive == 0 && q.mask == nil {
		q.observed.cross = make([]float64, q.r*q.n)
	}
	if !q.plain() {
		q.layout.prepareProduct()
	}
	w, losses := q.walk(v), make([]float64, count)
	var without atomic.Bool // UX
	q.pool.each(count, func(t *Tile, i int) {
		t.handle(q, w, v, i*width, min(width, q.n-i*width), f)
		losses[i] = t.loss
		if !t.hasCross {
			without.Store(true)
		}
	})
	if without.Load() {
		q.observed.cross = nil
	}
	q.takeLoss(w, losses)
}

// tileWidth chooses the width of tiles for a Solver. As solvers pass over E and Ω once for every
// two components, a quarter of the second-level cache serves best.
func (q *Quadratic) tileWidth() int {
	switch {
	case q.Weighted():
		const bytes = 128 << 10
		return min(max(bytes/(2*8*max(q.m, 1))/8*8, 8), 24, max(q.n, 1))
	case q.plain():
		return min(max(q.n/24/12*12, 24), 48, max(q.n, 1)) // enough tiles for some processors
	case q.additive > 0:
		return tileWidth(q.m, q.n, 2)
	}
	return tileWidth(q.m, q.n, 1)
}

// tileWidth chooses the width of tiles so that the given number of them, X or E and Ω, fit the
// second-level cache together, as a multiple of the 12 columns that the kernels take at once.
func tileWidth(m, n, tiles int) int {
	const bytes = 512 << 10
	b := bytes / (tiles * 8 * max(m, 1)) / 12 * 12
	return min(max(b, 12), 36, max(n, 1))
}

// minimiseUnused minimises the penalties over the components of V whose row of U is 0: the fit of X
// does not depend on them, and solvers leave them, as q may have no curvature there. So where H has
// lost a component W loses it too, and its penalty.
func (q *Quadratic) minimiseUnused(v *mat.Dense) {
	if q.c == nil || q.graph.graph != nil {
		return
	}
	for k := range q.r {
		if slices.ContainsFunc(q.U.RawRowView(k), func(u float64) bool { return u != 0 }) {
			continue
		}
		vk := v.RawRowView(k)
		for j, c := range q.c.RawRowView(k) {
			var d float64
			if q.d != nil {
				d = q.d.At(k, j)
			}
			vk[j] = Minimiser(vk[j], c-d*vk[j], d)
		}
	}
}

// Minimiser returns max(0, v + n/d), the minimiser of d·x² − 2(n + d·v)x over x ≥ 0: a coordinate step,
// where n is −½ of the derivative at v and d half of the second one. With d = 0 that is
// linear: where it is constant v stays, where it increases the minimum is at 0, and it cannot
// decrease, as a penalty that raises V has curvature. The result is below MaxFactor if v is.
func Minimiser(v, n, d float64) float64 {
	if d > 0 {
		if x := v + n/d; x > 0 && x < MaxFactor {
			return x
		} else if x <= 0 {
			return 0
		}
		return v // n/d overflowed: d is rounding
	}
	if n < 0 {
		return 0
	}
	return v
}

// MaxFactor bounds the entries of the factors: a Solver keeps them below. It is far above what any fit
// of data within range needs, and its square can be summed without overflow.
const MaxFactor = 1e120

// AddProduct adds AB to dst, with A of rows×inner and B of inner×cols, all row by row without gaps. It
// has the same bits on every processor, whatever cols is.
func AddProduct(dst, a, b []float64, rows, inner, cols int) {
	kernel.AddCross(dst, a, b, inner, rows, cols)
}
