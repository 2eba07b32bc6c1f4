package choose_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"slices"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

// The rank of data that were made with three components, by what is held out.
func ExampleGrid() {
	x, _, _ := datasets.LowRank(20, 40, 3, 1)
	noisy, _, err := datasets.Gaussian{Sigma: 0.05}.Apply(x, 1)
	if err != nil {
		log.Fatal(err)
	}
	table, err := choose.Grid{
		Parameters: []choose.Parameter{{Name: "rank", Values: choose.Range(1, 6)}},
		Score: choose.Scorer{X: noisy, Starts: -1, Fit: func(p choose.Setting) choose.FitFunc {
			return choose.NewFitFunc(rnmf.NMF(int(p.Value("rank"))))
		}}.Score,
	}.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	best, _ := table.Best(choose.Criterion{Score: choose.ScoreHeldOut, Smaller: true, Error: choose.ScoreHeldOutSE})
	fmt.Println(best.Setting)
	// Output: rank=3
}

// A set with a missing value and a spoilt image: the losses compete, and the winner's residuals show the image.
func ExampleAuto() {
	s, err := datasets.Digits().Scaled().Sample(15, 1)
	if err != nil {
		log.Fatal(err)
	}
	s.X.Set(0, 0, math.NaN())
	for i := range 20 {
		s.X.Set(20+i, 7, 3)
	}
	race := choose.Auto(10)
	race.Model.Mask = s.Mask() // nil where nothing is missing
	r, err := race.Fit(context.Background(), s.X)
	if err != nil {
		log.Fatal(err)
	}
	out, err := r.Outliers(s.X, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(slices.Index(out.Sizes, slices.Max(out.Sizes)))
	// Output: 7
}
