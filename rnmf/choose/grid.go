package choose

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/robustnmf/robustnmf/rnmf"
)

// What can be wrong with a search.
var (
	ErrParameter = rnmf.ErrParameter
	ErrFile      = errors.New("choose: not a file of this search")
	ErrBusy      = errors.New("choose: another process writes to the file")
	ErrScore     = errors.New("choose: a score is not a finite number")
)

// errNoX is the error where a matrix of data is missing.
func errNoX(name string) error {
	return fmt.Errorf("%w: %s is nil (that of a sparse datasets.Set is: see its method Dense, and package panel)", rnmf.ErrEmpty, name)
}

// A Parameter is a name and the values to be tried, in order.
type Parameter struct {
	Name   string
	Values []float64
}

// Decades returns 10^from to 10^to: Decades(-3, 3) is the grid of the RLS-NMF paper,
// section 5.
func Decades(from, to int) []float64 {
	var v []float64
	for e := from; e <= to; e++ {
		if e < 0 { // 0.1 as it is written: math.Pow(10, -1) may be off by a bit
			v = append(v, 1/math.Pow(10, float64(-e)))
		} else {
			v = append(v, math.Pow(10, float64(e)))
		}
	}
	return v
}

// Range returns from, from + 1, … to.
func Range(from, to int) []float64 {
	var v []float64
	for i := from; i <= to; i++ {
		v = append(v, float64(i))
	}
	return v
}

// A Setting is one combination of values.
type Setting struct {
	Names  []string // of the parameters, shared by all settings
	Values []float64
}

// Value returns the value of a parameter. A name that the search does not have is a
// mistake in the program, and panics.
func (p Setting) Value(name string) float64 {
	i := slices.Index(p.Names, name)
	if i < 0 {
		panic(fmt.Sprintf("choose: no parameter %q among %q", name, p.Names))
	}
	return p.Values[i]
}

// String writes the setting as "alpha=0.1 lambda=10".
func (p Setting) String() string {
	parts := make([]string, len(p.Names))
	for i, name := range p.Names {
		parts[i] = fmt.Sprintf("%s=%g", name, p.Values[i])
	}
	return strings.Join(parts, " ")
}

// Scores are finite numbers by name.
type Scores map[string]float64

// Progress is what a search reports after each setting.
type Progress struct {
	Done, Total int
	Kept        int // how many of Done the file had already
	Row         Row // the last one; its Scores are nil in the report before the first
}

// A Grid tries all combinations of the values of some parameters.
type Grid struct {
	// Parameters span the grid; the last one changes fastest.
	Parameters []Parameter
	// Score judges a setting. It is called by several goroutines, and must depend on
	// nothing but the setting. If ctx has ended when it returns, what it returns does
	// not count.
	Score func(ctx context.Context, p Setting) (Scores, error)
	// File keeps the scores of each setting, one line for each, on disk before the next report. A
	// search that finds the file goes on with it. Settings are recognised by their values, so a
	// larger grid can go on with the file of a smaller one. A process that is killed leaves whole
	// lines and perhaps the beginning of one, which is ignored. A file next to it, whose name ends in
	// .lock and which may be removed later, keeps a second search away (ErrBusy). With "" nothing is kept.
	File string
	// Task describes the search: the data, the model, the seeds. A file with another Task is an
	// ErrFile.
	Task string
	// Workers is the number of settings tried at once; 0 is one for each processor.
	// The result does not depend on it.
	Workers int
	// Progress, if not nil, is called before the first setting and after each, from
	// one goroutine.
	Progress func(Progress)
}

// Run tries all settings that the file does not have. If ctx ends, it returns what is known so far,
// with ctx.Err(). If Score returns an error or panics, it returns that as an error that names the
// setting.
func (g Grid) Run(ctx context.Context) (*Table, error) {
	settings, err := g.settings()
	if err != nil {
		return nil, err
	}
	if g.Score == nil {
		return nil, fmt.Errorf("%w: Grid.Score is nil", ErrParameter)
	}
	if g.Workers < 0 {
		return nil, fmt.Errorf("%w: Grid.Workers is %d, want 0 or more", ErrParameter, g.Workers)
	}
	s := &search{Grid: g, settings: settings, known: make([]Scores, len(settings))}
	if g.File != "" {
		if err := s.open(); err != nil {
			return nil, err
		}
		defer s.file.close()
	}
	s.done = s.kept
	s.report(Row{})
	failed := s.try(ctx)
	table := s.table()
	if failed != nil {
		return table, fmt.Errorf("choose: %v: %w", settings[failed.i], failed.err)
	}
	if len(table.Rows) < len(settings) {
		return table, ctx.Err()
	}
	return table, nil
}

// A search is a Grid at work.
type search struct {
	Grid
	settings   []Setting
	known      []Scores // of each setting, nil where they are not known yet
	kept, done int
	file       *store // nil if nothing is kept
}

