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
			Row{Accuracy: math.NaN(), Error: r.Number("error"), AP: math.NaN(), Seconds: r.Number("seconds"), Rounds: int(r.Number("rounds")), Chosen: r.Text("chosen")}})
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
	// Times is its seconds over those of RobustNMF, the median over the fits; NaN where they are not known.
	Times float64
}

// Places compares the Defaults over the bouts of some sets in which the five losses and choose.Auto took
// part, and those sets are returned, too.
func Places(rows []Stored, sets []string) (all []Place, in []string) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(s Stored) bool { return !slices.Contains(sets, s.Set) })
	times, auto := relativeSeconds(rows), Factors(rows, "auto")
	for _, d := range Defaults() {
		p := Place{Model: d.Name, Times: math.NaN()}
		factors := Factors(rows, d.Name)
		var of []float64 // the seconds
		for _, b := range Bouts(rows) {
			factor, ok := factors[b]
			if _, raced := auto[b]; !ok || !raced {
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
			of = append(of, times[b][d.Name]...)
		}
		if p.Cases == 0 {
			continue
		}
		if p.Mean = math.Exp(p.Mean / float64(p.Cases)); of != nil {
			slices.Sort(of)
			p.Times = of[len(of)/2]
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

// Factors returns, for each bout, the error of a model over the least of the five losses, all of them
// means over the trials in which the model and the five took part, so that the draws are the same. Bouts
// without such a trial are left out.
func Factors(rows []Stored, model string) map[Bout]float64 {
	trials, draws := byTrial(rows)
	sums := map[Bout]map[string]float64{}
	for _, d := range draws {
		if math.IsNaN(Factor(trials[d], model)) {
			continue // somebody is missing
		}
		if sums[d.Bout] == nil {
			sums[d.Bout] = map[string]float64{}
		}
		for name, e := range trials[d] {
			sums[d.Bout][name] += e
		}
	}
	factors := map[Bout]float64{}
	for b, of := range sums {
		factors[b] = Factor(of, model)
	}
	return factors
}

// A draw is one trial of a bout: all its models had the same damaged data.
type draw struct {
	Bout
	trial uint64
}

// byTrial returns the errors of each draw, and the draws in their order.
func byTrial(rows []Stored) (errs map[draw]map[string]float64, draws []draw) {
	errs = map[draw]map[string]float64{}
	for _, r := range rows {
		d := draw{Bout{r.Set, r.Kind, r.Strength}, r.Trial}
		if errs[d] == nil {
			errs[d], draws = map[string]float64{}, append(draws, d)
		}
		errs[d][r.Model] = r.Error
	}
	return errs, draws
}

// relativeSeconds returns the seconds of models over those of RobustNMF on the same draw, of each bout.
func relativeSeconds(rows []Stored) map[Bout]map[string][]float64 {
	base := map[draw]float64{}
	for _, r := range rows {
		if r.Model == "two stages" {
			base[draw{Bout{r.Set, r.Kind, r.Strength}, r.Trial}] = r.Seconds
		}
	}
	times := map[Bout]map[string][]float64{}
	for _, r := range rows {
		b := Bout{r.Set, r.Kind, r.Strength}
		if own, theirs := r.Seconds, base[draw{b, r.Trial}]; own > 0 && theirs > 0 {
			if times[b] == nil {
				times[b] = map[string][]float64{}
			}
			times[b][r.Model] = append(times[b][r.Model], own/theirs)
		}
	}
	return times
}
