package deep

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

func uniform(m, n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := mat.NewDense(m, n, nil)
	d.Apply(func(_, _ int, _ float64) float64 { return rng.Float64() }, d)
	return d
}

// blobs returns k clusters of each samples that lie far apart, and their classes.
func blobs(features, k, each int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 5))
	centre := uniform(features, k, seed)
	x, class := mat.NewDense(features, k*each, nil), make([]int, k*each)
	for j := range class {
		class[j] = j % k
		for i := range features {
			x.Set(i, j, max(0, 3*math.Round(centre.At(i, j%k))+1+0.1*rng.NormFloat64()))
		}
	}
	return x, class
}

// The gradients by which each of the losses is lowered are those of finite differences.
func TestGradients(t *testing.T) {
	x, p := uniform(7, 6, 1), uniform(7, 3, 2)
	for i := range 7 {
		row := p.RawRowView(i)
		sum := row[0] + row[1] + row[2]
		for j := range row {
			row[j] /= sum
		}
	}
	onehot := mat.NewDense(7, 3, nil)
	for i := range 7 {
		onehot.Set(i, i%3, 1)
	}
	idec := IDEC{K: 3, Layers: []int{5, 4, 2}, Gamma: 0.7}
	w := member{5, 2}
	for name, loss := range map[string]func(s *model.Scope, a []*Node) *Node{
		"the autoencoder's": func(s *model.Scope, a []*Node) *Node {
			return idec.reconstruction(s, a[0], idec.encode(s, a[0]))
		},
		"IDEC's":     func(s *model.Scope, a []*Node) *Node { return idec.loss(s, a[0], a[1]) },
		"a member's": func(s *model.Scope, a []*Node) *Node { return w.reconstruction(s, a[0], w.encode(s, a[0])) },
		"a member's with labels": func(s *model.Scope, a []*Node) *Node {
			return w.supervised(s, a[0], a[2])
		},
	} {
		nt, err := newNet(3, dtypes.Float64)
		if err != nil {
			t.Fatal(err)
		}
		if name == "IDEC's" {
			if _, err := nt.store.Scope("/centres").CreateVariable("mu", nt.tensor(uniform(3, 2, 4), series(3))); err != nil {
				t.Fatal(err)
			}
		}
		value, err := nt.compile(func(s *model.Scope, a []*Node) []*Node { return []*Node{loss(s, a)} })
		if err != nil {
			t.Fatal(err)
		}
		gradient, err := nt.compile(func(s *model.Scope, a []*Node) []*Node {
			return s.BuildTrainableVariablesGradientsGraph(loss(s, a))
		})
		if err != nil {
			t.Fatal(err)
		}
		args := []*tensors.Tensor{nt.tensor(x, series(7)), nt.tensor(p, series(7)), nt.tensor(onehot, series(7))}
		at := func() float64 {
			v, err := value(args...)
			if err != nil {
				t.Fatal(err)
			}
			return number(v[0])
		}
		at() // makes the variables
		var variables []*model.Variable
		for v := range nt.store.IterVariables() {
			if v.Trainable && v.Shape().DType == dtypes.Float64 {
				variables = append(variables, v)
			}
		}
		g, err := gradient(args...)
		if err != nil {
			t.Fatal(err)
		}
		if len(g) != len(variables) || len(g) < 8 {
			t.Fatalf("%s: %d gradients of %d variables", name, len(g), len(variables))
		}
		for i, v := range variables {
			value, err := v.Value()
			if err != nil {
				t.Fatal(err)
			}
			flat, err := tensors.CopyFlatData[float64](value)
			if err != nil {
				t.Fatal(err)
			}
			want, err := tensors.CopyFlatData[float64](g[i])
			if err != nil {
				t.Fatal(err)
			}
			dims := v.Shape().Dimensions
			for e := range flat {
				const h = 1e-6
				move := func(by float64) float64 {
					moved := slices.Clone(flat)
					moved[e] += by
					if err := v.SetValue(tensors.FromFlatDataAndDimensions(moved, dims...)); err != nil {
						t.Fatal(err)
					}
					return at()
				}
				got := (move(h) - move(-h)) / (2 * h)
				move(0)
				if math.Abs(got-want[e]) > 1e-6*max(1, math.Abs(got)) {
					t.Errorf("%s loss, %s[%d]: gradient %g, by differences %g", name, v.Path(), e, want[e], got)
				}
			}
		}
	}
}

