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
	known := make([]Scores, len(settings))
	var file *store
	kept := 0
	if g.File != "" {
		var old map[string]Scores
		if file, old, err = openStore(g.File, header{Task: g.Task, Names: settings[0].Names}); err != nil {
			return nil, err
		}
		defer file.close()
		for i, p := range settings {
			if s, ok := old[key(p.Values)]; ok {
				known[i] = s
				kept++
			}
		}
	}
	done := kept
	report := func(r Row) {
		if g.Progress != nil {
			g.Progress(Progress{Done: done, Total: len(settings), Kept: kept, Row: r})
		}
	}
	report(Row{})

	type outcome struct {
		i      int
		scores Scores
		err    error
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	todo, outcomes := make(chan int), make(chan outcome)
	workers := g.Workers
	if workers == 0 {
		workers = min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	}
	var group sync.WaitGroup
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range todo {
				s, err := Scores(nil), errGoexit
				func() {
					defer func() {
						if err == errGoexit || inner.Err() == nil {
							outcomes <- outcome{i, s, err}
						}
					}()
					if s, err = g.score(inner, settings[i]); err == nil {
						err = check(s)
					}
				}()
			}
		}()
	}
	go func() {
		for i, s := range known {
			if s != nil {
				continue
			}
			select {
			case todo <- i:
				continue
			case <-inner.Done():
			}
			break
		}
		close(todo)
		group.Wait()
		close(outcomes)
	}()
	var failed *outcome
	for o := range outcomes {
		if o.err == nil && file != nil {
			o.err = file.add(settings[o.i].Values, o.scores)
		}
		if o.err != nil {
			if failed == nil {
				failed = &o
			}
			cancel()
			continue
		}
		known[o.i] = maps.Clone(o.scores)
		done++
		report(Row{settings[o.i], known[o.i]})
	}
	table := &Table{Names: settings[0].Names}
	for i, s := range known {
		if s != nil {
			table.Rows = append(table.Rows, Row{settings[i], s})
		}
	}
	if failed != nil {
		return table, fmt.Errorf("choose: %v: %w", settings[failed.i], failed.err)
	}
	if len(table.Rows) < len(settings) {
		return table, ctx.Err()
	}
	return table, nil
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

// errGoexit is of a score that ends its goroutine, as t.FailNow does.
var errGoexit = errors.New("the score called runtime.Goexit")

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
