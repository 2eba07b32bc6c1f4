package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/internal/axis"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

const (
	shown      = 12   // suspects in the table and in the pictures
	mostParts  = 40   // that are drawn
	mostDrawn  = 5000 // samples in the map
	mostLabels = 5    // names in the map
	style      = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#111}
img{max-width:100%;height:auto}table{border-collapse:collapse;font-size:.9rem}td,th{padding:.15rem .7rem;border-bottom:1px solid #ddd;text-align:left}
h2{margin-top:2rem}p{max-width:44rem}`
)

// A page collects what is written, up to the first error.
type page struct {
	strings.Builder
	err error
}

func (p *page) text(tag, s string) {
	fmt.Fprintf(p, "<%s>%s</%s>\n", tag, strings.ReplaceAll(html.EscapeString(s), "\n", "<br>"), tag)
}

// figure shows a picture at its nominal size; what says what is on it.
func (p *page) figure(what string, f viz.Figure, err error) {
	if p.err != nil {
		return
	}
	var data bytes.Buffer
	if err == nil {
		err = viz.WritePNG(&data, f)
	}
	if err != nil {
		p.err = fmt.Errorf("%s: %w", what, err)
		return
	}
	fmt.Fprintf(p, "<p><img alt=\"%s\" width=\"%d\" src=\"data:image/png;base64,%s\"></p>\n", html.EscapeString(what),
		f.Image().Bounds().Dx()*96/viz.DPI, base64.StdEncoding.EncodeToString(data.Bytes()))
}

// WriteHTML writes the report as one page: what was fitted, the Notes, the parts, the samples by
// their parts, and the suspects by name, with the features that are farthest off.
func (r Report) WriteHTML(w io.Writer) error {
	out, err := r.check()
	if err != nil {
		return err
	}
	s := r.Set
	p := &page{}
	title := r.Title
	if title == "" {
		title = s.Name
	}
	if title == "" {
		title = "A factorisation"
	}
	fmt.Fprintf(p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>%s</title><style>%s</style></head>\n<body>\n", html.EscapeString(title), style)
	p.text("h1", title)
	p.text("p", s.String())
	p.text("p", r.summary())
	for _, note := range r.Notes {
		p.text("p", note)
	}
	wn, h := r.Result.Normalized(2)
	r.parts(p, wn)
	r.samples(p, h)
	r.suspects(p, out)
	for _, s := range r.Sections {
		s.write(p)
	}
	c, err := viz.Convergence([]viz.Curve{{Name: lossName(r.Result.Loss, r.Result.Family), Trace: r.Result.Trace}}, viz.ConvergenceOptions{})
	if err == nil { // a fit may have no trace
		p.text("h2", "Convergence")
		p.figure("objective by round", c, nil)
	}
	if s.Credit != "" {
		p.text("p", "Data: "+s.Credit)
	}
	p.WriteString("</body>\n</html>\n")
	if p.err != nil {
		return p.err
	}
	_, err = io.WriteString(w, p.String())
	return err
}

// lossName says which loss was fitted, in words where there are some, with the name of its type.
func lossName(l rnmf.Loss, family rnmf.Family) string {
	name := fmt.Sprintf("%T", l)
	name = name[strings.LastIndex(name, ".")+1:]
	words := map[string]string{"ByColumn": "a loss of samples", "CellCase": "a loss of entries and samples", "Frobenius": "least squares"}[name]
	switch {
	case family != rnmf.Gaussian:
		return "the loss " + name + " of Poisson deviances"
	case words == "":
		return "the loss " + name
	}
	return words + " (" + name + ")"
}

// summary tells what was fitted, and how well.
func (r Report) summary() string {
	_, k := r.Result.W.Dims()
	parts := "parts"
	if k == 1 {
		parts = "part"
	}
	line := fmt.Sprintf("%d %s, fitted with %s; the fit ended because: %v.", k, parts, lossName(r.Result.Loss, r.Result.Family), r.Result.Reason)
	if r.Set.Sparse != nil {
		if far, size := r.squares(nil); size > 0 && !math.IsInf(size, 0) {
			line += fmt.Sprintf(" ‖X − WH‖² is %.1f %% of ‖X‖².", 100*far/size)
		}
		return line
	}
	var wh mat.Dense
	wh.Mul(r.Result.W, r.Result.H)
	var far, size float64
	m, n := wh.Dims()
	for i := range m {
		for j := range n {
			if v := r.Set.X.At(i, j); !math.IsNaN(v) {
				far += math.Abs(v - wh.At(i, j))
				size += math.Abs(v)
			}
		}
	}
	if size > 0 && !math.IsInf(size, 0) {
		line += fmt.Sprintf(" Σ|x − wh| is %.1f %% of Σ|x|.", 100*far/size)
	}
	return line
}

func (s Section) write(p *page) {
	p.text("h2", s.Title)
	for _, t := range s.Text {
		p.text("p", t)
	}
	if s.Rows != nil && p.err == nil {
		table, err := viz.NewTable(s.Header, s.Rows)
		if err != nil {
			p.err = err
			return
		}
		p.WriteString(table.HTML())
	}
	for _, f := range s.Figures {
		p.figure(s.Title, f, nil)
	}
}

func (r Report) parts(p *page, w *mat.Dense) {
	s := r.Set
	m, k := w.Dims()
	p.text("h2", "Parts")
	names := r.names(k)
	if k > mostParts {
		p.text("p", fmt.Sprintf("The first %d of %d.", mostParts, k))
		w, names = mat.DenseCopyOf(w.Slice(0, m, 0, mostParts)), names[:mostParts]
	}
	if s.Height > 0 {
		f, err := viz.Gallery(w, viz.GalleryOptions{Height: s.Height, Width: s.Width, Captions: names, Smooth: true})
		p.figure("parts as images", f, err)
		return
	}
	if x := axis.Curve(s.Features); x != nil {
		f, err := viz.Profiles(w, viz.ProfilesOptions{X: x, Captions: names})
		p.figure("parts as curves over their features", f, err)
		return
	}
	f, err := viz.TopFeatures(w, viz.TopFeaturesOptions{Features: r.featureNames(), Captions: names})
	p.figure("the largest features of each part", f, err)
}

func (r Report) featureNames() []string {
	m, _ := r.Set.Dims()
	names := make([]string, m)
	for i := range names {
		names[i] = r.Set.FeatureName(i)
	}
	return names
}

func (r Report) samples(p *page, h *mat.Dense) {
	s := r.Set
	k, n := h.Dims()
	p.text("h2", "Samples by their parts")
	var tracks []viz.Track
	if s.Labels != nil {
		tracks = []viz.Track{{Name: "class", Classes: s.Labels, Names: s.Classes}}
	}
	f, err := viz.Heatmap(h, viz.HeatmapOptions{RowNames: r.names(k), ColumnOrder: viz.OrderByPart(h), Tracks: tracks, XLabel: "samples, by their largest part", BarLabel: "coefficient"})
	p.figure("coefficients", f, err)
	if k > 1 && n > 2 && n <= mostDrawn {
		opt := viz.SampleMapOptions{Classes: s.Labels, Names: s.Classes, Labels: map[int]string{}}
		if r.Suspects != nil {
			opt.Outliers = r.Suspects.Columns(min(shown, r.Suspects.Flagged))
		}
		for _, j := range opt.Outliers[:min(mostLabels, len(opt.Outliers))] {
			opt.Labels[j] = s.SampleName(j)
		}
		c, err := viz.SampleMap(h, opt)
		p.figure("map of the samples", c, err)
	}
	if s.Labels != nil && k*len(s.Classes) <= 100 {
		c, err := viz.Doses(h, s.Labels, viz.DosesOptions{Names: s.Classes, YLabel: "coefficient"})
		p.figure("dose of each part by class", c, err)
	}
}

func (r Report) suspects(p *page, out *rnmf.Outliers) {
	s := r.Set
	p.text("h2", "Samples that do not fit")
	if r.Suspects != nil {
		p.text("p", r.Suspects.String())
	} else if out == nil {
		p.text("p", "The data stay sparse, so no fits were asked which samples are wrong. These are the samples of whose sum of squares the parts explain the least; what is off is told of the values that are stored.")
	} else {
		p.text("p", "By the weights of this one fit: other starts and other losses may point at others.")
	}
	rows := r.rows(out)
	if r.Suspects != nil {
		rows = flagged(rows)
		if len(rows) == 0 {
			return
		}
		text := "The size of a sample is the root mean square of its residuals, next to that of the median sample, as the mean over the fits. A rare sample is hard to draw from the others, which is a reason to look at it and none to doubt it."
		if r.Suspects.Flagged+r.Suspects.Rare > len(rows) {
			text += fmt.Sprintf(" The table has the first %d of either kind.", shown)
		}
		if s.Height > 0 && out != nil {
			text += " Images that do not fit have a frame of vermillion, and rare ones one of blue."
		}
		p.text("p", text)
	} else {
		rows = rows[:min(shown, len(rows))]
	}
	header := []string{"sample", r.measure()}
	if r.Suspects != nil {
		header = []string{"sample", "size", "flagged by", "it"}
	}
	if s.Labels != nil {
		header = append(header, "class")
	}
	var cells [][]any
	for _, of := range rows {
		line := []any{s.SampleName(of.sample), viz.Number(of.weight, 3)}
		if r.Suspects != nil {
			what := "is rare"
			if of.kind() == wrong {
				what = "does not fit"
			}
			if why := r.Why[of.sample]; why != "" {
				what += ", " + why
			}
			line = []any{s.SampleName(of.sample), viz.Number(of.size, 3), fmt.Sprintf("%.0f %% of the fits", 100*of.share), what}
		}
		if s.Labels != nil {
			line = append(line, s.Classes[s.Labels[of.sample]])
		}
		cells = append(cells, append(line, r.offs(of)))
	}
	table, err := viz.NewTable(append(header, "farthest off (+ above, − below what the parts make)"), cells)
	if err != nil {
		p.err = err
		return
	}
	p.WriteString(table.HTML())
	f, err := r.residuals("", rows[:min(shown, len(rows))], out)
	p.figure("the most suspect samples", f, err)
}

// half of the fits make a sample one that does not fit, or that is rare.
const half = 0.5 - 1e-9

// flagged returns the samples that half of the fits flag, and then those that are rare to half of them.
func flagged(rows []row) []row {
	var of [usual + 1][]row
	for _, one := range rows {
		if k := one.kind(); len(of[k]) < shown {
			of[k] = append(of[k], one)
		}
	}
	return append(of[wrong], of[rare]...)
}

// Residuals draws the k most suspect samples, those that do not fit before those that are rare: images as they are,
// with a frame of vermillion where they do not fit and of blue where they are rare; others by the features that are
// farthest from what the parts make of them, above or below, by deviances where the fit is one of counts, and with
// “wrong” or “rare” before their names. It returns an error if the set and the result do not fit together, and
// ErrParameter for a k below 1.
func (r Report) Residuals(k int) (viz.Figure, error) {
	out, err := r.check()
	if err != nil {
		return nil, err
	}
	if k < 1 {
		return nil, fmt.Errorf("%w: a picture of %d samples, want 1 or more", datasets.ErrParameter, k)
	}
	rows := r.rows(out)
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.kind(), b.kind()) })
	rows = rows[:min(k, len(rows))]
	return r.residuals(r.title(rows), rows, out)
}

// What a sample is.
const (
	wrong = iota
	rare
	usual
)

func (of row) kind() int {
	switch {
	case of.share >= half:
		return wrong
	case of.rare >= half:
		return rare
	}
	return usual
}

// title counts the suspects that are drawn.
func (r Report) title(rows []row) string {
	var count [usual + 1]int
	for _, of := range rows {
		count[of.kind()]++
	}
	all, do, are := fmt.Sprintf("%d most suspect samples", len(rows)), "do", "are"
	if len(rows) == 1 {
		all = "most suspect sample"
	}
	if count[wrong] == 1 {
		do = "does"
	}
	if count[rare] == 1 {
		are = "is"
	}
	if r.Suspects == nil {
		return "The " + all
	}
	if r.Set.Height == 0 {
		return fmt.Sprintf("Residuals of the %s: %d %s not fit, %d %s rare", all, count[wrong], do, count[rare], are)
	}
	line := fmt.Sprintf("%d of %d suspects %s not fit", count[wrong], len(rows), do)
	if count[wrong] > 0 {
		line += " (vermillion)"
	}
	line += fmt.Sprintf(", %d %s rare", count[rare], are)
	if count[rare] > 0 {
		line += " (blue)"
	}
	return line
}

func (r Report) residuals(title string, rows []row, out *rnmf.Outliers) (viz.Figure, error) {
	s := r.Set
	m, _ := s.Dims()
	x, captions := mat.NewDense(m, len(rows), nil), make([]string, len(rows))
	for c, of := range rows {
		captions[c] = s.SampleName(of.sample)
		if out == nil {
			r.stored(of.sample, func(i int, v, wh float64) { x.Set(i, c, v-wh) })
			continue
		}
		for i := range m {
			v := out.E.At(i, of.sample)
			if s.Height > 0 {
				v = s.X.At(i, of.sample)
			}
			if math.IsNaN(v) {
				v = 0
			}
			x.Set(i, c, v)
		}
	}
	if s.Height > 0 && out != nil {
		scale := 0
		for c, name := range captions { // without folder and ending, and with room for most names
			captions[c] = strings.TrimSuffix(path.Base(name), path.Ext(name))
			if len(captions[c]) > 10 && max(s.Height, s.Width) < 140 {
				scale = (140 + s.Width - 1) / s.Width
			}
		}
		var marked [usual + 1][]int
		for c, of := range rows {
			marked[of.kind()] = append(marked[of.kind()], c)
		}
		return viz.Gallery(x, viz.GalleryOptions{Title: title, Height: s.Height, Width: s.Width, Captions: captions, Scale: scale, Marked: marked[wrong], AlsoMarked: marked[rare]})
	}
	for c, of := range rows { // first, as the end of a long name is cut off
		captions[c] = [...]string{"wrong: ", "rare: ", ""}[of.kind()] + captions[c]
	}
	return viz.TopFeatures(x, viz.TopFeaturesOptions{Title: title, Features: r.featureNames(), Captions: captions, Count: 5, Common: true})
}
