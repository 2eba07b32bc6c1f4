package yours

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"math"
	"path"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/explore"
)

// Overview draws up to eight of the pictures of a set, evenly over it, the parts, and the last eight suspects, those that
// are called wrong before those that are called rare.
func Overview(a *explore.Analysis) (viz.Figure, error) {
	s := a.Set
	_, n := s.Dims()
	count := min(8, n)
	var some []int
	for k := range count {
		some = append(some, k*n/count)
	}
	opt := viz.GalleryOptions{Title: fmt.Sprintf("%d of the %d pictures", count, n), Height: s.Height, Width: s.Width, Columns: 8, Common: true}
	pictures, err := row(s, some, opt)
	if err != nil {
		return nil, err
	}
	w, _ := a.Result.Normalized(2)
	named := opt
	named.Title, named.Captions, named.Common = fmt.Sprintf("%d parts, with their stability (at most 1)", len(a.Parts)), a.PartNames(), false
	for k, p := range a.Parts {
		if a.Consensus != nil {
			named.Captions[k] = fmt.Sprintf("%d: %.2f", k+1, p.Stability)
		}
	}
	parts, err := viz.Gallery(w, named)
	if err != nil {
		return nil, err
	}
	suspects := slices.Concat(a.BadSamples(), a.RareSamples())
	if len(suspects) == 0 {
		return viz.Grid(1, pictures, parts)
	}
	last := suspects[max(0, len(suspects)-8):]
	some = nil
	for k, of := range last {
		called := "wrong"
		if len(suspects)-len(last)+k >= len(a.BadSamples()) {
			called = "rare"
		}
		some, opt.Captions = append(some, of.Sample), append(opt.Captions, called)
	}
	opt.Title = fmt.Sprintf("%d of the %d suspects, called wrong or rare", len(last), len(suspects))
	do, err := row(s, some, opt)
	if err != nil {
		return nil, err
	}
	return viz.Grid(1, pictures, parts, do)
}

// row draws some of the pictures of a set.
func row(s *datasets.Set, some []int, opt viz.GalleryOptions) (viz.Figure, error) {
	of, err := s.Pick(some)
	if err != nil {
		return nil, err
	}
	return viz.Gallery(of.X, opt)
}

// InOrder draws how much of each sample each part is, the samples in the order of the file, some of them with their
// names, up to a dash and without “The”. Its title says which part has the largest share of the first fifth of them, and which of the last. Samples
// that are called wrong are marked, and those that are called rare.
func InOrder(a *explore.Analysis, named ...string) (viz.Figure, error) {
	_, h := a.Result.Normalized(1)
	share := mat.DenseCopyOf(h)
	share.Apply(func(_, j int, v float64) float64 {
		if sum := mat.Sum(h.ColView(j)); sum > 0 {
			return v / sum
		}
		return 0
	}, h)
	names := a.PartNames()
	_, n := share.Dims()
	most := func(from, to int) string {
		sums := make([]float64, len(names))
		for k := range sums {
			sums[k] = mat.Sum(share.Slice(k, k+1, from, to))
		}
		name := names[floats.MaxIdx(sums)]
		if _, features, ok := strings.Cut(name, ": "); ok {
			return features
		}
		return name
	}
	fifth := max(n/5, 1)
	const high = 3 // lines for each part, so that few parts make no narrow strip
	lines, lineNames := mat.NewDense(high*len(names), n, nil), make([]string, high*len(names))
	for k, name := range names {
		for i := range high {
			lines.SetRow(high*k+i, share.RawRowView(k))
		}
		lineNames[high*k+high/2] = name
	}
	opt := viz.HeatmapOptions{Title: fmt.Sprintf("“%s” leads the first fifth, “%s” the last", most(0, fifth), most(n-fifth, n)),
		RowNames: lineNames, XLabel: "samples, in the order of the file", BarLabel: "share"}
	columns := make([]string, n)
	for j := range n {
		if len(named) > 0 && slices.Contains(named, a.Prepared.SampleName(j)) {
			name, _, _ := strings.Cut(a.Prepared.SampleName(j), "—")
			columns[j] = strings.Replace(name, " The ", " ", 1)
			opt.ColumnNames = columns
		}
	}
	bad, rare := a.BadSamples(), a.RareSamples()
	if len(bad)+len(rare) > 0 {
		marks := slices.Repeat([]int{-1}, n)                       // white
		for kind, samples := range [][]explore.Sample{rare, bad} { // blue and vermillion, as the frames of images
			for _, s := range samples {
				marks[s.Sample] = kind
			}
		}
		opt.Tracks = []viz.Track{{Name: "suspect", Classes: marks, Names: []string{"called rare", "called wrong"}}}
	}
	return viz.Heatmap(lines, opt)
}

