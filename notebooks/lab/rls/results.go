package rls

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

//go:embed results.csv
var results string

// A Result is a point of the grid of a method in one of the paper's tables.
type Result struct {
	Table      int
	Set        string
	Level      float64 // share removed, or deviation of the noise
	Method     string
	choose.Row // alpha, beta, gamma, lambda, and the scores of Score
}

// Table returns what Command has stored, line by line, with the seeds of the starts, of
// which each score is the mean, the rounds of a fit and the version; AsPrintedTable the same
// of AsPrintedResults.
var (
	Table          = sync.OnceValue(func() stored.Table { return stored.Parse(results) })
	AsPrintedTable = sync.OnceValue(func() stored.Table { return stored.Parse(asPrinted) })
)

// Results returns what Command has stored.
var Results = sync.OnceValue(func() []Result { return Parse(Table()) })

// Parse reads the lines of a Table.
func Parse(t stored.Table) (all []Result) {
	parameters := []string{"alpha", "beta", "gamma", "lambda"}
	for _, line := range t {
		r := Result{int(line.Number("table")), line.Text("set"), line.Number("level"), line.Text("method"),
			choose.Row{Setting: choose.Setting{Names: parameters}, Scores: choose.Scores{}}}
		for _, name := range parameters {
			r.Setting.Values = append(r.Setting.Values, line.Number(name))
		}
		for _, name := range scores {
			r.Scores[name] = line.Number(name)
		}
		all = append(all, r)
	}
	return all
}

// Command runs the tables of notebook 04 at full length and stores them; with -only
// time, on a quiet machine, it stores the times of Fig. 8 instead. It wants the data
// sets in the folder that RNMF_DATA names; of those it does not find, and of tables that
// -only leaves out, the lines that are stored stay. A run that is stopped writes what is
// known, and the next one goes on with what it finds in the work folder. Points are
// computed in parallel, so only -only time gives times.
func Command(ctx context.Context, args []string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	f := flag.NewFlagSet("rls", flag.ContinueOnError)
	work := f.String("work", filepath.Join(cache, "rnmf", "paper04"), "`folder` of what is known so far")
	out := f.String("out", "notebooks/lab/rls", "`folder` to write results.csv or times.csv to")
	seconds := f.Float64("seconds", 0, "stop after this `time`; 0: never stop")
	only := f.String("only", "", "`tables` to run, such as 1,3, 1:Yale or 5:ORL:0.005, the others stay as they are stored; all if empty. time: Fig. 8")
	as := f.Bool("as-printed", false, "run AsPrinted, which goes to asprinted.csv")
	workers := f.Int("workers", 0, "points tried at once; 0: one for each processor")
	sample := f.Int("sample", 0, "compute only this `number` of rows of older versions of each problem and method; if they have the values that are stored, all these rows are of the version of now")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *seconds > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(*seconds*float64(time.Second)))
		defer cancel()
	}
	load := func(s *datasets.PublicSet) (*datasets.Set, error) { return s.Load(context.WithoutCancel(ctx)) }
	if *only == "time" {
		rows, err := times(ctx, load)
		if err != nil {
			return err
		}
		return stored.Write(filepath.Join(*out, "times.csv"), rows)
	}
	if err := os.MkdirAll(*work, 0o755); err != nil {
		return err
	}
	u := run{load, *work, *only, *workers, 0, Methods(), nil}
	name := "results.csv"
	if *as {
		u.methods, u.values, name = AsPrinted(), RawGrid, "asprinted.csv"
	}
	if *sample > 0 {
		return u.verify(ctx, filepath.Join(*out, name), *sample)
	}
	return u.store(ctx, filepath.Join(*out, name))
}

// Values of the parameters, in units of the data: those of the paper, but that γ of 2
// and more is LS-NMF, bit for bit (a test has it), and need not be tried.
var (
	decades = choose.Decades(-3, 3)
	gammas  = choose.Decades(-3, 0)
)

// A job is a problem of one of the tables.
type job struct {
	table          int
	set            *datasets.PublicSet
	removed, noise float64
	apart          bool // α and β each for itself, for LS-NMF alone
}

