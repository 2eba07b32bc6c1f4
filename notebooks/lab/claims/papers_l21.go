package claims

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/l21"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
)

// L21 are the claims of Kong, Ding and Huang (2011), notebook 01.
func L21(d Data) List {
	_, _, printed3 := printedTable(l21.Table3)
	_, _, printed2 := printedTable(l21.Table2)
	sets := slices.DeleteFunc(d.Clusters.Different("set"), func(s string) bool { return math.IsNaN(value(printed3, s+", NMF", "accuracy")) }) // the paper's
	lead := func(who, rival, score string, sets []string) []Cell {
		return cells(sets, func(set string) (Cell, bool) {
			return Contest{Table: d.Clusters, Who: who, Rivals: []string{rival}, Value: score}.Cell(set, "set", set)
		})
	}
	// three judges by accuracy, and tells of the two other scores.
	three := func(who, rival string, sets []string) func() (Verdict, string) {
		return func() (Verdict, string) {
			v, why := Lead(who, true, lead(who, rival, "accuracy", sets))
			for _, score := range []string{"nmi", "purity"} {
				ahead, behind := 0, 0
				for _, c := range lead(who, rival, score, sets) {
					ahead, behind = ahead+max(c.side(), 0), behind-min(c.side(), 0)
				}
				why += fmt.Sprintf("; by %s ahead in %d, behind in %d", strings.Replace(score, "nmi", "NMI", 1), ahead, behind)
			}
			return v, why
		}
	}
	figures := map[string]string{"UMIST": "Fig. 6", "Yale B": "Fig. 7", "MNIST": "Fig. 8", "PIE": "Fig. 9"}
	return List{
		{"lines", Picture, "Fig. 1, Fig. 2", "the line of L2,1-NMF follows eight points, and the two outliers turn that of NMF",
			"on ten points of our own, as the paper's are not printed: L2,1-NMF has less than half of NMF's error on the eight, and more on the two", func() (Verdict, string) {
				x := datasets.TenPoints().X
				good, bad := [2]float64{}, [2]float64{}
				for i, m := range []rnmf.Model{rnmf.L21NMF(1), rnmf.NMF(1)} {
					for j, e := range residuals(x, m) {
						if j < 8 {
							good[i] += e
						} else {
							bad[i] += e
						}
					}
				}
				return yes(good[0] < good[1]/2 && bad[0] > bad[1], "the eight errors sum to %.2f, NMF's to %.2f; those of the outliers to %.2f and %.2f", good[0], good[1], bad[0], bad[1])
			}},
		{"descent", Derivation, "Theorem 1, Lemmas 2 to 5", "the multiplicative updates never raise the objective",
			"no stored point of a curve lies above the one before", func() (Verdict, string) {
				rises, all := 0, 0
				for _, set := range d.Traces.Different("set") {
					y := d.Traces.Where("set", set, "model", "L2,1-NMF, multiplicative").Numbers("objective")
					for i := 1; i < len(y); i++ {
						if all++; y[i] > y[i-1] {
							rises++
						}
					}
				}
				return yes(rises == 0 && all > 0, "%d of %d stored steps rise, on %s; section 2 of notebook 01 has the proof", rises, all, strings.Join(d.Traces.Different("set"), " and "))
			}},
		{"kkt", Derivation, "Theorems 6 and 7", "where the updates converge, the KKT conditions hold",
			"to the columns (1, 1)ᵀ and (1, 2)ᵀ, from a start with a zero and from one without: the KKT residual of both limits is below 0.01; partly, if only that of the second is", func() (Verdict, string) {
				residual := func(second float64) float64 {
					w, h := mat.NewDense(2, 1, []float64{1, second}), mat.NewDense(1, 2, []float64{1, 1})
					m := rnmf.Model{Rank: 1, Loss: rnmf.ByColumn{Loss: rnmf.L1{}}, Solver: rnmf.MU{}, Init: rnmf.WarmStart{W: w, H: h}, MaxIter: 2000, Tol: -1}
					return must(m.Fit(context.Background(), mat.NewDense(2, 2, []float64{1, 1, 1, 2}))).KKT
				}
				zero, positive := residual(0), residual(0.5)
				v, why := yes(zero < 1e-2 && positive < 1e-2, "from W = (1, 0)ᵀ it is %.2g, from W = (1, ½)ᵀ %.1g. The proof shows the half of the conditions that a zero satisfies by itself; "+
					"from a positive start the other half follows, too, as near the limit a factor above 1 would let the entry grow", zero, positive)
				if v == Not && positive < 1e-2 {
					v = Partly
				}
				return v, why
			}},
		{"sets", Number, "Table 1", "ten data sets", "a set counts if Table 3 is stored for it, with the samples, features and classes of Table 1: all ten, reproduced; half, partly", func() (Verdict, string) {
			others := []string{"Yale B", "German", "Cars"} // of another size: see l21.Sets
			same := slices.DeleteFunc(slices.Clone(sets), func(s string) bool { return slices.Contains(others, s) })
			v, why := yes(len(same) == 10, "%d of 10 are stored, %d of them in the printed size: Yale B has 32 × 32 pixels, German 24 and Cars 7 features; PIE is the frontal pose alone, where the paper's images differ in pose",
				len(sets), len(same))
			if v == Not && len(same) >= 5 {
				v = Partly
			}
			return v, why
		}},
		{"nce", Ranking, "Table 2, Fig. 5", "L2,1-NMF ends with a smaller normalised error than NMF", "in one norm for both, L2,1, after multiplicative updates. " + LeadRule, func() (Verdict, string) {
			v, why := Lead("L2,1-NMF", false, cells(d.Convergence.Different("set"), func(set string) (Cell, bool) {
				return Contest{Table: d.Convergence, Who: "L2,1-NMF, multiplicative", Rivals: []string{"NMF, multiplicative"}, Value: "nce21", Less: true}.Cell(set, "set", set)
			}))
			for _, set := range d.Convergence.Different("set") {
				robust, standard := d.Convergence.Where("set", set, "model", "L2,1-NMF, multiplicative"), d.Convergence.Where("set", set, "model", "NMF, multiplicative")
				why += fmt.Sprintf("; each in its own norm, as printed: %.4f and %.4f (%s), where the same factors of NMF have %.4f by L2,1", mean(robust, "nce21"), mean(standard, "ncef"), set, mean(standard, "nce21"))
			}
			return v, why
		}},
		{"nce-numbers", Number, "Table 2", "the normalised errors", nearRule("0.01"), func() (Verdict, string) {
			var pairs []Pair
			for _, set := range d.Convergence.Different("set") {
				for model, column := range map[string]string{"L2,1-NMF": "nce21", "NMF": "ncef"} {
					pairs = append(pairs, Pair{set + ", " + model, mean(d.Convergence.Where("set", set, "model", model+", multiplicative"), column), printed2[[2]string{set + ", " + model, "NCE"}]})
				}
			}
			slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
			return Near(0.01, 1, "of the printed error", pairs)
		}},
		{"rounds", Time, "Table 2, Fig. 5", "both end by rule (58) after 3906 to 4932 rounds", "(58) with the difference the right way round, as it holds at once as printed: the quotient of the mean rounds, ours by the paper's, lies from 0.8 to 1.25 in all four", func() (Verdict, string) {
			var q []string
			holds := true
			for _, set := range d.Convergence.Different("set") {
				for _, model := range []string{"L2,1-NMF", "NMF"} {
					rows := d.Convergence.Where("set", set, "model", model+", multiplicative")
					v := mean(rows, "rounds") / printed2[[2]string{set + ", " + model, "rounds"}]
					more := ""
					if n := len(rows) - len(rows.Where("reason", "converged")); n > 0 {
						more = fmt.Sprintf(" and more, as %d of %d have not converged", n, len(rows))
					}
					holds = holds && v >= 0.8 && v <= 1.25
					q = append(q, fmt.Sprintf("%.1f%s (%s, %s)", v, more, set, model))
				}
			}
			return yes(holds, "quotients %s; n = %d starts each", strings.Join(q, ", "), len(d.Convergence.Different("trial")))
		}},
		{"fewer", Time, "section 5.3", "L2,1-NMF needs fewer rounds than NMF", "of starts from which both end by rule (58). " + LeadRule, func() (Verdict, string) {
			var ended stored.Table
			for _, r := range d.Convergence {
				if r.Text("reason") == "converged" {
					ended = append(ended, r)
				}
			}
			sets := d.Convergence.Different("set")
			all := cells(sets, func(set string) (Cell, bool) {
				return Contest{Table: ended, Who: "L2,1-NMF, multiplicative", Rivals: []string{"NMF, multiplicative"}, Value: "rounds", Less: true}.Cell(set, "set", set)
			})
			if len(all) == 0 {
				return Open, "the limit of rounds ends all runs"
			}
			v, _ := Lead("L2,1-NMF", false, all)
			var text []string
			for _, c := range all {
				text = append(text, strings.ReplaceAll(fmt.Sprintf("on %s it needs %.0f [%.0f, %.0f] rounds more, n = %d", c.Name, -c.Mean, -c.High, -c.Low, c.N), "-", "−"))
			}
			why := strings.Join(text, "; ")
			if len(all) < len(sets) {
				why += "; elsewhere from no start do both end before the limit of 20,000 rounds"
			}
			return v, why
		}},
		{"cost", Time, "sections 1, 2.7", "nearly the same computational cost", "the least seconds of a round at 256 × 256, r = 10: at most 1.25 times those of NMF", func() (Verdict, string) {
			var q []string
			for _, set := range []string{"UMIST", "AT&T"} {
				round := func(model string) float64 {
					return printed2[[2]string{set + ", " + model, "seconds"}] / printed2[[2]string{set + ", " + model, "rounds"}]
				}
				q = append(q, fmt.Sprintf("%.1f times (%s)", round("L2,1-NMF")/round("NMF"), set))
			}
			own := "by the paper's own Table 2 a round of L2,1-NMF takes " + strings.Join(q, " and ") + " as long as one of NMF"
			timings := d.Costs.Where("algorithm", "L2,1-NMF, MUR")
			times := mean(timings, "base") / mean(d.Costs.Where("algorithm", "NMF, MUR"), "base")
			return yes(times <= 1.25, "it takes %.2g times as long; %s", times, own)
		}},
		{"basis", Picture, "Fig. 3, Fig. 4", "the basis images of L2,1-NMF are much clearer", "the paper names no measure", judged(NotTestable, "section 6 of notebook 01 shows them; Fig. 4 has the 31 persons with all 64 images, as the paper names none")},
		{"table3", Ranking, "Table 3", "L2,1-NMF clusters better than NMF on all ten sets", "100 multiplicative rounds from the paper's k-means start, accuracy. " + LeadRule, three("L2,1-NMF", "NMF", sets)},
		{"table3-hals", Ranking, "Table 3", "the same, by 60 rounds of HALS", "HALS, at most 60 rounds, fewer where one gains less than a ten-thousandth, from the same start. " + LeadRule, three("L2,1-NMF, HALS", "NMF, HALS", sets)},
		{"table3-converged", Ranking, "Table 3", "the same, converged", "HALS until a round gains less than a millionth, or for 1,000 rounds, as on Cars and Wine. " + LeadRule, three("L2,1-NMF, converged", "NMF, converged", sets)},
		{"table3-on-h", Ranking, ourQuestion, "the same, converged, with clusters by k-means on H", "k-means on the coefficients of the converged fits, with the columns of W at length 1, in place of the largest coefficient, accuracy; asked after the results were seen. " + LeadRule, func() (Verdict, string) {
			return Lead("L2,1-NMF, converged", true, lead("L2,1-NMF, converged", "NMF, converged", "onH", sets))
		}},
		{"table3-kmeans", Ranking, "Table 3", "L2,1-NMF clusters better than k-means on all ten sets", "100 multiplicative rounds, accuracy. " + LeadRule, three("L2,1-NMF", "k-means", sets)},
		{"table3-start", Ranking, ourQuestion, "the accuracies of 100 multiplicative rounds are those of the start", "L2,1-NMF against its own start, accuracy: reproduced if level on all sets, else not; level as in the rule of the lead", func() (Verdict, string) {
			all := lead("L2,1-NMF", "start", "accuracy", d.Clusters.Different("set"))
			_, why := Lead("L2,1-NMF", true, all)
			return yes(len(all) > 0 && !slices.ContainsFunc(all, func(c Cell) bool { return c.side() != 0 }), "%s", why)
		}},
		{"table3-numbers", Number, "Table 3", "the numbers", nearRule("0.03"), func() (Verdict, string) {
			var pairs []Pair
			var above, below []string // the sets on which all three methods are off in one direction
			for _, set := range sets {
				least, most := math.Inf(1), math.Inf(-1)
				for _, model := range []string{"L2,1-NMF", "NMF", "k-means"} {
					for _, score := range []string{"accuracy", "nmi", "purity"} {
						name := set + ", " + model
						p := Pair{name + ", " + score, mean(d.Clusters.Where("set", set, "model", model), score), printed3[[2]string{name, strings.Replace(score, "nmi", "NMI", 1)}]}
						pairs = append(pairs, p)
						if score == "accuracy" {
							least, most = min(least, p.Ours-p.Printed), max(most, p.Ours-p.Printed)
						}
					}
				}
				if least > 0.03 {
					above = append(above, set)
				} else if most < -0.03 {
					below = append(below, set)
				}
			}
			v, why := Near(0.03, 1, "of the printed number", pairs)
			return v, why + fmt.Sprintf("; the accuracies of all three methods, k-means as well, are more than 0.03 above the printed ones on %s, and below them on %s",
				cmp.Or(strings.Join(above, " and "), "no set"), cmp.Or(strings.Join(below, " and "), "no set"))
		}},
		{"confusion", Ranking, "Fig. 6, Fig. 7, Fig. 8, Fig. 9", "the diagonals of L2,1-NMF are much stronger", "the accuracy is the sum of the diagonal: 100 multiplicative rounds on the four sets. " + LeadRule, func() (Verdict, string) {
			var some []string
			for _, set := range sets {
				if figures[set] != "" {
					some = append(some, set)
				}
			}
			return Lead("L2,1-NMF", true, lead("L2,1-NMF", "NMF", "accuracy", some))
		}},
		{"german", Number, "Table 3", "accuracy, NMI and purity of German", "a printed NMI is possible if any two clusters, of the 700 and the 300 samples, can have it at the printed accuracy", func() (Verdict, string) {
			possible := 0
			var most []string
			for _, model := range []string{"L2,1-NMF", "NMF", "k-means"} {
				a, nmi := printed3[[2]string{"German, " + model, "accuracy"}], printed3[[2]string{"German, " + model, "NMI"}]
				bound := l21.HighestNMI(700, 300, a-0.0005, a+0.0005, 1)
				if nmi <= bound+0.0005 {
					possible++
				}
				most = append(most, fmt.Sprintf("%.3f for %.3f", bound, nmi))
			}
			return yes(possible == 3, "%d of 3 are possible: at most %s", possible, strings.Join(most, ", "))
		}},
		{"l1", Derivation, "section 6", "the updates (62), (63) of L1-NMF descend", "on 60 images of digits, ten components, 200 rounds: no round raises the smoothed objective (60)", func() (Verdict, string) {
			s := must(datasets.Digits().Sample(6, 1)).Scaled()
			m := rnmf.L1NMF(10)
			m.Solver, m.Tol, m.MaxIter, m.Seed, m.TuneFor = rnmf.MU{}, -1, 200, 1, -1
			m.Loss = rnmf.L1{Eps: 1e-3}
			r := must(m.Fit(context.Background(), s.X))
			return yes(rises(r) == 0, "%d of %d rounds rise", rises(r), len(r.Trace)-1)
		}},
	}
}

// value is a number of a printed table, NaN if there is none.
func value(at map[[2]string]float64, row, column string) float64 {
	if v, ok := at[[2]string{row, column}]; ok {
		return v
	}
	return math.NaN()
}

// must is for computations that are part of the program: they do not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// residuals are the lengths of the columns of X − WH.
func residuals(x *mat.Dense, m rnmf.Model) (all []float64) {
	r := must(m.Fit(context.Background(), x))
	var e mat.Dense
	e.Mul(r.W, r.H)
	e.Sub(x, &e)
	_, n := e.Dims()
	for j := range n {
		all = append(all, mat.Norm(e.ColView(j), 2))
	}
	return all
}
