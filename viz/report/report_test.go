package report

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/viz"
)

// fitted returns a table with names, of which one value is missing and one sample is spoiled.
func fitted(t *testing.T) Report {
	t.Helper()
	s, _, err := datasets.Prepare(datasets.Wine(), datasets.ScaleFeatures{By: datasets.Range})
	if err != nil {
		t.Fatal(err)
	}
	for j := range s.Labels {
		s.Samples = append(s.Samples, "bottle "+string(rune('A'+j%26))+string(rune('a'+j/26)))
	}
	s.X.Set(2, 5, math.NaN())
	for i := range 6 {
		s.X.Set(i, 17, float64(i%2))
	}
	r, err := rnmf.Model{Rank: 3, Loss: rnmf.ByColumn{Loss: rnmf.L1{}}, Mask: datasets.Known(s.X)}.Fit(t.Context(), s.X)
	if err != nil {
		t.Fatal(err)
	}
	return Report{Set: s, Result: r, Notes: []string{"a <note>"}}
}

// What is saved has the names, and its numbers are those of the fit.
func TestSave(t *testing.T) {
	rep := fitted(t)
	folder := filepath.Join(t.TempDir(), "results")
	if err := rep.Save(folder); err != nil {
		t.Fatal(err)
	}
	open := func(name string) *bytes.Reader {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.NewReader(b)
	}
	_, h := rep.Result.Normalized(2)
	got, err := datasets.ReadCSV(t.Context(), open("coefficients.csv"), datasets.CSVLayout{ID: "sample", Label: "class"})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got.X, h) || !slices.Equal(got.Samples, rep.Set.Samples) || !slices.Equal(got.Labels, rep.Set.Labels) || got.Features[2] != "part 3" {
		t.Errorf("%v", got)
	}
	parts, err := datasets.ReadCSV(t.Context(), open("parts.csv"), datasets.CSVLayout{ID: "part"})
	if w, _ := rep.Result.Normalized(2); err != nil || !mat.Equal(parts.X, w) || parts.Samples[2] != "part 3" || !slices.Equal(parts.Features, rep.Set.Features) {
		t.Errorf("%v, %v", parts, err)
	}
	npz := open("factors.npz")
	if got, err = datasets.ReadNPZ(t.Context(), npz, npz.Size(), datasets.NPYLayout{X: "H", Columns: true}); err == nil && !mat.Equal(got.X, h) {
		t.Errorf("%v", got)
	}
	r, err := rnmf.Load(open("model.rnmf"))
	if err != nil || !mat.Equal(r.W, rep.Result.W) {
		t.Error(err)
	}
	first, _, _ := strings.Cut(strings.SplitN(text(open("samples.csv")), "\n", 3)[1], "\n")
	if !strings.HasPrefix(first, rep.Set.Samples[17]+",1,part ") {
		t.Errorf("the most suspect is %q, not %s", first, rep.Set.Samples[17])
	}
	html := text(open("report.html"))
	for _, want := range []string{"a &lt;note&gt;", rep.Set.Samples[17], "data:image/png;base64,", "1 missing"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	html = regexp.MustCompile(`base64,[^"]*`).ReplaceAllString(html, "")
	for _, never := range []string{"http:", "https:", "<script", "NaN"} {
		if strings.Contains(html, never) {
			t.Errorf("the page has %q", never)
		}
	}
}

func text(b *bytes.Reader) string {
	var s strings.Builder
	b.WriteTo(&s)
	return s.String()
}

// What several fits say comes first, and images are shown as such.
func TestSuspectsAndImages(t *testing.T) {
	s, err := datasets.Digits().Scaled().Sample(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rnmf.HuberNMF(4).Fit(t.Context(), s.X)
	if err != nil {
		t.Fatal(err)
	}
	found, err := choose.OutlierSearch{X: s.X, Models: []rnmf.Model{rnmf.HuberNMF(4)}, Starts: 2}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rep := Report{Set: s, Result: r, Suspects: found, Title: "Digits & more"}
	var page, table bytes.Buffer
	if err := errors.Join(rep.WriteHTML(&page), rep.WriteSamples(&table)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "<h1>Digits &amp; more</h1>") || !strings.Contains(page.String(), "parts as images") {
		t.Error("no title, or no images")
	}
	lines := strings.Split(table.String(), "\n")
	if !strings.HasPrefix(lines[0], "sample,class,group,weight,size,flagged,off,part 1") || !strings.HasPrefix(lines[1], s.SampleName(found.Samples[0].Sample)+",") {
		t.Errorf("%q", lines[:2])
	}
	if _, err := rep.Residuals(0); !errors.Is(err, datasets.ErrParameter) {
		t.Error(err)
	}
	for k := range found.Samples { // the worst two do not fit
		found.Samples[k].Share = 0
		if k < 2 {
			found.Samples[k].Share = 1
		}
	}
	rep.Why = map[int]string{found.Samples[1].Sample: "because of <two> values"}
	page.Reset()
	if err := rep.WriteHTML(&page); err != nil || strings.Count(page.String(), ">does not fit<") != 1 || strings.Count(page.String(), ">does not fit, because of &lt;two&gt; values<") != 1 {
		t.Errorf("the page does not say why: %v", err)
	}
	found.Samples[2].Rare, found.Samples[3].Rare = 0, 1
	for want, of := range map[bool]Report{true: rep, false: {Set: s, Result: r}} {
		f, err := of.Residuals(3)
		if err != nil {
			t.Fatal(err)
		}
		framed, img := map[color.Color]bool{}, f.Image()
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				framed[color.RGBAModel.Convert(img.At(x, y))] = true
			}
		}
		if framed[viz.Color(1)] != want || framed[viz.Color(0)] != want {
			t.Errorf("frames: %v and %v, want %v, as suspects that do not fit have one, and the rare one, which comes third", framed[viz.Color(1)], framed[viz.Color(0)], want)
		}
	}
	rep.Suspects = &choose.Suspects{}
	if err := rep.WriteHTML(&page); !errors.Is(err, datasets.ErrSize) {
		t.Error(err)
	}
}

