package rls

import (
	"context"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

var versions stored.Versions

// version is that of a row of a method: see stored.Version. It is computed with few digits,
// as they are, with entries removed and with noise.
func version(ctx context.Context, m Method) (string, error) {
	return versions.Of(m.Name, func() (any, error) {
		s, err := datasets.Digits().Sample(6, 1)
		if err != nil {
			return nil, err
		}
		var all []any
		for _, spoiled := range [][2]float64{{0, 0}, {0.4, 0}, {0, 0.01}} {
			p, err := New(s, spoiled[0], spoiled[1], 1)
			if err != nil {
				return nil, err
			}
			at := choose.Setting{Names: []string{"alpha", "gamma", "lambda"}, Values: []float64{0.01, 0.5, 0.1}}
			v, err := Score(p, m, 4)(ctx, at)
			if err != nil {
				return nil, err
			}
			for _, name := range scores {
				all = append(all, v[name])
			}
		}
		return all, nil
	})
}

// Files are what this package stores, with the versions of now.
func Files(ctx context.Context) []stored.File {
	of := func(r stored.Row) (string, error) {
		m, err := Named(r.Text("method"))
		if err != nil {
			return "", err
		}
		return version(ctx, m)
	}
	return []stored.File{
		{Name: "rls/results.csv", Rows: Table, By: []string{"method"}, Version: of},
		{Name: "rls/asprinted.csv", Rows: AsPrintedTable, By: []string{"method"}, Version: of},
		{Name: "rls/times.csv", Rows: Times, By: []string{"method"}, Version: of},
	}
}
