package rnmf

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A Quadratic is the upper bound of the objective that one half-step lowers:
// over the factor V ≥ 0 (r×n) with the other factor U (r×m) fixed,
//
//	q(V) = Σ Ω∘(X − UᵀV)² + Σ D∘V² − 2 Σ C∘V + λ tr(VLVᵀ) + constant,
//
// where Ω are the slopes of the loss at the V the half-step starts from, and the
// last term is there with a Laplacian only. In the H half-step U is Wᵀ and V is H; in the W half-step the roles change, X is the
// transposed data, U is H and V is Wᵀ. A Solver sees no difference.
//
// Nothing of the size of X is ever stored: a Solver works on one Tile after
// the other, each of which brings its part of X, the residual and the weights.
type Quadratic struct {
	U *mat.Dense // r×m, not to be changed

	m, n, r int
	x, mask *mat.Dense // as the user gave them; mask nil if all entries count
	trans   bool       // the W half-step works on the transpose of x
	loss    Loss
	sample  axis
	row     []float64  // weights of the m rows, where those are samples under ByColumn
	c, d    *mat.Dense // nil while no penalty has asked for them
	tie     Laplacian  // its Graph is nil if there is none
	bound   float64    // > 0: the additive form, with this weight for all
	bare    bool       // tiles get their residual, but no weights and no loss
	rho     kernel.Rho // the loss of bare tiles,
	ours    bool       // if the kernels know it: then their X and Y come with the split
	model   bool       // tiles bring Y too
	noX     bool       // tiles come without X, which is E already
	remote  bool       // solvers take X by Tile.crossed only: tiles may come without it
	follows bool       // W will be taken to its minimum, which is that of the loss alone
	tuned   bool       // the scale of the loss has just been estimated
	norms   []float64  // squared norms of the n columns of x, or nil
	pool    *workspace

	from    *mat.Dense // the V that the half-step starts from, if its loss is wanted
	entry   bool       // it is, and the tiles have this V
	entered float64    // that loss, NaN if unknown
	losses  []float64
	ux, uu  []float64 // UX and UUᵀ if known: any V then tells its ‖x_j − Uᵀv_j‖²
	known   sync.Once // uu is set
	laid    sync.Once // U, in pool.layout.product
	squared sync.Once // UUᵀ, in pool.layout.square
}

// axis tells where the samples of a ByColumn loss lie in a Quadratic.
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

// Weighted reports whether Ω differs from entry to entry, so that a Tile has
// E and Omega. If not, Ω is row_i·col_j, and products with U and UUᵀ replace
// all sums over entries.
func (q *Quadratic) Weighted() bool {
	return q.bound == 0 && (q.mask != nil || q.sample == entries && !isFrobenius(q.loss))
}

// Additive returns the same problem in the additive form: since ω ≤ L, with L
// the slope of the loss at 0,
//
//	ω(x − y)² ≤ L(x − s − y)² + constant,   s = (1 − ω/L)(x − y₀),
//
// with equality at the y₀ = Uᵀv₀ it starts from. The outliers s are taken out of
// the data, and the weights are all L.
func (q *Quadratic) Additive() *Quadratic {
	a := &Quadratic{U: q.U, m: q.m, n: q.n, r: q.r, x: q.x, mask: q.mask, trans: q.trans,
		loss: q.loss, sample: q.sample, row: q.row, c: q.c, d: q.d, tie: q.tie, pool: q.pool, from: q.from, entered: math.NaN()}
	_, a.bound = q.loss.Rho(0)
	if q.mask != nil {
		a.bound *= mat.Max(q.mask)
	}
	return a
}

// gram returns U·diag(row), laid out for products with tiles, and its product
// with Uᵀ, for solvers of a Quadratic that is not Weighted. In the additive form
// the weights of the rows have gone into the data, and only the bound is left,
// which is in Tile.Col.
func (q *Quadratic) gram() (u *kernel.Cross, g []float64) {
	g = make([]float64, q.r*q.r)
	c := q.cross()
	u = c
	if q.row != nil && q.bound == 0 {
		u = &q.pool.layout.scaled
		u.SetShared(q.U.RawMatrix().Data, q.row, q.m, q.r, q.pool.sharing(8*q.m*q.r))
	}
	kernel.GramShared(g, c, u, q.pool.sharing(q.m*q.r*q.r/2))
	return u, g
}

// square returns G = UUᵀ, laid out for products with V.
func (q *Quadratic) square(g []float64) *kernel.Cross {
	q.squared.Do(func() { q.pool.layout.square.Set(g, nil, q.r, q.r) })
	return &q.pool.layout.square
}

// cross returns U, laid out for products with tiles.
func (q *Quadratic) cross() *kernel.Cross {
	q.pool.layout.cross.SetShared(q.U.RawMatrix().Data, nil, q.m, q.r, q.pool.sharing(8*q.m*q.r))
	return &q.pool.layout.cross
}

