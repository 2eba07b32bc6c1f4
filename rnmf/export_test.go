package rnmf

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// What tests see of the inside. They lie outside of the package, so that they can be over the parts of
// package papers as well.

const (
	MaxEntry    = maxEntry
	MADToSigma  = madToSigma
	SaveVersion = saveVersion
)

var (
	CheckEntries = checkEntries
	CheckSolvers = checkSolvers
	Constraint   = constraint
	EnoughSweeps = enough
	Extrapolates = extrapolates
	FillMissing  = fillMissing
	FloorOf      = floorOf
	Unpack       = unpack
	KMeansStart  = kmeansStart
	LeavesSigns  = leavesSigns
	NNDSVDOf     = nndsvd
	Nagy         = nagy
	Relax        = relax
)

// SetData says what the median magnitude of the data is.
func (r *Residuals) SetData(median float64) { r.data = median }

// A Start is a fit that has not done a round.
type Start struct {
	X, W, H *mat.Dense
	fit     *fit
}

// StartOf begins a fit.
func StartOf(ctx context.Context, m Model, x mat.Matrix) (*Start, error) {
	f, err := m.start(ctx, x, false)
	if err != nil {
		return nil, err
	}
	return &Start{f.x, mat.DenseCopyOf(f.wt.T()), f.h, f}, nil
}

// Problem is the half-step of H, with the bounds of its penalties at h.
func (s *Start) Problem(h *mat.Dense) *Quadratic {
	q := s.fit.quadratic(false)
	for _, p := range s.fit.model.OnH {
		p.Majorize(q, h)
	}
	return q
}

// Rounding returns the bound of the rounding errors and what they are, with W so many times as large.
func (s *Start) Rounding(times float64) (most, exact float64) {
	f := s.fit
	f.pool.Open()
	defer f.pool.Close()
	if f.tuning != nil {
		f.measure()
		f.estimate().Use()
	}
	f.wt.Scale(times, f.wt)
	return f.roundingAtMost(), f.rounding()
}

// Retuned returns what the rule of the scale makes of the residuals under a loss.
func (s *Start) Retuned(l Loss, times int) (next Loss) {
	f := s.fit
	f.pool.Open()
	defer f.pool.Close()
	f.setLoss(l)
	f.measure()
	for range times {
		next, _ = f.tuning(f.residuals)
	}
	return next
}

// Classes are those of the colouring.
func (g *Graph) Classes() [][]int { return g.colors() }

// Groups returns a grouping, nil for a graph without edges.
func (g *Graph) Groups() (of []int, small *Graph) {
	if p := g.groups(); p != nil {
		return p.of, p.graph
	}
	return nil, nil
}

// A GridLevel is a half-step of HALS over a graph.
type GridLevel struct{ t *gridLevel }

// GridLevelOf begins one.
func GridLevelOf(p *GramForm, v *mat.Dense) GridLevel { return GridLevel{newGridLevel(p, v)} }

// Sweep sweeps once, Correct moves groups, and V is the columns, one after the other.
func (t GridLevel) Sweep()       { t.t.sweep() }
func (t GridLevel) Correct()     { t.t.correct() }
func (t GridLevel) V() []float64 { return t.t.v }

// QuadraticOf is one without data.
func QuadraticOf(r, n int) *Quadratic { return &Quadratic{r: r, n: n} }

// Labels returns the labels that the fit had.
func (r *Result) Labels() (Labels, error) { return r.labels() }

// SameAs reports whether two graphs are stored alike, and Stored how many ends of edges.
func (g *Graph) SameAs(h *Graph) bool {
	return slices.Equal(g.start, h.start) && slices.Equal(g.to, h.to) && slices.Equal(g.weight, h.weight)
}
func (g *Graph) Stored() int { return len(g.to) }
