package claims

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

// tiedRule is that of claims with σ and w from ORL.
const tiedRule = "Where two pairs of σ and w are equally good on ORL, the weaker of their verdicts. "

// RSS are the claims of Wang et al. (2019), notebooks 03 and 03b.
func RSS(d Data) List {
	// The rivals of the paper's tables that are stored on the same draws. IDEC and MSAEClust are
	// in notebooks/lab/deep; SSC-SR has fewer draws.
	rivals := []string{"PCA", "NMF", "GNMF", "RNMF", "Semi-GNMF", "CNMF"}
	tables := slices.Concat(d.RSS, d.Further)
	// first are the numbers of classes at which the paper's own table has RSS-NMF before these rivals, by accuracy.
	first := func(set string) (levels []string) {
		for _, k := range d.RSS.Where("kind", "tables", "set", set).Different("level") {
			printed := func(model string) float64 {
				return mean(d.PrintedRSS.Where("set", set, "k", k, "model", model), "accuracy")
			}
			if own := printed("RSS-NMF"); !slices.ContainsFunc(rivals, func(rival string) bool { return printed(rival) > own }) {
				levels = append(levels, k)
			}
		}
		return levels
	}
	everyLevel := func(set string) []string { return d.RSS.Where("kind", "tables", "set", set).Different("level") }
	contest := func(set string, levels []string, who, value string, rivals ...string) []Cell {
		rows := stored.Table(tables).Where("set", set)
		var all []Cell
		for _, k := range levels {
			var at stored.Table
			for _, r := range rows.Where("level", k) {
				if kind := r.Text("kind"); kind == "tables" || kind == "rows" {
					at = append(at, r)
				}
			}
			if c, ok := (Contest{Table: at, Who: who, Rivals: rivals, Value: value}).Cell(set + ", k = " + k); ok {
				all = append(all, c)
			}
		}
		return all
	}
	everywhere := func(who, value string, rivals ...string) (all []Cell) {
		for _, set := range []string{"Yale", "UMIST", "GT", "ORL", "COIL-20"} {
			all = append(all, contest(set, everyLevel(set), who, value, rivals...)...)
		}
		return all
	}
	// elsewhere compares at a pair that ORL chose: the first of the best ones, or that of the tables.
	elsewhere := func(ofTables bool, set string, levels []string, rivals ...string) (all []Cell) {
		for _, k := range levels {
			var rows stored.Table
			for _, r := range slices.Concat(d.Chosen.Where("kind", "elsewhere", "set", set, "level", k), d.RSS.Where("kind", "tables", "set", set, "level", k)) {
				wanted := r.Text("kind") == "tables"
				switch r.Text("model") {
				case "RSS-NMF":
					wanted = wanted == ofTables
				case "SCNMF":
					wanted = !wanted
				}
				if wanted {
					rows = append(rows, r)
				}
			}
			if c, ok := (Contest{Table: rows, Who: "RSS-NMF", Rivals: rivals, Value: "accuracy"}).Cell(set + ", k = " + k); ok {
				all = append(all, c)
			}
		}
		return all
	}
	// chosenOnORL judges at each pair of σ and w that is best on ORL: the verdict is the weakest.
	chosenOnORL := func(cells func(ofTables bool) []Cell) func() (Verdict, string) {
		return func() (Verdict, string) {
			best, _ := rss.Best(d.Chosen, "RSS-NMF")
			if len(best) == 0 {
				return Open, "nothing is stored"
			}
			of := func(c rss.Choice, why string) string {
				return fmt.Sprintf("with σ = %.3g and w = %g %s", c.Scale, c.Times, why)
			}
			v, why := Lead("RSS-NMF", true, cells(false))
			why = of(best[0], why)
			for _, tied := range best[1:] {
				if tied != (rss.Choice{Scale: 0.1, Times: 100}) {
					return Open, why + fmt.Sprintf("; σ = %.3g and w = %g are as good on ORL, and not stored elsewhere", tied.Scale, tied.Times)
				}
				w, reason := Lead("RSS-NMF", true, cells(true))
				v = weaker(v, w)
				why += "; " + of(tied, reason)
			}
			return v, why
		}
	}
	table := func(set string) func() (Verdict, string) {
		return func() (Verdict, string) {
			v, why := Lead("RSS-NMF", true, contest(set, first(set), "RSS-NMF", "accuracy", rivals...))
			if v == Reproduced && set == "Yale" {
				v = Partly
			}
			return v, why
		}
	}
	numbers := func(set string) func() (Verdict, string) {
		return func() (Verdict, string) {
			var pairs []Pair
			for _, r := range d.PrintedRSS.Where("set", set) {
				rows := d.RSS.Where("kind", "tables", "set", set, "level", r.Text("k"), "model", r.Text("model"))
				if len(rows) == 0 {
					continue
				}
				for _, score := range []string{"accuracy", "nmi"} {
					pairs = append(pairs, Pair{r.Text("model") + ", k = " + r.Text("k") + ", " + score, mean(rows, score), r.Number(score) / 100})
				}
			}
			return Near(0.05, 100, "points", pairs)
		}
	}
	return List{
		{"theorem1", Derivation, "Theorem 1", "‖x‖₁ − m ≤ Σρ(x_i) ≤ ‖x‖₁", "on a grid of errors from −1000 to 1000", func() (Verdict, string) {
			holds := true
			for e := -1000.; e <= 1000; e += 0.37 {
				v, _ := rnmf.Hypersurface{Scale: 1}.Rho(e * e)
				holds = holds && v <= math.Abs(e)+1e-12 && v >= math.Abs(e)-1-1e-12
			}
			one, _ := rnmf.Hypersurface{Scale: 1}.Rho(0.01)
			return yes(holds, "it holds (section 1 proves it); for an error of 0.1 in units of σ, as pixels in 0..1 have, the lower bound is −0.9, and the loss %.3f is e²/2", one)
		}},
		{"normalisation", Derivation, "(9) to (13)", "structured normalisation reduces the risk that the basis shrinks to the labelled samples as it does under (9), Hˡ = Yˡ", "100 images of digits of ten classes, two labels each, with the paper's σ = w = 1 and values up to 255 and up to 1: the mean correlation of part k with the labelled samples of class k is lower by more than 0.1 than where ΛHˡ = Yˡ is obeyed (at a weight of 100 losses of a sample), and labels act: it differs by more than 0.01 from that of no labels. Partly, if that holds for one of the two; else not", func() (Verdict, string) {
			var text []string
			holds := 0
			for _, top := range []float64{255, 1} {
				obeyed, printed, without := shrunk(100, 1/top), shrunk(-1, 1/top), shrunk(0, 1/top)
				if printed < obeyed-0.1 && math.Abs(printed-without) > 0.01 {
					holds++
				}
				text = append(text, fmt.Sprintf("%.2f with w = 1, %.2f without labels from the same start and %.2f where they are obeyed, for values up to %g", printed, without, obeyed, top))
			}
			v, why := yes(holds == 2, "the correlation is %s. What lowers it is the finite weight: Λ has a positive factor for each part, which changes no direction", strings.Join(text, "; "))
			if v == Not && holds > 0 {
				v = Partly
			}
			return v, why
		}},
		{"figure1", Picture, "Fig. 1", "how the clusters form", "the points of the paper are a sketch", judged(NotTestable, "section 4 has made-up points")},
		{"theorem2", Derivation, "Algorithm 1, Theorem 2", "the multiplicative updates never raise F", "20 updates of H as printed, with the paper's σ = w = 1, on parts of 60 images of digits with values up to 255, 1 and 0.1: none raises F, and no entry is negative; partly, if that holds for 255", func() (Verdict, string) {
			var text []string
			bad, split := map[float64]int{}, 0
			for _, top := range []float64{255, 1, 0.1} {
				rose, negative := labelUpdates(true, top)
				bad[top] = rose + negative
				text = append(text, fmt.Sprintf("%d raise F and %d leave a negative entry up to %g", rose, negative, top))
				rose, negative = labelUpdates(false, top)
				split += rose + negative
			}
			v, why := yes(bad[255]+bad[1]+bad[0.1] == 0, "%s: the label term makes the denominator of (18) negative where it outweighs the losses. With that term split by sign there are %d of either", strings.Join(text, ", "), split)
			if v == Not && bad[255] == 0 {
				v = Partly
			}
			return v, why
		}},
		{"theorem3", Derivation, "Algorithm 2, Lemmas 1 to 4, Theorem 3", "fast gradient descent never raises F, on which the proof of its convergence rests", "Algorithm 2 as printed, for 100 rounds or until F stays the same, with the paper's σ = w = 1, on 60 images of digits, two of each class with a label, with values up to 255, 1 and 0.1: none raises F; partly, if that holds with the repairs of section 5", func() (Verdict, string) {
			var text []string
			bad, mended := 0, 0
			for _, top := range []float64{255, 1, 0.1} {
				before, n, after := gradientRounds(top)
				bad, mended = bad+before, mended+after
				text = append(text, fmt.Sprintf("%d of %d up to %g", before, n, top))
			}
			v, why := yes(bad == 0, "as printed F rises in %s; with the repairs it rises in %d", strings.Join(text, ", "), mended)
			if v == Not && mended == 0 {
				v = Partly
			}
			return v, why
		}},
		{"cost", Time, "section III-E", "a round of FGD costs O(mnr + max(m, n)r² + rn²), as one of MUR does", "seconds of a round at four times the rows, the samples and the rank (stored): each exponent of FGD is at most 0.3 above that of MUR", func() (Verdict, string) {
			at := func(name, column string) float64 { return mean(d.Costs.Where("algorithm", name), column) }
			most := math.Inf(-1)
			for _, column := range []string{"in_m", "in_n", "in_r"} {
				most = math.Max(most, at("RSS-NMF, FGD", column)-at("RSS-NMF, MUR", column))
			}
			return yes(most <= 0.3, "in m, n and r at most %+.2f; a round of FGD takes %.1f times as long at 256 × 256, r = 10", most, at("RSS-NMF, FGD", "base")/at("RSS-NMF, MUR", "base"))
		}},
		{"race", Time, "Fig. 2, Fig. 4, Fig. 5", "FGD converges in less time than MUR on Yale, UMIST and GT", "the seconds of 200 rounds of MUR by those that FGD with one β needs to the same objective, " + heatRule, func() (Verdict, string) {
			return heats(d.Heats, func(fgd, mur stored.Row) float64 {
				if fgd.Text("reached_seconds") == "" {
					return 0 // not within 120 rounds
				}
				return mur.Number("limit") / fgd.Number("reached_seconds")
			})
		}},
		{"race-ends", Time, "Fig. 2, Fig. 4, Fig. 5", "FGD comes to a smaller objective than MUR", "equal seconds: when those of 200 rounds of MUR are over, its objective by that of FGD with one β, " + heatRule, func() (Verdict, string) {
			return heats(d.Heats, func(fgd, mur stored.Row) float64 { return mur.Number("objective") / fgd.Number("objective") })
		}},
		{"race-coil", Time, "Fig. 3", "the same on COIL-100", "the data", judged(NotTestable, "COIL-100 is not at hand; section 5 shows COIL-20")},
		{"sets", Number, "Table 1", "the four sets", "a set counts if results of it are stored; with some of the four, partly", func() (Verdict, string) {
			n := 0
			for _, set := range []string{"Yale", "COIL-100", "UMIST", "GT"} {
				n += min(1, len(d.RSS.Where("set", set)))
			}
			v, why := yes(n == 4, "%d of 4; UMIST has 32 × 32 pixels for 40 × 40, COIL-100 is not at hand. GT has the 768 pixels of Table 1, as 32 × 24, and not the 150 × 150 of the text", n)
			if v == Not {
				v = Partly
			}
			return v, why
		}},
		{"yale", Ranking, "Table 2", "RSS-NMF clusters Yale best", "labels at 100 losses of a sample and σ = 0.1, accuracy, against PCA, NMF, GNMF, RNMF, Semi-GNMF and CNMF, where the paper's table has it before these; no more than partly, as σ and w were chosen by the labels of Yale. " + LeadRule, table("Yale")},
		{"yale-elsewhere", Ranking, "Table 2", "the same, with σ and w that no label of Yale has chosen", "σ and w chosen on draws of ten persons of ORL, and SCNMF's weight in the same way; SCNMF, which has squared errors, is a rival, too; where the paper's table has it before the six others. " + tiedRule + LeadRule, func() (Verdict, string) {
			b, _, edge := rss.Choose(d.Chosen, "SCNMF")
			v, why := chosenOnORL(func(ofTables bool) []Cell {
				return elsewhere(ofTables, "Yale", first("Yale"), append([]string{"SCNMF"}, rivals...)...)
			})()
			why += fmt.Sprintf("; SCNMF w = %g", b.Times)
			if edge {
				why += ", at an edge of what was tried"
			}
			if ties, _ := rss.Best(d.Chosen, "SCNMF"); len(ties) > 1 {
				why += fmt.Sprintf(", the first of %d weights that are equally good on ORL", len(ties))
			}
			return v, why
		}},
		{"yale-scnmf", Ranking, ourQuestion, "the robust loss is worth something on clean faces", "RSS-NMF against SCNMF alone, both chosen on ORL, on Yale, UMIST and GT, accuracy. " + tiedRule + LeadRule, chosenOnORL(func(ofTables bool) (all []Cell) {
			for _, set := range []string{"Yale", "UMIST", "GT"} {
				all = append(all, elsewhere(ofTables, set, everyLevel(set), "SCNMF")...)
			}
			return all
		})},
		{"coil", Ranking, "Table 3", "RSS-NMF clusters COIL-100 best", "the data", judged(NotTestable, "COIL-100 is not at hand")},
		{"coil-here", Ranking, "for Table 3", "RSS-NMF clusters COIL-20 best", "labels at 100 losses of a sample and σ = 0.1, accuracy, against the same six rivals as on Yale. " + LeadRule, table("COIL-20")},
		{"umist", Ranking, "Table 4", "RSS-NMF clusters UMIST best, with SSC-SR", "labels at 100 losses of a sample and σ = 0.1, images of 32 × 32 pixels, accuracy, against the same six rivals as on Yale, where the paper's table has it before these. " + LeadRule, table("UMIST")},
		{"umist-elsewhere", Ranking, "Table 4", "the same, with σ and w that no label of UMIST has chosen", "σ and w, and SCNMF's weight, chosen on ORL; SCNMF is a rival, too; where the paper's table has it before the six others. " + tiedRule + LeadRule, chosenOnORL(func(ofTables bool) []Cell {
			return elsewhere(ofTables, "UMIST", first("UMIST"), append([]string{"SCNMF"}, rivals...)...)
		})},
		{"gt", Ranking, "Table 5", "RSS-NMF clusters GT best in most cases", "labels at 100 losses of a sample and σ = 0.1, accuracy, against the same six rivals as on Yale, where the paper's table has it before these. " + LeadRule, table("GT")},
		{"gt-elsewhere", Ranking, "Table 5", "the same, with σ and w that no label of GT has chosen", "σ and w, and SCNMF's weight, chosen on ORL; SCNMF is a rival, too; where the paper's table has it before the six others. " + tiedRule + LeadRule, chosenOnORL(func(ofTables bool) []Cell {
			return elsewhere(ofTables, "GT", first("GT"), append([]string{"SCNMF"}, rivals...)...)
		})},
		{"gt-scnmf", Ranking, "Table 5", "its robust loss is the reason", "RSS-NMF against SCNMF, the same with squared errors, both chosen on ORL, on GT, accuracy. " + tiedRule + LeadRule, chosenOnORL(func(ofTables bool) []Cell {
			return elsewhere(ofTables, "GT", everyLevel("GT"), "SCNMF")
		})},
		{"yale-numbers", Number, "Table 2", "the numbers", "RSS-NMF with labels at 100 losses of a sample and σ = 0.1: " + nearRule("5 points"), numbers("Yale")},
		{"umist-numbers", Number, "Table 4", "the numbers", "RSS-NMF with labels at 100 losses of a sample and σ = 0.1: " + nearRule("5 points"), numbers("UMIST")},
		{"gt-numbers", Number, "Table 5", "the numbers", "RSS-NMF with labels at 100 losses of a sample and σ = 0.1: " + nearRule("5 points"), numbers("GT")},
		{"printed", Ranking, "Tables 2 to 5", "the labels improve on RNMF", "as printed: w = 1, σ = 1 for pixels in 0..255, multiplicative updates, against RNMF of the same σ and updates, accuracy, on Yale, on UMIST and on GT with 2, 5 and 10 classes. " + LeadRule, func() (Verdict, string) {
			same, all := 0, 0
			for _, r := range d.Further.Where("kind", "rows", "model", "RNMF, printed σ, MUR") {
				for _, p := range d.RSS.Where("kind", "tables", "set", r.Text("set"), "level", r.Text("level"), "trial", r.Text("trial"), "model", "RSS-NMF, printed") {
					if all++; p.Text("accuracy") == r.Text("accuracy") && p.Text("nmi") == r.Text("nmi") {
						same++
					}
				}
			}
			v, why := Lead("RSS-NMF as printed", true, everywhere("RSS-NMF, printed", "accuracy", "RNMF, printed σ, MUR"))
			return v, fmt.Sprintf("%s; accuracy and NMI of the two are equal to four digits in %d of %d trials", why, same, all)
		}},
		{"labels", Ranking, "Tables 2 to 5", "the same with labels that count", "labels at 100 losses of a sample, σ = 0.1, against RNMF of that σ, accuracy, all sets. " + LeadRule, func() (Verdict, string) {
			return Lead("RSS-NMF", true, everywhere("RSS-NMF", "accuracy", "RNMF"))
		}},
		{"names", Ranking, ourQuestion, "samples without a label are named better than by the nearest mean of the pixels", "share of right names by ΛH against nearest means of labelled pixels, all sets. " + LeadRule, func() (Verdict, string) {
			var all []Cell
			for _, set := range []string{"Yale", "UMIST", "GT", "ORL", "COIL-20"} {
				for _, k := range d.RSS.Where("kind", "tables", "set", set).Different("level") {
					rows := d.RSS.Where("kind", "tables", "set", set, "level", k)
					own, pixels := rows.Where("model", "RSS-NMF"), rows.Where("model", "pixels")
					var diff []float64
					for _, r := range own {
						if p := pixels.Where("trial", r.Text("trial")); len(p) == 1 {
							diff = append(diff, r.Number("predicted")-p[0].Number("nearest"))
						}
					}
					if len(diff) > 0 {
						all = append(all, Cell{set + ", k = " + k, "pixels", DifferenceOf(diff)})
					}
				}
			}
			return Lead("RSS-NMF", true, all)
		}},
		{"two", Number, "Tables 2, 4 and 5, k = 2", "accuracy and NMI of two classes", "a printed pair is possible if some clusterings, or a mixture of them, have it", func() (Verdict, string) {
			possible, all := 0, TwoClasses(d.PrintedRSS)
			for _, p := range all {
				if p.Possible() {
					possible++
				}
			}
			return yes(possible == len(all), "%d of %d pairs are possible", possible, len(all))
		}},
		{"parameters", Picture, "section IV-B", "δ, σ, τ and ξ hardly matter within their ranges", "Yale, k = 15, as printed by FGD, accuracy: none of seven other settings within the ranges is behind the paper's by 3 points with an interval below 0; if some are, partly; open with fewer than ten draws", func() (Verdict, string) {
			rows := d.Further.Where("kind", "parameters")
			base := rows.Where("level", "1e-06 1e-06 0.9 1e-06")
			var worst []string
			n, same, hurts := 0, 0, false
			for _, level := range rows.Different("level")[1:] {
				var diff []float64
				for _, r := range rows.Where("level", level) {
					b := base.Where("trial", r.Text("trial"))[0]
					diff = append(diff, r.Number("accuracy")-b.Number("accuracy"))
					if level == "1e-06 1e-06 0.9 1e-07" && r.Text("accuracy") == b.Text("accuracy") && r.Text("nmi") == b.Text("nmi") {
						same++
					}
				}
				x := DifferenceOf(diff)
				n = x.N
				if x.Mean < -0.03 {
					p := strings.Fields(level)
					worst = append(worst, fmt.Sprintf("%s at δ = %s, σ = %s, τ = %s, ξ = %s", x.text(true), p[0], p[1], p[2], p[3]))
					hurts = hurts || x.side() < 0
				}
			}
			why := fmt.Sprintf("n = %d; behind by 3 points: %s. Accuracy and NMI at ξ = 10⁻⁷ are those at 10⁻⁶ in %d of %d draws", n, strings.Join(worst, "; "), same, n)
			if hurts {
				return Partly, why
			} else if n < draws {
				return Open, why
			}
			return Reproduced, why
		}},
		{"deep", Ranking, "Tables 2, 4 and 5", "RSS-NMF clusters better than IDEC, MSAEClust and, but for UMIST, SSC-SR", "accuracy, MSAEClust on images of half the height and width; open while a cell has fewer than ten draws common with a rival, or IDEC is cut off; a cell with one draw is undecided, if that is not equal. " + LeadRule, func() (Verdict, string) {
			var all []Cell
			low, high := math.MaxInt, 0
			for _, set := range []string{"Yale", "UMIST", "GT"} {
				against := []string{"IDEC", "MSAEClust ½", "SSC-SR"}
				if set == "UMIST" {
					against = against[:2]
				}
				for _, k := range d.Deep.Where("set", set).Different("k") {
					at := slices.Concat(d.RSS.Where("kind", "tables", "set", set, "level", k, "model", "RSS-NMF"), d.Further.Where("kind", "rows", "set", set, "level", k, "model", "SSC-SR"))
					for _, r := range d.Deep.Where("set", set, "k", k) {
						at = append(at, stored.Row{"model": r.Text("method"), "trial": r.Text("trial"), "accuracy": r.Text("accuracy")})
					}
					contest := Contest{Table: at, Who: "RSS-NMF", Rivals: against, Value: "accuracy"}
					for _, rival := range against {
						contest.Rivals = []string{rival}
						c, _ := contest.Cell("")
						low, high = min(low, c.N), max(high, c.N)
					}
					contest.Rivals = against
					if c, ok := contest.Cell(set + ", k = " + k); ok {
						all = append(all, c)
					}
				}
			}
			fits, cut := d.Deep.Where("method", "IDEC"), 0
			for _, r := range fits {
				if r.Number("steps") >= rss.IDECSteps {
					cut++
				}
			}
			v, why := Lead("RSS-NMF", true, all)
			if low < draws || cut > 0 {
				v = Open
			}
			return v, fmt.Sprintf("%d to %d common draws, and %d of %d fits of IDEC are cut off after 1,400 of 20,000 steps; so far %s", low, high, cut, len(fits), why)
		}},
	}
}

