package score

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf"
)

// An NMIMean is the mean of the entropies of classes and clusters that mutual information is
// divided by to give NMI. The NMI depends on it, so say which mean was used: max ≥ arithmetic ≥
// geometric, and for the NMI the order is reversed.
type NMIMean int

// The means of the papers.
const (
	NMIArithmetic NMIMean = iota // (H(S) + H(C))/2: eq. (56) of the L2,1-NMF paper
	NMIGeometric                 // √(H(S)·H(C)): the LS-NMF and RLS-NMF paper
	NMIMax                       // max(H(S), H(C)): the RSS-NMF paper
)

// String returns the name of the mean.
func (m NMIMean) String() string {
	switch m {
	case NMIArithmetic:
		return "arithmetic"
	case NMIGeometric:
		return "geometric"
	case NMIMax:
		return "max"
	}
	return fmt.Sprintf("NMIMean(%d)", int(m))
}

// An Agreement says how well clusters agree with classes. All scores are 1 for the same partition;
// none depends on how classes and clusters are numbered.
type Agreement struct {
	Accuracy     float64    // 0 to 1
	Purity       float64    // 0 to 1, at least the accuracy
	NMI          [3]float64 // 0 to 1, indexed by NMIArithmetic, NMIGeometric, NMIMax
	AdjustedRand float64    // −1 to 1
}

// String returns the scores in a line, the NMI with its arithmetic mean.
func (a Agreement) String() string {
	return fmt.Sprintf("accuracy %.3f, purity %.3f, NMI %.3f, adjusted Rand index %.3f", a.Accuracy, a.Purity, a.NMI[NMIArithmetic], a.AdjustedRand)
}

// NewAgreement returns all scores of the clusters found against the true classes, both one
// number from 0 up for each sample.
func NewAgreement(truth, found []int) (Agreement, error) {
	t, err := Confusion(truth, found)
	if err != nil {
		return Agreement{}, err
	}
	return t.Agreement(), nil
}

// Accuracy is the share of samples whose cluster is mapped to their class by
// the best one-to-one mapping, eq. (55) of the L2,1-NMF paper.
func Accuracy(truth, found []int) (float64, error) {
	t, err := Confusion(truth, found)
	if err != nil {
		return 0, err
	}
	return t.Accuracy(), nil
}

// Purity is the share of samples that belong to the largest class of their
// cluster, eq. (57). It is at least the accuracy, and 1 when each sample is a
// cluster of its own.
func Purity(truth, found []int) (float64, error) {
	t, err := Confusion(truth, found)
	if err != nil {
		return 0, err
	}
	return t.Purity(), nil
}

// NMI is the mutual information of classes and clusters divided by a mean of
// their entropies, eq. (56).
func NMI(truth, found []int, by NMIMean) (float64, error) {
	t, err := Confusion(truth, found)
	if err != nil {
		return 0, err
	}
	if by < NMIArithmetic || by > NMIMax {
		return 0, errNMIMean(by)
	}
	return t.NMI(by), nil
}

// AdjustedRand is the Rand index, corrected so that random clusters are
// expected to score 0; see [ConfusionTable.AdjustedRand].
func AdjustedRand(truth, found []int) (float64, error) {
	t, err := Confusion(truth, found)
	if err != nil {
		return 0, err
	}
	return t.AdjustedRand(), nil
}

// A ConfusionTable counts how many samples of each class (row) went to each
// cluster (column).
type ConfusionTable struct {
	Classes  []int   // label of each row
	Clusters []int   // label of each column
	Counts   [][]int // Counts[i][j] samples of Classes[i] are in Clusters[j]
}

// String returns the table as text, with a row for each class.
func (t *ConfusionTable) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "class\\cluster\t")
	for _, c := range t.Clusters {
		fmt.Fprintf(w, "%d\t", c)
	}
	for i, row := range t.Counts {
		fmt.Fprintf(w, "\n%d\t", t.Classes[i])
		for _, n := range row {
			fmt.Fprintf(w, "%d\t", n)
		}
	}
	fmt.Fprintln(w)
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// Confusion counts the samples of each class in each cluster. Labels are any
// numbers from 0 up; only those that occur have a row or a column, and both are
// sorted by label.
func Confusion(truth, found []int) (*ConfusionTable, error) {
	if len(truth) != len(found) {
		return nil, fmt.Errorf("%w: %d true labels and %d found ones", rnmf.ErrShape, len(truth), len(found))
	}
	if len(truth) == 0 {
		return nil, fmt.Errorf("%w: no labels", rnmf.ErrEmpty)
	}
	classes, row, err := input.Labels("truth", truth)
	if err != nil {
		return nil, err
	}
	clusters, col, err := input.Labels("found", found)
	if err != nil {
		return nil, err
	}
	t := &ConfusionTable{Classes: classes, Clusters: clusters, Counts: make([][]int, len(classes))}
	for i := range t.Counts {
		t.Counts[i] = make([]int, len(clusters))
	}
	for s := range truth {
		t.Counts[row[truth[s]]][col[found[s]]]++
	}
	return t, nil
}

// Matching returns for each row the column of the cluster that the best
// one-to-one mapping gives to this class, or −1.
func (t *ConfusionTable) Matching() []int {
	cost := t.Dense()
	cost.Scale(-1, cost)
	pi, err := Assignment(cost)
	if err != nil {
		panic(err) // a table of Confusion has finite entries and is not empty
	}
	return pi
}

