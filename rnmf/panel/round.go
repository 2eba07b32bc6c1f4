package panel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// A Round is what every panel needs for its part of a round: W, the loss at the scale of the round,
// and what to do. A Driver makes it.
type Round struct {
	fit           string // whose round it is: see stamp
	reads, writes int    // generations of coefficients

	w       *mat.Dense // m×r
	loss    rnmf.Loss
	family  rnmf.Family
	missing bool // the entries that a sparse panel does not store are missing, not 0

	step     bool      // the H half-step and the statistics of W, else the objective alone
	redo     bool      // the statistics of W alone, with Unextrapolated as H
	alone    bool      // the H half-step without the statistics
	keep     bool      // H before its extrapolation too: to extrapolate the next from, and to go back to
	measures bool      // count the residuals
	sweeps   int       // over the components in the H half-step
	beta     float64   // of the extrapolation of H, 0 for none
	x        []float64 // r, of the safe bound D
}

// Do does the round on one panel x: a pure function, which changes neither the panel nor the
// coefficients c. It returns the coefficients for the next round, which are c's own where the round
// has no half-step, and the statistics of the panel. The same panel gives the same bits, on any
// number of processors.
//
// The panel must have passed NewDataSummary. The error is rnmf.ErrShape, rnmf.ErrEmpty, that of ctx, or
// rnmf.ErrParameter for coefficients of another fit or generation.
func (r *Round) Do(ctx context.Context, x Panel, c *Coefficients) (*Coefficients, *Statistics, error) {
	if r == nil || r.w == nil {
		return nil, nil, fmt.Errorf("%w: a round that no Driver has made", rnmf.ErrEmpty)
	}
	s := newStepper(ctx)
	s.pool.Open()
	defer s.pool.Close()
	s.set(r)
	return s.do(ctx, x, c)
}

// MarshalBinary returns the round in a versioned form with a checksum.
func (r *Round) MarshalBinary() ([]byte, error) {
	e := new(encoder)
	if err := e.loss(r.loss); err != nil {
		return nil, err
	}
	e.bytes([]byte(r.fit))
	e.int(int(r.family))
	e.int(r.reads)
	e.int(r.writes)
	e.matrix(r.w)
	for _, b := range []bool{r.missing, r.step, r.redo, r.alone, r.keep, r.measures} {
		e.bool(b)
	}
	e.int(r.sweeps)
	e.float(r.beta)
	e.floats(r.x)
	return e.seal(kindRound), nil
}

// UnmarshalBinary reads what MarshalBinary has written. The error is rnmf.ErrFormat.
func (r *Round) UnmarshalBinary(b []byte) error {
	d, err := open(b, kindRound)
	if err != nil {
		return err
	}
	read := Round{loss: d.loss(), fit: string(d.bytes()), family: rnmf.Family(d.int()), reads: d.int(), writes: d.int(), w: d.matrix(), missing: d.bool(), step: d.bool(), redo: d.bool(), alone: d.bool(), keep: d.bool(), measures: d.bool(),
		sweeps: d.int(), beta: d.float(), x: d.floats()}
	if err := d.end(); err != nil {
		return err
	}
	if read.family < rnmf.Gaussian || read.family > rnmf.SparsePoisson || read.w == nil || len(read.x) > 0 && len(read.x) != read.w.RawMatrix().Cols {
		return fmt.Errorf("%w: a round without W, or of another rank or family", rnmf.ErrFormat)
	}
	*r = read
	return nil
}

// A stepper does rounds on panels; it keeps goroutines and memory from panel to panel.
type stepper struct {
	pool    *work.Pool
	workers []worker

	*Round
	m, r     int
	rho      rnmf.Loss // the loss, without ByColumn
	byColumn bool
	squares  bool      // ρ(s) = s
	wt       []float64 // r×m
	rows     []float64 // m×r, W
	gram     []float64 // WᵀW
	grams    []float64 // parts of a sum
	inverses []float64
	energy   []float64      // m, ‖w_i‖² as a share of ¾ of their sum
	product  kernel.Product // of Wᵀ, both for dense panels and tiles: see layOut
	cross    kernel.Cross
	laid     bool
	square   kernel.Cross // of WᵀW

	// Of the panel at work.
	hcross, hweighted kernel.Cross
	weighted, weights []float64 // Ω∘E and Ω of a block or, of a sparse panel, of its entries
	dense             []float64
	out               []float64 // squared residuals of the columns, nil if nobody wants them
}

// A worker is the memory of one goroutine.
type worker struct {
	u, v, n, gv, s, change, e, omega, values, old, delta, down, rest []float64
	measured                                                         *histogram.Counts
}

func newStepper(ctx context.Context) *stepper {
	s := &stepper{pool: work.New(func() bool { return ctx.Err() != nil })}
	s.workers = make([]worker, s.pool.Size())
	return s
}

