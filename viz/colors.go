package viz

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/palette/brewer"
)

// qualitative holds the colours of Okabe and Ito, https://jfly.uni-koeln.de/color/,
// in an order that keeps the first few far apart also for colour-blind readers.
// Their yellow, which a line on white can hardly be seen in (contrast 1.3), makes
// room for a dark red (10.9), farther from the others for all readers than some of
// these are from each other: see the test.
var qualitative = [...]color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermillion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x00, 0x00, 0x00, 0xff}, // black
	{0x80, 0x00, 0x00, 0xff}, // dark red
}

// Color returns the i-th colour of the qualitative palette, that of Okabe and Ito
// with dark red for yellow, which repeats after 8.
func Color(i int) color.RGBA {
	return qualitative[((i%len(qualitative))+len(qualitative))%len(qualitative)]
}

// classColor returns the colour of one of some classes: of the palette, paler ones from
// the ninth on, or, for more than sixteen, one along Viridis, where neighbours can hardly
// be told from each other.
func classColor(class, count int) color.RGBA {
	k := len(qualitative)
	switch {
	case count > 2*k:
		return Viridis(float64(class) / float64(count-1))
	case class >= k:
		return along([]color.RGBA{Color(class), {0xff, 0xff, 0xff, 0xff}}, 0.6)
	}
	return Color(class)
}

// A ColorMap gives the colour of a value that has been brought to [0, 1]. Values outside have the
// colour of the nearer end, and NaN is a neutral grey.
type ColorMap func(t float64) color.RGBA

var (
	viridis = hexes("440154", "481a6c", "472f7d", "414487", "39568c", "31688e", "2a788e", "23888e",
		"1f988b", "22a884", "35b779", "54c568", "7ad151", "a5db36", "d2e21b", "fde725")
	cividis = hexes("00224e", "123570", "3b496c", "575d6d", "707173", "8a8678", "a59c74", "c3b369", "e1cc55", "fee838")
	rdBu    = backwards(opaque(brewer.RdBu[11].Colors()))
	blues   = append([]color.RGBA{{0xff, 0xff, 0xff, 0xff}}, opaque(brewer.Blues[9].Colors())...)
)

// steps is how many steps a colour map has from its first colour to its last. They are about as small as an
// eye can tell, and a heat map's file, whose palette has 256 colours, keeps them all.
const steps = 100

func inSteps(stops []color.RGBA, t float64) color.RGBA {
	return along(stops, math.Round(t*steps)/steps)
}

// Viridis is the perceptually uniform map of van der Walt and Smith, from dark
// blue to yellow.
func Viridis(t float64) color.RGBA { return inSteps(viridis, t) }

// Cividis is the perceptually uniform map of Nuñez, Anderton and Renslow, from
// dark blue to yellow, that looks the same to colour-blind readers.
func Cividis(t float64) color.RGBA { return inSteps(cividis, t) }

// Gray runs from black to white.
func Gray(t float64) color.RGBA {
	return along([]color.RGBA{{0, 0, 0, 255}, {255, 255, 255, 255}}, t)
}

// Blues runs from white to dark blue.
func Blues(t float64) color.RGBA { return inSteps(blues, t) }

// Diverging runs from blue (0) through near white (0.5) to red (1): the map for
// signed values, centred on zero.
func Diverging(t float64) color.RGBA { return inSteps(rdBu, t) }

// Reversed returns the map that runs the other way.
func Reversed(m ColorMap) ColorMap { return func(t float64) color.RGBA { return m(1 - t) } }

// along interpolates between equally spaced stops.
func along(stops []color.RGBA, t float64) color.RGBA {
	if math.IsNaN(t) {
		return color.RGBA{0xb0, 0xb0, 0xb0, 0xff}
	}
	t = max(0, min(1, t)) * float64(len(stops)-1)
	i := min(int(t), len(stops)-2)
	f := t - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round((1-f)*float64(a) + f*float64(b))) }
	a, b := stops[i], stops[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

func hexes(s ...string) []color.RGBA {
	digit := func(b byte) uint8 {
		if b >= 'a' {
			return b - 'a' + 10
		}
		return b - '0'
	}
	out := make([]color.RGBA, len(s))
	for i, h := range s {
		out[i] = color.RGBA{digit(h[0])<<4 | digit(h[1]), digit(h[2])<<4 | digit(h[3]), digit(h[4])<<4 | digit(h[5]), 0xff}
	}
	return out
}

func opaque(cs []color.Color) []color.RGBA {
	out := make([]color.RGBA, len(cs))
	for i, c := range cs {
		out[i] = color.RGBAModel.Convert(c).(color.RGBA)
	}
	return out
}

func backwards(cs []color.RGBA) []color.RGBA {
	slices.Reverse(cs)
	return cs
}

// fade returns c with the given opacity, from 0 to 1.
func fade(c color.RGBA, opacity float64) color.NRGBA {
	return color.NRGBA{c.R, c.G, c.B, uint8(math.Round(255 * opacity))}
}

// contrast returns black or white, whichever is easier to read on c.
func contrast(c color.RGBA) color.RGBA {
	lin := func(v uint8) float64 { return math.Pow(float64(v)/255, 2.2) }
	if 0.2126*lin(c.R)+0.7152*lin(c.G)+0.0722*lin(c.B) < 0.2 {
		return color.RGBA{255, 255, 255, 255}
	}
	return color.RGBA{0, 0, 0, 255}
}

var (
	black = color.RGBA{0, 0, 0, 0xff}
	grey  = color.RGBA{0x60, 0x60, 0x60, 0xff}
)
