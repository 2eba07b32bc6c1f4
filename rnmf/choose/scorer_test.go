package choose

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// known is a Scorer of n samples whose start number k finds the clusters of(k). It
// counts the fits.
func known(n int, fits *[]uint64, of func(k uint64) []int) Scorer {
	x := mat.NewDense(1, n, nil)
	for j := range n {
		x.Set(0, j, float64(1+j%7))
	}
	w, h := constant(1, 1, 1), constant(1, n, 1)
	return Scorer{
		X: x,
		Fit: func(Setting) FitFunc {
			return func(_ context.Context, _, _ mat.Matrix, seed uint64) (*rnmf.Result, error) {
				*fits = append(*fits, seed)
				return &rnmf.Result{W: w, H: h}, nil
			}
		},
		Clusters: func(_ context.Context, _ *rnmf.Result, seed uint64) ([]int, error) { return of(seed), nil },
		Folds:    -1,
	}
}

// The scores with labels, by hand: means over the starts.
func TestScorerScores(t *testing.T) {
	var fits []uint64
	j := known(4, &fits, func(seed uint64) []int {
		if seed == 7 {
			return []int{5, 0, 1, 1}
		}
		return []int{2, 2, 2, 2}
	})
	j.Truth, j.Starts, j.Seed = []int{0, 0, 1, 1}, 2, 7
	s, err := j.Score(context.Background(), Setting{})
	if err != nil {
		t.Fatal(err)
	}
	// Of the first start the entropies are 1 and 1.5 bits, the mutual information 1: with
	// the geometric mean 1/√1.5. All its clusters are pure, but two of them share a class.
	// The second start tells nothing.
	for name, want := range map[string]float64{
		ScoreAccuracy: (0.75 + 0.5) / 2,
		ScoreNMI:      (1/math.Sqrt(1.5) + 0) / 2,
		ScorePurity:   (1 + 0.5) / 2,
	} {
		if got, has := s[name]; !has || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
	if !slices.Equal(fits, []uint64{7, 8}) {
		t.Errorf("starts %v", fits)
	}
	j.Truth = nil
	if s, err = j.Score(context.Background(), Setting{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ScoreAccuracy, ScoreNMI, ScorePurity} {
		if _, has := s[name]; has {
			t.Errorf("%s without labels", name)
		}
	}
}

// Five starts and five folds, if nothing else is said.
func TestScorerDefaults(t *testing.T) {
	var fits []uint64
	j := known(40, &fits, func(uint64) []int { return make([]int, 40) })
	j.Seed = 3
	want := []uint64{3, 4, 5, 6, 7}
	for _, c := range []struct {
		name          string
		starts, folds int
		want          []uint64
	}{{"starts", 0, -1, want}, {"folds", -1, 0, want}, {"both", 0, 0, slices.Concat(want, want)}, {"as said", 2, 3, []uint64{3, 4, 5, 3, 4}}} {
		fits, j.Starts, j.Folds = nil, c.starts, c.folds
		if _, err := j.Score(context.Background(), Setting{}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(fits, c.want) {
			t.Errorf("%s: fits of the seeds %v, want %v", c.name, fits, c.want)
		}
	}
	e, err := HeldOut{}.Of(context.Background(), j.Fit(Setting{}), j.X)
	if err != nil || len(e.Absolute) != 5 {
		t.Errorf("%d folds, %v", len(e.Absolute), err)
	}
}

// Above 3000 samples there is no matrix of n×n, but the starts are compared.
func TestScorerManySamples(t *testing.T) {
	const n = 3001
	var fits []uint64
	clusters := make([][]int, 3)
	for k := range clusters {
		for j := range n {
			clusters[k] = append(clusters[k], (j*(2+k)/7)%(2+k))
		}
	}
	j := known(n, &fits, func(seed uint64) []int { return clusters[seed] })
	j.Starts = 3
	s, err := j.Score(context.Background(), Setting{})
	if err != nil {
		t.Fatal(err)
	}
	var want float64
	for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		r, err := score.AdjustedRand(clusters[pair[0]], clusters[pair[1]])
		if err != nil {
			t.Fatal(err)
		}
		want += r / 3
	}
	if got, has := s[ScoreStability]; !has || math.Abs(got-want) > 1e-12 || want == 0 || want == 1 {
		t.Errorf("stability %g, want %g", got, want)
	}
	for _, name := range []string{ScoreDispersion, ScoreCophenetic} {
		if _, has := s[name]; has {
			t.Errorf("%s of %d samples", name, n)
		}
	}
	clusters[2] = clusters[2][:n-1]
	if _, err := meanRand(clusters); err == nil {
		t.Error("clusterings of different sizes")
	}
}

// As many clusters as are asked for, those of k-means from the start's own seed.
func TestByKMeans(t *testing.T) {
	r := &rnmf.Result{H: uniform(3, 60, 1)}
	for k := 2; k <= 5; k++ {
		got, err := ByKMeans(k)(t.Context(), r, 9)
		if err != nil {
			t.Fatal(err)
		}
		want, err := baseline.KMeans{K: k, Seed: 9}.Fit(context.Background(), r.H)
		if err != nil {
			t.Fatal(err)
		}
		if used := len(slices.Compact(slices.Sorted(slices.Values(got)))); used != k || !slices.Equal(got, want.Labels) {
			t.Errorf("%d clusters, want %d: %v", used, k, got)
		}
	}
	if _, err := ByKMeans(0)(t.Context(), r, 9); err == nil {
		t.Error("no clusters")
	}
}

// What clusters a result may fail, and its error is that of the Scorer.
func TestScorerErrors(t *testing.T) {
	var fits []uint64
	oops := errors.New("oops")
	j := known(4, &fits, nil)
	j.Clusters = func(context.Context, *rnmf.Result, uint64) ([]int, error) { return nil, oops }
	if _, err := j.Score(context.Background(), Setting{}); !errors.Is(err, oops) {
		t.Error(err)
	}
	j = known(4, &fits, func(uint64) []int { return []int{0, 0, 1, 1} })
	j.Truth = []int{0, 1}
	if _, err := j.Score(context.Background(), Setting{}); err == nil {
		t.Error("labels of other samples")
	}
	j.Fit = func(Setting) FitFunc { return nil }
	if _, err := j.Score(context.Background(), Setting{}); !errors.Is(err, ErrParameter) {
		t.Errorf("no FitFunc: %v", err)
	}
}

// One start agrees with nothing.
func TestScorerOfOneStart(t *testing.T) {
	x, _, _ := datasets.LowRank(10, 20, 2, 1)
	for starts, want := range map[int]bool{1: false, 2: true} {
		s, err := Scorer{X: x, Starts: starts, Folds: -1, Fit: func(Setting) FitFunc { return NewFitFunc(rnmf.NMF(2)) }}.Score(context.Background(), Setting{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{ScoreStability, ScoreCophenetic, ScoreDispersion} {
			if _, has := s[name]; has != want {
				t.Errorf("%d starts: %v", starts, s)
			}
		}
		if _, has := s[ScoreSilhouette]; !has {
			t.Errorf("%d starts: no silhouette", starts)
		}
	}
}
