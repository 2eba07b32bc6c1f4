package viz

import (
	"slices"
	"testing"
)

// One name for many rows stands where it is, and two of them apart.
func TestMarksOfFewNames(t *testing.T) {
	names := make([]string, 40)
	names[3], names[5], names[33] = "a", "b", "c"
	var at []int
	for _, m := range marks(40, names, 1, 3, 16) {
		at = append(at, m.index)
	}
	if !slices.Equal(at, []int{3, 33}) {
		t.Errorf("names at %v", at)
	}
}
