package rra

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Held is the name of our own model among those of Clusters.
const Held = "scale held, λ = 10⁴"

// A Row is how well the coefficients of one solver cluster.
type Row struct {
	Accuracy, NMI, Seconds float64
	Rounds                 int
}

// A Part is some classes of a set, drawn at random, with the graph of their neighbours.
type Part struct {
	X       *mat.Dense
	Graph   *rnmf.Graph
	Labels  []int
	Classes int
	Seed    uint64
}

// Draw draws classes of a set.
func Draw(ctx context.Context, s *datasets.Set, classes int, seed uint64) (p Part, err error) {
	rng := rand.New(rand.NewPCG(seed, uint64(classes)))
	chosen := map[int]int{}
	for i, c := range rng.Perm(len(s.Classes))[:classes] {
		chosen[c] = i
	}
	var columns []int
	for j, l := range s.Labels {
		if i, ok := chosen[l]; ok {
			columns, p.Labels = append(columns, j), append(p.Labels, i)
		}
	}
	part, err := s.Pick(columns)
	if err != nil {
		return p, err
	}
	p.X, p.Classes, p.Seed = part.X, classes, seed
	p.Graph, err = neighbor.KNN{}.Graph(ctx, p.X)
	return p, err
}

// clustered are the rows of Fig. 4 and 5.
func clustered() (names []string) {
	names = []string{"k-means", "NMF"}
	for _, r := range Rivals() {
		names = append(names, r.Name)
	}
	return append(names, Held, Algorithm1)
}

// fit returns the factors of a row from the start of the part's seed, nil for k-means. β and
// the neighbours are those of the paper, and all but Held stop by rule (18).
func (p Part) fit(ctx context.Context, name string) (*rnmf.Result, error) {
	m, rule := rnmf.GNMF(p.Classes, p.Graph, beta), Settled(1e-3)
	switch name {
	case "k-means":
		return nil, nil
	case Algorithm1:
		start := printed.Start{Rank: p.Classes, Seed: p.Seed, MaxIter: 2000, Stop: rule}
		return printed.RRA{Start: start, Graph: p.Graph, Beta: beta}.Fit(ctx, p.X)
	case "NMF":
		m = rnmf.NMF(p.Classes)
	case Held:
		m = rnmf.GNMF(p.Classes, p.Graph, 1e4)
		m.OnW = []rnmf.Penalty{rnmf.Ridge{Lambda: 1}}
		rule = func(t rnmf.Trace) bool {
			n := len(t)
			return n > 60 || n > 1 && t[n-2].Objective-t[n-1].Objective <= 1e-4*t[n-2].Objective
		}
	}
	for _, r := range Rivals() {
		if r.Name == name {
			m.Solver = r.Solver
		}
	}
	m.Seed, m.MaxIter = p.Seed, 2000
	return Run(ctx, m, p.X, rule)
}

// Cluster is a row of a trial of Fig. 4 and 5: k-means on the coefficients of as many
// components as classes, the columns of W having length 1. Standard NMF and k-means on the
// images are the baselines. Held is our own model, with a scale that is held: λ = 10000 and a
// ridge of 1 on W, chosen among powers of ten on four trials of 6 and of 10 classes of
// COIL-20.
func (p Part) Cluster(ctx context.Context, name string) (row Row, err error) {
	r, err := p.fit(ctx, name)
	if err != nil {
		return row, err
	}
	points := p.X
	if r != nil {
		last := r.Trace[len(r.Trace)-1]
		row.Seconds, row.Rounds = last.Seconds, last.Round
		_, points = r.Normalized(2)
	}
	found, err := baseline.KMeans{K: p.Classes, Seed: p.Seed}.Fit(ctx, points)
	if err != nil {
		return row, err
	}
	agreement, err := score.NewAgreement(p.Labels, found.Labels)
	row.Accuracy, row.NMI = agreement.Accuracy, agreement.NMI[score.NMIMax]
	return row, err
}
