package lesson

import (
	"html"
	"slices"
	"strings"

	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/show"
)

// Verdicts displays a table of verdicts as a line for each claim, its verdict first. A click on the lines opens
// the table, with the rules and the reasons. It takes what List.Table of package claims returns.
func Verdicts(t *viz.Table) { show.HTML(verdicts(t)) }

func verdicts(t *viz.Table) string {
	at := func(column string) int {
		i := slices.Index(t.Header, column)
		if i < 0 {
			stop("lesson: a table of verdicts has no column " + column)
		}
		return i
	}
	where, claim, verdict := at("in the paper"), at("claim"), at("verdict")
	var lines []string
	for _, row := range t.Rows {
		lines = append(lines, "<b>"+html.EscapeString(row[verdict].Text)+"</b> · "+html.EscapeString(row[where].Text+": "+row[claim].Text))
	}
	return "<details><summary>" + strings.Join(lines, "<br>") + "</summary>" + t.HTML() + "</details>"
}
