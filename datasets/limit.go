package datasets

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robustnmf/robustnmf/datasets/internal/limit"
)

// MaxValues is the largest number of values that any reader of this package keeps of one
// file, unless SetMaxValues sets another: 1 GiB as float64, which holds COIL-100 in grey
// at full size. Text, labels, names, paths and cells count as well, by the memory they
// take. The limit keeps a small file from filling the memory: whatever the file, a reader
// takes at most three times as much, and half a GiB more while it decodes a picture or a
// line of a table.
const MaxValues = limit.Default

func maxValues() int { return limit.Values() }

// SetMaxValues sets how many values readers keep of one file from now on, in the whole
// program, and returns the number before; n < 1 changes nothing. A value takes eight
// bytes, and up to three times as many while it is read.
func SetMaxValues(n int) (before int) {
	before = maxValues()
	if n > 0 {
		limit.SetValues(n)
	}
	return before
}

// maxText bounds what a text file may unpack to; a value takes a few bytes.
func maxText(limit int) int64 { return 8 * int64(max(limit, MaxValues)) }

// maxRecord and maxFields bound a line of a table, which is split as a whole: a field
// takes a hundred bytes until it is a value.
const maxRecord, maxFields = 1 << 25, 1 << 20

// maxName bounds the bytes of a name.
const maxName = 4096

// maxClasses bounds the classes of a set, whose names and numbers are looked up.
const maxClasses = 1 << 18

var (
	// ErrFormat is returned for a file that is cut off, damaged, or not of
	// the kind that it was read as.
	ErrFormat = limit.ErrFormat
	// ErrTooLarge is returned for a file that declares, or unpacks to, more
	// than the readers take.
	ErrTooLarge = limit.ErrTooLarge
	// ErrUnsupported is returned for content that is valid but not read here.
	ErrUnsupported = errors.New("datasets: unsupported content")
)

// A budget is what a reader may still keep, in values of eight bytes.
type budget int

// take takes n values off, or is ErrTooLarge.
func (b *budget) take(n int) error {
	if n > int(*b) {
		return errTooMany()
	}
	*b -= budget(n)
	return nil
}

// errTooMany says where the limit is set.
func errTooMany() error {
	return fmt.Errorf("%w: more than %d values, which SetMaxValues can raise", ErrTooLarge, maxValues())
}

// takeName takes what a name costs: its bytes, and what points to it.
func (b *budget) takeName(name string) error { return b.take(4 + len(name)/8) }

// checkName returns an error unless a name is of valid UTF-8, and not too long.
func checkName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("%w: a name of %d bytes, more than %d", ErrTooLarge, len(name), maxName)
	case !utf8.ValidString(name):
		return fmt.Errorf("%w: the name %.40q is no valid UTF-8", ErrFormat, name)
	}
	return nil
}

// tidyName brings a name of any bytes, as that of a file, into the form of names.
func tidyName(name string) string {
	name = strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "\x00", "")
	if name = strings.TrimSpace(name); len(name) > maxName {
		name = strings.TrimSpace(strings.ToValidUTF8(name[len(name)-maxName:], "")) // the end tells files apart
	}
	return name
}

// A source is what a reader reads. It remembers the error of that, which what unpacks it may
// tell as one of the format, and counts its bytes. It ends with its context.
type source struct {
	ctx  context.Context
	r    io.Reader
	at   io.ReaderAt // for an archive that is not read from front to back
	read int64
	err  error
}

func (s *source) Read(p []byte) (n int, err error) {
	if err = s.ctx.Err(); err == nil {
		n, err = s.r.Read(p)
	}
	s.note(n, err)
	return n, err
}

func (s *source) ReadAt(p []byte, off int64) (n int, err error) {
	if err = s.ctx.Err(); err == nil {
		n, err = s.at.ReadAt(p, off)
	}
	s.note(n, err)
	return n, err
}

func (s *source) note(n int, err error) {
	s.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		s.err = err
	}
}

