// Command peers measures rnmf against what a user would otherwise take: NumPy
// with OpenBLAS, and scikit-learn, on this machine, in one run:
//
//	go run ./notebooks/lab/peers            # half an hour; -quick takes about 12 minutes
//
// It prints a Markdown table of ratios, all of them medians of pairs of runs that
// alternate between us and the peer. The peers need Debian's packages
// python3-numpy, libopenblas0-pthread and python3-sklearn, and run without the
// variables that make OpenBLAS slower (OPENBLAS_CORETYPE and the like). Before
// anything is timed, both sides must come to the same factors.
//
// ORL and COIL-20 are read from the folder named by RNMF_DATA; where they are
// not, their rows are left out.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/internal/newfile"
	"github.com/robustnmf/robustnmf/rnmf"
)

//go:embed peers.py
var peersPy []byte

// slows holds the beginnings of names of variables that make the peers slower.
var slows = []string{"OPENBLAS_", "GOTO_", "NVPL_", "BLIS_", "MKL_", "OMP_", "NPY_"}

// rest is longer than OpenBLAS's threads spin.
const rest = 100 * time.Millisecond

func main() {
	python := flag.String("python", "/usr/bin/python3", "`program` that has NumPy and scikit-learn")
	quick := flag.Bool("quick", false, "fewer and shorter runs")
	run := flag.String("run", "", "only rows that match this `regexp`")
	file := flag.String("o", "", "also write the table to this new `file`")
	child := flag.Bool("serve", false, "answer requests on stdin (for this program itself)")
	flag.Parse()
	if *child {
		if err := serve(); err != nil {
			fail(err)
		}
		return
	}
	want, err := regexp.Compile(*run)
	if err != nil {
		fail(err)
	}
	b := &bench{want: want, python: *python, pairs: 7, seconds: 0.5, rounds: 2000, patience: math.Inf(1), levels: map[string]*peer{}}
	if *quick {
		b.pairs, b.seconds, b.rounds, b.patience = 3, 0.15, 500, 25
	}
	if b.dir, err = os.MkdirTemp("", "peers"); err != nil {
		fail(err)
	}
	leave = func() { os.RemoveAll(b.dir) }
	defer leave()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() { fail(fmt.Errorf("stopped: %v", <-stop)) }()
	if err := os.WriteFile(filepath.Join(b.dir, "peers.py"), peersPy, 0o600); err != nil {
		fail(err)
	}
	b.ours, b.numpy = b.startOurs(""), b.startPython()
	text := b.facts()
	b.defaults()
	b.updates()
	b.products()
	b.shares()
	b.data()
	b.counts()
	b.memory()
	for _, p := range b.levels {
		p.close()
	}
	b.numpy.close()
	text += b.table()
	fmt.Print(text)
	if *file != "" {
		err := newfile.Write(*file, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			fail(err)
		}
	}
}

var leave = func() {}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "peers:", err)
	leave()
	os.Exit(1)
}

// pairsOfRounds is more than the pairs of fits: they are short, and the machine may
// change its speed in between.
const pairsOfRounds = 7

// A bench is a run of this program.
type bench struct {
	want     *regexp.Regexp
	python   string
	dir      string
	pairs    int     // of fits
	seconds  float64 // of a timed run
	rounds   int     // to look for the best objective
	patience float64 // seconds that NumPy has for a fit with default settings

	ours, numpy *peer
	levels      map[string]*peer // ours, by RNMF_KERNEL
	rows        []row
	notes       []string
	level       string // of our kernels
}

// A row is a line of the table. A goal of 0 is none.
type row struct {
	work, ours, peer string
	ratio, goal      float64
	least            bool // the ratio is more than this
}

func (b *bench) startOurs(level string) *peer {
	if p := b.levels[level]; p != nil {
		return p
	}
	self, err := os.Executable()
	if err != nil {
		fail(err)
	}
	var add []string
	if level != "" {
		add = append(add, "RNMF_KERNEL="+level)
	}
	p, err := startPeer("ours", rest/5, []string{"RNMF_KERNEL="}, add, self, "-serve")
	if err != nil {
		fail(err)
	}
	b.levels[level] = p
	return p
}

func (b *bench) startPython() *peer {
	p, err := startPeer("python", rest, slows, []string{"PYTHONIOENCODING=utf-8"}, b.python, filepath.Join(b.dir, "peers.py"))
	if err != nil {
		fail(err)
	}
	return p
}

func (b *bench) add(r row) {
	b.rows = append(b.rows, r)
	fmt.Fprintln(os.Stderr, r)
}

func (b *bench) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
	fmt.Fprintln(os.Stderr, b.notes[len(b.notes)-1])
}

