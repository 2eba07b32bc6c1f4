package viz_test

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/robustnmf/robustnmf/viz"
	"gonum.org/v1/gonum/mat"
)

// These tests ask of a picture which colour stands where. They find cells and
// tiles by their colours, so that sizes, gaps and fonts may change.

// spot returns the box around all pixels of the colour c.
func spot(t *testing.T, f viz.Figure, c color.RGBA) (box image.Rectangle) {
	t.Helper()
	b := f.Image().Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if at(f, x, y) == c {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if box.Empty() {
		t.Fatalf("no pixel has the colour %v", c)
	}
	return box
}

// cells returns the boxes of the colours m(levels[i][j]), and checks that they
// lie in these rows, the first on top, and columns, the first on the left.
func cells(t *testing.T, f viz.Figure, m viz.ColorMap, levels [][]float64) [][]image.Rectangle {
	t.Helper()
	boxes := make([][]image.Rectangle, len(levels))
	for i, row := range levels {
		for j, v := range row {
			box := spot(t, f, m(v))
			boxes[i] = append(boxes[i], box)
			if j > 0 && boxes[i][j-1].Max.X > box.Min.X {
				t.Errorf("row %d: %g at %v is not to the right of %g at %v", i, v, box, row[j-1], boxes[i][j-1])
			}
			if i > 0 && boxes[i-1][j].Max.Y > box.Min.Y {
				t.Errorf("column %d: %g at %v is not below %g at %v", j, v, box, levels[i-1][j], boxes[i-1][j])
			}
		}
	}
	return boxes
}

// ink counts the pixels within r that have not the colour of the ground.
func ink(f viz.Figure, r image.Rectangle, ground color.RGBA) (n int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if at(f, x, y) != ground {
				n++
			}
		}
	}
	return n
}

// Names stand next to their own rows and below their own columns: ink is where
// there is a name, and hardly any where it is empty.
func TestNamesPlaces(t *testing.T) {
	const long = "mmmmmm"
	for _, opt := range []viz.ConfusionOptions{
		{Classes: []string{"", long}}, // the names of the columns too
		{Classes: []string{"", long}, Found: []string{long, ""}},
		{Found: []string{"", long}},
		{Found: []string{long, ""}},
	} {
		opt.XLabel, opt.YLabel, opt.NoBar, opt.NoNumbers = " ", " ", true, true // only names
		f := viz.Must(viz.Confusion([][]int{{3, 1}, {2, 8}}, opt))
		box := cells(t, f, viz.Blues, [][]float64{{0.75, 0.25}, {0.2, 0.8}})
		all := f.Image().Bounds()
		columns := opt.Found
		if columns == nil {
			columns = opt.Classes
		}
		var row, column [2]int
		for k := range 2 {
			row[k] = ink(f, image.Rect(0, box[k][0].Min.Y, box[k][0].Min.X-1, box[k][0].Max.Y), white)
			column[k] = ink(f, image.Rect(box[1][k].Min.X, box[1][k].Max.Y+1, box[1][k].Max.X, all.Max.Y), white)
		}
		// The ticks are small.
		if opt.Classes != nil && row[1] <= 10*row[0] {
			t.Errorf("rows named %q have %d pixels of ink", opt.Classes, row)
		}
		if columns[0] == long {
			column[0], column[1] = column[1], column[0]
		}
		if column[1] <= 10*column[0] {
			t.Errorf("columns named %q have %d pixels of ink, the long name last", columns, column)
		}
	}
}

func TestHeatmapPlaces(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{0, 1, 2, 3, 4, 5})
	f := viz.Must(viz.Heatmap(x, viz.HeatmapOptions{NoBar: true}))
	cells(t, f, viz.Viridis, [][]float64{{0, 0.2, 0.4}, {0.6, 0.8, 1}})
}

