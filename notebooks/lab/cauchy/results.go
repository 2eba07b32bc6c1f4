package cauchy

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"iter"
	"sync"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

//go:embed results.csv
var results string

// Results returns what Command has stored: of each corruption, level, model and trial, which
// is the seed, the accuracy, nmi, raw, error, precision, recall, ap, seconds and rounds of a
// Row, and its version.
var Results = sync.OnceValue(func() stored.Table { return stored.Parse(results) })

// Command runs the tables of notebook 02 at full length and stores them. It wants
// ORL_32x32.mat in the folder that RNMF_DATA names. A run that was stopped goes on
// where its file ends: remove the file for a fresh one.
func Command(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("cauchy", flag.ContinueOnError)
	run := stored.Trials{Count: 10, Out: "notebooks/lab/cauchy/results.csv"}
	run.Flags(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	s, err := datasets.ORL.Load(ctx)
	if err != nil {
		return err
	}
	return store(ctx, run, s.Scaled(), 0)
}

// store runs all levels on a set, with as many rounds as Run takes.
func store(ctx context.Context, run stored.Trials, s *datasets.Set, rounds int) error {
	run.Keys = []string{"corruption", "level", "model", "trial"}
	run.Columns = []string{"accuracy", "nmi", "raw", "error", "precision", "recall", "ap", "seconds", "rounds"}
	run.Version = func(key []string) (string, error) { return version(ctx, key[0], key[2]) }
	return run.Run(ctx, func(trial uint64) iter.Seq[stored.Line] {
		return func(yield func(stored.Line) bool) {
			for _, kind := range Kinds {
				for _, level := range Levels(kind, s.Height, s.Width) {
					for _, rival := range Rivals() {
						if !yield(stored.Line{
							Key: []string{kind, fmt.Sprint(level.Level), rival.Name, fmt.Sprint(trial)},
							Values: func() ([]string, error) {
								row, err := Run(ctx, s, level, rival, trial, rounds)
								return append(stored.Numbers(row.Accuracy, row.NMI, row.Raw, row.Error, row.Precision, row.Recall, row.AP, row.Seconds), fmt.Sprint(row.Rounds)), err
							},
						}) {
							return
						}
					}
				}
			}
		}
	})
}
