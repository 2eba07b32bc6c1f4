package rra

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
)

// Faces makes up images like those of PIE, where that is not at hand: 32×32, in
// 0..1, of persons under lights, 68 × 42 = 2856 being the size of the paper. A
// face is a smooth height over an ellipse and a smooth albedo, each the same for
// all but for the person's own smooth part; it is lit as Lambert has it, with the
// lights on a grid of directions and a little noise.
func Faces(persons, lights int, seed uint64) *datasets.Set {
	const side = 32
	rng := rand.New(rand.NewPCG(seed, 68))
	// A smooth field is a sum of a few waves.
	field := func(waves int) func(x, y float64) float64 {
		terms := make([][4]float64, waves)
		for i := range terms {
			terms[i] = [4]float64{rng.NormFloat64() / math.Sqrt(float64(waves)), 4 * rng.NormFloat64(), 4 * rng.NormFloat64(), 2 * math.Pi * rng.Float64()}
		}
		return func(x, y float64) (sum float64) {
			for _, t := range terms {
				sum += t[0] * math.Cos(t[1]*x+t[2]*y+t[3])
			}
			return sum
		}
	}
	bump := func(x, y, atX, atY, width float64) float64 {
		return math.Exp(-((x-atX)*(x-atX) + (y-atY)*(y-atY)) / (width * width))
	}
	s := &datasets.Set{Name: "made-up faces", X: mat.NewDense(side*side, persons*lights, nil), Height: side, Width: side, Max: 1}
	for p := range persons {
		s.Classes = append(s.Classes, fmt.Sprint("person ", p+1))
		relief, tint := field(8), field(8)
		height := func(x, y float64) float64 {
			return 0.8*math.Sqrt(max(0.05, 1.3-x*x-0.7*y*y)) + 0.25*bump(x, y, 0, 0.1, 0.25) -
				0.08*(bump(x, y, -0.4, -0.25, 0.2)+bump(x, y, 0.4, -0.25, 0.2)) + 0.09*relief(x, y)
		}
		albedo := func(x, y float64) float64 {
			return 0.75 - 0.4*(bump(x, y, -0.4, -0.25, 0.17)+bump(x, y, 0.4, -0.25, 0.17)) - 0.25*bump(x, 2.5*y, 0, 1.4, 0.35) + 0.12*tint(x, y)
		}
		for l := range lights {
			// A row of directions from the left to the right, at three heights,
			// once with the room's light and once without.
			step := float64(l/6) / math.Max(1, float64((lights-1)/6))
			across, up, room := 2.4*(step-0.5), 0.5*float64(l%3-1), 0.3*float64(l/3%2)
			norm := math.Sqrt(1 + across*across + up*up)
			for i := range side {
				for k := range side {
					x, y := 2*(float64(k)+0.5)/side-1, 2*(float64(i)+0.5)/side-1
					const h = 1e-3
					nx := -(height(x+h, y) - height(x-h, y)) / (2 * h)
					ny := -(height(x, y+h) - height(x, y-h)) / (2 * h)
					light := max(0, (nx*across-ny*up+1)/(norm*math.Sqrt(1+nx*nx+ny*ny)))
					v := albedo(x, y)*(room+0.9*light) + 0.01*rng.NormFloat64()
					s.X.Set(i*side+k, p*lights+l, math.Round(255*min(max(v, 0), 1))/255)
				}
			}
			s.Labels = append(s.Labels, p)
		}
	}
	return s
}
