package yours

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/explore"
)

// Each is read again as the notebook reads it, and knows what is wrong in it.
func TestYours(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	open := func(e Example, err error) (Example, *datasets.Set) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		s, err := datasets.Open(t.Context(), e.Path, datasets.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range e.Wrong {
			if !slices.Contains(s.Samples, name) {
				t.Errorf("%s: no sample %q among %q …", e.Path, name, s.Samples[:3])
			}
		}
		return e, s
	}
	e, s := open(Photos())
	if len(s.Samples) != 400 || len(s.Classes) != 10 || s.Height != 14 || len(e.Wrong) != 20 {
		t.Errorf("%v, %q", s, e.Wrong)
	}
	e, s = open(Wines())
	if len(s.Samples) != 178 || len(s.Features) != 13 || s.Classes[0] != "cultivar 1" || len(e.Wrong) != 7 || s.Mask() == nil {
		t.Errorf("%v, %q", s, e.Wrong)
	}
	if again, err := Wines(); err != nil || again.Path == e.Path {
		t.Errorf("the second is written to %s, %v", again.Path, err)
	}
	e, s = open(Words())
	if len(s.Features) != 565 || len(s.Samples) != 137 || s.Samples[1] != "1 Loomings" || len(e.Wrong) != 1 {
		t.Errorf("%v", s)
	}
}

