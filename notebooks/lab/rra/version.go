package rra

import (
	"context"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
)

var versions stored.Versions

// few are 36 digits, on which versions are computed: see stored.Version.
func few(ctx context.Context) (Part, error) {
	s, err := datasets.Digits().Sample(12, 1)
	if err != nil {
		return Part{}, err
	}
	return Draw(ctx, s.Scaled(), 3, 1)
}

// clustersVersion is that of a row of clusters.csv.
func clustersVersion(ctx context.Context, solver string) (string, error) {
	return versions.Of(solver, func() (any, error) {
		p, err := few(ctx)
		if err != nil {
			return nil, err
		}
		row, err := p.Cluster(ctx, solver)
		row.Seconds = 0
		if r, _ := p.fit(ctx, solver); r != nil {
			return []any{row, r.Objective}, err
		}
		return row, err
	})
}

// raceVersion is that of a race, in which all solvers take part: of their objectives, as
// nothing can be said of their seconds.
func raceVersion(ctx context.Context) (string, error) {
	return versions.Of("race", func() (any, error) {
		p, err := few(ctx)
		if err != nil {
			return nil, err
		}
		var all []float64
		for _, rival := range Rivals() {
			m := rnmf.GNMF(3, p.Graph, beta)
			m.Solver, m.Seed, m.MaxIter = rival.Solver, 1, 8
			r, err := Run(ctx, m, p.X, func(rnmf.Trace) bool { return false })
			if err != nil {
				return nil, err
			}
			for _, point := range r.Trace {
				all = append(all, point.Objective)
			}
		}
		return all, nil
	})
}

// Files are what this package stores, with the versions of now.
func Files(ctx context.Context) []stored.File {
	race := func(stored.Row) (string, error) { return raceVersion(ctx) }
	all := []stored.File{
		{Name: "rra/clusters.csv", By: []string{"solver"}, Version: func(r stored.Row) (string, error) { return clustersVersion(ctx, r.Text("solver")) }},
		{Name: "rra/algorithm1.csv", By: []string{"set"}, Version: func(stored.Row) (string, error) { return clustersVersion(ctx, Algorithm1) }},
		{Name: "rra/race.csv", By: []string{"solver"}, Version: race},
		{Name: "rra/traces.csv", By: []string{"solver"}, Version: race},
		{Name: "rra/energy.csv", By: []string{"solver"}, Version: race},
	}
	for i, f := range all {
		all[i].Rows = func() stored.Table { return Results(f.Name[len("rra/"):]) }
	}
	return all
}
