package rls

import (
	"context"
	"fmt"
	"image"
	"image/color"
	stddraw "image/draw"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/rnmf/papers"
	"github.com/robustnmf/robustnmf/rnmf/score"
	"github.com/robustnmf/robustnmf/viz"
)

// Terms are the accuracies of Table 1 in percent, stored and printed, one term after the other, each at
// its best point by the labels. RLS-NMF has γ ≤ 1 here.
func Terms() (ours, theirs *lesson.Results) {
	ours, theirs = &lesson.Results{Digits: 1}, &lesson.Results{Digits: 1}
	columns := []string{"NMF", "+ graph (GNMF)", "+ ℓ₁ on both (3)", "log instead of ℓ₁ (LS-NMF)", "+ S (RLS-NMF)"}
	for i, method := range []string{"NMF", "GNMF", "L1", "LS-NMF", "RLS-NMF"} {
		for _, set := range Sets {
			grid := Grid(1, set.Name, 0, method).Where(func(r choose.Row) bool { return method != "RLS-NMF" || r.Setting.Value("gamma") > 0 })
			best, _ := grid.Best(choose.Criterion{Score: "accuracy"})
			ours.Add(set.Name, columns[i], 100*best.Scores["accuracy"])
			theirs.Add(set.Name, columns[i], PrintedNumber(1, set.Name, 0, "accuracy", method))
		}
	}
	return ours, theirs
}

// Gains are by how many points each of the Terms raises the accuracy of the terms before it, a value for each set. A term
// that is not there, as ℓ₁ in the paper, has no values.
func Gains(ours, theirs *lesson.Results) *lesson.Results {
	gains := new(lesson.Results)
	for i, accuracy := range []*lesson.Results{ours, theirs} {
		for _, set := range accuracy.Rows {
			last := accuracy.Mean(set, accuracy.Columns[0])
			for _, term := range accuracy.Columns[1:] {
				if now := accuracy.Mean(set, term); !math.IsNaN(now) {
					gains.Add([]string{"ours", "the paper"}[i], strings.TrimPrefix(term, "+ "), now-last)
					last = now
				}
			}
		}
	}
	return gains
}

// DrawGains draws Gains as heat maps, ours at the left and the paper's at the right: a row for each of Sets and one for their
// mean, a column for each term. The titles say how much of the whole mean gain the first term has.
func DrawGains(gains *lesson.Results) viz.Figure {
	var maps []viz.Figure
	widest := 0.0
	for _, row := range gains.Rows {
		_, v := steps(gains, row)
		widest = max(widest, mat.Max(v), -mat.Min(v))
	}
	for i, row := range gains.Rows {
		terms, v := steps(gains, row)
		mean := v.RawRowView(len(Sets))
		title := []string{"Ours (STORED): graph %.1f of %.1f", "The paper: graph %.1f of %.1f"}[i]
		opt := viz.HeatmapOptions{Title: fmt.Sprintf(title, mean[0], floats.Sum(mean)), ColumnNames: terms, Values: true, Digits: 1,
			Map: viz.Diverging, Min: -widest, Max: widest, NoBar: true}
		for _, set := range Sets {
			opt.RowNames = append(opt.RowNames, set.Name)
		}
		opt.RowNames = append(opt.RowNames, "mean")
		maps = append(maps, lesson.Must(viz.Heatmap(v, opt)))
	}
	return lesson.Must(viz.Row(maps...))
}

// steps returns the terms that a row of Gains has, by short names, and the gains, a line for each set and one for their mean.
func steps(gains *lesson.Results, row string) (terms []string, v *mat.Dense) {
	columns := slices.DeleteFunc(slices.Clone(gains.Columns), func(term string) bool { return len(gains.Values(row, term)) == 0 })
	n := len(gains.Values(row, columns[0]))
	v = mat.NewDense(n+1, len(columns), nil)
	for k, term := range columns {
		v.SetCol(k, append(slices.Clone(gains.Values(row, term)), gains.Mean(row, term)))
		short, _, _ := strings.Cut(term, " (")
		if short = "+ " + strings.TrimSuffix(short, " on both"); strings.HasPrefix(short, "+ log") {
			if short = "+ log"; slices.Contains(terms, "+ ℓ₁") {
				short = "log for ℓ₁"
			}
		}
		terms = append(terms, short)
	}
	return terms, v
}