// set lays out W for a round.
func (s *stepper) set(r *Round) {
	s.Round = r
	s.m, s.r = r.w.Dims()
	s.rho, s.byColumn = unpack(r.loss)
	s.squares = isSquared(s.rho)
	s.laid = false
	raw := r.w.RawMatrix()
	s.rows = raw.Data
	if raw.Stride != s.r {
		s.rows = mat.DenseCopyOf(r.w).RawMatrix().Data
	}
	s.gram, s.inverses = grow(s.gram, s.r*s.r), grow(s.inverses, s.r)
	s.gramOf(s.gram, s.rows, s.r, true, s.m, nil)
	kernel.Inverses(s.inverses, s.gram, s.r)
	s.square.Set(s.gram, nil, s.r, s.r)
	if s.ofEntries() {
		s.energy = grow(s.energy, s.m)
		for i := range s.energy {
			s.energy[i], _ = kernel.SumSquares(s.rows[i*s.r:][:s.r], nil)
		}
		if trace := total(s.energy); trace > 0 {
			for i := range s.energy {
				s.energy[i] *= share34 / trace
			}
		}
	}
}

// gramOf computes UUᵀ, or U·diag(d)·Uᵀ, of a factor U (r×n) or, with trans, of its transpose, 512
// columns of U after the other; a few of these products are in memory at a time.
func (s *stepper) gramOf(gram, x []float64, stride int, trans bool, n int, d []float64) {
	const width, most = 512, 16
	count, size := (n+width-1)/width, s.r*s.r
	s.grams = grow(s.grams, min(count, most)*size)
	clear(gram)
	for done := 0; done < count; done += most {
		parts := min(most, count-done)
		s.pool.Share(parts, n*size/2, func(id, i int) {
			first := (done + i) * width
			b := min(width, n-first)
			s.workers[id].u = grow(s.workers[id].u, s.r*b)
			u := s.workers[id].u
			kernel.Load(u, x, stride, trans, first, s.r, b)
			weights := d
			if d != nil {
				weights = d[first:][:b]
			}
			kernel.Gram(s.grams[i*size:][:size], u, weights, b, s.r)
		})
		for i := range parts {
			for k, v := range s.grams[i*size:][:size] {
				gram[k] += v
			}
		}
	}
}

// layOut lays out W for products with dense panels.
func (s *stepper) layOut() {
	if s.laid {
		return
	}
	s.laid = true
	s.wt = grow(s.wt, s.r*s.m)
	kernel.Load(s.wt, s.rows, s.r, true, 0, s.r, s.m)
	share := s.sharing(8 * s.m * s.r)
	s.cross.SetShared(s.wt, nil, s.m, s.r, share)
	s.product.SetShared(s.wt, s.m, s.r, share)
}

func (s *stepper) sharing(work int) kernel.Share {
	return func(n int, f func(i int)) { s.pool.Share(n, work, func(_, i int) { f(i) }) }
}

// share34 is the share of the trace of M that γG gets: see rnmf.HALS.
const share34 = 0.75

// ofEntries reports whether weights differ from entry to entry.
func (r *Round) ofEntries() bool {
	if r.family != rnmf.Gaussian {
		return false
	}
	if r.missing {
		return true
	}
	rho, byColumn := unpack(r.loss)
	return !byColumn && !isSquared(rho)
}

