package panel

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// entries is the round under losses of entries, block by block of columns, so that Ω∘E and Ω of a
// block stay in the cache. A sparse panel is made dense tile by tile.
func (p *pass) entries() {
	width := min(max((128<<10)/(16*p.m)/8*8, 8), 24)
	perBlock := max((4<<20)/(16*p.m*width), 4)
	var losses []float64
	for first := 0; first < p.b; first += width * perBlock {
		losses = append(losses, p.entriesOf(first, min(width*perBlock, p.b-first), width))
	}
	p.t.objective = total(losses)
}

func (p *pass) entriesOf(start, columns, width int) float64 {
	count := (columns + width - 1) / width
	losses := make([]float64, count)
	moved := make([]float64, count*max(p.sweeps, 1))
	if p.summed() {
		p.weighted, p.weights = grow(p.weighted, p.m*columns), grow(p.weights, p.m*columns)
	}
	p.pool.Each(count, func(id, i int) {
		w, at := &p.workers[id], i*width
		first, b := start+at, min(width, columns-at)
		p.prepare(w, first, b, p.m*b)
		p.residual(w, first, b)
		if p.redo {
			rnmf.Weigh(p.rho, w.omega, nil, w.e)
		} else {
			rnmf.Weigh(p.rho, w.omega, w.values, w.e)
			losses[i] = kernel.Sum(w.values, nil)
			p.seeEntries(w, first, b)
		}
		if p.step {
			p.scaled(w, moved[i*p.sweeps:][:p.sweeps], b)
			p.extrapolate(w, first, b)
			p.residual(w, first, b)
			rnmf.Weigh(p.rho, w.omega, nil, w.e)
		}
		if !p.summed() {
			return
		}
		kernel.Mul(w.e, w.omega)
		for k := range p.m {
			copy(p.weighted[k*columns+at:][:b], w.e[k*b:])
			copy(p.weights[k*columns+at:][:b], w.omega[k*b:])
		}
	})
	if !p.summed() || p.pool.Stop() {
		return total(losses)
	}
	p.addMoved(moved, count)
	h := make([]float64, p.r*columns)
	loadColumns(h, p.to.H, start, columns)
	gram := make([]float64, p.r*p.r)
	p.hcross.Set(h, nil, columns, p.r)
	kernel.GramShared(gram, &p.hcross, &p.hcross, p.sharing(columns*p.r*p.r/2))
	for i, v := range gram {
		p.t.gram[i] += v
	}
	along, squares := p.alongs(h, columns)
	p.hweighted.Set(h, along, columns, p.r)
	var energy kernel.Cross
	energy.Set(squares, nil, columns, 1)
	p.rowTiles(func(w *worker, first, b int) {
		p.hcross.Of(w.n, p.weighted, columns, true, first, b)
		addRows(p.t.cross, w.n, first, p.r, b)
		p.hweighted.Of(w.n, p.weights, columns, true, first, b)
		addRows(p.t.bound, w.n, first, p.r, b)
		energy.Of(w.n, p.weights, columns, true, first, b)
		for j, v := range w.n[:b] {
			p.t.gamma[first+j] += v
		}
	})
	return total(losses)
}

// alongs returns xᵀh_j and ‖h_j‖² of all columns of h (r×b).
func (p *pass) alongs(h []float64, b int) (along, squares []float64) {
	along, squares = make([]float64, b), make([]float64, b)
	for k, x := range p.Round.x {
		for j, v := range h[k*b:][:b] {
			along[j] += x * v
			squares[j] += v * v
		}
	}
	return along, squares
}

// prepare makes room for a tile with so many entries, and loads its V.
func (p *pass) prepare(w *worker, first, b, entries int) {
	rb := p.r * b
	w.v, w.n, w.old, w.delta, w.down, w.change = grow(w.v, rb), grow(w.n, rb), grow(w.old, rb), grow(w.delta, rb), grow(w.down, rb), grow(w.change, b)
	w.rest, w.e, w.omega, w.values = grow(w.rest, 3*b), grow(w.e, entries), grow(w.omega, entries), grow(w.values, entries)
	if p.redo {
		loadColumns(w.v, p.from.Unextrapolated, first, b)
	} else {
		loadColumns(w.v, p.from.H, first, b)
	}
}

