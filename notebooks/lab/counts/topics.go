package counts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Documents are counts of words, and the topic of each document.
type Documents struct {
	X      *sparse.Matrix
	Topics []int
}

// read reads a collection of Cai, He and Han from the folder named by RNMF_DATA, once.
func read(name string) (*Documents, error) {
	reading.Lock()
	defer reading.Unlock()
	if d := known[name]; d != nil {
		return d, nil
	}
	f, err := os.Open(filepath.Join(os.Getenv("RNMF_DATA"), map[string]string{"TDT2": "TDT2.mat", "Reuters-21578": "Reuters21578.mat"}[name]))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	vars, err := datasets.ReadMAT(context.Background(), f)
	if err != nil {
		return nil, err
	}
	fea, err := vars.Var("fea")
	if err != nil {
		return nil, err
	}
	gnd, err := vars.Var("gnd")
	if err != nil {
		return nil, err
	}
	if fea.Sparse == nil {
		return nil, fmt.Errorf("counts: fea of %s is not sparse", f.Name())
	}
	d := &Documents{X: fea.Sparse.Transposed()}
	for _, g := range gnd.Data {
		d.Topics = append(d.Topics, int(g)-1)
	}
	known[name] = d
	return d, nil
}

var (
	reading sync.Mutex
	known   = map[string]*Documents{}
)

// invented are documents of five topics for versions.
func invented() *Documents {
	d := drawerOf(7)
	const m, n, r = 60, 50, 5
	x := matrix(m, n, func(i, j int) float64 {
		if i%r == j%r {
			return d.Poisson(1)
		}
		return d.Poisson(0.1)
	})
	docs := &Documents{X: withoutZeros(x)}
	for j := range n {
		docs.Topics = append(docs.Topics, j%r)
	}
	return docs
}

// withoutZeros keeps the entries that are not 0.
func withoutZeros(x *mat.Dense) *sparse.Matrix {
	m, n := x.Dims()
	s := &sparse.Matrix{Rows: m, Cols: n, Start: []int{0}}
	for j := range n {
		for i := range m {
			if v := x.At(i, j); v != 0 {
				s.Row, s.Value = append(s.Row, int32(i)), append(s.Value, v)
			}
		}
		s.Start = append(s.Start, len(s.Value))
	}
	return s
}

// Bursts repeats one word of a share of the documents 200 to 800 times more. It returns the documents that it chose.
func Bursts(x *sparse.Matrix, share float64, seed uint64) (*sparse.Matrix, []int) {
	d := drawerOf(seed)
	y := *x
	y.Value = slices.Clone(x.Value)
	chosen := d.Perm(x.Cols)[:int(math.Ceil(share*float64(x.Cols)))]
	for _, j := range chosen {
		if n := x.Start[j+1] - x.Start[j]; n > 0 {
			y.Value[x.Start[j]+d.IntN(n)] += float64(200 + d.IntN(601))
		}
	}
	return &y, chosen
}

// Foreign gives the counts of a share of the documents to words drawn at random. It returns these documents.
func Foreign(x *sparse.Matrix, share float64, seed uint64) (*sparse.Matrix, []int) {
	d := drawerOf(seed)
	y := *x
	y.Row, y.Value = slices.Clone(x.Row), slices.Clone(x.Value)
	chosen := d.Perm(x.Cols)[:int(math.Ceil(share*float64(x.Cols)))]
	for _, j := range chosen {
		column := map[int32]float64{}
		for _, v := range x.Value[x.Start[j]:x.Start[j+1]] {
			i := int32(d.IntN(x.Rows))
			for column[i] != 0 {
				i = int32(d.IntN(x.Rows))
			}
			column[i] = v
		}
		for k, i := range slices.Sorted(maps.Keys(column)) {
			y.Row[x.Start[j]+k], y.Value[x.Start[j]+k] = i, column[i]
		}
	}
	return &y, chosen
}

// TFIDF returns count·ln(n/documents that have the term), each column scaled to length 1.
func TFIDF(x *sparse.Matrix) *sparse.Matrix {
	have := make([]float64, x.Rows)
	for _, i := range x.Row {
		have[i]++
	}
	y := *x
	y.Value = slices.Clone(x.Value)
	for k, i := range x.Row {
		y.Value[k] *= math.Log(float64(x.Cols) / have[i])
	}
	for j := range x.Cols {
		column := y.Value[x.Start[j]:x.Start[j+1]]
		if norm := floats.Norm(column, 2); norm > 0 {
			floats.Scale(1/norm, column)
		}
	}
	return &y
}

