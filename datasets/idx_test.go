package datasets

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// idx builds an IDX file.
func idx(kind byte, dims []int, values ...any) []byte {
	out := []byte{0, 0, kind, byte(len(dims))}
	for _, d := range dims {
		out = binary.BigEndian.AppendUint32(out, uint32(d))
	}
	for _, v := range values {
		out, _ = binary.Append(out, binary.BigEndian, v)
	}
	return out
}

func gzipped(data []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(data)
	z.Close()
	return out.Bytes()
}

func TestReadIDX(t *testing.T) {
	for _, c := range []struct {
		file []byte
		want []float64
	}{
		{idx(0x08, []int{2}, uint8(200), uint8(1)), []float64{200, 1}},
		{idx(0x09, []int{2}, int8(-3), int8(1)), []float64{-3, 1}},
		{idx(0x0b, []int{2}, int16(-300), int16(1)), []float64{-300, 1}},
		{idx(0x0c, []int{2}, int32(-70000), int32(1)), []float64{-70000, 1}},
		{idx(0x0d, []int{2}, float32(0.5), float32(1)), []float64{0.5, 1}},
		{idx(0x0e, []int{1, 2}, 0.1, math.Inf(1)), []float64{0.1, math.Inf(1)}},
		{idx(0x08, []int{0, 3}), nil},
	} {
		for _, file := range [][]byte{c.file, gzipped(c.file)} {
			a, err := ReadIDX(t.Context(), bytes.NewReader(file))
			if err != nil {
				t.Errorf("% x: %v", c.file, err)
				continue
			}
			var got []float64
			for i := range a.Len() {
				got = append(got, a.At(i))
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		}
	}
}

func TestReadIDXErrors(t *testing.T) {
	good := idx(0x08, []int{2, 2}, []byte{1, 2, 3, 4})
	packed := gzipped(good)
	for n := range len(good) {
		if _, err := ReadIDX(t.Context(), bytes.NewReader(good[:n])); !errors.Is(err, ErrFormat) {
			t.Errorf("cut off at %d: %v", n, err)
		}
	}
	for n := range len(packed) {
		if _, err := ReadIDX(t.Context(), bytes.NewReader(packed[:n])); !errors.Is(err, ErrFormat) {
			t.Errorf("gzip cut off at %d: %v", n, err)
		}
	}
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"longer", append(bytes.Clone(good), 0), ErrFormat},
		{"type", idx(0x0a, []int{1}, uint8(1)), ErrFormat},
		{"no dimensions", idx(0x08, nil, uint8(1)), ErrFormat},
		{"dimensions", idx(0x08, make([]int, 200)), ErrFormat},
		{"huge", idx(0x08, []int{1 << 30, 1 << 30}), ErrTooLarge},
		{"negative", idx(0x08, []int{-1, -1}), ErrTooLarge},
		{"promise", idx(0x0e, []int{1 << 20, 1 << 7}), ErrFormat},
		{"text", []byte("P5\n1 1\n255\n."), ErrFormat},
	} {
		if _, err := ReadIDX(t.Context(), bytes.NewReader(c.file)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestReadIDXSet(t *testing.T) {
	images := idx(0x08, []int{2, 2, 3}, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	s, err := ReadIDXSet(t.Context(), bytes.NewReader(gzipped(images)), bytes.NewReader(idx(0x08, []int{2}, []byte{7, 3})))
	if err != nil {
		t.Fatal(err)
	}
	if s.Height != 2 || s.Width != 3 || s.Max != 255 || !reflect.DeepEqual(mat.Col(nil, 1, s.X), []float64{7, 8, 9, 10, 11, 12}) ||
		!reflect.DeepEqual(s.Labels, []int{1, 0}) || !reflect.DeepEqual(s.Classes, []string{"3", "7"}) {
		t.Errorf("%v %+v", s, s)
	}
	if s, err := ReadIDXSet(t.Context(), bytes.NewReader(images), nil); err != nil || s.Labels != nil {
		t.Errorf("without labels: %v, %v", s, err)
	}
	for _, c := range []struct {
		images, labels []byte
		want           error
	}{
		{images, idx(0x08, []int{3}, []byte{1, 2, 3}), ErrSize},
		{images, idx(0x08, []int{1, 2}, []byte{1, 2}), ErrSize},
		{images, idx(0x0d, []int{2}, float32(0.5), float32(1)), ErrFormat},
		{images, nil, ErrFormat},
		{idx(0x08, []int{2}, []byte{1, 2}), nil, ErrSize},
		{idx(0x08, []int{0, 2}), nil, ErrSize},
	} {
		if _, err := ReadIDXSet(t.Context(), bytes.NewReader(c.images), bytes.NewReader(c.labels)); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

func FuzzReadIDX(f *testing.F) {
	f.Add(idx(0x08, []int{2, 2, 2}, []byte{1, 2, 3, 4, 5, 6, 7, 8}), idx(0x08, []int{2}, []byte{1, 2}))
	f.Add(idx(0x0e, []int{2, 1}, 1.5, -2.0), idx(0x0c, []int{2}, int32(-1), int32(7)))
	f.Add(gzipped(idx(0x0b, []int{1, 2}, int16(1), int16(2))), gzipped(idx(0x08, []int{1}, uint8(1))))
	f.Fuzz(func(t *testing.T, samples, labels []byte) {
		readIDX(t.Context(), bytes.NewReader(samples), 1<<16, nil)
		if len(samples) > 1<<12 {
			return // a set may be as large as MaxValues
		}
		if s, err := ReadIDXSet(t.Context(), bytes.NewReader(samples), bytes.NewReader(labels)); err == nil {
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestCapReader(t *testing.T) {
	for _, c := range []struct {
		left int64
		want error
	}{{5, nil}, {6, nil}, {4, ErrTooLarge}, {0, ErrTooLarge}} {
		got, err := io.ReadAll(&capReader{strings.NewReader("12345"), c.left})
		if !errors.Is(err, c.want) || len(got) != int(min(c.left, 5)) {
			t.Errorf("%d: %q, %v", c.left, got, err)
		}
	}
}

func TestProduct(t *testing.T) {
	for _, c := range []struct {
		dims []int
		want int
	}{
		{nil, 1}, {[]int{3, 4}, 12}, {[]int{10, 10}, 100}, {[]int{10, 11}, -1},
		{[]int{math.MaxInt, math.MaxInt, 0}, 0}, {[]int{0, math.MaxInt}, 0}, {[]int{math.MaxInt, 1}, -1}, {[]int{-1, 0}, -1}, {[]int{0, -1}, -1},
		{[]int{math.MaxInt, 2, 2}, -1},
	} {
		if got := product(100, c.dims...); got != c.want {
			t.Errorf("%v: %d, want %d", c.dims, got, c.want)
		}
	}
}
