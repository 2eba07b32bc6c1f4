package panel

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
	"github.com/robustnmf/robustnmf/rnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf/internal/watch"
)

// A Batch fits a Model to X in panels, all of which take part in each round.
type Batch struct {
	// Model says what to fit. Of its fields Rank, Loss, Seed, MaxIter, Tol and TuneFor have the
	// same meaning as there, except that TuneFor 0 stands for 10 rounds; Init is nil (Random), or
	// Factors; Solver is nil or HALS. All others must be zero. The error for what panels cannot do
	// is rnmf.ErrParameter.
	Model rnmf.Model
	// Missing says that the entries which a sparse X does not store are missing, not 0. Those which
	// it stores as 0 are known.
	Missing bool
	// State is the folder of the fit, which Fit makes if it is missing. After each round it holds
	// W, the state of the fit, and the coefficients of each panel. A fit that was killed goes on
	// from there, with the same bits; one that ran out of rounds goes on with a larger MaxIter.
	// Only one program may use the folder at a time. With "" all is kept in memory.
	State string
}

// A Result is what a fit found. H is nil where the fit had a State: Coefficients has it panel by
// panel. KKT is -1.
type Result struct {
	*rnmf.Result
	store      store
	generation int
}

// Coefficients returns the columns of H that belong to panel p (r×b).
func (r *Result) Coefficients(p int) (*mat.Dense, error) {
	c, err := r.store.get(r.generation, p)
	if err != nil {
		return nil, err
	}
	return c.H, nil
}

// A store keeps the coefficients of panels, generation by generation, and the driver.
type store interface {
	get(generation, p int) (*Coefficients, error)
	put(generation, p int, c *Coefficients) error
	// checkpoint stores the state of the fit and then drops the generations that it does not need.
	checkpoint(s state) error
}

// A state is what leads a fit, and all that a fit needs to go on, but for the coefficients: a *Driver or
// a *minibatch.
type state interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	Resume(b Batch, m, n int) error
	Generation() int
	Kept() int
	Reason() rnmf.Reason
	begin(d *Driver)
}

// memory keeps everything in memory.
type memory map[int][]*Coefficients

func (m memory) get(generation, p int) (*Coefficients, error) { return m[generation][p], nil }

func (m memory) put(generation, p int, c *Coefficients) error {
	for len(m[generation]) <= p {
		m[generation] = append(m[generation], nil)
	}
	m[generation][p] = c
	return nil
}

func (m memory) checkpoint(s state) error {
	for g := range m {
		switch g {
		case s.Generation():
		case s.Kept(): // for a Result
			for p, c := range m[g] {
				m[g][p] = &Coefficients{H: c.H}
			}
		default:
			delete(m, g)
		}
	}
	return nil
}

