package explore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

// wines is a table with names, of which some values are missing and twelve are wrong, in as many
// bottles: it returns what these were.
func wines() (s *datasets.Set, was map[[2]int]float64) {
	s = datasets.Wine()
	_, n := s.X.Dims()
	for j := range n {
		s.Samples = append(s.Samples, fmt.Sprintf("bottle %d", j+1))
		if j%5 == 0 {
			s.X.Set(j%13, j, math.NaN())
		}
	}
	was = map[[2]int]float64{}
	for k := range 12 {
		i, j := k, 14*k+3
		was[[2]int{i, j}] = s.X.At(i, j)
		s.X.Set(i, j, 100*s.X.At(i, j))
	}
	return s, was
}

// A table with different units, gaps and gross values: the gross values are found by name, with what
// they should be in the unit of the file, and hardly anything else.
func TestRun(t *testing.T) {
	s, was := wines()
	before := mat.DenseCopyOf(s.X)
	var lines bytes.Buffer
	last := Progress{}
	tell := Lines(&lines)
	st := Study{Seed: 1, Starts: 5, Progress: func(p Progress) {
		if p.Done < last.Done || p.Done > p.Total || p.Left < 0 {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
		tell(p)
	}}
	a, err := st.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(before.RawMatrix().Data, s.X.RawMatrix().Data, func(a, b float64) bool { return a == b || a != a && b != b }) {
		t.Error("the set has changed")
	}
	if a.Kind != Measurements || !strings.Contains(a.Decisions[1].Choice, "range 0 to 1") || len(a.Parts) != a.Rank || a.Rank < 2 || a.Rank > 5 {
		t.Errorf("%v, %v, %d parts", a.Kind, a.Decisions, a.Rank)
	}
	found, others := 0, 0
	for _, e := range a.BadEntries() {
		truth, planted := was[[2]int{e.Feature, e.Sample}]
		if !planted {
			others++
			continue
		}
		found++
		if e.Value != 100*truth && math.Abs(e.Value/truth-100) > 1e-9 || e.Expected < 0.4*truth || e.Expected > 2.5*truth || e.SampleName != s.Samples[e.Sample] || e.FeatureName != s.Features[e.Feature] {
			t.Errorf("%+v, was %g", e, truth)
		}
	}
	if found < 12 || others > 4 {
		t.Errorf("%d of 12 wrong values are found, and %d others", found, others)
	}
	for _, want := range []string{"values: measurements", "scale: each feature", "loss: ", "parts: ", "fit: ", "suspects: "} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("no line %q in\n%s", want, lines.String())
		}
	}
	page := a.String()
	for _, want := range []string{"178 samples", "not all values are whole numbers", "The parts, the most stable first:", "    1: ", " single values do not fit:", "where the parts make"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	// Names are features that a part has more of than the others.
	w, _ := a.Result.Normalized(2)
	for k, p := range a.Parts {
		top := p.Top[0]
		if top.Loading != w.At(top.Feature, k) || top.Name != s.Features[top.Feature] || !strings.Contains(p.Name, top.Name) || top.Distinct > top.Loading {
			t.Errorf("%+v", p)
		}
	}
	again, err := Study{Seed: 1, Starts: 5}.Run(t.Context(), s)
	if err != nil || !mat.Equal(again.Result.W, a.Result.W) || again.String() != page {
		t.Errorf("a second run differs: %v", err)
	}
	saved(t, a)
	applied(t, a, s)
}

