package arena

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log"
	"slices"
	"sync"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

//go:embed results.csv
var results string

// A Stored row says what it is the outcome of.
type Stored struct {
	Set, Kind string
	Strength  float64
	Model     string
	Trial     uint64
	Row
}

// Results returns what Command has stored.
var Results = sync.OnceValue(func() []Stored { return parse(results) })

func parse(text string) (all []Stored) {
	for _, r := range stored.Parse(text) {
		all = append(all, Stored{r.Text("set"), r.Text("corruption"), r.Number("strength"), r.Text("model"), uint64(r.Number("trial")),
			Row{Accuracy: r.Number("accuracy"), Error: r.Number("error"), AP: r.Number("ap"), Seconds: r.Number("seconds"), Rounds: int(r.Number("rounds"))}})
	}
	return all
}

// Command runs every model against every corruption and stores the outcome. The sets
// are Digits and Fashion-MNIST (embedded; a part of them) and, where RNMF_DATA has it,
// ORL. A run that was stopped goes on where its file ends; lines of an older version of a model are
// computed again.
func Command(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("arena", flag.ContinueOnError)
	run := stored.Trials{Count: 5, Out: "notebooks/lab/arena/results.csv"}
	run.Flags(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	sets, err := Sets(ctx)
	if errors.Is(err, datasets.ErrNotFound) {
		log.Print(err)
	} else if err != nil {
		return err
	}
	return store(ctx, run, sets, Rivals(), 0)
}

// store runs all cases of some sets and rivals, with as many rounds as Run takes.
func store(ctx context.Context, run stored.Trials, sets []Set, rivals []Rival, rounds int) error {
	run.Keys = []string{"set", "corruption", "strength", "model", "trial"}
	run.Columns = []string{"accuracy", "error", "ap", "seconds", "rounds"}
	var versions stored.Versions
	run.Version = func(key []string) (string, error) { return rivalVersion(ctx, &versions, rivals, key[3]) }
	return run.Run(ctx, func(trial uint64) iter.Seq[stored.Line] {
		return func(yield func(stored.Line) bool) {
			for _, s := range sets {
				for _, c := range Cases(s.Set) {
					for _, rival := range rivals {
						if !yield(stored.Line{
							Key: []string{s.Name, c.Kind, fmt.Sprint(c.Strength), rival.Name, fmt.Sprint(trial)},
							Values: func() ([]string, error) {
								row, err := Run(ctx, s.Set, s.Rank, c, rival, trial, rounds)
								return append(stored.Numbers(row.Accuracy, row.Error, row.AP, row.Seconds), fmt.Sprint(row.Rounds)), err
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

// rivalVersion is the version of one of these: of what it does with few digits, of which a quarter of the pixels,
// or of the images, are wrong.
func rivalVersion(ctx context.Context, versions *stored.Versions, rivals []Rival, name string) (string, error) {
	return versions.Of("rival "+name, func() (any, error) {
		at := slices.IndexFunc(rivals, func(r Rival) bool { return r.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("no rival is called %q", name)
		}
		s, err := datasets.Digits().Sample(4, 1)
		if err != nil {
			return nil, err
		}
		s = s.Scaled()
		var did []Row
		for _, c := range Cases(s) {
			if c.Strength != 25 || c.Kind == "white squares" {
				continue
			}
			row, err := Run(ctx, s, 5, c, rivals[at], 1, 0)
			if err != nil {
				return nil, err
			}
			row.Seconds = 0
			did = append(did, row)
		}
		return did, nil
	})
}
