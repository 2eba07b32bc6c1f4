// Command paper03 runs the tables of notebook 03 at full length and stores them:
//
//	go run ./testdata/paper03 [-trials 10] [-only tables] [-set Yale] [-seconds 0] [-out testdata/paper03/results.csv]
//
// It takes the sets that the folder RNMF_DATA holds; Yale, COIL-20 and ORL are in
// what is stored. Trials come one after the other, so that a run that is stopped
// holds whole trials and one that is not whole, which goes on where the file ends:
// rows that are there are not computed again. Remove the file for a fresh run.
package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/robustnmf/robustnmf/testdata/paper03/trial"
)

func main() {
	log.SetFlags(0)
	trials := flag.Int("trials", 10, "number of `trials`, with seeds from 1")
	only := flag.String("only", "", "one `kind` of experiment: tables, labels, pixels or weight; empty: all")
	set := flag.String("set", "", "one `set` of data, as Yale; empty: all at hand")
	seconds := flag.Float64("seconds", 0, "start no more fits after this `time`; 0: never stop")
	out := flag.String("out", "testdata/paper03/results.csv", "`file` to write")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *trials, *only, *set, *seconds, *out); err != nil {
		log.Fatal(err)
	}
}

var header = []string{"kind", "set", "level", "model", "trial", "accuracy", "nmi", "unlabelled", "predicted", "nearest", "seconds"}

const keys = 5 // of the columns

func run(ctx context.Context, trials int, only, set string, seconds float64, out string) error {
	sets, missing := trial.Sets(ctx)
	log.Printf("not at hand: %s", strings.Join(missing, ", "))
	if len(sets) == 0 {
		return fmt.Errorf("no set is at hand")
	}
	done := map[string]bool{}
	if f, err := os.Open(out); err == nil {
		rows, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil {
			return err
		}
		for _, r := range rows {
			done[strings.Join(r[:keys], "|")] = true
		}
	}
	f, err := os.OpenFile(out, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	write := func(r []string) error {
		if err := w.Write(r); err != nil {
			return err
		}
		w.Flush()
		return w.Error()
	}
	if len(done) == 0 {
		if err := write(header); err != nil {
			return err
		}
	}
	start := time.Now()
	for t := 1; t <= trials; t++ {
		for _, e := range trial.Experiments(sets, uint64(t)) {
			if only != "" && e.Kind != only || set != "" && e.Set != set {
				continue
			}
			for _, rival := range e.Rivals {
				key := []string{e.Kind, e.Set, e.Level, rival.Name, strconv.Itoa(t)}
				if done[strings.Join(key, "|")] {
					continue
				}
				if seconds > 0 && time.Since(start).Seconds() > seconds {
					return nil
				}
				task, err := e.Task()
				if err != nil {
					return err
				}
				row, err := trial.Run(ctx, task, rival, 0)
				if err != nil {
					return fmt.Errorf("%s %s %s: %w", e.Kind, e.Set, e.Level, err)
				}
				for _, v := range []float64{row.Accuracy, row.NMI, row.Unlabelled, row.Predicted, row.Nearest, row.Seconds} {
					text := ""
					if !math.IsNaN(v) {
						text = strconv.FormatFloat(v, 'f', 4, 64)
					}
					key = append(key, text)
				}
				if err := write(key); err != nil {
					return err
				}
			}
		}
		log.Printf("trial %d of %d, %.0f s", t, trials, time.Since(start).Seconds())
	}
	return nil
}
