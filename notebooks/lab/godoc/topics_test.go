package godoc

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

// Columns are matched whatever their order and unit.
func TestCosines(t *testing.T) {
	a := mat.NewDense(3, 2, []float64{1, 0, 1, 0, 0, 2})
	b := mat.NewDense(3, 2, []float64{0, 3, 3, 3, 3, 0})
	got, err := Cosines(a, b)
	if want := []float64{1, math.Sqrt(0.5)}; err != nil || math.Abs(got[0]-want[0])+math.Abs(got[1]-want[1]) > 1e-15 {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	all, err := Became(1, a, b)
	if want := mat.NewDense(3, 2, []float64{1, 3, 1, 3, 0, 0}); err != nil || !mat.Equal(all, want) {
		t.Errorf("what became of the first: %v, %v", all, err)
	}
	// (1, 1, 0) and (0, 0, 2), next to their matches (3, 3, 0) and (0, 3, 3)
	if all, err = Became(2, a, b); err != nil || !mat.EqualApprox(Between(all), mat.NewDense(2, 2, []float64{1, 0.5, 0, math.Sqrt(0.5)}), 1e-15) {
		t.Errorf("all cosines: %v, %v", all, err)
	}
	if m := Mean([]float64{1, 2, 6}); m != 3 {
		t.Errorf("mean %v", m)
	}
}

// Two groups of words that have nothing in common are told apart, from every start that has one of each.
func TestKMeans(t *testing.T) {
	x := &sparse.Matrix{Rows: 4, Cols: 4, Start: []int{0, 2, 4, 6, 8}, Row: []int32{0, 1, 2, 3, 0, 1, 2, 3}, Value: []float64{.6, .8, .6, .8, .8, .6, .8, .6}}
	right := 0
	for seed := range uint64(10) {
		got := KMeans(x, 2, 20, seed)
		if got[0] == got[2] && got[1] == got[3] && got[0] != got[1] {
			right++
		}
	}
	if right < 5 {
		t.Errorf("%d of 10 starts find the groups", right)
	}
	if got := KMeans(x, 4, 20, 1); len(slices.Compact(slices.Sorted(slices.Values(got)))) != 4 {
		t.Errorf("a group for each column: %d", got)
	}
}

func TestLengthened(t *testing.T) {
	x := &sparse.Matrix{Rows: 2, Cols: 2, Start: []int{0, 1, 3}, Row: []int32{0, 0, 1}, Value: []float64{1, 2, 3}}
	y := Lengthened(x, []int{1}, 10)
	if !slices.Equal(y.Value, []float64{1, 20, 30}) || !slices.Equal(x.Value, []float64{1, 2, 3}) {
		t.Errorf("%v of %v", y.Value, x.Value)
	}
}

// The stored results have what the notebook shows.
func TestPanels(t *testing.T) {
	s, err := Panels("../panels/results.md")
	if err != nil {
		t.Fatal(err)
	}
	if s.GB < 8 || s.MB > s.LimitMB || s.LimitMB != 300 || s.Plain >= s.Default || s.Default >= s.Peer || s.PlainMB >= s.DefaultMB ||
		s.PeerCPU/s.DefaultCPU < 4 || s.PeerCPU/s.DefaultCPU > s.Peer/s.Default || s.PlainCPU >= s.DefaultCPU ||
		s.PlainPeer/s.Plain < s.PlainPeerCPU/s.PlainCPU {
		t.Errorf("%+v", s)
	}
	rows, err := Minibatches("../panels/results.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows.Where("side", "batch") {
		ours := rows.Where("side", "minibatch", "images", r.Text("images"), "passes", r.Text("passes"))
		if len(ours) != 1 || math.Abs(r.Number("seconds")/ours[0].Number("seconds")-r.Number("ratio")) > 0.15 {
			t.Errorf("%v next to %v", r, ours)
		}
	}
	if r := rows.Where("side", "scikit-learn"); len(r) != 2 || !(r[0].Number("ratio") > 2) || !(r[1].Number("seconds") > 1) {
		t.Errorf("%v", r)
	}
}
