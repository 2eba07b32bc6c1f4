package cauchy

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

var versions stored.Versions

// small are 40 images, Rank of them, on which versions are computed.
var small = sync.OnceValues(func() (*datasets.Set, error) {
	s, err := datasets.Fashion().Sample(4, 1)
	if err != nil {
		return nil, err
	}
	return s.Scaled(), nil
})

// version is that of a row of a kind of corruption and a model: see stored.Version.
func version(ctx context.Context, kind, model string) (string, error) {
	return versions.Of(kind+", "+model, func() (any, error) {
		s, err := small()
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(Rivals(), func(r Rival) bool { return r.Name == model })
		if i < 0 {
			return nil, fmt.Errorf("there is no model %q", model)
		}
		row, err := Run(ctx, s, Levels(kind, s.Height, s.Width)[1], Rivals()[i], 1, 4)
		row.Seconds = 0
		return row, err
	})
}

// disguiseVersion is that of a row of DisguiseResults.
func disguiseVersion(ctx context.Context, experiment, model string) (string, error) {
	return versions.Of(experiment+", "+model, func() (any, error) {
		s, err := small()
		if err != nil {
			return nil, err
		}
		if s, err = s.Shrink(14, 14); err != nil {
			return nil, err
		}
		d := Disguised{Set: s, Second: make([]bool, len(s.Labels)), Condition: make([]int, len(s.Labels))}
		for j := range d.Second {
			d.Second[j], d.Condition[j] = j%2 == 1, j%len(Conditions)
		}
		if model == "SEC" {
			return d.correct(ctx)
		}
		i := slices.IndexFunc(Rivals(), func(r Rival) bool { return r.Name == model })
		if i < 0 {
			return nil, fmt.Errorf("there is no model %q", model)
		}
		if experiment == "clusters" {
			return d.cluster(ctx, Rivals()[i], 3, 1, 4)
		}
		return d.recognise(ctx, Rivals()[i], 1, 4)
	})
}

// Files are what this package stores, with the versions of now.
func Files(ctx context.Context) []stored.File {
	return []stored.File{
		{Name: "cauchy/results.csv", Rows: Results, By: []string{"corruption", "model"},
			Version: func(r stored.Row) (string, error) { return version(ctx, r.Text("corruption"), r.Text("model")) }},
		{Name: "cauchy/disguise.csv", Rows: DisguiseResults, By: []string{"experiment", "model"},
			Version: func(r stored.Row) (string, error) {
				return disguiseVersion(ctx, r.Text("experiment"), r.Text("model"))
			}},
		{Name: "cauchy/occlusion.csv", Rows: OcclusionResults, By: []string{"experiment", "model"},
			Version: func(r stored.Row) (string, error) {
				return occlusionVersion(ctx, r.Text("experiment"), r.Text("model"))
			}},
		{Name: "cauchy/ablation.csv", Rows: AblationResults, By: []string{"variant"},
			Version: func(r stored.Row) (string, error) { return ablationVersion(ctx, r.Text("variant")) }},
	}
}
