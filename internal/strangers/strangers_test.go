package strangers

import (
	"bytes"
	"context"
	"encoding/gob"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

func fit(t testing.TB, m rnmf.Model, x mat.Matrix) *rnmf.Result {
	t.Helper()
	r, err := m.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// data are of low rank, with noise and gross entries.
func data(m, n int) *mat.Dense {
	x, _, _ := datasets.LowRank(m, n, 5, 1)
	rng := rand.New(rand.NewPCG(1, 2))
	x.Apply(func(_, _ int, v float64) float64 {
		if rng.Float64() < 0.03 {
			return 3 * rng.Float64()
		}
		return math.Max(0, v+0.05*rng.NormFloat64())
	}, x)
	return x
}

// Each part ends where ours does.
func TestAsOurs(t *testing.T) {
	x := data(60, 90)
	_, n := x.Dims()
	var edges []rnmf.Edge
	for j := range n - 1 {
		edges = append(edges, rnmf.Edge{I: j, J: j + 1, Weight: 1})
	}
	chain, err := rnmf.NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	mask := mat.NewDense(60, n, nil)
	mask.Apply(func(i, j int, _ float64) float64 { return float64((3*i + j) % 4) }, mask)
	w, h, _ := Samples{}.Start(t.Context(), x, 4, rand.New(rand.NewPCG(7, 0x52_4e_4d_46)))
	ridge := []rnmf.Penalty{rnmf.Ridge{Lambda: 0.1}}
	both := rnmf.Model{OnW: ridge, OnH: []rnmf.Penalty{rnmf.Lasso{Lambda: 0.2}}}
	type pair struct{ ours, theirs rnmf.Model }
	pairs := map[string]pair{
		"loss":                 {rnmf.Model{}, rnmf.Model{Loss: Squares{}}},
		"loss, multiplicative": {rnmf.Model{Solver: rnmf.MU{}}, rnmf.Model{Loss: Squares{}, Solver: rnmf.MU{}}},
		"loss of samples":      {rnmf.Model{Loss: rnmf.ByColumn{Loss: rnmf.Frobenius{}}}, rnmf.Model{Loss: rnmf.ByColumn{Loss: Squares{}}}},
		"loss of cells":        {rnmf.Model{Loss: rnmf.CellCase{Loss: Pseudo{0.1}, Eps: 0.01}}, rnmf.Model{Loss: Cells{0.1, 0.01}}},
		"truncated loss":       {rnmf.Model{Loss: rnmf.Truncated{Loss: rnmf.Frobenius{}, Cut: 0.3}}, rnmf.Model{Loss: rnmf.Truncated{Loss: Squares{}, Cut: 0.3}}},
		"penalty":              {rnmf.Model{OnW: ridge, OnH: []rnmf.Penalty{rnmf.Laplacian{Graph: chain, Lambda: 0.5}}}, rnmf.Model{OnW: ridge, OnH: []rnmf.Penalty{Chain{0.5}}}},
		"penalty, weights":     {rnmf.Model{Loss: rnmf.Huber{Cut: 0.1}, OnW: ridge, OnH: []rnmf.Penalty{rnmf.Laplacian{Graph: chain, Lambda: 0.5}}}, rnmf.Model{Loss: rnmf.Huber{Cut: 0.1}, OnW: ridge, OnH: []rnmf.Penalty{Chain{0.5}}}},
		"penalty, OGM":         {rnmf.Model{Solver: papers.OGM{}, OnW: ridge, OnH: []rnmf.Penalty{rnmf.Laplacian{Graph: chain, Lambda: 0.5}}}, rnmf.Model{Solver: papers.OGM{}, OnW: ridge, OnH: []rnmf.Penalty{Chain{0.5}}}},
		"start":                {rnmf.Model{Init: rnmf.WarmStart{W: w, H: h}}, rnmf.Model{Init: Samples{}}},
	}
	for name, m := range map[string]rnmf.Model{
		"squares": {}, "penalties": both, "samples": {Loss: rnmf.ByColumn{Loss: rnmf.L1{Eps: 0.01}}}, "samples, penalties": {Loss: rnmf.ByColumn{Loss: rnmf.Huber{Cut: 0.5}}, OnW: both.OnW, OnH: both.OnH},
		"Huber": {Loss: rnmf.Huber{Cut: 0.1}}, "Huber, penalties": {Loss: rnmf.Huber{Cut: 0.1}, OnW: both.OnW, OnH: both.OnH}, "mask": {Mask: mask}, "Cauchy, estimated": {Loss: rnmf.Cauchy{}},
		"mask, samples": {Mask: mask, Loss: rnmf.ByColumn{Loss: rnmf.L1{Eps: 0.01}}}, "loss of theirs": {Loss: Pseudo{0.1}},
	} {
		theirs := m
		theirs.Solver = HALS{}
		pairs["HALS, "+name] = pair{m, theirs}
	}
	for name, p := range pairs {
		for _, m := range []*rnmf.Model{&p.ours, &p.theirs} {
			m.Rank, m.Seed, m.MaxIter, m.Tol = 4, 7, 40, -1
		}
		ours, theirs := fit(t, p.ours, x), fit(t, p.theirs, x)
		d, first, end := math.Abs(ours.Objective-theirs.Objective), theirs.Trace[0], theirs.Trace[len(theirs.Trace)-1]
		if !(d <= 1e-9*ours.Objective) || first.Scale == end.Scale && end.Objective >= 0.9*first.Objective {
			t.Errorf("%s: objective %.12g, ours %.12g, relative difference %.1g", name, theirs.Objective, ours.Objective, d/ours.Objective)
		}
		for i, q := range theirs.Trace[1:] {
			if last := theirs.Trace[i]; last.Scale == q.Scale && q.Objective > last.Objective*(1+1e-10) {
				t.Errorf("%s: round %d: %g after %g", name, q.Round, q.Objective, last.Objective)
			}
		}
	}
}

// A loss of one's own passes CheckLoss, and what is registered can be saved and read.
func TestChecksAndSaves(t *testing.T) {
	for _, l := range []rnmf.Loss{Squares{}, Pseudo{0.3}} {
		if err := rnmf.CheckLoss(l, 1); err != nil {
			t.Error(err)
		}
	}
	for _, part := range []any{Squares{}, Chain{}, HALS{}} {
		gob.Register(part)
	}
	x := data(12, 15)
	r := fit(t, rnmf.Model{Rank: 2, Loss: Squares{}, Solver: HALS{}, OnH: []rnmf.Penalty{Chain{0.1}}}, x)
	var b bytes.Buffer
	if err := r.Save(&b); err != nil {
		t.Fatal(err)
	}
	again, err := rnmf.Load(&b)
	if err != nil {
		t.Fatal(err)
	}
	if again.Loss != (Squares{}) || again.Solver != (HALS{}) || again.OnH[0] != (Chain{0.1}) {
		t.Errorf("%T, %T and %v came back", again.Loss, again.Solver, again.OnH)
	}
	if _, err := again.Transform(t.Context(), x, nil); err != nil {
		t.Error(err)
	}
}

// BenchmarkStrangers takes ours and theirs by turns: go test -bench . -count 6.
func BenchmarkStrangers(b *testing.B) {
	x := data(1024, 400)
	_, n := x.Dims()
	var edges []rnmf.Edge
	for j := range n - 1 {
		edges = append(edges, rnmf.Edge{I: j, J: j + 1, Weight: 1})
	}
	chain, err := rnmf.NewGraph(n, edges)
	if err != nil {
		b.Fatal(err)
	}
	w, h, _ := Samples{}.Start(context.Background(), x, 20, rand.New(rand.NewPCG(7, 0x52_4e_4d_46)))
	for _, c := range []struct {
		name string
		m    rnmf.Model
	}{
		{"loss/ours", rnmf.Model{}}, {"loss/theirs", rnmf.Model{Loss: Squares{}}},
		{"penalty/ours", rnmf.Model{OnH: []rnmf.Penalty{rnmf.Laplacian{Graph: chain, Lambda: 0.5}}}}, {"penalty/theirs", rnmf.Model{OnH: []rnmf.Penalty{Chain{0.5}}}},
		{"start/ours", rnmf.Model{Init: rnmf.WarmStart{W: w, H: h}}}, {"start/theirs", rnmf.Model{Init: Samples{}}},
		{"HALS/ours", rnmf.Model{}}, {"HALS/theirs", rnmf.Model{Solver: HALS{}}},
		{"weighted HALS/ours", rnmf.Model{Loss: rnmf.Huber{Cut: 0.1}}}, {"weighted HALS/theirs", rnmf.Model{Loss: rnmf.Huber{Cut: 0.1}, Solver: HALS{}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.m.Rank, c.m.Seed, c.m.MaxIter, c.m.Tol = 20, 7, 20, -1
			for b.Loop() {
				fit(b, c.m, x)
			}
		})
	}
}
