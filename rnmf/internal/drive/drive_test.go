package drive

import (
	"math"
	"slices"
	"testing"
)

// An estimate has a beginning, rests that grow, and as many rounds as For asks for.
func TestScale(t *testing.T) {
	rounds := func(s Scale, alikeFrom, settledAt int) (due []int) {
		for round := 0; round <= 40; round++ {
			if s.Due(round) {
				due = append(due, round)
				s.Estimated(round, round == settledAt, false, func() bool { return round >= alikeFrom })
			}
		}
		return due
	}
	for _, c := range []struct {
		s                  Scale
		alikeFrom, settled int
		want               []int
	}{
		{Scale{On: true}, 100, -1, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 18, 27, 40}},
		{Scale{On: true}, 3, -1, []int{0, 1, 2, 3, 6, 9, 13, 19, 28}},
		{Scale{On: true}, 3, 2, []int{0, 1, 2}},
		{Scale{On: true, For: 4}, 0, -1, []int{0, 1, 2, 3, 4}},
		{Scale{On: true, For: -1}, 0, 5, []int{0, 1, 2, 3, 4, 5}},
		{Scale{For: -1}, 0, -1, nil},
	} {
		if got := rounds(c.s, c.alikeFrom, c.settled); !slices.Equal(got, c.want) {
			t.Errorf("%+v, alike from %d, settled in %d: estimates before %v, want %v", c.s, c.alikeFrom, c.settled, got, c.want)
		}
	}
	staged := Scale{On: true, For: 2}
	staged.Estimated(2, false, true, func() bool { return true })
	if !staged.Due(30) || staged.Rests() {
		t.Error("a preliminary loss is not tuned in each round")
	}
	if staged.Estimated(3, true, true, nil); staged.Preliminary {
		t.Error("a preliminary loss that is settled cannot end the fit")
	}
}

// β grows while factors are kept, shrinks by more where they are not, and has a bound.
func TestMomentum(t *testing.T) {
	var p Momentum
	if beta := p.Begin(); beta != 0 || !p.Accepts(5, 1, 0.1) {
		t.Errorf("the first round has β = %g", beta)
	}
	p = p.Accepted()
	before := 0.0
	for range 40 {
		beta := p.Begin()
		if beta < before || beta > 1 {
			t.Errorf("β = %g after %g", beta, before)
		}
		before, p = beta, p.Accepted()
	}
	if before != 1 {
		t.Errorf("β ends at %g", before)
	}
	p.Begin()
	for _, c := range []struct {
		objective float64
		want      bool
	}{{0.98, true}, {0.995, false}, {1, false}, {math.NaN(), false}} {
		if p.Accepts(c.objective, 1, 0.01) != c.want {
			t.Errorf("from 1 to %g with Tol 0.01: accepted %v", c.objective, !c.want)
		}
	}
	p = p.Rejected()
	if beta := p.Begin(); beta != 0 || p.Beta != 1/shrinkBeta {
		t.Errorf("after a rejection β is %g, and then %g", beta, p.Beta)
	}
	v, old := []float64{3, 1, 2}, []float64{1, 3, 2}
	if Extrapolate(v, old, 0.5); !slices.Equal(v, []float64{4, 0, 2}) || !slices.Equal(old, []float64{3, 1, 2}) {
		t.Errorf("extrapolated to %v from %v", v, old)
	}
}

// A fit settles by its objective, by what gross entries leave of it, or by rounding errors.
func TestSettled(t *testing.T) {
	number := func(v float64) func() float64 { return func() float64 { return v } }
	still := func(v bool) func() bool { return func() bool { return v } }
	inf := number(math.Inf(1))
	for i, c := range []struct {
		Change
		want bool
	}{
		{Change{From: 1, To: 0.995, Tol: 0.01, Sizes: Sizes{Penalties: number(0), Usual: inf, Rounding: []func() float64{number(0)}}}, true},
		{Change{From: 1, To: 0.98, Tol: 0.01, Sizes: Sizes{Penalties: number(0), Usual: inf, Rounding: []func() float64{number(0)}}}, false},
		{Change{From: 1, To: 1, Tol: -1, Sizes: Sizes{Penalties: number(0), Usual: inf, Rounding: []func() float64{number(0)}}}, false},
		{Change{From: 1, To: 0.98, Tol: 0.01, Sizes: Sizes{Penalties: number(0), Usual: inf, Rounding: []func() float64{number(1), number(0.02)}}}, true},
		{Change{From: 1, To: 0.98, Tol: 0.01, Sizes: Sizes{Penalties: number(0), Usual: inf, Rounding: []func() float64{number(1), number(0.001)}}}, false},
		// Of 1e6 all but 1 is the cost of gross entries.
		{Change{From: 1e6, To: 1e6 - 0.5, Tol: 0.01, Sizes: Sizes{Penalties: number(0), Usual: number(1), Rounding: []func() float64{number(0)}}}, false},
		{Change{From: 1e6, To: 1e6 - 0.005, Tol: 0.01, Sizes: Sizes{Penalties: number(0), Usual: number(1), Rounding: []func() float64{number(0)}}}, true},
		{Change{From: 1e6, To: 1e6 - 0.5, Tol: 0.01, Sizes: Sizes{Penalties: number(1e6), Usual: number(1), Rounding: []func() float64{number(0)}}}, true},
		{Change{From: 1e18, To: 1e18, Tol: 0.01, Sizes: Sizes{Penalties: number(0), Usual: number(1), Rounding: []func() float64{number(0)}}, Still: still(false)}, false},
		{Change{From: 1e18, To: 1e18, Tol: 0.01, Sizes: Sizes{Penalties: number(0), Usual: number(1), Rounding: []func() float64{number(0)}}, Still: still(true)}, true},
	} {
		if got := c.Settled(); got != c.want {
			t.Errorf("case %d: %v", i, got)
		}
	}
}
