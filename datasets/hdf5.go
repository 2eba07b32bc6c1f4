package datasets

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/robustnmf/robustnmf/internal/sniff"
)

// The format is described in "HDF5 File Format Specification", version 3.0 (The HDF
// Group). The library in Go that there is, github.com/scigolib/hdf5 v0.13.5, reads neither
// text of variable length nor integers of one or two bytes, takes groups that newer
// versions wrote for empty, and believes what sizes a file says, so the part of the format
// that tables need is here: see ReadHDF5 for what is not.

const (
	h5None       = math.MaxUint64 // the address of nothing
	h5MaxDepth   = 32             // of trees, links and types
	h5MaxHeader  = 1 << 20        // bytes of an object's header
	h5MaxChunk   = 1 << 27        // bytes of a chunk, unpacked
	h5MaxLinks   = 1 << 20        // of a group
	h5Free       = 1 << 28        // bytes that chunks may unpack to beyond what they hold
	h5WorkFactor = 8              // and for each byte of the data
)

// A h5File is a file whose addresses begin at base.
type h5File struct {
	r     io.ReaderAt
	size  int64
	base  uint64
	root  uint64 // address of a header
	left  budget
	work  int64 // bytes of headers, trees and heaps that may still be read
	depth int   // of types that are shared
	heap  struct {
		at      uint64
		objects map[uint16][]byte
	}
}

func h5Error(what string, a ...any) error {
	return fmt.Errorf("%w: HDF5: %s", ErrFormat, fmt.Sprintf(what, a...))
}

func h5Unsupported(what string, a ...any) error {
	return fmt.Errorf("%w: HDF5: %s", ErrUnsupported, fmt.Sprintf(what, a...))
}

func openH5(r io.ReaderAt, size int64, limit int) (*h5File, error) {
	f := &h5File{r: r, size: size, left: budget(limit), work: 16*size + 1<<24}
	var head []byte
	for at := int64(0); ; at = max(512, 2*at) { // after a block of the user's
		var err error
		if head, err = f.raw(uint64(at), 96, true); err != nil {
			if begin, failed := f.raw(0, int(min(size, 512)), true); failed == nil && errors.Is(err, ErrFormat) {
				err = fmt.Errorf("%w: %s", ErrFormat, sniff.Kind(begin))
			}
			return nil, fmt.Errorf("not an HDF5 file: %w", err)
		}
		if string(head[:8]) == "\x89HDF\r\n\x1a\n" {
			f.base = uint64(at)
			break
		}
	}
	le := binary.LittleEndian
	var sizes []byte
	var end uint64 // of the file, as it was written
	switch version := head[8]; version {
	case 0, 1:
		sizes = head[13:15]
		at := 24 + 4*int(version)
		f.base, end = le.Uint64(head[at:]), le.Uint64(head[at+16:])
		f.root = le.Uint64(head[at+32+8:])
	case 2, 3:
		sizes = head[9:11]
		f.base, end = le.Uint64(head[12:]), le.Uint64(head[28:])
		f.root = le.Uint64(head[36:])
		if sizes[0] == 8 && lookup3(head[:44]) != le.Uint32(head[44:]) {
			return nil, h5Error("the checksum of the superblock differs: it is damaged")
		}
	default:
		return nil, h5Unsupported("version %d of the superblock", version)
	}
	if sizes[0] != 8 || sizes[1] != 8 {
		return nil, h5Unsupported("addresses of %d bytes", sizes[0])
	}
	if end != h5None && end > uint64(f.size) {
		return nil, h5Error("the file is cut off: it has %d bytes of %d", f.size, end)
	}
	return f, nil
}

// raw reads n bytes of the file itself; what a short file has not is zeros.
func (f *h5File) raw(at uint64, n int, short bool) ([]byte, error) {
	if at > uint64(f.size) || !short && uint64(n) > uint64(f.size)-at || at == uint64(f.size) {
		return nil, h5Error("%d bytes at byte %d, but the file has %d bytes: it is damaged", n, at, f.size)
	}
	if f.work -= int64(n); f.work < 0 {
		return nil, h5Error("parts of the file are used again and again")
	}
	b := make([]byte, n)
	if k, err := f.r.ReadAt(b, int64(at)); err != nil && !(errors.Is(err, io.EOF) && (short || k == n)) {
		return nil, readError(err)
	}
	return b, nil
}

// at reads n bytes at an address.
func (f *h5File) at(address uint64, n int) (*h5Bytes, error) {
	if address == h5None || address > math.MaxInt64-f.base {
		return nil, h5Error("no address: %#x", address)
	}
	b, err := f.raw(f.base+address, n, false)
	return &h5Bytes{b: b}, err
}

// h5Bytes are read from front to back. After the first that is not there all is zero.
type h5Bytes struct {
	b   []byte
	bad bool
}

func (b *h5Bytes) take(n int) []byte {
	if n < 0 || n > len(b.b) {
		b.bad, b.b = true, nil
		if n < 0 || n > 64 {
			n = 64
		}
		return make([]byte, n)
	}
	out := b.b[:n]
	b.b = b.b[n:]
	return out
}

func (b *h5Bytes) u8() int     { return int(b.take(1)[0]) }
func (b *h5Bytes) u16() int    { return int(binary.LittleEndian.Uint16(b.take(2))) }
func (b *h5Bytes) u32() uint32 { return binary.LittleEndian.Uint32(b.take(4)) }
func (b *h5Bytes) u64() uint64 { return binary.LittleEndian.Uint64(b.take(8)) }

