package rnmf

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A Tile is a group of columns of a Quadratic, with everything that a Solver needs to improve them
// independently of all others. Matrices are stored row by row without gaps. A Solver changes V alone.
type Tile struct {
	M, R, B int   // rows, components, columns
	First   int   // the first column
	Columns []int // the columns, or nil if they are B neighbouring ones

	X     []float64 // M×B data (less the outliers in the additive form)
	E     []float64 // M×B residual X − UᵀV of the V that came in, if Weighted
	Omega []float64 // M×B weights, if Weighted
	Row   []float64 // M weights, or nil for all 1, if not Weighted
	Col   []float64 // B weights, if not Weighted
	V     []float64 // R×B: in, the current factor; out, the better one
	C, D  []float64 // R×B, or nil for all 0

	q    *Quadratic
	walk *walk
	mask []float64  // M×B, or nil
	y    []float64  // M×B, the model UᵀV
	n    []float64  // R×B, UX
	loss float64    // of the tile, at the V it came with; NaN if unknown
	seen *Residuals // of the tiles that this goroutine has measured

	xInPlace bool // X is not copied: the kernels read it in place
	xInE     bool // X is in E, until that is the residual

	space, maskSpace, values []float64 // memory
}

// Space returns n zeros for the solver to work in. The next call, for this tile or another, may
// return the same memory.
func (t *Tile) Space(n int) []float64 {
	t.space = grow(t.space, n)
	clear(t.space)
	return t.space
}

// Gradient writes −½∇q at the present V, U(Ω∘(X − UᵀV)) + C − D∘V, to dst (R×B).
func (t *Tile) Gradient(dst []float64) {
	clear(dst[:t.R*t.B])
	e := t.residualCopy()
	for i := range t.M {
		for j := range t.B {
			e[i*t.B+j] *= t.weight(i, j)
		}
	}
	t.q.layout.crossBy(kernel.InTurn).Add(dst, e, t.B)
	for i, v := range t.V {
		if t.C != nil {
			dst[i] += t.C[i]
		}
		if t.D != nil {
			dst[i] -= t.D[i] * v
		}
	}
}

// Curvature writes half of the second derivative of q by each coordinate of V to dst (R×B), Σ_i
// ω_ij u_ki² + d_kj. It is the diagonal of ½∇²q; the sum over the R entries of a column, its trace,
// is no less than its largest eigenvalue.
func (t *Tile) Curvature(dst []float64) {
	clear(dst[:t.R*t.B])
	t.values = grow(t.values, t.M*t.B)
	for i := range t.M {
		for j := range t.B {
			t.values[i*t.B+j] = t.weight(i, j)
		}
	}
	t.q.layout.squares().Add(dst, t.values, t.B)
	for i, d := range t.D {
		dst[i] += d
	}
}

// weight is ω of an entry.
func (t *Tile) weight(i, j int) float64 {
	if t.q.Weighted() {
		return t.Omega[i*t.B+j]
	}
	if t.Row != nil {
		return t.Row[i] * t.Col[j]
	}
	return t.Col[j]
}

// residualCopy returns X − UᵀV at the V that the solver has reached.
func (t *Tile) residualCopy() []float64 {
	t.values = grow(t.values, t.M*t.B)
	t.q.layout.product(kernel.InTurn).Residual(t.values, t.X, t.V, t.B)
	return t.values
}

// load loads the columns of a tile, and what the walk needs of them.
func (t *Tile) load(q *Quadratic, w *walk, v *mat.Dense, first, b int) {
	t.q, t.walk, t.M, t.R, t.B, t.First, t.loss = q, w, q.m, q.r, b, first, math.NaN()
	t.loadFactor(v)
	t.mask = nil
	if q.mask != nil {
		t.maskSpace = grow(t.maskSpace, t.M*b)
		t.mask = t.maskSpace
		t.copyColumns(t.mask, q.mask)
	}
	t.loadX()
	switch {
	case w.need&needSplit != 0 && q.mask == nil:
		if !w.fused {
			t.residual()
		}
	case w.need&needWeights != 0:
		t.loadWeights()
	case w.need&needE != 0:
		t.residual()
	}
}

// loadFactor loads V and its penalties.
func (t *Tile) loadFactor(v *mat.Dense) {
	q := t.q
	t.V = grow(t.V, t.R*t.B)
	t.gather(t.V, v)
	t.C, t.D = nil, nil
	if q.c != nil {
		t.C = make([]float64, t.R*t.B)
		t.gather(t.C, q.c)
	}
	if q.d != nil {
		t.D = make([]float64, t.R*t.B)
		t.gather(t.D, q.d)
	}
	if t.Columns != nil {
		t.joinNeighbors(v)
	}
}

// loadX copies X, unless the kernels can read it in place: copies and transposes took a third of a
// round. For the residual alone X goes into E.
func (t *Tile) loadX() {
	q, need := t.q, t.walk.need
	t.xInPlace, t.xInE = false, false
	switch {
	case need&(needX|needCross|needSplit) == 0:
		t.xInE = true
		t.E = grow(t.E, t.M*t.B)
		t.copyColumns(t.E, q.x)
		return
	case need&needCross != 0 && t.Columns == nil && q.plain(), t.walk.fused && !q.trans:
		t.xInPlace = true
	}
	t.X = grow(t.X, t.M*t.B)
	if !t.xInPlace {
		t.copyColumns(t.X, q.x)
	}
}

