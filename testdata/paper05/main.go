// Command paper05 runs the experiments of notebook 05 at full length and stores
// them beside this file:
//
//	go run ./testdata/paper05 [-only race,energy,clusters] [-trials 3] [-ranks 10,20,50,100,200] [-seconds 30] [-out testdata/paper05]
//
// race (about ten minutes on two idle cores) is the time that each solver takes to
// the objective at which RRA stops, on COIL-20 and on PIE or, where that is not at
// hand, made-up faces of its size; also by NumPy, where that is.
// energy is Table 1, clusters Fig. 4 and 5. COIL-20 must be in the folder that
// RNMF_DATA names.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/testdata/paper05/trial"
)

// beta is that of the paper, and so is the number of neighbours, KNN's own.
const beta = 1

// settings are the flags.
type settings struct {
	out     string
	trials  int
	ranks   []int
	seconds float64
	python  string
	set     string
}

func main() {
	log.SetFlags(0)
	only := flag.String("only", "race,energy,clusters", "experiments, a `list`")
	ranks := flag.String("ranks", "10,20,50,100,200", "`ranks` of the race")
	var s settings
	flag.IntVar(&s.trials, "trials", 3, "`starts` of the race at ranks to 100; clusters have ten")
	flag.Float64Var(&s.seconds, "seconds", 30, "`time` after which a solver is late")
	flag.StringVar(&s.set, "set", "", "of the race, only the `set` whose name has this in it")
	flag.StringVar(&s.python, "python", "/usr/bin/python3", "`program` that has NumPy and SciPy")
	flag.StringVar(&s.out, "out", "testdata/paper05", "`folder` to write to")
	flag.Parse()
	for _, r := range strings.Split(*ranks, ",") {
		rank, err := strconv.Atoi(r)
		if err != nil {
			log.Fatal(err)
		}
		s.ranks = append(s.ranks, rank)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, name := range strings.Split(*only, ",") {
		run := map[string]func(context.Context, settings) error{"race": race, "energy": energy, "clusters": clusters}[name]
		if run == nil {
			log.Fatalf("no experiment %q", name)
		}
		if err := run(ctx, s); err != nil {
			log.Fatal(err)
		}
	}
}

// faces returns PIE or what takes its place.
func faces(ctx context.Context) *datasets.Set {
	if s, err := datasets.CMUPIE.Load(ctx); err == nil && len(s.Labels) == 2856 {
		return s.Scaled()
	}
	return trial.Faces(68, 42, 1)
}

// A sheet is a file of results.
type sheet struct {
	file *os.File
	*csv.Writer
}

func create(folder, name string, header ...string) (*sheet, error) {
	f, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return nil, err
	}
	s := &sheet{f, csv.NewWriter(f)}
	return s, s.add(header)
}

func (s *sheet) add(row []string) error {
	if err := s.Write(row); err != nil {
		return err
	}
	s.Flush()
	return s.Error()
}

func number(v float64, digits int) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

func race(ctx context.Context, s settings) error {
	coil, err := datasets.COIL20.Load(ctx)
	if err != nil {
		return err
	}
	out, err := create(s.out, "race.csv", "set", "rank", "start", "solver", "target", "seconds", "rounds", "stop_seconds", "stop_rounds", "stop_objective", "stop_kkt", "highest_rise")
	if err != nil {
		return err
	}
	defer out.file.Close()
	traces, err := create(s.out, "traces.csv", "set", "rank", "solver", "seconds", "objective")
	if err != nil {
		return err
	}
	defer traces.file.Close()
	for _, set := range []*datasets.Set{coil.Scaled(), faces(ctx)} {
		if !strings.Contains(set.Name, s.set) {
			continue
		}
		graph, err := rnmf.KNN{}.Graph(set.X)
		if err != nil {
			return err
		}
		rnmf.RRA{}.Prepare(graph)
		peer, err := newPeer(s.python, set.X, graph)
		if err != nil {
			return err
		}
		defer os.RemoveAll(peer.folder)
		for _, rank := range s.ranks {
			for start := 1; start <= s.trials && (start == 1 || rank <= 100); start++ {
				if err := raceFrom(ctx, s, set, graph, peer, rank, start, out, traces); err != nil {
					return err
				}
				log.Printf("%s, rank %d, start %d", set.Name, rank, start)
			}
		}
	}
	return nil
}

