package viz

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// HeatmapOptions say how Heatmap draws. The zero value maps the range of the
// matrix to Viridis, next to a colour bar.
type HeatmapOptions struct {
	Title, XLabel, YLabel string
	RowNames, ColumnNames []string // nil: numbers from 0
	Map                   ColorMap // nil: Viridis, or Diverging with Centered
	Min, Max              float64  // range of the colours; both 0: of the values
	Centered              bool     // a range that is symmetric about zero
	Values                bool     // write the values into the cells where they fit
	Digits                int      // of these values after the point; 0: 2, negative: none
	BarLabel              string
	NoBar                 bool
	// RowOrder and ColumnOrder are the order in which rows and columns are drawn, with their names
	// and Tracks: each has every index once; nil: as they are. OrderByPart returns an order for
	// coefficients, choose.Consensus.Order one for a consensus.
	RowOrder, ColumnOrder []int
	Tracks                []Track // above the columns: what is known of them
}

// A Track is a line of colours above the columns of a heat map, the class of each.
type Track struct {
	Name    string
	Classes []int    // one for each column, from 0; -1 is unknown, and white
	Names   []string // of the classes; nil: the numbers
}

// OrderByPart returns an order of the columns of coefficients h (r×n) in which those of one part
// are next to each other: by the row of their largest entry and, within a row, by this entry as a
// share of the column, the largest first. Take h of Result.Normalized(2), as Result.Clusters does.
// It panics if an entry is NaN, or h is nil.
func OrderByPart(h mat.Matrix) []int {
	r, n := h.Dims()
	order, part, share := make([]int, n), make([]int, n), make([]float64, n)
	for j := range n {
		order[j] = j
		sum := 0.0
		for k := range r {
			v := h.At(k, j)
			if math.IsNaN(v) {
				panic(fmt.Errorf("%w: H[%d,%d]", ErrNotFinite, k, j))
			}
			if v > h.At(part[j], j) {
				part[j] = k
			}
			sum += math.Abs(v)
		}
		if sum > 0 {
			share[j] = h.At(part[j], j) / sum
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(part[a], part[b]), cmp.Compare(share[b], share[a]))
	})
	return order
}

// permutation returns an order, the natural one for nil, or an error for what is none.
func permutation(name string, order []int, n int) ([]int, error) {
	seen := make([]bool, n)
	if order == nil {
		order = make([]int, n)
		for i := range order {
			order[i] = i
		}
	}
	if len(order) != n {
		return nil, fmt.Errorf("%w: %s has %d places, want %d", ErrShape, name, len(order), n)
	}
	for k, i := range order {
		if i < 0 || i >= n || seen[i] {
			return nil, fmt.Errorf("%w: %s[%d] = %d is out of range or given twice", ErrOption, name, k, i)
		}
		seen[i] = true
	}
	return order, nil
}

// pick returns names in an order; nil for nil.
func pick(names []string, order []int) []string {
	if names == nil {
		return nil
	}
	out := make([]string, len(order))
	for k, i := range order {
		out[k] = names[i]
	}
	return out
}

