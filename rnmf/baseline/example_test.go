package baseline_test

import (
	"context"
	"fmt"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
)

// Coefficients of new samples get the class whose training samples tell them best.
func ExampleSRC() {
	s := datasets.Digits().Scaled()
	_, n := s.X.Dims()
	train, test := s.X.Slice(0, 64, 0, n-100), s.X.Slice(0, 64, n-100, n)
	r, err := rnmf.Model{Rank: 30, MaxIter: 50}.Fit(context.Background(), train)
	if err != nil {
		panic(err)
	}
	h, err := r.Transform(context.Background(), test, nil)
	if err != nil {
		panic(err)
	}
	found, err := baseline.SRC{}.Classify(context.Background(), r.H, s.Labels[:n-100], h)
	if err != nil {
		panic(err)
	}
	right := 0
	for i, l := range found {
		if l == s.Labels[n-100+i] {
			right++
		}
	}
	fmt.Println("more than 90 of 100 are right:", right > 90)
	// Output: more than 90 of 100 are right: true
}
