package viz

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// linearTicks labels about five multiples of 1, 2 or 5 times a power of ten.
type linearTicks struct{}

func (linearTicks) Ticks(lo, hi float64) []plot.Tick {
	step, parts := niceStep(lo, hi, 5)
	if step == 0 {
		return nil
	}
	largest := max(math.Abs(lo), math.Abs(hi))
	minor := step / float64(parts)
	slack := 1e-9 * (hi - lo)
	var ticks []plot.Tick
	first, last := math.Ceil((lo-slack)/minor), math.Floor((hi+slack)/minor)
	for k := first; k <= last && len(ticks) < 200; k++ {
		t := plot.Tick{Value: k * minor}
		if math.Mod(k, float64(parts)) == 0 {
			t.Label = tickLabel(t.Value, step, largest)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// niceStep returns a step that divides the range from lo to hi into about k
// parts, and into how many parts to divide the step itself; 0 if there is none.
func niceStep(lo, hi float64, k int) (step float64, parts int) {
	rough := (hi - lo) / float64(k)
	if !(rough > 0) || math.IsInf(rough, 0) {
		return 0, 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(rough)))
	if !(unit > 0) || (hi-lo) < 1e-12*max(math.Abs(lo), math.Abs(hi)) {
		return 0, 0
	}
	switch r := rough / unit; {
	case r < 1.5:
		return unit, 5
	case r < 3.2:
		return 2 * unit, 4
	case r < 7:
		return 5 * unit, 5
	}
	return 10 * unit, 5
}

// tickLabel writes v with the digits that a step of this size needs, in powers
// of ten where the numbers are large or small.
func tickLabel(v, step, largest float64) string {
	if math.Abs(v) < 1e-6*step {
		return "0"
	}
	sign := ""
	if v < 0 {
		sign, v = "−", -v
	}
	if largest >= 1e6 || largest < 1e-3 {
		digits := max(0, decimals(step/math.Pow(10, math.Floor(math.Log10(v)+1e-9))))
		return sign + shortExponent(strconv.FormatFloat(v, 'e', digits, 64))
	}
	return sign + strconv.FormatFloat(v, 'f', decimals(step), 64)
}

// decimals returns how many places after the point show a multiple of step.
func decimals(step float64) int {
	const most = 15
	for d := range most {
		x := step * math.Pow10(d)
		if math.Abs(x-math.Round(x)) < 1e-6*x {
			return d
		}
	}
	return most
}

// shortExponent turns 2.50e+06 into 2.50e6.
func shortExponent(s string) string {
	m, e, ok := strings.Cut(s, "e")
	if !ok {
		return s
	}
	neg := strings.HasPrefix(e, "-")
	e = strings.TrimLeft(e, "+-0")
	switch {
	case e == "":
		return m
	case neg:
		e = "−" + e
	}
	return m + "e" + e
}

// logScale is plot.LogScale without its panic: what is not positive lies at the
// lower end.
type logScale struct{}

func (logScale) Normalize(lo, hi, x float64) float64 {
	if lo <= 0 || hi <= lo || x <= 0 {
		return 0
	}
	return (math.Log(x) - math.Log(lo)) / (math.Log(hi) - math.Log(lo))
}

// logTicks labels powers of ten, and multiples of them where the range is
// short.
type logTicks struct{}

func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	if lo <= 0 || hi <= lo {
		return nil
	}
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	decades := math.Log10(hi) - math.Log10(lo)
	if decades < 0.6 {
		return linearTicks{}.Ticks(lo, hi)
	}
	every := 1 + int(decades)/7 // label every so many decades
	var labelled [10]bool
	for _, i := range multiples(lo, hi, decades) {
		labelled[i] = true
	}
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		for i := 1; i < 10; i++ {
			v := float64(i) * math.Pow10(e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) || v == 0 || math.IsInf(v, 0) {
				continue
			}
			t := plot.Tick{Value: v}
			if labelled[i] && ((e%every)+every)%every == 0 {
				t.Label = powerLabel(i, e)
			}
			if i > 1 && every > 1 {
				continue
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// multiples returns which multiples of the powers of ten to label: the fewest that
// give three labels, but not the powers alone over two decades.
func multiples(lo, hi, decades float64) []int {
	choices := [][]int{{1}, {1, 2, 5}, {1, 2, 3, 4, 6, 8}}
	if decades < 2.2 {
		choices = choices[1:]
	}
	for _, choice := range choices {
		count := 0
		for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
			for _, i := range choice {
				if v := float64(i) * math.Pow(10, e); v >= lo && v <= hi {
					count++
				}
			}
		}
		if count >= 3 {
			return choice
		}
	}
	return choices[len(choices)-1]
}

func powerLabel(i, e int) string {
	if e >= -3 && e <= 4 {
		return strconv.FormatFloat(float64(i)*math.Pow10(e), 'f', max(0, -e), 64)
	}
	return shortExponent(strconv.Itoa(i) + "e" + strconv.Itoa(e))
}

// spread returns about k indices into the positions x, which rise or fall, evenly spread
// along the axis; all of them if there are few.
func spread(x []float64, k int, log bool) []int {
	if len(x) <= k+k/2 {
		all := make([]int, len(x))
		for i := range all {
			all[i] = i
		}
		return all
	}
	sign := 1.0
	if x[0] > x[len(x)-1] {
		sign = -1
	}
	at := func(i int) float64 {
		if log {
			return sign * math.Log(x[i])
		}
		return sign * x[i]
	}
	lo, hi := at(0), at(len(x)-1)
	if !(hi > lo) {
		return []int{0}
	}
	var out []int
	i := 0
	for j := range k {
		want := lo + (hi-lo)*float64(j)/float64(k-1)
		for i < len(x)-1 && at(i) < want-1e-12*(hi-lo) {
			i++
		}
		if len(out) == 0 || out[len(out)-1] != i {
			out = append(out, i)
		}
	}
	return out
}
