package beam

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"golang.org/x/sync/errgroup"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// What passes through Beam are numbers of panels; everything else lies in files of the state folder:
//
//	driver           as panel.Batch has it: the fit at the end of the last job
//	begin            the driver before the first job
//	h-G-P            as panel.Batch has it: coefficients of panel P, generation G
//	job-T-K          the driver after K rounds of job T
//	job-T-K-P        the statistics of panel P in the round after that
//	job-summary-0-P   the summary of panel P
//	job-T-error-P    why panel P failed
//	lock, lease      of the driver: see lease
//
// T is a checksum of the driver with which a job begins. So a worker that was thought dead and
// comes back writes what is there already, or files that nobody reads.

// A Job is what workers have to know; its fields are exported for Beam.
type Job struct {
	Panels, State string // folders
	Token         string
	Fit           string // a name for the call of Fit
	Count         int    // of panels
	Begin         int64  // when the fit began, in nanoseconds of Unix time
}

func (j Job) driver(round int) string        { return fmt.Sprintf("job-%s-%d", j.Token, round) }
func (j Job) statistics(round, p int) string { return fmt.Sprintf("job-%s-%d-%d", j.Token, round, p) }
func (j Job) failure(p int) string           { return fmt.Sprintf("job-%s-error-%d", j.Token, p) }

func coefficients(generation, p int) string { return fmt.Sprintf("h-%d-%d", generation, p) }

func init() {
	register.DoFn2x0[[]byte, func(int)](&numbersFn{})
	register.DoFn3x1[context.Context, int, func(int), error](&summaryFn{})
	register.DoFn3x1[context.Context, int, func(int, int), error](&stepFn{})
	register.DoFn4x1[context.Context, int, func(*int) bool, func(int), error](&takeFn{})
	register.DoFn1x0[int](&endFn{})
	register.Emitter1[int]()
	register.Emitter2[int, int]()
	register.Iter1[int]()
}

// summaryJob is a pipeline that looks at all panels.
func summaryJob(j Job) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	end(s, beam.ParDo(s, &summaryFn{Job: j}, numbers(s, j)))
	return p
}

// roundsJob is a pipeline of some rounds, one chain: the numbers of panels that a round begins with
// come from the end of the one before. (With that end as a side input of all steps, Prism asks
// without a pause whether a step can begin, and needs a processor for it.)
func roundsJob(j Job, rounds int) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	panels := numbers(s, j)
	for k := range rounds {
		s := s.Scope(fmt.Sprintf("round %d", k))
		done := beam.GroupByKey(s, beam.ParDo(s, &stepFn{Job: j, Round: k}, panels))
		panels = beam.Reshuffle(s, beam.ParDo(s, &takeFn{Job: j, Round: k}, done))
	}
	end(s, panels)
	return p
}

// numbers are the panels, free to go to any worker.
func numbers(s beam.Scope, j Job) beam.PCollection {
	return beam.Reshuffle(s, beam.ParDo(s, &numbersFn{Count: j.Count}, beam.Impulse(s)))
}

// end takes numbers that nobody needs: while a step without an output works, Prism asks without a
// pause whether it has ended.
func end(s beam.Scope, numbers beam.PCollection) {
	beam.ParDo0(s, &endFn{}, beam.Reshuffle(s, numbers))
}

type endFn struct{}

func (*endFn) ProcessElement(int) {}

type numbersFn struct{ Count int }

func (f *numbersFn) ProcessElement(_ []byte, emit func(int)) {
	for p := range f.Count {
		emit(p)
	}
}

// summaryFn looks at panels, one while the next is loaded, as stepFn does.
type summaryFn struct {
	Job Job

	panels *errgroup.Group
}

func (f *summaryFn) StartBundle(context.Context, func(int)) { f.panels = new(errgroup.Group) }

func (f *summaryFn) ProcessElement(ctx context.Context, p int, emit func(int)) error {
	emit(p)
	return f.Job.start(ctx, p, f.panels, func(w *place) error {
		s, err := w.summarise(p)
		if err != nil {
			return err
		}
		return w.state.put(f.Job.statistics(0, p), s)
	})
}

