package rra

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Held is the name of our own model among those of Clusters.
const Held = "scale held, λ = 10⁴"

// A Row is how well the coefficients of one solver cluster.
type Row struct {
	Name                   string
	Accuracy, NMI, Seconds float64
}

// Clusters is a trial of Fig. 4 and 5: classes drawn at random, as many components,
// each solver to rule (18), k-means on the coefficients, the columns of W having
// length 1. β and the neighbours are those of the paper. Standard NMF and k-means on
// the images are the baselines. The last row is ours, with a scale that is held:
// λ = 10000 and a ridge of 1 on W, chosen among powers of ten on four trials of 6 and
// of 10 classes of COIL-20.
func Clusters(ctx context.Context, s *datasets.Set, classes int, seed uint64) ([]Row, error) {
	rng := rand.New(rand.NewPCG(seed, uint64(classes)))
	chosen := map[int]int{}
	for i, c := range rng.Perm(len(s.Classes))[:classes] {
		chosen[c] = i
	}
	var columns, labels []int
	for j, l := range s.Labels {
		if i, ok := chosen[l]; ok {
			columns, labels = append(columns, j), append(labels, i)
		}
	}
	part, err := s.Pick(columns)
	if err != nil {
		return nil, err
	}
	graph, err := neighbor.KNN{}.Graph(ctx, part.X)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, rival := range slices.Concat([]Rival{{"k-means", nil}, {"NMF", rnmf.HALS{}}}, Rivals(), []Rival{{Held, rnmf.HALS{}}}) {
		points, row := part.X, Row{Name: rival.Name}
		if rival.Solver != nil {
			m := rnmf.GNMF(classes, graph, 1)
			rule := Settled(1e-3)
			switch rival.Name {
			case "NMF":
				m = rnmf.NMF(classes)
			case Held:
				m = rnmf.GNMF(classes, graph, 1e4)
				m.OnW = []rnmf.Penalty{rnmf.Ridge{Lambda: 1}}
				rule = func(t rnmf.Trace) bool {
					n := len(t)
					return n > 60 || n > 1 && t[n-2].Objective-t[n-1].Objective <= 1e-4*t[n-2].Objective
				}
			}
			m.Solver, m.Seed, m.MaxIter = rival.Solver, seed, 2000
			r, err := Run(ctx, m, part.X, rule)
			if err != nil {
				return nil, err
			}
			row.Seconds = r.Trace[len(r.Trace)-1].Seconds
			_, points = r.Normalized(2)
		}
		found, err := baseline.KMeans{K: classes, Seed: seed}.Fit(ctx, points)
		if err != nil {
			return nil, err
		}
		agreement, err := score.AgreementOf(labels, found.Labels)
		if err != nil {
			return nil, err
		}
		row.Accuracy, row.NMI = agreement.Accuracy, agreement.NMI[score.NMIMax]
		rows = append(rows, row)
	}
	return rows, nil
}
