package rnmf_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// gross returns data of rank 3 with a little noise, of which a share of the entries,
// or of the samples, is size instead; and what is to be found.
func gross(share, size float64, samples bool) (x, clean *mat.Dense) {
	clean = Mul(Uniform(30, 3, 1), Uniform(3, 40, 2))
	rng := rand.New(rand.NewPCG(1, 2))
	bad := make([]bool, 40)
	for j := range bad {
		bad[j] = samples && rng.Float64() < share
	}
	x = mat.DenseCopyOf(clean)
	x.Apply(func(_, j int, v float64) float64 {
		v += 0.01 * rng.NormFloat64()
		if bad[j] {
			return size * rng.Float64()
		}
		if !samples && rng.Float64() < share {
			return size
		}
		return max(v, 0)
	}, x)
	return x, clean
}

// grossSizes are for data of about 1. 1e20 and 9.97e36 stand for what is missing in
// files of measurements.
func grossSizes() []float64 {
	return []float64{1e3, 1e8, 1e12, 1e20, 9.96921e36, 1e99}
}

// However gross some entries are, a robust loss finds the rest: neither its scale nor
// the end of its fit follows them. (Not so where the scale of Correntropy is to be the
// mean square, as its paper has it.)
func TestGrossEntries(t *testing.T) {
	take := OneIn(t, 11)
	for _, c := range []struct {
		name  string
		model Model
		error float64
	}{
		{"two stages", RobustNMF(3), 0.006},
		{"Huber", HuberNMF(3), 0.045},
		{"L1", L1NMF(3), 0.02},
		{"MahNMF", MahNMF(3), 0.01},
		{"hypersurface", HypersurfaceNMF(3, 0), 0.045},
		{"Cauchy", CauchyNMF(3), 0.05},
		{"correntropy", Model{Rank: 3, Loss: Correntropy{Scale: 0.1}}, 0.006},
		{"truncated", Model{Rank: 3, Loss: Truncated{Loss: Cauchy{Scale: 0.1}, Cut: 1}}, 0.006},
		{"Huber, given", Model{Rank: 3, Loss: Huber{Cut: 0.05}}, 0.02},
		{"two stages, MU", Model{Rank: 3, Loss: MMEstimator{}, Solver: MU{}}, 0.01},
		{"L1, OGM", Model{Rank: 3, Loss: L1{}, Solver: OGM{}}, 0.02},
		{"Huber, FGD", Model{Rank: 3, Loss: Huber{}, Solver: FGD{}}, 0.02},
		{"L1, ProxLinear", Model{Rank: 3, Loss: L1{}, Solver: ProxLinear{}}, 0.02},
		{"Huber, Additive", Model{Rank: 3, Loss: Huber{}, Solver: Additive{}}, 0.025},
		{"Huber, RRA", Model{Rank: 3, Loss: Huber{}, Solver: RRA{}}, 0.05},
	} {
		most := math.Inf(1)
		switch c.model.Solver.(type) {
		case Additive, RRA:
			most = 1e12 // what they subtract from gross entries keeps no more digits
		}
		for _, share := range []float64{0.001, 0.05} {
			for _, size := range grossSizes() {
				if size > most || !take() {
					continue
				}
				x, clean := gross(share, size, false)
				r := MustFit(t, c.model, x)
				if e := NaiveResidual(clean, r.W, r.H); !(mat.Norm(e, 2) <= c.error*mat.Norm(clean, 2)) {
					t.Errorf("%s, %g %% of %g: error %.3g, want %g at most (%v)", c.name, 100*share, size, mat.Norm(e, 2)/mat.Norm(clean, 2), c.error, r.Reason)
				}
			}
		}
	}
}

// The same for whole samples, and losses of samples that level off or nearly do. (Not so
// for L2,1: a component that draws a gross sample saves more than all others are worth.)
func TestGrossSamples(t *testing.T) {
	take := OneIn(t, 11)
	for _, c := range []struct {
		name  string
		model Model
		error float64
	}{
		{"capped L2,1", CappedNMF(3, 0), 0.01},
		{"Cauchy of samples", Model{Rank: 3, Loss: ByColumn{Cauchy{}}}, 0.01},
		{"LogShrink of samples", Model{Rank: 3, Loss: ByColumn{LogShrink{Gamma: 2}}}, 0.01},
	} {
		for _, size := range grossSizes() {
			if !take() {
				continue
			}
			x, clean := gross(0.05, size, true)
			r := MustFit(t, c.model, x)
			var e, of float64
			for j := range 40 {
				if mat.Max(x.ColView(j)) < 10 { // as it should be
					residual := NaiveResidual(clean, r.W, r.H)
					e += square(mat.Norm(residual.ColView(j), 2))
					of += square(mat.Norm(clean.ColView(j), 2))
				}
			}
			if !(e <= square(c.error)*of) {
				t.Errorf("%s, 5 %% of %g: error %.3g, want %g at most (%v)", c.name, size, math.Sqrt(e/of), c.error, r.Reason)
			}
		}
	}
}

func square(v float64) float64 { return v * v }

// The start of data with a gross entry is that of the others.
func TestGrossStart(t *testing.T) {
	x, clean := gross(0, 0, false)
	x.Set(3, 4, 9.96921e36)
	w, h, err := Random{}.Start(t.Context(), x, 3, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if ratio := mat.Sum(Mul(w, h)) / mat.Sum(clean); ratio < 0.5 || ratio > 2 {
		t.Errorf("the mean of the start is %.3g times that of the data", ratio)
	}
}
