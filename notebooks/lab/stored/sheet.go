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
// file, and of the version of now, need not be computed again; remove the file for a
// fresh run.
type Sheet struct {
	file  *os.File
	path  string
	keys  int
	lines [][]string // the first line names the columns
}

// Open opens or makes a file with these columns, of which the first keys name an
// experiment.
func Open(path string, keys int, columns ...string) (*Sheet, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s := &Sheet{path: path, keys: keys}
	if s.lines, err = csv.NewReader(bytes.NewReader(text)).ReadAll(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(s.lines) > 0 && !slices.Equal(s.lines[0], columns) {
		return nil, fmt.Errorf("%s has the columns %q, want %q: remove it", path, s.lines[0], columns)
	}
	if s.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return nil, err
	}
	if len(s.lines) == 0 {
		s.lines = [][]string{columns}
		if err := s.append(columns); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// of returns the lines of an experiment.
func (s *Sheet) of(keys []string) (some [][]string) {
	for _, line := range s.lines[1:] {
		if slices.Equal(line[:s.keys], keys) {
			some = append(some, line)
		}
	}
	return some
}

// Has tells whether an experiment is in the file.
func (s *Sheet) Has(keys ...string) bool { return len(s.of(keys)) > 0 }

// Current tells whether an experiment is in the file and all its lines are of a version,
// which the column "version" has.
func (s *Sheet) Current(version string, keys ...string) bool {
	column, lines := slices.Index(s.lines[0], "version"), s.of(keys)
	return len(lines) > 0 && column >= 0 && !slices.ContainsFunc(lines, func(line []string) bool { return line[column] != version })
}

// Add writes the lines of an experiment at once. They take the place of lines that the
// experiment has in the file.
func (s *Sheet) Add(lines ...[]string) error {
	if len(lines) == 0 {
		return nil
	}
	keys := lines[0][:s.keys]
	same := func(line []string) bool { return slices.Equal(line[:s.keys], keys) }
	if slices.ContainsFunc(lines, func(line []string) bool { return !same(line) }) {
		return fmt.Errorf("%s: lines of several experiments at once, the first is %q", s.path, keys)
	}
	at := slices.IndexFunc(s.lines[1:], same) + 1
	if at == 0 {
		s.lines = append(s.lines, lines...)
		return s.append(lines...)
	}
	s.lines = slices.Insert(slices.DeleteFunc(s.lines, same), at, lines...)
	return s.rewrite()
}

func (s *Sheet) append(lines ...[]string) error {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
		return err
	}
	_, err := s.file.Write(b.Bytes())
	return err
}

// rewrite puts a new file in the place of the old one, so that at any moment there is one
// that is whole.
func (s *Sheet) rewrite() error {
	if err := s.file.Close(); err != nil {
		return err
	}
	if err := Write(s.path, s.lines); err != nil {
		return err
	}
	var err error
	s.file, err = os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, 0o644)
	return err
}

// Write writes lines to a file, which is the old one or the whole new one at any moment.
func Write(path string, lines [][]string) error {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Close closes the file.
func (s *Sheet) Close() error { return s.file.Close() }

// A Line is computed where a sheet does not have its key in the version of now; Values
// follow the key.
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
	Missing       bool     // leave lines of older versions as they are
	// Version is that of the line with a key: see the function Version. With it the file has
	// a last column "version", and lines of another version are computed again. Without it
	// lines have none, and stay.
	Version func(key []string) (string, error)
}

// Flags lets flags change the run; what they do not change stays.
func (l *Trials) Flags(f *flag.FlagSet) {
	f.Uint64Var(&l.Count, "trials", l.Count, "number of `trials`, with seeds from 1")
	f.Float64Var(&l.Seconds, "seconds", l.Seconds, "start no more fits after this `time`; 0: never stop")
	f.StringVar(&l.Out, "out", l.Out, "`file` to write")
	f.BoolVar(&l.Missing, "missing", l.Missing, "compute what the file lacks, and leave rows of older versions as they are")
}

// Run computes the lines of each trial that the file lacks, or has of an older version.
func (l *Trials) Run(ctx context.Context, lines func(trial uint64) iter.Seq[Line]) (err error) {
	columns := slices.Concat(l.Keys, l.Columns)
	if l.Version != nil {
		columns = append(columns, "version")
	}
	sheet, err := Open(l.Out, len(l.Keys), columns...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sheet.Close()) }()
	start, same, other := time.Now(), 0, 0
	defer func() {
		if same+other > 0 {
			log.Printf("of %d lines of an older version %d have other values now", same+other, other)
		}
	}()
	for t := uint64(1); t <= l.Count; t++ {
		for line := range lines(t) {
			version := ""
			if l.Version != nil {
				if version, err = l.Version(line.Key); err != nil {
					return fmt.Errorf("the version of %s: %w", strings.Join(line.Key, ", "), err)
				}
			}
			before := sheet.of(line.Key)
			if before != nil && (l.Version == nil || l.Missing || sheet.Current(version, line.Key...)) {
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
			if before != nil {
				if i := l.differ(before[0][len(l.Keys):], values); i >= 0 {
					other++
					log.Printf("%s: %s was %s, is %s", strings.Join(line.Key, ", "), l.Columns[i], before[0][len(l.Keys)+i], values[i])
				} else {
					same++
				}
			}
			if l.Version != nil {
				values = append(values, version)
			}
			if err := sheet.Add(slices.Concat(line.Key, values)); err != nil {
				return err
			}
		}
		log.Printf("trial %d of %d, %.0f s", t, l.Count, time.Since(start).Seconds())
	}
	return nil
}

// differ returns the first column whose value differs, -1 if none does. Seconds, which never
// repeat, are left out, and so is what the older line does not have.
func (l *Trials) differ(a, b []string) int {
	for i, name := range l.Columns {
		if name != "seconds" && a[i] != "" && a[i] != b[i] {
			return i
		}
	}
	return -1
}
