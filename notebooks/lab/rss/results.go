package rss

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log"
	"strings"
	"sync"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

//go:embed results.csv
var results string

// Results returns what Command has stored: of each kind, set, level, model and trial, which is
// the seed, the accuracy, nmi, unlabelled, predicted, nearest, seconds and rounds of a Row, and
// its version.
var Results = sync.OnceValue(func() stored.Table { return stored.Parse(results) })

//go:embed deep.csv
var deep string

// Deep returns the results of the deep rivals, which package deep stores and describes. It is a module of its own, as it needs
// more of Go and of others, and claims are judged without it.
var Deep = sync.OnceValue(func() stored.Table { return stored.Parse(deep) })

// IDECSteps are the steps after which IDEC is cut off in Deep.
const IDECSteps = 1400

// Lead returns RSS-NMF − rival in a stored measure, in points, for each draw; nil where the rival is not stored.
// The measure nearest is right names: the share of the samples without a label whose class the nearest mean finds.
func Lead(measure, kind, level, rival string) (points []float64) {
	at := Results().Where("kind", kind, "level", level)
	ours := at.Where("model", "RSS-NMF").Numbers(measure)
	for i, theirs := range at.Where("model", rival).Numbers(measure) {
		points = append(points, 100*(ours[i]-theirs))
	}
	return points
}

// Level writes two numbers as the stored results name a level: a share of labels and that of the wrong ones
// in the kind labels, a scale and a weight in the kinds weight and chosen.
func Level(first, second float64) string { return fmt.Sprintf("%.3g %g", first, second) }

// AtLabels returns the draws of a model with a share of labels, some of which are wrong. Without labels it is
// the model without its label term, which has another name.
func AtLabels(model string, share, wrong float64) stored.Table {
	if share == 0 {
		wrong = 0
		model = cmp.Or(map[string]string{"RSS-NMF": "RNMF", "SCNMF": "NMF", "CNMF": "NMF"}[model], model)
	}
	return Results().Where("kind", "labels", "model", model, "level", Level(share, wrong))
}

// Corruption is the level of the kind pixels in short: the share of wrong pixels, or the size of a square.
func Corruption(level string) string {
	if side, ok := strings.CutPrefix(level, "block "); ok {
		return side + " × " + side
	}
	return strings.TrimPrefix(level, "salt & pepper ") + " %"
}

// Larger returns the chance that one of a is larger than one of b, where a tie counts half.
func Larger(a, b []float64) float64 {
	sum := 0.0
	for _, x := range a {
		for _, y := range b {
			if x > y {
				sum++
			} else if x == y {
				sum += 0.5
			}
		}
	}
	return sum / float64(len(a)*len(b))
}

// Command runs the tables of notebook 03 at full length and stores them. It takes the
// sets that the folder RNMF_DATA holds; Yale, COIL-20, ORL, UMIST and Georgia Tech are in
// what is stored. A run that was stopped goes on where its file ends: remove the file for a fresh one.
func Command(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("rss", flag.ContinueOnError)
	run := stored.Trials{Count: 10, Out: "notebooks/lab/rss/results.csv"}
	run.Flags(f)
	only := f.String("only", "", "one `kind` of experiment: tables, labels, pixels or weight; empty: all")
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
		for _, e := range Experiments(sets, seed) {
			if (*only == "" || e.Kind == *only) && (*set == "" || e.Set == *set) {
				some = append(some, e)
			}
		}
		return some
	}, 0)
}

// store runs the experiments of each trial, with as many rounds as Run takes.
func store(ctx context.Context, run stored.Trials, experiments func(seed uint64) []Experiment, rounds int) error {
	run.Keys = []string{"kind", "set", "level", "model", "trial"}
	run.Columns = []string{"accuracy", "nmi", "unlabelled", "predicted", "nearest", "seconds", "rounds"}
	run.Version = func(key []string) (string, error) { return version(ctx, key[0], key[2], key[3]) }
	return run.Run(ctx, func(trial uint64) iter.Seq[stored.Line] {
		return func(yield func(stored.Line) bool) {
			for _, e := range experiments(trial) {
				for _, rival := range e.Rivals {
					if !yield(stored.Line{
						Key: []string{e.Kind, e.Set, e.Level, rival.Name, fmt.Sprint(trial)},
						Values: func() ([]string, error) {
							task, err := e.Task()
							if err != nil {
								return nil, err
							}
							row, err := Run(ctx, task, rival, rounds)
							return append(stored.Numbers(row.Accuracy, row.NMI, row.Unlabelled, row.Predicted, row.Nearest, row.Seconds), fmt.Sprint(row.Rounds)), err
						},
					}) {
						return
					}
				}
			}
		}
	})
}
