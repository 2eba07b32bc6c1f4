package panel

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A Survey is what must be known of X before the first round: whether its entries are valid, how
// large they are, and how many there are. Surveys of panels merge to that of X, in the order of
// panels.
type Survey struct {
	entries    uint64 // stored: all of a dense panel
	columns    uint64
	largest    float64
	squares    float64   // their sum
	magnitudes histogram // of the entries
}

// SurveyOf looks at a panel, whose first column is column from of X. The error names the first
// entry that is negative, not finite or above 1e100 (rnmf.EntryError, with its column in X), or what
// is wrong with a sparse matrix.
func SurveyOf(x Panel, from int) (*Survey, error) {
	if err := x.check(from); err != nil {
		return nil, err
	}
	s := new(Survey)
	_, columns := x.Dims()
	s.columns = uint64(columns)
	see := func(values []float64) {
		s.entries += uint64(len(values))
		for _, v := range values {
			s.magnitudes.add(v)
			s.largest = max(s.largest, v)
			s.squares += v * v
		}
	}
	if x.Sparse != nil {
		see(x.Sparse.Value)
		return s, nil
	}
	rows, _ := x.Dense.Dims()
	for i := range rows {
		see(x.Dense.RawRowView(i))
	}
	return s, nil
}

// Merge adds what another Survey has seen.
func (s *Survey) Merge(o *Survey) {
	s.entries += o.entries
	s.columns += o.columns
	s.largest = max(s.largest, o.largest)
	s.squares += o.squares
	s.magnitudes.merge(&o.magnitudes)
}

// MarshalBinary returns the Survey in a versioned form.
func (s *Survey) MarshalBinary() ([]byte, error) {
	e := encoder{}
	e.uint(s.entries)
	e.uint(s.columns)
	e.float(s.largest)
	e.float(s.squares)
	e.histogram(&s.magnitudes)
	return e.seal(kindSurvey), nil
}

// UnmarshalBinary reads what MarshalBinary has written. The error is rnmf.ErrFormat.
func (s *Survey) UnmarshalBinary(b []byte) error {
	d, err := open(b, kindSurvey)
	if err != nil {
		return err
	}
	*s = Survey{entries: d.uint(), columns: d.uint(), largest: d.float(), squares: d.float(), magnitudes: *d.histogram()}
	return d.end()
}

// amplitude returns a such that factors drawn from (0, a] have a WH with the mean of X, once the
// positive entries of that are replaced by their median: rnmf.Random.
func (s *Survey) amplitude(m, r int, missing bool) float64 {
	all := float64(m) * float64(s.columns)
	if missing {
		all = float64(s.entries)
	}
	mean := s.magnitudes.median() * float64(s.magnitudes.count()) / max(all, 1)
	if a := 2 * math.Sqrt(mean/float64(r)); a > 0 {
		return a
	}
	return 1 // all of X is 0: any start will do
}

// startW draws W, with the numbers that rnmf.Random would draw.
func startW(m, r int, a float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0x52_4e_4d_46))
	d := make([]float64, m*r)
	for i := range d {
		d[i] = a * (1 - rng.Float64())
	}
	return mat.NewDense(m, r, d)
}

// startH draws columns from to to of H. Each column of X has a stream of its own, so that the start
// does not depend on the panels.
func startH(r, from, to int, a float64, seed uint64) *mat.Dense {
	h := mat.NewDense(r, to-from, nil)
	for j := from; j < to; j++ {
		rng := rand.New(rand.NewPCG(seed, 0x52_4e_4d_46_00_00_00_00+uint64(j)))
		for k := range r {
			h.Set(k, j-from, a*(1-rng.Float64()))
		}
	}
	return h
}

// checkModel finds what panels cannot do.
func checkModel(b Batch, m, n int) error {
	model := b.Model
	refuse := func(what, why string) error {
		return fmt.Errorf("%w: panels do not take %s: %s", rnmf.ErrParameter, what, why)
	}
	if model.Rank < 1 || model.Rank > min(m, n) {
		return fmt.Errorf("%w: %d, want 1 to %d for X of %d×%d", rnmf.ErrRank, model.Rank, min(m, n), m, n)
	}
	if model.MaxIter < 0 || model.TuneFor < 0 || math.IsNaN(model.Tol) {
		return fmt.Errorf("%w: MaxIter %d, TuneFor %d and Tol %g, want numbers, and the first two not negative", rnmf.ErrParameter, model.MaxIter, model.TuneFor, model.Tol)
	}
	switch {
	case len(model.OnW)+len(model.OnH) > 0:
		return refuse("penalties", "rnmf.Model.Fit takes them")
	case model.Mask != nil:
		return refuse("Mask", "with Missing the entries that a sparse X does not store are missing")
	case model.Signed:
		return refuse("Signed", "entries of X have to be 0 or more")
	case model.SolverW != nil || model.SolverH != nil:
		return refuse("SolverW or SolverH", "both half-steps are those of rnmf.HALS")
	case model.TraceKKT || model.TraceEvery > 1:
		return refuse("TraceKKT or TraceEvery", "the objective is that of each round, and comes with it")
	}
	switch model.Solver.(type) {
	case nil, rnmf.HALS:
	default:
		return refuse(fmt.Sprintf("the solver %T", model.Solver), "both half-steps are those of rnmf.HALS")
	}
	switch model.Init.(type) {
	case nil, rnmf.Random, rnmf.Factors:
	default:
		return refuse(fmt.Sprintf("the start %T", model.Init), "it needs all of X at once; make the factors first, and give rnmf.Factors")
	}
	h, _ := model.Solver.(rnmf.HALS)
	return cmp.Or(h.Check(), checkLoss(cmp.Or[rnmf.Loss](model.Loss, rnmf.Frobenius{})))
}

// checkLoss finds what a fit would say of a loss: one of a single entry says it.
func checkLoss(l rnmf.Loss) error {
	if l == nil {
		return fmt.Errorf("%w: the loss is tuned to nil", rnmf.ErrParameter)
	}
	_, err := rnmf.Model{Rank: 1, Loss: l, MaxIter: 1}.Fit(context.Background(), mat.NewDense(1, 1, []float64{1}))
	return err
}