// DrawClasses draws each H: the samples of the first five classes, every second one of a class, at their first two coefficients and in
// a colour for each class. Of some it draws the images themselves, the same in all pictures: those that cover no other in any of them.
func DrawClasses(p *Problem, titles []string, hs ...*mat.Dense) (pictures []viz.Figure) {
	const classes, side, share = 5, 2.8, 0.1 // inches, and of the chart that an image takes
	var samples, of, seen = []int(nil), []int(nil), [classes]int{}
	for j, class := range p.Set.Labels {
		if class >= classes {
			continue
		}
		if seen[class]++; seen[class]%2 == 1 {
			samples, of = append(samples, j), append(of, class)
		}
	}
	var places []*mat.Dense // in each picture, coordinates from 0 to 1
	for _, h := range hs {
		at := mat.NewDense(2, len(samples), nil)
		at.Apply(func(k, i int, _ float64) float64 { return h.At(k, samples[i]) }, at)
		for k := range 2 {
			row := at.RawRowView(k)
			low, high := floats.Min(row), floats.Max(row)
			floats.AddConst(-low, row)
			floats.Scale(1/max(high-low, 1e-300), row)
		}
		places = append(places, at)
	}
	var placed []int
	for i := range samples {
		i = i * 29 % len(samples) // from here and there
		if !slices.ContainsFunc(placed, func(k int) bool {
			return slices.ContainsFunc(places, func(at *mat.Dense) bool {
				return math.Abs(at.At(0, i)-at.At(0, k)) < 1.1*share && math.Abs(at.At(1, i)-at.At(1, k)) < 1.1*share
			})
		}) {
			placed = append(placed, i)
		}
	}
	for t, at := range places {
		c := lesson.Must(viz.Scatter(at, viz.ScatterOptions{Title: titles[t], Classes: of, Width: side, Height: side}))
		c.Legend = plot.NewLegend()
		c.HideAxes()
		for _, i := range placed {
			x, y := at.At(0, i), at.At(1, i)
			c.Add(plotter.NewImage(thumbnail(p, samples[i], viz.Color(of[i])), x-share/2, y-share/2, x+share/2, y+share/2))
		}
		pictures = append(pictures, lesson.Must(viz.NewPicture(fewColours(c.Image(), classes))))
	}
	return pictures
}

// fewColours draws a picture in the colours of some classes and eight greys: soft edges have hundreds of colours, which make the
// file of a film large.
func fewColours(img image.Image, classes int) image.Image {
	var greys color.Palette
	for v := range 8 {
		greys = append(greys, color.Gray{uint8(v * 255 / 7)})
	}
	colours := color.Palette{color.White}
	for k := range classes {
		colours = append(colours, viz.Color(k))
	}
	few := image.NewRGBA(img.Bounds())
	for y := few.Rect.Min.Y; y < few.Rect.Max.Y; y++ {
		for x := few.Rect.Min.X; x < few.Rect.Max.X; x++ {
			c, from := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA), greys
			if max(c.R, c.G, c.B)-min(c.R, c.G, c.B) > 16 {
				from = colours
			}
			few.Set(x, y, from.Convert(c))
		}
	}
	return few
}

// thumbnail is an image of a set in a frame.
func thumbnail(p *Problem, j int, frame color.Color) image.Image {
	const zoom = 2
	w, h := zoom*p.Set.Width, zoom*p.Set.Height
	edge := w/16 + 1
	img := image.NewRGBA(image.Rect(-edge, -edge, w+edge, h+edge))
	stddraw.Draw(img, img.Rect, image.NewUniform(frame), image.Point{}, stddraw.Src)
	top := mat.Max(p.X.ColView(j))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.Gray{17 * uint8(15*max(0, p.X.At(y/zoom*p.Set.Width+x/zoom, j)/top))})
		}
	}
	return img
}

// Compared are leads, means over the sets, that Gains do not show: of NMF and GNMF over k-means on the pixels, accuracies in
// percent that a column of all has, next to those of Terms, and those of TakenLast.
func Compared(all *lesson.Results) *viz.Table {
	const pixels = "k-means on the pixels"
	over := func(column string) (mean float64, behind int) {
		for _, set := range all.Rows {
			lead := all.Mean(set, column) - all.Mean(set, pixels)
			mean += lead / float64(len(all.Rows))
			if lead < 0 && !Level(set, lead/100) {
				behind++
			}
		}
		return mean, behind
	}
	nmf, behind := over("NMF")
	gnmf, _ := over("+ graph (GNMF)")
	logarithm, graph := TakenLast()
	t := lesson.Must(viz.NewTable([]string{"", "compared with", "lead"}, [][]any{
		{"NMF", pixels, viz.Number(nmf, 1)},
		{"GNMF", pixels, viz.Number(gnmf, 1)},
		{"LS-NMF", "GNMF: no logarithm (STORED)", viz.Number(logarithm, 1)},
		{"LS-NMF", "LS-NMF, smallest λ: almost no graph (STORED)", viz.Number(graph, 1)},
	}))
	t.Caption = fmt.Sprintf("Leads in points, means of %d sets; NMF is behind %s on %d", len(all.Rows), pixels, behind)
	return t
}

