package stored

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"iter"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
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
	// Sample is, where it is not 0, how many lines of an older version are computed again of each
	// group: see Trials.verify.
	Sample int
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
	f.IntVar(&l.Sample, "sample", l.Sample, "compute only this `number` of rows of older versions of each group; if they have the values that are stored, all rows of the group are of the version of now")
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
	if l.Sample > 0 {
		return l.verify(ctx, sheet, lines)
	}
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

// verify gives the lines of an older version that of now, where they would not change. Lines are a
// group if their keys differ in numbers only (trials, levels, ranks) and their version of now is the
// same. Of each group, Sample lines, drawn by chance, are computed again. If all have the values
// that are stored, so has the whole group, as far as that can tell; if one differs, the group stays
// as it is, for Run without Sample.
func (l *Trials) verify(ctx context.Context, sheet *Sheet, lines func(trial uint64) iter.Seq[Line]) error {
	if l.Version == nil {
		return errors.New("these lines have no version")
	}
	groups, versions := map[string][]Line{}, map[string]string{}
	for t := uint64(1); t <= l.Count; t++ {
		for line := range lines(t) {
			version, err := l.Version(line.Key)
			if err != nil {
				return fmt.Errorf("the version of %s: %w", strings.Join(line.Key, ", "), err)
			}
			if !sheet.Has(line.Key...) || sheet.Current(version, line.Key...) {
				continue
			}
			group := []string{version}
			for _, k := range line.Key {
				if _, err := strconv.ParseFloat(k, 64); err != nil {
					group = append(group, k)
				}
			}
			name := strings.Join(group, ", ")
			groups[name], versions[name] = append(groups[name], line), version
		}
	}
	start := time.Now()
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		of, seed := groups[name], fnv.New64a()
		seed.Write([]byte(name))
		rng := rand.New(rand.NewPCG(seed.Sum64(), 0))
		rng.Shuffle(len(of), func(a, b int) { of[a], of[b] = of[b], of[a] })
		same := true
		for _, line := range of[:min(l.Sample, len(of))] {
			if err := ctx.Err(); err != nil || l.Seconds > 0 && time.Since(start).Seconds() > l.Seconds {
				return err
			}
			values, err := line.Values()
			if err != nil {
				return fmt.Errorf("%s: %w", strings.Join(line.Key, ", "), err)
			}
			before := sheet.of(line.Key)[0][len(l.Keys):]
			if i := l.differ(before, values); i >= 0 {
				log.Printf("%s: %s was %s, is %s; the %d lines of the group stay of an older version", strings.Join(line.Key, ", "), l.Columns[i], before[i], values[i], len(of))
				same = false
				break
			}
		}
		if !same {
			continue
		}
		for _, line := range of {
			for _, stored := range sheet.of(line.Key) {
				stored[len(stored)-1] = versions[name]
			}
		}
		if err := sheet.rewrite(); err != nil {
			return err
		}
		log.Printf("%s: %d lines, of which %d were computed again", name, len(of), min(l.Sample, len(of)))
	}
	return nil
}

// differ returns the first column whose value differs, -1 if none does. Seconds, which never
// repeat, also those of processors (cpu), are left out, and so is what the older line does not have.
func (l *Trials) differ(a, b []string) int {
	for i, name := range l.Columns {
		if name != "seconds" && name != "cpu" && a[i] != "" && a[i] != b[i] {
			return i
		}
	}
	return -1
}
