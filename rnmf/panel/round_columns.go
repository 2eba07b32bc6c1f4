package panel

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/drive"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// columns is the round under Frobenius and under losses of columns: sums over entries come from
// N = WᵀX and G = WᵀW, and X is read for two products, N and XDHᵀ.
func (p *pass) columns() {
	const width = 48
	count := (p.b + width - 1) / width
	losses := make([]float64, count)
	moved := make([]float64, count*max(p.sweeps, 1))
	h := p.to.H
	var d []float64 // slopes of the columns
	if p.summed() && !p.squares {
		d = make([]float64, p.b)
	}
	p.pool.Each(count, func(id, i int) {
		w, first := &p.workers[id], i*width
		b := min(width, p.b-first)
		r := p.r
		w.v, w.n, w.gv, w.s, w.change, w.old = grow(w.v, r*b), grow(w.n, r*b), grow(w.gv, r*b), grow(w.s, b), grow(w.change, b), grow(w.old, r*b)
		if p.redo {
			loadColumns(w.v, p.from.Unextrapolated, first, b)
		} else {
			loadColumns(w.v, p.from.H, first, b)
		}
		p.crossOf(w, w.n, first, b)
		if !p.redo {
			p.columnSquares(w, first, b)
			if p.out != nil {
				copy(p.out[first:], w.s)
			}
			for _, s := range w.s {
				value, _ := p.rho.Rho(s)
				losses[i] += value
			}
			p.see(w)
		}
		if p.step {
			for k := range p.sweeps {
				moved[i*p.sweeps+k] = kernel.GramSweep(w.change, w.v, w.n, p.gram, p.inverses, r, b)
			}
			p.extrapolate(w, first, b)
		}
		if d != nil {
			p.columnSquares(w, first, b)
			for j, s := range w.s {
				_, d[first+j] = p.rho.Rho(s)
			}
		}
	})
	p.t.objective = total(losses)
	if !p.summed() || p.pool.Stop() {
		return
	}
	p.addMoved(moved, count)
	if p.x.Sparse != nil {
		p.gramOf(p.t.gram, h.RawMatrix().Data, p.b, false, p.b, d)
		p.sparseSums(h, d)
		return
	}
	p.hcross.Set(h.RawMatrix().Data, nil, p.b, p.r)
	weighted := &p.hcross
	if d != nil {
		weighted = &p.hweighted
		weighted.Set(h.RawMatrix().Data, d, p.b, p.r)
	}
	kernel.GramShared(p.t.gram, &p.hcross, weighted, p.sharing(p.b*p.r*p.r/2))
	raw := p.x.Dense.RawMatrix()
	p.rowTiles(func(w *worker, first, b int) {
		weighted.Of(w.n, raw.Data, raw.Stride, true, first, b)
		addRows(p.t.cross, w.n, first, p.r, b)
	})
}

// summed reports whether the round collects the sums of W.
func (r *Round) summed() bool { return (r.step || r.redo) && !r.alone }

// see counts the squares of columns.
func (p *pass) see(w *worker) {
	if !p.measures {
		return
	}
	if w.measured == nil {
		w.measured = new(histogram.Counts)
	}
	for _, s := range w.s {
		w.measured.Add(s)
	}
}

// addMoved adds the changes of tiles, sweep by sweep.
func (p *pass) addMoved(moved []float64, count int) {
	for i := range count {
		for k := range p.t.moved {
			p.t.moved[k] += moved[i*p.sweeps+k]
		}
	}
}

// rowTiles calls f for tiles of rows of X, with n of r×b.
func (p *pass) rowTiles(f func(w *worker, first, b int)) {
	const width = 48
	p.pool.Each((p.m+width-1)/width, func(id, i int) {
		w, first := &p.workers[id], i*width
		b := min(width, p.m-first)
		w.n = grow(w.n, p.r*b)
		f(w, first, b)
	})
}

// addRows adds a tile (r×b) to rows of a matrix with r columns.
func addRows(to, tile []float64, first, r, b int) {
	for j := range b {
		row := to[(first+j)*r:][:r]
		for k := range row {
			row[k] += tile[k*b+j]
		}
	}
}

// crossOf writes WᵀX of some columns to n (r×b).
func (p *pass) crossOf(w *worker, n []float64, first, b int) {
	if p.x.Dense != nil {
		raw := p.x.Dense.RawMatrix()
		p.cross.Of(n, raw.Data, raw.Stride, false, first, b)
		return
	}
	x, r := p.x.Sparse, p.r
	w.down = grow(w.down, r)
	for j := range b {
		clear(w.down)
		from, to := x.Start[first+j], x.Start[first+j+1]
		addSparse(w.down, p.rows, x.Row[from:to], x.Value[from:to], r)
		for k, v := range w.down {
			n[k*b+j] = v
		}
	}
}