// OwnFeatures draws the features that are most each part's own, by their loading less the largest in another part, as
// its name has them.
func OwnFeatures(a *explore.Analysis) (viz.Figure, error) {
	w, _ := a.Result.Normalized(2)
	m, r := w.Dims()
	own, features := mat.NewDense(m, r, nil), make([]string, m)
	for i := range m {
		features[i] = a.Prepared.FeatureName(i)
		for k := range r {
			other := 0.0
			for c, v := range w.RawRowView(i) {
				if c != k {
					other = max(other, v)
				}
			}
			own.Set(i, k, max(0, w.At(i, k)-other))
		}
	}
	return viz.TopFeatures(own, viz.TopFeaturesOptions{Title: "Loading less the largest in another part", Features: features, Captions: a.PartNames(), Count: 6, Columns: 3})
}

// Stand draws how far each sample stands apart by its largest residuals and by their mean magnitude, the mean over the
// fits, with the limits of the first two rules of notebook 07. The second falls with the number of samples beyond it. A
// ring with a name is around the samples that are called wrong though they are known to be right, at most three.
func (e Example) Stand(a *explore.Analysis) (viz.Figure, error) {
	n := len(a.Suspects.Samples)
	var onMean []float64
	for _, s := range a.Suspects.Samples {
		onMean = append(onMean, s.MeanApart)
	}
	slices.Sort(onMean)
	const first = 3.5
	_, second := rule2(onMean)
	at, classes := mat.NewDense(2, n, nil), make([]int, n)
	var wrong, right, above int
	for _, s := range a.Suspects.Samples {
		at.Set(0, s.Sample, s.Apart)
		at.Set(1, s.Sample, s.MeanApart)
		if !slices.Contains(e.Wrong, a.Prepared.SampleName(s.Sample)) {
			continue
		}
		classes[s.Sample] = 1
		wrong++
		if s.Apart > first {
			right++
		}
		if s.MeanApart > second {
			above++
		}
	}
	c, err := viz.Scatter(at, viz.ScatterOptions{Title: fmt.Sprintf("Of %d wrong samples %d pass the limit of the first rule, %d that of the second", wrong, right, above), Width: 7.4, Height: 3.6,
		XLabel: "z of the root mean square or of the largest", YLabel: "z of the mean magnitude", Classes: classes, Names: []string{"others", "wrong"}[:min(1+wrong, 2)]})
	if err != nil {
		return nil, err
	}
	c.X.Max, c.Y.Max = max(c.X.Max, first+0.2), max(c.Y.Max, second)+0.2
	dashed(c, plotter.XY{X: first, Y: c.Y.Min}, plotter.XY{X: first, Y: c.Y.Max})
	dashed(c, plotter.XY{X: c.X.Min, Y: second}, plotter.XY{X: c.X.Max, Y: second})
	write(c, plotter.XY{X: first, Y: c.Y.Min}, "limit of rule 1 ", draw.XRight, 4)
	write(c, plotter.XY{X: c.X.Min, Y: second}, " limit of rule 2", draw.XLeft, 4)
	for _, s := range e.mistaken(a.BadSamples()) {
		at := plotter.XY{X: at.At(0, s.Sample), Y: at.At(1, s.Sample)}
		c.Add(&plotter.Scatter{XYs: plotter.XYs{at}, GlyphStyle: draw.GlyphStyle{Color: color.Black, Radius: vg.Points(6), Shape: draw.RingGlyph{}}})
		write(c, at, strings.TrimSuffix(path.Base(s.Name), path.Ext(s.Name))+"   ", draw.XRight, 0)
	}
	return c, nil
}

// dashed draws a dashed line.
func dashed(c *viz.Chart, from, to plotter.XY) {
	line := &plotter.Line{XYs: plotter.XYs{from, to}, LineStyle: plotter.DefaultLineStyle}
	line.Color, line.Dashes = color.Gray{0x60}, []vg.Length{vg.Points(5), vg.Points(4)}
	c.Add(line)
}