func (f *summaryFn) FinishBundle(context.Context, func(int)) error { return f.panels.Wait() }

// stepFn does a round on panels, one while the next is loaded: ProcessElement returns once the panel has
// a place, and FinishBundle when all panels are done.
type stepFn struct {
	Job   Job
	Round int

	driver *panel.Driver
	panels *errgroup.Group // at work
}

func (f *stepFn) StartBundle(ctx context.Context, _ func(int, int)) error {
	f.panels = new(errgroup.Group)
	if f.driver != nil {
		return nil
	}
	state, err := openFolder(ctx, f.Job.State)
	if err != nil {
		return err
	}
	defer state.close()
	d := new(panel.Driver)
	if err := state.get(f.Job.driver(f.Round), d); err != nil {
		return err
	}
	f.driver = d
	return nil
}

func (f *stepFn) ProcessElement(ctx context.Context, p int, emit func(int, int)) error {
	emit(0, p)
	if f.driver.Reason() != 0 {
		return nil
	}
	return f.Job.start(ctx, p, f.panels, func(w *place) error { return f.step(ctx, w, p) })
}

func (f *stepFn) FinishBundle(context.Context, func(int, int)) error { return f.panels.Wait() }

func (f *stepFn) step(ctx context.Context, w *place, p int) error {
	x, c, err := w.load(f.driver, p)
	if err != nil {
		return err
	}
	next, sums, err := f.driver.Next().Do(ctx, x, c)
	if err != nil {
		return err
	}
	if next != c { // of a new generation, or the same with the norms
		if err := w.state.put(coefficients(next.Generation(), p), next); err != nil {
			return err
		}
	}
	return w.state.put(f.Job.statistics(f.Round, p), sums)
}

// takeFn merges the statistics of a round in the order of panels and does the W half-step.
type takeFn struct {
	Job   Job
	Round int
}

func (f *takeFn) ProcessElement(ctx context.Context, _ int, done func(*int) bool, next func(int)) error {
	j := f.Job
	seen := make([]bool, j.Count)
	for p := 0; done(&p); {
		seen[p] = true
	}
	for p, there := range seen {
		if !there {
			return fmt.Errorf("panel %d is missing in round %d of the job", p, f.Round)
		}
	}
	state, err := openFolder(ctx, j.State)
	if err != nil {
		return err
	}
	defer state.close()
	d := new(panel.Driver)
	if err := state.get(j.driver(f.Round), d); err != nil {
		return err
	}
	if d.Reason() == 0 {
		sum := new(panel.Statistics)
		for p := range j.Count {
			s, name := new(panel.Statistics), j.statistics(f.Round, p)
			err := state.get(name, s)
			if err == nil {
				err = sum.Merge(s)
			}
			if err != nil {
				return fmt.Errorf("panel %d, %s: %w", p, state.path(name), err)
			}
		}
		if err := d.Take(ctx, sum, float64(time.Now().UnixNano()-j.Begin)/1e9); err != nil {
			return err
		}
	}
	b, err := d.MarshalBinary()
	if err != nil {
		return err
	}
	for p := range j.Count {
		next(p)
	}
	return state.write(j.driver(f.Round+1), b, true)
}

// start waits for one of the two places of this process, and does something with a panel there while
// the caller goes on.
func (j Job) start(ctx context.Context, p int, at *errgroup.Group, f func(w *place) error) error {
	w, free, err := j.place(ctx)
	if err != nil {
		return j.failed(ctx, p, err)
	}
	at.Go(func() error {
		defer free()
		if err := f(w); err != nil {
			return j.failed(ctx, p, err)
		}
		return nil
	})
	return nil
}

// failed writes down for the driver why a panel failed: what comes through a runner is a text at best.
func (j Job) failed(ctx context.Context, p int, err error) error {
	if ctx.Err() != nil {
		return err
	}
	err = fmt.Errorf("panel %d: %w", p, err)
	if state, e := openFolder(ctx, j.State); e == nil {
		defer state.close()
		_ = state.write(j.failure(p), []byte(err.Error()), false)
	}
	return err
}

