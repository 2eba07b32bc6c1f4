package rnmf_test

import (
	"context"
	"fmt"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Nine of ten digits are as they were; every tenth image is noise. The weights
// of the L2,1 model tell which.
func ExampleModel_Fit() {
	x := datasets.Digits().Scaled().X
	dirty, truth, err := datasets.OutlierSamples{Share: 0.1, Max: 1}.Apply(x, 1)
	if err != nil {
		panic(err)
	}
	r, err := rnmf.L21NMF(10).Fit(context.Background(), dirty)
	if err != nil {
		panic(err)
	}
	out, err := r.Outliers(dirty, nil)
	if err != nil {
		panic(err)
	}
	found, err := score.AveragePrecision(out.Weights, truth)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v; average precision above 0.9: %v\n", r.Reason, found > 0.9)
	// Output: converged; average precision above 0.9: true
}

// Progress is the body of the loop over the rounds.
func ExampleModel_Steps() {
	x, _, _ := datasets.LowRank(20, 30, 3, 1)
	m := rnmf.Model{Rank: 3, Loss: rnmf.Cauchy{Scale: 0.1}, MaxIter: 3, Tol: -1}
	rounds := 0
	for step, err := range m.Steps(context.Background(), x) {
		if err != nil {
			panic(err)
		}
		rounds = step.Round
	}
	fmt.Println("rounds:", rounds)
	// Output: rounds: 3
}
