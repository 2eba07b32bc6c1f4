package baseline

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
	"github.com/robustnmf/robustnmf/rnmf/internal/eigen"
)

// KISSME learns a metric from pairs of samples that are of one class or of two (Köstinger, Hirzer,
// Wohlhart, Roth and Bischof 2012, "keep it simple and straightforward"). If the differences d of
// two samples are normal, both within a class and between classes, the logarithm of how much
// likelier d is between classes than within one is, up to a constant, dᵀMd with
//
//	M = Σ_S⁻¹ − Σ_D⁻¹,   Σ = mean of (x_i − x_j)(x_i − x_j)ᵀ over the pairs i < j,
//
// S the pairs of one class, D those of two; negative eigenvalues of M become 0. The RSS-NMF
// paper builds the graph of Semi-GNMF with it (section III-E): transform the samples, then
// find the neighbours.
//
// The samples are projected to principal components first, as there. As a few labels do not
// determine Σ_S even then, a hundredth of the mean eigenvalue is added to each covariance, which is
// not in the paper.
type KISSME struct {
	// Components is the number of principal components, 1 to min(m, n). 0 is the rank that
	// Σ_S can have, the labelled samples less one for each class, and min(m, n) at most.
	Components int
}

// A Metric measures d(x, y)² = ‖A(x − y)‖², M = AᵀA.
type Metric struct {
	A *mat.Dense // m′×m, m′ the number of positive eigenvalues of M; 1×m of zeros if there is none
}

// kissmeRidge is added to covariances, in units of their mean eigenvalue.
const kissmeRidge = 0.01

// Fit learns from the labelled columns of x (m×n); labels are n numbers, rnmf.Unlabelled
// where the class is unknown. There must be two samples of one class, and two classes.
func (k KISSME) Fit(ctx context.Context, x mat.Matrix, labels []int) (*Metric, error) {
	d, err := input.Matrix("X", x)
	if err != nil {
		return nil, err
	}
	m, n := d.Dims()
	if len(labels) != n {
		return nil, fmt.Errorf("%w: %d labels of %d samples", rnmf.ErrShape, len(labels), n)
	}
	size := map[int]int{}
	known := 0
	for j, c := range labels {
		if c < rnmf.Unlabelled {
			return nil, fmt.Errorf("%w: labels[%d] = %d, want %d (unknown) or more", rnmf.ErrLabels, j, c, rnmf.Unlabelled)
		}
		if c >= 0 {
			size[c]++
			known++
		}
	}
	rank := known - len(size)
	if rank == 0 || len(size) < 2 {
		return nil, fmt.Errorf("%w: %d labelled samples of %d classes, want two of one class, and two classes", rnmf.ErrLabels, known, len(size))
	}
	if k.Components < 0 || k.Components > min(m, n) {
		return nil, input.Parameter("KISSME.Components", k.Components, fmt.Sprintf("0 to %d", min(m, n)))
	}
	if k.Components == 0 {
		k.Components = min(rank, m, n)
	}
	p, err := PCA(ctx, d, k.Components)
	if err != nil {
		return nil, err
	}
	// Inverses of squares are to be finite.
	unit := 1.0
	if largest := max(mat.Max(p.Scores), -mat.Min(p.Scores)); largest < 1e-30 || largest > 1e30 {
		unit = dense.PowerOfTwo(largest)
		p.Scores.Scale(1/unit, p.Scores)
	}
	within, between := pairs(p.Scores, labels)
	one, two := inverse(within), inverse(between)
	one.Sub(one, two)
	found := eigen.All(eigen.Symmetric{Dense: one}, func() bool { return ctx.Err() != nil })
	if found == nil {
		return nil, ctx.Err()
	}
	rows := 0
	for rows < len(found.Values) && found.Values[rows] > 0 {
		rows++
	}
	out := &Metric{A: mat.NewDense(max(rows, 1), m, nil)}
	if rows > 0 {
		root := mat.DenseCopyOf(found.Vectors.Slice(0, rows, 0, k.Components))
		for i := range rows {
			s := math.Sqrt(found.Values[i])
			for j, v := range root.RawRowView(i) {
				root.Set(i, j, s*v)
			}
		}
		out.A.Mul(root, p.Components.T())
		out.A.Apply(func(_, _ int, v float64) float64 { return max(-math.MaxFloat64, min(v/unit, math.MaxFloat64)) }, out.A)
	}
	return out, nil
}

// Transform returns Ax of each column of x (m×n): its Euclidean distances are the metric's.
func (m *Metric) Transform(x mat.Matrix) (*mat.Dense, error) {
	d, err := input.Matrix("X", x)
	if err != nil {
		return nil, err
	}
	_, want := m.A.Dims()
	_, n := d.Dims()
	if err := input.Dims("X", d, want, n); err != nil {
		return nil, err
	}
	var out mat.Dense
	out.Mul(m.A, d)
	return &out, nil
}

// pairs returns Σ_S and Σ_D of the labelled columns of z. For samples z_1 … z_n of sum s,
//
//	Σ_{i<j} (z_i − z_j)(z_i − z_j)ᵀ = n Σ_i z_i z_iᵀ − s sᵀ,
//
// so S comes from the classes, and S and D together from all labelled samples.
func pairs(z *mat.Dense, labels []int) (within, between *mat.Dense) {
	d, _ := z.Dims()
	group := func(of func(c int) bool) (*mat.Dense, float64) {
		sum, squares := mat.NewVecDense(d, nil), mat.NewSymDense(d, nil)
		var n float64
		for j, c := range labels {
			if of(c) {
				v := z.ColView(j)
				sum.AddVec(sum, v)
				squares.SymRankOne(squares, 1, v)
				n++
			}
		}
		out := mat.NewDense(d, d, nil)
		out.Scale(n, squares)
		out.RankOne(out, -1, sum, sum)
		return out, n * (n - 1) / 2
	}
	within = mat.NewDense(d, d, nil)
	var count float64
	seen := map[int]bool{}
	for _, c := range labels { // in the order of the samples, so that sums have the same bits
		if c < 0 || seen[c] {
			continue
		}
		seen[c] = true
		part, n := group(func(other int) bool { return other == c })
		within.Add(within, part)
		count += n
	}
	between, all := group(func(c int) bool { return c >= 0 })
	between.Sub(between, within)
	within.Scale(1/count, within)
	between.Scale(1/(all-count), between)
	return within, between
}

// inverse returns the inverse of a covariance and its ridge, and of 0 that of the identity.
func inverse(a *mat.Dense) *mat.Dense {
	d, _ := a.Dims()
	ridge := kissmeRidge * mat.Trace(a) / float64(d)
	if !(ridge > 0) {
		ridge = 1
	}
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			sym.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
		sym.SetSym(i, i, max(a.At(i, i), 0)+ridge)
	}
	var c mat.Cholesky
	out := mat.NewSymDense(d, nil)
	if c.Factorize(sym) {
		_ = c.InverseTo(out) // its error tells that the condition is bad, which the ridge bounds
	}
	return mat.DenseCopyOf(out)
}
