package score

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

func TestBadInput(t *testing.T) {
	nan := math.NaN()
	x := testkit.Uniform(4, 5, 1)
	bad := mat.DenseCopyOf(x)
	bad.Set(0, 0, nan)
	first := func(_ any, err error) error { return err }
	for _, c := range []struct {
		name string
		got  error
		want error
		says string // a part of the message
	}{
		{"cost of NaN", first(Assignment(bad)), rnmf.ErrNotFinite, "cost[0,0] = NaN"},
		{"no cost", first(Assignment(nil)), rnmf.ErrEmpty, "cost is nil"},
		{"scores of different lengths", first(NewAgreement([]int{0, 1}, []int{0})), rnmf.ErrShape, "2 true labels and 1 found"},
		{"scores of nothing", first(NewAgreement(nil, nil)), rnmf.ErrEmpty, "no labels"},
		{"a negative label", first(NewAgreement([]int{0, -1}, []int{0, 0})), rnmf.ErrLabels, "truth[1] = -1"},
		{"mean", first(NMI([]int{0}, []int{0}, 4)), rnmf.ErrParameter, "NMIMean is 4"},
		{"sparsity of nothing", first(Hoyer(nil)), rnmf.ErrEmpty, "no entries"},
		{"sparsity of NaN", first(Hoyer([]float64{1, nan})), rnmf.ErrNotFinite, "v[1] = NaN"},
		{"sparsity of columns of NaN", first(HoyerColumns(bad)), rnmf.ErrNotFinite, "A[0,0] = NaN"},
		{"flags of another shape", first(Detect(x, x.T())), rnmf.ErrShape, "truth is 5×4, want 4×5"},
		{"sample flags", first(DetectSamples([]bool{true}, nil)), rnmf.ErrShape, "1 flags for 0 samples"},
		{"weights of NaN", first(AveragePrecision(bad, x)), rnmf.ErrNotFinite, "weights[0,0] = NaN"},
		{"sample weights of NaN", first(AveragePrecisionSamples([]float64{nan}, []bool{true})), rnmf.ErrNotFinite, "weights[0] = NaN"},
	} {
		if !errors.Is(c.got, c.want) || !strings.Contains(c.got.Error(), c.says) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
