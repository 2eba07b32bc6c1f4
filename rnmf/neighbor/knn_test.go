package neighbor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

// naiveKNN is KNN by definition.
func naiveKNN(x *mat.Dense, k KNN) *mat.Dense {
	m, n := x.Dims()
	x = mat.DenseCopyOf(x)
	norms := make([]float64, n)
	for j := range n {
		norms[j] = mat.Norm(x.ColView(j), 2)
	}
	distance := func(i, j int) float64 {
		var s, dot float64
		for a := range m {
			d := x.At(a, i) - x.At(a, j)
			s += d * d
			dot += x.At(a, i) * x.At(a, j)
		}
		if k.Weights == Cosine {
			if norms[i] == 0 || norms[j] == 0 {
				return 1
			}
			return 1 - dot/norms[i]/norms[j]
		}
		return s
	}
	near := make([][]bool, n)
	for i := range n {
		var others []candidate
		for j := range n {
			if j != i {
				others = append(others, candidate{j, distance(i, j)})
			}
		}
		slices.SortFunc(others, nearer)
		near[i] = make([]bool, n)
		for _, c := range others[:k.K] {
			near[i][c.j] = true
		}
	}
	g := mat.NewDense(n, n, nil)
	var width, edges float64
	each := func(f func(i, j int)) {
		for i := range n {
			for j := range n {
				if near[i][j] && near[j][i] || !k.Mutual && (near[i][j] || near[j][i]) {
					f(i, j)
				}
			}
		}
	}
	each(func(i, j int) { width += math.Sqrt(distance(i, j)); edges++ })
	width /= edges
	if k.Width > 0 {
		width = k.Width
	}
	each(func(i, j int) {
		w := 1.0
		switch k.Weights {
		case HeatKernel:
			w = math.Exp(-distance(i, j) / (2 * width * width))
		case Cosine:
			w = max(0, 1-distance(i, j))
		}
		g.Set(i, j, w)
	})
	return g
}

func TestKNN(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	whole := mat.NewDense(2, 230, nil) // many at the same distance
	whole.Apply(func(_, _ int, _ float64) float64 { return float64(rng.IntN(6)) }, whole)
	far := testkit.Uniform(30, 40, 3) // one sample is far away, one is 0
	for i := range 30 {
		far.Set(i, 7, 1e9)
		far.Set(i, 8, 0)
	}
	for name, x := range map[string]*mat.Dense{"uniform": testkit.Uniform(20, 300, 1), "ties": whole, "far": far, "two": testkit.Uniform(3, 2, 1)} {
		_, n := x.Dims()
		for _, k := range []KNN{{K: 1}, {K: 5}, {K: 5, Mutual: true}, {K: 3, Weights: HeatKernel}, {K: 3, Weights: HeatKernel, Width: 0.7}, {K: 4, Weights: Cosine}} {
			if name == "ties" && k.Weights == Cosine {
				continue // rounding decides
			}
			k.K = min(k.K, n-1)
			g, err := k.Graph(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			if want := naiveKNN(x, k); !mat.EqualApprox(g, want, 1e-12) {
				t.Errorf("%s %+v: another graph", name, k)
			}
		}
	}
	if g, err := (KNN{}).Graph(t.Context(), testkit.Uniform(3, 1, 1)); err != nil || g.Edges() != 0 {
		t.Errorf("one sample: %v", err)
	}
}

func TestKNNForAnyGOMAXPROCS(t *testing.T) {
	x := testkit.Uniform(50, 700, 4)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var first *rnmf.Graph
	for _, p := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(p)
		g, err := KNN{Weights: HeatKernel}.Graph(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = g
		}
		if !mat.Equal(g, first) {
			t.Errorf("another graph with %d", p)
		}
	}
}