// Heatmap draws the matrix x, row 0 on top, in cells of one colour: weights,
// coefficients, consensus. A matrix with more rows or columns than pixels is
// averaged over blocks.
//
// It returns ErrEmpty; ErrShape if there is not one name for each row or column, not one place for
// each in an order, or not one class for each column in a track; ErrNotFinite; and ErrOption for an
// empty range, an index that is given twice in an order, and a class below −1 or above 65536.
func Heatmap(x mat.Matrix, opt HeatmapOptions) (*Picture, error) {
	m, n, lo, hi, err := checkMatrix("X", x)
	if err != nil {
		return nil, err
	}
	if opt.RowNames != nil && len(opt.RowNames) != m {
		return nil, fmt.Errorf("%w: %d names for %d rows", ErrShape, len(opt.RowNames), m)
	}
	if opt.ColumnNames != nil && len(opt.ColumnNames) != n {
		return nil, fmt.Errorf("%w: %d names for %d columns", ErrShape, len(opt.ColumnNames), n)
	}
	if opt.Min != 0 || opt.Max != 0 {
		if !(opt.Min < opt.Max) || !drawable(opt.Min) || !drawable(opt.Max) {
			return nil, fmt.Errorf("%w: the range from %g to %g is empty or not finite", ErrOption, opt.Min, opt.Max)
		}
		lo, hi = opt.Min, opt.Max
	}
	cm := opt.Map
	if opt.Centered {
		hi = max(-lo, hi)
		lo = -hi
		if cm == nil {
			cm = Diverging
		}
	}
	if cm == nil {
		cm = Viridis
	}
	if d := max(math.Abs(lo), math.Abs(hi)); hi-lo <= 1e-12*d || d < 1e-250 {
		lo, hi = lo-0.5*max(d, 1), hi+0.5*max(d, 1)
	}
	rows, err := permutation("RowOrder", opt.RowOrder, m)
	if err != nil {
		return nil, err
	}
	cols, err := permutation("ColumnOrder", opt.ColumnOrder, n)
	if err != nil {
		return nil, err
	}
	at := func(i, j int) float64 { return x.At(rows[i], cols[j]) }
	g := grid{
		rows: m, cols: n, lo: lo, hi: hi, m: cm,
		at:       at,
		title:    opt.Title,
		xlabel:   opt.XLabel,
		ylabel:   opt.YLabel,
		barLabel: opt.BarLabel,
		bar:      !opt.NoBar,
	}
	g.rowNames, g.colNames = pick(opt.RowNames, rows), pick(opt.ColumnNames, cols)
	if opt.RowOrder != nil && g.rowNames == nil { // numbers that do not ascend say nothing
		g.rowNames = make([]string, m)
	}
	if opt.ColumnOrder != nil && g.colNames == nil {
		g.colNames = make([]string, n)
	}
	for k, t := range opt.Tracks {
		if len(t.Classes) != n {
			return nil, fmt.Errorf("%w: track %d (%q) has %d classes for %d columns", ErrShape, k, t.Name, len(t.Classes), n)
		}
		of := track{name: t.Name, names: t.Names, classes: make([]int, n)}
		for j, from := range cols {
			c := t.Classes[from]
			if c < -1 || c > 1<<16 {
				return nil, fmt.Errorf("%w: track %d (%q) has the class %d for column %d, want -1 to 65536", ErrOption, k, t.Name, c, from)
			}
			of.classes[j] = c
			of.count = max(of.count, c+1)
		}
		g.tracks = append(g.tracks, of)
	}
	if opt.Values {
		digits := opt.Digits
		if digits == 0 {
			digits = 2
		}
		digits = max(0, min(digits, 12))
		g.text = func(i, j int) string {
			return strings.Replace(strconv.FormatFloat(at(i, j), 'f', digits, 64), "-", "−", 1)
		}
	}
	return g.draw()
}

// grid is a matrix of coloured cells with names, labels and a colour bar.
type grid struct {
	rows, cols            int
	at                    func(i, j int) float64
	lo, hi                float64
	m                     ColorMap
	text                  func(i, j int) string // nil: no values
	rowNames, colNames    []string              // nil: numbers
	title, xlabel, ylabel string
	bar                   bool
	barLabel              string
	tracks                []track
}

// A track is drawn above the cells.
type track struct {
	name    string
	names   []string
	classes []int // of the columns as they are drawn
	count   int
}

func (t track) color(class int) color.RGBA {
	if class < 0 {
		return color.RGBA{0xff, 0xff, 0xff, 0xff}
	}
	return classColor(class, t.count)
}

// most returns the class that most of some columns have.
func (t track) most(from, to int) int {
	counts, best := map[int]int{}, t.classes[from]
	for _, c := range t.classes[from:to] {
		counts[c]++
		if counts[c] > counts[best] {
			best = c
		}
	}
	return best
}