// The trial tells what Open and explore guess wrong of a file, whether a note names the cure, and what is
// refused.
func TestTrial(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	lying := func(path string) error {
		s, err := datasets.Fashion().Sample(2, 1)
		if err != nil {
			return err
		}
		if s, err = s.Shrink(9, 9); err != nil {
			return err
		}
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		return errors.Join(datasets.WriteNPZ(f, datasets.MATVar{Name: "X", M: s.X.T()}), f.Close())
	}
	var out strings.Builder
	err := trial(t.Context(), &out, func(string) []tried {
		return []tried{
			{format: ".h5ad", path: "../../../datasets/testdata/hdf5/csr.h5ad", features: 3, samples: 4, classes: 4, kind: explore.Measurements, rank: 1},
			{format: ".npz", file: "a.npz", write: lying, features: 81, samples: 20, height: 9, width: 9, kind: explore.Images, cure: "OpenOptions.Height", rank: 2},
			{format: ".npz", file: "b.npz", write: lying, features: 81, samples: 20, height: 9, width: 9, kind: explore.Images, sideways: true, options: datasets.OpenOptions{Height: 9, Width: 9}, rank: 2},
			{format: "Parquet", file: "c.parquet", write: func(path string) error { return os.WriteFile(path, []byte("PAR1"), 0o600) }, refused: "datasets/columnar"},
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for k, want := range []string{"Three lines of Go", "format", "nothing", "height 0 for 9, width 0 for 9, measurements for images (a note)", "lie on their side (no note)", "refused, with the cure"} {
		if !strings.Contains(lines[k], want) {
			t.Errorf("line %d is %q, want %q", k, lines[k], want)
		}
	}
}

// The stored trial is of eight formats and more, and what is guessed wrong there a note mends.
func TestStoredTrial(t *testing.T) {
	text, err := os.ReadFile("trial.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"CSV ", "folder of images", "folder of .mtx", ".h5ad", ".npz", ".mat", "IDX", "Parquet"} {
		if !strings.Contains(string(text), "\n"+format) {
			t.Errorf("no %s in\n%s", format, text)
		}
	}
	if strings.Contains(string(text), "(no note)") || strings.Contains(string(text), "without the cure") {
		t.Errorf("a wrong guess without its cure:\n%s", text)
	}
}

func TestHits(t *testing.T) {
	called := func(names string) (all []explore.Sample) {
		for _, name := range strings.Split(names, "") {
			all = append(all, explore.Sample{Name: name})
		}
		return all
	}
	e := Example{Wrong: []string{"a", "b", "c"}}
	if got := e.Hits("rare", called("cxa")); got != "Called rare: 3, among them 2 of the 3 that are wrong; missed: b; called so without being wrong: x." {
		t.Error(got)
	}
	if got := e.Hits("wrong", called("abc")); got != "Called wrong: 3, among them 3 of the 3 that are wrong." {
		t.Error(got)
	}
	if got := (Example{}).Hits("wrong", called("a")); got != "Called wrong: 1." {
		t.Error(got)
	}
	if got := e.Hits("wrong", called("qwertyuiop")); !strings.HasSuffix(got, " and 2 more.") {
		t.Error(got)
	}
}

// The solutions of the exercises run with the examples, and each gives something. Others are no suspects.
func TestAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("three examples are explored several times")
	}
	for name, value := range map[string]string{"TMPDIR": t.TempDir(), "RNMF_QUICK": "1", "RNMF_HEADLESS": "1"} {
		t.Setenv(name, value)
	}
	var all []*explore.Analysis
	var known Example
	for _, write := range []func() (Example, error){Photos, Wines, Words} {
		told, err := Tell(t.Context(), "", write, datasets.OpenOptions{}, explore.Study{})
		if err != nil {
			t.Fatal(err)
		}
		if known.Path == "" { // the photos
			known = told.Example
		}
		all = append(all, told.Analysis)
	}
	table, err := Answers(t.Context(), known, all[0], all[1], all[2])
	if err != nil || len(table.Rows) != 6 {
		t.Fatalf("%v, %v", table, err)
	}
	more, err := known.Noise(all[0].Set, explore.Study{}, 0, 0.1)
	if err != nil || len(more) != 2 || more[0].Noise != 20 || more[1].Noise != 55 || more[0].All != 400 || more[0].Parts != all[0].Rank {
		t.Errorf("%v, %v", more, err)
	}
	twice, err := known.Twice(all[0].Set, explore.Study{})
	if err != nil || len(twice) != 1 || twice[0].Noise != 40 || twice[0].Strange > 0 || twice[0].Direction > 0.6 {
		t.Errorf("%+v, %v", twice, err)
	}
	spoiled, err := WrongPixels(t.Context(), all[0])
	if err != nil {
		t.Fatal(err)
	}
	if f, err := Races(all[0].Race, spoiled); f == nil || err != nil {
		t.Error(err)
	}
	if f, err := Told(all[1]); f == nil || err != nil {
		t.Error(err)
	}
	if got, want := Reasons(all[0], nil), "Of these 0 "; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q …", got, want)
	}
	followed(t, known, all[0])
	if f, err := known.Follow(t.Context(), all[1]); f != nil || err != nil {
		t.Errorf("%v, %v: a table has no images", f, err)
	}
	if f, err := Overview(all[0]); f == nil || err != nil {
		t.Error(err)
	}
	if told, err := Tell(t.Context(), known.Path, nil, datasets.OpenOptions{}, explore.Study{Rank: 2}); err != nil || told.Rank != 2 || told.Wrong != nil || told.Path != known.Path {
		t.Errorf("%v, %v", told.Example, err)
	}
	if f, err := known.Stand(all[0]); err != nil || !strings.HasPrefix(f.(*viz.Chart).Title.Text, "Of 20 wrong samples ") {
		t.Errorf("%q, %v", f.(*viz.Chart).Title.Text, err)
	}
	if table, err := Finds(all[2], 5); err != nil || table == nil || len(table.(*viz.Table).Rows) > 5 {
		t.Errorf("%v, %v", table, err)
	}
	if table, err := Finds(&explore.Analysis{}, 5); err != nil || table != nil {
		t.Errorf("%v, %v", table, err)
	}
	if f, err := StandOut(t.Context(), all[0]); err != nil || f.(*viz.Chart).Title.Text != "As given nothing stands out, with wrong pixels something" {
		t.Errorf("%q, %v", f.(*viz.Chart).Title.Text, err)
	}
	ten, noise, err := Ten(all[0])
	if err != nil {
		t.Fatal(err)
	}
	if classes := slices.Compact(slices.Sorted(slices.Values(ten.Labels))); len(classes) != 10 {
		t.Errorf("classes %v", classes)
	}
	next, err := all[0].Apply(t.Context(), ten)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := New(next, noise); f == nil || err != nil || mat.Sum(noise) == 0 {
		t.Error(err, mat.Formatted(noise))
	}
	if f, err := OwnFeatures(all[2]); f == nil || err != nil {
		t.Error(err)
	}
	if f, err := InOrder(all[2], "32 Cetology"); f == nil || err != nil {
		t.Error(err)
	}
	if f, err := known.Shuffled(all[0], 4); f == nil || err != nil {
		t.Error(err)
	}
	called := append(all[0].BadSamples(), all[0].RareSamples()...)
	seen := map[int]bool{}
	for _, s := range Others(all[0], 21) {
		if seen[s.Sample] || slices.ContainsFunc(called, func(c explore.Sample) bool { return c.Sample == s.Sample }) {
			t.Errorf("sample %d is called, or comes twice", s.Sample)
		}
		seen[s.Sample] = true
	}
	if len(seen) != 21 {
		t.Errorf("%d others, want 21", len(seen))
	}
}

