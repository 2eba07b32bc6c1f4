// Package ising has labels of the pixels of an image that hang together: a Markov random field.
package ising

// A Field is the energy of labels z ∈ {0, 1} of the pixels of an image,
//
//	Σ_i cost_i z_i + b Σ_{i~k} |z_i − z_k|,
//
// over the pairs of pixels that share an edge, in raster order.
type Field struct {
	Height, Width int
	B             float64 // b
}

// Lower changes z until neither a row nor a column of the image can be relabelled to lower the
// energy. Given the others, the labels of one are a chain, of which dynamic programming finds the
// minimum: with g_i the cost of z_i = 1 over that of z_i = 0, all before i at their best,
//
//	g_i = cost_i + b Σ_side (1 − 2z) + min(max(g_{i−1}, −b), b).
//
// So the energy never rises. A minimum cut would find the very least.
func (f Field) Lower(z []bool, cost []float64) {
	g := make([]float64, max(f.Height, f.Width))
	for range 50 { // far more than images need
		changed := false
		for y := range f.Height {
			if f.chain(z, cost, g, y*f.Width, 1, f.Width, f.Width, y > 0, y < f.Height-1) {
				changed = true
			}
		}
		for x := range f.Width {
			if f.chain(z, cost, g, x, f.Width, f.Height, 1, x > 0, x < f.Width-1) {
				changed = true
			}
		}
		if !changed {
			return
		}
	}
}

// chain relabels count pixels, from first on and step apart, to the minimum of the energy given all
// others. Their neighbours outside the chain are side before and after, if there are any.
func (f Field) chain(z []bool, cost, g []float64, first, step, count, side int, before, after bool) (changed bool) {
	for j := range count {
		i := first + j*step
		d := cost[i]
		if before {
			d += f.pull(z[i-side])
		}
		if after {
			d += f.pull(z[i+side])
		}
		if j > 0 {
			d += min(max(g[j-1], -f.B), f.B)
		}
		g[j] = d
	}
	for j := count - 1; j >= 0; j-- {
		i := first + j*step
		d := g[j]
		if j < count-1 {
			d += f.pull(z[i+step])
		}
		if d != 0 && z[i] != (d < 0) { // a tie keeps the label
			z[i], changed = d < 0, true
		}
	}
	return changed
}

// pull is what a neighbour with label z adds to the cost of 1 over that of 0.
func (f Field) pull(z bool) float64 {
	if z {
		return -f.B
	}
	return f.B
}

// Energy returns the sum above.
func (f Field) Energy(z []bool, cost []float64) (sum float64) {
	for i, c := range cost {
		if z[i] {
			sum += c
		}
		if i%f.Width > 0 && z[i] != z[i-1] {
			sum += f.B
		}
		if i >= f.Width && z[i] != z[i-f.Width] {
			sum += f.B
		}
	}
	return sum
}