// What is saved is read again, and nothing is written over.
func saved(t *testing.T, a *Analysis) {
	folder := filepath.Join(t.TempDir(), "deep", "wines")
	if err := a.Save(folder); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "analysis.gob coefficients.csv entries.csv factors.mat factors.npz model.rnmf parts.csv report.html samples.csv" {
		t.Errorf("the folder has %s", got)
	}
	page, err := os.ReadFile(filepath.Join(folder, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`base64,[^"]*`).ReplaceAllString(string(page), "")
	bad := a.BadEntries()[0]
	for _, want := range []string{a.Parts[0].Name, "Without the single values that do not fit it is", "Single values that do not fit", bad.SampleName, "What was decided, and why", "How sure the number of parts is"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"http:", "https:", "<script", "NaN"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
	if err := a.Save(folder); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an old folder: %v", err)
	}
	again, err := Load(folder)
	if err != nil || again.String() != a.String() {
		t.Errorf("%v\n%v", again, err)
	}
	parts, err := datasets.Open(t.Context(), filepath.Join(folder, "parts.csv"), datasets.OpenOptions{})
	if err != nil || parts.Samples[0] != a.Parts[0].Name {
		t.Errorf("%v, %v", parts, err)
	}
	if err := os.WriteFile(filepath.Join(folder, file), []byte("no"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(folder); !errors.Is(err, datasets.ErrFormat) {
		t.Error(err)
	}
}

// A second set is explained by the parts of the first.
func applied(t *testing.T, a *Analysis, s *datasets.Set) {
	fresh, err := datasets.Wine().Pick([]int{5, 40, 100, 150})
	if err != nil {
		t.Fatal(err)
	}
	fresh.Samples = []string{"a", "b", "c", "d"}
	fresh.X.Set(12, 2, 1e6)
	b, err := a.Apply(t.Context(), fresh)
	if err != nil {
		t.Fatal(err)
	}
	bad := b.BadEntries()
	if len(bad) != 1 || bad[0].SampleName != "c" || bad[0].FeatureName != s.Features[12] || math.Abs(bad[0].Value-1e6) > 1e-3 || len(b.BadSamples()) != 0 {
		t.Errorf("%+v, %+v", bad, b.BadSamples())
	}
	if r, n := b.Result.H.Dims(); r != a.Rank || n != 4 || b.Parts[0].Name != a.Parts[0].Name || !strings.Contains(b.String(), "1 single value does not fit") {
		t.Errorf("%v", b)
	}
	if err := b.Save(filepath.Join(t.TempDir(), "second")); err != nil {
		t.Error(err)
	}
	if _, err := a.Apply(t.Context(), datasets.Digits()); !errors.Is(err, datasets.ErrSize) {
		t.Error(err)
	}
}

// counts is a table of words in which two topics differ; sparse or dense.
func counts(n int) *datasets.Set {
	x := mat.NewDense(12, n, nil)
	for j := range n {
		for i := range 12 {
			if i/6 == j%2 && (i*j+i+j)%3 > 0 {
				x.Set(i, j, float64(1+(i*7+j*3)%5))
			}
		}
	}
	s := &datasets.Set{Name: "words", X: x}
	for i := range 12 {
		s.Features = append(s.Features, fmt.Sprintf("word %c", 'a'+i))
	}
	return s
}

// Decisions that are given are taken, and say so.
func TestGiven(t *testing.T) {
	s := counts(30)
	a, err := Study{Kind: Measurements, Steps: []datasets.Preprocessor{datasets.ScaleFeatures{}}, Loss: rnmf.Huber{}, Rank: 2, Starts: 3}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for k, about := range []string{"values", "scale", "loss", "parts"} {
		if d := a.Decisions[k]; d.About != about || !strings.Contains(d.Reason, "as Study.") {
			t.Errorf("%+v", d)
		}
	}
	if _, huber := a.Result.Loss.(rnmf.Huber); !huber || a.Rank != 2 || a.Race != nil || a.RankChoice != nil || len(a.Consensus.Fits) != 3 {
		t.Errorf("%#v, rank %d", a.Result.Loss, a.Rank)
	}
}

// What does not fit is judged by the parts that are shown, whatever their loss.
func TestShownParts(t *testing.T) {
	for _, loss := range []rnmf.Loss{rnmf.Frobenius{}, rnmf.L21NMF(1).Loss, rnmf.Huber{}} {
		a, err := Study{Kind: Measurements, Steps: []datasets.Preprocessor{datasets.ScaleFeatures{}}, Loss: loss, Rank: 2, Starts: 2}.Run(t.Context(), counts(30))
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(a.Robust.W, a.Result.W) {
			t.Errorf("%T: the parts by which samples are judged are not those of the result", loss)
		}
	}
}

// What the values are is seen from them.
func TestKinds(t *testing.T) {
	digits, err := datasets.Digits().Sample(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	one := counts(10)
	one.X.Apply(func(_, _ int, v float64) float64 { return min(v, 1) }, one.X)
	sparse := &datasets.Set{Sparse: &sparse.Matrix{Rows: 3, Cols: 2, Start: []int{0, 1, 2}, Row: []int32{0, 2}, Value: []float64{2, 5}}}
	grades := counts(30)
	grades.X.Apply(func(i, j int, _ float64) float64 { return []float64{0, 1, 1, 2}[(i+j)%4] }, grades.X)
	negative := counts(10)
	negative.X.Set(0, 0, -1)
	for name, c := range map[string]struct {
		s    *datasets.Set
		want DataKind
		says string
	}{
		"images": {digits, Images, "images of 8×8"}, "counts": {counts(10), Counts, "% of them are 0"}, "sparse counts": {sparse, Counts, "67 %"},
		"wine": {datasets.Wine(), Measurements, "not all"}, "zeros and ones": {one, Measurements, "0 or 1"}, "grades": {grades, Measurements, "vary less than counts do"}, "negative": {negative, Measurements, "negative"},
	} {
		if kind, reason := guessKind(c.s); kind != c.want || !strings.Contains(reason, c.says) {
			t.Errorf("%s: %v, %s", name, kind, reason)
		}
	}
}

// Topics are named by their words; a sparse set gives the same parts, and stays sparse where it is large.
func TestCounts(t *testing.T) {
	s := counts(60)
	a, err := Study{Rank: 2, Starts: 4, Loss: rnmf.Frobenius{}}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if a.Kind != Counts || a.BadEntries() != nil {
		t.Errorf("%v, %v", a.Kind, a.BadEntries())
	}
	for _, p := range a.Parts { // words a to f, or g to l
		for _, f := range p.Top[:3] {
			if (f.Feature < 6) != (p.Top[0].Feature < 6) {
				t.Errorf("%+v", p)
			}
		}
	}
	x := &sparse.Matrix{Rows: 12, Cols: 60, Start: []int{0}}
	for j := range 60 {
		for i := range 12 {
			if v := s.X.At(i, j); v != 0 {
				x.Row, x.Value = append(x.Row, int32(i)), append(x.Value, v)
			}
		}
		x.Start = append(x.Start, len(x.Value))
	}
	thin := &datasets.Set{Name: "thin", Sparse: x, Features: s.Features}
	same, err := Study{Rank: 2, Starts: 4, Loss: rnmf.Frobenius{}}.Run(t.Context(), thin)
	if err != nil || !mat.EqualApprox(same.Result.W, a.Result.W, 1e-9) {
		t.Errorf("other parts: %v", err)
	}
	defer func(n int) { manyEntries = n }(manyEntries)
	manyEntries = 1
	b, err := Study{Rank: 2, Starts: 4, Loss: rnmf.Frobenius{}}.Run(t.Context(), thin)
	if err != nil {
		t.Fatal(err)
	}
	if b.Prepared.Sparse == nil || b.Suspects != nil || !strings.Contains(b.String(), "the data stay sparse") {
		t.Errorf("%v", b)
	}
	for k := range b.Parts {
		best := 0.0
		for l := range a.Parts {
			best = max(best, mat.Dot(a.Result.W.ColView(l), b.Result.W.ColView(k)))
		}
		if best < 0.999 {
			t.Errorf("part %d of the sparse fit has cosine %g", k, best)
		}
	}
	folder := filepath.Join(t.TempDir(), "thin")
	if err := b.Save(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "report.html")); err != nil {
		t.Error(err)
	}
	if again, err := Load(folder); err != nil || again.String() != b.String() {
		t.Error(err)
	}
}

// cells draws counts of cells of different depth that mix three programs of genes, and the programs.
func cells(n int, seed uint64) (s *datasets.Set, programs *mat.Dense) {
	const m = 60
	src := rand.New(rand.NewPCG(seed, 1))
	programs = mat.NewDense(m, 3, nil)
	for i := range m {
		for k := range 3 {
			programs.Set(i, k, 0.3)
			if i/20 == k {
				programs.Set(i, k, 2+4*float64(i%20)/19)
			}
		}
	}
	s = &datasets.Set{Name: "cells", X: mat.NewDense(m, n, nil)}
	for j := range n {
		depth := 0.5 * math.Exp(0.8*src.NormFloat64())
		var share [3]float64
		for k := range share {
			share[k] = src.ExpFloat64()
		}
		for i := range m {
			var mean float64
			for k, v := range share {
				mean += depth * v * programs.At(i, k)
			}
			s.X.Set(i, j, distuv.Poisson{Lambda: mean, Src: src}.Rand())
		}
		s.Samples = append(s.Samples, fmt.Sprintf("cell %d", j))
	}
	for i := range m {
		s.Features = append(s.Features, fmt.Sprintf("gene %d", i))
	}
	return s, programs
}

// Counts are fitted by their own deviances: the programs of genes are found, next to bursts and a
// foreign sample, which are told, and better than by the recipe of logarithms. A second file, and what
// was saved, know that they are counts.
func TestCountsFamily(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes with -race")
	}
	s, programs := cells(150, 1)
	nearest := func(a *Analysis) (mean float64) {
		w, _ := a.Result.Normalized(2)
		for k := range 3 {
			best := 0.0
			for l := range a.Rank {
				best = max(best, mat.Dot(programs.ColView(k), w.ColView(l))/mat.Norm(programs.ColView(k), 2))
			}
			mean += best / 3
		}
		return mean
	}
	clean, err := Study{Starts: 3}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(clean.BadEntries()) > 3 || len(clean.BadSamples()) > 2 || clean.Rank != 3 || nearest(clean) < 0.99 {
		t.Errorf("%d entries, %d samples, cosine %.3f\n%v", len(clean.BadEntries()), len(clean.BadSamples()), nearest(clean), clean)
	}
	for k := range 10 { // bursts, and what a detector lost
		s.X.Set(5*k, 7*k+2, 300)
	}
	for i := range 60 { // no program
		s.X.Set(i, 100, float64(8*(1+i*i%5)))
	}
	a, err := Study{Starts: 3, Rank: 3}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if a.Kind != Counts || a.Family != rnmf.Poisson || a.Result.Family != rnmf.Poisson || a.Robust.Family != rnmf.Poisson || !mat.Equal(a.Prepared.X, s.X) {
		t.Errorf("%v of %v", a.Family, a.Kind)
	}
	found, others := 0, 0
	for _, e := range a.BadEntries() {
		switch {
		case e.Value == 300 && e.Expected < 150:
			found++
		case e.Sample != 100:
			others++
		}
	}
	if found != 10 || others > 3 || nearest(a) < 0.98 {
		t.Errorf("%d of 10 bursts, %d others, cosine %.3f\n%v", found, others, nearest(a), a)
	}
	oneList(t, a)
	if bad := a.BadSamples(); !slices.ContainsFunc(bad, func(s Sample) bool { return s.Sample == 100 }) || len(bad) > 13 {
		t.Errorf("%+v", bad)
	}
	recipe, err := Study{Starts: 3, Kind: Measurements, Rank: a.Rank, Loss: rnmf.Frobenius{}, Steps: []datasets.Preprocessor{datasets.SampleSums{}, datasets.Log1p{}}}.Run(t.Context(), s)
	if err != nil || recipe.Family != rnmf.Gaussian || nearest(recipe) > nearest(a)-0.005 {
		t.Errorf("%v, cosine %.3f, and %.3f by deviances", err, nearest(recipe), nearest(a))
	}
	// Steps that leave no counts leave no deviances of counts.
	shares, err := Study{Starts: 2, Kind: Counts, Rank: 3, Steps: []datasets.Preprocessor{datasets.SampleSums{}}}.Run(t.Context(), s)
	if err != nil || shares.Family != rnmf.Gaussian || shares.BadEntries() != nil {
		t.Errorf("%v, %v", shares, err)
	}
	squares, err := Study{Starts: 2, Rank: 3, Loss: rnmf.Frobenius{}}.Run(t.Context(), s)
	if err != nil || squares.Family != rnmf.Poisson || !strings.Contains(squares.String(), "of Poisson deviances") {
		t.Errorf("%v, %v", squares, err)
	}

	folder := filepath.Join(t.TempDir(), "cells")
	if err := a.Save(folder); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "report.html"))
	if err != nil || !strings.Contains(string(page), "of Poisson deviances") {
		t.Error(err)
	}
	again, err := Load(folder)
	if err != nil || again.String() != a.String() || again.Family != rnmf.Poisson {
		t.Errorf("%v, %v", again, err)
	}
	fresh, _ := cells(20, 2)
	fresh.X.Set(7, 3, 500)
	b, err := again.Apply(t.Context(), fresh)
	if err != nil {
		t.Fatal(err)
	}
	if bad := b.BadEntries(); b.Family != rnmf.Poisson || b.Result.Family != rnmf.Poisson || len(bad) != 1 || bad[0].Feature != 7 || bad[0].Sample != 3 || b.BadSamples() != nil {
		t.Errorf("%v", b)
	}
	fresh.X.Set(7, 3, -1)
	if _, err := again.Apply(t.Context(), fresh); !errors.Is(err, rnmf.ErrNegative) {
		t.Error(err)
	}
	// Digits that come as a table are numbers of black pixels, with half of them 0.
	digits, err := datasets.Digits().Sample(8, 1)
	if err != nil {
		t.Fatal(err)
	}
	digits.Height, digits.Width = 0, 0
	if a, err := (Study{Starts: 2, Rank: 4}).Run(t.Context(), digits); err != nil || a.Family != rnmf.Poisson || float64(len(a.BadEntries())) > 0.02*64*80 {
		t.Errorf("%v, %v", a, err)
	}
}