// The shares and targets are those of their definitions, and their rows sum to 1.
func TestTarget(t *testing.T) {
	d := IDEC{K: 4, Layers: []int{3}}
	nt, err := newNet(1, dtypes.Float64)
	if err != nil {
		t.Fatal(err)
	}
	z, mu := uniform(9, 3, 1), uniform(4, 3, 2)
	if _, err := nt.store.Scope("/centres").CreateVariable("mu", nt.tensor(mu, series(4))); err != nil {
		t.Fatal(err)
	}
	share, err := nt.compile(func(s *model.Scope, a []*Node) []*Node { return []*Node{d.share(s, a[0])} })
	if err != nil {
		t.Fatal(err)
	}
	q, err := nt.all(share, z, 4) // batches of 4, 4 and 1
	if err != nil {
		t.Fatal(err)
	}
	p := Target(q)
	want := mat.NewDense(9, 4, nil)
	var size [4]float64
	for i := range 9 {
		var sum float64
		for j := range 4 {
			apart := 1.
			for k := range 3 {
				apart += (z.At(i, k) - mu.At(j, k)) * (z.At(i, k) - mu.At(j, k))
			}
			want.Set(i, j, 1/apart)
			sum += 1 / apart
		}
		for j := range 4 {
			want.Set(i, j, want.At(i, j)/sum)
			size[j] += want.At(i, j)
		}
	}
	if !mat.EqualApprox(q, want, 1e-12) {
		t.Errorf("Q is\n%v\nwant\n%v", mat.Formatted(q), mat.Formatted(want))
	}
	for i := range 9 {
		var all, sumP, sumQ float64
		for j := range 4 {
			all += want.At(i, j) * want.At(i, j) / size[j]
			sumP += p.At(i, j)
			sumQ += q.At(i, j)
		}
		for j := range 4 {
			if w := want.At(i, j) * want.At(i, j) / size[j] / all; math.Abs(p.At(i, j)-w) > 1e-12 {
				t.Errorf("P[%d,%d] is %g, want %g", i, j, p.At(i, j), w)
			}
		}
		if math.Abs(sumP-1) > 1e-12 || math.Abs(sumQ-1) > 1e-12 {
			t.Errorf("row %d of P sums to %g, of Q to %g", i, sumP, sumQ)
		}
	}
}

func small(k int) IDEC {
	return IDEC{K: k, Layers: []int{16, 4}, Epochs: 60, Batch: 32, Interval: 10, MaxIter: 60, Seed: 1}
}

// third gives every third sample its class.
func third(class []int) rnmf.Labels {
	l := rnmf.Labels{Class: slices.Clone(class)}
	for j := range l.Class {
		if j%3 != 0 {
			l.Class[j] = rnmf.Unlabelled
		}
	}
	return l
}

func TestBlobsAreFound(t *testing.T) {
	x, class := blobs(12, 4, 20, 1)
	before := mat.DenseCopyOf(x)
	d, err := small(4).Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	m, err := MSAEClust{K: 4, Labels: third(class), Members: 3, Rounds: 40, Seed: 1}.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for name, labels := range map[string][]int{"IDEC": d.Labels, "its autoencoder": d.Autoencoder.Labels, "MSAEClust": m.Labels} {
		if a, err := score.Accuracy(class, labels); err != nil || a != 1 {
			t.Errorf("%s: accuracy %g, %v", name, a, err)
		}
	}
	if d.Empty != nil || !d.Settled || d.Steps > 60 || len(d.Losses) != 60 {
		t.Errorf("empty clusters %v, settled %v after %d steps, %d losses", d.Empty, d.Settled, d.Steps, len(d.Losses))
	}
	if r, c := d.Codes.Dims(); r != 4 || c != 80 {
		t.Errorf("codes of %d×%d", r, c)
	}
	for i := range 80 {
		if sum := mat.Sum(d.Q.RowView(i)); math.Abs(sum-1) > 1e-5 {
			t.Errorf("row %d of Q sums to %g", i, sum)
		}
	}
	if first, last := d.Losses[0], d.Losses[59]; !(last < first/2) {
		t.Errorf("the autoencoder's loss goes from %g to %g", first, last)
	}
	if first, last := m.Losses[0], m.Losses[39]; !(last < first) {
		t.Errorf("the members' loss goes from %g to %g", first, last)
	}
	if !mat.Equal(x, before) {
		t.Error("X has changed")
	}
}

func TestSameSeedSameNumbers(t *testing.T) {
	x, class := blobs(30, 3, 30, 2)
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	fit := func(procs int, seed uint64) [2]*Deep {
		runtime.GOMAXPROCS(procs)
		i := small(3)
		i.Layers, i.Epochs, i.Seed = []int{200, 8}, 3, seed
		d, err1 := i.Fit(t.Context(), x)
		m, err2 := MSAEClust{K: 3, Labels: third(class), Members: 2, Rounds: 3, Seed: seed}.Fit(t.Context(), x)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		return [2]*Deep{d, m}
	}
	one, two, other := fit(1, 7), fit(2, 7), fit(2, 8)
	for i, name := range []string{"IDEC", "MSAEClust"} {
		if !mat.Equal(one[i].Codes, two[i].Codes) || !slices.Equal(one[i].Losses, two[i].Losses) || !slices.Equal(one[i].Labels, two[i].Labels) {
			t.Errorf("%s: other numbers with GOMAXPROCS 2", name)
		}
		if r, c := one[i].Codes.Dims(); slices.Equal(one[i].Losses, other[i].Losses) {
			t.Errorf("%s: another seed gives the same, codes of %d×%d", name, r, c)
		}
	}
	if !mat.Equal(one[0].Q, two[0].Q) {
		t.Error("IDEC: another Q with GOMAXPROCS 2")
	}
}

