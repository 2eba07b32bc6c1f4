package l21

import (
	"slices"
	"testing"
)

// Sets has each set of the paper once, at hand or missing, and they hold together.
func TestSets(t *testing.T) {
	sets, missing := Sets(t.Context())
	printed := len(missing)
	for _, s := range sets {
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		counts := make([]int, len(s.Classes))
		for _, l := range s.Labels {
			counts[l]++
		}
		if slices.Contains(counts, 0) {
			t.Errorf("%s: a class without samples: %v", s.Name, counts)
		}
		if s.Printed {
			printed++
		}
		want := map[string][3]int{"AT&T": {2576, 400, 40}, "UMIST": {644, 360, 20}, "Yale B": {1024, 1984, 31}, "MNIST": {784, 150, 10},
			"PIE": {1024, 680, 68}, "Bin-alpha": {320, 1404, 36}, "Wine": {13, 178, 3}}[s.Name]
		if m, n := s.X.Dims(); s.Printed && want != [3]int{m, n, len(s.Classes)} {
			t.Errorf("%s is %d×%d with %d classes, want %v", s.Name, m, n, len(s.Classes), want)
		}
	}
	if printed != 7 {
		t.Errorf("%d of the paper's sets with a form that is told, want 7 (without %v)", printed, missing)
	}
}
