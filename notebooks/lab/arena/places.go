package arena

import (
	_ "embed"
	"math"
	"slices"
	"sync"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

//go:embed defaults.csv
var defaults string

// DefaultsResults returns what DefaultsCommand has stored. Accuracy and AP are NaN, and Seconds are where
// no fit of RobustNMF ran next to this one, as then they cannot be compared.
var DefaultsResults = sync.OnceValue(func() (all []Stored) {
	for _, r := range stored.Parse(defaults) {
		all = append(all, Stored{r.Text("set"), r.Text("corruption"), r.Number("strength"), r.Text("model"), uint64(r.Number("trial")),
			Row{Accuracy: math.NaN(), Error: r.Number("error"), AP: math.NaN(), Seconds: r.Number("seconds"), Rounds: int(r.Number("rounds"))}})
	}
	return all
})

// A Group is sets on which the same was chosen.
type Group struct {
	Name   string
	Sets   []string
	Chosen string // on them
}

// Groups returns the sets by what was chosen on them.
func Groups() []Group {
	return []Group{
		{"tuned sets", []string{"Digits", "Fashion-MNIST", "ORL"}, "the default scales of the losses, the rule of RobustNMF, one limit of CompareLosses and the rule of Auto"},
		{"other sets", []string{"UMIST", "Extended Yale B", "Georgia Tech", "Wine", "Pendigits", "Semeion", "PIE", "AR10P"}, "the rule of Auto, and on Wine two limits of CompareLosses"},
		{"judges", []string{"JAFFE", "Palm", "MNIST"}, "no rule and no limit; but after a look at them it was decided that RobustNMF, where it wins the race, is fitted to all entries from a new start"},
	}
}

// A Place is how near a model comes to the best over some cases.
type Place struct {
	Model string
	// Mean and Worst are of its error over the least of the five losses: the geometric mean and the
	// largest, which is that of Lost. In Near of Cases it is at most 1.05.
	Mean, Worst float64
	Near, Cases int
	Lost        Bout
	// Times is its seconds over those of RobustNMF, the median over the cases; NaN where they are not known.
	Times float64
}

// Places compares the Defaults over the bouts of some sets in which the five losses and choose.Auto took
// part, and those sets are returned, too. CompareLosses is placed over those of these bouts that it has.
func Places(rows []Stored, sets []string) (all []Place, in []string) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(s Stored) bool { return !slices.Contains(sets, s.Set) })
	errs, seconds := Means(rows, Error), Means(rows, Seconds)
	for _, d := range Defaults() {
		p := Place{Model: d.Name, Times: math.NaN()}
		var times []float64
		for _, b := range Bouts(rows) {
			factor := Factor(errs[b], d.Name)
			if math.IsNaN(factor) || math.IsNaN(Factor(errs[b], "auto")) {
				continue
			}
			if !slices.Contains(in, b.Set) {
				in = append(in, b.Set)
			}
			p.Mean += math.Log(factor)
			if p.Cases++; factor <= 1.05 {
				p.Near++
			}
			if factor > p.Worst {
				p.Worst, p.Lost = factor, b
			}
			if own, theirs := seconds[b][d.Name], seconds[b]["two stages"]; own > 0 && theirs > 0 {
				times = append(times, own/theirs)
			}
		}
		if p.Cases == 0 {
			continue
		}
		if p.Mean = math.Exp(p.Mean / float64(p.Cases)); times != nil {
			slices.Sort(times)
			p.Times = times[len(times)/2]
		}
		all = append(all, p)
	}
	return all, in
}

// Factor returns the error of a model over the least of the five losses, from the errors of a bout; NaN
// where one of them is missing.
func Factor(errs map[string]float64, model string) float64 {
	least := math.Inf(1)
	for _, d := range Defaults() {
		e, ok := errs[d.Name]
		if !ok && !d.Chooses {
			return math.NaN()
		}
		if !d.Chooses {
			least = min(least, e)
		}
	}
	e, ok := errs[model]
	if !ok {
		return math.NaN()
	}
	return e / least
}

// FactorOf returns the geometric mean of Factor over the strengths of a corruption of a set, NaN where
// nothing is stored.
func FactorOf(rows []Stored, set, kind, model string) float64 {
	var sum, n float64
	for b, of := range Means(rows, Error) {
		if f := Factor(of, model); b.Set == set && b.Kind == kind && !math.IsNaN(f) {
			sum, n = sum+math.Log(f), n+1
		}
	}
	return math.Exp(sum / n)
}