// What is followed through the single fits agrees with the search that asked them all, on average, and z with the sizes
// that the table shows.
func followed(t *testing.T, e Example, a *explore.Analysis) {
	t.Helper()
	f, err := e.Follow(t.Context(), a)
	if err != nil || f == nil || len(f.Fits) != 4 {
		t.Fatalf("%+v, %v", f, err)
	}
	var mean choose.Suspect
	for _, fit := range f.Fits {
		mean.MeanApart += fit.MeanApart / 4
		mean.Apart += fit.Apart / 4
		mean.Many += fit.Many / 4
		mean.Direction += fit.Direction / 4
		if z := math.Log(fit.Size/fit.Median) / math.Log(fit.Median/fit.Low); math.Abs(z-fit.MeanApart) > 1e-9 {
			t.Errorf("z %g of the sizes, and %g of the search", z, fit.MeanApart)
		}
		if by := fit.As; by < 1 || by > 400 {
			t.Errorf("%d are as far apart", by)
		}
		if odd := fit.Direction > fit.DirectionLimit; odd != (fit.Strange > 0) {
			t.Errorf("direction %g, limit %g, called %g", fit.Direction, fit.DirectionLimit, fit.Strange)
		}
	}
	want := a.Suspects.Samples[slices.IndexFunc(a.Suspects.Samples, func(of choose.Suspect) bool { return of.Sample == f.Fits[0].Sample })]
	for _, of := range [][2]float64{{mean.MeanApart, want.MeanApart}, {mean.Apart, want.Apart}, {mean.Many, want.Many}, {mean.Direction, want.Direction}} {
		if math.Abs(of[0]-of[1]) > 1e-9 {
			t.Errorf("%+v on average, want %+v", mean, want)
		}
	}
	if table, err := f.Table(); err != nil || len(table.Rows) != 10 || !strings.HasPrefix(table.Caption, f.Name+" is called wrong in ") {
		t.Errorf("%v, %v", table, err)
	}
	if p, err := f.Draw(); p == nil || err != nil {
		t.Error(err)
	}
}

// The title of the calls says up to which share all noise is called wrong, and from which on none.
func TestCalls(t *testing.T) {
	for want, calls := range map[string]Calls{
		"Noise that is called wrong: all up to 20 %, none from 30 % on": {{All: 10, Noise: 1, Wrong: 1, Apart: 3}, {All: 10, Noise: 2, Wrong: 2}, {All: 10, Noise: 3}},
		"Noise that is called wrong":                                    {{All: 10, Noise: 1, Apart: 3}, {All: 10, Noise: 2, Wrong: 2}, {All: 10, Noise: 3, Wrong: 2}},
	} {
		f, err := calls.Draw()
		if err != nil || f.(*viz.Chart).Title.Text != want {
			t.Errorf("%v, %v, want %q", f, err, want)
		}
		calls[0].NoiseZ, calls[0].Deviation = []float64{3}, 1
		for _, of := range []func() (viz.Figure, error){calls[0].Rule2, calls[0].Rulers} {
			if f, err := of(); f == nil || err != nil {
				t.Errorf("%v, %v", f, err)
			}
		}
		if f, err := (Call{}).Rulers(); f != nil || !errors.Is(err, viz.ErrEmpty) {
			t.Errorf("%v, %v", f, err)
		}
		for _, of := range []func() (*viz.Table, error){calls.Table, calls.Limits} {
			if table, err := of(); err != nil || len(table.Rows) != 3 {
				t.Error(table, err)
			}
		}
	}
}

