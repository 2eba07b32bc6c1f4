package choose

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

func uniform(m, n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(m, n, nil)
	x.Apply(func(int, int, float64) float64 { return rng.Float64() }, x)
	return x
}

// planted is of rank r, sparse enough for parts to be told apart, with noise.
func planted(m, n, r int, noise float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 2))
	w, h := uniform(m, r, seed+10), uniform(r, n, seed+20)
	sparse := func(_, _ int, v float64) float64 { return max(0, v-0.4) }
	w.Apply(sparse, w)
	h.Apply(sparse, h)
	x := mat.NewDense(m, n, nil)
	x.Mul(w, h)
	x.Apply(func(_, _ int, v float64) float64 { return max(0, v+noise*rng.NormFloat64()) }, x)
	return x
}

// SciPy's average linkage.
func TestLinkageGolden(t *testing.T) {
	var file struct {
		Cases []struct {
			Name string
			N    int
			D, H []float64
			C    float64
		}
	}
	testkit.Golden(t, "testdata/linkage.json", &file)
	if len(file.Cases) < 7 {
		t.Fatal("cases are missing")
	}
	for _, c := range file.Cases {
		d := mat.NewSymDense(c.N, nil)
		k := 0
		for i := range c.N {
			for j := i + 1; j < c.N; j++ {
				d.SetSym(i, j, c.D[k])
				k++
			}
		}
		h, _ := averageLinkage(d)
		k = 0
		for i := range c.N {
			for j := i + 1; j < c.N; j++ {
				if math.Abs(h.At(i, j)-c.H[k]) > 1e-12 {
					t.Fatalf("%s: height of %d and %d is %g, want %g", c.Name, i, j, h.At(i, j), c.H[k])
				}
				k++
			}
		}
		if got := CopheneticCorrelation(d); math.Abs(got-c.C) > 1e-12 {
			t.Errorf("%s: %.15g, want %.15g", c.Name, got, c.C)
		}
	}
}

func TestConsensus(t *testing.T) {
	// Two clusterings of four samples, by hand: C_01 = 1, C_02 = C_12 = ½, C_23 = ½, others 0.
	c, err := NewConsensus([][]int{{0, 0, 1, 1}, {7, 7, 7, 2}})
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewSymDense(4, []float64{1, 1, 0.5, 0, 0, 1, 0.5, 0, 0, 0, 1, 0.5, 0, 0, 0, 1})
	if !mat.Equal(c.C, want) {
		t.Errorf("%v", mat.Formatted(c.C))
	}
	if d := c.Dispersion(); d != (16.0-6)/16 { // six entries are ½
		t.Errorf("dispersion %g", d)
	}
	// d = 0, ½, 1, ½, 1, ½ for 01 02 03 12 13 23. 0 and 1 at 0; then 2 is at ½ from both
	// {0 1} and 3. Joined to {0 1} the heights are 0, ½, (1 + 1 + ½)/3; to 3, ½ and ¾.
	d := []float64{0, 0.5, 1, 0.5, 1, 0.5}
	first := correlation(d, []float64{0, 0.5, 5.0 / 6, 0.5, 5.0 / 6, 5.0 / 6})
	second := correlation(d, []float64{0, 0.75, 0.75, 0.75, 0.75, 0.5})
	if r := c.Cophenetic(); math.Abs(r-first) > 1e-12 && math.Abs(r-second) > 1e-12 {
		t.Errorf("cophenetic %g, want %g or %g", r, first, second)
	}
	if r, _ := score.AdjustedRand([]int{0, 0, 1, 1}, []int{7, 7, 7, 2}); c.Rand != r {
		t.Errorf("Rand %g, want %g", c.Rand, r)
	}
	same, err := NewConsensus([][]int{{0, 0, 1, 2}, {2, 2, 0, 1}, {5, 5, 6, 7}})
	if err != nil || same.Dispersion() != 1 || math.Abs(same.Cophenetic()-1) > 1e-12 || same.Rand != 1 {
		t.Error("equal clusterings", err)
	}
	one, err := NewConsensus([][]int{{0, 0, 0}, {1, 1, 1}})
	if err != nil || one.Cophenetic() != 0 || one.Dispersion() != 1 {
		t.Error("one cluster", err)
	}
	apart, err := NewConsensus([][]int{{0, 1, 0, 1, 0, 1}, {3, 2, 3, 2, 3, 2}})
	if err != nil {
		t.Fatal(err)
	}
	odd := 0
	for i, j := range apart.Order() { // the samples of a cluster come one after the other
		odd += (j + i/3) % 2
	}
	if order := slices.Sorted(slices.Values(apart.Order())); odd%6 != 0 || !slices.Equal(order, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("order %v", apart.Order())
	}
	for _, bad := range [][][]int{nil, {{}}, {{0, 1}, {0}}} {
		if _, err := NewConsensus(bad); !errors.Is(err, ErrParameter) {
			t.Error(err)
		}
	}
	if _, err := NewConsensus([][]int{{0, 1}, {0, -1}}); err == nil {
		t.Error("a negative cluster")
	}
}

