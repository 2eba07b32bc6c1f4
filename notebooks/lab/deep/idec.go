package deep

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
)

// IDEC is improved deep embedded clustering: an autoencoder with code z = f(x) and output
// g(z), whose codes are drawn towards K centres μ,
//
//	L = L_r + γ L_c,
//	L_r = mean of (x − g(f(x)))²,              over samples and features,
//	L_c = (1/n) Σᵢ Σⱼ pᵢⱼ log (pᵢⱼ / qᵢⱼ),
//	qᵢⱼ = (1 + ‖zᵢ − μⱼ‖²)⁻¹ / Σ_l (1 + ‖zᵢ − μ_l‖²)⁻¹,
//	pᵢⱼ = (qᵢⱼ² / Σ_i qᵢⱼ) / Σ_l (qᵢ_l² / Σ_i qᵢ_l).
//
// The target P is held for Interval steps and then computed again; the cluster of a sample is that
// of its largest q. Layers are ReLU except for the code and the output. The paper writes L_r as a
// sum over features, with which γ would have to be as many times as large; its figures were made
// with a mean and γ = 0.1.
//
// Before that the autoencoder is trained on L_r alone, from end to end; the paper begins
// with a stack of denoising autoencoders, layer by layer. Data are scaled so that the mean
// of x² is 1, and steps are Adam's of 0.001, as there. Centres begin with k-means of 20
// starts on the codes, the ablation that Fit returns, too.
type IDEC struct {
	K        int     // clusters, 1 to n
	Layers   []int   // widths of the encoder, of which the last is the code's; nil: 500, 500, 2000, 10
	Gamma    float64 // γ; 0: 0.1
	Epochs   int     // of the autoencoder alone; 0: 200
	Batch    int     // samples of a step; 0: 256
	Interval int     // steps with one target P; 0: 140
	MaxIter  int     // steps with the centres at most; 0: 20000
	Tol      float64 // ends when no larger share of samples changes its cluster; 0: 0.001
	Seed     uint64  // of weights, orders and k-means
}

// Deep is what a deep rival found.
type Deep struct {
	Labels []int      // n, the cluster of each sample, 0 to K−1
	Codes  *mat.Dense // r×n, the code of each sample
	Empty  []int      // clusters without samples: fewer than K were found
	// Autoencoder is k-means on the codes of the autoencoder alone: what the rest adds to
	// it is the method's own part. It is nil for MSAEClust.
	Autoencoder *baseline.Clustering
	Q           *mat.Dense // n×K, the shares of the clusters, of IDEC
	Losses      []float64  // L_r of each epoch, the mean over its steps; of MSAEClust that of all members
	Steps       int        // of IDEC with the centres
	Settled     bool       // whether IDEC ended by Tol
}

// starts is the number of k-means' starts.
const starts = 20

func (d *IDEC) check(x mat.Matrix) (*mat.Dense, error) {
	rows, err := samples(x)
	if err != nil {
		return nil, err
	}
	if n, _ := rows.Dims(); d.K < 1 || d.K > n {
		return nil, fmt.Errorf("%w: %d clusters of %d samples", rnmf.ErrRank, d.K, n)
	}
	if d.Layers == nil {
		d.Layers = []int{500, 500, 2000, 10}
	}
	if len(d.Layers) == 0 {
		return nil, fmt.Errorf("%w: IDEC.Layers is empty, want widths, or nil", rnmf.ErrParameter)
	}
	for i, w := range d.Layers {
		if w < 1 {
			return nil, fmt.Errorf("%w: IDEC.Layers[%d] is %d, want 1 or more", rnmf.ErrParameter, i, w)
		}
	}
	return rows, cmp.Or(
		atLeast("IDEC.Gamma", &d.Gamma, 0.1),
		atLeast("IDEC.Epochs", &d.Epochs, 200),
		atLeast("IDEC.Batch", &d.Batch, 256),
		atLeast("IDEC.Interval", &d.Interval, 140),
		atLeast("IDEC.MaxIter", &d.MaxIter, 20000),
		atLeast("IDEC.Tol", &d.Tol, 0.001),
	)
}

