package beam

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// A Result is what a fit found. H is nil: Coefficients has it panel by panel. KKT is -1.
type Result struct {
	*rnmf.Result
	ctx    context.Context
	state  string
	driver *panel.Driver
	starts []int // the first column of each panel
}

// Coefficients returns the columns of H that belong to panel p (r×b).
func (r *Result) Coefficients(p int) (*mat.Dense, error) {
	if p < 0 || p >= len(r.starts) {
		return nil, fmt.Errorf("%w: panel %d, want 0 to %d", rnmf.ErrParameter, p, len(r.starts)-1)
	}
	state, err := openFolder(r.ctx, r.state)
	if err != nil {
		return nil, err
	}
	defer state.close()
	c, name := new(panel.Coefficients), coefficients(r.driver.Generation(), p)
	err = state.get(name, c)
	if err == nil {
		err = r.driver.CheckCoefficients(c, r.starts[p])
	}
	if err != nil {
		return nil, fmt.Errorf("coefficients of panel %d, %s: %w", p, state.path(name), err)
	}
	return c.H, nil
}

// Fit fits b, as panel.Batch.Fit does and with the same bits, to the panels of a folder, with workers
// of Beam. Both this folder and b.State must be seen by all of them. In b State is needed, and Missing
// must be false.
//
// The flags of Beam say where the workers are; without any they are in this process. A job that
// fails, for example because a worker died, is followed by another that goes on from the last
// complete round; so is a job that writes no file for a minute, and for ten times as long as any
// before it, as runners do not always notice that a worker has died. After five jobs in a row that
// completed no round, and where the first of all fails, the error is that of the job. A panel or
// coefficients that are damaged, and a state folder of another fit, are errors that name them. The
// error is panel.ErrBusy if another fit is at work in the folder: it is locked, as by panel.Batch, or
// in an object store has an object "lease", which the driver renews every ten seconds. So a
// Fit that has ended in any way goes on when it is called again, on other machines too, or as
// panel.Batch.Fit.
//
// If ctx ends, Fit soon returns ctx.Err() and the factors of the last complete round, nil if there is
// none. Watch of the model hears of the rounds at the end of each job.
func Fit(ctx context.Context, b panel.Batch, panels string) (*Result, error) {
	if !beam.Initialized() {
		beam.Init()
	}
	f, err := begin(ctx, b, panels)
	if err != nil {
		return nil, err
	}
	defer f.state.close()
	defer f.lease.end()
	seen := b.Model.Watch
	rounds, failures, clock := 4, 0, new(clock)
	for f.driver.Reason() == 0 {
		known, start := len(f.driver.Trace()), time.Now()
		failed := f.run(ctx, roundsJob(f.job, f.remaining(rounds)))
		done, err := f.collect()
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			if !f.driver.Stop() {
				return nil, ctx.Err()
			}
			return f.result(ctx), ctx.Err()
		}
		trace := f.driver.Trace()
		if seen != nil {
			for _, p := range trace[min(known, len(trace)):] {
				seen(p)
			}
		}
		if failed == nil {
			rounds = clock.next(done, time.Since(start).Seconds(), trace[min(known, len(trace)):])
			f.worked, failures = true, 0
			continue
		}
		if done > 0 {
			f.worked, failures = true, 0
		}
		failures++
		if err := f.cause(failed); err != nil || !f.worked || failures == attempts {
			return nil, errors.Join(err, failedJob(err, failed))
		}
		log.Warnf(ctx, "rnmf: a job failed after %d of its rounds; the fit goes on: %v", done, failed)
		pause(ctx, time.Second<<(failures-1))
	}
	return f.result(ctx), nil
}

// attempts is how many jobs in a row may fail without a complete round.
const attempts = 5

