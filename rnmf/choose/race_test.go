package choose

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// raced are data of rank 4 with a tenth of noise, and what may be wrong with them.
func raced(wrong string) (x, clean *mat.Dense) {
	const m, n = 60, 90
	clean, _, _ = datasets.LowRank(m, n, 4, 3)
	rng := rand.New(rand.NewPCG(5, 5))
	x = mat.DenseCopyOf(clean)
	top := mat.Max(clean)
	x.Apply(func(i, j int, v float64) float64 {
		v = max(0, v*(1+0.1*rng.NormFloat64()))
		gross := rng.Float64()
		switch {
		case wrong == "entries" && gross < 0.1, wrong == "much" && gross < 0.35:
			return 2 * top * rng.Float64()
		case wrong == "samples" && j%5 == 0:
			return top * gross
		}
		return v
	}, x)
	return x, clean
}

// recovery is the relative error against the clean data, of samples that are still there.
func recovery(wrong string, r *rnmf.Result, clean *mat.Dense) float64 {
	var num, den float64
	wh := r.WH()
	m, n := wh.Dims()
	for j := range n {
		for i := range m {
			if wrong != "samples" || j%5 > 0 {
				num += math.Pow(clean.At(i, j)-wh.At(i, j), 2)
				den += math.Pow(clean.At(i, j), 2)
			}
		}
	}
	return math.Sqrt(num / den)
}

