// Command paper04 runs the tables of notebook 04 at full length and stores them:
//
//	go run ./testdata/paper04 [-seconds 0] [-work folder] [-out testdata/paper04/results.csv]
//
// It wants the data sets in the folder that RNMF_DATA names; those it does not find it
// leaves out. A run that is stopped writes what is known, and the next one goes on with
// what it finds in the work folder.
package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/testdata/paper04/trial"
)

func main() {
	log.SetFlags(0)
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	work := flag.String("work", filepath.Join(cache, "rnmf", "paper04"), "`folder` of what is known so far")
	out := flag.String("out", "testdata/paper04/results.csv", "`file` to write")
	seconds := flag.Float64("seconds", 0, "stop after this `time`; 0: never stop")
	only := flag.String("only", "", "`tables` to run, such as 1,3; all if empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *seconds > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(*seconds*float64(time.Second)))
		defer cancel()
	}
	if err := run(ctx, *work, *out, *only); err != nil {
		log.Fatal(err)
	}
}

// Values of the parameters, in units of the data. α and β of 1 and more leave next to
// no component, and γ of 2 and more is LS-NMF: see the notebook.
var (
	sparsity = []float64{0.001, 0.1} // α = β
	gammas   = []float64{0.1, 1}
	lambdas  = choose.Decades(-3, 2)
)

// A job is a problem of one of the tables.
type job struct {
	table          int
	set            *datasets.Source
	removed, noise float64
}

func jobs() (all []job) {
	for _, s := range []*datasets.Source{datasets.Yale, datasets.ORL, datasets.Semeion, datasets.COIL20, datasets.Pendigits, datasets.JAFFE, datasets.ExtendedYaleB, datasets.AR} {
		all = append(all, job{table: 1, set: s})
	}
	for i, s := range []*datasets.Source{datasets.JAFFE, datasets.Yale, datasets.COIL20} {
		for _, share := range []float64{0.2, 0.4, 0.6} {
			all = append(all, job{table: 2 + i, set: s, removed: share})
		}
	}
	for i, s := range []*datasets.Source{datasets.ORL, datasets.Yale, datasets.COIL20} {
		for _, sigma := range []float64{0.005, 0.010, 0.015} {
			all = append(all, job{table: 5 + i, set: s, noise: sigma})
		}
	}
	return all
}

var scores = []string{"accuracy", "nmi", "purity", "stability", "silhouette", "live", "sparsityW", "sparsityH", "seconds"}

func run(ctx context.Context, work, out, only string) error {
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	rows := [][]string{append([]string{"table", "set", "level", "method", "alpha", "gamma", "lambda"}, scores...)}
	sets := map[*datasets.Source]*datasets.Set{}
	start := time.Now()
	for _, j := range jobs() {
		if only != "" && !strings.Contains(","+only+",", fmt.Sprintf(",%d,", j.table)) {
			continue
		}
		if _, known := sets[j.set]; !known {
			s, err := j.set.Load(context.WithoutCancel(ctx))
			if err != nil {
				log.Printf("%s is not at hand", j.set.Name)
			}
			sets[j.set] = s
		}
		if sets[j.set] == nil {
			continue
		}
		p, err := trial.New(sets[j.set], j.removed, j.noise, 1)
		if err != nil {
			return err
		}
		level := j.removed + j.noise // one is 0
		for _, m := range trial.Methods() {
			if j.table > 1 && m.Name == "L1" {
				continue
			}
			table, err := grid(j, m, p, work, level).Run(ctx)
			if err != nil && (ctx.Err() == nil || table == nil) {
				return err
			}
			for _, r := range table.Rows {
				row := []string{strconv.Itoa(j.table), j.set.Name, fmt.Sprint(level), m.Name}
				for _, v := range r.Point.Values {
					row = append(row, fmt.Sprint(v))
				}
				for _, name := range scores {
					row = append(row, strconv.FormatFloat(r.Scores[name], 'f', 4, 64))
				}
				rows = append(rows, row)
			}
		}
		log.Printf("table %d, %s, %g: %.0f s", j.table, j.set.Name, level, time.Since(start).Seconds())
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	if err := w.WriteAll(rows); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// grid is the search for the parameters of a method.
func grid(j job, m trial.Method, p *trial.Problem, work string, level float64) choose.Grid {
	values := [3][]float64{sparsity, gammas, lambdas}
	if j.table > 1 { // shorter
		values[1], values[2] = []float64{1}, []float64{0.01, 1, 100}
	}
	if m.Name == "RMNMF" { // its graph term has no unit
		values[2] = []float64{1, 10, 100}
	}
	for i, has := range m.Has {
		if !has {
			values[i] = []float64{0}
		}
	}
	task := fmt.Sprintf("paper04 table %d %s %g %s", j.table, j.set.Name, level, m.Name)
	// Points are tried one after the other, each on all processors: what the fits
	// take is stored too.
	return choose.Grid{Parameters: trial.Parameters(values[0], values[1], values[2]), Score: trial.Score(p, m, 0),
		File: filepath.Join(work, strings.ReplaceAll(task, " ", "-")+".jsonl"), Task: task, Workers: 1}
}
