package rnmf_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// The benchmarks of the rows that notebooks/lab/peers compares with NumPy and
// scikit-learn, for work on one of them; products are in internal/kernel.

// A workload is data and a rank.
type workload struct {
	name string
	x    *mat.Dense
	rank int
}

// realWorkloads are ORL and COIL-20 where RNMF_DATA has them, and made-up data of
// the same shapes elsewhere.
func realWorkloads(b *testing.B) []workload {
	out := []workload{{"ORL", nil, 40}, {"COIL20", nil, 20}}
	for i, source := range []*datasets.PublicSet{datasets.ORL, datasets.COIL20} {
		if os.Getenv(datasets.FolderEnv) != "" {
			if s, err := source.Load(context.Background()); err == nil {
				out[i].x = s.Scaled().X
				continue
			}
		}
		out[i].name += "-like"
		out[i].x, _ = Planted(1024, []int{400, 1440}[i], out[i].rank, 0.1, 0.05, 1)
	}
	return out
}

func (w workload) model(loss Loss, solver Solver) Model {
	m, n := w.x.Dims()
	return Model{Rank: w.rank, Loss: loss, Solver: solver, Tol: -1,
		Init: WarmStart{W: Uniform(m, w.rank, 3), H: Uniform(w.rank, n, 4)}}
}

var benchLosses = []Loss{Hypersurface{Scale: 1}, ByColumn{L1{Eps: 1e-3}}, Cauchy{Scale: 0.05}, Huber{Cut: 0.05}, L1{Eps: 0.005}}

// BenchmarkUpdate takes the time of a round at fixed scales, for MU also without its
// objective.
func BenchmarkUpdate(b *testing.B) {
	for i, s := range [][3]int{{1024, 1440, 20}, {1024, 400, 40}, {2576, 7200, 50}} {
		w := workload{fmt.Sprintf("%dx%d,r=%d", s[0], s[1], s[2]), nil, s[2]}
		for _, loss := range benchLosses {
			if i == 2 && loss != benchLosses[0] {
				continue
			}
			for _, solver := range []Solver{MU{}, HALS{}} {
				run := func(name string, untraced bool) {
					b.Run(fmt.Sprintf("%s/%s/%s", LossName(loss), w.name, name), func(b *testing.B) {
						if w.x == nil {
							w.x, _ = Planted(s[0], s[1], s[2], 0.1, 0.05, 1)
						}
						m := w.model(loss, solver)
						m.MaxIter = b.N
						if untraced {
							m.TraceEvery = b.N
						}
						b.ResetTimer()
						MustFit(b, m, w.x)
					})
				}
				run(fmt.Sprintf("%T", solver), false)
				if !Extrapolates(solver) {
					run(fmt.Sprintf("%T,untraced", solver), true)
				}
			}
		}
	}
}

// BenchmarkToObjective takes the time until the objective of 400 multiplicative
// rounds is reached.
func BenchmarkToObjective(b *testing.B) {
	for _, w := range realWorkloads(b) {
		for _, loss := range benchLosses {
			target := 0.0
			b.Run(LossName(loss)+"/"+w.name, func(b *testing.B) {
				if target == 0 {
					m := w.model(loss, MU{})
					m.MaxIter = 400
					target = MustFit(b, m, w.x).Objective
				}
				toTarget(b, w.model(loss, nil), w.x, target)
			})
		}
	}
}

// BenchmarkFrobenius takes the time to 1 % and to 0.1 % above the squared error
// after 1000 rounds.
func BenchmarkFrobenius(b *testing.B) {
	for _, w := range realWorkloads(b) {
		best := 0.0
		for _, above := range []float64{1, 0.1} {
			b.Run(fmt.Sprintf("%s/%g%%", w.name, above), func(b *testing.B) {
				m := w.model(Frobenius{}, nil)
				if best == 0 {
					m.MaxIter = 1000
					best = MustFit(b, m, w.x).Objective
				}
				toTarget(b, m, w.x, best*(1+above/100))
			})
		}
	}
}

// toTarget fits until the objective is at most target.
func toTarget(b *testing.B, m Model, x *mat.Dense, target float64) {
	m.MaxIter = 1000
	rounds := 0
	b.ResetTimer()
	for range b.N {
		reached := false
		for s, err := range m.Steps(context.Background(), x) {
			if err != nil {
				b.Fatal(err)
			}
			if rounds, reached = s.Round, s.Objective <= target; reached {
				break
			}
		}
		if !reached {
			b.Fatalf("%g is not reached in %d rounds", target, rounds)
		}
	}
	b.ReportMetric(float64(rounds), "rounds")
}

func BenchmarkRound(b *testing.B) {
	x, _ := Planted(1024, 400, 40, 0.1, 0.05, 1)
	for _, m := range []Model{NMF(40), L21NMF(40), L1NMF(40), HuberNMF(40), HypersurfaceNMF(40, 1), CIMNMF(40), CauchyNMF(40), TruncatedCauchyNMF(40), RNMFL1(40, 0.5)} {
		for _, solver := range []Solver{HALS{}, MU{}, Additive{}} {
			b.Run(fmt.Sprintf("%s/%T", LossName(m.Loss), solver), func(b *testing.B) {
				m.Solver, m.MaxIter, m.Tol = solver, b.N, -1
				m.Init = WarmStart{W: Uniform(1024, 40, 3), H: Uniform(40, 400, 4)}
				b.ResetTimer()
				MustFit(b, m, x)
			})
		}
	}
}
