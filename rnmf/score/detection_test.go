package score

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

func bits(v []bool) *mat.Dense {
	d := mat.NewDense(1, len(v), nil)
	for j, b := range v {
		if b {
			d.Set(0, j, 1)
		}
	}
	return d
}

func TestDetectionScikitLearn(t *testing.T) {
	var g struct {
		Detect []struct {
			Flags, Truth          []bool
			Precision, Recall, F1 float64
		}
		AveragePrecision []struct {
			Weights []float64
			Truth   []bool
			AP      float64
		} `json:"average_precision"`
	}
	testkit.Golden(t, "testdata/metrics.json", &g)
	for _, c := range g.Detect {
		got, err := DetectSamples(c.Flags, c.Truth)
		if err != nil {
			t.Fatal(err)
		}
		if !testkit.Near(got.Precision, c.Precision, 1e-14) || !testkit.Near(got.Recall, c.Recall, 1e-14) || !testkit.Near(got.F1, c.F1, 1e-14) {
			t.Errorf("%+v, want %+v", got, c)
		}
		entries, err := Detect(bits(c.Flags), bits(c.Truth).T().T())
		if err != nil || entries != got {
			t.Errorf("entries %+v, samples %+v, %v", entries, got, err)
		}
	}
	for _, c := range g.AveragePrecision {
		got, err := AveragePrecisionSamples(c.Weights, c.Truth)
		if err != nil || !testkit.Near(got, c.AP, 1e-13) {
			t.Errorf("average precision %g, %v, want %g", got, err, c.AP)
		}
		entries, err := AveragePrecision(mat.NewDense(1, len(c.Weights), c.Weights), bits(c.Truth))
		if err != nil || entries != got {
			t.Errorf("entries %g, samples %g, %v", entries, got, err)
		}
	}
}

// ordered is average precision by definition, for one order of the samples.
func ordered(truth []bool) float64 {
	var hits, sum float64
	for i, o := range truth {
		if o {
			hits++
			sum += hits / float64(i+1)
		}
	}
	return sum / hits
}

// TestAveragePrecisionTies averages over all orders that respect the weights.
func TestAveragePrecisionTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 60 {
		n := 1 + rng.IntN(7)
		weights, truth := make([]float64, n), make([]bool, n)
		for j := range n {
			weights[j], truth[j] = float64(rng.IntN(3)), rng.IntN(2) == 0
		}
		truth[rng.IntN(n)] = true
		var sum, count float64
		var order func(left []int, done []bool)
		order = func(left []int, done []bool) {
			if len(left) == 0 {
				sum += ordered(done)
				count++
			}
			for i, j := range left {
				least := true
				for _, k := range left {
					least = least && weights[j] <= weights[k]
				}
				if least {
					rest := append(append([]int{}, left[:i]...), left[i+1:]...)
					order(rest, append(done[:len(done):len(done)], truth[j]))
				}
			}
		}
		all := make([]int, n)
		for j := range all {
			all[j] = j
		}
		order(all, nil)
		got, err := AveragePrecisionSamples(weights, truth)
		if want := sum / count; err != nil || !testkit.Near(got, want, 1e-12) {
			t.Fatalf("weights %v, truth %v: %g, want %g, %v", weights, truth, got, want, err)
		}
	}
}

func TestDetectionDegenerate(t *testing.T) {
	yes, no := []bool{true, true}, []bool{false, false}
	for _, c := range []struct {
		flags, truth []bool
		want         Detection
	}{
		{no, no, Detection{Precision: 1, Recall: 1, F1: 1}},
		{yes, no, Detection{Recall: 1, Flagged: 2}},
		{no, yes, Detection{Precision: 1, True: 2}},
		{yes, yes, Detection{1, 1, 1, 2, 2, 2}},
	} {
		if got, err := DetectSamples(c.flags, c.truth); err != nil || got != c.want {
			t.Errorf("%v, %v: %+v, %v", c.flags, c.truth, got, err)
		}
	}
	for _, c := range []struct {
		weights []float64
		truth   []bool
		want    float64
	}{
		{[]float64{0, 1}, no, 1},
		{[]float64{3, 3}, yes, 1},
		{[]float64{0, 1, 1}, []bool{true, false, false}, 1},
		{[]float64{1, 0}, []bool{true, false}, 0.5},
		{[]float64{1, 1}, []bool{true, false}, 0.75}, // 1 and 1/2, as likely
		{[]float64{0, math.Copysign(0, -1)}, []bool{true, false}, 0.75},
	} {
		if got, err := AveragePrecisionSamples(c.weights, c.truth); err != nil || got != c.want {
			t.Errorf("%v, %v: %g, %v", c.weights, c.truth, got, err)
		}
	}
}

func TestDetectionErrors(t *testing.T) {
	nan := mat.NewDense(1, 2, []float64{0, math.NaN()})
	ok := mat.NewDense(1, 2, nil)
	check := func(want error, errs ...error) {
		t.Helper()
		for _, err := range errs {
			if !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
	}
	_, e1 := Detect(nan, ok)
	_, e2 := Detect(ok, nan)
	_, e3 := AveragePrecision(nan, ok)
	_, e4 := AveragePrecisionSamples([]float64{math.Inf(1)}, []bool{true})
	check(rnmf.ErrNotFinite, e1, e2, e3, e4)
	_, e1 = Detect(ok, mat.NewDense(2, 1, nil))
	_, e2 = DetectSamples([]bool{true}, nil)
	_, e3 = AveragePrecisionSamples(nil, []bool{true})
	check(rnmf.ErrShape, e1, e2, e3)
	_, e1 = Detect(&mat.Dense{}, &mat.Dense{})
	_, e2 = DetectSamples(nil, nil)
	_, e3 = AveragePrecisionSamples(nil, nil)
	_, e4 = Detect(nil, ok)
	check(rnmf.ErrEmpty, e1, e2, e3, e4)
}