// blame returns the error of the reader, or of its context, instead of one that came
// of it.
func (s *source) blame(err error) error {
	switch {
	case err == nil:
		return nil
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case s.err == nil:
		return err
	}
	return readError(s.err)
}

// unpacked returns the content, unpacked if it is gzip, so that readers take `x.gz` as well
// as `x`.
func (s *source) unpacked() (io.Reader, error) {
	b := bufio.NewReader(s)
	if magic, _ := b.Peek(2); len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		return b, nil // too short or unreadable: the reader of the format says so
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", readError(err))
	}
	return z, nil
}

// text is unpacked for a file of text, of which a few packed bytes may be no long work.
func (s *source) text(limit int) (io.Reader, error) {
	r, err := s.unpacked()
	return &capReader{r: &ratioReader{of: s, r: r, free: freeUnpacked}, left: maxText(limit)}, err
}

// What a packed file of text, or a packed archive, may unpack to: so much in any case, and so
// many times its size. A table of which 95 % is 0 is packed to a twentieth, and gzip packs
// nothing to less than a thousandth.
const (
	freeUnpacked    = 1 << 25
	unpackedPerByte = 100
)

// A ratioReader fails with ErrTooLarge where a source unpacks to far more than it is.
type ratioReader struct {
	of      *source
	r       io.Reader
	free, n int64
}

func (u *ratioReader) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if u.n += int64(n); u.n > u.free+unpackedPerByte*u.of.read {
		return 0, fmt.Errorf("%w: the first %d bytes unpack to more than %d: if you trust the file, unpack it first", ErrTooLarge, u.of.read, u.n-int64(n))
	}
	return n, err
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
	separator     []byte // nil: there is no limit
	bytes, fields int
}

func (c *recordReader) begin() { c.bytes, c.fields = 0, 0 }

func (c *recordReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.separator == nil {
		return n, err
	}
	c.bytes += n
	c.fields += bytes.Count(p[:n], c.separator)
	if c.bytes > maxRecord || c.fields > maxFields {
		return 0, fmt.Errorf("%w: a line of more than %d columns or %d bytes", ErrTooLarge, maxFields, maxRecord)
	}
	return n, err
}

// readN reads n bytes, with room that grows as they arrive.
func readN(r io.Reader, n int) ([]byte, error) {
	var b []byte
	for len(b) < n {
		b = room(b, n)
		k, err := io.ReadFull(r, b[len(b):min(cap(b), n)])
		b = b[:len(b)+k]
		if err != nil {
			return b, readError(err)
		}
	}
	return b, nil
}

// room returns s with room for at least one more of n values that are announced. It
// grows with those that arrive, so that a header that promises more than the file holds
// costs little; and eightfold, so that all that is left behind is a seventh of the result.
func room[T any](s []T, n int) []T {
	if len(s) < cap(s) {
		return s
	}
	return append(make([]T, 0, min(n, max(1<<13, 8*len(s)))), s...)
}

// readError is an error of a reader as this package tells it: the end of a file in the
// middle of something is ErrFormat, and so is damage that unpacking it finds.
func readError(err error) error {
	var corrupt flate.CorruptInputError
	var internal flate.InternalError
	is := func(target error) bool { return errors.Is(err, target) }
	switch {
	case is(io.EOF), is(io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the file is cut off", ErrFormat)
	case is(ErrTooLarge), is(ErrFormat):
		return err
	case errors.As(err, &corrupt), errors.As(err, &internal), slices.ContainsFunc([]error{gzip.ErrHeader, gzip.ErrChecksum,
		zlib.ErrHeader, zlib.ErrChecksum, zlib.ErrDictionary, zip.ErrFormat, zip.ErrChecksum}, is):
		return fmt.Errorf("%w: %w", ErrFormat, err)
	case is(zip.ErrAlgorithm):
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
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

// list joins names for a message, the first of them if there are many.
func list(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
