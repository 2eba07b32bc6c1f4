package claims

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// A problem is a row of the tables of the RLS-NMF paper.
type problem struct {
	table int
	set   string
	level float64
}

func (p problem) String() string {
	if p.level == 0 {
		return p.set
	}
	return fmt.Sprintf("%s, %g", p.set, p.level)
}

// othersOfRLS are the rivals of the paper's tables whose grids RLS-NMF's does not contain.
var othersOfRLS = []string{"NMF", "GNMF", "RMNMF", "WNMF", "CNMF", "ONMF", "Semi-NMF"}

// best is the score of the stored point of a method, α = β, at which another score is largest,
// NaN if none is stored. The points of LS-NMF count for RLS-NMF, too: they are its γ ≥ 2. Where the
// choice is not by the score itself, points at which no component is left do not count.
func best(t stored.Table, p problem, method, metric, by string) float64 {
	most, of := math.Inf(-1), math.NaN()
	for _, r := range t.Where("table", strconv.Itoa(p.table), "set", p.set, "level", fmt.Sprint(p.level)) {
		m := r.Text("method")
		if m != method && !(method == "RLS-NMF" && m == "LS-NMF") || r.Text("alpha") != r.Text("beta") || by != metric && r.Number("live") == 0 {
			continue
		}
		if v := r.Number(by); v > most {
			most, of = v, r.Number(metric)
		}
	}
	return of
}

