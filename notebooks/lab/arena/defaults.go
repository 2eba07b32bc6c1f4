package arena

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

// A Default is a model that one may take without knowing what is wrong with the data.
type Default struct {
	Name    string
	Chooses bool // its loss by the data
	// Fit returns the result, and the kind of loss that it has chosen, if it has.
	Fit func(ctx context.Context, x *mat.Dense, rank int, seed uint64) (r *rnmf.Result, chosen string, err error)
}

// Defaults returns the losses that choose.Auto and its rivals choose from, what CompareLosses suggests at its
// default ranks, and choose.Auto.
func Defaults() []Default {
	of := func(name string, m rnmf.Model) Default {
		return Default{name, false, func(ctx context.Context, x *mat.Dense, rank int, seed uint64) (*rnmf.Result, string, error) {
			m.Rank, m.Seed = rank, seed
			r, err := m.Fit(ctx, x)
			return r, "", err
		}}
	}
	return []Default{
		of("least squares", rnmf.NMF(0)), of("Huber", rnmf.HuberNMF(0)), of("CellCase", rnmf.CellCaseNMF(0)),
		of("two stages", rnmf.RobustNMF(0)), of("L2,1", rnmf.L21NMF(0)),
		{"as diagnosed", true, func(ctx context.Context, x *mat.Dense, rank int, seed uint64) (*rnmf.Result, string, error) {
			d, err := choose.HeldOut{Folds: 3, Seed: seed}.CompareLosses(ctx, x)
			if err != nil {
				return nil, "", err
			}
			m := d.Suggestion.Model(rank)
			m.Seed = seed
			r, err := m.Fit(ctx, x)
			return r, d.Suggestion.String(), err
		}},
		{"auto", true, func(ctx context.Context, x *mat.Dense, rank int, seed uint64) (*rnmf.Result, string, error) {
			race := choose.Auto(rank)
			race.Model.Seed = seed
			r, err := race.Fit(ctx, x)
			if err != nil {
				return nil, "", err
			}
			return r.Result, r.Winner.String(), nil
		}},
	}
}

// More returns parts of PIE and AR10P, with which rules for a default were compared.
func More(ctx context.Context) ([]Set, error) {
	return load(ctx, []part{
		{"PIE", datasets.CMUPIE.Load, 6, 40},
		{"AR10P", datasets.AR10P.Load, 0, 15},
	})
}

// Judges returns sets on which nothing of a default was chosen: JAFFE, Palm, whose few entries below 0 are
// set to 0, and 1,000 images of the test set of MNIST.
func Judges(ctx context.Context) ([]Set, error) {
	return load(ctx, []part{
		{"JAFFE", datasets.JAFFE.Load, 0, 20},
		{"Palm", datasets.Palm.Load, 4, 40},
		{"MNIST", datasets.MNISTTest.Load, 100, 20},
	})
}

// A part is so many samples of each class of a set, and a rank.
type part struct {
	name       string
	load       func(context.Context) (*datasets.Set, error)
	each, rank int
}

func load(ctx context.Context, parts []part) (all []Set, err error) {
	for _, p := range parts {
		s, e := p.load(ctx)
		if e == nil && p.each > 0 {
			s, e = s.Sample(p.each, 1)
		}
		if e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", p.name, e))
			continue
		}
		if mat.Min(s.X) < 0 || s.Max == 0 {
			x := mat.DenseCopyOf(s.X)
			x.Apply(func(_, _ int, v float64) float64 { return max(0, v) }, x)
			s.X, s.Max = x, mat.Max(x)
		}
		s = s.Scaled()
		s.Name = p.name
		all = append(all, Set{s, p.rank})
	}
	return all, err
}

// Recovery is ‖X̂ − WH‖/‖X̂‖ against the clean data X̂ of a set, of the samples that a corruption has
// left there; where has a 1 for each entry that it may have changed.
func Recovery(s *datasets.Set, c Case, where *mat.Dense, r *rnmf.Result) (float64, error) {
	clean, wh := mat.DenseCopyOf(s.X), r.WH()
	m, n := wh.Dims()
	for j := range n {
		if c.Kind != "alien images" || mat.Min(where.ColView(j)) < 1 {
			continue
		}
		for i := range m {
			clean.Set(i, j, 0)
			wh.Set(i, j, 0)
		}
	}
	var e mat.Dense
	e.Sub(clean, wh)
	size := mat.Norm(clean, 2)
	if size == 0 {
		return 0, fmt.Errorf("%s, %s: no sample is left", s.Name, c.Kind)
	}
	return mat.Norm(&e, 2) / size, nil
}