// Data of two different samples have no four clusters, and that is said.
func TestEmptyClustersAreFlagged(t *testing.T) {
	x := mat.NewDense(5, 12, nil)
	for i := range 5 {
		for j := range 12 {
			x.Set(i, j, float64(1+(i*(j%2))%3))
		}
	}
	d := small(4)
	d.MaxIter = 10
	r, err := d.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	used := make([]bool, 4)
	for _, l := range r.Labels {
		used[l] = true
	}
	for c, u := range used {
		if u == slices.Contains(r.Empty, c) {
			t.Errorf("cluster %d: used %v, empty clusters %v", c, u, r.Empty)
		}
	}
	if len(r.Empty) < 2 {
		t.Errorf("empty clusters %v, want two at least", r.Empty)
	}
	if labels, empty := largest(mat.NewDense(2, 3, []float64{0.2, 0.4, 0.4, 0, 1, 0})); !slices.Equal(labels, []int{1, 1}) || !slices.Equal(empty, []int{0, 2}) {
		t.Errorf("labels %v, empty %v", labels, empty)
	}
}

// after is a context that ends when it has been asked so often.
type after struct {
	context.Context
	left int
}

func (a *after) Err() error {
	if a.left--; a.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancel(t *testing.T) {
	x, class := blobs(12, 3, 20, 1)
	for _, left := range []int{0, 1, 2, 50, 119} { // 2 batches in each of 60 epochs
		r, err := small(3).Fit(&after{t.Context(), left}, x)
		if !errors.Is(err, context.Canceled) || (r == nil) != (left == 0) {
			t.Errorf("IDEC after %d questions: %v, %v", left, r, err)
		}
		if r != nil && (r.Codes == nil || r.Labels != nil || len(r.Losses) != max(0, left-1)/2) {
			t.Errorf("IDEC after %d questions: labels %v, %d losses", left, r.Labels, len(r.Losses))
		}
	}
	d := small(3)
	d.Epochs, d.Tol = 1, 1e-9
	full, err := d.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := d.Fit(&after{t.Context(), 1000}, x); err != nil && !errors.Is(err, context.Canceled) || len(r.Labels) != len(full.Labels) {
		t.Errorf("IDEC, cancelled late: %v", err)
	}
	m := MSAEClust{K: 3, Labels: third(class), Members: 2, Rounds: 2, Seed: 1}
	for left, codes := range map[int]bool{0: false, 3: false, 7: true} { // 3 steps a round, 2 rounds a member
		r, err := m.Fit(&after{t.Context(), left}, x)
		if !errors.Is(err, context.Canceled) || (r != nil) != codes {
			t.Errorf("MSAEClust after %d questions: %v, %v", left, r, err)
		}
	}
}

func TestBadInput(t *testing.T) {
	x := uniform(6, 5, 1)
	with := func(v float64) *mat.Dense {
		d := mat.DenseCopyOf(x)
		d.Set(2, 3, v)
		return d
	}
	labels := rnmf.Labels{Class: []int{0, 1, -1, -1, 0}}
	idec := func(d IDEC, x mat.Matrix) error {
		r, err := d.Fit(t.Context(), x)
		if r != nil {
			t.Errorf("%+v: a result and %v", d, err)
		}
		return err
	}
	msae := func(m MSAEClust, x mat.Matrix) error {
		r, err := m.Fit(t.Context(), x)
		if r != nil {
			t.Errorf("%+v: a result and %v", m, err)
		}
		return err
	}
	var none *mat.Dense
	for _, c := range []struct {
		name string
		got  error
		want error
		says string
	}{
		{"nil", idec(IDEC{K: 1}, nil), rnmf.ErrEmpty, "X is nil"},
		{"no matrix", idec(IDEC{K: 1}, none), rnmf.ErrEmpty, "X is nil"},
		{"nothing", idec(IDEC{K: 1}, &mat.Dense{}), rnmf.ErrEmpty, "X is 0×0"},
		{"NaN", idec(IDEC{K: 1}, with(math.NaN())), rnmf.ErrNotFinite, "X[2,3]"},
		{"Inf", idec(IDEC{K: 1}, with(math.Inf(1))), rnmf.ErrNotFinite, "X[2,3]"},
		{"far too large", idec(IDEC{K: 1}, with(1e30)), rnmf.ErrTooLarge, "X[2,3]"},
		{"no clusters", idec(IDEC{}, x), rnmf.ErrRank, "0 clusters of 5"},
		{"too many clusters", idec(IDEC{K: 6}, x), rnmf.ErrRank, "6 clusters of 5"},
		{"no layers", idec(IDEC{K: 2, Layers: []int{}}, x), rnmf.ErrParameter, "IDEC.Layers"},
		{"a layer of 0", idec(IDEC{K: 2, Layers: []int{3, 0}}, x), rnmf.ErrParameter, "IDEC.Layers[1] is 0"},
		{"γ", idec(IDEC{K: 2, Gamma: -1}, x), rnmf.ErrParameter, "IDEC.Gamma is -1"},
		{"γ of NaN", idec(IDEC{K: 2, Gamma: math.NaN()}, x), rnmf.ErrParameter, "IDEC.Gamma is NaN"},
		{"epochs", idec(IDEC{K: 2, Epochs: -1}, x), rnmf.ErrParameter, "IDEC.Epochs is -1"},
		{"batch", idec(IDEC{K: 2, Batch: -1}, x), rnmf.ErrParameter, "IDEC.Batch is -1"},
		{"interval", idec(IDEC{K: 2, Interval: -1}, x), rnmf.ErrParameter, "IDEC.Interval is -1"},
		{"steps", idec(IDEC{K: 2, MaxIter: -1}, x), rnmf.ErrParameter, "IDEC.MaxIter is -1"},
		{"tolerance", idec(IDEC{K: 2, Tol: -1}, x), rnmf.ErrParameter, "IDEC.Tol is -1"},
		{"MSAEClust of nil", msae(MSAEClust{K: 1, Labels: labels}, nil), rnmf.ErrEmpty, "X is nil"},
		{"MSAEClust of NaN", msae(MSAEClust{K: 1, Labels: labels}, with(math.NaN())), rnmf.ErrNotFinite, "X[2,3]"},
		{"MSAEClust's clusters", msae(MSAEClust{Labels: labels}, x), rnmf.ErrRank, "0 clusters"},
		{"three features", msae(MSAEClust{K: 2, Labels: labels}, uniform(3, 5, 1)), rnmf.ErrShape, "3 features"},
		{"no labels", msae(MSAEClust{K: 2}, x), rnmf.ErrLabels, "0 classes of 5 samples"},
		{"no known label", msae(MSAEClust{K: 2, Labels: rnmf.Labels{Class: []int{-1, -1, -1, -1, -1}}}, x), rnmf.ErrLabels, "all classes are unknown"},
		{"class −2", msae(MSAEClust{K: 2, Labels: rnmf.Labels{Class: []int{0, 1, -2, 0, 0}}}, x), rnmf.ErrLabels, "Class[2] is -2"},
		{"class 5", msae(MSAEClust{K: 2, Labels: rnmf.Labels{Class: []int{0, 5, -1, 0, 0}}}, x), rnmf.ErrLabels, "Class[1] is 5"},
		{"members", msae(MSAEClust{K: 2, Labels: labels, Members: -1}, x), rnmf.ErrParameter, "MSAEClust.Members is -1"},
		{"rounds", msae(MSAEClust{K: 2, Labels: labels, Rounds: -1}, x), rnmf.ErrParameter, "MSAEClust.Rounds is -1"},
		{"MSAEClust's batch", msae(MSAEClust{K: 2, Labels: labels, Batch: -1}, x), rnmf.ErrParameter, "MSAEClust.Batch is -1"},
	} {
		if !errors.Is(c.got, c.want) || !strings.Contains(c.got.Error(), c.says) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	// What is all 0 or constant is no error, and gives finite codes.
	for _, x := range []*mat.Dense{mat.NewDense(6, 5, nil), mat.NewDense(6, 5, slices.Repeat([]float64{7}, 30))} {
		d := small(2)
		d.Epochs, d.MaxIter = 2, 10
		r, err := d.Fit(t.Context(), x)
		m, err2 := MSAEClust{K: 2, Labels: labels, Members: 1, Rounds: 2}.Fit(t.Context(), x)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if s := mat.Sum(r.Codes) + mat.Sum(m.Codes) + mat.Sum(r.Q); math.IsNaN(s) || math.IsInf(s, 0) {
			t.Errorf("codes and Q of data with one value sum to %g", s)
		}
	}
}

// The widths are from the ranges of the description.
func TestDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for d := 4; d < 70; d++ {
		for range 20 {
			w := draw(rng, d)
			if 2*w.hidden < d || w.hidden > d-1 || 4*w.code < d || w.code > max((d+1)/2-1, (d+3)/4) {
				t.Errorf("%d features: %+v", d, w)
			}
		}
	}
}
