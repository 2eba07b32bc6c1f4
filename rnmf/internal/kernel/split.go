package kernel

// Split turns data and factors into the two parts of a multiplicative update,
// X ← Ω∘X and Y ← Ω∘UᵀV with the weights of E = X − UᵀV, and returns Σ ρ(e²) if that
// is wanted, else 0. X is columns j0 to j0+b of from, whose rows are stride apart, or
// without from is there already. All but the sum has the same bits as after Load,
// Product.Apart, Weigh and Mul, but for the signs of zeros where U or V are negative.
// An E that is no number may have any weight.
func (r Rho) Split(p *Product, x, y, from []float64, stride, j0 int, v []float64, b int, sum bool) float64 {
	x, y, v = x[:p.m*b], y[:p.m*b], v[:p.r*b]
	if len(x) == 0 {
		return 0
	}
	// The rows that make whole panels are computed and split in one go, and those that
	// come in fours add up their values by eight columns, whatever the panels are.
	panels, fours := 0, 0
	if len(v) > 0 && b%8 == 0 {
		fours = p.m &^ 3
		if p.panel > 0 {
			panels = p.m / p.panel
		}
	}
	if whole := panels * p.panel; whole < p.m {
		if from != nil {
			Load(x[whole*b:], from[whole*stride:], stride, false, j0, p.m-whole, b)
		}
		clear(y[whole*b:])
		if whole == 0 {
			p.Sub(y, v, b)
		} else {
			p.rest(y, y, v, b)
		}
	}
	if from == nil {
		from, stride, j0 = x, b, 0
	}
	var s eight
	for j := 0; j < b && fours > 0; j += 8 {
		if panels > 0 {
			r.splitPanels(&s, p, x[j:], y[j:], from[j0+j:], stride, v[j:], b, panels, sum)
		}
		for i := panels * p.panel; i < fours; i++ {
			r.splitTo(&s, x[i*b+j:][:8], y[i*b+j:][:8], sum)
		}
	}
	return s.total() + r.split(x[fours*b:], y[fours*b:], sum)
}

// split does x_i ← ω_i x_i and y_i ← −ω_i y_i, with the weights of e_i = x_i + y_i,
// and returns the Sum of the values if that is wanted, else 0.
func (r Rho) split(x, y []float64, sum bool) float64 {
	var s eight
	r.splitTo(&s, x, y, sum)
	return s.total()
}

// splitTo is split that adds to eight sums.
func (r Rho) splitTo(s *eight, x, y []float64, sum bool) {
	y = y[:len(x)]
	if useAVX2 {
		r.splitSIMD(s, x, y, sum)
	} else {
		r.splitPortable(s, x, y, sum)
	}
}
