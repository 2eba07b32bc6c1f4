package deep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
)

// MSAEClust is semi-supervised clustering by multiresolution autoencoders: some networks
// of different sizes, each with an encoder d → h₁ → h₂, where h₁ is drawn from [d/2, d−1]
// and h₂ from [d/4, d/2−1], a mirrored decoder, and a softmax of the code for the classes.
// In each round a member makes one epoch on all samples and one on the labelled ones,
//
//	L_a = mean of (x − g(f(x)))²,
//	L_s = L_a − mean of log softmax(A f(x) + b)_c,   c the class.
//
// Then the codes of all members are put on top of each other and k-means of 20 starts
// clusters them. Layers are ReLU, the output is a sigmoid, steps are RMSprop's of 0.0005
// (with averages of 0.9 of the past). Each feature is taken to 0..1 first. What the
// description leaves open and is chosen here: the size of batches, that scale, and a mean,
// not a sum, over features.
type MSAEClust struct {
	K       int         // clusters, 1 to n
	Labels  rnmf.Labels // of n samples, at least one of them known
	Members int         // networks; 0: 10
	Rounds  int         // of two epochs each; 0: 200
	Batch   int         // samples of a step; 0: 32
	Seed    uint64      // of sizes, weights, orders and k-means
}

func (m *MSAEClust) check(x mat.Matrix) (rows *mat.Dense, known []int, err error) {
	if rows, err = samples(x); err != nil {
		return nil, nil, err
	}
	n, d := rows.Dims()
	if m.K < 1 || m.K > n {
		return nil, nil, fmt.Errorf("%w: %d clusters of %d samples", rnmf.ErrRank, m.K, n)
	}
	if d < 4 {
		return nil, nil, fmt.Errorf("%w: %d features, want 4 or more, as a code has a quarter", rnmf.ErrShape, d)
	}
	if len(m.Labels.Class) != n {
		return nil, nil, fmt.Errorf("%w: %d classes of %d samples", rnmf.ErrLabels, len(m.Labels.Class), n)
	}
	for j, c := range m.Labels.Class {
		if c < rnmf.Unlabelled || c >= n {
			return nil, nil, fmt.Errorf("%w: Class[%d] is %d, want %d to %d", rnmf.ErrLabels, j, c, rnmf.Unlabelled, n-1)
		}
		if c >= 0 {
			known = append(known, j)
		}
	}
	if known == nil {
		return nil, nil, fmt.Errorf("%w: all classes are unknown", rnmf.ErrLabels)
	}
	return rows, known, cmp.Or(
		atLeast("MSAEClust.Members", &m.Members, 10),
		atLeast("MSAEClust.Rounds", &m.Rounds, 200),
		atLeast("MSAEClust.Batch", &m.Batch, 32),
	)
}

// A member is the widths of one network.
type member struct{ hidden, code int }

// draw draws the widths of a member for d features.
func draw(rng *rand.Rand, d int) member {
	half, quarter := (d+1)/2, (d+3)/4
	return member{half + rng.IntN(d-half), quarter + rng.IntN(max(1, half-quarter))}
}

func (m member) encode(s *model.Scope, x *Node) *Node {
	return stack(s, "enc", x, []int{m.hidden, m.code}, true)
}

// reconstruction is L_a.
func (m member) reconstruction(s *model.Scope, x, z *Node) *Node {
	y := stack(s, "dec", z, []int{m.hidden, x.Shape().Dimensions[1]}, false)
	return mse(x, Sigmoid(y))
}

// supervised is L_s; the classes are a 1 in each row of y.
func (m member) supervised(s *model.Scope, x, y *Node) *Node {
	z := m.encode(s, x)
	logit := layer(s, "classes", z, y.Shape().Dimensions[1])
	right := ReduceSum(Mul(y, LogSoftmax(logit, -1)), -1)
	return Sub(m.reconstruction(s, x, z), ReduceAllMean(right))
}

// Fit clusters the columns of x (m×n). When ctx ends it returns the codes of the members
// that are complete, if there are any, and ctx.Err().
func (m MSAEClust) Fit(ctx context.Context, x mat.Matrix) (*Deep, error) {
	rows, known, err := m.check(x)
	if err != nil {
		return nil, err
	}
	span(rows)
	n, d := rows.Dims()
	classes := mat.NewDense(n, m.Labels.Classes(), nil)
	for _, j := range known {
		classes.Set(j, m.Labels.Class[j], 1)
	}
	out := &Deep{Losses: make([]float64, m.Rounds)}
	rng := rand.New(rand.NewPCG(m.Seed, 2))
	var all mat.Dense
	for i := range m.Members {
		codes, err := m.train(ctx, draw(rng, d), uint64(i), rows, classes, known, rng, out.Losses)
		if err != nil {
			if ctx.Err() == nil || out.Codes == nil {
				out = nil
			}
			return out, err
		}
		if all.IsEmpty() {
			all.CloneFrom(codes)
		} else {
			var both mat.Dense
			both.Augment(&all, codes)
			all = both
		}
		out.Codes = mat.DenseCopyOf(all.T())
	}
	c, err := baseline.KMeans{K: m.K, Restarts: starts, Seed: m.Seed}.Fit(ctx, out.Codes)
	if err != nil {
		return out, err
	}
	out.Labels = c.Labels
	return out, nil
}

// train returns the codes (n×h₂) of a member and adds its share to the losses.
func (m *MSAEClust) train(ctx context.Context, w member, which uint64, rows, classes *mat.Dense, known []int, rng *rand.Rand, losses []float64) (*mat.Dense, error) {
	nt, err := newNet(m.Seed<<8|which, dtypes.Float32)
	if err != nil {
		return nil, err
	}
	update := func(s *model.Scope, name string, loss *Node) []*Node {
		optimizer.RMSProp().Scope(name).LearningRate(5e-4).Betas(0, 0.9).Done().UpdateGraph(s, loss.Graph(), loss)
		return []*Node{loss}
	}
	plain, err1 := nt.compile(func(s *model.Scope, a []*Node) []*Node {
		return update(s, "all", w.reconstruction(s, a[0], w.encode(s, a[0])))
	})
	labelled, err2 := nt.compile(func(s *model.Scope, a []*Node) []*Node {
		return update(s, "labelled", w.supervised(s, a[0], a[1]))
	})
	encode, err3 := nt.compile(func(s *model.Scope, a []*Node) []*Node { return []*Node{w.encode(s, a[0])} })
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	n, _ := rows.Dims()
	steps := float64((n + m.Batch - 1) / m.Batch)
	for round := range m.Rounds {
		if err := epoch(ctx, rng, series(n), m.Batch, func(some []int) error {
			t, err := plain(nt.tensor(rows, some))
			if err == nil {
				losses[round] += number(t[0]) / steps / float64(m.Members)
			}
			return err
		}); err != nil {
			return nil, err
		}
		if err := epoch(ctx, rng, known, m.Batch, func(some []int) error {
			_, err := labelled(nt.tensor(rows, some), nt.tensor(classes, some))
			return err
		}); err != nil {
			return nil, err
		}
	}
	return nt.all(encode, rows, m.Batch)
}

// span takes each column to 0..1; one that is constant becomes 0.
func span(x *mat.Dense) {
	n, d := x.Dims()
	for k := range d {
		low, high := x.At(0, k), x.At(0, k)
		for i := range n {
			low, high = min(low, x.At(i, k)), max(high, x.At(i, k))
		}
		width := high - low
		if width == 0 {
			width = 1
		}
		for i := range n {
			x.Set(i, k, (x.At(i, k)-low)/width)
		}
	}
}