// encode and decode are the two halves of the autoencoder.
func (d *IDEC) encode(s *model.Scope, x *Node) *Node { return stack(s, "enc", x, d.Layers, false) }

func (d *IDEC) decode(s *model.Scope, z *Node, features int) *Node {
	var widths []int
	for i := len(d.Layers) - 2; i >= 0; i-- {
		widths = append(widths, d.Layers[i])
	}
	return stack(s, "dec", z, append(widths, features), false)
}

// share is qᵢⱼ; the centres are a variable.
func (d *IDEC) share(s *model.Scope, z *Node) *Node {
	code := d.Layers[len(d.Layers)-1]
	mu := s.At("centres").VariableWithShape("mu", shapes.Make(z.DType(), d.K, code)).NodeValue(z.Graph())
	apart := ReduceSum(Square(Sub(InsertAxes(z, 1), InsertAxes(mu, 0))), -1)
	q := Inverse(OnePlus(apart))
	return Div(q, ReduceAndKeep(q, ReduceSum, -1))
}

// reconstruction is L_r.
func (d *IDEC) reconstruction(s *model.Scope, x, z *Node) *Node {
	return mse(x, d.decode(s, z, x.Shape().Dimensions[1]))
}

// loss is L for a batch of samples and their targets.
func (d *IDEC) loss(s *model.Scope, x, p *Node) *Node {
	z := d.encode(s, x)
	const tiny = 1e-30 // 0 log 0 is 0
	kl := ReduceSum(Mul(p, Log(Div(MaxScalar(p, tiny), MaxScalar(d.share(s, z), tiny)))), -1)
	return Add(d.reconstruction(s, x, z), MulScalar(ReduceAllMean(kl), d.Gamma))
}

// Target is the matrix P of Q (n×K); all its rows sum to 1.
func Target(q *mat.Dense) *mat.Dense {
	n, k := q.Dims()
	p, size := mat.NewDense(n, k, nil), make([]float64, k)
	for i := range n {
		for j, v := range q.RawRowView(i) {
			size[j] += v
		}
	}
	for i := range n {
		var sum float64
		row := p.RawRowView(i)
		for j, v := range q.RawRowView(i) {
			if size[j] > 0 {
				row[j] = v * v / size[j]
				sum += row[j]
			}
		}
		for j := range row {
			row[j] /= sum // some q is at least 1/K, so sum is not 0
		}
	}
	return p
}

// Fit clusters the columns of x (m×n). When ctx ends it returns the codes there are, with
// the clusters if there are centres, and ctx.Err().
func (d IDEC) Fit(ctx context.Context, x mat.Matrix) (*Deep, error) {
	rows, err := d.check(x)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	unit(rows)
	nt, err := newNet(d.Seed, dtypes.Float32)
	if err != nil {
		return nil, err
	}
	encode, err := nt.compile(func(s *model.Scope, a []*Node) []*Node { return []*Node{d.encode(s, a[0])} })
	if err != nil {
		return nil, err
	}
	out := &Deep{}
	rng := rand.New(rand.NewPCG(d.Seed, 1))
	trained := d.pretrain(ctx, nt, rng, rows, out)
	codes, err := nt.all(encode, rows, d.Batch)
	if err != nil {
		return nil, err
	}
	out.Codes = mat.DenseCopyOf(codes.T())
	if trained != nil {
		if ctx.Err() == nil {
			out = nil
		}
		return out, trained
	}
	if out.Autoencoder, err = (baseline.KMeans{K: d.K, Restarts: starts, Seed: d.Seed}).Fit(ctx, out.Codes); err != nil {
		return out, err
	}
	if err := d.cluster(ctx, nt, rng, rows, out); err != nil {
		if ctx.Err() == nil {
			out = nil
		}
		return out, err
	}
	if codes, err = nt.all(encode, rows, d.Batch); err != nil {
		return nil, err
	}
	out.Codes = mat.DenseCopyOf(codes.T())
	return out, nil
}