// A model that predicts worse than means, or than zeros, is warned of.
func TestWarnings(t *testing.T) {
	s := datasets.Wine() // with a third missing, and more parts than that bears
	m, n := s.X.Dims()
	for i := range m {
		for j := range n {
			if (i*31+j*17+i*j)%3 == 0 {
				s.X.Set(i, j, math.NaN())
			}
		}
	}
	a, err := Study{Rank: 8, Starts: 2, Loss: rnmf.Frobenius{}}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if a.HeldOut <= a.HeldOutMeans || !strings.Contains(strings.Join(a.Warnings, "\n"), "worse than the mean of each feature") {
		t.Errorf("%g, means %g: %q", a.HeldOut, a.HeldOutMeans, a.Warnings)
	}
	x := mat.NewDense(30, 40, nil) // single entries, which nobody can predict
	for k := range 60 {
		x.Set(k*7%30, k*11%40, float64(1+k%3))
	}
	if a, err = (Study{Rank: 4, Starts: 2, Loss: rnmf.Frobenius{}}).Run(t.Context(), &datasets.Set{X: x}); err != nil {
		t.Fatal(err)
	}
	if a.HeldOut < 1 || !strings.Contains(strings.Join(a.Warnings, "\n"), "no better than the mean of each feature") {
		t.Errorf("%g: %q", a.HeldOut, a.Warnings)
	}
	x.Scale(1.5, x) // and are measurements
	if a, err = (Study{Rank: 4, Starts: 2, Loss: rnmf.Frobenius{}}).Run(t.Context(), &datasets.Set{X: x}); err != nil {
		t.Fatal(err)
	}
	if a.HeldOut < 1 || !strings.Contains(strings.Join(a.Warnings, "\n"), "zeros") {
		t.Errorf("%g: %q", a.HeldOut, a.Warnings)
	}
	s = datasets.Wine()
	s.Notes = []string{"warning: -1 is odd"}
	if a, err = (Study{Rank: 2, Starts: 2, Loss: rnmf.Frobenius{}, Steps: []datasets.Preprocessor{datasets.ScaleFeatures{}}}).Run(t.Context(), s); err != nil || a.Warnings[0] != "-1 is odd" {
		t.Errorf("%q, %v", a.Warnings, err)
	}
}

