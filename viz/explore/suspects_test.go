package explore

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

// The terminal, the page and samples.csv have the suspects in one order, the largest first, and tell the same
// features of each.
func oneList(t *testing.T, a *Analysis) {
	t.Helper()
	rep, err := a.Report()
	if err != nil {
		t.Fatal(err)
	}
	var page, table bytes.Buffer
	if err := rep.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if err := rep.WriteSamples(&table); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	off := 0
	for lines[0][off] != "off" {
		off++
	}
	_, html, _ := strings.Cut(page.String(), "<h2>Samples that do not fit</h2>")
	size := math.Inf(1)
	for k, s := range a.BadSamples() {
		if of := a.Suspects.Samples[k]; of.Sample != s.Sample || of.Size > size {
			t.Errorf("%s has size %g, after %g", s.Name, of.Size, size)
		} else {
			size = of.Size
		}
		cells := lines[k+1]
		if cells[0] != s.Name {
			t.Errorf("samples.csv has %s in place %d, and the analysis %s", cells[0], k, s.Name)
		}
		if got := regexp.MustCompile(` [+−](; |$)`).ReplaceAllString(cells[off], "; "); s.Worst != nil && got != strings.Join(s.Worst, "; ")+"; " {
			t.Errorf("%s: samples.csv says %q, the analysis %q", s.Name, cells[off], s.Worst)
		}
		if k < 12 { // what the page has
			var found bool
			if _, html, found = strings.Cut(html, ">"+s.Name+"<"); !found {
				t.Errorf("the page does not have %s in place %d", s.Name, k)
			}
			row, _, _ := strings.Cut(html, "</tr>")
			want := ">does not fit<"
			if s.Values > 0 {
				want = ">does not fit, " + s.why() + "<"
			}
			if !strings.Contains(row, want) || !strings.Contains(row, cells[off]) {
				t.Errorf("the page says of %s %s, want %s and %s", s.Name, row, want, cells[off])
			}
		}
		want := "\n    " + s.Name
		switch {
		case s.Values > 0:
			want += ", " + s.why()
		case s.Worst != nil:
			want += ", most in " + strings.Join(s.Worst, ", ")
		}
		if k < 8 && !strings.Contains(a.String(), want) {
			t.Errorf("no %q in\n%v", want, a)
		}
	}
}

// Of samples that do not fit those are told that are right but for one value or two.
func TestBecause(t *testing.T) {
	src := rand.New(rand.NewPCG(3, 1))
	w, h := mat.NewDense(12, 3, nil), mat.NewDense(3, 150, nil)
	for _, f := range []*mat.Dense{w, h} {
		f.Apply(func(int, int, float64) float64 { return 0.2 + src.ExpFloat64() }, f)
	}
	x := &mat.Dense{}
	x.Mul(w, h)
	x.Apply(func(_, _ int, v float64) float64 { return v * math.Exp(0.06*src.NormFloat64()) }, x)
	s := &datasets.Set{Name: "clinic", X: x}
	for i := range 12 {
		s.Features = append(s.Features, fmt.Sprintf("value %c", 'a'+i))
	}
	for k, j := range []int{10, 30, 50, 70} { // one value each
		x.Set(3*k, j, math.Pow(10, float64(k+1))*x.At(3*k, j))
	}
	x.Set(1, 90, 30*x.At(1, 90))
	x.Set(8, 90, 30*x.At(8, 90))
	for i := range 12 { // the whole sample
		x.Set(i, 120, 12*(1+float64(i*i%5))*src.Float64())
	}
	a, err := Study{Rank: 3, Starts: 3}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	oneList(t, a)
	values := map[int]int{}
	for _, s := range a.BadSamples() {
		values[s.Sample] = s.Values
	}
	for j, want := range map[int]int{10: 1, 30: 1, 50: 1, 70: 1, 90: 2, 120: 0} {
		if got, flagged := values[j]; !flagged || got != want {
			t.Errorf("sample %d does not fit because of %d values (%v), want %d", j, got, flagged, want)
		}
	}
	if page := a.String(); a.BadSamples()[0].Sample != 70 || !strings.Contains(page, "\n    sample 70, because of one value, in value j\n") || !strings.Contains(page, "\n    sample 90, because of 2 values, in value ") {
		t.Errorf("%v", page)
	}
}

// A sample that is noise in every entry does not fit because of the few that are farthest off: without them it is far
// off still, though no farther than the largest of those that fit.
func TestBecauseOfAll(t *testing.T) {
	const m, n = 40, 100
	x := mat.NewDense(m, n, nil)
	found := &choose.Suspects{}
	for j := range n {
		z := -math.Sqrt2 * math.Erfcinv(2*(float64(j)+0.5)/n) // sizes as of normal values
		s := choose.Suspect{Sample: j}
		if j == 50 || j == 97 {
			s.Share = 1
		}
		found.Samples = append(found.Samples, s)
		if j == 97 {
			z = 2.2
		}
		for i := range m {
			x.Set(i, j, math.Exp(0.3*z))
		}
		if s.Share == 1 {
			x.Set(3, j, 50)
			x.Set(7, j, -50)
		}
	}
	a := &Analysis{Prepared: &datasets.Set{X: x}, Suspects: found, Usual: slices.Repeat([]float64{1}, m), Far: 10}
	if got := a.because(mat.NewDense(m, n, nil)); !maps.Equal(got, map[int]int{50: 2}) {
		t.Errorf("%v, want 2 values of sample 50 alone", got)
	}
}

// Pixels in which light was cut off are no errors of a picture: it is said, and what it advises leaves the
// pictures that are noise.
func TestSaturated(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute with -race")
	}
	src := rand.New(rand.NewPCG(5, 1))
	const side, n = 16, 50
	folder := t.TempDir()
	for j := range n {
		img := image.NewGray(image.Rect(0, 0, side, side))
		var height [4]float64
		for q := range height {
			height[q] = 110 * src.ExpFloat64()
		}
		for i := range side * side {
			v := 4 + 3*src.NormFloat64()
			for q := range height {
				dy, dx := float64(i/side-4-8*(q/2)), float64(i%side-4-8*(q%2))
				v += height[q] * math.Exp(-(dy*dy+dx*dx)/8)
			}
			if j == 7 || j == 33 {
				v = 256 * src.Float64()
			}
			img.SetGray(i%side, i/side, color.Gray{Y: uint8(max(0, min(255, v)))})
		}
		var file bytes.Buffer
		if err := png.Encode(&file, img); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("im%02d.png", j)), file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const advice = `OpenOptions{Missing: []string{">=255"}} takes such pixels for missing`
	for _, missing := range [][]string{nil, {">=255"}} {
		s, err := datasets.Open(t.Context(), folder, datasets.OpenOptions{Missing: missing})
		if err != nil {
			t.Fatal(err)
		}
		a, err := Study{Rank: 4, Starts: 3}.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(strings.Join(a.Warnings, "\n"), advice)
		bad := a.BadSamples()
		if said != (missing == nil) || said && len(bad) < 5 || !said && len(bad) != 2 {
			t.Errorf("missing %q: %d do not fit: %q", missing, len(bad), a.Warnings)
		}
		for _, s := range bad {
			if missing != nil && s.Sample != 7 && s.Sample != 33 {
				t.Errorf("%s does not fit", s.Name)
			}
		}
		oneList(t, a)
	}
}
