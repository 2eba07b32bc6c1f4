package papers

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// PenaltyUnits are weights of penalties that mean the same on all data. What a penalty of weight 1
// does depends on the unit of X, on its shape and on the rank: for samples of length 1 the loss is
// at most 1 for each, and log(1 + v) of a thousand pixels is hundreds. With these weights,
//
//	u, err := papers.NewPenaltyUnits(x, rank)
//	rnmf.Model{Rank: rank,
//		OnW: []rnmf.Penalty{papers.LogSparse{Lambda: alpha * u.W, Scale: u.Entry}},
//		OnH: []rnmf.Penalty{papers.LogSparse{Lambda: beta * u.H, Scale: u.Entry}, rnmf.Laplacian{Graph: g, Lambda: lambda * u.Graph}}}
//
// the minimum does not depend on the unit of X, and only H changes, as it must, when each sample is
// given twice, and W when each feature is.
type PenaltyUnits struct {
	// Entry is √(mean of |X| / r), at which WH has the mean of |X|: the Scale of a LogSparse.
	Entry float64
	// W and H are the energy of X for each entry of a factor, ‖X‖²/mr and ‖X‖²/nr: the Lambda of a
	// LogSparse. For Lasso divide by Entry, for Ridge by its square.
	W, H float64
	// Graph is the energy of X over that of H, ‖X‖²/(nr·Entry²): the Lambda of a Laplacian with
	// weights near 1.
	Graph float64
	// Column is the root mean square length of a sample: the Scale of a ByColumn LogShrink.
	Column float64
}

// NewPenaltyUnits returns the units for x (m×n) and a rank. All are 0 if x is; data so small that
// their squares are 0 are ErrParameter.
func NewPenaltyUnits(x mat.Matrix, rank int) (PenaltyUnits, error) {
	d, err := matrix("X", x)
	if err != nil {
		return PenaltyUnits{}, err
	}
	if err := checkEntries("X", d, true); err != nil {
		return PenaltyUnits{}, err
	}
	rows, cols := d.Dims()
	if rank < 1 {
		return PenaltyUnits{}, errParameter("rank", rank, "1 or more")
	}
	m, n, r := float64(rows), float64(cols), float64(rank)
	var sum float64
	for i := range rows {
		for _, v := range d.RawRowView(i) {
			sum += math.Abs(v) / m / n
		}
	}
	if sum == 0 {
		return PenaltyUnits{}, nil
	}
	length := mat.Norm(d, 2)
	energy := length * length
	if energy == 0 {
		return PenaltyUnits{}, errParameter("the largest entry of X", max(mat.Max(d), -mat.Min(d)), "one whose square is not 0")
	}
	entry := math.Sqrt(sum / r)
	return PenaltyUnits{Entry: entry, W: energy / m / r, H: energy / n / r, Graph: energy / n / r / (entry * entry), Column: length / math.Sqrt(n)}, nil
}