// A Tile is a group of columns of a Quadratic, with everything that a Solver
// needs to improve them: no other column depends on them while it does. Matrices
// are stored row by row without gaps.
type Tile struct {
	M, R, B int   // rows, components, columns
	First   int   // the first column
	Columns []int // the columns, or nil if they are B neighbouring ones

	X     []float64 // M×B data (less the outliers in the additive form)
	E     []float64 // M×B residual X − UᵀV, if Weighted
	Omega []float64 // M×B weights, if Weighted
	Row   []float64 // M weights, or nil for all 1, if not Weighted
	Col   []float64 // B weights, if not Weighted
	V     []float64 // R×B: in, the current factor; out, the better one
	C, D  []float64 // R×B, or nil for all 0

	q         *Quadratic
	tileSpace []float64
	rowSpace  []float64
	maskTile  []float64
	y, n      []float64 // the model UᵀV, if q.model, and UX
	away      bool      // X has not been copied here
	values    []float64
	seen      *Residuals // of the tiles that this goroutine has measured
	loss      float64    // of the tile, at the V it came with; NaN if unknown
}

// Space returns n zeros that the solver can use until it is done with the tile, or
// asks again: it is the same memory each time.
func (t *Tile) Space(n int) []float64 {
	if cap(t.tileSpace) < n {
		t.tileSpace = make([]float64, n)
	}
	s := t.tileSpace[:n]
	clear(s)
	return s
}

// crossed returns N = UX of a tile, with U and G = UUᵀ from gram, before V changes.
// With them the loss at V, or at another V, needs no residual.
func (t *Tile) crossed(u *kernel.Cross, g []float64) (n []float64) {
	q, r, b := t.q, t.R, t.B
	t.n = grow(t.n, r*b)
	n = t.n
	if t.away {
		raw := q.x.RawMatrix()
		u.Of(n, raw.Data, raw.Stride, q.trans, t.First, b)
	} else {
		clear(n)
		u.Add(n, t.X, b)
	}
	if q.bound > 0 || t.Row != nil {
		return n
	}
	if q.entry {
		t.values = grow(t.values, r*b+b)
		s, gv := t.values[:b], t.values[b:]
		clear(gv)
		q.square(g).Add(gv, t.V, b)
		norms := q.norms[t.First:]
		if t.Columns != nil {
			norms = make([]float64, t.B)
			for i, j := range t.Columns {
				norms[i] = q.norms[j]
			}
		}
		if !gramSquares(s, norms, n, gv, t.V, r, b) {
			t.residual()
			kernel.SquaredNorms(s, t.E, nil, t.M, t.B)
		}
		t.enters(s)
	}
	if q.ux != nil && t.Columns == nil {
		for k := range t.R {
			copy(q.ux[k*q.n+t.First:][:t.B], n[k*t.B:])
		}
		q.known.Do(func() { q.uu = g })
	}
	return n
}

// gramSquares writes ‖x_j − Uᵀv_j‖² = ‖x_j‖² − 2 v_jᵀn_j + v_jᵀGv_j for b
// columns of V, with gv = GV, and reports whether the difference has kept enough
// digits.
func gramSquares(s, norms, n, gv, v []float64, r, b int) bool {
	copy(s, norms[:b])
	for k := range r {
		vk, nk, gk := v[k*b:][:b], n[k*b:][:b], gv[k*b:][:b]
		for j, x := range vk {
			s[j] += x * (gk[j] - 2*nk[j])
		}
	}
	for j, x := range s {
		if x < 1e-6*norms[j] {
			return false
		}
	}
	return true
}

// enters takes ‖x_j − Uᵀv_j‖² at the V that the tile came with.
func (t *Tile) enters(s []float64) { t.loss = lossOfSquares(t.q.loss, s) }

// Tiles hands the columns of v to f, tile by tile, and stores the V that f
// leaves. Tiles are handled by several goroutines at once, in any order; f must
// touch nothing outside its tile. The split does not depend on their number, so
// neither does the result. A cancelled fit skips the tiles that remain.
//
// With a graph the tiles come in classes, one after the other: see classes.
func (q *Quadratic) Tiles(v *mat.Dense, f func(t *Tile)) {
	if q.tie.Graph != nil {
		q.entering(v, func() { q.classes(v, f) })
	} else {
		q.inOrder(v, f)
	}
}

// crossTiles is Tiles for solvers that take X by crossed only. Where nothing else needs
// it, it stays where it is: the copies and transposes took a third of a round.
func (q *Quadratic) crossTiles(v *mat.Dense, f func(t *Tile)) {
	q.remote = true
	defer func() { q.remote = false }()
	q.Tiles(v, f)
}

