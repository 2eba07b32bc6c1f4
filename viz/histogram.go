package viz

import (
	"fmt"
	"math"
	"slices"
)

// HistogramOptions say how Histogram counts and draws.
type HistogramOptions struct {
	Title, XLabel string
	YLabel        string  // empty: count, or density
	Width, Height float64 // inches; 0: 6.5 × 4
	Bins          int     // 0: by the rule of Freedman and Diaconis, between 10 and 60; at most 1000
	Density       bool    // areas of one, to compare samples of different size
	LogY          bool    // a logarithmic axis, to see the tails
}

// Histogram draws the distribution of each sample over common bins. Only Name
// and Y of the samples are used.
//
// It returns ErrEmpty without samples or values, and ErrNotFinite.
func Histogram(samples []Series, opt HistogramOptions) (*Chart, error) {
	if len(samples) == 0 {
		return nil, fmt.Errorf("%w: no samples", ErrEmpty)
	}
	if opt.Bins < 0 || opt.Bins > 1000 {
		return nil, fmt.Errorf("%w: %d bins, want 0 to 1000", ErrOption, opt.Bins)
	}
	ylabel := opt.YLabel
	if ylabel == "" {
		ylabel = "count"
		if opt.Density {
			ylabel = "density"
		}
	}
	c, err := newChart(opt.Title, opt.XLabel, ylabel, opt.Width, opt.Height)
	if err != nil {
		return nil, err
	}
	var all []float64
	for i, s := range samples {
		if err := checkValues(fmt.Sprintf("sample %d (%q)", i, s.Name), s.Y); err != nil {
			return nil, err
		}
		all = append(all, s.Y...)
	}
	lo, width, bins := binning(all, opt.Bins)
	if opt.LogY {
		useLog(&c.Y)
	}
	c.Add(newGrid())
	named := slices.ContainsFunc(samples, func(s Series) bool { return s.Name != "" })
	least := math.Inf(1)
	for i, s := range samples {
		b := &blocks{fill: fade(Color(s.style(i)), 0.3), edge: Color(s.style(i))}
		if len(samples) == 1 {
			b.fill = fade(Color(s.style(i)), 0.75)
		}
		unit := 1.0
		if opt.Density {
			unit = 1 / (float64(len(s.Y)) * width)
		}
		least = min(least, unit)
		count := make([]int, bins)
		for _, v := range s.Y {
			count[max(0, min(bins-1, int((v-lo)/width)))]++
		}
		for k, n := range count {
			b.boxes = append(b.boxes, block{lo + float64(k)*width, lo + float64(k+1)*width, float64(n) * unit})
		}
		c.Add(b)
		if named {
			c.Legend.Add(s.Name, b)
		}
	}
	c.Y.Min = 0
	if opt.LogY {
		c.Y.Min = least / 2
	}
	c.Y.Padding = 0
	return c.finish(0, 0)
}

// binning returns the left edge, the width and the number of bins over v.
func binning(v []float64, bins int) (lo, width float64, n int) {
	v = slices.Sorted(slices.Values(v))
	lo, hi := v[0], v[len(v)-1]
	if m := max(math.Abs(lo), math.Abs(hi)); hi-lo <= 1e-9*m || m < 1e-250 {
		pad := 0.5
		if m > 1 {
			pad = 0.5 * m
		}
		lo, hi = lo-pad, hi+pad
	}
	if bins == 0 {
		iqr := v[3*len(v)/4] - v[len(v)/4]
		bins = 10
		if iqr > 0 {
			// Not all of a heavy tail deserves bins of its own.
			bins = int(math.Ceil(min(60, (hi-lo)/(2*iqr/math.Cbrt(float64(len(v)))))))
		}
		bins = max(10, min(60, bins))
	}
	return lo, (hi - lo) / float64(bins), bins
}
