package choose

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// A Consensus says how often two samples were in one cluster (Brunet et al. 2004):
// C_ij is the share of the clusterings in which i and j were together, the mean of
// their connectivity matrices.
type Consensus struct {
	C    *mat.SymDense // n×n, 0 to 1
	Rand float64       // mean adjusted Rand index of two of the clusterings
}

// NewConsensus returns the consensus of several clusterings of the same samples, for example from
// several starts or from several subsets of the entries. It takes n×n numbers of memory.
func NewConsensus(clusterings [][]int) (*Consensus, error) {
	if len(clusterings) == 0 || len(clusterings[0]) == 0 {
		return nil, fmt.Errorf("%w: there are no clusterings, or they have no samples", ErrParameter)
	}
	n := len(clusterings[0])
	for s, of := range clusterings {
		if len(of) != n {
			return nil, fmt.Errorf("%w: clustering %d has %d samples, but the first has %d", ErrParameter, s, len(of), n)
		}
	}
	c := mat.NewSymDense(n, nil)
	raw := c.RawSymmetric()
	for _, of := range clusterings {
		for i, a := range of {
			row := raw.Data[i*raw.Stride:][:n]
			for j := i; j < n; j++ {
				if of[j] == a {
					row[j]++
				}
			}
		}
	}
	c.ScaleSym(1/float64(len(clusterings)), c)
	agreement, err := meanRand(clusterings)
	if err != nil {
		return nil, err
	}
	return &Consensus{c, agreement}, nil
}

// meanRand returns the mean adjusted Rand index of all pairs, 1 where there is no
// pair.
func meanRand(clusterings [][]int) (float64, error) {
	var sum, count float64
	for s, a := range clusterings {
		for _, b := range clusterings[:s] {
			v, err := score.AdjustedRand(a, b)
			if err != nil {
				return 0, err
			}
			sum += v
			count++
		}
	}
	if count == 0 {
		return 1, nil
	}
	return sum / count, nil
}

// Dispersion is 1/n² Σ 4(C_ij − ½)² (Kim and Park 2007): 1 where all clusterings agree, 1/n where
// each pair is together in half of them. Clusterings that put all samples into one cluster agree,
// too.
func (c *Consensus) Dispersion() float64 {
	n := c.C.SymmetricDim()
	var sum float64
	for i := range n {
		for j := range n {
			d := c.C.At(i, j) - 0.5
			sum += 4 * d * d
		}
	}
	return sum / float64(n) / float64(n)
}

// Cophenetic is the correlation of the distances 1 − C_ij with those that the
// dendrogram of average linkage has for them (Brunet et al. 2004): 1 where all
// clusterings agree on more than one cluster. It is 0 where all distances are the
// same, and so there is nothing to correlate.
//
// Brunet et al. take the rank at which it begins to fall. The dendrogram is not unique where
// distances are equal, as many are here, so other programs may differ in the third digit.
func (c *Consensus) Cophenetic() float64 {
	n := c.C.SymmetricDim()
	d := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i + 1; j < n; j++ {
			d.SetSym(i, j, 1-c.C.At(i, j))
		}
	}
	return CopheneticCorrelation(d)
}

// CopheneticCorrelation is the correlation of distances d (n×n) with the heights at
// which average linkage joins each pair (Sokal and Rohlf 1962), and 0 where either are
// all the same.
func CopheneticCorrelation(d *mat.SymDense) float64 {
	h, _ := averageLinkage(d)
	n := d.SymmetricDim()
	var md, mh, pairs float64
	for i := range n {
		for j := i + 1; j < n; j++ {
			md += d.At(i, j)
			mh += h.At(i, j)
			pairs++
		}
	}
	if pairs == 0 {
		return 0
	}
	md, mh = md/pairs, mh/pairs
	var dd, hh, dh float64
	for i := range n {
		for j := i + 1; j < n; j++ {
			a, b := d.At(i, j)-md, h.At(i, j)-mh
			dd += a * a
			hh += b * b
			dh += a * b
		}
	}
	tiny := 1e-20 * pairs * (md*md + mh*mh)
	if dd <= tiny || hh <= tiny {
		return 0
	}
	return dh / math.Sqrt(dd*hh)
}

// Order returns the samples in the order of the leaves of the dendrogram of average linkage, in
// which samples that are often together are next to each other: for viz.Heatmap.
func (c *Consensus) Order() []int {
	n := c.C.SymmetricDim()
	d := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i + 1; j < n; j++ {
			d.SetSym(i, j, 1-c.C.At(i, j))
		}
	}
	_, order := averageLinkage(d)
	return order
}

