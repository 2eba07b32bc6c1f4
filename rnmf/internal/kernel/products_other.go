//go:build !amd64

package kernel

// There are no kernels for products but the loops in Go.

func panel() int { return 0 }

func (p *Product) pack(k int) {}

func (p *Product) sub(e, x, v []float64, b int) {}

func (p *Product) rest(e, x, v []float64, b int) {}

func (c *Cross) pack(u, d []float64, p int) {}

func (c *Cross) add(n, z []float64, ldz, b int, far bool) {}

func (c *Cross) ofRows(n, x []float64, stride, b int) {}

func addRows(n, u, z []float64, m, r, b int) {}

func gramPacked(g []float64, c, d *Cross, share Share) {}
