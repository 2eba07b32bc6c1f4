// Package report tells what a fit found in a set, with the names of its samples and
// features: as sets that every writer of package datasets takes, as a folder of files, and
// as one page of HTML that loads nothing from the network.
//
//	rep := report.Report{Set: s, Result: r, Notes: []string{diagnosis.String()}}
//	err := rep.Save("results")
package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/internal/newfile"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/viz"
)

// A Report is about a set and a fit of its X. Missing entries of X are NaN. A sparse set keeps its zeros
// unstored: its samples are in the order of how much of them the parts explain (see Explained), and the
// features that are farthest off are those of stored values.
type Report struct {
	Set    *datasets.Set
	Result *rnmf.Result
	// Judge, if not nil, is the fit by whose residuals samples are judged, in place of Result: one that
	// single wrong entries do not spoil.
	Judge *rnmf.Result
	// Usual (m), if not nil, is the usual size of a residual of each feature: which features of a sample
	// are farthest off is told in it. A residual of a count is the root of the deviance by which a loss
	// judges it: see rnmf.Family.Judged.
	Usual []float64
	// Suspects, if not nil, order the samples by what several fits say; otherwise their
	// weights in this fit do.
	Suspects *choose.Suspects
	// Why has, by sample, words that follow “does not fit” or “is rare” on the page.
	Why   map[int]string
	Title string   // of the page; "": the name of the set
	Notes []string // paragraphs of the page, such as the texts of a LossComparison and a RankChoice
	// Names are those of the parts; nil is "part 1" and so on.
	Names []string
	// Variables are written to factors.npz and factors.mat, too.
	Variables []datasets.MATVar
	// Sections come after the suspects.
	Sections []Section
}

// A Section is a part of the page: a title, paragraphs, a table and pictures, each of which may be
// missing.
type Section struct {
	Title   string
	Text    []string
	Header  []string // of the table
	Rows    [][]any
	Figures []viz.Figure
}

// names returns those of k parts.
func (r Report) names(k int) []string {
	if r.Names != nil {
		return r.Names
	}
	return viz.PartNames(k)
}

// check finds what does not fit together, and returns the weights; nil for a sparse set.
func (r Report) check() (*rnmf.Outliers, error) {
	if r.Set == nil || r.Result == nil {
		return nil, fmt.Errorf("%w: the report has no Set or no Result", datasets.ErrParameter)
	}
	if err := r.Set.Check(); err != nil {
		return nil, err
	}
	var out *rnmf.Outliers
	var err error
	if r.Set.Sparse != nil {
		err = r.sizes()
	} else {
		out, err = r.judge().Outliers(r.Set.X, r.Set.Mask())
	}
	if err != nil {
		return nil, err
	}
	if _, k := r.Result.W.Dims(); r.Names != nil && len(r.Names) != k {
		return nil, fmt.Errorf("%w: %d names for %d parts", datasets.ErrSize, len(r.Names), k)
	}
	if m, _ := r.Set.Dims(); r.Usual != nil && len(r.Usual) != m {
		return nil, fmt.Errorf("%w: %d usual sizes of residuals for %d features", datasets.ErrSize, len(r.Usual), m)
	}
	if _, n := r.Set.Dims(); r.Suspects != nil && len(r.Suspects.Samples) != n {
		return nil, fmt.Errorf("%w: the suspects are of %d samples, but the set has %d", datasets.ErrSize, len(r.Suspects.Samples), n)
	}
	return out, nil
}

// judge is the fit by whose residuals samples are judged.
func (r Report) judge() *rnmf.Result { return cmp.Or(r.Judge, r.Result) }

// Parts returns W as a set, a part in each column, with the names of the features. Its columns have
// the Euclidean length 1, and Coefficients are scaled to match.
func (r Report) Parts() (*datasets.Set, error) {
	if _, err := r.check(); err != nil {
		return nil, err
	}
	w, _ := r.Result.Normalized(2)
	_, k := w.Dims()
	s := r.Set
	return &datasets.Set{Name: s.Name + " parts", X: w, Samples: r.names(k), Features: s.Features, Units: s.Units, Height: s.Height, Width: s.Width}, nil
}

// Coefficients returns H as a set, a part in each row, with the names and classes of the
// samples.
func (r Report) Coefficients() (*datasets.Set, error) {
	if _, err := r.check(); err != nil {
		return nil, err
	}
	_, h := r.Result.Normalized(2)
	k, _ := h.Dims()
	s := r.Set
	return &datasets.Set{Name: s.Name + " coefficients", X: h, Labels: slices.Clone(s.Labels), Classes: s.Classes, Samples: s.Samples, Features: r.names(k)}, nil
}

// A row says what is known of a sample.
type row struct {
	sample int
	weight float64
	size   float64 // of its residuals, the mean over the fits that were asked
	share  float64 // of the fits that flag it, -1 if nobody was asked
	rare   float64 // of the fits to which it is rare
	off    []int   // the features that are farthest off, at most three
}