// RLS are the claims of Peng et al. (2022), notebook 04.
func RLS(d Data) List {
	of := func(table int, levels []float64, sets ...string) (all []problem) {
		for _, s := range sets {
			for _, l := range levels {
				all = append(all, problem{table, s, l})
			}
		}
		return all
	}
	table1 := of(1, []float64{0}, "Semeion", "ORL", "Yale", "COIL20", "Pendigits", "JAFFE", "ExtendedYaleB")
	removed := slices.Concat(of(2, []float64{0.2, 0.4, 0.6}, "JAFFE"), of(3, []float64{0.2, 0.4, 0.6}, "Yale"), of(4, []float64{0.2, 0.4, 0.6}, "COIL20"))
	noisy := slices.Concat(of(5, []float64{0.005, 0.01, 0.015}, "ORL"), of(6, []float64{0.005, 0.01, 0.015}, "Yale"), of(7, []float64{0.005, 0.01, 0.015}, "COIL20"))
	lead := func(problems []problem, who, metric, by string, rivals ...string) (all []Cell) {
		for _, p := range problems {
			mine, c := best(d.RLS, p, who, metric, by), Cell{}
			for _, rival := range rivals {
				v := mine - best(d.RLS, p, rival, metric, by)
				if !math.IsNaN(v) && (c.N == 0 || v < c.Mean) {
					c = Cell{p.String(), strings.Replace(rival, "L1", "ℓ₁", 1), DifferenceOf([]float64{v})}
				}
				if metric != "nmi" && c.N > 0 && rls.Level(p.set, c.Mean) {
					c.Low, c.High = 0, 0 // less than one sample is level
				}
			}
			if c.N > 0 {
				all = append(all, c)
			}
		}
		return all
	}
	nested := func(problems []problem) string {
		all := lead(problems, "RLS-NMF", "accuracy", "accuracy", "LS-NMF")
		ahead := 0
		for _, c := range all {
			ahead += max(c.side(), 0)
		}
		return fmt.Sprintf(". It is ahead of LS-NMF, whose grid is part of its own, in %d of %d", ahead, len(all))
	}
	// edges counts the problems whose best λ of RLS-NMF is the smallest or the largest that was tried.
	edges := func(problems []problem) (n int) {
		for _, p := range problems {
			most, at := math.Inf(-1), 0.
			var tried []float64
			for _, m := range []string{"LS-NMF", "RLS-NMF"} {
				for _, r := range d.RLS.Where("table", strconv.Itoa(p.table), "set", p.set, "level", fmt.Sprint(p.level), "method", m) {
					if tried = append(tried, r.Number("lambda")); r.Number("accuracy") > most {
						most, at = r.Number("accuracy"), r.Number("lambda")
					}
				}
			}
			if len(tried) > 0 && (at == slices.Min(tried) || at == slices.Max(tried)) {
				n++
			}
		}
		return n
	}
	// spoiled is first, and says what our setting adds to it.
	spoiled := func(problems []problem, first func() (Verdict, string)) func() (Verdict, string) {
		return func() (Verdict, string) {
			v, why := first()
			if problems[0].table < 5 {
				ahead := 0
				for _, c := range lead(problems, "RLS-NMF", "accuracy", "accuracy", slices.DeleteFunc(slices.Clone(othersOfRLS), func(m string) bool { return m == "WNMF" })...) {
					ahead += max(c.side(), 0)
				}
				why += fmt.Sprintf(". Without WNMF, which alone is told what is missing, it is ahead in %d", ahead)
			}
			return v, why + fmt.Sprintf(". In %d the best λ is at an edge of our grid", edges(problems))
		}
	}
	first := func(problems []problem) func() (Verdict, string) {
		return func() (Verdict, string) {
			v, why := Lead("RLS-NMF", true, lead(problems, "RLS-NMF", "accuracy", "accuracy", othersOfRLS...))
			for _, metric := range []string{"purity", "nmi"} {
				all := lead(problems, "RLS-NMF", metric, metric, othersOfRLS...)
				held := 0
				for _, c := range all {
					if c.side() >= 0 {
						held++
					}
				}
				why += fmt.Sprintf("%s %s in %d", map[string]string{"purity": ". It is first or level by", "nmi": ", by"}[metric], strings.Replace(metric, "nmi", "NMI", 1), held)
			}
			least, most, others := math.MaxInt, 0, 0
			for _, p := range problems {
				points := func(method string) (n int) {
					for _, r := range d.RLS.Where("table", strconv.Itoa(p.table), "set", p.set, "level", fmt.Sprint(p.level), "method", method) {
						if r.Text("alpha") == r.Text("beta") {
							n++
						}
					}
					return n
				}
				own := points("LS-NMF") + points("RLS-NMF")
				least, most = min(least, own), max(most, own)
				for _, m := range othersOfRLS {
					others = max(others, points(m))
				}
			}
			return v, why + nested(problems) + fmt.Sprintf(". It has %d to %d points to choose from (2,401 in the paper), its rivals at most %d", least, most, others)
		}
	}
	const byLabels = "accuracy at the best point of each grid by the true labels, as in the paper; a single value in each cell, the mean of two starts; less than one sample is level. " + LeadRule
	const byAccuracy = "accuracy decides; the reason has purity and NMI, too; each score at its own best point of each grid by the true labels, as in the paper; a single value in each cell, the mean of two starts; less than one sample is level. " + LeadRule
	numbers := func(t stored.Table, suffix string, problems []problem) func() (Verdict, string) {
		return func() (Verdict, string) {
			var pairs []Pair
			for _, p := range problems {
				for _, m := range append([]string{"LS-NMF", "RLS-NMF"}, othersOfRLS...) {
					v, err := strconv.ParseFloat(rls.Printed(p.table, p.set, p.level, "accuracy", m), 64)
					ours := best(t, p, m+suffix, "accuracy", "accuracy")
					if err == nil && !math.IsNaN(ours) {
						pairs = append(pairs, Pair{p.String() + ", " + m, ours, v / 100})
					}
				}
			}
			return Near(0.05, 100, "points", pairs)
		}
	}
	return List{
		{"descent", Derivation, "(1) to (14), Theorem 1", "the updates of LS-NMF never raise the objective", "as printed, 300 rounds on 60 images of digits with a graph: no round rises", func() (Verdict, string) {
			r := must(logNorm(0, 300))
			return yes(rises(r) == 0, "%d of %d rounds rise; section 3 has a proof", rises(r), len(r.Trace)-1)
		}},
		{"taylor", Derivation, "Lemma 2, (21)", "what lies above (21), a Taylor expansion of second order, lies above the objective", "the logarithm lies nowhere above (21)", func() (Verdict, string) {
			above := 0.
			for u := 0.5; u <= 4; u += 0.01 {
				above = math.Max(above, math.Log1p(u)-(math.Log1p(0.5)+(u-0.5)/1.5-(u-0.5)*(u-0.5)/(2*1.5*1.5)))
			}
			return yes(above <= 0, "between v = 0.5 and 4 the logarithm lies above (21), by up to %.2f; its tangent, which lies above everywhere, proves what (21) does not", above)
		}},
		{"stationary", Derivation, "Theorem 1", "the objective is invariant if and only if the factors are stationary", "one pair of factors that the updates leave, and that is not stationary, disproves it", func() (Verdict, string) {
			w, h := mat.NewDense(2, 1, []float64{1, 0}), mat.NewDense(1, 2, []float64{1, 1})
			r := must(rnmf.Model{Rank: 1, Solver: rnmf.MU{}, Init: rnmf.WarmStart{W: w, H: h}}.Fit(context.Background(), mat.NewDense(2, 2, []float64{1, 1, 1, 1})))
			return yes(r.KKT < 1e-3, "on a 2 × 2 matrix of ones W = (1, 0)ᵀ stays, with the KKT residual %.2g: zeros are left out", r.KKT)
		}},
		{"operator", Derivation, "(32) to (43), Theorem 2", "(38) is the proximal operator of the ℓ₂,log norm", "at 400 pairs of a length and a τ the operator is at the lowest point of a grid", func() (Verdict, string) {
			worst := 0.
			for i := range 400 {
				e, tau := 0.15*float64(i%40), 0.4*float64(i/40)+0.01
				f := func(x float64) float64 { return (x-e)*(x-e)/2 + tau*math.Log1p(x) }
				least := f(0)
				for k := range 2001 {
					least = math.Min(least, f(e*float64(k)/2000))
				}
				x := must(papers.LogShrink{Gamma: 2 * tau, Scale: 1}.Shrink(mat.NewDense(1, 1, []float64{e}))).At(0, 0)
				worst = math.Max(worst, f(x)-least)
			}
			return yes(worst < 1e-9, "its value is above the lowest of the grid by at most %.1g", worst)
		}},
		{"positive", Derivation, "(46), (49), (50), Theorem 3, Theorem 4", "X − S is not negative, and the updates of RLS-NMF never raise the objective", "as printed, γ = 1, 300 rounds on 60 images of digits: no round rises", func() (Verdict, string) {
			r := must(logNorm(1, 300))
			return yes(rises(r) == 0, "%d of %d rounds rise; X − S is a weighted mean of X and WH (section 6)", rises(r), len(r.Trace)-1)
		}},
		{"emptied", Derivation, "(44), (45)", "a larger τ makes S sparser", "(45) is the slope of (44), to 1e-6, and on 60 images of digits with WH fixed no column of S that is 0 at one τ comes back at a larger one; else: not. Whole fits with a larger τ have no fewer columns of 0; else: partly", emptied},
		{"nmi", Derivation, "(52)", "NMI is divided by the geometric mean of the entropies", "it is a definition, and claims nothing", judged(NotTestable, "the NMI of our tables 1 to 7 is (52); other papers divide by the arithmetic mean or by the larger entropy, which gives lower numbers where the entropies differ")},
		{"data", Picture, "Fig. 1, Fig. 2, Fig. 3", "examples of the data", "they show data, and claim nothing", judged(NotTestable, "section 9 shows ours of Fig. 2 and 3")},
		{"table1", Ranking, "Table 1", "RLS-NMF is first on 7 of 8 sets by accuracy and by purity, on 6 by NMI", byAccuracy, first(table1)},
		{"needed", Ranking, "Table 1, section 5.1", "S is needed where samples are noisy, as on Extended Yale B", "on this one set RLS-NMF with γ ≤ 1 is ahead of LS-NMF by a sample or more (printed: 37.2 and 18.6 %), each at the best point of its grid by the true labels, as in the paper; means of two starts", func() (Verdict, string) {
			of := func(method string) (best float64, points int) {
				v := d.RLS.Where("table", "1", "set", "ExtendedYaleB", "method", method).Numbers("accuracy")
				return slices.Max(append(v, math.Inf(-1))), len(v)
			}
			with, n := of("RLS-NMF")
			without, n0 := of("LS-NMF")
			if n == 0 || n0 == 0 {
				return Open, "nothing is stored"
			}
			ahead := 0 // at the same α and λ
			for _, r := range d.RLS.Where("table", "1", "set", "ExtendedYaleB", "method", "RLS-NMF") {
				for _, l := range d.RLS.Where("table", "1", "set", "ExtendedYaleB", "method", "LS-NMF", "alpha", r.Text("alpha"), "lambda", r.Text("lambda")) {
					if r.Number("accuracy") > l.Number("accuracy") {
						ahead++
					}
				}
			}
			return yes(with > without && !rls.Level("ExtendedYaleB", with-without), "%.1f and %.1f %%, from %d and %d points of a grid, where the paper has 2,401 and 343. With S it is ahead at %d of the %d common points", 100*with, 100*without, n, n0, ahead, n)
		}},
		{"table1-l1", Ranking, "section 3.1, not in Table 1", "the logarithm is better than the ℓ₁ norm (3)", "LS-NMF against ℓ₁ norms with the same graph, which the paper does not have: " + byLabels, func() (Verdict, string) {
			return Lead("LS-NMF", true, lead(table1, "LS-NMF", "accuracy", "accuracy", "L1"))
		}},
		{"table1-silhouette", Ranking, ourQuestion, "RLS-NMF is first where nobody knows the labels", "accuracy at the point of each grid with the largest silhouette among the points with a component left; a single value in each cell, the mean of two starts; less than one sample is level. " + LeadRule, func() (Verdict, string) {
			return Lead("RLS-NMF", true, lead(table1, "RLS-NMF", "accuracy", "silhouette", othersOfRLS...))
		}},
		{"table1-numbers", Number, "Table 1", "the accuracies", nearRule("5 points"), numbers(d.RLS, "", table1)},
		{"table1-missing", Number, "Table 1", "the numbers of AR", "the data must be at hand", judged(NotTestable, "130 images of AR are at hand; all printed accuracies and purities are multiples of 1/1300, and 10.46 % is none of 1/130, so the paper has more")},
		{"removed", Ranking, "Table 2, Table 3, Table 4", "RLS-NMF is first with 20, 40 and 60 % of the entries removed", byAccuracy, spoiled(removed, first(removed))},
		{"noise", Ranking, "Table 5, Table 6, Table 7", "RLS-NMF is first under noise", byAccuracy, spoiled(noisy, first(noisy))},
		{"spoiled-numbers", Number, "Table 2 to Table 7", "the accuracies", nearRule("5 points"), numbers(d.RLS, "", slices.Concat(removed, noisy))},
		{"as-printed", Number, "Tables 1 to 7", "the accuracies, by the updates and in the units as printed", "LS- and RLS-NMF with ε = 1 and raw parameters; " + nearRule("5 points"), func() (Verdict, string) {
			var pairs []Pair
			var tried []string // sets of Table 1
			for _, p := range slices.Concat(table1, removed, noisy) {
				for _, m := range []string{"LS-NMF", "RLS-NMF"} {
					v, err := strconv.ParseFloat(rls.Printed(p.table, p.set, p.level, "accuracy", m), 64)
					ours := math.Inf(-1)
					at := d.AsPrinted.Where("table", strconv.Itoa(p.table), "set", p.set, "level", fmt.Sprint(p.level))
					for _, r := range slices.Concat(at.Where("method", "LS-NMF, printed"), at.Where("method", m+", printed")) { // γ ≥ 2 is LS-NMF
						ours = math.Max(ours, r.Number("accuracy"))
					}
					if err != nil || math.IsInf(ours, 0) {
						continue
					}
					pairs = append(pairs, Pair{p.String() + ", " + m, ours, v / 100})
					if p.table == 1 && m == "RLS-NMF" {
						tried = append(tried, p.set)
					}
				}
			}
			v, why := Near(0.05, 100, "points", pairs)
			var points []int
			for _, p := range slices.Concat(table1, removed, noisy) {
				at := d.AsPrinted.Where("table", strconv.Itoa(p.table), "set", p.set, "level", fmt.Sprint(p.level))
				if n := len(at.Where("method", "LS-NMF, printed")) + len(at.Where("method", "RLS-NMF, printed")); n > 0 {
					points = append(points, n)
				}
			}
			return v, why + fmt.Sprintf(". RLS-NMF has %d to %d points to choose from (2,401 in the paper). Of Table 1 only %s are tried, and nothing of Table 2", slices.Min(points), slices.Max(points), strings.Join(tried, ", "))
		}},
		{"gamma", Picture, "Fig. 4", "RLS-NMF tends to be better with a larger γ", "at the α and λ of the best point: the mean accuracy at γ = 1 and γ ≥ 2 is above that at γ = 0.001 and 0.01, on all sets with these four; on some: partly", func() (Verdict, string) {
			held, all := 0, 0
			var peaks, below, dead []string
			for _, p := range table1 {
				rows := slices.Concat(d.RLS.Where("table", "1", "set", p.set, "method", "LS-NMF"), d.RLS.Where("table", "1", "set", p.set, "method", "RLS-NMF"))
				var top stored.Row
				for _, r := range rows {
					if r.Text("alpha") == r.Text("beta") && (top == nil || r.Number("accuracy") > top.Number("accuracy")) {
						top = r
					}
				}
				if top == nil {
					continue
				}
				at := rows.Where("alpha", top.Text("alpha"), "beta", top.Text("alpha"), "lambda", top.Text("lambda"))
				small := slices.Concat(at.Where("gamma", "0.001"), at.Where("gamma", "0.01"))
				large := slices.Concat(at.Where("gamma", "1"), at.Where("method", "LS-NMF"))
				if len(small) < 2 || len(large) < 2 {
					continue
				}
				a, b := mean(small, "accuracy"), mean(large, "accuracy")
				if all++; b > a {
					held++
				}
				peaks = append(peaks, fmt.Sprintf("%s %.1f and %.1f %%", p.set, 100*a, 100*b))
				for _, r := range small {
					if r.Number("live") == 0 {
						dead = append(dead, fmt.Sprintf("%s (γ = %s)", p.set, r.Text("gamma")))
					}
				}
				if one := mean(slices.Concat(at.Where("gamma", "1")), "accuracy"); b > a && one <= a {
					below = append(below, fmt.Sprintf("On %s large γ are ahead only because LS-NMF, γ ≥ 2, is in the mean: γ = 1 alone has %.1f %%", p.set, 100*one))
				}
			}
			v, why := yes(held == all && all > 0, "with small and large γ: %s", strings.Join(peaks, ", "))
			if len(below) > 0 {
				why += ". " + strings.Join(below, ". ")
			}
			if len(dead) > 0 {
				why += ". No component is left at small γ on " + strings.Join(dead, ", ")
			}
			if held > 0 && held < all {
				v = Partly
			}
			return v, why
		}},
		{"switched-off", Picture, "section 5.4", "larger γ might account better for noise", "RLS-NMF with S = 0 is LS-NMF. If in Tables 3 to 7, as printed, fewer than half of the points at γ = 1 with a component left have other scores than LS-NMF at the same α and λ, S does too little to account for noise: not. Else: open, because no score tells what S takes", func() (Verdict, string) {
			count := func(t stored.Table, suffix string) (differ, all map[string]int) {
				differ, all = map[string]int{}, map[string]int{}
				for _, r := range t.Where("method", "RLS-NMF"+suffix, "gamma", "1") {
					if r.Number("live") == 0 || r.Number("table") == 1 {
						continue
					}
					tables := "2 to 4"
					if r.Number("table") > 4 {
						tables = "5 to 7"
					}
					for _, l := range t.Where("method", "LS-NMF"+suffix, "table", r.Text("table"), "set", r.Text("set"), "level", r.Text("level"), "alpha", r.Text("alpha"), "beta", r.Text("beta"), "lambda", r.Text("lambda")) {
						if all[tables]++; l.Text("accuracy") != r.Text("accuracy") || l.Text("nmi") != r.Text("nmi") || l.Text("silhouette") != r.Text("silhouette") {
							differ[tables]++
						}
					}
				}
				return differ, all
			}
			raw, rawAll := count(d.AsPrinted, ", printed")
			units, unitsAll := count(d.RLS, "")
			verdict := Not
			if 2*(raw["2 to 4"]+raw["5 to 7"]) >= rawAll["2 to 4"]+rawAll["5 to 7"] {
				verdict = Open
			}
			return verdict, fmt.Sprintf("points at γ = 1 with other scores than LS-NMF: as printed %d of %d in Tables 3 and 4, %d of %d in 5 to 7; in units of the data %d of %d in 2 to 4, %d of %d in 5 to 7. From γ = 2 on S is 0 where the residuals of samples of length 1 are shorter than 1 (section 6)",
				raw["2 to 4"], rawAll["2 to 4"], raw["5 to 7"], rawAll["5 to 7"], units["2 to 4"], unitsAll["2 to 4"], units["5 to 7"], unitsAll["5 to 7"])
		}},
		{"alpha", Picture, "Fig. 5", "it is insensitive to α, and small β tend to be more effective", "LS-NMF on Yale and Semeion, α and β apart, at the best λ: at the best β the accuracy is within 5 points of the best for all α from 0.001 to 1000, and the best β is at most 0.1. One of the two: partly", func() (Verdict, string) {
			flat, small := true, true
			var ranges []string
			for _, set := range []string{"Yale", "Semeion"} {
				rows := d.RLS.Where("table", "1", "set", set, "method", "LS-NMF")
				var top stored.Row
				for _, r := range rows {
					if top == nil || r.Number("accuracy") > top.Number("accuracy") {
						top = r
					}
				}
				if top == nil {
					continue
				}
				v := rows.Where("beta", top.Text("beta"), "lambda", top.Text("lambda")).Numbers("accuracy")
				flat = flat && slices.Max(v)-slices.Min(v) <= 0.05
				small = small && top.Number("beta") <= 0.1
				ranges = append(ranges, fmt.Sprintf("%s: the best point has β = %s and λ = %s, and there %d values of α have %.1f to %.1f %%", set, top.Text("beta"), top.Text("lambda"), len(v), 100*slices.Min(v), 100*slices.Max(v)))
			}
			v, why := yes(flat && small, "%s. Components die where αβ is too large (section 4)", strings.Join(ranges, ". "))
			if v == Not && (flat || small) {
				v = Partly
			}
			return v, why
		}},
		{"rounds", Time, "Fig. 6", "it converges within about 100 rounds", "as printed on 60 images of digits: of the fall from the start to round 500, less than 1 % is left after round 100", func() (Verdict, string) {
			t := must(logNorm(1, 500)).Trace
			left := (t[100].Objective - t[500].Objective) / (t[0].Objective - t[500].Objective)
			after := (t[100].Objective - t[500].Objective) / t[500].Objective
			return yes(left < 1e-2, "%.2g %% is left, %.2g %% of the value; section 3 shows Yale and JAFFE", 100*left, 100*after)
		}},
		{"rate", Time, "Fig. 7, section 3.3", "the rate is linear, as ratios of the gaps lie below 1 (Fig. 7), and roughly of first order, as ∂M/∂Υ, the derivative of a round, generally is not 0 (section 3.3)", "At a linear rate the share of the distance to the limit that a round removes does not go to 0. If on one problem with ratios below 1 and ∂M/∂Υ ≠ 0 it halves from round 1000 to 2000, to within a tenth, neither reason proves the rate: partly. We do not say “not”, because section 3.3 says only “roughly” and “generally”. Else: reproduced", rate},
		{"time", Time, "Fig. 8", "the times of a round are of the same order", "stored milliseconds: RLS-NMF takes at most ten times as long as the faster of NMF and GNMF on each set", func() (Verdict, string) {
			holds := len(d.Times) > 0
			var q []string
			for _, set := range d.Times.Different("set") {
				ms := func(m string) float64 { return mean(d.Times.Where("set", set, "method", m), "milliseconds") }
				v := ms("RLS-NMF") / math.Min(ms("NMF"), ms("GNMF"))
				holds = holds && v <= 10
				q = append(q, fmt.Sprintf("%.1f (%s)", v, set))
			}
			return yes(holds, "quotients %s; medians of five fits, in one run", strings.Join(q, ", "))
		}},
		{"basis", Ranking, "Fig. 9", "RLS-NMF has the sparsest basis, on ORL", "Hoyer's measure of W at the best point of each grid by the true labels, as in the paper; means of two starts. RLS-NMF has the largest: reproduced; LS-NMF alone has a larger one: partly; else: not", func() (Verdict, string) {
			orl := problem{1, "ORL", 0}
			own := best(d.RLS, orl, "RLS-NMF", "sparsityW", "accuracy")
			if math.IsNaN(own) {
				return Open, "nothing is stored"
			}
			of, sparser := []string{fmt.Sprintf("RLS-NMF %.2f", own)}, []string{}
			for _, m := range append([]string{"LS-NMF"}, othersOfRLS...) {
				w := best(d.RLS, orl, m, "sparsityW", "accuracy")
				if of = append(of, fmt.Sprintf("%s %.2f", m, w)); w > own {
					sparser = append(sparser, m)
				}
			}
			switch {
			case len(sparser) == 0:
				return Reproduced, strings.Join(of, ", ")
			case slices.Equal(sparser, []string{"LS-NMF"}):
				return Partly, strings.Join(of, ", ")
			}
			return Not, strings.Join(of, ", ")
		}},
		{"sparser", Ranking, "Fig. 10", "the logarithm gives sparser factors than ℓ₁", "Hoyer's measure of W and of H at the best point of each grid by the true labels, as in the paper: LS-NMF against ℓ₁ norms with the same graph, where the paper has none; less than 0.01 is level. Sparser in all: reproduced; in some: partly", func() (Verdict, string) {
			more, all := 0, 0
			var gaps []string
			for _, p := range of(1, []float64{0}, "ORL", "Yale", "ExtendedYaleB") {
				for _, factor := range []string{"W", "H"} {
					a, b := best(d.RLS, p, "LS-NMF", "sparsity"+factor, "accuracy"), best(d.RLS, p, "L1", "sparsity"+factor, "accuracy")
					if all++; a-b >= 0.01 {
						more++
					}
					gaps = append(gaps, fmt.Sprintf("%.3f and %.3f (%s of %s)", a, b, factor, p))
				}
			}
			v, why := yes(more == all, "sparser in %d of %d; the log's and that of ℓ₁: %s", more, all, strings.Join(gaps, ", "))
			if v == Not && more > 0 {
				v = Partly
			}
			return v, why
		}},
		{"sparser-error", Ranking, ourQuestion, "the logarithm gives sparser factors than ℓ₁ at the same error", "NMF with either on both factors, on 60 images of digits, at eight strengths: at the error of each ℓ₁ fit with all components the log's sparsity, interpolated, is larger by more than 0.001 in more than half", func() (Verdict, string) {
			return sparser()
		}},
		{"glasses", Picture, "Fig. 11", "glasses are significantly removed in the reconstructed images", "the paper names no measure", judged(NotTestable, "section 11 shows that clear ones fade in RLS-NMF, LS-NMF and NMF alike, and dark ones most in RLS-NMF")},
		{"purity", Number, "Tables 1 to 7", "accuracy and purity", "a purity is never below the accuracy of the same clusters: reproduced if none is, partly if fewer than a tenth are", func() (Verdict, string) {
			below, all := map[string]int{}, 0
			for _, p := range slices.Concat(table1, removed, noisy, of(1, []float64{0}, "AR")) {
				for _, m := range append([]string{"LS-NMF", "RLS-NMF"}, othersOfRLS...) {
					a, err := strconv.ParseFloat(rls.Printed(p.table, p.set, p.level, "accuracy", m), 64)
					b, err2 := strconv.ParseFloat(rls.Printed(p.table, p.set, p.level, "purity", m), 64)
					if err == nil && err2 == nil {
						if all++; b < a {
							below[m]++
						}
					}
				}
			}
			sum := 0
			for _, n := range below {
				sum += n
			}
			v, why := yes(sum == 0, "%d of %d purities are below, %d of ONMF and %d of others", sum, all, below["ONMF"], sum-below["ONMF"])
			if v == Not && 10*sum < all {
				v = Partly
			}
			return v, why
		}},
	}
}

