package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/ising"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// SEC is sparse error correction with Markov random fields (Zhou, Wagner, Mobahi, Wright and
// Ma 2009), the last system of Table 5 of the Truncated Cauchy paper. It classifies images of
// which something contiguous covers a part: labels z of the pixels, 1 where a pixel is
// covered, alternate with a sparse representation of the pixels that are not.
//
//	min over a of λ‖a‖₁ + Σ_{z_i = 0} |e_i|,   e = x − Da
//	min over z of Σ_i cost_i z_i + 2β Σ_{i~k} |z_i − z_k|,
//	cost_i = −log(1/τ) if |e_i| > τ, and 2 log(1/τ) if not,
//
// The second is an Ising model with the paper's likelihoods: an error beyond τ is 1/τ times
// likelier where something covers the pixel, and an error within τ is much less likely there. τ, in
// units of the largest training pixel, falls from round to round, so that at first only what is
// surely covered is left out. The class is that whose own samples leave the smallest residual on
// the pixels that are not covered, as in SRC.
//
// It differs from the paper in this: the sum of |e_i| is replaced by squares with weights 1/|e_i|,
// five times in turn, so that the lasso of SRC solves it; a has both signs; all classes share one
// a; the energy of z is lowered over one row or column of the image at a time (exactly for each),
// not by a cut of the graph; and β and the sequence of τ are our own: 0.27, then ⅔ of the τ before
// in each round down to Tau, at most twelve rounds.
type SEC struct {
	Height, Width int     // of the images, whose pixels are in raster order
	Lambda        float64 // as in SRC; 0 is 0.01
	Beta          float64 // β; 0 is 0.3
	Tau           float64 // the last τ, below 1; 0 is 0.1
}

// Classify returns the class of each column of test (m×p), as SRC does, and which pixels
// (m×p, 1 or 0) are covered. It returns ctx.Err() soon after ctx ends.
func (s SEC) Classify(ctx context.Context, train mat.Matrix, labels []int, test mat.Matrix) (classes []int, covered *mat.Dense, err error) {
	if s.Lambda < 0 || s.Lambda >= 1 || math.IsNaN(s.Lambda) {
		return nil, nil, input.Parameter("SEC.Lambda", s.Lambda, "0 (a hundredth) to 1")
	}
	if !(s.Beta >= 0) || math.IsInf(s.Beta, 0) {
		return nil, nil, input.Parameter("SEC.Beta", s.Beta, "0 (0.3) or more")
	}
	if !(s.Tau >= 0 && s.Tau < 1) {
		return nil, nil, input.Parameter("SEC.Tau", s.Tau, "0 (a tenth) to 1")
	}
	if s.Lambda == 0 {
		s.Lambda = 0.01
	}
	if s.Beta == 0 {
		s.Beta = 0.3
	}
	if s.Tau == 0 {
		s.Tau = 0.1
	}
	d, err := input.Matrix("train", train)
	if err != nil {
		return nil, nil, err
	}
	x, err := input.Matrix("test", test)
	if err != nil {
		return nil, nil, err
	}
	m, n := d.Dims()
	_, p := x.Dims()
	if err := input.Dims("test", x, m, p); err != nil {
		return nil, nil, err
	}
	if s.Height < 1 || s.Width < 1 || s.Height > m/s.Width || s.Height*s.Width != m {
		return nil, nil, fmt.Errorf("%w: train has %d rows, want those of images of %d×%d", rnmf.ErrShape, m, s.Height, s.Width)
	}
	if len(labels) != n {
		return nil, nil, fmt.Errorf("%w: %d labels of %d training samples", rnmf.ErrShape, len(labels), n)
	}
	sorted, place, err := input.Labels("labels", labels)
	if err != nil {
		return nil, nil, err
	}
	of := make([]int, n)
	for k, l := range labels {
		of[k] = place[l]
	}
	unit := max(mat.Max(d), -mat.Min(d))
	if unit == 0 {
		unit = 1
	}
	atoms := make([][]float64, n)
	for k := range atoms {
		atoms[k] = mat.Col(nil, k, d)
		divide(atoms[k], unit)
	}
	stop := func() bool { return ctx.Err() != nil }
	classes, covered = make([]int, p), mat.NewDense(m, p, nil)
	found := make([][]bool, p)
	pool := work.New(stop)
	pool.Open()
	defer pool.Close()
	pool.Each(p, func(_, j int) {
		image := mat.Col(nil, j, x)
		divide(image, unit)
		var class int
		class, found[j] = s.one(atoms, of, len(sorted), image, stop)
		classes[j] = sorted[class]
	})
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	for j, z := range found {
		for i, c := range z {
			if c {
				covered.Set(i, j, 1)
			}
		}
	}
	return classes, covered, nil
}

