package choosing

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

var asked = append(choose.WithoutLabels,
	choose.Criterion{Score: choose.ScoreHeldOut, Smaller: true, Error: choose.ScoreHeldOutSE},
	choose.Criterion{Score: choose.ScoreCophenetic})

// Criteria measures how well parameters are chosen without labels: on several data sets it searches
// the grid of GNMF and of LS-NMF, chooses a point by each criterion of package choose, and computes
// from the labels, which no criterion uses, how far the accuracy at that point is below the best of
// the grid.
//
// It can be stopped and goes on where it was, with the files that it keeps. criteria.txt
// is that of the embedded sets; with RNMF_DATA it takes Yale and Semeion as well.
func Criteria(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("criteria", flag.ContinueOnError)
	keep := f.String("keep", os.TempDir(), "`folder` of the files of finished points")
	out := f.String("out", "notebooks/lab/choosing/criteria.txt", "new `file` to write")
	if err := f.Parse(args); err != nil {
		return err
	}
	all, err := sets(ctx)
	if err != nil {
		return err
	}
	return store(*out, func(w io.Writer) error { return criteria(ctx, w, all, 60, *keep) })
}

// criteria writes the report on some sets, from fits of so many rounds.
func criteria(ctx context.Context, w io.Writer, sets []*datasets.Set, rounds int, keep string) error {
	regret, better := make([]float64, len(asked)), make([]float64, len(asked))
	var median, tables float64
	for _, s := range sets {
		x, classes := unit(s.X), len(s.Classes)
		graph, err := neighbor.KNN{K: 5}.Graph(ctx, x)
		if err != nil {
			return err
		}
		u, err := papers.NewPenaltyUnits(x, classes)
		if err != nil {
			return err
		}
		for _, kind := range []string{"GNMF", "LS-NMF"} {
			parameters := []choose.Parameter{{Name: "lambda", Values: choose.Decades(-3, 3)}}
			fit := func(p choose.Setting) rnmf.Model { return rnmf.GNMF(classes, graph, p.Value("lambda")) }
			if kind == "LS-NMF" {
				parameters = append(parameters, choose.Parameter{Name: "alpha", Values: choose.Decades(-4, 0)})
				fit = func(p choose.Setting) rnmf.Model {
					a := p.Value("alpha")
					return rnmf.Model{Rank: classes,
						OnW: []rnmf.Penalty{papers.LogSparse{Lambda: a * u.W, Scale: u.Entry}},
						OnH: []rnmf.Penalty{papers.LogSparse{Lambda: a * u.H, Scale: u.Entry}, rnmf.Laplacian{Graph: graph, Lambda: p.Value("lambda") * u.Graph / 10}}}
				}
			}
			task := fmt.Sprintf("criteria 1: %s of %s, %d samples", kind, s.Name, len(s.Labels))
			table, err := choose.Grid{
				Parameters: parameters,
				File:       filepath.Join(keep, fmt.Sprintf("criteria-%s-%d-%s", kind, len(s.Labels), filepath.Base(s.Name))),
				Task:       task,
				Score: choose.Scorer{X: x, Truth: s.Labels, Starts: 3, Folds: 3, Clusters: choose.ByKMeans(classes),
					Fit: func(p choose.Setting) choose.FitFunc {
						m := fit(p)
						m.MaxIter = rounds
						return choose.NewFitFunc(m)
					}}.Score,
			}.Run(ctx)
			if err != nil {
				return err
			}
			alive := table.Where(func(r choose.Row) bool { return r.Scores[choose.ScoreCollapsed] == 0 })
			choices, err := alive.Choices(choose.ScoreAccuracy, asked...)
			if err != nil {
				return err
			}
			mid, err := alive.Quantile(choose.ScoreAccuracy, 0.5)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s, %d samples, %s: %d points, of which %d have not collapsed; median accuracy %.3f\n",
				s.Name, len(s.Labels), kind, len(table.Rows), len(alive.Rows), mid)
			for i, c := range choices {
				fmt.Fprintf(w, "  %-26s %-26v accuracy %.3f\n", name(c.Criterion), c.Row.Setting, c.Label)
				if i > 0 {
					regret[i-1] += c.Regret
					better[i-1] += c.Better
				}
			}
			median += choices[0].Label - mid
			tables++
		}
	}
	fmt.Fprintf(w, "\nMean over %.0f searches: accuracy below the best of the grid, and share of the other points that are better\n", tables)
	for i, c := range asked {
		fmt.Fprintf(w, "  %-26s %.3f  %.2f\n", name(c), regret[i]/tables, better[i]/tables)
	}
	fmt.Fprintf(w, "  %-26s %.3f  0.50\n", "the median point", median/tables)
	return nil
}

func name(c choose.Criterion) string {
	if c.Error != "" {
		return c.Score + ", one error"
	}
	return c.Score
}

// sets returns the embedded data, and those of RNMF_DATA that are there.
func sets(ctx context.Context) ([]*datasets.Set, error) {
	digits, err := datasets.Digits().Sample(40, 1)
	if err != nil {
		return nil, err
	}
	fashion, err := datasets.Fashion().Sample(30, 1)
	if err != nil {
		return nil, err
	}
	fashion.Name = "Fashion-MNIST"
	all := []*datasets.Set{digits, fashion, datasets.Wine()}
	for _, source := range []*datasets.PublicSet{datasets.Yale, datasets.Semeion} {
		s, err := source.Load(ctx)
		if err != nil {
			log.Printf("without %s: %v", source.Name, err)
			continue
		}
		if len(s.Labels) > 500 {
			if s, err = s.Sample(50, 1); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// unit scales the samples to length 1.
func unit(x *mat.Dense) *mat.Dense {
	y := mat.DenseCopyOf(x)
	m, n := y.Dims()
	for j := range n {
		length := mat.Norm(y.ColView(j), 2)
		for i := range m {
			if length > 0 {
				y.Set(i, j, y.At(i, j)/length)
			}
		}
	}
	return y
}
