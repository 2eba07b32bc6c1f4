package claims

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
)

// Lemma 1 is false: the minimum lies beyond its bound, and nothing within is as good.
func TestLemma1(t *testing.T) {
	c := Lemma1(1e-3, 0.1, 9)
	if math.Abs(c.Bound-65.64) > 0.01 || math.Abs(c.H-577.35) > 0.01 {
		t.Errorf("h = %g, the bound is %g, want 577.35 and 65.64", c.H, c.Bound)
	}
	if math.Abs(c.Cost-math.Log(10)) > 1e-9 || math.Abs(c.Within-2*math.Log(10)) > 1e-4 {
		t.Errorf("costs %g and %g, want ln 10 = %g and twice that", c.Cost, c.Within, math.Log(10))
	}
	var alpha, length float64
	for i := range c.W {
		alpha += c.V[i] * c.V[i]
		length += c.W[i] * c.W[i]
	}
	if math.Abs(alpha-1) > 1e-12 || math.Abs(length-1) > 1e-12 {
		t.Errorf("‖v‖² = %g, ‖w‖² = %g, want 1", alpha, length)
	}
	// The bound does not depend on ε, the best h does.
	if d := Lemma1(1e-5, 0.1, 9); d.Bound != c.Bound || d.H < 50*c.H {
		t.Errorf("with ε = 1e-5 the best h is %g, the bound %g", d.H, d.Bound)
	}
	// With ε so large that the lemma holds nothing is beyond it.
	if d := Lemma1(0.4, 0.1, 9); d.H > d.Bound {
		t.Errorf("with ε = 0.4 the best h is %g, the bound %g", d.H, d.Bound)
	}
}

// A grid finds no lower value.
func TestTruncatedCauchy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for trial := range 60 {
		w, v := make([]float64, 1+trial%4), make([]float64, 1+trial%4)
		top := 0.
		for i := range w {
			w[i], v[i] = rng.Float64(), rng.Float64()
			if trial%7 == 0 && i == 0 {
				w[i] = 0
			}
			if w[i] > 0 {
				top = max(top, (v[i]+0.3)/w[i])
			}
		}
		cost := func(h float64) (sum float64) {
			for i, a := range w {
				sum += math.Log1p(min(math.Pow((v[i]-a*h)/0.1, 2), 9))
			}
			return sum
		}
		least, at := TruncatedCauchy(w, v, 0.1, 9)
		if math.Abs(cost(at)-least) > 1e-9 || at < 0 {
			t.Fatalf("f(%g) is %g, not %g", at, cost(at), least)
		}
		for k := range 20001 {
			if h := top * float64(k) / 20000; cost(h) < least-1e-3 {
				t.Fatalf("w %v, v %v: f(%g) = %g, the least is said to be %g at %g", w, v, h, cost(h), least, at)
			}
		}
	}
}

// |R − R_n| falls like 1/√n or so, and is far below (7), which is above what f can be.
func TestTheorem1(t *testing.T) {
	population, directions := 1000, 20
	if testing.Short() {
		population, directions = 400, 12
	}
	gaps := Theorem1([]int{10, 30, 100, 300, 1000}, population, directions, 20, 1)
	var n, sup []float64
	for _, g := range gaps {
		n, sup = append(n, float64(g.N)), append(sup, g.Sup)
		if g.Bound < 3*math.Log(10) || g.Sup > g.Bound || g.Excess < 0 || g.Excess > 2*g.Sup+1e-9 {
			t.Errorf("%+v", g)
		}
	}
	if e := Exponent(n, sup); e > -0.4 || e < -0.6 {
		t.Errorf("the exponent is %.2f, want about −½", e)
	}
	// By hand: m = r = α = γ = 1, σ = 0, δ = 2: 2/n + √(ln(4·√π·10·n/(2Γ(½)))/2n).
	want := 2./5 + math.Sqrt(math.Log(4*10*5/2.)/10)
	if got := GeneralisationBound(5, 1, 1, 1, 1, 0, 2); math.Abs(got-want) > 1e-12 {
		t.Errorf("(7) is %g, want %g", got, want)
	}
}

func TestExponent(t *testing.T) {
	if e := Exponent([]float64{1, 2, 4}, []float64{3, 12, 48}); math.Abs(e-2) > 1e-12 {
		t.Error(e)
	}
}

// norms returns Σ_j ‖e_j‖, which is the L2,1 norm, and Σ_j ‖e_j‖², as (1) of the RSS-NMF
// paper prints it: the squared Frobenius norm, in which samples are as they are in NMF.
func norms(e *mat.Dense) (l21, printed float64) {
	_, n := e.Dims()
	for j := range n {
		norm := mat.Norm(e.ColView(j), 2)
		l21 += norm
		printed += norm * norm
	}
	return l21, printed
}

// (1) of the RSS-NMF paper is the Frobenius norm, to which a gross sample counts by its
// square; the L2,1 norm is another.
func TestNorms(t *testing.T) {
	e := mat.NewDense(2, 3, []float64{3, 0, 6, 4, 1, 8})
	l21, printed := norms(e)
	frobenius := mat.Norm(e, 2)
	if l21 != 16 || printed != 126 || math.Abs(printed-frobenius*frobenius) > 1e-12 {
		t.Errorf("L2,1 %g, printed %g, Frobenius %g squared", l21, printed, frobenius)
	}
}

// Without its graph term (9) does not minimise GNMF's objective; and the orders of RRA end
// at different values.
func TestGraphClaims(t *testing.T) {
	s, err := datasets.Digits().Sample(12, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := s.Scaled().X
	g, err := neighbor.KNN{}.Graph(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	p, err := WithoutGraph(t.Context(), x, g, 10, 10, 60, 1)
	if err != nil {
		t.Fatal(err)
	}
	if p.Printed < 1.05*p.Corrected || p.PrintedError > p.CorrectedError || p.PrintedRoughness < p.CorrectedRoughness {
		t.Errorf("%+v", p)
	}
	orders, err := Orders(t.Context(), x, g, 8, 1, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range orders {
		t.Logf("%s: %d of %d eigenvectors, %g, %d rises", o.Name, o.Kept, o.All, o.Result.Objective, o.Rises)
	}
	if len(orders) != 4 || orders[1].Kept >= orders[0].Kept || orders[0].Kept != orders[3].Kept || orders[2].Kept != orders[2].All {
		t.Errorf("eigenvectors of the four: %d, %d, %d, %d", orders[0].Kept, orders[1].Kept, orders[2].Kept, orders[3].Kept)
	}
	if a, b := orders[0].Result.Objective, orders[3].Result.Objective; math.Abs(a-b) < 1e-6*a {
		t.Errorf("both orders end at %g", a)
	}
}

// The table is whole, and a run makes one, on small matrices.
func TestCosts(t *testing.T) {
	if got, want := len(Costs()), len(algorithms()); got != want {
		t.Errorf("%d algorithms are stored, want %d", got, want)
	}
	out := filepath.Join(t.TempDir(), "cost.csv")
	if err := storeCosts(t.Context(), out, 12, 2, 2, 1); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []stored.Table{stored.Parse(string(text)), Costs()} {
		for _, row := range table {
			if !(row.Number("base") > 0) || !(row.Number("samples") > 0) || math.IsNaN(row.Number("in_r")) {
				t.Error(row)
			}
		}
	}
}