// logNorm is RLS-NMF as printed on 60 images of digits of length 1, LS-NMF with γ = 0.
func logNorm(gamma float64, rounds int) (*rnmf.Result, error) {
	s, err := datasets.Digits().Sample(6, 1)
	if err != nil {
		return nil, err
	}
	p, err := rls.New(s, 0, 0, 1)
	if err != nil {
		return nil, err
	}
	return printed.LogNorm{Start: printed.Start{Rank: p.K, Seed: 1, MaxIter: rounds}, Alpha: 0.01, Beta: 0.01, Gamma: gamma, Lambda: 0.1, Graph: p.Graph}.Fit(context.Background(), p.X)
}

// rate follows LS-NMF as printed on a matrix of two rows and one column. At the limit W = (s, 0)ᵀ and H = s; the
// gradient of the entry of W that goes to 0 is 0 there, and the derivative of its update by itself is 1.
func rate() (Verdict, string) {
	const s = 0.99
	a := 2 * s * (1 - s*s) * (1 + s) // α and β: s is stationary
	x := mat.NewDense(2, 1, []float64{1, a / (2 * s)})
	distance := func(rounds int) float64 {
		start := rnmf.WarmStart{W: mat.NewDense(2, 1, []float64{1, 0.1}), H: mat.NewDense(1, 1, []float64{1})}
		r := must(printed.LogNorm{Start: printed.Start{Rank: 1, Init: start, MaxIter: rounds}, Alpha: a, Beta: a}.Fit(context.Background(), x))
		return math.Hypot(math.Hypot(r.W.At(0, 0)-s, r.W.At(1, 0)), r.H.At(0, 0)-s)
	}
	share := func(round int) float64 { return 1 - distance(round)/distance(round-1) }
	early, late := share(1000), share(2000)
	halves := late > 0 && math.Abs(late/early-0.5) < 0.05
	verdict := Reproduced
	if halves {
		verdict = Partly
	}
	return verdict, fmt.Sprintf("on X = (1, %.8g)ᵀ with α = β = %.8g round 1000 removes %.3f %% of the distance, round 2000 %.3f %%, as of 1/t, where ∂w₂/∂w₂ is %.3g at the limit; any falling sequence has ratios below 1", x.At(1, 0), a, 100*early, 100*late, x.At(1, 0)*s/(a/2))
}

