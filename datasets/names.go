package datasets

import (
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Names of samples, features and classes have one form, which every reader gives them and every
// writer insists on, so that what is written is read again: valid UTF-8 of at most maxName bytes,
// without NUL and without white space around it. Those of samples differ, and so do those of
// features; names that are empty stand for none, of which there may be many.

// checkWritten returns an error that tells which name is not of that form.
func checkWritten(of string, names []string) error {
	for k, name := range names {
		if err := checkName(name); err != nil {
			return fmt.Errorf("%w: the name of %s %d: %w", ErrParameter, of, k, err)
		}
		why := ""
		switch {
		case strings.Contains(name, "\x00"):
			why = "which has a NUL"
		case strings.Contains(name, "\r\n"):
			why = `in which "\r\n" is read as "\n"`
		case strings.TrimSpace(name) != name:
			why = "with white space around it, which readers leave out"
		default:
			continue
		}
		return fmt.Errorf("%w: the name of %s %d is %.40q, %s", ErrParameter, of, k, name, why)
	}
	return nil
}

// Names returns the names of all samples and features, those of SampleName and FeatureName, and the class
// of each sample (nil if there are none), as the writers write them. Samples, and features, of one
// name get a number, as in x, x.1. The error is ErrParameter for a name that would not be read as it is:
// with white space around it, with NUL, of invalid UTF-8 or of more than 4096 bytes; others are those of Check.
func (s *Set) Names() (samples, features, classes []string, err error) {
	if err := s.Check(); err != nil {
		return nil, nil, nil, err
	}
	m, n := s.Dims()
	for j := range n {
		samples = append(samples, s.SampleName(j))
	}
	for i := range m {
		features = append(features, s.FeatureName(i))
	}
	samples, features = slices.Clone(samples), slices.Clone(features)
	for _, err := range []error{checkWritten("sample", samples), checkWritten("feature", features)} {
		if err != nil {
			return nil, nil, nil, err
		}
	}
	unique(samples)
	unique(features)
	if s.Labels == nil {
		return samples, features, nil, nil
	}
	if err := checkWritten("class", s.Classes); err != nil {
		return nil, nil, nil, err
	}
	if a, b := repeated(s.Classes); a >= 0 {
		return nil, nil, nil, fmt.Errorf("%w: the classes %d and %d are both named %q", ErrParameter, a, b, s.Classes[a])
	}
	for _, l := range s.Labels {
		classes = append(classes, s.Classes[l])
	}
	return samples, features, classes, nil
}

// duplicates returns which names there may be twice: all that there are twice, as places in rising
// order. It takes eight bytes for a name, where a map would take a hundred.
func duplicates(names []string) []int {
	seed := maphash.MakeSeed()
	hash := func(name string) uint64 { return maphash.String(seed, name) }
	sorted := make([]uint64, 0, len(names))
	for _, name := range names {
		sorted = append(sorted, hash(name))
	}
	slices.Sort(sorted)
	twice := sorted[:0]
	for k := 1; k < len(sorted); k++ {
		if v := sorted[k]; v == sorted[k-1] && (len(twice) == 0 || twice[len(twice)-1] != v) {
			twice = append(twice, v)
		}
	}
	if len(twice) == 0 {
		return nil
	}
	var places []int
	for k, name := range names {
		if _, found := slices.BinarySearch(twice, hash(name)); found && name != "" {
			places = append(places, k)
		}
	}
	return places
}

// repeated returns the places of the first name that comes again, -1 if there is none.
func repeated(names []string) (first, again int) {
	at := map[string]int{}
	first, again = math.MaxInt, -1
	for _, k := range duplicates(names) {
		a, seen := at[names[k]]
		if !seen {
			at[names[k]] = k
		} else if a < first {
			first, again = a, k
		}
	}
	if again < 0 {
		return -1, -1
	}
	return first, again
}

// unique puts a number behind each name that was there before, as in x, x.1, x.2, and returns the
// first that it changed, and how many.
func unique(names []string) (first string, changed int) {
	places := duplicates(names)
	if places == nil {
		return "", 0
	}
	next := map[string]int{}
	var taken map[string]bool
	for _, k := range places {
		name := names[k]
		n, seen := next[name]
		if !seen {
			next[name] = 1
			continue
		}
		if taken == nil {
			taken = make(map[string]bool, len(names))
			for _, other := range names {
				taken[other] = true
			}
		}
		for ; ; n++ {
			if names[k] = tidyName(name + "." + strconv.Itoa(n)); !taken[names[k]] {
				break
			}
		}
		if next[name], taken[names[k]] = n+1, true; changed == 0 {
			first = name
		}
		changed++
	}
	return first, changed
}

// distinct brings names that were read into their form: features get a number where another has the
// same name, which a note tells, and two samples of one name are an error.
func (s *Set) distinct() error {
	if a, b := repeated(s.Samples); a >= 0 {
		return fmt.Errorf("%w: the samples %d and %d (from 0) are both named %q: leave out one of them, or the names", ErrFormat, a, b, s.Samples[a])
	}
	if first, changed := unique(s.Features); changed > 0 {
		s.noted("%d features have the name of another, as %.40q: they got a number behind it", changed, first)
	}
	return nil
}

// NoFormulas returns the set with an apostrophe before each name of a sample, a feature or a class
// that a spreadsheet would take for a formula: those that begin with =, +, - or @ and are no
// number. A table that people open in a spreadsheet is written so where its names come from
// strangers: =HYPERLINK(…) and the like can send what stands in other cells elsewhere.
func (s *Set) NoFormulas() *Set {
	plain := func(names []string) []string {
		names = slices.Clone(names)
		for k, name := range names {
			if name == "" || !strings.ContainsAny(name[:1], "=+-@") {
				continue
			}
			if _, err := strconv.ParseFloat(name, 64); err != nil {
				names[k] = "'" + name
			}
		}
		return names
	}
	t := s.clone()
	t.Samples, t.Features, t.Classes = plain(s.Samples), plain(s.Features), plain(s.Classes)
	return t
}
