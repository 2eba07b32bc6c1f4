package rls

import (
	"context"
	_ "embed"
	"sync"

	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

//go:embed asprinted.csv
var asPrinted string

// AsPrintedResults returns what Command has stored with -as-printed: AsPrinted on the tables
// at hand.
var AsPrintedResults = sync.OnceValue(func() []Result { return Parse(AsPrintedTable()) })

// RawGrid returns the values of α = β, of γ and of λ that AsPrinted is tried with in a table, in
// raw units: every second one of the paper's 0.001 to 1000, as far as components stay alive, and
// γ below 2, where it differs from LS-NMF. Tables 2 to 7 leave out what was no better in Table 1:
// α ≥ 1, at which all was 0, γ = 0.1 and λ = 100.
func RawGrid(table int) [3][]float64 {
	if table > 1 {
		return [3][]float64{{0.001, 0.1}, {1}, choose.Decades(-2, 1)}
	}
	return [3][]float64{{0.001, 0.1, 1, 10}, {0.1, 1}, choose.Decades(-2, 2)}
}

// AsPrinted are rows of Tables 1 to 7 as their papers print them: LS- and RLS-NMF by their
// own updates, with the graph's 2λWV and β/(1 + V) apart, and RMNMF by the augmented
// Lagrangian. The parameters of a Setting are raw here, not in units of the data.
func AsPrinted() []Method {
	begin := func(p *Problem, seed uint64, rounds int) printed.Start {
		if rounds == 0 {
			rounds = Rounds
		}
		return printed.Start{Rank: p.K, Seed: seed, MaxIter: rounds}
	}
	logNorm := func(p *Problem, v Setting, seed uint64, rounds int) printed.LogNorm {
		return printed.LogNorm{Start: begin(p, seed, rounds), Alpha: v.Alpha, Beta: v.Beta, Gamma: v.Gamma, Lambda: v.Lambda, Graph: p.Graph}
	}
	return []Method{
		{"LS-NMF, printed", [3]bool{0: true, 2: true}, func(ctx context.Context, p *Problem, v Setting, seed uint64, rounds int) (*rnmf.Result, error) {
			v.Gamma = 0
			return logNorm(p, v, seed, rounds).Fit(ctx, p.X)
		}},
		{"RLS-NMF, printed", [3]bool{true, true, true}, func(ctx context.Context, p *Problem, v Setting, seed uint64, rounds int) (*rnmf.Result, error) {
			return logNorm(p, v, seed, rounds).Fit(ctx, p.X)
		}},
		{"RMNMF, ALM", [3]bool{2: true}, func(ctx context.Context, p *Problem, v Setting, seed uint64, rounds int) (*rnmf.Result, error) {
			return printed.RMNMF{Start: begin(p, seed, rounds), Graph: p.Graph, Lambda: v.Lambda}.Fit(ctx, p.X)
		}},
	}
}
