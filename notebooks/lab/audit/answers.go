package audit

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// An Answer is the sentence below a heat map that answers the question above it.
type Answer string

// HTML is a paragraph.
func (a Answer) HTML() string { return "<p>" + html.EscapeString(string(a)) + "</p>" }

// AnswerOf returns the one of a part of the notebook: the number of a paper's notebook, or "choices". Its numbers are those of the map.
func AnswerOf(part string) Answer {
	switch part {
	case "01":
		table, _ := Table3()
		return Answer(fmt.Sprintf("In %d of %d rows (outlined: %s) all numbers are off in one direction, by more than 3 points.",
			len(table.Outlined), len(table.Paper.Rows), strings.Join(table.Outlined, ", ")))
	case "02":
		var share [2]float64
		own, all := 0, 0
		for i, t := range Spoiled()[:2] {
			rows, gaps := t.gaps()
			near, of := within(3, gaps)
			share[i] = float64(near) / float64(of)
			near, of = within(3, mat.NewDense(1, len(t.Paper.Columns), gaps.RawRowView(slices.Index(rows, truncated))))
			own, all = own+near, all+of
		}
		nearer := "Laplace noise"
		if share[1] > share[0] {
			nearer = "salt and pepper"
		}
		return Answer(fmt.Sprintf("More of our errors are within 3 points of the printed ones under %s. In the outlined row, the paper's model, %d of %d are.", nearer, own, all))
	case "03":
		below, nearer, all := 0, 0, 0
		for _, set := range []string{"Yale", "UMIST", "GT"} {
			rows, gaps := Labels(set, "accuracy").gaps()
			chosen := gaps.RawRowView(slices.Index(rows, "RSS-NMF"))
			for j, gap := range gaps.RawRowView(slices.Index(rows, "RSS-NMF, printed")) {
				all++
				if gap < 0 {
					below++
				}
				if math.Abs(chosen[j]) < math.Abs(gap) {
					nearer++
				}
			}
		}
		return Answer(fmt.Sprintf("As printed, RSS-NMF stays below the paper in %d of %d cells. The other outlined row, with another weight, σ, start and solver, is nearer to the paper in %d of the %d.", below, all, nearer, all))
	case "04":
		t := ByLabels("Table 1", "accuracy", 1)
		_, gaps := t.gaps()
		var below, all [2]int // of the rivals, and of what is outlined
		for j, column := range t.Paper.Columns {
			own := 0
			if slices.Contains(t.Outlined, column) {
				own = 1
			}
			for _, gap := range mat.Col(nil, j, gaps) {
				if all[own]++; gap <= -0.5 { // what rounds to 0 is not seen to be below
					below[own]++
				}
			}
		}
		return Answer(fmt.Sprintf("Half a point or more below the printed accuracies are %d of %d of ours of LS- and RLS-NMF (outlined), and %d of %d of those of the rivals.", below[1], all[1], below[0], all[0]))
	case "choices":
		names, lost := choices()
		var mean [2]float64
		for i := range mean {
			for _, set := range lost[i].Rows {
				mean[i] -= lost[i].Mean(set, "RLS-NMF") / float64(len(lost[i].Rows))
			}
		}
		return Answer(fmt.Sprintf("RLS-NMF (outlined) loses %.1f points of accuracy %s and %.1f %s, in the mean of %d sets.", mean[0], names[0], mean[1], names[1], len(lost[0].Rows)))
	}
	panic(fmt.Sprintf("audit: no part of the notebook is %q", part))
}
