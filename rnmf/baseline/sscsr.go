package baseline

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/eigen"
)

// SSCSR is semi-supervised spectral clustering with structured sparsity regularisation (Jia, Kwong
// and Hou 2018), a rival of the RSS-NMF paper. Spectral clustering takes the K eigenvectors U of
// the smallest eigenvalues of L = I − D^{−½}GD^{−½}. Here samples with labels of different classes
// must have little in common in UUᵀ: with M_ij = 1 for such pairs and 0 elsewhere, the
// anti-block-diagonal matrix of the paper,
//
//	min over Z of ⟨L, Z⟩ + λ Σ M_ij |Z_ij|,   0 ⪯ Z ⪯ I, tr Z = K,
//
// where Z, in the convex hull of all UUᵀ, stands for UUᵀ. It is solved by an augmented Lagrangian
// with Z = J, whose rounds converge to the minimum as μ is constant,
//
//	Z = projection of J − (Y + L)/μ: its eigenvalues to [0, 1], with the sum K
//	J = Z + Y/μ, shrunk by λ/μ where M is 1
//	Y ← Y + μ(Z − J).
//
// The K first eigenvectors of Z, each sample at length 1, go to k-means.
//
// We had only the abstract of the publication, which names spectral clustering, that matrix, the
// product of the embedding and its transpose, the convex relaxation and the Lagrangian. The norm of
// the regularisation, the normalised Laplacian, the constant μ, λ, and what is done with Z are our
// reconstruction.
type SSCSR struct {
	K      int         // clusters, 1 to n
	Graph  *rnmf.Graph // of the n samples
	Labels []int       // n, rnmf.Unlabelled where the class is unknown
	// Lambda is λ; 0 is 1, the largest that an entry of L has.
	Lambda  float64
	MaxIter int     // rounds; 0: 500
	Tol     float64 // ends when Z and J differ and J moves by less, in units of √K; 0: 1e-4
	Seed    uint64  // of k-means
}

// A Spectral is what spectral clustering found.
type Spectral struct {
	Labels    []int      // n, the cluster of each sample
	Embedding *mat.Dense // K×n, samples at length 1
	Z         *mat.Dense // n×n
	Objective float64    // of Z
	Rounds    int
	Converged bool
}

// Fit clusters the samples. When ctx ends it returns ctx.Err().
func (s SSCSR) Fit(ctx context.Context) (*Spectral, error) {
	if s.Graph == nil {
		return nil, input.Parameter("SSCSR.Graph", "nil", "a graph")
	}
	n, _ := s.Graph.Dims()
	if s.K < 1 || s.K > n {
		return nil, fmt.Errorf("%w: %d clusters of %d samples", rnmf.ErrRank, s.K, n)
	}
	if len(s.Labels) != n {
		return nil, fmt.Errorf("%w: %d labels of %d samples", rnmf.ErrShape, len(s.Labels), n)
	}
	for j, c := range s.Labels {
		if c < rnmf.Unlabelled {
			return nil, fmt.Errorf("%w: Labels[%d] = %d, want %d (unknown) or more", rnmf.ErrLabels, j, c, rnmf.Unlabelled)
		}
	}
	if !(s.Lambda >= 0) || math.IsInf(s.Lambda, 0) {
		return nil, input.Parameter("SSCSR.Lambda", s.Lambda, "0 (1) or more")
	}
	if s.MaxIter < 0 {
		return nil, input.Parameter("SSCSR.MaxIter", s.MaxIter, "0 (500) or more")
	}
	if !(s.Tol >= 0) {
		return nil, input.Parameter("SSCSR.Tol", s.Tol, "0 (0.0001) or more")
	}
	if s.Lambda == 0 {
		s.Lambda = 1
	}
	if s.MaxIter == 0 {
		s.MaxIter = 500
	}
	if s.Tol == 0 {
		s.Tol = 1e-4
	}
	out, _, err := s.solve(ctx)
	if err != nil {
		return nil, err
	}
	pairs := eigen.All(eigen.Symmetric{Dense: out.Z}, func() bool { return ctx.Err() != nil })
	if pairs == nil {
		return nil, ctx.Err()
	}
	out.Embedding = mat.DenseCopyOf(pairs.Vectors.Slice(0, s.K, 0, n))
	for j := range n {
		column := out.Embedding.ColView(j).(*mat.VecDense)
		if length := mat.Norm(column, 2); length > 0 {
			column.ScaleVec(1/length, column)
		}
	}
	found, err := KMeans{K: s.K, Restarts: 20, Seed: s.Seed}.Fit(ctx, out.Embedding)
	if err != nil {
		return nil, err
	}
	out.Labels = found.Labels
	return out, nil
}

