package rra

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
	"github.com/robustnmf/robustnmf/viz"
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

// FirstRounds are those of Algorithm 1, for a graph and a weight that it has, and of the Rivals without NeNMF from one start, and
// the median of ‖u‖² over the components after those of Algorithm 1.
func FirstRounds(ctx context.Context, x mat.Matrix, algorithm printed.RRA, rank, rounds int) (curves []viz.Curve, square float64, err error) {
	algorithm.Start = printed.Start{Rank: rank, Seed: 1, MaxIter: rounds}
	own, err := algorithm.Fit(ctx, x)
	if err != nil {
		return nil, 0, err
	}
	curves = append(curves, viz.Curve{Name: Algorithm1, Trace: own.Trace})
	var squares []float64
	for k := range rank {
		u := own.W.ColView(k)
		squares = append(squares, mat.Dot(u, u))
	}
	slices.Sort(squares)
	for _, c := range Rivals() {
		if c.Name == "NeNMF" {
			continue
		}
		m := rnmf.GNMF(rank, algorithm.Graph, algorithm.Beta)
		m.Solver, m.Seed, m.MaxIter = c.Solver, 1, rounds
		r, err := Run(ctx, m, x, func(rnmf.Trace) bool { return false })
		if err != nil {
			return nil, 0, err
		}
		curves = append(curves, viz.Curve{Name: c.Name, Trace: r.Trace})
	}
	return curves, (squares[(rank-1)/2] + squares[rank/2]) / 2, nil
}

// Jump says in which round the objective of a trace rises most, and by which factor.
func Jump(t rnmf.Trace) string {
	most, round := 1+1e-12, 0
	for i := 1; i < len(t); i++ {
		if times := t[i].Objective / t[i-1].Objective; times > most {
			most, round = times, t[i].Round
		}
	}
	if round == 0 {
		return "never rises"
	}
	return fmt.Sprintf("rises %s-fold in round %d", strconv.FormatFloat(most, 'f', max(0, 1-int(math.Log10(most))), 64), round)
}

// Limited counts the starts of algorithm1.csv that the limit of rounds ends, for each set and rank that has such.
func Limited() string {
	var said []string
	all := Results("algorithm1.csv")
	for _, set := range all.Different("set") {
		for _, rank := range all.Where("set", set).Different("rank") {
			starts := all.Where("set", set, "rank", rank)
			if n := len(starts.Where("outcome", "not settled")); n > 0 {
				said = append(said, fmt.Sprintf("%s, r = %s: %d of %d", set, rank, n, len(starts)))
			}
		}
	}
	return strings.Join(said, "; ")
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
