// Package parts has the tables of all losses, solvers and penalties, of rnmf and of package papers, which
// properties are tested over.
package parts

import (
	"fmt"
	"math"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

// The tables of all losses, solvers and penalties, which the properties are tested
// over. A new part needs a line here, at the end of
// its list, and no more.

// FixedLosses are all losses at a scale that suits residuals about 0.1 to 1.
var FixedLosses = []rnmf.Loss{
	rnmf.Frobenius{},
	rnmf.L1{Eps: 1e-3},
	rnmf.Huber{Cut: 0.2},
	rnmf.Hypersurface{Scale: 0.3},
	rnmf.Correntropy{Scale: 0.4},
	rnmf.Cauchy{Scale: 0.2},
	rnmf.Truncated{Loss: rnmf.Cauchy{Scale: 0.2}, Cut: 0.5},
	rnmf.Truncated{Loss: rnmf.Frobenius{}, Cut: 0.4},
	rnmf.ByColumn{Loss: rnmf.Frobenius{}},
	rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-3}},
	rnmf.ByColumn{Loss: rnmf.Huber{Cut: 0.8}},
	rnmf.ByColumn{Loss: rnmf.Cauchy{Scale: 0.8}},
	rnmf.ByColumn{Loss: papers.LogShrink{Gamma: 0.6, Scale: 1}},
	papers.LogShrink{Gamma: 6, Scale: 0.1}, // with a jump
	rnmf.ByColumn{Loss: rnmf.Truncated{Loss: rnmf.L1{Eps: 1e-3}, Cut: 1}},
	RootLoss{},
	rnmf.ByColumn{Loss: RootLoss{}},
	papers.SmoothL1{Mu: 0.1},
	rnmf.CauchyTail{Cut: 0.3},
	rnmf.CellCase{Loss: rnmf.Huber{Cut: 0.2}, Eps: 0.01},
	rnmf.CellCase{Loss: rnmf.Truncated{Loss: rnmf.Cauchy{Scale: 0.2}, Cut: 0.5}, Eps: 0.3},
	rnmf.CellCase{Loss: rnmf.Frobenius{}, Eps: 1e-3},
	rnmf.CellCase{Loss: RootLoss{}, Eps: 0.1},
}

// TunedLosses estimate their scale.
var TunedLosses = []rnmf.Loss{
	rnmf.L1{}, rnmf.Huber{}, rnmf.Hypersurface{}, rnmf.Correntropy{}, rnmf.Cauchy{},
	rnmf.Truncated{Loss: rnmf.Cauchy{}},
	rnmf.Truncated{Loss: rnmf.Cauchy{}, Rule: rnmf.NormalThreeSigma},
	rnmf.Truncated{Loss: rnmf.Frobenius{}},
	rnmf.ByColumn{Loss: rnmf.L1{}}, rnmf.ByColumn{Loss: rnmf.Huber{}}, rnmf.ByColumn{Loss: rnmf.Hypersurface{}}, rnmf.ByColumn{Loss: rnmf.Correntropy{}}, rnmf.ByColumn{Loss: rnmf.Cauchy{}},
	papers.LogShrink{Gamma: 1}, rnmf.ByColumn{Loss: papers.LogShrink{Gamma: 6}},
	rnmf.ByColumn{Loss: rnmf.Truncated{Loss: rnmf.L1{}, Rule: rnmf.NormalThreeSigma}},
	rnmf.ByColumn{Loss: rnmf.Truncated{Loss: rnmf.L1{}}},
	papers.SmoothL1{}, rnmf.MMEstimator{},
	rnmf.CauchyTail{},
	rnmf.CellCase{Loss: rnmf.Huber{}}, rnmf.CellCase{Loss: rnmf.Frobenius{}}, rnmf.CellCase{Loss: rnmf.Hypersurface{}}, rnmf.CellCase{Loss: rnmf.MMEstimator{}},
}

// Staged tells a loss whose Tuning passes through a Preliminary.
func Staged(l rnmf.Loss) bool {
	if c, ok := l.(rnmf.CellCase); ok {
		l = c.Loss
	}
	return l == rnmf.MMEstimator{} || l == papers.SmoothL1{}
}

// AllSolvers are those for any factor ≥ 0.
var AllSolvers = []rnmf.Solver{
	rnmf.HALS{}, rnmf.HALS{Sweeps: 2}, rnmf.MU{}, papers.Additive{}, papers.Additive{Solver: rnmf.MU{}},
	papers.OGM{}, papers.OGM{Steps: 5, Printed: true}, papers.Additive{Solver: papers.OGM{}},
	papers.FGD{}, papers.FGD{Printed: true}, papers.Additive{Solver: papers.FGD{}},
	papers.RRA{}, papers.RRA{Energy: 0.3},
	papers.ProxLinear{}, papers.ProxLinear{NoExtrapolation: true}, papers.Additive{Solver: papers.ProxLinear{}},
}