// apart tells whether M_ij is 1.
func (s SSCSR) apart(i, j int) bool {
	return s.Labels[i] >= 0 && s.Labels[j] >= 0 && s.Labels[i] != s.Labels[j]
}

// solve returns Z, and the multipliers Y: −Y is in the subdifferential of ⟨L, Z⟩ and the
// bounds, Y in that of the sum over M.
func (s SSCSR) solve(ctx context.Context) (*Spectral, *mat.Dense, error) {
	const mu = 1 // the size of an entry of L
	l := normalizedLaplacian(s.Graph)
	n, _ := l.Dims()
	y, a := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	j := mat.NewDense(n, n, nil)
	out := &Spectral{}
	enough := s.Tol * math.Sqrt(float64(s.K))
	for out.Rounds < s.MaxIter && !out.Converged {
		out.Rounds++
		for i := range n {
			row, jr, yr, lr := a.RawRowView(i), j.RawRowView(i), y.RawRowView(i), l.RawRowView(i)
			for k := range row {
				row[k] = jr[k] - (yr[k]+lr[k])/mu
			}
		}
		z := fantope(a, s.K, func() bool { return ctx.Err() != nil })
		if z == nil {
			return nil, nil, ctx.Err()
		}
		var differ, moved float64
		out.Objective = 0
		for i := range n {
			zr, jr, yr, lr := z.RawRowView(i), j.RawRowView(i), y.RawRowView(i), l.RawRowView(i)
			for k, v := range zr {
				to := v + yr[k]/mu
				if s.apart(i, k) {
					to = math.Copysign(max(0, math.Abs(to)-s.Lambda/mu), to)
					out.Objective += s.Lambda * math.Abs(v)
				}
				out.Objective += lr[k] * v
				moved += (to - jr[k]) * (to - jr[k])
				differ += (v - to) * (v - to)
				jr[k] = to
				yr[k] += mu * (v - to)
			}
		}
		out.Z = z
		out.Converged = math.Sqrt(differ) <= enough && math.Sqrt(moved) <= enough
	}
	return out, y, nil
}

// fantope projects a symmetric matrix to 0 ⪯ Z ⪯ I, tr Z = k: its eigenvalues v become
// min(max(v − θ, 0), 1) with the θ that makes their sum k. It is nil if stopped.
func fantope(a *mat.Dense, k int, stop func() bool) *mat.Dense {
	p := eigen.All(eigen.Symmetric{Dense: a}, stop)
	if p == nil {
		return nil
	}
	n := len(p.Values)
	clip := func(v, theta float64) float64 { return min(max(v-theta, 0), 1) }
	low, high := p.Values[n-1]-1, p.Values[0] // at low all are 1, at high all are 0
	for range 200 {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			break
		}
		var sum float64
		for _, v := range p.Values {
			sum += clip(v, middle)
		}
		if sum > float64(k) {
			low = middle
		} else {
			high = middle
		}
	}
	z := mat.NewDense(n, n, nil)
	rows := 0
	for rows < n && clip(p.Values[rows], high) > 0 {
		rows++
	}
	if rows == 0 {
		return z
	}
	basis := mat.DenseCopyOf(p.Vectors.Slice(0, rows, 0, n))
	for i := range rows {
		root := math.Sqrt(clip(p.Values[i], high))
		row := basis.RawRowView(i)
		for c := range row {
			row[c] *= root
		}
	}
	z.Mul(basis.T(), basis)
	return z
}

// normalizedLaplacian is I − D^{−½}GD^{−½}; a sample without neighbours has only the I.
func normalizedLaplacian(g *rnmf.Graph) *mat.Dense {
	n, _ := g.Dims()
	l := mat.NewDense(n, n, nil)
	for i := range n {
		l.Set(i, i, 1)
		to, weight := g.Neighbors(i)
		for k, j := range to {
			root := math.Sqrt(g.Degree(i) * g.Degree(j))
			if !(root > 1e-150 && root < 1e150) { // the product is too small or too large for a number
				root = math.Sqrt(g.Degree(i)) * math.Sqrt(g.Degree(j))
			}
			if root > 0 {
				l.Set(i, j, l.At(i, j)-weight[k]/root)
			}
		}
	}
	return l
}
