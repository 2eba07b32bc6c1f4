package show

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// Fitted is a *rnmf.Result, or what embeds one.
type Fitted interface {
	comparable // nil is no result
	Base() *rnmf.Result
}

// A Run is a fit with a name, for Compare.
type Run struct {
	Name  string
	Model rnmf.Fitter[*rnmf.Result] // see Only
}

// Only makes a model that returns more than a Result, such as papers.OcclusionNMF, one that returns the
// Result alone, as Compare wants it.
func Only[R Fitted](model rnmf.Fitter[R]) rnmf.Fitter[*rnmf.Result] {
	return part[R]{model, func(R) {}}
}

// A part fits a model, hands over what it found, and returns the Result in it.
type part[R Fitted] struct {
	model rnmf.Fitter[R]
	whole func(R)
}

func (p part[R]) Fit(ctx context.Context, x mat.Matrix) (*rnmf.Result, error) {
	r, err := p.model.Fit(ctx, x)
	p.whole(r)
	if none := *new(R); r == none {
		return nil, err
	}
	return r.Base(), err
}

func (p part[R]) With(edit func(m *rnmf.Model)) rnmf.Fitter[*rnmf.Result] {
	return part[R]{with(p.model, edit), p.whole}
}

// with returns the model as edit changes it, or the same if it has no Model that could be changed.
func with[R any](model rnmf.Fitter[R], edit func(m *rnmf.Model)) rnmf.Fitter[R] {
	if e, ok := model.(rnmf.EditableFitter[R]); ok {
		return e.With(edit)
	}
	return model
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
// Of a type that is no rnmf.EditableFitter only the time is shown until it is done.
//
// The result is that of model.Fit, bit by bit, and of its type. Drawing has a goroutine of its own
// and takes at most a hundredth of the time, without the final PNG.
func Fit[R Fitted](ctx context.Context, model rnmf.Fitter[R], x mat.Matrix) (R, error) {
	var whole R
	if model == nil {
		return whole, errors.New("show: no model")
	}
	_, err := Compare(ctx, x, Run{Model: part[R]{model, func(r R) { whole = r }}})
	return whole, err
}

// Compare fits one model after the other, each with all processors, and shows them together: the
// curves are objectives as shares of that at the start, as those of different losses have no common
// unit. The results come in the order of the runs. It ends at the first error, whose result, if it
// has one, is the last. After the stop button the runs that have not begun return their start, if
// computing it takes no long time: where a round takes more than some 16 million multiply-adds, a
// fit that is stopped before its first objective is an error.
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
		r, err := watched(run.Model, func(pt rnmf.Point) { p.add(i, pt) }).Fit(ctx, x)
		if r != nil {
			p.end(i, r)
			results = append(results, r)
		} else {
			p.fail(i)
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

// watched returns a model whose fit is also seen here.
func watched[R any](model rnmf.Fitter[R], seen func(rnmf.Point)) rnmf.Fitter[R] {
	return with(model, func(m *rnmf.Model) {
		also := m.Watch
		m.Watch = func(p rnmf.Point) {
			seen(p)
			if also != nil {
				also(p)
			}
		}
	})
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
