package godoc

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// A Race is what several ways to fit a model to the same data take: long runs, and the shortest that suffice.
type Race struct {
	Ways        []string
	Long, Short map[string]Run
}

// Compete first fits m in all ways for so many rounds, and measures the memory; then it looks for the fit in each way with
// the fewest rounds whose objective is at most within times the best of all, and takes its time. Prepare gets the data of a
// way ready, and returns what fits a model to them.
func Compete(ways []string, m rnmf.Model, rounds int, within float64, prepare func(way string) func(m rnmf.Model) float64) (r Race, err error) {
	r = Race{Ways: ways, Long: map[string]Run{}, Short: map[string]Run{}}
	best, upTo := math.Inf(1), make([]int, rounds)
	for k := range upTo {
		upTo[k] = k + 1
	}
	for _, way := range ways {
		if r.Long[way], err = Measure(func(_ context.Context, watch func(rnmf.Point), ready func()) error {
			fit, long := prepare(way), m
			ready()
			long.MaxIter, long.Watch = rounds, watch
			best = min(best, fit(long))
			return nil
		}); err != nil {
			return r, err
		}
	}
	for _, way := range ways {
		fit, short := prepare(way), m
		r.Short[way] = Path(within*best, upTo, func(rounds int) float64 {
			short.MaxIter = rounds
			return fit(short)
		})
	}
	return r, nil
}

// end returns what the short run of a way took, and the MB of the long one.
func (r Race) end(way string) (rounds int, seconds, megabytes float64) {
	s := r.Short[way]
	last := len(s.Seconds) - 1
	return s.Rounds[last], s.Seconds[last], max(r.Long[way].Megabytes, 1)
}

// Title names the ways that are within a third of the first, and of the least memory.
func (r Race) Title() string {
	var seconds, megabytes []float64
	for _, way := range r.Ways {
		_, s, mb := r.end(way)
		seconds, megabytes = append(seconds, s), append(megabytes, mb)
	}
	return fmt.Sprintf("Mostly zeros, first there: %s; least memory: %s", least(r.Ways, seconds), least(r.Ways, megabytes))
}

// least names those whose values are within a third of the least.
func least(names []string, values []float64) string {
	var near []string
	for i, v := range values {
		if 3*v <= 4*slices.Min(values) {
			near = append(near, names[i])
		}
	}
	return strings.Join(near, " and ")
}

// Points returns a point for each way: its seconds and MB.
func (r Race) Points() (points []viz.Series) {
	for _, way := range r.Ways {
		_, s, mb := r.end(way)
		points = append(points, viz.Series{Name: fmt.Sprintf("%s: %.2f s, %.0f MB", way, s, mb), X: []float64{s}, Y: []float64{mb}})
	}
	return points
}

// Rows returns a row of a table for each way: its name, the rounds of the short run, the ms of processors for each of
// them, and the last objective of the long run.
func (r Race) Rows() (rows [][]any) {
	for _, way := range r.Ways {
		rounds, seconds, _ := r.end(way)
		long := r.Long[way]
		rows = append(rows, []any{way, rounds, viz.Number(1e3*seconds/float64(rounds), 1), viz.Number(long.Objective[len(long.Objective)-1], 2)})
	}
	return rows
}
