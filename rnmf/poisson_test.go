package rnmf_test

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

//go:embed testdata/poisson/golden.csv
var poissonGolden string

// matrixOf returns the matrix with the given entries.
func matrixOf(rows, cols int, at func(i, j int) float64) *mat.Dense {
	a := mat.NewDense(rows, cols, nil)
	a.Apply(func(i, j int, _ float64) float64 { return at(i, j) }, a)
	return a
}

// poissonDraw returns a Poisson number, for mean 500 and more a rounded normal one.
func poissonDraw(rng *rand.Rand, mean float64) float64 {
	if mean > 500 {
		return math.Round(max(0, mean+math.Sqrt(mean)*rng.NormFloat64()))
	}
	count, product := 0.0, rng.Float64()
	for ; product > math.Exp(-mean); product *= rng.Float64() {
		count++
	}
	return count
}

// counts returns Poisson counts with means of rank r, of the given mean, and these means.
func counts(rng *rand.Rand, m, n, r int, level float64) (x, means *mat.Dense) {
	w := matrixOf(m, r, func(int, int) float64 { return rng.ExpFloat64() * rng.ExpFloat64() })
	h := matrixOf(r, n, func(int, int) float64 { return rng.ExpFloat64() * rng.ExpFloat64() })
	means = new(mat.Dense)
	means.Mul(w, h)
	means.Scale(level*float64(m*n)/mat.Sum(means), means)
	return matrixOf(m, n, func(i, j int) float64 { return poissonDraw(rng, means.At(i, j)) }), means
}

// The objective and the multiplicative updates are those of scikit-learn.
func TestPoissonGolden(t *testing.T) {
	const m, n, r = 5, 6, 2
	x := matrixOf(m, n, func(i, j int) float64 { return float64((7*i + 3*j + i*j) % 11) })
	w := matrixOf(m, r, func(i, k int) float64 { return 0.3 + float64((3*i+2*k)%5)/5 })
	h := matrixOf(r, n, func(k, j int) float64 { return 2.2 + float64((k+4*j)%7)/7 })
	rows, err := csv.NewReader(strings.NewReader(poissonGolden)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[int]int{0: 0, 1: 1, 2: 2, 10: 3}
	model := Model{Rank: r, Family: Poisson, Solver: MU{}, Init: WarmStart{W: w, H: h}, MaxIter: 10, Tol: -1}
	for s, err := range model.Steps(context.Background(), x) {
		if err != nil {
			t.Fatal(err)
		}
		row, wanted := at[s.Round]
		if !wanted {
			continue
		}
		got := append([]float64{s.Objective}, s.W().RawMatrix().Data...)
		got = append(got, s.H().RawMatrix().Data...)
		for k, text := range rows[row] {
			want, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got[k]-want) > 1e-12*max(1, math.Abs(want)) {
				t.Errorf("round %d, number %d: %.17g, scikit-learn has %.17g", s.Round, k, got[k], want)
			}
		}
	}
}

// trueDeviance is d, written for obviousness.
func trueDeviance(x, y float64) float64 {
	if x == 0 {
		return 2 * y
	}
	return 2 * (x*math.Log(x/y) - x + y)
}

// trueRho is the loss of an entry by the rule of Poisson.
func trueRho(l Loss, f Family, x, y float64) (value, slope float64) {
	d, most := trueDeviance(x, y), 0.0
	switch {
	case x > 1:
		most = trueDeviance(x, 1)
	case x == 0 && f == Poisson:
		most = math.Inf(1)
	}
	value, slope = l.Rho(min(d, most))
	return value + slope*(d-min(d, most)), slope
}

