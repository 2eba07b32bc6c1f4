package rnmf_test

import (
	"context"
	"fmt"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/rnmf/papers"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Sparse parts by the log norm, with weights that mean the same on all data, and
// samples that do not fit as outliers: RLS-NMF paper, (35).
func ExampleRLSNMF() {
	s, err := datasets.Digits().Scaled().Sample(30, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	u, err := papers.NewPenaltyUnits(s.X, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	graph, err := neighbor.KNN{K: 5}.Graph(context.Background(), s.X)
	if err != nil {
		fmt.Println(err)
		return
	}
	var sparsity []float64
	for _, alpha := range []float64{0, 0.01} {
		m := papers.RLSNMF(10, alpha*u.W, 0.01*u.H, 3, graph, 0.1*u.Graph)
		m.MaxIter = 100
		r, err := m.Fit(context.Background(), s.X)
		if err != nil {
			fmt.Println(err)
			return
		}
		columns, _ := score.HoyerColumns(r.W)
		mean := 0.0
		for _, v := range columns {
			mean += v / float64(len(columns))
		}
		sparsity = append(sparsity, mean)
	}
	fmt.Println("sparser parts:", sparsity[1] > sparsity[0]+0.05)
	// Output: sparser parts: true
}

// The rank-one residue approximation of the RRA paper, and the default solver, on
// the same model.
func ExampleRRA() {
	s, err := datasets.Digits().Scaled().Sample(20, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	graph, err := neighbor.KNN{}.Graph(context.Background(), s.X)
	if err != nil {
		fmt.Println(err)
		return
	}
	var objective []float64
	for _, solver := range []rnmf.Solver{papers.RRA{}, nil} {
		m := rnmf.GNMF(10, graph, 1)
		m.Solver = solver
		r, err := m.Fit(context.Background(), s.X)
		if err != nil {
			fmt.Println(err)
			return
		}
		objective = append(objective, r.Objective)
	}
	fmt.Println("within 5 % of each other:", objective[0] < 1.05*objective[1] && objective[1] < 1.05*objective[0])
	// Output: within 5 % of each other: true
}

// Something covers a part of each image. That its pixels hang together helps to tell
// them from those that are only hard to express.
func ExampleOcclusionNMF() {
	s, err := datasets.Fashion().Scaled().Sample(20, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	if s, err = s.Shrink(14, 14); err != nil {
		fmt.Println(err)
		return
	}
	dirty, where, err := datasets.Block{Size: 5, Value: 1, Height: 14, Width: 14}.Apply(s.X, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	pixels := rnmf.Model{Rank: 10, Loss: rnmf.MMEstimator{Then: rnmf.Truncated{Loss: rnmf.Frobenius{}, Rule: rnmf.NormalThreeSigma}}}
	single, err := pixels.Fit(context.Background(), dirty)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := single.Outliers(dirty, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	together, err := papers.OcclusionNMF{Model: rnmf.Model{Rank: 10}, Height: 14, Width: 14}.Fit(context.Background(), dirty)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _ := score.Detect(out.Flags(0.1), where)
	b, _ := score.Detect(together.Support, where)
	before, _ := single.RelativeError(s.X)
	after, _ := together.RelativeError(s.X)
	fmt.Println("fewer false alarms:", b.Precision > a.Precision+0.1, "and nearer to the clean images:", after < before)
	// Output: fewer false alarms: true and nearer to the clean images: true
}

// Data and labels factorised together (RSS-NMF paper, (5)); the result has U besides,
// what each part has to do with each class.
func ExampleSSNMF() {
	set, err := datasets.Digits().Scaled().Sample(20, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels := rnmf.Labels{Class: append([]int(nil), set.Labels...)}
	for j := range labels.Class {
		if j%2 == 0 {
			labels.Class[j] = rnmf.Unlabelled
		}
	}
	r, err := papers.SSNMF{Model: rnmf.NMF(20), Labels: labels, Lambda: 3}.Fit(context.Background(), set.X)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := r.Predict(r.H)
	if err != nil {
		fmt.Println(err)
		return
	}
	right, unknown := 0.0, 0.0
	for j, c := range labels.Class {
		if c == rnmf.Unlabelled {
			unknown++
			if found[j] == set.Labels[j] {
				right++
			}
		}
	}
	rows, cols := r.U.Dims()
	fmt.Printf("U is %d×%d; more than half of the unknown labels are right: %v\n", rows, cols, right > unknown/2)
	// Output: U is 10×20; more than half of the unknown labels are right: true
}

// Progress of what has no Steps comes by the Model in it.
func ExampleModel_watch() {
	x := datasets.Digits().Scaled().X.Slice(0, 64, 0, 200)
	rounds := 0
	m := papers.ConvexNMF{Model: rnmf.Model{Rank: 5, MaxIter: 12, Tol: -1, Watch: func(p rnmf.Point) { rounds = p.Round }}}
	if _, err := m.Fit(context.Background(), x); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("rounds:", rounds)
	// Output: rounds: 12
}