// emptied counts the columns of S that are 0, by τ = γ/2: with a WH that is fixed, and in whole fits.
func emptied() (Verdict, string) {
	slope := 0.0 // how far (45) is from the slope of (44), at most
	for _, e := range []float64{2.5, 4, 8} {
		for _, tau := range []float64{0.1, 0.5, 1, 1.5} {
			f := func(tau float64) float64 {
				xi := (e-1)/2 + math.Sqrt((1+e)*(1+e)/4-tau)
				return (xi-e)*(xi-e)/2 + tau*math.Log1p(xi)
			}
			const h = 1e-5
			xi := (e-1)/2 + math.Sqrt((1+e)*(1+e)/4-tau)
			slope = max(slope, math.Abs((f(tau+h)-f(tau-h))/(2*h)-math.Log1p(xi)))
		}
	}
	s := must(datasets.Digits().Sample(6, 1))
	p := must(rls.New(s, 0, 0, 1))
	empty := func(gamma float64, r *rnmf.Result) map[int]bool {
		var rest mat.Dense
		rest.Sub(p.X, r.WH())
		shrunk, zero := must(papers.LogShrink{Gamma: gamma, Scale: 1}.Shrink(&rest)), map[int]bool{}
		_, n := shrunk.Dims()
		for j := range n {
			if mat.Norm(shrunk.ColView(j), 1) == 0 {
				zero[j] = true
			}
		}
		return zero
	}
	fixed := must(logNorm(0.5, 300))
	before, left := map[int]bool{}, 0
	for k := 1; k <= 40; k++ {
		now := empty(float64(k)/20, fixed)
		for j := range before {
			if !now[j] {
				left++
			}
		}
		before = now
	}
	var counts []string
	fewer, last := 0, 0
	for _, gamma := range []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2} {
		n := len(empty(gamma, must(logNorm(gamma, 300))))
		if n < last {
			fewer++
		}
		last = n
		counts = append(counts, strconv.Itoa(n))
	}
	verdict := Reproduced
	if slope > 1e-6 || left > 0 {
		verdict = Not
	} else if fewer > 0 {
		verdict = Partly
	}
	return verdict, fmt.Sprintf("(45) differs from the slope of (44) by at most %.0e; with WH fixed %d columns of 0 come back at a larger τ; whole fits with τ from 0.05 to 1 have %s columns of 0 of %d",
		slope, left, strings.Join(counts, ", "), len(s.Labels))
}

