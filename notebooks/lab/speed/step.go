package speed

import (
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
)

// Sweeps goes over the components of a column h, each to the largest value of 2gᵀδ − δᵀCδ with h + δ ≥ 0 while
// the others stay, until a sweep changes h by less than a hundredth of what the first did, or so many times. It
// returns δ, as a column, and the points where h + δ was on the way, from h on.
func Sweeps(most int, c, g, h mat.Matrix) (delta *mat.Dense, way [][]float64) {
	r, _ := h.Dims()
	delta = mat.NewDense(r, 1, nil)
	at := func() (p []float64) {
		for k := range r {
			p = append(p, h.At(k, 0)+delta.At(k, 0))
		}
		return p
	}
	way = append(way, at())
	var first float64
	for sweep := range most {
		moved := 0.0
		for k := range r {
			rest := g.At(k, 0)
			for l := range r {
				rest -= c.At(k, l) * delta.At(l, 0)
			}
			step := max(-h.At(k, 0)-delta.At(k, 0), rest/c.At(k, k))
			delta.Set(k, 0, delta.At(k, 0)+step)
			moved += step * step
			way = append(way, at())
		}
		if sweep == 0 {
			first = moved
		} else if moved <= 0.01*first { // as the library does
			break
		}
	}
	return delta, way
}

// DrawStep draws how a column h of two components changes: ellipses on which the weighted squares, by which g and M are
// meant, are equal, the way of an exact sweep, that of the sweeps over κG, and the step of length t in their direction. It
// returns which share of the way down to the lowest squares the exact sweep and the step take.
func DrawStep(m, g, h mat.Matrix, exact, way [][]float64, t float64) (c *viz.Chart, sweep, step float64) {
	c = viz.NewChart()
	c.X.Label.Text, c.Y.Label.Text, c.Width, c.Height = "coefficient of the first part", "coefficient of the second part", 7, 4.2
	var top mat.Dense
	lesson.Check(top.Solve(m, g))
	value := func(delta mat.Matrix) float64 {
		return 2*lesson.Mul(g.T(), delta).At(0, 0) - lesson.Mul(delta.T(), m, delta).At(0, 0)
	}
	highest, start := value(&top), way[0]
	best := []float64{start[0] + top.At(0, 0), start[1] + top.At(1, 0)}
	for _, left := range []float64{0.02, 0.1, 0.25, 0.45, 0.7, 1} {
		line := &plotter.Line{LineStyle: draw.LineStyle{Color: color.Gray{0xc8}, Width: vg.Points(1)}}
		for i := range 121 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 120)
			u := mat.NewVecDense(2, []float64{cos, sin})
			r := math.Sqrt(left * highest / mat.Inner(u, m, u))
			line.XYs = append(line.XYs, plotter.XY{X: best[0] + r*cos, Y: best[1] + r*sin})
		}
		c.Add(line)
	}
	end, last, right, upper := way[len(way)-1], exact[len(exact)-1], best[0], best[1]
	to := []float64{start[0] + t*(end[0]-start[0]), start[1] + t*(end[1]-start[1])}
	follow := func(style int, width float64, points ...[]float64) {
		line := &plotter.Line{LineStyle: draw.LineStyle{Color: viz.Color(style - 1), Width: vg.Points(width)}}
		for _, p := range points {
			line.XYs = append(line.XYs, plotter.XY{X: p[0], Y: p[1]})
			right, upper = max(right, p[0]), max(upper, p[1])
		}
		c.Add(line)
	}
	follow(3, 1.2, way...)
	follow(2, 2, exact...)
	follow(3, 3, start, to)
	lesson.Point(c, best[0], best[1], "lowest", 7, 1)
	lesson.Point(c, start[0], start[1], "h", 7, -1)
	lesson.Point(c, last[0], last[1], "an exact sweep", 2, -1)
	lesson.Point(c, end[0], end[1], "h + δ, by sweeps over κG", 3, 1)
	lesson.Point(c, to[0], to[1], "h + tδ", 3, -1)
	c.X.Min, c.Y.Min, c.X.Max, c.Y.Max = 0, 0, 1.4*right, 1.15*upper
	share := func(p []float64) float64 {
		return value(mat.NewDense(2, 1, []float64{p[0] - start[0], p[1] - start[1]})) / highest
	}
	return c, share(last), share(to)
}
