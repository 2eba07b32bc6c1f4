package stored

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"iter"
	"log"
	"os"
	"slices"
	"strings"
	"time"
)

// A Sheet is a file of results, to which whole experiments are added. What is in the
// file need not be computed again; remove the file for a fresh run.
type Sheet struct {
	file *os.File
	keys int
	done map[string][]string // a line of each experiment
}

// Open opens or makes a file with these columns, of which the first keys name an
// experiment.
func Open(path string, keys int, columns ...string) (*Sheet, error) {
	s := &Sheet{keys: keys, done: map[string][]string{}}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, line := range lines {
		if i > 0 {
			s.done[strings.Join(line[:keys], "|")] = line
		} else if !slices.Equal(line, columns) {
			return nil, fmt.Errorf("%s has the columns %q, want %q: remove it", path, line, columns)
		}
	}
	if s.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		if err := s.write(columns); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Has tells whether an experiment is in the file.
func (s *Sheet) Has(keys ...string) bool { return s.done[strings.Join(keys, "|")] != nil }

// Add writes the lines of an experiment at once.
func (s *Sheet) Add(lines ...[]string) error {
	for _, line := range lines {
		s.done[strings.Join(line[:s.keys], "|")] = line
	}
	return s.write(lines...)
}

func (s *Sheet) write(lines ...[]string) error {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
		return err
	}
	_, err := s.file.Write(b.Bytes())
	return err
}

// Close closes the file.
func (s *Sheet) Close() error { return s.file.Close() }

// A Line is computed where a sheet does not have its key; Values follow the key.
type Line struct {
	Key    []string
	Values func() ([]string, error)
}

// Trials is a long run, a trial after the other, so that a run that is stopped holds
// whole trials and one that is not whole, from which the next run goes on.
type Trials struct {
	Keys, Columns []string // those that name a line, and those of its values
	Count         uint64   // of trials, whose seeds count from 1
	Seconds       float64  // after which no line is begun; 0: never
	Out           string   // the file
	Check         bool     // compute again what is in the file, and say what differs
}

// Flags lets flags change the run; what they do not change stays.
func (l *Trials) Flags(f *flag.FlagSet) {
	f.Uint64Var(&l.Count, "trials", l.Count, "number of `trials`, with seeds from 1")
	f.Float64Var(&l.Seconds, "seconds", l.Seconds, "start no more fits after this `time`; 0: never stop")
	f.StringVar(&l.Out, "out", l.Out, "`file` to write")
	f.BoolVar(&l.Check, "check", l.Check, "write nothing; compute the stored lines again, and say which an earlier version has made")
}

// Run adds the lines of each trial that the file lacks. With Check it writes nothing and
// returns an error if a line of the file has another value than is computed now, apart from
// the column "seconds".
func (l *Trials) Run(ctx context.Context, lines func(trial uint64) iter.Seq[Line]) (err error) {
	sheet, err := Open(l.Out, len(l.Keys), slices.Concat(l.Keys, l.Columns)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sheet.Close()) }()
	start, same, other := time.Now(), 0, 0
	defer func() {
		if l.Check && err == nil {
			log.Printf("%d stored lines are as computed now, %d are not", same, other)
			if other > 0 {
				err = fmt.Errorf("%s: %d of %d lines are of an earlier version", l.Out, other, same+other)
			}
		}
	}()
	for t := uint64(1); t <= l.Count; t++ {
		for line := range lines(t) {
			if sheet.Has(line.Key...) != l.Check {
				continue
			}
			if l.Seconds > 0 && time.Since(start).Seconds() > l.Seconds {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			values, err := line.Values()
			if err != nil {
				return fmt.Errorf("%s: %w", strings.Join(line.Key, ", "), err)
			}
			if l.Check {
				before := sheet.done[strings.Join(line.Key, "|")][len(l.Keys):]
				if i := l.differ(before, values); i >= 0 {
					other++
					log.Printf("%s: %s was %s, is %s", strings.Join(line.Key, ", "), l.Columns[i], before[i], values[i])
				} else {
					same++
				}
				continue
			}
			if err := sheet.Add(slices.Concat(line.Key, values)); err != nil {
				return err
			}
		}
		log.Printf("trial %d of %d, %.0f s", t, l.Count, time.Since(start).Seconds())
	}
	return nil
}

// differ returns the first column whose value differs, that of seconds left out; -1 if none does.
func (l *Trials) differ(a, b []string) int {
	for i, name := range l.Columns {
		if name != "seconds" && a[i] != b[i] {
			return i
		}
	}
	return -1
}
