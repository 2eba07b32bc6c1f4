package audit

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/robustnmf/robustnmf/notebooks/lab/claims"
	"github.com/robustnmf/robustnmf/notebooks/lab/l21"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
)

// DrawTwoClasses draws printed pairs of accuracy and NMI, and the largest NMI of each accuracy: a line for classes
// of equal size, and a curve for UMIST. Its title counts the pairs that cannot be. numbers are all pairs.
func DrawTwoClasses(pairs []claims.TwoClass) (chart *viz.Chart, numbers *viz.Table) {
	sets := []string{"Yale", "UMIST", "GT"}
	var points []float64
	var class []int
	var rows [][]any
	impossible := 0
	for _, p := range pairs {
		for i, set := range sets {
			if p.Set == set {
				class = append(class, i)
			}
		}
		if !p.Possible() {
			impossible++
		}
		points = append(points, p.Accuracy, p.NMI)
		rows = append(rows, []any{p.Set, p.Model, p.Accuracy, p.NMI, viz.Number(p.Most, 1)})
	}
	chart = lesson.Must(viz.Scatter(mat.DenseCopyOf(mat.NewDense(len(class), 2, points).T()), viz.ScatterOptions{
		Title:  fmt.Sprintf("%d of %d printed pairs are impossible", impossible, len(pairs)),
		XLabel: "printed accuracy, %", YLabel: "printed NMI, %", Height: 3.4, Classes: class, Names: []string{"Yale, two classes", "UMIST, two classes", "GT, two classes"}}))
	equal, most := plotter.XYs{}, plotter.XYs{}
	bound := claims.MostNMI(19, 48)
	for a := 63.0; a <= 93; a += 3 {
		equal, most = append(equal, plotter.XY{X: a, Y: 2*a - 100}), append(most, plotter.XY{X: a, Y: 100 * bound(a/100)})
	}
	for i, points := range []plotter.XYs{equal, most} {
		line := lesson.Must(plotter.NewLine(points))
		line.Width = vg.Points(1.5)
		if i == 1 {
			line.Color = viz.Color(1) // that of the points of UMIST
		}
		chart.Add(line)
		chart.Legend.Add([]string{"largest NMI: Yale and GT", "largest NMI: UMIST"}[i], line)
	}
	return chart, lesson.Must(viz.NewTable([]string{"set", "model", "printed accuracy", "printed NMI", "largest NMI at that accuracy"}, rows))
}

// German has what Table 3 of the first paper prints for German, the largest NMI of any two clusters of its 700 and 300
// samples at the printed accuracy, and the largest mean NMI of several runs of that mean accuracy, over the smaller entropy.
func German() *viz.Table {
	printed := lesson.Printed(l21.Table3)
	var rows [][]any
	for _, model := range []string{"L2,1-NMF", "NMF", "k-means"} {
		a, nmi := printed.Mean("German, "+model, "accuracy"), printed.Mean("German, "+model, "NMI")
		one, several := l21.HighestNMI(700, 300, a-0.0005, a+0.0005, 1), l21.HighestMeanNMI(700, 300, a)
		rows = append(rows, []any{model, viz.Number(100*a, 2), viz.Number(100*nmi, 2), viz.Number(100*one, 2), viz.Number(100*several, 2)})
	}
	return lesson.Must(viz.NewTable([]string{"German, Table 3", "printed accuracy", "printed NMI", "largest NMI of one run", "largest mean NMI of several runs, for any mean of the entropies"}, rows))
}