// LeadsOf are by how much a row of a table is ahead of others in each column, on average, and on average without the last column.
func LeadsOf(table *lesson.Results, row string, others ...string) *lesson.Results {
	leads := &lesson.Results{Digits: table.Digits}
	for _, other := range others {
		var all []float64
		for _, column := range table.Columns {
			all = append(all, table.Mean(row, column)-table.Mean(other, column))
			leads.Add("over "+other, column, all[len(all)-1])
		}
		leads.Add("over "+other, "mean", stat.Mean(all, nil))
		leads.Add("over "+other, "mean without "+table.Columns[len(all)-1], stat.Mean(all[:len(all)-1], nil))
	}
	return leads
}

// Singled tells of each sample whether S is not 0 there.
func Singled(r *rnmf.Result, x mat.Matrix) ([]bool, error) {
	o, err := r.Outliers(x, nil)
	if err != nil {
		return nil, err
	}
	var singled []bool
	for j := range o.Samples {
		singled = append(singled, mat.Norm(o.S.ColView(j), 2) > 0)
	}
	return singled, nil
}

// Among counts the samples of which something is true, the images that a mask marks as shuffled and the others.
func Among(is []bool, mask mat.Matrix) string {
	var all, some [2]int
	for j, yes := range is {
		k := int(mask.At(0, j))
		if all[k]++; yes {
			some[k]++
		}
	}
	return fmt.Sprintf("%d of the %d shuffled images, and in %d of the %d others", some[1], all[1], some[0], all[0])
}

// Emptied are the points of Fig. 4, of all Sets, at which no component is left, in neither start.
func Emptied() (points viz.Series) {
	for _, set := range Sets {
		gamma, rows := byGamma(set.Name)
		for k, r := range rows {
			if r.Scores["live"] == 0 {
				points.X, points.Y = append(points.X, gamma[k]), append(points.Y, r.Scores["accuracy"])
			}
		}
	}
	return points
}

// A Moment is what a fit is after a round.
type Moment struct {
	Round               int
	Objective, Accuracy float64 // Accuracy is that of k-means on the columns of H, with those of W of length 1
	Roughness           float64 // tr(HLHᵀ)/‖H‖²
}

// Follow fits a model, and looks at it after some rounds.
func Follow(ctx context.Context, p *Problem, m rnmf.Model, rounds ...int) (all []Moment, err error) {
	for step, err := range m.Steps(ctx, p.X) {
		if err != nil {
			return nil, err
		}
		if !slices.Contains(rounds, step.Round) {
			continue
		}
		_, h := step.Result().Normalized(2)
		found, err := baseline.KMeans{K: p.K, Seed: 1}.Fit(ctx, h)
		if err != nil {
			return nil, err
		}
		accuracy, err := score.Accuracy(p.Set.Labels, found.Labels)
		if err != nil {
			return nil, err
		}
		all = append(all, Moment{step.Round, step.Objective, accuracy, p.Graph.Roughness(h) / math.Pow(mat.Norm(h, 2), 2)})
	}
	return all, nil
}

// Grids are what fits at all pairs of α and β come to, a row for each α.
type Grids struct {
	Names          []string // of the values
	Accuracy, Live *mat.Dense
}

// Dead returns the number of pairs that leave no component.
func (g Grids) Dead() (count int) {
	for _, live := range g.Live.RawMatrix().Data {
		if live == 0 {
			count++
		}
	}
	return count
}

// BestDead returns the largest accuracy of the pairs that leave no component.
func (g Grids) BestDead() (accuracy float64) {
	for k, live := range g.Live.RawMatrix().Data {
		if live == 0 {
			accuracy = max(accuracy, g.Accuracy.RawMatrix().Data[k])
		}
	}
	return accuracy
}

