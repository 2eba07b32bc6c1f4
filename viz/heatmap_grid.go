package viz

import (
	"image"
	"image/color"
	"math"
	"strconv"
)

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
	outlined              []image.Rectangle
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

// draw lays the picture out, and then paints it.
func (g grid) draw() (*Picture, error) {
	l := g.layOut()
	p, err := blank(l.width, l.height)
	if err != nil {
		return nil, err
	}
	if g.title != "" {
		l.heading.write(p, l.area.Min.X, margin-2, 0, l.heading.fit(g.title, l.width-l.area.Min.X-margin), black)
	}
	l.paintCells(p)
	l.paintTracks(p)
	l.paintTicks(p)
	if g.xlabel != "" {
		l.label.write(p, l.middle.X, l.area.Max.Y+6+l.under+2, 0.5, g.xlabel, black)
	}
	if g.ylabel != "" {
		l.label.writeUp(p, margin-2, l.middle.Y, 0.5, g.ylabel, black)
	}
	if g.bar {
		l.paintBar(p)
	}
	return p, nil
}

// A gridLayout is where the parts of a grid stand, in pixels.
type gridLayout struct {
	grid // whose text becomes nil where the values do not fit

	label, tick, small, heading *pen

	poolR, poolC int // rows and columns of the matrix that a cell shows the mean of
	cells        image.Point
	cw, ch       int             // of a cell
	area         image.Rectangle // of all cells

	rowTicks, colTicks []mark
	twoLines           bool        // the names of rows that are too wide for one
	upright            bool        // the names of columns
	wideRows, under    int         // what the names of rows take on the left, and those of columns below
	middle             image.Point // of the labels of the axes
	swatches           []swatch

	barAt     image.Rectangle
	barTicks  []float64
	barStep   float64
	barLabelX int

	width, height int
}

const (
	widestName          = 310 // pixels for the name of a row, a column or a track
	trackHigh, trackGap = 16, 4
)

// layOut goes from the inside to the outside: the cells first, then what stands on the left of them and
// above, which says where they are, and then what stands below and on the right.
func (g grid) layOut() *gridLayout {
	l := &gridLayout{grid: g, label: newPen(headingPoints, false), tick: newPen(labelPoints, false), small: newPen(captionPoints, false), heading: newPen(titlePoints, true)}
	l.sizeCells()
	l.chooseTicks()
	l.placeCells()
	right, bottom := l.placeBelow()
	if g.bar {
		right, bottom = l.placeBar(right, bottom)
	}
	// Labels may be longer than their sides of a small matrix.
	l.middle = image.Pt(max((l.area.Min.X+l.area.Max.X)/2, margin+l.label.width(g.xlabel)/2),
		max((l.area.Min.Y+l.area.Max.Y)/2, margin+l.label.width(g.ylabel)/2))
	right = max(right, l.middle.X+l.label.width(g.xlabel)/2+margin)
	bottom = max(bottom, l.middle.Y+l.label.width(g.ylabel)/2)
	left := l.area.Min.X
	l.width = max(right, min(left+l.heading.width(g.title)+margin, pageWidth+left))
	swatches, high := g.swatches(l.tick, left, l.width-margin, bottom+10)
	if high > 0 {
		bottom = high
	}
	l.swatches, l.height = swatches, bottom+margin
	return l
}

// sizeCells chooses how many pixels a cell has, by the size of the matrix and by what is written into
// cells and below them. A pixel row shows several rows of a large matrix.
func (l *gridLayout) sizeCells() {
	g := l.grid
	l.poolR, l.poolC = (g.rows+gridHeight-1)/gridHeight, (g.cols+gridWidth-1)/gridWidth
	l.cells = image.Pt((g.cols+l.poolC-1)/l.poolC, (g.rows+l.poolR-1)/l.poolR)
	ch, cw := min(maxCell, gridHeight/l.cells.Y), min(maxCell, gridWidth/l.cells.X)
	switch {
	case ch >= 12 && cw >= 12:
		ch, cw = min(ch, cw), min(ch, cw)
	default:
		ch, cw = min(ch, max(cw, 26)), min(cw, max(ch, 26))
	}
	if g.text != nil {
		widest := l.widestText()
		switch {
		case widest == 0 || max(ch, l.small.height+4) > gridHeight/l.cells.Y || widest+8 > gridWidth/l.cells.X:
			l.text = nil // they do not fit
		default:
			ch, cw = max(ch, l.small.height+4), max(cw, widest+12)
		}
	}
	if wide := l.tick.widest(g.colNames) + 14; g.colNames != nil && g.cols*wide <= gridWidth { // room for flat names
		cw = max(cw, wide)
	}
	if high := 2*l.tick.height + 6; l.tick.widest(g.rowNames) > widestName && g.rows*high <= gridHeight {
		ch, l.twoLines = max(ch, high), true
	}
	l.ch, l.cw = ch, cw
}

