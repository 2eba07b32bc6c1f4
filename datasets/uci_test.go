package datasets

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// semeionLine is a line as semeion.data has them: the pixel of that number is
// black.
func semeionLine(pixel, digit int) string {
	var b strings.Builder
	for i := range 256 {
		fmt.Fprintf(&b, "%d.0000 ", map[bool]int{i == pixel: 1}[true])
	}
	for k := range 10 {
		fmt.Fprintf(&b, "%d ", map[bool]int{k == digit: 1}[true])
	}
	return b.String()
}

func TestReadUCI(t *testing.T) {
	s, err := ReadSemeion(t.Context(), strings.NewReader(semeionLine(17, 9)+"\n"+strings.TrimSpace(semeionLine(255, 4))))
	if err != nil {
		t.Fatal(err)
	}
	if s.X.At(17, 0) != 1 || s.X.At(255, 1) != 1 || mat.Sum(s.X) != 2 || s.Height != 16 || s.Width != 16 || s.Max != 1 ||
		!reflect.DeepEqual(s.Labels, []int{1, 0}) || !reflect.DeepEqual(s.Classes, []string{"4", "9"}) {
		t.Errorf("%v %v", s, s.Labels)
	}
	pen := " 47,100, 27, 81, 57, 37, 26,  0,  0, 23, 56, 53,100, 90, 40, 98, 8\r\n\n" +
		"  0, 89, 27,100, 42, 75, 29, 45, 15, 15, 37,  0, 69,  2,100,  6, 2"
	if s, err = ReadPendigits(t.Context(), strings.NewReader(pen)); err != nil {
		t.Fatal(err)
	}
	if m, n := s.X.Dims(); m != 16 || n != 2 || s.Max != 100 || s.X.At(15, 0) != 98 || s.X.At(1, 1) != 89 || !reflect.DeepEqual(s.Labels, []int{1, 0}) {
		t.Errorf("%v", s)
	}
	wine := "1,14.23,1.71,2.43,15.6,127,2.8,3.06,.28,2.29,5.64,1.04,3.92,1065\n"
	if s, err = ReadWine(t.Context(), strings.NewReader(wine)); err != nil {
		t.Fatal(err)
	}
	if s.Max != 0 || s.X.At(7, 0) != .28 || s.X.At(12, 0) != 1065 || s.X.At(0, 0) != 14.23 || s.Classes[0] != "1" {
		t.Errorf("%v", s)
	}
}

func TestReadUCIErrors(t *testing.T) {
	line := semeionLine(1, 1)
	for _, c := range []struct{ name, file, say string }{
		{"empty", "", "no data"},
		{"short", "1 2 3", "3 columns"},
		{"second short", line + "\n1 2", "line 2"},
		{"two digits", strings.Replace(line, "0 1 0 0", "1 1 0 0", 1), "a single 1 for the digit"},
		{"no digit", semeionLine(1, 10), "a single 1 for the digit"},
		{"text", strings.Replace(line, "1.0000", "1.x000", 1), "line 1, column 2"},
		{"NaN", strings.Replace(line, "1.0000", "NaN", 1), "column 2"},
		{"long line", strings.Repeat("1.0000 ", 1<<14), "a line of more"},
		{"gzip", "\x1f\x8bx", "gzip"},
		{"binary", "\x00\x01\x02", "line 1"},
	} {
		_, err := ReadSemeion(t.Context(), strings.NewReader(c.file))
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, read := range []func(string) error{
		func(s string) error { _, err := ReadPendigits(t.Context(), strings.NewReader(s)); return err },
		func(s string) error { _, err := ReadWine(t.Context(), strings.NewReader(s)); return err },
	} {
		for _, file := range []string{"", "1,2\n", "1,2,3,4,5,6,7,8,9,10,11,12,13,\n", strings.Repeat("1,", 17)} {
			if err := read(file); !errors.Is(err, ErrFormat) {
				t.Errorf("%q: %v", file, err)
			}
		}
	}
}

func FuzzUCI(f *testing.F) {
	f.Add([]byte(semeionLine(3, 3) + "\n" + semeionLine(4, 0)))
	f.Add([]byte(" 47,100, 27, 81, 57, 37, 26,  0,  0, 23, 56, 53,100, 90, 40, 98, 8\n"))
	f.Add([]byte("1,14.23,1.71,2.43,15.6,127,2.8,3.06,.28,2.29,5.64,1.04,3.92,1065\r\n\n"))
	f.Add(gzipped([]byte("1,2\n3,4")))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func() (*Set, error){
			func() (*Set, error) { return ReadSemeion(t.Context(), strings.NewReader(string(data))) },
			func() (*Set, error) { return ReadPendigits(t.Context(), strings.NewReader(string(data))) },
			func() (*Set, error) { return ReadWine(t.Context(), strings.NewReader(string(data))) },
		} {
			if s, err := read(); err == nil {
				if err := s.Check(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
