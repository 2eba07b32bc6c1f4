package kernel

import "sync"

// A Product is a factor U (r×m) laid out for E ← X − UᵀV. It is set once and then
// read, by any number of goroutines, for each tile of a half-step. The zero value
// can be Set, and Set again to another factor, whose memory it reuses.
type Product struct {
	m, r   int
	u      []float64 // U itself, for the loops in Go
	panel  int       // rows of E in a panel, 0 for the loops in Go
	packed []float64 // −U by panels: entry (k, i) at (i/panel·r + k)·panel + i%panel
}

// A Cross is a factor U (r×m) laid out for N ← N + UZ and for UUᵀ, like a Product.
type Cross struct {
	m, r   int
	u      []float64
	panel  int
	packed []float64 // U by panels: entry (k, i) at (k/panel·m + i)·panel + k%panel, 0 for k ≥ r
}

// A Share calls f for 0..n−1, in any order or at once.
type Share func(n int, f func(i int))

// InTurn is the Share of one.
func InTurn(n int, f func(i int)) {
	for i := range n {
		f(i)
	}
}

// Set lays out U, which must not change while p is in use.
func (p *Product) Set(u []float64, m, r int) { p.SetShared(u, m, r, InTurn) }

// SetShared is Set with the work in parts.
func (p *Product) SetShared(u []float64, m, r int, share Share) {
	p.m, p.r, p.u = m, r, u[:r*m]
	if p.panel = panel(); p.panel > 0 && m > 0 && r > 0 {
		p.packed = grow(p.packed, (m+p.panel-1)/p.panel*p.panel*r)
		share(r, p.pack)
	}
}

// Sub subtracts a product from a tile, E ← E − UᵀV.
func (p *Product) Sub(e, v []float64, b int) {
	e, v = e[:p.m*b], v[:p.r*b]
	if len(e) == 0 || len(v) == 0 {
		return
	}
	if p.panel == 0 {
		subProduct(e, p.u, v, p.m, p.r, b)
	} else {
		p.sub(e, e, v, b)
	}
}

// Residual is Sub after a copy, E ← X − UᵀV, with the same bits. X and E must not
// overlap in part.
func (p *Product) Residual(e, x, v []float64, b int) {
	e, x, v = e[:p.m*b], x[:p.m*b], v[:p.r*b]
	switch {
	case p.panel == 0 || len(v) == 0:
		copy(e, x)
		p.Sub(e, v, b)
	case len(e) > 0:
		p.sub(e, x, v, b)
	}
}

// Apart does Y ← UᵀV and E ← X − Y. Multiplicative updates need Y itself: where it is
// far below X, nothing of it is left in X − E.
func (p *Product) Apart(e, y, x, v []float64, b int) {
	e, y, x = e[:p.m*b], y[:p.m*b], x[:p.m*b]
	clear(y)
	p.Sub(y, v, b)
	apart(e, x, y)
}

// Set lays out U, or U·diag(d) where d is not nil. Neither must change while c is
// in use.
func (c *Cross) Set(u, d []float64, m, r int) { c.SetShared(u, d, m, r, InTurn) }

// SetShared is Set with the work in parts.
func (c *Cross) SetShared(u, d []float64, m, r int, share Share) {
	u = u[:r*m]
	if d != nil {
		d = d[:m]
	}
	c.m, c.r, c.u = m, r, u
	switch c.panel = panel(); {
	case c.panel > 0 && m > 0 && r > 0:
		c.packed = grow(c.packed, (r+c.panel-1)/c.panel*c.panel*m)
		share((r+c.panel-1)/c.panel, func(p int) { c.pack(u, d, p) })
	case d != nil:
		c.packed = grow(c.packed, r*m)
		c.u = c.packed
		for k := range r {
			from, to := u[k*m:][:m], c.u[k*m:][:m]
			for i, w := range d {
				to[i] = from[i] * w
			}
		}
	}
}

// Add adds the product of U with a tile, N ← N + UZ, with N r×b.
func (c *Cross) Add(n, z []float64, b int) {
	n, z = n[:c.r*b], z[:c.m*b]
	if len(n) == 0 || len(z) == 0 {
		return
	}
	if c.panel == 0 {
		addCross(n, c.u, z, c.m, c.r, b)
	} else {
		c.add(n, z, b, b, false)
	}
}

// Of writes the product of U with the tile that Load would copy, N ← UZ, from where it
// lies, with the same bits as Add to zeros: without trans, Z is columns j0 to j0+b of x,
// whose rows are stride apart; with trans, rows j0 to j0+b, transposed. A copy or a
// transpose takes half as long as the product with 20 rows.
func (c *Cross) Of(n, x []float64, stride int, trans bool, j0, b int) {
	n = n[:c.r*b]
	if len(n) == 0 || c.m == 0 {
		clear(n)
		return
	}
	if trans {
		x = x[j0*stride:][:(b-1)*stride+c.m]
	} else {
		x = x[j0:][:(c.m-1)*stride+b]
	}
	switch {
	case c.panel == 0:
		s := spaces.Get().(*[]float64)
		defer spaces.Put(s)
		*s = grow(*s, c.m*b)
		Load(*s, x, stride, trans, 0, c.m, b)
		clear(n)
		c.Add(n, *s, b)
	case trans:
		c.ofRows(n, x, stride, b)
	default:
		clear(n)
		c.add(n, x, stride, b, true)
	}
}

// GramOf writes the product of one factor with the transpose of another, which
// has the same shape, to g (r×r). It has to be symmetric: the other is the same,
// or differs by diag(d).
func GramOf(g []float64, c, d *Cross) { GramShared(g, c, d, InTurn) }

// GramShared is GramOf with the work in parts.
func GramShared(g []float64, c, d *Cross, share Share) {
	m, r := c.m, c.r
	if m != d.m || r != d.r || c.panel != d.panel {
		panic("kernel: factors of different shapes")
	}
	g = g[:r*r]
	switch {
	case len(g) == 0:
	case m == 0:
		clear(g)
	case c.panel == 0:
		gram(g, c.u, d.u, m, r)
	default:
		gramPacked(g, c, d, share)
	}
}

// AddCross is Cross.Add for a factor that is used once.
func AddCross(n, u, z []float64, m, r, b int) {
	if r < 4 && panel() > 0 {
		// Nothing to lay out: a row is a panel.
		n, u, z = n[:r*b], u[:r*m], z[:m*b]
		if len(n) > 0 && len(z) > 0 {
			addRows(n, u, z, m, r, b)
		}
		return
	}
	c := crosses.Get().(*Cross)
	defer crosses.Put(c)
	c.Set(u, nil, m, r)
	c.Add(n, z, b)
}

// Gram writes UUᵀ, or U·diag(d)·Uᵀ where d is not nil, to g (r×r).
func Gram(g, u, d []float64, m, r int) {
	c := crosses.Get().(*Cross)
	defer crosses.Put(c)
	c.Set(u, nil, m, r)
	scaled := c
	if d != nil {
		scaled = crosses.Get().(*Cross)
		defer crosses.Put(scaled)
		scaled.Set(u, d, m, r)
	}
	GramOf(g, c, scaled)
}

var (
	crosses = sync.Pool{New: func() any { return new(Cross) }}
	spaces  = sync.Pool{New: func() any { return new([]float64) }}
)

func grow(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