func jobs() (all []job) {
	for _, s := range []*datasets.PublicSet{datasets.Yale, datasets.ORL, datasets.Semeion, datasets.COIL20, datasets.Pendigits, datasets.JAFFE, datasets.ExtendedYaleB, datasets.AR} {
		all = append(all, job{table: 1, set: s})
	}
	all = append(all, job{table: 1, set: datasets.Yale, apart: true}, job{table: 1, set: datasets.Semeion, apart: true})
	for i, s := range []*datasets.PublicSet{datasets.JAFFE, datasets.Yale, datasets.COIL20} {
		for _, share := range []float64{0.2, 0.4, 0.6} {
			all = append(all, job{table: 2 + i, set: s, removed: share})
		}
	}
	for i, s := range []*datasets.PublicSet{datasets.ORL, datasets.Yale, datasets.COIL20} {
		for _, sigma := range []float64{0.005, 0.010, 0.015} {
			all = append(all, job{table: 5 + i, set: s, noise: sigma})
		}
	}
	return all
}

var scores = []string{"accuracy", "nmi", "purity", "stability", "silhouette", "live", "sparsityW", "sparsityH"}

// wanted tells whether only names a job, by its table, as table:set or as table:set:level. What
// has α and β apart is of the table apart.
func wanted(only string, j job) bool {
	name := strconv.Itoa(j.table)
	if j.apart {
		name = "apart"
	}
	for _, part := range []string{"", ":" + j.set.Name, ":" + fmt.Sprint(j.removed+j.noise)} {
		name += part
		if only == "" || strings.Contains(","+only+",", ","+name+",") {
			return true
		}
	}
	return false
}

// A run goes over the jobs.
type run struct {
	load       func(*datasets.PublicSet) (*datasets.Set, error)
	work, only string
	workers    int
	rounds     int // 0: Rounds
	methods    []Method
	values     func(table int) [3][]float64 // of the grid; nil: see grid
}

func (u run) store(ctx context.Context, out string) error {
	rows := [][]string{slices.Concat([]string{"table", "set", "level", "method", "alpha", "beta", "gamma", "lambda"}, scores, []string{"seeds", "rounds", "version"})}
	before, err := linesOf(out)
	if err != nil {
		return err
	}
	sets := map[*datasets.PublicSet]*datasets.Set{}
	start := time.Now()
	for _, j := range jobs() {
		if _, known := sets[j.set]; !known {
			s, err := u.load(j.set)
			if err != nil {
				log.Printf("%s is not at hand", j.set.Name)
			}
			sets[j.set] = s
		}
		level := j.removed + j.noise // one is 0
		if sets[j.set] == nil || !wanted(u.only, j) {
			for _, line := range before {
				if line[0] == strconv.Itoa(j.table) && line[1] == j.set.Name && line[2] == fmt.Sprint(level) && j.apart == (line[4] != line[5]) {
					rows = append(rows, line)
				}
			}
			continue
		}
		p, err := New(sets[j.set], j.removed, j.noise, 1)
		if err != nil {
			return err
		}
		for _, m := range u.methods {
			if u.values != nil && j.apart || j.table > 1 && m.Name == "L1" || j.apart && m.Name != "LS-NMF" {
				continue
			}
			version, err := version(ctx, m)
			if err != nil {
				return err
			}
			g := u.grid(j, m, p, level)
			g.Task += " " + version // points of an older version are no points of this search
			g.File = strings.TrimSuffix(g.File, ".jsonl") + "-" + version + ".jsonl"
			table, err := g.Run(ctx)
			if err != nil && (ctx.Err() == nil || table == nil) {
				return err
			}
			for _, r := range table.Rows {
				row := []string{strconv.Itoa(j.table), j.set.Name, fmt.Sprint(level), m.Name}
				v := At(r.Setting)
				if j.apart && v.Alpha == v.Beta {
					continue // it is there
				}
				for _, v := range []float64{v.Alpha, v.Beta, v.Gamma, v.Lambda} {
					row = append(row, fmt.Sprint(v))
				}
				for _, name := range scores {
					row = append(row, stored.Number(r.Scores[name], 'f', 4))
				}
				rows = append(rows, append(row, u.how(version)...))
			}
		}
		log.Printf("table %d, %s, %g: %.0f s", j.table, j.set.Name, level, time.Since(start).Seconds())
	}
	return stored.Write(out, rows)
}

// how returns seeds, rounds and version, the last columns of a row.
func (u run) how(version string) []string {
	return []string{"1 2", fmt.Sprint(cmp.Or(u.rounds, Rounds)), version}
}