// write writes words some points above a place of a chart, in black or in a colour.
func write(c *viz.Chart, at plotter.XY, words string, align text.XAlignment, above float64, in ...color.Color) {
	l := lesson.Must(plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at}, Labels: []string{words}}))
	style := c.Legend.TextStyle
	style.Handler, style.Font, style.XAlign = l.TextStyle[0].Handler, c.X.Tick.Label.Font, align
	if len(in) > 0 {
		style.Color = in[0]
	}
	l.TextStyle[0], l.Offset.Y = style, vg.Points(above)
	c.Add(l)
}

// mistaken returns the samples that are called wrong though they are known to be right, at most three; none where
// nothing is known.
func (e Example) mistaken(called []explore.Sample) []explore.Sample {
	if e.Wrong == nil {
		return nil
	}
	some := slices.DeleteFunc(slices.Clone(called), func(s explore.Sample) bool { return slices.Contains(e.Wrong, s.Name) })
	return some[:min(3, len(some))]
}

// Largest says which parts are the largest of some samples, of at least two of them, and of how many others.
func Largest(a *explore.Analysis, some []explore.Sample) string {
	largest, count := a.Result.Clusters(), make([]int, a.Rank)
	for _, s := range some {
		count[largest[s.Sample]]++
	}
	var lines []string
	for k, p := range a.Parts {
		if count[k] > 1 {
			lines = append(lines, fmt.Sprintf("The largest part of %d of them and of %d others is %s, whose stability is %.2f.", count[k], p.Samples-count[k], p.Name, p.Stability))
		}
	}
	return strings.Join(lines, "\n")
}

// Reasons says how many of some samples are called wrong by each of the three rules of notebook 07 alone, in half of
// the fits or more.
func Reasons(a *explore.Analysis, some []explore.Sample) string {
	var far, many, strange int
	for _, s := range some {
		at := slices.IndexFunc(a.Suspects.Samples, func(of choose.Suspect) bool { return of.Sample == s.Sample })
		for _, reason := range []struct {
			share float64
			count *int
		}{{a.Suspects.Samples[at].Far, &far}, {a.Suspects.Samples[at].Many, &many}, {a.Suspects.Samples[at].Strange, &strange}} {
			if reason.share >= 0.5-1e-9 {
				*reason.count++
			}
		}
	}
	return fmt.Sprintf("Of these %d the first rule alone would have called %d wrong, the second %d and the third %d.", len(some), far, many, strange)
}

// Finds is a table of the first k single values that do not fit, nil where there are none.
func Finds(a *explore.Analysis, k int) (lesson.HTML, error) {
	bad := a.BadEntries()
	if len(bad) == 0 {
		return nil, nil
	}
	var rows [][]any
	for _, e := range bad[:min(k, len(bad))] {
		rows = append(rows, []any{e.FeatureName, e.SampleName, fmt.Sprintf("%.4g", e.Value), fmt.Sprintf("%.2g", e.Expected)})
	}
	t, err := viz.NewTable([]string{"feature", "sample", "value", "the parts make"}, rows)
	if err != nil {
		return nil, err
	}
	t.Caption = fmt.Sprintf("The farthest off of %d single values that do not fit", len(bad))
	return t, nil
}

// Ten picks the first sample of each class that is called neither wrong nor rare, ten at most, of which noise replaces a
// fifth, and says which. Where no classes are known it picks the first ten.
func Ten(a *explore.Analysis) (ten *datasets.Set, noise mat.Matrix, err error) {
	called := map[int]bool{}
	for _, s := range append(a.RareSamples(), a.BadSamples()...) {
		called[s.Sample] = true
	}
	_, n := a.Set.Dims()
	var some []int
	seen := map[int]bool{}
	for j := range n {
		if called[j] || a.Set.Labels != nil && seen[a.Set.Labels[j]] {
			continue
		}
		if some = append(some, j); a.Set.Labels != nil {
			seen[a.Set.Labels[j]] = true
		}
	}
	if ten, err = a.Set.Pick(some[:min(10, len(some))]); err != nil {
		return nil, nil, err
	}
	return ten.Corrupt(datasets.OutlierSamples{Share: 0.2, Max: a.Set.Max}, 7)
}

