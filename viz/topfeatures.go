package viz

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// TopFeaturesOptions say how TopFeatures draws.
type TopFeaturesOptions struct {
	Title    string
	Features []string // names of the rows; nil: feature 0, 1, …
	Captions []string // one for each column, above its bars; nil: part 1, 2, …
	Count    int      // of bars for each column; 0: 8
	Columns  int      // panels in a row; 0: what fits the width of a page
	Common   bool     // one scale for all panels; false: each has its own
}

// PartNames returns "part 1" to "part k": what parts are called in this package, for the
// rows of a heat map of coefficients.
func PartNames(k int) []string {
	names := make([]string, k)
	for i := range names {
		names[i] = fmt.Sprintf("part %d", i+1)
	}
	return names
}

// TopFeatures draws, for each column of w, bars of its entries that are largest in
// magnitude, the largest on top, with the names of their features and their values: what a
// part is made of, or, for columns of residuals, what is wrong with a sample. Entries of 0
// are left out, and negative ones are vermillion.
//
// It returns ErrEmpty, ErrShape if there is not one name for each row or one caption for
// each column, ErrNotFinite, and ErrOption for a negative number.
func TopFeatures(w mat.Matrix, opt TopFeaturesOptions) (*Picture, error) {
	m, n, _, _, err := checkMatrix("W", w)
	if err != nil {
		return nil, err
	}
	if opt.Features != nil && len(opt.Features) != m || opt.Captions != nil && len(opt.Captions) != n {
		return nil, fmt.Errorf("%w: %d names of features and %d captions for W of %d×%d", ErrShape, len(opt.Features), len(opt.Captions), m, n)
	}
	if opt.Count < 0 || opt.Columns < 0 {
		return nil, fmt.Errorf("%w: Count is %d and Columns is %d, want 0 or more", ErrOption, opt.Count, opt.Columns)
	}
	bars := opt.Count
	if bars == 0 {
		bars = 8
	}
	captions := opt.Captions
	if captions == nil {
		captions = PartNames(n)
	}
	panels := make([]panel, n)
	for j := range panels {
		panels[j].caption = captions[j]
		panels[j].fill(w, j, bars, opt.Features)
	}
	return drawPanels(panels, min(bars, m), opt)
}

// A panel is a column of named bars.
type panel struct {
	caption string
	names   []string
	values  []float64
}

func (p *panel) fill(w mat.Matrix, j, bars int, names []string) {
	m, _ := w.Dims()
	var rows []int
	for i := range m {
		if w.At(i, j) != 0 {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(math.Abs(w.At(b, j)), math.Abs(w.At(a, j))) })
	for _, i := range rows[:min(bars, len(rows))] {
		name := "feature " + strconv.Itoa(i)
		if names != nil {
			name = names[i]
		}
		p.names, p.values = append(p.names, name), append(p.values, w.At(i, j))
	}
}

// three writes three digits of v.
func three(v float64) string {
	text := strings.TrimSuffix(fmt.Sprintf("%#.3g", v), ".")
	return strings.NewReplacer("-", "−", "e+", "e").Replace(text)
}

func drawPanels(panels []panel, bars int, opt TopFeaturesOptions) (*Picture, error) {
	heading, columns := opt.Title, opt.Columns
	text, small, caption, title := newPen(labelPoints, false), newPen(captionPoints, false), newPen(headingPoints, true), newPen(titlePoints, true)
	const (
		maxName  = 210
		barWidth = 150
		between  = 26
	)
	nameWide, valueWide, captionWide, signed := 0, 0, 0, false
	most := make([]float64, len(panels)) // the value of the longest bar
	for k, p := range panels {
		captionWide = max(captionWide, caption.width(p.caption))
		nameWide = max(nameWide, text.widest(p.names))
		for _, v := range p.values {
			valueWide = max(valueWide, small.width(three(v)))
			signed = signed || v < 0
			most[k] = max(most[k], math.Abs(v))
		}
	}
	if opt.Common {
		most = slices.Repeat([]float64{slices.Max(most)}, len(panels))
	}
	nameWide = min(nameWide, maxName)
	pitch := text.height + 5
	wide := nameWide + 8 + barWidth + 6 + valueWide
	left := nameWide + 8 // of the captions: above the bars, or from the left edge where one needs the room
	if captionWide > wide-left {
		left = 0
	}
	high := caption.height + 6 + bars*pitch
	if columns == 0 {
		columns = max(1, (pageWidth-2*margin+between)/(wide+between))
	}
	columns = min(columns, len(panels))
	rows := (len(panels) + columns - 1) / columns
	top := margin
	if heading != "" {
		top += title.height + 10
	}
	if wide > maxPixels/columns || high > maxPixels/rows {
		return nil, fmt.Errorf("%w: %d panels of %d bars are too many", ErrOption, len(panels), bars)
	}
	w := max(2*margin+columns*(wide+between)-between, min(title.width(heading)+2*margin, pageWidth))
	p, err := blank(w, top+rows*(high+between)-between+margin)
	if err != nil {
		return nil, err
	}
	if heading != "" {
		title.write(p, margin, margin-2, 0, title.fit(heading, w-2*margin), black)
	}
	for k, of := range panels {
		x, y := margin+k%columns*(wide+between), top+k/columns*(high+between)
		caption.write(p, x+left, y, 0, caption.fit(of.caption, wide-left), black)
		y += caption.height + 6
		// Zero is on the left, or in the middle if any bar of the picture points there.
		zero, room := x+nameWide+8, barWidth
		if signed {
			zero, room = zero+barWidth/2, barWidth/2
		}
		for i, v := range of.values {
			at := y + i*pitch
			text.write(p, x+nameWide, at, 1, text.fit(of.names[i], nameWide), black)
			long := max(1, int(math.Round(math.Abs(v)/most[k]*float64(room))))
			bar, fill := image.Rect(zero, at+3, zero+long, at+pitch-4), Color(0)
			if v < 0 {
				bar, fill = image.Rect(zero-long, bar.Min.Y, zero, bar.Max.Y), Color(1)
			}
			p.fill(bar, fill)
			small.write(p, max(bar.Max.X, zero)+6, at+1, 0, three(v), grey)
		}
		p.fill(image.Rect(zero, y, zero+1, y+max(1, len(of.values))*pitch), grey)
	}
	return p, nil
}