func (r row) String() string {
	ratio, goal, met := "", "", ""
	if r.ratio > 0 {
		ratio = fmt.Sprintf("%.2f", r.ratio)
	}
	if r.least {
		ratio = "> " + ratio
	}
	if r.goal > 0 {
		goal, met = fmt.Sprintf("%.3g", r.goal), "no"
		switch {
		case r.ratio >= r.goal:
			met = "yes"
		case r.least:
			met = "?"
		}
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", r.work, r.ours, r.peer, ratio, goal, met)
}

func (b *bench) table() string {
	var t strings.Builder
	t.WriteString("\nTimes are wall times, medians of ")
	fmt.Fprintf(&t, "%d pairs of some rounds, and of %d of fits. Rounds are timed without their objectives on both sides; whole fits of ours have the checks of the data and the trace in them.\n", pairsOfRounds, b.pairs)
	t.WriteString("NumPy uses `out=` on whole matrices, in the order that is fastest here; \"rewritten\", also blocks that fit the cache, Python threads, and norms from Gram matrices.\n")
	t.WriteString("\n| work | ours | peer | ratio | goal | met |\n|---|---|---|---|---|---|\n")
	for _, r := range b.rows {
		fmt.Fprintln(&t, r)
	}
	for _, n := range b.notes {
		t.WriteString("\n" + n + "\n")
	}
	return t.String()
}

// share writes a problem to files, from which the processes read it.
func (b *bench) share(name string, x *mat.Dense, rank int) request {
	path := filepath.Join(b.dir, name)
	w, h, err := rnmf.Random{}.Start(context.Background(), x, rank, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		fail(err)
	}
	for ending, a := range map[string]*mat.Dense{".x": x, ".w": w, ".h": h} {
		if err := write(path+ending, a); err != nil {
			fail(err)
		}
	}
	m, n := x.Dims()
	return request{Op: "load", Data: name, M: m, N: n, Rank: rank, Path: path}
}

// synthetic is a product of two factors, noise, and outliers in 5 % of the
// entries, all in 0..1.
func synthetic(m, n, rank int) *mat.Dense {
	rng := rand.New(rand.NewPCG(2, uint64(m*n)))
	uniform := func(rows, cols int) *mat.Dense {
		d := make([]float64, rows*cols)
		for i := range d {
			d[i] = rng.Float64()
		}
		return mat.NewDense(rows, cols, d)
	}
	var x mat.Dense
	x.Mul(uniform(m, rank), uniform(rank, n))
	for i := range m {
		row := x.RawRowView(i)
		for j, v := range row {
			row[j] = min(1, v/float64(rank)+0.1*rng.Float64())
			if rng.IntN(20) == 0 {
				row[j] = rng.Float64()
			}
		}
	}
	return &x
}

// The pairs of runs of one row.
type pairs struct{ ours, peer, ratio float64 }

func alternate(times int, ours, peer func() float64) pairs {
	var o, p, q []float64
	for range times {
		u, v := ours(), peer()
		o, p, q = append(o, u), append(p, v), append(q, v/u)
	}
	return pairs{median(o), median(p), median(q)}
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// perRound times so many rounds at once that they take about b.seconds.
func (b *bench) perRound(p *peer, q request) func() float64 {
	q.Rounds = 3
	q.Rounds = max(3, min(300, int(b.seconds*3/p.ask(q).Seconds)))
	return func() float64 { return p.ask(q).Seconds / float64(q.Rounds) }
}

var scales = map[string]float64{"hypersurface": 1, "cauchy": 0.05, "huber": 0.05, "l1": 0.005, "l21": 1e-3}

// agree makes sure that ours and NumPy compute the same: ten multiplicative
// rounds must lead both to the same factors.
func (b *bench) agree(set, q request, ours, theirs *peer) {
	q.Op, q.Rounds, q.Cold = "rounds", 10, true
	q.Out = filepath.Join(b.dir, "ours")
	ours.ask(q)
	q.Out = filepath.Join(b.dir, "theirs")
	theirs.ask(q)
	for _, f := range []struct {
		name       string
		rows, cols int
	}{{".w", set.M, set.Rank}, {".h", set.Rank, set.N}} {
		u, err := read(filepath.Join(b.dir, "ours"+f.name), f.rows, f.cols)
		if err != nil {
			fail(err)
		}
		v, err := read(filepath.Join(b.dir, "theirs"+f.name), f.rows, f.cols)
		if err != nil {
			fail(err)
		}
		var d mat.Dense
		d.Sub(u, v)
		if apart := mat.Norm(&d, 2) / mat.Norm(v, 2); !(apart < 1e-6) {
			fail(fmt.Errorf("%s on %s: after 10 rounds, our factor %s and NumPy's are %.2g apart", q.Loss, q.Data, f.name, apart))
		}
	}
}

// updates measures multiplicative updates of H and W.
func (b *bench) updates() {
	loaded := map[*peer]bool{}
	for i, s := range [][3]int{{1024, 1440, 20}, {1024, 400, 40}, {2576, 7200, 50}} {
		var set request
		shape := fmt.Sprintf("%d×%d, r = %d", s[0], s[1], s[2])
		for _, loss := range []string{"hypersurface", "l21", "cauchy", "huber"} {
			if i == 2 && loss != "hypersurface" {
				continue
			}
			work := fmt.Sprintf("H + W update, %s, %s", titles[loss], shape)
			type versus struct {
				work, kind, level string
				goal              float64
			}
			vs := []versus{
				{work, "whole", "", 3},
				{work + ", NumPy rewritten", "blocks", "", 0},
			}
			if loss == "hypersurface" {
				vs[0].goal = []float64{5, 2.5, 3}[i]
				if i < 2 {
					vs = append(vs, versus{work + ", portable Go", "whole", "portable", 0})
				}
			}
			for _, v := range vs {
				if !b.want.MatchString(v.work) {
					continue
				}
				ours := b.startOurs(v.level)
				if set.Data == "" {
					set = b.share(shape, synthetic(s[0], s[1], s[2]), s[2])
					b.numpy.ask(set)
					clear(loaded)
				}
				if !loaded[ours] {
					ours.ask(set)
					loaded[ours] = true
				}
				q := request{Op: "rounds", Data: set.Data, Loss: loss, Scale: scales[loss], Kind: v.kind, Tries: 3}
				b.agree(set, q, ours, b.numpy)
				t := alternate(pairsOfRounds, b.perRound(ours, q), b.perRound(b.numpy, q))
				b.add(row{v.work, duration(t.ours), fmt.Sprintf("%s (%s)", duration(t.peer), b.variant(q)), t.ratio, v.goal, false})
			}
		}
		if set.Data != "" {
			for p := range loaded {
				p.ask(request{Op: "drop", Data: set.Data})
			}
			b.numpy.ask(request{Op: "drop", Data: set.Data})
		}
	}
}

var titles = map[string]string{"hypersurface": "hypersurface", "l21": "L2,1", "cauchy": "Cauchy", "huber": "Huber", "l1": "L1"}

// variant tells which way of writing a request in NumPy was the fastest.
func (b *bench) variant(q request) string {
	q.Rounds, q.Cold = 1, true
	return b.numpy.ask(q).Variant
}

// data measures fits of real data.
func (b *bench) data() {
	for _, d := range []struct {
		source *datasets.PublicSet
		rank   int
	}{{datasets.ORL, 40}, {datasets.COIL20, 20}} {
		s, err := d.source.Load(context.Background())
		if err != nil {
			b.note("%s is not there, and its rows are left out: set %s.", d.source.Name, datasets.FolderEnv)
			continue
		}
		set := b.share(d.source.Name, s.Scaled().X, d.rank)
		b.ours.ask(set)
		b.numpy.ask(set)
		where := fmt.Sprintf("%s, r = %d", d.source.Name, d.rank)
		b.frobenius(where, set)
		for _, l := range []struct {
			loss  string
			scale float64
		}{{"hypersurface", 1}, {"hypersurface", 0.05}, {"cauchy", 0.05}, {"l1", 0.005}, {"l21", 1e-3}} {
			work := fmt.Sprintf("to the objective of 400 multiplicative rounds, %s (%g), %s", titles[l.loss], l.scale, where)
			if b.want.MatchString(work) {
				b.robust(work, set, request{Data: set.Data, Loss: l.loss, Scale: l.scale, Kind: "whole", Tries: 3})
			}
		}
	}
}

// frobenius compares fits with scikit-learn's, to the same objective.
func (b *bench) frobenius(where string, set request) {
	if !b.want.MatchString("NMF to, " + where) {
		return
	}
	long := request{Op: "fit", Data: set.Data, Most: b.rounds, Limit: 30}
	ours := b.ours.ask(long).Trace
	traces := map[string][]float64{}
	for _, solver := range []string{"cd", "mu"} {
		q := long
		q.Op, q.Solver = "sklearn", solver
		traces[solver] = b.numpy.ask(q).Trace
		if start := traces[solver][0]; math.Abs(start/ours[0]-1) > 1e-9 {
			fail(fmt.Errorf("%s: our objective of the start is %g, scikit-learn's %g", where, ours[0], start))
		}
	}
	theirs := min(slices.Min(traces["cd"]), slices.Min(traces["mu"]))
	best := min(slices.Min(ours), theirs)
	b.note("The least squared error found of %s is %.6g by us, in %d rounds, and %.6g by scikit-learn, in %d of cd and %d of mu.",
		where, slices.Min(ours), len(ours)-1, theirs, len(traces["cd"])-1, len(traces["mu"])-1)
	for _, above := range []float64{1, 0.1} {
		share := 1 + above/100
		b.toTarget(fmt.Sprintf("NMF to %g %% above the best, %s", above, where), set, share*best, ours, traces, 3)
		if theirs > share*best {
			b.toTarget(fmt.Sprintf("NMF to %g %% above scikit-learn's best, %s", above, where), set, share*theirs, ours, traces, 0)
		}
	}
}

// toTarget times fits that are known from their traces to reach a target, or not.
func (b *bench) toTarget(work string, set request, target float64, ours []float64, traces map[string][]float64, goal float64) {
	reaches := func(trace []float64) int {
		return slices.IndexFunc(trace, func(f float64) bool { return f <= target })
	}
	r := row{work: work, goal: goal}
	if reaches(ours) < 0 {
		r.ours = fmt.Sprintf("not in %d rounds", len(ours)-1)
		b.add(r)
		return
	}
	mine := request{Op: "fit", Data: set.Data, Target: target, Most: len(ours)}
	var texts []string
	for _, solver := range []string{"cd", "mu"} {
		k, times, not := reaches(traces[solver]), b.pairs, ""
		if k < 0 {
			k, times, not = len(traces[solver])-1, 1, "not in "
		}
		q := request{Op: "sklearn", Data: set.Data, Solver: solver, Rounds: k}
		if end := b.numpy.ask(q).Objective; not == "" && end > target*(1+1e-9) {
			fail(fmt.Errorf("%s: %d rounds of %s end at %g, one by one at %g", work, k, solver, end, traces[solver][k]))
		}
		t := alternate(times, func() float64 { return b.ours.ask(mine).Seconds }, func() float64 { return b.numpy.ask(q).Seconds })
		texts = append(texts, fmt.Sprintf("%s %s%s, %d rounds", solver, not, duration(t.peer), k))
		// The faster of those that get there; if none does, cd bounds the ratio.
		if solver == "cd" || not == "" && (r.least || t.ratio < r.ratio) {
			r.ratio, r.least = t.ratio, not != ""
			r.ours = fmt.Sprintf("%s, %d rounds", duration(t.ours), reaches(ours))
		}
	}
	r.peer = strings.Join(texts, "; ")
	b.add(r)
}

// robust compares the time to the objective that 400 rounds in NumPy reach.
func (b *bench) robust(work string, set, q request) {
	b.agree(set, q, b.ours, b.numpy)
	q.Op, q.Rounds, q.Out = "rounds", 400, filepath.Join(b.dir, "numpy")
	b.numpy.ask(q)
	at := request{Op: "fit", Data: q.Data, Loss: q.Loss, Scale: q.Scale, Path: q.Out, Most: 1, Target: math.MaxFloat64}
	mine := at
	mine.Target, mine.Path, mine.Most = b.ours.ask(at).Objective, "", 400
	last := b.ours.ask(mine)
	if last.Objective > mine.Target {
		b.add(row{work: work, ours: "not in 400 rounds", goal: 40})
		return
	}
	t := alternate(b.pairs, func() float64 { return b.ours.ask(mine).Seconds }, func() float64 { return b.numpy.ask(q).Seconds })
	b.add(row{work, fmt.Sprintf("%s, %d rounds", duration(t.ours), last.Rounds), duration(t.peer), t.ratio, 40, false})
}

// memory compares what fits need beyond the data, each in a fresh process: multiplicative
// updates on both sides, and our default solver next to NumPy's multiplicative updates.
func (b *bench) memory() {
	const work = "memory beyond X, hypersurface, multiplicative, 2576×7200, r = 50"
	if !b.want.MatchString(work) {
		return
	}
	set := b.share("memory", synthetic(2576, 7200, 50), 50)
	beyond := func(p *peer, variant string) float64 {
		defer p.close()
		p.ask(set)
		p.ask(request{Op: "rounds", Data: set.Data, Loss: "hypersurface", Scale: 1, Rounds: 2, Kind: "whole", Variant: variant, Cold: true})
		return float64(p.ask(request{Op: "peak"}).Bytes - 8*int64(set.M)*int64(set.N))
	}
	clear(b.levels)
	numpy := beyond(b.startPython(), "plain")
	for _, solver := range []string{"multiplicative", byDefault} {
		clear(b.levels)
		ours := beyond(b.startOurs(""), solver)
		b.add(row{strings.Replace(work, "multiplicative", solver, 1), fmt.Sprintf("%.0f MB", ours/1e6), fmt.Sprintf("%.0f MB", numpy/1e6), numpy / ours, 0, false})
	}
	clear(b.levels)
}

func duration(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.0f µs", 1e6*s)
	case s < 1:
		return fmt.Sprintf("%.3g ms", 1e3*s)
	}
	return fmt.Sprintf("%.3g s", s)
}
