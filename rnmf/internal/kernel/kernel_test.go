package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func random(n int, rng *rand.Rand) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = rng.Float64() - 0.3
		if rng.IntN(8) == 0 {
			s[i] = 0
		}
	}
	return s
}

func compare(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-13*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: entry %d is %.16g, want %.16g", name, i, got[i], want[i])
		}
	}
}

// subtract takes UᵀV from e, for a U that is used once.
func subtract(e, u, v []float64, m, r, b int) {
	var p Product
	p.Set(u, m, r)
	p.Sub(e, v, b)
}

func TestKernels(t *testing.T) { levels(t, testKernels) }

// Every kernel against loops over i, j, k, on shapes around the unrolling.
func testKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, m := range []int{1, 2, 3, 5, 8, 13} {
		for _, r := range []int{1, 2, 3, 4, 5, 8, 11} {
			for _, b := range []int{1, 2, 7, 8, 17, 64} {
				name := fmt.Sprintf("m %d, r %d, b %d, ", m, r, b)
				u, v, e, omega, d := random(r*m, rng), random(r*b, rng), random(m*b, rng), random(m*b, rng), random(m, rng)

				got, want := slices.Clone(e), slices.Clone(e)
				subtract(got, u, v, m, r, b)
				for i := range m {
					for j := range b {
						for k := range r {
							want[i*b+j] -= u[k*m+i] * v[k*b+j]
						}
					}
				}
				compare(t, name+"SubProduct", got, want)
				var product Product
				product.Set(u, m, r)
				other := random(m*b, rng)
				product.Residual(other, e, v, b)
				if !slices.Equal(other, got) {
					t.Fatal(name + "Residual is not SubProduct")
				}

				got, want = slices.Clone(v), slices.Clone(v)
				AddCross(got, u, e, m, r, b)
				for k := range r {
					for j := range b {
						for i := range m {
							want[k*b+j] += u[k*m+i] * e[i*b+j]
						}
					}
				}
				compare(t, name+"AddCross", got, want)

				for _, w := range [][]float64{nil, d} {
					got, want = random(r*r, rng), make([]float64, r*r)
					Gram(got, u, w, m, r)
					for k := range r {
						for l := range r {
							for i := range m {
								a := u[k*m+i] * u[l*m+i]
								if w != nil {
									a *= w[i]
								}
								want[k*r+l] += a
							}
						}
					}
					compare(t, name+"Gram", got, want)
				}

				delta, p := v[:b], u[(r-1)*m:]
				for _, last := range [][]float64{nil, p} {
					num, den, left := random(b, rng), random(b, rng), slices.Clone(e)
					Weighted(num, den, left, omega, u[:m], last, delta, m, b)
					wantNum, wantDen, want := make([]float64, b), make([]float64, b), slices.Clone(e)
					for i := range m {
						for j := range b {
							if last != nil {
								want[i*b+j] -= last[i] * delta[j]
							}
							wantNum[j] += omega[i*b+j] * u[i] * want[i*b+j]
							wantDen[j] += omega[i*b+j] * u[i] * u[i]
						}
					}
					compare(t, name+"Weighted's numerator", num, wantNum)
					compare(t, name+"Weighted's denominator", den, wantDen)
					compare(t, name+"Weighted's residual", left, want)
				}

				got, want = slices.Clone(e), slices.Clone(e)
				SubOuter(got, p, delta, m, b)
				for i := range m {
					for j := range b {
						want[i*b+j] -= p[i] * delta[j]
					}
				}
				compare(t, name+"SubOuter", got, want)

				const j0, more = 2, 3
				for _, trans := range []bool{false, true} {
					rows, stride := m, j0+b+more
					if trans {
						rows, stride = j0+b, m+more
					}
					x := random(rows*stride, rng)
					got, want = random(m*b, rng), make([]float64, m*b)
					Load(got, x, stride, trans, j0, m, b)
					for i := range m {
						for j := range b {
							if trans {
								want[i*b+j] = x[(j0+j)*stride+i]
							} else {
								want[i*b+j] = x[i*stride+j0+j]
							}
						}
					}
					compare(t, name+"Load", got, want)
				}
			}
		}
	}
}