// Images of whole numbers are rounded, which is no error of a pixel; and an image of noise that takes a
// part to itself is named.
func TestRoundedImages(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 1))
	const side, n = 16, 80
	x := mat.NewDense(side*side, n, nil)
	for j := range n {
		for q := range 3 {
			height := 60 * src.ExpFloat64()
			for i := range side * side {
				dy, dx := float64(i/side-4*q-4), float64(i%side-4*q-4)
				x.Set(i, j, min(255, x.At(i, j)+height*math.Exp(-(dy*dy+dx*dx)/5)))
			}
		}
	}
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(v) }, x)
	for i := range side * side {
		x.Set(i, 30, float64(src.IntN(256)))
	}
	a, err := Study{Kind: Images, Rank: 4, Starts: 4, Loss: rnmf.L21NMF(1).Loss}.Run(t.Context(), &datasets.Set{X: x, Height: side, Width: side})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range a.BadEntries() {
		if off := math.Abs(e.Value - e.Expected); off < 1 {
			t.Errorf("%s of %s is called wrong, and is off by %.2f", e.FeatureName, e.SampleName, off)
		}
	}
	name := a.Prepared.SampleName(30)
	named := slices.ContainsFunc(a.BadSamples(), func(s Sample) bool { return s.Name == name })
	if !named && !strings.Contains(strings.Join(a.Warnings, "\n"), "one sample alone, "+name) {
		t.Errorf("noise is named nowhere: %q", a.Warnings)
	}
}

