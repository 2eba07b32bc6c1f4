package baseline

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/kmeans"
)

// KMeans groups the columns of a matrix around K centroids, so that
//
//	inertia = Σⱼ ‖xⱼ − c(lⱼ)‖²
//
// is small: greedy k-means++ seeding (Arthur and Vassilvitskii 2007), then
// Lloyd's rounds, several times over; the start with the lowest inertia wins.
// Only K needs to be set. The same seed gives the same bits on any number of
// processors.
type KMeans struct {
	K        int    // number of clusters, 1 to the number of samples
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

// Fit clusters the columns of x (m×n). It returns ctx.Err() soon after ctx ends.
func (s KMeans) Fit(ctx context.Context, x mat.Matrix) (*Clustering, error) {
	d, err := input.Matrix("X", x)
	if err != nil {
		return nil, err
	}
	if _, n := d.Dims(); s.K < 1 || s.K > n {
		return nil, fmt.Errorf("%w: %d clusters of %d samples", rnmf.ErrRank, s.K, n)
	}
	if s.Restarts < 0 {
		return nil, input.Parameter("KMeans.Restarts", s.Restarts, "0 (10 starts) or more")
	}
	if s.MaxIter < 0 {
		return nil, input.Parameter("KMeans.MaxIter", s.MaxIter, "0 (300 rounds) or more")
	}
	c := kmeans.Fit(d, kmeans.Options(s), func() bool { return ctx.Err() != nil })
	if c == nil {
		return nil, ctx.Err()
	}
	return (*Clustering)(c), nil
}
