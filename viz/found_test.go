package viz

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"io"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

// Ticks of a short range do not read the same.
func TestTicksDiffer(t *testing.T) {
	for _, r := range [][2]float64{{0.5, 0.5 + 2e-9}, {0.123456789, 0.1234567895}, {1, 1 + 1e-11}, {-7 - 3e-10, -7}, {1e9, 1e9 + 1e-1}, {3e-7, 3e-7 + 1e-15}} {
		seen := map[string]bool{}
		for _, tick := range (linearTicks{}).Ticks(r[0], r[1]) {
			if tick.Label == "" {
				continue
			}
			if seen[tick.Label] {
				t.Errorf("%g to %g: %q twice", r[0], r[1], tick.Label)
			}
			seen[tick.Label] = true
		}
		if len(seen) < 2 {
			t.Errorf("%g to %g: labels %v", r[0], r[1], seen)
		}
	}
}

func TestTableNumbers(t *testing.T) {
	type count uint16
	for _, c := range []struct {
		v    any
		text string
		is   bool
	}{
		{int64(-5), "−5", true}, {uint8(5), "5", true}, {count(7), "7", true}, {float32(0.5), "0.5000", true},
		{0.99999, "1.000", true}, {9.99996, "10.00", true}, {999.96, "1000", true}, {99994.6, "99995", true}, {-0.00099996, "−0.001000", true},
		{time.Second, "1s", false}, {nil, "<nil>", false}, {true, "true", false},
	} {
		got := cellOf(c.v)
		if got.Text != c.text || (got.Value == got.Value) != c.is {
			t.Errorf("%v: %q, %g, want %q", c.v, got.Text, got.Value, c.text)
		}
	}
}

func TestMarkdownCaption(t *testing.T) {
	for caption, want := range map[string]string{
		"1. Results": `1\. Results`, "- a": `\- a`, "+ a": `\+ a`, "2) b": `2\) b`, "===": `\===`, "1.5 a": `1\.5 a`, "a - b": "a - b", "Fig. 1": "Fig. 1",
	} {
		table := &Table{Header: []string{"a"}, Caption: caption}
		if got, _, _ := strings.Cut(table.Markdown(), "\n"); got != want {
			t.Errorf("%q: %q, want %q", caption, got, want)
		}
	}
}

