package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A fit to X of a known rank has an error near 0, and is timed until the error that is asked for.
func TestMeasure(t *testing.T) {
	x, _, _ := datasets.LowRank(30, 40, 2, 1)
	f := measure(func() (*rnmf.Result, error) { return models[0].fit(context.Background(), x, 2, 1) }, x)
	if f.Error > 0.01 || f.Rounds == 0 || f.Seconds <= 0 {
		t.Errorf("%+v", f)
	}
	if f := until(x, 2, 1, 0.05); f.Problem != "" || f.Rounds >= 100 {
		t.Errorf("until 0.05: %+v", f)
	}
	if f := until(x, 1, 1, 1e-9); f.Problem == "" {
		t.Errorf("an error of 1e-9 with one part: %+v", f)
	}
}

// The peer in Python reads the matrix that is written for it.
func TestPython(t *testing.T) {
	if err := exec.Command("/usr/bin/python3", "-c", "import sklearn").Run(); err != nil {
		t.Skip("no scikit-learn here")
	}
	if testing.Short() {
		t.Skip("scikit-learn takes seconds to start")
	}
	p, err := start("/usr/bin/python3", "-c", sklearn)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(3, 2, []float64{1, 2, 2, 4, 3, 7}) // not of rank 1, and not square
	q := request{Path: filepath.Join(t.TempDir(), "x"), M: 3, N: 2, Rank: 1, MaxIter: 1000, Tol: 1e-8}
	write(q.Path, x)
	var svd mat.SVD
	svd.Factorize(x, mat.SVDNone)
	s := svd.Values(nil)
	want := s[1] / mat.Norm(x, 2) // all is positive, so the best of rank 1 is that of the SVD
	if f := p.ask(q); f.Error < want-1e-9 || f.Error > want+1e-4 {
		t.Errorf("error %v, want %v", f.Error, want)
	}
	if p.ask(request{}).Facts == "" {
		t.Error("no facts")
	}
	p.in.Close()
}
