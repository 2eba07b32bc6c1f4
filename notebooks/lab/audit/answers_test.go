package audit

import (
	"fmt"
	"image"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Each answer has numbers, of as many cells as the map has.
func TestAnswers(t *testing.T) {
	cells := map[string]int{"01": 10, "02": 14, "03": 15, "04": 63, "choices": 7}
	for part, want := range cells {
		text, of := AnswerOf(part).HTML(), 0
		for _, m := range regexp.MustCompile(`(\d+) of (\d+)|mean of (\d+) sets`).FindAllStringSubmatch(text, -1) {
			var some, all int
			if m[3] != "" {
				fmt.Sscan(m[3], &all)
			} else {
				fmt.Sscan(m[1]+" "+m[2], &some, &all)
			}
			if some > all {
				t.Errorf("%s: %s", part, text)
			}
			of += all
		}
		if of != want || strings.Contains(text, "NaN") || !strings.Contains(text, "outlined") {
			t.Errorf("%s: %s, of %d cells, want %d", part, text, of, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an answer of no part")
		}
	}()
	AnswerOf("06")
}

func TestBlocks(t *testing.T) {
	got := blocks([]string{"b", "y", "none"}, []string{"a", "b"}, []string{"x", "y", "z"})
	if want := []image.Rectangle{image.Rect(0, 1, 3, 2), image.Rect(1, 0, 2, 2)}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestWithin(t *testing.T) {
	if near, all := within(3, mat.NewDense(2, 2, []float64{3, -3, 3.5, -9})); near != 2 || all != 4 {
		t.Errorf("%d of %d", near, all)
	}
}