func correlation(a, b []float64) float64 {
	var ma, mb, aa, bb, ab float64
	for i := range a {
		ma += a[i] / float64(len(a))
		mb += b[i] / float64(len(b))
	}
	for i := range a {
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
		ab += (a[i] - ma) * (b[i] - mb)
	}
	return ab / math.Sqrt(aa*bb)
}

func TestSilhouette(t *testing.T) {
	// Samples 0, 1 and 10, 13 on a line: means 0.5 and 11.5.
	x := mat.NewDense(1, 4, []float64{0, 1, 10, 13})
	want := ((11.5-0.5)/11.5 + (10.5-0.5)/10.5 + (9.5-1.5)/9.5 + (12.5-1.5)/12.5) / 4
	if s, err := Silhouette(x, []int{3, 3, 0, 0}); err != nil || math.Abs(s-want) > 1e-12 {
		t.Errorf("%g, want %g, %v", s, want, err)
	}
	if s, err := Silhouette(x, []int{0, 1, 0, 1}); err != nil || s >= 0 {
		t.Error("wrong clusters", s, err)
	}
	for _, of := range [][]int{{1, 1, 1, 1}, {0, 1, 2, 3}} {
		if s, err := Silhouette(x, of); err != nil || s != 0 {
			t.Error(s, err)
		}
	}
	if _, err := Silhouette(mat.NewDense(1, 4, []float64{1, 2, math.NaN(), 3}), []int{0, 0, 1, 1}); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "X[0,2] = NaN") {
		t.Errorf("data with NaN: %v", err)
	}
	if s, err := Silhouette(mat.NewDense(2, 4, nil), []int{0, 0, 1, 1}); err != nil || s != 0 {
		t.Error("samples that are the same", s, err)
	}
	for _, of := range [][]int{nil, {0, 1}, {0, 1, -1, 0}} {
		if _, err := Silhouette(x, of); !errors.Is(err, ErrParameter) {
			t.Error(err)
		}
	}
}