// An outcome is what came of a setting.
type outcome struct {
	i      int
	scores Scores
	err    error
}

// open opens the file, and takes the scores that it has.
func (s *search) open() error {
	file, old, err := openStore(s.File, header{Task: s.Task, Names: s.settings[0].Names})
	if err != nil {
		return err
	}
	s.file = file
	for i, p := range s.settings {
		if scores, ok := old[key(p.Values)]; ok {
			s.known[i] = scores
			s.kept++
		}
	}
	return nil
}

func (s *search) report(r Row) {
	if s.Progress != nil {
		s.Progress(Progress{Done: s.done, Total: len(s.settings), Kept: s.kept, Row: r})
	}
}

// try scores the settings that are not known, and keeps what comes. It returns the first that failed,
// after which no other is begun.
func (s *search) try(ctx context.Context) (failed *outcome) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for o := range s.outcomes(ctx) {
		if o.err == nil && s.file != nil {
			o.err = s.file.add(s.settings[o.i].Values, o.scores)
		}
		if o.err != nil {
			if failed == nil {
				failed = &o
			}
			cancel()
			continue
		}
		s.known[o.i] = maps.Clone(o.scores)
		s.done++
		s.report(Row{s.settings[o.i], s.known[o.i]})
	}
	return failed
}

// outcomes starts the workers, and closes what it returns when they have done all that is not known, or
// ctx has ended.
func (s *search) outcomes(ctx context.Context) <-chan outcome {
	var left []int
	for i, scores := range s.known {
		if scores == nil {
			left = append(left, i)
		}
	}
	workers := s.Workers
	if workers == 0 {
		workers = min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	}
	todo, outcomes := make(chan int), make(chan outcome)
	var group sync.WaitGroup
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range todo {
				s.one(ctx, i, outcomes)
			}
		}()
	}
	go func() {
		defer func() {
			close(todo)
			group.Wait()
			close(outcomes)
		}()
		for _, i := range left {
			select {
			case todo <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	return outcomes
}

// one scores a setting. What a score returns after ctx has ended does not count, but that it has ended its
// goroutine does.
func (s *search) one(ctx context.Context, i int, to chan<- outcome) {
	scores, err := Scores(nil), errGoexit
	defer func() {
		if err == errGoexit || ctx.Err() == nil {
			to <- outcome{i, scores, err}
		}
	}()
	if scores, err = s.score(ctx, s.settings[i]); err == nil {
		err = check(scores)
	}
}

// table returns what is known.
func (s *search) table() *Table {
	t := &Table{Names: s.settings[0].Names}
	for i, scores := range s.known {
		if scores != nil {
			t.Rows = append(t.Rows, Row{s.settings[i], scores})
		}
	}
	return t
}

// score turns a panic into an error: it will name the setting, and what is known of
// the others is not lost.
func (g Grid) score(ctx context.Context, p Setting) (s Scores, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n\n%s", v, debug.Stack())
		}
	}()
	return g.Score(ctx, p)
}

// errGoexit is of a score or a fit that ends its goroutine, as t.FailNow does.
var errGoexit = errors.New("runtime.Goexit was called")

// check finds a score that is not a finite number.
func check(s Scores) error {
	if len(s) == 0 {
		return fmt.Errorf("%w: there are none", ErrScore)
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if v := s[name]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: %s is %g", ErrScore, name, v)
		}
	}
	return nil
}

// settings returns the grid.
func (g Grid) settings() ([]Setting, error) {
	if len(g.Parameters) == 0 {
		return nil, fmt.Errorf("%w: a grid without parameters", ErrParameter)
	}
	var names []string
	total := 1
	for _, p := range g.Parameters {
		if p.Name == "" || slices.Contains(names, p.Name) {
			return nil, fmt.Errorf("%w: the parameter name %q is empty or given twice", ErrParameter, p.Name)
		}
		names = append(names, p.Name)
		if len(p.Values) == 0 {
			return nil, fmt.Errorf("%w: %s has no values", ErrParameter, p.Name)
		}
		for i, v := range p.Values {
			if math.IsNaN(v) || math.IsInf(v, 0) || slices.Contains(p.Values[:i], v) {
				return nil, fmt.Errorf("%w: value %d of %s is %g, want numbers without repetition", ErrParameter, i, p.Name, v)
			}
		}
		if total *= len(p.Values); total > 1e7 {
			return nil, fmt.Errorf("%w: a grid of more than ten million settings", ErrParameter)
		}
	}
	settings := make([]Setting, total)
	for i := range settings {
		values := make([]float64, len(names))
		for k, rest := len(names)-1, i; k >= 0; k-- {
			v := g.Parameters[k].Values
			values[k] = v[rest%len(v)] + 0 // -0 is 0
			rest /= len(v)
		}
		settings[i] = Setting{names, values}
	}
	return settings, nil
}
