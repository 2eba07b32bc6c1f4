package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
)

// ConsensusParts finds the parts on which many starts of one model agree, by consensus NMF (Kotliar
// et al. 2019). The columns of all W are pooled and scaled to Euclidean length 1. A part of the pool
// whose mean distance to its L nearest others,
//
//	δ_a = 1/L Σ_{b in the L nearest} ‖w_a − w_b‖,   L = 0.3 · Starts,
//
// is more than Apart lies in a sparse neighbourhood: hardly another start has found it, and it is
// left out. The others are clustered by k-means into as many clusters as the model has components,
// and the medians of the clusters, again of length 1, are the consensus parts. H is fitted to them.
//
// It works for any FitFunc, also for models with penalties or labels (its parts then stand for no class, and
// their Predict is rnmf.ErrLabels), but not for one whose W has negative entries (medians of parts with two
// signs mean nothing).
type ConsensusParts struct {
	X    mat.Matrix
	Mask mat.Matrix // entries where it is 0 are missing; nil is all there
	Fit  FitFunc
	// Starts is the number of fits; 0 is 20, at least 2. Their seeds are Seed, Seed + 1 and so on.
	Starts int
	// Apart is the mean distance from which on a neighbourhood is sparse, from 0 to √2 between parts
	// that have no feature in common; 0 is 0.5, and negative leaves nothing out.
	Apart float64
	Seed  uint64
	// Workers is the number of fits at once; 0 is one for each processor. The result does not depend
	// on it.
	Workers int
	// Transform finds H for the consensus parts, which are the W of r, next to the loss of the best
	// fit; nil is r.Transform(ctx, x, mask). It is for data that a Result cannot take, such as sparse
	// ones.
	Transform func(ctx context.Context, r *rnmf.Result, x, mask mat.Matrix) (*mat.Dense, error)
	// Progress, if not nil, is called before the first fit and after each, from one goroutine at a
	// time.
	Progress func(done, total int)
}

// Parts is what ConsensusParts found.
type Parts struct {
	// Result has the consensus parts (m×r, each of length 1) and the H that was fitted to them, under
	// the loss of the best fit at its last scale and with its Mask. The parts are in the order of
	// Stability. No fit has led to them: Objective is 0, and there is no Trace.
	*rnmf.Result
	// Stability of each part, 0 to 1: the mean over the starts of the cosine between the part and
	// that of the start in its cluster (the nearest, if there are several), 0 for a start without
	// one.
	Stability []float64
	// Pool (m×(Starts·r)) has the parts of all fits, start by start, each of length 1; Cluster the
	// consensus part of each, −1 where it was left out; Sparseness the δ of each.
	Pool       *mat.Dense
	Cluster    []int
	Sparseness []float64
	// Fits are the results of the starts, without order; Best is the one with the lowest objective.
	Fits []*rnmf.Result
	Best int
}

// String tells how stable the parts are.
func (p *Parts) String() string {
	out := 0
	for _, c := range p.Cluster {
		if c < 0 {
			out++
		}
	}
	parts := "parts"
	if len(p.Stability) == 1 {
		parts = "part"
	}
	return fmt.Sprintf("%d consensus %s of %d starts: %d of %d single parts lie apart from all others and are left out; stability %.2f to %.2f",
		len(p.Stability), parts, len(p.Fits), out, len(p.Cluster), slices.Min(p.Stability), slices.Max(p.Stability))
}

