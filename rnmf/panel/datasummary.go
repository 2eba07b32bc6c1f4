package panel

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
)

// A DataSummary is what must be known of X before the first round: whether its entries are valid, how
// large they are, and how many there are. DataSummaries of panels merge to that of X, in the order of
// panels.
type DataSummary struct {
	from       int      // the first column
	sums       []uint32 // checksums of the panels, in their order
	entries    uint64   // stored: all of a dense panel
	columns    uint64
	largest    float64
	squares    float64          // their sum
	magnitudes histogram.Counts // of the entries
}

// NewDataSummary looks at a panel, whose first column is column from of X. The error names the first
// entry that is negative, not finite or above 1e100 (rnmf.EntryError, with its column in X), or what
// is wrong with a sparse matrix.
func NewDataSummary(x Panel, from int) (*DataSummary, error) {
	s, err := summarise(x, from)
	if err == nil {
		s.sums = []uint32{x.Checksum()}
	}
	return s, err
}

// summarise is NewDataSummary without the checksum, which only a fit with a state folder needs.
func summarise(x Panel, from int) (*DataSummary, error) {
	if err := x.check(from); err != nil {
		return nil, err
	}
	s := &DataSummary{from: from}
	_, columns := x.Dims()
	s.columns = uint64(columns)
	see := func(values []float64) {
		s.entries += uint64(len(values))
		for _, v := range values {
			s.magnitudes.Add(v)
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

// Merge adds what the DataSummary of the columns that follow those of s has seen; s may be the zero value.
// The error is rnmf.ErrEmpty for a DataSummary of nothing, and rnmf.ErrParameter for one of other columns.
func (s *DataSummary) Merge(o *DataSummary) error {
	if o == nil || o.columns == 0 {
		return fmt.Errorf("%w: a summary of no columns", rnmf.ErrEmpty)
	}
	if s.columns == 0 {
		s.from = o.from
	}
	if next := s.from + int(s.columns); o.from != next {
		return fmt.Errorf("%w: the summary of a panel that begins with column %d, want the one that begins with %d", rnmf.ErrParameter, o.from, next)
	}
	s.sums = append(s.sums, o.sums...)
	s.entries += o.entries
	s.columns += o.columns
	s.largest = max(s.largest, o.largest)
	s.squares += o.squares
	s.magnitudes.Merge(&o.magnitudes)
	return nil
}

// positive is the number of entries above 0.
func (s *DataSummary) positive() uint64 {
	_, positive := s.magnitudes.Total()
	return positive
}

// MarshalBinary returns the DataSummary in a versioned form.
func (s *DataSummary) MarshalBinary() ([]byte, error) {
	e := encoder{}
	e.int(s.from)
	e.int(len(s.sums))
	for _, sum := range s.sums {
		e.b = binary.LittleEndian.AppendUint32(e.b, sum)
	}
	e.uint(s.entries)
	e.uint(s.columns)
	e.float(s.largest)
	e.float(s.squares)
	e.histogram(&s.magnitudes)
	return e.seal(kindDataSummary), nil
}

// UnmarshalBinary reads what MarshalBinary has written. The error is rnmf.ErrFormat.
func (s *DataSummary) UnmarshalBinary(b []byte) error {
	d, err := open(b, kindDataSummary)
	if err != nil {
		return err
	}
	read := DataSummary{from: d.int()}
	sums := d.take(4 * min(d.int(), len(d.b)))
	for k := range len(sums) / 4 {
		read.sums = append(read.sums, binary.LittleEndian.Uint32(sums[4*k:]))
	}
	*s = DataSummary{from: read.from, sums: read.sums, entries: d.uint(), columns: d.uint(), largest: d.float(), squares: d.float(), magnitudes: *d.histogram()}
	return d.end()
}

// amplitude returns a such that factors drawn from (0, a] have a WH with the mean of X, once the
// positive entries of that are replaced by their median: rnmf.Random.
func (s *DataSummary) amplitude(m, r int, missing bool) float64 {
	all := float64(m) * float64(s.columns)
	if missing {
		all = float64(s.entries)
	}
	mean := s.magnitudes.Median() * float64(s.positive()) / max(all, 1)
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
	if model.MaxIter < 0 || model.TuneFor < -1 || math.IsNaN(model.Tol) {
		return fmt.Errorf("%w: MaxIter %d, TuneFor %d and Tol %g, want numbers, the first 0 or more, and the second also -1", rnmf.ErrParameter, model.MaxIter, model.TuneFor, model.Tol)
	}
	if err := checkFamily(model.Family, model.Loss, b.Missing); err != nil {
		return err
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
	case nil, rnmf.Random, rnmf.WarmStart:
	default:
		return refuse(fmt.Sprintf("the start %T", model.Init), "it needs all of X at once; make the factors first, and give rnmf.WarmStart")
	}
	h, _ := model.Solver.(rnmf.HALS)
	return cmp.Or(h.Check(), checkLoss(cmp.Or[rnmf.Loss](model.Loss, rnmf.Frobenius{})))
}

// checkLoss finds what a fit would say of a loss: one of a single entry says it.
func checkLoss(l rnmf.Loss) error {
	if l == nil {
		return fmt.Errorf("%w: the loss is tuned to nil", rnmf.ErrParameter)
	}
	if _, cells := l.(interface{ OfCells() (rnmf.Loss, float64) }); cells {
		return fmt.Errorf("%w: panels do not take %T: rnmf.Model.Fit takes it", rnmf.ErrParameter, l)
	}
	_, err := rnmf.Model{Rank: 1, Loss: l, MaxIter: 1}.Fit(context.Background(), mat.NewDense(1, 1, []float64{1}))
	return err
}
