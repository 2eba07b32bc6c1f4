// Command paper02 runs the tables of notebook 02 at full length and stores them:
//
//	go run ./testdata/paper02 [-trials 10] [-seconds 0] [-out testdata/paper02/results.csv]
//
// It wants ORL_32x32.mat in the folder that RNMF_DATA names. Trials come one after
// the other, each over all levels, so that a run that is stopped holds whole trials
// and one that is not whole, which goes on where the file ends: rows that are there
// are not computed again. Remove the file for a fresh run.
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

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/testdata/paper02/trial"
)

func main() {
	log.SetFlags(0)
	trials := flag.Int("trials", 10, "number of `trials`, with seeds from 1")
	seconds := flag.Float64("seconds", 0, "start no more fits after this `time`; 0: never stop")
	out := flag.String("out", "testdata/paper02/results.csv", "`file` to write")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *trials, *seconds, *out); err != nil {
		log.Fatal(err)
	}
}

var header = []string{"corruption", "level", "model", "trial", "accuracy", "nmi", "raw", "error", "precision", "recall", "ap", "seconds"}

func run(ctx context.Context, trials int, seconds float64, out string) error {
	s, err := datasets.ORL.Load(ctx)
	if err != nil {
		return err
	}
	s = s.Scaled()
	done := map[string]bool{}
	if f, err := os.Open(out); err == nil {
		rows, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil {
			return err
		}
		for _, r := range rows {
			done[strings.Join(r[:4], "|")] = true
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
		for _, kind := range []string{"blocks", "salt & pepper", "laplace"} {
			for _, level := range trial.Levels(kind, s.Height, s.Width) {
				for _, rival := range trial.Rivals() {
					key := []string{kind, fmt.Sprint(level.Level), rival.Name, strconv.Itoa(t)}
					if done[strings.Join(key, "|")] {
						continue
					}
					if seconds > 0 && time.Since(start).Seconds() > seconds {
						return nil
					}
					row, err := trial.Run(ctx, s, level, rival, uint64(t), 0)
					if err != nil {
						return err
					}
					for _, v := range []float64{row.Accuracy, row.NMI, row.Raw, row.Error, row.Precision, row.Recall, row.AP, row.Seconds} {
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
		}
		log.Printf("trial %d of %d, %.0f s", t, trials, time.Since(start).Seconds())
	}
	return nil
}
