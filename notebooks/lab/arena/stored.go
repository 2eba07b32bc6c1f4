package arena

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Header is the first line of stored results.
var Header = []string{"set", "corruption", "strength", "model", "trial", "accuracy", "error", "ap", "seconds", "rounds"}

// A Stored row says what it is the outcome of.
type Stored struct {
	Set, Kind string
	Strength  float64
	Model     string
	Trial     uint64
	Row
}

// Key tells rows apart.
func (s Stored) Key() string { return fmt.Sprint(s.Record()[:5]) }

// Record returns the row as a line of a table, with an empty field for NaN.
func (s Stored) Record() []string {
	number := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	return []string{s.Set, s.Kind, fmt.Sprint(s.Strength), s.Model, fmt.Sprint(s.Trial),
		number(s.Accuracy), number(s.Error), number(s.AP), number(s.Seconds), fmt.Sprint(s.Rounds)}
}

// Read reads stored results.
func Read(r io.Reader) ([]Stored, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	if fmt.Sprint(lines[0]) != fmt.Sprint(Header) {
		return nil, fmt.Errorf("arena: the columns are %q, want %q", lines[0], Header)
	}
	var all []Stored
	for i, l := range lines[1:] {
		var v [7]float64
		for k, text := range append([]string{l[2], l[4]}, l[5:]...) {
			if v[k] = math.NaN(); text != "" {
				if v[k], err = strconv.ParseFloat(text, 64); err != nil {
					return nil, fmt.Errorf("arena: line %d: %w", i+2, err)
				}
			}
		}
		all = append(all, Stored{l[0], l[1], v[0], l[3], uint64(v[1]), Row{v[2], v[3], v[4], v[5], int(v[6])}})
	}
	return all, nil
}
