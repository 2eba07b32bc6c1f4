package rnmf

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A Tile is a group of columns of a Quadratic, with everything that a Solver needs to improve them
// independently of all others. Matrices are stored row by row without gaps.
//
// A Solver changes V, which is all that is read back. X, E, Omega, Y and Cross return memory of the
// tile, which is filled when it is asked for the first time; a Solver may write over it, as scratch
// space. Where it needs E as well as X, or Y, it asks for them before it writes over X.
type Tile struct {
	M, R, B int   // rows, components, columns
	First   int   // the first column
	Columns []int // the columns, or nil if they are B neighbouring ones

	V    []float64 // R×B: in, the current factor; out, the better one
	C, D []float64 // R×B, or nil for all 0
	Row  []float64 // M weights, or nil for all 1, if not Weighted
	Col  []float64 // B weights, if not Weighted

	q      *Quadratic
	walk   *walk
	start  []float64         // R×B, the V that came in
	loss   float64           // of the tile, at the V it came with; NaN if unknown
	counts *histogram.Counts // of the squared residuals of the tiles that this goroutine has measured

	// What is there of the matrices below.
	hasX, hasE, hasOmega, hasY, hasCross bool

	x, e, omega, y []float64 // M×B
	capped         []float64 // M×B, under Poisson
	mask           []float64 // M×B, or nil
	n              []float64 // R×B, UX

	space, maskSpace, values []float64 // memory
	scaled                   kernel.Cross
}

// Space returns n zeros for the solver to work in. The next call, for this tile or another, may
// return the same memory.
func (t *Tile) Space(n int) []float64 {
	t.space = grow(t.space, n)
	clear(t.space)
	return t.space
}

// X returns the data (M×B), less the outliers in the additive form.
func (t *Tile) X() []float64 {
	if !t.hasX {
		t.hasX = true
		t.x = grow(t.x, t.M*t.B)
		t.copyColumns(t.x, t.q.x)
	}
	return t.x
}

// E returns the residual X − UᵀV (M×B) of the V that came in; under Poisson the signed roots of the
// deviances, whose squares are what the loss is taken of.
func (t *Tile) E() []float64 {
	if t.q.Weighted() {
		t.weighOnce()
	} else {
		t.residual()
	}
	return t.e
}

// Omega returns the weights (M×B), for a Quadratic that is Weighted.
func (t *Tile) Omega() []float64 {
	t.weighOnce()
	return t.omega
}

// Y returns the model UᵀV (M×B) of the V that came in. Where it is far below X, nothing of it is left
// in X − E.
func (t *Tile) Y() []float64 {
	if t.hasY {
		return t.y
	}
	t.hasY = true
	t.y = grow(t.y, t.M*t.B)
	product := t.q.layout.product(kernel.InTurn)
	if !t.hasE && t.q.family == Gaussian {
		t.hasE = true
		t.e = grow(t.e, t.M*t.B)
		product.Apart(t.e, t.y, t.X(), t.start, t.B)
		return t.y
	}
	clear(t.y)
	product.Sub(t.y, t.start, t.B)
	for i, v := range t.y {
		t.y[i] = 0 - v
	}
	return t.y
}

// Mask returns what the mask has for the entries (M×B), or nil if all count once.
func (t *Tile) Mask() []float64 { return t.mask }

// Cross returns U·diag(Row)·X (R×B) of the data in X, without Col. It costs less than X and AddCross,
// as X is read where it lies. It is for a Quadratic that is not Weighted.
func (t *Tile) Cross() []float64 {
	if t.hasCross {
		return t.n
	}
	t.hasCross = true
	g := t.q.makeGram(kernel.InTurn)
	q, r, b := t.q, t.R, t.B
	t.n = grow(t.n, r*b)
	if t.Columns == nil && !t.hasX {
		raw := q.x.RawMatrix()
		g.cross.Of(t.n, raw.Data, raw.Stride, q.trans, t.First, b)
	} else {
		clear(t.n)
		g.cross.Add(t.n, t.X(), b)
	}
	if q.additive > 0 || t.Row != nil {
		return t.n
	}
	if t.walk.wantsLoss {
		t.lossFromGram(t.n, g.g)
	}
	if q.observed.cross != nil && t.Columns == nil {
		for k := range t.R {
			copy(q.observed.cross[k*q.n+t.First:][:t.B], t.n[k*t.B:])
		}
	}
	return t.n
}

