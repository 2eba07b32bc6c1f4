package yours

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/explore"
)

// A Call says how many of the samples of noise are called wrong and rare, and how many others are, of a set in which
// Parts parts were found. The third rule of notebook 07 alone would call Strange of the noise wrong. Apart is the
// smallest z of the noise, of its mean magnitude, and AmongOthers the same by median and deviation of the other samples
// alone. Z is that z of all samples, ascending, NoiseZ that of the noise, and Median and Deviation are those of the others
// in it. Direction is the mean over the noise of choose.Suspect.Direction, and DirectionLimit the limit of the third
// rule for it. All are of the means over the fits.
type Call struct {
	All, Noise, Wrong, Strange, OtherWrong, Rare, OtherRare, Parts int
	Apart, AmongOthers                                             float64
	Z, NoiseZ                                                      []float64
	Median, Deviation                                              float64
	Direction, DirectionLimit                                      float64
}

// Calls are those of a set with more and more noise.
type Calls []Call

// called compares what an analysis says with what is known to be noise.
func called(a *explore.Analysis, noise []string) Call {
	count := func(samples []explore.Sample) (hits int) {
		for _, s := range samples {
			if slices.Contains(noise, s.Name) {
				hits++
			}
		}
		return hits
	}
	_, n := a.Set.Dims()
	wrong, rare := count(a.BadSamples()), count(a.RareSamples())
	c := Call{All: n, Noise: len(noise), Wrong: wrong, OtherWrong: len(a.BadSamples()) - wrong, Rare: rare, OtherRare: len(a.RareSamples()) - rare, Parts: a.Rank}
	if a.Suspects == nil {
		return c
	}
	var directions, others, ofNoise []float64
	for _, s := range a.Suspects.Samples {
		directions, c.Z = append(directions, s.Direction), append(c.Z, s.MeanApart)
		if !slices.Contains(noise, a.Prepared.SampleName(s.Sample)) {
			others = append(others, s.MeanApart)
			continue
		}
		ofNoise = append(ofNoise, s.MeanApart)
		c.Direction += s.Direction / float64(len(noise))
		if s.Strange >= 0.5-1e-9 {
			c.Strange++
		}
	}
	slices.Sort(directions)
	slices.Sort(c.Z)
	slices.Sort(ofNoise)
	c.NoiseZ = ofNoise
	c.DirectionLimit = directionLimit(directions)
	if slices.Sort(others); len(others) > 0 && len(ofNoise) > 0 {
		c.Apart = slices.Min(ofNoise)
		c.Median = others[len(others)/2]
		c.Deviation = max(c.Median-others[int(0.16*float64(len(others)))], math.SmallestNonzeroFloat64)
		c.AmongOthers = (c.Apart - c.Median) / c.Deviation
	}
	return c
}

// predicted is the z that AmongOthers is by median and deviation of all samples, if the others are normal and
// all noise lies above them: then the median of all is a higher quantile of the others.
func (c Call) predicted() float64 {
	share := float64(c.Noise) / float64(max(1, c.All))
	if share >= 0.5 {
		return 0 // the noise has the median
	}
	quantile := func(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p/(1-share)) }
	return (c.AmongOthers - quantile(0.5)) / (quantile(0.5) - quantile(0.16))
}

// Noise explores a set once for each of some shares of its samples, which noise replaces next to the samples of the
// example that are noise already; a share of 0 explores the set as it is. Its seed is not that of the example, with
// which the same noise would come twice.
func (e Example) Noise(s *datasets.Set, study explore.Study, shares ...float64) (calls Calls, err error) {
	_, n := s.Dims()
	for _, share := range shares {
		spoiled, noise := s, slices.Clone(e.Wrong)
		if share > 0 {
			more, replaced, err := s.Corrupt(datasets.OutlierSamples{Share: share, Max: s.Max}, 2)
			if err != nil {
				return nil, err
			}
			spoiled = more
			for j := range n {
				if name := s.SampleName(j); replaced.At(0, j) > 0 && !slices.Contains(noise, name) {
					noise = append(noise, name)
				}
			}
		}
		calls = append(calls, called(lesson.Explore(study, spoiled), noise))
	}
	return calls, nil
}

