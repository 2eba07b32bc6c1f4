package kernel

// Split turns data and factors into the two parts of a multiplicative update,
// X ← Ω∘X and Y ← Ω∘UᵀV with the weights of E = X − UᵀV, and returns Σ ρ(e²) if that
// is wanted, else 0. X is columns j0 to j0+b of from, whose rows are stride apart, or
// without from is there already. All but the sum has the same bits as after Load,
// Product.Apart, Weigh and Mul.
func (r Rho) Split(p *Product, x, y, from []float64, stride, j0 int, v []float64, b int, sum bool) float64 {
	x, y, v = x[:p.m*b], y[:p.m*b], v[:p.r*b]
	if len(x) == 0 {
		return 0
	}
	var s eight
	done := 0
	if p.panel > 0 && len(v) > 0 && b%8 == 0 {
		if from == nil {
			done = r.splitPanels(&s, p, x, y, x, b, v, b, sum)
		} else {
			done = r.splitPanels(&s, p, x, y, from[j0:][:(p.m-1)*stride+b], stride, v, b, sum)
		}
	}
	total := s.total()
	if done == p.m {
		return total
	}
	if from != nil {
		Load(x[done*b:], from[done*stride:], stride, false, j0, p.m-done, b)
	}
	clear(y[done*b:])
	if done == 0 {
		p.Sub(y, v, b)
	} else {
		p.rest(y, y, v, b)
	}
	return total + r.split(x[done*b:], y[done*b:], sum)
}

// split does x_i ← ω_i x_i and y_i ← −ω_i y_i, with the weights of e_i = x_i + y_i,
// and returns the Sum of the values if that is wanted, else 0.
func (r Rho) split(x, y []float64, sum bool) float64 {
	y = y[:len(x)]
	var s eight
	if useAVX2 {
		r.splitSIMD(&s, x, y, sum)
	} else {
		r.splitPortable(&s, x, y, sum)
	}
	return s.total()
}
