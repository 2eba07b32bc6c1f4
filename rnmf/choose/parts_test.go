package choose

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// sparseParts returns data with noise and their planted parts, most entries of which are 0.
func sparseParts(m, n, rank int, noise float64, seed uint64) (x, w *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	some := func(share float64) func(_, _ int, _ float64) float64 {
		return func(_, _ int, _ float64) float64 {
			if rng.Float64() < share {
				return rng.ExpFloat64()
			}
			return 0
		}
	}
	w, h := mat.NewDense(m, rank, nil), mat.NewDense(rank, n, nil)
	w.Apply(some(0.25), w)
	h.Apply(some(0.4), h)
	x = mat.NewDense(m, n, nil)
	x.Mul(w, h)
	x.Apply(func(_, _ int, v float64) float64 { return max(0, v+noise*rng.NormFloat64()) }, x)
	return x, w
}

// nearest returns the mean over the planted parts of the largest cosine with a part found.
func nearest(truth, found *mat.Dense) float64 {
	_, k := truth.Dims()
	_, r := found.Dims()
	var sum float64
	for a := range k {
		best := 0.0
		for b := range r {
			best = max(best, mat.Dot(truth.ColView(a), found.ColView(b))/mat.Norm(truth.ColView(a), 2)/mat.Norm(found.ColView(b), 2))
		}
		sum += best / float64(k)
	}
	return sum
}

// The consensus has the planted parts, first those on which the starts agree, and parts in excess
// have little stability.
func TestConsensusParts(t *testing.T) {
	x, w := sparseParts(60, 80, 4, 0.2, 1)
	p, err := ConsensusParts{X: x, Fit: NewFitFunc(rnmf.NMF(6)), Starts: 12, Seed: 1}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for _, r := range p.Fits {
		mean += nearest(w, r.W) / 12
	}
	if got := nearest(w, p.W); got < 0.99 || got < mean-1e-3 {
		t.Errorf("cosine %.4f, single fits %.4f", got, mean)
	}
	stable := slices.IndexFunc(p.Stability, func(v float64) bool { return v < 0.9 })
	if stable < 4 || p.Stability[5] > 0.5 || p.Stability[0] > 1 || !slices.IsSortedFunc(p.Stability, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Fatalf("stability %.2f", p.Stability)
	}
	if first := mat.DenseCopyOf(p.W.Slice(0, 60, 0, stable)); nearest(w, first) < 0.99 {
		t.Errorf("the %d most stable parts have cosine %.3f", stable, nearest(w, first))
	}
	for k := range 6 {
		if l := mat.Norm(p.W.ColView(k), 2); math.Abs(l-1) > 1e-9 {
			t.Errorf("part %d has length %g", k, l)
		}
	}
	var d mat.Dense
	d.Sub(x, p.WH())
	if e := mat.Norm(&d, 2) / mat.Norm(x, 2); e > 0.15 {
		t.Errorf("the error of WH is %.3f", e)
	}
	// Distances and Order are those of the pool, cluster by cluster.
	dist, order := p.Distances(), p.Order()
	if n, _ := p.Pool.T().Dims(); n != 72 || len(order) != 72 || dist.SymmetricDim() != 72 || len(p.Sparseness) != 72 {
		t.Errorf("a pool of %d", n)
	}
	last := 0
	for _, a := range order {
		if c := p.Cluster[a]; c >= 0 && (c < last || last < 0) {
			t.Errorf("cluster %d after %d", c, last)
		}
		last = p.Cluster[a]
	}
	if got := p.String(); !strings.HasPrefix(got, "6 consensus parts of 12 starts: ") {
		t.Error(got)
	}
}

// The same seed gives the same bits for any number of workers; masks and Transform are passed on, and
// a start with gross parts of its own is left out.
func TestConsensusPartsFitters(t *testing.T) {
	x, w := sparseParts(30, 40, 3, 0.1, 2)
	mask := mat.NewDense(30, 40, nil)
	mask.Apply(func(i, j int, _ float64) float64 { return float64(min(1, (i+3*j)%7)) }, mask)
	x.Set(0, 0, math.NaN()) // hidden
	other := mat.NewDense(30, 3, nil)
	other.Apply(func(i, k int, _ float64) float64 { return float64((i*7 + k*5) % 11) }, other)
	fit := func(ctx context.Context, x, mask mat.Matrix, seed uint64) (*rnmf.Result, error) {
		r, err := NewFitFunc(rnmf.NMF(3))(ctx, x, mask, seed)
		if seed == 5 {
			r.W = other
		}
		return r, err
	}
	var first *Parts
	for _, workers := range []int{1, 3} {
		calls := 0
		p, err := ConsensusParts{X: x, Mask: mask, Fit: fit, Starts: 8, Seed: 1, Workers: workers, Progress: func(done, total int) {
			if done != calls || total != 8 {
				t.Errorf("progress %d of %d after %d calls", done, total, calls)
			}
			calls++
		}}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = p
		}
		if o, err := p.Outliers(x, nil); err != nil || o.E.At(0, 0) != 0 {
			t.Errorf("the mask of the fits: %v", err)
		}
		if !mat.Equal(p.W, first.W) || !mat.Equal(p.H, first.H) || calls != 9 {
			t.Errorf("%d workers: other bits, or %d calls", workers, calls)
		}
	}
	for k := range 3 {
		if first.Cluster[4*3+k] != -1 {
			t.Errorf("part %d of the odd start is in cluster %d", k, first.Cluster[4*3+k])
		}
	}
	if nearest(w, first.W) < 0.98 {
		t.Errorf("cosine %.3f", nearest(w, first.W))
	}
	want := mat.NewDense(3, 40, nil)
	p, err := ConsensusParts{X: x, Mask: mask, Fit: fit, Starts: 4, Apart: -1, Transform: func(_ context.Context, r *rnmf.Result, gotX, gotMask mat.Matrix) (*mat.Dense, error) {
		if gotX != mat.Matrix(x) || gotMask != mat.Matrix(mask) || r.W == nil || r.Loss == nil {
			t.Error("Transform gets something else")
		}
		return want, nil
	}}.Run(t.Context())
	if err != nil || p.H != want || slices.Contains(p.Cluster, -1) {
		t.Errorf("%v, %v", p, err)
	}
}

