package rnmf_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Ten labels a class name the classes of all other digits, and of new ones.
func ExampleRSSNMF() {
	set := datasets.Digits()
	x := set.Scaled().X
	labels := rnmf.Labels{Class: set.Labels, Names: set.Classes, Weight: 100}
	labels = labels.Few(10, rand.New(rand.NewPCG(2, 1)).Perm(len(set.Labels)))

	model := rnmf.RSSNMF(10, 0.3, labels)
	model.Init = rnmf.LabelInit{Labels: labels} // each component starts at its class
	r, err := model.Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := r.Predict(r.H) // for new samples: r.Transform, then r.Predict
	if err != nil {
		fmt.Println(err)
		return
	}
	var right, rest float64 // of the samples without labels
	for j, c := range labels.Class {
		if c == rnmf.Unlabelled {
			rest++
			if found[j] == set.Labels[j] {
				right++
			}
		}
	}
	fmt.Println("more than 65 % of the others are right:", right > 0.65*rest)
	fmt.Println("the first digit is", labels.Name(found[0]))

	_, h := r.Normalized(1) // k-means on H, as the paper does it
	groups, err := baseline.KMeans{K: 10}.Fit(context.Background(), h)
	if err != nil {
		fmt.Println(err)
		return
	}
	accuracy, _ := score.Accuracy(set.Labels, groups.Labels)
	fmt.Println("and by k-means:", accuracy > 0.65)
	// Output:
	// more than 65 % of the others are right: true
	// the first digit is 0
	// and by k-means: true
}
