package panel

import (
	"fmt"
	"io"
	"math"

	"github.com/robustnmf/robustnmf/internal/npy"
	"github.com/robustnmf/robustnmf/rnmf"
)

// page is where the numbers of the files begin that this package writes, so that they can be mapped.
const page = 4096

// npyHeader is what a .npy file says of its numbers.
type npyHeader struct {
	rows, columns int
	bytes         int  // of a number: 4 or 8
	fortran       bool // column after column
	offset        int  // where the numbers begin
}

// size is that of the file.
func (h npyHeader) size() int64 {
	return int64(h.offset) + int64(h.bytes)*int64(h.rows)*int64(h.columns)
}

// readHeader reads the header of a matrix of little-endian floats.
func readHeader(r io.Reader) (h npyHeader, err error) {
	bad := func(format string, args ...any) (npyHeader, error) {
		return h, fmt.Errorf("%w: NPY: %s", rnmf.ErrFormat, fmt.Sprintf(format, args...))
	}
	said, err := npy.Read(func(n int) ([]byte, error) {
		b := make([]byte, n)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, fmt.Errorf("%w: it ends in its header (%w)", rnmf.ErrFormat, err)
		}
		return b, nil
	}, npy.Kinds{Format: rnmf.ErrFormat, TooLarge: rnmf.ErrFormat, Unsupported: rnmf.ErrFormat})
	if err != nil {
		return h, err
	}
	switch said.Kind {
	case "<f8":
		h.bytes = 8
	case "<f4":
		h.bytes = 4
	default:
		return bad("numbers of type %q, want <f8 or <f4", said.Kind)
	}
	if len(said.Shape) != 2 || min(said.Shape[0], said.Shape[1]) < 1 || max(said.Shape[0], said.Shape[1]) > math.MaxInt32 {
		return bad("a shape of %v, want two positive numbers", said.Shape)
	}
	h.rows, h.columns, h.fortran, h.offset = said.Shape[0], said.Shape[1], said.Fortran, said.Bytes
	return h, nil
}

// header returns the first page of a file of rows×columns, row after row.
func header(rows, columns, bytes int) []byte {
	return npy.Append(nil, fmt.Sprintf("<f%d", bytes), []int{rows, columns}, page)
}
