package axis

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for names, want := range map[string][2]bool{
		"400 405 410 415 420":     {true, true},
		"1800.5 1790 1780 1770 5": {true, false},
		"100.1 100.9 250 251 300": {true, false},
		"2000 2001 2002 2003":     {},
		"0 1 2 3 4 5":             {},
		"1 2 3 4 5 6":             {},
		"400 405 405 410 415":     {},
		"400 405 a 410 415":       {},
		"1_1 1_2 1_3 1_4 1_5":     {},
		"1 2 4 8 NaN":             {},
		"":                        {},
	} {
		fields := strings.Fields(names)
		if got := [2]bool{Of(fields) != nil, Curve(fields) != nil}; got != want {
			t.Errorf("%s: %v, want %v", names, got, want)
		}
	}
}
