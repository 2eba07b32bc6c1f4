package rls

import (
	"math"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

// Sets are those of Table 1 that are at hand, in the order of notebook 04.
var Sets = []*datasets.PublicSet{datasets.Semeion, datasets.ORL, datasets.Yale, datasets.COIL20, datasets.Pendigits, datasets.JAFFE, datasets.ExtendedYaleB}

// Samples are how many samples the sets have.
var Samples = map[string]float64{"Semeion": 1593, "ORL": 400, "Yale": 165, "COIL20": 1440, "Pendigits": 10992, "JAFFE": 213, "ExtendedYaleB": 2414}

// Grid returns the stored points of a method in a table, those with α = β. The points of LS-NMF are
// RLS-NMF's, too: its γ of 2 and more, stored as γ = 0.
func Grid(table int, set string, level float64, method string) *choose.Table {
	t := &choose.Table{Names: []string{"alpha", "beta", "gamma", "lambda"}}
	for _, r := range Results() {
		if r.Setting.Value("alpha") == r.Setting.Value("beta") && r.Table == table && r.Set == set && r.Level == level &&
			(r.Method == method || method == "RLS-NMF" && r.Method == "LS-NMF") {
			t.Rows = append(t.Rows, r.Row)
		}
	}
	return t
}

// Chosen returns the point of a Grid at which a score is largest, false if none is stored. Where it is another score than
// the one that is asked for, points at which no component is left do not count: starts often agree there, and clusters are compact.
func Chosen(table int, set string, level float64, method, metric, by string) (choose.Row, bool) {
	grid := Grid(table, set, level, method)
	if by != metric {
		grid = grid.Where(func(r choose.Row) bool { return r.Scores["live"] > 0 })
	}
	return grid.Best(choose.Criterion{Score: by})
}

// Best returns a score of the point that is Chosen by another one, NaN if none is stored.
func Best(table int, set string, level float64, method, metric, by string) float64 {
	best, ok := Chosen(table, set, level, method, metric, by)
	if !ok {
		return math.NaN()
	}
	return best.Scores[metric]
}

// BestSetting is the setting of the point of a Grid of Table 1 with the best accuracy.
func BestSetting(set, method string) Setting {
	best, _ := Grid(1, set, 0, method).Best(choose.Criterion{Score: "accuracy"})
	return At(best.Setting)
}

// Level tells whether two accuracies or purities of a set differ by less than one sample. A difference of
// one sample is stored as 0.5175 − 0.5150 of 400, which is a little less in floating point.
func Level(set string, difference float64) bool { return math.Abs(difference)*Samples[set] < 1-1e-6 }

// Lead is by how many points of accuracy RLS-NMF is ahead of the best of the paper's other methods, each
// at its best point by a score; less than one sample is 0. WNMF is NMF or, where entries are removed, is told which.
func Lead(table int, set string, level float64, by string) float64 {
	lead := math.Inf(1)
	for _, m := range []string{"NMF", "GNMF", "RMNMF", "CNMF", "ONMF", "Semi-NMF"} {
		lead = min(lead, Best(table, set, level, "RLS-NMF", "accuracy", by)-Best(table, set, level, m, "accuracy", by))
	}
	if Level(set, lead) {
		return 0
	}
	return 100 * lead
}

// ByGamma is Fig. 4: the γ of the stored points of Table 1 with the α and λ of the best one, and their
// accuracies. γ of 2, 10, 100 and 1000 is LS-NMF.
func ByGamma(set string) (gamma, accuracy []float64) {
	gamma, rows := byGamma(set)
	for _, r := range rows {
		accuracy = append(accuracy, r.Scores["accuracy"])
	}
	return gamma, accuracy
}

// byGamma returns the γ of ByGamma and their points.
func byGamma(set string) (gamma []float64, rows []choose.Row) {
	grid := Grid(1, set, 0, "RLS-NMF")
	best, _ := grid.Best(choose.Criterion{Score: "accuracy"})
	at := grid.Where(func(r choose.Row) bool {
		return r.Setting.Value("alpha") == best.Setting.Value("alpha") && r.Setting.Value("lambda") == best.Setting.Value("lambda")
	})
	for _, g := range []float64{0.001, 0.01, 0.1, 1, 2, 10, 100, 1000} {
		for _, r := range at.Rows {
			if stored := r.Setting.Value("gamma"); stored == g || stored == 0 && g >= 2 {
				gamma, rows = append(gamma, g), append(rows, r)
			}
		}
	}
	return gamma, rows
}