// heatRule is that of heats.
const heatRule = "from five common starts at both ranks of each set: better in a setting if all five quotients are above 1, worse if all are below. Reproduced: better in all settings. Not: better in none. Else partly"

// heats compares FGD with one β, as printed, with MUR in the settings of the paper that are at
// hand. A quotient above 1 is in favour of FGD.
func heats(t stored.Table, quotient func(fgd, mur stored.Row) float64) (Verdict, string) {
	var told []string
	better, worse := 0, 0
	for _, set := range []string{"Yale", "UMIST", "GT"} {
		for _, rank := range t.Where("set", set).Different("rank") {
			var q []float64
			rows := t.Where("set", set, "rank", rank)
			for _, mur := range rows.Where("solver", "MUR") {
				q = append(q, quotient(rows.Where("solver", "FGD, one β", "start", mur.Text("start"))[0], mur))
			}
			slices.Sort(q)
			switch {
			case q[0] > 1:
				better++
			case q[len(q)-1] < 1:
				worse++
			}
			told = append(told, fmt.Sprintf("%.2f [%.2f, %.2f] (%s, r = %s)", q[len(q)/2], q[0], q[len(q)-1], set, rank))
		}
	}
	if len(told) == 0 {
		return Open, "nothing is stored"
	}
	why := fmt.Sprintf("better in %d, worse in %d of %d settings; median [smallest, largest]: %s", better, worse, len(told), strings.Join(told, ", "))
	switch better {
	case len(told):
		return Reproduced, why
	case 0:
		return Not, why
	}
	return Partly, why
}

