package rnmf_test

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

var updateBits = flag.Bool("update-bits", false, "write testdata/bits.txt anew")

// TestBits compares the bits of some thousand fits with those of testdata/bits.txt:
// what is only moved or renamed must not change a result. A change that is meant is
// written there by
//
//	go test ./rnmf -run TestBits -update-bits
//
// and the commit says why. With -short it looks at one group of fits in thirty-two.
func TestBits(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("gonum adds in another order on other processors")
	}
	const file = "testdata/bits.txt"
	groups := bitGroups()
	slices.SortFunc(groups, func(a, b bitGroup) int { return strings.Compare(a.name, b.name) })
	if *updateBits {
		var out strings.Builder
		for _, g := range groups {
			fmt.Fprintf(&out, "%s\t%d\t%x\n", g.name, g.count, g.sum())
		}
		if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), "\t")
		want[name] = rest
	}
	fits := 0
	for i, g := range groups {
		fits += g.count
		if testing.Short() && i%32 != 0 {
			continue
		}
		if got := fmt.Sprintf("%d\t%x", g.count, g.sum()); got != want[g.name] {
			t.Errorf("%s: %s, want %s", g.name, got, want[g.name])
		}
	}
	if fits < 2000 {
		t.Errorf("only %d fits", fits)
	}
}

// A bitGroup is some fits, and how to add their bits to a sum.
type bitGroup struct {
	name  string
	count int
	add   func(h hash.Hash)
}

func (g bitGroup) sum() []byte {
	h := sha256.New()
	g.add(h)
	return h.Sum(nil)[:12]
}

func addBits(h hash.Hash, values ...float64) {
	for _, v := range values {
		h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
	}
}

func addMatrix(h hash.Hash, a *mat.Dense) {
	rows, _ := a.Dims()
	for i := range rows {
		addBits(h, a.RawRowView(i)...)
	}
}

func addResult(h hash.Hash, r *rnmf.Result, err error) {
	if err != nil { // which combinations are refused is part of the sum, how is not
		for _, kind := range []error{rnmf.ErrParameter, rnmf.ErrShape, rnmf.ErrNegative, rnmf.ErrLabels} {
			if errors.Is(err, kind) {
				fmt.Fprint(h, kind)
			}
		}
		return
	}
	addMatrix(h, r.W)
	addMatrix(h, r.H)
	addBits(h, r.Objective, r.KKT, float64(r.Reason))
	for _, p := range r.Trace {
		addBits(h, float64(p.Round), p.Objective, p.Scale, p.KKT)
	}
}

// bitData is of low rank with noise, some zeros and some gross entries.
func bitData(m, n int, gross, share float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	w, h := mat.NewDense(m, 4, nil), mat.NewDense(4, n, nil)
	draw := func(_, _ int, _ float64) float64 { return max(0, rng.NormFloat64()+0.3) }
	w.Apply(draw, w)
	h.Apply(draw, h)
	var x mat.Dense
	x.Mul(w, h)
	x.Apply(func(_, _ int, v float64) float64 {
		switch {
		case rng.Float64() < share:
			return gross * rng.Float64()
		case v > 0:
			return max(0, v+0.1*rng.NormFloat64())
		}
		return 0
	}, &x)
	return &x
}

