// Package rls computes one trial of the tables of the RLS-NMF paper (sections 5.1 to 5.3), and has
// the stored results of many, for notebook 04.
package rls

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/rnmf/papers"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// A Problem is a data set as the paper has it: samples of length 1, then corrupted,
// with the graph of its nearest neighbours.
type Problem struct {
	Set   *datasets.Set
	X     *mat.Dense // corrupted
	Known *mat.Dense // 0 where an entry was removed; nil if none was
	Graph *rnmf.Graph
	Units papers.PenaltyUnits
	K     int // classes, and components
}

// New scales the samples of a set to length 1, removes a share of the entries or
// adds noise of a deviation, and finds the neighbours. Noise leaves negative entries;
// as in the paper the smallest is subtracted from all.
func New(s *datasets.Set, removed, noise float64, seed uint64) (*Problem, error) {
	p := &Problem{Set: s, X: UnitLength(s.X), K: len(s.Classes)}
	var err error
	if removed > 0 {
		var gone *mat.Dense
		if p.X, gone, err = (datasets.Removal{Share: removed}).Apply(p.X, seed); err != nil {
			return nil, err
		}
		p.Known = datasets.Observed(gone)
	}
	if noise > 0 {
		if p.X, _, err = (datasets.Gaussian{Sigma: noise, Min: math.Inf(-1)}).Apply(p.X, seed); err != nil {
			return nil, err
		}
		least := mat.Min(p.X)
		p.X.Apply(func(_, _ int, v float64) float64 { return v - least }, p.X)
	}
	if p.Graph, err = (neighbor.KNN{}).Graph(context.Background(), p.X); err != nil {
		return nil, err
	}
	p.Units, err = papers.NewPenaltyUnits(p.X, p.K)
	return p, err
}

// UnitLength returns x with columns of length 1; columns of zeros stay.
func UnitLength(x *mat.Dense) *mat.Dense {
	c := mat.DenseCopyOf(x)
	_, n := c.Dims()
	for j := range n {
		column := c.ColView(j).(*mat.VecDense)
		if length := mat.Norm(column, 2); length > 0 {
			column.ScaleVec(1/length, column)
		}
	}
	return c
}

// A Setting holds the parameters of a model. Alpha, Beta and Lambda are in units of
// the data (papers.PenaltyUnits), but for RMNMF, which takes Lambda as it is; the unit of Gamma is
// the squared length of a sample, which makes it the paper's.
type Setting struct{ Alpha, Beta, Gamma, Lambda float64 }

// A Method is a row of the tables.
type Method struct {
	Name string
	Has  [3]bool // α and β, γ, λ: the parameters of a grid
	// Fit makes the factors.
	Fit func(ctx context.Context, p *Problem, v Setting, seed uint64, rounds int) (*rnmf.Result, error)
}

// Methods returns the nine of the paper, and the L1 norm in place of the log (3). What
// the paper solves by multiplicative updates has these here, as it matters: see the
// notebook. RMNMF, CNMF, ONMF and Semi-NMF have the solvers of this package.
func Methods() []Method {
	method := func(name string, has [3]bool, model func(p *Problem, v Setting) rnmf.Model) Method {
		return Method{name, has, func(ctx context.Context, p *Problem, v Setting, seed uint64, rounds int) (*rnmf.Result, error) {
			m := model(p, v)
			m.Seed, m.MaxIter, m.Tol = seed, rounds, -1
			if rounds == 0 {
				m.MaxIter = Rounds
			}
			return m.Fit(ctx, p.X)
		}}
	}
	mu := func(m rnmf.Model) rnmf.Model {
		m.Solver = rnmf.MU{}
		return m
	}
	none, graph, sparse := [3]bool{}, [3]bool{2: true}, [3]bool{0: true, 2: true}
	convex := Method{"CNMF", none, func(ctx context.Context, p *Problem, _ Setting, seed uint64, rounds int) (*rnmf.Result, error) {
		m := rnmf.Model{Rank: p.K, Seed: seed, MaxIter: rounds, Init: rnmf.KMeansInit{}}
		if rounds == 0 {
			m.MaxIter = Rounds
		}
		r, err := papers.ConvexNMF{Model: m}.Fit(ctx, p.X)
		if err != nil {
			return nil, err
		}
		return r.Result, nil
	}}
	return []Method{
		method("NMF", none, func(p *Problem, _ Setting) rnmf.Model { return mu(rnmf.NMF(p.K)) }),
		method("GNMF", graph, func(p *Problem, v Setting) rnmf.Model {
			return mu(rnmf.GNMF(p.K, p.Graph, v.Lambda*p.Units.Graph))
		}),
		method("RMNMF", graph, func(p *Problem, v Setting) rnmf.Model { return papers.RMNMF(p.K, p.Graph, v.Lambda) }),
		method("WNMF", none, func(p *Problem, _ Setting) rnmf.Model { return mu(rnmf.Model{Rank: p.K, Mask: known(p)}) }),
		convex,
		method("ONMF", none, func(p *Problem, _ Setting) rnmf.Model { return papers.ONMF(p.K) }),
		method("Semi-NMF", none, func(p *Problem, _ Setting) rnmf.Model { return rnmf.SemiNMF(p.K) }),
		method("L1", sparse, func(p *Problem, v Setting) rnmf.Model {
			u := p.Units
			return mu(rnmf.SparseNMF(p.K, v.Alpha*u.W/u.Entry, v.Beta*u.H/u.Entry, p.Graph, v.Lambda*u.Graph))
		}),
		method("LS-NMF", sparse, func(p *Problem, v Setting) rnmf.Model { return mu(LogSparse(p, v)) }),
		method("RLS-NMF", [3]bool{true, true, true}, func(p *Problem, v Setting) rnmf.Model {
			m := LogSparse(p, v)
			m.Loss = rnmf.ByColumn{Loss: papers.LogShrink{Gamma: v.Gamma, Scale: p.Units.Column}}
			m.Solver = papers.Additive{Solver: rnmf.MU{}}
			return m
		}),
	}
}

