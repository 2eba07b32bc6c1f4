package stored

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Version is a short hash of what an experiment computes on a small problem of embedded
// data: eight hexadecimal digits. Numbers go into it with all their bits.
//
// A stored row has the version of its model at the time when the row was computed. If the
// experiment, or anything of the library that it uses, comes to give other bits, so does
// the small problem, and the row is seen to be of an older version. Code that is moved,
// renamed or made faster without another result changes no version. What the small
// problem is too small to meet, such as another path for large data, is the business of
// TestBits of package rnmf.
func Version(values ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%v", values)))
	return hex.EncodeToString(sum[:4])
}

// Versions computes the version for each name once.
type Versions struct {
	mutex sync.Mutex
	known map[string]string
}

// Of returns the version that probe computes for a name, which it is asked for once.
func (v *Versions) Of(name string, probe func() (values any, err error)) (string, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if known, ok := v.known[name]; ok {
		return known, nil
	}
	values, err := probe()
	if err != nil {
		return "", err
	}
	if v.known == nil {
		v.known = map[string]string{}
	}
	v.known[name] = Version(values)
	return v.known[name], nil
}

// A File is stored rows with the version that each of them would have now.
type File struct {
	Name    string // in notebooks/lab
	Rows    func() Table
	By      []string // columns that name what has a version, for Stale to list
	Version func(r Row) (string, error)
}

// Older are the stale rows of one name.
type Older struct {
	Name       string // of the file, and the values of the columns
	Stale, All int
}

// Stale returns the rows whose version is not that of now, by name, and for each name the
// number of all its rows. Rows without a version are stale: nobody knows what made them.
func (f File) Stale() (all []Older, err error) {
	for _, r := range f.Rows() {
		name := f.Name
		for _, column := range f.By {
			name += ", " + r.Text(column)
		}
		i := slices.IndexFunc(all, func(o Older) bool { return o.Name == name })
		if i < 0 {
			i, all = len(all), append(all, Older{Name: name})
		}
		all[i].All++
		now, err := f.Version(r)
		if err != nil {
			return nil, fmt.Errorf("the version of %s: %w", name, err)
		}
		if r.Text("version") != now {
			all[i].Stale++
		}
	}
	return all, nil
}

// ListStale writes how many rows of some files are stale, by name, and how many of all are; also
// names without such rows if all is set.
func ListStale(w io.Writer, all bool, files ...File) error {
	stale, rows := 0, 0
	for _, f := range files {
		names, err := f.Stale()
		if err != nil {
			return err
		}
		for _, n := range names {
			stale, rows = stale+n.Stale, rows+n.All
			if n.Stale > 0 || all {
				fmt.Fprintf(w, "%5d of %5d  %s\n", n.Stale, n.All, n.Name)
			}
		}
	}
	_, err := fmt.Fprintf(w, "%d of %d stored rows are of an older version, or of none that is known\n", stale, rows)
	return err
}