// A run is what a solver did, to its own end and then on.
type run struct {
	name   string
	trace  rnmf.Trace
	kkt    float64 // where rule (18) ends it
	stop   int     // that round
	repeat func() (rnmf.Trace, error)
}

// raceFrom lets all solvers go from one start. The fast ones go three times, in
// turn, and the least of their times counts.
func raceFrom(ctx context.Context, s settings, set *datasets.Set, graph *rnmf.Graph, peer peer, rank, start int, out, traces *sheet) error {
	model := rnmf.GNMF(rank, graph, beta)
	model.Seed, model.MaxIter = uint64(start), 20000
	var err error
	if model.Init, err = sameStart(set.X, rank, uint64(start)); err != nil {
		return err
	}
	settled := trial.Settled(1e-3)
	var runs []run
	target := math.NaN()
	for _, i := range []int{3, 2, 0, 1, 4} { // RRA first: the safe one, then the printed one
		rival := trial.Rivals()[i]
		m := model
		m.Solver = rival.Solver
		r := run{name: rival.Name}
		// First to rule (18), for the KKT residual there.
		ended, err := trial.Run(ctx, m, set.X, func(t rnmf.Trace) bool { return settled(t) || late(t, s.seconds) })
		if err != nil {
			return err
		}
		r.trace, r.kkt, r.stop = ended.Trace, ended.KKT, len(ended.Trace)-1
		switch i {
		case 3:
			target = ended.Trace[r.stop].Objective
		case 2:
			if rise(r.trace) <= 1e-6 {
				target = ended.Trace[r.stop].Objective
			}
		}
		r.repeat = func() (rnmf.Trace, error) {
			res, err := trial.Run(ctx, m, set.X, func(t rnmf.Trace) bool { return trial.Reached(target, s.seconds)(t) || late(t, s.seconds) })
			if err != nil {
				return nil, err
			}
			return res.Trace, nil
		}
		runs = append(runs, r)
	}
	for _, solver := range []string{"mur", "rra"} {
		if start > 1 {
			break
		}
		ask := func(eps, target float64) (rnmf.Trace, error) {
			return peer.run(ctx, model.Init.(rnmf.Factors), solver, eps, target, s.seconds)
		}
		t, err := ask(1e-3, -1)
		if err != nil {
			log.Print("without NumPy: ", err)
			break
		}
		runs = append(runs, run{name: map[string]string{"mur": "NumPy MUR", "rra": "NumPy RRA"}[solver], trace: t, kkt: math.NaN(), stop: len(t) - 1,
			repeat: func() (rnmf.Trace, error) { return ask(0, target) }})
	}
	best := make([]float64, len(runs))
	for pass := range 3 {
		for i, r := range runs {
			best[i] = cmp.Or(best[i], math.Inf(1))
			if pass > 0 && (best[i] > 3 || math.IsNaN(best[i])) {
				continue
			}
			// A run that explodes need not go on.
			t := r.trace
			if pass > 0 || trial.Lowest(t) > target && rise(t) < 1 {
				if t, err = r.repeat(); err != nil {
					return err
				}
			}
			if len(t) > len(r.trace) {
				runs[i].trace = t
			}
			if seconds := trial.SecondsTo(t, target); seconds < best[i] || pass == 0 {
				best[i] = seconds
			}
		}
	}
	for i, r := range runs {
		round := slices.IndexFunc(r.trace, func(p rnmf.Point) bool { return p.Objective <= target })
		end := r.trace[r.stop]
		row := []string{set.Name, strconv.Itoa(rank), strconv.Itoa(start), r.name, number(target, 7), number(best[i], 4), strconv.Itoa(round),
			number(end.Seconds, 4), strconv.Itoa(r.stop), number(end.Objective, 7), number(r.kkt, 3), number(rise(r.trace[:r.stop+1]), 3)}
		if err := out.add(row); err != nil {
			return err
		}
		if start > 1 {
			continue
		}
		for k, p := range r.trace {
			if k < 20 || k%(1+len(r.trace)/40) == 0 || k == len(r.trace)-1 {
				if err := traces.add([]string{set.Name, strconv.Itoa(rank), r.name, number(p.Seconds, 4), number(p.Objective, 7)}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sameStart returns factors that all solvers can be given.
func sameStart(x *mat.Dense, rank int, seed uint64) (rnmf.Factors, error) {
	for step, err := range (rnmf.Model{Rank: rank, Seed: seed}).Steps(context.Background(), x) {
		if err != nil {
			return rnmf.Factors{}, err
		}
		return rnmf.Factors{W: step.W(), H: step.H()}, nil
	}
	panic("no start")
}

// late tells whether a solver has had its time, or 60 rounds of an explosion.
func late(t rnmf.Trace, seconds float64) bool {
	return t[len(t)-1].Seconds > seconds || len(t) > 60 && rise(t) > 1
}

// rise returns by how much a round raised the objective at most, as a share of it.
func rise(t rnmf.Trace) (most float64) {
	for i := range len(t) - 1 {
		most = max(most, t[i+1].Objective/t[i].Objective-1)
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
	if p.folder, err = os.MkdirTemp("", "paper05"); err != nil {
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
	return p, errors.Join(os.WriteFile(filepath.Join(p.folder, "edges"), edges.Bytes(), 0o600), p.write("x", x))
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

func (p peer) run(ctx context.Context, start rnmf.Factors, solver string, eps, target, seconds float64) (rnmf.Trace, error) {
	_, r := start.W.Dims()
	shape := fmt.Sprintln(p.m, p.n, r, beta, 0.95)
	if err := errors.Join(p.write("w", mat.DenseCopyOf(start.W)), p.write("h", mat.DenseCopyOf(start.H)), os.WriteFile(filepath.Join(p.folder, "shape"), []byte(shape), 0o600)); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, p.python, "testdata/paper05/peers.py", p.folder, solver,
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
func energy(ctx context.Context, s settings) error {
	set := faces(ctx)
	graph, err := rnmf.KNN{}.Graph(set.X)
	if err != nil {
		return err
	}
	out, err := create(s.out, "energy.csv", "set", "energy", "kept", "solver", "target", "seconds", "rounds", "highest_rise")
	if err != nil {
		return err
	}
	defer out.file.Close()
	model := rnmf.GNMF(10, graph, beta)
	model.MaxIter, model.Seed = 20000, 1
	model.Solver = rnmf.RRA{Energy: 1}
	exact, err := trial.Run(ctx, model, set.X, trial.Settled(1e-3))
	if err != nil {
		return err
	}
	target := exact.Objective
	for _, share := range []float64{0.65, 0.75, 0.85, 0.95, 1} {
		for _, plain := range []bool{true, false} {
			solver := rnmf.RRA{Energy: share, Plain: plain}
			kept := solver.Prepare(graph)
			model.Solver = solver
			best, rounds, most := math.Inf(1), -1, 0.0
			for range 3 {
				r, err := trial.Run(ctx, model, set.X, func(t rnmf.Trace) bool {
					return trial.Reached(target, s.seconds)(t) || late(t, s.seconds)
				})
				if err != nil {
					return err
				}
				seconds := trial.SecondsTo(r.Trace, target)
				if most = rise(r.Trace); math.IsNaN(seconds) {
					best = seconds
					break
				}
				best, rounds = min(best, seconds), len(r.Trace)-1
			}
			name := map[bool]string{true: "RRA, printed", false: "RRA, safe"}[plain]
			if err := out.add([]string{set.Name, number(share, 3), strconv.Itoa(kept), name, number(target, 7), number(best, 4), strconv.Itoa(rounds), number(most, 3)}); err != nil {
				return err
			}
		}
		log.Printf("energy %g", share)
	}
	return nil
}

// clusters is Fig. 4, and Fig. 5 where PIE is at hand.
func clusters(ctx context.Context, s settings) error {
	coil, err := datasets.COIL20.Load(ctx)
	if err != nil {
		return err
	}
	sets := []*datasets.Set{coil}
	if pie, err := datasets.CMUPIE.Load(ctx); err == nil {
		sets = append(sets, pie)
	}
	out, err := create(s.out, "clusters.csv", "set", "classes", "trial", "solver", "accuracy", "nmi", "seconds")
	if err != nil {
		return err
	}
	defer out.file.Close()
	for _, set := range sets {
		for classes := 2; classes <= 10; classes++ {
			for t := range uint64(10) {
				rows, err := trial.Clusters(ctx, set.Scaled(), classes, t+1)
				if err != nil {
					return err
				}
				for _, r := range rows {
					if err := out.add([]string{set.Name, strconv.Itoa(classes), strconv.Itoa(int(t + 1)), r.Name, number(r.Accuracy, 4), number(r.NMI, 4), number(r.Seconds, 3)}); err != nil {
						return err
					}
				}
			}
			log.Printf("%s, %d classes", set.Name, classes)
		}
	}
	return nil
}