// residual writes X − WV of a tile to w.e.
func (p *pass) residual(w *worker, first, b int) {
	p.loadTile(w.e, first, b)
	p.product.Sub(w.e, w.v, b)
}

// seeEntries counts the squares of the residuals of the entries of X that are not 0.
func (p *pass) seeEntries(w *worker, first, b int) {
	if !p.measures {
		return
	}
	if w.measured == nil {
		w.measured = new(histogram.Counts)
	}
	if x := p.x.Sparse; x != nil {
		for j := range b {
			for k := x.Start[first+j]; k < x.Start[first+j+1]; k++ {
				if x.Value[k] != 0 {
					e := w.e[int(x.Row[k])*b+j]
					w.measured.Add(e * e)
				}
			}
		}
		return
	}
	for i := range p.m {
		row := p.x.Dense.RawRowView(i)[first:][:b]
		for j, e := range w.e[i*b:][:b] {
			if row[j] != 0 {
				w.measured.Add(e * e)
			}
		}
	}
}

// scaled is the half-step of rnmf.HALS with weights, on a tile: sweeps with γG in place of the
// matrix M of each column, then a line search with M.
func (p *pass) scaled(w *worker, moved []float64, b int) {
	gamma := w.rest[:b]
	clear(gamma)
	kernel.AddCross(gamma, p.energy, w.omega, p.m, 1, b)
	kernel.Mul(w.e, w.omega)
	clear(w.down)
	p.cross.Add(w.down, w.e, b)
	p.sweep(w, moved, b)
	clear(w.e)
	p.product.Sub(w.e, w.delta, b)
	kernel.SquaredNorms(w.rest[2*b:3*b], w.e, w.omega, p.m, b)
	p.lineSearch(w, b)
}

// sweep takes w.v along the descent w.down = W(ω∘e), with γ in w.rest, and leaves the change in
// w.delta and where it began in w.old.
func (p *pass) sweep(w *worker, moved []float64, b int) {
	gamma := w.rest[:b]
	clear(w.n)
	p.square.Add(w.n, w.v, b)
	for k := range p.r {
		kernel.Mul(w.n[k*b:][:b], gamma)
	}
	for i, g := range w.down {
		w.n[i] += g
	}
	copy(w.old, w.v)
	for k := range moved {
		moved[k] = kernel.GramSweepWeighted(w.change, w.v, w.n, p.gram, gamma, nil, p.r, b)
	}
	for i, v := range w.old {
		w.delta[i] = w.v[i] - v
	}
}

// lineSearch goes along δ to the minimum of the bound, whose curvatures are the third part of
// w.rest, but not beyond δ.
func (p *pass) lineSearch(w *worker, b int) {
	gain, bend := w.rest[b:2*b], w.rest[2*b:3*b]
	clear(gain)
	for i, d := range w.delta {
		gain[i%b] += d * w.down[i]
	}
	for j, x := range gain {
		along := max(x, 0) / bend[j]
		if !(along < 1) {
			continue
		}
		for i := j; i < p.r*b; i += b {
			w.v[i] = max(0, w.old[i]+along*w.delta[i])
		}
	}
}