// AddCross adds Uz to dst (R×B), with z of M×B.
func (t *Tile) AddCross(dst, z []float64) {
	t.q.layout.crossBy(kernel.InTurn).Add(dst, z, t.B)
}

// SubProduct subtracts Uᵀv from e (M×B), with v of R×B.
func (t *Tile) SubProduct(e, v []float64) {
	t.q.layout.product(kernel.InTurn).Sub(e, v, t.B)
}

// AddGram adds Gv to dst (R×B), with v of R×B and the G of Quadratic.Gram.
func (t *Tile) AddGram(dst, v []float64) {
	t.q.layout.square(t.q.makeGram(kernel.InTurn).g).Add(dst, v, t.B)
}

// ColumnGram writes U·diag(ω)·Uᵀ (R×R) to dst, with the weights of column j of the tile: half of the
// second derivative of q by that column of V, without D. It is for a Quadratic that is Weighted, and
// costs as much as R/2 products of U with a column.
func (t *Tile) ColumnGram(dst []float64, j int) {
	omega := t.Omega()
	t.values = grow(t.values, t.M)
	for i := range t.values {
		t.values[i] = omega[i*t.B+j]
	}
	t.scaled.Set(t.q.U.RawMatrix().Data, t.values, t.M, t.R)
	kernel.GramOf(dst, t.q.layout.crossBy(kernel.InTurn), &t.scaled)
}

// Gradient writes −½∇q at the present V, U(Ω∘(X − UᵀV)) + C − D∘V, to dst (R×B).
func (t *Tile) Gradient(dst []float64) {
	var e []float64
	if t.q.family != Gaussian {
		e = t.slopesOfCounts(false)
	} else {
		e = t.weightedResidual()
	}
	clear(dst[:t.R*t.B])
	t.AddCross(dst, e)
	for i, v := range t.V {
		if t.C != nil {
			dst[i] += t.C[i]
		}
		if t.D != nil {
			dst[i] -= t.D[i] * v
		}
	}
}

// weightedResidual returns Ω∘(X − UᵀV) at the present V.
func (t *Tile) weightedResidual() []float64 {
	var omega []float64
	x := t.X()
	if t.q.Weighted() {
		omega = t.Omega()
	}
	t.values = grow(t.values, t.M*t.B)
	e := t.values
	t.q.layout.product(kernel.InTurn).Residual(e, x, t.V, t.B)
	if omega != nil {
		kernel.Mul(e, omega)
		return e
	}
	for i := range t.M {
		for j := range t.B {
			e[i*t.B+j] *= t.weight(i, j)
		}
	}
	return e
}

// Curvature writes half of the second derivative of q by each coordinate of V to dst (R×B), Σ_i
// ω_ij u_ki² + d_kj. It is the diagonal of ½∇²q; the sum over the R entries of a column, its trace,
// is no less than its largest eigenvalue.
func (t *Tile) Curvature(dst []float64) {
	var weights []float64
	if t.q.family != Gaussian {
		weights = t.slopesOfCounts(true)
	} else if t.q.Weighted() {
		weights = t.Omega()
	} else {
		t.values = grow(t.values, t.M*t.B)
		weights = t.values
		for i := range t.M {
			for j := range t.B {
				weights[i*t.B+j] = t.weight(i, j)
			}
		}
	}
	clear(dst[:t.R*t.B])
	t.q.layout.squares().Add(dst, weights, t.B)
	for i, d := range t.D {
		dst[i] += d
	}
}

// weight is ω of an entry, if not Weighted.
func (t *Tile) weight(i, j int) float64 {
	if t.Row != nil {
		return t.Row[i] * t.Col[j]
	}
	return t.Col[j]
}

