package contest

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

var header = []string{"set", "trouble", "level", "rival", "trial", "error", "accuracy", "nmi", "found", "rounds", "seconds"}

// Write adds a score to a table of text; with the zero Score, its header.
func Write(w *csv.Writer, s Score) error {
	fields := header
	if s != (Score{}) {
		f := func(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }
		fields = []string{s.Set, s.Trouble, f(s.Level), s.Rival, strconv.Itoa(s.Trial),
			f(s.Error), f(s.Accuracy), f(s.NMI), f(s.Found), strconv.Itoa(s.Rounds), f(s.Seconds)}
	}
	w.Write(fields)
	w.Flush()
	return w.Error()
}

// Read returns the scores of a table that Write made; none if there is no file.
func Read(path string) ([]Score, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = len(header)
	var scores []Score
	for line := 1; ; line++ {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return scores, nil
		} else if err != nil {
			return nil, err
		}
		if line == 1 {
			continue
		}
		var bad error
		number := func(i int) float64 {
			v, err := strconv.ParseFloat(fields[i], 64)
			bad = errors.Join(bad, err)
			return v
		}
		s := Score{fields[0], fields[1], number(2), fields[3], int(number(4)),
			number(5), number(6), number(7), number(8), int(number(9)), number(10)}
		if bad != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, line, bad)
		}
		scores = append(scores, s)
	}
}
