// Package npy has the header of NumPy's files (NEP 1 and numpy.lib.format), for package datasets and
// package rnmf/panel.
package npy

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/robustnmf/robustnmf/internal/sniff"
)

// Magic begins every file, before its version.
const Magic = "\x93NUMPY"

var (
	descr   = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	fortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	shape   = regexp.MustCompile(`'shape'\s*:\s*\(((?:[0-9]+L?|[, ])*)\)`) // L: Python 2
)

// A Header is what a file says of its array.
type Header struct {
	Kind    string // of a value: its byte order, type and size, as in <f8
	Fortran bool   // the first index runs fastest
	Shape   []int
	Bytes   int // before the first value
}

// Kinds are the errors of the package that reads: of a damaged header, of one that is too large, and of
// what is valid but no array of values.
type Kinds struct{ Format, TooLarge, Unsupported error }

// Read reads a header; read returns the next n bytes.
func Read(read func(n int) ([]byte, error), kinds Kinds) (h Header, err error) {
	head, err := read(len(Magic) + 2)
	if err != nil {
		return h, fmt.Errorf("NPY header: %w", err)
	}
	major := head[len(Magic)]
	if string(head[:len(Magic)]) != Magic || major < 1 || major > 3 {
		return h, fmt.Errorf("%w: not an NPY file: %s", kinds.Format, sniff.Kind(head))
	}
	width := 2
	if major > 1 {
		width = 4
	}
	length, err := read(width)
	if err != nil {
		return h, fmt.Errorf("NPY header: %w", err)
	}
	size := binary.LittleEndian.Uint32(append(length, 0, 0)[:4])
	if size > 1<<16 {
		return h, fmt.Errorf("%w: NPY header of %d bytes", kinds.TooLarge, size)
	}
	dict, err := read(int(size))
	if err != nil {
		return h, fmt.Errorf("NPY header: %w", err)
	}
	of := func(re *regexp.Regexp) (string, bool) {
		if m := re.FindSubmatch(dict); m != nil {
			return string(m[1]), true
		}
		return "", false
	}
	kind, plain := of(descr)
	order, ordered := of(fortran)
	dims, shaped := of(shape)
	switch {
	case !plain && strings.Contains(string(dict), "'descr'"):
		return h, fmt.Errorf("%w: an array of records", kinds.Unsupported)
	case strings.HasPrefix(kind, "|O"):
		return h, fmt.Errorf("%w: an array of Python objects: save it with astype(float) or astype(str)", kinds.Unsupported)
	case !plain || !ordered || !shaped:
		return h, fmt.Errorf("%w: NPY header %q", kinds.Format, dict)
	}
	h = Header{Kind: kind, Fortran: order == "True", Bytes: len(head) + width + int(size)}
	for d := range strings.SplitSeq(dims, ",") {
		if d = strings.TrimSpace(d); d == "" {
			continue
		}
		v, err := strconv.Atoi(strings.TrimSuffix(d, "L"))
		if err != nil {
			return h, fmt.Errorf("%w: shape (%s)", kinds.TooLarge, dims)
		}
		h.Shape = append(h.Shape, v)
	}
	return h, nil
}

// Append appends the header of an array whose last index runs fastest, with blanks that bring the
// values to a multiple of align bytes, a power of two up to a page. The last byte is a line feed.
func Append(b []byte, kind string, shape []int, align int) []byte {
	dims := ""
	for i, n := range shape {
		if i > 0 {
			dims += " "
		}
		dims += strconv.Itoa(n) + ","
	}
	if len(shape) > 1 {
		dims = strings.TrimSuffix(dims, ",")
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, dims)
	dict += strings.Repeat(" ", -(len(Magic)+4+len(dict)+1)&(align-1)) + "\n"
	b = append(b, Magic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	return append(b, dict...)
}