// Pairs fits LS-NMF as printed, from one start, with each α and β of some values, in raw units.
func Pairs(ctx context.Context, p *Problem, values []float64, lambda float64, rounds int) (Grids, error) {
	g := Grids{Accuracy: mat.NewDense(len(values), len(values), nil), Live: mat.NewDense(len(values), len(values), nil)}
	m, err := Named("LS-NMF, printed")
	if err != nil {
		return g, err
	}
	for i, a := range values {
		g.Names = append(g.Names, fmt.Sprint(a))
		for j, b := range values {
			row, err := Run(ctx, p, m, Setting{Alpha: a, Beta: b, Lambda: lambda}, 1, rounds)
			if err != nil {
				return g, err
			}
			g.Accuracy.Set(i, j, row.Accuracy)
			g.Live.Set(i, j, float64(row.Live))
		}
	}
	return g, nil
}

// A Finding is how well the weights of samples find those that a mask marks: the average precision, and
// the share of samples with S ≠ 0 in percent.
type Finding struct{ Precision, Flagged float64 }

// Find fits NMF of rank 20 under a loss of whole samples.
func Find(ctx context.Context, x, mask *mat.Dense, loss rnmf.Loss) (f Finding, err error) {
	r, err := rnmf.Model{Rank: 20, Loss: rnmf.ByColumn{Loss: loss}, MaxIter: lesson.Rounds(100)}.Fit(ctx, x)
	if err != nil {
		return f, err
	}
	o, err := r.Outliers(x, nil)
	if err != nil {
		return f, err
	}
	singled, err := Singled(r, x)
	if err != nil {
		return f, err
	}
	var bad []bool
	for j, yes := range singled {
		bad = append(bad, mask.At(0, j) == 1)
		if yes {
			f.Flagged += 100 / float64(len(singled))
		}
	}
	f.Precision, err = score.AveragePrecisionSamples(o.Samples, bad)
	return f, err
}

// Finds are findings by the unit of the threshold and γ.
type Finds struct{ Precision, Flagged *lesson.Results }

// ByThreshold is Find with LogShrink for each γ, at the scale of the median residual and, with samples
// of length 1, at the scale 1, as printed.
func ByThreshold(ctx context.Context, x, mask *mat.Dense, gammas ...float64) (Finds, error) {
	all := Finds{new(lesson.Results), &lesson.Results{Digits: 1}}
	for scale, name := range []string{"unit: median residual", "unit 1, as printed"} {
		if scale == 1 {
			x = UnitLength(x)
		}
		for _, gamma := range gammas {
			f, err := Find(ctx, x, mask, papers.LogShrink{Gamma: gamma, Scale: float64(scale)})
			if err != nil {
				return all, err
			}
			all.Precision.Add(name, fmt.Sprint(gamma), f.Precision)
			all.Flagged.Add(name, fmt.Sprint(gamma), f.Flagged)
		}
	}
	return all, nil
}

// UpTo is the largest threshold up to which, in a unit, the precision is never below some value, and the share
// flagged there; "0" if there is none.
func (f Finds) UpTo(unit string, precision float64) (gamma string, flagged float64) {
	gamma = "0"
	for _, g := range f.Precision.Columns {
		if f.Precision.Mean(unit, g) < precision {
			break
		}
		gamma, flagged = g, f.Flagged.Mean(unit, g)
	}
	return gamma, flagged
}

// Leads are those of Table 1, each method chosen by the labels and by the silhouette.
func Leads() *lesson.Results {
	leads := new(lesson.Results)
	for _, set := range Sets {
		leads.Add("chosen by the labels", set.Name, Lead(1, set.Name, 0, "accuracy"))
		leads.Add("by the silhouette", set.Name, Lead(1, set.Name, 0, "silhouette"))
	}
	return leads
}

// DrawLeads draws Leads as bars, with a sign above those where the point of RLS-NMF is one of LS-NMF and where there is no bar.
func DrawLeads(leads *lesson.Results) *viz.Chart {
	c := leads.Bars("", "accuracy − best rival, points", viz.BarsOptions{Width: 10, Height: 3})
	var ahead, without [2]int
	WriteSigns(c, leads, func(row, set string, lead float64) string {
		i := slices.Index(leads.Rows, row)
		if lead <= 0 {
			return Leveled(row, set, lead)
		}
		ahead[i]++
		if best, ok := Chosen(1, set, 0, "RLS-NMF", "accuracy", []string{"accuracy", "silhouette"}[i]); ok && best.Setting.Value("gamma") == 0 {
			without[i]++
			return "S = 0"
		}
		return ""
	})
	c.Title.Text = fmt.Sprintf("RLS-NMF is ahead on %d of %d sets by the labels (%d with S = 0), on %d without labels (STORED)",
		ahead[0], len(leads.Columns), without[0], ahead[1])
	return c
}

