package rnmf

// Stand-ins for kernels that are being written; delete what weigh.go or the
// kernel package has.

func squaredNorms(s, e, mask []float64, m, b int) {
	s = s[:b]
	clear(s)
	for i := range m {
		row := e[i*b:][:b]
		if mask == nil {
			for j, x := range row {
				s[j] += x * x
			}
			continue
		}
		mr := mask[i*b:][:b]
		for j, x := range row {
			s[j] += mr[j] * x * x
		}
	}
}
func sum(value, mask []float64) (s float64) {
	for i, v := range value {
		if mask != nil {
			v *= mask[i]
		}
		s += v
	}
	return
}

func (t *Tile) squareSum() (s, n float64) {
	for i, x := range t.E {
		if t.maskTile == nil || t.maskTile[i] > 0 {
			s += x * x
			n++
		}
	}
	return
}