// failedJob is the error of a job, unless its cause is known.
func failedJob(cause, failed error) error {
	if cause != nil {
		return nil
	}
	return fmt.Errorf("the job of Beam failed: %w", failed)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// share of the time of a job that may go into beginning and ending it.
const share = 0.1

// clock adds up what jobs and their rounds took, so that one slow job does not decide.
type clock struct {
	jobs, rounds  int
	cost, working float64 // seconds: to begin and end jobs, in rounds
}

// next is the number of rounds of the next job: as many as it takes for what a job costs to be a
// small share of it, at most twice as many as in the last one and at most 32. A job of many rounds
// goes on for nothing when the fit has ended, and reports late; one of a single round does not tell
// what a round takes.
func (c *clock) next(rounds int, seconds float64, trace rnmf.Trace) int {
	if points := float64(len(trace)); points > 1 {
		// Rounds that were done again are not in the trace; the others tell the time of all.
		working := (trace[len(trace)-1].Seconds - trace[0].Seconds) * points / (points - 1)
		c.jobs++
		c.rounds += rounds
		c.working += working
		c.cost += max(seconds-working, 0)
	}
	if c.jobs == 0 {
		return min(2*rounds, 32)
	}
	cost, round := c.cost/float64(c.jobs), max(c.working/float64(c.rounds), 1e-6)
	return int(min(max(math.Ceil(cost/(share*round)), 2), float64(2*rounds), 32))
}

// A fit is one call of Fit.
type fit struct {
	job    Job
	batch  panel.Batch
	state  folder
	lease  *lease
	driver *panel.Driver
	starts []int         // the first column of each panel
	worked bool          // a job has worked
	quiet  time.Duration // the longest time that a job which worked wrote no file
}

const (
	driverFile = "driver"
	beginFile  = "begin"
)

// begin finds the state of the fit, or makes it.
func begin(ctx context.Context, b panel.Batch, panels string) (_ *fit, err error) {
	refuse := func(what string) (*fit, error) { return nil, fmt.Errorf("%w: %s", rnmf.ErrParameter, what) }
	switch {
	case b.State == "":
		return refuse("State is empty, want a folder that all workers see")
	case b.Missing:
		return refuse("Missing is for sparse panels, those of a folder are dense")
	}
	from, err := openFolder(ctx, panels)
	if err != nil {
		return nil, err
	}
	defer from.close()
	x, err := panel.OpenFS(from, panels)
	if err != nil {
		return nil, err
	}
	m, n := x.Dims()
	if err := b.Check(m, n); err != nil {
		return nil, err
	}
	f := &fit{batch: b, job: Job{Panels: panels, State: b.State, Fit: rand.Text(), Count: x.Panels()}}
	if f.state, err = openFolder(context.WithoutCancel(ctx), b.State); err != nil {
		return nil, err
	}
	if err := f.state.make(); err != nil {
		return nil, fmt.Errorf("state of the fit: %w", err)
	}
	if f.lease, err = f.state.lease(ctx); err != nil {
		f.state.close()
		return nil, fmt.Errorf("state of the fit: %w", err)
	}
	defer func() {
		if err != nil {
			f.lease.end()
			f.state.close()
		}
	}()
	for p := range x.Panels() {
		from, _ := x.Columns(p)
		f.starts = append(f.starts, from)
	}
	for _, name := range []string{driverFile, beginFile} {
		data, err := f.state.read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		d := new(panel.Driver)
		if err == nil {
			err = d.UnmarshalBinary(data)
		}
		if err != nil {
			return nil, fmt.Errorf("state of the fit, %s: %w", f.state.path(name), err)
		}
		f.driver, f.job.Token = d, token(data)
		rounds, err := f.collect() // what a call that was killed has left
		if err == nil {
			err = f.driver.Resume(b, m, n)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.State, err)
		}
		if rounds > 0 {
			name = driverFile
		}
		if f.driver.Reason() != 0 { // otherwise the next round compares the panels
			if err := f.checkPanels(x); err != nil {
				return nil, err
			}
		}
		if err := f.save(name); err != nil {
			return nil, err
		}
		break
	}
	if f.driver == nil {
		if err := f.start(ctx, x); err != nil {
			return nil, err
		}
	}
	spent := 0.0
	if t := f.driver.Trace(); len(t) > 0 {
		spent = t[len(t)-1].Seconds
	}
	f.job.Begin = time.Now().UnixNano() - int64(spent*1e9)
	return f, f.prepare()
}

