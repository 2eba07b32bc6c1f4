package viz

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Direction is a line through the origin and (X, Y): the span of a column of
// a basis with two rows.
type Direction struct {
	Name  string
	X, Y  float64
	Style int // as that of a Series; 0: the next one after those of the classes
}

// Directions returns the columns of w, which has two rows, as directions with
// one name. It returns ErrEmpty, ErrShape or ErrNotFinite.
func Directions(name string, w mat.Matrix) ([]Direction, error) {
	m, r, _, _, err := checkMatrix("W", w)
	if err != nil {
		return nil, err
	}
	if m != 2 {
		return nil, fmt.Errorf("%w: W has %d rows, want 2", ErrShape, m)
	}
	d := make([]Direction, r)
	for k := range d {
		d[k] = Direction{Name: name, X: w.At(0, k), Y: w.At(1, k)}
	}
	return d, nil
}

// FittedPoints are what a model makes of the points: its approximation WH.
type FittedPoints struct {
	Name string
	X    mat.Matrix // 2×n, as the points
}

// ScatterOptions say how Scatter draws.
type ScatterOptions struct {
	Title, XLabel, YLabel string
	Width, Height         float64  // inches; 0: 6.5 × 4.5
	Classes               []int    // class of each point, from 0; nil: one class
	Names                 []string // of the classes; empty: points, or class 0, 1, …
	Outliers              []int    // indices of points to flag
	Lines                 []Direction
	Fits                  []FittedPoints // joined to their points by thin lines
	Equal                 bool           // one unit is as long on either axis
	Pale                  bool           // points in greys, so that the colours are those of the lines
}

// Scatter draws the columns of the 2×n matrix x as points: coloured by class,
// with crosses for flagged outliers, lines through the origin that models have
// learned, and the points as these models see them. The legend stands next to
// the data.
//
// It returns ErrEmpty, ErrShape if x or a fit is not 2×n or there is not one
// class for each point, ErrOption for an outlier or class out of range or a
// direction of length zero, and ErrNotFinite.
func Scatter(x mat.Matrix, opt ScatterOptions) (*Chart, error) {
	n, err := checkPoints("X", x, -1)
	if err != nil {
		return nil, err
	}
	if opt.Height == 0 {
		opt.Height = 4.5
	}
	c, err := newChart(opt.Title, opt.XLabel, opt.YLabel, opt.Width, opt.Height)
	if err != nil {
		return nil, err
	}
	groups, outliers, err := opt.group(x, n)
	if err != nil {
		return nil, err
	}
	for _, f := range opt.Fits {
		if _, err := checkPoints("fit "+f.Name, f.X, n); err != nil {
			return nil, err
		}
	}
	for i, d := range opt.Lines {
		if err := d.check(i); err != nil {
			return nil, err
		}
	}
	c.Add(newGrid())
	s := &scattered{Chart: c, ScatterOptions: opt, styles: make(map[string]int)}
	s.points(groups)
	s.outliers(outliers)
	s.lines()
	s.fits(x, n)
	if len(s.keys) > 1 || len(opt.Names) > 0 {
		for _, add := range s.keys {
			add()
		}
	}
	if len(opt.Lines) > 0 {
		extend(&c.X.Min, &c.X.Max, 0)
		extend(&c.Y.Min, &c.Y.Max, 0)
	}
	c.equal = opt.Equal
	return c.finish(0, 0)
}

// group returns the points by their classes, and apart from them those that are flagged.
func (opt ScatterOptions) group(x mat.Matrix, n int) (groups []plotter.XYs, outliers plotter.XYs, err error) {
	if opt.Classes != nil && len(opt.Classes) != n {
		return nil, nil, fmt.Errorf("%w: %d classes for %d points", ErrShape, len(opt.Classes), n)
	}
	flagged := make([]bool, n)
	for _, j := range opt.Outliers {
		if j < 0 || j >= n {
			return nil, nil, fmt.Errorf("%w: Outliers has point %d, but there are only %d", ErrOption, j, n)
		}
		flagged[j] = true
	}
	for j := range n {
		pt := plotter.XY{X: x.At(0, j), Y: x.At(1, j)}
		k := 0
		if opt.Classes != nil {
			k = opt.Classes[j]
		}
		if k < 0 || k > 1<<16 {
			return nil, nil, fmt.Errorf("%w: class %d of point %d, want 0 to 65536", ErrOption, k, j)
		}
		for len(groups) <= k {
			groups = append(groups, nil)
		}
		if flagged[j] {
			outliers = append(outliers, pt)
		} else {
			groups[k] = append(groups[k], pt)
		}
	}
	return groups, outliers, nil
}

// check finds direction i to be none.
func (d Direction) check(i int) error {
	if !drawable(d.X) || !drawable(d.Y) {
		return fmt.Errorf("%w: direction %d (%q) is (%g, %g)", ErrNotFinite, i, d.Name, d.X, d.Y)
	}
	if d.X == 0 && d.Y == 0 {
		return fmt.Errorf("%w: direction %d (%q) has length zero", ErrOption, i, d.Name)
	}
	if d.Style < 0 {
		return fmt.Errorf("%w: direction %d (%q) has the Style %d, want 0 or more", ErrOption, i, d.Name, d.Style)
	}
	return nil
}