// Twice explores a set in which each sample that is wrong in the example comes a second time, in the place of one that
// is not.
func (e Example) Twice(s *datasets.Set, study explore.Study) (Calls, error) {
	twice, noise := *s, slices.Clone(e.Wrong)
	twice.X = mat.DenseCopyOf(s.X)
	m, n := s.Dims()
	var from, to []int
	for j := range n {
		if slices.Contains(e.Wrong, s.SampleName(j)) {
			from = append(from, j)
		} else {
			to = append(to, j)
		}
	}
	if len(from) > len(to) {
		return nil, fmt.Errorf("%d samples of %d are wrong, which leaves no room for them to come twice", len(from), n)
	}
	for k, j := range from {
		other := to[k*len(to)/len(from)] // evenly over the set
		twice.X.Slice(0, m, other, other+1).(*mat.Dense).Copy(s.X.Slice(0, m, j, j+1))
		noise = append(noise, s.SampleName(other))
	}
	return Calls{called(lesson.Explore(study, &twice), noise)}, nil
}

// share is a number of the samples of noise, in percent.
func (c Call) share(count int) float64 { return 100 * float64(count) / float64(max(1, c.Noise)) }

// noise is the share of noise in all samples, in percent.
func (c Call) noise() float64 { return 100 * float64(c.Noise) / float64(max(1, c.All)) }

// rule2From is the z from which on the second rule of notebook 07 calls a number of n samples wrong: where at most 2 % of
// them would be as far apart by chance.
func rule2From(count, n int) float64 {
	return max(2, math.Sqrt2*math.Erfcinv(2*0.02*float64(count)/float64(n)))
}

// rule2 returns how many of all z, in ascending order, the rule calls, and from which z on. Where it calls none, that is
// from where it would call one.
func rule2(all []float64) (count int, from float64) {
	for count = len(all); count > 0; count-- {
		if from = rule2From(count, len(all)); all[len(all)-count] > from {
			break
		}
	}
	return count, from
}

// limit is that z for as many samples as there are of noise.
func (c Call) limit() float64 { return rule2From(max(1, c.Noise), max(1, c.All)) }

// Rule2 draws the second rule of notebook 07: over z the number of samples with this z or more, as measured and by median
// and deviation of the others alone, and how many of them the rule asks for. The title says how many it calls.
func (c Call) Rule2() (viz.Figure, error) {
	const from, to = 2, 4.5
	others := make([]float64, len(c.Z))
	for i, z := range c.Z {
		others[i] = (z - c.Median) / c.Deviation
	}
	measured, alone, asked := orMore(c.Z, from, to), orMore(others, from, to), viz.Series{Name: "as many as rule 2 asks for"}
	measured.Name, alone.Name = "z by all pictures", "z by the others alone"
	most := 1.3 * max(1, measured.Y[0], alone.Y[0])
	for z := float64(from); z <= to; z += 0.01 {
		if y := float64(c.All) / 2 * math.Erfc(z/math.Sqrt2) / 0.02; y <= most {
			asked.X, asked.Y = append(asked.X, z), append(asked.Y, y)
		}
	}
	calls := "none"
	if count, _ := rule2(c.Z); count > 0 {
		calls = fmt.Sprint(count)
	}
	chart, err := viz.Lines([]viz.Series{measured, asked, alone}, viz.LinesOptions{Title: fmt.Sprintf("%.0f %% of noise: by the mean z rule 2 calls %s", c.noise(), calls),
		XLabel: "z of the mean magnitude", YLabel: "pictures with this z or more", YMin: 0, YMax: most, Width: 5.8, Height: 2.8})
	if err != nil {
		return nil, err
	}
	chart.InsideLegend, chart.Legend.Left = true, false
	return chart, nil
}

// orMore is the staircase that counts the values, in ascending order, of this size or more.
func orMore(ascending []float64, from, to float64) viz.Series {
	first, _ := slices.BinarySearch(ascending, from)
	count := float64(len(ascending) - first)
	s := viz.Series{X: []float64{from}, Y: []float64{count}}
	for _, v := range ascending[first:] {
		if v > to {
			break
		}
		s.X, s.Y = append(s.X, v, v), append(s.Y, count, count-1)
		count--
	}
	s.X, s.Y = append(s.X, to), append(s.Y, count)
	return s
}

