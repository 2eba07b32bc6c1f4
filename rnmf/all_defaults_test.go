package rnmf_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// What the zero value of an option stands for, as its comment says: the bits of that
// value written out, and not those of another.
func TestDefaults(t *testing.T) {
	x, _ := Planted(14, 24, 3, 0.1, 0.1, 1)
	labels := SomeLabels(24, 0)
	fit := func(m Model) []float64 {
		m.Rank, m.Seed = 4, 2
		r := MustFit(t, m, x)
		return slices.Concat(r.W.RawMatrix().Data, r.H.RawMatrix().Data, []float64{r.Objective})
	}
	rounds := func(s Solver) []float64 { return fit(Model{Solver: s, MaxIter: 3, Tol: -1}) }
	onGraph := func(s Solver) []float64 {
		return fit(Model{Solver: s, MaxIter: 3, Tol: -1, OnH: []Penalty{Laplacian{Ring(24, 3), 2}}})
	}
	start := func(i Init) []float64 {
		w, h, err := i.Start(t.Context(), x, 4, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		return slices.Concat(w.RawMatrix().Data, h.RawMatrix().Data)
	}
	stacked := func(lambda float64) []float64 {
		r, err := SSNMF{Model: Model{Rank: 4, MaxIter: 3, Tol: -1}, Labels: labels, Lambda: lambda}.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Concat(r.W.RawMatrix().Data, r.U.RawMatrix().Data, []float64{r.Objective})
	}
	cover := func(beta float64) []float64 {
		r, err := OcclusionNMF{Model: Model{Rank: 4, MaxIter: 5}, Height: 7, Width: 2, Beta: beta}.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		return append([]float64{r.Objective}, r.W.RawMatrix().Data...)
	}
	onH := func(p Penalty) []float64 { return fit(Model{OnH: []Penalty{p}, MaxIter: 3, Tol: -1}) }
	of := func(l Labels, weight float64) Labels {
		l.Weight = weight
		return l
	}
	for _, c := range []struct {
		name                  string
		zero, written, others []float64
	}{
		{"Model.Loss", fit(Model{MaxIter: 3}), fit(Model{MaxIter: 3, Loss: Frobenius{}}), fit(Model{MaxIter: 3, Loss: L1{Eps: 1}})},
		{"Model.Solver", rounds(nil), rounds(HALS{}), rounds(HALS{NoExtrapolation: true})},
		{"Model.Init", fit(Model{MaxIter: 3}), fit(Model{MaxIter: 3, Init: Random{}}), fit(Model{MaxIter: 3, Init: KMeansInit{}})},
		{"Model.MaxIter", fit(Model{Solver: MU{}, Tol: -1}), fit(Model{Solver: MU{}, Tol: -1, MaxIter: 500}), fit(Model{Solver: MU{}, Tol: -1, MaxIter: 501})},
		{"Model.Tol", fit(Model{Solver: MU{}}), fit(Model{Solver: MU{}, Tol: 1e-5}), fit(Model{Solver: MU{}, Tol: 2e-5})},
		{"Additive.Solver", rounds(Additive{}), rounds(Additive{Solver: HALS{}}), rounds(Additive{Solver: MU{}})},
		{"Model.SolverW", rounds(nil), fit(Model{SolverW: HALS{}, MaxIter: 3, Tol: -1}), fit(Model{SolverW: MU{}, MaxIter: 3, Tol: -1})},
		{"Model.SolverH", rounds(nil), fit(Model{SolverH: HALS{}, MaxIter: 3, Tol: -1}), fit(Model{SolverH: MU{}, MaxIter: 3, Tol: -1})},
		{"OGM.Tol", rounds(OGM{}), rounds(OGM{Tol: 0.01}), rounds(OGM{Tol: 0.02})},
		{"OGM.Steps", rounds(OGM{Tol: -1}), rounds(OGM{Tol: -1, Steps: 100}), rounds(OGM{Tol: -1, Steps: 99})},
		{"RRA.Energy", onGraph(RRA{Printed: true}), onGraph(RRA{Printed: true, Energy: 0.95}), onGraph(RRA{Printed: true, Energy: 0.9})},
		{"KMeansInit.Shift", start(KMeansInit{}), start(KMeansInit{Shift: 0.3}), start(KMeansInit{Shift: 0.6})},
		{"LabelInit.Rest", start(LabelInit{Labels: labels}), start(LabelInit{labels, Random{}}), start(LabelInit{labels, KMeansInit{}})},
		{"SSNMF.Lambda", stacked(0), stacked(1), stacked(2)},
		{"Labels.Weight", onH(labels), onH(of(labels, 1)), onH(of(labels, 2))},
		{"LogSparse.Scale", onH(LogSparse{Lambda: 1}), onH(LogSparse{Lambda: 1, Scale: 1}), onH(LogSparse{Lambda: 1, Scale: 2})},
		{"OcclusionNMF.Beta", cover(0), cover(0.5), cover(0.6)},
	} {
		if !slices.Equal(c.zero, c.written) {
			t.Errorf("%s: the zero value is not the one that is documented", c.name)
		}
		if slices.Equal(c.zero, c.others) {
			t.Errorf("%s: another value makes no difference, so this tests nothing", c.name)
		}
	}
}
