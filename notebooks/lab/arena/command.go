// Command arena runs every model against every corruption and stores the outcome:
//
//	go run ./testdata/arena [-trials 2] [-seconds 0] [-out testdata/arena/results.csv]
//
// The sets are Digits and Fashion-MNIST (embedded; a part of them) and, where
// RNMF_DATA has it, ORL. Trials come one after the other. A run that was stopped goes
// on where its file ends: remove the file for a fresh one.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/testdata/arena/arena"
)

func main() {
	log.SetFlags(0)
	trials := flag.Uint64("trials", 2, "number of `trials`, with seeds from 1")
	seconds := flag.Float64("seconds", 0, "start no more fits after this `time`; 0: never stop")
	out := flag.String("out", "testdata/arena/results.csv", "`file` to write")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *trials, *seconds, *out); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, trials uint64, seconds float64, out string) error {
	done := map[string]bool{}
	old, err := os.Open(out)
	if err == nil {
		rows, err := arena.Read(old)
		old.Close()
		if err != nil {
			return err
		}
		for _, r := range rows {
			done[r.Key()] = true
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(out, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	if len(done) == 0 {
		if err := w.Write(arena.Header); err != nil {
			return err
		}
	}
	sets, err := arena.Sets(ctx)
	if errors.Is(err, datasets.ErrNotFound) {
		log.Print(err)
	} else if err != nil {
		return err
	}
	start := time.Now()
	for t := uint64(1); t <= trials; t++ {
		for _, s := range sets {
			for _, c := range arena.Cases(s.Set) {
				for _, rival := range arena.Rivals() {
					row := arena.Stored{Set: s.Name, Kind: c.Kind, Strength: c.Strength, Model: rival.Name, Trial: t}
					if done[row.Key()] {
						continue
					}
					if seconds > 0 && time.Since(start).Seconds() > seconds {
						return nil
					}
					if row.Row, err = arena.Run(ctx, s.Set, s.Rank, c, rival, t, 0); err != nil {
						return err
					}
					if err := w.Write(row.Record()); err != nil {
						return err
					}
					w.Flush()
					if err := w.Error(); err != nil {
						return err
					}
				}
			}
			log.Printf("trial %d of %d, %s, %.0f s", t, trials, s.Name, time.Since(start).Seconds())
		}
	}
	return nil
}