// widestText returns the pixels that the longest value takes, 0 where there are too many to be written.
func (l *gridLayout) widestText() (widest int) {
	if l.rows > 40 || l.cols > 40 {
		return 0
	}
	for i := range l.rows {
		for j := range l.cols {
			widest = max(widest, l.small.width(l.text(i, j)))
		}
	}
	return widest
}

// chooseTicks chooses the rows and columns that get a name or number. Names of columns stand upright where
// they would run into each other; numbers become fewer.
func (l *gridLayout) chooseTicks() {
	g, tick := l.grid, l.tick
	l.rowTicks = marks(g.rows, g.rowNames, l.poolR, l.ch, tick.height)
	l.colTicks = marks(g.cols, g.colNames, l.poolC, l.cw, tick.height)
	wideColumns := widestMark(tick, l.colTicks)
	if len(l.colTicks) > 1 {
		pitch := (l.colTicks[1].index - l.colTicks[0].index) * l.cw / l.poolC
		if g.colNames == nil && wideColumns+10 > pitch {
			l.colTicks = marks(g.cols, nil, l.poolC, l.cw, wideColumns+14)
		} else {
			l.upright = wideColumns+8 > pitch
		}
	}
	for _, t := range l.rowTicks {
		l.wideRows = max(l.wideRows, min(tick.widest(l.rowName(t)), widestName))
	}
	switch {
	case len(l.colTicks) == 0:
	case l.upright:
		l.under = min(wideColumns, widestName)
	default:
		l.under = tick.height
	}
}

// rowName returns the name of a row, in two lines where it is too wide for one and the rows are high enough.
func (l *gridLayout) rowName(t mark) []string {
	if l.twoLines {
		return l.tick.halves(t.label, widestName)
	}
	return []string{t.label}
}

// placeCells leaves room for the names of rows and tracks on the left, and for title and tracks above.
func (l *gridLayout) placeCells() {
	g := l.grid
	left, top := margin+l.wideRows+8, margin
	if g.ylabel != "" {
		left += l.label.height + 6
	}
	if g.title != "" {
		top += l.heading.height + 8
	}
	if !l.upright && len(l.colTicks) > 0 { // the first flat name may stick out
		t := l.colTicks[0]
		left = max(left, margin+min(widestName, l.tick.width(t.label))/2-(t.index/l.poolC)*l.cw-l.cw/2)
	}
	for _, t := range g.tracks {
		left = max(left, margin+min(widestName, l.tick.width(t.name))+8)
	}
	top += len(g.tracks) * (trackHigh + trackGap)
	l.area = image.Rect(left, top, left+l.cells.X*l.cw, top+l.cells.Y*l.ch)
}

// placeBelow returns how far the names and the label of columns reach.
func (l *gridLayout) placeBelow() (right, bottom int) {
	bottom = l.area.Max.Y + 6 + l.under
	if l.xlabel != "" {
		bottom += l.label.height + 4
	}
	right = l.area.Max.X + margin
	if !l.upright && len(l.colTicks) > 0 { // the last flat name may stick out
		t := l.colTicks[len(l.colTicks)-1]
		right = max(right, l.columnX(t)+min(widestName, l.tick.width(t.label))/2+4)
	}
	return right, bottom
}

// columnX is the middle of a column, and rowY that of a row.
func (l *gridLayout) columnX(t mark) int { return l.area.Min.X + (t.index/l.poolC)*l.cw + l.cw/2 }
func (l *gridLayout) rowY(t mark) int    { return l.area.Min.Y + (t.index/l.poolR)*l.ch + l.ch/2 }

// placeBar places the colour bar on the right, with its numbers and its label.
func (l *gridLayout) placeBar(right, bottom int) (int, int) {
	g, area, tick := l.grid, l.area, l.tick
	at := image.Rect(area.Max.X+18, area.Min.Y, area.Max.X+36, area.Max.Y)
	if least := max(100, l.label.width(g.barLabel)); at.Dy() < least {
		at.Max.Y = at.Min.Y + least
		bottom = max(bottom, at.Max.Y+tick.height/2)
	}
	step, _ := niceStep(g.lo, g.hi, max(2, min(6, at.Dy()/50)))
	wide := 0
	if step > 0 {
		for k := math.Ceil(g.lo/step - 1e-9); k*step <= g.hi+1e-9*(g.hi-g.lo) && len(l.barTicks) < 20; k++ {
			l.barTicks = append(l.barTicks, k*step)
			wide = max(wide, tick.width(g.barTick(k*step, step)))
		}
	}
	l.barAt, l.barStep, l.barLabelX = at, step, at.Max.X+12+wide
	right = max(right, l.barLabelX-2+margin)
	if g.barLabel != "" {
		right = max(right, l.barLabelX+l.label.height+margin-2)
	}
	return right, bottom
}

