package audit

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/robustnmf/robustnmf/notebooks/lab/cauchy"
	"github.com/robustnmf/robustnmf/notebooks/lab/claims"
	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/notebooks/lab/rra"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
)

// A Question is one that a reader can ask any paper, with what it brought to light here.
type Question struct{ Ask, Here string }

// HTML has the question in bold.
func (q Question) HTML() string {
	return fmt.Sprintf("<p><b>Ask any paper: %s</b> %s</p>", html.EscapeString(q.Ask), html.EscapeString(q.Here))
}

// QuestionOf returns the one of a part of the notebook: "start", the number of a paper's notebook, or "cost". Its numbers are those
// of the stored results.
func QuestionOf(part string) Question {
	switch part {
	case "start":
		n := numbers("01", "table3-start", `level in (\d+), .* of (\d+)`)
		return Question{"what does the start score?", fmt.Sprintf("On %s of %s sets the accuracy after 100 rounds of L2,1-NMF is level with that of the start.", n[0], n[1])}
	case "01":
		short, _ := Table3()
		return Question{"what does the simplest rival score?", fmt.Sprintf("Where k-means is off like both models (on %d of %d sets), look first at the data and the score.", len(short.Outlined), len(short.Paper.Rows))}
	case "02":
		rows := cauchy.AblationResults().Where("variant", "as in Table 2")
		of := func(column string) float64 { return stat.Mean(rows.Numbers(column), nil) }
		return Question{"when did the fits stop?", fmt.Sprintf("Under Laplace noise at δ = 200 the error of truncated Cauchy is least, %.0f %%, after %.0f rounds; rule (16) of the paper ends the fit after %.0f, at %.0f %%. The paper prints %.0f %%. (Ours are means of %d starts.)",
			100*of("least"), of("at"), of("round16"), 100*of("rule16"), 100*lesson.Printed(cauchy.Table2).Mean(truncated, "200"), len(rows))}
	case "03":
		n := numbers("03", "printed", `equal to four digits in (\d+) of (\d+) trials`)
		return Question{"in which units are the weights?", fmt.Sprintf("With pixels in 0 to 255 and the weight 1 of the printed formula, the labels of RSS-NMF leave accuracy and NMI by MUR as they are, to four digits, in %s of %s trials.", n[0], n[1])}
	case "04":
		_, lost := choices()
		var above, leads []float64
		for _, set := range lost[2].Rows {
			above, leads = append(above, -lost[2].Mean(set, "RLS-NMF")), append(leads, rls.Lead(1, set, 0, "accuracy"))
		}
		most := math.Inf(-1)
		for _, lead := range leads {
			most = max(most, lead)
		}
		return Question{"who chose the parameters?", fmt.Sprintf("By the true labels the best point of RLS-NMF's grid is %.1f points of accuracy above the median of the grid, in the mean of %d sets. The largest lead of RLS-NMF over the paper's rivals but LS-NMF on one of them is %.1f points.",
			stat.Mean(above, nil), len(above), most)}
	case "05":
		faster, all := 0, 0
		for _, set := range []string{"COIL-20 32×32", "CMU PIE 32×32, pose 27"} {
			least := map[string]float64{} // the least lower quartile at each rank
			for _, rival := range []string{"MUR", "NeNMF", rra.Safe} {
				for _, q := range claims.Speeds(rra.Results("race.csv"), set, rival, "coordinate descent") {
					if low, ok := least[q.Rank]; !ok || q.Low < low {
						least[q.Rank] = q.Low
					}
				}
			}
			for _, low := range least {
				if all++; low > 1 {
					faster++
				}
			}
		}
		return Question{"which solver is missing from the race?", fmt.Sprintf("Coordinate descent over the graph is none of the paper's solvers. By the rule of the race it is faster than MUR, than NeNMF and than RRA, safe, at %d of %d ranks of COIL-20 and PIE.", faster, all)}
	case "cost":
		n := numbers("03", "cost", `at most (\S+); .* takes ([\d.]+) times as long at (.*)$`)
		return Question{"how long does a round take, whatever its O(·)?", fmt.Sprintf("The exponents of FGD are at most %s above those of MUR, but a round of FGD takes %s times as long (%s).", strings.TrimPrefix(n[0], "+"), n[1], n[2])}
	}
	panic(fmt.Sprintf("audit: no part of the notebook is %q", part))
}

// numbers are what a pattern finds in the reason of a claim.
func numbers(paper, key, pattern string) []string {
	_, why := claims.Of(paper).Only(key)[0].Judge()
	m := regexp.MustCompile(pattern).FindStringSubmatch(why)
	if m == nil {
		panic(fmt.Sprintf("audit: %s, %s: %q does not say %q", paper, key, why, pattern))
	}
	return m[1:]
}

// oneSided are the names of the rows in which all gaps are on one side of 0, and larger than some points.
func oneSided(names []string, gaps func(row int) []float64, points float64) (some []string) {
	for i, name := range names {
		above, below := true, true
		for _, gap := range gaps(i) {
			above, below = above && gap > points, below && gap < -points
		}
		if above || below {
			some = append(some, name)
		}
	}
	return some
}
