package baseline_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
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

// Ten labelled wines of each class teach a metric, in which the neighbours of the others are
// more often of their class than in the raw units, where one feature outweighs all others.
// The graph of Semi-GNMF can be made of it.
func ExampleKISSME() {
	ctx := context.Background()
	s := datasets.Wine()
	labels := make([]int, len(s.Labels))
	seen := make([]int, len(s.Classes))
	for j, c := range s.Labels {
		labels[j] = rnmf.Unlabelled
		if seen[c]++; seen[c] <= 10 {
			labels[j] = c
		}
	}
	metric, err := baseline.KISSME{Components: 13}.Fit(ctx, s.X, labels)
	if err != nil {
		panic(err)
	}
	y, err := metric.Transform(s.X)
	if err != nil {
		panic(err)
	}
	for _, x := range []*mat.Dense{s.X, y} {
		g, err := neighbor.KNN{}.Graph(ctx, x)
		if err != nil {
			panic(err)
		}
		same, all := 0, 0
		for i, c := range s.Labels {
			to, _ := g.Neighbors(i)
			for _, j := range to {
				if all++; s.Labels[j] == c {
					same++
				}
			}
		}
		fmt.Printf("%d %%\n", 100*same/all)
	}
	// Output:
	// 67 %
	// 87 %
}