// patterns is the round where the entries that a sparse panel does not store are missing: all sums
// are over its entries alone, O(nnz·r).
func (p *pass) patterns() {
	const width = 24
	count := (p.b + width - 1) / width
	losses := make([]float64, count)
	moved := make([]float64, count*max(p.sweeps, 1))
	x, r := p.x.Sparse, p.r
	p.weighted, p.weights = grow(p.weighted, len(x.Value)), grow(p.weights, len(x.Value))
	p.pool.Each(count, func(id, i int) {
		w, first := &p.workers[id], i*width
		b := min(width, p.b-first)
		p.prepare(w, first, b, 0)
		weighs := p.patternWeights(w, first, b, !p.redo)
		if !p.redo {
			losses[i] = weighs
		}
		if p.step {
			gamma, bend := w.rest[:b], w.rest[2*b:3*b]
			w.s, w.gv = grow(w.s, r), grow(w.gv, r)
			for j := range b {
				clear(w.s)
				var g float64
				for k := x.Start[first+j]; k < x.Start[first+j+1]; k++ {
					g += p.weights[k] * p.energy[x.Row[k]]
					floats.AddScaled(w.s, p.weighted[k], p.rows[int(x.Row[k])*r:][:r])
				}
				gamma[j] = g
				for k, v := range w.s {
					w.down[k*b+j] = v
				}
			}
			p.sweep(w, moved[i*p.sweeps:][:p.sweeps], b)
			for j := range b {
				for k := range w.gv {
					w.gv[k] = w.delta[k*b+j]
				}
				bend[j] = 0
				for k := x.Start[first+j]; k < x.Start[first+j+1]; k++ {
					d := floats.Dot(w.gv, p.rows[int(x.Row[k])*r:][:r])
					bend[j] += p.weights[k] * d * d
				}
			}
			p.lineSearch(w, b)
			p.extrapolate(w, first, b)
			p.patternWeights(w, first, b, false)
		}
	})
	p.t.objective = total(losses)
	if !p.summed() || p.pool.Stop() {
		return
	}
	p.addMoved(moved, count)
	h := mat.DenseCopyOf(p.to.H).RawMatrix().Data
	p.hcross.Set(h, nil, p.b, r)
	kernel.GramShared(p.t.gram, &p.hcross, &p.hcross, p.sharing(p.b*r*r/2))
	along, squares := p.alongs(h, p.b)
	p.dense = grow(p.dense, p.b*r) // Hᵀ
	for k := range r {
		for j, v := range h[k*p.b:][:p.b] {
			p.dense[j*r+k] = v
		}
	}
	p.sparseRows(0, p.b, func(_ *worker, j, k, i int) {
		hj := p.dense[j*r:][:r]
		floats.AddScaled(p.t.cross[i*r:][:r], p.weighted[k], hj)
		floats.AddScaled(p.t.bound[i*r:][:r], p.weights[k]*along[j], hj)
		p.t.gamma[i] += p.weights[k] * squares[j]
	})
}

// patternWeights writes Ω and Ω∘E of the entries of a tile, and returns their loss. With measures
// it counts the residuals.
func (p *pass) patternWeights(w *worker, first, b int, counts bool) (loss float64) {
	x, r := p.x.Sparse, p.r
	w.s = grow(w.s, r)
	if counts && p.measures && w.measured == nil {
		w.measured = new(histogram.Counts)
	}
	for j := range b {
		for k := range w.s {
			w.s[k] = w.v[k*b+j]
		}
		from, to := x.Start[first+j], x.Start[first+j+1]
		e, omega := p.weighted[from:to], p.weights[from:to]
		for k, i := range x.Row[from:to] {
			e[k] = x.Value[from+k] - floats.Dot(w.s, p.rows[int(i)*r:][:r])
		}
		if p.byColumn {
			s, _ := kernel.SumSquares(e, nil)
			value, slope := p.rho.Rho(s)
			loss += value
			if p.out != nil {
				p.out[first+j] = s
			}
			if counts {
				slope = 1 // which changes no minimiser over this column: see rnmf.Tile
			}
			for k := range omega {
				omega[k] = slope
			}
			if counts && p.measures {
				w.measured.Add(s)
			}
		} else {
			w.values = grow(w.values, len(e))
			rnmf.Weigh(p.rho, omega, w.values, e)
			loss += total(w.values)
			if counts && p.measures {
				for k, v := range e {
					if x.Value[from+k] != 0 {
						w.measured.Add(v * v)
					}
				}
			}
		}
		kernel.Mul(e, omega)
	}
	return loss
}
