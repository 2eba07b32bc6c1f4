package panel

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/robustnmf/robustnmf/rnmf"
)

// NumPy's file format: NEP 1 and numpy.lib.format.

const npyMagic = "\x93NUMPY"

// page is where the numbers of the files begin that this package writes, so that they can be mapped.
const page = 4096

var (
	npyDescr   = regexp.MustCompile(`'descr':\s*'([^']*)'`)
	npyFortran = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape':\s*\(([0-9, ]*)\)`)
)

// npyHeader is what such a file says of its numbers.
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
	head := make([]byte, 10)
	if _, err := io.ReadFull(r, head); err != nil {
		return bad("it ends in its header (%v)", err)
	}
	if string(head[:6]) != npyMagic || head[6] < 1 || head[6] > 3 {
		return bad("it begins with % x", head[:7])
	}
	length := int(binary.LittleEndian.Uint16(head[8:]))
	h.offset = 10 + length
	if head[6] > 1 {
		rest := make([]byte, 2)
		if _, err := io.ReadFull(r, rest); err != nil {
			return bad("it ends in its header (%v)", err)
		}
		length += int(binary.LittleEndian.Uint16(rest)) << 16
		h.offset = 12 + length
	}
	if length > 1<<16 {
		return bad("a header of %d bytes", length)
	}
	dict := make([]byte, length)
	if _, err := io.ReadFull(r, dict); err != nil {
		return bad("it ends in its header (%v)", err)
	}
	descr, order, shape := npyDescr.FindSubmatch(dict), npyFortran.FindSubmatch(dict), npyShape.FindSubmatch(dict)
	if descr == nil || order == nil || shape == nil {
		return bad("a header without descr, fortran_order and shape")
	}
	switch string(descr[1]) {
	case "<f8":
		h.bytes = 8
	case "<f4":
		h.bytes = 4
	default:
		return bad("numbers of type %q, want <f8 or <f4", descr[1])
	}
	h.fortran = string(order[1]) == "True"
	dims := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(shape[1]), " ", ""), ","), ",")
	if len(dims) != 2 {
		return bad("a shape of (%s), want two numbers", shape[1])
	}
	for i, to := range []*int{&h.rows, &h.columns} {
		n, err := strconv.ParseUint(dims[i], 10, 31)
		if err != nil || n == 0 {
			return bad("a shape of (%s), want two positive numbers", shape[1])
		}
		*to = int(n)
	}
	return h, nil
}

// header returns the first page of a file of rows×columns, row after row.
func header(rows, columns, bytes int) []byte {
	text := fmt.Sprintf("{'descr': '<f%d', 'fortran_order': False, 'shape': (%d, %d), }", bytes, rows, columns)
	b := append([]byte(npyMagic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, page-10)
	b = append(b, text...)
	for len(b) < page-1 {
		b = append(b, ' ')
	}
	return append(b, '\n')
}