// A place is where one panel at a time can be loaded and worked on.
type place struct {
	state   folder
	panels  *panel.DiskSource
	checked []bool // the panel is the one with which the fit began
}

// summarise returns the DataSummary of a panel.
func (w *place) summarise(p int) (*panel.DataSummary, error) {
	x, err := w.panels.Load(p)
	if err != nil {
		return nil, err
	}
	from, _ := w.panels.Columns(p)
	return panel.NewDataSummary(x, from)
}

// checkPanel checks, the first time that a panel is loaded here, that it is the one with which the fit began.
func (w *place) checkPanel(d *panel.Driver, p int, x panel.Panel) error {
	if w.checked[p] {
		return nil
	}
	if err := d.CheckPanel(p, x); err != nil {
		return fmt.Errorf("%s: %w", w.state.dir, err)
	}
	w.checked[p] = true
	return nil
}

// load loads a panel and its coefficients for the next round. Those of generation 0 are made by the
// first worker that needs them.
func (w *place) load(d *panel.Driver, p int) (panel.Panel, *panel.Coefficients, error) {
	name, c := coefficients(d.Generation(), p), new(panel.Coefficients)
	err := w.state.get(name, c)
	if d.Generation() == 0 && errors.Is(err, fs.ErrNotExist) {
		c = d.Start(w.panels.Columns(p))
		err = w.state.put(name, c)
	}
	from, _ := w.panels.Columns(p)
	if err == nil {
		err = d.CheckCoefficients(c, from)
	}
	if err != nil {
		return panel.Panel{}, nil, fmt.Errorf("coefficients, %s: %w", w.state.path(name), err)
	}
	x, err := w.panels.Load(p)
	if err != nil {
		return x, nil, err
	}
	m, _ := w.panels.Dims()
	if rows, _ := x.Dims(); rows != m {
		err = fmt.Errorf("%w: %d rows, want %d", rnmf.ErrShape, rows, m)
	} else {
		err = w.checkPanel(d, p, x)
	}
	return x, c, err
}

// places are those of one fit in this process: more would take more memory, and Do uses all
// processors.
const places = 2

var shelf struct {
	sync.Mutex
	fits map[string]*fitPlaces
}

type fitPlaces struct {
	users int
	free  chan *place
}

// place returns a free place, and a function that gives it back. Places of fits that nobody works on
// are dropped when another fit comes.
func (j Job) place(ctx context.Context) (*place, func(), error) {
	shelf.Lock()
	fit := shelf.fits[j.Fit]
	if fit == nil {
		for name, other := range shelf.fits {
			if other.users == 0 {
				delete(shelf.fits, name)
			}
		}
		fit = &fitPlaces{free: make(chan *place, places)}
		for range places {
			fit.free <- nil
		}
		if shelf.fits == nil {
			shelf.fits = map[string]*fitPlaces{}
		}
		shelf.fits[j.Fit] = fit
	}
	fit.users++
	shelf.Unlock()
	leave := func(w *place) {
		fit.free <- w
		shelf.Lock()
		fit.users--
		shelf.Unlock()
	}
	w := <-fit.free
	if w == nil {
		var err error
		if w, err = j.open(context.WithoutCancel(ctx)); err != nil {
			leave(nil)
			return nil, nil, err
		}
	}
	return w, func() { leave(w) }, nil
}

// open opens the folders of a job.
func (j Job) open(ctx context.Context) (*place, error) {
	state, err := openFolder(ctx, j.State)
	if err != nil {
		return nil, err
	}
	panels, err := openFolder(ctx, j.Panels)
	if err != nil {
		return nil, err
	}
	x, err := panel.OpenFS(panels, j.Panels)
	if err != nil {
		return nil, err
	}
	return &place{state: state, panels: x, checked: make([]bool, x.Panels())}, nil
}