// trueObjective is the objective without penalties, and the weights of all entries.
func trueObjective(model Model, x, w, h *mat.Dense) (sum float64, omega *mat.Dense) {
	m, n := x.Dims()
	var y mat.Dense
	y.Mul(w, h)
	omega = mat.NewDense(m, n, nil)
	weight := func(i, j int) float64 {
		if model.Mask == nil {
			return 1
		}
		return model.Mask.At(i, j)
	}
	rho, byColumn := Unpack(model.Loss)
	floor := FloorOf(model.Loss)
	for j := range n {
		var d float64
		for i := range m {
			switch {
			case byColumn:
				d += weight(i, j) * trueDeviance(x.At(i, j), y.At(i, j))
			case IsSquared(rho):
				sum += weight(i, j) * trueDeviance(x.At(i, j), y.At(i, j))
				omega.Set(i, j, weight(i, j))
			default:
				value, slope := trueRho(rho, model.Family, x.At(i, j), y.At(i, j))
				d += weight(i, j) * value
				omega.Set(i, j, weight(i, j)*slope)
			}
		}
		switch {
		case byColumn:
			value, slope := rho.Rho(d)
			sum += value
			for i := range m {
				omega.Set(i, j, weight(i, j)*slope)
			}
		case floor > 0:
			root := math.Sqrt(floor + d)
			sum += root
			for i := range m {
				omega.Set(i, j, omega.At(i, j)/(2*root))
			}
		case !IsSquared(rho):
			sum += d
		}
	}
	return sum, omega
}

// poissonLosses are losses of fixed scale, of entries, of samples, and of both.
var poissonLosses = []Loss{Frobenius{}, Huber{Cut: 2}, Cauchy{Scale: 3}, CauchyTail{Cut: 2.5}, Hypersurface{Scale: 3}, L1{Eps: 0.5},
	Truncated{Loss: Frobenius{}, Cut: 4}, Correntropy{Scale: 4}, ByColumn{L1{Eps: 0.1}}, ByColumn{Cauchy{Scale: 9}}, CellCase{Loss: Huber{Cut: 2}, Eps: 0.1}}

// One round of multiplicative updates is that of a plain loop, for all losses, masks and penalties,
// whose root solves the quadratic equation.
func TestPoissonReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const m, n, r = 9, 11, 3
	x, _ := counts(rng, m, n, r, 3)
	w, h := Uniform(m, r, 1), Uniform(r, n, 2)
	half := func(model Model, x, w, h *mat.Dense, penalties []Penalty) *mat.Dense {
		_, omega := trueObjective(model, x, w, h)
		q := QuadraticOf(r, n)
		for _, p := range penalties {
			p.Majorize(q, h)
		}
		var y mat.Dense
		y.Mul(w, h)
		return matrixOf(r, n, func(k, j int) float64 {
			var a, b, c, d float64
			for i := range m {
				a += w.At(i, k) * omega.At(i, j) * x.At(i, j) / y.At(i, j)
				b += w.At(i, k) * omega.At(i, j)
			}
			a *= h.At(k, j)
			c, d = q.Linear().At(k, j), q.Diagonal().At(k, j)
			if d == 0 {
				return a / (b - c)
			}
			return (c - b + math.Sqrt((b-c)*(b-c)+4*a*d)) / (2 * d)
		})
	}
	masks := []mat.Matrix{nil, matrixOf(m, n, func(i, j int) float64 { return float64((i + 2*j) % 4) })}
	for _, family := range []Family{Poisson, SparsePoisson} {
		for _, loss := range poissonLosses {
			for _, mask := range masks {
				for _, penalties := range [][]Penalty{nil, {Lasso{0.3}}, {Ridge{0.2}, Lasso{0.1}}} {
					model := Model{Rank: r, Family: family, Loss: loss, Mask: mask, OnH: penalties, Solver: MU{}, Init: WarmStart{W: w, H: h}, MaxIter: 1, Tol: -1}
					res, err := model.Fit(context.Background(), x)
					if err != nil {
						t.Fatal(err)
					}
					want := half(model, x, w, h, penalties)
					if !mat.EqualApprox(res.H, want, 1e-12) {
						t.Errorf("%v, %s, mask %v, %v: H is not that of the formula", family, LossName(loss), mask != nil, penalties)
					}
					sum, _ := trueObjective(model, x, w, h)
					for _, p := range penalties {
						sum += p.Value(h)
					}
					if math.Abs(res.Trace[0].Objective-sum) > 1e-12*sum {
						t.Errorf("%v, %s, mask %v, %v: the objective is %.15g, want %.15g", family, LossName(loss), mask != nil, penalties, res.Trace[0].Objective, sum)
					}
				}
			}
		}
	}
}