// shrunk is the mean correlation of part k with the mean of the labelled samples of class k,
// on digits with two labels in each class that weigh so many losses of a sample; −1 stands for
// the paper's weight, 1. All start by label.
func shrunk(times, scale float64) (like float64) {
	s := must(datasets.Digits().Sample(10, 1)).Scaled()
	t := must(rss.Draw(s, len(s.Classes), 2, 1))
	k := len(t.Classes)
	m := rnmf.HypersurfaceNMF(k, scale)
	m.Seed, m.MaxIter, m.Tol = 1, 100, -1
	labels := t.Labels
	labels.Weight = 1
	if times > 0 {
		labels = t.Labels.Against(must(m.Fit(context.Background(), t.X)), times)
	}
	m.Init = rnmf.LabelInit{Labels: labels}
	if times != 0 {
		m.OnH = []rnmf.Penalty{labels}
	}
	r := must(m.Fit(context.Background(), t.X))
	features, _ := t.X.Dims()
	for c := range k {
		of, n := make([]float64, features), 0.
		for j, l := range t.Labels.Class {
			if l == c {
				n++
				for i := range of {
					of[i] += t.X.At(i, j)
				}
			}
		}
		if n > 0 {
			like += stat.Correlation(mat.Col(nil, c, r.W), of, nil) / float64(k)
		}
	}
	return like
}

