package rss

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

//go:embed further.csv
var further string

// Further returns what FurtherCommand has stored, in the columns of Results: the kind rows
// has FurtherRivals on the cells of the paper's tables, the kind parameters has RSS-NMF by
// FGD as printed on all classes, at levels that name δ, σ, τ and ξ.
var Further = sync.OnceValue(func() stored.Table { return stored.Parse(further) })

// FurtherRivals are rows that tell causes apart, and the rivals that Rivals lacks. Printed
// are σ = 1 for pixels in 0..255, labels with weight 1 and a random start.
func FurtherRivals() []Rival {
	surface := rnmf.Hypersurface{Scale: 1. / 255}
	return []Rival{
		{"RSS-NMF, printed, FGD", "RSS-NMF", byFGD(printed.RSS{})},
		{"RSS-NMF, printed, HALS", "", of(func(t Task) (rnmf.Model, error) {
			return rnmf.RSSNMF(len(t.Classes), surface.Scale, t.Labels), nil
		})},
		{"RNMF, printed σ", "", of(func(t Task) (rnmf.Model, error) { return rnmf.HypersurfaceNMF(len(t.Classes), surface.Scale), nil })},
		{"RNMF, printed σ, MUR", "", of(func(t Task) (rnmf.Model, error) {
			m := rnmf.HypersurfaceNMF(len(t.Classes), surface.Scale)
			m.Solver = rnmf.MU{}
			return m, nil
		})},
		{"RNMF, printed σ, Armijo", "RNMF", func(ctx context.Context, t Task, rounds int) (fitted, error) {
			r, err := printed.Hypersurface{Start: begin(t, 3*rounds), Scale: surface.Scale}.Fit(ctx, t.X)
			if err != nil {
				return fitted{}, err
			}
			return judged(r, nil), nil
		}},
		{"Semi-GNMF, KISSME", "Semi-GNMF", of(func(t Task) (rnmf.Model, error) {
			ctx := context.Background()
			metric, err := baseline.KISSME{}.Fit(ctx, t.X, t.Labels.Class)
			if err != nil {
				return rnmf.Model{}, err
			}
			y, err := metric.Transform(t.X)
			if err != nil {
				return rnmf.Model{}, err
			}
			g, err := neighbor.KNN{}.Graph(ctx, y)
			if err != nil {
				return rnmf.Model{}, err
			}
			m, err := papers.SemiGNMF(len(t.Classes), g, t.Labels, Lambda)
			m.Solver = rnmf.MU{}
			return m, err
		})},
		{"CNMF by divergence", "", func(ctx context.Context, t Task, rounds int) (fitted, error) {
			r, err := printed.Divergence{Start: begin(t, 3*rounds), Labels: t.Labels}.Fit(ctx, t.X)
			if err != nil {
				return fitted{}, err
			}
			return judged(r, nil), nil
		}},
		{"SSC-SR", "SSC-SR", func(ctx context.Context, t Task, rounds int) (fitted, error) {
			g, err := neighbor.KNN{}.Graph(ctx, t.X)
			if err != nil {
				return fitted{}, err
			}
			start := time.Now()
			r, err := baseline.SSCSR{K: len(t.Classes), Graph: g, Labels: t.Labels.Class, Seed: t.Seed, MaxIter: 5 * rounds}.Fit(ctx)
			if err != nil {
				return fitted{}, err
			}
			return fitted{h: r.Embedding, seconds: time.Since(start).Seconds()}, nil
		}},
	}
}

func begin(t Task, rounds int) printed.Start {
	return printed.Start{Rank: len(t.Classes), Seed: t.Seed, MaxIter: rounds}
}

// byFGD is RSS-NMF as printed with some parameters.
func byFGD(s printed.RSS) func(context.Context, Task, int) (fitted, error) {
	return func(ctx context.Context, t Task, rounds int) (fitted, error) {
		s := s
		s.Start, s.Labels, s.Scale = begin(t, 3*rounds), t.Labels, 1./255
		r, err := s.Fit(ctx, t.X)
		if err != nil {
			return fitted{}, err
		}
		return judged(r, nil), nil
	}
}

// Parameters are the paper's settings of δ, σ, τ and ξ, and the ends of the ranges within
// which it finds RSS-NMF "less sensitive" to them, one changed at a time. The paper's ranges
// for τ and ξ are [0, 1] and [10⁻⁴, 10⁻⁷]; a τ of 0 would let nothing move.
var Parameters = []printed.RSS{
	{Delta: 1e-6, Floor: 1e-6, Tau: 0.9, Xi: 1e-6},
	{Delta: 1e-9, Floor: 1e-6, Tau: 0.9, Xi: 1e-6},
	{Delta: 1e-6, Floor: 1e-9, Tau: 0.9, Xi: 1e-6},
	{Delta: 1e-6, Floor: 1e-6, Tau: 0.1, Xi: 1e-6},
	{Delta: 1e-6, Floor: 1e-6, Tau: 0.5, Xi: 1e-6},
	{Delta: 1e-6, Floor: 1e-6, Tau: 0.999, Xi: 1e-6},
	{Delta: 1e-6, Floor: 1e-6, Tau: 0.9, Xi: 1e-4},
	{Delta: 1e-6, Floor: 1e-6, Tau: 0.9, Xi: 1e-7},
}

// furtherExperiments are those of a trial.
func furtherExperiments(sets []Set, seed uint64) (all []Experiment) {
	for _, s := range sets {
		for _, k := range s.Classes {
			rivals := FurtherRivals()
			if s.Name == "GT" && k >= 30 { // the others take minutes each
				rivals = slices.DeleteFunc(rivals, func(r Rival) bool { return r.Name != "Semi-GNMF, KISSME" && r.Name != "SSC-SR" })
			}
			all = append(all, Experiment{"rows", s.Name, fmt.Sprint(k), func() (Task, error) { return Draw(s.Set, k, s.Each, seed) }, rivals})
		}
		if s.Name != "Yale" {
			continue
		}
		for _, p := range Parameters {
			all = append(all, Experiment{"parameters", s.Name, fmt.Sprintf("%g %g %g %g", p.Delta, p.Floor, p.Tau, p.Xi),
				func() (Task, error) { return Draw(s.Set, len(s.Set.Classes), s.Each, seed) }, []Rival{{"RSS-NMF, printed, FGD", "RSS-NMF", byFGD(p)}}})
		}
	}
	return all
}

// FurtherCommand runs FurtherRivals and Parameters at full length and stores them.
func FurtherCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("rivals", flag.ContinueOnError)
	run := stored.Trials{Count: 3, Out: "notebooks/lab/rss/further.csv"}
	run.Flags(f)
	set := f.String("set", "", "one `set` of data, as Yale; empty: all at hand")
	if err := f.Parse(args); err != nil {
		return err
	}
	sets, missing := Sets(ctx)
	log.Printf("not at hand: %s", strings.Join(missing, ", "))
	if len(sets) == 0 {
		return errors.New("no set is at hand")
	}
	return store(ctx, run, func(seed uint64) (some []Experiment) {
		for _, e := range furtherExperiments(sets, seed) {
			if *set == "" || e.Set == *set {
				some = append(some, e)
			}
		}
		return some
	}, 0)
}