// plain tells whether tiles need no residual.
func (q *Quadratic) plain() bool {
	return !q.Weighted() && q.bound == 0 && !(q.sample == columns && q.penalised())
}

// entering takes the loss at v from the first walk over the tiles.
func (q *Quadratic) entering(v *mat.Dense, walk func()) {
	q.entry = q.from != nil && mat.Equal(q.from, v)
	walk()
	if q.entry {
		q.entered, q.from = total(q.losses), nil
	}
}

// inOrder hands out tiles of neighbouring columns.
func (q *Quadratic) inOrder(v *mat.Dense, f func(t *Tile)) {
	width := q.tileWidth()
	count := (q.n + width - 1) / width
	if q.sample == columns && q.bound == 0 && q.mask == nil {
		q.ux, q.uu = make([]float64, q.r*q.n), nil
	}
	q.losses = make([]float64, count)
	if !q.plain() {
		q.layOutShared()
	}
	q.entering(v, func() {
		q.pool.each(count, func(t *Tile, i int) {
			t.load(q, v, i*width, min(width, q.n-i*width))
			f(t)
			t.store(v)
			q.losses[i] = t.loss
		})
	})
}

// tileWidth chooses the width of tiles for a Solver. Where E and Ω are gone over
// once for every two components, a quarter of the second-level cache serves best.
func (q *Quadratic) tileWidth() int {
	switch {
	case q.Weighted():
		const bytes = 128 << 10
		return min(max(bytes/(2*8*max(q.m, 1))/8*8, 8), 24, max(q.n, 1))
	case q.remote && q.plain():
		return min(max(q.n/24/12*12, 24), 48, max(q.n, 1)) // enough tiles for some processors
	case q.bound > 0:
		return tileWidth(q.m, q.n, 2)
	}
	return tileWidth(q.m, q.n, 1)
}

// penalised tells whether anything but the weighted squares counts.
func (q *Quadratic) penalised() bool { return q.c != nil || q.d != nil || q.tie.Graph != nil }

// tileWidth chooses the width of tiles so that the given number of them, X or E
// and Ω, fit the second-level cache together, as a multiple of the 12 columns
// that the kernels take at once.
func tileWidth(m, n, tiles int) int {
	const bytes = 512 << 10
	b := bytes / (tiles * 8 * max(m, 1)) / 12 * 12
	return min(max(b, 12), 36, max(n, 1))
}

func (t *Tile) load(q *Quadratic, v *mat.Dense, first, b int) {
	m, r := q.m, q.r
	t.q, t.M, t.R, t.B, t.First, t.loss = q, m, r, b, first, math.NaN()
	t.V, t.away = grow(t.V, r*b), false
	if q.noX {
		t.E = grow(t.E, m*b)
		t.data(t.E, q.x)
	} else {
		t.X = grow(t.X, m*b)
		t.away = q.remote && t.Columns == nil && q.plain() || q.ours && !q.trans
		if !t.away {
			t.data(t.X, q.x)
		}
	}
	t.gather(t.V, v)
	t.C, t.D = nil, nil
	if q.c != nil {
		t.C = make([]float64, r*b)
		t.gather(t.C, q.c)
	}
	if q.d != nil {
		t.D = make([]float64, r*b)
		t.gather(t.D, q.d)
	}
	if t.Columns != nil {
		t.joinNeighbors(v)
	}
	t.maskTile = nil
	if q.mask != nil {
		t.rowSpace = grow(t.rowSpace, m*b)
		t.maskTile = t.rowSpace
		t.data(t.maskTile, q.mask)
	}
	if q.bare {
		if !q.ours {
			t.residual()
		}
		return
	}
	if q.Weighted() {
		t.residual()
		t.Row, t.Col = nil, nil
		t.weigh()
		if q.sample == columns && !q.penalised() {
			t.freeColumns()
		}
		return
	}
	t.Row, t.Col = q.row, grow(t.Col, b)
	for j := range t.Col {
		t.Col[j] = 1
	}
	switch {
	case q.bound > 0:
		t.Row = nil
		t.residual()
		t.weigh()
		kernel.Shift(t.X, t.E, t.Omega, q.bound)
		for j := range t.Col {
			t.Col[j] = q.bound
		}
	case q.sample == columns && q.penalised():
		// Without a penalty the weight of a column does not change its
		// minimiser: the loss increases with ‖x_j − Uᵀv_j‖, so the smallest is
		// the best whatever ρ is, also where a truncated loss has slope 0.
		t.residual()
		t.weighColumns()
	}
}

// freeColumns weighs the columns that a truncated loss ignores by the mask
// alone: see load.
func (t *Tile) freeColumns() {
	for j, w := range t.Col {
		if w > 0 {
			continue
		}
		for i := range t.M {
			t.Omega[i*t.B+j] = t.maskTile[i*t.B+j]
		}
	}
}