// averageLinkage returns the height at which each pair is joined when clusters are
// joined by the mean of their distances (UPGMA), the nearest first, and the order of the
// leaves. It follows chains of nearest neighbours (Murtagh 1983), in O(n²) steps.
func averageLinkage(d *mat.SymDense) (*mat.SymDense, []int) {
	n := d.SymmetricDim()
	dist := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			dist.Set(i, j, d.At(i, j))
		}
	}
	height := mat.NewSymDense(n, nil)
	members := make([][]int, n)
	var alive []int
	for i := range n {
		members[i] = []int{i}
		alive = append(alive, i)
	}
	var chain []int
	for len(alive) > 1 {
		if len(chain) == 0 {
			chain = append(chain, alive[0])
		}
		a := chain[len(chain)-1]
		// The nearest to a; of equals the one before in the chain, or it would have
		// no end.
		b := -1
		if len(chain) > 1 {
			b = chain[len(chain)-2]
		}
		row := dist.RawRowView(a)
		for _, c := range alive {
			if c != a && (b < 0 || row[c] < row[b]) {
				b = c
			}
		}
		if len(chain) < 2 || b != chain[len(chain)-2] {
			chain = append(chain, b)
			continue
		}
		chain = chain[:len(chain)-2]
		for _, i := range members[a] {
			for _, j := range members[b] {
				height.SetSym(i, j, row[b])
			}
		}
		// b takes a in.
		p, q := float64(len(members[a])), float64(len(members[b]))
		for _, c := range alive {
			if c != a && c != b {
				v := (p*row[c] + q*dist.At(b, c)) / (p + q)
				dist.Set(b, c, v)
				dist.Set(c, b, v)
			}
		}
		members[b] = append(members[b], members[a]...)
		members[a] = nil
		for k, c := range alive {
			if c == a {
				alive = append(alive[:k], alive[k+1:]...)
				break
			}
		}
	}
	if n == 0 {
		return height, nil
	}
	return height, members[alive[0]]
}

// Silhouette says how much nearer the samples, the columns of x, are to their own
// cluster than to the next (Rousseeuw 1987; simplified by Hruschka et al. 2004),
//
//	mean over j of (b_j − a_j) / max(a_j, b_j),
//
// with a_j the distance to the mean of their own cluster and b_j that to the nearest other mean:
// near 1 for clusters that are apart, below 0 for wrong ones. It looks at the data alone, so it can
// compare models of any kind. A sample that is alone in its cluster counts as 0, and if there is
// only one cluster, all samples do.
func Silhouette(x mat.Matrix, clusters []int) (float64, error) {
	if isnil.Matrix(x) {
		return 0, errNoX("X")
	}
	if err := wantMask(x, nil, ""); err != nil {
		return 0, err
	}
	m, n := x.Dims()
	if len(clusters) != n || n == 0 {
		return 0, fmt.Errorf("%w: %d clusters for %d samples", ErrParameter, len(clusters), n)
	}
	place := map[int]int{}
	for j, c := range clusters {
		if c < 0 {
			return 0, fmt.Errorf("%w: sample %d is in cluster %d, want 0 or more", ErrParameter, j, c)
		}
		if _, ok := place[c]; !ok {
			place[c] = len(place)
		}
	}
	k := len(place)
	means, sizes := mat.NewDense(k, m, nil), make([]float64, k)
	xt := mat.DenseCopyOf(x.T())
	for j := range n {
		for i, v := range xt.RawRowView(j) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return 0, fmt.Errorf("%w: %w: X[%d,%d] = %g", ErrParameter, rnmf.ErrNotFinite, i, j, v)
			}
		}
	}
	normalise(xt.RawMatrix().Data) // squares of 1e-170 would be 0
	for j, c := range clusters {
		row := means.RawRowView(place[c])
		for i, v := range xt.RawRowView(j) {
			row[i] += v
		}
		sizes[place[c]]++
	}
	for c, size := range sizes {
		row := means.RawRowView(c)
		for i := range row {
			row[i] /= size
		}
	}
	var sum float64
	for j, c := range clusters {
		own := place[c]
		if sizes[own] == 1 || k == 1 {
			continue
		}
		a, b := 0.0, math.Inf(1)
		for other := range k {
			var s float64
			mean := means.RawRowView(other)
			for i, v := range xt.RawRowView(j) {
				s += (v - mean[i]) * (v - mean[i])
			}
			if other == own {
				a = math.Sqrt(s)
			} else {
				b = min(b, math.Sqrt(s))
			}
		}
		if most := max(a, b); most > 0 {
			sum += (b - a) / most
		}
	}
	return sum / float64(n), nil
}