// New draws the pictures that an analysis was applied to, says below which of them are called wrong, and in the title how many
// of those that noise has replaced.
func New(a *explore.Analysis, noise mat.Matrix) (viz.Figure, error) {
	_, n := a.Set.Dims()
	captions, spoiled, right, others := make([]string, n), 0, 0, 0
	for j := range n {
		if noise.At(0, j) > 0 {
			spoiled++
		}
	}
	for _, bad := range a.BadSamples() {
		captions[bad.Sample] = "called wrong"
		if noise.At(0, bad.Sample) > 0 {
			right++
		} else {
			others++
		}
	}
	return viz.Gallery(a.Set.X, viz.GalleryOptions{Height: a.Set.Height, Width: a.Set.Width, Columns: 5, Common: true, Scale: 10, Captions: captions,
		Title: fmt.Sprintf("Called wrong: %d of the %d pictures of noise, and %d of the others", right, spoiled, others)})
}

// A group of samples, and how many there are.
type group struct{ group, samples int }

// among counts by their groups the samples whose largest part is part k, the most first.
func among(a *explore.Analysis, k int, groups []int) (all []group) {
	count := map[int]int{}
	for j, c := range a.Result.Clusters() {
		if c == k {
			count[groups[j]]++
		}
	}
	for g, samples := range count {
		all = append(all, group{g, samples})
	}
	slices.SortFunc(all, func(x, y group) int { return cmp.Or(cmp.Compare(y.samples, x.samples), cmp.Compare(x.group, y.group)) })
	return all
}

// Classes says of which classes the samples are whose largest part is the same, a line for each part. It is empty
// where no classes are known.
func Classes(a *explore.Analysis) string {
	if a.Prepared.Labels == nil {
		return ""
	}
	var lines []string
	for k, p := range a.Parts {
		var of []string
		for _, g := range among(a, k, a.Prepared.Labels) {
			of = append(of, fmt.Sprintf("%d %s", g.samples, a.Prepared.Classes[g.group]))
		}
		lines = append(lines, fmt.Sprintf("%s: %s", p.Name, strings.Join(of, ", ")))
	}
	return strings.Join(lines, "\n")
}

// Told draws the samples as Analysis.DrawSamples does, and with each part the class that it tells, the most frequent
// among the samples whose largest part it is. Where no classes are known it is DrawSamples.
func Told(a *explore.Analysis) (viz.Figure, error) {
	if a.Prepared.Labels == nil {
		return a.DrawSamples()
	}
	_, h := a.Result.Normalized(2)
	names, told := a.PartNames(), 0
	for k := range names {
		if of := among(a, k, a.Prepared.Labels); len(of) > 0 {
			names[k] += fmt.Sprintf(", tells %s", a.Prepared.Classes[of[0].group])
			told += of[0].samples
		}
	}
	_, n := h.Dims()
	return viz.Heatmap(h, viz.HeatmapOptions{Title: fmt.Sprintf("The largest part tells the class of %d of %d samples", told, n), RowNames: names, ColumnOrder: viz.OrderByPart(h),
		Tracks: []viz.Track{{Name: "class", Classes: a.Prepared.Labels, Names: a.Prepared.Classes}}, XLabel: "samples, by their largest part", BarLabel: "coefficient"})
}

// wrongPixels is the set of an analysis where a tenth of the entries are the least or the largest value.
func wrongPixels(a *explore.Analysis) (*datasets.Set, error) {
	s, _, err := a.Prepared.Corrupt(datasets.SaltPepper{Share: 0.1, High: a.Prepared.Max}, 1)
	return s, err
}

// WrongPixels runs the race of an analysis anew where a tenth of the entries are the least or the largest value.
func WrongPixels(ctx context.Context, a *explore.Analysis) (*choose.RaceResult, error) {
	s, err := wrongPixels(a)
	if err != nil {
		return nil, err
	}
	_, rank := a.Race.W.Dims()
	return choose.Auto(rank).Fit(ctx, s.X)
}

