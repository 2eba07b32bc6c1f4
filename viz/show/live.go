package show

import (
	"context"
	"fmt"
	"iter"
	"os"
	"os/signal"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A Fitter is what Fit can run: rnmf.Model, rnmf.CNMF and the like. One that has
// the method Steps, as rnmf.Model does, is watched round by round; of another
// only the time is shown until it is done.
type Fitter interface {
	Fit(ctx context.Context, x mat.Matrix) (*rnmf.Result, error)
}

var _, _ Fitter = rnmf.Model{}, rnmf.CNMF{}

// A Run is a fit with a name, for Compare.
type Run struct {
	Name  string
	Model Fitter
}

// Fit is model.Fit(ctx, x) that shows how it goes:
//
//	r, err := show.Fit(ctx, rnmf.RobustNMF(20), x)
//
// In a notebook the cell has a bar of progress, with rounds, objective, rate and
// time left, and a curve of convergence, drawn anew a few times a second; at the
// end one PNG takes their place. Jupyter's stop button ends the fit: Fit then
// returns the factors reached so far, with the Reason Cancelled and no error, so
// that the cell can go on with them. (It has five seconds to end by itself.)
//
// On a terminal it is one line on standard error, which goes away at the end, and
// elsewhere nothing at all; signals are then left to the program.
//
// The result is that of model.Fit, bit by bit. Drawing has a goroutine of its
// own and takes at most a hundredth of the time, but for the final PNG.
func Fit(ctx context.Context, model Fitter, x mat.Matrix) (*rnmf.Result, error) {
	results, err := Compare(ctx, x, Run{Model: model})
	if len(results) == 0 {
		return nil, err
	}
	return results[0], err
}

// Compare fits one model after the other, each with all processors, and shows
// them together: the curves are objectives as shares of that at the start, as
// those of different losses have no common unit. The results come in the order
// of the runs. It ends at the first error, whose result, if it has one, is the
// last. After the stop button the runs to come keep their start.
func Compare(ctx context.Context, x mat.Matrix, runs ...Run) ([]*rnmf.Result, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	parent, out := ctx, newScreen()
	if InNotebook() {
		var stop context.CancelFunc
		ctx, stop = untilStopButton(ctx)
		defer stop()
	}
	p := newProgress(runs)
	wait := out.watch(p)
	defer wait()
	var results []*rnmf.Result
	for i, run := range runs {
		if run.Model == nil {
			return results, fmt.Errorf("show: run %d (%q) has no model", i, run.Name)
		}
		p.begin(i)
		r, err := follow(ctx, run.Model, x, func(pt rnmf.Point) { p.add(i, pt) })
		if r != nil {
			p.end(i, r)
			results = append(results, r)
		}
		if err != nil && (r == nil || parent.Err() != nil || ctx.Err() == nil) {
			if run.Name != "" {
				err = fmt.Errorf("%s: %w", run.Name, err)
			}
			return results, err
		}
	}
	return results, nil
}

// follow runs a fit and calls seen after each round.
func follow(ctx context.Context, model Fitter, x mat.Matrix, seen func(rnmf.Point)) (*rnmf.Result, error) {
	m, ok := model.(interface {
		Steps(ctx context.Context, x mat.Matrix) iter.Seq2[rnmf.Step, error]
	})
	if !ok {
		return model.Fit(ctx, x)
	}
	var last rnmf.Step
	started := false
	for step, err := range m.Steps(ctx, x) {
		if err != nil {
			if !started { // bad input
				return nil, err
			}
			return step.Result(), err
		}
		started, last = true, step
		seen(step.Point)
	}
	if !started {
		return nil, fmt.Errorf("show: %T made no step", model)
	}
	return last.Result(), nil
}

// pressed tells that the stop button was pressed during an earlier fit of this
// cell, which is to end as soon as it can.
var pressed atomic.Bool

// untilStopButton returns a context that ends with ctx, or by SIGINT, which is what
// the stop button sends. A second one ends the program.
func untilStopButton(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if pressed.Load() {
		cancel()
		return ctx, cancel
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer signal.Stop(signals)
		select {
		case <-signals:
			pressed.Store(true)
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel()
		<-gone
	}
}
