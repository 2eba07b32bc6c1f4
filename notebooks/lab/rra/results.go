package rra

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

//go:embed *.csv peers.py
var files embed.FS

// Results returns what Command has stored in a file: race.csv, traces.csv, energy.csv,
// clusters.csv or algorithm1.csv. The start or the trial is the seed. It panics if there is
// no such file.
func Results(name string) stored.Table {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return stored.Parse(string(text))
}

// beta is that of the paper, and so is the number of neighbours, KNN's own.
const beta = 1

// settings are the flags.
type settings struct {
	out     string
	starts  int
	ranks   []int
	until   time.Time
	seconds float64
	python  string
	set     string
	missing bool
	sample  int // of clusters: see stored.Trials
}

// Command runs the experiments of notebook 05 at full length and stores them: race is
// the time that each solver takes to the objective at which RRA stops, on COIL-20, PIE and
// Extended Yale B; from the first start also by NumPy, where that is. Each start goes over
// all ranks and sets, as far as races begin within -minutes. algorithm1 is what the paper's
// own algorithm does from the same starts, in rounds and not in seconds. energy is Table 1,
// on PIE, clusters Fig. 4 and 5. COIL-20 must be in the folder that RNMF_DATA names; what
// else is not there is left out.
//
// A run that is stopped keeps what is whole, and the next goes on from there: what is
// in the files is not computed again. For fresh times on another machine remove
// race.csv, traces.csv and energy.csv first.
func Command(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("rra", flag.ContinueOnError)
	only := f.String("only", "energy,race,algorithm1,clusters", "experiments, a `list`")
	ranks := f.String("ranks", "10,20,50,100,200", "`ranks` of the race and of algorithm1")
	minutes := f.Float64("minutes", 12, "begin no more of these after this `time`")
	var s settings
	f.IntVar(&s.starts, "starts", 10, "`starts` of the race")
	f.Float64Var(&s.seconds, "seconds", 30, "`time` after which a solver is late")
	f.StringVar(&s.set, "set", "", "only the `set` whose name has this in it")
	f.StringVar(&s.python, "python", "/usr/bin/python3", "`program` that has NumPy and SciPy")
	f.StringVar(&s.out, "out", "notebooks/lab/rra", "`folder` to write to")
	f.BoolVar(&s.missing, "missing", false, "of clusters and algorithm1 compute what the files lack, and leave rows of older versions as they are")
	f.IntVar(&s.sample, "sample", 0, "of clusters and algorithm1 compute only this `number` of rows of older versions of each group; if they have the values that are stored, all rows of the group are of the version of now")
	if err := f.Parse(args); err != nil {
		return err
	}
	for _, r := range strings.Split(*ranks, ",") {
		rank, err := strconv.Atoi(r)
		if err != nil {
			return err
		}
		s.ranks = append(s.ranks, rank)
	}
	s.until = time.Now().Add(time.Duration(*minutes * float64(time.Minute)))
	for _, name := range strings.Split(*only, ",") {
		var err error
		switch name {
		case "race", "algorithm1":
			var sets []*datasets.Set
			if sets, err = load(ctx, datasets.COIL20, datasets.CMUPIE, datasets.ExtendedYaleB); err == nil {
				run := map[string]func(context.Context, settings, []*datasets.Set) error{"race": race, "algorithm1": algorithm1}[name]
				err = run(ctx, s, sets)
			}
		case "energy":
			if pie, missing := datasets.CMUPIE.Load(ctx); missing == nil {
				err = energy(ctx, s, pie.Scaled())
			}
		case "clusters":
			var sets []*datasets.Set
			if sets, err = load(ctx, datasets.COIL20, datasets.CMUPIE, datasets.ExtendedYaleB); err == nil {
				err = clusters(ctx, s, sets, 10, 10)
			}
		default:
			err = fmt.Errorf("no experiment %q", name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// load returns the first set, which must be at hand, and those of the others that are, scaled.
func load(ctx context.Context, first *datasets.PublicSet, others ...*datasets.PublicSet) ([]*datasets.Set, error) {
	s, err := first.Load(ctx)
	if err != nil {
		return nil, err
	}
	all := []*datasets.Set{s.Scaled()}
	for _, source := range others {
		if s, err := source.Load(ctx); err == nil {
			all = append(all, s.Scaled())
		}
	}
	return all, nil
}

// race lets the solvers race on sets.
func race(ctx context.Context, s settings, sets []*datasets.Set) error {
	out, err := stored.Open(filepath.Join(s.out, "race.csv"), 3, "set", "rank", "start", "solver", "target", "seconds", "outcome", "rounds", "stop_seconds", "stop_rounds", "stop_objective", "stop_kkt", "highest_rise", "version")
	if err != nil {
		return err
	}
	defer out.Close()
	traces, err := stored.Open(filepath.Join(s.out, "traces.csv"), 3, "set", "rank", "start", "solver", "round", "seconds", "objective", "version")
	if err != nil {
		return err
	}
	defer traces.Close()
	version, err := raceVersion(ctx)
	if err != nil {
		return err
	}
	tracks := make([]*track, len(sets))
	for start := 1; start <= s.starts; start++ {
		for i, set := range sets {
			for _, rank := range s.ranks {
				if !strings.Contains(set.Name, s.set) || out.Current(version, set.Name, strconv.Itoa(rank), strconv.Itoa(start)) {
					continue
				}
				if time.Now().After(s.until) {
					log.Printf("no more races: %s, rank %d, start %d is the next", set.Name, rank, start)
					return nil
				}
				if tracks[i] == nil {
					if tracks[i], err = newTrack(ctx, s.python, set); err != nil {
						return err
					}
					defer os.RemoveAll(tracks[i].peer.folder)
				}
				begin := time.Now()
				if err := tracks[i].race(ctx, s, rank, start, version, out, traces); err != nil {
					return err
				}
				log.Printf("%s, rank %d, start %d: %.0f s", set.Name, rank, start, time.Since(begin).Seconds())
			}
		}
	}
	return nil
}

// A track is a set with its graph, and a folder for NumPy.
type track struct {
	set   *datasets.Set
	graph *rnmf.Graph
	peer  peer
}

// newTrack also finds the eigenvectors, whose time the paper does not count.
func newTrack(ctx context.Context, python string, set *datasets.Set) (*track, error) {
	graph, err := neighbor.KNN{}.Graph(ctx, set.X)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	kept, err := papers.RRA{}.Prepare(ctx, graph)
	if err != nil {
		return nil, err
	}
	log.Printf("%s: %d eigenvectors in %.1f s", set.Name, kept, time.Since(begin).Seconds())
	peer, err := newPeer(python, set.X, graph)
	return &track{set, graph, peer}, err
}

// A run is what a solver did, to its own end and then on.
type run struct {
	name   string
	trace  rnmf.Trace
	kkt    float64 // where rule (18) ends it
	stop   int     // that round
	rise   float64 // by how much a round raised the objective at most up to there, as a share of it
	late   float64 // the seconds of its longest run that did not reach the target
	repeat func() (rnmf.Trace, error)
}

// race lets all solvers go from one start, NumPy from the first. There the fast ones
// go three times, in turn, and the least of their times counts.
func (k *track) race(ctx context.Context, s settings, rank, start int, version string, out, traces *stored.Sheet) error {
	h := &heat{track: k, model: rnmf.GNMF(rank, k.graph, beta), target: math.NaN(), limit: s.seconds}
	h.model.Seed, h.model.MaxIter = uint64(start), 20000
	var err error
	if h.model.Init, err = sameStart(k.set.X, rank, uint64(start)); err != nil {
		return err
	}
	if err := h.ours(ctx); err != nil {
		return err
	}
	passes := 1
	if start == 1 {
		h.numpy(ctx)
		passes = 3
	}
	best, err := h.times(passes)
	if err != nil {
		return err
	}
	if start == 1 {
		if err := traces.Add(h.points(rank, start, version)...); err != nil {
			return err
		}
	}
	return out.Add(h.rows(rank, start, version, best)...)
}

// A heat is a race from one start.
type heat struct {
	*track
	model  rnmf.Model
	runs   []run
	target float64 // the objective to be reached
	limit  float64 // the seconds after which a solver is late
}

// late reports whether a solver need not go on.
func (h *heat) late(t rnmf.Trace) bool { return exploded(t) || t[len(t)-1].Seconds > h.limit }

// ours lets our solvers go to rule (18) first, for the KKT residual there. It finds target and limit on
// the way.
func (h *heat) ours(ctx context.Context) error {
	settled := Settled(1e-3)
	for _, i := range []int{3, 2, 4, 0, 1} { // RRA first: the safe one, then V then U; ours next
		rival := Rivals()[i]
		m := h.model
		m.Solver = rival.Solver
		ended, err := Run(ctx, m, h.set.X, func(t rnmf.Trace) bool { return settled(t) || h.late(t) })
		if err != nil {
			return err
		}
		r := run{name: rival.Name, trace: ended.Trace, kkt: ended.KKT, stop: len(ended.Trace) - 1, rise: highestRise(ended)}
		r.repeat = func() (rnmf.Trace, error) {
			res, err := Run(ctx, m, h.set.X, func(t rnmf.Trace) bool { return t[len(t)-1].Objective <= h.target || h.late(t) })
			if err != nil {
				return nil, err
			}
			return res.Trace, nil
		}
		switch i {
		case 3:
			h.target = ended.Trace[r.stop].Objective
		case 2:
			if r.rise <= 1e-6 {
				h.target = ended.Trace[r.stop].Objective
			}
		case 4:
			t, err := r.repeat()
			if err != nil {
				return err
			}
			if seconds := SecondsTo(t, h.target); !math.IsNaN(seconds) {
				h.limit = min(h.limit, max(3, 30*seconds)) // what takes longer is late
			}
		}
		h.runs = append(h.runs, r)
	}
	return nil
}

// numpy adds the solvers that are written with NumPy, if that is there.
func (h *heat) numpy(ctx context.Context) {
	for _, solver := range []string{"mur", "rra"} {
		ask := func(eps, target float64) (rnmf.Trace, error) {
			return h.peer.run(ctx, h.model.Init.(rnmf.WarmStart), solver, eps, target, h.limit)
		}
		t, err := ask(1e-3, -1)
		if err != nil {
			log.Print("without NumPy: ", err)
			return
		}
		h.runs = append(h.runs, run{name: map[string]string{"mur": "NumPy MUR", "rra": "NumPy RRA"}[solver], trace: t, kkt: math.NaN(), stop: len(t) - 1, rise: rise(t),
			repeat: func() (rnmf.Trace, error) { return ask(0, h.target) }})
	}
}

// times returns the seconds that each run takes to the target, NaN if it does not get there. From the
// second pass on those that take more than three seconds stay aside.
func (h *heat) times(passes int) ([]float64, error) {
	best := make([]float64, len(h.runs))
	for pass := range passes {
		for i, r := range h.runs {
			if pass > 0 && !(best[i] <= 3) {
				continue
			}
			// Who was late or exploded before the target is so again.
			t := r.trace
			if pass > 0 || Lowest(t) > h.target && !h.late(t) {
				var err error
				if t, err = r.repeat(); err != nil {
					return nil, err
				}
			}
			if len(t) > len(r.trace) {
				h.runs[i].trace = t
			}
			if Lowest(t) > h.target { // the clock may end it before the round at which rule (18) ended the first run
				h.runs[i].late = max(h.runs[i].late, t[len(t)-1].Seconds)
			}
			if seconds := SecondsTo(t, h.target); seconds < best[i] || pass == 0 {
				best[i] = seconds
			}
		}
	}
	return best, nil
}

// rows are what race.csv keeps.
func (h *heat) rows(rank, start int, version string, best []float64) (rows [][]string) {
	for i, r := range h.runs {
		round := slices.IndexFunc(r.trace, func(p rnmf.Point) bool { return p.Objective <= h.target })
		end, seconds := r.trace[r.stop], best[i]
		outcome := "reached"
		switch {
		case !math.IsNaN(seconds):
		case r.rise > 1 || exploded(r.trace):
			outcome = "exploded"
		default: // it takes longer than this
			outcome, seconds = "late", r.late
		}
		rows = append(rows, []string{h.set.Name, strconv.Itoa(rank), strconv.Itoa(start), r.name, number(h.target, 7), number(seconds, 4), outcome, strconv.Itoa(round),
			number(end.Seconds, 4), strconv.Itoa(r.stop), number(end.Objective, 7), number(r.kkt, 3), number(r.rise, 3), version})
	}
	return rows
}

// points are what traces.csv keeps: the beginning of each trace, and forty points of the rest.
func (h *heat) points(rank, start int, version string) (points [][]string) {
	for _, r := range h.runs {
		for j, p := range r.trace {
			if j < 20 || j%(1+len(r.trace)/40) == 0 || j == len(r.trace)-1 {
				points = append(points, []string{h.set.Name, strconv.Itoa(rank), strconv.Itoa(start), r.name, strconv.Itoa(p.Round), number(p.Seconds, 4), number(p.Objective, 7), version})
			}
		}
	}
	return points
}

// sameStart returns factors that all solvers can be given.
func sameStart(x *mat.Dense, rank int, seed uint64) (rnmf.WarmStart, error) {
	for step, err := range (rnmf.Model{Rank: rank, Seed: seed}).Steps(context.Background(), x) {
		if err != nil {
			return rnmf.WarmStart{}, err
		}
		return rnmf.WarmStart{W: step.W(), H: step.H()}, nil
	}
	panic("no start")
}

// exploded tells whether a round doubled the objective.
func exploded(t rnmf.Trace) bool { return rise(t) > 1 }

// rise returns by how much a round raised the objective at most, as a share of it.
func rise(t rnmf.Trace) (most float64) {
	for i := range len(t) - 1 {
		most = max(most, t[i+1].Objective/t[i].Objective-1)
	}
	return most
}

// highestRise is the rise of a fit. One that ends as diverged has not recorded its last objective, which rose
// beyond ten times the sum of the first and the last recorded one, or was no number: its rise is this at least.
func highestRise(r *rnmf.Result) float64 {
	t, most := r.Trace, rise(r.Trace)
	if r.Reason == rnmf.Diverged {
		last := t[len(t)-1].Objective
		most = max(most, 10*(t[0].Objective+last)/last-1)
	}
	return most
}

// A peer is a folder for peers.py, which keeps its eigenvectors there.
type peer struct {
	python string
	folder string
	m, n   int
}

func newPeer(python string, x *mat.Dense, graph *rnmf.Graph) (p peer, err error) {
	p.python = python
	p.m, p.n = x.Dims()
	if p.folder, err = os.MkdirTemp("", "rra"); err != nil {
		return p, err
	}
	var edges bytes.Buffer
	for i := range p.n {
		to, weight := graph.Neighbors(i)
		for k, j := range to {
			if i < j {
				fmt.Fprintln(&edges, i, j, weight[k])
			}
		}
	}
	program, err := files.ReadFile("peers.py")
	return p, errors.Join(err, os.WriteFile(filepath.Join(p.folder, "peers.py"), program, 0o600),
		os.WriteFile(filepath.Join(p.folder, "edges"), edges.Bytes(), 0o600), p.write("x", x))
}

func (p peer) write(name string, a *mat.Dense) error {
	var b bytes.Buffer
	rows, _ := a.Dims()
	for i := range rows {
		if err := binary.Write(&b, binary.LittleEndian, a.RawRowView(i)); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(p.folder, name), b.Bytes(), 0o600)
}

func (p peer) run(ctx context.Context, start rnmf.WarmStart, solver string, eps, target, seconds float64) (rnmf.Trace, error) {
	_, r := start.W.Dims()
	shape := fmt.Sprintln(p.m, p.n, r, beta, 0.95)
	if err := errors.Join(p.write("w", mat.DenseCopyOf(start.W)), p.write("h", mat.DenseCopyOf(start.H)), os.WriteFile(filepath.Join(p.folder, "shape"), []byte(shape), 0o600)); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, p.python, filepath.Join(p.folder, "peers.py"), p.folder, solver,
		fmt.Sprint(eps), fmt.Sprint(target), fmt.Sprint(seconds), "5000")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OPENBLAS") })
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var t rnmf.Trace
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		p := rnmf.Point{Round: len(t)}
		if _, err := fmt.Sscan(lines.Text(), &p.Seconds, &p.Objective); err != nil {
			return nil, err
		}
		t = append(t, p)
	}
	return t, nil
}

// energy is Table 1: rank 10 on the faces, time to one objective.
func energy(ctx context.Context, s settings, set *datasets.Set) error {
	out, err := stored.Open(filepath.Join(s.out, "energy.csv"), 2, "set", "energy", "start", "kept", "solver", "target", "seconds", "rounds", "highest_rise", "version")
	if err != nil {
		return err
	}
	defer out.Close()
	version, err := raceVersion(ctx)
	if err != nil {
		return err
	}
	shares := slices.DeleteFunc([]float64{0.65, 0.75, 0.85, 0.95, 1}, func(share float64) bool {
		return !strings.Contains(set.Name, s.set) || out.Current(version, set.Name, number(share, 3))
	})
	if len(shares) == 0 {
		return nil
	}
	graph, err := neighbor.KNN{}.Graph(ctx, set.X)
	if err != nil {
		return err
	}
	model := rnmf.GNMF(10, graph, beta)
	model.MaxIter, model.Seed = 20000, 1
	model.Solver = papers.RRA{Energy: 1}
	exact, err := Run(ctx, model, set.X, Settled(1e-3))
	if err != nil {
		return err
	}
	target := exact.Objective
	for _, share := range shares {
		begin := time.Now()
		var rows [][]string
		for _, plain := range []bool{true, false} {
			solver := papers.RRA{Energy: share, Printed: plain}
			kept, err := solver.Prepare(ctx, graph)
			if err != nil {
				return err
			}
			model.Solver = solver
			best, rounds, most := math.Inf(1), -1, 0.0
			for range 3 {
				r, err := Run(ctx, model, set.X, func(t rnmf.Trace) bool { return Reached(target, s.seconds)(t) || exploded(t) })
				if err != nil {
					return err
				}
				seconds := SecondsTo(r.Trace, target)
				if most = highestRise(r); math.IsNaN(seconds) {
					break // late or exploded, as it will be again
				}
				best, rounds = min(best, seconds), len(r.Trace)-1
			}
			if rounds < 0 {
				best = math.NaN()
			}
			name := map[bool]string{true: VThenU, false: Safe}[plain]
			rows = append(rows, []string{set.Name, number(share, 3), fmt.Sprint(model.Seed), strconv.Itoa(kept), name, number(target, 7), number(best, 4), strconv.Itoa(rounds), number(most, 3), version})
		}
		if err := out.Add(rows...); err != nil {
			return err
		}
		log.Printf("energy %g: %.0f s", share, time.Since(begin).Seconds())
	}
	return nil
}

// clusters is Fig. 4 and 5: so many trials of 2 classes, 3 classes and so on.
func clusters(ctx context.Context, s settings, sets []*datasets.Set, most int, trials uint64) error {
	run := stored.Trials{Keys: []string{"set", "classes", "trial", "solver"}, Columns: []string{"accuracy", "nmi", "seconds", "rounds"},
		Count: trials, Out: filepath.Join(s.out, "clusters.csv"), Missing: s.missing, Sample: s.sample,
		Version: func(key []string) (string, error) { return clustersVersion(ctx, key[3]) }}
	return run.Run(ctx, func(trial uint64) iter.Seq[stored.Line] {
		return func(yield func(stored.Line) bool) {
			for _, set := range sets {
				for classes := 2; classes <= most; classes++ {
					if !strings.Contains(set.Name, s.set) {
						continue
					}
					part := sync.OnceValues(func() (Part, error) { return Draw(ctx, set, classes, trial) })
					for _, name := range clustered() {
						if !yield(stored.Line{Key: []string{set.Name, strconv.Itoa(classes), fmt.Sprint(trial), name}, Values: func() ([]string, error) {
							p, err := part()
							if err != nil {
								return nil, err
							}
							row, err := p.Cluster(ctx, name)
							return []string{number(row.Accuracy, 4), number(row.NMI, 4), number(row.Seconds, 3), strconv.Itoa(row.Rounds)}, err
						}}) {
							return
						}
					}
				}
			}
		}
	})
}

// algorithm1 runs the paper's own algorithm from the starts of the race, for so many rounds as
// have about 4000 components, and stores what its objective did. Unlike seconds this does not
// depend on the machine.
func algorithm1(ctx context.Context, s settings, sets []*datasets.Set) error {
	run := stored.Trials{Keys: []string{"set", "rank", "start"}, Count: uint64(s.starts), Out: filepath.Join(s.out, "algorithm1.csv"), Missing: s.missing, Sample: s.sample,
		Columns: []string{"rounds", "outcome", "target", "target_round", "first", "lowest", "last", "rises", "highest_rise"},
		Version: func([]string) (string, error) { return clustersVersion(ctx, Algorithm1) }}
	prepared := map[string]printed.RRA{}
	return run.Run(ctx, func(start uint64) iter.Seq[stored.Line] {
		return func(yield func(stored.Line) bool) {
			for _, set := range sets {
				for _, rank := range s.ranks {
					if !strings.Contains(set.Name, s.set) {
						continue
					}
					if !yield(stored.Line{Key: []string{set.Name, strconv.Itoa(rank), fmt.Sprint(start)}, Values: func() ([]string, error) {
						if time.Now().After(s.until) {
							return nil, errors.New("the minutes are over")
						}
						a, ok := prepared[set.Name]
						if !ok {
							graph, err := neighbor.KNN{}.Graph(ctx, set.X)
							if err != nil {
								return nil, err
							}
							if a, err = (printed.RRA{Graph: graph, Beta: beta}).Prepare(); err != nil {
								return nil, err
							}
							prepared[set.Name] = a
						}
						init, err := sameStart(set.X, rank, start)
						if err != nil {
							return nil, err
						}
						settled := Settled(1e-3)
						a.Start = printed.Start{Rank: rank, Init: init, MaxIter: 4000 / rank, Stop: func(t rnmf.Trace) bool { return settled(t) || exploded(t) }}
						r, err := a.Fit(ctx, set.X)
						if err != nil {
							return nil, err
						}
						return judged(r.Trace, Results("race.csv").Where("set", set.Name, "rank", strconv.Itoa(rank), "start", fmt.Sprint(start))), nil
					}}) {
						return
					}
				}
			}
		}
	})
}

// judged is what a trace of Algorithm 1 did, and when it was at the target of a race.
func judged(t rnmf.Trace, race stored.Table) []string {
	last, outcome, rises := t[len(t)-1], "not settled", 0
	switch {
	case exploded(t):
		outcome = "exploded"
	case Settled(1e-3)(t):
		outcome = "settled"
	}
	for i := range len(t) - 1 {
		if t[i+1].Objective > t[i].Objective*(1+1e-9) {
			rises++
		}
	}
	target, at := math.NaN(), -1
	if len(race) > 0 {
		target = race[0].Number("target")
		at = slices.IndexFunc(t, func(p rnmf.Point) bool { return p.Objective <= target })
	}
	return []string{strconv.Itoa(last.Round), outcome, number(target, 7), strconv.Itoa(at), number(t[0].Objective, 7), number(Lowest(t), 7), number(last.Objective, 7),
		strconv.Itoa(rises), number(rise(t), 3)}
}

// number writes a number with so many digits, and NaN as nothing.
func number(v float64, digits int) string { return stored.Number(v, 'g', digits) }