// No round raises the objective at a fixed scale, with any loss, mask, penalty and solver, and what is
// reported is the objective of the factors. With enough rounds the KKT residual is small.
func TestPoissonDescent(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const m, n, r = 17, 23, 4
	take := OneIn(t, 13)
	for _, level := range []float64{0.1, 3, 300} {
		x, _ := counts(rng, m, n, r, level)
		x.Set(3, 4, 50*level+30)
		masks := []mat.Matrix{nil, matrixOf(m, n, func(i, j int) float64 { return float64((i*j + 2*j) % 3) })}
		for _, solver := range []Solver{HALS{}, HALS{Sweeps: 1, NoExtrapolation: true}, MU{}} {
			for _, loss := range poissonLosses {
				for _, mask := range masks {
					for i, p := range PenaltiesFor(m, n, r) {
						if !take() {
							continue
						}
						model := Model{Rank: r, Family: Poisson, Loss: loss, Mask: mask, Solver: solver, MaxIter: 25, Tol: -1, Seed: uint64(i)}
						model.OnW, model.OnH = p.OnW, p.OnH
						res, err := model.Fit(context.Background(), x)
						if err != nil {
							t.Fatal(err)
						}
						name := fmt.Sprintf("level %g, %T, %s, mask %v, %v", level, solver, LossName(loss), mask != nil, p.Name)
						for k := 1; k < len(res.Trace); k++ {
							if a, b := res.Trace[k-1].Objective, res.Trace[k].Objective; b > a+1e-10*math.Abs(a) {
								t.Errorf("%s: round %d rises from %.15g to %.15g", name, k, a, b)
							}
						}
						sum, _ := trueObjective(model, x, res.W, res.H)
						for _, p := range model.OnH {
							sum += p.Value(res.H)
						}
						for _, p := range model.OnW {
							sum += p.Value(mat.DenseCopyOf(res.W.T()))
						}
						if math.Abs(sum-res.Objective) > 1e-9*math.Abs(sum) {
							t.Errorf("%s: the objective is %.15g, want %.15g", name, res.Objective, sum)
						}
					}
				}
			}
		}
	}
}

// probing is a solver that compares Gradient and Curvature with finite differences of the bound.
type probing struct{ t *testing.T }

func (probing) Takes(Family) bool { return true }

func (p probing) Improve(q *Quadratic, v *mat.Dense) {
	m, n, r := q.Dims()
	q.Tiles(v, func(t *Tile) {
		x, omega := slices.Clone(t.X()), slices.Clone(t.Omega())
		bound := func(v []float64) (sum float64) {
			for j := range t.B {
				for i := range m {
					var y float64
					for k := range r {
						y += q.U.At(k, i) * v[k*t.B+j]
					}
					sum += omega[i*t.B+j] * trueDeviance(x[i*t.B+j], y)
				}
			}
			for i, a := range v {
				sum += t.D[i]*a*a - 2*t.C[i]*a
			}
			return sum
		}
		gradient, curvature := make([]float64, r*t.B), make([]float64, r*t.B)
		t.Gradient(gradient)
		t.Curvature(curvature)
		for _, i := range []int{0, r*t.B - 1, r * t.B / 2} {
			v := slices.Clone(t.V)
			step := 1e-4 * v[i]
			v[i] += step
			above := bound(v)
			v[i] -= 2 * step
			below, at := bound(v), bound(t.V)
			if got := (above - below) / (2 * step); math.Abs(got+2*gradient[i]) > 1e-5*(math.Abs(got)+1) {
				p.t.Errorf("%d×%d: −2·Gradient is %g, the difference quotient %g", m, n, -2*gradient[i], got)
			}
			if got := (above - 2*at + below) / (step * step); math.Abs(got-2*curvature[i]) > 1e-3*(math.Abs(got)+1) {
				p.t.Errorf("%d×%d: 2·Curvature is %g, the difference quotient %g", m, n, 2*curvature[i], got)
			}
		}
	})
}

func TestPoissonGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	x, _ := counts(rng, 7, 9, 2, 4)
	ridge := []Penalty{Ridge{0.3}, Lasso{0.2}}
	for _, loss := range []Loss{Frobenius{}, Cauchy{Scale: 3}, ByColumn{Cauchy{Scale: 9}}} {
		model := Model{Rank: 2, Family: Poisson, Loss: loss, Solver: probing{t}, OnW: ridge, OnH: ridge, MaxIter: 1}
		if _, err := model.Fit(context.Background(), x); err != nil {
			t.Fatal(err)
		}
	}
}

// On clean counts the robust losses that we recommend estimate rates without bias: the sum of WH is
// that of X, as it is for the unbiased estimate, within 2 %, from means of 0.005 to 20. Rank 1 with
// equal rows and columns, so that WH is the rate.
func TestPoissonBias(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const m, n = 120, 150
	for _, mean := range []float64{0.005, 0.02, 0.1, 0.3, 1, 2, 5, 20} {
		x := matrixOf(m, n, func(int, int) float64 { return poissonDraw(rng, mean) })
		even := WarmStart{W: matrixOf(m, 1, func(int, int) float64 { return 1 }), H: matrixOf(1, n, func(int, int) float64 { return mean })}
		for _, family := range []Family{Poisson, SparsePoisson} {
			for _, loss := range []Loss{CauchyTail{}, Huber{Cut: 2}, Huber{Cut: 3}} {
				// W stays even: without it WH would follow single samples.
				model := Model{Rank: 1, Family: family, Loss: loss, Init: even, SolverW: still{}, SolverH: pooled{}, MaxIter: 40, Tol: -1}
				res, err := model.Fit(context.Background(), x)
				if err != nil {
					t.Fatal(err)
				}
				if bias := res.H.At(0, 0)*m*n/mat.Sum(x) - 1; math.Abs(bias) > 0.02 {
					t.Errorf("%v, %s at a mean of %g: a bias of %.1f %%", family, LossName(loss), mean, 100*bias)
				}
			}
		}
	}
}

// still leaves its factor, and pooled takes one rate for all columns to the minimum of the bound.
type still struct{}

func (still) Takes(Family) bool              { return true }
func (still) Improve(*Quadratic, *mat.Dense) {}

type pooled struct{}

func (pooled) Takes(Family) bool { return true }
func (pooled) Improve(q *Quadratic, v *mat.Dense) {
	var num, den float64
	done := make(chan [2]float64, 1000)
	q.Tiles(v, func(t *Tile) {
		var s [2]float64
		for i, w := range t.Omega() {
			s[0], s[1] = s[0]+w*t.X()[i], s[1]+w
		}
		done <- s
	})
	close(done)
	for s := range done {
		num, den = num+s[0], den+s[1]
	}
	v.Apply(func(int, int, float64) float64 { return num / den }, v)
}