// rows returns the samples, the most suspect first.
func (r Report) rows(out *rnmf.Outliers) []row {
	if out == nil {
		return r.sparseRows()
	}
	m, n := r.Set.X.Dims()
	size := func(i, j int) float64 {
		e := math.Abs(out.E.At(i, j))
		if f := r.judge().Family; f != rnmf.Gaussian && e > 0 { // a missing count has 0
			e = math.Sqrt(f.Judged(r.Set.X.At(i, j), e*e))
		}
		if r.Usual != nil && r.Usual[i] > 0 {
			return e / r.Usual[i]
		}
		return e
	}
	rows := make([]row, n)
	for j := range rows {
		off := make([]int, 0, m)
		for i := range m {
			if size(i, j) > 0 {
				off = append(off, i)
			}
		}
		slices.SortStableFunc(off, func(a, b int) int { return cmp.Compare(size(b, j), size(a, j)) })
		rows[j] = row{sample: j, weight: out.Samples[j], share: -1, off: off[:min(3, len(off))]}
	}
	return r.sorted(rows)
}

// sorted returns the samples in the order of the suspects, if there are any, or of their weights.
func (r Report) sorted(rows []row) []row {
	n := len(rows)
	if r.Suspects == nil {
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.weight, b.weight) })
		return rows
	}
	sorted := make([]row, 0, n)
	for _, of := range r.Suspects.Samples {
		if of.Sample < 0 || of.Sample >= n {
			continue
		}
		at := rows[of.Sample]
		at.share, at.rare, at.weight, at.size = of.Share, of.Rare, of.Weight, of.Size
		sorted = append(sorted, at)
	}
	return sorted
}

// offs tells the features that are farthest off, and in which direction.
func (r Report) offs(of row) string {
	var wh float64
	var words []string
	for _, i := range of.off {
		wh = mat.Dot(r.judge().W.RowView(i), r.judge().H.ColView(of.sample))
		sign := "+"
		if r.at(i, of.sample) < wh {
			sign = "−"
		}
		words = append(words, r.Set.FeatureName(i)+" "+sign)
	}
	return strings.Join(words, "; ")
}

// WriteSamples writes a table of the samples, the most suspect first: name, class, group
// (the part that contributes most), weight, the size of the residuals and the share of fits that
// flag it where Suspects are given, the features that are farthest off, and the coefficients.
func (r Report) WriteSamples(w io.Writer) error {
	out, err := r.check()
	if err != nil {
		return err
	}
	_, h := r.Result.Normalized(2)
	k, _ := h.Dims()
	groups := r.Result.Clusters()
	header := []string{"sample"}
	if r.Set.Labels != nil {
		header = append(header, "class")
	}
	header = append(header, "group", r.measure())
	if r.Suspects != nil {
		header = append(header, "size", "flagged")
	}
	to := csv.NewWriter(w)
	to.Write(append(append(header, "off"), r.names(k)...)) // an error stays until Flush
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, of := range r.rows(out) {
		fields := []string{r.Set.SampleName(of.sample)}
		if r.Set.Labels != nil {
			fields = append(fields, r.Set.Classes[r.Set.Labels[of.sample]])
		}
		fields = append(fields, fmt.Sprintf("part %d", groups[of.sample]+1), number(of.weight))
		if r.Suspects != nil {
			fields = append(fields, number(of.size), number(of.share))
		}
		fields = append(fields, r.offs(of))
		for i := range k {
			fields = append(fields, number(h.At(i, of.sample)))
		}
		to.Write(fields)
	}
	to.Flush()
	return to.Error()
}

// Save writes a folder, which it makes: report.html, parts.csv and coefficients.csv (a part and a sample
// on each line), samples.csv (see WriteSamples), factors.npz and factors.mat (W, H and the
// names, and Variables), and model.rnmf, which rnmf.Load reads. It writes over no file: where there
// is one of these names, the error is fs.ErrExist. It stops at the first error.
func (r Report) Save(folder string) error {
	parts, err := r.Parts()
	if err != nil {
		return err
	}
	coefficients, err := r.Coefficients()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	files := []struct {
		name  string
		write func(w io.Writer) error
	}{
		{"report.html", r.WriteHTML},
		{"parts.csv", func(w io.Writer) error {
			names, features, _, err := parts.Names()
			if err != nil {
				return err
			}
			return datasets.WriteNamedCSV(w, parts.X.T(), names, append([]string{"part"}, features...)...)
		}},
		{"coefficients.csv", coefficients.WriteCSV},
		{"samples.csv", r.WriteSamples},
		{"factors.npz", func(w io.Writer) error { return datasets.WriteNPZ(w, r.variables(parts, coefficients)...) }},
		{"factors.mat", func(w io.Writer) error { return datasets.WriteMAT(w, r.variables(parts, coefficients)...) }},
		{"model.rnmf", r.Result.Save},
	}
	for _, file := range files {
		if err := newfile.Free(filepath.Join(folder, file.name)); err != nil {
			return err
		}
	}
	for _, file := range files {
		if err := newfile.Write(filepath.Join(folder, file.name), file.write); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
	}
	return nil
}

func (r Report) variables(parts, coefficients *datasets.Set) []datasets.MATVar {
	vars := []datasets.MATVar{{Name: "W", M: parts.X}, {Name: "H", M: coefficients.X}}
	samples, features := datasets.MATVar{Name: "sample_names"}, datasets.MATVar{Name: "feature_names"}
	m, n := r.Set.Dims()
	for j := range n {
		samples.Text = append(samples.Text, r.Set.SampleName(j))
	}
	for i := range m {
		features.Text = append(features.Text, r.Set.FeatureName(i))
	}
	return slices.Concat(append(vars, samples, features), r.Variables)
}