// loadWeights loads Omega and E, or Row and Col.
func (t *Tile) loadWeights() {
	q := t.q
	if q.Weighted() {
		t.residual()
		t.Row, t.Col = nil, nil
		t.weigh()
		if q.sample == columns && !q.penalised() {
			t.freeColumns()
		}
		return
	}
	t.Row, t.Col = q.row, grow(t.Col, t.B)
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
		// Without a penalty the weight of a column does not change its minimiser: the loss
		// increases with ‖x_j − Uᵀv_j‖, so the smallest is best for any ρ, also where ρ′ is 0.
		t.residual()
		t.weighColumns()
	}
}

// freeColumns weighs by the mask alone the columns that a truncated loss ignores: see loadWeights.
func (t *Tile) freeColumns() {
	for j, w := range t.Col {
		if w > 0 {
			continue
		}
		for i := range t.M {
			t.Omega[i*t.B+j] = t.mask[i*t.B+j]
		}
	}
}

// residual computes E = X − UᵀV, and the model if that is needed.
func (t *Tile) residual() {
	product := t.q.layout.product(kernel.InTurn)
	if t.xInE {
		product.Sub(t.E, t.V, t.B)
		t.xInE = false
		return
	}
	if t.xInPlace {
		t.copyColumns(t.X, t.q.x)
		t.xInPlace = false
	}
	t.E = grow(t.E, t.M*t.B)
	if t.walk.need&(needModel|needSplit) != 0 {
		t.y = grow(t.y, t.M*t.B)
		product.Apart(t.E, t.y, t.X, t.V, t.B)
		return
	}
	product.Residual(t.E, t.X, t.V, t.B)
}

// cross returns N = UX of a tile, with U and G = UUᵀ from gram, before V changes. With them the
// loss at V, or at another V, needs no residual.
func (t *Tile) cross(u *kernel.Cross, g []float64) (n []float64) {
	q, r, b := t.q, t.R, t.B
	t.n = grow(t.n, r*b)
	n = t.n
	if t.xInPlace {
		raw := q.x.RawMatrix()
		u.Of(n, raw.Data, raw.Stride, q.trans, t.First, b)
	} else {
		clear(n)
		u.Add(n, t.X, b)
	}
	if q.bound > 0 || t.Row != nil {
		return n
	}
	if t.walk.wantsLoss {
		t.lossFromGram(n, g)
	}
	if q.seen.cross != nil && t.Columns == nil {
		for k := range t.R {
			copy(q.seen.cross[k*q.n+t.First:][:t.B], n[k*t.B:])
		}
	}
	return n
}

// lossFromGram takes the loss at V from N = UX and G = UUᵀ, or from E where too many digits cancel.
func (t *Tile) lossFromGram(n, g []float64) {
	q, r, b := t.q, t.R, t.B
	t.values = grow(t.values, r*b+b)
	s, gv := t.values[:b], t.values[b:]
	clear(gv)
	q.layout.square(g).Add(gv, t.V, b)
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
	t.loss = lossOfSquares(q.loss, s)
}

// gramSquares writes ‖x_j − Uᵀv_j‖² = ‖x_j‖² − 2 v_jᵀn_j + v_jᵀGv_j for b columns of V, with
// gv = GV, and reports whether the difference has kept enough digits.
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

// split turns X into Ω∘X and y into Ω∘UᵀV. Without a mask the weights are computed here, and the
// loss if it is wanted; the kernels do all that at once for a loss that they implement.
func (t *Tile) split() {
	q := t.q
	if t.walk.fused {
		t.y = grow(t.y, t.M*t.B)
		x := q.x.RawMatrix()
		if q.trans {
			x.Data = nil
		}
		sum := t.walk.rho.Split(q.layout.product(kernel.InTurn), t.X, t.y, x.Data, x.Stride, t.First, t.V, t.B, t.walk.wantsLoss)
		if t.walk.wantsLoss {
			t.loss = sum
		}
		return
	}
	if t.walk.need&needSplit != 0 && q.mask == nil {
		t.weigh()
	}
	kernel.Mul(t.X, t.Omega)
	kernel.Mul(t.y, t.Omega)
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
		if t.walk.wantsLoss {
			t.Col = grow(t.Col, t.B)
			kernel.SquaredNorms(t.Col, t.E, t.mask, t.M, t.B)
			t.loss = total(t.Col)
		}
	case q.sample == entries && t.walk.wantsLoss:
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
	if t.mask != nil {
		kernel.Mul(t.Omega, t.mask)
	}
}

// weighColumns computes Col from E under ByColumn, and the loss if it is wanted.
func (t *Tile) weighColumns() {
	t.Col = grow(t.Col, t.B)
	kernel.SquaredNorms(t.Col, t.E, t.mask, t.M, t.B)
	if t.walk.wantsLoss {
		t.loss = lossOfSquares(t.q.loss, t.Col)
	}
	for j, s := range t.Col {
		_, t.Col[j] = t.q.loss.Rho(s)
	}
}

// lossOfEntries returns Σ m ρ(e²) of a tile, and leaves the slopes in Omega.
func (t *Tile) lossOfEntries() float64 {
	t.Omega, t.values = grow(t.Omega, len(t.E)), grow(t.values, len(t.E))
	weightsAndValues(t.q.loss, t.Omega, t.values, t.E)
	return kernel.Sum(t.values, t.mask)
}

func lossOfSquares(l Loss, s []float64) float64 {
	var sum float64
	for _, x := range s {
		v, _ := l.Rho(x)
		sum += v
	}
	return sum
}

// store puts V back.
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

// copyColumns copies the tile's columns of X, or of the mask.
func (t *Tile) copyColumns(dst []float64, x *mat.Dense) {
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