// checkPanels checks that the panels are those with which the fit began.
func (f *fit) checkPanels(x *panel.DiskSource) error {
	w := &place{state: f.state, panels: x, checked: make([]bool, x.Panels())}
	for p := range x.Panels() {
		loaded, err := x.Load(p)
		if err == nil {
			err = w.checkPanel(f.driver, p, loaded)
		}
		if err != nil {
			return fmt.Errorf("panel %d: %w", p, err)
		}
	}
	return nil
}

// start summarises the panels and makes the driver.
func (f *fit) start(ctx context.Context, x *panel.DiskSource) error {
	m, n := x.Dims()
	var h *mat.Dense
	if factors, given := f.batch.Model.Init.(rnmf.WarmStart); given {
		if isnil.Matrix(factors.H) {
			return fmt.Errorf("%w: the start lacks H", rnmf.ErrShape)
		}
		if err := input.Dims("H", factors.H, f.batch.Model.Rank, n); err != nil {
			return err
		}
		var err error
		if h, err = input.Matrix("H", factors.H); err != nil {
			return err
		}
	}
	f.job.Token = "summary"
	f.clean()
	if failed := f.run(ctx, summaryJob(f.job)); failed != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		cause := f.cause(failed)
		return errors.Join(cause, failedJob(cause, failed))
	}
	f.worked = true
	all := new(panel.DataSummary)
	for p := range x.Panels() {
		s, name := new(panel.DataSummary), f.job.statistics(0, p)
		err := f.state.get(name, s)
		if err == nil {
			err = all.Merge(s)
		}
		if err != nil {
			return fmt.Errorf("panel %d, %s: %w", p, f.state.path(name), err)
		}
	}
	var err error
	if f.driver, err = panel.NewDriver(f.batch, all, m); err != nil {
		return err
	}
	for p := range x.Panels() {
		if h == nil {
			break
		}
		from, to := x.Columns(p)
		c := f.driver.Start(from, to)
		c.H = mat.DenseCopyOf(h.Slice(0, f.batch.Model.Rank, from, to))
		if err := f.state.put(coefficients(0, p), c); err != nil {
			return err
		}
	}
	return f.save(beginFile)
}

// run runs a job. A panic of Beam, which takes some errors so, is an error, and so is a job that has
// been given up.
func (f *fit) run(ctx context.Context, p *beam.Pipeline) (err error) {
	ctx, giveUp := context.WithCancelCause(ctx)
	watched := make(chan time.Duration)
	go func() { watched <- f.watch(ctx, giveUp) }()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
		giveUp(nil)
		quiet := <-watched
		if cause := context.Cause(ctx); err != nil && errors.Is(cause, errQuiet) {
			err = cause
		} else if err == nil {
			f.quiet = max(f.quiet, quiet)
		}
	}()
	return beamx.Run(ctx, p)
}

// A runner may miss that a worker has died, and wait for ever: Prism 2.77 does where it sees the
// worker's stream end before its context. So a job that writes no file for too long is given up: an
// hour before any job has worked, then this many times as long as one that worked has taken for a
// file, and at least leastPatience.
const (
	firstPatience = time.Hour
	patienceTimes = 10
)

var leastPatience = time.Minute

var errQuiet = errors.New("the job has written no file for too long, and was given up")

// watch looks for new files of a job until ctx ends, gives it up when there are none for too long, and
// returns the longest time without one.
func (f *fit) watch(ctx context.Context, giveUp context.CancelCauseFunc) (longest time.Duration) {
	patience := firstPatience
	if f.quiet > 0 {
		patience = max(leastPatience, patienceTimes*f.quiet)
	}
	ticks := time.NewTicker(leastPatience / 20)
	defer ticks.Stop()
	var seen []string
	for since := time.Now(); ; {
		select {
		case <-ctx.Done():
			return max(longest, time.Since(since))
		case <-ticks.C:
		}
		names, err := f.state.names()
		switch {
		case err == nil && !slices.Equal(names, seen):
			longest, since, seen = max(longest, time.Since(since)), time.Now(), names
		case time.Since(since) > patience:
			giveUp(fmt.Errorf("%w (%v)", errQuiet, patience))
			return longest
		}
	}
}