// Numbers stand in their own cells: longer ones leave more ink.
func TestNumbersPlaces(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{55, 5, 555, 111})
	for _, c := range []struct {
		name   string
		f      viz.Figure
		m      viz.ColorMap
		levels [][]float64
	}{
		{"heatmap", viz.Must(viz.Heatmap(x, viz.HeatmapOptions{NoBar: true, Values: true, Digits: -1})),
			viz.Viridis, [][]float64{{50. / 550, 0}, {1, 106. / 550}}},
		{"confusion", viz.Must(viz.Confusion([][]int{{55, 5}, {555, 111}}, viz.ConfusionOptions{NoBar: true})),
			viz.Blues, [][]float64{{55. / 60, 5. / 60}, {555. / 666, 111. / 666}}},
	} {
		box := cells(t, c.f, c.m, c.levels)
		n := func(i, j int) int { return ink(c.f, box[i][j], c.m(c.levels[i][j])) }
		if !(0 < n(0, 1) && n(0, 1) < n(0, 0) && n(0, 0) < n(1, 0) && 0 < n(1, 1)) {
			t.Errorf("%s: 55, 5 and 555, 111 have %d, %d and %d, %d pixels of ink", c.name, n(0, 0), n(0, 1), n(1, 0), n(1, 1))
		}
	}
}

// What rounds to zero has no sign.
func TestNumbersZero(t *testing.T) {
	x := mat.NewDense(1, 4, []float64{-1, -0.2, 0.2, 1})
	levels := [][]float64{{0, 0.4, 0.6, 1}}
	f := viz.Must(viz.Heatmap(x, viz.HeatmapOptions{NoBar: true, Values: true, Digits: -1}))
	box := cells(t, f, viz.Viridis, levels)
	below, above := ink(f, box[0][1], viz.Viridis(0.4)), ink(f, box[0][2], viz.Viridis(0.6))
	if 10*max(below-above, above-below) > above {
		t.Errorf("−0.2 and 0.2 without digits have %d and %d pixels of ink", below, above)
	}
}

// A note follows the entry of the matrix that it is about, also where the order of the rows is another one.
func TestNumbersNote(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{0, 1, 2, 3})
	levels := [][]float64{{2. / 3, 1}, {0, 1. / 3}}
	opt := viz.HeatmapOptions{NoBar: true, Values: true, Digits: -1, RowOrder: []int{1, 0}}
	plain := viz.Must(viz.Heatmap(x, opt))
	opt.Note = func(row, column int) string { return map[[2]int]string{{0, 1}: " ▲"}[[2]int{row, column}] }
	noted := viz.Must(viz.Heatmap(x, opt))
	before, after := cells(t, plain, viz.Viridis, levels), cells(t, noted, viz.Viridis, levels)
	for i, row := range levels {
		for j, level := range row {
			more := ink(noted, after[i][j], viz.Viridis(level)) - ink(plain, before[i][j], viz.Viridis(level))
			if (more > 20) != (i == 1 && j == 1) {
				t.Errorf("the cell %d, %d has %d more pixels of ink", i, j, more)
			}
		}
	}
}

// Blocks of several rows or columns have the colour of their mean.
func TestHeatmapMeans(t *testing.T) {
	x := mat.NewDense(2800, 1, nil)
	for i := 3; i < 2800; i += 4 {
		x.Set(i, 0, 1)
	}
	opt := viz.HeatmapOptions{NoBar: true}
	if n := colors(viz.Must(viz.Heatmap(x.T(), opt)).Image()); n[viz.Viridis(0.25)] == 0 || n[viz.Viridis(1)] > 0 {
		t.Error("four columns are not drawn as their mean")
	}
	if n := colors(viz.Must(viz.Heatmap(x.Slice(0, 2400, 0, 1), opt)).Image()); n[viz.Viridis(0.25)] == 0 || n[viz.Viridis(1)] > 0 {
		t.Error("four rows are not drawn as their mean")
	}
}

// Upright bars have the largest value on top, flat ones on the right.
func TestBarsOfColors(t *testing.T) {
	ends := func(t float64) color.RGBA {
		switch {
		case t < 0.1:
			return viz.Color(0)
		case t > 0.9:
			return viz.Color(1)
		}
		return viz.Gray(0.8)
	}
	f := viz.Must(viz.Heatmap(mat.NewDense(1, 1, []float64{0.5}), viz.HeatmapOptions{Max: 1, Map: ends}))
	cells(t, f, ends, [][]float64{{1}, {0}})

	const width = 40
	r := viz.Must(viz.Views([]viz.View{{X: mat.NewDense(1, 1, nil), Tone: viz.Signed}}, viz.ViewsOptions{Height: 1, Width: 1, Scale: width}))
	cells(t, r, viz.Diverging, [][]float64{{0.5 / width, 1 - 0.5/width}})
}

