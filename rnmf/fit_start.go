package rnmf

import (
	"cmp"
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/drive"
)

// start checks everything and makes the first factors. With onlyH, W stays as it starts and the
// rank is that of W, whatever the shape of x.
func (m Model) start(ctx context.Context, x mat.Matrix, onlyH bool) (*fit, error) {
	if err := m.check(x, onlyH); err != nil {
		return nil, err
	}
	caller := ctx
	f := &fit{model: m, onlyH: onlyH}
	f.pool = newWorkspace(func() bool { return f.wrong != nil || caller.Err() != nil })
	f.model.MaxIter = cmp.Or(m.MaxIter, defaultMaxIter)
	f.model.Tol = cmp.Or(m.Tol, defaultTol)
	f.solverW, f.solverH = m.solvers()
	f.setLoss(cmp.Or[Loss](m.Loss, Frobenius{}))
	f.tuning = tuningOf(f.loss)
	f.drive = drive.New(drive.Options{MaxIter: f.model.MaxIter, TraceEvery: m.TraceEvery, Tol: f.model.Tol, Extrapolates: extrapolates(f.solverW) && extrapolates(f.solverH)}, m.TuneFor, f.tuning != nil)
	f.x = asDense(x)
	if f.little() {
		ctx = context.WithoutCancel(ctx) // so that there is something to return
	}
	var err error
	if f.dataSummary, err = newDataSummary(ctx, f.x, m.Mask, m.Signed); err != nil {
		return nil, err
	}
	if m.Family != Gaussian {
		f.norms = sumsOf(f.x)
	}
	rows, cols := x.Dims()
	init, starts := cmp.Or[Init](m.Init, Random{}), ctx
	// A start by a decomposition takes so long, and one by clusters, in as many as 3000 rounds.
	if _, random := init.(Random); !random && (rows*cols*min(rows, cols) > 1<<24 || cols*min(rows*m.Rank, cols) > 1<<16) {
		starts = caller
	}
	w, h, err := init.Start(starts, f.x, m.Rank, rand.New(rand.NewPCG(m.Seed, 0x52_4e_4d_46)))
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	if err := checkStart(w, h, rows, m.Rank, cols, leavesSigns(f.solverW), f.heaviest); err != nil {
		return nil, err
	}
	f.wt, f.h = mat.DenseCopyOf(w.T()), mat.DenseCopyOf(h)
	if c := constraint(f.solverW); c != nil {
		c.Project(f.wt)
	}
	if c := constraint(f.solverH); c != nil {
		c.Project(f.h)
	}
	if m.Family != Gaussian {
		f.lift()
	}
	return f, nil
}

// solvers returns those of W and of H.
func (m Model) solvers() (ofW, ofH Solver) {
	return cmp.Or[Solver](m.SolverW, m.Solver, HALS{}), cmp.Or[Solver](m.SolverH, m.Solver, HALS{})
}
