package panel

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel/internal/files"
)

// sumsFile has a line for each panel that Write has written: its checksum (CRC-32C of the numbers)
// and its name.
const sumsFile = "checksums"

// unfinishedFile lies in a folder that Write is at work in, or did not finish.
const unfinishedFile = "unfinished"

// A DiskSource is X on disk: one .npy file for each panel.
type DiskSource struct {
	files  fs.FS
	dir    string // its name, for errors
	names  []string
	heads  []npyHeader
	sums   []uint32
	proven []bool // the checksum of the panel was right
	starts []int  // the first column of each panel, and n
	m      int

	buffers [2][]float64
	raw     []byte // of numbers that are converted
	turn    int
}

// Open opens a folder of panels that Write has made, or any program that writes .npy files of m×b
// little-endian float64 or float32 numbers (a column is a sample). The files are panels in the
// order of their names. Float32 numbers are converted to float64 when a panel is loaded; two panels
// are in memory at once.
//
// The error names the file that cannot be read, is damaged (rnmf.ErrFormat) or has another number
// of rows than the first (rnmf.ErrShape). A damaged number is found by the checksums of Write when
// its panel is loaded for the first time.
func Open(dir string) (*DiskSource, error) { return OpenFS(os.DirFS(dir), dir) }

// OpenFS is Open for a folder of another file system, such as an object store: its panels are the
// files at the root of files. The name dir is for errors.
func OpenFS(files fs.FS, dir string) (*DiskSource, error) {
	if files == nil {
		return nil, fmt.Errorf("%w: the file system of %s is nil", rnmf.ErrEmpty, dir)
	}
	f := &DiskSource{files: files, dir: dir, starts: []int{0}}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, f.named(err, "")
	}
	for _, e := range entries {
		if e.Name() == unfinishedFile {
			return nil, fmt.Errorf("%w: %s: the program that wrote these panels did not get to its end; remove the folder, and write it again", rnmf.ErrFormat, f.path(unfinishedFile))
		}
		if !e.IsDir() && filepath.Ext(e.Name()) == ".npy" {
			f.names = append(f.names, e.Name())
		}
	}
	if len(f.names) == 0 {
		return nil, fmt.Errorf("%w: no .npy file in %s", rnmf.ErrEmpty, dir)
	}
	for _, name := range f.names {
		h, err := f.look(name)
		if err != nil {
			return nil, err
		}
		if f.m == 0 {
			f.m = h.rows
		}
		if h.rows != f.m {
			return nil, fmt.Errorf("%w: %s has %d rows, but %s has %d", rnmf.ErrShape, f.path(name), h.rows, f.names[0], f.m)
		}
		f.heads = append(f.heads, h)
		f.starts = append(f.starts, f.starts[len(f.starts)-1]+h.columns)
	}
	f.proven = make([]bool, len(f.names))
	return f, f.readSums()
}

// path returns the name of a file with that of the folder, which may be a URL.
func (f *DiskSource) path(name string) string {
	if strings.Contains(f.dir, "://") {
		return strings.TrimSuffix(f.dir, "/") + "/" + name
	}
	return filepath.Join(f.dir, name)
}

// named returns an error of the file system with the whole name of the file.
func (f *DiskSource) named(err error, name string) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return &fs.PathError{Op: e.Op, Path: f.path(name), Err: e.Err}
	}
	return err
}

// look reads the header of a panel, and compares the size of the file with it.
func (f *DiskSource) look(name string) (h npyHeader, err error) {
	path := f.path(name)
	file, err := f.files.Open(name)
	if err != nil {
		return h, f.named(err, name)
	}
	defer file.Close()
	if h, err = readHeader(file); err != nil {
		return h, fmt.Errorf("%s: %w", path, err)
	}
	info, err := file.Stat()
	if err != nil {
		return h, err
	}
	if info.Size() != h.size() {
		return h, fmt.Errorf("%w: %s has %d bytes, want %d for %d×%d numbers", rnmf.ErrFormat, path, info.Size(), h.size(), h.rows, h.columns)
	}
	return h, nil
}