// Colours are shares of the rows; only the cell of the count 0 has no number.
func TestConfusionPlaces(t *testing.T) {
	counts := [][]int{{3, 1}, {0, 8}}
	for _, numbers := range []bool{false, true} {
		f := viz.Must(viz.Confusion(counts, viz.ConfusionOptions{NoBar: true, NoNumbers: !numbers}))
		top := cells(t, f, viz.Blues, [][]float64{{0.75, 0.25}})[0]
		last := cells(t, f, viz.Blues, [][]float64{{0.25}, {1}})[1][0]
		for _, c := range []struct {
			box   image.Rectangle
			share float64
			inked bool
		}{
			{top[0], 0.75, numbers},
			{top[1], 0.25, numbers},
			{image.Rect(top[0].Min.X, last.Min.Y, top[0].Max.X, last.Max.Y), 0, false}, // white as the ground
			{last, 1, numbers},
		} {
			if got := ink(f, c.box, viz.Blues(c.share)) > 0; got != c.inked {
				t.Errorf("numbers %v: the cell of share %g has a number: %v", numbers, c.share, got)
			}
		}
	}
}

// Pairs stand above each other, upper above lower, with their names.
func TestPairedGalleryPlaces(t *testing.T) {
	images := func(levels ...float64) mat.Matrix { // of 2×1 equal pixels
		return mat.NewDense(2, len(levels), append(levels, levels...))
	}
	f := viz.Must(viz.PairedGallery("name", images(0.1, 0.2, 0.3, 0.4), "", images(0.5, 0.6, 0.7, 0.8),
		viz.GalleryOptions{Height: 2, Width: 1, Columns: 2, Max: 1, Map: viz.Viridis}))
	box := cells(t, f, viz.Viridis, [][]float64{{0.1, 0.2}, {0.5, 0.6}, {0.3, 0.4}, {0.7, 0.8}})
	for i, row := range box {
		named := ink(f, image.Rect(0, row[0].Min.Y, row[0].Min.X, row[0].Max.Y), white) > 0
		if upper := i%2 == 0; named != upper {
			t.Errorf("row %d has the name of the upper images: %v", i, named)
		}
	}
}

// Rows are the samples asked for. The brightest pixel of the first column is
// white, those of the second keep their share of it; the sample not shown, the
// brightest of all, does not count.
func TestViewsPlaces(t *testing.T) {
	clean := mat.NewDense(2, 3, []float64{
		2, 9, 2,
		0.5, 9, 1,
	})
	darker := mat.NewDense(2, 3, []float64{
		0.2, 9, 0.8,
		0.2, 9, 0.8,
	})
	opt := viz.ViewsOptions{Height: 1, Width: 2, Scale: 40, Samples: []int{2, 0}}
	f := viz.Must(viz.Views([]viz.View{{X: clean}, {X: darker}}, opt))
	cells(t, f, viz.Gray, [][]float64{{0.5, 0.4}, {0.25, 0.1}})

	weights := mat.NewDense(1, 3, []float64{0.3, 1, 0.7}) // one for each sample
	f = viz.Must(viz.Views([]viz.View{{X: weights, Tone: viz.Weight}}, opt))
	cells(t, f, viz.Viridis, [][]float64{{0.7}, {0.3}})
}

func TestViewsLimits(t *testing.T) {
	for _, c := range []struct {
		tone         viz.Tone
		value, limit float64
		want         color.RGBA
	}{
		{viz.Intensity, 1, 2, viz.Gray(0.5)},
		{viz.Signed, 1, 2, viz.Diverging(0.75)},
		{viz.Signed, -1, 2, viz.Diverging(0.25)},
		{viz.Signed, 3, 2, viz.Diverging(1)},
		{viz.Weight, 0.5, 2, viz.Viridis(0.25)},
		{viz.Weight, 0.5, 0, viz.Viridis(0.5)},
		{viz.Weight, 4, 0, viz.Viridis(1)},
	} {
		f := viz.Must(viz.Views([]viz.View{{X: mat.NewDense(1, 1, []float64{c.value}), Tone: c.tone, Limit: c.limit}},
			viz.ViewsOptions{Height: 1, Width: 1, Scale: 40}))
		// More than the bar of the colours holds of any.
		if n := colors(f.Image())[c.want]; n < 40*40 {
			t.Errorf("tone %d: %g with the limit %g: %d pixels of %v", c.tone, c.value, c.limit, n, c.want)
		}
	}
}