// A chart does not change with what it was drawn from.
func TestRooflineKeepsNothing(t *testing.T) {
	labels := []string{"update"}
	c, err := Roofline(50, []Roof{{"memory", 10}}, []Work{{Name: "w", Labels: labels, Intensity: []float64{1}, Rate: []float64{5}}}, RooflineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after bytes.Buffer
	first := c.WriteSVG(&before)
	labels[0] = "something else"
	if second := c.WriteSVG(&after); first != nil || second != nil || before.String() != after.String() {
		t.Error("the picture has changed")
	}
}

// A nil pointer of any kind is an error, not a panic.
func TestNilMatrices(t *testing.T) {
	for _, x := range []mat.Matrix{(*mat.SymDense)(nil), (*mat.DiagDense)(nil), (*mat.Dense)(nil), nil} {
		if _, err := Heatmap(x, HeatmapOptions{}); err == nil {
			t.Errorf("%T: no error", x)
		}
	}
	broken := &sparse.Matrix{Rows: 4, Cols: 2, Start: []int{0, 1, 2}, Row: []int32{0, 9}, Value: []float64{1, 1}}
	if _, err := Heatmap(broken.T(), HeatmapOptions{}); !errors.Is(err, ErrShape) {
		t.Errorf("a sparse matrix whose parts do not fit together: %v", err)
	}
	if _, err := Views([]View{{Heading: "clean", X: broken}}, ViewsOptions{Height: 2, Width: 2}); !errors.Is(err, ErrShape) {
		t.Errorf("views of one: %v", err)
	}
}

// Reconstructions of samples that are black themselves are not all black.
func TestViewsOfBlackSamples(t *testing.T) {
	p, err := Views([]View{{Heading: "clean", X: mat.NewDense(4, 1, nil)}, {Heading: "WH", X: mat.NewDense(4, 1, []float64{1, 2, 3, 4})}},
		ViewsOptions{Height: 2, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	img := p.Image()
	greys, b := map[uint32]bool{}, img.Bounds()
	for x := b.Dx() / 2; x < b.Dx(); x++ {
		r, _, _, _ := img.At(x, b.Dy()*3/4).RGBA()
		greys[r>>8] = true
	}
	if greys[0] || !greys[191] {
		t.Errorf("greys %v", greys)
	}
}

// A heading of two lines makes a picture higher by one line, and no wider than its longer line does.
func TestHeadingOfTwoLines(t *testing.T) {
	size := func(heading string) image.Point {
		p, err := Views([]View{{Heading: heading, X: mat.NewDense(4, 1, nil)}}, ViewsOptions{Height: 2, Width: 2, Scale: 1})
		if err != nil {
			t.Fatal(err)
		}
		return p.Image().Bounds().Size()
	}
	one, two := size("two stages"), size("two stages\n0.44")
	if line := newPen(headingPoints, false).height; two != one.Add(image.Pt(0, line)) {
		t.Errorf("%v with a second line of %d pixels, %v without it", two, line, one)
	}
}

// The labels below a bar do not run into each other.
func TestBarLabelsApart(t *testing.T) {
	for _, limit := range []float64{0.024, 0.35, 0.0031} {
		p := &View{Heading: "r", X: mat.NewDense(112*92, 1, nil), Tone: Signed, Limit: limit}
		n := newPen(captionPoints, false)
		picture, err := Views([]View{*p, *p}, ViewsOptions{Height: 112, Width: 92})
		if err != nil {
			t.Fatal(err)
		}
		if need := 2 * (n.width(rounded(-limit)) + n.width(rounded(limit)) + 8); picture.Image().Bounds().Dx() < need {
			t.Errorf("limit %g: %d pixels for labels of %d", limit, picture.Image().Bounds().Dx(), need)
		}
	}
}

// A long name of a row takes two lines, and is not cut: the picture is higher and not wider.
func TestNamesOfTwoLines(t *testing.T) {
	tick := newPen(labelPoints, false)
	const name = "a first word, and then some more words"
	lines := tick.halves(name, 200)
	if len(lines) != 2 || lines[0]+" "+lines[1] != name || tick.widest(lines) > 200 {
		t.Errorf("%q", lines)
	}
	for _, whole := range []string{"short", "onewordonewordonewordonewordoneword"} {
		if lines := tick.halves(whole, 100); len(lines) != 1 || lines[0] != whole {
			t.Errorf("%q", lines)
		}
	}
	size := func(name string) image.Point {
		p, err := Heatmap(mat.NewDense(2, 40, nil), HeatmapOptions{RowNames: []string{name, "b"}, NoBar: true})
		if err != nil {
			t.Fatal(err)
		}
		return p.Image().Bounds().Size()
	}
	one, two := size("a"), size("malic acid and all that, nonflavanoid phenols")
	if two.Y <= one.Y || two.X >= one.X+widestName {
		t.Errorf("%v with a long name, %v with a short one", two, one)
	}
}

// Names of any length leave room for the bars, and the SVG has numbers alone.
func TestBarsOfLongNames(t *testing.T) {
	for _, name := range []string{strings.Repeat("x", 80), strings.Repeat("x", 4096), strings.Repeat("two words ", 400)} {
		c, err := Bars([]string{name, "b", name}, []Series{{Y: []float64{1, 2, 3}}}, BarsOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := c.WriteSVG(&b); err != nil || strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%.10s, %d letters: %v", name, len(name), err)
		}
		w, h := c.size()
		area := draw.New(vgimg.New(w, h))
		area.Min.X += c.overhang
		if size := c.DataCanvas(area).Size(); size.X < 0.4*w || size.Y < 0.3*h {
			t.Errorf("%.10s, %d letters: %g×%g of %g×%g are left", name, len(name), size.X, size.Y, w, h)
		}
	}
}

// What is cut short is as long as it can be.
func TestFitIsLongest(t *testing.T) {
	n := newPen(labelPoints, false)
	for _, s := range []string{"AVAVAVAVAVAVAV", "a long name of a feature", "ünïcödé — 名前 \xff\x01 …", "Wiiiiiiiii"} {
		r := []rune(s)
		for w := range n.width(s) + 2 {
			want := s
			for k := len(r) - 1; n.width(want) > w; k-- {
				if want = ""; k > 0 {
					want = string(r[:k]) + "…"
				}
			}
			if got := n.fit(s, w); got != want {
				t.Errorf("%q in %d: %q, want %q", s, w, got, want)
			}
		}
	}
}

// An SVG is XML whatever its texts are.
func TestSVGOfAnyText(t *testing.T) {
	c, err := Bars([]string{"a\x01", "b\xff", "c\x1b\uFFFE"}, []Series{{Y: []float64{1, 2, 3}}}, BarsOptions{Title: "\x00 <&>\t"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "a\uFFFD") || !strings.Contains(text, "b\uFFFD") {
		t.Error(text)
	}
	for d := xml.NewDecoder(&b); err == nil; _, err = d.Token() {
	}
	if err != io.EOF {
		t.Error(err)
	}
}

// A single bright pixel of a long image is seen where the image is made smaller, whichever way it lies.
func TestPixelOfLongImage(t *testing.T) {
	for _, size := range [][2]int{{1, 1000}, {1000, 1}} {
		for at := range 8 {
			x := mat.NewDense(1000, 1, nil)
			x.Set(500+at, 0, 1)
			img := newTiling(size[0], size[1], 0, false, 96).draw(x, 0, 0, 1, Gray)
			seen, b := false, img.Bounds()
			for i := b.Min.X; i < b.Max.X; i++ {
				for j := b.Min.Y; j < b.Max.Y; j++ {
					seen = seen || img.At(i, j) != img.At(b.Min.X, b.Min.Y)
				}
			}
			if !seen {
				t.Errorf("%v: pixel %d is not seen", size, 500+at)
			}
		}
	}
}

// Lines have as many markers where x falls as where it rises.
func TestSpreadFalling(t *testing.T) {
	for _, log := range []bool{false, true} {
		var up, down []float64
		for k := range 30 {
			up, down = append(up, float64(k+1)), append(down, float64(30-k))
		}
		if a, b := spread(up, 8, log), spread(down, 8, log); len(a) < 7 || len(b) < 7 {
			t.Errorf("log %v: markers at %d and %d", log, a, b)
		}
	}
}
