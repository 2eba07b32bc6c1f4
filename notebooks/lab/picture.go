package main

import (
	"context"
	"flag"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// picture draws that of the README from the embedded data.
func picture(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("picture", flag.ContinueOnError)
	out := f.String("out", "notebooks/lab/picture.png", "new `file` to write")
	rounds := f.Int("rounds", 60, "`rounds` of a fit")
	if err := f.Parse(args); err != nil {
		return err
	}
	s := datasets.Fashion().Scaled()
	dirty, _, err := datasets.SaltPepper{Share: 0.25, High: 2}.Apply(s.X, 1)
	if err != nil {
		return err
	}
	columns := []viz.View{{Heading: "clean", X: s.X}, {Heading: "given", X: dirty, Limit: 1}}
	for _, m := range []struct {
		name  string
		model rnmf.Model
	}{{"NMF", rnmf.NMF(20)}, {"robust", rnmf.RobustNMF(20)}} {
		m.model.MaxIter = *rounds
		r, err := m.model.Fit(ctx, dirty)
		if err != nil {
			return err
		}
		var wh mat.Dense
		wh.Mul(r.W, r.H)
		columns = append(columns, viz.View{Heading: m.name, X: &wh, Limit: 1})
		if m.name == "robust" {
			out, err := r.Outliers(dirty, nil)
			if err != nil {
				return err
			}
			columns = append(columns, viz.View{Heading: "its weights", X: out.Weights, Tone: viz.Weight})
		}
		log.Println(m.name, viz.Must(r.RelativeError(s.X)))
	}
	fig, err := viz.Views(columns, viz.ViewsOptions{Height: 28, Width: 28, Samples: []int{0, 160, 310, 470, 760}, Smooth: true})
	if err != nil {
		return err
	}
	return viz.Save(*out, fig)
}
