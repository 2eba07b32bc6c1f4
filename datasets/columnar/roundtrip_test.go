package columnar

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
)

// again writes a set with some names and reads it again, and tells whether it could be written. What is read
// has the names of Set.Names.
func again(t *testing.T, samples, features, classes []string) (written bool) {
	t.Helper()
	s := &datasets.Set{X: mat.NewDense(len(features), len(samples), nil), Samples: samples, Features: features, Classes: classes}
	l := datasets.CSVLayout{ID: "sample"}
	for j := range samples {
		if s.X.Set(0, j, float64(j)/3); classes != nil {
			s.Labels, l.Label = append(s.Labels, j%len(classes)), "class"
		}
	}
	wantSamples, wantFeatures, wantClasses, named := s.Names()
	var file bytes.Buffer
	if err := WriteParquet(&file, s); err != nil {
		if !errors.Is(err, datasets.ErrParameter) || named == nil && !strings.Contains(err.Error(), "two columns have the name") {
			t.Error(err)
		}
		return false
	}
	got, err := ReadParquet(context.Background(), bytes.NewReader(file.Bytes()), int64(file.Len()), l)
	if err != nil {
		t.Fatalf("samples %q, features %q, classes %q: %v", samples, features, classes, err)
	}
	if !slices.Equal(got.Samples, wantSamples) || !slices.Equal(got.Features, wantFeatures) || !mat.Equal(got.X, s.X) {
		t.Fatalf("samples %q, features %q became %q, %q", samples, features, got.Samples, got.Features)
	}
	for j, class := range wantClasses {
		if got.Classes[got.Labels[j]] != class {
			t.Fatalf("class %q became %q", class, got.Classes[got.Labels[j]])
		}
	}
	return true
}

// What is written of a set with any names is read again, or refused with the name that is why.
func TestNamesAreReadAgain(t *testing.T) {
	nasty := []string{"k__Bacteria;p__Firmicutes", "sample", "class", " ", "\t", "\n", "\r\n", "\r", "\v", "\f", "\u00a0", "\u2028", "\x00", "\xff", "\ufeff", ",", ";", `"`, ".", "..", "1", "-1",
		"NaN", "", "=1+1", "__index_level_0__", "é"}
	rnd := rand.New(rand.NewPCG(36, 7))
	written := 0
	const tries = 200
	for range tries {
		names := func(n int) []string {
			names := make([]string, n)
			for k := range names {
				for range rnd.IntN(4) {
					if rnd.IntN(4) == 0 {
						names[k] += nasty[rnd.IntN(len(nasty))]
					} else {
						names[k] += strconv.Itoa(rnd.IntN(20))
					}
				}
			}
			return names
		}
		var classes []string
		if rnd.IntN(2) == 0 {
			classes = names(1 + rnd.IntN(2))
		}
		if again(t, names(1+rnd.IntN(4)), names(1+rnd.IntN(4)), classes) {
			written++
		}
	}
	if written < tries/3 {
		t.Errorf("only %d of %d were written", written, tries)
	}
	var file bytes.Buffer
	if err := WriteParquet(&file, &datasets.Set{X: mat.NewDense(1, 2, []float64{1, math.Inf(1)})}); !errors.Is(err, datasets.ErrValue) || !strings.Contains(err.Error(), "X[0,1]") {
		t.Error(err)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("a", "b ", "c;d")
	f.Add("sample", "x\r\ny", "")
	f.Add("\x00", "k__a", "\u00a0")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		again(t, []string{a, b}, []string{b, c, a}, []string{c})
		again(t, []string{a, b}, []string{c}, nil)
	})
}