// Parts are in the order of their stability, and so stand for no class.
func TestConsensusPartsOfLabels(t *testing.T) {
	x, _ := sparseParts(30, 40, 3, 0.1, 2)
	l := rnmf.Labels{Class: slices.Repeat([]int{0, 1, 2, -1}, 10)}
	p, err := ConsensusParts{X: x, Fit: NewFitFunc(rnmf.RSSNMF(3, 0, l)), Starts: 3, Apart: -1}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Predict(p.H); !errors.Is(err, rnmf.ErrLabels) || len(p.Fits[p.Best].OnH) != 1 {
		t.Errorf("%v, want ErrLabels", err)
	}
}

func TestConsensusPartsErrors(t *testing.T) {
	x, _ := sparseParts(20, 15, 2, 0.1, 3)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	good := NewFitFunc(rnmf.NMF(2))
	broken := errors.New("broken")
	fails := func(done, _ int) {
		if done > 0 {
			panic("no")
		}
	}
	for name, c := range map[string]struct {
		ctx  context.Context
		s    ConsensusParts
		want error
	}{
		"no data":    {t.Context(), ConsensusParts{Fit: good}, ErrParameter},
		"no FitFunc": {t.Context(), ConsensusParts{X: x}, ErrParameter},
		"one start":  {t.Context(), ConsensusParts{X: x, Fit: good, Starts: 1}, ErrParameter},
		"NaN":        {t.Context(), ConsensusParts{X: x, Fit: good, Apart: math.NaN()}, ErrParameter},
		"too near":   {t.Context(), ConsensusParts{X: x, Fit: good, Starts: 3, Apart: 1e-300}, ErrParameter},
		"cancelled":  {ended, ConsensusParts{X: x, Fit: good}, context.Canceled},
		"rank":       {t.Context(), ConsensusParts{X: x, Fit: NewFitFunc(rnmf.NMF(50))}, rnmf.ErrRank},
		"two signs":  {t.Context(), ConsensusParts{X: x, Starts: 2, Fit: NewFitFunc(rnmf.Model{Rank: 2, Signed: true, SolverW: rnmf.NormalEquations{}, Init: rnmf.WarmStart{W: mat.NewDense(20, 2, slices.Repeat([]float64{-1, 1}, 20)), H: mat.NewDense(2, 15, slices.Repeat([]float64{1}, 30))}, MaxIter: 1})}, ErrParameter},
		"an error":   {t.Context(), ConsensusParts{X: x, Starts: 5, Fit: func(_ context.Context, _, _ mat.Matrix, seed uint64) (*rnmf.Result, error) { return nil, broken }}, broken},
		"a panic":    {t.Context(), ConsensusParts{X: x, Starts: 2, Fit: func(context.Context, mat.Matrix, mat.Matrix, uint64) (*rnmf.Result, error) { panic("no") }}, nil},
		"Goexit": {t.Context(), ConsensusParts{X: x, Fit: func(context.Context, mat.Matrix, mat.Matrix, uint64) (*rnmf.Result, error) {
			runtime.Goexit()
			return nil, nil
		}}, errGoexit},
		"Progress":  {t.Context(), ConsensusParts{X: x, Starts: 2, Fit: good, Progress: fails}, nil},
		"no result": {t.Context(), ConsensusParts{X: x, Starts: 2, Fit: func(context.Context, mat.Matrix, mat.Matrix, uint64) (*rnmf.Result, error) { return nil, nil }}, ErrParameter},
		"other rank": {t.Context(), ConsensusParts{X: x, Starts: 2, Fit: func(ctx context.Context, x, mask mat.Matrix, seed uint64) (*rnmf.Result, error) {
			return rnmf.NMF(1+int(seed)%2).Fit(ctx, x)
		}}, ErrParameter},
	} {
		_, err := c.s.Run(c.ctx)
		if c.want == nil && (err == nil || !strings.Contains(err.Error(), "panicked: no")) || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