func (l *gridLayout) paintCells(p *Picture) {
	for i := range l.cells.Y {
		for j := range l.cells.X {
			fill := l.m(unit(l.pooled(i*l.poolR, j*l.poolC, l.poolR, l.poolC), l.lo, l.hi))
			cell := image.Rect(j*l.cw, i*l.ch, (j+1)*l.cw, (i+1)*l.ch).Add(l.area.Min)
			p.fill(cell, fill)
			if l.text != nil {
				l.small.write(p, (cell.Min.X+cell.Max.X)/2, cell.Min.Y+(l.ch-l.small.height)/2, 0.5, l.text(i, j), contrast(fill))
			}
		}
	}
	p.frame(l.area, 1, grey)
	for _, block := range l.outlined {
		const width = 3 // in the middle of the edge, so that frames of neighbours share one
		last := block.Max.Sub(image.Pt(1, 1))
		at := image.Rect(block.Min.X/l.poolC*l.cw, block.Min.Y/l.poolR*l.ch, (last.X/l.poolC+1)*l.cw, (last.Y/l.poolR+1)*l.ch)
		p.frame(at.Add(l.area.Min).Inset(width/2), width, black)
	}
}

// paintTracks paints the lines above the cells, and their key below.
func (l *gridLayout) paintTracks(p *Picture) {
	left := l.area.Min.X
	for k, t := range l.tracks {
		y := l.area.Min.Y - (len(l.tracks)-k)*(trackHigh+trackGap)
		for j := range l.cells.X {
			p.fill(image.Rect(left+j*l.cw, y, left+(j+1)*l.cw, y+trackHigh), t.color(t.most(j*l.poolC, min((j+1)*l.poolC, l.cols))))
		}
		p.frame(image.Rect(left, y, l.area.Max.X, y+trackHigh), 1, grey)
		l.tick.write(p, left-8, y+(trackHigh-l.tick.height)/2, 1, l.tick.fit(t.name, widestName), black)
	}
	for _, s := range l.swatches {
		if s.fill != nil {
			p.fill(image.Rect(s.x, s.y+4, s.x+16, s.y+l.tick.height-2), *s.fill)
		}
		l.tick.write(p, s.x+s.shift, s.y, 0, s.text, black)
	}
}

// paintTicks paints the names or numbers of rows and columns.
func (l *gridLayout) paintTicks(p *Picture) {
	area, tick := l.area, l.tick
	for _, t := range l.rowTicks {
		y := l.rowY(t)
		p.fill(image.Rect(area.Min.X-5, y, area.Min.X-1, y+1), grey)
		lines := l.rowName(t)
		for k, line := range lines {
			tick.write(p, area.Min.X-8, y-len(lines)*tick.height/2+k*tick.height, 1, tick.fit(line, widestName), black)
		}
	}
	for _, t := range l.colTicks {
		x := l.columnX(t)
		p.fill(image.Rect(x, area.Max.Y+1, x+1, area.Max.Y+5), grey)
		if l.upright {
			tick.writeUp(p, x-tick.height/2, area.Max.Y+7, 1, tick.fit(t.label, widestName), black)
		} else {
			tick.write(p, x, area.Max.Y+5, 0.5, tick.fit(t.label, widestName), black)
		}
	}
}

func (l *gridLayout) paintBar(p *Picture) {
	at, tick := l.barAt, l.tick
	for y := at.Min.Y; y < at.Max.Y; y++ {
		t := 1 - (float64(y-at.Min.Y)+0.5)/float64(at.Dy())
		p.fill(image.Rect(at.Min.X, y, at.Max.X, y+1), l.m(t))
	}
	p.frame(at, 1, grey)
	for _, v := range l.barTicks {
		y := at.Max.Y - 1 - int(math.Round(unit(v, l.lo, l.hi)*float64(at.Dy()-1)))
		p.fill(image.Rect(at.Max.X+1, y, at.Max.X+5, y+1), grey)
		ty := max(0, min(p.img.Bounds().Dy()-tick.height, y-tick.height/2))
		tick.write(p, at.Max.X+9, ty, 0, l.barTick(v, l.barStep), black)
	}
	if l.barLabel != "" {
		l.label.writeUp(p, l.barLabelX, (at.Min.Y+at.Max.Y)/2, 0.5, l.barLabel, black)
	}
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

// widestMark returns the pixels that the longest label takes.
func widestMark(n *pen, of []mark) (widest int) {
	for _, t := range of {
		widest = max(widest, n.width(t.label))
	}
	return widest
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
	for i, step := 0, every; i < n; i += step {
		m := mark{index: i, label: strconv.Itoa(i)}
		if names != nil {
			m.label = names[i]
		}
		if step = every; m.label != "" {
			out = append(out, m)
		} else if names != nil { // one name for many rows stands where it is
			step = 1
		}
	}
	return out
}