func TestHeldOut(t *testing.T) {
	x := planted(9, 14, 2, 0.02, 1)
	hole := mat.NewDense(9, 14, nil)
	hole.Apply(func(i, j int, _ float64) float64 {
		if (i+3*j)%5 == 0 {
			return 0
		}
		return 2
	}, hole)
	holed := mat.DenseCopyOf(x)
	for i := range 9 {
		for j := range 14 {
			if hole.At(i, j) == 0 {
				holed.Set(i, j, math.NaN())
			}
		}
	}
	// Each entry is held out once, and an honest model never sees it.
	times := mat.NewDense(9, 14, nil)
	var fold int
	spy := func(ctx context.Context, y, mask mat.Matrix, seed uint64) (*rnmf.Result, error) {
		if seed != 3+uint64(fold) {
			t.Errorf("seed %d in fold %d", seed, fold)
		}
		fold++
		out := 0
		for i := range 9 {
			for j := range 14 {
				switch w := mask.At(i, j); {
				case w == 0 && hole.At(i, j) > 0:
					times.Set(i, j, times.At(i, j)+1)
					out++
				case w != hole.At(i, j):
					t.Fatal("another weight")
				}
			}
		}
		if out < 24 || out > 26 {
			t.Errorf("%d entries in a fold", out)
		}
		return NewFitFunc(rnmf.NMF(2))(ctx, y, mask, seed)
	}
	e, err := HeldOut{Folds: 4, Seed: 3, Mask: hole}.Of(context.Background(), spy, holed)
	if err != nil {
		t.Fatal(err)
	}
	if fold != 4 || len(e.Absolute) != 4 || len(e.Squared) != 4 {
		t.Fatal("folds are missing")
	}
	for i := range 9 {
		for j := range 14 {
			if want := min(hole.At(i, j), 1); times.At(i, j) != want {
				t.Fatalf("entry %d, %d was held out %g times", i, j, times.At(i, j))
			}
		}
	}
	// The numbers, once more.
	w, h := uniform(9, 2, 5), uniform(2, 14, 6)
	fixed := func(context.Context, mat.Matrix, mat.Matrix, uint64) (*rnmf.Result, error) {
		return &rnmf.Result{W: w, H: h}, nil
	}
	s := HeldOut{Folds: 2, Seed: 8}
	e, err = s.Of(context.Background(), fixed, x)
	if err != nil {
		t.Fatal(err)
	}
	folds, _ := s.split(x)
	for f := range 2 {
		var a, b, c, d float64
		for i := range 9 {
			for j := range 14 {
				if folds[i*14+j] == f {
					r := x.At(i, j) - mat.Dot(w.RowView(i), h.ColView(j))
					a, b, c, d = a+math.Abs(r), b+x.At(i, j), c+r*r, d+x.At(i, j)*x.At(i, j)
				}
			}
		}
		if math.Abs(e.Absolute[f]-a/b) > 1e-12 || math.Abs(e.Squared[f]-math.Sqrt(c/d)) > 1e-12 {
			t.Errorf("fold %d: %g and %g, want %g and %g", f, e.Absolute[f], e.Squared[f], a/b, math.Sqrt(c/d))
		}
	}
	if m, se := MeanError([]float64{1, 2, 3, 6}); m != 3 || math.Abs(se-math.Sqrt(14.0/3)/2) > 1e-12 {
		t.Error(m, se)
	}
	for _, s := range []HeldOut{{Folds: 1}, {Folds: -2}, {Folds: 1000}, {Mask: uniform(3, 3, 1)}} {
		if _, err := s.Of(context.Background(), fixed, x); !errors.Is(err, ErrParameter) {
			t.Error(err)
		}
	}
	if _, err := (HeldOut{}).Of(context.Background(), NewFitFunc(rnmf.NMF(1)), mat.NewDense(4, 4, nil)); !errors.Is(err, ErrParameter) {
		t.Error("all zeros", err)
	}
	if _, err := (HeldOut{}).Of(context.Background(), nil, x); !errors.Is(err, ErrParameter) {
		t.Errorf("no FitFunc: %v", err)
	}
	nothing := func(context.Context, mat.Matrix, mat.Matrix, uint64) (*rnmf.Result, error) { return nil, nil }
	if _, err := (HeldOut{}).Of(context.Background(), nothing, x); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "FitFunc") {
		t.Errorf("no result: %v", err)
	}
	if err := (Scorer{X: x, Folds: -1, Fit: func(Setting) FitFunc { return nothing }}).starts(context.Background(), nothing, Scores{}); !errors.Is(err, ErrParameter) {
		t.Errorf("no result of a start: %v", err)
	}
	negative := uniform(x.RawMatrix().Rows, x.RawMatrix().Cols, 1)
	negative.Set(1, 2, -1)
	if _, err := (HeldOut{Mask: negative}).Of(context.Background(), NewFitFunc(rnmf.NMF(1)), x); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "Mask[1,2] = -1") {
		t.Errorf("a negative mask: %v", err)
	}
	if _, err := (HeldOut{}).Of(context.Background(), fixed, uniform(4, 14, 1)); !errors.Is(err, ErrParameter) {
		t.Error("factors of other data", err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (HeldOut{}).Of(done, NewFitFunc(rnmf.NMF(2)), x); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The rank that data were made with is found, by what is held out and by the
// agreement of starts, and any number of workers gives the same bits.
func TestRankIsFound(t *testing.T) {
	const r = 3
	x := planted(24, 40, r, 0.02, 2)
	var want *Table
	for _, workers := range []int{1, 3} {
		table, err := Grid{
			Parameters: []Parameter{{"rank", Range(2, 5)}},
			Score: Scorer{X: x, Starts: 3, Folds: 3, Fit: func(p Setting) FitFunc {
				m := rnmf.NMF(int(p.Value("rank")))
				m.Tol, m.MaxIter = 1e-6, 200
				return NewFitFunc(m)
			}}.Score,
			Workers: workers,
		}.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = table
		}
		if !reflect.DeepEqual(table, want) {
			t.Error("another table with more workers")
		}
	}
	for _, c := range []Criterion{{Score: ScoreHeldOut, Smaller: true}, {Score: ScoreHeldOut, Smaller: true, Error: ScoreHeldOutSE}} {
		if best, _ := want.Best(c); best.Setting.Value("rank") != r {
			t.Errorf("%+v chooses %v: %v", c, best.Setting, want.Rows)
		}
	}
	if row, _ := want.BeforeFall(ScoreCophenetic); row.Setting.Value("rank") > r {
		t.Errorf("the cophenetic correlation falls after %v: %v", row.Setting, want.Rows)
	}
}

func TestScorer(t *testing.T) {
	x := mat.NewDense(6, 30, nil)
	truth := make([]int, 30)
	rng := rand.New(rand.NewPCG(1, 1))
	for j := range 30 {
		truth[j] = j % 3
		for i := range 6 {
			x.Set(i, j, 0.2*rng.Float64())
			if i/2 == truth[j] {
				x.Set(i, j, 1+rng.Float64())
			}
		}
	}
	fit := func(p Setting) FitFunc {
		m := rnmf.SparseNMF(3, p.Value("alpha"), p.Value("alpha"), nil, 0)
		m.MaxIter = 50
		return NewFitFunc(m)
	}
	table, err := Grid{Parameters: []Parameter{{"alpha", []float64{0.01, 1e5}}}, Score: Scorer{X: x, Fit: fit, Truth: truth, Clusters: ByKMeans(3)}.Score}.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	good, bad := table.Rows[0].Scores, table.Rows[1].Scores
	if len(good) != 10 || good[ScoreAccuracy] < 0.9 || good[ScoreCollapsed] != 0 || good[ScoreSilhouette] < 0.5 {
		t.Error(good)
	}
	if bad[ScoreCollapsed] != 1 || bad[ScoreHeldOut] != 1 || bad[ScoreAccuracy] > 0.6 {
		t.Error(bad)
	}
	choices, err := table.Choices(ScoreAccuracy, WithoutLabels...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range choices {
		if c.Row.Setting.Value("alpha") != 0.01 && c.Criterion.Score != ScoreStability && c.Criterion.Score != ScoreDispersion {
			t.Errorf("%+v", c)
		}
	}
	// Missing entries and no labels; no starts; no folds.
	mask := mat.NewDense(6, 30, nil)
	mask.Apply(func(i, j int, _ float64) float64 { return float64(min((i*j)%7, 1)) }, mask)
	s, err := Scorer{X: x, Fit: fit, Mask: mask}.Score(context.Background(), table.Rows[0].Setting)
	if _, has := s[ScoreSilhouette]; err != nil || has || s[ScoreStability] == 0 || len(s) != 6 {
		t.Error(s, err)
	}
	if s, err := (Scorer{X: x, Fit: fit, Starts: -1}).Score(context.Background(), table.Rows[0].Setting); err != nil || len(s) != 2 {
		t.Error(s, err)
	}
	if s, err := (Scorer{X: x, Fit: fit, Folds: -1}).Score(context.Background(), table.Rows[0].Setting); err != nil || len(s) != 5 {
		t.Error(s, err)
	}
	if _, err := (Scorer{X: x}).Score(context.Background(), table.Rows[0].Setting); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
}