// Of a hundred, one is called where 0.02 are as far apart by chance, and two where 0.04 are.
func TestRule2(t *testing.T) {
	all := make([]float64, 100)
	all[99] = 3.5 // 0.0233 of 100 by chance
	if count, from := rule2(all); count != 0 || math.Abs(from-3.5401) > 1e-3 {
		t.Errorf("%d are called from %g on", count, from)
	}
	all[98] = 3.4 // 0.0337 of 100, and 2 % of two are 0.04
	if count, from := rule2(all); count != 2 || math.Abs(from-3.3528) > 1e-3 {
		t.Errorf("%d are called from %g on", count, from)
	}
	s := orMore([]float64{1, 2.5, 3, 5}, 2, 4)
	if !slices.Equal(s.X, []float64{2, 2.5, 2.5, 3, 3, 4}) || !slices.Equal(s.Y, []float64{3, 3, 2, 2, 1, 1}) {
		t.Errorf("%v, %v", s.X, s.Y)
	}
}

// Without noise z is what it is by the others alone, to the 0.6 % by which 16 % of normal values are not one deviation
// off. Noise raises the median and widens the distance to the low quantile.
func TestPredicted(t *testing.T) {
	for _, c := range []struct {
		noise int
		want  float64
	}{{0, 3.62 / 0.9945}, {33, 2.16}, {50, 0}} { // for a third, (3.62 − Φ⁻¹(0.746)) / (Φ⁻¹(0.746) − Φ⁻¹(0.239)) = 2.158
		if got := (Call{All: 100, Noise: c.noise, AmongOthers: 3.62}).predicted(); math.Abs(got-c.want) > 0.01 {
			t.Errorf("with %d %% of noise %.3f, want %.3f", c.noise, got, c.want)
		}
	}
}

// Of two parts, the first has the first samples and one of the last.
func TestInOrder(t *testing.T) {
	h := mat.NewDense(2, 5, []float64{1, 1, 0.2, 0, 0, 0, 0, 0.1, 1, 1})
	a := &explore.Analysis{Result: &rnmf.Result{W: mat.NewDense(2, 2, []float64{1, 0, 0, 1}), H: h}, Rank: 2,
		Parts: []explore.Part{{Name: "1: a", Samples: 3, Stability: 0.9}, {Name: "2: b", Samples: 2}}}
	if f, err := InOrder(a); f == nil || err != nil {
		t.Error(err)
	}
	got := Largest(a, []explore.Sample{{Sample: 0}, {Sample: 2}, {Sample: 4}})
	if want := "The largest part of 2 of them and of 1 others is 1: a, whose stability is 0.90."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a.Prepared = &datasets.Set{Labels: []int{0, 1, 1, 1, 0}, Classes: []string{"x", "y"}}
	if got, want := Classes(a), "1: a: 2 y, 1 x\n2: b: 1 x, 1 y"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What becomes of the samples of a part is told with the part's cosine.
func TestWhere(t *testing.T) {
	h := mat.NewDense(2, 20, nil)
	for j := range 20 {
		h.Set(0, j, 1)
	}
	h.Set(1, 4, 6)
	a := &explore.Analysis{Result: &rnmf.Result{W: mat.NewDense(2, 2, []float64{1, 0, 0, 1}), H: h}, Prepared: &datasets.Set{}, Parts: []explore.Part{{Samples: 19}, {Samples: 1}}}
	if got := where(a, a); len(got) != 2 || got[0] != "of the 19 of part 1, 19 in part 1 (cosine 1.00)" {
		t.Errorf("%q", got)
	}
}
