package arena

import (
	"cmp"
	"math"
	"slices"
)

// A Measure takes one number from a row; Larger says that more is better.
type Measure struct {
	Name   string
	Of     func(Stored) float64
	Larger bool
}

// The measures.
var (
	Error    = Measure{"relative error", func(s Stored) float64 { return s.Error }, false}
	Accuracy = Measure{"accuracy", func(s Stored) float64 { return s.Accuracy }, true}
	AP       = Measure{"average precision", func(s Stored) float64 { return s.AP }, true}
	Seconds  = Measure{"seconds", func(s Stored) float64 { return s.Seconds }, false}
)

// A Bout is one set, spoiled in one way at one strength.
type Bout struct {
	Set, Kind string
	Strength  float64
}

// Means returns the mean of a measure over the trials, of each bout and rival. What
// is NaN in all trials is left out.
func Means(rows []Stored, m Measure) map[Bout]map[string]float64 {
	sums, counts := map[Bout]map[string]float64{}, map[Bout]map[string]float64{}
	for _, s := range rows {
		v, b := m.Of(s), Bout{s.Set, s.Kind, s.Strength}
		if math.IsNaN(v) {
			continue
		}
		if sums[b] == nil {
			sums[b], counts[b] = map[string]float64{}, map[string]float64{}
		}
		sums[b][s.Model] += v
		counts[b][s.Model]++
	}
	for b, of := range sums {
		for rival := range of {
			of[rival] /= counts[b][rival]
		}
	}
	return sums
}

// Bouts returns those of the rows, in their order.
func Bouts(rows []Stored) (all []Bout) {
	seen := map[Bout]bool{}
	for _, s := range rows {
		if b := (Bout{s.Set, s.Kind, s.Strength}); !seen[b] {
			seen[b] = true
			all = append(all, b)
		}
	}
	return all
}

// A Standing is a rival's place over all bouts.
type Standing struct {
	Model string
	Rank  float64 // mean place, 1 is best; ties share the mean of their places
	Wins  int     // bouts in which nobody was better
	// Regret is how far the rival is from the best of each bout: the geometric mean
	// of value/best (best/value if larger is better), 1 is best.
	Regret float64
	Worst  float64 // the largest such factor
	Bouts  int
}

// Standings ranks the rivals by the means of a measure, over the bouts in which all
// of them took part; the best mean place comes first.
func Standings(rows []Stored, m Measure) []Standing {
	var names []string
	for _, s := range rows {
		if !slices.Contains(names, s.Model) {
			names = append(names, s.Model)
		}
	}
	table := make([]Standing, len(names))
	for i, n := range names {
		table[i] = Standing{Model: n}
	}
	means := Means(rows, m)
	for _, b := range Bouts(rows) {
		of := means[b]
		if len(of) < len(names) {
			continue
		}
		for i, n := range names {
			place, wins, regret := 1.0, true, 1.0
			for _, other := range names {
				factor := of[n] / of[other]
				if m.Larger {
					factor = of[other] / of[n]
				}
				if other != n && factor > 1 {
					place, wins = place+1, false
				} else if other != n && factor == 1 {
					place += 0.5
				}
				regret = max(regret, factor)
			}
			t := &table[i]
			t.Rank += place
			if wins {
				t.Wins++
			}
			t.Regret += math.Log(regret)
			t.Worst = max(t.Worst, regret)
			t.Bouts++
		}
	}
	for i := range table {
		t := &table[i]
		t.Rank /= float64(t.Bouts)
		t.Regret = math.Exp(t.Regret / float64(t.Bouts))
	}
	slices.SortStableFunc(table, func(a, b Standing) int { return cmp.Compare(a.Rank, b.Rank) })
	return table
}

// OverBest returns, for a kind of corruption and each rival, the mean of its error over
// the least error of the bout: 1 is best in all. The mean over bouts is geometric.
func OverBest(rows []Stored, kind string) map[string]float64 {
	sums, n := map[string]float64{}, map[string]float64{}
	means := Means(rows, Error)
	for _, b := range Bouts(rows) {
		of := means[b]
		if b.Kind != kind {
			continue
		}
		least := math.Inf(1)
		for _, e := range of {
			least = min(least, e)
		}
		for rival, e := range of {
			sums[rival] += math.Log(e / least)
			n[rival]++
		}
	}
	for rival := range sums {
		sums[rival] = math.Exp(sums[rival] / n[rival])
	}
	return sums
}
