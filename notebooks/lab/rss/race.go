package rss

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
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
// it is not within twice the rounds of the solver; and the version. Seconds are those of one
// processor, as in the paper's figures, without the trace: other programs disturb them little.
var Race = sync.OnceValue(func() stored.Table { return stored.Parse(race) })

// racers are the solvers of Fig. 2 to 5, FGD with a step for each column, and the default, with
// rounds that take longer than those of MUR, which comes first and sets the limit.
var racers = []struct {
	name   string
	solver rnmf.Solver
	rounds int
}{{"MUR", rnmf.MU{}, 200}, {"FGD, one β", papers.FGD{Printed: true}, 60}, {"FGD", papers.FGD{}, 40}, {"weighted HALS", rnmf.HALS{}, 120}}

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

// heat lets the racers run from one start, with pixels in 0..255, σ = 1 and w = 1, as printed,
// and for a share of their rounds.
func (k track) heat(ctx context.Context, start uint64, share float64) (lines [][]string, err error) {
	t, err := Draw(k.Set.Set, k.rank, k.Each, start)
	if err != nil {
		return nil, err
	}
	x := mat.DenseCopyOf(t.X)
	x.Scale(255, x)
	var limit, goal float64
	for i, c := range racers {
		m := rnmf.RSSNMF(k.rank, 1, t.Labels)
		rounds := max(2, int(share*float64(c.rounds)))
		m.Solver, m.Init, m.Seed, m.Tol, m.MaxIter = c.solver, rnmf.Random{}, start, -1, 2*rounds
		if i == 0 {
			m.MaxIter = rounds
		}
		var f []float64
		reached := -1
		for step, err := range m.Steps(ctx, x) {
			if err != nil {
				return nil, err
			}
			if f = append(f, step.Objective); i > 0 && reached < 0 && step.Objective <= goal {
				reached = step.Round
			}
			if reached >= 0 && step.Round >= rounds {
				break
			}
		}
		if i == 0 {
			reached = rounds
		}
		timed := reached
		if reached < 0 {
			timed = rounds
		}
		seconds, err := secondsOf(ctx, m, x, timed)
		if err != nil {
			return nil, err
		}
		last := rounds
		if i == 0 {
			limit, goal = seconds, f[rounds]
		} else {
			last = min(len(f)-1, int(limit/seconds*float64(timed))) // a round takes about as long as another
		}
		line := []string{k.Name, fmt.Sprint(k.rank), fmt.Sprint(start), c.name, stored.Number(limit, 'g', 4), stored.Number(f[last], 'g', 7), fmt.Sprint(last), "", ""}
		if reached >= 0 {
			line[7], line[8] = stored.Number(seconds, 'g', 4), fmt.Sprint(reached)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// secondsOf returns those that rounds of a fit take, without objectives in between. Fits of few
// rounds are repeated, as clocks of processors are coarse.
func secondsOf(ctx context.Context, m rnmf.Model, x *mat.Dense, rounds int) (float64, error) {
	m.MaxIter, m.TraceEvery = rounds, rounds
	before := cpu()
	for n := 1; ; n++ {
		if _, err := m.Fit(ctx, x); err != nil {
			return 0, err
		}
		if sum := cpu() - before; !(sum < 0.3) || n == 20 {
			return sum / float64(n), nil
		}
	}
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

// RaceCommand fills race.csv, on one processor. The rows should be of one run.
func RaceCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("fgd", flag.ContinueOnError)
	out := f.String("out", "notebooks/lab/rss/race.csv", "`file` to write")
	starts := f.Int("starts", 5, "`number` of starts")
	if err := f.Parse(args); err != nil {
		return err
	}
	sets, missing := Sets(ctx)
	log.Printf("not at hand: %s", strings.Join(missing, ", "))
	if len(sets) == 0 {
		return errors.New("no set is at hand")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return storeRace(ctx, *out, tracks(sets), *starts, 1)
}

func storeRace(ctx context.Context, out string, all []track, starts int, share float64) (err error) {
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
			lines, err := k.heat(ctx, uint64(start), share)
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