// UpdateComponent takes component k of V to its minimiser given all others, and writes the changes to delta (B).
// num and den (B each) are the sums over the entries of a column,
//
//	Σ_i ω_ij u_ki e_ij   and   Σ_i ω_ij u_ki²,
//
// with the residual at the present V. The terms of C and D are added here. delta may be num.
func (t *Tile) UpdateComponent(k int, num, den, delta []float64) {
	b := t.B
	vk := t.V[k*b:][:b]
	if t.C != nil {
		for j, c := range t.C[k*b:][:b] {
			num[j] += c
		}
	}
	if t.D != nil {
		for j, d := range t.D[k*b:][:b] {
			num[j] -= d * vk[j]
			den[j] += d
		}
	}
	kernel.Step(vk, delta, num, den)
}

// load loads the columns of a tile: V and its penalties, and the mask. All else is loaded when it is
// asked for.
func (t *Tile) load(q *Quadratic, w *walk, v *mat.Dense, first, b int) {
	t.q, t.walk, t.M, t.R, t.B, t.First, t.loss = q, w, q.m, q.r, b, first, math.NaN()
	t.hasX, t.hasE, t.hasOmega, t.hasY, t.hasCross = false, false, false, false, false
	t.V, t.start = grow(t.V, t.R*b), grow(t.start, t.R*b)
	t.gather(t.V, v)
	copy(t.start, t.V)
	t.C, t.D = nil, nil
	if q.c != nil {
		t.C = make([]float64, t.R*b)
		t.gather(t.C, q.c)
	}
	if q.d != nil {
		t.D = make([]float64, t.R*b)
		t.gather(t.D, q.d)
	}
	if t.Columns != nil {
		t.joinNeighbors(v)
	}
	t.mask = nil
	if q.mask != nil {
		t.maskSpace = grow(t.maskSpace, t.M*b)
		t.mask = t.maskSpace
		t.copyColumns(t.mask, q.mask)
	}
}

// loadScales loads Row and Col, for a Quadratic that is not Weighted.
func (t *Tile) loadScales() {
	q := t.q
	t.Row, t.Col = q.row, grow(t.Col, t.B)
	for j := range t.Col {
		t.Col[j] = 1
	}
	switch {
	case q.additive > 0:
		if q.floor == 0 {
			t.Row = nil
		}
		x := t.X()
		t.residual()
		t.weigh()
		kernel.Shift(x, t.e, t.omega, q.additive)
		t.hasE = false // it was that of the data with the outliers
		for j := range t.Col {
			if q.floor == 0 {
				t.Col[j] = 1
			}
			t.Col[j] *= q.additive
		}
	case q.sample == columns && q.penalised():
		// Without a penalty the weight of a column does not change its minimiser: the loss
		// increases with ‖x_j − Uᵀv_j‖, so the smallest is best for any ρ, also where ρ′ is 0.
		t.residual()
		t.weighColumns()
	}
}

// weighOnce computes E and Omega, together: a solver may write over each of them.
func (t *Tile) weighOnce() {
	if t.hasOmega {
		return
	}
	t.hasOmega = true
	t.residual()
	t.Row, t.Col = nil, nil
	t.weigh()
	if t.q.sample == columns && !t.q.penalised() {
		t.freeColumns()
	}
}

// freeColumns weighs by the mask alone, or equally, the columns that a truncated loss ignores: see loadScales.
func (t *Tile) freeColumns() {
	for j, w := range t.Col {
		if w > 0 {
			continue
		}
		for i := range t.M {
			t.omega[i*t.B+j] = 1
			if t.mask != nil {
				t.omega[i*t.B+j] = t.mask[i*t.B+j]
			}
		}
	}
}

// residual computes E = X − UᵀV for the V that came in. Where X has not been asked for it is copied to
// where E will be: copies and transposes took a third of a round.
func (t *Tile) residual() {
	if t.hasE {
		return
	}
	if t.q.family != Gaussian {
		t.deviances()
		return
	}
	t.hasE = true
	t.e = grow(t.e, t.M*t.B)
	product := t.q.layout.product(kernel.InTurn)
	if t.hasX {
		product.Residual(t.e, t.x, t.start, t.B)
		return
	}
	t.copyColumns(t.e, t.q.x)
	product.Sub(t.e, t.start, t.B)
}