// one classifies an image, in units of the largest training pixel.
func (s SEC) one(atoms [][]float64, of []int, classes int, x []float64, stop func() bool) (class int, z []bool) {
	field := ising.Field{Height: s.Height, Width: s.Width, B: 2 * s.Beta}
	m := len(x)
	z = make([]bool, m)
	cost := make([]float64, m)
	tau := 0.4
	for range secRounds {
		if stop() {
			return 0, nil
		}
		tau = max(s.Tau, tau*2/3)
		for i, v := range residualOf(atoms, x, s.represent(atoms, x, z, stop), nil) {
			cost[i] = 2 * math.Log(1/tau)
			if math.Abs(v) > tau {
				cost[i] = -math.Log(1 / tau)
			}
		}
		before := slices.Clone(z)
		field.Lower(z, cost)
		if !slices.Contains(z, false) { // all is covered: what there was before
			copy(z, before)
		}
		if tau == s.Tau && slices.Equal(z, before) {
			break
		}
	}
	a := s.represent(atoms, x, z, stop)
	least := math.Inf(1)
	for c := range classes {
		var left float64
		for i, v := range residualOf(atoms, x, a, func(k int) bool { return of[k] == c }) {
			if !z[i] {
				left += math.Abs(v)
			}
		}
		if left < least {
			class, least = c, left
		}
	}
	return class, z
}

// secRounds bounds the rounds of z and a.
const secRounds = 12

// represent returns a for the pixels that are not covered, or what there is if it is stopped.
func (s SEC) represent(atoms [][]float64, x []float64, z []bool, stop func() bool) []float64 {
	var open []int
	for i, c := range z {
		if !c {
			open = append(open, i)
		}
	}
	const rounds, least = 5, 1e-3 // |e| below that counts as that
	weight := make([]float64, len(open))
	for i := range weight {
		weight[i] = 1
	}
	a, length := make([]float64, len(atoms)), make([]float64, len(atoms))
	part := make([][]float64, len(atoms))
	for k := range part {
		part[k] = make([]float64, len(open))
	}
	y := make([]float64, len(open))
	for range rounds {
		if stop() {
			break
		}
		for k, d := range atoms {
			for i, at := range open {
				part[k][i] = weight[i] * d[at]
			}
			if length[k] = floats.Norm(part[k], 2); length[k] > 0 {
				floats.Scale(1/length[k], part[k])
			}
		}
		for i, at := range open {
			y[i] = weight[i] * x[at]
		}
		l := newLasso(part)
		l.solve(y, s.Lambda)
		for k, v := range l.a {
			if a[k] = 0; length[k] > 0 {
				a[k] = v / length[k]
			}
		}
		e := residualOf(atoms, x, a, nil)
		for i, at := range open {
			weight[i] = 1 / math.Sqrt(max(math.Abs(e[at]), least))
		}
	}
	return a
}

// residualOf is x − Da over the columns that count, all if of is nil.
func residualOf(atoms [][]float64, x, a []float64, of func(k int) bool) []float64 {
	e := slices.Clone(x)
	for k, v := range a {
		if v != 0 && (of == nil || of(k)) {
			floats.AddScaled(e, -v, atoms[k])
		}
	}
	return e
}
