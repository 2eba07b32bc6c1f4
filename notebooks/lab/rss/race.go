package rss

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"runtime"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

//go:embed race.csv
var race string

// Race returns what RaceCommand has stored: of each set, rank, start and solver the limit, which
// is the seconds of 200 rounds of MUR from that start; the objective when they are over, and
// the rounds until then; the seconds and rounds until MUR's last objective is reached, empty if
// it is not within three times the limit; and the version. All is on one core.
var Race = sync.OnceValue(func() stored.Table { return stored.Parse(race) })

// racers are the solvers of Fig. 2 to 5, FGD with a step for each column, and the default.
// MUR comes first, as it sets the limit.
var racers = []struct {
	name   string
	solver rnmf.Solver
}{{"MUR", rnmf.MU{}}, {"FGD, one β", papers.FGD{Printed: true}}, {"FGD", papers.FGD{}}, {"weighted HALS", rnmf.HALS{}}}

// A track is a set with as many components as drawn classes.
type track struct {
	Set
	rank int
}

// tracks are those of the figures: all classes, and 5 of Yale or 10 of the other sets. All
// classes of COIL-20, which is not in the paper, would take as long as the rest together.
func tracks(sets []Set) (all []track) {
	for _, s := range sets {
		if s.Name == "ORL" {
			continue // not in the paper, nor in the place of one of its sets
		}
		few := 10
		if s.Name == "Yale" {
			few = 5
		}
		if s.Name != "COIL-20" {
			all = append(all, track{s, len(s.Set.Classes)})
		}
		all = append(all, track{s, few})
	}
	return all
}

// heat lets the racers run from one start, with pixels in 0..255, σ = 1 and w = 1, as printed.
func (k track) heat(ctx context.Context, start uint64, rounds int) (lines [][]string, err error) {
	t, err := Draw(k.Set.Set, k.rank, k.Each, start)
	if err != nil {
		return nil, err
	}
	x := mat.DenseCopyOf(t.X)
	x.Scale(255, x)
	limit, goal := math.Inf(1), math.Inf(-1)
	for i, c := range racers {
		m := rnmf.RSSNMF(k.rank, 1, t.Labels)
		m.Solver, m.Init, m.Seed, m.Tol, m.MaxIter = c.solver, rnmf.Random{}, start, -1, 1_000_000
		if i == 0 {
			m.MaxIter = rounds
		}
		trace, err := fastest(ctx, m, x, func(p rnmf.Point) bool {
			return p.Seconds > 2*limit && p.Objective <= goal || p.Seconds > 4*limit
		})
		if err != nil {
			return nil, err
		}
		var last, reached rnmf.Point // within the limit, and at the goal
		if i == 0 {
			last = trace[len(trace)-1]
			limit, goal = last.Seconds, last.Objective
		}
		for _, p := range trace {
			if p.Seconds <= limit {
				last = p
			}
			if reached.Round == 0 && p.Objective <= goal && p.Seconds <= 3*limit {
				reached = p
			}
		}
		line := []string{k.Name, fmt.Sprint(k.rank), fmt.Sprint(start), c.name, stored.Number(limit, 'g', 4), stored.Number(last.Objective, 'g', 7), fmt.Sprint(last.Round), "", ""}
		if reached.Round > 0 {
			line[7], line[8] = stored.Number(reached.Seconds, 'g', 4), fmt.Sprint(reached.Round)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// fastest returns the trace of a fit that ends by a rule, with the seconds that each round took
// where it was fastest of two fits, as other programs run at the same time.
func fastest(ctx context.Context, m rnmf.Model, x *mat.Dense, ended func(rnmf.Point) bool) (trace rnmf.Trace, err error) {
	for repeat := range 2 {
		var again rnmf.Trace
		for step, err := range m.Steps(ctx, x) {
			if err != nil {
				return nil, err
			}
			again = append(again, step.Point)
			if repeat == 0 && ended(step.Point) || repeat > 0 && len(again) == len(trace) {
				break
			}
		}
		if repeat == 0 {
			trace = again
			continue
		}
		sum, before := 0., trace[0].Seconds
		for i := 1; i < len(again); i++ {
			here := trace[i].Seconds
			sum += min(here-before, again[i].Seconds-again[i-1].Seconds)
			before, trace[i].Seconds = here, sum
		}
	}
	return trace, nil
}

// raceVersion is that of all rows: the objectives of four rounds of each racer on few digits.
func raceVersion(ctx context.Context) (string, error) {
	return versions.Of("race", func() (any, error) {
		s, err := datasets.Digits().Sample(4, 1)
		if err != nil {
			return nil, err
		}
		t, err := Draw(s, 3, 2, 1)
		if err != nil {
			return nil, err
		}
		var values []float64
		for _, c := range racers {
			m := rnmf.RSSNMF(3, 1, t.Labels)
			m.Solver, m.Init, m.Seed, m.Tol, m.MaxIter = c.solver, rnmf.Random{}, 1, -1, 4
			r, err := m.Fit(ctx, t.X)
			if err != nil {
				return nil, err
			}
			values = append(values, r.Objective)
		}
		return values, nil
	})
}

// RaceCommand fills race.csv, on one core, so that other programs disturb it little. The rows
// should be of one run.
func RaceCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("fgd", flag.ContinueOnError)
	out := f.String("out", "notebooks/lab/rss/race.csv", "`file` to write")
	starts := f.Int("starts", 5, "`number` of starts")
	rounds := f.Int("rounds", 200, "`number` of multiplicative rounds that set the limit")
	if err := f.Parse(args); err != nil {
		return err
	}
	sets, missing := Sets(ctx)
	log.Printf("not at hand: %s", strings.Join(missing, ", "))
	if len(sets) == 0 {
		return errors.New("no set is at hand")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return storeRace(ctx, *out, tracks(sets), *starts, *rounds)
}

func storeRace(ctx context.Context, out string, all []track, starts, rounds int) (err error) {
	version, err := raceVersion(ctx)
	if err != nil {
		return err
	}
	sheet, err := stored.Open(out, 3, "set", "rank", "start", "solver", "limit", "objective", "rounds", "reached_seconds", "reached_rounds", "version")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sheet.Close()) }()
	for start := 1; start <= starts; start++ {
		for _, k := range all {
			if sheet.Current(version, k.Name, fmt.Sprint(k.rank), fmt.Sprint(start)) {
				continue
			}
			lines, err := k.heat(ctx, uint64(start), rounds)
			if err != nil {
				return err
			}
			for i := range lines {
				lines[i] = append(lines[i], version)
			}
			if err := sheet.Add(lines...); err != nil {
				return err
			}
			log.Printf("%s, r = %d, start %d: %s s", k.Name, k.rank, start, lines[0][4])
		}
	}
	return nil
}