// Named returns the one of Methods and AsPrinted that has a name; ℓ₁ is another name of L1, and convex NMF of CNMF,
// which in notebook 03 is constrained NMF.
func Named(name string) (Method, error) {
	name = strings.NewReplacer("ℓ₁", "L1", "convex NMF", "CNMF").Replace(name)
	for _, m := range slices.Concat(Methods(), AsPrinted()) {
		if m.Name == name {
			return m, nil
		}
	}
	return Method{}, fmt.Errorf("there is no method %q", name)
}

// Rounds of a fit. The paper gives a number only for its times, 500.
const Rounds = 100

// known is the mask of WNMF, which is told what was removed.
func known(p *Problem) mat.Matrix {
	if p.Known == nil {
		return nil
	}
	return p.Known
}

// LogSparse is LS-NMF in units of the data, by the default solver.
func LogSparse(p *Problem, v Setting) rnmf.Model {
	u := p.Units
	return rnmf.Model{Rank: p.K,
		OnW: []rnmf.Penalty{papers.LogSparse{Lambda: v.Alpha * u.W, Scale: u.Entry}},
		OnH: []rnmf.Penalty{papers.LogSparse{Lambda: v.Beta * u.H, Scale: u.Entry}, rnmf.Laplacian{Graph: p.Graph, Lambda: v.Lambda * u.Graph}}}
}

// A Row is the outcome of one trial.
type Row struct {
	Clusters              []int   // by k-means on H
	Accuracy, NMI, Purity float64 // of these; NMI by the geometric mean, as in the paper
	Live                  int     // components that are not 0; none if WH is nothing next to X
	SparsityW, SparsityH  float64 // Hoyer's, the mean of the columns of W and of the rows of H
	Seconds               float64 // of the fit
	Result                *rnmf.Result
}

// Run fits a method and clusters the columns of H, with the columns of W of length 1,
// by k-means. 0 rounds are Rounds.
func Run(ctx context.Context, p *Problem, m Method, v Setting, seed uint64, rounds int) (Row, error) {
	bad := func(err error) (Row, error) { return Row{}, fmt.Errorf("%s on %s: %w", m.Name, p.Set.Name, err) }
	r, err := m.Fit(ctx, p, v, seed, rounds)
	if err != nil {
		return bad(err)
	}
	_, h := r.Normalized(2)
	found, err := baseline.KMeans{K: p.K, Seed: seed, Restarts: 5}.Fit(ctx, h)
	if err != nil {
		return bad(err)
	}
	s, err := score.NewAgreement(p.Set.Labels, found.Labels)
	if err != nil {
		return bad(err)
	}
	w, err := score.HoyerColumns(r.W)
	if err != nil {
		return bad(err)
	}
	rows, err := score.HoyerColumns(r.H.T())
	if err != nil {
		return bad(err)
	}
	live := r.Live()
	var wh mat.Dense
	wh.Mul(r.W, r.H)
	if mat.Norm(&wh, 2) < 1e-9*mat.Norm(p.X, 2) { // components that are all small next to X are not small next to each other
		live = 0
	}
	return Row{found.Labels, s.Accuracy, s.NMI[score.NMIGeometric], s.Purity, live, mean(w), mean(rows),
		r.Trace[len(r.Trace)-1].Seconds, r}, nil
}

// Parameters span a grid with α = β; one with a parameter "beta" too has both.
func Parameters(alpha, gamma, lambda []float64) []choose.Parameter {
	return []choose.Parameter{{Name: "alpha", Values: alpha}, {Name: "gamma", Values: gamma}, {Name: "lambda", Values: lambda}}
}

// At is the setting of a point of such a grid.
func At(p choose.Setting) Setting {
	beta := "alpha"
	if slices.Contains(p.Names, "beta") {
		beta = "beta"
	}
	return Setting{p.Value("alpha"), p.Value(beta), p.Value("gamma"), p.Value("lambda")}
}

// Score is the Score of a grid over Parameters: means over two starts, and what can be
// known without labels, whether the starts agree ("stability", the adjusted Rand index)
// and whether clusters are compact in the data ("silhouette").
func Score(p *Problem, m Method, rounds int) func(context.Context, choose.Setting) (choose.Scores, error) {
	return func(ctx context.Context, at choose.Setting) (choose.Scores, error) {
		s := choose.Scores{}
		var first []int
		for seed := range uint64(2) {
			row, err := Run(ctx, p, m, At(at), seed+1, rounds)
			if err != nil {
				return nil, err
			}
			silhouette, err := choose.Silhouette(p.X, row.Clusters)
			if err != nil {
				return nil, err
			}
			for name, v := range map[string]float64{"accuracy": row.Accuracy, "nmi": row.NMI, "purity": row.Purity, "silhouette": silhouette,
				"live": float64(row.Live), "sparsityW": row.SparsityW, "sparsityH": row.SparsityH} {
				s[name] += v / 2
			}
			if first == nil {
				first = row.Clusters
			} else if s["stability"], err = score.AdjustedRand(first, row.Clusters); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}
