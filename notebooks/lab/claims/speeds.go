package claims

import (
	"math"
	"slices"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

// A Speed is how many times as long one solver of the race takes as another at a rank: quartiles over n starts.
type Speed struct {
	Rank string
	Quartiles
	N int
}

// Speeds divides the stored seconds of one solver by those of another, at all ranks of a set or at some, by the Rule
// of the race: where the other does not arrive, the quotient counts as 0.
func Speeds(race stored.Table, set, seconds, by string, ranks ...string) (all []Speed) {
	rows := race.Where("set", set)
	for _, rank := range rows.Different("rank") {
		if len(ranks) > 0 && !slices.Contains(ranks, rank) {
			continue
		}
		var q []float64
		for _, o := range rows.Where("rank", rank, "solver", seconds) {
			for _, w := range rows.Where("rank", rank, "solver", by, "start", o.Text("start")) {
				if quotient := o.Number("seconds") / w.Number("seconds"); w.Text("outcome") != "reached" {
					q = append(q, 0)
				} else if !math.IsNaN(quotient) {
					q = append(q, quotient)
				}
			}
		}
		if len(q) > 0 {
			all = append(all, Speed{rank, QuartilesOf(q), len(q)})
		}
	}
	return all
}