// 0 neighbours are 5.
func TestKNNDefaults(t *testing.T) {
	x := testkit.Uniform(14, 24, 1)
	graph := func(k int) *rnmf.Graph {
		g, err := KNN{K: k}.Graph(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	if !mat.Equal(graph(0), graph(5)) || mat.Equal(graph(0), graph(6)) {
		t.Error("the default is not 5 neighbours")
	}
}

func TestBadInput(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	x := testkit.Uniform(3, 4, 1)
	bad := mat.DenseCopyOf(x)
	bad.Set(2, 3, math.NaN())
	var none *mat.Dense // no matrix, though not nil as a mat.Matrix
	for _, c := range []struct {
		name string
		ctx  context.Context
		knn  KNN
		x    mat.Matrix
		want error
		says string // a part of the message
	}{
		{"nothing", t.Context(), KNN{}, nil, rnmf.ErrEmpty, "X is nil"},
		{"no matrix", t.Context(), KNN{}, none, rnmf.ErrEmpty, "X is nil"},
		{"no samples", t.Context(), KNN{}, &mat.Dense{}, rnmf.ErrEmpty, "X is 0×0"},
		{"too many neighbours", t.Context(), KNN{K: 4}, x, rnmf.ErrParameter, "KNN.K is 4, want 1 to 3"},
		{"too few", t.Context(), KNN{K: -1}, x, rnmf.ErrParameter, "KNN.K is -1"},
		{"weights", t.Context(), KNN{Weights: 3}, x, rnmf.ErrParameter, "KNN.Weights is 3, want ZeroOne, HeatKernel or Cosine"},
		{"width", t.Context(), KNN{Width: -1}, x, rnmf.ErrParameter, "KNN.Width is -1"},
		{"width of NaN", t.Context(), KNN{Width: math.NaN()}, x, rnmf.ErrParameter, "KNN.Width is NaN"},
		{"NaN", t.Context(), KNN{}, bad, rnmf.ErrNotFinite, "X[2,3] = NaN"},
		{"cancelled", ended, KNN{K: 2}, x, context.Canceled, ""},
	} {
		g, err := c.knn.Graph(c.ctx, c.x)
		if g != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestNeighborsCancel(t *testing.T) {
	x := testkit.Uniform(40, 3000, 1)
	if testkit.Long() {
		x = testkit.Uniform(2576, 7200, 1)
	}
	testkit.Cancel(t, map[string]func(ctx context.Context) error{
		"neighbours": func(ctx context.Context) error { _, err := KNN{}.Graph(ctx, x); return err },
	})
}

func BenchmarkKNN(b *testing.B) {
	for _, s := range [][2]int{{1024, 1440}, {784, 10000}} {
		b.Run(fmt.Sprintf("%dx%d", s[0], s[1]), func(b *testing.B) {
			x := testkit.Uniform(s[0], s[1], 1)
			for b.Loop() {
				if _, err := (KNN{}).Graph(b.Context(), x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestKNNOfTinyData(t *testing.T) {
	x := testkit.Uniform(6, 12, 1)
	for _, w := range []Weighting{ZeroOne, HeatKernel, Cosine} {
		for _, k := range []KNN{{K: 2, Weights: w}, {K: 2, Weights: w, Width: 0.3}} {
			want, err := k.Graph(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			for _, unit := range []float64{0x1p-300, 0x1p-500, 0x1p-550, 0x1p-700, 0x1p300} {
				var y mat.Dense
				y.Scale(unit, x)
				small := k
				small.Width *= unit
				got, err := small.Graph(t.Context(), &y)
				if err != nil {
					t.Fatal(err)
				}
				if !mat.Equal(got, want) {
					t.Errorf("weights %d, width %g, unit %g: another graph", w, k.Width, unit)
				}
			}
		}
	}
	var y mat.Dense // a sample far smaller than the others has an angle too
	y.CloneFrom(x)
	for i := range 6 {
		y.Set(i, 3, x.At(i, 3)*0x1p-700)
	}
	want, _ := KNN{K: 2, Weights: Cosine}.Graph(t.Context(), x)
	if got, err := (KNN{K: 2, Weights: Cosine}).Graph(t.Context(), &y); err != nil || !mat.Equal(got, want) {
		t.Errorf("one tiny sample: another graph (%v)", err)
	}
}
