// Package deep has the two deep rivals of the RSS-NMF paper's tables: IDEC (Guo, Gao, Liu
// and Yin, IJCAI 2017) and MSAEClust (Ienco and Pensa, IJCNN 2018). They are written from
// their descriptions, on the library GoMLX with its backend in Go, and lie in a module of
// their own, so that the factorisation does not carry that library.
//
// Both take m×n data whose columns are samples and return clusters, as k-means does, and
// codes instead of coefficients: a code is what a network makes of a sample. There are no
// parts to look at, and no weights that name bad pixels. Results of the paper's tables and
// what they cost are in Results.
//
// The same seed gives the same numbers for any GOMAXPROCS. A build with GOEXPERIMENT=simd
// is faster and rounds otherwise, and so gives other numbers.
package deep

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A net is the variables of a network, on which functions are compiled.
type net struct {
	backend compute.Backend
	store   *model.Store
	dtype   dtypes.DType
}

func newNet(seed uint64, dtype dtypes.DType) (*net, error) {
	// One operation after the other, each on all processors: where several run at once, compute
	// v0.1.2 can stop for ever, as all its workers wait for a free worker.
	b, err := gobackend.New("ops_sequential")
	if err != nil {
		return nil, err
	}
	n := &net{b, model.NewStore(), dtype}
	return n, n.store.SetRNGStateFromSeed(int64(seed))
}

// A call is a compiled function of the network's variables and of some tensors.
type call func(args ...*tensors.Tensor) ([]*tensors.Tensor, error)

// compile compiles f, whose layers begin with Glorot's uniform weights and biases of 0.
func (n *net) compile(f func(s *model.Scope, args []*Node) []*Node) (call, error) {
	e, err := model.NewExec(n.backend, n.store, func(s *model.Scope, args []*Node) []*Node {
		return f(s.WithInitializer(initializer.GlorotUniformFn(s)), args)
	})
	if err != nil {
		return nil, err
	}
	return func(args ...*tensors.Tensor) ([]*tensors.Tensor, error) {
		inputs := make([]any, len(args))
		for i, a := range args {
			inputs[i] = a
		}
		return e.Call(inputs...)
	}, nil
}

// tensor holds some rows of x.
func (n *net) tensor(x *mat.Dense, rows []int) *tensors.Tensor {
	_, d := x.Dims()
	if n.dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(flat[float64](x, rows), len(rows), d)
	}
	return tensors.FromFlatDataAndDimensions(flat[float32](x, rows), len(rows), d)
}

func flat[T float32 | float64](x *mat.Dense, rows []int) []T {
	_, d := x.Dims()
	out := make([]T, 0, len(rows)*d)
	for _, i := range rows {
		for _, v := range x.RawRowView(i) {
			out = append(out, T(v))
		}
	}
	return out
}

// dense is a tensor of rows as a matrix.
func (n *net) dense(t *tensors.Tensor) (*mat.Dense, error) {
	dims := t.Shape().Dimensions
	if n.dtype == dtypes.Float64 {
		v, err := tensors.CopyFlatData[float64](t)
		if err != nil {
			return nil, err
		}
		return mat.NewDense(dims[0], dims[1], v), nil
	}
	v, err := tensors.CopyFlatData[float32](t)
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(dims[0], dims[1], nil)
	for i := range dims[0] {
		for j := range dims[1] {
			out.Set(i, j, float64(v[i*dims[1]+j]))
		}
	}
	return out, nil
}

// all runs a function on all rows of x, some at a time, and returns its first result.
func (n *net) all(f call, x *mat.Dense, batch int) (*mat.Dense, error) {
	var out mat.Dense
	rows, _ := x.Dims()
	for _, some := range batches(series(rows), batch) {
		t, err := f(n.tensor(x, some))
		if err != nil {
			return nil, err
		}
		d, err := n.dense(t[0])
		if err != nil {
			return nil, err
		}
		if out.IsEmpty() {
			out.CloneFrom(d)
			continue
		}
		var both mat.Dense
		both.Stack(&out, d)
		out = both
	}
	return &out, nil
}

// layer is an affine map whose weights are variables below name.
func layer(s *model.Scope, name string, x *Node, width int) *Node {
	return layers.DenseWithBias(s.At("%s", name), x, width)
}

// stack passes x through layers of these widths, with ReLU after each but, unless ends,
// after the last.
func stack(s *model.Scope, name string, x *Node, widths []int, ends bool) *Node {
	for i, w := range widths {
		x = layer(s, fmt.Sprintf("%s%d", name, i), x, w)
		if ends || i+1 < len(widths) {
			x = activation.Relu(x)
		}
	}
	return x
}

// mse is the mean over samples and features of the squared error. The papers write the sum
// over features, which is d times as large: the mean is what their programs minimise, and
// what the weights of the other terms are for.
func mse(x, y *Node) *Node { return ReduceAllMean(Square(Sub(y, x))) }

// series counts from 0.
func series(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// batches cuts an order into pieces of a size; the last has what is left.
func batches(order []int, size int) (out [][]int) {
	for from := 0; from < len(order); from += size {
		out = append(out, order[from:min(len(order), from+size)])
	}
	return out
}

// epoch makes a step for each batch of a random order of some samples, until ctx ends.
func epoch(ctx context.Context, rng *rand.Rand, samples []int, batch int, step func(rows []int) error) error {
	order := make([]int, len(samples))
	for i, k := range rng.Perm(len(samples)) {
		order[i] = samples[k]
	}
	for _, rows := range batches(order, batch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(rows); err != nil {
			return err
		}
	}
	return nil
}

// samples checks x (m×n) and returns its samples as rows (n×m).
func samples(x mat.Matrix) (*mat.Dense, error) {
	if d, ok := x.(*mat.Dense); x == nil || ok && d == nil {
		return nil, fmt.Errorf("%w: X is nil", rnmf.ErrEmpty)
	}
	m, n := x.Dims()
	if m == 0 || n == 0 {
		return nil, fmt.Errorf("%w: X is %d×%d", rnmf.ErrEmpty, m, n)
	}
	for i := range m {
		for j := range n {
			v := x.At(i, j)
			kind := rnmf.ErrNotFinite
			if math.Abs(v) <= 1e15 {
				continue
			} else if !math.IsNaN(v) && !math.IsInf(v, 0) {
				kind = rnmf.ErrTooLarge // its square would fill a float32
			}
			return nil, &rnmf.EntryError{Matrix: "X", Row: i, Col: j, Value: v, Err: kind}
		}
	}
	return mat.DenseCopyOf(x.T()), nil
}

// atLeast finds a number that is too small, and returns a default for 0.
func atLeast[T int | float64](name string, v *T, standard T) error {
	if *v < 0 || *v != *v {
		return fmt.Errorf("%w: %s is %v, want 0 (%v) or more", rnmf.ErrParameter, name, *v, standard)
	}
	if *v == 0 {
		*v = standard
	}
	return nil
}
