package rra

import (
	"context"
	"image"
	"image/color"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/viz"
)

// Colours of edges within a class, and between two.
var rightColor, wrongColor = color.Gray{190}, color.RGBA{0xc8, 0, 0, 0xff}

// Unit is the part with the graph of its samples scaled to length 1, and the samples as they are.
func (p Part) Unit(ctx context.Context) (Part, error) {
	x := mat.DenseCopyOf(p.X)
	for j := range p.Labels {
		v := x.ColView(j).(*mat.VecDense)
		if length := mat.Norm(v, 2); length > 0 {
			v.ScaleVec(1/length, v)
		}
	}
	g, err := neighbor.KNN{}.Graph(ctx, x)
	p.Graph = g
	return p, err
}

// Brightness is the mean of the entries of samples with a wrong edge, and of those without, NaN where there are none.
func (p Part) Brightness() (wrong, right float64) {
	touched := map[int]bool{}
	_, edges := p.edges()
	for _, e := range edges {
		touched[e.I], touched[e.J] = true, true
	}
	means := map[bool][]float64{}
	for j := range p.Labels {
		means[touched[j]] = append(means[touched[j]], stat.Mean(mat.Col(nil, j, p.X), nil))
	}
	return stat.Mean(means[true], nil), stat.Mean(means[false], nil)
}

// hops counts the edges of a shortest way from each sample to each other. Where there is none it is two more than the longest way.
func hops(g *rnmf.Graph) *mat.Dense {
	n, _ := g.Dims()
	d := mat.NewDense(n, n, nil)
	longest := 0.0
	for start := range n {
		row := d.RawRowView(start)
		for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
			at := queue[0]
			longest = max(longest, row[at])
			to, _ := g.Neighbors(at)
			for _, j := range to {
				if j != start && row[j] == 0 {
					row[j] = row[at] + 1
					queue = append(queue, j)
				}
			}
		}
	}
	d.Apply(func(i, j int, v float64) float64 {
		if i != j && v == 0 {
			return longest + 2
		}
		return v
	}, d)
	return d
}

// layout places the samples on a plane such that distances follow the hops: it lowers Σ (‖xᵢ − xⱼ‖/dᵢⱼ − 1)², one sample after the
// other, by the bound of SMACOF.
func layout(g *rnmf.Graph, seed uint64, rounds int) []plotter.XY {
	d := hops(g)
	rng := rand.New(rand.NewPCG(seed, 5))
	n, _ := d.Dims()
	at := make([]plotter.XY, n)
	for i := range at {
		at[i] = plotter.XY{X: rng.NormFloat64(), Y: rng.NormFloat64()}
	}
	for range rounds {
		for i, old := range at {
			var sum plotter.XY
			all := 0.0
			for j, other := range at {
				if j == i {
					continue
				}
				weight, x, y := 1/(d.At(i, j)*d.At(i, j)), old.X-other.X, old.Y-other.Y
				stretch := d.At(i, j) / max(math.Hypot(x, y), 1e-12)
				sum.X += weight * (other.X + stretch*x)
				sum.Y += weight * (other.Y + stretch*y)
				all += weight
			}
			if all > 0 {
				at[i] = plotter.XY{X: sum.X / all, Y: sum.Y / all}
			}
		}
	}
	return at
}

// Place places the samples on a plane such that distances follow the number of edges between two of them.
func (p Part) Place() []plotter.XY { return layout(p.Graph, p.Seed, 100) }

// DrawGraph draws the graph: samples at their places, in the colours of their classes, edges within a class in grey, and wrong ones
// in red.
func DrawGraph(title string, p Part, at []plotter.XY) viz.Figure {
	c := viz.NewChart()
	c.Title.Text, c.Width, c.Height = title, 3, 2.5
	c.HideAxes()
	right, wrong := p.edges()
	for k, edges := range [][]rnmf.Edge{right, wrong} {
		for _, e := range edges {
			c.Add(&plotter.Line{XYs: plotter.XYs{at[e.I], at[e.J]}, LineStyle: draw.LineStyle{
				Color: []color.Color{rightColor, wrongColor}[k], Width: []vg.Length{0.6, 0.9}[k]}})
		}
	}
	c.Add(&plotter.Scatter{XYs: at, GlyphStyleFunc: func(j int) draw.GlyphStyle {
		return draw.GlyphStyle{Color: viz.Color(p.Labels[j]), Radius: 1.6, Shape: draw.CircleGlyph{}}
	}})
	inks := []color.Color{wrongColor}
	for class := range p.Classes {
		inks = append(inks, viz.Color(class))
	}
	return plain(c, inks...)
}

// A drawing is an image as a figure.
type drawing struct{ drawn image.Image }

// Image returns the drawing.
func (d drawing) Image() image.Image { return d.drawn }

// plain draws a figure in some inks and nine greys, so that a film of many crossing lines is a small file.
func plain(f viz.Figure, inks ...color.Color) viz.Figure {
	few := color.Palette(inks)
	for grey := range 9 {
		few = append(few, color.Gray{uint8(min(32*grey, 255))})
	}
	src := f.Image()
	b := src.Bounds()
	dst := image.NewRGBA(b)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			dst.Set(x, y, few.Convert(src.At(x, y)))
		}
	}
	return drawing{dst}
}

// A Setting is what a fit of section 3 of the notebook has: a weight of the graph, a ridge on W and a rule, with the row and the
// column of a table.
type Setting struct {
	Row, Weight   string
	Lambda, Ridge float64
	Stop          Rule
}

// Settings are four weights with each of two ridges and two rules: (18), and none.
func Settings() (all []Setting) {
	rules := []Setting{
		{Row: "ridge 0, rule (18)", Stop: Settled(1e-3)},
		{Row: "ridge 0, 60 rounds", Stop: func(rnmf.Trace) bool { return false }},
		{Row: "ridge 1, rule (18)", Ridge: 1, Stop: Settled(1e-3)},
		{Row: "ridge 1, 60 rounds", Ridge: 1, Stop: func(rnmf.Trace) bool { return false }},
	}
	for _, s := range rules {
		for i, weight := range []string{"λ = 1", "λ = 10²", "λ = 10⁴", "λ = 10⁶"} {
			s.Weight, s.Lambda = weight, math.Pow(100, float64(i))
			all = append(all, s)
		}
	}
	return all
}

// Chain is ½vᵀKv − bᵀv for samples in a row, each with an edge to the next: K = I + βL, and b, which lifts the first only, with
// the v where it is lowest.
func Chain(n int, beta, lift float64) (k, b, least *mat.Dense, err error) {
	k, b, least = mat.NewDense(n, n, nil), mat.NewDense(n, 1, nil), new(mat.Dense)
	for j := range n {
		k.Set(j, j, k.At(j, j)+1)
		if j > 0 {
			k.Set(j, j, k.At(j, j)+beta)
			k.Set(j-1, j-1, k.At(j-1, j-1)+beta)
			k.Set(j, j-1, -beta)
			k.Set(j-1, j, -beta)
		}
	}
	b.Set(0, 0, lift)
	return k, b, least, least.Solve(k, b)
}