func bitGroups() (groups []bitGroup) {
	losses := []struct {
		name string
		loss rnmf.Loss
	}{
		{"Frobenius", rnmf.Frobenius{}},
		{"L1", rnmf.L1{}}, {"L1 0.01", rnmf.L1{Eps: 0.01}},
		{"Huber printed", rnmf.Huber{Printed: true}}, {"Huber 0.3", rnmf.Huber{Cut: 0.3}},
		{"Hypersurface", rnmf.Hypersurface{}}, {"Hypersurface 0.5", rnmf.Hypersurface{Scale: 0.5}},
		{"Correntropy printed", rnmf.Correntropy{Printed: true}}, {"Correntropy 1", rnmf.Correntropy{Scale: 1}},
		{"Cauchy printed", rnmf.Cauchy{Printed: true}}, {"Cauchy 0.2", rnmf.Cauchy{Scale: 0.2}},
		{"Truncated Cauchy printed", rnmf.Truncated{Loss: rnmf.Cauchy{Printed: true}}},
		{"Truncated Cauchy 0.2", rnmf.Truncated{Loss: rnmf.Cauchy{Scale: 0.2}, Cut: 1}},
		{"Truncated Frobenius", rnmf.Truncated{Loss: rnmf.Frobenius{}, Rule: rnmf.NormalThreeSigma}},
		{"LogShrink", papers.LogShrink{Gamma: 6}},
		{"SmoothL1", papers.SmoothL1{}}, {"SmoothL1 0.1", papers.SmoothL1{Mu: 0.1}},
		{"MMEstimator", rnmf.MMEstimator{}}, {"MMEstimator Cauchy Huber", rnmf.MMEstimator{First: rnmf.Cauchy{Printed: true}, Then: rnmf.Huber{Printed: true}}},
		{"ByColumn L1", rnmf.ByColumn{Loss: rnmf.L1{}}}, {"ByColumn Cauchy", rnmf.ByColumn{Loss: rnmf.Cauchy{}}},
		{"ByColumn Truncated L1", rnmf.ByColumn{Loss: rnmf.Truncated{Loss: rnmf.L1{}, Rule: rnmf.NormalThreeSigma}}},
		{"ByColumn LogShrink 1", rnmf.ByColumn{Loss: papers.LogShrink{Gamma: 3, Scale: 1}}},
		{"Huber", rnmf.Huber{}}, {"Correntropy", rnmf.Correntropy{}},
		{"Cauchy", rnmf.Cauchy{}}, {"Truncated Cauchy", rnmf.Truncated{Loss: rnmf.Cauchy{}}},
		{"CellCase Huber", rnmf.CellCase{Loss: rnmf.Huber{}}}, {"CellCase Cauchy 0.2", rnmf.CellCase{Loss: rnmf.Cauchy{Scale: 0.2}, Eps: 0.05}},
		{"CauchyTail", rnmf.CauchyTail{}}, {"CauchyTail 1", rnmf.CauchyTail{Cut: 1}},
		{"Poisson Frobenius", nil}, {"Poisson CauchyTail", rnmf.CauchyTail{}}, {"Poisson Huber 1", rnmf.Huber{Cut: 1}},
		{"Poisson ByColumn L1", rnmf.ByColumn{Loss: rnmf.L1{}}}, {"SparsePoisson CauchyTail", rnmf.CauchyTail{}},
	}
	solvers := []struct {
		name   string
		solver rnmf.Solver
		w      rnmf.Solver // of W, if that is another one
	}{
		{"nil", nil, nil}, {"HALS 2", rnmf.HALS{Sweeps: 2, NoExtrapolation: true}, nil}, {"MU", rnmf.MU{}, nil},
		{"OGM", papers.OGM{}, nil}, {"OGM plain", papers.OGM{Steps: 10, Printed: true}, nil},
		{"FGD", papers.FGD{}, nil}, {"FGD plain", papers.FGD{Printed: true}, nil}, {"ProxLinear", papers.ProxLinear{}, nil},
		{"RRA", papers.RRA{}, nil}, {"Additive", papers.Additive{}, nil}, {"Additive MU", papers.Additive{Solver: rnmf.MU{}}, nil},
		{"Orthogonal", papers.Orthogonal{}, rnmf.HALS{Sweeps: 1}}, {"FreeW", nil, rnmf.NormalEquations{}}, {"FreeW Additive", papers.Additive{}, rnmf.NormalEquations{}},
	}
	data := []*mat.Dense{bitData(23, 31, 8, 0.05), bitData(64, 90, 30, 0.02)}
	var edges []([]rnmf.Edge)
	for _, x := range data {
		_, n := x.Dims()
		var list []rnmf.Edge
		for j := range n {
			list = append(list, rnmf.Edge{I: j, J: (j + 1) % n, Weight: 1}, rnmf.Edge{I: j, J: (j*7 + 3) % n, Weight: 0.5})
		}
		list = keepSimple(list)
		edges = append(edges, list)
	}
	for li, loss := range losses {
		for si, solver := range solvers {
			g := bitGroup{name: loss.name + " / " + solver.name}
			var fits []func() (*rnmf.Result, error)
			for mask := range 3 {
				for penalty := range 4 {
					i := len(fits) + li + si
					which := 0
					if i%7 == 0 {
						which = 1
					}
					fits = append(fits, func() (*rnmf.Result, error) {
						x := data[which]
						m, n := x.Dims()
						model := rnmf.Model{Rank: 3, Loss: loss.loss, SolverH: solver.solver, SolverW: cmp.Or(solver.w, solver.solver), Seed: uint64(i), MaxIter: 12}
						model.TraceKKT = i%5 == 0
						if i%6 == 1 {
							model.TraceEvery = 3
						}
						if strings.HasSuffix(loss.name, "printed") {
							model.TuneFor = -1 // as the papers do
						}
						if i%4 == 2 {
							model.TuneFor = 5
						}
						switch of, _, _ := strings.Cut(loss.name, " "); of {
						case "Poisson":
							model.Family = rnmf.Poisson
						case "SparsePoisson":
							model.Family = rnmf.SparsePoisson
						}
						switch i % 5 {
						case 1:
							model.Init = rnmf.NNDSVDa{}
						case 2:
							rng := rand.New(rand.NewPCG(5, uint64(i)))
							w, h := mat.NewDense(m, 3, nil), mat.NewDense(3, n, nil)
							draw := func(_, _ int, _ float64) float64 { return rng.Float64() }
							w.Apply(draw, w)
							h.Apply(draw, h)
							model.Init = rnmf.WarmStart{W: w, H: h}
						}
						if mask > 0 {
							rng := rand.New(rand.NewPCG(9, uint64(mask)))
							dense := mat.NewDense(m, n, nil)
							dense.Apply(func(_, _ int, _ float64) float64 {
								v := rng.Float64()
								if v < 0.15 {
									return 0
								}
								if mask == 1 {
									return 1
								}
								return v
							}, dense)
							model.Mask = dense
						}
						switch penalty {
						case 1:
							model.OnW = []rnmf.Penalty{rnmf.Ridge{Lambda: 0.1}}
							model.OnH = []rnmf.Penalty{rnmf.Lasso{Lambda: 0.2}}
						case 2:
							graph, err := rnmf.NewGraph(n, edges[which])
							if err != nil {
								return nil, err
							}
							model.OnW = []rnmf.Penalty{rnmf.Ridge{Lambda: 1}}
							model.OnH = []rnmf.Penalty{rnmf.Laplacian{Graph: graph, Lambda: 0.3}, papers.LogSparse{Lambda: 0.05}}
						case 3:
							class := make([]int, n)
							for j := range class {
								class[j] = j%4 - 1
							}
							model.OnH = []rnmf.Penalty{rnmf.Labels{Class: class, Weight: 2}}
						}
						defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1 + i%3))
						return model.Fit(context.Background(), x)
					})
				}
			}
			g.count = len(fits)
			g.add = func(h hash.Hash) {
				for i, fit := range fits {
					r, err := fit()
					addResult(h, r, err)
					if r != nil && i == 0 {
						c, err := r.Transform(context.Background(), data[0].Slice(0, r.W.RawMatrix().Rows%24, 0, 5), nil)
						if err == nil {
							addMatrix(h, c)
						}
					}
				}
			}
			groups = append(groups, g)
		}
	}
	return append(groups, bitModels(data[0])...)
}

