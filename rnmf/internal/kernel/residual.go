package kernel

// ResidualSplit does Load, Residual and Split: X ← columns j0 to j0+b of from, whose
// rows are stride apart, then E ← X − UᵀV, then X ← Ω∘X and E ← Ω∘UᵀV. Without from,
// X is there already. All but the sum has the same bits as that, and the sum the same
// accuracy.
func (r Rho) ResidualSplit(p *Product, x, e, from []float64, stride, j0 int, v []float64, b int, sum bool) float64 {
	x, e, v = x[:p.m*b], e[:p.m*b], v[:p.r*b]
	if len(x) == 0 {
		return 0
	}
	var s eight
	done := 0
	if p.panel > 0 && len(v) > 0 && b%8 == 0 {
		if from == nil {
			done = r.residualSplitSIMD(&s, p, x, e, x, b, v, b, sum)
		} else {
			done = r.residualSplitSIMD(&s, p, x, e, from[j0:][:(p.m-1)*stride+b], stride, v, b, sum)
		}
	}
	total := s.total()
	if done == p.m {
		return total
	}
	if from != nil {
		Load(x[done*b:], from[done*stride:], stride, false, j0, p.m-done, b)
	}
	if done == 0 {
		p.Residual(e, x, v, b)
	} else {
		p.rest(e, x, v, b)
	}
	return total + r.Split(x[done*b:], e[done*b:], sum)
}