// Matched returns the table with its columns in the order of the classes that
// they are matched to, which puts the hits on the diagonal as long as each
// class has a cluster. Clusters without a class come last.
func (t *ConfusionTable) Matched() *ConfusionTable {
	var order []int
	used := make([]bool, len(t.Clusters))
	for _, j := range t.Matching() {
		if j >= 0 {
			order = append(order, j)
			used[j] = true
		}
	}
	for j, u := range used {
		if !u {
			order = append(order, j)
		}
	}
	out := &ConfusionTable{
		Classes:  slices.Clone(t.Classes),
		Clusters: make([]int, len(order)),
		Counts:   make([][]int, len(t.Counts)),
	}
	for i := range out.Counts {
		out.Counts[i] = make([]int, len(order))
	}
	for to, from := range order {
		out.Clusters[to] = t.Clusters[from]
		for i := range out.Counts {
			out.Counts[i][to] = t.Counts[i][from]
		}
	}
	return out
}

// Dense returns the counts as a matrix.
func (t *ConfusionTable) Dense() *mat.Dense {
	d := mat.NewDense(len(t.Classes), len(t.Clusters), nil)
	for i, row := range t.Counts {
		for j, c := range row {
			d.Set(i, j, float64(c))
		}
	}
	return d
}

// Agreement returns all scores of the table.
func (t *ConfusionTable) Agreement() Agreement {
	return Agreement{
		Accuracy:     t.Accuracy(),
		Purity:       t.Purity(),
		NMI:          [3]float64{t.NMI(NMIArithmetic), t.NMI(NMIGeometric), t.NMI(NMIMax)},
		AdjustedRand: t.AdjustedRand(),
	}
}

// sums returns the sizes of classes and clusters and the number of samples.
func (t *ConfusionTable) sums() (rows, cols []float64, n float64) {
	rows = make([]float64, len(t.Classes))
	cols = make([]float64, len(t.Clusters))
	for i, row := range t.Counts {
		for j, c := range row {
			rows[i] += float64(c)
			cols[j] += float64(c)
		}
		n += rows[i]
	}
	return rows, cols, n
}

// Accuracy is, with the best one-to-one map π from classes to clusters,
//
//	Σᵢ n(i, π(i)) / n                                               (55)
func (t *ConfusionTable) Accuracy() float64 {
	_, _, n := t.sums()
	hits := 0
	for i, j := range t.Matching() {
		if j >= 0 {
			hits += t.Counts[i][j]
		}
	}
	return float64(hits) / n
}

// Purity is
//
//	Σⱼ maxᵢ n(i, j) / n                                             (57)
func (t *ConfusionTable) Purity() float64 {
	_, _, n := t.sums()
	hits := 0
	for j := range t.Clusters {
		most := 0
		for i := range t.Classes {
			most = max(most, t.Counts[i][j])
		}
		hits += most
	}
	return float64(hits) / n
}

// NMI is, with n(i), n(j) the sizes of class i and cluster j,
//
//	I(S, C) = Σᵢⱼ n(i,j)/n · log( n·n(i,j) / (n(i)·n(j)) )
//	H(C)    = −Σᵢ n(i)/n · log(n(i)/n),   H(S) likewise
//	NMI     = I(S, C) / mean(H(S), H(C))                            (56)
//
// If there is one class and one cluster, and so both entropies are 0, it is 1; if only one of them
// is 0, it is 0 with every mean.
func (t *ConfusionTable) NMI(by NMIMean) float64 {
	rows, cols, n := t.sums()
	if len(rows) == 1 || len(cols) == 1 {
		if len(rows) == len(cols) {
			return 1
		}
		return 0
	}
	var info float64
	for i, row := range t.Counts {
		for j, c := range row {
			if c > 0 {
				p := float64(c)
				info += p / n * math.Log(p/rows[i]*(n/cols[j]))
			}
		}
	}
	hc, hs := entropy(rows, n), entropy(cols, n)
	var mean float64
	switch by {
	case NMIArithmetic:
		mean = (hc + hs) / 2
	case NMIGeometric:
		mean = math.Sqrt(hc) * math.Sqrt(hs)
	case NMIMax:
		mean = max(hc, hs)
	default:
		panic(errNMIMean(by))
	}
	return min(max(info/mean, 0), 1)
}

func errNMIMean(by NMIMean) error {
	return input.Parameter("NMIMean", int(by), "NMIArithmetic, NMIGeometric or NMIMax")
}

func entropy(sizes []float64, n float64) float64 {
	var h float64
	for _, s := range sizes {
		h -= s / n * math.Log(s/n)
	}
	return h
}

// AdjustedRand (Hubert and Arabie 1985) counts the pairs of samples that are
// together in both partitions, in classes only or in clusters only, and is
//
//	(Σᵢⱼ C(nᵢⱼ,2) − e) / ((Σᵢ C(nᵢ,2) + Σⱼ C(nⱼ,2))/2 − e)
//	e = Σᵢ C(nᵢ,2)·Σⱼ C(nⱼ,2) / C(n,2)
//
// at most 1, about 0 for random clusters, and negative for worse than random. If both partitions
// are a single group, or in both each sample is a group of its own, it is 1.
func (t *ConfusionTable) AdjustedRand() float64 {
	rows, cols, n := t.sums()
	pairs := func(c float64) float64 { return c * (c - 1) / 2 }
	var both, classes, clusters float64
	for _, row := range t.Counts {
		for _, c := range row {
			both += pairs(float64(c))
		}
	}
	for _, c := range rows {
		classes += pairs(c)
	}
	for _, c := range cols {
		clusters += pairs(c)
	}
	if both == classes && both == clusters {
		return 1
	}
	chance := classes * (clusters / pairs(n))
	return (both - chance) / ((classes+clusters)/2 - chance)
}