// Leveled is the sign of a lead of less than one sample, for WriteSigns.
func Leveled(_, _ string, lead float64) string {
	if lead == 0 {
		return "level"
	}
	return ""
}

// WriteSigns writes a word above the bars of values that are not negative: what sign gives for them.
func WriteSigns(c *viz.Chart, bars *lesson.Results, sign func(row, column string, value float64) string) {
	var signs plotter.XYLabels
	for i, row := range bars.Rows {
		for k, column := range bars.Columns {
			value := bars.Mean(row, column)
			if word := sign(row, column, value); word != "" {
				wide := 0.8 / float64(len(bars.Rows)) // of a bar, as viz.Bars has it
				signs.XYs = append(signs.XYs, plotter.XY{X: float64(k) + (float64(i)-float64(len(bars.Rows)-1)/2)*wide, Y: value})
				signs.Labels = append(signs.Labels, word)
			}
		}
	}
	if len(signs.XYs) == 0 {
		return
	}
	labels := lesson.Must(plotter.NewLabels(signs))
	for i := range labels.TextStyle {
		labels.TextStyle[i] = c.X.Tick.Label
		labels.TextStyle[i].XAlign, labels.TextStyle[i].YAlign, labels.TextStyle[i].Font.Size = draw.XCenter, draw.YBottom, vg.Points(10)
	}
	c.Add(labels)
}

// DrawPart draws the part k of a start next to what a fit made of it, both of length 1, with their cosine in the title.
func DrawPart(s *datasets.Set, k int, start, fitted *mat.Dense) viz.Figure {
	before, after := UnitLength(start).ColView(k), UnitLength(fitted).ColView(k)
	return lesson.Must(viz.Views([]viz.View{{Heading: "random start", X: before}, {Heading: "after the fit", X: after}}, viz.ViewsOptions{
		Title:  fmt.Sprintf("Part %d of RLS-NMF: cosine %.2f", k+1, mat.Dot(before, after)),
		Height: s.Height, Width: s.Width, Samples: []int{0}, Scale: 6,
	}))
}

// TakenLast is by how many points of accuracy LS-NMF at its best by the labels is ahead of GNMF, which has no logarithm, and
// of LS-NMF with the smallest λ of the grid, means over Sets.
func TakenLast() (logarithm, graph float64) {
	for _, set := range Sets {
		grid := Grid(1, set.Name, 0, "LS-NMF")
		smallest := math.Inf(1)
		for _, r := range grid.Rows {
			smallest = min(smallest, r.Setting.Value("lambda"))
		}
		weak, _ := grid.Where(func(r choose.Row) bool { return r.Setting.Value("lambda") == smallest }).Best(choose.Criterion{Score: "accuracy"})
		all := Best(1, set.Name, 0, "LS-NMF", "accuracy", "accuracy")
		logarithm += 100 * (all - Best(1, set.Name, 0, "GNMF", "accuracy", "accuracy")) / float64(len(Sets))
		graph += 100 * (all - weak.Scores["accuracy"]) / float64(len(Sets))
	}
	return logarithm, graph
}

// Price is the product αβ from which on, under ℓ₁ penalties, a component along the first singular vectors is not worth its
// price, as section 4 of notebook 04 derives.
func Price(x *mat.Dense) (float64, error) {
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		return 0, fmt.Errorf("rls: no singular values")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	return math.Pow(2*svd.Values(nil)[0]/3, 3) / (floats.Norm(mat.Col(nil, 0, &u), 1) * floats.Norm(mat.Col(nil, 0, &v), 1)), nil
}

// LeadsCorrupted are those of Tables 2 to 7, chosen by the labels, and how often RLS-NMF is ahead at each of the
// three levels.
func LeadsCorrupted() (leads *lesson.Results, ahead [3]int) {
	leads = new(lesson.Results)
	for i, set := range []string{"JAFFE", "Yale", "COIL20", "ORL", "Yale", "COIL20"} {
		kind, levels := "removed", []float64{0.2, 0.4, 0.6}
		if i >= 3 {
			kind, levels = "noise", []float64{0.005, 0.01, 0.015}
		}
		for k, level := range levels {
			lead := Lead(2+i, set, level, "accuracy")
			leads.Add([]string{"20 % removed, or noise of 0.005", "40 %, 0.010", "60 %, 0.015"}[k], set+", "+kind, lead)
			if lead > 0 {
				ahead[k]++
			}
		}
	}
	return leads, ahead
}
