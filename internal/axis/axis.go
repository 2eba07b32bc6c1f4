// Package axis tells features that are the places of one axis, as wavelengths are, by their names.
package axis

import (
	"math"
	"strconv"
	"strings"
)

// Of returns the numbers that name features, five or more, if they rise or fall and do not just count; nil
// otherwise.
func Of(names []string) []float64 {
	var numbers []float64
	counted := true
	for k, name := range names {
		v, err := strconv.ParseFloat(name, 64)
		if err != nil || math.IsInf(v, 0) || strings.ContainsAny(name, "_xX") { // 1_1 is a number in Go alone
			return nil
		}
		numbers = append(numbers, v)
		counted = counted && (v == float64(k) || v == float64(k+1))
		if k > 0 && !((v-numbers[k-1])*(numbers[1]-numbers[0]) > 0) {
			return nil
		}
	}
	if len(numbers) < 5 || counted {
		return nil
	}
	return numbers
}

// Curve is Of where the places lie evenly, no step more than three times another, so that what is measured there
// is a curve; those of peaks do not.
func Curve(names []string) []float64 {
	numbers := Of(names)
	least, most := math.Inf(1), 0.0
	for k := 1; k < len(numbers); k++ {
		step := math.Abs(numbers[k] - numbers[k-1])
		least, most = min(least, step), max(most, step)
	}
	if most > 3*least {
		return nil
	}
	return numbers
}
