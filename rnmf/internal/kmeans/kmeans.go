// Package kmeans groups the columns of a matrix: greedy k-means++ seeding (Arthur and
// Vassilvitskii 2007), then Lloyd's rounds, several times over; the start with the
// lowest inertia wins. It does not check its input: package baseline does.
package kmeans

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// Options are those of Fit; a 0 is the default.
type Options struct {
	K        int    // clusters, 1 to the number of samples
	Restarts int    // independent starts; 0: 10
	MaxIter  int    // rounds of one start at most; 0: 300
	Seed     uint64 // of the random starts
}

// A Clustering is what k-means found. No cluster is empty.
type Clustering struct {
	Labels    []int      // n, the cluster of each sample, 0 to K−1
	Centroids *mat.Dense // m×K, the means of the clusters
	Inertia   float64    // squared distances to the centroids, summed
	Rounds    int        // of the start that won
}

// Fit clusters the columns of x, or returns nil if it is stopped. The same seed gives
// the same bits on any number of processors.
func Fit(x *mat.Dense, o Options, stop func() bool) *Clustering {
	if o.Restarts == 0 {
		o.Restarts = 10
	}
	if o.MaxIter == 0 {
		o.MaxIter = 300
	}
	data := newSamples(x, o.K, o.Restarts, stop)
	if data == nil {
		return nil
	}
	found := make([]*Clustering, o.Restarts)
	pool := work.New(stop)
	pool.Open()
	defer pool.Close()
	pool.Each(o.Restarts, func(_, i int) {
		run := lloyd{samples: data, k: o.K, rng: rand.New(rand.NewPCG(o.Seed, uint64(i)))}
		labels, rounds := run.fit(o.MaxIter, stop)
		if stop() {
			return // labels are unfinished
		}
		found[i] = &Clustering{Labels: labels, Rounds: rounds}
		found[i].summarise(x, o.K)
	})
	if stop() {
		return nil
	}
	best := found[0]
	for _, c := range found[1:] {
		if c.Inertia < best.Inertia {
			best = c
		}
	}
	return best
}

// summarise computes centroids and inertia from the labels.
func (c *Clustering) summarise(x *mat.Dense, k int) {
	c.Centroids = Means(x, c.Labels, k)
	m, n := x.Dims()
	sums := make([]float64, n)
	for i := range m {
		row, centre := x.RawRowView(i), c.Centroids.RawRowView(i)
		for j, l := range c.Labels {
			d := row[j] - centre[l]
			sums[j] += d * d
		}
	}
	c.Inertia = floats.Sum(sums)
}

// Means returns the means (m×k) of the columns of x with equal label.
// Every label from 0 to k−1 must occur.
func Means(x *mat.Dense, labels []int, k int) *mat.Dense {
	m, _ := x.Dims()
	size := make([]float64, k)
	for _, l := range labels {
		size[l]++
	}
	c := mat.NewDense(m, k, nil)
	for i := range m {
		sum := c.RawRowView(i)
		for j, v := range x.RawRowView(i) {
			sum[labels[j]] += v
		}
		for l := range sum {
			sum[l] /= size[l]
		}
	}
	return c
}

// samples holds what all starts share. Distances are needed only through inner
// products, ‖x − c‖² = ‖x‖² − 2xᵀc + ‖c‖². To keep the subtraction harmless the
// samples are divided by a power of two and centred: at a median, for a mean
// would follow a gross outlier and leave all others far from 0.
//
// With few samples of many features all inner products are taken once, and a
// round of Lloyd is then sums over the n×n Gram matrix whatever the number of
// features: xᵢᵀc = Σ_{j in cluster} xᵢᵀxⱼ / size.
type samples struct {
	x    *mat.Dense // m×n, centred
	gram *mat.Dense // n×n, xᵀx, or nil if working on x is cheaper
	norm []float64  // n, ‖xⱼ‖²
}

