package rnmf

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Mean is the mean of the entropies of classes and clusters that mutual
// information is divided by to give NMI. Which one is used changes the figure,
// so say which is shown: max ≥ arithmetic ≥ geometric, and NMI the other way.
type Mean int

const (
	Arithmetic Mean = iota // (H(S) + H(C))/2: eq. (56) of the L2,1-NMF paper
	Geometric              // √(H(S)·H(C)): the LS-NMF and RLS-NMF paper
	Max                    // max(H(S), H(C)): the RSS-NMF paper
)

func (m Mean) String() string {
	switch m {
	case Arithmetic:
		return "arithmetic"
	case Geometric:
		return "geometric"
	case Max:
		return "max"
	}
	return fmt.Sprintf("Mean(%d)", int(m))
}

// Scores tells how well clusters agree with classes. All are 1 for the same
// partition; none depends on how classes and clusters are numbered.
type Scores struct {
	Accuracy     float64
	Purity       float64
	NMI          [3]float64 // indexed by Arithmetic, Geometric, Max
	AdjustedRand float64
}

// Score returns all scores of the clusters found against the true classes.
func Score(truth, found []int) (Scores, error) {
	t, err := Confusion(truth, found)
	if err != nil {
		return Scores{}, err
	}
	return t.Scores(), nil
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
func NMI(truth, found []int, by Mean) (float64, error) {
	t, err := Confusion(truth, found)
	if err != nil {
		return 0, err
	}
	if by < Arithmetic || by > Max {
		return 0, errParameter("Mean", int(by), "Arithmetic, Geometric or Max")
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

// Confusion counts the samples of each class in each cluster. Labels are any
// numbers from 0 up; only those that occur have a row or a column, and both are
// sorted by label.
func Confusion(truth, found []int) (*ConfusionTable, error) {
	if len(truth) != len(found) {
		return nil, fmt.Errorf("%w: %d true labels and %d found ones", ErrShape, len(truth), len(found))
	}
	if len(truth) == 0 {
		return nil, fmt.Errorf("%w: no labels", ErrEmpty)
	}
	classes, row, err := distinct("truth", truth)
	if err != nil {
		return nil, err
	}
	clusters, col, err := distinct("found", found)
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

// distinct returns the sorted labels that occur, and the place of each.
func distinct(name string, labels []int) ([]int, map[int]int, error) {
	place := make(map[int]int)
	for i, l := range labels {
		if l < 0 {
			return nil, nil, fmt.Errorf("%w: %s[%d] = %d is negative", ErrLabels, name, i, l)
		}
		place[l] = 0
	}
	sorted := make([]int, 0, len(place))
	for l := range place {
		sorted = append(sorted, l)
	}
	slices.Sort(sorted)
	for i, l := range sorted {
		place[l] = i
	}
	return sorted, place, nil
}

// Matching returns for each row the column of the cluster that the best
// one-to-one mapping gives to this class, or −1.
func (t *ConfusionTable) Matching() []int {
	cost := t.Dense()
	cost.Scale(-1, cost)
	pi, err := Match(cost)
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

// Scores returns all scores of the table.
func (t *ConfusionTable) Scores() Scores {
	return Scores{
		Accuracy:     t.Accuracy(),
		Purity:       t.Purity(),
		NMI:          [3]float64{t.NMI(Arithmetic), t.NMI(Geometric), t.NMI(Max)},
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
// If there is one class and one cluster, and so both entropies are 0, it is 1;
// if one of them is 0, nothing can be learnt and it is 0 with every mean.
func (t *ConfusionTable) NMI(by Mean) float64 {
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
	case Arithmetic:
		mean = (hc + hs) / 2
	case Geometric:
		mean = math.Sqrt(hc) * math.Sqrt(hs)
	case Max:
		mean = max(hc, hs)
	default:
		panic(errParameter("Mean", int(by), "Arithmetic, Geometric or Max"))
	}
	return min(max(info/mean, 0), 1)
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
// at most 1, about 0 for random clusters, and negative for worse than random.
// If both partitions are one group, or both are single samples, it is 1.
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

// Hoyer is the sparsity of a vector of n entries (Hoyer 2004),
//
//	(√n − ‖v‖₁/‖v‖₂) / (√n − 1),
//
// 0 when all entries are of equal size and 1 when only one is not 0. A vector
// of zeros, and a single number, have sparsity 0: an unused part of a
// factorisation does not count as a sparse one.
func Hoyer(v []float64) (float64, error) {
	if len(v) == 0 {
		return 0, fmt.Errorf("%w: no entries", ErrEmpty)
	}
	if err := finiteVector("v", v); err != nil {
		return 0, err
	}
	big := floats.Norm(v, math.Inf(1))
	if big == 0 || len(v) == 1 {
		return 0, nil
	}
	var one, two float64
	for _, x := range v {
		x = math.Abs(x) / big // in [0, 1]: no overflow
		one += x
		two += x * x
	}
	root := math.Sqrt(float64(len(v)))
	return min(max((root-one/math.Sqrt(two))/(root-1), 0), 1), nil
}

// HoyerColumns returns the sparsity of each column: those of a basis W, say.
// Hand over H.T() for the rows of H.
func HoyerColumns(a mat.Matrix) ([]float64, error) {
	d, err := dataMatrix("A", a)
	if err != nil {
		return nil, err
	}
	m, n := d.Dims()
	column, out := make([]float64, m), make([]float64, n)
	for j := range out {
		if out[j], err = Hoyer(mat.Col(column, j, d)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// RelativeError is ‖X̂ − WH‖_F / ‖X̂‖_F, X̂ being the data before corruption. It
// takes the residual in tiles of a few rows and never holds all of WH. It is 0
// if X̂ and WH are both 0, and an ErrEmpty if only X̂ is.
func RelativeError(clean, w, h mat.Matrix) (float64, error) {
	x, err := dataMatrix("clean", clean)
	if err != nil {
		return 0, err
	}
	wd, err := factorMatrix("W", w)
	if err != nil {
		return 0, err
	}
	hd, err := factorMatrix("H", h)
	if err != nil {
		return 0, err
	}
	m, n := x.Dims()
	_, r := wd.Dims()
	if err := wantDims("W", wd, m, r); err != nil {
		return 0, err
	}
	if err := wantDims("H", hd, r, n); err != nil {
		return 0, err
	}
	const tile = 64
	buf := mat.NewDense(min(tile, m), n, nil)
	var residual, norm []float64 // the norms of the rows
	for i := 0; i < m; i += tile {
		b := min(tile, m-i)
		e := buf.Slice(0, b, 0, n).(*mat.Dense)
		e.Mul(wd.Slice(i, i+b, 0, r), hd)
		for k := range b {
			row := e.RawRowView(k)
			floats.Sub(row, x.RawRowView(i+k))
			residual = append(residual, floats.Norm(row, 2))
			norm = append(norm, floats.Norm(x.RawRowView(i+k), 2))
		}
	}
	num, den := floats.Norm(residual, 2), floats.Norm(norm, 2)
	switch {
	case num == 0:
		return 0, nil
	case den == 0:
		return 0, fmt.Errorf("%w: the clean data is all 0, so no error is relative to it", ErrEmpty)
	}
	return min(num/den, math.MaxFloat64), nil
}

// dataMatrix returns a as a dense matrix, the same one if it is dense, after
// checking that it is there and that its entries are finite and can be squared.
func dataMatrix(name string, a mat.Matrix) (*mat.Dense, error) {
	if err := wantMatrix(name, a); err != nil {
		return nil, err
	}
	if m, n := a.Dims(); m == 0 || n == 0 {
		return nil, fmt.Errorf("%w: %s is %d×%d", ErrEmpty, name, m, n)
	}
	d := asDense(a)
	return d, checkEntries(name, d, nil, true)
}

// factorMatrix is dataMatrix for a factor, whose entries may be larger than data.
func factorMatrix(name string, a mat.Matrix) (*mat.Dense, error) {
	if err := wantMatrix(name, a); err != nil {
		return nil, err
	}
	if m, n := a.Dims(); m == 0 || n == 0 {
		return nil, fmt.Errorf("%w: %s is %d×%d", ErrEmpty, name, m, n)
	}
	d := asDense(a)
	return d, checkFactor(name, d, true)
}

// finiteVector returns an error that names the first entry that is not finite.
func finiteVector(name string, v []float64) error {
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%w: %s[%d] = %g", ErrNotFinite, name, i, x)
		}
	}
	return nil
}
