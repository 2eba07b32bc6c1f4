package rnmf

// An ising field is the energy of labels z ∈ {0, 1} of the pixels of an image,
//
//	Σ_i cost_i z_i + b Σ_{i~k} |z_i − z_k|,
//
// over the pairs of pixels that share an edge, in raster order.
type ising struct {
	height, width int
	b             float64
}

// lower changes z until neither a row nor a column of the image can be relabelled to lower the
// energy. Given the others, the labels of one are a chain, of which dynamic programming finds the
// minimum: with g_i the cost of z_i = 1 over that of z_i = 0, all before i at their best,
//
//	g_i = cost_i + b Σ_side (1 − 2z) + min(max(g_{i−1}, −b), b).
//
// So the energy never rises. A minimum cut would find the very least.
func (f ising) lower(z []bool, cost []float64) {
	g := make([]float64, max(f.height, f.width))
	for range 50 { // far more than images need
		changed := false
		for y := range f.height {
			if f.chain(z, cost, g, y*f.width, 1, f.width, f.width, y > 0, y < f.height-1) {
				changed = true
			}
		}
		for x := range f.width {
			if f.chain(z, cost, g, x, f.width, f.height, 1, x > 0, x < f.width-1) {
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
func (f ising) chain(z []bool, cost, g []float64, first, step, count, side int, before, after bool) (changed bool) {
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
			d += min(max(g[j-1], -f.b), f.b)
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
func (f ising) pull(z bool) float64 {
	if z {
		return -f.b
	}
	return f.b
}

// energy returns the sum above.
func (f ising) energy(z []bool, cost []float64) (sum float64) {
	for i, c := range cost {
		if z[i] {
			sum += c
		}
		if i%f.width > 0 && z[i] != z[i-1] {
			sum += f.b
		}
		if i >= f.width && z[i] != z[i-f.width] {
			sum += f.b
		}
	}
	return sum
}