// newSamples returns nil if it is stopped.
func newSamples(x *mat.Dense, k, restarts int, stop func() bool) *samples {
	m, n := x.Dims()
	var largest float64
	for i := range m {
		for _, v := range x.RawRowView(i) {
			if a := math.Abs(v); a > largest {
				largest = a
			}
		}
	}
	if stop() {
		return nil
	}
	c := mat.NewDense(m, n, nil)
	s := &samples{x: c, norm: make([]float64, n)}
	if !work.Pieces(m, 16*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			row := c.RawRowView(i)
			copy(row, x.RawRowView(i))
			floats.Scale(1/dense.PowerOfTwo(largest), row)
			floats.AddConst(-someMedian(row), row)
			for j, v := range row {
				s.norm[j] += v * v
			}
		}
	}) {
		return nil
	}
	// Multiplications: n²m/2 for the Gram matrix and n² for a round on it,
	// against nmk for a round on x.
	const rounds, most = 20, 4096
	total := float64(restarts * rounds)
	if fn, fm := float64(n), float64(m); n <= most && fn*(fm/2+total) < total*fm*float64(k) {
		var done bool
		if s.gram, done = dense.Gram(c, blas.Trans, stop); !done {
			return nil
		}
		for j := range n {
			s.norm[j] = s.gram.At(j, j)
		}
	}
	return s
}

// someMedian returns the median of about a hundred entries spread over v.
func someMedian(v []float64) float64 {
	var some []float64
	for j := 0; j < len(v); j += 1 + len(v)/100 {
		some = append(some, v[j])
	}
	slices.Sort(some)
	return some[len(some)/2]
}

// products writes the inner products of the given samples with all into dst.
func (s *samples) products(dst *mat.Dense, chosen []int) {
	if s.gram != nil {
		for t, j := range chosen {
			dst.SetRow(t, s.gram.RawRowView(j))
		}
		return
	}
	m, _ := s.x.Dims()
	c := mat.NewDense(len(chosen), m, nil)
	for t, j := range chosen {
		mat.Col(c.RawRowView(t), j, s.x)
	}
	dst.Mul(c, s.x)
}

// centre writes the inner products of the centroids with all samples into dst
// (k×n) and the squared lengths of the centroids into norm. If it is stopped they are
// not complete.
func (s *samples) centre(dst *mat.Dense, norm []float64, labels, size []int, stop func() bool) {
	clear(norm)
	if s.gram != nil {
		dst.Zero()
		for j, l := range labels {
			floats.Add(dst.RawRowView(l), s.gram.RawRowView(j))
		}
		for l, c := range size {
			floats.Scale(1/float64(c), dst.RawRowView(l))
		}
		for j, l := range labels { // ‖c‖² = Σ_{j in cluster} xⱼᵀc / size
			norm[l] += dst.At(l, j) / float64(size[l])
		}
		return
	}
	c := Means(s.x, labels, len(norm))
	m, _ := c.Dims()
	for i := range m {
		for l, v := range c.RawRowView(i) {
			norm[l] += v * v
		}
	}
	if p, done := dense.Mul(c.T(), s.x, stop); done {
		dst.Copy(p)
	}
}

// lloyd is one start of k-means.
type lloyd struct {
	*samples
	k   int
	rng *rand.Rand

	labels, size []int
	product      *mat.Dense // k×n, centroids with samples
	length       []float64  // k, ‖c‖²
}

func (r *lloyd) fit(maxIter int, stop func() bool) (labels []int, rounds int) {
	n := len(r.norm)
	r.labels = make([]int, n)
	r.size = make([]int, r.k)
	r.size[0] = n
	r.product = mat.NewDense(r.k, n, nil)
	r.length = make([]float64, r.k)
	r.seed(stop)
	for rounds < maxIter && !stop() {
		rounds++
		moved := r.assign()
		moved = r.refill() || moved || rounds == 1
		if !moved {
			break
		}
		if rounds < maxIter {
			r.centre(r.product, r.length, r.labels, r.size, stop)
		}
	}
	return r.labels, rounds
}