// Fit factorises X. Not converging is a reason in the Result, not an error. If ctx ends, Fit soon
// returns ctx.Err() and the factors of the last complete round, nil if there is none; Driver.Stop
// says how their Objective is meant. A panel that
// cannot be loaded, a full disk, and a state folder that is damaged or belongs to another fit or
// to other data are errors that name the panel or file; what the folder has is not lost.
// rnmf.WithTrace watches the rounds.
func (b Batch) Fit(ctx context.Context, x Source) (*Result, error) {
	d := new(Driver)
	x, s, err := b.begin(ctx, x, d)
	if err != nil {
		return nil, err
	}
	st := newStepper(ctx)
	st.pool.Open()
	defer st.pool.Close()
	seen, _ := ctx.Value(watch.Key{}).(func(rnmf.Point))
	spent := 0.0
	if n := len(d.trace); n > 0 {
		spent = d.trace[n-1].Seconds
	}
	for d.Reason() == 0 {
		begin := time.Now()
		t, err := st.round(ctx, x, d, s)
		if ctx.Err() != nil {
			return d.cancelled(s, x), ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		known := len(d.trace)
		if err := d.Take(context.WithoutCancel(ctx), t, spent+time.Since(begin).Seconds()); err != nil {
			return nil, err
		}
		if err := s.checkpoint(d); err != nil {
			return nil, err
		}
		spent += time.Since(begin).Seconds()
		if seen != nil && len(d.trace) > known {
			seen(d.trace[known])
		}
	}
	return finish(d.result(), s, x, d.Generation())
}

// cancelled returns the last complete round, nil if there is none.
func (d *Driver) cancelled(s store, x Source) *Result {
	if !d.Stop() {
		return nil
	}
	r, err := finish(d.result(), s, x, d.generation)
	if err != nil {
		return nil
	}
	return r
}

// finish collects H where it is in memory.
func finish(r *rnmf.Result, s store, x Source, generation int) (*Result, error) {
	result := &Result{Result: r, store: s, generation: generation}
	if _, inMemory := s.(memory); !inMemory {
		return result, nil
	}
	_, n := x.Dims()
	_, rank := r.W.Dims()
	r.H = mat.NewDense(rank, n, nil)
	for p := range x.Panels() {
		h, err := result.Coefficients(p)
		if err != nil {
			return nil, err
		}
		from, to := x.Columns(p)
		r.H.Slice(0, rank, from, to).(*mat.Dense).Copy(h)
	}
	return result, nil
}

// begin checks everything and makes, or finds, the state of the fit. With a folder, the source that it
// returns knows whether its panels are those of the folder.
func (b Batch) begin(ctx context.Context, x Source, state state) (Source, store, error) {
	if err := checkSource(x); err != nil {
		return nil, nil, err
	}
	m, n := x.Dims()
	if err := checkModel(b, m, n); err != nil {
		return nil, nil, err
	}
	var s store = memory{}
	if b.State != "" {
		w := newWitness(x, b.State)
		x = w
		f, found, err := openState(b.State, b, x, state)
		if err == nil && found {
			err = known(ctx, w, state)
		}
		if err != nil || found {
			return x, f, err
		}
		s = f
	}
	survey, err := surveyAll(ctx, x, b.Missing)
	if err != nil {
		return nil, nil, err
	}
	w, err := start(b.Model, survey, b.Missing, x, s)
	if err != nil {
		return nil, nil, err
	}
	d, err := newDriver(b, survey, m, n, w)
	if err != nil {
		return nil, nil, err
	}
	state.begin(d)
	if w, stored := x.(*witness); stored {
		if err := w.write(); err != nil {
			return nil, nil, err
		}
	}
	return x, s, s.checkpoint(state)
}

func (d *Driver) begin(fresh *Driver) { *d = *fresh }

// known reads the checksums of the panels. The next round compares them; a fit that has ended has no next
// round, so all panels are loaded.
func known(ctx context.Context, x *witness, s state) error {
	if err := x.read(); err != nil || s.Reason() == 0 {
		return err
	}
	return eachPanel(ctx, x, func(int, Panel) error { return nil })
}

// surveyAll looks at all panels, in their order.
func surveyAll(ctx context.Context, x Source, missing bool) (*Survey, error) {
	all := new(Survey)
	err := eachPanel(ctx, x, func(p int, panel Panel) error {
		if missing && panel.Sparse == nil {
			return fmt.Errorf("%w: Missing is for sparse panels, panel %d is dense", rnmf.ErrParameter, p)
		}
		from, _ := x.Columns(p)
		s, err := SurveyOf(panel, from)
		if err != nil {
			return fmt.Errorf("panel %d: %w", p, err)
		}
		all.Merge(s)
		return nil
	})
	if err == nil && all.entries == 0 && missing {
		err = fmt.Errorf("%w: no entry of X is known", rnmf.ErrEmpty)
	}
	return all, err
}

// start makes the first factors, and stores H as generation 0.
func start(model rnmf.Model, survey *Survey, missing bool, x Source, s store) (*mat.Dense, error) {
	m, n := x.Dims()
	r := model.Rank
	a := survey.amplitude(m, r, missing)
	w := startW(m, r, a, model.Seed)
	var h *mat.Dense
	if f, given := model.Init.(rnmf.Factors); given {
		if dense.IsNil(f.W) || dense.IsNil(f.H) {
			return nil, fmt.Errorf("%w: the start lacks W or H", rnmf.ErrShape)
		}
		if err := errors.Join(input.Dims("W", f.W, m, r), input.Dims("H", f.H, r, n)); err != nil {
			return nil, err
		}
		w, h = mat.DenseCopyOf(f.W), mat.DenseCopyOf(f.H)
		if err := errors.Join(checkFactor("W", w), checkFactor("H", h)); err != nil {
			return nil, err
		}
	}
	for p := range x.Panels() {
		from, to := x.Columns(p)
		c := &Coefficients{}
		if h != nil {
			c.H = mat.DenseCopyOf(h.Slice(0, r, from, to))
		} else {
			c.H = startH(r, from, to, a, model.Seed)
		}
		if err := s.put(0, p, c); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// checkFactor finds the first bad entry of a start.
func checkFactor(name string, v *mat.Dense) error {
	rows, _ := v.Dims()
	for i := range rows {
		for j, x := range v.RawRowView(i) {
			if bad := checkEntry(x); bad != nil {
				return &rnmf.EntryError{Matrix: name, Row: i, Col: j, Value: x, Err: bad}
			}
		}
	}
	return nil
}

// round does a round on all panels, in their order.
func (s *stepper) round(ctx context.Context, x Source, d *Driver, c store) (*Statistics, error) {
	r := d.Next()
	s.set(r)
	sum := new(Statistics)
	err := eachPanel(ctx, x, func(p int, panel Panel) error {
		at, err := c.get(d.Generation(), p)
		if err != nil {
			return err
		}
		next, t, err := s.do(ctx, panel, at)
		if err != nil {
			return fmt.Errorf("panel %d: %w", p, err)
		}
		switch {
		case r.Writes():
			err = c.put(d.Generation()+1, p, next)
		case next != at: // with the norms
			err = c.put(d.Generation(), p, next)
		}
		if x.Panels() == 1 {
			sum = t
			return err
		}
		return errors.Join(err, sum.Merge(t))
	})
	return sum, err
}

// eachPanel calls f for all panels in their order, and loads the next one meanwhile.
func eachPanel(ctx context.Context, x Source, f func(p int, panel Panel) error) error {
	type loaded struct {
		Panel
		err error
	}
	next := make(chan loaded, 1)
	get := func(p int) {
		panel, err := load(x, p)
		next <- loaded{panel, err}
	}
	go get(0)
	for p := range x.Panels() {
		panel := <-next
		if err := errors.Join(ctx.Err(), panel.err); err != nil {
			return err
		}
		more := p+1 < x.Panels()
		if more {
			go get(p + 1)
		}
		if err := f(p, panel.Panel); err != nil {
			if more {
				<-next
			}
			return err
		}
	}
	return nil
}

// Check returns what a Fit to X of m×n would refuse before it reads X.
func (b Batch) Check(m, n int) error { return checkModel(b, m, n) }

// Start returns the factors with which Fit begins, for a comparison with other programs.
func (b Batch) Start(ctx context.Context, x Source) (rnmf.Factors, error) {
	b.State = ""
	d := new(Driver)
	x, s, err := b.begin(ctx, x, d)
	if err != nil {
		return rnmf.Factors{}, err
	}
	r, err := finish(d.result(), s, x, 0)
	if err != nil {
		return rnmf.Factors{}, err
	}
	return rnmf.Factors{W: r.W, H: r.H}, nil
}
