package baseline

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

func TestBadInput(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	nan := math.NaN()
	x := testkit.Uniform(4, 5, 1)
	with := func(i, j int, v float64) *mat.Dense {
		d := mat.DenseCopyOf(x)
		d.Set(i, j, v)
		return d
	}
	var none *mat.Dense // no matrix, though not nil as a mat.Matrix
	labels := []int{0, 0, 1, 1, 0}
	means := func(ctx context.Context, k KMeans, x mat.Matrix) error {
		c, err := k.Fit(ctx, x)
		if c != nil {
			t.Errorf("%+v: clusters and %v", k, err)
		}
		return err
	}
	pca := func(ctx context.Context, x mat.Matrix, r int) error {
		p, err := PCA(ctx, x, r)
		if p != nil {
			t.Errorf("%d components and %v", r, err)
		}
		return err
	}
	src := func(ctx context.Context, s SRC, d mat.Matrix, l []int, x mat.Matrix) error {
		found, err := s.Classify(ctx, d, l, x)
		if found != nil {
			t.Errorf("%+v: classes and %v", s, err)
		}
		return err
	}
	sec := func(ctx context.Context, s SEC, d mat.Matrix, l []int, x mat.Matrix) error {
		found, covered, err := s.Classify(ctx, d, l, x)
		if found != nil || covered != nil {
			t.Errorf("%+v: classes and %v", s, err)
		}
		return err
	}
	kissme := func(ctx context.Context, k KISSME, x mat.Matrix, l []int) error {
		m, err := k.Fit(ctx, x, l)
		if m != nil {
			t.Errorf("%+v: a metric and %v", k, err)
		}
		return err
	}
	sscsr := func(ctx context.Context, s SSCSR) error {
		r, err := s.Fit(ctx)
		if r != nil {
			t.Errorf("%+v: clusters and %v", s, err)
		}
		return err
	}
	g, classes := chain(t, 2, 3, 0.5, 1)
	ctx := t.Context()
	p, err := PCA(ctx, x, 2)
	if err != nil {
		t.Fatal(err)
	}
	metric, err := KISSME{}.Fit(ctx, x, labels)
	if err != nil {
		t.Fatal(err)
	}
	transform := func(x mat.Matrix) error { _, err := metric.Transform(x); return err }
	project := func(x mat.Matrix) error { _, err := p.Project(x); return err }
	reconstruct := func(x mat.Matrix) error { _, err := p.Reconstruct(x); return err }
	for _, c := range []struct {
		name string
		got  error
		want error
		says string // a part of the message
	}{
		{"k-means of nil", means(ctx, KMeans{K: 1}, nil), rnmf.ErrEmpty, "X is nil"},
		{"k-means of no matrix", means(ctx, KMeans{K: 1}, none), rnmf.ErrEmpty, "X is nil"},
		{"k-means of nothing", means(ctx, KMeans{K: 1}, &mat.Dense{}), rnmf.ErrEmpty, "X is 0×0"},
		{"no clusters", means(ctx, KMeans{}, x), rnmf.ErrRank, "0 clusters of 5"},
		{"too many clusters", means(ctx, KMeans{K: 6}, x), rnmf.ErrRank, "6 clusters of 5"},
		{"restarts", means(ctx, KMeans{K: 1, Restarts: -1}, x), rnmf.ErrParameter, "KMeans.Restarts is -1"},
		{"k-means' rounds", means(ctx, KMeans{K: 1, MaxIter: -1}, x), rnmf.ErrParameter, "KMeans.MaxIter is -1"},
		{"k-means of NaN", means(ctx, KMeans{K: 1}, with(1, 2, nan)), rnmf.ErrNotFinite, "X[1,2] = NaN"},
		{"k-means, cancelled", means(ended, KMeans{K: 2}, x), context.Canceled, ""},
		{"no components", pca(ctx, x, 0), rnmf.ErrRank, "0 components of 4×5 data, want 1 to 4"},
		{"minus one component", pca(ctx, x, -1), rnmf.ErrRank, "-1 components"},
		{"too many components", pca(ctx, x, 5), rnmf.ErrRank, "5 components"},
		{"PCA of nothing", pca(ctx, nil, 1), rnmf.ErrEmpty, "X is nil"},
		{"PCA of Inf", pca(ctx, with(2, 1, math.Inf(-1)), 1), rnmf.ErrNotFinite, "X[2,1] = -Inf"},
		{"PCA, cancelled", pca(ended, x, 2), context.Canceled, ""},
		{"projection of another shape", project(testkit.Uniform(3, 2, 1)), rnmf.ErrShape, "X is 3×2, want 4×2"},
		{"reconstruction of another shape", reconstruct(testkit.Uniform(3, 2, 1)), rnmf.ErrShape, "scores is 3×2, want 2×2"},
		{"SRC's λ", src(ctx, SRC{Lambda: 1}, x, labels, x), rnmf.ErrParameter, "SRC.Lambda is 1"},
		{"negative λ", src(ctx, SRC{Lambda: -1}, x, labels, x), rnmf.ErrParameter, "SRC.Lambda is -1"},
		{"λ of NaN", src(ctx, SRC{Lambda: nan}, x, labels, x), rnmf.ErrParameter, "SRC.Lambda is NaN"},
		{"SRC's labels", src(ctx, SRC{}, x, labels[:3], x), rnmf.ErrShape, "3 labels of 5 training samples"},
		{"SRC's class", src(ctx, SRC{}, x, []int{0, 0, 1, -1, 0}, x), rnmf.ErrLabels, "labels[3] = -1"},
		{"SRC's samples", src(ctx, SRC{}, x, labels, testkit.Uniform(3, 2, 1)), rnmf.ErrShape, "test is 3×2, want 4×2"},
		{"SRC without training samples", src(ctx, SRC{}, nil, nil, x), rnmf.ErrEmpty, "train is nil"},
		{"SRC without samples", src(ctx, SRC{}, x, labels, nil), rnmf.ErrEmpty, "test is nil"},
		{"SRC's training data", src(ctx, SRC{}, with(1, 2, nan), labels, x), rnmf.ErrNotFinite, "train[1,2] = NaN"},
		{"SRC's data", src(ctx, SRC{}, x, labels, with(1, 2, math.Inf(1))), rnmf.ErrNotFinite, "test[1,2] = +Inf"},
		{"SRC, cancelled", src(ended, SRC{}, x, labels, x), context.Canceled, ""},
		{"SEC's λ", sec(ctx, SEC{2, 2, 1, 0, 0}, x, labels, x), rnmf.ErrParameter, "SEC.Lambda is 1"},
		{"SEC's β", sec(ctx, SEC{2, 2, 0, nan, 0}, x, labels, x), rnmf.ErrParameter, "SEC.Beta is NaN"},
		{"SEC's τ", sec(ctx, SEC{2, 2, 0, 0, 1}, x, labels, x), rnmf.ErrParameter, "SEC.Tau is 1"},
		{"SEC's images", sec(ctx, SEC{Height: 2, Width: 3}, x, labels, x), rnmf.ErrShape, "train has 4 rows"},
		{"SEC without a size", sec(ctx, SEC{}, x, labels, x), rnmf.ErrShape, "train has 4 rows"},
		{"SEC's labels", sec(ctx, SEC{Height: 2, Width: 2}, x, labels[:3], x), rnmf.ErrShape, "3 labels of 5"},
		{"SEC's class", sec(ctx, SEC{Height: 2, Width: 2}, x, []int{0, 0, 1, -1, 0}, x), rnmf.ErrLabels, "labels[3] = -1"},
		{"SEC's samples", sec(ctx, SEC{Height: 2, Width: 2}, x, labels, testkit.Uniform(3, 2, 1)), rnmf.ErrShape, "test is 3×2"},
		{"SEC's data", sec(ctx, SEC{Height: 2, Width: 2}, x, labels, with(1, 2, nan)), rnmf.ErrNotFinite, "test[1,2]"},
		{"SEC of nil", sec(ctx, SEC{Height: 2, Width: 2}, nil, labels, x), rnmf.ErrEmpty, "train is nil"},
		{"SEC, cancelled", sec(ended, SEC{Height: 2, Width: 2}, x, labels, x), context.Canceled, ""},
		{"KISSME of nil", kissme(ctx, KISSME{}, nil, labels), rnmf.ErrEmpty, "X is nil"},
		{"KISSME of NaN", kissme(ctx, KISSME{}, with(1, 2, nan), labels), rnmf.ErrNotFinite, "X[1,2]"},
		{"KISSME's labels", kissme(ctx, KISSME{}, x, labels[:3]), rnmf.ErrShape, "3 labels of 5"},
		{"KISSME's class", kissme(ctx, KISSME{}, x, []int{0, 0, 1, -2, 0}), rnmf.ErrLabels, "labels[3] = -2"},
		{"KISSME of one class", kissme(ctx, KISSME{}, x, []int{0, 0, 0, -1, 0}), rnmf.ErrLabels, "4 labelled samples of 1 classes"},
		{"KISSME without a pair", kissme(ctx, KISSME{}, x, []int{0, 1, 2, -1, -1}), rnmf.ErrLabels, "3 labelled samples of 3 classes"},
		{"KISSME's components", kissme(ctx, KISSME{5}, x, labels), rnmf.ErrParameter, "KISSME.Components is 5"},
		{"KISSME, cancelled", kissme(ended, KISSME{}, x, labels), context.Canceled, ""},
		{"a metric of another shape", transform(testkit.Uniform(3, 2, 1)), rnmf.ErrShape, "X is 3×2, want 4×2"},
		{"SSC-SR without a graph", sscsr(ctx, SSCSR{K: 1}), rnmf.ErrParameter, "SSCSR.Graph is nil"},
		{"SSC-SR's clusters", sscsr(ctx, SSCSR{K: 7, Graph: g, Labels: classes}), rnmf.ErrRank, "7 clusters of 6"},
		{"SSC-SR's labels", sscsr(ctx, SSCSR{K: 2, Graph: g, Labels: classes[:3]}), rnmf.ErrShape, "3 labels of 6"},
		{"SSC-SR's class", sscsr(ctx, SSCSR{K: 2, Graph: g, Labels: []int{0, 0, 0, 0, 0, -2}}), rnmf.ErrLabels, "Labels[5] = -2"},
		{"SSC-SR's λ", sscsr(ctx, SSCSR{K: 2, Graph: g, Labels: classes, Lambda: nan}), rnmf.ErrParameter, "SSCSR.Lambda is NaN"},
		{"SSC-SR's rounds", sscsr(ctx, SSCSR{K: 2, Graph: g, Labels: classes, MaxIter: -1}), rnmf.ErrParameter, "SSCSR.MaxIter is -1"},
		{"SSC-SR's tolerance", sscsr(ctx, SSCSR{K: 2, Graph: g, Labels: classes, Tol: -1}), rnmf.ErrParameter, "SSCSR.Tol is -1"},
		{"SSC-SR, cancelled", sscsr(ended, SSCSR{K: 2, Graph: g, Labels: classes}), context.Canceled, ""},
	} {
		if !errors.Is(c.got, c.want) || !strings.Contains(c.got.Error(), c.says) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// What takes a context returns soon after it ends, and leaves no goroutine behind.
func TestBaselinesCancel(t *testing.T) {
	x, square := testkit.Uniform(40, 3000, 1), testkit.Uniform(400, 500, 2)
	if testkit.Long() {
		x = testkit.Uniform(2576, 7200, 1)
		square = x
	}
	g, classes := chain(t, 7, 30, 0.5, 1)
	labels := make([]int, x.RawMatrix().Cols)
	for j := range labels {
		labels[j] = j % 7
	}
	pca := func(x *mat.Dense, r int) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			for {
				if _, err := PCA(ctx, x, r); err != nil {
					return err
				}
			}
		}
	}
	testkit.Cancel(t, map[string]func(ctx context.Context) error{
		"k-means": func(ctx context.Context) error {
			_, err := KMeans{K: 40, MaxIter: 1 << 30, Restarts: 1 << 20}.Fit(ctx, x)
			return err
		},
		"PCA":                       pca(x, 20),
		"PCA with all eigenvectors": pca(square, square.RawMatrix().Rows),
		"SRC":                       func(ctx context.Context) error { _, err := SRC{}.Classify(ctx, x, labels, x); return err },
		"SEC": func(ctx context.Context) error {
			_, _, err := SEC{Height: 1, Width: x.RawMatrix().Rows}.Classify(ctx, x, labels, x)
			return err
		},
		"KISSME": func(ctx context.Context) error {
			for {
				if _, err := (KISSME{}).Fit(ctx, square, labels[:square.RawMatrix().Cols]); err != nil {
					return err
				}
			}
		},
		"SSC-SR": func(ctx context.Context) error {
			_, err := SSCSR{K: 7, Graph: g, Labels: classes, MaxIter: 1 << 30, Tol: 1e-300}.Fit(ctx)
			return err
		},
	})
}