// keepSimple drops loops and edges that are there already.
func keepSimple(list []rnmf.Edge) (kept []rnmf.Edge) {
	seen := map[[2]int]bool{}
	for _, e := range list {
		key := [2]int{min(e.I, e.J), max(e.I, e.J)}
		if e.I != e.J && !seen[key] {
			seen[key] = true
			kept = append(kept, e)
		}
	}
	return kept
}

// bitModels are the models that are types of their own, and constructors with a
// start or a rule of their own.
func bitModels(x *mat.Dense) (groups []bitGroup) {
	_, n := x.Dims()
	class := make([]int, n)
	for j := range class {
		class[j] = j%4 - 1
	}
	labels := rnmf.Labels{Class: class}
	ctx := context.Background()
	short := rnmf.Model{Rank: 4, MaxIter: 12, Seed: 3}
	add := func(name string, fit func() (*rnmf.Result, error)) {
		groups = append(groups, bitGroup{name, 1, func(h hash.Hash) {
			r, err := fit()
			addResult(h, r, err)
			if r == nil {
				return
			}
			if o, err := r.Outliers(x, nil); err == nil {
				addMatrix(h, o.Weights)
				addMatrix(h, o.S)
				addBits(h, o.Samples...)
			}
		}})
	}
	for name, m := range map[string]rnmf.Model{
		"RobustNMF": rnmf.RobustNMF(4), "HuberNMF": rnmf.HuberNMF(4), "TruncatedCauchyNMF": rnmf.TruncatedCauchyNMF(4),
		"MahNMF": papers.MahNMF(4), "ONMF": papers.ONMF(4), "CappedNMF": rnmf.CappedNMF(4, 0), "RNMFL1": papers.RNMFL1(4, 0),
		"SemiNMF": rnmf.SemiNMF(4), "RSSNMF": rnmf.RSSNMF(4, 0, labels), "RLSNMF": papers.RLSNMF(4, 0.01, 0.01, 3, nil, 0),
	} {
		add(name, func() (*rnmf.Result, error) { return m.Fit(ctx, x) })
	}
	add("SSNMF", func() (*rnmf.Result, error) {
		r, err := papers.SSNMF{Model: short, Labels: labels}.Fit(ctx, x)
		if r == nil {
			return nil, err
		}
		return r.Result, err
	})
	add("CNMF", func() (*rnmf.Result, error) { return papers.CNMF{Model: short, Labels: labels}.Fit(ctx, x) })
	add("ConvexNMF", func() (*rnmf.Result, error) {
		r, err := papers.ConvexNMF{Model: short}.Fit(ctx, x)
		if r == nil {
			return nil, err
		}
		return r.Result, err
	})
	add("OcclusionNMF", func() (*rnmf.Result, error) {
		y := bitData(48, 40, 8, 0.05)
		r, err := papers.OcclusionNMF{Model: short, Height: 8, Width: 6}.Fit(ctx, y)
		if r == nil {
			return nil, err
		}
		return r.Result, err
	})
	add("LabelInit", func() (*rnmf.Result, error) {
		m := short
		m.Init = rnmf.LabelInit{Labels: labels}
		return m.Fit(ctx, x)
	})
	return groups
}
