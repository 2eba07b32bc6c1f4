package claims

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

//go:embed cost.csv
var costs string

// Costs returns what CostCommand has stored, with versions: of each algorithm the cost of a round as its
// paper has it, and the measured seconds of a round (the least of so many fits of so many rounds) at the base size and at four times the
// rows, the samples and the rank; the exponents are log₄ of their ratios.
var Costs = sync.OnceValue(func() stored.Table { return stored.Parse(costs) })

// costSeed is that of the data and of all starts.
const costSeed = 1

// A costed algorithm has the cost of a round from a paper.
type costed struct {
	name, paper, claim string
	fit                func(ctx context.Context, p *costProblem, rounds int) (*rnmf.Result, error)
}

type costProblem struct {
	x      *mat.Dense
	rank   int
	graph  *rnmf.Graph
	labels rnmf.Labels
}

func algorithms() []costed {
	model := func(m func(p *costProblem) rnmf.Model) func(context.Context, *costProblem, int) (*rnmf.Result, error) {
		return func(ctx context.Context, p *costProblem, rounds int) (*rnmf.Result, error) {
			v := m(p)
			v.MaxIter, v.Tol, v.Seed = rounds, -1, costSeed
			return v.Fit(ctx, p.x)
		}
	}
	with := func(m rnmf.Model, s rnmf.Solver) rnmf.Model {
		m.Solver = s
		return m
	}
	return []costed{
		{"NMF, MUR", "RSS-NMF", "O(mnr)", model(func(p *costProblem) rnmf.Model { return with(rnmf.NMF(p.rank), rnmf.MU{}) })},
		{"L2,1-NMF, MUR", "L2,1-NMF", "nearly that of NMF", model(func(p *costProblem) rnmf.Model { return with(rnmf.L21NMF(p.rank), rnmf.MU{}) })},
		{"CNMF, squares", "RSS-NMF", "O(mnr)", func(ctx context.Context, p *costProblem, rounds int) (*rnmf.Result, error) {
			return papers.CNMF{Model: rnmf.Model{Rank: p.rank, MaxIter: rounds, Tol: -1, Solver: rnmf.MU{}, Seed: costSeed}, Labels: p.labels}.Fit(ctx, p.x)
		}},
		{"CNMF, divergence", "RSS-NMF", "O(n(m + n)r)", func(ctx context.Context, p *costProblem, rounds int) (*rnmf.Result, error) {
			return printed.Divergence{Start: printed.Start{Rank: p.rank, Seed: costSeed, MaxIter: rounds}, Labels: p.labels}.Fit(ctx, p.x)
		}},
		{"GNMF, MUR", "RSS-NMF; RRA", "O(mnr + n²m); O(mnr + rn²)", model(func(p *costProblem) rnmf.Model { return with(rnmf.GNMF(p.rank, p.graph, 1), rnmf.MU{}) })},
		{"RSS-NMF, MUR", "RSS-NMF", "O(mnr + max(m, n)r² + rn²)", model(func(p *costProblem) rnmf.Model { return with(rnmf.RSSNMF(p.rank, 0.1, p.labels), rnmf.MU{}) })},
		{"RSS-NMF, FGD", "RSS-NMF", "O(mnr + max(m, n)r² + rn²)", model(func(p *costProblem) rnmf.Model {
			return with(rnmf.RSSNMF(p.rank, 0.1, p.labels), papers.FGD{Printed: true})
		})},
		{"NeNMF", "RRA", "O(mnr + mr² + nr² + K(mr² + nr²))", model(func(p *costProblem) rnmf.Model {
			return with(rnmf.GNMF(p.rank, p.graph, 1), papers.OGM{Printed: true})
		})},
		{"RRA, Algorithm 1", "RRA", "O(mnr + prn²)", func(ctx context.Context, p *costProblem, rounds int) (*rnmf.Result, error) {
			return printed.RRA{Start: printed.Start{Rank: p.rank, Seed: costSeed, MaxIter: rounds}, Graph: p.graph, Beta: 1}.Fit(ctx, p.x)
		}},
		{"truncated Cauchy, OGM", "Truncated Cauchy", "O(mn ln(mn) + mnr²)", model(func(p *costProblem) rnmf.Model {
			return with(rnmf.TruncatedCauchyNMF(p.rank), papers.OGM{Printed: true})
		})},
	}
}

