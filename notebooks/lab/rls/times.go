package main

import (
	"context"
	"encoding/csv"
	"log"
	"os"
	"slices"
	"strconv"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/testdata/paper04/trial"
)

// times stores what a round of each method takes (Fig. 8), each at the point that the
// labels chose in results: the median of five fits of 20 rounds, in milliseconds. The
// methods take turns, so that what slows the machine slows all.
func times(ctx context.Context, results, out string) error {
	const rounds, turns = 20, 5
	rows := [][]string{{"set", "method", "alpha", "gamma", "lambda", "milliseconds"}}
	for _, source := range []*datasets.Source{datasets.Yale, datasets.Semeion, datasets.ORL, datasets.COIL20} {
		s, err := source.Load(ctx)
		if err != nil {
			log.Printf("%s is not at hand", source.Name)
			continue
		}
		p, err := trial.New(s, 0, 0, 1)
		if err != nil {
			return err
		}
		took := map[string][]float64{}
		for range turns {
			for _, m := range trial.Methods() {
				v, err := chosen(results, source.Name, m.Name)
				if err != nil {
					return err
				}
				r, err := m.Fit(ctx, p, v, 1, rounds)
				if err != nil {
					return err
				}
				last := r.Trace[len(r.Trace)-1] // some stop where nothing changes any more
				took[m.Name] = append(took[m.Name], 1e3*last.Seconds/float64(max(last.Round, 1)))
			}
		}
		for _, m := range trial.Methods() {
			v, err := chosen(results, source.Name, m.Name)
			if err != nil {
				return err
			}
			slices.Sort(took[m.Name])
			row := []string{source.Name, m.Name}
			for _, x := range []float64{v.Alpha, v.Gamma, v.Lambda} {
				row = append(row, strconv.FormatFloat(x, 'g', -1, 64))
			}
			rows = append(rows, append(row, strconv.FormatFloat(took[m.Name][turns/2], 'f', 3, 64)))
		}
		log.Printf("time, %s", source.Name)
	}
	return write(out, rows)
}

// chosen is the point of Table 1 with the best accuracy, the first of equals.
func chosen(results, set, method string) (best trial.Setting, err error) {
	f, err := os.Open(results)
	if err != nil {
		return best, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return best, err
	}
	top := -1.0
	for _, row := range rows[1:] {
		if row[0] != "1" || row[1] != set || row[3] != method || row[4] != row[5] {
			continue
		}
		var v [5]float64 // α, β, γ, λ, accuracy
		for i := range v {
			if v[i], err = strconv.ParseFloat(row[4+i], 64); err != nil {
				return best, err
			}
		}
		if v[4] > top {
			top, best = v[4], trial.Setting{Alpha: v[0], Beta: v[1], Gamma: v[2], Lambda: v[3]}
		}
	}
	return best, nil
}
