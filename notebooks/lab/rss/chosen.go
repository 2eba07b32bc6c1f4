package rss

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"strings"
	"sync"

	"gonum.org/v1/gonum/stat"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
)

//go:embed chosen.csv
var chosen string

// Chosen returns what ChosenCommand has stored, in the columns of Results. In the kind
// chosen are, on ten classes of ORL, RSS-NMF with each pair of a scale and a weight and
// SCNMF with each weight, at levels that name these: by them Choose chooses. In the kind
// elsewhere are, in the cells of the paper's tables, the two models as Choose has them.
var Chosen = sync.OnceValue(func() stored.Table { return stored.Parse(chosen) })

// A Choice is a scale of the hypersurface loss, 0 for squared errors, and a weight of the
// labels in losses of a sample.
type Choice struct{ Scale, Times float64 }

// loss is that of a choice.
func (c Choice) loss() rnmf.Loss {
	if c.Scale == 0 {
		return nil
	}
	return rnmf.Hypersurface{Scale: c.Scale}
}

// String names a choice, and says whether its scale is the first or the last of those tried.
func (c Choice) String() string {
	text := fmt.Sprintf("a weight of %g", c.Times)
	if c.Scale > 0 {
		text += fmt.Sprintf(" and σ = %.2g", c.Scale)
	}
	switch c.Scale {
	case Scales[0]:
		text += ", the smallest σ tried"
	case Scales[len(Scales)-1]:
		text += ", the largest σ tried"
	}
	return text
}

// Accuracies returns the accuracies of a choice on ten classes of ORL, in the order of the draws.
func (c Choice) Accuracies(t stored.Table, model string) []float64 {
	return t.Where("kind", "chosen", "model", model, "level", Level(c.Scale, c.Times)).Numbers("accuracy")
}

// Choices are what the two models have to choose from: an equal budget for each parameter.
func Choices(model string) (all []Choice) {
	for _, times := range append(Weights[1:], 1e4) {
		if model == "SCNMF" {
			all = append(all, Choice{0, times})
			continue
		}
		for _, scale := range Scales {
			all = append(all, Choice{scale, times})
		}
	}
	return all
}

// Best returns the choices of a model, RSS-NMF or SCNMF, with the largest mean accuracy on ten classes of
// ORL, several where they are equal. The labels of no other set take part.
func Best(t stored.Table, model string) (best []Choice, accuracy float64) {
	for _, c := range Choices(model) {
		own := c.Accuracies(t, model)
		if len(own) == 0 {
			continue
		}
		switch mean := stat.Mean(own, nil); {
		case mean > accuracy+1e-9: // sums of four digits are rounded
			best, accuracy = []Choice{c}, mean
		case mean > accuracy-1e-9:
			best = append(best, c)
		}
	}
	return best, accuracy
}

// Choose returns the first of the best choices. edge tells whether its weight is the largest or the smallest
// of those tried.
func Choose(t stored.Table, model string) (first Choice, accuracy float64, edge bool) {
	best, accuracy := Best(t, model)
	if len(best) == 0 {
		return Choice{}, 0, false
	}
	all := Choices(model)
	return best[0], accuracy, best[0].Times == all[0].Times || best[0].Times == all[len(all)-1].Times
}

// chosenExperiments are those of a trial: the choices on ORL, and what was chosen on all sets.
func chosenExperiments(sets []Set, seed uint64) (all []Experiment) {
	for _, s := range sets {
		if s.Name != "ORL" && s.Name != "Yale" || s.Name == "Yale" && len(sets) > 1 {
			continue // Yale is that of the version
		}
		classes := min(10, len(s.Set.Classes))
		for _, model := range []string{"RSS-NMF", "SCNMF"} {
			for _, c := range Choices(model) {
				all = append(all, Experiment{"chosen", s.Name, Level(c.Scale, c.Times),
					func() (Task, error) { return Draw(s.Set, classes, s.Each, seed) }, []Rival{Labelled(model, c.loss(), c.Times, true)}})
			}
		}
	}
	for _, s := range sets {
		if s.Name == "ORL" {
			continue // its labels have chosen
		}
		var rivals []Rival
		for _, model := range []string{"RSS-NMF", "SCNMF"} {
			c, _, _ := Choose(Chosen(), model)
			rivals = append(rivals, Labelled(model, c.loss(), c.Times, true))
		}
		for _, k := range s.Classes {
			all = append(all, Experiment{"elsewhere", s.Name, fmt.Sprint(k), func() (Task, error) { return Draw(s.Set, k, s.Each, seed) }, rivals})
		}
	}
	return all
}

// ChosenCommand fills chosen.csv. The first run stores the choices on ORL, the next one,
// which is built with them, what they give on the other sets.
func ChosenCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("chosen", flag.ContinueOnError)
	run := stored.Trials{Count: 10, Out: "notebooks/lab/rss/chosen.csv"}
	run.Flags(f)
	only := f.String("only", "chosen", "the `kind`: chosen, then elsewhere")
	set := f.String("set", "", "one `set` of data, as Yale; empty: all at hand")
	if err := f.Parse(args); err != nil {
		return err
	}
	sets, missing := Sets(ctx)
	log.Printf("not at hand: %s", strings.Join(missing, ", "))
	if len(sets) == 0 {
		return errors.New("no set is at hand")
	}
	if *only == "elsewhere" {
		if _, accuracy, _ := Choose(Chosen(), "RSS-NMF"); accuracy == 0 {
			return errors.New("nothing has been chosen: run it with -only chosen first")
		}
	}
	return store(ctx, run, func(seed uint64) (some []Experiment) {
		for _, e := range chosenExperiments(sets, seed) {
			if e.Kind == *only && (*set == "" || e.Set == *set) {
				some = append(some, e)
			}
		}
		return some
	}, 0)
}
