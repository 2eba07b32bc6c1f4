package choose_test

import (
	"context"
	"fmt"
	"log"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

// Which kind of loss? Two fifths of the pixels of these clothes are salt or pepper, which
// the function is not told.
func ExampleHeldOut_CompareLosses() {
	s, err := datasets.Fashion().Scaled().Sample(15, 1)
	if err != nil {
		log.Fatal(err)
	}
	if s, err = s.Shrink(14, 14); err != nil {
		log.Fatal(err)
	}
	x, _, err := datasets.SaltPepper{Share: 0.4, High: 1}.Apply(s.X, 1)
	if err != nil {
		log.Fatal(err)
	}
	d, err := choose.HeldOut{Seed: 1, Folds: 3}.CompareLosses(context.Background(), x, 5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Suggestion)
	// Output: a robust loss of entries
}

// Which rank? These data have three parts and no noise.
func ExampleRankSearch() {
	x, _, _ := datasets.LowRank(30, 60, 3, 1)
	c, err := choose.RankSearch{X: x, Model: rnmf.NMF(1), Starts: 3, Folds: 3}.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Rank, c.AtEdge)
	// Output: 3 false
}

// How well do the clusters of five starts agree?
func ExampleNewConsensus() {
	s, err := datasets.Digits().Scaled().Sample(15, 1)
	if err != nil {
		log.Fatal(err)
	}
	var clusterings [][]int
	for seed := range uint64(5) {
		r, err := rnmf.Model{Rank: 3, Seed: seed}.Fit(context.Background(), s.X)
		if err != nil {
			log.Fatal(err)
		}
		clusterings = append(clusterings, r.Clusters())
	}
	c, err := choose.NewConsensus(clusterings)
	if err != nil {
		log.Fatal(err)
	}
	n, _ := c.C.Dims()
	fmt.Println(n, "samples; cophenetic correlation above 0.8:", c.Cophenetic() > 0.8)
	// Output: 150 samples; cophenetic correlation above 0.8: true
}