// Draw draws the shares of the noise that are called wrong and rare, and that of the other samples that are called
// either, over the share of noise, with the number of parts above.
func (c Calls) Draw() (viz.Figure, error) {
	wrong, rare, others := viz.Series{Name: "called wrong"}, viz.Series{Name: "called rare"}, viz.Series{Name: "others called wrong or rare"}
	var parts plotter.XYLabels
	last, none := -1, -1 // up to which all noise is called wrong, and from which on none is
	for i, of := range c {
		x := of.noise()
		for _, s := range []*viz.Series{&wrong, &rare, &others} {
			s.X = append(s.X, x)
		}
		wrong.Y, rare.Y = append(wrong.Y, of.share(of.Wrong)), append(rare.Y, of.share(of.Rare))
		others.Y = append(others.Y, 100*float64(of.OtherWrong+of.OtherRare)/float64(max(1, of.All-of.Noise)))
		parts.XYs, parts.Labels = append(parts.XYs, plotter.XY{X: x, Y: 108}), append(parts.Labels, fmt.Sprint(of.Parts))
		if of.Wrong == of.Noise && last == i-1 {
			last = i
		}
		switch {
		case of.Wrong > 0:
			none = -1
		case none < 0:
			none = i
		}
	}
	var ends []string
	if last >= 0 {
		ends = append(ends, fmt.Sprintf("all up to %.0f %%", c[last].noise()))
	}
	if none >= 0 {
		ends = append(ends, fmt.Sprintf("none from %.0f %% on", c[none].noise()))
	}
	title := "Noise that is called wrong"
	if ends != nil {
		title += ": " + strings.Join(ends, ", ")
	}
	// Blue and vermillion, as the frames of images.
	chart, err := viz.Lines([]viz.Series{rare, wrong, others}, viz.LinesOptions{Title: title, XLabel: "noise, % of all (above: number of parts)",
		YLabel: "share, %", YMin: 0, YMax: 118, Width: 6.4, Height: 2.9})
	if err != nil {
		return nil, err
	}
	chart.Legend = plot.NewLegend()
	for k, s := range []viz.Series{rare, wrong} {
		at := floats.MaxIdx(s.Y)
		write(chart, plotter.XY{X: s.X[at] + 0.1, Y: s.Y[at]}, s.Name, draw.XLeft, -18, viz.Color(k))
	}
	write(chart, plotter.XY{X: others.X[len(c)/3], Y: slices.Max(others.Y)}, others.Name, draw.XLeft, 5, viz.Color(2))
	labels, err := plotter.NewLabels(parts)
	if err != nil {
		return nil, err
	}
	for i := range labels.TextStyle {
		style := chart.Legend.TextStyle
		style.Handler, style.Font, style.XAlign = labels.TextStyle[i].Handler, chart.X.Tick.Label.Font, -0.5
		labels.TextStyle[i] = style
	}
	labels.Offset.Y = vg.Points(-4)
	chart.Add(labels)
	return chart, nil
}

// String says of each how many samples of noise are called wrong, how many the third rule alone would call, and how far
// their directions are on the way to those by chance.
func (c Calls) String() string {
	var lines []string
	for _, of := range c {
		lines = append(lines, fmt.Sprintf("Of %d samples of noise %d are called wrong, and rule 3 alone would call %d; on average their directions are %.2f of the way from the usual one to one by chance, and its limit is at %.2f.",
			of.Noise, of.Wrong, of.Strange, of.Direction, of.DirectionLimit))
	}
	return strings.Join(lines, "\n")
}

// Table has the numbers that Draw draws.
func (c Calls) Table() (*viz.Table, error) {
	return c.table([]string{"parts", "of it called wrong", "others called wrong", "of it called rare", "others called rare"}, func(of Call) []any {
		return []any{of.Parts, of.Wrong, of.OtherWrong, of.Rare, of.OtherRare}
	})
}

// Limits is a table of the smallest z of the noise, as it is and as it is predicted, of the z from which on the second
// rule calls as many samples, and of the numbers of the third rule: how many samples of the noise it
// alone would call, and how far their directions are on average on the way to those by chance.
func (c Calls) Limits() (*viz.Table, error) {
	return c.table([]string{"its smallest z", "limit", "by the others alone", "predicted", "rule 3 alone would call", "its mean direction", "limit of rule 3"}, func(of Call) []any {
		cells := []any{}
		for _, v := range []float64{of.Apart, of.limit(), of.AmongOthers, of.predicted()} {
			cells = append(cells, fmt.Sprintf("%.2f", v))
		}
		return append(cells, of.Strange, fmt.Sprintf("%.2f", of.Direction), fmt.Sprintf("%.2f", of.DirectionLimit))
	})
}

// table has a line for each share of noise.
func (c Calls) table(header []string, cells func(Call) []any) (*viz.Table, error) {
	var rows [][]any
	for _, of := range c {
		rows = append(rows, append([]any{fmt.Sprintf("%d of %d (%.0f %%)", of.Noise, of.All, of.noise())}, cells(of)...))
	}
	return viz.NewTable(append([]string{"noise"}, header...), rows)
}
