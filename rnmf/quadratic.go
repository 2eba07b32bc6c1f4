package rnmf

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A Quadratic is the upper bound of the objective that one half-step lowers: over the factor V ≥ 0
// (r×n) with the other factor U (r×m) fixed,
//
//	q(V) = Σ Ω∘(X − UᵀV)² + Σ D∘V² − 2 Σ C∘V + λ tr(VLVᵀ) + constant,
//
// where Ω are the slopes of the loss at the V the half-step starts from, and the last term is there
// with a Laplacian only. In the H half-step U is Wᵀ and V is H; in the W half-step the roles
// change, X is the transposed data, U is H and V is Wᵀ. A Solver sees no difference.
//
// Nothing of the size of X is ever stored: a Solver works on one Tile after the other, each of
// which brings its part of X, the residual and the weights.
type Quadratic struct {
	U *mat.Dense // r×m, not to be changed

	m, n, r int
	data
	loss   Loss
	sample axis
	row    []float64  // weights of the m rows, where those are samples under ByColumn
	c, d   *mat.Dense // nil while no penalty has asked for them
	graph  Laplacian  // its Graph is nil if there is none
	bound  float64    // > 0: the additive form, with this weight for all

	signedU bool // U may have negative entries
	follows bool // the next half-step takes W to its minimum, without penalties
	retuned bool // the scale of the loss has just been estimated

	pool   *workspace
	layout *layout   // of U
	seen   *observed // shared with the additive form
}

// data is X as the user gave it, and how a half-step sees it.
type data struct {
	x, mask *mat.Dense // mask nil if all entries count
	trans   bool       // the W half-step works on the transpose of x
	norms   []float64  // squared norms of the n columns
}

// observed is what a half-step also computes, at the V that it starts from.
type observed struct {
	from        *mat.Dense // that V, if its loss is wanted and not known yet
	loss        float64    // at that V, NaN if unknown
	cross, gram []float64  // UX and UUᵀ, which give ‖x_j − Uᵀv_j‖² for any V; or nil
}

// axis is where the samples of a ByColumn loss lie in a Quadratic.
type axis int

const (
	entries axis = iota // the loss is taken of each entry
	columns             // a sample is a column: the H half-step
	rows                // a sample is a row: the W half-step
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
	return q.bound == 0 && (q.mask != nil || q.sample == entries && !isFrobenius(q.loss))
}

// plain reports whether tiles need no residual.
func (q *Quadratic) plain() bool {
	return !q.Weighted() && q.bound == 0 && !(q.sample == columns && q.penalised())
}

// penalised reports whether q has more than the weighted squares.
func (q *Quadratic) penalised() bool { return q.c != nil || q.d != nil || q.graph.Graph != nil }

// Additive returns the problem in the additive form: since ω ≤ L, the slope of the loss at 0,
//
//	ω(x − y)² ≤ L(x − s − y)² + constant,   s = (1 − ω/L)(x − y₀),
//
// with equality at y₀ = Uᵀv₀ of the start. The outliers s are subtracted from X; all weights are L.
func (q *Quadratic) Additive() *Quadratic {
	a := *q
	a.follows, a.retuned = false, false
	if _, a.bound = q.loss.Rho(0); !(a.bound > 0) || math.IsInf(a.bound, 0) {
		a.bound = 1 // this is no loss: there is no such L
	}
	if q.mask != nil {
		a.bound *= mat.Max(q.mask)
	}
	return &a
}

// gram returns U·diag(row), laid out for products with tiles, and its product with Uᵀ, for solvers
// of a Quadratic that is not Weighted. In the additive form the weights of the rows have gone into
// the data, and only the bound is left, which is in Tile.Col.
func (q *Quadratic) gram() (u *kernel.Cross, g []float64) {
	g = make([]float64, q.r*q.r)
	c := q.layout.cross()
	u = c
	if q.row != nil && q.bound == 0 {
		u = q.layout.rows(q.row)
	}
	kernel.GramShared(g, c, u, q.pool.sharing(q.m*q.r*q.r/2))
	if u == c {
		q.seen.gram = g
	}
	return u, g
}

