package panel

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/crc32"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
)

// The binary form of everything here: eight bytes that name it, a version, a kind, the numbers
// (little endian) and a checksum of all that (CRC-32C).

const (
	magic   = "RNMFpanl"
	version = 1
)

// The kinds of what is stored.
const (
	kindDataSummary byte = iota + 1
	kindStatistics
	kindRound
	kindCoefficients
	kindDriver
	kindMinibatch
)

var kinds = [...]string{"", "summary", "statistics", "round", "coefficients", "Batch", "Minibatch"}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type encoder struct{ b []byte }

func (e *encoder) begin() {
	if e.b == nil {
		e.b = append([]byte(magic), version, 0)
	}
}

func (e *encoder) uint(v uint64)   { e.begin(); e.b = binary.LittleEndian.AppendUint64(e.b, v) }
func (e *encoder) int(v int)       { e.uint(uint64(v)) }
func (e *encoder) float(v float64) { e.uint(math.Float64bits(v)) }

func (e *encoder) bool(v bool) {
	if v {
		e.uint(1)
	} else {
		e.uint(0)
	}
}

func (e *encoder) floats(v []float64) {
	e.int(len(v))
	for _, x := range v {
		e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(x))
	}
}

func (e *encoder) bytes(v []byte) {
	e.int(len(v))
	e.b = append(e.b, v...)
}

func (e *encoder) matrix(v *mat.Dense) {
	if v == nil {
		e.int(0)
		e.int(0)
		return
	}
	rows, columns := v.Dims()
	e.int(rows)
	e.int(columns)
	for i := range rows {
		for _, x := range v.RawRowView(i) {
			e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(x))
		}
	}
}

func (e *encoder) histogram(h *histogram.Counts) {
	e.uint(h.Zeros)
	var used int
	for _, o := range h.Octave {
		if o != nil {
			used++
		}
	}
	e.int(used)
	for i, o := range h.Octave {
		if o != nil {
			e.int(i)
			for _, c := range o {
				e.b = binary.AppendUvarint(e.b, c)
			}
		}
	}
}

// loss writes a loss as package gob does, which knows all of this project; one of your own is to be
// registered (gob.Register).
func (e *encoder) loss(l rnmf.Loss) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&l); err != nil {
		return fmt.Errorf("%w: the loss %T cannot be stored: %w", rnmf.ErrParameter, l, err)
	}
	e.bytes(b.Bytes())
	return nil
}

// seal returns all of it, with kind and checksum.
func (e *encoder) seal(kind byte) []byte {
	e.begin()
	e.b[len(magic)+1] = kind
	return binary.LittleEndian.AppendUint32(e.b, crc32.Checksum(e.b, castagnoli))
}

// A decoder reads what an encoder has written; after an error it returns zeros.
type decoder struct {
	b   []byte
	err error
}

// open checks the frame.
func open(b []byte, kind byte) (*decoder, error) {
	const head = len(magic) + 2
	switch {
	case len(b) < head+4 || string(b[:len(magic)]) != magic:
		return nil, fmt.Errorf("%w: %d bytes that do not begin as the state of a panel does", rnmf.ErrFormat, len(b))
	case b[len(magic)] != version:
		return nil, fmt.Errorf("%w: state of version %d, but this package reads version %d", rnmf.ErrFormat, b[len(magic)], version)
	case b[len(magic)+1] == 0 || int(b[len(magic)+1]) >= len(kinds):
		return nil, fmt.Errorf("%w: state of kind %d, which this package does not know", rnmf.ErrFormat, b[len(magic)+1])
	case b[len(magic)+1] != kind:
		return nil, fmt.Errorf("%w: the state of a %s, want that of a %s", rnmf.ErrFormat, kinds[b[len(magic)+1]], kinds[kind])
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, fmt.Errorf("%w: the checksum differs: the file is damaged", rnmf.ErrFormat)
	}
	return &decoder{b: body[head:]}, nil
}

func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.b) {
		if d.err == nil {
			d.err = fmt.Errorf("%w: it ends too early", rnmf.ErrFormat)
		}
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) uint() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) int() int       { return int(d.uint()) }
func (d *decoder) float() float64 { return math.Float64frombits(d.uint()) }
func (d *decoder) bool() bool     { return d.uint() != 0 }

// many reads n floats, nil for none.
func (d *decoder) many(n int) []float64 {
	if n < 0 || n > len(d.b)/8 {
		d.take(-1)
		return nil
	}
	b := d.take(8 * n)
	if n == 0 {
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v
}

func (d *decoder) floats() []float64 { return d.many(d.int()) }
func (d *decoder) bytes() []byte     { return d.take(d.int()) }

func (d *decoder) matrix() *mat.Dense {
	rows, columns := d.int(), d.int()
	if rows == 0 && columns == 0 {
		return nil
	}
	if rows <= 0 || columns <= 0 || rows > len(d.b)/8/columns {
		d.take(-1)
		return nil
	}
	return mat.NewDense(rows, columns, d.many(rows*columns))
}

func (d *decoder) histogram() *histogram.Counts {
	h := &histogram.Counts{Zeros: d.uint()}
	for range min(d.uint(), uint64(len(h.Octave))) {
		i := d.uint()
		if i >= uint64(len(h.Octave)) {
			d.take(-1)
			return h
		}
		h.Octave[i] = new([histogram.PerTwo]uint64)
		for k := range h.Octave[i] {
			c, n := binary.Uvarint(d.b)
			if n <= 0 {
				d.take(-1)
				return h
			}
			d.b = d.b[n:]
			h.Octave[i][k] = c
		}
	}
	return h
}

func (d *decoder) loss() (l rnmf.Loss) {
	b := d.bytes()
	if d.err == nil {
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&l); err != nil {
			d.err = fmt.Errorf("%w: its loss: %w", rnmf.ErrFormat, err)
		}
	}
	return l
}

// end returns the error, also if something is left.
func (d *decoder) end() error {
	if d.err == nil && len(d.b) > 0 {
		d.err = fmt.Errorf("%w: %d bytes too many", rnmf.ErrFormat, len(d.b))
	}
	return d.err
}
