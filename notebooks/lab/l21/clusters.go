package l21

import (
	"context"
	_ "embed"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/score"
	"github.com/robustnmf/robustnmf/viz"
)

//go:embed clusters.csv
var clusters string

// Clusters returns what Command has stored for Table 3, a row for each set, model and trial,
// which is the seed of the start and, for UMIST, MNIST and PIE, of the images drawn: the
// accuracy, nmi and purity of the largest coefficients, or of the clusters of k-means; onH,
// the accuracy of k-means on H; the rounds and the version.
var Clusters = sync.OnceValue(func() stored.Table { return stored.Parse(clusters) })

// Methods returns the rows of Table 3: both models from one start with the paper's updates, for
// 100 rounds, and with HALS until a round gains less than 1e-4 of the objective, for at most 60
// rounds, and until one gains less than 1e-6, for at most 1,000. Then the start itself and k-means,
// which have no model.
func Methods() []Fitted {
	loss := rnmf.ByColumn{Loss: rnmf.L1{}}
	return []Fitted{
		{"L2,1-NMF", rnmf.Model{Loss: loss, Solver: rnmf.MU{}, Tol: -1, MaxIter: 100}},
		{"NMF", rnmf.Model{Solver: rnmf.MU{}, Tol: -1, MaxIter: 100}},
		{"L2,1-NMF, HALS", rnmf.Model{Loss: loss, Tol: 1e-4, MaxIter: 60}},
		{"NMF, HALS", rnmf.Model{Tol: 1e-4, MaxIter: 60}},
		{"L2,1-NMF, converged", rnmf.Model{Loss: loss, Tol: 1e-6, MaxIter: 1000}},
		{"NMF, converged", rnmf.Model{Tol: 1e-6, MaxIter: 1000}},
		{Name: "start"},
		{Name: "k-means"},
	}
}

// WayNames are the names of the three ways to fit, in the order of Methods.
var WayNames = []string{"100 multiplicative rounds", "HALS, 60 rounds at most", "converged"}

// Ways is a table of the three ways to fit: what a step of each minimises, when a fit ends, and the mean accuracies
// over all sets, those of NMF in brackets; then the start and k-means.
func Ways() (*viz.Table, error) {
	mean := func(score string, where ...string) float64 {
		return stat.Mean(Clusters().Where(where...).Numbers(score), nil)
	}
	both := func(score, way string) viz.Cell {
		c := viz.Number(mean(score, "model", "L2,1-NMF"+way), 3)
		c.Text += fmt.Sprintf(" (%.3f)", mean(score, "model", "NMF"+way))
		return c
	}
	sets := Clusters().Different("set")
	var rows [][]any
	for i, way := range []string{"", ", HALS", ", converged"} {
		minimised := []string{"Z of (32), every entry by itself", "J of (33), row by row", "J of (33), row by row"}[i]
		end := []string{"100 rounds", "a round that gains less than 10⁻⁴ of the objective, or 60 rounds", "a round that gains less than 10⁻⁶ of it, or 1,000 rounds"}[i]
		ahead := 0
		for _, set := range sets {
			if mean("onH", "set", set, "model", "L2,1-NMF"+way) > mean("accuracy", "set", set, "model", "k-means")+1e-9 {
				ahead++
			}
		}
		rows = append(rows, []any{WayNames[i], minimised, end, both("accuracy", way), both("onH", way), fmt.Sprintf("on %d of %d", ahead, len(sets))})
	}
	for _, row := range [][2]string{{"the start: k-means after PCA", "start"}, {"k-means on X", "k-means"}} {
		rows = append(rows, []any{row[0], "–", "–", viz.Number(mean("accuracy", "model", row[1]), 3), "–", "–"})
	}
	t, err := viz.NewTable([]string{"", "a step for H minimises", "a fit ends after", "accuracy", "by k-means on H", "L2,1-NMF, k-means on H: mean above that of k-means on X"}, rows)
	if err == nil {
		t.Caption = fmt.Sprintf("Mean accuracy of L2,1-NMF (of NMF) over %d sets (stored)", len(sets))
	}
	return t, err
}

