package npy

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
)

var kinds = Kinds{Format: errors.New("format"), TooLarge: errors.New("large"), Unsupported: errors.New("unsupported")}

func readAll(b []byte) (Header, error) {
	in := bytes.NewReader(b)
	return Read(func(n int) ([]byte, error) {
		p := make([]byte, n)
		if _, err := io.ReadFull(in, p); err != nil {
			return nil, kinds.Format
		}
		return p, nil
	}, kinds)
}

// What Append writes Read reads, and the values are where they have to be.
func TestHeader(t *testing.T) {
	for _, shape := range [][]int{{5}, {3, 4}, {1000000, 12345}} {
		for _, align := range []int{64, 4096} {
			b := Append(nil, "<f8", shape, align)
			h, err := readAll(b)
			if err != nil || h.Kind != "<f8" || h.Fortran || !slices.Equal(h.Shape, shape) || h.Bytes != len(b) || len(b)%align != 0 || b[len(b)-1] != '\n' {
				t.Errorf("%v, align %d: %+v, %v in %d bytes", shape, align, h, err, len(b))
			}
		}
	}
	want := "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
	if b := Append(nil, "<f8", []int{2, 3}, 64); string(b[:len(want)]) != want {
		t.Errorf("%q", b)
	}
	for file, want := range map[string]error{
		"": kinds.Format, "1,2\n3,4\n": kinds.Format, "PK\x03\x04abcdefg": kinds.Format, Magic + "\x04\x00\x10\x00": kinds.Format,
		Magic + "\x02\x00\xff\xff\xff\x00":                                                     kinds.TooLarge,
		Magic + "\x01\x00\x20\x00{'descr': [('a', '<f8')], }     ":                             kinds.Unsupported,
		Magic + "\x01\x00\x38\x00{'descr': '|O', 'fortran_order': False, 'shape': (1,), }    ": kinds.Unsupported,
	} {
		if _, err := readAll([]byte(file)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", file, err, want)
		}
	}
}
