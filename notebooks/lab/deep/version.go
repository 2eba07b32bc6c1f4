package deep

import (
	"context"
	"fmt"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

var versions stored.Versions

// version is that of a row of a method: see stored.Version. It is computed with few digits, few
// epochs and few steps, from which the clusters and the bits of the codes go into it; so do all
// settings, with the numbers of epochs and steps of the row. Methods of one fit have one version.
func version(ctx context.Context, method string, with settings) (string, error) {
	name := method
	if method == "autoencoder" {
		name = "IDEC"
	}
	return versions.Of(fmt.Sprint(name, with), func() (any, error) {
		s, err := datasets.Digits().Sample(4, 1)
		if err != nil {
			return nil, err
		}
		t, err := task(rss.Set{Set: s.Scaled(), Name: "digits", Each: 2}, 3, name, 1)
		if err != nil {
			return nil, err
		}
		few := with
		few.idec.K, few.msae.K, few.msae.Labels = 3, 3, t.Labels
		if _, err := few.idec.check(t.X); err != nil { // it sets what is 0
			return nil, err
		}
		if _, _, err := few.msae.check(t.X); err != nil {
			return nil, err
		}
		var all []any
		switch name {
		case "pixels":
			all = []any{starts}
		case "IDEC":
			all = []any{fmt.Sprintf("%+v", few.idec)}
		default:
			all = []any{fmt.Sprintf("%+v", few.msae)}
		}
		few.idec.Epochs, few.idec.Interval, few.idec.MaxIter = 2, 2, 4
		few.msae.Members, few.msae.Rounds = 2, 2
		found, err := fit(ctx, t, 3, name, few)
		if err != nil {
			return nil, err
		}
		for _, o := range found {
			if all = append(all, o.labels, o.rounds, o.steps); o.codes != nil {
				all = append(all, o.codes.RawMatrix().Data)
			}
		}
		return all, nil
	})
}

// file is what this package stores, with the versions of now.
func file(ctx context.Context, with settings) stored.File {
	return stored.File{Name: "rss/deep.csv", Rows: Results, By: []string{"method"},
		Version: func(r stored.Row) (string, error) {
			if r.Text("build") != build() {
				return "of another build", nil
			}
			return version(ctx, r.Text("method"), with)
		}}
}