// judge returns the values of a row: rounds bounds those of a fit if it is not 0.
func judge(ctx context.Context, s *datasets.Set, f Fitted, seed uint64, rounds int) ([]string, error) {
	k := len(s.Classes)
	means := func(points mat.Matrix) ([]int, error) {
		r, err := baseline.KMeans{K: k, Seed: seed}.Fit(ctx, points)
		if err != nil {
			return nil, err
		}
		return r.Labels, nil
	}
	last := 0
	var found, onH []int
	var err error
	if f.Name == "k-means" {
		found, err = means(s.X)
		onH = found
	} else {
		m := f.Model
		var w, h *mat.Dense
		if w, h, err = (rnmf.KMeansInit{}).Start(ctx, s.X, k, rand.New(rand.NewPCG(seed, 0x52_4e_4d_46))); err != nil {
			return nil, err
		}
		r := &rnmf.Result{W: w, H: h}
		if f.Name != "start" {
			m.Rank, m.Init = k, rnmf.WarmStart{W: w, H: h}
			if rounds > 0 {
				m.MaxIter = rounds
			}
			if r, err = m.Fit(ctx, s.X); err != nil {
				return nil, err
			}
			last = r.Trace[len(r.Trace)-1].Round
		}
		found = r.Clusters()
		_, unit := r.Normalized(2)
		onH, err = means(unit)
	}
	if err != nil {
		return nil, err
	}
	a, err := score.NewAgreement(s.Labels, found)
	if err != nil {
		return nil, err
	}
	b, err := score.Accuracy(s.Labels, onH)
	return append(stored.Numbers(a.Accuracy, a.NMI[score.NMIArithmetic], a.Purity, b), fmt.Sprint(last)), err
}

// storeClusters runs Table 3 on the sets that a seed draws.
func storeClusters(ctx context.Context, run stored.Trials, sets func(context.Context, uint64) ([]Set, []string), rounds int) error {
	run.Keys = []string{"set", "model", "trial"}
	run.Columns = []string{"accuracy", "nmi", "purity", "onH", "rounds"}
	run.Version = func(key []string) (string, error) { return clustersVersion(ctx, key[1]) }
	return run.Run(ctx, func(trial uint64) iter.Seq[stored.Line] {
		return func(yield func(stored.Line) bool) {
			all, _ := sets(ctx, trial)
			for _, s := range all {
				for _, f := range Methods() {
					if !yield(stored.Line{Key: []string{s.Name, f.Name, fmt.Sprint(trial)},
						Values: func() ([]string, error) { return judge(ctx, s.Set, f, trial, rounds) }}) {
						return
					}
				}
			}
		}
	})
}

var versions stored.Versions

// fitted returns the method of a name.
func fitted(all []Fitted, name string) (Fitted, error) {
	for _, f := range all {
		if f.Name == name {
			return f, nil
		}
	}
	return Fitted{}, fmt.Errorf("there is no model %q", name)
}

// clustersVersion is that of a row of Clusters: see stored.Version.
func clustersVersion(ctx context.Context, model string) (string, error) {
	return versions.Of("clusters, "+model, func() (any, error) {
		f, err := fitted(Methods(), model)
		if err != nil {
			return nil, err
		}
		s, err := datasets.Digits().Sample(12, 1)
		if err != nil {
			return nil, err
		}
		values, err := judge(ctx, s.Scaled(), f, 1, 8)
		return []any{values, f.Model.MaxIter, f.Model.Tol}, err
	})
}

// convergenceVersion is that of a row of Convergence and of Traces.
func convergenceVersion(ctx context.Context, model string) (string, error) {
	return versions.Of("convergence, "+model, func() (any, error) {
		f, err := fitted(Solvers(), model)
		if err != nil {
			return nil, err
		}
		s, err := datasets.Digits().Sample(12, 1)
		if err != nil {
			return nil, err
		}
		m := f.Model
		m.Rank, m.Seed, m.MaxIter = len(s.Classes), 1, 8
		r, err := m.Fit(ctx, s.Scaled().X)
		if err != nil {
			return nil, err
		}
		a, b := Errors(s.Scaled().X, r)
		return []any{a, b, f.Model.MaxIter, f.Model.Tol}, nil
	})
}

// Files are what this package stores, with the versions of now.
func Files(ctx context.Context) []stored.File {
	convergence := func(r stored.Row) (string, error) { return convergenceVersion(ctx, r.Text("model")) }
	return []stored.File{
		{Name: "l21/clusters.csv", Rows: Clusters, By: []string{"model"},
			Version: func(r stored.Row) (string, error) { return clustersVersion(ctx, r.Text("model")) }},
		{Name: "l21/convergence.csv", Rows: Convergence, By: []string{"model"}, Version: convergence},
		{Name: "l21/traces.csv", Rows: Traces, By: []string{"model"}, Version: convergence},
	}
}