// Log1p returns log(1 + count).
func Log1p(x *sparse.Matrix) *sparse.Matrix {
	y := *x
	y.Value = make([]float64, len(x.Value))
	for k, v := range x.Value {
		y.Value[k] = math.Log1p(v)
	}
	return &y
}

// Clusters gives each document to the topic of its largest coefficient, with the columns of W scaled to
// the same norm: the sum for counts, the length for least squares.
func Clusters(w, h *mat.Dense, norm float64) []int {
	r, n := h.Dims()
	of := make([]float64, r)
	for k := range of {
		of[k] = mat.Norm(w.ColView(k), norm)
	}
	found := make([]int, n)
	for j := range found {
		for k := range of {
			if of[k]*h.At(k, j) > of[found[j]]*h.At(found[j], j) {
				found[j] = k
			}
		}
	}
	return found
}

// Draw takes documents by chance, and the terms that few of them have or more.
func (d *Documents) Draw(count, few int, seed uint64) *Documents {
	x := d.X
	some := &Documents{X: &sparse.Matrix{Start: []int{0}}}
	chosen := drawerOf(seed).Perm(x.Cols)[:min(count, x.Cols)]
	have := make([]int, x.Rows)
	for _, j := range chosen {
		for _, i := range x.Row[x.Start[j]:x.Start[j+1]] {
			have[i]++
		}
	}
	row := make([]int32, x.Rows)
	for i, c := range have {
		if row[i] = -1; c >= few {
			row[i] = int32(some.X.Rows)
			some.X.Rows++
		}
	}
	for _, j := range chosen {
		before := len(some.X.Value)
		for k := x.Start[j]; k < x.Start[j+1]; k++ {
			if i := row[x.Row[k]]; i >= 0 {
				some.X.Row, some.X.Value = append(some.X.Row, i), append(some.X.Value, x.Value[k])
			}
		}
		if len(some.X.Value) > before {
			some.X.Start, some.Topics = append(some.X.Start, len(some.X.Value)), append(some.Topics, d.Topics[j])
			some.X.Cols++
		}
	}
	return some
}

func topics(ctx context.Context, size int, of, damage, name string, seed uint64) (Outcome, error) {
	docs, rank, rounds := invented(), 5, 6
	if size == 1 {
		rank, rounds = 30, 40
		var err error
		if docs, err = read(of); err != nil {
			return Outcome{}, err
		}
		docs = docs.Draw(2000, 3, seed)
	}
	x, bad := docs.X, []int{}
	switch damage {
	case "2 % with a burst":
		x, _ = Bursts(x, 0.02, seed)
	case "10 % foreign documents":
		x, bad = Foreign(x, 0.1, seed)
	}
	var m rnmf.Model
	norm := 2.0
	switch name {
	case "least squares, TF-IDF":
		m, x = rnmf.NMF(rank), TFIDF(x)
	case "least squares, log(1 + x)":
		m, x = rnmf.NMF(rank), Log1p(x)
	default:
		var err error
		if m, err = model(name, rank); err != nil {
			return Outcome{}, err
		}
		m.Family, norm = rnmf.SparsePoisson, 1
	}
	m.Seed, m.MaxIter = seed, rounds
	r, err := panel.Batch{Model: m}.Fit(ctx, panel.FromSparse(x, 0))
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Rounds: len(r.Trace) - 1}
	foreign := make([]bool, x.Cols)
	for _, j := range bad {
		foreign[j] = true
	}
	var truth, found []int
	for j, k := range Clusters(r.W, r.H, norm) {
		if !foreign[j] {
			truth, found = append(truth, docs.Topics[j]), append(found, k)
		}
	}
	out.Score, err = score.NMI(truth, found, score.NMIArithmetic)
	return out, err
}

// A Doubt is a count that a fit does not trust.
type Doubt struct {
	Row, Column         int
	Count, Mean, Weight float64
}

// Doubts returns the n counts above 0 with the smallest weights in a fit, the smallest first.
func Doubts(x *sparse.Matrix, r *panel.Result, n int) (all []Doubt) {
	for j := range x.Cols {
		h := r.H.ColView(j)
		for k := x.Start[j]; k < x.Start[j+1]; k++ {
			d := Doubt{Row: int(x.Row[k]), Column: j, Count: x.Value[k], Mean: mat.Dot(r.W.RowView(int(x.Row[k])), h)}
			_, d.Weight = r.Loss.Rho(r.Family.Judged(d.Count, r.Family.Deviance(d.Count, d.Mean)))
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(a, b Doubt) int { return cmp.Compare(a.Weight, b.Weight) })
	return all[:min(n, len(all))]
}