// ConstrainedSolvers are those that keep W or H in another set, each with one for the
// other factor.
var ConstrainedSolvers = []rnmf.Model{
	{SolverW: rnmf.NormalEquations{}}, {SolverW: rnmf.NormalEquations{}, SolverH: rnmf.MU{}}, {SolverW: rnmf.NormalEquations{}, SolverH: papers.Additive{}},
	{SolverW: papers.Additive{Solver: rnmf.NormalEquations{}}, SolverH: papers.Additive{}},
	{SolverH: papers.Orthogonal{}}, {SolverH: papers.Orthogonal{}, SolverW: rnmf.HALS{Sweeps: 1}}, {Solver: papers.Additive{}, SolverH: papers.Additive{Solver: papers.Orthogonal{}}},
}

// ModelsOfSolvers is a Model with nothing but its solvers for each of both lists.
func ModelsOfSolvers() (models []rnmf.Model) {
	for _, s := range AllSolvers {
		models = append(models, rnmf.Model{Solver: s})
	}
	return append(models, ConstrainedSolvers...)
}

// SolverName tells the solvers of a model.
func SolverName(m rnmf.Model) string {
	return fmt.Sprintf("%T%+v, W %T%+v, H %T%+v", m.Solver, m.Solver, m.SolverW, m.SolverW, m.SolverH, m.SolverH)
}

// RootLoss is a loss as a user would write one, ρ(s) = (s + 0.01)^0.4.
type RootLoss struct{}

func (RootLoss) Rho(s float64) (value, slope float64) {
	return math.Pow(s+0.01, 0.4), 0.4 * math.Pow(s+0.01, -0.6)
}

type Penalties struct {
	Name     string
	OnW, OnH []rnmf.Penalty
}

// PenaltiesFor returns penalties to try on factors of m and n columns, where the rank
// is 4 or more if there are labels.
func PenaltiesFor(m, n, rank int) []Penalties {
	list := []Penalties{
		{"none", nil, nil},
		{"sparse H, ridge W", []rnmf.Penalty{rnmf.Ridge{Lambda: 0.1}}, []rnmf.Penalty{rnmf.Lasso{Lambda: 0.2}}},
		{"both on both", []rnmf.Penalty{rnmf.Lasso{Lambda: 0.05}, rnmf.Ridge{Lambda: 0.02}}, []rnmf.Penalty{rnmf.Ridge{Lambda: 0.3}, rnmf.Lasso{Lambda: 0.01}, papers.LogSparse{Lambda: 0.5, Scale: 0.05}}},
		{"graph H, log W", []rnmf.Penalty{papers.LogSparse{Lambda: 0.3, Scale: 0.2}}, []rnmf.Penalty{rnmf.Laplacian{Graph: fittest.Ring(n, 1), Lambda: 0.7}}},
		{"graphs on both", []rnmf.Penalty{rnmf.Lasso{Lambda: 0.05}, papers.LogSparse{Lambda: 0.1, Scale: 0.3}, rnmf.Laplacian{Graph: fittest.Ring(m, 2), Lambda: 3}}, []rnmf.Penalty{rnmf.Laplacian{Graph: fittest.Ring(n, 3), Lambda: 50}, rnmf.Ridge{Lambda: 0.1}, rnmf.Laplacian{Graph: fittest.Ring(n, 4), Lambda: 0.2}}},
		{"graph H, ridge W", []rnmf.Penalty{rnmf.Ridge{Lambda: 0.3}}, []rnmf.Penalty{rnmf.Laplacian{Graph: fittest.Ring(n, 1), Lambda: 0.7}}},
		{"unit graph H", nil, []rnmf.Penalty{papers.UnitLaplacian{Graph: fittest.Ring(n, 2), Lambda: 3}, rnmf.Ridge{Lambda: 0.01}}},
	}
	if rank >= 4 {
		list = append(list,
			Penalties{"weak labels", nil, []rnmf.Penalty{fittest.SomeLabels(n, 0.1), rnmf.Lasso{Lambda: 0.01}}},
			Penalties{"strong labels", nil, []rnmf.Penalty{fittest.SomeLabels(n, 10), rnmf.Lasso{Lambda: 0.01}}})
	}
	return list
}