// key returns the swatches of a track: of all classes, or of some in between.
func (t track) key() (classes []int) {
	const most = 12
	for c := range t.count {
		if t.count <= most || c%((t.count+most-2)/(most-1)) == 0 || c == t.count-1 {
			classes = append(classes, c)
		}
	}
	return classes
}

func (t track) label(class int) string {
	if class < len(t.names) {
		return t.names[class]
	}
	return strconv.Itoa(class)
}

const (
	gridWidth  = 700 // of the cells, in pixels
	gridHeight = 600
	maxCell    = 64
)

func (g grid) draw() (*Picture, error) {
	label, tick, small, title := newPen(headingPoints, false), newPen(labelPoints, false), newPen(captionPoints, false), newPen(titlePoints, true)
	// A pixel row shows several rows of the matrix, or a row has several pixels.
	poolR, poolC := (g.rows+gridHeight-1)/gridHeight, (g.cols+gridWidth-1)/gridWidth
	rows, cols := (g.rows+poolR-1)/poolR, (g.cols+poolC-1)/poolC
	ch, cw := min(maxCell, gridHeight/rows), min(maxCell, gridWidth/cols)
	switch {
	case ch >= 12 && cw >= 12:
		ch, cw = min(ch, cw), min(ch, cw)
	default:
		ch, cw = min(ch, max(cw, 26)), min(cw, max(ch, 26))
	}
	text := g.text
	if text != nil {
		widest := 0
		if g.rows <= 40 && g.cols <= 40 {
			for i := range g.rows {
				for j := range g.cols {
					widest = max(widest, small.width(text(i, j)))
				}
			}
		}
		switch {
		case widest == 0 || max(ch, small.height+4) > gridHeight/rows || widest+8 > gridWidth/cols:
			text = nil // they do not fit
		default:
			ch, cw = max(ch, small.height+4), max(cw, widest+12)
		}
	}
	if wide := tick.widest(g.colNames) + 14; g.colNames != nil && g.cols*wide <= gridWidth { // room for flat names
		cw = max(cw, wide)
	}
	rowTicks := marks(g.rows, g.rowNames, poolR, ch, tick.height)
	colTicks := marks(g.cols, g.colNames, poolC, cw, tick.height)
	wideName := 0
	for _, t := range rowTicks {
		wideName = max(wideName, tick.width(t.label))
	}
	colWide := 0
	for _, t := range colTicks {
		colWide = max(colWide, tick.width(t.label))
	}
	upright := false
	if len(colTicks) > 1 {
		pitch := (colTicks[1].index - colTicks[0].index) * cw / poolC
		if g.colNames == nil && colWide+10 > pitch { // numbers: thin out, stay flat
			colTicks = marks(g.cols, nil, poolC, cw, colWide+14)
		} else {
			upright = colWide+8 > pitch
		}
	}
	const maxName = 240
	wideName, colWide = min(wideName, maxName), min(colWide, maxName)

	left, top := margin+wideName+8, margin
	if g.ylabel != "" {
		left += label.height + 6
	}
	if g.title != "" {
		top += title.height + 8
	}
	if !upright && len(colTicks) > 0 { // the first flat name may stick out
		t := colTicks[0]
		left = max(left, margin+min(maxName, tick.width(t.label))/2-(t.index/poolC)*cw-cw/2)
	}
	const trackHigh, trackGap = 16, 4
	if len(g.tracks) > 0 {
		for _, t := range g.tracks {
			left = max(left, margin+min(maxName, tick.width(t.name))+8)
		}
		top += len(g.tracks) * (trackHigh + trackGap)
	}
	area := image.Rect(left, top, left+cols*cw, top+rows*ch)
	bottom := area.Max.Y + 6
	under := tick.height
	if upright {
		under = colWide
	}
	if len(colTicks) == 0 {
		under = 0
	}
	bottom += under
	if g.xlabel != "" {
		bottom += label.height + 4
	}
	right := area.Max.X + margin
	if !upright && len(colTicks) > 0 { // the last flat name may stick out
		t := colTicks[len(colTicks)-1]
		mid := area.Min.X + (t.index/poolC)*cw + cw/2
		right = max(right, mid+min(maxName, tick.width(t.label))/2+4)
	}
	var barAt image.Rectangle
	var barTicks []float64
	var barStep float64
	barLabelX := 0
	if g.bar {
		barAt = image.Rect(area.Max.X+18, area.Min.Y, area.Max.X+36, area.Max.Y)
		if least := max(100, label.width(g.barLabel)); barAt.Dy() < least {
			barAt.Max.Y = barAt.Min.Y + least
			bottom = max(bottom, barAt.Max.Y+tick.height/2)
		}
		barStep, _ = niceStep(g.lo, g.hi, max(2, min(6, barAt.Dy()/50)))
		wide := 0
		if barStep > 0 {
			for k := math.Ceil(g.lo/barStep - 1e-9); k*barStep <= g.hi+1e-9*(g.hi-g.lo) && len(barTicks) < 20; k++ {
				barTicks = append(barTicks, k*barStep)
				wide = max(wide, tick.width(g.barTick(k*barStep, barStep)))
			}
		}
		barLabelX = barAt.Max.X + 12 + wide
		right = max(right, barLabelX-2+margin)
		if g.barLabel != "" {
			right = max(right, barLabelX+label.height+margin-2)
		}
	}
	// Labels may be longer than their sides of a small matrix.
	midX := max((area.Min.X+area.Max.X)/2, margin+label.width(g.xlabel)/2)
	midY := max((area.Min.Y+area.Max.Y)/2, margin+label.width(g.ylabel)/2)
	right = max(right, midX+label.width(g.xlabel)/2+margin)
	bottom = max(bottom, midY+label.width(g.ylabel)/2)
	w := max(right, min(left+title.width(g.title)+margin, pageWidth+left))
	swatches, high := g.swatches(tick, left, w-margin, bottom+10)
	if high > 0 {
		bottom = high
	}
	p, err := blank(w, bottom+margin)
	if err != nil {
		return nil, err
	}
	if g.title != "" {
		title.write(p, left, margin-2, 0, title.fit(g.title, w-left-margin), black)
	}
	for i := range rows {
		for j := range cols {
			fill := g.m(unit(g.pooled(i*poolR, j*poolC, poolR, poolC), g.lo, g.hi))
			cell := image.Rect(left+j*cw, top+i*ch, left+(j+1)*cw, top+(i+1)*ch)
			p.fill(cell, fill)
			if text != nil {
				small.write(p, (cell.Min.X+cell.Max.X)/2, cell.Min.Y+(ch-small.height)/2, 0.5, text(i, j), contrast(fill))
			}
		}
	}
	p.frame(area, 1, grey)
	for k, t := range g.tracks {
		y := area.Min.Y - (len(g.tracks)-k)*(trackHigh+trackGap)
		for j := range cols {
			p.fill(image.Rect(left+j*cw, y, left+(j+1)*cw, y+trackHigh), t.color(t.most(j*poolC, min((j+1)*poolC, g.cols))))
		}
		p.frame(image.Rect(left, y, left+cols*cw, y+trackHigh), 1, grey)
		tick.write(p, left-8, y+(trackHigh-tick.height)/2, 1, tick.fit(t.name, maxName), black)
	}
	for _, s := range swatches {
		if s.fill != nil {
			p.fill(image.Rect(s.x, s.y+4, s.x+16, s.y+tick.height-2), *s.fill)
		}
		tick.write(p, s.x+s.shift, s.y, 0, s.text, black)
	}
	for _, t := range rowTicks {
		y := area.Min.Y + (t.index/poolR)*ch + ch/2
		p.fill(image.Rect(area.Min.X-5, y, area.Min.X-1, y+1), grey)
		tick.write(p, area.Min.X-8, y-tick.height/2, 1, tick.fit(t.label, maxName), black)
	}
	for _, t := range colTicks {
		x := area.Min.X + (t.index/poolC)*cw + cw/2
		p.fill(image.Rect(x, area.Max.Y+1, x+1, area.Max.Y+5), grey)
		if upright {
			tick.writeUp(p, x-tick.height/2, area.Max.Y+7, 1, tick.fit(t.label, maxName), black)
		} else {
			tick.write(p, x, area.Max.Y+5, 0.5, tick.fit(t.label, maxName), black)
		}
	}
	if g.xlabel != "" {
		label.write(p, midX, area.Max.Y+6+under+2, 0.5, g.xlabel, black)
	}
	if g.ylabel != "" {
		label.writeUp(p, margin-2, midY, 0.5, g.ylabel, black)
	}
	if g.bar {
		for y := barAt.Min.Y; y < barAt.Max.Y; y++ {
			t := 1 - (float64(y-barAt.Min.Y)+0.5)/float64(barAt.Dy())
			p.fill(image.Rect(barAt.Min.X, y, barAt.Max.X, y+1), g.m(t))
		}
		p.frame(barAt, 1, grey)
		for _, v := range barTicks {
			y := barAt.Max.Y - 1 - int(math.Round(unit(v, g.lo, g.hi)*float64(barAt.Dy()-1)))
			p.fill(image.Rect(barAt.Max.X+1, y, barAt.Max.X+5, y+1), grey)
			ty := max(0, min(p.img.Bounds().Dy()-tick.height, y-tick.height/2))
			tick.write(p, barAt.Max.X+9, ty, 0, g.barTick(v, barStep), black)
		}
		if g.barLabel != "" {
			label.writeUp(p, barLabelX, (barAt.Min.Y+barAt.Max.Y)/2, 0.5, g.barLabel, black)
		}
	}
	return p, nil
}