// pretrain trains the autoencoder alone.
func (d *IDEC) pretrain(ctx context.Context, nt *net, rng *rand.Rand, rows *mat.Dense, out *Deep) error {
	step, err := nt.compile(func(s *model.Scope, a []*Node) []*Node {
		loss := d.reconstruction(s, a[0], d.encode(s, a[0]))
		optimizer.Adam().Scope("pretraining").LearningRate(0.001).Done().UpdateGraph(s, a[0].Graph(), loss)
		return []*Node{loss}
	})
	if err != nil {
		return err
	}
	n, _ := rows.Dims()
	for range d.Epochs {
		var sum, steps float64
		if err := epoch(ctx, rng, series(n), d.Batch, func(some []int) error {
			t, err := step(nt.tensor(rows, some))
			if err != nil {
				return err
			}
			sum += number(t[0])
			steps++
			return nil
		}); err != nil {
			return err
		}
		out.Losses = append(out.Losses, sum/steps)
	}
	return nil
}

// cluster trains codes and centres together.
func (d *IDEC) cluster(ctx context.Context, nt *net, rng *rand.Rand, rows *mat.Dense, out *Deep) error {
	centres := mat.DenseCopyOf(out.Autoencoder.Centroids.T())
	if _, err := nt.store.Scope("/centres").CreateVariable("mu", nt.tensor(centres, series(d.K))); err != nil {
		return err
	}
	share, err := nt.compile(func(s *model.Scope, a []*Node) []*Node { return []*Node{d.share(s, d.encode(s, a[0]))} })
	if err != nil {
		return err
	}
	step, err := nt.compile(func(s *model.Scope, a []*Node) []*Node {
		loss := d.loss(s, a[0], a[1])
		optimizer.Adam().Scope("clustering").LearningRate(0.001).Done().UpdateGraph(s, a[0].Graph(), loss)
		return []*Node{loss}
	})
	if err != nil {
		return err
	}
	n, _ := rows.Dims()
	before := out.Autoencoder.Labels
	var p *mat.Dense
	look := func() (changed int, err error) {
		if out.Q, err = nt.all(share, rows, d.Batch); err != nil {
			return 0, err
		}
		p = Target(out.Q)
		out.Labels, out.Empty = largest(out.Q)
		for i, l := range out.Labels {
			if l != before[i] {
				changed++
			}
		}
		before = out.Labels
		return changed, nil
	}
	if _, err := look(); err != nil {
		return err
	}
	for out.Steps < d.MaxIter {
		err := epoch(ctx, rng, series(n), d.Batch, func(some []int) error {
			if out.Settled || out.Steps == d.MaxIter {
				return nil
			}
			if _, err := step(nt.tensor(rows, some), nt.tensor(p, some)); err != nil {
				return err
			}
			out.Steps++
			if out.Steps%d.Interval != 0 && out.Steps != d.MaxIter {
				return nil
			}
			changed, err := look()
			out.Settled = out.Steps%d.Interval == 0 && float64(changed) <= d.Tol*float64(n)
			return err
		})
		if err != nil {
			return err
		}
		if out.Settled {
			break
		}
	}
	return nil
}

// largest returns the place of the largest entry of each row, the first of several, and
// the columns that have none.
func largest(q *mat.Dense) (labels, empty []int) {
	n, k := q.Dims()
	labels = make([]int, n)
	size := make([]int, k)
	for i := range labels {
		row := q.RawRowView(i)
		for j, v := range row {
			if v > row[labels[i]] {
				labels[i] = j
			}
		}
		size[labels[i]]++
	}
	for j, s := range size {
		if s == 0 {
			empty = append(empty, j)
		}
	}
	return labels, empty
}

// unit divides by the root of the mean square, unless that is 0.
func unit(x *mat.Dense) {
	n, d := x.Dims()
	if rms := mat.Norm(x, 2) / math.Sqrt(float64(n*d)); rms > 0 {
		x.Scale(1/rms, x)
	}
}

func number(t *tensors.Tensor) float64 {
	if t.DType() == dtypes.Float64 {
		return tensors.ToScalar[float64](t)
	}
	return float64(tensors.ToScalar[float32](t))
}
