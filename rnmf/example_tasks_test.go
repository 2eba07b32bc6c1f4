package rnmf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/papers"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Where many entries are grossly wrong. A block twice as bright
// as white covers an eighth of each image; the error is against the images as they were.
func ExampleRobustNMF() {
	s, err := datasets.Fashion().Scaled().Sample(30, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	block := datasets.Block{Size: 10, Value: 2, Height: s.Height, Width: s.Width}
	dirty, _, err := block.Apply(s.X, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	var errors []float64
	for _, m := range []rnmf.Model{rnmf.NMF(10), rnmf.RobustNMF(10)} {
		r, err := m.Fit(context.Background(), dirty)
		if err != nil {
			fmt.Println(err)
			return
		}
		relative, _ := r.RelativeError(s.X)
		errors = append(errors, relative)
	}
	fmt.Println("a third of the error of standard NMF, or less:", errors[1] < errors[0]/3)
	// Output: a third of the error of standard NMF, or less: true
}

// Algorithm 2 of the Truncated Cauchy paper, with the entries it rejects.
func ExampleTruncatedCauchyNMF() {
	clean, _, _ := datasets.LowRank(60, 100, 4, 1)
	dirty, where, err := datasets.SaltPepper{Share: 0.1, High: 5}.Apply(clean, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := rnmf.TruncatedCauchyNMF(4)
	m.Solver = papers.OGM{Printed: true} // Algorithm 1; without it HALS, which is faster
	r, err := m.Fit(context.Background(), dirty)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := r.Outliers(dirty, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := score.Detect(out.Flags(0.1), where)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("nine of ten wrong entries found, or more:", found.Recall > 0.9)
	// Output: nine of ten wrong entries found, or more: true
}

// Missing entries have weight 0 in the mask, and may be anything in the data. The
// product of the factors fills them in.
func ExampleModel_mask() {
	clean, _, _ := datasets.LowRank(40, 60, 3, 1)
	x, missing, err := datasets.Removal{Share: 0.3}.Apply(clean, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := rnmf.NMF(3)
	m.Mask = datasets.Observed(missing) // 1 where there is data, 0 elsewhere
	m.MaxIter, m.Tol = 3000, 1e-9
	r, err := m.Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	var wh mat.Dense
	wh.Mul(r.W, r.H)
	var worst float64
	rows, cols := clean.Dims()
	for i := range rows {
		for j := range cols {
			worst = max(worst, math.Abs(wh.At(i, j)-clean.At(i, j)))
		}
	}
	fmt.Println("each missing entry is right to 0.01:", worst < 0.01)
	// Output: each missing entry is right to 0.01: true
}

// Coefficients of samples that the fit has not seen.
func ExampleResult_Transform() {
	x := datasets.Digits().Scaled().X
	old, fresh := x.Slice(0, 64, 0, 1700), x.Slice(0, 64, 1700, 1797)
	r, err := rnmf.L21NMF(16).Fit(context.Background(), old)
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := r.Transform(context.Background(), fresh, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	before, _ := r.RelativeError(old)
	after, _ := (&rnmf.Result{W: r.W, H: h}).RelativeError(fresh)
	fmt.Println(h.Dims())
	fmt.Println("as good as on the old ones:", after < 1.1*before)
	// Output:
	// 16 97
	// as good as on the old ones: true
}

// A fitted model in a file, and back.
func ExampleResult_Save() {
	x, _, _ := datasets.LowRank(20, 30, 3, 1)
	r, err := rnmf.HuberNMF(3).Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer // or an *os.File
	if err := r.Save(&file); err != nil {
		fmt.Println(err)
		return
	}
	again, err := rnmf.Load(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the same factors:", mat.Equal(r.W, again.W) && mat.Equal(r.H, again.H))
	// Output: the same factors: true
}

// A fit that somebody stops keeps what it has reached. Model.Fit does the same: it
// returns a Result with the Reason Cancelled, and the context's error.
func ExampleModel_Steps_cancel() {
	x := datasets.Digits().Scaled().X
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var reached *rnmf.Result
	for step, err := range rnmf.L1NMF(10).Steps(ctx, x) {
		if err != nil {
			fmt.Println(errors.Is(err, context.Canceled))
			break
		}
		reached = step.Result()
		if step.Round == 3 {
			cancel()
		}
	}
	fmt.Println(len(reached.Trace), "points, of the start and three rounds")
	// Output:
	// true
	// 4 points, of the start and three rounds
}

// Bad data is an error that says where.
func ExampleEntryError() {
	x := mat.NewDense(2, 2, []float64{1, 2, math.NaN(), 4})
	_, err := rnmf.NMF(1).Fit(context.Background(), x)
	var entry *rnmf.EntryError
	if errors.As(err, &entry) {
		fmt.Println("row", entry.Row, "column", entry.Col, "is", entry.Value)
	}
	// Output: row 1 column 0 is NaN
}

// Groups of samples, and how they agree with known classes.
func ExampleResult_Clusters() {
	s := datasets.Digits()
	r, err := rnmf.NMF(10).Fit(context.Background(), s.Scaled().X)
	if err != nil {
		fmt.Println(err)
		return
	}
	largest, err := score.Accuracy(s.Labels, r.Clusters()) // the largest coefficient
	if err != nil {
		fmt.Println(err)
		return
	}
	_, h := r.Normalized(1)
	groups, err := baseline.KMeans{K: 10}.Fit(context.Background(), h)
	if err != nil {
		fmt.Println(err)
		return
	}
	means, err := score.Accuracy(s.Labels, groups.Labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("better than chance: %v; more than half right by k-means: %v\n", largest > 0.2, means > 0.5)
	// Output: better than chance: true; more than half right by k-means: true
}