// addSparse adds Σ value·row of a matrix with r columns.
func addSparse(sum, matrix []float64, rows []int32, values []float64, r int) {
	for k, i := range rows {
		floats.AddScaled(sum, values[k], matrix[int(i)*r:][:r])
	}
}

// columnSquares writes ‖x_j − Wv_j‖² of a tile to w.s, from N and G or, where too many digits
// cancel, from the residual itself.
func (p *pass) columnSquares(w *worker, first, b int) {
	r := p.r
	clear(w.gv)
	p.square.Add(w.gv, w.v, b)
	norms := p.to.norms[first:][:b]
	copy(w.s, norms)
	for k := range r {
		vk, nk, gk := w.v[k*b:][:b], w.n[k*b:][:b], w.gv[k*b:][:b]
		for j, x := range vk {
			w.s[j] += x * (gk[j] - 2*nk[j])
		}
	}
	for j, x := range w.s {
		if x < 1e-6*norms[j] {
			w.s[j] = p.exactSquare(w, first, j, b)
		}
	}
}

// exactSquare is ‖x_j − Wv_j‖² of column j of a tile of b.
func (p *pass) exactSquare(w *worker, first, j, b int) float64 {
	w.e, w.delta = grow(w.e, p.m), grow(w.delta, p.r)
	p.loadTile(w.e, first+j, 1)
	for k := range p.r {
		w.delta[k] = w.v[k*b+j]
	}
	for i := range w.e {
		w.e[i] -= floats.Dot(p.rows[i*p.r:][:p.r], w.delta)
	}
	s, _ := kernel.SumSquares(w.e, nil)
	return s
}

// loadTile copies columns of X, with their zeros.
func (p *pass) loadTile(tile []float64, first, b int) {
	if p.x.Dense != nil {
		raw := p.x.Dense.RawMatrix()
		kernel.Load(tile, raw.Data, raw.Stride, false, first, p.m, b)
		return
	}
	clear(tile[:p.m*b])
	x := p.x.Sparse
	for j := range b {
		for k := x.Start[first+j]; k < x.Start[first+j+1]; k++ {
			tile[int(x.Row[k])*b+j] = x.Value[k]
		}
	}
}

// extrapolate keeps the V of a tile as Unextrapolated where that is asked for, extrapolates it, and stores it as
// H.
func (p *pass) extrapolate(w *worker, first, b int) {
	if p.keep {
		storeColumns(p.to.Unextrapolated, w.v, first, b)
	}
	if p.beta > 0 && p.from.Unextrapolated != nil {
		loadColumns(w.old, p.from.Unextrapolated, first, b)
		drive.Extrapolate(w.v, w.old, p.beta)
		p.keepPositive(w.v, w.old)
	}
	storeColumns(p.to.H, w.v, first, b)
}

// rowBlocks is into how many blocks of rows the sums of a sparse panel are cut. Each is summed
// column after column, so the number changes no bit.
const rowBlocks = 16

// sparseSums adds XDHᵀ of a sparse panel: O(nnz·r).
func (p *pass) sparseSums(h *mat.Dense, d []float64) {
	x, r := p.x.Sparse, p.r
	raw := h.RawMatrix()
	const width = 1024 // of which DHᵀ is made at a time: it need not have the size of H
	for first := 0; first < p.b; first += width {
		b := min(width, p.b-first)
		p.dense = grow(p.dense, b*r)
		for k := range r {
			for j, v := range raw.Data[k*raw.Stride+first:][:b] {
				if d != nil {
					v *= d[first+j]
				}
				p.dense[j*r+k] = v
			}
		}
		p.sparseRows(first, b, func(_ *worker, j, k, i int) {
			floats.AddScaled(p.t.cross[i*r:][:r], x.Value[k], p.dense[(j-first)*r:][:r])
		})
	}
}

// sparseRows calls f for all entries k, in row i and column j, of b columns of a sparse panel: for
// those of one row on one goroutine, in the order of columns.
func (p *pass) sparseRows(first, b int, f func(w *worker, j, k, i int)) {
	x := p.x.Sparse
	blocks := min(rowBlocks, p.m)
	p.pool.Each(blocks, func(id, block int) {
		low, high := int32(block*p.m/blocks), int32((block+1)*p.m/blocks)
		for j := first; j < first+b; j++ {
			for k := firstFrom(x.Row, x.Start[j], x.Start[j+1], low); k < x.Start[j+1] && x.Row[k] < high; k++ {
				f(&p.workers[id], j, k, int(x.Row[k]))
			}
		}
	})
}

// firstFrom returns the first of the entries from..to whose row is at least low.
func firstFrom(rows []int32, from, to int, low int32) int {
	for from < to {
		if middle := (from + to) / 2; rows[middle] < low {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}