// seed chooses samples as first centroids: one at random, then again and again
// the best of a few drawn with a probability proportional to their squared
// distance from the nearest one chosen so far. Once all distances are 0, which
// takes duplicates, it leaves the rest to refill.
func (r *lloyd) seed(stop func() bool) {
	n := len(r.norm)
	tries := 2 + int(math.Log(float64(r.k)))
	drawn := make([]int, 1, tries)
	near := make([]float64, n) // squared distance to the nearest centroid
	for j := range near {
		near[j] = math.Inf(1)
	}
	products := mat.NewDense(tries, n, nil)
	closer, best := make([]float64, n), make([]float64, n)
	upTo := make([]float64, n)
	drawn[0] = r.rng.IntN(n)
	for l := range r.k {
		if stop() {
			return
		}
		if l > 0 {
			total := floats.CumSum(upTo, near)[n-1]
			if total == 0 {
				for ; l < r.k; l++ { // never nearer to any sample than the others
					r.length[l] = math.Inf(1)
				}
				return
			}
			drawn = drawn[:tries]
			for t := range drawn {
				drawn[t] = pick(upTo, total*r.rng.Float64())
			}
		}
		p := products.Slice(0, len(drawn), 0, n).(*mat.Dense)
		r.products(p, drawn)
		least, chosen := math.Inf(1), 0
		for t, j := range drawn {
			var sum float64
			for i, xx := range p.RawRowView(t) {
				d := r.norm[i] + r.norm[j] - 2*xx
				if d <= 1e-14*(r.norm[i]+r.norm[j]) {
					d = 0 // but for rounding
				}
				closer[i] = min(near[i], d)
				sum += closer[i]
			}
			if sum < least {
				least, chosen = sum, t
				best, closer = closer, best
			}
		}
		near, best = best, near
		r.product.SetRow(l, p.RawRowView(chosen))
		r.length[l] = r.norm[drawn[chosen]]
	}
}

// pick returns the first index whose cumulated weight exceeds u.
func pick(upTo []float64, u float64) int {
	low, high := 0, len(upTo)-1
	for low < high {
		if mid := (low + high) / 2; upTo[mid] > u {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// assign moves each sample to the nearest centroid, that is with the smallest
// ‖c‖² − 2xᵀc. It stays where it is if that is as near up to rounding, so that
// ties cannot keep the rounds going.
func (r *lloyd) assign() (moved bool) {
	n := len(r.labels)
	least := make([]float64, n)
	nearest := make([]int, n)
	for j := range least {
		least[j] = math.Inf(1)
	}
	for l, length := range r.length {
		for j, p := range r.product.RawRowView(l) {
			if d := length - 2*p; d < least[j] {
				least[j], nearest[j] = d, l
			}
		}
	}
	for j, l := range nearest {
		old := r.labels[j]
		now := r.length[old] - 2*r.product.At(old, j)
		if now-least[j] > 1e-13*(r.norm[j]+r.length[old]) {
			r.size[old]--
			r.size[l]++
			r.labels[j] = l
			moved = true
		}
	}
	return moved
}

// refill gives each empty cluster the sample that is farthest from its centroid
// among those that are not alone in their cluster.
func (r *lloyd) refill() (moved bool) {
	for l, size := range r.size {
		if size > 0 {
			continue
		}
		far, at := math.Inf(-1), -1
		for j, k := range r.labels {
			d := r.norm[j] + r.length[k] - 2*r.product.At(k, j)
			if r.size[k] > 1 && d > far {
				far, at = d, j
			}
		}
		// Now it is its own centroid, at distance 0: not the farthest again.
		r.size[r.labels[at]]--
		r.size[l]++
		r.labels[at] = l
		moved = true
	}
	return moved
}
