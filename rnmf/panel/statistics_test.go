package panel

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// naive computes the statistics of a panel from their definitions, at H.
func naive(x *mat.Dense, known func(i, j int) bool, w, h *mat.Dense, loss rnmf.Loss, along []float64) *Statistics {
	m, b := x.Dims()
	_, r := w.Dims()
	var e mat.Dense
	e.Mul(w, h)
	e.Sub(x, &e)
	rho, byColumn := loss, false
	if c, ok := loss.(rnmf.ByColumn); ok {
		rho, byColumn = c.Loss, true
	}
	if rho == nil {
		rho = rnmf.Frobenius{}
	}
	_, squares := rho.(rnmf.Frobenius)
	t := &Statistics{m: m, r: r, entries: known != nil || !byColumn && !squares, cross: make([]float64, m*r), gram: make([]float64, r*r)}
	if t.entries {
		t.gamma, t.bound = make([]float64, m), make([]float64, m*r)
	}
	for j := range b {
		var s float64
		for i := range m {
			if known == nil || known(i, j) {
				s += e.At(i, j) * e.At(i, j)
			}
		}
		value, ofColumn := rho.Rho(s)
		if byColumn {
			t.objective += value
		}
		var a, hh float64
		for k := range r {
			a += along[k] * h.At(k, j)
			hh += h.At(k, j) * h.At(k, j)
		}
		for i := range m {
			if known != nil && !known(i, j) {
				continue
			}
			value, omega := rho.Rho(e.At(i, j) * e.At(i, j))
			if byColumn {
				omega = ofColumn
			} else {
				t.objective += value
			}
			for k := range r {
				if t.entries {
					t.cross[i*r+k] += omega * e.At(i, j) * h.At(k, j)
					t.bound[i*r+k] += omega * h.At(k, j) * a
				} else {
					t.cross[i*r+k] += omega * x.At(i, j) * h.At(k, j)
				}
			}
			if t.entries {
				t.gamma[i] += omega * hh
			}
		}
		for k := range r {
			for l := range r {
				if t.entries {
					t.gram[k*r+l] += h.At(k, j) * h.At(l, j)
				} else {
					t.gram[k*r+l] += ofColumn * h.At(k, j) * h.At(l, j)
				}
			}
		}
	}
	return t
}

// stored reports whether a sparse matrix stores an entry, perhaps a 0.
func stored(s *sparse.Matrix, i, j int) bool {
	return slices.Contains(s.Row[s.Start[j]:s.Start[j+1]], int32(i))
}

func closeTo(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	var size float64
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= 1e-11*size) {
			t.Fatalf("%s[%d] is %.17g, want %.17g", what, i, got[i], v)
		}
	}
}