// A swatch is an entry of the key below.
type swatch struct {
	x, y, shift int
	fill        *color.RGBA
	text        string
}

// swatches lays the key of the tracks out between left and right, from the line y down,
// and returns its lower edge, 0 if there is none.
func (g grid) swatches(n *pen, left, right, y int) (out []swatch, bottom int) {
	for _, t := range g.tracks {
		x := left
		put := func(s swatch, wide int) {
			if x > left && x+wide > right {
				x, y = left, y+n.height+4
			}
			s.x, s.y = x, y
			out = append(out, s)
			x += wide + 16
		}
		if len(g.tracks) > 1 && t.name != "" {
			put(swatch{text: t.name + ":"}, n.width(t.name+":"))
		}
		for _, class := range t.key() {
			fill, text := t.color(class), n.fit(t.label(class), 200)
			put(swatch{fill: &fill, text: text, shift: 22}, 22+n.width(text))
		}
		y += n.height + 6
		bottom = y
	}
	return out, bottom
}

func (g grid) barTick(v, step float64) string {
	return tickLabel(v, step, max(math.Abs(g.lo), math.Abs(g.hi)))
}

// pooled returns the mean of a block of the matrix.
func (g grid) pooled(i, j, h, w int) float64 {
	sum, n := 0.0, 0.0
	for r := i; r < min(i+h, g.rows); r++ {
		for c := j; c < min(j+w, g.cols); c++ {
			n++
			sum += (g.at(r, c) - sum) / n // a running mean cannot overflow
		}
	}
	return sum
}

type mark struct {
	index int
	label string
}

// marks chooses which of n rows or columns to label: each pool of them has cell
// pixels, a label needs room.
func marks(n int, names []string, pool, cell, room int) []mark {
	every := max(1, (room*pool+cell-1)/cell)
	if names == nil && every > 1 { // round numbers
		unit := int(math.Pow10(int(math.Log10(float64(every)))))
		for _, k := range []int{1, 2, 5, 10} {
			if k*unit >= every {
				every = k * unit
				break
			}
		}
	}
	var out []mark
	for i := 0; i < n; i += every {
		m := mark{index: i, label: strconv.Itoa(i)}
		if names != nil {
			m.label = names[i]
		}
		if m.label != "" {
			out = append(out, m)
		}
	}
	return out
}
