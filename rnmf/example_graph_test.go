package rnmf_test

import (
	"context"
	"fmt"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
)

// The nearest neighbours of a digit get coefficients like its own.
func ExampleGNMF() {
	x := datasets.Digits().Scaled().X
	graph, err := neighbor.KNN{K: 5}.Graph(context.Background(), x)
	if err != nil {
		panic(err)
	}
	var roughness []float64
	for _, m := range []rnmf.Model{rnmf.NMF(10), rnmf.GNMF(10, graph, 1)} {
		m.OnW = []rnmf.Penalty{rnmf.Ridge{Lambda: 1}} // holds W, and so the scale of H
		r, err := m.Fit(context.Background(), x)
		if err != nil {
			panic(err)
		}
		roughness = append(roughness, graph.Roughness(r.H))
	}
	fmt.Println("half as rough, or less:", roughness[1] < roughness[0]/2)
	// Output: half as rough, or less: true
}
