//go:build !amd64

package kernel

func (r Rho) weighSIMD(omega, value, e []float64) { r.weighPortable(omega, value, e) }

func (r Rho) splitSIMD(s *eight, x, y []float64, sum bool) { r.splitPortable(s, x, y, sum) }

func (r Rho) splitPanels(s *eight, p *Product, x, y, from []float64, stride int, v []float64, b, panels int, sum bool) {
}