// Bursts, zeros where a detector was off, and foreign samples spoil PoissonNMF, and not
// RobustPoissonNMF, which is as good on clean counts.
func TestRobustPoisson(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const m, n, r = 60, 90, 3
	clean, means := counts(rng, m, n, r, 20)
	spoiled := mat.DenseCopyOf(clean)
	spoiled.Apply(func(i, j int, v float64) float64 {
		switch {
		case j >= n-6:
			return poissonDraw(rng, 100*rng.ExpFloat64())
		case rng.Float64() < 0.03:
			return poissonDraw(rng, 500)
		case v > 30 && rng.Float64() < 0.1:
			return 0
		}
		return v
	}, spoiled)
	// off is the mean Pearson chi-square of the means, without the foreign samples.
	off := func(model Model, x *mat.Dense) float64 {
		res, err := model.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		wh := res.WH()
		var sum float64
		for i := range m {
			for j := range n - 6 {
				e := wh.At(i, j) - means.At(i, j)
				sum += e * e / max(means.At(i, j), 0.05) / m / (n - 6)
			}
		}
		return math.Sqrt(sum)
	}
	plain, robust := off(PoissonNMF(r), clean), off(RobustPoissonNMF(r), clean)
	if robust > 1.1*plain {
		t.Errorf("on clean counts RobustPoissonNMF is off by %.3f, PoissonNMF by %.3f", robust, plain)
	}
	if spoiledPlain, spoiledRobust := off(PoissonNMF(r), spoiled), off(RobustPoissonNMF(r), spoiled); spoiledRobust > 1.4*plain || spoiledPlain < 10*plain {
		t.Errorf("on spoiled counts RobustPoissonNMF is off by %.3f and PoissonNMF by %.3f, on clean ones by %.3f", spoiledRobust, spoiledPlain, plain)
	}
	res, err := RobustPoissonNMF(r).Fit(context.Background(), spoiled)
	if err != nil {
		t.Fatal(err)
	}
	o, err := res.Outliers(spoiled, nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, w := range o.Samples {
		if foreign := j >= n-6; foreign != (w < 0.6) {
			t.Errorf("sample %d has weight %.2f", j, w)
		}
	}
}

// Samples and features of zeros, zeros in a start, and counts of any size.
func TestPoissonDegenerate(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const m, n, r = 12, 14, 3
	x, _ := counts(rng, m, n, r, 5)
	for k := range m {
		x.Set(k, 4, 0)
	}
	for k := range n {
		x.Set(5, k, 0)
	}
	for _, solver := range []Solver{HALS{}, MU{}} {
		for _, loss := range append(poissonLosses, Cauchy{}, CauchyTail{}, ByColumn{L1{}}, MMEstimator{}) {
			res, err := Model{Rank: r, Family: Poisson, Loss: loss, Solver: solver}.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			if h := mat.Sum(res.H.ColView(4)); h > 1e-3 {
				t.Errorf("%T, %s: a sample of zeros has the coefficients %v", solver, LossName(loss), mat.Col(nil, 4, res.H))
			}
			if w := mat.Sum(res.W.RowView(5)); w > 1e-3 {
				t.Errorf("%T, %s: a feature of zeros has %v in W", solver, LossName(loss), res.W.RawRowView(5))
			}
			for _, scale := range []float64{0, 1e-300, 1e-20, 1e20, 1e97} {
				var far mat.Dense
				far.Scale(scale, x)
				res, err := Model{Rank: r, Family: Poisson, Loss: loss, Solver: solver, MaxIter: 20}.Fit(context.Background(), &far)
				if err != nil {
					t.Fatalf("%T, %s at %g: %v", solver, LossName(loss), scale, err)
				}
				if sum := mat.Sum(res.W) + mat.Sum(res.H) + res.Objective + res.KKT; math.IsNaN(sum - sum) {
					t.Errorf("%T, %s at %g: %v", solver, LossName(loss), scale, res)
				}
			}
		}
	}
	// A start that has zeros where X has not is made positive there.
	zeros := WarmStart{W: mat.NewDense(m, r, nil), H: mat.NewDense(r, n, nil)}
	for name, init := range map[string]Init{"zeros": zeros, "NNDSVD": NNDSVD{}} {
		res, err := Model{Rank: r, Family: Poisson, Init: init}.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		best, err := PoissonNMF(r).Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if res.Objective > 1.5*best.Objective {
			t.Errorf("from %s the fit ends at %g, from a random start at %g", name, res.Objective, best.Objective)
		}
	}
}

func TestPoissonErrors(t *testing.T) {
	x := matrixOf(4, 5, func(i, j int) float64 { return float64(i + j) })
	bad := mat.DenseCopyOf(x)
	bad.Set(2, 3, -1)
	var entry *EntryError
	if _, err := PoissonNMF(2).Fit(context.Background(), bad); !errors.As(err, &entry) || !errors.Is(err, ErrNegative) || entry.Row != 2 || entry.Col != 3 {
		t.Errorf("a negative count: %v", err)
	}
	for name, model := range map[string]Model{
		"no such family":    {Rank: 2, Family: 7},
		"signed":            {Rank: 2, Family: Poisson, Signed: true},
		"a solver":          {Rank: 2, Family: Poisson, Solver: FGD{}},
		"a solver of W":     {Rank: 2, Family: Poisson, SolverW: NormalEquations{}},
		"the additive form": {Rank: 2, Family: Poisson, Solver: Additive{Solver: HALS{}}},
	} {
		if _, err := model.Fit(context.Background(), x); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
	model := PoissonNMF(2)
	labels := Labels{Class: []int{0, 1, 0, 1, 0}}
	for name, fit := range map[string]func() error{
		"CNMF":      func() error { _, err := CNMF{Model: model, Labels: labels}.Fit(context.Background(), x); return err },
		"SSNMF":     func() error { _, err := SSNMF{Model: model, Labels: labels}.Fit(context.Background(), x); return err },
		"ConvexNMF": func() error { _, err := ConvexNMF{Model: model}.Fit(context.Background(), x); return err },
		"OcclusionNMF": func() error {
			_, err := OcclusionNMF{Model: model, Height: 2, Width: 2}.Fit(context.Background(), x)
			return err
		},
	} {
		if err := fit(); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "Family") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Transform finds the coefficients of the samples of a fit again, also where a new sample has a burst,
// and a saved Result keeps its Family.
func TestPoissonTransform(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const m, n, r = 40, 50, 3
	x, _ := counts(rng, m, n, r, 20)
	for _, model := range []Model{PoissonNMF(r), RobustPoissonNMF(r)} {
		model.Tol = 1e-9
		res, err := model.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := res.Save(&file); err != nil {
			t.Fatal(err)
		}
		if res, err = Load(&file); err != nil || res.Family != Poisson {
			t.Fatalf("loaded: family %v, %v", res.Family, err)
		}
		spoiled := mat.DenseCopyOf(x)
		if model.Loss != nil {
			spoiled.Set(3, 2, 5000)
		}
		h, err := res.Transform(context.Background(), spoiled, nil)
		if err != nil {
			t.Fatal(err)
		}
		if far := distance(h, res.H) / mat.Norm(res.H, 2); far > 0.02 {
			t.Errorf("%s: Transform is %.3g from H", LossName(res.Loss), far)
		}
		mask := ConstantOnes(m, n)
		for i := range m {
			mask.Set(i, 4, 0)
		}
		if h, err = res.Transform(context.Background(), x, mask); err != nil || mat.Max(h.ColView(4)) != 0 {
			t.Errorf("%s: a sample that is hidden has coefficients up to %g, %v", LossName(res.Loss), mat.Max(h.ColView(4)), err)
		}
		spoiled.Set(1, 2, -1)
		if _, err := res.Outliers(spoiled, nil); !errors.Is(err, ErrNegative) {
			t.Errorf("%s: outliers of a negative count: %v", LossName(res.Loss), err)
		}
	}
}

// A solver of a stranger asks for gradients where a truncated loss ignores whole samples.
func TestPoissonIgnoredSamples(t *testing.T) {
	x, _ := counts(rand.New(rand.NewPCG(7, 7)), 12, 20, 3, 9)
	for i := range 12 {
		x.Set(i, 3, float64(4000*(i%2)))
	}
	for _, loss := range []Loss{nil, ByColumn{Truncated{Loss: L1{}, Rule: NormalThreeSigma}}} {
		Sound(t, LossName(loss), MustFit(t, Model{Rank: 3, Family: Poisson, Loss: loss, Solver: halfGradient{}, MaxIter: 50}, x))
	}
}

// halfGradient goes half of the way that a diagonal bound allows.
type halfGradient struct{}

func (halfGradient) Takes(Family) bool { return true }

func (halfGradient) Improve(q *Quadratic, v *mat.Dense) {
	q.Tiles(v, func(t *Tile) {
		gradient, curvature := make([]float64, t.R*t.B), make([]float64, t.R*t.B)
		t.Gradient(gradient)
		t.Curvature(curvature)
		for i, g := range gradient {
			if curvature[i] > 0 {
				t.V[i] = max(t.V[i]/2, t.V[i]+g/curvature[i]/float64(t.R))
			}
		}
	})
}

func distance(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Norm(&d, 2)
}
