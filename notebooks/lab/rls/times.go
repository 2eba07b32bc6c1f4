package rls

import (
	"context"
	_ "embed"
	"log"
	"slices"
	"strconv"
	"sync"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

//go:embed times.csv
var timesText string

// Times returns the stored milliseconds that a round takes (Fig. 8), of each set and
// method, at the alpha, gamma and lambda that have the best accuracy, in so many rounds from the
// start of a seed.
var Times = sync.OnceValue(func() stored.Table { return stored.Parse(timesText) })

// times measures what a round of each method takes, each at the point that the labels
// chose: the median of five fits of 20 rounds, in milliseconds. The methods take turns,
// so that what slows the machine slows all.
func times(ctx context.Context, load func(*datasets.PublicSet) (*datasets.Set, error)) ([][]string, error) {
	const rounds, turns, seed = 20, 5, 1
	rows := [][]string{{"set", "method", "alpha", "gamma", "lambda", "seed", "rounds", "milliseconds", "version"}}
	for _, source := range []*datasets.PublicSet{datasets.Yale, datasets.Semeion, datasets.ORL, datasets.COIL20} {
		s, err := load(source)
		if err != nil {
			log.Printf("%s is not at hand", source.Name)
			continue
		}
		p, err := New(s, 0, 0, seed)
		if err != nil {
			return nil, err
		}
		took, lasted := map[string][]float64{}, map[string]int{}
		for range turns {
			for _, m := range Methods() {
				r, err := m.Fit(ctx, p, chosen(source.Name, m.Name), seed, rounds)
				if err != nil {
					return nil, err
				}
				last := r.Trace[len(r.Trace)-1] // some stop where nothing changes any more
				took[m.Name], lasted[m.Name] = append(took[m.Name], 1e3*last.Seconds/float64(max(last.Round, 1))), last.Round
			}
		}
		for _, m := range Methods() {
			v := chosen(source.Name, m.Name)
			slices.Sort(took[m.Name])
			row := []string{source.Name, m.Name}
			for _, x := range []float64{v.Alpha, v.Gamma, v.Lambda} {
				row = append(row, strconv.FormatFloat(x, 'g', -1, 64))
			}
			version, err := version(ctx, m)
			if err != nil {
				return nil, err
			}
			rows = append(rows, append(row, strconv.Itoa(seed), strconv.Itoa(lasted[m.Name]), strconv.FormatFloat(took[m.Name][turns/2], 'f', 3, 64), version))
		}
		log.Printf("time, %s", source.Name)
	}
	return rows, nil
}

// chosen is the stored point of Table 1 with α = β and the best accuracy, the first of
// equals.
func chosen(set, method string) Setting {
	var t choose.Table
	for _, r := range Results() {
		if v := At(r.Setting); r.Table == 1 && r.Set == set && r.Method == method && v.Alpha == v.Beta {
			t.Rows = append(t.Rows, r.Row)
		}
	}
	best, ok := t.Best(choose.Criterion{Score: "accuracy"})
	if !ok {
		return Setting{}
	}
	return At(best.Setting)
}
