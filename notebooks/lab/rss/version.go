package rss

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

var versions stored.Versions

// version is that of a row: see stored.Version. It is computed with few digits, on an
// experiment of the row's kind with the row's model.
func version(ctx context.Context, kind, level, model string) (string, error) {
	name := kind + ", " + model
	switch kind {
	case "weight", "parameters", "chosen": // the level says what the model is
		name += ", " + level
	case "pixels": // the level says what the corruption is
		level = level[:strings.LastIndex(level, " ")]
		name += ", " + level
	}
	return versions.Of(name, func() (any, error) {
		s, err := datasets.Digits().Sample(4, 1)
		if err != nil {
			return nil, err
		}
		few := []Set{{s.Scaled(), "Yale", 0, []int{3}, 2}} // of this name, so that all are there
		all := slices.Concat(Experiments(few, 1), furtherExperiments(few, 1), chosenExperiments(few, 1))
		for _, e := range all {
			if e.Kind != kind || name != kind+", "+model && !strings.HasPrefix(e.Level, level) {
				continue
			}
			for _, rival := range e.Rivals {
				if rival.Name == model {
					task, err := e.Task()
					if err != nil {
						return nil, err
					}
					row, err := Run(ctx, task, rival, 4)
					row.Seconds = 0
					return row, err
				}
			}
		}
		return nil, fmt.Errorf("there is no experiment %q with the model %q at %q", kind, model, level)
	})
}

// Files are what this package stores, with the versions of now.
func Files(ctx context.Context) []stored.File {
	of := func(r stored.Row) (string, error) {
		return version(ctx, r.Text("kind"), r.Text("level"), r.Text("model"))
	}
	return []stored.File{
		{Name: "rss/results.csv", Rows: Results, By: []string{"kind", "model"}, Version: of},
		{Name: "rss/further.csv", Rows: Further, By: []string{"kind", "model"}, Version: of},
		{Name: "rss/chosen.csv", Rows: Chosen, By: []string{"kind", "model"}, Version: of},
		{Name: "rss/race.csv", Rows: Race, By: []string{"solver"}, Version: func(stored.Row) (string, error) { return raceVersion(ctx) }},
	}
}