// readSums reads the checksums, where there are any.
func (f *DiskSource) readSums() error {
	path := f.path(sumsFile)
	b, err := fs.ReadFile(f.files, sumsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return f.named(err, sumsFile)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != len(f.names) {
		return fmt.Errorf("%w: %s lists %d panels, the folder has %d", rnmf.ErrFormat, path, len(lines), len(f.names))
	}
	for i, line := range lines {
		sum, name, _ := strings.Cut(line, " ")
		v, err := strconv.ParseUint(sum, 16, 32)
		if err != nil || name != f.names[i] {
			return fmt.Errorf("%w: %s: line %d is %q, want a checksum and %s", rnmf.ErrFormat, path, i+1, line, f.names[i])
		}
		f.sums = append(f.sums, uint32(v))
	}
	return nil
}

// Dims returns the shape of X.
func (f *DiskSource) Dims() (m, n int) { return f.m, f.starts[len(f.names)] }

// Panels returns the number of panels.
func (f *DiskSource) Panels() int { return len(f.names) }

// Columns returns the first column of panel p, and the one after its last.
func (f *DiskSource) Columns(p int) (from, to int) { return f.starts[p], f.starts[p+1] }

// Load reads panel p. It is overwritten by the call after the next.
func (f *DiskSource) Load(p int) (Panel, error) {
	if err := checkPanel(p, f.Panels()); err != nil {
		return Panel{}, err
	}
	h, path := f.heads[p], f.path(f.names[p])
	fail := func(err error) (Panel, error) { return Panel{}, fmt.Errorf("%s: %w", path, err) }
	file, err := f.files.Open(f.names[p])
	if err != nil {
		return Panel{}, f.named(err, f.names[p])
	}
	defer file.Close()
	count, check := h.rows*h.columns, f.sums != nil && !f.proven[p]
	f.turn = 1 - f.turn
	buffer := &f.buffers[f.turn]
	if _, err := io.CopyN(io.Discard, file, int64(h.offset)); err != nil {
		return fail(fmt.Errorf("%w: it has become shorter (%w)", rnmf.ErrFormat, err))
	}
	in := io.LimitReader(file, h.size()-int64(h.offset))
	var sum uint32
	stride := h.columns
	if littleEndian && h.bytes == 8 && !h.fortran {
		if stride%512 == 0 {
			stride += 8 // rows a multiple of a page apart would fall on each other in the caches
		}
		*buffer = grow(*buffer, h.rows*stride)
		together := 1 // rows that are read in one go
		if stride == h.columns {
			together = max(1<<15/stride, 1)
		}
		for i := 0; i < h.rows; i += together {
			rows := (*buffer)[i*stride:][:min(together, h.rows-i)*h.columns]
			raw := unsafe.Slice((*byte)(unsafe.Pointer(&rows[0])), 8*len(rows))
			if _, err := io.ReadFull(in, raw); err != nil {
				return fail(fmt.Errorf("%w: it has become shorter (%w)", rnmf.ErrFormat, err))
			}
			if check {
				sum = crc32.Update(sum, castagnoli, raw)
			}
		}
	} else {
		*buffer = grow(*buffer, count)
		if sum, err = f.convert(in, h, *buffer); err != nil {
			return fail(err)
		}
	}
	if check && sum != f.sums[p] {
		return fail(fmt.Errorf("%w: the checksum is %08x, want %08x: the panel is damaged", rnmf.ErrFormat, sum, f.sums[p]))
	}
	f.proven[p] = true
	return Panel{Dense: mat.NewDense(h.rows, stride, *buffer).Slice(0, h.rows, 0, h.columns).(*mat.Dense)}, nil
}

// littleEndian reports whether numbers in memory are as in the files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// convert reads numbers piece by piece, row after row or, in Fortran's order, column after column.
func (f *DiskSource) convert(in io.Reader, h npyHeader, x []float64) (sum uint32, err error) {
	if f.raw == nil {
		f.raw = make([]byte, 1<<18)
	}
	for at := 0; at < len(x); {
		n := min(len(f.raw)/h.bytes, len(x)-at)
		raw := f.raw[:n*h.bytes]
		if _, err := io.ReadFull(in, raw); err != nil {
			return 0, fmt.Errorf("%w: it has become shorter (%w)", rnmf.ErrFormat, err)
		}
		sum = crc32.Update(sum, castagnoli, raw)
		for k := range n {
			var v float64
			if h.bytes == 4 {
				v = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*k:])))
			} else {
				v = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*k:]))
			}
			if h.fortran {
				x[(at+k)%h.rows*h.columns+(at+k)/h.rows] = v
			} else {
				x[at+k] = v
			}
		}
		at += n
	}
	return sum, nil
}

