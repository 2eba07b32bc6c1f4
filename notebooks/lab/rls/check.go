package rls

import (
	"fmt"
	"math"
)

// A Line is one of Tables 1 to 7: a table, a set, and a level of corruption.
type Line struct {
	Table int
	Set   string
	Level float64
}

func (l Line) String() string {
	if l.Level == 0 {
		return fmt.Sprintf("Table %d: %s", l.Table, l.Set)
	}
	return fmt.Sprintf("Table %d: %s, %g", l.Table, l.Set, l.Level)
}

// Lines returns those of some tables, of all without arguments, in the order of the paper.
func Lines(tables ...int) (all []Line) {
	if len(tables) == 0 {
		tables = []int{1, 2, 3, 4, 5, 6, 7}
	}
	for _, table := range tables {
		if table == 1 {
			for _, set := range []string{"Semeion", "ORL", "Yale", "COIL20", "Pendigits", "JAFFE", "AR", "ExtendedYaleB"} {
				all = append(all, Line{table, set, 0})
			}
			continue
		}
		levels := []float64{0.2, 0.4, 0.6} // the shares of entries that are removed
		if table > 4 {
			levels = []float64{0.005, 0.01, 0.015} // of noise
		}
		for _, level := range levels {
			all = append(all, Line{table, []string{"JAFFE", "Yale", "COIL20", "ORL", "Yale", "COIL20"}[table-2], level})
		}
	}
	return all
}

// A Check counts the printed accuracies and purities of a method that no clusters of n samples have: both are
// multiples of 1/n, and a purity is never below the accuracy of the same clusters.
type Check struct {
	Method  string
	Numbers int     // accuracies and purities
	Broken  int     // of them, no multiples of 1/n
	Chance  float64 // how many numbers of two digits after the point would be multiples by chance
	Below   int     // purities below the accuracy
}

// Checks are those of the paper's methods in all Lines. The paper does not say how many of the 2600 images of AR it
// has: its numbers are checked as multiples of 1/1300, the only n up to 2600 but 2600 itself of which all are. Those of
// Pendigits cannot fail, as n is above 10⁴ there.
func Checks() (all []Check) {
	for _, m := range Methods() {
		if m.Name == "L1" {
			continue // the tables have no ℓ₁
		}
		c := Check{Method: m.Name}
		for _, l := range Lines() {
			n := Samples[l.Set]
			if l.Set == "AR" {
				n = 1300
			}
			accuracy, purity := PrintedNumber(l.Table, l.Set, l.Level, "accuracy", m.Name), PrintedNumber(l.Table, l.Set, l.Level, "purity", m.Name)
			if purity < accuracy {
				c.Below++
			}
			for _, v := range []float64{accuracy, purity} {
				c.Numbers++
				c.Chance += min(1, n/1e4)
				if math.Abs(100*math.Round(v/100*n)/n-v) > 0.0051 {
					c.Broken++
				}
			}
		}
		all = append(all, c)
	}
	return all
}