// Run fits all starts and finds their consensus.
//
// Errors are ErrParameter without data or a FitFunc, for fewer than two starts, for a W with negative
// entries, and where less than one part for each component is left, so that Apart is too small;
// those of a fit; and ctx.Err().
func (s ConsensusParts) Run(ctx context.Context) (*Parts, error) {
	starts := cmp.Or(s.Starts, 20)
	switch {
	case isnil.Matrix(s.X) || s.Fit == nil:
		return nil, fmt.Errorf("%w: ConsensusParts.X or ConsensusParts.Fit is nil", ErrParameter)
	case starts < 2:
		return nil, fmt.Errorf("%w: ConsensusParts.Starts is %d, want 2 or more, or 0 for 20", ErrParameter, starts)
	case math.IsNaN(s.Apart):
		return nil, fmt.Errorf("%w: ConsensusParts.Apart is NaN", ErrParameter)
	}
	fits, err := s.fits(ctx, starts)
	if err != nil {
		return nil, err
	}
	p := &Parts{Fits: fits}
	for k, r := range fits {
		if r.Objective < fits[p.Best].Objective {
			p.Best = k
		}
	}
	if err := p.pool(); err != nil {
		return nil, err
	}
	_, rank := fits[0].W.Dims()
	w, err := p.cluster(ctx, rank, starts, s.Apart, s.Seed)
	if err != nil {
		return nil, err
	}
	p.order(w, rank, starts)
	best := fits[p.Best]
	onH := slices.DeleteFunc(slices.Clone(best.OnH), func(p rnmf.Penalty) bool {
		_, ok := p.(interface{ SampleLabels() rnmf.Labels }) // component k stood for class k
		return ok
	})
	p.Result = &rnmf.Result{W: w, Loss: best.Loss, Family: best.Family, Solver: best.Solver, OnH: onH, Mask: best.Mask, Reason: best.Reason, KKT: -1}
	transform := s.Transform
	if transform == nil {
		transform = func(ctx context.Context, r *rnmf.Result, x, mask mat.Matrix) (*mat.Dense, error) {
			return r.Transform(ctx, x, mask)
		}
	}
	if p.Result.H, err = transform(ctx, p.Result, s.X, s.Mask); err != nil {
		return nil, err
	}
	return p, nil
}