// costOf returns the least seconds that a round took in several fits at m×n and a rank: other
// programs run at the same time, so slower rounds say less.
func costOf(ctx context.Context, a costed, m, n, rank, rounds, repeats int) (float64, error) {
	rng := rand.New(rand.NewPCG(costSeed, uint64(m*n)))
	p := &costProblem{x: mat.NewDense(m, n, nil), rank: rank, labels: rnmf.Labels{Class: make([]int, n)}}
	p.x.Apply(func(_, _ int, _ float64) float64 { return rng.Float64() }, p.x)
	for j := range p.labels.Class {
		p.labels.Class[j] = rnmf.Unlabelled
		if j%10 == 0 {
			p.labels.Class[j] = j / 10 % rank
		}
	}
	var err error
	if p.graph, err = (neighbor.KNN{}).Graph(ctx, p.x); err != nil {
		return 0, err
	}
	least := math.Inf(1)
	for range repeats {
		r, err := a.fit(ctx, p, rounds)
		if err != nil {
			return 0, err
		}
		for i, point := range r.Trace[1:] {
			if d := point.Seconds - r.Trace[i].Seconds; d > 0 {
				least = min(least, d)
			}
		}
	}
	return least, nil
}

// CostCommand measures the rounds of all algorithms and stores them. It wants a quiet
// machine.
func CostCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("cost", flag.ContinueOnError)
	out := f.String("out", "notebooks/lab/claims/cost.csv", "`file` to write")
	m := f.Int("m", 256, "`rows` at the base size; n is the same")
	r := f.Int("r", 10, "`rank` at the base size")
	rounds := f.Int("rounds", 8, "`number` of rounds of a fit")
	repeats := f.Int("repeats", 4, "`number` of fits")
	if err := f.Parse(args); err != nil {
		return err
	}
	return storeCosts(ctx, *out, *m, *r, *rounds, *repeats)
}

func storeCosts(ctx context.Context, out string, m, r, rounds, repeats int) (err error) {
	sheet, err := stored.Open(out, 1, "algorithm", "paper", "claim", "m", "n", "r", "seed", "fits", "rounds", "base", "rows", "samples", "rank", "in_m", "in_n", "in_r", "version")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sheet.Close()) }()
	for _, a := range algorithms() {
		version, err := costVersion(ctx, a.name)
		if err != nil {
			return err
		}
		if sheet.Current(version, a.name) {
			continue
		}
		var s [4]float64
		for i, at := range [][3]int{{m, m, r}, {4 * m, m, r}, {m, 4 * m, r}, {m, m, 4 * r}} {
			if s[i], err = costOf(ctx, a, at[0], at[1], at[2], rounds, repeats); err != nil {
				return fmt.Errorf("%s: %w", a.name, err)
			}
		}
		line := []string{a.name, a.paper, a.claim, fmt.Sprint(m), fmt.Sprint(m), fmt.Sprint(r), fmt.Sprint(costSeed), fmt.Sprint(repeats), fmt.Sprint(rounds)}
		for _, v := range s {
			line = append(line, stored.Number(v, 'g', 4))
		}
		for _, v := range s[1:] {
			line = append(line, stored.Number(math.Log(v/s[0])/math.Log(4), 'f', 2))
		}
		if err := sheet.Add(append(line, version)); err != nil {
			return err
		}
		log.Print(line)
	}
	return nil
}

var versions stored.Versions

// costVersion is that of a row of Costs, of the objectives of small fits: see stored.Version.
func costVersion(ctx context.Context, name string) (string, error) {
	return versions.Of(name, func() (any, error) {
		s, err := datasets.Digits().Sample(3, 1)
		if err != nil {
			return nil, err
		}
		p := &costProblem{x: s.Scaled().X, rank: 4, labels: rnmf.Labels{Class: make([]int, len(s.Labels))}}
		for j, l := range s.Labels {
			p.labels.Class[j] = min(l, 3)
		}
		if p.graph, err = (neighbor.KNN{}).Graph(ctx, p.x); err != nil {
			return nil, err
		}
		for _, a := range algorithms() {
			if a.name != name {
				continue
			}
			r, err := a.fit(ctx, p, 5)
			if err != nil {
				return nil, err
			}
			var all []float64
			for _, point := range r.Trace {
				all = append(all, point.Objective)
			}
			return all, nil
		}
		return nil, fmt.Errorf("there is no algorithm %q", name)
	})
}

// Files are what this package stores, with the versions of now.
func Files(ctx context.Context) []stored.File {
	return []stored.File{{Name: "claims/cost.csv", Rows: Costs, By: []string{"algorithm"},
		Version: func(r stored.Row) (string, error) { return costVersion(ctx, r.Text("algorithm")) }}}
}
