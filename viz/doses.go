package viz

import (
	"fmt"
	"image/color"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// DosesOptions say how Doses draws.
type DosesOptions struct {
	Title, YLabel string
	Width, Height float64  // inches; 0: 6.5 × 4
	Parts         []string // names of the rows of h; nil: part 1, 2, …
	Names         []string // of the classes; those that have none are class 0, 1, …
}

// Doses draws how much of each part the samples of each class have: a box from the first
// to the third quartile of the coefficients in a row of h, with a line at the median,
// whiskers to the last sample within one and a half times the box, and dots for samples
// beyond. classes has the class of each column of h, from 0; nil is one class.
//
// It returns ErrEmpty, ErrShape if there is not one class for each sample or one name for
// each part, ErrOption for a class below 0 or above 65536, and ErrNotFinite.
func Doses(h mat.Matrix, classes []int, opt DosesOptions) (*Chart, error) {
	r, n, _, _, err := checkMatrix("H", h)
	if err != nil {
		return nil, err
	}
	if classes == nil {
		classes = make([]int, n)
	}
	if len(classes) != n || opt.Parts != nil && len(opt.Parts) != r {
		return nil, fmt.Errorf("%w: %d classes and %d names of parts for H of %d×%d", ErrShape, len(classes), len(opt.Parts), r, n)
	}
	members, err := membersOf(classes)
	if err != nil {
		return nil, err
	}
	c, err := newChart(opt.Title, "", opt.YLabel, opt.Width, opt.Height)
	if err != nil {
		return nil, err
	}
	grid := newGrid()
	grid.Vertical.Width = 0
	c.Add(grid)
	seen := 0
	for _, of := range members {
		if len(of) > 0 {
			seen++
		}
	}
	pitch := 0.84 / float64(seen)
	wide := min(0.8*pitch*0.72*c.Width*72/float64(r), 26) // points
	place := 0
	for class, of := range members {
		if len(of) == 0 {
			continue
		}
		fill := classColor(class, len(members))
		if err := c.boxes(h, of, (float64(place)-float64(seen-1)/2)*pitch, wide, fill); err != nil {
			return nil, err
		}
		if len(members) > 1 || len(opt.Names) > 0 {
			name := fmt.Sprintf("class %d", class)
			if class < len(opt.Names) {
				name = opt.Names[class]
			}
			c.Legend.Add(name, &blocks{fill: fade(fill, 0.45), edge: fill})
		}
		place++
	}
	names := opt.Parts
	if names == nil {
		names = PartNames(r)
	}
	extend(&c.Y.Min, &c.Y.Max, 0)
	if c.Y.Min == 0 {
		c.Y.Padding = 0
	}
	c.X.Min, c.X.Max = -0.5, float64(r)-0.5
	c.X.Tick.Length = 0
	c.nameX(names)
	return c.finish(0, 0)
}

// membersOf returns the samples of each class.
func membersOf(classes []int) (members [][]int, err error) {
	for j, c := range classes {
		if c < 0 || c > 1<<16 {
			return nil, fmt.Errorf("%w: class %d of sample %d, want 0 to 65536", ErrOption, c, j)
		}
		for len(members) <= c {
			members = append(members, nil)
		}
		members[c] = append(members[c], j)
	}
	return members, nil
}

// boxes adds a box for each part, of the samples of one class, next to the middle of the part.
func (c *Chart) boxes(h mat.Matrix, samples []int, beside, points float64, fill color.RGBA) error {
	r, _ := h.Dims()
	for k := range r {
		values := make(plotter.Values, len(samples))
		for i, j := range samples {
			values[i] = h.At(k, j)
		}
		box, err := plotter.NewBoxPlot(vg.Points(points), float64(k)+beside, values)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotFinite, err)
		}
		box.FillColor = fade(fill, 0.45)
		box.BoxStyle, box.WhiskerStyle = thin(fill), thin(fill)
		box.MedianStyle = draw.LineStyle{Color: color.Black, Width: vg.Points(1.4)}
		box.GlyphStyle = draw.GlyphStyle{Color: fill, Radius: vg.Points(1.2), Shape: disc}
		c.Add(box)
	}
	return nil
}