// lossFromGram takes the loss at V from N = UX and G = UUᵀ, or from E where too many digits cancel.
func (t *Tile) lossFromGram(n, g []float64) {
	q, r, b := t.q, t.R, t.B
	t.values = grow(t.values, r*b+b)
	s, gv := t.values[:b], t.values[b:]
	clear(gv)
	q.layout.square(g).Add(gv, t.start, b)
	norms := q.norms[t.First:]
	if t.Columns != nil {
		norms = make([]float64, t.B)
		for i, j := range t.Columns {
			norms[i] = q.norms[j]
		}
	}
	if !gramSquares(s, norms, n, gv, t.start, r, b) {
		t.residual()
		kernel.SquaredNorms(s, t.e, nil, t.M, t.B)
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

// split returns Ω∘X and Ω∘UᵀV, of a Quadratic that is Weighted. The kernels do that at once for a loss
// that they implement, if there is no mask.
func (t *Tile) split() (x, y []float64) {
	q := t.q
	if t.walk.fused {
		raw := q.x.RawMatrix()
		if q.trans {
			t.X()
			raw.Data = nil
		}
		t.x, t.y = grow(t.x, t.M*t.B), grow(t.y, t.M*t.B)
		sum := t.walk.rho.Split(q.layout.product(kernel.InTurn), t.x, t.y, raw.Data, raw.Stride, t.First, t.start, t.B, t.walk.wantsLoss)
		if t.walk.wantsLoss {
			t.loss = sum
		}
		return t.x, t.y
	}
	y, x = t.Y(), t.X()
	omega := t.Omega()
	kernel.Mul(x, omega)
	kernel.Mul(y, omega)
	return x, y
}

// weigh computes Omega from E, and the loss if it is wanted.
func (t *Tile) weigh() {
	q := t.q
	t.omega = grow(t.omega, t.M*t.B)
	switch {
	case isSquared(q.loss):
		for i := range t.omega {
			t.omega[i] = 1
		}
		if t.walk.wantsLoss {
			t.Col = grow(t.Col, t.B)
			kernel.SquaredNorms(t.Col, t.e, t.mask, t.M, t.B)
			t.loss = total(t.Col)
		}
	case q.floor > 0:
		t.weighCells()
	case q.sample == entries && t.walk.wantsLoss:
		t.loss = t.lossOfEntries()
	case q.sample == entries:
		t.weighEach(nil)
	case q.sample == columns:
		t.weighColumns()
		for i := range t.M {
			copy(t.omega[i*t.B:][:t.B], t.Col)
		}
	default:
		for i := range t.M {
			row := t.omega[i*t.B:][:t.B]
			for j := range row {
				row[j] = q.row[i]
			}
		}
	}
	if t.mask != nil {
		kernel.Mul(t.omega, t.mask)
	}
}

// weighColumns computes Col from E under ByColumn, and the loss if it is wanted.
func (t *Tile) weighColumns() {
	t.Col = grow(t.Col, t.B)
	kernel.SquaredNorms(t.Col, t.e, t.mask, t.M, t.B)
	if t.walk.wantsLoss {
		t.loss = lossOfSquares(t.q.loss, t.Col)
	}
	for j, s := range t.Col {
		_, t.Col[j] = t.q.loss.Rho(s)
	}
}

// lossOfEntries returns Σ m ρ(e²) of a tile, or its part of (1) of CellCase, and leaves the slopes in
// Omega.
func (t *Tile) lossOfEntries() float64 {
	t.omega, t.values = grow(t.omega, len(t.e)), grow(t.values, len(t.e))
	t.weighEach(t.values)
	if t.q.floor > 0 {
		return t.sampleSums()
	}
	return kernel.Sum(t.values, t.mask)
}

// weighEach writes the slopes of a loss of entries to Omega and, unless value is nil, the values.
func (t *Tile) weighEach(value []float64) {
	if t.q.family != Gaussian {
		t.weighCounts(value)
		return
	}
	Weigh(t.q.loss, t.omega, value, t.e)
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