// Samples are columns of X, one after the other: each a slice of m numbers, which may be the same
// memory again. An error ends them.
type Samples = iter.Seq2[[]float64, error]

// Write writes samples into a new folder of panels of the given width, the last of which may be
// narrower, as float64 numbers or, with single, as float32. Only one panel at a time is in memory.
// The numbers of each file begin at the start of a page, so that other programs can map them into
// memory.
//
// Errors are those of the samples, rnmf.ErrShape for a sample of another length than the first,
// rnmf.EntryError for the first number that is negative or not finite, rnmf.ErrEmpty if there is no
// sample, fs.ErrExist if the folder has panels already, and those of the disk, which name the file.
// After an error there are no panels. If the program is killed, Open says that some are missing.
func Write(dir string, samples Samples, width int, single bool) (err error) {
	if width < 1 {
		return fmt.Errorf("%w: width is %d, want 1 or more", rnmf.ErrParameter, width)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if samples == nil {
		return fmt.Errorf("%w: no samples for %s", rnmf.ErrEmpty, dir)
	}
	old, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, file := range old {
		if filepath.Ext(file.Name()) == ".npy" || file.Name() == sumsFile || file.Name() == unfinishedFile {
			return fmt.Errorf("%w: %s has panels already: %s", fs.ErrExist, dir, file.Name())
		}
	}
	unfinished := filepath.Join(dir, unfinishedFile)
	if err := files.Replace(unfinished, ".new", nil, true); err != nil {
		return err
	}
	var (
		written       []string
		rows, n, have int
		buffer        []float64 // at most width×m: sample after sample
		sums          strings.Builder
	)
	defer func() {
		if err != nil {
			for _, name := range written {
				_ = os.Remove(filepath.Join(dir, name))
			}
			_ = os.Remove(unfinished)
		}
	}()
	flush := func() error {
		name := panelName(len(written))
		written = append(written, name)
		sum, err := writePanel(filepath.Join(dir, name), buffer, rows, have, single)
		fmt.Fprintf(&sums, "%08x %s\n", sum, name)
		have = 0
		return err
	}
	for x, err := range samples {
		if err != nil {
			return fmt.Errorf("sample %d: %w", n, err)
		}
		if n == 0 {
			rows = len(x)
		}
		if len(x) != rows || rows == 0 {
			return fmt.Errorf("%w: sample %d has %d numbers, the first has %d", rnmf.ErrShape, n, len(x), rows)
		}
		for i, v := range x {
			if bad := checkEntry(v); bad != nil || single && v > math.MaxFloat32 {
				return &rnmf.EntryError{Matrix: "X", Row: i, Col: n, Value: v, Err: errors.Join(bad, rangeOf(bad))}
			}
		}
		if buffer == nil { // room for a panel, or a GiB of a larger one
			buffer = make([]float64, 0, rows*min(width, 1+1<<27/rows))
		}
		buffer = append(buffer[:have*rows], x...)
		n++
		if have++; have == width {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if have > 0 {
		if err := flush(); err != nil {
			return err
		}
	}
	if n == 0 {
		return fmt.Errorf("%w: no samples for %s", rnmf.ErrEmpty, dir)
	}
	if err := files.Replace(filepath.Join(dir, sumsFile), ".new", []byte(sums.String()), true); err != nil {
		return err
	}
	return os.Remove(unfinished)
}

// panelName is the name of the file of panel p; the order of names is that of panels, up to ten
// thousand million of them.
func panelName(p int) string { return fmt.Sprintf("panel-%010d.npy", p) }

// rangeOf is the error of a number that float32 has no place for.
func rangeOf(bad error) error {
	if bad == nil {
		return rnmf.ErrTooLarge
	}
	return nil
}

// writePanel writes samples as the columns of a file, and returns the checksum of its numbers.
func writePanel(path string, samples []float64, rows, columns int, single bool) (sum uint32, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := file.Close(); err == nil {
			err = e
		}
	}()
	bytes := 8
	if single {
		bytes = 4
	}
	out := bufio.NewWriterSize(file, 1<<18)
	if _, err := out.Write(header(rows, columns, bytes)); err != nil {
		return 0, err
	}
	line := make([]byte, 0, bytes*columns)
	for i := range rows {
		line = line[:0]
		for j := range columns {
			if v := samples[j*rows+i]; single {
				line = binary.LittleEndian.AppendUint32(line, math.Float32bits(float32(v)))
			} else {
				line = binary.LittleEndian.AppendUint64(line, math.Float64bits(v))
			}
		}
		sum = crc32.Update(sum, castagnoli, line)
		if _, err := out.Write(line); err != nil {
			return 0, err
		}
	}
	return sum, out.Flush()
}

// All yields the samples of any source, panel by panel: Write makes a folder of it.
func All(s Source) Samples {
	return func(yield func([]float64, error) bool) {
		if err := checkSource(s); err != nil {
			yield(nil, err)
			return
		}
		m, _ := s.Dims()
		x := make([]float64, m)
		for p := range s.Panels() {
			panel, err := load(s, p)
			if err != nil {
				yield(nil, err)
				return
			}
			_, b := panel.Dims()
			for j := range b {
				panel.column(x, j)
				if !yield(x, nil) {
					return
				}
			}
		}
	}
}

// column writes a column of the panel to x.
func (p Panel) column(x []float64, j int) {
	if p.Dense != nil {
		mat.Col(x, j, p.Dense)
		return
	}
	clear(x)
	for k := p.Sparse.Start[j]; k < p.Sparse.Start[j+1]; k++ {
		x[p.Sparse.Row[k]] = p.Sparse.Value[k]
	}
}

// CSV yields the lines of a table as samples, after the given number of lines with names. The
// fields are numbers with commas between them. Empty lines, and a byte order mark, are passed over.
func CSV(r io.Reader, names int) Samples {
	return func(yield func([]float64, error) bool) {
		in := bufio.NewScanner(r)
		in.Buffer(nil, 1<<28)
		var x []float64
		for line := 1; in.Scan(); line++ {
			text := in.Text()
			if line == 1 {
				text = strings.TrimPrefix(text, "\ufeff")
			}
			if line <= names || strings.TrimSpace(text) == "" {
				continue
			}
			x = x[:0]
			for field := range strings.SplitSeq(text, ",") {
				v, err := strconv.ParseFloat(strings.Trim(strings.TrimSpace(field), `"`), 64)
				if err != nil || strings.ContainsAny(field, "_xX") { // 1_1 and 0x1p3 are numbers in Go alone
					yield(nil, fmt.Errorf("%w: line %d, field %d is %.40q, want a number", rnmf.ErrFormat, line, len(x)+1, field))
					return
				}
				x = append(x, v)
			}
			if !yield(x, nil) {
				return
			}
		}
		if err := in.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// NPY yields the rows of a matrix in NumPy's format (n×m, float64 or float32, row after row) as
// samples, as scikit-learn keeps them. It may be larger than memory.
func NPY(r io.Reader) Samples {
	return func(yield func([]float64, error) bool) {
		in := bufio.NewReaderSize(r, 1<<18)
		h, err := readHeader(in)
		if err == nil && h.fortran {
			err = fmt.Errorf("%w: NPY: in Fortran's order the numbers of a row are scattered; save numpy.ascontiguousarray of the array", rnmf.ErrFormat)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		f, x := new(DiskSource), make([]float64, h.columns)
		for i := range h.rows {
			if _, err := f.convert(in, h, x); err != nil {
				yield(nil, fmt.Errorf("row %d: %w", i, err))
				return
			}
			if !yield(x, nil) {
				return
			}
		}
	}
}

// Sets yields the samples of parts that a function loads one after the other until it returns nil:
// files of images, of sparse matrices, or anything else that package datasets reads. A nil pointer, as the X of a
// sparse datasets.Set, is an error, and so is a sparse matrix whose parts do not fit together.
func Sets(next func() (mat.Matrix, error)) Samples {
	return func(yield func([]float64, error) bool) {
		for p := 0; ; p++ {
			part, err := next()
			if part == nil && err == nil {
				return
			}
			if err == nil && isnil.Matrix(part) {
				err = fmt.Errorf("%w: part %d is a nil %T", rnmf.ErrEmpty, p, part)
			} else if err == nil {
				if err = isnil.Check(part); err != nil {
					err = fmt.Errorf("%w: part %d: %w", rnmf.ErrShape, p, err)
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			m, n := part.Dims()
			x := make([]float64, m)
			for j := range n {
				mat.Col(x, j, part)
				if !yield(slices.Clip(x), nil) {
					return
				}
			}
		}
	}
}
