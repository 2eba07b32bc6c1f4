package viz

import (
	"fmt"
	"image/color"
	"math"
	"testing"
)

// Every colour of a curve can be seen on white, and told from the others, by
// readers of usual sight and with each of the three kinds of colour-blindness.
func TestColorsAreTold(t *testing.T) {
	// What the colour-blind see, in linear RGB: Machado, Oliveira and Fernandes 2009.
	sights := map[string][3][3]float64{
		"usual":        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	}
	linear := func(c color.RGBA) (l [3]float64) {
		for k, v := range []uint8{c.R, c.G, c.B} {
			if l[k] = float64(v) / 255 / 12.92; v > 10 {
				l[k] = math.Pow((float64(v)/255+0.055)/1.055, 2.4)
			}
		}
		return l
	}
	times := func(m [3][3]float64, v [3]float64) (out [3]float64) {
		for i := range m {
			for k := range v {
				out[i] += m[i][k] * v[k]
			}
			out[i] = max(0, min(1, out[i]))
		}
		return out
	}
	lab := func(l [3]float64) [3]float64 { // CIE 1976, of D65
		xyz := times([3][3]float64{{0.4339, 0.3763, 0.1899}, {0.2126, 0.7152, 0.0722}, {0.0177, 0.1095, 0.8730}}, l)
		for k, v := range xyz {
			if xyz[k] = 7.787*v + 16.0/116; v > 0.008856 {
				xyz[k] = math.Cbrt(v)
			}
		}
		return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
	}
	for i := range qualitative {
		l := linear(Color(i))
		if contrast := 1.05 / (0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2] + 0.05); contrast < 2.2 {
			t.Errorf("colour %d has a contrast of %.1f on white", i, contrast)
		}
		for k := range i {
			for name, sight := range sights {
				a, b := lab(times(sight, l)), lab(times(sight, linear(Color(k))))
				if d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]); d < 15 {
					t.Errorf("colours %d and %d are %.1f apart (%s)", i, k, d, name)
				}
			}
		}
	}
	seen := map[string]int{}
	for i := range 16 {
		l := lineOf(i)
		key := string([]byte{l.Color.(color.RGBA).R, l.Color.(color.RGBA).G, l.Color.(color.RGBA).B})
		for _, d := range l.Dashes {
			key += fmt.Sprint(" ", d)
		}
		if k, ok := seen[key]; ok {
			t.Errorf("curves %d and %d look alike", k, i)
		}
		seen[key] = i
	}
}

// A series with a style looks the same wherever it stands.
func TestStyle(t *testing.T) {
	draw := func(styles ...int) map[color.Color]int {
		var series []Series
		for i, style := range styles {
			series = append(series, Series{Y: []float64{float64(i), 3, 1, float64(i)}, Err: []float64{1, 0, 1, 0}, Style: style})
		}
		img := Must(Lines(series, LinesOptions{Width: 3, Height: 2})).Image()
		count := map[color.Color]int{}
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				count[color.RGBAModel.Convert(img.At(x, y))]++
			}
		}
		return count
	}
	for _, c := range []struct{ styles, seen, unseen []int }{
		{[]int{0, 0}, []int{0, 1}, []int{2}},
		{[]int{3}, []int{2}, []int{0}},
		{[]int{4, 2}, []int{3, 1}, []int{0, 2}},
	} {
		count := draw(c.styles...)
		for _, i := range c.seen {
			if count[Color(i)] < 20 {
				t.Errorf("styles %v: colour %d is in %d pixels", c.styles, i, count[Color(i)])
			}
		}
		for _, i := range c.unseen {
			if count[Color(i)] > 0 {
				t.Errorf("styles %v: colour %d is in %d pixels", c.styles, i, count[Color(i)])
			}
		}
	}
}
