package audit

import (
	"fmt"
	"math"
	"strconv"

	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
)

// Found are the numbers that the questions on four surprises ask for, in their order: the largest change of an accuracy by 100 rounds
// of L2,1-NMF, in points; the sizes of blocks at which Cauchy NMF leads k-means by 3 points and more; the cells in which the labels of RSS-NMF
// as printed improve on RNMF; and the sets on which RLS-NMF is ahead, by labels and by silhouette. They are those of the claims.
func Found() (found []float64) {
	number := func(text string) float64 { return lesson.Must(strconv.ParseFloat(text, 64)) }
	moves := numbers("01", "table3-start", `at best \+([\d.]+) .* at worst [−-]([\d.]+) `)
	found = append(found, math.Max(number(moves[0]), number(moves[1])))
	for _, of := range [][3]string{{"02", "blocks-cauchy", `at (\d+) of \d+ sizes`}, {"03", "printed", `ahead in (\d+),`}, {"04", "table1", `ahead in (\d+),`}, {"04", "table1-silhouette", `ahead in (\d+),`}} {
		found = append(found, number(numbers(of[0], of[1], of[2])[0]))
	}
	return found
}

// Guessed has guesses of what is Found next to it. Each earns up to 20 points: less in proportion to how far it is off, and
// none where that is as far as it can be, or 25 points of accuracy.
func Guessed(guesses ...float64) *viz.Table {
	var rows [][]any
	total := 0.0
	for i, found := range Found() {
		off := math.Abs(guesses[i] - found)
		earned := math.Max(0, 20*(1-off/[]float64{25, 7, 13, 7, 7}[i]))
		total += earned
		rows = append(rows, []any{[]string{"01: largest move, points", "02: sizes, of 7", "03: cells, of 13", "04: sets by labels, of 7", "04: sets by silhouette, of 7"}[i],
			fmt.Sprint(guesses[i]), fmt.Sprint(found), viz.Number(earned, 0)})
	}
	rows = append(rows, []any{"together", "", "", fmt.Sprintf("%.0f of 100", total)})
	return lesson.Must(viz.NewTable([]string{"question", "your guess", "found", "earned"}, rows))
}
