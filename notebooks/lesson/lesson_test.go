package lesson

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/show"
)

// ended is what exit panics with in a test, so that nothing after it runs.
type ended struct{}

// end calls f, which is to end the cell, and returns what it said on standard error.
func end(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, before := os.Stderr, exit
	os.Stderr, exit = w, func(int) { panic(ended{}) }
	defer func() { os.Stderr, exit = stderr, before }()
	stopped := func() (stopped bool) {
		defer func() {
			if p := recover(); p != nil {
				if _, ok := p.(ended); !ok {
					panic(p)
				}
				stopped = true
			}
		}()
		f()
		return false
	}()
	w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if !stopped {
		t.Error("the cell went on")
	}
	return string(text)
}

func TestWhatEndsACell(t *testing.T) {
	s := digits(t)
	for what, c := range map[string]struct {
		f    func()
		want string
	}{
		"an error":         {func() { Check(errors.New("boom")) }, "boom"},
		"a value with one": {func() { Must(1, errors.New("boom")) }, "boom"},
		"a fit":            {func() { Fit(rnmf.NMF(0), s.X) }, "rank out of range: 0"},
		"a film of a fit":  {func() { Watch(s, rnmf.NMF(0)) }, "rank out of range: 0"},
		"a figure":         {func() { Show(viz.Heatmap(nil, viz.HeatmapOptions{})) }, "X is nil"},
		"no figure":        {func() { Show(3) }, "not a int"},
		"a table":          {func() { Table("", nil, nil) }, "viz: nothing"},
		"shapes in a film": {func() { film3(s, func(w *mat.Dense) { w.Mul(w, mat.NewDense(7, 7, nil)) }) }, "mat: dimension mismatch"},
		"a printed table":  {func() { Printed("| a | b\nrow | 1") }, `"row | 1" of a printed table has 1 columns, want 2`},
		"names on an axis": {func() { results().Lines("", "", "") }, `"first" is not a number`},
		"nothing to move":  {func() { Move(nil) }, "needs a control"},
		"a slider's picture": {func() {
			Move(func([]int) (viz.Figure, error) { return nil, errors.New("boom") }, Slider("x", 0, 1, 0))
		}, "boom"},
		"a slider's panic": {func() {
			Move(func(v []int) (viz.Figure, error) { return nil, []error{nil}[v[0]] }, Slider("x", 1, 2, 1))
		}, "index out of range [1]"},
	} {
		if got := end(t, c.f); !strings.Contains(got, c.want) || strings.Contains(got, "goroutine") {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

func TestMoveEndsFits(t *testing.T) {
	s := digits(t)
	ctx, cancel := context.WithCancel(t.Context())
	after := false
	draw := stoppable(func(v []int) (viz.Figure, error) {
		if v[0] == 1 {
			cancel()
		}
		Fit(rnmf.NMF(2), s.X)
		after = v[0] == 1
		return viz.NewChart(), nil
	})
	if f, err := draw(ctx, []int{0}); f == nil || err != nil {
		t.Error(err)
	}
	if f, err := draw(ctx, []int{1}); f != nil || !errors.Is(err, context.Canceled) || after {
		t.Errorf("after the slider moved on: %v, %v", f, err)
	}
	Fit(rnmf.NMF(2), s.X) // that of the next cell does not end
}

// digits returns 60 small images.
func digits(t *testing.T) *datasets.Set {
	t.Helper()
	s, err := datasets.Digits().Sample(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s.Scaled()
}

func film3(s *datasets.Set, body func(w *mat.Dense)) (rounds []int) {
	w := mat.NewDense(64, 2, nil)
	for t := range Film(s, w, 3) {
		rounds = append(rounds, t)
		body(w)
	}
	return rounds
}

func results() *Results {
	r := new(Results)
	r.Add("row", "first", 1, 3)
	r.Add("row", "second", 5)
	r.Add("other", "first", math.NaN())
	return r
}

func TestQuick(t *testing.T) {
	s := digits(t)
	count := func(n int) (all []uint64) {
		for seed := range Trials(n) {
			all = append(all, seed)
		}
		return all
	}
	for _, c := range []struct {
		quick          string
		rounds, trials int
	}{{"", 60, 5}, {"1", 3, 2}} {
		t.Setenv("RNMF_QUICK", c.quick)
		if got := Rounds(60); got != c.rounds {
			t.Errorf("quick %q: %d of 60 rounds, want %d", c.quick, got, c.rounds)
		}
		if got := Rounds(2); got != 2 {
			t.Errorf("quick %q: %d of 2 rounds", c.quick, got)
		}
		if got := count(5); len(got) != c.trials || got[1] != 1 {
			t.Errorf("quick %q: seeds %d, want %d", c.quick, got, c.trials)
		}
		m := rnmf.Model{Rank: 3, MaxIter: 60, Tol: -1}
		if got := len(Fit(m, s.X).Trace) - 1; got != c.rounds {
			t.Errorf("quick %q: a Model has %d rounds, want %d", c.quick, got, c.rounds)
		}
		if got := len(Watch(s, m).Trace) - 1; got != c.rounds {
			t.Errorf("quick %q: a Model that is watched has %d rounds, want %d", c.quick, got, c.rounds)
		}
		if got := len(Fit(papers.ConvexNMF{Model: m}, s.X).Trace) - 1; got != c.rounds {
			t.Errorf("quick %q: a ConvexNMF has %d rounds, want %d", c.quick, got, c.rounds)
		}
		film := 0
		w := mat.NewDense(64, 2, nil)
		for range Film(s, w, 60) {
			film++
		}
		if film != c.rounds {
			t.Errorf("quick %q: a film has %d rounds, want %d", c.quick, film, c.rounds)
		}
	}
}

// A film sees each round, ends where its loop is left, and Fit and Watch agree.
func TestFilm(t *testing.T) {
	s := digits(t)
	if got := film3(s, func(w *mat.Dense) { w.Set(0, 0, w.At(0, 0)+1) }); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("rounds %d", got)
	}
	last := 0
	for t := range Film(s, mat.NewDense(64, 2, nil), 9) {
		if last = t; t == 4 {
			break
		}
	}
	if last != 4 {
		t.Errorf("left in round 4, ended in %d", last)
	}
	last = 0
	for t := range FilmAt(s, mat.NewDense(64, 2, nil), "", 5, 2) {
		last = t
	}
	if last != 5 {
		t.Errorf("a film with its last frame in round 5 ended in %d", last)
	}
	f := newFilm(s, 50)
	for round := range 51 {
		f.add(round, mat.NewDense(64, 12, nil))
	}
	if want := []int{0, 1, 3, 10, 30, 50}; !slices.Equal(f.rounds, want) {
		t.Errorf("frames at %d, want %d", f.rounds, want)
	}
	f = newFilm(s, 500)
	for round := range 34 { // as of a fit that converged
		f.add(round, mat.NewDense(64, 12, nil))
	}
	f.end()
	if want := []int{0, 1, 3, 10, 33}; !slices.Equal(f.rounds, want) {
		t.Errorf("frames at %d, want %d", f.rounds, want)
	}
	if _, n := f.frames[0].Dims(); n != filmColumns {
		t.Errorf("%d images in a row", n)
	}
	a, b := Watch(s, rnmf.L21NMF(3)), Fit(rnmf.L21NMF(3), s.X)
	if !mat.Equal(a.W, b.W) || a.Reason != b.Reason {
		t.Error("Watch and Fit differ")
	}
}

func TestStart(t *testing.T) {
	s := digits(t)
	w, h := Start(rnmf.Random{}, s.X, 3, 7)
	a := Fit(rnmf.Model{Rank: 3, Seed: 7}, s.X)
	b := Fit(rnmf.Model{Rank: 3, Init: rnmf.WarmStart{W: w, H: h}}, s.X)
	if !mat.Equal(a.W, b.W) || !mat.Equal(a.H, b.H) {
		t.Error("a fit of this seed begins with other factors")
	}
}

func TestResults(t *testing.T) {
	r := results()
	if got := r.Table("c").Markdown(); !strings.Contains(got, "| row | 2.000 ± 1.414 | 5.000 |") || !strings.Contains(got, "| other | – | – |") {
		t.Errorf("table\n%s", got)
	}
	p := Printed("  | second | third\nrow | 4.5 | –\nnone | 1 | 2\n")
	if got := r.NextTo(p, "c").Markdown(); !strings.Contains(got, "| second | paper | third | paper |") || !strings.Contains(got, "| row | 5.000 | 4.500 | – | – |") ||
		!strings.Contains(got, "| none | – | 1.000 | – | 2.000 |") || !strings.Contains(got, "| other | – | – | – | – |") {
		t.Errorf("next to the paper\n%s", got)
	}
	if got := p.Mean("row", "second"); got != 4.5 {
		t.Errorf("printed %g, want 4.5", got)
	}
	if got := p.Values("row", "third"); got != nil {
		t.Errorf("a dash is %g", got)
	}
	if r.Minus(Printed("| a\nrow | 1"), "nothing in common") != nil {
		t.Error("a figure of nothing")
	}
	if r.Minus(p, "t").Image().Bounds().Empty() {
		t.Error("an empty picture of the difference")
	}
	if o := r.Only("other", "row"); !slices.Equal(o.Rows, []string{"other", "row"}) || o.Mean("row", "first") != 2 {
		t.Errorf("only some rows: %q", o.Rows)
	}
	s := Stored(stored.Parse("model,level,trial,ap\na,10,1,0.5\na,10,2,1\na,20,1,\nb,20,1,0.25\n"), "model", "level", "ap")
	if got := s.Mean("a", "10"); got != 0.75 || !slices.Equal(s.Rows, []string{"a", "b"}) || !slices.Equal(s.Columns, []string{"10", "20"}) {
		t.Errorf("stored %q %q, mean %g", s.Rows, s.Columns, got)
	}
	if r.Heat("t", "l") == nil {
		t.Error("no heat map")
	}
	for what, f := range map[string]viz.Figure{"lines": s.Lines("t", "x", "y"), "spread": s.Spread("t", "y"), "intervals": s.Intervals("t", "y")} {
		if !coloured(f.Image()) {
			t.Errorf("%s: nothing is drawn", what)
		}
	}
	black := func(m image.Image) (n int) {
		for y := range m.Bounds().Max.Y {
			for x := range m.Bounds().Max.X {
				if r, g, b, _ := m.At(x, y).RGBA(); r+g+b == 0 {
					n++
				}
			}
		}
		return n
	}
	c := r.Spread("t", "y") // a row without a number has no mean
	before := black(c.Image())
	if r.Means(c); black(c.Image()) <= before {
		t.Error("no line at the means")
	}
	ends := new(Results)
	ends.Add("a", "1", 0, 1, 9, 10, 1)
	plain, shared := ends.Spread("t", "y"), ends.Spread("t", "y")
	if ends.Shares(shared, "a", 2); reflect.DeepEqual(plain.Image(), shared.Image()) {
		t.Error("no share is written")
	}
	if got := groups([]float64{0, 1, 1, 9, 10}, 2); !slices.Equal(got, []int{3, 5}) {
		t.Errorf("the groups end at %d", got)
	}
	trials := new(Results)
	trials.Add("a", "1", append(make([]float64, 30), -30, 40)...)
	c = trials.Intervals("t", "y")
	if c.Y.Min < -30 || c.Y.Max > 40 {
		t.Error("no trial is outside of the interval, so there is nothing to test")
	}
	if trials.Dots(c); c.Y.Min > -30 || c.Y.Max < 40 || !coloured(c.Image()) {
		t.Errorf("the axis from %g to %g has not all dots", c.Y.Min, c.Y.Max)
	}
	leads := new(Results)
	leads.Add("a", "1", 1)
	leads.Add("b", "1", 2)
	leads.Add("b", "2", 3)
	if row, times := leads.Leader(); row != "b" || times != 2 {
		t.Errorf("%q leads %d times", row, times)
	}
}

// coloured reports whether a picture has a point of the palette's first colour.
func coloured(m image.Image) bool {
	want, b := viz.Color(0), m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			if uint8(r>>8) == want.R && uint8(g>>8) == want.G && uint8(b>>8) == want.B {
				return true
			}
		}
	}
	return false
}

// The two galleries show each column by its own maximum, whatever its unit.
func TestBasis(t *testing.T) {
	s := digits(t)
	w := mat.DenseCopyOf(s.X.Slice(0, 64, 0, 12))
	var far mat.Dense
	far.Scale(1e6, w)
	png := func(f viz.Figure) string {
		var b bytes.Buffer
		if err := viz.WritePNG(&b, f); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if png(Basis("t", s, w)) != png(Basis("t", s, &far)) {
		t.Error("a basis of another unit looks different")
	}
	if png(Bases("t", s, "a", w, "b", w)) != png(Bases("t", s, "a", &far, "b", w)) {
		t.Error("two bases of different units look different")
	}
	first := png(PartsOf("t", s, 5, []string{"a", "b"}, w, w))
	if first != png(PartsOf("t", s, 5, []string{"a", "b"}, w, &far)) {
		t.Error("two rows of parts of different units look different")
	}
	if first != png(PartsOf("t", s, 5, []string{"a", "b"}, w.Slice(0, 64, 0, 5), w)) || first == png(PartsOf("t", s, 5, []string{"a", "b"}, w, w.Slice(0, 64, 1, 12))) {
		t.Error("the parts of a row are not the first five, in their order")
	}
	across := png(PartsAcross("t", s, 6, []string{"a", "b\nc"}, w, w))
	if across != png(PartsAcross("t", s, 6, []string{"a", "b\nc"}, &far, w.Slice(0, 64, 0, 6))) || across == png(PartsAcross("t", s, 6, []string{"a", "b\nc"}, w, w.Slice(0, 64, 1, 12))) {
		t.Error("the parts of a column are not the first six, in their order and of any unit")
	}
	before := mat.DenseCopyOf(w)
	Basis("t", s, w)
	if !mat.Equal(before, w) {
		t.Error("the basis was modified")
	}
}

func TestLoad(t *testing.T) {
	t.Setenv("RNMF_DATA", t.TempDir())
	if s := Load(datasets.ORL, datasets.Digits); s.Name != datasets.Digits().Name || mat.Max(s.X) != 1 {
		t.Errorf("%s, up to %g, in the place of ORL", s.Name, mat.Max(s.X))
	}
}

// A small picture in HTML is the PNG of its figure, on a page at 0.6 of its size, but not below a width of 300.
func TestSmall(t *testing.T) {
	for inches, shown := range map[float64]int{3: 288, 4: 300, 8: 460} {
		c := Must(viz.Lines([]viz.Series{{Y: []float64{1, 2}}}, viz.LinesOptions{Width: inches, Height: 2}))
		text := small(c)
		data, ok := strings.CutPrefix(text, fmt.Sprintf(`<div><img width="%d" src="data:image/png;base64,`, shown))
		b, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(data, `"></div>`))
		if !ok || err != nil {
			t.Fatalf("%g inches: %.80s, %v", inches, text, err)
		}
		if img, err := png.Decode(bytes.NewReader(b)); err != nil || img.Bounds() != c.Image().Bounds() {
			t.Error(err)
		}
	}
}

// A title stands above its figures, and makes their row no wider.
func TestTitled(t *testing.T) {
	c := viz.NewChart()
	row := Must(viz.Row(c, c)).Image().Bounds()
	titled := Titled("two charts", c, c).Image().Bounds()
	if titled.Dx() != row.Dx() || titled.Dy() <= row.Dy() || titled.Dy() > row.Dy()+90 {
		t.Errorf("%v without a title, %v with one", row, titled)
	}
}

func TestMoveWithoutReader(t *testing.T) {
	t.Setenv("RNMF_HEADLESS", "1")
	var seen [][]int
	Move(func(v []int) (viz.Figure, error) {
		seen = append(seen, slices.Clone(v))
		return viz.Lines([]viz.Series{{Y: []float64{1, 2}}}, viz.LinesOptions{})
	}, Slider("a", 10, 46, 12), Slider("b", 0, 9, 4))
	if len(seen) != 13 || !slices.Equal(seen[0], []int{10, 4}) || !slices.Equal(seen[1], []int{13, 4}) || !slices.Equal(seen[12], []int{46, 4}) {
		t.Errorf("positions %d", seen)
	}
	for name, c := range map[string]struct {
		control show.Control
		want    []int
	}{
		"few":     {Slider("a", 3, 5, 4), []int{3, 4, 5}},
		"one":     {Slider("a", 3, 3, 3), []int{3}},
		"choices": {show.Control{Choices: []string{"x", "y"}}, []int{0, 1}},
		"many":    {Slider("a", 0, 100, 4), []int{0, 8, 17, 25, 33, 42, 50, 58, 67, 75, 83, 92, 100}},
	} {
		if got := positions(c.control); !slices.Equal(got, c.want) {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	t.Setenv("RNMF_QUICK", "1")
	if got := positions(Slider("a", 0, 100, 4)); !slices.Equal(got, []int{0, 50, 100}) {
		t.Errorf("quick: %d", got)
	}
}

// Rows with colours of their own have these in every chart, and no other row has them.
func TestColours(t *testing.T) {
	defer Colours()
	Colours("L2", "Huber")
	r := new(Results)
	for _, row := range []string{"Huber", "mine", "L2", "yours"} {
		r.Add(row, "1", 1)
	}
	for i, s := range r.Series() {
		if want := []int{2, 3, 1, 4}[i]; s.Style != want {
			t.Errorf("%s has style %d, want %d", s.Name, s.Style, want)
		}
	}
}

func TestInterval(t *testing.T) {
	r := &Results{Digits: 1}
	r.Add("a", "x", -3, -1) // the deviation of the mean is 1, and the quantile 12.7
	if got := r.Interval("a", "x"); got != "−2.0 ± 12.7" {
		t.Errorf("%q", got)
	}
	r.Add("a", "y", -0.06)
	r.Add("a", "y", 0.02)
	if got := r.Interval("a", "y"); got != "0.0 ± 0.5" {
		t.Errorf("%q, want no minus before 0.0", got)
	}
}

// A picture shows each value, and leaves out what has none.
func TestSideways(t *testing.T) {
	var pictures [2]bytes.Buffer
	for i := range pictures {
		r := new(Results)
		r.Add("a", "x", 1, 2)
		r.Add("b", "x", 0, 1)
		r.Add("b", "y", 4, 5+float64(i))
		if err := viz.WritePNG(&pictures[i], r.Sideways("a title", "points")); err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Equal(pictures[0].Bytes(), pictures[1].Bytes()) {
		t.Error("a value is not drawn")
	}
}

func TestSides(t *testing.T) {
	r := new(Results)
	for column, v := range map[string][]float64{"above": {1, 2, 3, 2}, "below": {-1, -2, -3, -2}, "level": {-1, 1, 2}, "one": {0.1}, "equal": {0, 0}} {
		r.Add("a", column, v...)
	}
	r.Add("b", "none")
	if above, below, all := r.Sides(r.Rows, r.Columns); above != 2 || below != 1 || all != 5 {
		t.Errorf("%d above, %d below of %d, want 2 and 1 of 5", above, below, all)
	}
	if above, below, all := r.Sides([]string{"a"}, []string{"below"}); above != 0 || below != 1 || all != 1 {
		t.Errorf("%d above, %d below of %d, want 0 and 1 of 1", above, below, all)
	}
}

// TestClear has pairs that differ by about 1 either way, about 0, and a column that the rival lacks.
func TestClear(t *testing.T) {
	r := new(Results)
	for i := range 4 {
		v, noise := float64(10*i), []float64{0.1, -0.1, 0.2, -0.2}[i]
		for _, column := range []string{"more", "fewer", "level"} {
			r.Add("b", column, v)
			r.Add("a", column, v+noise+map[string]float64{"more": 1, "fewer": -1}[column])
		}
		r.Add("a", "alone", v)
	}
	above, below := r.Clear("a", "b")
	if !slices.Equal(above, []string{"more"}) || !slices.Equal(below, []string{"fewer"}) {
		t.Errorf("above at %v, below at %v", above, below)
	}
	r = r.Only("a", "b")
	r.Columns = []string{"more", "fewer", "level"}
	plain, signed := r.Heat("t", "l", "c"), r.HeatAgainst("b", "t", "l", "c")
	if slices.Equal(plain.Image().(*image.RGBA).Pix, signed.Image().(*image.RGBA).Pix) {
		t.Error("nothing shows that a is clearly above and below b")
	}
	if same := r.Only("b").HeatAgainst("b", "t", "l", "c"); !slices.Equal(same.Image().(*image.RGBA).Pix, r.Only("b").Heat("t", "l", "c").Image().(*image.RGBA).Pix) {
		t.Error("b is drawn above or below itself")
	}
}
