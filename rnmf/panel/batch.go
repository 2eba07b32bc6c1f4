package panel

import (
	"cmp"
	"context"
	"encoding"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A Batch fits a Model to X in panels, all of which take part in each round.
type Batch struct {
	// Model says what to fit. Of its fields Rank, Loss, Seed, MaxIter, Tol, TuneFor and Watch have the
	// same meaning as there; Init is nil (Random), or rnmf.WarmStart; Solver is nil or HALS. All others must be
	// zero. The error for what panels cannot do is rnmf.ErrParameter. The reasons to stop are those of
	// there, but for Collapsed, which penalties alone cause; a round that changes nothing is Converged
	// without a KKT residual, as HALS leaves nothing but a minimum over each entry, and Stalled with a
	// Family of counts, whose updates of W keep zeros.
	Model rnmf.Model
	// Missing says that the entries which a sparse X does not store are missing, not 0. Those which
	// it stores as 0 are known.
	Missing bool
	// State is the folder of the fit, which Fit makes if it is missing. After each round it holds
	// W, the state of the fit, and the coefficients of each panel. A fit that was killed goes on
	// from there, with the same bits; one that ran out of rounds goes on with a larger MaxIter.
	// Only one fit may use the folder at a time; the error of another is ErrBusy. With "" all is kept
	// in memory.
	State string
}

// A Result is what a fit found. H is nil where the fit had a State: Coefficients has it panel by
// panel. KKT is -1.
type Result struct {
	*rnmf.Result
	store      store
	generation int
	panels     int
}

// Coefficients returns the columns of H that belong to panel p (r×b). The error is rnmf.ErrParameter
// for a panel that X has not.
func (r *Result) Coefficients(p int) (*mat.Dense, error) {
	if err := checkPanel(p, r.panels); err != nil {
		return nil, err
	}
	c, err := r.store.get(r.generation, p)
	if err != nil {
		return nil, err
	}
	return c.H, nil
}

// A store keeps the coefficients of panels, generation by generation, and the driver.
type store interface {
	get(generation, p int) (*Coefficients, error)
	put(p int, c *Coefficients) error // at the generation that c names
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
	driver() *Driver
}

// memory keeps everything in memory.
type memory map[int][]*Coefficients

func (m memory) get(generation, p int) (*Coefficients, error) { return m[generation][p], nil }

func (m memory) put(p int, c *Coefficients) error {
	generation := c.of.generation
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
				m[g][p] = &Coefficients{of: c.of, H: c.H}
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
// to other data are errors that name the panel or file, as are coefficients of another fit, generation
// or panel; what the folder has is not lost. A Source whose Load panics, or calls runtime.Goexit, is
// an error that names its type.
func (b Batch) Fit(ctx context.Context, x Source) (*Result, error) {
	d := new(Driver)
	x, s, unlock, err := b.begin(ctx, x, d)
	if err != nil {
		return nil, err
	}
	defer unlock()
	st := newStepper(ctx)
	st.pool.Open()
	defer st.pool.Close()
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
		if b.Model.Watch != nil && len(d.trace) > known {
			b.Model.Watch(d.trace[known])
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
	result := &Result{Result: r, store: s, generation: generation, panels: x.Panels()}
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

// begin checks everything and makes, or finds, the state of the fit. With a folder, which is locked until
// unlock is called, the source that it returns knows whether its panels are those of the fit.
func (b Batch) begin(ctx context.Context, x Source, state state) (_ Source, s store, unlock func(), err error) {
	if err := checkSource(x); err != nil {
		return nil, nil, nil, err
	}
	m, n := x.Dims()
	if err := checkModel(b, m, n); err != nil {
		return nil, nil, nil, err
	}
	if b.State == "" {
		unlock = func() {}
		s = memory{}
		err = b.fresh(ctx, x, state, s)
		return x, s, unlock, err
	}
	f, found, unlock, err := openState(b.State, b, x, state)
	if err != nil {
		return nil, nil, nil, err
	}
	if !found {
		err = b.fresh(ctx, x, state, f)
	}
	var w *checkedSource
	if err == nil {
		w, err = newCheckedSource(x, b.State, state.driver(), !found)
	}
	if err == nil && found && state.Reason() != 0 {
		// Each round compares the panels; as this fit has ended, there is none.
		err = eachPanel(ctx, w, func(int, Panel) error { return nil })
	}
	if err != nil {
		unlock()
		return nil, nil, nil, err
	}
	return w, f, unlock, nil
}

// fresh begins a fit.
func (b Batch) fresh(ctx context.Context, x Source, state state, s store) error {
	summary, err := summariseAll(ctx, x, b)
	if err != nil {
		return err
	}
	m, n := x.Dims()
	w, h, err := start(b, summary, m, n)
	if err != nil {
		return err
	}
	d, err := newDriver(b, summary, m, n, w)
	if err != nil {
		return err
	}
	state.begin(d)
	if f, ok := s.(*stateFolder); ok {
		f.fit = d.fit
	}
	for p := range x.Panels() {
		from, to := x.Columns(p)
		c := d.Start(from, to)
		if h != nil {
			c.H = mat.DenseCopyOf(h.Slice(0, b.Model.Rank, from, to))
		}
		if err := s.put(p, c); err != nil {
			return err
		}
	}
	return s.checkpoint(state)
}

func (d *Driver) begin(fresh *Driver) { *d = *fresh }
func (d *Driver) driver() *Driver     { return d }

// summariseAll looks at all panels, in their order, and takes their checksums if the fit has a folder.
func summariseAll(ctx context.Context, x Source, b Batch) (*DataSummary, error) {
	look := summarise
	if b.State != "" {
		look = NewDataSummary
	}
	all := new(DataSummary)
	err := eachPanel(ctx, x, func(p int, panel Panel) error {
		if b.Missing && panel.Sparse == nil {
			return fmt.Errorf("%w: Missing is for sparse panels, panel %d is dense", rnmf.ErrParameter, p)
		}
		from, _ := x.Columns(p)
		s, err := look(panel, from)
		if err != nil {
			return fmt.Errorf("panel %d: %w", p, err)
		}
		return all.Merge(s)
	})
	if err == nil && all.entries == 0 && b.Missing {
		err = fmt.Errorf("%w: no entry of X is known", rnmf.ErrEmpty)
	}
	return all, err
}

// start returns the W with which a fit of X (m×n) begins, and the H if Init gives it.
func start(b Batch, summary *DataSummary, m, n int) (w, h *mat.Dense, err error) {
	r := b.Model.Rank
	f, given := b.Model.Init.(rnmf.WarmStart)
	if !given {
		return startW(m, r, summary.amplitude(m, r, b.Missing), b.Model.Seed), nil, nil
	}
	if w, err = givenFactor("W", f.W, m, r); err == nil {
		if h, err = givenFactor("H", f.H, r, n); err == nil {
			err = checkProduct(w, h)
		}
	}
	return w, h, err
}

// checkProduct finds the largest entry of the part of W that may be too large to be squared after multiplication by H.
func checkProduct(w, h *mat.Dense) error {
	m, r := w.Dims()
	_, n := h.Dims()
	most := min(1e110, math.Sqrt(1e305/float64(m)/float64(n))) / float64(r)
	for k := range r {
		column := mat.Col(nil, k, w)
		i := floats.MaxIdx(column)
		if largest := floats.Max(h.RawRowView(k)); column[i]*largest > most {
			return &rnmf.EntryError{Matrix: "W", Row: i, Col: k, Value: column[i], Err: fmt.Errorf("%w after multiplication by %g in H", rnmf.ErrTooLarge, largest)}
		}
	}
	return nil
}

// givenFactor returns a copy of a factor to begin with.
func givenFactor(name string, v mat.Matrix, rows, columns int) (*mat.Dense, error) {
	if isnil.Matrix(v) {
		return nil, fmt.Errorf("%w: the start lacks %s", rnmf.ErrShape, name)
	}
	if err := input.Dims(name, v, rows, columns); err != nil {
		return nil, err
	}
	d := mat.DenseCopyOf(v)
	return d, checkFactor(name, d, false)
}

// checkFactor finds the first bad entry of a factor, which may have grown in a fit, and have negative entries if it is
// signed.
func checkFactor(name string, v *mat.Dense, signed bool) error {
	rows, _ := v.Dims()
	for i := range rows {
		for j, x := range v.RawRowView(i) {
			size := x
			if signed {
				size = math.Abs(x)
			}
			if bad := checkEntry(size); bad != nil && !(size >= 0 && size <= rnmf.MaxFactor) {
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
		if next != at { // of a new generation, or the same with the norms
			err = c.put(p, next)
		}
		if x.Panels() == 1 {
			sum = t
			return err
		}
		return errors.Join(err, sum.Merge(t))
	})
	return sum, err
}

// eachPanel calls f for all panels, and loads the next one meanwhile.
func eachPanel(ctx context.Context, x Source, f func(p int, panel Panel) error) error {
	order := make([]int, x.Panels())
	for p := range order {
		order[p] = p
	}
	return inOrder(ctx, x, order, f)
}

// inOrder is eachPanel in a given order.
func inOrder(ctx context.Context, x Source, order []int, f func(p int, panel Panel) error) error {
	type loaded struct {
		Panel
		err error
	}
	next := make(chan loaded, 1)
	get := func(p int) {
		// What stays if Load ends its goroutine, as t.FailNow does.
		got := loaded{err: fmt.Errorf("panel %d: Load of %T called runtime.Goexit", p, given(x))}
		defer func() { next <- got }()
		got.Panel, got.err = load(x, p)
	}
	go get(order[0])
	for i, p := range order {
		panel := <-next
		if err := cmp.Or(ctx.Err(), panel.err); err != nil {
			return err
		}
		more := i+1 < len(order)
		if more {
			go get(order[i+1])
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
func (b Batch) Start(ctx context.Context, x Source) (rnmf.WarmStart, error) {
	b.State = ""
	d := new(Driver)
	x, s, _, err := b.begin(ctx, x, d)
	if err != nil {
		return rnmf.WarmStart{}, err
	}
	r, err := finish(d.result(), s, x, 0)
	if err != nil {
		return rnmf.WarmStart{}, err
	}
	return rnmf.WarmStart{W: r.W, H: r.H}, nil
}