// A block has its frame on its edge, and neither within nor around other cells.
func TestHeatmapOutlined(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{0, 1, 2, 3, 4, 5})
	f := viz.Must(viz.Heatmap(x, viz.HeatmapOptions{NoBar: true, Outlined: []image.Rectangle{image.Rect(1, 1, 3, 2)}}))
	box := cells(t, f, viz.Viridis, [][]float64{{0, 0.2, 0.4}, {0.6, 0.8, 1}})
	black := color.RGBA{0, 0, 0, 0xff}
	middle := func(i, j int) image.Point { return box[i][j].Min.Add(box[i][j].Max).Div(2) }
	for _, on := range []image.Point{{box[1][1].Min.X - 1, middle(1, 1).Y}, {middle(1, 2).X, box[1][2].Min.Y - 1}, {box[1][2].Max.X, middle(1, 2).Y}, {middle(1, 1).X, box[1][1].Max.Y}} {
		if at(f, on.X, on.Y) != black {
			t.Errorf("no frame at %v", on)
		}
	}
	for _, off := range []image.Point{{box[1][1].Max.X, middle(1, 1).Y}, {middle(0, 0).X, box[0][0].Max.Y}, {box[0][0].Max.X, middle(0, 0).Y}} {
		if at(f, off.X, off.Y) == black {
			t.Errorf("a frame at %v", off)
		}
	}
}

// An order moves rows, columns, and what stands above them.
func TestHeatmapOrder(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{0, 0.25, 0.5, 1})
	f := viz.Must(viz.Heatmap(x, viz.HeatmapOptions{RowOrder: []int{1, 0}, ColumnOrder: []int{1, 0}, NoBar: true, Tracks: []viz.Track{{Classes: []int{0, 1}}}}))
	boxes := cells(t, f, viz.Viridis, [][]float64{{1, 0.5}, {0.25, 0}})
	for j, class := range []int{1, 0} {
		box := boxes[0][j]
		mid := (box.Min.X + box.Max.X) / 2
		found := false
		for y := range box.Min.Y {
			found = found || at(f, mid, y) == viz.Color(class)
		}
		if !found {
			t.Errorf("above column %d is nothing of class %d", j, class)
		}
	}
}

// Samples of one part stand together, those that are most of it first.
func TestOrderByPart(t *testing.T) {
	h := mat.NewDense(2, 5, []float64{
		1, 0, 3, 1, 0,
		2, 9, 1, 0, 0,
	})
	if got, want := viz.OrderByPart(h), []int{3, 2, 4, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Bars to the left are of negative entries, and none is longer than that of the largest.
func TestTopFeaturesBars(t *testing.T) {
	f := viz.Must(viz.TopFeatures(mat.NewDense(3, 1, []float64{-1, 2, 0}), viz.TopFeaturesOptions{}))
	up, down := spot(t, f, viz.Color(0)), spot(t, f, viz.Color(1))
	if !(up.Max.Y <= down.Min.Y && down.Max.X <= up.Min.X+1) || up.Dx() < 2*down.Dx()-2 || up.Dx() > 2*down.Dx()+2 {
		t.Errorf("the bar of 2 is at %v, that of −1 at %v", up, down)
	}
	// The bar of 1 is as long as that of −2, unless they share a scale.
	two := mat.NewDense(1, 2, []float64{1, -2})
	for _, common := range []bool{false, true} {
		f := viz.Must(viz.TopFeatures(two, viz.TopFeaturesOptions{Common: common}))
		one, minusTwo := spot(t, f, viz.Color(0)).Dx(), spot(t, f, viz.Color(1)).Dx()
		want := minusTwo
		if common {
			want /= 2
		}
		if one < want-2 || one > want+2 {
			t.Errorf("Common %v: the bar of 1 has %d pixels, that of −2 %d", common, one, minusTwo)
		}
	}
}

// The map's first axis is that of the largest spread, and its share is right.
func TestSampleMapAxes(t *testing.T) {
	h := mat.NewDense(2, 4, []float64{1, 1, 1, 1, 0, 3, 6, 3})
	c := viz.Must(viz.SampleMap(h, viz.SampleMapOptions{}))
	if c.X.Label.Text != "1st principal component (100 % of the variance)" || c.X.Max-c.X.Min < 6 {
		t.Errorf("%q from %g to %g", c.X.Label.Text, c.X.Min, c.X.Max)
	}
}