// gradientRounds counts the rounds of Algorithm 2 that raise F, as printed, which may end early, and with
// all repairs, on digits with values up to top.
func gradientRounds(top float64) (rose, n, mended int) {
	s := must(datasets.Digits().Sample(6, 1)).Scaled()
	t := must(rss.Draw(s, len(s.Classes), 2, 1))
	x, k := mat.DenseCopyOf(t.X), len(t.Classes)
	x.Scale(top, x)
	t.Labels.Weight = 1
	r := must(printed.RSS{Labels: t.Labels, Xi: 1e-300, Start: printed.Start{Rank: k, MaxIter: 100, Seed: 1}}.Fit(context.Background(), x))
	m := rnmf.RSSNMF(k, 1, t.Labels)
	m.Solver, m.Tol, m.MaxIter, m.Seed = papers.FGD{Printed: true}, -1, 100, 1
	return rises(r), len(r.Trace) - 1, rises(must(m.Fit(context.Background(), x)))
}

// labelUpdates counts, of 20 updates of H by (18) with w = 1, those that raise (12) and those
// that leave a negative entry: with the whole label term in the denominator, as printed, or
// split by sign. The values of the data, and with them H, are up to top.
func labelUpdates(printed bool, top float64) (rose, negative int) {
	const features, n, r = 40, 60, 3
	s := must(datasets.Digits().Sample(6, 1)).Scaled()
	x := mat.DenseCopyOf(s.X.Slice(0, features, 0, n))
	x.Scale(top, x)
	class := make([]int, n)
	for j := range class {
		if class[j] = rnmf.Unlabelled; j < 12 {
			class[j] = j % r
		}
	}
	labels := rnmf.Labels{Class: class, Names: []string{"a", "b", "c"}, Weight: 1}
	w, h := mat.NewDense(features, r, nil), mat.NewDense(r, n, nil)
	w.Apply(func(i, k int, _ float64) float64 { return 0.2 + 0.1*float64((3*i+5*k)%7) }, w)
	h.Apply(func(k, j int, _ float64) float64 { return top * (0.1 + 0.1*float64((2*k+3*j)%5)) }, h)
	value := func() float64 {
		var e mat.Dense
		e.Mul(w, h)
		e.Sub(x, &e)
		sum := labels.Value(h)
		for _, v := range e.RawMatrix().Data {
			sum += math.Sqrt(1+v*v) - 1
		}
		return sum
	}
	before := value()
	for range 20 {
		var wh, ox, owh, up, down mat.Dense
		wh.Mul(w, h)
		weigh := func(i, j int, v float64) float64 {
			e := x.At(i, j) - wh.At(i, j)
			return v / math.Sqrt(1+e*e)
		}
		ox.Apply(weigh, x)
		owh.Apply(weigh, &wh)
		up.Mul(w.T(), &ox)
		down.Mul(w.T(), &owh)
		lambda := labels.Lambda(h)
		for j, c := range class {
			for k := 0; c >= 0 && k < r; k++ {
				down.Set(k, j, down.At(k, j)+lambda[k]*lambda[k]*h.At(k, j))
				if c == k && printed {
					down.Set(k, j, down.At(k, j)-lambda[k])
				} else if c == k {
					up.Set(k, j, up.At(k, j)+lambda[k])
				}
			}
		}
		h.MulElem(h, &up)
		h.DivElem(h, &down)
		after := value()
		if !(after <= before) {
			rose++
		}
		if before = after; mat.Min(h) < 0 {
			negative++
		}
	}
	return rose, negative
}
