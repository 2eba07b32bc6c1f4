package lesson

import (
	"context"
	"html"
	"os"
	"strings"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/explore"
	"github.com/robustnmf/robustnmf/viz/show"
)

// Explore explores a set as a study says, with lines of progress where a reader waits. In the quick
// setting it fits two starts, and three parts if the study does not say how many.
func Explore(st explore.Study, s *datasets.Set) *explore.Analysis {
	if !Headless() {
		st.Progress = explore.Lines(os.Stdout)
	}
	if Quick() {
		if st.Starts = 2; st.Rank == 0 {
			st.Rank = 3
		}
	}
	return Must(st.Run(context.Background(), s))
}

// Decisions displays what an exploration says: of the file, what was decided and why, and what makes it
// doubtful. All of it, with the parts and the suspects, is folded up below: what fmt.Println prints.
func Decisions(a *explore.Analysis) {
	table := &viz.Table{Caption: strings.SplitN(a.Set.String(), "\n", 2)[0], Header: []string{"about", "choice", "reason"}}
	for _, d := range a.Decisions {
		table.Rows = append(table.Rows, []viz.Cell{viz.Text(d.About), viz.Text(d.Choice), viz.Text(d.Reason)})
	}
	for _, w := range a.Warnings {
		table.Rows = append(table.Rows, []viz.Cell{viz.Text("warning"), viz.Text(""), viz.Text(w)})
	}
	show.Table(table)
	show.HTML("<details><summary>The whole page: parts, and what does not fit, by name</summary><pre>" + html.EscapeString(a.String()) + "</pre></details>")
}
