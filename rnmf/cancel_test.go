package rnmf

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
)

// long reports whether tests may take hours: see PROMISES.md.
func long() bool { return os.Getenv("RNMF_LONG") != "" }

// A gapContext finds the longest time in which nobody asked whether it has ended.
type gapContext struct {
	context.Context
	sync.Mutex
	last  time.Time
	worst time.Duration
	where string
}

func (c *gapContext) Err() error {
	c.ask()
	return c.Context.Err()
}

func (c *gapContext) ask() {
	now := time.Now()
	c.Lock()
	defer c.Unlock()
	if gap := now.Sub(c.last); gap > c.worst {
		c.worst = gap
		var pc [12]uintptr
		frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc[:])])
		c.where = ""
		for {
			f, more := frames.Next()
			c.where += fmt.Sprintf(" < %s:%d", f.Function[max(0, len(f.Function)-24):], f.Line)
			if !more {
				break
			}
		}
	}
	c.last = now
}

// cancelCases is everything that takes a context, or is part of what does.
func cancelCases(x *mat.Dense, rank int) map[string]func(ctx context.Context) (*Result, error) {
	_, n := x.Dims()
	graph := ring(n, 3)
	class := make([]int, n)
	for j := range class {
		class[j] = j%7 - 2
		if class[j] < 0 {
			class[j] = Unlabelled
		}
	}
	labels := Labels{Class: class}
	mask := mat.NewDense(x.RawMatrix().Rows, n, nil)
	mask.Apply(func(i, j int, _ float64) float64 { return float64((i + j) % 5) }, mask)
	cases := map[string]func(ctx context.Context) (*Result, error){}
	add := func(name string, m Model) {
		m.Rank, m.Tol = rank, -1
		cases[name] = func(ctx context.Context) (*Result, error) { return m.Fit(ctx, x) }
	}
	for _, solver := range []Solver{HALS{}, MU{}, OGM{}, FGD{}, FGD{Plain: true}, Additive{}, RRA{}} {
		for _, loss := range []Loss{Frobenius{}, Cauchy{}, ByColumn{L1{}}} {
			add(fmt.Sprintf("%T%+v %s", solver, solver, lossName(loss)), Model{Solver: solver, Loss: loss})
		}
	}
	for _, solver := range []Solver{HALS{}, MU{}, OGM{}, FGD{}, RRA{Energy: 0.01}} {
		for _, loss := range []Loss{nil, Cauchy{}} {
			add(fmt.Sprintf("graph, %T, %T", solver, loss), Model{Solver: solver, Loss: loss, OnH: []Penalty{Laplacian{graph, 1}}})
		}
	}
	add("prox-linear", Model{Solver: ProxLinear{}})
	add("orthogonal", Model{SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}})
	add("semi-NMF", SemiNMF(rank))
	add("RMNMF", RMNMF(rank, graph, 1))
	add("mask", Model{Mask: mask, Loss: Cauchy{}})
	add("KKT", Model{TraceKKT: true})
	add("labels", Model{OnH: []Penalty{labels}})
	add("two stages", Model{Loss: TwoStage{}})
	for i, init := range []Init{Factors{W: uniform(x.RawMatrix().Rows, rank, 1), H: uniform(rank, n, 2)}, NNDSVD{}, NNDSVD{Fill: FillRandom}, Clusters{}, Clusters{Scaled: true}, ByLabel{Labels: labels}} {
		add(fmt.Sprintf("start %d, %T", i, init), Model{Init: init})
	}
	cases["SSNMF"] = func(ctx context.Context) (*Result, error) {
		r, err := SSNMF{Model: Model{Rank: rank, Tol: -1}, Labels: labels}.Fit(ctx, x)
		if r == nil {
			return nil, err
		}
		return r.Result, err
	}
	cases["CNMF"] = func(ctx context.Context) (*Result, error) {
		return CNMF{Model: Model{Rank: rank, Tol: -1}, Labels: labels}.Fit(ctx, x)
	}
	cases["convex NMF"] = func(ctx context.Context) (*Result, error) {
		r, err := ConvexNMF{Model{Rank: rank, Tol: -1}}.Fit(ctx, x)
		if r == nil {
			return nil, err
		}
		return r.Result, err
	}
	rows := x.RawMatrix().Rows
	cases["contiguous"] = func(ctx context.Context) (*Result, error) {
		r, err := Contiguous{Model: Model{Rank: rank, Tol: -1}, Height: 4, Width: rows / 4, Beta: 1}.Fit(ctx, x)
		if r == nil {
			return nil, err
		}
		return r.Result, err
	}
	fitted := &Result{W: uniform(x.RawMatrix().Rows, rank, 1), H: uniform(rank, n, 2), Loss: Cauchy{Scale: 0.1}}
	cases["Transform"] = func(ctx context.Context) (*Result, error) {
		h, err := fitted.Transform(ctx, x)
		if h == nil {
			return nil, err
		}
		return &Result{W: fitted.W, H: h}, err
	}
	return cases
}

