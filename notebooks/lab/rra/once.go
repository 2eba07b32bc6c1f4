package rra

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

// A Runner is a solver in a race to the objective at which rule (18) ends Algorithm 1.
type Runner struct {
	Name    string
	Trace   rnmf.Trace
	Stop    rnmf.Point // where rule (18) ends it
	KKT     float64    // there; NaN for Algorithm 1, which has none
	Seconds float64    // to the objective; NaN if it is not there 10 s after the start
}

// RaceOnce is a race of Algorithm 1 and the Rivals from one start, with the paper's β, in the order of their names here, and
// the one that is there first. Who is not there by rule (18) runs once more without it. No clock sees the eigenvectors.
func RaceOnce(ctx context.Context, x mat.Matrix, g *rnmf.Graph, rank, rounds int) (all []Runner, first Runner, err error) {
	if _, err := (papers.RRA{}).Prepare(ctx, g); err != nil {
		return nil, first, err
	}
	rule := Settled(1e-3)
	own, err := printed.RRA{Start: printed.Start{Rank: rank, Seed: 1, MaxIter: rounds, Stop: rule}, Graph: g, Beta: beta}.Fit(ctx, x)
	if err != nil {
		return nil, first, err
	}
	target := own.Trace[len(own.Trace)-1]
	first = Runner{Algorithm1, own.Trace, target, math.NaN(), SecondsTo(own.Trace, target.Objective)}
	all = append(all, first)
	for _, c := range Rivals() {
		m := rnmf.GNMF(rank, g, beta)
		m.Solver, m.Seed, m.MaxIter = c.Solver, 1, rounds
		r, err := Run(ctx, m, x, rule)
		if err != nil {
			return nil, first, err
		}
		next := Runner{c.Name, r.Trace, r.Trace[len(r.Trace)-1], r.KKT, 0}
		if next.Stop.Objective > target.Objective {
			if r, err = Run(ctx, m, x, Reached(target.Objective, 10)); err != nil {
				return nil, first, err
			}
			next.Trace = r.Trace
		}
		next.Seconds = SecondsTo(next.Trace, target.Objective)
		if all = append(all, next); next.Seconds < first.Seconds {
			first = next
		}
	}
	return all, first, nil
}

// Firsts counts the races of race.csv, and those in which a solver is at the objective before all others.
func Firsts(solver string) (first, races int) { return firsts(Results("race.csv"), solver) }

func firsts(all stored.Table, solver string) (first, races int) {
	type race struct{ set, rank, start string }
	own, others := map[race]float64{}, map[race]float64{}
	for _, r := range all {
		key, seconds := race{r.Text("set"), r.Text("rank"), r.Text("start")}, r.Number("seconds")
		if _, ok := others[key]; !ok {
			own[key], others[key] = math.Inf(1), math.Inf(1)
		}
		switch {
		case r.Text("outcome") != "reached":
		case r.Text("solver") == solver:
			own[key] = seconds
		default:
			others[key] = min(others[key], seconds)
		}
	}
	for key, seconds := range own {
		if seconds < others[key] {
			first++
		}
	}
	return first, len(own)
}
