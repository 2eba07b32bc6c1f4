package claims

import (
	"fmt"
	"html"
	"regexp"
)

// leads finds the counts in a reason of the rule of the lead.
var leads = regexp.MustCompile(`ahead in (\d+), level in \d+, behind in (\d+)(?:, undecided in \d+)? of (\d+)`)

// A Headline is a sentence on the outcome of a paper's main claims.
type Headline string

// HTML is the sentence in bold.
func (h Headline) HTML() string { return "<p><b>" + html.EscapeString(string(h)) + "</b></p>" }

// HeadlineOf returns the one of the paper of a notebook, with the counts of the rules.
func HeadlineOf(notebook string) Headline {
	lead := func(key string) (ahead, behind, of string) {
		_, why := Of(notebook).Only(key)[0].Judge()
		m := leads.FindStringSubmatch(why)
		if m == nil {
			panic(fmt.Sprintf("claims: %s, %s: %q does not count who leads", notebook, key, why))
		}
		return m[1], m[2], m[3]
	}
	switch notebook {
	case "01":
		ahead, behind, of := lead("table3")
		return Headline(fmt.Sprintf("Of %s sets L2,1-NMF clusters %s better than NMF, and %s worse.", of, ahead, behind))
	case "02":
		laplace, _, all2 := lead("laplace")
		pepper, _, all3 := lead("pepper")
		blocks, _, all4 := lead("blocks")
		return Headline(fmt.Sprintf("Where the paper has truncated Cauchy NMF first, we find it ahead in %s of %s cells of Table 2, %s of %s of Table 3 and %s of %s of Table 4.",
			laplace, all2, pepper, all3, blocks, all4))
	case "03":
		chosen, _, all := lead("yale-elsewhere")
		printed, _, cells := lead("printed")
		tied := ""
		_, why := Of(notebook).Only("yale-elsewhere")[0].Judge()
		for _, m := range leads.FindAllStringSubmatch(why, -1)[1:] {
			tied += fmt.Sprintf(" (%s with a pair that is as good there)", m[1])
		}
		return Headline(fmt.Sprintf("With parameters chosen on another set, RSS-NMF is ahead in %s of %s cells of Table 2%s; as printed, its labels help in %s of %s cells.", chosen, all, tied, printed, cells))
	case "04":
		labels, _, all := lead("table1")
		none, _, _ := lead("table1-silhouette")
		return Headline(fmt.Sprintf("Of %s sets of Table 1 RLS-NMF is ahead of the paper's rivals but LS-NMF on %s where the true labels choose the parameters, and on %s where the silhouette does.", all, labels, none))
	case "05":
		first, all := 0, 0
		race := Stored().Race.Where("start", "1")
		for _, set := range []string{"COIL-20 32×32", "CMU PIE 32×32, pose 27"} {
			for _, rank := range []string{"20", "50", "100", "200"} {
				for _, own := range race.Where("set", set, "rank", rank, "solver", "NumPy RRA") {
					for _, mur := range race.Where("set", set, "rank", rank, "solver", "NumPy MUR") {
						if all++; sooner(own, mur) {
							first++
						}
					}
				}
			}
		}
		return Headline(fmt.Sprintf("Algorithm 1 reaches the objective of the race before MUR in %d of %d races, those of Fig. 1 and Fig. 2.", first, all))
	}
	panic(fmt.Sprintf("claims: no paper has the notebook %q", notebook))
}