// do does the round on a panel.
func (s *stepper) do(ctx context.Context, x Panel, c *Coefficients) (*Coefficients, *Statistics, error) {
	rows, b := x.Dims()
	if rows != s.m || b == 0 {
		return nil, nil, fmt.Errorf("%w: the panel is %d×%d, W has %d rows", rnmf.ErrShape, rows, b, s.m)
	}
	if err := errors.Join(x.fits(), c.check(s.r, b)); err != nil {
		return nil, nil, err
	}
	if err := c.of.is(stamp{s.fit, s.reads, c.of.from}, "coefficients"); err != nil {
		return nil, nil, err
	}
	if s.redo && c.Unextrapolated == nil {
		return nil, nil, fmt.Errorf("%w: the coefficients of the panel have no Unextrapolated, to which this round goes back", rnmf.ErrEmpty)
	}
	if s.missing && x.Sparse == nil {
		return nil, nil, fmt.Errorf("%w: Missing is for sparse panels, this one is dense", rnmf.ErrParameter)
	}
	next := c
	switch {
	case s.redo:
		next = &Coefficients{of: stamp{s.fit, s.writes, c.of.from}, H: c.Unextrapolated, norms: c.norms}
	case s.step:
		next = &Coefficients{of: stamp{s.fit, s.writes, c.of.from}, H: mat.NewDense(s.r, b, nil), norms: c.norms}
		if s.keep {
			next.Unextrapolated = mat.NewDense(s.r, b, nil)
		}
	}
	if c.norms == nil && !s.ofEntries() && s.family == rnmf.Gaussian {
		norms := *next
		next = &norms
		next.norms = x.norms(s.pool)
	}
	t := &Statistics{of: stamp{s.fit, s.writes, c.of.from}, m: s.m, r: s.r, entries: s.ofEntries(), samples: uint64(b)}
	if s.step || s.redo {
		if s.step {
			t.moved = make([]float64, s.sweeps)
		}
		if !s.alone {
			t.cross, t.gram = make([]float64, s.m*s.r), make([]float64, s.r*s.r)
		}
		if s.family != rnmf.Gaussian && !s.alone {
			t.gram, t.sums = nil, make([]float64, s.r)
		}
		if t.entries && !s.alone {
			t.gamma, t.bound = make([]float64, s.m), make([]float64, s.m*s.r)
		}
	}
	if s.family == rnmf.Gaussian && x.Dense != nil || t.entries && !s.missing {
		s.layOut()
	}
	p := &pass{stepper: s, x: x, from: c, to: next, t: t, b: b}
	switch {
	case s.family != rnmf.Gaussian:
		p.counts()
	case s.missing:
		p.patterns()
	case s.ofEntries():
		p.entries()
	default:
		p.columns()
	}
	if s.step {
		step := next.H
		if s.keep {
			step = next.Unextrapolated
		}
		t.moves = moves{step: !mat.Equal(step, c.H), extrapolated: !mat.Equal(next.H, c.H)}
	}
	if s.measures {
		t.residuals = new(histogram.Counts)
		for i := range s.workers {
			if measured := s.workers[i].measured; measured != nil {
				t.residuals.Merge(measured)
				s.workers[i].measured = nil
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return next, t, nil
}

// A pass is a round on one panel.
type pass struct {
	*stepper
	x        Panel
	from, to *Coefficients
	t        *Statistics
	b        int // columns
}

// SquaredResiduals returns ‖x_j − Wh_j‖² of each sample of a panel with coefficients h (r×b), or the sum
// of its deviances where the family is not Gaussian; with missing, over the entries that a sparse panel
// stores. Under a loss of columns the weight of a sample is the slope that Rho returns for this number;
// outliers are the samples whose weight is far below the median of all weights. It takes O(nnz·r)
// operations. W and H may have signs where the family is Gaussian. Errors name the first bad entry of W, H or
// the panel, or the first sample whose number would not be finite.
func SquaredResiduals(ctx context.Context, w, h *mat.Dense, family rnmf.Family, x Panel, missing bool) ([]float64, error) {
	if w == nil {
		return nil, fmt.Errorf("%w: W is nil", rnmf.ErrEmpty)
	}
	if h == nil {
		return nil, fmt.Errorf("%w: H is nil", rnmf.ErrEmpty)
	}
	signed := family == rnmf.Gaussian
	if err := errors.Join(checkFactor("W", w, signed), checkFactor("H", h, signed), x.check(0), checkFamily(family, nil, missing)); err != nil {
		return nil, err
	}
	if family != rnmf.Gaussian {
		if _, err := summarise(x, 0); err != nil { // which finds negative counts
			return nil, err
		}
	}
	_, b := x.Dims()
	s := newStepper(ctx)
	s.pool.Open()
	defer s.pool.Close()
	s.set(&Round{w: w, loss: rnmf.ByColumn{Loss: rnmf.Frobenius{}}, family: family, missing: missing})
	s.out = make([]float64, b)
	if _, _, err := s.do(ctx, x, &Coefficients{H: h}); err != nil {
		return nil, err
	}
	for j, v := range s.out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%w: the residuals of sample %d", rnmf.ErrTooLarge, j)
		}
	}
	return s.out, nil
}

// norms returns the squared norms of the columns.
func (x Panel) norms(pool *work.Pool) []float64 {
	_, b := x.Dims()
	norms := make([]float64, b)
	if x.Sparse != nil {
		for j := range norms {
			norms[j], _ = kernel.SumSquares(x.Sparse.Value[x.Sparse.Start[j]:x.Sparse.Start[j+1]], nil)
		}
		return norms
	}
	raw := x.Dense.RawMatrix()
	const width = 512
	pool.Each((b+width-1)/width, func(_, t int) {
		from, to := t*width, min((t+1)*width, b)
		sums := norms[from:to]
		for i := range raw.Rows {
			for j, v := range raw.Data[i*raw.Stride+from : i*raw.Stride+to] {
				sums[j] += v * v
			}
		}
	})
	return norms
}

// total sums in order.
func total(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum
}

func grow(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// loadColumns copies columns of a matrix with a few rows to a tile.
func loadColumns(tile []float64, v *mat.Dense, first, b int) {
	raw := v.RawMatrix()
	kernel.Load(tile, raw.Data, raw.Stride, false, first, raw.Rows, b)
}

// storeColumns puts a tile back.
func storeColumns(v *mat.Dense, tile []float64, first, b int) {
	raw := v.RawMatrix()
	for k := range raw.Rows {
		copy(raw.Data[k*raw.Stride+first:][:b], tile[k*b:])
	}
}

// unpack returns the ρ of a loss, and whether it is taken of columns: see rnmf.Loss. nil is Frobenius.
func unpack(l rnmf.Loss) (rho rnmf.Loss, byColumn bool) {
	c, byColumn := l.(interface{ OfColumns() rnmf.Loss })
	if byColumn {
		l = c.OfColumns()
	}
	return cmp.Or[rnmf.Loss](l, rnmf.Frobenius{}), byColumn
}

// isSquared reports whether a ρ is plain least squares.
func isSquared(rho rnmf.Loss) bool {
	q, ok := rho.(interface{ Squared() bool })
	return ok && q.Squared()
}