// What is drawn and what is in the table is said in the singular where it is one, and that there is more
// where there is more.
func TestOneAndMany(t *testing.T) {
	rep := fitted(t)
	n := len(rep.Set.Samples)
	found := &choose.Suspects{Samples: make([]choose.Suspect, n), Flagged: shown + 1, Rare: 1}
	for j := range found.Samples {
		found.Samples[j] = choose.Suspect{Sample: j, Size: float64(n - j)}
		switch {
		case j <= shown:
			found.Samples[j].Share = 1
		case j == shown+1:
			found.Samples[j].Rare = 1
		}
	}
	rep.Suspects = found
	var page bytes.Buffer
	if err := rep.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "The table has the first 12 of either kind.") || strings.Contains(page.String(), ">"+rep.Set.Samples[shown]+"<") {
		t.Error("the page does not say that the table is cut")
	}
	for k, want := range map[int]string{1: "most suspect sample: 1 does not fit, 0 are rare", shown + 2: "14 most suspect samples: 13 do not fit, 1 is rare"} {
		out, err := rep.check()
		if err != nil {
			t.Fatal(err)
		}
		if got := rep.title(rep.rows(out)[:k]); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Parts of spectra are curves, and those of other tables bars.
func TestCurves(t *testing.T) {
	rep := fitted(t)
	for k, kind := range []string{"the largest features of each part", "parts as curves over their features"} {
		var page bytes.Buffer
		if err := rep.WriteHTML(&page); err != nil || !strings.Contains(page.String(), kind) {
			t.Errorf("%d: no %q, %v", k, kind, err)
		}
		rep.Set.Features = nil
		for i := range rep.Set.X.RawMatrix().Rows {
			rep.Set.Features = append(rep.Set.Features, fmt.Sprint(900-4*i))
		}
	}
}

func TestReportErrors(t *testing.T) {
	rep := fitted(t)
	for name, c := range map[string]struct {
		rep  Report
		want error
	}{
		"nothing":    {Report{}, datasets.ErrParameter},
		"no result":  {Report{Set: rep.Set}, datasets.ErrParameter},
		"a bad set":  {Report{Set: &datasets.Set{}, Result: rep.Result}, datasets.ErrSize},
		"other data": {Report{Set: datasets.Digits(), Result: rep.Result}, rnmf.ErrShape},
	} {
		if err := c.rep.Save(t.TempDir()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.rep.WriteHTML(&bytes.Buffer{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The page of a sparse set says what that of the same dense one does, as far as stored values tell.
func TestSparse(t *testing.T) {
	s := &datasets.Set{Name: "counts", X: mat.NewDense(6, 8, nil), Labels: []int{0, 0, 0, 0, 1, 1, 1, 1}, Classes: []string{"a", "b"}, Features: []string{"cat", "dog", "cow", "<b>", "sun", "moon"}}
	x := &sparse.Matrix{Rows: 6, Cols: 8, Start: []int{0}}
	for j := range 8 {
		for i := range 6 {
			if i/3 == j/4 || i == j {
				v := float64(1 + (i*j)%4)
				if i == 1 && j == 2 {
					v = 40 // a word that its kind has seldom
				}
				s.X.Set(i, j, v)
				x.Row, x.Value = append(x.Row, int32(i)), append(x.Value, v)
			}
		}
		x.Start = append(x.Start, len(x.Value))
	}
	r, err := rnmf.HuberNMF(2).Fit(t.Context(), s.X)
	if err != nil {
		t.Fatal(err)
	}
	thin := *s
	thin.X, thin.Sparse = nil, x
	rep := Report{Set: &thin, Result: r}
	got, err := rep.Explained()
	if err != nil {
		t.Fatal(err)
	}
	wh, worst := r.WH(), 0
	for j := range 8 {
		var e mat.VecDense
		e.SubVec(s.X.ColView(j), wh.ColView(j))
		if want := 1 - math.Pow(mat.Norm(&e, 2)/mat.Norm(s.X.ColView(j), 2), 2); math.Abs(got[j]-want) > 1e-9 {
			t.Errorf("sample %d: %g explained, want %g", j, got[j], want)
		}
		if got[j] < got[worst] {
			worst = j
		}
	}
	if _, err := (Report{Set: s, Result: r}).Explained(); !errors.Is(err, datasets.ErrSize) {
		t.Error(err)
	}
	folder := t.TempDir()
	if err := rep.Save(folder); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the data stay sparse", "‖X − WH‖² is", "explained", "&lt;b&gt;", "dog +"} {
		if !strings.Contains(strings.ReplaceAll(string(page), "The data", "the data"), want) {
			t.Errorf("no %q on the page", want)
		}
	}
	table, err := os.ReadFile(filepath.Join(folder, "samples.csv"))
	if lines := strings.Split(string(table), "\n"); err != nil || !strings.HasPrefix(lines[0], "sample,class,group,explained,off") || !strings.HasPrefix(lines[1], fmt.Sprintf("sample %d,", worst)) {
		t.Errorf("%s, %v", table, err)
	}
	short := *r
	short.H = mat.NewDense(2, 7, nil)
	if err := (Report{Set: &thin, Result: &short}).WriteHTML(io.Discard); !errors.Is(err, datasets.ErrSize) {
		t.Error(err)
	}
}