func TestErrors(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s := counts(20)
	for name, c := range map[string]struct {
		ctx  context.Context
		st   Study
		s    *datasets.Set
		want error
	}{
		"nil":       {t.Context(), Study{}, nil, datasets.ErrParameter},
		"empty":     {t.Context(), Study{}, &datasets.Set{}, datasets.ErrSize},
		"tiny":      {t.Context(), Study{}, &datasets.Set{X: mat.NewDense(2, 9, nil)}, datasets.ErrParameter},
		"one start": {t.Context(), Study{Starts: 1}, s, datasets.ErrParameter},
		"rank":      {t.Context(), Study{Rank: 50, Loss: rnmf.Frobenius{}}, s, rnmf.ErrRank},
		"cancelled": {ended, Study{}, s, context.Canceled},
	} {
		if _, err := c.st.Run(c.ctx, c.s); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		spoil func(s *datasets.Set)
		want  string
	}{
		"blanks":  {func(s *datasets.Set) { s.Features[1] = "height " }, `feature 1 is "height ", with white space around it`},
		"lines":   {func(s *datasets.Set) { s.Samples[2] = "a\r\nb" }, `sample 2 is "a\r\nb"`},
		"classes": {func(s *datasets.Set) { s.Classes[0] = "a " }, `class 0 is "a "`},
		"large":   {func(s *datasets.Set) { s.X.Set(2, 7, 1e200) }, "feature " + datasets.Wine().Features[2] + " of sample 7 is 1e+200, beyond all use: "},
	} {
		s := datasets.Wine()
		s.Samples = make([]string, 178)
		for j := range s.Samples {
			s.Samples[j] = fmt.Sprint("sample ", j)
		}
		c.spoil(s)
		if _, err := (Study{Rank: 2, Starts: 2, Loss: rnmf.Frobenius{}}).Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A small table that is mostly zeros, which do not tell the number of parts, is explored with a given one.
func TestMostlyZeros(t *testing.T) {
	x := mat.NewDense(12, 12, nil)
	for k := range 4 {
		x.Set(3*k, (5*k+1)%12, float64(k)+1.5)
	}
	s := &datasets.Set{X: x}
	if _, err := Run(t.Context(), s); !errors.Is(err, choose.ErrParameter) || !strings.Contains(err.Error(), "so few values are not 0 that they do not tell the number of parts: say it by Study.Rank: ") {
		t.Error(err)
	}
	a, err := Study{Rank: 2, Starts: 2}.Run(t.Context(), s)
	if err != nil || !slices.ContainsFunc(a.Warnings, func(w string) bool { return strings.HasPrefix(w, "so few values are not 0") }) {
		t.Fatalf("%v, %v", a, err)
	}
	if err := a.Save(filepath.Join(t.TempDir(), "zeros")); err != nil {
		t.Error(err)
	}
	if _, err := (Study{Rank: 2, Starts: 2}).Run(t.Context(), &datasets.Set{X: mat.NewDense(8, 8, nil)}); err != nil {
		t.Error(err)
	}
}

// Names of any length that a file may have can be saved.
func TestLongNames(t *testing.T) {
	s := datasets.Wine()
	for i := range s.Features {
		s.Features[i] = strings.Repeat(string(rune('a'+i)), 2300)
	}
	a, err := Study{Rank: 2, Starts: 2, Loss: rnmf.Frobenius{}}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if name := a.Parts[0].Name; len(name) > 300 || !strings.Contains(name, "…") {
		t.Errorf("a part is named %q", name)
	}
	if err := a.Save(filepath.Join(t.TempDir(), "long")); err != nil {
		t.Error(err)
	}
}

// What the factors are scaled by is in the files: with it W·H is in the unit of the file.
func TestUnits(t *testing.T) {
	s, _ := wines()
	a, err := Study{Rank: 3, Starts: 2}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	scale, offset := a.units()
	if scale == nil {
		t.Fatal("no scale of the features")
	}
	back := a.original(a.Result.WH())
	for i := range scale.RawMatrix().Rows {
		for j := range 5 {
			got, want := offset.At(i, 0)+scale.At(i, 0)*a.Result.WH().At(i, j), back(i, j)
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("feature %d, sample %d: %g, want %g", i, j, got, want)
			}
		}
	}
}

// Where features are split by sign, a value is that of the feature in the file, and no scale leads back to it.
func TestSplitSigns(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(3, 40, nil)
	x.Apply(func(i, _ int, _ float64) float64 { return float64(i) + src.NormFloat64() }, x)
	x.Set(1, 7, -200)
	for name, steps := range map[string][]datasets.Preprocessor{"split": {datasets.SplitSigns{}}, "and sums": {datasets.SplitSigns{}, datasets.SampleSums{}}} {
		a, err := Study{Rank: 2, Starts: 2, Loss: rnmf.Huber{}, Steps: steps}.Run(t.Context(), &datasets.Set{X: x, Features: []string{"a", "b", "c"}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if scale, _ := a.units(); scale != nil {
			t.Errorf("%s: a scale of features whose signs are split: %v", name, mat.Formatted(scale.T()))
		}
		if bad := a.BadEntries(); name == "split" && (len(bad) == 0 || bad[0].FeatureName != "b-" || bad[0].Sample != 7) {
			t.Errorf("%s: %v", name, bad[:min(1, len(bad))])
		}
		back := a.original(a.Prepared.X)
		for i := range 6 {
			for j := range 40 {
				if got, want := back(i, j), x.At(i%3, j); math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: feature %d of sample %d is %g, want %g", name, i, j, got, want)
				}
			}
		}
		if err := a.Save(filepath.Join(t.TempDir(), "out")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A gross value of a small table is found also where it takes a part to itself.
func TestGrossValueWithAPart(t *testing.T) {
	alone := 0
	for seed := range uint64(8) {
		src := rand.New(rand.NewPCG(seed, 1))
		w, h := mat.NewDense(4, 2, nil), mat.NewDense(2, 40, nil)
		for _, f := range []*mat.Dense{w, h} {
			f.Apply(func(int, int, float64) float64 { return src.ExpFloat64() + src.ExpFloat64() }, f)
		}
		var x mat.Dense
		x.Mul(w, h)
		x.Apply(func(_, _ int, v float64) float64 { return v * math.Exp(0.05*src.NormFloat64()) }, &x)
		x.Set(2, 17, 20*mat.Max(&x))
		a, err := Study{Seed: seed}.Run(t.Context(), &datasets.Set{X: &x, Features: []string{"height", "width", "depth", "mass"}})
		if err != nil {
			t.Fatal(err)
		}
		if parts, _ := lone(a.Result); len(parts) == 0 {
			continue
		}
		alone++
		if bad := a.BadEntries(); len(bad) == 0 || bad[0].FeatureName != "depth" || bad[0].Sample != 17 || bad[0].Expected > bad[0].Value/2 {
			t.Errorf("seed %d: %v", seed, bad)
		}
	}
	if alone == 0 {
		t.Error("in no table a value took a part: try other seeds")
	}
}
