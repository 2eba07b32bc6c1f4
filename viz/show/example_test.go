package show_test

import (
	"context"
	"fmt"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
	"github.com/robustnmf/robustnmf/viz/show"
)

// In a notebook there is a bar of progress, a live curve and a stop button; here
// nothing is shown.
func ExampleFit() {
	x, _, _ := datasets.LowRank(20, 30, 3, 1)
	r, err := show.Fit(context.Background(), rnmf.HuberNMF(3), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Reason)
	// Output: converged
}

// Several models together. Only takes the Result of one that returns more.
func ExampleCompare() {
	x, _, _ := datasets.LowRank(25, 30, 3, 1)
	results, err := show.Compare(context.Background(), x,
		show.Run{Name: "standard", Model: rnmf.NMF(3)},
		show.Run{Name: "L2,1", Model: rnmf.L21NMF(3)},
		show.Run{Name: "outliers that hang together", Model: show.Only(papers.OcclusionNMF{Model: rnmf.RobustNMF(3), Height: 5, Width: 5})})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(results), "results")
	// Output: 3 results
}
