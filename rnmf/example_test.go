package rnmf_test

import (
	"context"
	"fmt"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
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
	out, err := r.Outliers(dirty)
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

// Coefficients of new samples get the class whose training samples tell them best.
func ExampleSRC() {
	s := datasets.Digits().Scaled()
	_, n := s.X.Dims()
	train, test := s.X.Slice(0, 64, 0, n-100), s.X.Slice(0, 64, n-100, n)
	r, err := rnmf.Model{Rank: 30, MaxIter: 50}.Fit(context.Background(), train)
	if err != nil {
		panic(err)
	}
	h, err := r.Transform(context.Background(), test)
	if err != nil {
		panic(err)
	}
	found, err := baseline.SRC{}.Classify(context.Background(), r.H, s.Labels[:n-100], h)
	if err != nil {
		panic(err)
	}
	accuracy := 0.0
	for i, l := range found {
		if l == s.Labels[n-100+i] {
			accuracy += 0.01
		}
	}
	fmt.Println("accuracy above 0.9:", accuracy > 0.9)
	// Output: accuracy above 0.9: true
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
