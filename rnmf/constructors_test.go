package rnmf

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Each constructor is the model that its comment says, all of it.
func TestConstructors(t *testing.T) {
	graph := ring(5, 1)
	labels := Labels{Class: []int{0, 1, 0, Unlabelled, 1}, Weight: 2}
	withLabels, err := labels.Graph(graph)
	if err != nil {
		t.Fatal(err)
	}
	semi, err := SemiGNMF(3, graph, labels, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, c := range []struct {
		name      string
		got, want Model
	}{
		{"NMF", NMF(3), Model{Rank: 3}},
		{"GNMF", GNMF(3, graph, 0.6), Model{Rank: 3, OnH: []Penalty{Laplacian{graph, 0.6}}}},
		{"RobustGNMF", RobustGNMF(3, Huber{Cut: 2}, graph, 0.6), Model{Rank: 3, Loss: Huber{Cut: 2}, OnH: []Penalty{Laplacian{graph, 0.6}}}},
		{"SemiGNMF", semi, Model{Rank: 3, OnH: []Penalty{Laplacian{withLabels, 0.6}}}},
		{"L21NMF", L21NMF(3), Model{Rank: 3, Loss: ByColumn{L1{}}}},
		{"L1NMF", L1NMF(3), Model{Rank: 3, Loss: L1{}}},
		{"HuberNMF", HuberNMF(3), Model{Rank: 3, Loss: Huber{}}},
		{"CIMNMF", CIMNMF(3), Model{Rank: 3, Loss: Correntropy{}}},
		{"HypersurfaceNMF", HypersurfaceNMF(3, 0.7), Model{Rank: 3, Loss: Hypersurface{Scale: 0.7}}},
		{"RSSNMF", RSSNMF(3, 0.7, labels), Model{Rank: 3, Loss: Hypersurface{Scale: 0.7}, OnH: []Penalty{labels}}},
		{"CauchyNMF", CauchyNMF(3), Model{Rank: 3, Loss: Cauchy{}}},
		{"TruncatedCauchyNMF", TruncatedCauchyNMF(3), Model{Rank: 3, Loss: Truncated{Loss: Cauchy{}, Rule: ThreeSigma}}},
		{"CappedNMF", CappedNMF(3, 0.7), Model{Rank: 3, Loss: ByColumn{Truncated{Loss: L1{}, Cut: 0.7, Rule: NormalThreeSigma}}}},
		{"RNMFL1", RNMFL1(3, 0.7), Model{Rank: 3, Loss: Huber{Cut: 0.35}, Solver: Additive{}}},
		{"MahNMF", MahNMF(3), Model{Rank: 3, Loss: Manhattan{}, Solver: OGM{}}},
		{"RobustNMF", RobustNMF(3), Model{Rank: 3, Loss: TwoStage{}}},
		{"LSNMF", LSNMF(3, 1, 2, nil, 0.6), Model{Rank: 3, OnW: []Penalty{LogSparse{Lambda: 1}}, OnH: []Penalty{LogSparse{Lambda: 2}}}},
		{"LSNMF", LSNMF(3, 1, 2, graph, 0.6), Model{Rank: 3, OnW: []Penalty{LogSparse{Lambda: 1}},
			OnH: []Penalty{LogSparse{Lambda: 2}, Laplacian{graph, 0.6}}}},
		{"RLSNMF", RLSNMF(3, 1, 2, 0.7, graph, 0.6), Model{Rank: 3, Loss: ByColumn{LogShrink{Gamma: 0.7, Scale: 1}},
			OnW: []Penalty{LogSparse{Lambda: 1}}, OnH: []Penalty{LogSparse{Lambda: 2}, Laplacian{graph, 0.6}}}},
		{"SparseNMF", SparseNMF(3, 1, 2, nil, 0.6), Model{Rank: 3, OnW: []Penalty{Sparse{1}}, OnH: []Penalty{Sparse{2}}}},
		{"SparseNMF", SparseNMF(3, 1, 2, graph, 0.6), Model{Rank: 3, OnW: []Penalty{Sparse{1}}, OnH: []Penalty{Sparse{2}, Laplacian{graph, 0.6}}}},
		{"SemiNMF", SemiNMF(3), Model{Rank: 3, SolverW: LeastSquares{}, Signed: true}},
		{"ONMF", ONMF(3), Model{Rank: 3, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}, Init: Clusters{Shift: -1}}},
		{"RMNMF", RMNMF(3, graph, 0.6), Model{Rank: 3, Loss: ByColumn{L1{}}, OnH: []Penalty{UnitLaplacian{graph, 0.6}}, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}, Init: ONMFStart{}}},
	} {
		named[c.name] = true
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s is %#v, want %#v", c.name, c.got, c.want)
		}
	}
	// A new one needs a line here.
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^func ([A-Z]\w*)\(rank int.*\) \(?Model\b`)
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(source, -1) {
			if found++; !named[string(m[1])] {
				t.Errorf("%s has no line in this table", m[1])
			}
		}
	}
	if found != len(named) {
		t.Errorf("%d constructors, %d in the table", found, len(named))
	}
}