// Whatever is wrong, the winner is within a fifth of the best of five losses, and where something is,
// far better than least squares.
func TestRace(t *testing.T) {
	for _, wrong := range []string{"nothing", "entries", "samples", "much"} {
		x, clean := raced(wrong)
		r, err := Auto(4).Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		best, squares := math.Inf(1), 0.0
		for kind := range ByEntryAndSample + 1 {
			of, err := kind.Model(4).Fit(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			e := recovery(wrong, of, clean)
			if best = min(best, e); kind == BySquares {
				squares = e
			}
		}
		if e := recovery(wrong, r.Result, clean); e > 1.2*best || wrong != "nothing" && e > 0.8*squares {
			t.Errorf("%s: error %.4f, the best of the losses has %.4f: %v, %+v", wrong, e, best, r, r.Judged)
		}
		if r.Reason != rnmf.Converged || len(r.Judged) != 3 || strings.Contains(r.String(), "\n") {
			t.Errorf("%s: %v, %d judged, %q", wrong, r.Reason, len(r.Judged), r)
		}
	}
}

// A race is a fit like others: the same seed gives the same bits, a mask is kept and hides what it
// hides, new samples are transformed, and the result is saved.
func TestRaceIsAFit(t *testing.T) {
	x, clean := raced("entries")
	before := mat.DenseCopyOf(x)
	mask := orOnes(nil, 60, 90).(*mat.Dense)
	for j := range 90 {
		mask.Set(j%60, j, 0)
		x.Set(j%60, j, math.NaN())
	}
	race := Auto(4)
	race.Model.Mask, race.Model.Seed = mask, 7
	rounds := 0
	race.Model.Watch = func(rnmf.Point) { rounds++ }
	r, err := race.Fit(t.Context(), x)
	race.Model.Watch = nil
	if err != nil {
		t.Fatal(err)
	}
	again, err := race.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(r.W, again.W) || !mat.Equal(r.H, again.H) || r.String() != again.String() {
		t.Error("another fit with the same seed")
	}
	want := r.Rounds()
	for _, j := range r.Judged {
		want += j.Rounds
	}
	if rounds < want {
		t.Errorf("%d rounds were seen, there were %d", rounds, want)
	}
	for i := range 60 {
		for j := range 90 {
			if v := x.At(i, j); mask.At(i, j) > 0 && v != before.At(i, j) {
				t.Fatalf("X[%d,%d] was changed", i, j)
			}
		}
	}
	if e := recovery("entries", r.Result, clean); e > 0.1 {
		t.Errorf("error %.3f", e)
	}
	if _, err := r.Outliers(x, nil); err != nil {
		t.Errorf("its mask is forgotten: %v", err)
	}
	if h, err := r.Transform(t.Context(), clean.Slice(0, 60, 0, 3), nil); err != nil || h.RawMatrix().Cols != 3 {
		t.Errorf("Transform: %v", err)
	}
	var file bytes.Buffer
	if err := r.Save(&file); err != nil {
		t.Fatal(err)
	}
	if loaded, err := rnmf.Load(&file); err != nil || !mat.Equal(loaded.W, r.W) {
		t.Errorf("loaded: %v", err)
	}
}

// Wherever a race is cancelled it returns what it has, and the error.
func TestRaceCancelled(t *testing.T) {
	x, _ := raced("entries")
	for _, after := range []int{0, 1, 20, 50, 90, 120, 160} {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		race := Auto(4)
		race.Model.Watch = func(rnmf.Point) {
			if seen++; seen == after {
				cancel()
			}
		}
		r, err := race.Fit(ctx, x)
		cancel()
		if err == nil && (after == 0 || seen < after) {
			continue // it was over before
		}
		if after > 0 && seen > after {
			t.Errorf("cancelled after %d points, %d were seen", after, seen)
		}
		if !errors.Is(err, context.Canceled) || r == nil || r.W == nil || math.IsNaN(mat.Sum(r.W)) {
			t.Errorf("after %d rounds: %v, %v", after, r, err)
		}
	}
	for _, after := range []time.Duration{time.Millisecond / 2, time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond, 8 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after) // while the three run at the same time
		r, err := Auto(4).Fit(ctx, x)
		cancel()
		if err != nil && (!errors.Is(err, context.DeadlineExceeded) || r != nil && math.IsNaN(mat.Sum(r.WH()))) {
			t.Errorf("after %v: %v, %v", after, r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Auto(4).Fit(ctx, x); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

func TestRaceErrors(t *testing.T) {
	x, _ := raced("nothing")
	for name, c := range map[string]struct {
		race Race
		x    mat.Matrix
		want error
	}{
		"loss":   {Race{rnmf.HuberNMF(4)}, x, ErrParameter},
		"nil":    {Auto(4), nil, rnmf.ErrEmpty},
		"rank":   {Auto(400), x, rnmf.ErrRank},
		"empty":  {Auto(4), &mat.Dense{}, rnmf.ErrEmpty},
		"shape":  {Race{rnmf.Model{Rank: 4, Mask: mat.NewDense(2, 2, nil)}}, x, rnmf.ErrShape},
		"mask":   {Race{rnmf.Model{Rank: 4, Mask: (*mat.Dense)(nil)}}, x, ErrParameter},
		"rounds": {Race{rnmf.Model{Rank: 4, MaxIter: -1}}, x, ErrParameter},
		"number": {Auto(1), mat.NewDense(30, 30, append(make([]float64, 899), math.NaN())), rnmf.ErrNotFinite},
	} {
		if r, err := c.race.Fit(t.Context(), c.x); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v, want %v", name, r, err, c.want)
		}
	}
}

// Where too little can be hidden, nothing can be seen, and the cheapest loss is fitted.
func TestRaceOfLittle(t *testing.T) {
	if r, err := Auto(1).With(nil).Fit(t.Context(), mat.NewDense(1, 1, []float64{1})); err != nil || r == nil {
		t.Errorf("a nil edit: %v, %v", r, err)
	}
	for _, x := range []*mat.Dense{mat.NewDense(1, 1, []float64{1}), mat.NewDense(5, 6, nil), mat.NewDense(4, 20, slices.Repeat([]float64{0, 1, 0, 0}, 20))} {
		r, err := Auto(1).Fit(t.Context(), x)
		if err != nil || !r.NoDifference || r.Winner != BySample || r.Judged != nil {
			t.Errorf("%v, %v", r, err)
		}
	}
}

// A stranger is a penalty that goes wrong.
type stranger struct{ wrong func() }

func (s stranger) Value(*mat.Dense) float64 {
	s.wrong()
	return 0
}

func (stranger) Majorize(*rnmf.Quadratic, *mat.Dense) {}

// What a penalty panics with, or that it ends its goroutine, reaches the caller of a race as it does that of a fit.
func TestRacePanics(t *testing.T) {
	x, _ := raced("nothing")
	wrong := errors.New("wrong")
	for _, c := range []struct {
		f    func()
		want error
	}{{func() { panic(wrong) }, wrong}, {runtime.Goexit, nil}} {
		race := Auto(2)
		race.Model.OnH = []rnmf.Penalty{stranger{c.f}}
		var got error
		returned, ended := false, make(chan bool)
		go func() {
			defer close(ended)
			defer func() { got, _ = recover().(error) }()
			race.Fit(t.Context(), x)
			returned = true
		}()
		<-ended
		if returned || !errors.Is(got, c.want) || got != nil && !strings.Contains(got.Error(), "stranger.Value") {
			t.Errorf("returned %v, panic %v, want %v", returned, got, c.want)
		}
	}
}