// A need is what a pass over the tiles loads. Each has one loader in Tile.load.
type need uint8

const (
	needX       need = 1 << iota // X
	needCross                    // X for Tile.cross alone, which may read it in place
	needWeights                  // E and Omega, or Row and Col
	needModel                    // UᵀV besides E
	needSplit                    // Ω∘X and Ω∘UᵀV, once Tile.split is called
	needE                        // the residual alone
)

// A walk is what all tiles of one pass over the data share.
type walk struct {
	need
	wantsLoss bool       // they have the V whose loss is wanted
	rho       kernel.Rho // the loss, for split
	fused     bool       // the kernels know it, and make Ω∘X and Ω∘UᵀV at once
}

// Tiles hands the columns of v to f, tile by tile, and stores the V that f leaves. Tiles are
// handled by several goroutines at once, in any order; f must touch nothing outside its tile. The
// split does not depend on their number, so neither does the result. A cancelled fit skips the
// rest.
//
// With a Laplacian the tiles of one class of columns come after those of another: see there.
func (q *Quadratic) Tiles(v *mat.Dense, f func(t *Tile)) { q.tiles(v, needX|needWeights, f) }

// tiles is Tiles with what f needs, and no more.
func (q *Quadratic) tiles(v *mat.Dense, need need, f func(t *Tile)) {
	if q.graph.Graph != nil {
		q.classes(v, need, f)
	} else {
		q.inOrder(v, need, f)
	}
}

// walk begins a pass over the data from v.
func (q *Quadratic) walk(v *mat.Dense, need need) *walk {
	w := &walk{need: need, wantsLoss: q.seen.from != nil && mat.Equal(q.seen.from, v)}
	if need&needSplit != 0 && q.mask == nil {
		w.rho, w.fused = rhoOf(q.loss, math.Inf(1))
	}
	return w
}

// end takes the loss that the tiles of a walk have found.
func (q *Quadratic) end(w *walk, losses []float64) {
	if w.wantsLoss {
		q.seen.loss, q.seen.from = total(losses), nil
	}
}

// inOrder hands out tiles of neighbouring columns. If f computes UX, q.seen keeps it.
func (q *Quadratic) inOrder(v *mat.Dense, need need, f func(t *Tile)) {
	width := q.tileWidth(need)
	count := (q.n + width - 1) / width
	q.seen.cross = nil
	if need&needCross != 0 && q.sample == columns && q.bound == 0 && q.mask == nil {
		q.seen.cross = make([]float64, q.r*q.n)
	}
	if !q.plain() {
		q.layout.prepareProduct()
	}
	w, losses := q.walk(v, need), make([]float64, count)
	q.pool.each(count, func(t *Tile, i int) {
		t.load(q, w, v, i*width, min(width, q.n-i*width))
		f(t)
		t.store(v)
		losses[i] = t.loss
	})
	q.end(w, losses)
}

// tileWidth chooses the width of tiles for a Solver. As solvers pass over E and Ω once for every
// two components, a quarter of the second-level cache serves best.
func (q *Quadratic) tileWidth(need need) int {
	switch {
	case q.Weighted():
		const bytes = 128 << 10
		return min(max(bytes/(2*8*max(q.m, 1))/8*8, 8), 24, max(q.n, 1))
	case need&needCross != 0 && q.plain():
		return min(max(q.n/24/12*12, 24), 48, max(q.n, 1)) // enough tiles for some processors
	case q.bound > 0:
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
	if q.c == nil || q.graph.Graph != nil {
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
			vk[j] = step(vk[j], c-d*vk[j], d)
		}
	}
}

// step returns max(0, v + n/d), the minimiser of d·x² − 2(n + d·v)x over x ≥ 0. With d = 0 that is
// linear: where it is constant v stays, where it increases the minimum is at 0, and it cannot
// decrease, as a penalty that raises V has curvature.
func step(v, n, d float64) float64 {
	if d > 0 {
		if x := v + n/d; x > 0 && x < maxFactor {
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

// maxFactor bounds the entries of the factors. It is far above what any fit of
// data within range needs, and its square can be summed without overflow.
const maxFactor = 1e120
