package claims

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

// A Subproblem is what alternating (8) and (9) of the RRA paper ends with, when (9) is taken
// as printed, without the graph term, or with it.
type Subproblem struct {
	Printed, Corrected float64 // ‖X − WH‖² + λ tr(HLHᵀ), GNMF's objective, of the factors of each
	// The two sums of both, to tell where it comes from.
	PrintedError, CorrectedError, PrintedRoughness, CorrectedRoughness float64
}

// WithoutGraph runs NeNMF for both readings from one start.
func WithoutGraph(ctx context.Context, x *mat.Dense, g *rnmf.Graph, rank int, lambda float64, rounds int, seed uint64) (s Subproblem, err error) {
	run := func(m rnmf.Model) (e, rough float64, err error) {
		m.Solver, m.Seed, m.MaxIter, m.Tol = papers.OGM{Printed: true}, seed, rounds, -1
		r, err := m.Fit(ctx, x)
		if err != nil {
			return 0, 0, err
		}
		var rest mat.Dense
		rest.Mul(r.W, r.H)
		rest.Sub(x, &rest)
		norm := mat.Norm(&rest, 2)
		return norm * norm, g.Roughness(r.H), nil
	}
	var err2 error
	s.PrintedError, s.PrintedRoughness, err = run(rnmf.NMF(rank))
	s.CorrectedError, s.CorrectedRoughness, err2 = run(rnmf.GNMF(rank, g, lambda))
	s.Printed = s.PrintedError + lambda*s.PrintedRoughness
	s.Corrected = s.CorrectedError + lambda*s.CorrectedRoughness
	return s, cmp.Or(err, err2)
}

// An Order is a run of RRA: Algorithm 1 by one reading of the energy, or the order of
// papers.RRA{Printed: true}, all of V and then all of U.
type Order struct {
	Name      string
	Kept, All int // eigenvectors of (17), and those with an eigenvalue above 0
	Result    *rnmf.Result
	Rises     int // rounds that raised the objective
}

// Orders runs RRA from one start in the orders and readings that the paper leaves open: by
// Algorithm 1 with the energy Σσ (95 %), with Σσ², and with the exact inverse, and by the other
// order with Σσ. The results are those of the last round, even if the objective rose; the other
// order returns its best round.
func Orders(ctx context.Context, x mat.Matrix, g *rnmf.Graph, rank int, beta float64, rounds int, seed uint64) (all []Order, err error) {
	start := printed.Start{Rank: rank, Seed: seed, MaxIter: rounds}
	for _, c := range []struct {
		name string
		rra  printed.RRA
	}{
		{"Algorithm 1, 95 % of Σσ", printed.RRA{Start: start, Graph: g, Beta: beta}},
		{"Algorithm 1, 95 % of Σσ²", printed.RRA{Start: start, Graph: g, Beta: beta, Squares: true}},
		{"Algorithm 1, exact inverse", printed.RRA{Start: start, Graph: g, Beta: beta, Energy: 1}},
	} {
		kept, of, err := c.rra.Kept()
		if err != nil {
			return nil, err
		}
		r, err := c.rra.Fit(ctx, x)
		if err != nil {
			return nil, err
		}
		all = append(all, Order{c.name, kept, of, r, rises(r)})
	}
	solver := papers.RRA{Printed: true}
	kept, err := solver.Prepare(ctx, g)
	if err != nil {
		return nil, err
	}
	m := rnmf.GNMF(rank, g, beta)
	m.Solver, m.Seed, m.MaxIter, m.Tol = solver, seed, rounds, -1
	r, err := m.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	return append(all, Order{"V then U, 95 % of Σσ", kept, all[0].All, r, rises(r)}), nil
}

func rises(r *rnmf.Result) (count int) {
	for i, p := range r.Trace[1:] {
		if p.Objective > r.Trace[i].Objective*(1+1e-9) {
			count++
		}
	}
	return count
}