// StandOut draws the sizes of the residuals that the loss of samples leaves of the entries that are not 0, of data as
// given and of data with wrong pixels, and from where to where a race asks whether something stands out. Its title
// says whether something does.
func StandOut(ctx context.Context, a *explore.Analysis) (viz.Figure, error) {
	s, err := wrongPixels(a)
	if err != nil {
		return nil, err
	}
	_, rank := a.Race.W.Dims()
	var sizes []viz.Series
	var stands [2]string
	for k, x := range []*mat.Dense{a.Prepared.X, s.X} {
		r, err := rnmf.L21NMF(rank).Fit(ctx, x)
		if err != nil {
			return nil, err
		}
		var squares []float64
		wh := r.WH()
		m, n := x.Dims()
		for i := range m {
			for j := range n {
				if v := x.At(i, j); v != 0 {
					squares = append(squares, (v-wh.At(i, j))*(v-wh.At(i, j)))
				}
			}
		}
		residuals := rnmf.NewResiduals(squares...)
		if stands[k] = "nothing"; rnmf.ThreeOrSixSigma.Cut(residuals) < 4*residuals.Sigma() {
			stands[k] = "something"
		}
		of := viz.Series{Name: []string{"as given", "wrong pixels"}[k]}
		for _, v := range squares {
			of.Y = append(of.Y, math.Sqrt(v)/residuals.Sigma())
		}
		sizes = append(sizes, of)
	}
	c, err := viz.Histogram(sizes, viz.HistogramOptions{Title: fmt.Sprintf("As given %s stands out, with wrong pixels %s", stands[0], stands[1]),
		XLabel: "size of a residual of the loss of samples, in deviations", Width: 7.4, Height: 3, Bins: 20, Density: true, LogY: true})
	if err != nil {
		return nil, err
	}
	c.Y.Max *= 2.5 // for the words
	from, to := 2.5, 2.5*math.Pow(1.2, 5)
	for _, x := range []float64{from, to} {
		dashed(c, plotter.XY{X: x, Y: c.Y.Min}, plotter.XY{X: x, Y: c.Y.Max})
	}
	write(c, plotter.XY{X: (from + to) / 2, Y: c.Y.Max / 2.5}, "ever fewer here?", draw.XCenter, 0)
	return c, nil
}

// Races draws the errors of the losses of two races next to those of the loss of samples, as a race compares them: of
// data as given, and of data with wrong pixels. The titles say which loss wins, and whether anything stands out among
// the residuals of any of the three.
func Races(given, spoiled *choose.RaceResult) (viz.Figure, error) {
	short := func(k choose.LossKind) string { return strings.TrimPrefix(k.String(), "a robust ") }
	kinds := []choose.LossKind{choose.ByEntryAndSample, choose.ByOmission}
	var lowest, highest float64
	var titles []string
	var sides [][]viz.Series
	for k, race := range []*choose.RaceResult{given, spoiled} {
		of, stands := map[choose.LossKind]choose.JudgedLoss{}, "nothing"
		for _, j := range race.Judged {
			of[j.Kind] = j
			if j.StandsOut {
				stands = "something"
			}
		}
		samples := of[choose.BySample]
		var series []viz.Series
		for _, kind := range kinds {
			more := []float64{100 * (of[kind].Best/samples.Best - 1), 100 * (of[kind].Most/samples.Most - 1), 100 * (of[kind].All/samples.All - 1)}
			series = append(series, viz.Series{Name: short(kind), Y: more})
			lowest, highest = min(lowest, slices.Min(more)), max(highest, slices.Max(more))
		}
		sides = append(sides, series)
		titles = append(titles, fmt.Sprintf("%s: the %s wins,\n%s stands out", []string{"As given", "Wrong pixels"}[k], short(race.Winner), stands))
	}
	room := 0.1 * max(1, highest-lowest) // for the values
	var charts []viz.Figure
	for k, series := range sides {
		c, err := viz.Bars([]string{"best six tenths, without zeros", "best nine tenths", "all"}, series, viz.BarsOptions{Title: titles[k],
			YLabel: "error, % above that of samples", Width: 4.6, Height: 3.3, YMin: lowest - room, YMax: highest + room, Values: true, Digits: 1})
		if err != nil {
			return nil, err
		}
		if k == 0 { // where its bars leave room
			c.InsideLegend, c.Legend.Top, c.Legend.Left = true, false, false
		} else {
			c.Legend = plot.NewLegend()
		}
		charts = append(charts, c)
	}
	return viz.Row(charts...)
}

// Shuffled draws the k most suspect samples as Analysis.DrawSuspects does, and marks by their names those that are
// known to be wrong, as their measurements were shuffled.
func (e Example) Shuffled(a *explore.Analysis, k int) (viz.Figure, error) {
	rep, err := a.Report()
	if err != nil {
		return nil, err
	}
	s := *rep.Set
	s.Samples = slices.Clone(s.Samples)
	for j, name := range s.Samples {
		if slices.Contains(e.Wrong, name) {
			s.Samples[j] += ", shuffled"
		}
	}
	rep.Set = &s
	return rep.Residuals(k)
}