// uint reads a number of 1, 2, 4 or 8 bytes.
func (b *h5Bytes) uint(n int) uint64 {
	var all [8]byte
	copy(all[:], b.take(n))
	return binary.LittleEndian.Uint64(all[:])
}

func (b *h5Bytes) err(what string) error {
	if b.bad {
		return h5Error("%s is cut off", what)
	}
	return nil
}

// Types of messages.
const (
	h5Dataspace  = 0x01
	h5LinkInfo   = 0x02
	h5Datatype   = 0x03
	h5OldFill    = 0x04
	h5Fill       = 0x05
	h5Link       = 0x06
	h5Layout     = 0x08
	h5Filters    = 0x0b
	h5Attribute  = 0x0c
	h5Continued  = 0x10
	h5SymbolLink = 0x11
)

type h5Message struct {
	kind  int
	flags int
	data  []byte
}

// messages returns the messages of an object's header.
func (f *h5File) messages(address uint64) ([]h5Message, error) {
	head, err := f.at(address, 16)
	if err != nil {
		return nil, err
	}
	var (
		all    []h5Message
		blocks [][2]uint64
		second = string(head.b[:4]) == "OHDR"
		order  = 0 // bytes of the creation order
	)
	if second {
		flags := int(head.b[5])
		skip := 6 + flags>>5&1*16 + flags>>4&1*4
		if flags&4 != 0 {
			order = 2
		}
		more, err := f.at(address, skip+8)
		if err != nil {
			return nil, err
		}
		more.take(skip)
		blocks = append(blocks, [2]uint64{address + uint64(skip+1<<(flags&3)), more.uint(1 << (flags & 3))})
	} else {
		if head.u8() != 1 {
			return nil, h5Error("no header of an object at %#x", address)
		}
		head.take(7)
		blocks = append(blocks, [2]uint64{address + 16, uint64(head.u32())})
	}
	total := uint64(0)
	for k := 0; k < len(blocks); k++ {
		from, size := blocks[k][0], blocks[k][1]
		if second && k == 0 { // with what comes before the messages, and the checksum
			size += from - address + 4
			from = address
		}
		if total += size; size > h5MaxHeader || total > h5MaxHeader {
			return nil, fmt.Errorf("%w: HDF5: a header of %d bytes", ErrTooLarge, total)
		}
		b, err := f.at(from, int(size))
		if err != nil {
			return nil, err
		}
		if second {
			end := len(b.b) - 4
			if end < 4 || k > 0 && string(b.b[:4]) != "OCHK" {
				return nil, h5Error("no continued header at %#x", from)
			}
			if lookup3(b.b[:end]) != binary.LittleEndian.Uint32(b.b[end:]) {
				return nil, h5Error("the checksum of the header at %#x differs: it is damaged", from)
			}
			if b.b = b.b[4:end]; k == 0 {
				b.take(int(blocks[0][0]-address) - 4)
			}
		}
		least := 8
		if second {
			least = 4 + order
		}
		for len(b.b) >= least {
			var m h5Message
			var n int
			if second {
				m.kind, n, m.flags = b.u8(), b.u16(), b.u8()
				b.take(order)
			} else {
				m.kind, n, m.flags = b.u16(), b.u16(), b.u8()
				b.take(3)
			}
			m.data = b.take(n)
			if err := b.err("a header"); err != nil {
				return nil, err
			}
			if m.kind == h5Continued {
				c := &h5Bytes{b: m.data}
				blocks = append(blocks, [2]uint64{c.u64(), c.u64()})
				if err := c.err("a continued header"); err != nil {
					return nil, err
				}
			}
			if m.flags&2 != 0 && m.kind == h5Datatype { // it is that of another object
				if m.data, err = f.shared(m.data); err != nil {
					return nil, err
				}
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// shared returns a datatype that has a name, and so a header of its own.
func (f *h5File) shared(data []byte) ([]byte, error) {
	b := &h5Bytes{b: data}
	version, kind := b.u8(), b.u8()
	if version == 1 {
		b.take(6)
	}
	address := b.u64()
	if err := b.err("a shared type"); err != nil {
		return nil, err
	}
	if version == 3 && kind != 2 {
		return nil, h5Unsupported("a type in a heap of shared messages")
	}
	f.depth++
	defer func() { f.depth-- }()
	if f.depth > 4 {
		return nil, h5Error("types that are shared in a circle")
	}
	all, err := f.messages(address)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.kind == h5Datatype && m.flags&2 == 0 {
			return m.data, nil
		}
	}
	return nil, h5Error("no type at %#x", address)
}

// A h5Object is a group or a dataset.
type h5Object struct {
	f    *h5File
	path string
	all  []h5Message
}

func (f *h5File) object(address uint64, path string) (*h5Object, error) {
	all, err := f.messages(address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &h5Object{f, path, all}, nil
}

// message returns the data of the first message of a kind, nil if there is none.
func (o *h5Object) message(kind int) []byte {
	for _, m := range o.all {
		if m.kind == kind {
			return m.data
		}
	}
	return nil
}

func (o *h5Object) isDataset() bool { return o.message(h5Layout) != nil }

// A h5Target is where a link leads to.
type h5Target struct {
	address uint64
	soft    string // a path; "" for an address
}

// links returns the links of a group.
func (o *h5Object) links() (map[string]h5Target, error) {
	links := map[string]h5Target{}
	put := func(name string, t h5Target) error {
		if len(links) >= h5MaxLinks || len(name) > maxName {
			return fmt.Errorf("%w: HDF5: a group of more than %d links, or a long name", ErrTooLarge, h5MaxLinks)
		}
		links[name] = t
		return o.f.left.takeName(name)
	}
	for _, m := range o.all {
		b := &h5Bytes{b: m.data}
		switch m.kind {
		case h5LinkInfo:
			b.u8()
			if b.u8()&1 != 0 {
				b.u64()
			}
			if heap := b.u64(); heap != h5None && !b.bad {
				return nil, h5Unsupported("a group of many links in the newest format: h5repack -l CONTI OLD NEW writes it anew")
			}
		case h5Link:
			b.u8()
			flags, kind := b.u8(), 0
			if flags&8 != 0 {
				kind = b.u8()
			}
			if flags&4 != 0 {
				b.u64()
			}
			if flags&16 != 0 {
				b.u8()
			}
			name := string(b.take(int(min(b.uint(1<<(flags&3)), math.MaxInt32))))
			var t h5Target
			switch kind {
			case 0:
				t.address = b.u64()
			case 1:
				t.soft = string(b.take(b.u16()))
			default:
				continue // to other files
			}
			if err := b.err("a link"); err != nil {
				return nil, err
			}
			if err := put(name, t); err != nil {
				return nil, err
			}
		case h5SymbolLink:
			tree, heap := b.u64(), b.u64()
			if err := b.err("a table of symbols"); err != nil {
				return nil, err
			}
			h, err := o.f.at(heap, 32)
			if err != nil {
				return nil, err
			}
			if string(h.take(4)) != "HEAP" {
				return nil, h5Error("no heap at %#x", heap)
			}
			h.take(4)
			size := h.u64()
			h.u64()
			if size > 1<<30 {
				return nil, fmt.Errorf("%w: HDF5: names of %d bytes", ErrTooLarge, size)
			}
			names, err := o.f.at(h.u64(), int(size))
			if err != nil {
				return nil, err
			}
			text := func(at uint64) (string, error) {
				if at >= uint64(len(names.b)) {
					return "", h5Error("a name at %d of %d", at, len(names.b))
				}
				name, _, _ := bytes.Cut(names.b[at:], []byte{0})
				return string(name), nil
			}
			err = o.f.tree(tree, 0, 0, func(_ []byte, child uint64) error {
				return o.f.symbols(child, text, put)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return links, nil
}

// symbols reads a node of symbols.
func (f *h5File) symbols(address uint64, text func(uint64) (string, error), put func(string, h5Target) error) error {
	b, err := f.at(address, 8)
	if err != nil {
		return err
	}
	if string(b.take(4)) != "SNOD" {
		return h5Error("no symbols at %#x", address)
	}
	b.take(2)
	n := b.u16()
	if b, err = f.at(address+8, 40*n); err != nil {
		return err
	}
	for range n {
		name, err := text(b.u64())
		if err != nil {
			return err
		}
		t := h5Target{address: b.u64()}
		kind := b.u32()
		b.u32()
		scratch := b.take(16)
		if kind == 2 {
			if t.soft, err = text(uint64(binary.LittleEndian.Uint32(scratch))); err != nil {
				return err
			}
		}
		if err := put(name, t); err != nil {
			return err
		}
	}
	return nil
}

// tree calls leaf for all children of a B-tree of version 1, of groups (kind 0) or chunks
// (1), with their keys.
func (f *h5File) tree(root uint64, kind, rank int, leaf func(key []byte, child uint64) error) error {
	seen := map[uint64]bool{}
	key := 8
	if kind == 1 {
		key = 8 + 8*(rank+1)
	}
	var walk func(address uint64, level int) error
	walk = func(address uint64, level int) error {
		if seen[address] || len(seen) > h5MaxLinks {
			return h5Error("a tree that comes back to %#x, or is too large", address)
		}
		seen[address] = true
		b, err := f.at(address, 24)
		if err != nil {
			return err
		}
		if string(b.take(4)) != "TREE" || b.u8() != kind {
			return h5Error("no tree at %#x", address)
		}
		now := b.u8()
		if level >= 0 && now != level || now > h5MaxDepth {
			return h5Error("a tree with level %d below %d", now, level+1)
		}
		n := b.u16()
		if b, err = f.at(address+24, n*(key+8)); err != nil {
			return err
		}
		for range n {
			k, child := b.take(key), b.u64()
			if now > 0 {
				err = walk(child, now-1)
			} else {
				err = leaf(k, child)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return walk(root, -1)
}

// find follows a path from the root. The error is ErrNoVariable if it leads nowhere.
func (f *h5File) find(path string) (*h5Object, error) { return f.follow(path, 0) }

func (f *h5File) follow(path string, depth int) (*h5Object, error) {
	if depth > h5MaxDepth {
		return nil, h5Error("links that lead in a circle")
	}
	o, err := f.object(f.root, "/")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" {
			continue
		}
		if o, err = o.below(name, depth); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// child returns the object of a name in a group.
func (o *h5Object) child(name string) (*h5Object, error) { return o.below(name, 0) }

func (o *h5Object) below(name string, depth int) (*h5Object, error) {
	links, err := o.links()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.path, err)
	}
	t, ok := links[name]
	if !ok {
		var have []string
		for name := range links {
			have = append(have, tidyName(name))
		}
		slices.Sort(have)
		return nil, fmt.Errorf("%w: %q; the group %s has %s", ErrNoVariable, name, tidyName(o.path), list(have))
	}
	if t.soft == "" {
		return o.f.object(t.address, strings.TrimSuffix(o.path, "/")+"/"+name)
	}
	if !strings.HasPrefix(t.soft, "/") {
		t.soft = o.path + "/" + t.soft
	}
	return o.f.follow(t.soft, depth+1)
}

// has returns the object at a path, nil if there is none that can be read.
func (f *h5File) has(path string) *h5Object {
	o, err := f.find(path)
	if err != nil {
		return nil
	}
	return o
}

// A h5Type is a datatype.
type h5Type struct {
	class, size int
	order       binary.ByteOrder
	signed      bool
	base        *h5Type // of an enumeration, or of what has variable length
	text        bool    // of variable length
}

// Classes of types.
const (
	h5Fixed  = 0
	h5Float  = 1
	h5String = 3
	h5Ref    = 7
	h5Enum   = 8
	h5Vlen   = 9
)

func parseH5Type(data []byte, depth int) (*h5Type, error) {
	b := &h5Bytes{b: data}
	class := b.u8()
	bits := b.take(3)
	t := &h5Type{class: class & 15, order: binary.LittleEndian}
	size := b.u32()
	if err := b.err("a type"); err != nil {
		return nil, err
	}
	if size == 0 || size > 1<<24 || depth > h5MaxDepth {
		return nil, h5Error("a type of %d bytes", size)
	}
	t.size = int(size)
	if bits[0]&1 != 0 && t.class <= h5Float {
		t.order = binary.BigEndian
	}
	switch t.class {
	case h5Fixed:
		t.signed = bits[0]&8 != 0
		offset, precision := b.u16(), b.u16()
		if !slices.Contains([]int{1, 2, 4, 8}, t.size) || offset != 0 || precision != 8*t.size {
			return nil, h5Unsupported("integers of %d bits in %d bytes", precision, t.size)
		}
	case h5Float:
		offset, precision := b.u16(), b.u16()
		exponent := b.take(2)
		mantissa := b.take(2)
		form := [6]int{t.size, int(exponent[0]), int(exponent[1]), int(mantissa[0]), int(mantissa[1]), int(b.u32())}
		known := [][6]int{{8, 52, 11, 0, 52, 1023}, {4, 23, 8, 0, 23, 127}, {2, 10, 5, 0, 10, 15}}
		// The sign is the highest bit, and the highest bit of the mantissa is implied.
		if !slices.Contains(known, form) || offset != 0 || precision != 8*t.size || bits[0]&0x70 != 0x20 || int(bits[1]) != 8*t.size-1 {
			return nil, h5Unsupported("floats of %d bytes that are not those of IEEE 754", t.size)
		}
	case h5Enum, h5Vlen:
		var err error
		if t.base, err = parseH5Type(b.b, depth+1); err != nil {
			return nil, err
		}
		if t.text = t.class == h5Vlen && bits[0]&15 == 1; t.class == h5Vlen && t.size != 16 || t.class == h5Enum && t.base.size != t.size {
			return nil, h5Error("a type of %d bytes", t.size)
		}
	case h5Ref:
		if t.size != 8 {
			return nil, h5Unsupported("references of %d bytes", t.size)
		}
	}
	return t, b.err("a type")
}

// number returns how a value is read, nil if it is no number.
func (t *h5Type) number() func(b []byte) float64 {
	order := t.order
	switch t.class {
	case h5Enum:
		return t.base.number()
	case h5Float:
		switch t.size {
		case 2:
			return func(b []byte) float64 { return half(order.Uint16(b)) }
		case 4:
			return func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
		}
		return func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }
	case h5Fixed:
		switch {
		case t.size == 1 && t.signed:
			return func(b []byte) float64 { return float64(int8(b[0])) }
		case t.size == 1:
			return func(b []byte) float64 { return float64(b[0]) }
		case t.size == 2 && t.signed:
			return func(b []byte) float64 { return float64(int16(order.Uint16(b))) }
		case t.size == 2:
			return func(b []byte) float64 { return float64(order.Uint16(b)) }
		case t.size == 4 && t.signed:
			return func(b []byte) float64 { return float64(int32(order.Uint32(b))) }
		case t.size == 4:
			return func(b []byte) float64 { return float64(order.Uint32(b)) }
		case t.signed:
			return func(b []byte) float64 { return float64(int64(order.Uint64(b))) }
		}
		return func(b []byte) float64 { return float64(order.Uint64(b)) }
	}
	return nil
}

// half reads a float of two bytes.
func half(v uint16) float64 {
	sign, e, m := 1-2*float64(v>>15), int(v>>10&31), float64(v&1023)
	switch e {
	case 0:
		return sign * math.Ldexp(m, -24)
	case 31:
		if m != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+m, e-25)
}

// parseH5Space returns the dimensions: none of a scalar, and nil of no data.
func parseH5Space(data []byte) ([]int, error) {
	b := &h5Bytes{b: data}
	version, rank := b.u8(), b.u8()
	b.u8()
	switch version {
	case 1:
		b.take(5)
	case 2:
		if b.u8() == 2 {
			return nil, nil
		}
	default:
		return nil, h5Error("version %d of a dataspace", version)
	}
	if rank > 32 {
		return nil, h5Error("%d dimensions", rank)
	}
	dims := make([]int, rank)
	for k := range dims {
		d := b.u64()
		if d > math.MaxInt32 {
			return nil, fmt.Errorf("%w: HDF5: a dimension of %d", ErrTooLarge, d)
		}
		dims[k] = int(d)
	}
	return dims, b.err("a dataspace")
}

// A h5Data is what a dataset or an attribute says of its values.
type h5Data struct {
	*h5Type
	dims []int // of its values, of which there are n; nil for none
	n    int
}

func (f *h5File) describe(kind, space []byte) (h5Data, error) {
	t, err := parseH5Type(kind, 0)
	if err != nil {
		return h5Data{}, err
	}
	dims, err := parseH5Space(space)
	if err != nil {
		return h5Data{}, err
	}
	d := h5Data{h5Type: t, dims: dims}
	if dims != nil {
		d.n = product(int(f.left), dims...)
	}
	if d.n < 0 {
		return h5Data{}, fmt.Errorf("an array of %v: %w", dims, errTooMany())
	}
	return d, nil
}

func (o *h5Object) describe() (h5Data, error) {
	if !o.isDataset() {
		return h5Data{}, fmt.Errorf("%w: %s is a group, not an array", ErrUnsupported, o.path)
	}
	d, err := o.f.describe(o.message(h5Datatype), o.message(h5Dataspace))
	if err != nil {
		return d, fmt.Errorf("%s: %w", o.path, err)
	}
	return d, nil
}

// attributes returns the attributes that lie in the header.
func (o *h5Object) attribute(name string) (h5Data, []byte, bool) {
	for _, m := range o.all {
		if m.kind != h5Attribute {
			continue
		}
		b := &h5Bytes{b: m.data}
		version, flags := b.u8(), b.u8()
		sizes := [3]int{b.u16(), b.u16(), b.u16()}
		if version == 3 {
			b.u8()
		}
		var parts [3][]byte
		for k, n := range sizes {
			parts[k] = b.take(n)
			if version == 1 {
				b.take(-n & 7)
			}
		}
		if b.bad || flags&3 != 0 || strings.TrimRight(string(parts[0]), "\x00") != name {
			continue
		}
		d, err := o.f.describe(parts[1], parts[2])
		if err != nil || len(b.b) < d.n*d.size {
			return h5Data{}, nil, false
		}
		return d, b.b, true
	}
	return h5Data{}, nil, false
}

// attributeText returns an attribute that is a string, "" if there is none.
func (o *h5Object) attributeText(name string) string {
	d, data, ok := o.attribute(name)
	if !ok || d.n != 1 {
		return ""
	}
	text, _ := o.f.text(d.h5Type, data)
	return text
}

// attributeNumbers returns an attribute that is of numbers, nil if there is none.
func (o *h5Object) attributeNumbers(name string) []float64 {
	d, data, ok := o.attribute(name)
	if !ok || d.number() == nil || d.n > 64 {
		return nil
	}
	var out []float64
	for k := range d.n {
		out = append(out, d.number()(data[k*d.size:]))
	}
	return out
}

// text returns a string.
func (f *h5File) text(t *h5Type, data []byte) (string, error) {
	switch {
	case t.class == h5String:
		text, _, _ := bytes.Cut(data[:t.size], []byte{0})
		return tidyName(strings.TrimRight(string(text), " ")), nil
	case t.class != h5Vlen || !t.text:
		return "", h5Unsupported("a type of class %d where text belongs", t.class)
	}
	b := &h5Bytes{b: data}
	n, heap, index := int64(b.u32()), b.u64(), b.u32()
	if n == 0 || heap == 0 {
		return "", nil
	}
	object, err := f.global(heap, index)
	if err != nil {
		return "", err
	}
	if n > int64(len(object)) {
		return "", h5Error("a text of %d bytes in %d", n, len(object))
	}
	text, _, _ := bytes.Cut(object[:n], []byte{0})
	return tidyName(string(text)), nil
}

// global returns an object of a global heap. The last heap is kept.
func (f *h5File) global(address uint64, index uint32) ([]byte, error) {
	if f.heap.objects == nil || f.heap.at != address {
		b, err := f.at(address, 16)
		if err != nil {
			return nil, err
		}
		if string(b.take(4)) != "GCOL" {
			return nil, h5Error("no heap at %#x", address)
		}
		b.take(4)
		size := b.u64()
		if size < 16 || size > 1<<28 {
			return nil, h5Error("a heap of %d bytes", size)
		}
		if b, err = f.at(address+16, int(size)-16); err != nil {
			return nil, err
		}
		f.heap.at, f.heap.objects = address, map[uint16][]byte{}
		for len(b.b) >= 16 {
			k := b.u16()
			b.take(6)
			n := b.u64()
			if k == 0 || n > uint64(len(b.b)) {
				break
			}
			f.heap.objects[uint16(k)] = b.take(int(n))
			b.b = b.b[min(int(-n&7), len(b.b)):]
		}
	}
	object, ok := f.heap.objects[uint16(index)]
	if !ok || index > math.MaxUint16 {
		return nil, h5Error("no object %d in the heap at %#x", index, address)
	}
	return object, nil
}

// values calls put with the bytes of all values, in any order, and their places; those
// that were never written have the fill value.
func (o *h5Object) values(d h5Data, put func(k int, b []byte) error) error {
	if d.n == 0 {
		return nil
	}
	b := &h5Bytes{b: o.message(h5Layout)}
	version, class := b.u8(), b.u8()
	if version != 3 && version != 4 {
		return h5Unsupported("version %d of a layout", version)
	}
	fill, err := o.fill(d.size)
	if err != nil {
		return err
	}
	all := func(data []byte, from int) error {
		for k := 0; len(data) > 0; k, data = k+1, data[d.size:] {
			if err := put(from+k, data[:d.size]); err != nil {
				return err
			}
		}
		return nil
	}
	blank := func() error {
		for k := range d.n {
			if err := put(k, fill); err != nil {
				return err
			}
		}
		return nil
	}
	switch class {
	case 0:
		data := b.take(b.u16())
		if len(data) != d.n*d.size {
			return h5Error("%d values of %d bytes in %d", d.n, d.size, len(data))
		}
		return all(data, 0)
	case 1:
		address := b.u64()
		if err := b.err("a layout"); err != nil {
			return err
		}
		if address == h5None {
			return blank()
		}
		some := max(1, 1<<16/d.size)
		for from := 0; from < d.n; from += some {
			n := min(some, d.n-from)
			o.f.work += int64(n * d.size) // each is read once
			data, err := o.f.at(address+uint64(from)*uint64(d.size), n*d.size)
			if err != nil {
				return err
			}
			if err := all(data.b, from); err != nil {
				return err
			}
		}
		return nil
	case 2:
		return o.chunks(version, b, d, blank, put)
	}
	return h5Unsupported("layout %d", class)
}

// fill returns the value of what was never written.
func (o *h5Object) fill(size int) ([]byte, error) {
	out := make([]byte, size)
	if data := o.message(h5Fill); data != nil {
		b := &h5Bytes{b: data}
		switch b.u8() {
		case 1:
			b.take(3)
		case 2:
			if b.take(3)[2] == 0 {
				return out, nil
			}
		case 3:
			if b.u8()&0x20 == 0 {
				return out, nil
			}
		default:
			return nil, h5Error("a fill value")
		}
		if n := int(b.u32()); n == size && len(b.b) >= n {
			copy(out, b.b)
		}
	} else if data := o.message(h5OldFill); len(data) == 4+size {
		copy(out, data[4:])
	}
	return out, nil
}

// h5Chunks are the values of a dataset that lies in chunks.
type h5Chunks struct {
	o       *h5Object
	d       h5Data
	size    []int // of a chunk, in values
	values  int   // of a chunk
	grid    int   // how many chunks there may be
	filters []h5Filter
	put     func(k int, b []byte) error

	seen   int   // chunks that were read
	packed int64 // their bytes
	work   int64 // bytes that may still be unpacked
}

// chunks reads the values of a dataset that lies in chunks.
func (o *h5Object) chunks(version int, b *h5Bytes, d h5Data, blank func() error, put func(k int, b []byte) error) error {
	c := &h5Chunks{o: o, d: d, put: put, work: int64(h5Free) + h5WorkFactor*int64(d.n)*int64(d.size)}
	flags := 0
	if version == 4 {
		flags = b.u8()
	}
	if rank := len(d.dims); b.u8() != rank+1 || rank == 0 {
		return h5Error("chunks of another rank")
	}
	address, wide := uint64(0), 4
	if version == 3 {
		address = b.u64()
	} else if wide = b.u8(); wide < 1 || wide > 8 {
		return h5Error("sizes of chunks of %d bytes", wide)
	}
	err := c.sizes(b, wide)
	if err == nil {
		c.filters, err = o.filters()
	}
	if err != nil {
		return err
	}
	if version == 4 {
		return c.inOrder(b, flags, blank)
	}
	if err := b.err("a layout"); err != nil {
		return err
	}
	// What is in no chunk has the fill value: it is put first.
	if err := blank(); err != nil || address == h5None {
		return err
	}
	return c.tree(address)
}

// sizes reads the size of a chunk.
func (c *h5Chunks) sizes(b *h5Bytes, wide int) error {
	c.grid, c.size = 1, make([]int, len(c.d.dims))
	for k, dim := range c.d.dims {
		c.size[k] = int(min(b.uint(wide), math.MaxInt32))
		if c.size[k] == 0 {
			return h5Error("chunks of no size")
		}
		if c.grid *= (dim + c.size[k] - 1) / c.size[k]; c.grid > c.d.n {
			return h5Error("%d chunks for %d values", c.grid, c.d.n)
		}
	}
	if int(b.uint(wide)) != c.d.size {
		return h5Error("chunks of another type")
	}
	if c.values = product(h5MaxChunk/c.d.size, c.size...); c.values < 0 {
		return fmt.Errorf("%w: HDF5: chunks of %v", ErrTooLarge, c.size)
	}
	return nil
}

// inOrder reads chunks of which one comes after the other, or only one.
func (c *h5Chunks) inOrder(b *h5Bytes, flags int, blank func() error) error {
	const single, implicit = 1, 2
	kind := b.u8()
	stored, mask := c.values*c.d.size, uint32(0)
	if kind == single && flags&2 != 0 {
		n := b.u64()
		if stored = int(min(n, h5MaxChunk+1)); stored > h5MaxChunk {
			return fmt.Errorf("%w: HDF5: a chunk of %d bytes", ErrTooLarge, n)
		}
		mask = b.u32()
	}
	if kind != single && kind != implicit {
		return h5Unsupported("chunks with an index of the newest format: h5repack -l CONTI OLD NEW writes it anew")
	}
	address := b.u64()
	if err := b.err("a layout"); err != nil {
		return err
	}
	if kind == single && c.grid != 1 {
		return h5Error("a single chunk of %v for %v", c.size, c.d.dims)
	}
	if address == h5None {
		return blank()
	}
	at := make([]int, len(c.size))
	for k := range c.grid {
		if err := c.read(at, address+uint64(k)*uint64(stored), stored, mask); err != nil {
			return err
		}
		for i := len(at) - 1; i >= 0; i-- {
			if at[i] += c.size[i]; at[i] < c.d.dims[i] {
				break
			}
			at[i] = 0
		}
	}
	return nil
}

// tree reads chunks that are leaves of a tree. HDF5 looks them up by their places, so these must rise.
func (c *h5Chunks) tree(address uint64) error {
	var last []int
	return c.o.f.tree(address, 1, len(c.size), func(key []byte, child uint64) error {
		k := &h5Bytes{b: key}
		stored, mask := k.u32(), k.u32()
		if stored > h5MaxChunk {
			return fmt.Errorf("%w: HDF5: a chunk of %d bytes", ErrTooLarge, stored)
		}
		at := make([]int, len(c.size))
		for i, dim := range c.d.dims {
			p := k.u64()
			if p >= uint64(dim) || int(p)%c.size[i] != 0 {
				return h5Error("a chunk at %d of dimension %d, which has %d", p, i, dim)
			}
			at[i] = int(p)
		}
		if k.u64() != 0 || last != nil && slices.Compare(at, last) <= 0 {
			return h5Error("a chunk at %v after that at %v", at, last)
		}
		last = at
		return c.read(at, child, int(stored), mask)
	})
}

// read reads the chunk that begins at some place.
func (c *h5Chunks) read(at []int, address uint64, stored int, mask uint32) error {
	if c.seen++; c.seen > c.grid {
		return h5Error("more than %d chunks", c.grid)
	}
	if c.work -= int64(c.values * c.d.size); c.work < 0 {
		return fmt.Errorf("%w: HDF5: chunks that unpack to far more than they hold", ErrTooLarge)
	}
	if c.packed += int64(stored); c.packed > c.o.f.size {
		return h5Error("chunks that lie in each other")
	}
	c.o.f.work += int64(stored)
	data, err := c.o.f.at(address, stored)
	if err != nil {
		return err
	}
	raw, err := unpackH5(data.b, c.filters, mask, c.values*c.d.size)
	if err != nil {
		return fmt.Errorf("chunk %v: %w", at, err)
	}
	return c.place(at, raw)
}

// place puts the values of a chunk that begins there, but for those outside of the dataset.
func (c *h5Chunks) place(at []int, data []byte) error {
	d, last := c.d, len(at)-1
	index := make([]int, len(at))
	for k := 0; k < c.values; {
		to, inside := 0, true
		for i := range at {
			p := at[i] + index[i]
			inside = inside && p < d.dims[i]
			to = to*d.dims[i] + p
		}
		if inside {
			for v := range min(c.size[last], d.dims[last]-at[last]) {
				if err := c.put(to+v, data[(k+v)*d.size:(k+v+1)*d.size]); err != nil {
					return err
				}
			}
		}
		k += c.size[last]
		for i := last - 1; i >= 0; i-- { // the next row of the chunk
			if index[i]++; index[i] < c.size[i] {
				break
			}
			index[i] = 0
		}
	}
	return nil
}

// A h5Filter packs the bytes of a chunk.
type h5Filter struct{ id, size int } // of an element, for shuffle

// filters returns the filters in the order in which they were used.
func (o *h5Object) filters() ([]h5Filter, error) {
	data := o.message(h5Filters)
	if data == nil {
		return nil, nil
	}
	b := &h5Bytes{b: data}
	version, n := b.u8(), b.u8()
	if version == 1 {
		b.take(6)
	}
	var out []h5Filter
	for range n {
		id, name := b.u16(), 0
		if version == 1 || id >= 256 {
			name = b.u16()
		}
		b.u16()
		values := b.u16()
		if version == 1 {
			name = (name + 7) &^ 7
			values += values & 1
		}
		b.take(name)
		parameters := b.take(4 * values)
		f := h5Filter{id: id, size: 1}
		if len(parameters) >= 4 {
			f.size = int(binary.LittleEndian.Uint32(parameters))
		}
		out = append(out, f)
	}
	return out, b.err("filters")
}

// unpackH5 undoes the filters of a chunk, the last first, but for those that the mask has.
func unpackH5(data []byte, filters []h5Filter, mask uint32, want int) ([]byte, error) {
	for k := len(filters) - 1; k >= 0; k-- {
		if k < 32 && mask>>k&1 != 0 {
			continue
		}
		switch filters[k].id {
		case 1:
			z, err := zlib.NewReader(bytes.NewReader(data))
			if err != nil {
				return nil, readError(err)
			}
			// A checksum may follow.
			if data, err = io.ReadAll(io.LimitReader(z, int64(want)+16)); err != nil {
				return nil, readError(err)
			}
		case 2:
			size := max(filters[k].size, 1)
			n := len(data) / size
			out := slices.Clone(data) // what is less than an element stays
			for i := range n {
				for j := range size {
					out[i*size+j] = data[j*n+i]
				}
			}
			data = out
		case 3:
			if len(data) < 4 {
				return nil, h5Error("a checksum that is cut off")
			}
			if sum := binary.LittleEndian.Uint32(data[len(data)-4:]); !fletcher32(data[:len(data)-4], sum) {
				return nil, h5Error("the checksum differs: it is damaged")
			}
			data = data[:len(data)-4]
		case 32000:
			var err error
			if data, err = unpackLZF(data, want+16); err != nil {
				return nil, err
			}
		default:
			return nil, h5Unsupported("filter %d: h5repack -f GZIP=6 OLD NEW packs the data anew, where it knows the filter", filters[k].id)
		}
	}
	if len(data) != want {
		return nil, h5Error("%d bytes, not %d", len(data), want)
	}
	return data, nil
}

// lookup3 is the checksum of headers in the newer versions: hashlittle of Jenkins, lookup3.c (2006).
func lookup3(data []byte) uint32 {
	le, rot := binary.LittleEndian, bits.RotateLeft32
	a := uint32(0xdeadbeef) + uint32(len(data))
	b, c := a, a
	for ; len(data) > 12; data = data[12:] {
		a, b, c = a+le.Uint32(data), b+le.Uint32(data[4:]), c+le.Uint32(data[8:])
		a = (a - c) ^ rot(c, 4)
		c += b
		b = (b - a) ^ rot(a, 6)
		a += c
		c = (c - b) ^ rot(b, 8)
		b += a
		a = (a - c) ^ rot(c, 16)
		c += b
		b = (b - a) ^ rot(a, 19)
		a += c
		c = (c - b) ^ rot(b, 4)
		b += a
	}
	if len(data) == 0 {
		return c
	}
	var last [12]byte
	copy(last[:], data)
	a, b, c = a+le.Uint32(last[:]), b+le.Uint32(last[4:]), c+le.Uint32(last[8:])
	c = (c ^ b) - rot(b, 14)
	a = (a ^ c) - rot(c, 11)
	b = (b ^ a) - rot(a, 25)
	c = (c ^ b) - rot(b, 16)
	a = (a ^ c) - rot(c, 4)
	b = (b ^ a) - rot(a, 14)
	return (c ^ b) - rot(b, 24)
}

// fletcher32 tells whether that is the checksum of HDF5, of which 0 and 65535 are the same.
func fletcher32(data []byte, sum uint32) bool {
	a, b := uint32(0), uint32(0)
	for k := 0; k < len(data); k += 2 {
		word := uint32(data[k]) << 8
		if k+1 < len(data) {
			word += uint32(data[k+1])
		}
		a = (a + word) % 65535
		b = (b + a) % 65535
	}
	return sum&0xffff%65535 == a && sum>>16%65535 == b
}

// unpackLZF unpacks what LibLZF packed, which h5py calls lzf.
func unpackLZF(data []byte, most int) ([]byte, error) {
	b := &h5Bytes{b: data}
	var out []byte
	for len(b.b) > 0 && !b.bad {
		c := b.u8()
		if c < 32 {
			out = append(out, b.take(c+1)...)
		} else {
			n := c >> 5
			if n == 7 {
				n += b.u8()
			}
			back := (c&31)<<8 + b.u8() + 1
			if back > len(out) {
				return nil, h5Error("lzf before its beginning")
			}
			for range n + 2 {
				out = append(out, out[len(out)-back])
			}
		}
		if len(out) > most {
			return nil, h5Error("lzf of more than %d bytes", most)
		}
	}
	return out, b.err("lzf")
}

// numbers returns the values of a dataset.
func (o *h5Object) numbers() (dims []int, values []float64, err error) {
	d, err := o.describe()
	if err != nil {
		return nil, nil, err
	}
	read := d.number()
	if read == nil {
		return nil, nil, fmt.Errorf("%s: %w", o.path, h5Unsupported("a type of class %d where numbers belong", d.class))
	}
	if err := o.f.left.take(d.n); err != nil {
		return nil, nil, fmt.Errorf("%s, of %v: %w", o.path, d.dims, err)
	}
	values = make([]float64, d.n)
	err = o.values(d, func(k int, b []byte) error { values[k] = read(b); return nil })
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", o.path, err)
	}
	return d.dims, values, nil
}

// texts returns the strings of a dataset, or its numbers as such.
func (o *h5Object) texts() ([]string, error) {
	d, err := o.describe()
	if err != nil {
		return nil, err
	}
	if d.number() != nil {
		_, values, err := o.numbers()
		out := make([]string, len(values))
		for k, v := range values {
			out[k] = shortest(v)
			if err := o.f.left.takeName(out[k]); err != nil {
				return nil, err
			}
		}
		return out, err
	}
	if err := o.f.left.take(2 * d.n); err != nil {
		return nil, fmt.Errorf("%s, of %v: %w", o.path, d.dims, err)
	}
	out := make([]string, d.n)
	err = o.values(d, func(k int, b []byte) error {
		text, err := o.f.text(d.h5Type, b)
		if err != nil {
			return err
		}
		out[k] = text
		return o.f.left.takeName(text)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.path, err)
	}
	return out, nil
}
