package lesson

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz/show"
)

// Quick reports whether all is to be short, by the environment variable RNMF_QUICK.
// The other functions of this package heed it by themselves.
func Quick() bool { return os.Getenv("RNMF_QUICK") != "" }

// Headless reports whether a program runs the notebook, so that nobody can move a slider or press a button: by the
// environment variable RNMF_HEADLESS.
func Headless() bool { return os.Getenv("RNMF_HEADLESS") != "" }

// Rounds returns n, or in the quick setting a twentieth, at least 3 and at most n. Film and Fit
// call it; a loop of your own should call it, too.
func Rounds(n int) int {
	if Quick() {
		return min(n, max(3, n/20))
	}
	return n
}

// Trials yields the seeds 0 … n−1, in the quick setting at most two of them.
func Trials(n int) iter.Seq[uint64] {
	if Quick() {
		n = min(n, 2)
	}
	return func(yield func(uint64) bool) {
		for seed := range uint64(n) {
			if !yield(seed) {
				return
			}
		}
	}
}

// Load returns a set with values from 0 to 1: the source wanted, if its files are in the folder
// named by RNMF_DATA or were downloaded, and otherwise an embedded set (datasets.Digits, Fashion or
// Wine), with a line that says so.
func Load(wanted *datasets.PublicSet, embedded func() *datasets.Set) *datasets.Set {
	s, err := wanted.Load(context.Background())
	if err != nil {
		s = embedded()
		fmt.Printf("%s is not at hand, %s takes its place; the text speaks of %[1]s.\n", wanted.Name, s.Name)
	}
	return s.Scaled()
}

// Fit is model.Fit without a picture of its progress, for cells with many fits. For a single long
// fit see Watch and show.Fit. It takes all models of package rnmf, and in the quick setting runs
// Rounds(MaxIter) rounds.
func Fit[R show.Fitted](model rnmf.Fitter[R], x mat.Matrix) R {
	ctx := moving
	if ctx == nil {
		ctx = context.Background()
	}
	r, err := shorter(model).Fit(ctx, x)
	if err != nil && ctx.Err() != nil {
		panic(movedOn{})
	}
	Check(err)
	return r
}

// shorter returns the model as the quick setting wants it.
func shorter[R show.Fitted](model rnmf.Fitter[R]) rnmf.Fitter[R] {
	if e, ok := model.(rnmf.EditableFitter[R]); ok && Quick() {
		return e.With(func(m *rnmf.Model) { *m = short(*m) })
	}
	return model
}

func short(m rnmf.Model) rnmf.Model {
	if m.MaxIter == 0 {
		m.MaxIter = 500 // the default of Model
	}
	m.MaxIter = Rounds(m.MaxIter)
	return m
}

// Start returns the W (m×rank) and H (rank×n) with which a fit of this seed begins, so that an
// algorithm in a cell and a model, or two models, can have the same start:
//
//	w0, h0 := lesson.Start(rnmf.Random{}, s.X, 20, 1)
//	w, h := mat.DenseCopyOf(w0), mat.DenseCopyOf(h0)
//	r := lesson.Fit(rnmf.Model{Rank: 20, Init: rnmf.WarmStart{W: w0, H: h0}}, s.X)
func Start(init rnmf.Init, x *mat.Dense, rank int, seed uint64) (w, h *mat.Dense) {
	w, h, err := init.Start(context.Background(), x, rank, rand.New(rand.NewPCG(seed, 0x52_4e_4d_46)))
	Check(err)
	return w, h
}

// Product returns WH, the reconstruction of the data by a fit.
func Product(r *rnmf.Result) *mat.Dense {
	var wh mat.Dense
	wh.Mul(r.W, r.H)
	return &wh
}
