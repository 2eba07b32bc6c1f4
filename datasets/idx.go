package datasets

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/sniff"
)

// An IDXArray is the content of an IDX file, the format of MNIST.
type IDXArray struct {
	Dims []int // the last index runs fastest

	size  int // bytes of a value
	value func([]byte) float64
	raw   []byte
	max   float64
}

// Len is the number of values.
func (a *IDXArray) Len() int { return len(a.raw) / max(1, a.size) }

// At returns value i in the order of the file.
func (a *IDXArray) At(i int) float64 { return a.value(a.raw[i*a.size:]) }

// ReadIDX reads an IDX file, plain or gzip. Errors are ErrFormat, ErrTooLarge
// (more than maxValues()), or those of r.
func ReadIDX(ctx context.Context, r io.Reader) (*IDXArray, error) {
	return readIDX(ctx, r, maxValues(), nil)
}

// readIDX asks check, which may be nil, before it reads a value.
func readIDX(ctx context.Context, r io.Reader, limit int, check func(dims []int) error) (_ *IDXArray, err error) {
	from := &source{ctx: ctx, r: r}
	defer func() { err = from.blame(err) }()
	if r, err = from.unpacked(); err != nil {
		return nil, err
	}
	magic, err := readN(r, 4)
	if err != nil {
		return nil, fmt.Errorf("IDX header: %w", err)
	}
	order := binary.BigEndian
	a := &IDXArray{size: 1}
	switch magic[2] {
	case 0x08:
		a.max = 255
		a.value = func(b []byte) float64 { return float64(b[0]) }
	case 0x09:
		a.value = func(b []byte) float64 { return float64(int8(b[0])) }
	case 0x0b:
		a.size, a.value = 2, func(b []byte) float64 { return float64(int16(order.Uint16(b))) }
	case 0x0c:
		a.size, a.value = 4, func(b []byte) float64 { return float64(int32(order.Uint32(b))) }
	case 0x0d:
		a.size, a.value = 4, func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
	case 0x0e:
		a.size, a.value = 8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }
	}
	if magic[0] != 0 || magic[1] != 0 || a.value == nil || magic[3] == 0 || magic[3] > 8 {
		return nil, fmt.Errorf("%w: not an IDX file: %s", ErrFormat, sniff.Kind(magic))
	}
	head, err := readN(r, 4*int(magic[3]))
	if err != nil {
		return nil, fmt.Errorf("IDX header: %w", err)
	}
	for ; len(head) > 0; head = head[4:] {
		a.Dims = append(a.Dims, int(int32(order.Uint32(head))))
	}
	n := product(limit, a.Dims...)
	if n < 0 {
		return nil, fmt.Errorf("IDX array of %v: %w", a.Dims, errTooMany())
	}
	if check != nil {
		if err := check(a.Dims); err != nil {
			return nil, err
		}
	}
	if a.raw, err = readN(r, n*a.size); err != nil {
		return nil, fmt.Errorf("IDX array of %v: %w", a.Dims, err)
	}
	// The end must come here; for gzip it also brings the checksum.
	if k, err := io.ReadFull(r, make([]byte, 1)); k > 0 {
		return nil, fmt.Errorf("%w: bytes after an IDX array of %v", ErrFormat, a.Dims)
	} else if !errors.Is(err, io.EOF) {
		return nil, readError(err)
	}
	return a, nil
}

// ReadIDXSet reads samples, and their classes if labels is not nil, from IDX files, plain
// or gzip. Samples of two dimensions are images, in raster order. The classes are named
// by their numbers; the caller may set other names.
func ReadIDXSet(ctx context.Context, samples, labels io.Reader) (*Set, error) {
	return readIDXSet(ctx, samples, labels, maxValues())
}

func readIDXSet(ctx context.Context, samples, labels io.Reader, limit int) (*Set, error) {
	a, err := readIDX(ctx, samples, limit, nil)
	if err != nil {
		return nil, err
	}
	if len(a.Dims) < 2 || a.Len() == 0 {
		return nil, fmt.Errorf("%w: an IDX array of %v holds no samples", ErrSize, a.Dims)
	}
	s := &Set{Max: a.max}
	n, m := a.Dims[0], a.Len()/a.Dims[0]
	s.X = mat.NewDense(m, n, nil)
	fill(s.X, 0, n, func(j, i int) float64 { return a.At(j*m + i) })
	if len(a.Dims) == 3 {
		s.Height, s.Width = a.Dims[1], a.Dims[2]
	}
	if labels == nil {
		return s.checked()
	}
	l, err := readIDX(ctx, labels, limit, func(dims []int) error {
		if len(dims) != 1 || dims[0] != n {
			return fmt.Errorf("%w: labels of %v for %d samples", ErrSize, dims, n)
		}
		left := budget(limit - m*n)
		return left.take(2 * n) // as stored, and as an int
	})
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	for j := range n {
		if v := l.At(j); v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return nil, fmt.Errorf("%w: label %v of sample %d", ErrFormat, v, j)
		}
	}
	s.Labels, s.Classes, err = number(n, l.At, func(v float64) string { return strconv.Itoa(int(v)) })
	if err != nil {
		return nil, err
	}
	return s.checked()
}
