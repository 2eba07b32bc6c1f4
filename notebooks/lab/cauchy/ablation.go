package cauchy

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"iter"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

//go:embed ablation.csv
var ablation string

// AblationResults returns what AblationCommand has stored: of each Variant and trial, which is
// the seed, the least error against the clean images that any round has and that round (least,
// at), the error after 60 rounds, and the error and the round where rule (16) of the paper
// holds with a tolerance of 10⁻⁴ (rule16, round16); of so many rounds.
var AblationResults = sync.OnceValue(func() stored.Table { return stored.Parse(ablation) })

// A Variant changes one thing of truncated Cauchy NMF as it is in the tables, under Laplace
// noise with δ = 200.
type Variant struct {
	Name   string
	rounds int
	change func(ctx context.Context, m *rnmf.Model, x *mat.Dense) error
}

// Variants returns them. Our scale leaves out the entries where X is 0; where this noise is not cut
// off there are none, and it is that of all entries.
func Variants() []Variant {
	return []Variant{
		{"as in Table 2", 200, func(context.Context, *rnmf.Model, *mat.Dense) error { return nil }},
		{"Algorithm 1 for the factors", 60, func(_ context.Context, m *rnmf.Model, _ *mat.Dense) error {
			m.Solver = papers.OGM{Printed: true}
			return nil
		}},
		{"multiplicative updates", 200, func(_ context.Context, m *rnmf.Model, x *mat.Dense) error {
			m.Solver, m.Signed = rnmf.MU{}, false
			x.Apply(func(_, _ int, v float64) float64 { return max(0, v) }, x)
			return nil
		}},
		{"normal rule", 200, func(_ context.Context, m *rnmf.Model, _ *mat.Dense) error {
			m.Loss = rnmf.Truncated{Loss: rnmf.Cauchy{Printed: true}, Rule: rnmf.NormalThreeSigma}
			return nil
		}},
		{"start from least squares", 200, func(ctx context.Context, m *rnmf.Model, x *mat.Dense) error {
			plain := rnmf.NMF(m.Rank)
			plain.Seed, plain.Signed, plain.MaxIter, plain.Tol = m.Seed, true, 60, -1
			r, err := plain.Fit(ctx, x)
			if err == nil {
				m.Init = rnmf.WarmStart{W: r.W, H: r.H}
			}
			return err
		}},
		{"noise clipped to 0 … 255", 200, func(_ context.Context, _ *rnmf.Model, x *mat.Dense) error {
			x.Apply(func(_, _ int, v float64) float64 { return min(max(0, v), 1) }, x)
			return nil
		}},
	}
}

// run fits a variant to a set; rounds bounds its rounds if it is not 0.
func (v Variant) run(ctx context.Context, s *datasets.Set, seed uint64, rounds int) ([]float64, int, error) {
	x, _, err := Levels("laplace", s.Height, s.Width)[4].Corruption.Apply(s.X, seed)
	if err != nil {
		return nil, 0, err
	}
	m := Printed(rnmf.TruncatedCauchyNMF(Rank))
	m.Seed, m.Signed, m.MaxIter, m.Tol = seed, true, v.rounds, -1
	if rounds > 0 {
		m.MaxIter = rounds
	}
	if err := v.change(ctx, &m, x); err != nil {
		return nil, 0, err
	}
	nan := math.NaN()
	least, at, error60, rule16, round16 := math.Inf(1), nan, nan, nan, nan
	var first, before float64
	last := 0
	for step, err := range m.Steps(ctx, x) {
		if err != nil {
			return nil, 0, err
		}
		e, err := (&rnmf.Result{W: step.W(), H: step.H()}).RelativeError(s.X)
		if err != nil {
			return nil, 0, err
		}
		if last = step.Round; last == 0 {
			first = step.Objective
		} else {
			if e < least {
				least, at = e, float64(last)
			}
			if last == 60 {
				error60 = e
			}
			if math.IsNaN(rule16) && math.Abs(step.Objective-before) <= 1e-4*math.Abs(first-step.Objective) {
				rule16, round16 = e, float64(last)
			}
		}
		before = step.Objective
	}
	return []float64{least, at, error60, rule16, round16}, last, nil
}

// AblationCommand asks what makes our error under Laplace noise another than the paper's.
func AblationCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("laplace", flag.ContinueOnError)
	run := stored.Trials{Count: 3, Out: "notebooks/lab/cauchy/ablation.csv"}
	run.Flags(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	s, err := datasets.ORL.Load(ctx)
	if err != nil {
		return err
	}
	return storeAblation(ctx, run, s.Scaled(), 0)
}

func storeAblation(ctx context.Context, run stored.Trials, s *datasets.Set, rounds int) error {
	run.Keys = []string{"variant", "trial"}
	run.Columns = []string{"least", "at", "error60", "rule16", "round16", "rounds"}
	run.Version = func(key []string) (string, error) { return ablationVersion(ctx, key[0]) }
	return run.Run(ctx, func(trial uint64) iter.Seq[stored.Line] {
		return func(yield func(stored.Line) bool) {
			for _, v := range Variants() {
				if !yield(stored.Line{Key: []string{v.Name, fmt.Sprint(trial)}, Values: func() ([]string, error) {
					values, last, err := v.run(ctx, s, trial, rounds)
					return append(stored.Numbers(values...), fmt.Sprint(last)), err
				}}) {
					return
				}
			}
		}
	})
}

// ablationVersion is that of a row of AblationResults: see stored.Version.
func ablationVersion(ctx context.Context, variant string) (string, error) {
	return versions.Of("ablation, "+variant, func() (any, error) {
		s, err := small()
		if err != nil {
			return nil, err
		}
		for _, v := range Variants() {
			if v.Name == variant {
				values, _, err := v.run(ctx, s, 1, 4)
				return values, err
			}
		}
		return nil, fmt.Errorf("there is no variant %q", variant)
	})
}