// Cancelled at any moment, everything returns soon, with the factors of a complete
// round and the objective that they have, or with nothing, and leaves no goroutine
// behind. With RNMF_LONG the data are as large as those of the papers, "soon" is
// 100 ms, and the longest time in which nobody asks is shown.
func TestCancelAnywhere(t *testing.T) {
	x, _ := planted(120, 150, 6, 0.05, 0.1, 1)
	soon, tries := 2*time.Second, 3 // other tests may need the processors
	rank, most := 6, 20*time.Millisecond
	if long() {
		x = uniform(2576, 7200, 1)
		soon, tries, rank, most = 100*time.Millisecond, 6, 20, 3*time.Second
	}
	rng := rand.New(rand.NewPCG(1, 9))
	for name, run := range cancelCases(x, rank) {
		t.Run(name, func(t *testing.T) {
			for try := range tries {
				leak := goleak.IgnoreCurrent()
				after := time.Duration(float64(most) * rng.Float64() * float64(try) / float64(tries-1)) // the first is at once
				inner, cancel := context.WithTimeout(context.Background(), after)
				defer cancel()
				ctx := &gapContext{Context: inner, last: time.Now()}
				r, err := run(ctx)
				ended, _ := inner.Deadline()
				late := time.Since(ended)
				if long() {
					ctx.ask()
					t.Logf("%4d ms after %4d ms, longest gap %4d ms%.300s", late.Milliseconds(), after.Milliseconds(), ctx.worst.Milliseconds(), ctx.where)
				}
				if err == nil && try > 0 && late < soon {
					continue // it was done before the deadline, or before the deadline's timer rang
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("%v", err)
				}
				if late > soon {
					t.Errorf("%v late", late)
				}
				goleak.VerifyNone(t, leak)
				if r == nil || r.Trace == nil { // of Transform
					continue
				}
				if !sound(t, name, r) || r.Reason != Cancelled {
					t.Fatalf("%v", r.Reason)
				}
				m := Model{OnH: r.OnH}
				if r.mask != nil {
					m.Mask = r.mask
				}
				if name != "SSNMF" && name != "contiguous" && !long() {
					if want := naiveObjective(m, r.Loss, x, r.W, r.H); !near(r.Objective, want, 1e-9) {
						t.Errorf("objective %g, want %g", r.Objective, want)
					}
				}
			}
		})
	}
}

// What takes a context and gives no factors.
func TestCancelOthers(t *testing.T) {
	x, square, graph := uniform(40, 3000, 1), uniform(400, 500, 2), ring(800, 3)
	times := []time.Duration{0, 10 * time.Millisecond}
	soon := 2 * time.Second
	if long() {
		x = uniform(2576, 7200, 1)
		square, graph, soon = x, ring(7200, 3), 100*time.Millisecond
		times = append(times, 300*time.Millisecond, time.Second, 3*time.Second, 10*time.Second)
	}
	labels := make([]int, x.RawMatrix().Cols)
	for j := range labels {
		labels[j] = j % 7
	}
	for name, run := range map[string]func(ctx context.Context) error{
		"k-means": func(ctx context.Context) error {
			_, err := KMeans{K: 40, MaxIter: 1 << 30, Restarts: 1 << 20}.FitContext(ctx, x)
			return err
		},
		"neighbours": func(ctx context.Context) error { _, err := KNN{}.GraphContext(ctx, x); return err },
		"PCA": func(ctx context.Context) error {
			for range 1000 {
				if _, err := PCAContext(ctx, x, 20); err != nil {
					return err
				}
			}
			return nil
		},
		"PCA with all eigenvectors": func(ctx context.Context) error {
			for {
				if _, err := PCAContext(ctx, square, square.RawMatrix().Rows); err != nil {
					return err
				}
			}
		},
		"spectrum of a graph": func(ctx context.Context) error {
			for {
				graph.spectra.part, graph.spectra.all = nil, nil
				if _, err := (RRA{}).PrepareContext(ctx, graph); err != nil {
					return err
				}
			}
		},
		"few eigenvalues of a graph": func(ctx context.Context) error {
			for {
				graph.spectra.part, graph.spectra.all = nil, nil
				if _, err := (RRA{Energy: 0.05}).PrepareContext(ctx, graph); err != nil {
					return err
				}
			}
		},
		"SRC": func(ctx context.Context) error { _, err := SRC{}.ClassifyContext(ctx, x, labels, x); return err },
	} {
		t.Run(name, func(t *testing.T) {
			for _, after := range times {
				leak := goleak.IgnoreCurrent()
				inner, cancel := context.WithTimeout(context.Background(), after)
				ctx := &gapContext{Context: inner, last: time.Now()}
				err := run(ctx)
				ended, _ := inner.Deadline()
				late := time.Since(ended)
				cancel()
				faster := err == nil && after > 0 && late < soon
				if !faster && !errors.Is(err, context.DeadlineExceeded) || late > soon {
					t.Errorf("%v, %v late", err, late)
				}
				if long() {
					ctx.ask()
					t.Logf("%4d ms after %4d ms, longest gap %4d ms%.300s", late.Milliseconds(), after.Milliseconds(), ctx.worst.Milliseconds(), ctx.where)
				}
				goleak.VerifyNone(t, leak)
			}
		})
	}
}
