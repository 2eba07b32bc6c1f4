package viz

import (
	"fmt"
	"image"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ProfilesOptions say how Profiles draws.
type ProfilesOptions struct {
	Title, XLabel, YLabel string
	X                     []float64 // position of each row: wavelengths, times; nil: 0, 1, …
	Captions              []string  // one for each column; nil: part 1, 2, …
	Columns               int       // panels in a row; 0: 2
}

// Profiles draws each column of w as a curve in a panel of its own, over the same axis:
// the parts of spectra or of time series. Features stay in their order.
//
// It returns ErrEmpty, ErrShape if there is not one position for each row or one caption
// for each column, ErrNotFinite, and ErrOption for a negative number of panels.
func Profiles(w mat.Matrix, opt ProfilesOptions) (*Picture, error) {
	m, n, _, _, err := checkMatrix("W", w)
	if err != nil {
		return nil, err
	}
	if opt.X != nil && len(opt.X) != m || opt.Captions != nil && len(opt.Captions) != n {
		return nil, fmt.Errorf("%w: %d positions and %d captions for W of %d×%d", ErrShape, len(opt.X), len(opt.Captions), m, n)
	}
	if opt.Columns < 0 {
		return nil, fmt.Errorf("%w: %d panels in a row, want 0 or more", ErrOption, opt.Columns)
	}
	columns := opt.Columns
	if columns == 0 {
		columns = 2
	}
	columns = min(columns, n)
	captions := opt.Captions
	if captions == nil {
		captions = PartNames(n)
	}
	figs := make([]Figure, n)
	for j := range figs {
		x, err := Series{X: opt.X, Y: mat.Col(nil, j, w)}.check(j)
		if err != nil {
			return nil, err
		}
		c, err := newChart(captions[j], opt.XLabel, opt.YLabel, max(2, chartWidth/float64(columns)), 1.9)
		if err != nil {
			return nil, err
		}
		line := &plotter.Line{LineStyle: draw.LineStyle{Color: Color(0), Width: vg.Points(1.4)}}
		for i := range x {
			line.XYs = append(line.XYs, plotter.XY{X: x[i], Y: w.At(i, j)})
		}
		c.Add(newGrid(), line)
		c.Title.TextStyle.Font.Size = vg.Points(headingPoints)
		extend(&c.Y.Min, &c.Y.Max, 0)
		if c, err = c.finish(0, 0); err != nil {
			return nil, err
		}
		figs[j] = c
	}
	p, err := Grid(columns, figs...)
	if err != nil || opt.Title == "" {
		return p, err
	}
	return headed(p, opt.Title)
}

// headed puts a title above a picture.
func headed(p *Picture, heading string) (*Picture, error) {
	title := newPen(titlePoints, true)
	b := p.img.Bounds()
	w := max(b.Dx(), min(title.width(heading)+2*margin, pageWidth))
	out, err := blank(w, b.Dy()+title.height+margin)
	if err != nil {
		return nil, err
	}
	title.write(out, margin, margin-2, 0, title.fit(heading, w-2*margin), black)
	out.paste(p.img, image.Pt(0, title.height+margin))
	return out, nil
}