// The statistics are those of their definitions, for dense and sparse panels and with what is
// missing; those of two halves add up to those of all, also after a journey as bytes.
func TestStatistics(t *testing.T) {
	const m, n, r = 41, 67, 5
	s, sx := sparsely(m, n, 8, 0.4)
	x := planted(m, n, r, 2, 0.1, false)
	w := startOf(m, n, r, 3).W.(*mat.Dense)
	along := []float64{1, 0.5, 2, 1, 3}
	for _, c := range []struct {
		name  string
		x     *mat.Dense
		of    Source
		known func(i, j int) bool
	}{
		{"dense", x, FromDense(x, 0), nil},
		{"sparse", sx, FromSparse(s, 0), nil},
		{"missing", sx, FromSparse(s, 0), func(i, j int) bool { return stored(s, i, j) }},
	} {
		for _, loss := range append(append([]rnmf.Loss{}, columnLosses...), entryLosses...) {
			if loss == nil {
				loss = rnmf.Frobenius{}
			}
			round := &Round{w: w, loss: loss, missing: c.known != nil, step: true, sweeps: 3, x: along}
			panel, err := c.of.Load(0)
			if err != nil {
				t.Fatal(err)
			}
			from := &Coefficients{H: startOf(m, n, r, 4).H.(*mat.Dense)}
			to, got, err := round.Do(context.Background(), panel, from)
			if err != nil {
				t.Fatal(err)
			}
			name := c.name + " " + lossName(loss)
			want := naive(c.x, c.known, w, to.H, loss, along)
			closeTo(t, name+": cross", got.cross, want.cross)
			closeTo(t, name+": gram", got.gram, want.gram)
			closeTo(t, name+": gamma", got.gamma, want.gamma)
			closeTo(t, name+": bound", got.bound, want.bound)
			before := naive(c.x, c.known, w, from.H, loss, along)
			closeTo(t, name+": objective", []float64{got.objective}, []float64{before.objective})
			if !(want.objective <= before.objective) {
				t.Errorf("%s: the half-step of H rises from %g to %g", name, before.objective, want.objective)
			}

			// The W half-step with the safe bound does not raise the objective either.
			far := improveBasis(make([]float64, len(got.cross)), w, got, 0, still())
			if got.entries {
				far = safeBasis(w, far, got, along)
			}
			if after := naive(c.x, c.known, far, to.H, loss, along); !(after.objective <= want.objective*(1+1e-12)) {
				t.Errorf("%s: the half-step of W rises from %g to %g", name, want.objective, after.objective)
			}

			var sum Statistics
			for _, half := range [][2]int{{0, 30}, {30, n}} {
				part := Panel{}
				if panel.Dense != nil {
					part.Dense = panel.Dense.Slice(0, m, half[0], half[1]).(*mat.Dense)
				} else {
					part.Sparse = columnsOf(panel.Sparse, half[0], half[1])
				}
				_, p, err := round.Do(context.Background(), part, &Coefficients{of: stamp{from: half[0]}, H: mat.DenseCopyOf(from.H.Slice(0, r, half[0], half[1]))})
				if err != nil {
					t.Fatal(err)
				}
				b, err := p.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				var read Statistics
				if err := read.UnmarshalBinary(b); err != nil {
					t.Fatal(err)
				}
				if err := sum.Merge(&read); err != nil {
					t.Fatal(err)
				}
			}
			if sum.Samples() != n {
				t.Errorf("%s: %d samples", name, sum.Samples())
			}
			closeTo(t, name+": merged cross", sum.cross, got.cross)
			closeTo(t, name+": merged gram", sum.gram, got.gram)
			closeTo(t, name+": merged bound", sum.bound, got.bound)
			closeTo(t, name+": merged objective", []float64{sum.Objective()}, []float64{got.Objective()})
		}
	}
}

// still is a pool that works alone.
func still() *work.Pool { return work.New(work.Never) }

// Bytes that are no statistics are an error, not a panic.
func FuzzStatistics(f *testing.F) {
	s := &Statistics{m: 2, r: 1, samples: 3, cross: []float64{1, 2}, gram: []float64{1}, residuals: new(histogram.Counts)}
	s.residuals.Add(2)
	b, err := s.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:20])
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := new(Statistics).UnmarshalBinary(b); err != nil && !errors.Is(err, rnmf.ErrFormat) {
			t.Errorf("%v", err)
		}
		// What is behind the checksum, too.
		e := encoder{b: append([]byte(magic), version, 0)}
		e.b = append(e.b, b...)
		for kind, read := range map[byte]func([]byte) error{kindStatistics: new(Statistics).UnmarshalBinary, kindDataSummary: new(DataSummary).UnmarshalBinary,
			kindCoefficients: new(Coefficients).UnmarshalBinary, kindRound: new(Round).UnmarshalBinary, kindDriver: new(Driver).UnmarshalBinary} {
			e := encoder{b: append([]byte(nil), e.b...)}
			if err := read(e.seal(kind)); err != nil && !errors.Is(err, rnmf.ErrFormat) {
				t.Errorf("kind %d: %v", kind, err)
			}
		}
	})
}

// The number of processors changes no bit, nor does it matter whether panels are dense or a folder.
func TestPanelsSameBits(t *testing.T) {
	s, _ := sparsely(90, 260, 5, 0.3)
	x := planted(90, 260, 4, 5, 0.1, false)
	for _, b := range []Batch{
		{Model: rnmf.Model{Rank: 4, Loss: rnmf.ByColumn{Loss: rnmf.L1{}}, Seed: 1, MaxIter: 25, Tol: -1}},
		{Model: rnmf.Model{Rank: 4, Loss: rnmf.Cauchy{}, Seed: 1, MaxIter: 25, Tol: -1}},
		{Model: rnmf.Model{Rank: 4, Loss: rnmf.Huber{Cut: 0.3}, Seed: 1, MaxIter: 25, Tol: -1}, Missing: true},
	} {
		source := FromDense(x, 100)
		if b.Missing {
			source = FromSparse(s, 100)
		}
		var want *Result
		for _, n := range []int{1, 2, 5} {
			processors, small := work.Processors, work.SmallWork
			work.Processors, work.SmallWork = func() int { return n }, 0
			got, err := b.Fit(context.Background(), source)
			work.Processors, work.SmallWork = processors, small
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			same(t, got, want, source)
		}
	}
}