// DefaultsCommand fits every Default to every case of all sets, and stores the outcome. A run that was
// stopped goes on where its file ends; lines of an older version of a model are computed again.
func DefaultsCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("defaults", flag.ContinueOnError)
	run := stored.Trials{Count: 5, Out: "notebooks/lab/arena/defaults.csv"}
	run.Flags(f)
	models := f.String("models", "", "only these models, separated by semicolons")
	only := f.String("sets", "", "only sets of these `names`, separated by semicolons")
	if err := f.Parse(args); err != nil {
		return err
	}
	named := func(list, name string) bool {
		return list == "" || slices.Contains(strings.Split(list, ";"), name)
	}
	var sets []Set
	for _, of := range []func(context.Context) ([]Set, error){Sets, Untuned, More, Judges} {
		some, err := of(ctx)
		if err != nil && !errors.Is(err, datasets.ErrNotFound) {
			return err
		} else if err != nil {
			log.Print(err)
		}
		for _, s := range some {
			if named(*only, s.Name) {
				sets = append(sets, s)
			}
		}
	}
	rivals := slices.DeleteFunc(Defaults(), func(d Default) bool { return !named(*models, d.Name) })
	return storeDefaults(ctx, run, sets, rivals)
}

// storeDefaults runs all cases of some sets.
func storeDefaults(ctx context.Context, run stored.Trials, sets []Set, rivals []Default) error {
	var versions stored.Versions
	run.Keys = []string{"set", "corruption", "strength", "model", "trial"}
	run.Columns = []string{"error", "seconds", "rounds", "chosen"}
	run.Version = func(key []string) (string, error) {
		return defaultVersion(ctx, &versions, rivals, key[3])
	}
	return run.Run(ctx, func(trial uint64) iter.Seq[stored.Line] {
		return func(yield func(stored.Line) bool) {
			for _, s := range sets {
				for _, c := range Cases(s.Set) {
					for _, rival := range rivals {
						if !yield(stored.Line{
							Key:    []string{s.Name, c.Kind, fmt.Sprint(c.Strength), rival.Name, fmt.Sprint(trial)},
							Values: func() ([]string, error) { return defaultRow(ctx, s, c, rival, trial) },
						}) {
							return
						}
					}
				}
			}
		}
	})
}

// defaultRow is the outcome of one fit: error, seconds of all that the model does, rounds of the fit
// that is returned, and what was chosen.
func defaultRow(ctx context.Context, s Set, c Case, rival Default, seed uint64) ([]string, error) {
	x, where, err := c.Corruption.Apply(s.X, seed)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	r, chosen, err := rival.Fit(ctx, x, s.Rank, seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rival.Name, err)
	}
	seconds := time.Since(start).Seconds()
	e, err := Recovery(s.Set, c, where, r)
	return append(stored.Numbers(e, seconds), fmt.Sprint(r.Rounds()), chosen), err
}

// probe is what a model does with few wines, of which a tenth of the entries are wrong: its version
// changes where that does. A race is also tried where other losses win it.
func probe(ctx context.Context, rival Default) ([]any, error) {
	tried := []datasets.Corruption{datasets.SaltPepper{Share: 0.1, High: 1}}
	if rival.Name == "auto" {
		tried = append(tried, datasets.SaltPepper{Share: 0.3}, datasets.OutlierSamples{Share: 0.2})
	}
	var did []any
	for _, wrong := range tried {
		s, err := datasets.Wine().Sample(20, 1)
		if err != nil {
			return nil, err
		}
		x := mat.DenseCopyOf(s.X)
		for i := range x.RawMatrix().Rows {
			row := x.RawRowView(i)
			top := slices.Max(row)
			for j := range row {
				row[j] /= top
			}
		}
		x, _, err = wrong.Apply(x, 1)
		if err != nil {
			return nil, err
		}
		r, chosen, err := rival.Fit(ctx, x, 3, 1)
		if err != nil {
			return nil, err
		}
		did = append(did, math.Float64bits(r.Objective), r.Rounds(), chosen, r.W.RawMatrix().Data)
	}
	return did, nil
}

// Files are what this package stores with versions, with those of now.
func Files(ctx context.Context) []stored.File {
	var versions stored.Versions
	file := func(name, text string, version func(model string) (string, error)) stored.File {
		return stored.File{Name: "arena/" + name, Rows: func() stored.Table { return stored.Parse(text) }, By: []string{"model"},
			Version: func(r stored.Row) (string, error) { return version(r.Text("model")) }}
	}
	return []stored.File{
		file("results.csv", results, func(model string) (string, error) { return rivalVersion(ctx, &versions, Rivals(), model) }),
		file("defaults.csv", defaults, func(model string) (string, error) { return defaultVersion(ctx, &versions, Defaults(), model) }),
	}
}

// defaultVersion is the version of one of these.
func defaultVersion(ctx context.Context, versions *stored.Versions, rivals []Default, name string) (string, error) {
	return versions.Of(name, func() (any, error) {
		at := slices.IndexFunc(rivals, func(d Default) bool { return d.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("no default is called %q", name)
		}
		return probe(ctx, rivals[at])
	})
}
