package rls

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/notebooks/lesson"
)

// The gains of a set add up to what the last method is ahead of the first, also where a term is not printed.
func TestGains(t *testing.T) {
	ours, theirs := Terms()
	gains := Gains(ours, theirs)
	for i, accuracy := range []*lesson.Results{ours, theirs} {
		row, last := gains.Rows[i], accuracy.Columns[len(accuracy.Columns)-1]
		for k, set := range accuracy.Rows {
			sum := accuracy.Mean(set, accuracy.Columns[0]) - accuracy.Mean(set, last)
			for _, term := range gains.Columns {
				if v := gains.Values(row, term); len(v) == len(accuracy.Rows) {
					sum += v[k]
				} else if len(v) > 0 || i == 0 {
					t.Errorf("%s, %s: %d values for %d sets", row, term, len(v), len(accuracy.Rows))
				}
			}
			if !(math.Abs(sum) < 1e-9) {
				t.Errorf("%s: the gains miss the end by %g", set, sum)
			}
		}
	}
	// The means of ours are 2 and 4 points, that of the paper 3.
	few := new(lesson.Results)
	for i, v := range []float64{1, 3} {
		few.Add("ours", "graph", v)
		few.Add("ours", "S", 4)
		few.Add("the paper", "graph", 2+2*float64(i))
	}
	for row, want := range map[string]string{"ours": "2.0 of 6.0", "the paper": "3.0 of 3.0"} {
		if got := slopes(few, row, "%.1f of %.1f").Title.Text; got != want {
			t.Errorf("%s: %q", row, got)
		}
	}
}

func TestAhead(t *testing.T) {
	if got := Ahead(1.2) + ", " + Ahead(-0.9); got != "1.2 points ahead, 0.9 points behind" {
		t.Error(got)
	}
}

// The signs are counted in the title: of the leads by the labels, those at a point of LS-NMF.
func TestDrawLeads(t *testing.T) {
	leads := Leads()
	ahead, without := 0, 0
	for _, set := range leads.Columns {
		if leads.Mean("chosen by the labels", set) > 0 {
			ahead++
			if Best(1, set, 0, "LS-NMF", "accuracy", "accuracy") == Best(1, set, 0, "RLS-NMF", "accuracy", "accuracy") {
				without++
			}
		}
	}
	want := fmt.Sprintf("RLS-NMF is ahead on %d of %d sets by the labels (%d with S = 0)", ahead, len(Sets), without)
	if got := DrawLeads(leads).Title.Text; !strings.HasPrefix(got, want) || without == 0 {
		t.Errorf("%q, want %q", got, want)
	}
}

// Without the graph LS-NMF loses more than without the logarithm, as notebook 04 says.
func TestTakenLast(t *testing.T) {
	if logarithm, graph := TakenLast(); !(logarithm > 0 && logarithm < graph && graph < 100) {
		t.Error(logarithm, graph)
	}
}

// Of a matrix of ones u and v are constant: σ = √(mn), and the norms are √m and √n.
func TestPrice(t *testing.T) {
	x := mat.NewDense(4, 9, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return 1 }, x)
	if got, err := Price(x); err != nil || math.Abs(got-64.0/6) > 1e-9 { // (2·6/3)³/(2·3)
		t.Error(got, err)
	}
}

func TestUpTo(t *testing.T) {
	f := Finds{new(lesson.Results), new(lesson.Results)}
	for i, v := range []float64{0.95, 0.91, 0.2, 0.92} {
		gamma := []string{"1", "2", "3", "4"}[i]
		f.Precision.Add("a", gamma, v)
		f.Precision.Add("b", gamma, v-0.1)
		f.Flagged.Add("a", gamma, 10*float64(i))
	}
	if gamma, flagged := f.UpTo("a", 0.9); gamma != "2" || flagged != 10 {
		t.Error(gamma, flagged)
	}
	if gamma, flagged := f.UpTo("b", 0.9); gamma != "0" || flagged != 0 {
		t.Error(gamma, flagged)
	}
}
