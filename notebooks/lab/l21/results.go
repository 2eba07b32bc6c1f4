package l21

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

var (
	//go:embed convergence.csv
	convergence string
	//go:embed traces.csv
	traces string
)

// Convergence returns what Command has stored for Table 2, a row for each set, model and
// trial (the seed of the random start): the normalised errors nce21 and ncef in the two
// norms, the rounds, the reason for which the fit ended, and the version; no seconds, as the
// machine was shared. Traces returns points of the curves of Fig. 5 for the first trial.
var (
	Convergence = sync.OnceValue(func() stored.Table { return stored.Parse(convergence) })
	Traces      = sync.OnceValue(func() stored.Table { return stored.Parse(traces) })
)

// A Fitted is a model and its solver, which runs to the criterion (58), with its
// difference the right way round, or to a largest number of rounds.
type Fitted struct {
	Name  string
	Model rnmf.Model
}

// Solvers returns the models of Table 2 by the paper's updates and by a faster solver.
// Our objective of standard NMF is the square of the paper's, whose relative change is
// twice as large, hence the tolerance.
func Solvers() []Fitted {
	loss := rnmf.ByColumn{Loss: rnmf.L1{}}
	return []Fitted{
		{"L2,1-NMF, multiplicative", rnmf.Model{Loss: loss, Solver: rnmf.MU{}, Tol: 1e-7, MaxIter: 20000}},
		{"NMF, multiplicative", rnmf.Model{Solver: rnmf.MU{}, Tol: 2e-7, MaxIter: 20000}},
		{"L2,1-NMF, HALS", rnmf.Model{Loss: loss, Tol: 1e-7, MaxIter: 5000}},
		{"NMF, HALS", rnmf.Model{Tol: 2e-7, MaxIter: 5000}},
	}
}

// Curves returns the stored objectives of the first trial on a set, of both models by both solvers. An
// objective is a multiple of the lowest value of its model, so that curves of both can be in one
// chart. A model has one colour, and HALS another dash than the updates.
func Curves(set string) (curves []viz.Curve) {
	lowest := map[string]float64{}
	for i, m := range Solvers() {
		model, _, _ := strings.Cut(m.Name, ", ")
		c := viz.Curve{Name: m.Name, Style: []int{2, 1, 10, 9}[i]}
		for _, p := range Traces().Where("set", set, "model", m.Name) {
			v := p.Number("objective")
			c.Trace = append(c.Trace, rnmf.Point{Round: int(p.Number("round")), Objective: v})
			if low, ok := lowest[model]; !ok || v < low {
				lowest[model] = v
			}
		}
		curves = append(curves, c)
	}
	for _, c := range curves {
		model, _, _ := strings.Cut(c.Name, ", ")
		for t := range c.Trace {
			c.Trace[t].Objective /= lowest[model]
		}
	}
	return curves
}

// Errors returns ‖X − WH‖ / ‖X‖ in the L2,1 and in the Frobenius norm.
func Errors(x *mat.Dense, r *rnmf.Result) (byColumn, frobenius float64) {
	var e mat.Dense
	e.Mul(r.W, r.H)
	e.Sub(x, &e)
	var all float64
	_, n := x.Dims()
	for j := range n {
		byColumn += mat.Norm(e.ColView(j), 2)
		all += mat.Norm(x.ColView(j), 2)
	}
	return byColumn / all, mat.Norm(&e, 2) / mat.Norm(x, 2)
}

// Command runs Table 2 and Fig. 5 to the end, on AT&T and UMIST in the paper's form, with
// as many components as classes, and Table 3 on all sets, and stores them. The paper runs
// thousands of rounds, which is too long for a notebook. A run that was stopped goes on
// where its files end: remove them for a fresh one.
func Command(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("l21", flag.ContinueOnError)
	trials := f.Uint64("trials", 10, "number of `trials`, with seeds from 1")
	seconds := f.Float64("seconds", 0, "start no more fits after this `time`; 0: never stop")
	out := f.String("out", "notebooks/lab/l21", "`folder` to write to")
	only := f.String("only", "", "convergence (Table 2, Fig. 5) or clusters (Table 3) alone; empty: both")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *only != "convergence" {
		run := stored.Trials{Count: 10, Seconds: *seconds, Out: filepath.Join(*out, "clusters.csv")}
		if err := storeClusters(ctx, run, SetsOf, 0); err != nil || *only == "clusters" {
			return err
		}
	}
	sets, missing := Sets(ctx)
	log.Printf("not at hand: %q", missing)
	var table []*datasets.Set
	for _, s := range sets {
		if s.Name == "UMIST" || s.Name == "AT&T" {
			table = append([]*datasets.Set{s.Set}, table...)
		}
	}
	return store(ctx, *out, table, *trials, *seconds, 0)
}

// store fits each set by each solver; rounds bounds the rounds if it is not 0.
func store(ctx context.Context, folder string, sets []*datasets.Set, trials uint64, seconds float64, rounds int) (err error) {
	keys := []string{"set", "model", "trial"}
	sheet, err := stored.Open(filepath.Join(folder, "convergence.csv"), len(keys), append(keys, "nce21", "ncef", "rounds", "reason", "version")...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sheet.Close()) }()
	curves, err := stored.Open(filepath.Join(folder, "traces.csv"), 3, "set", "model", "trial", "round", "objective", "version")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, curves.Close()) }()
	begin := time.Now()
	for trial := uint64(1); trial <= trials; trial++ {
		for _, s := range sets {
			for _, m := range Solvers() {
				key := []string{s.Name, m.Name, fmt.Sprint(trial)}
				version, err := convergenceVersion(ctx, m.Name)
				if err != nil {
					return err
				}
				if sheet.Current(version, key...) && (trial > 1 || curves.Current(version, key...)) {
					continue
				}
				if seconds > 0 && time.Since(begin).Seconds() > seconds {
					return nil
				}
				m.Model.Rank, m.Model.Seed = len(s.Classes), trial
				if rounds > 0 {
					m.Model.MaxIter = rounds
				}
				r, err := m.Model.Fit(ctx, s.X)
				if err != nil {
					return fmt.Errorf("%q: %w", key, err)
				}
				if trial == 1 {
					if err := curves.Add(points(key, m, r.Trace, version)...); err != nil {
						return err
					}
				}
				byColumn, frobenius := Errors(s.X, r)
				last := r.Trace[len(r.Trace)-1]
				if err := sheet.Add(append(key, stored.Number(byColumn, 'f', 6), stored.Number(frobenius, 'f', 6), fmt.Sprint(last.Round),
					r.Reason.String(), version)); err != nil {
					return err
				}
				log.Printf("%q: %d rounds, %.0f s", key, last.Round, last.Seconds)
			}
		}
	}
	return nil
}

// points thins a trace out, more and more, as its end changes less. The objective is
// that of Fig. 5, ‖X − WH‖ in the norm of the model.
func points(key []string, m Fitted, t rnmf.Trace, version string) (lines [][]string) {
	next := 1.0
	for i, p := range t {
		if p.Round == 0 || float64(p.Round) < next && i < len(t)-1 {
			continue
		}
		next = math.Max(next+1, float64(p.Round)*1.06)
		v := p.Objective
		if m.Model.Loss == nil {
			v = math.Sqrt(v)
		}
		lines = append(lines, slices.Concat(key, []string{fmt.Sprint(p.Round), stored.Number(v, 'g', 8), version}))
	}
	return lines
}