// remaining is the number of rounds of a job, at most as many as are left.
func (f *fit) remaining(rounds int) int {
	most := f.batch.Model.MaxIter
	if most == 0 {
		most = 500
	}
	return max(1, min(rounds, most+1-len(f.driver.Trace())))
}

// save stores the driver.
func (f *fit) save(name string) error {
	b, err := f.driver.MarshalBinary()
	if err == nil {
		err = f.state.write(name, b, true)
	}
	if err != nil {
		return fmt.Errorf("state of the fit: %w", err)
	}
	return nil
}

// token names the jobs that begin with a driver.
func token(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b))[:16] }

// prepare writes what the workers of the next job begin with.
func (f *fit) prepare() error {
	b, err := f.driver.MarshalBinary()
	if err != nil {
		return err
	}
	f.job.Token = token(b)
	return f.state.write(f.job.driver(0), b, true)
}

// collect makes the last complete round of the job the state of the fit, with all that belongs to it,
// removes what is needed no more, and returns the number of rounds.
func (f *fit) collect() (rounds int, err error) {
	if err := f.lease.check(f.state); err != nil {
		return 0, fmt.Errorf("state of the fit: %w", err)
	}
	names, err := f.state.names()
	if err != nil {
		return 0, fmt.Errorf("state of the fit: %w", err)
	}
	for _, name := range names {
		if k, err := strconv.Atoi(strings.TrimPrefix(name, "job-"+f.job.Token+"-")); err == nil {
			rounds = max(rounds, k)
		}
	}
	if rounds == 0 {
		return 0, nil
	}
	d := new(panel.Driver)
	if err := f.state.get(f.job.driver(rounds), d); err != nil {
		return 0, fmt.Errorf("state of the fit: %w", err)
	}
	f.driver = d
	if err := f.save(driverFile); err != nil {
		return 0, err
	}
	f.state.remove(beginFile)
	f.clean()
	return rounds, f.prepare()
}

// clean removes the files of jobs, and coefficients that are needed no more.
func (f *fit) clean() {
	names, err := f.state.names()
	if err != nil {
		return // they are in the way, nothing else
	}
	for _, name := range names {
		parts := strings.Split(name, "-")
		switch {
		case parts[0] == "job" && len(parts) > 2:
			f.state.remove(name)
		case parts[0] == "h" && len(parts) == 3 && f.driver != nil:
			if g, err := strconv.Atoi(parts[1]); err == nil && g != f.driver.Kept() && g != f.driver.Generation() {
				f.state.remove(name)
			}
		}
	}
}

// cause finds out why a job failed: it looks again at the panels for which a worker has written an
// error. The answer is nil where nothing is wrong with these, so that another try may help.
func (f *fit) cause(failed error) error {
	names, err := f.state.names()
	if err != nil {
		return err
	}
	var w *place
	for _, name := range names {
		p, err := strconv.Atoi(strings.TrimPrefix(name, "job-"+f.job.Token+"-error-"))
		if err != nil {
			continue
		}
		f.state.remove(name)
		if w == nil {
			if w, err = f.job.open(f.state.ctx); err != nil {
				return err
			}
		}
		if f.driver == nil {
			_, err = w.summarise(p)
		} else {
			_, _, err = w.load(f.driver, p)
		}
		if err != nil {
			return fmt.Errorf("panel %d: %w", p, err)
		}
	}
	return nil
}

func (f *fit) result(ctx context.Context) *Result {
	return &Result{Result: f.driver.Result(), ctx: context.WithoutCancel(ctx), state: f.batch.State, driver: f.driver, starts: f.starts}
}