// fits fits all starts.
func (s ConsensusParts) fits(ctx context.Context, starts int) ([]*rnmf.Result, error) {
	workers := s.Workers
	if workers < 1 {
		workers = min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	fits, errs := make([]*rnmf.Result, starts), make([]error, starts)
	todo := make(chan int)
	var group sync.WaitGroup
	var telling sync.Mutex
	done := 0
	tell := func(more int) {
		telling.Lock()
		defer telling.Unlock()
		if done += more; s.Progress != nil {
			s.Progress(done, starts)
		}
	}
	tell(0)
	for range min(workers, starts) {
		group.Add(1)
		go func() {
			defer group.Done()
			for k := range todo {
				errs[k] = fmt.Errorf("choose: start %d: %w", k, errGoexit) // unless it returns
				func() {
					defer func() {
						if p := recover(); p != nil {
							errs[k] = fmt.Errorf("choose: start %d panicked: %v", k, p)
						}
						if errs[k] != nil {
							cancel()
						}
					}()
					r, err := s.Fit.result(inner, s.X, s.Mask, s.Seed+uint64(k))
					if err == nil {
						tell(1)
					}
					fits[k], errs[k] = r, err
				}()
			}
		}()
	}
	for k := 0; k < starts && inner.Err() == nil; k++ {
		select {
		case todo <- k:
		case <-inner.Done(): // as those are gone that called runtime.Goexit
		}
	}
	close(todo)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, err := range errs { // the first that no other has cancelled
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return fits, errors.Join(errs...)
}

// pool fills Pool and Sparseness.
func (p *Parts) pool() error {
	m, rank := p.Fits[0].W.Dims()
	p.Pool = mat.NewDense(m, rank*len(p.Fits), nil)
	for k, r := range p.Fits {
		if rows, cols := r.W.Dims(); rows != m || cols != rank {
			return fmt.Errorf("%w: the W of start %d is %d×%d, but the first %d×%d", ErrParameter, k, rows, cols, m, rank)
		}
		if mat.Min(r.W) < 0 {
			return fmt.Errorf("%w: the W of start %d has negative entries, of which there are no consensus parts", ErrParameter, k)
		}
		w, _ := r.Normalized(2)
		p.Pool.Slice(0, m, k*rank, (k+1)*rank).(*mat.Dense).Copy(w)
	}
	return nil
}

// Distances returns the Euclidean distances of the parts of the pool, 0 to √2: for viz.Heatmap, in
// the order that Order returns.
func (p *Parts) Distances() *mat.SymDense {
	// Of unit vectors ‖a − b‖² = 2 − 2aᵀb.
	var gram mat.Dense
	gram.Mul(p.Pool.T(), p.Pool)
	_, n := p.Pool.Dims()
	d := mat.NewSymDense(n, nil)
	for a := range n {
		for b := a + 1; b < n; b++ {
			d.SetSym(a, b, math.Sqrt(max(0, gram.At(a, a)+gram.At(b, b)-2*gram.At(a, b))))
		}
	}
	return d
}

// Order returns the parts of the pool cluster by cluster, those that were left out last.
func (p *Parts) Order() []int {
	order := make([]int, len(p.Cluster))
	for a := range order {
		order[a] = a
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if p.Cluster[a] < 0 || p.Cluster[b] < 0 {
			return cmp.Compare(p.Cluster[b], p.Cluster[a])
		}
		return cmp.Or(cmp.Compare(p.Cluster[a], p.Cluster[b]), cmp.Compare(p.Sparseness[a], p.Sparseness[b]))
	})
	return order
}

// cluster leaves out what lies apart, clusters the rest, and returns the medians.
func (p *Parts) cluster(ctx context.Context, rank, starts int, apart float64, seed uint64) (*mat.Dense, error) {
	m, n := p.Pool.Dims()
	nearest := min(n-1, max(1, int(math.Round(0.3*float64(starts)))))
	apart = cmp.Or(apart, 0.5)
	d := p.Distances()
	p.Sparseness, p.Cluster = make([]float64, n), make([]int, n)
	var kept []int
	row := make([]float64, n-1)
	for a := range n {
		row = row[:0]
		for b := range n {
			if a != b {
				row = append(row, d.At(a, b))
			}
		}
		slices.Sort(row)
		for _, v := range row[:nearest] {
			p.Sparseness[a] += v / float64(nearest)
		}
		p.Cluster[a] = -1
		if (apart < 0 || p.Sparseness[a] <= apart) && mat.Norm(p.Pool.ColView(a), 2) > 0 {
			kept = append(kept, a)
		}
	}
	if len(kept) < rank {
		return nil, fmt.Errorf("%w: of %d single parts only %d lie near others, fewer than the rank %d: the starts agree on less, so take a lower rank, or a larger Apart than %g", ErrParameter, n, len(kept), rank, apart)
	}
	near := mat.NewDense(m, len(kept), nil)
	for k, a := range kept {
		near.SetCol(k, mat.Col(nil, a, p.Pool))
	}
	c, err := baseline.KMeans{K: rank, Seed: seed}.Fit(ctx, near)
	if err != nil {
		return nil, err
	}
	for k, a := range kept {
		p.Cluster[a] = c.Labels[k]
	}
	w := mat.NewDense(m, rank, nil)
	values := make([]float64, 0, len(kept))
	for k := range rank {
		for i := range m {
			values = values[:0]
			for at, l := range c.Labels {
				if l == k {
					values = append(values, near.At(i, at))
				}
			}
			slices.Sort(values)
			half := len(values) / 2
			v := values[half]
			if len(values)%2 == 0 {
				v = (v + values[half-1]) / 2
			}
			w.Set(i, k, v)
		}
		length := mat.Norm(w.ColView(k), 2)
		for i := range m {
			if length > 0 {
				w.Set(i, k, w.At(i, k)/length)
			}
		}
	}
	return w, nil
}

// order numbers the clusters, and the columns of w, by falling stability.
func (p *Parts) order(w *mat.Dense, rank, starts int) {
	stability := make([]float64, rank)
	cosines := make([]float64, starts*rank) // of start and part
	for a, c := range p.Cluster {
		if c >= 0 {
			at := &cosines[a/rank*rank+c]
			*at = max(*at, min(1, mat.Dot(p.Pool.ColView(a), w.ColView(c))))
		}
	}
	for at, v := range cosines {
		stability[at%rank] += v / float64(starts)
	}
	order, to := make([]int, rank), make([]int, rank)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(stability[b], stability[a]) })
	before := mat.DenseCopyOf(w)
	p.Stability = make([]float64, rank)
	for k, old := range order {
		to[old], p.Stability[k] = k, stability[old]
		w.SetCol(k, mat.Col(nil, old, before))
	}
	for a, c := range p.Cluster {
		if c >= 0 {
			p.Cluster[a] = to[c]
		}
	}
}
