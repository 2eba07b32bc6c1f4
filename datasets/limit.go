package datasets

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// MaxValues is the largest number of values that any reader of this package
// takes from one file: 1 GiB as float64, which holds COIL-100 in grey at full
// size. It keeps a small compressed file from filling the memory.
const MaxValues = 1 << 27

// maxText bounds what a text file may unpack to; a value takes a few bytes.
const maxText = 8 * MaxValues

// maxRecord and maxFields bound a line of a table, which is split as a whole: a field
// takes a hundred bytes until it is a value.
const maxRecord, maxFields = 1 << 26, 1 << 22

var (
	// ErrFormat is returned for a file that is cut off, damaged, or not of
	// the kind that it was read as.
	ErrFormat = errors.New("datasets: malformed file")
	// ErrTooLarge is returned for a file that declares, or unpacks to, more
	// than the readers take.
	ErrTooLarge = errors.New("datasets: file too large")
	// ErrUnsupported is returned for content that is valid but not read here.
	ErrUnsupported = errors.New("datasets: unsupported content")
)

// gunzip returns r, unpacked if it is gzip, so that readers take `x.gz` as
// well as `x`.
func gunzip(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		return b, nil // too short or unreadable: the reader of the format says so
	}
	from := &source{r: b}
	z, err := gzip.NewReader(from)
	if err != nil {
		return nil, from.blame(fmt.Errorf("%w: gzip: %w", ErrFormat, err))
	}
	return z, nil
}

// A source remembers the error of a reader, which what unpacks it may tell as one of
// the format.
type source struct {
	r   io.Reader
	at  io.ReaderAt // for an archive that is not read from front to back
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.note(err)
	return n, err
}

func (s *source) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.at.ReadAt(p, off)
	s.note(err)
	return n, err
}

func (s *source) note(err error) {
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		s.err = err
	}
}

// blame returns the error of the reader instead of one that came of it.
func (s *source) blame(err error) error {
	if err == nil || s.err == nil {
		return err
	}
	return cutOff(s.err)
}

// A capReader reads at most left bytes and then fails with ErrTooLarge, where
// an io.LimitedReader would pretend that the file ends.
type capReader struct {
	r    io.Reader
	left int64
}

func (c *capReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		// Only a file that goes on is too large.
		if n, err := io.ReadFull(c.r, make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, ErrTooLarge
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	return n, err
}

// A recordReader fails with ErrTooLarge where a record that began at the last call of
// begin has too many bytes or separators, give or take what is buffered of the next.
type recordReader struct {
	r             io.Reader
	separator     []byte
	bytes, fields int
}

func (c *recordReader) begin() { c.bytes, c.fields = 0, 0 }

func (c *recordReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.bytes += n
	c.fields += bytes.Count(p[:n], c.separator)
	if c.bytes > maxRecord || c.fields > maxFields {
		return 0, fmt.Errorf("%w: a line of more than %d columns or %d bytes", ErrTooLarge, maxFields, maxRecord)
	}
	return n, err
}

// readN reads n bytes. Memory grows with the bytes that arrive, so a header
// that promises more than the file holds costs nothing.
func readN(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, 0, min(n, 1<<16))
	for len(b) < n {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		k, err := io.ReadFull(r, b[len(b):min(cap(b), n)])
		b = b[:len(b)+k]
		if err != nil {
			return b, cutOff(err)
		}
	}
	return b, nil
}

// cutOff turns the end of a file in the middle of something into ErrFormat.
func cutOff(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the file is cut off", ErrFormat)
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrFormat):
		return err
	}
	return fmt.Errorf("datasets: %w", err)
}

// product multiplies dimensions. It is negative if one of them is, or if the
// product is larger than limit.
func product(limit int, dims ...int) int {
	p, zero := 1, false
	for _, d := range dims {
		switch {
		case d < 0:
			return -1
		case d == 0:
			zero = true
		case p > limit/d:
			p = limit + 1 // stays too large, unless a zero follows
		default:
			p *= d
		}
	}
	switch {
	case zero:
		return 0
	case p > limit:
		return -1
	}
	return p
}