func (t *Tile) store(v *mat.Dense) {
	raw := v.RawMatrix()
	if t.Columns != nil {
		for k := range t.R {
			for i, j := range t.Columns {
				raw.Data[k*raw.Stride+j] = t.V[k*t.B+i]
			}
		}
		return
	}
	for k := range t.R {
		copy(raw.Data[k*raw.Stride+t.First:][:t.B], t.V[k*t.B:])
	}
}

// layOut prepares U for residuals, once; layOutShared, before tiles, on all cores.
func (q *Quadratic) layOut(share kernel.Share) {
	q.laid.Do(func() { q.pool.layout.product.SetShared(q.U.RawMatrix().Data, q.m, q.r, share) })
}

func (q *Quadratic) layOutShared() { q.layOut(q.pool.sharing(8 * q.m * q.r)) }

// residual computes E = X − UᵀV.
func (t *Tile) residual() {
	q := t.q
	q.layOut(kernel.InTurn)
	if q.noX {
		q.pool.layout.product.Sub(t.E, t.V, t.B)
		return
	}
	if t.away {
		t.data(t.X, q.x)
		t.away = false
	}
	t.E = grow(t.E, t.M*t.B)
	if q.model {
		t.y = grow(t.y, t.M*t.B)
		q.pool.layout.product.Apart(t.E, t.y, t.X, t.V, t.B)
		return
	}
	q.pool.layout.product.Residual(t.E, t.X, t.V, t.B)
}

// weigh computes Omega from E, and the loss if it is wanted.
func (t *Tile) weigh() {
	q := t.q
	t.Omega = grow(t.Omega, t.M*t.B)
	switch {
	case isFrobenius(q.loss):
		for i := range t.Omega {
			t.Omega[i] = 1
		}
		if q.entry {
			t.Col = grow(t.Col, t.B)
			kernel.SquaredNorms(t.Col, t.E, t.maskTile, t.M, t.B)
			t.loss = total(t.Col)
		}
	case q.sample == entries && q.entry:
		t.loss = t.lossOfEntries()
	case q.sample == entries:
		weights(q.loss, t.Omega, t.E)
	case q.sample == columns:
		t.weighColumns()
		for i := range t.M {
			copy(t.Omega[i*t.B:][:t.B], t.Col)
		}
	default:
		for i := range t.M {
			row := t.Omega[i*t.B:][:t.B]
			for j := range row {
				row[j] = q.row[i]
			}
		}
	}
	if t.maskTile != nil {
		kernel.Mul(t.Omega, t.maskTile)
	}
}

// weighColumns computes Col from E under ByColumn, and the loss if it is wanted.
func (t *Tile) weighColumns() {
	t.Col = grow(t.Col, t.B)
	kernel.SquaredNorms(t.Col, t.E, t.maskTile, t.M, t.B)
	if t.q.entry {
		t.enters(t.Col)
	}
	for j, s := range t.Col {
		_, t.Col[j] = t.q.loss.Rho(s)
	}
}

// lossOfEntries returns Σ m ρ(e²) of a tile, and leaves the slopes in Omega.
func (t *Tile) lossOfEntries() float64 {
	t.Omega, t.values = grow(t.Omega, len(t.E)), grow(t.values, len(t.E))
	weightsAndValues(t.q.loss, t.Omega, t.values, t.E)
	return kernel.Sum(t.values, t.maskTile)
}

func lossOfSquares(l Loss, s []float64) float64 {
	var sum float64
	for _, x := range s {
		v, _ := l.Rho(x)
		sum += v
	}
	return sum
}

// gather copies the tile's columns of a matrix with r rows.
func (t *Tile) gather(dst []float64, v *mat.Dense) {
	raw := v.RawMatrix()
	for k := range t.R {
		to, row := dst[k*t.B:][:t.B], raw.Data[k*raw.Stride:][:raw.Cols]
		if t.Columns == nil {
			copy(to, row[t.First:])
			continue
		}
		for i, j := range t.Columns {
			to[i] = row[j]
		}
	}
}

// data copies the tile's columns of X, or of the mask.
func (t *Tile) data(dst []float64, x *mat.Dense) {
	raw := x.RawMatrix()
	switch {
	case t.Columns == nil:
		kernel.Load(dst, raw.Data, raw.Stride, t.q.trans, t.First, t.M, t.B)
	case t.q.trans:
		for c, j := range t.Columns {
			for i, a := range raw.Data[j*raw.Stride:][:t.M] {
				dst[i*t.B+c] = a
			}
		}
	default:
		for i := range t.M {
			row, to := raw.Data[i*raw.Stride:][:raw.Cols], dst[i*t.B:][:t.B]
			for c, j := range t.Columns {
				to[c] = row[j]
			}
		}
	}
}

func grow(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
