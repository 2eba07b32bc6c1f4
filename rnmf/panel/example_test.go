package panel_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// A table that may be larger than memory becomes a folder of panels, and its fit can be killed and
// started again.
func ExampleBatch() {
	dir, err := os.MkdirTemp("", "panels")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	table := "a,b,c\n" + strings.Repeat("1,2,0\n2,4,0\n0,1,3\n", 20)
	if err := panel.Write(filepath.Join(dir, "x"), panel.CSV(strings.NewReader(table), 1), 16, false); err != nil {
		log.Fatal(err)
	}
	x, err := panel.Open(filepath.Join(dir, "x"))
	if err != nil {
		log.Fatal(err)
	}
	m, n := x.Dims()
	b := panel.Batch{Model: rnmf.Model{Rank: 2, MaxIter: 200}, State: filepath.Join(dir, "fit")}
	r, err := b.Fit(context.Background(), x)
	if err != nil {
		log.Fatal(err)
	}
	h, err := r.Coefficients(0)
	if err != nil {
		log.Fatal(err)
	}
	rows, columns := h.Dims()
	fmt.Printf("%d×%d in %d panels; the first has H of %d×%d; exact: %v\n", m, n, x.Panels(), rows, columns, r.Objective < 1e-6)
	// Output: 3×60 in 4 panels; the first has H of 2×16; exact: true
}

// The entries that a sparse matrix does not store are missing, as in ratings.
func ExampleBatch_missing() {
	ratings, err := datasets.ReadMTX(context.Background(), strings.NewReader(`%%MatrixMarket matrix coordinate real general
3 4 8
1 1 5
2 1 1
1 2 10
3 2 4
2 3 3
3 3 6
1 4 5
2 4 1
`))
	if err != nil {
		log.Fatal(err)
	}
	r, err := panel.Batch{Model: rnmf.Model{Rank: 1, MaxIter: 2000, Tol: 1e-12}, Missing: true}.Fit(context.Background(), panel.FromSparse(ratings, 0))
	if err != nil {
		log.Fatal(err)
	}
	var x mat.Dense
	x.Mul(r.W, r.H)
	fmt.Printf("%.1f\n", mat.Formatted(&x))
	// Output:
	// ⎡ 5.0  10.0  15.0   5.0⎤
	// ⎢ 1.0   2.0   3.0   1.0⎥
	// ⎣ 2.0   4.0   6.0   2.0⎦
}