// sparser compares what sparsity costs with the logarithm, ε = 1, and with the ℓ₁ norm.
func sparser() (Verdict, string) {
	s := must(datasets.Digits().Sample(6, 1))
	p := must(rls.New(s, 0, 0, 1))
	type point struct{ err, sparsity float64 }
	curve := func(penalty func(a float64) rnmf.Penalty) (all []point) {
		for _, strength := range []float64{0, 0.003, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1} {
			a := strength / p.Units.Entry
			m := rnmf.Model{Rank: p.K, Seed: 1, MaxIter: 100, Tol: -1, OnW: []rnmf.Penalty{penalty(a * p.Units.W)}, OnH: []rnmf.Penalty{penalty(a * p.Units.H)}}
			r := must(m.Fit(context.Background(), p.X))
			if r.Live() < p.K {
				continue
			}
			sum := 0.
			for _, f := range []mat.Matrix{r.W, r.H.T()} {
				v := must(score.HoyerColumns(f))
				for _, x := range v {
					sum += x / float64(2*len(v))
				}
			}
			all = append(all, point{must(r.RelativeError(p.X)), sum})
		}
		slices.SortFunc(all, func(a, b point) int { return int(math.Copysign(1, a.err-b.err)) })
		return all
	}
	l1, log := curve(func(a float64) rnmf.Penalty { return rnmf.Lasso{Lambda: a} }), curve(func(a float64) rnmf.Penalty { return papers.LogSparse{Lambda: a} })
	more, all, most := 0, 0, 0.
	for _, q := range l1 {
		for i := 1; i < len(log); i++ {
			if a, b := log[i-1], log[i]; a.err <= q.err && q.err <= b.err && b.err > a.err {
				at := a.sparsity + (b.sparsity-a.sparsity)*(q.err-a.err)/(b.err-a.err)
				if all++; at > q.sparsity+1e-3 {
					more++
				}
				if math.Abs(at-q.sparsity) > math.Abs(most) {
					most = at - q.sparsity
				}
				break
			}
		}
	}
	return yes(2*more > all, "sparser in %d of %d, the largest difference of Hoyer's measure is %+.4f: with ε = 1 and samples of length 1 the two penalties nearly coincide", more, all, most)
}