// scattered is a chart of Scatter as it is made.
type scattered struct {
	*Chart
	ScatterOptions
	next   int            // the first colour and marker that no class has
	styles map[string]int // one for each name of a model
	keys   []func()       // which add to the legend
}

// points adds the classes.
func (s *scattered) points(groups []plotter.XYs) {
	for k, g := range groups {
		if len(g) == 0 {
			continue
		}
		of := &plotter.Scatter{XYs: g, GlyphStyle: markOf(k)}
		if s.Classes == nil && (len(s.Lines) > 0 || len(s.Fits) > 0) {
			of.Color = color.RGBA{0x40, 0x40, 0x40, 0xff}
		} else {
			s.next = max(s.next, k+1)
		}
		if s.Pale {
			of.Color = color.Gray{uint8(max(0x50, 0xb0-0x48*k))}
		}
		name := "points"
		if s.Classes != nil {
			name = fmt.Sprintf("class %d", k)
		}
		if k < len(s.Names) {
			name = s.Names[k]
		}
		s.Add(of)
		s.keys = append(s.keys, func() { s.Legend.Add(name, of) })
	}
	if s.Classes != nil {
		s.next = max(s.next, len(s.Names)) // so that lines look the same where a class is empty
	}
}

func (s *scattered) outliers(points plotter.XYs) {
	if len(points) == 0 {
		return
	}
	of := &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: color.Black, Radius: vg.Points(4.4), Shape: cross}}
	s.Add(of)
	s.keys = append(s.keys, func() { s.Legend.Add("outliers", of) })
}

// styleOf returns the colour and marker of a model, and whether it has not had them yet.
func (s *scattered) styleOf(name string) (i int, first bool) {
	i, ok := s.styles[name]
	if !ok {
		i = s.next + len(s.styles)
		s.styles[name] = i
	}
	return i, !ok
}

// lines adds the directions that models have learned.
func (s *scattered) lines() {
	for _, d := range s.Lines {
		k, first := s.styleOf(d.Name)
		if d.Style > 0 {
			k = d.Style - 1
		}
		l := &ray{d.X, d.Y, lineOf(k)}
		s.Add(l)
		if first && d.Name != "" {
			s.keys = append(s.keys, func() { s.Legend.Add(d.Name, l) })
		}
	}
}

// fits adds the points as models see them.
func (s *scattered) fits(x mat.Matrix, n int) {
	for _, f := range s.Fits {
		k, first := s.styleOf(f.Name)
		of := &plotter.Scatter{GlyphStyle: markOf(k)}
		of.Radius = vg.Points(2.4)
		for j := range n {
			pt := plotter.XY{X: f.X.At(0, j), Y: f.X.At(1, j)}
			of.XYs = append(of.XYs, pt)
			s.Add(&plotter.Line{
				XYs:       plotter.XYs{{X: x.At(0, j), Y: x.At(1, j)}, pt},
				LineStyle: draw.LineStyle{Color: fade(Color(k), 0.6), Width: vg.Points(0.7)},
			})
		}
		s.Add(of)
		if first && f.Name != "" {
			s.keys = append(s.keys, func() { s.Legend.Add(f.Name, of) })
		}
	}
}

// checkPoints checks that x is 2×n, any n if it is negative, and returns n.
func checkPoints(name string, x mat.Matrix, n int) (int, error) {
	m, cols, _, _, err := checkMatrix(name, x)
	if err != nil {
		return 0, err
	}
	if m != 2 || (n >= 0 && cols != n) {
		want := "2×n"
		if n >= 0 {
			want = fmt.Sprintf("2×%d", n)
		}
		return 0, fmt.Errorf("%w: %s is %d×%d, want %s", ErrShape, name, m, cols, want)
	}
	return cols, nil
}

// ray is a line through the origin, drawn as far as the axes go.
type ray struct {
	x, y float64
	draw.LineStyle
}

func (l *ray) Plot(dc draw.Canvas, p *plot.Plot) {
	lo, hi := math.Inf(-1), math.Inf(1)
	for _, s := range [2]struct{ d, min, max float64 }{{l.x, p.X.Min, p.X.Max}, {l.y, p.Y.Min, p.Y.Max}} {
		if s.d == 0 {
			continue
		}
		a, b := s.min/s.d, s.max/s.d
		lo, hi = max(lo, min(a, b)), min(hi, max(a, b))
	}
	if !(lo < hi) {
		return
	}
	trX, trY := p.Transforms(&dc)
	dc.StrokeLines(l.LineStyle, dc.ClipLinesXY([]vg.Point{{X: trX(lo * l.x), Y: trY(lo * l.y)}, {X: trX(hi * l.x), Y: trY(hi * l.y)}})...)
}

func (l *ray) Thumbnail(dc *draw.Canvas) {
	y := dc.Center().Y
	dc.StrokeLine2(l.LineStyle, dc.Min.X, y, dc.Max.X, y)
}
