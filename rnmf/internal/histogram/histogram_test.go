package histogram

import (
	"math"
	"testing"
)

// Counts have the median of their numbers within their bins, in whatever order they were merged, and each
// number lies in its bin.
func TestCounts(t *testing.T) {
	var a, b Counts
	for i := 1; i <= 100_001; i++ {
		v := float64(i) * 1e-3
		if i%2 == 0 {
			a.Add(v)
		} else {
			b.Add(v)
		}
		if bin := Of(v); !(bin.Low <= v && v < bin.High && bin.High <= bin.Low*(1+1./PerTwo)) {
			t.Fatalf("%g is in the bin from %g to %g", v, bin.Low, bin.High)
		}
	}
	a.Merge(&b)
	a.AddCount(0, 5)
	a.Add(5e-324)
	a.Add(math.Inf(1))
	if m := a.Median(); math.Abs(m/50.001-1) > 4e-3 {
		t.Errorf("median %g", m)
	}
	if all, positive := a.Total(); all != 100_008 || positive != 100_002 {
		t.Errorf("%d numbers, %d positive", all, positive)
	}
	last := Bin{}
	for bin := range a.Bins() {
		if bin.Count == 0 || bin.Low < last.High || bin.Middle() < bin.Low {
			t.Fatalf("bin %+v after %+v", bin, last)
		}
		last = bin
	}
	if !math.IsInf(last.High, 1) || last.Count != 1 {
		t.Errorf("an infinite number is in %+v", last)
	}
	var none Counts
	if none.Median() != 0 {
		t.Error("nothing has a median")
	}
}
