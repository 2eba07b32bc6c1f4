package explore

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// Without no sample nothing changes; without some, the others are told in the unit of the file.
func TestWithout(t *testing.T) {
	s, _ := wines()
	a, err := Study{Rank: 3, Starts: 3, Seed: 2, Kind: Measurements}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	same, err := a.Without(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(same.After.Result.W, a.Result.W) || same.Rand != 1 || same.Stay() != 3 || same.Partner[1] != 1 || same.Cosines[1] < 1-1e-9 {
		t.Errorf("%v, %+v", same, same.Cosines)
	}
	c, err := a.Without(t.Context(), []Sample{{Sample: 0}, {Sample: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if _, n := c.After.Set.Dims(); n != 176 || len(c.Kept) != 176 || c.Kept[0] != 1 || c.Kept[2] != 4 || c.After.Set.Samples[2] != "bottle 5" {
		t.Errorf("%d samples are left, %d", n, c.Kept[:3])
	}
	if c.After.Set.X.At(12, 1) != s.X.At(12, 2) || !strings.HasPrefix(c.String(), "Without 2 samples ") || !(c.Rand > 0.5 && c.Rand <= 1) {
		t.Error(c)
	}
	if bad := c.After.BadEntries(); len(bad) == 0 || bad[0].Value != s.X.At(bad[0].Feature, c.Kept[bad[0].Sample]) {
		t.Errorf("%v is not in the unit of the file", bad[:min(1, len(bad))])
	}
	if _, err := c.Draw(); err != nil {
		t.Error(err)
	}
	for _, some := range [][]Sample{{{Sample: -1}}, {{Sample: 178}}, make([]Sample, 1)} {
		of := a
		if some[0].Sample == 0 {
			of = &Analysis{}
		}
		if _, err := of.Without(t.Context(), some); !errors.Is(err, datasets.ErrParameter) {
			t.Errorf("%v: %v", some, err)
		}
	}
	var most []Sample
	for j := range 176 {
		most = append(most, Sample{Sample: j})
	}
	if _, err := a.Without(t.Context(), most); !errors.Is(err, datasets.ErrParameter) {
		t.Error(err)
	}
}

// An image that has a part to itself is drawn, and its part goes with it.
func TestLone(t *testing.T) {
	src := rand.New(rand.NewPCG(3, 3))
	const side, n = 6, 60
	x := mat.NewDense(side*side, n, nil)
	for j := range n {
		for i := range side * side {
			x.Set(i, j, 0.01*src.Float64())
		}
		for i := range 12 {
			x.Set(12*(j%2)+i, j, 1+src.Float64())
		}
	}
	x.SetCol(30, make([]float64, side*side))
	for i := 24; i < 36; i++ {
		x.Set(i, 30, 40)
	}
	a, err := Study{Rank: 3, Starts: 3, Loss: rnmf.Frobenius{}}.Run(t.Context(), &datasets.Set{X: x, Height: side, Width: side})
	if err != nil {
		t.Fatal(err)
	}
	parts, samples := a.Lone()
	if len(parts) != 1 || samples[0] != 30 {
		t.Fatalf("part %v of sample %v", parts, samples)
	}
	if _, err := a.DrawLone(); err != nil {
		t.Error(err)
	}
	if of := next(mat.NewDense(3, 1, []float64{2, 5, 3}), 1, 0); of != 2 {
		t.Errorf("part %d comes next", of)
	}
	c, err := a.Without(t.Context(), []Sample{{Sample: 30}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Stay() != 2 || c.Cosines[parts[0]] > 0.5 {
		t.Errorf("%v: %v", c, c.Cosines)
	}
	if _, err := c.Draw(); err != nil {
		t.Error(err)
	}
	if _, err := c.After.DrawLone(); !errors.Is(err, datasets.ErrParameter) {
		t.Error(err)
	}
}