// verify gives rows of an older version, or without seeds and rounds, those of now, where they would not
// change. Of each problem and method it computes so many rows again, drawn by chance. If all have the scores that are stored, so
// have the others, as far as that can tell; if one differs, all stay as they are, for store.
func (u run) verify(ctx context.Context, out string, sample int) error {
	rows, err := linesOf(out)
	if err != nil || len(rows) == 0 {
		return err
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	head, _, _ := strings.Cut(string(text), "\n")
	rng := rand.New(rand.NewPCG(1, 0))
	for _, j := range jobs() {
		s, err := u.load(j.set)
		if err != nil || !wanted(u.only, j) {
			continue
		}
		level := j.removed + j.noise
		p, err := New(s, j.removed, j.noise, 1)
		if err != nil {
			return err
		}
		for _, m := range u.methods {
			version, err := version(ctx, m)
			if err != nil {
				return err
			}
			var of [][]string
			for _, line := range rows {
				if line[0] == strconv.Itoa(j.table) && line[1] == j.set.Name && line[2] == fmt.Sprint(level) && line[3] == m.Name &&
					j.apart == (line[4] != line[5]) && !slices.Equal(line[len(line)-3:], u.how(version)) {
					of = append(of, line)
				}
			}
			same := true
			for _, k := range rng.Perm(len(of))[:min(sample, len(of))] {
				if same, err = u.repeats(ctx, p, m, of[k]); err != nil {
					return err
				}
				if !same {
					break
				}
			}
			if !same || len(of) == 0 {
				continue
			}
			for _, line := range of {
				copy(line[len(line)-3:], u.how(version))
			}
			if err := stored.Write(out, append([][]string{strings.Split(head, ",")}, rows...)); err != nil {
				return err
			}
			log.Printf("table %d, %s, %g, %s: %d rows, of which %d were computed again", j.table, j.set.Name, level, m.Name, len(of), min(sample, len(of)))
		}
	}
	return nil
}

// repeats tells whether a stored row is computed again as it is.
func (u run) repeats(ctx context.Context, p *Problem, m Method, line []string) (bool, error) {
	at := choose.Setting{Names: []string{"alpha", "beta", "gamma", "lambda"}}
	for _, text := range line[4:8] {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return false, err
		}
		at.Values = append(at.Values, v)
	}
	now, err := Score(p, m, u.rounds)(ctx, at)
	if err != nil {
		return false, err
	}
	for i, name := range scores {
		if text := stored.Number(now[name], 'f', 4); text != line[8+i] {
			log.Printf("%s: %s was %s, is %s", strings.Join(line[:8], ", "), name, line[8+i], text)
			return false, nil
		}
	}
	return true, nil
}

// linesOf returns the lines of a stored table without its heading, none if there is no file.
func linesOf(path string) ([][]string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	return lines[1:], nil
}

// grid is the search for the parameters of a method.
func (u run) grid(j job, m Method, p *Problem, level float64) choose.Grid {
	values := [3][]float64{decades, gammas, decades}
	features, n := p.X.Dims()
	large := features*n > 2_000_000 // Extended Yale B
	if j.table > 1 || large {       // shorter, and more so where there are many samples
		values = [3][]float64{{0.001, 0.01, 0.1}, {0.1, 1}, choose.Decades(-2, 2)}
		if n > 1000 {
			values[0], values[1] = []float64{0.001, 0.1}, []float64{1}
		}
		if m.Name == "RMNMF" { // its graph term has no unit
			values[2] = []float64{1, 10, 100}
		}
	}
	if u.values != nil {
		values = u.values(j.table)
	}
	for i, has := range m.Has {
		if !has {
			values[i] = []float64{0}
		}
	}
	task := fmt.Sprintf("paper04 table %d %s %g %s", j.table, j.set.Name, level, m.Name)
	parameters := Parameters(values[0], values[1], values[2])
	if j.apart {
		task += " apart"
		parameters = append(parameters, choose.Parameter{Name: "beta", Values: decades})
	}
	return choose.Grid{Parameters: parameters, Score: Score(p, m, u.rounds), Workers: u.workers,
		File: filepath.Join(u.work, strings.ReplaceAll(task, " ", "-")+".jsonl"), Task: task}
}
