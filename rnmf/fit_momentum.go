package rnmf

import "gonum.org/v1/gonum/mat"

// momentum extrapolates the factors, V ← max(0, V + β(V − V_before)), as in E-HALS (Ang and Gillis
// 2019): β grows by γ as long as the objective falls, and shrinks by η where it would have risen; a
// bound on β follows more slowly.
type momentum struct {
	plain       [2]*mat.Dense // H and Wᵀ before extrapolation
	known       [2]bool       // plain is of the round before
	beta, bound float64
	last        float64 // β of the last extrapolation that was accepted
	tried       bool    // a factor has been extrapolated in this round
}

// The parameters of Ang and Gillis.
const (
	firstBeta  = 0.5
	growBeta   = 1.05
	growBound  = 1.01
	shrinkBeta = 1.5
)

// reset forgets the last steps of the factors.
func (p *momentum) reset() { *p = momentum{plain: p.plain} }

// extrapolate extrapolates v, factor i, and keeps a copy of it as it was.
func (p *momentum) extrapolate(i int, v *mat.Dense) {
	if p.beta == 0 {
		p.beta, p.bound, p.last = firstBeta, 1, firstBeta
	}
	if !p.known[i] {
		if p.plain[i] == nil {
			p.plain[i] = mat.DenseCopyOf(v)
		}
		p.plain[i].Copy(v)
		p.known[i] = true
		return
	}
	p.tried = true
	x, y := v.RawMatrix().Data, p.plain[i].RawMatrix().Data
	for j, a := range x {
		x[j], y[j] = max(0, a+p.beta*(a-y[j])), a
	}
}

// accept makes the next extrapolation longer.
func (p *momentum) accept() {
	if p.tried {
		p.last = p.beta
		p.bound = min(1, growBound*p.bound)
		p.beta = min(p.bound, growBeta*p.beta)
	}
	p.tried = false
}

// reject makes the next extrapolation shorter.
func (p *momentum) reject() {
	p.bound = p.last
	p.beta /= shrinkBeta
	p.tried, p.known = false, [2]bool{}
}
