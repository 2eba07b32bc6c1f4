package columnar

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/float16"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/internal/sniff"
)

// ReadArrow reads a table from an Arrow IPC file, which is also called Feather (version 2),
// or from a stream of Arrow IPC, of size bytes, with a sample in each row. What it takes of
// the layout, and the errors, are those of ReadParquet. Values may be packed by LZ4 or
// Zstandard, and columns may be dictionaries. Feather of version 1 and numbers in big-endian
// order are datasets.ErrUnsupported.
//
// The reader is not that of arrow-go: up to v18.8.0 that one makes slices of any length that
// the metadata of a file say, which ends the program without a panic that could be recovered.
// This one reads bytes by slices alone, whose bounds Go checks, and counts what it takes.
func ReadArrow(ctx context.Context, r io.ReaderAt, size int64, l datasets.CSVLayout) (*datasets.Set, error) {
	return readTable(ctx, l, func(mem *bounded) (*table, error) { return openArrow(ctx, r, size, mem) })
}

func openArrow(ctx context.Context, from io.ReaderAt, size int64, mem *bounded) (*table, error) {
	r := while{ctx, from}
	a := &arrowRows{r: r, end: size, mem: mem, dictionaries: map[int64][]string{}}
	head := make([]byte, max(min(size, 512), 0))
	a.head = head
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if strings.HasPrefix(string(head), "FEA1") {
		return nil, fmt.Errorf("%w: Feather of version 1; save it again as version 2", datasets.ErrUnsupported)
	}
	begin := a.stream
	if strings.HasPrefix(string(head), magic) {
		begin = a.file
	}
	if err := begin(); err != nil {
		return nil, err
	}
	t := &table{next: a.next}
	for _, c := range a.columns {
		t.names = append(t.names, c.name)
	}
	return t, nil
}

// magic is what a file begins and ends with.
const magic = "ARROW1"

// stream begins a stream, whose first message is the schema.
func (a *arrowRows) stream() error {
	m, _, err := a.message()
	if err != nil {
		return err
	}
	if m != nil {
		if s, ok := m.in(8); ok && m.GetByteSlot(6, 0) == aSchema {
			return a.schema(s)
		}
	}
	return fmt.Errorf("it is no file of Arrow, and no stream that begins with a schema: %s", sniff.Kind(a.head))
}

// file begins a file, which ends with the schema and a list of the places of messages.
func (a *arrowRows) file() error {
	tail := make([]byte, 4+len(magic))
	a.at = a.end - int64(len(tail))
	if a.at < 8 {
		return io.ErrUnexpectedEOF
	}
	if _, err := a.r.ReadAt(tail, a.at); err != nil && err != io.EOF {
		return err
	}
	n := int64(int32(binary.LittleEndian.Uint32(tail)))
	if string(tail[4:]) != magic || n < 0 || n > a.at-8 {
		return fmt.Errorf("%w: a file of Arrow that is cut off", io.ErrUnexpectedEOF)
	}
	a.end = a.at
	a.at -= n
	foot, err := a.read(n)
	if err != nil {
		return err
	}
	a.end -= n
	a.body = 0 // the list is needed to the end
	f := root(foot)
	s, ok := f.in(6)
	if !ok {
		return fmt.Errorf("no schema")
	}
	a.blocks = [][]byte{f.list(8, 24), f.list(10, 24)} // dictionaries, rows
	return a.schema(s)
}

// The kinds of messages and of types, as the format numbers them.
const (
	aSchema, aDictionary, aBatch = 1, 2, 3

	aNull, aInt, aFloat, aBinary, aText, aBool, aDecimal, aDate, aTime, aTimestamp, aInterval = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	aList, aStruct, aUnion, aFixedBinary, aFixedList, aMap, aDuration, aLargeBinary           = 12, 13, 14, 15, 16, 17, 18, 19
	aLargeText, aLargeList, aRunEnd, aBinaryView, aTextView, aListView, aLargeListView        = 20, 21, 22, 23, 24, 25, 26

	maxFields = 1 << 16 // of a schema, with those that are nested
	maxNested = 16
)

// A record is a table of FlatBuffers, in metadata that nobody has checked: what lies outside
// of these is a panic of Go, which readTable recovers.
type record struct{ flatbuffers.Table }

// root returns the outermost record.
func root(b []byte) record {
	return record{flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}}
}

// in returns the record of a slot.
func (t record) in(slot flatbuffers.VOffsetT) (record, bool) {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return record{}, false
	}
	return record{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + o)}}, true
}

// list returns the bytes of a list of elements of some width.
func (t record) list(slot flatbuffers.VOffsetT, width int) []byte {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return nil
	}
	from := int(t.Vector(o))
	return t.Bytes[from : from+t.VectorLen(o)*width]
}

// records returns the records of a list.
func (t record) records(slot flatbuffers.VOffsetT) []record {
	n := len(t.list(slot, 4)) / 4
	if n == 0 {
		return nil
	}
	out, from := make([]record, n), t.Vector(flatbuffers.UOffsetT(t.Offset(slot)))
	for i := range out {
		out[i] = record{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(from + flatbuffers.UOffsetT(4*i))}}
	}
	return out
}

// An arrowField is a column, or a part of a nested one.
type arrowField struct {
	name        string
	kind        byte
	bits        int // of a value
	signed, day bool
	scale       int32
	children    []*arrowField
	id          int64
	value       *arrowField // what a dictionary has at the numbers of this field; nil without one
}

func (f *arrowField) nested() bool {
	switch f.kind {
	case aList, aStruct, aUnion, aFixedList, aMap, aLargeList, aRunEnd, aListView, aLargeListView:
		return true
	}
	return false
}

// arrowRows reads the messages of a stream.
type arrowRows struct {
	r            io.ReaderAt
	at, end      int64
	blocks       [][]byte // of a file: the places of the messages that come next; nil for a stream
	mem          *bounded
	body         int // bytes that the present message has taken of mem
	unpacked     int // bytes of all messages
	head         []byte
	columns      []*arrowField
	fields       int
	dictionaries map[int64][]string
	values       []func(row int) string
	row, rows    int // of the present batch
}

// message reads the next one; head is nil after the last.
func (a *arrowRows) message() (head *record, body []byte, err error) {
	a.mem.left += a.body
	a.body, a.values = 0, nil
	for len(a.blocks) > 0 && len(a.blocks[0]) == 0 {
		if a.blocks = a.blocks[1:]; len(a.blocks) == 0 {
			a.at = a.end
		}
	}
	if len(a.blocks) > 0 {
		a.at = int64(binary.LittleEndian.Uint64(a.blocks[0]))
		if a.blocks[0] = a.blocks[0][24:]; a.at < 0 || a.at > a.end-8 {
			return nil, nil, fmt.Errorf("a message at byte %d of %d", a.at, a.end)
		}
	}
	prefix := make([]byte, 8)
	if left := a.end - a.at; left == 0 || left < 8 && a.at == 0 {
		return nil, nil, nil
	} else if left < 8 {
		return nil, nil, fmt.Errorf("%w: %d bytes where a message of Arrow IPC begins", io.ErrUnexpectedEOF, left)
	}
	if _, err := a.r.ReadAt(prefix, a.at); err != nil {
		return nil, nil, err
	}
	if binary.LittleEndian.Uint32(prefix) != math.MaxUint32 {
		if a.at == 0 {
			return nil, nil, fmt.Errorf("it is no file of Arrow: %s", sniff.Kind(a.head))
		}
		return nil, nil, fmt.Errorf("no message of Arrow IPC at byte %d", a.at)
	}
	n := int64(int32(binary.LittleEndian.Uint32(prefix[4:])))
	a.at += 8
	if n == 0 {
		return nil, nil, nil
	}
	meta, err := a.read(n)
	if err != nil {
		return nil, nil, err
	}
	m := root(meta)
	if v := m.GetInt16Slot(4, 0); v != 3 && v != 4 {
		return nil, nil, fmt.Errorf("%w: Arrow metadata of version %d", datasets.ErrUnsupported, v+1)
	}
	if body, err = a.read(m.GetInt64Slot(10, 0)); err != nil {
		return nil, nil, err
	}
	return &m, body, nil
}

// read takes the next n bytes.
func (a *arrowRows) read(n int64) ([]byte, error) {
	if n < 0 || n > a.end-a.at {
		return nil, fmt.Errorf("%w: a message with %d bytes in the %d that are left", io.ErrUnexpectedEOF, n, a.end-a.at)
	}
	p := a.take(int(n))
	_, err := a.r.ReadAt(p, a.at)
	if err == io.EOF && n == 0 {
		err = nil
	}
	a.at += n
	return p, err
}

// take makes n bytes, which are in use until the next message.
func (a *arrowRows) take(n int) []byte {
	a.count(n)
	return make([]byte, n)
}

func (a *arrowRows) count(n int) {
	a.mem.take(n)
	a.body += n
}

// schema reads the columns.
func (a *arrowRows) schema(s record) error {
	if s.GetInt16Slot(4, 0) != 0 {
		return fmt.Errorf("%w: Arrow in big-endian order", datasets.ErrUnsupported)
	}
	for _, of := range s.records(6) {
		f, err := a.field(of, 0)
		if err != nil {
			return err
		}
		a.columns = append(a.columns, f)
	}
	if len(a.columns) > 0 && !slices.ContainsFunc(a.columns, func(f *arrowField) bool { return f.kind != aNull && !f.nested() }) {
		return fmt.Errorf("no column of numbers or of text")
	}
	return nil
}

// field reads a field of the schema.
func (a *arrowRows) field(t record, depth int) (*arrowField, error) {
	if a.fields++; a.fields > maxFields || depth > maxNested {
		return nil, fmt.Errorf("more than %d fields, or %d in each other", maxFields, maxNested)
	}
	f := &arrowField{kind: t.GetByteSlot(8, 0)}
	if o := flatbuffers.UOffsetT(t.Offset(4)); o != 0 {
		f.name = strings.Clone(t.String(t.Pos + o))
	}
	of, ok := t.in(10)
	if !ok {
		return nil, fmt.Errorf("column %.40q has no type", f.name)
	}
	for _, child := range t.records(14) {
		c, err := a.field(child, depth+1)
		if err != nil {
			return nil, err
		}
		f.children = append(f.children, c)
	}
	switch f.kind {
	case aInt:
		f.bits, f.signed = int(of.GetInt32Slot(4, 0)), of.GetBoolSlot(6, false)
	case aFloat:
		f.bits = 16 << min(max(of.GetInt16Slot(4, 0), 0), 3)
	case aBool:
		f.bits = 1
	case aDecimal:
		f.scale, f.bits = of.GetInt32Slot(6, 0), int(of.GetInt32Slot(8, 128))
	case aDate:
		f.day = of.GetInt16Slot(4, 1) == 0
		f.bits = map[bool]int{true: 32, false: 64}[f.day]
	case aTime:
		f.bits = int(of.GetInt32Slot(6, 32))
	case aTimestamp, aDuration:
		f.bits = 64
	case aInterval:
		f.bits = 32 << min(max(of.GetInt16Slot(4, 0), 0), 2)
	case aFixedBinary:
		if f.bits = int(of.GetInt32Slot(4, 0)); f.bits < 0 || f.bits > 1<<20 {
			return nil, fmt.Errorf("column %.40q has values of %d bytes", f.name, f.bits)
		}
		f.bits *= 8
	case aUnion:
		f.bits = int(of.GetInt16Slot(4, 0)) // 1 if it has offsets
	}
	wrong := f.kind == aInt || f.kind == aTime || f.kind == aDecimal
	for b := 8; b <= 256; b *= 2 {
		wrong = wrong && f.bits != b
	}
	if wrong || (f.kind == aInt || f.kind == aFloat || f.kind == aTime) && f.bits > 64 {
		return nil, fmt.Errorf("column %.40q has numbers of %d bits", f.name, f.bits)
	}
	if d, ok := t.in(12); ok {
		index := &arrowField{name: f.name, kind: aInt, bits: 32, signed: true, id: d.GetInt64Slot(4, 0), value: f}
		if of, ok := d.in(6); ok {
			index.bits, index.signed = int(of.GetInt32Slot(4, 0)), of.GetBoolSlot(6, false)
		}
		if !slices.Contains([]int{8, 16, 32, 64}, index.bits) {
			return nil, fmt.Errorf("column %.40q has a dictionary by numbers of %d bits", f.name, index.bits)
		}
		return index, nil
	}
	return f, nil
}

// next returns the next rows: some of a batch.
func (a *arrowRows) next() (int, func(row, column int) string, error) {
	for a.row == a.rows {
		m, body, err := a.message()
		if err != nil {
			return 0, nil, err
		}
		if m == nil {
			return 0, nil, io.EOF
		}
		of, ok := m.in(8)
		switch kind := m.GetByteSlot(6, 0); {
		case !ok:
			return 0, nil, fmt.Errorf("a message without content")
		case kind == aDictionary:
			err = a.dictionary(of, body)
		case kind == aBatch:
			err = a.batch(of, body)
		default:
			err = fmt.Errorf("a message of kind %d between rows", kind)
		}
		if err != nil {
			return 0, nil, err
		}
	}
	first, n := a.row, min(a.rows-a.row, batch)
	a.row += n
	return n, func(row, column int) string { return a.values[column](first + row) }, nil
}

// batch begins a batch of rows.
func (a *arrowRows) batch(of record, body []byte) error {
	p, err := a.parts(of, body)
	if err != nil {
		return err
	}
	a.row, a.rows, a.values = 0, p.rows, nil
	for _, f := range a.columns {
		v, err := p.column(f)
		if err != nil {
			return fmt.Errorf("column %.40q: %w", f.name, err)
		}
		a.values = append(a.values, v)
	}
	return nil
}

// dictionary keeps the values of a dictionary, as text.
func (a *arrowRows) dictionary(of record, body []byte) error {
	id := of.GetInt64Slot(4, 0)
	k := slices.IndexFunc(a.columns, func(f *arrowField) bool { return f.value != nil && f.id == id })
	if k < 0 || a.columns[k].value.nested() {
		return nil // of a part of a nested column
	}
	data, ok := of.in(6)
	if !ok {
		return fmt.Errorf("dictionary %d has no values", id)
	}
	p, err := a.parts(data, body)
	if err != nil {
		return err
	}
	value, err := p.column(a.columns[k].value)
	if err != nil {
		return fmt.Errorf("dictionary of column %.40q: %w", a.columns[k].name, err)
	}
	if !of.GetBoolSlot(8, false) { // else it goes on
		for _, s := range a.dictionaries[id] {
			a.mem.left += len(s) + 32
		}
		a.dictionaries[id] = nil
	}
	for i := range p.rows {
		s := strings.Clone(value(i))
		a.mem.take(len(s) + 32)
		a.dictionaries[id] = append(a.dictionaries[id], s)
	}
	return nil
}

// arrowParts hands out the parts of a batch, in their order.
type arrowParts struct {
	*arrowRows
	rows                 int
	body                 []byte
	nodes, places, views []byte // that are left: sizes of columns, places of buffers, numbers of buffers of views
	packed               bool
	codec                int8
}

func (a *arrowRows) parts(of record, body []byte) (*arrowParts, error) {
	p := &arrowParts{arrowRows: a, body: body, nodes: of.list(6, 16), places: of.list(8, 16), views: of.list(12, 8)}
	if n := of.GetInt64Slot(4, 0); n < 0 || n > math.MaxInt32 {
		return nil, fmt.Errorf("a batch of %d rows", n)
	} else {
		p.rows = int(n)
	}
	if c, ok := of.in(10); ok {
		p.packed, p.codec = true, c.GetInt8Slot(4, 0)
	}
	return p, nil
}

// number takes the first of a list of whole numbers.
func number(list *[]byte) (int64, error) {
	if len(*list) < 8 {
		return 0, fmt.Errorf("fewer parts than the columns need")
	}
	v := int64(binary.LittleEndian.Uint64(*list))
	*list = (*list)[8:]
	return v, nil
}

// place takes the next buffer as it is stored.
func (p *arrowParts) place() ([]byte, error) {
	from, err := number(&p.places)
	if err != nil {
		return nil, err
	}
	n, err := number(&p.places)
	if err != nil {
		return nil, err
	}
	if size := int64(len(p.body)); from < 0 || n < 0 || from > size || n > size-from {
		return nil, fmt.Errorf("%d bytes at %d of %d", n, from, size)
	}
	return p.body[from : from+n], nil
}

// buffer takes the next buffer of at least so many bytes, and unpacks it.
func (p *arrowParts) buffer(least int) ([]byte, error) {
	b, err := p.place()
	if err != nil {
		return nil, err
	}
	if p.packed && len(b) > 0 {
		if b, err = p.unpack(b); err != nil {
			return nil, err
		}
	}
	if len(b) < least {
		return nil, fmt.Errorf("%d bytes where %d are needed", len(b), least)
	}
	return b, nil
}

// unpack unpacks a buffer, which begins with its size.
func (p *arrowParts) unpack(b []byte) ([]byte, error) {
	n, err := number(&b)
	switch {
	case err != nil:
		return nil, err
	case n == -1:
		return b, nil
	case n < 0 || n > math.MaxInt32:
		return nil, fmt.Errorf("a buffer of %d bytes", n)
	}
	if p.unpacked += int(n); p.unpacked > 4*8*datasets.SetMaxValues(0) {
		return nil, fmt.Errorf("%w: buffers that unpack to %d bytes", datasets.ErrTooLarge, p.unpacked)
	}
	if p.codec == 0 {
		if n > 256*(int64(len(b))+256) { // no LZ4 packs so well
			return nil, fmt.Errorf("%d bytes that unpack to %d", len(b), n)
		}
		out := p.take(int(n))
		_, err := io.ReadFull(lz4.NewReader(bytes.NewReader(b)), out)
		return out, err
	}
	if p.codec != 1 {
		return nil, fmt.Errorf("%w: packed by method %d", datasets.ErrUnsupported, p.codec)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(n, 1<<26))))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	p.count(int(n))
	unpacked, err := z.DecodeAll(b, make([]byte, 0, min(int(n), 64*len(b))))
	if err == nil && int64(len(unpacked)) != n {
		err = fmt.Errorf("%d bytes unpack to %d, and %d were announced", len(b), len(unpacked), n)
	}
	return unpacked, err
}

// column takes a column of as many rows as the batch has, and returns the text of each value.
func (p *arrowParts) column(f *arrowField) (func(row int) string, error) {
	if f.nested() {
		return func(int) string { return "nested values" }, p.skip(f)
	}
	n, err := number(&p.nodes)
	if err != nil {
		return nil, err
	}
	missing, err := number(&p.nodes)
	if err != nil {
		return nil, err
	}
	if n != int64(p.rows) {
		return nil, fmt.Errorf("%d rows in a batch of %d", n, p.rows)
	}
	if f.kind == aNull {
		return func(int) string { return "" }, nil
	}
	bits := 0
	if missing != 0 {
		bits = (p.rows + 7) / 8
	}
	known, err := p.buffer(bits)
	if err != nil {
		return nil, err
	}
	there := func(i int) bool { return missing == 0 || known[i/8]>>(i%8)&1 == 1 }
	value, err := p.content(f, there)
	if err != nil {
		return nil, err
	}
	return func(i int) string {
		if !there(i) {
			return ""
		}
		return value(i)
	}, nil
}

// content takes the buffers of values, and checks what they say of each other where a value
// is there.
func (p *arrowParts) content(f *arrowField, there func(int) bool) (func(row int) string, error) {
	var raw func(i int) []byte
	var err error
	switch f.kind {
	case aText, aBinary:
		raw, err = p.texts(4, there)
	case aLargeText, aLargeBinary:
		raw, err = p.texts(8, there)
	case aTextView, aBinaryView:
		raw, err = p.textViews(there)
	default:
		if f.bits == 0 && f.kind != aFixedBinary {
			return nil, fmt.Errorf("%w: type %d", datasets.ErrUnsupported, f.kind)
		}
		data, err := p.buffer((p.rows*f.bits + 7) / 8)
		if err != nil {
			return nil, err
		}
		if f.kind == aBool {
			return func(i int) string { return truth(data[i/8]>>(i%8)&1 == 1) }, nil
		}
		width := f.bits / 8
		raw = func(i int) []byte { return data[i*width : (i+1)*width] }
	}
	if err != nil {
		return nil, err
	}
	if f.value != nil {
		words := p.dictionaries[f.id]
		if f.value.nested() {
			return func(int) string { return "nested values" }, nil
		}
		for i := range p.rows {
			if k := whole(raw(i), false); there(i) && uint64(k) >= uint64(len(words)) {
				return nil, fmt.Errorf("word %d of a dictionary of %d", k, len(words))
			}
		}
		return func(i int) string { return words[whole(raw(i), false)] }, nil
	}
	return func(i int) string { return f.text(raw(i)) }, nil
}

// texts takes bytes of any length, which offsets of some width divide.
func (p *arrowParts) texts(width int, there func(int) bool) (raw func(i int) []byte, err error) {
	least := 0
	if p.rows > 0 {
		least = (p.rows + 1) * width
	}
	offsets, err := p.buffer(least)
	if err != nil {
		return nil, err
	}
	data, err := p.buffer(0)
	if err != nil {
		return nil, err
	}
	at := func(i int) uint64 {
		if width == 4 {
			return uint64(binary.LittleEndian.Uint32(offsets[4*i:]))
		}
		return binary.LittleEndian.Uint64(offsets[8*i:])
	}
	for i := range p.rows {
		if from, to := at(i), at(i+1); there(i) && (from > to || to > uint64(len(data))) {
			return nil, fmt.Errorf("text from byte %d to %d of %d", from, to, len(data))
		}
	}
	return func(i int) []byte { return data[at(i):at(i+1)] }, nil
}

// textViews takes bytes of any length that are in their view if they are few, or in one of some buffers.
func (p *arrowParts) textViews(there func(int) bool) (raw func(i int) []byte, err error) {
	le := binary.LittleEndian
	views, err := p.buffer(16 * p.rows)
	if err != nil {
		return nil, err
	}
	count, err := number(&p.views)
	if err != nil {
		return nil, err
	}
	var data [][]byte
	for range count {
		b, err := p.buffer(0)
		if err != nil {
			return nil, err
		}
		data = append(data, b)
	}
	for i := range p.rows {
		if v := views[16*i:]; there(i) && le.Uint32(v) > 12 {
			k, end := int(le.Uint32(v[8:])), uint64(le.Uint32(v[12:]))+uint64(le.Uint32(v))
			if k >= len(data) || end > uint64(len(data[k])) {
				return nil, fmt.Errorf("text up to byte %d of buffer %d, of %d buffers", end, k, len(data))
			}
		}
	}
	return func(i int) []byte {
		v := views[16*i : 16*i+16]
		n := le.Uint32(v)
		if n <= 12 {
			return v[4 : 4+n]
		}
		from := uint64(le.Uint32(v[12:]))
		return data[le.Uint32(v[8:])][from : from+uint64(n)]
	}, nil
}

// text returns the text of a value.
func (f *arrowField) text(b []byte) string {
	le := binary.LittleEndian
	switch f.kind {
	case aInt:
		if f.signed {
			return fmt.Sprint(whole(b, true))
		}
		return fmt.Sprint(uint64(whole(b, false)))
	case aFloat:
		switch f.bits {
		case 16:
			return float(float64(float16.FromBits(le.Uint16(b)).Float32()))
		case 32:
			return float(float64(math.Float32frombits(le.Uint32(b))))
		}
		return float(math.Float64frombits(le.Uint64(b)))
	case aText, aLargeText, aTextView:
		return string(b)
	case aDate:
		if f.day {
			return date(whole(b, true))
		}
		return date(whole(b, true) / (24 * 60 * 60 * 1000))
	case aTime, aTimestamp, aDuration:
		return clock(whole(b, true))
	case aDecimal:
		return decimal(b, f.scale)
	}
	return fmt.Sprintf("bytes %x", b)
}

// decimal returns the text of a decimal of some bytes, the lowest first.
func decimal(b []byte, scale int32) string {
	v := whole(b[:min(8, len(b))], true)
	for _, high := range b[min(8, len(b)):] {
		if high != byte(v>>63) {
			return "a decimal of more than 18 digits"
		}
	}
	return float(float64(v) / math.Pow10(int(scale)))
}

// whole returns a number of one to eight bytes.
func whole(b []byte, signed bool) int64 {
	var v uint64
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	if shift := 64 - 8*len(b); signed {
		return int64(v<<shift) >> shift
	}
	return int64(v)
}

// skip passes over a column.
func (p *arrowParts) skip(f *arrowField) error {
	buffers := 2
	switch f.kind {
	case aNull, aRunEnd:
		buffers = 0
	case aStruct, aFixedList:
		buffers = 1
	case aUnion:
		buffers = 1 + min(f.bits, 1)
	case aText, aBinary, aLargeText, aLargeBinary, aListView, aLargeListView:
		buffers = 3
	case aTextView, aBinaryView:
		n, err := number(&p.views)
		if err != nil {
			return err
		}
		if n < 0 || n > int64(len(p.places)) {
			return fmt.Errorf("%d buffers", n)
		}
		buffers += int(n)
	}
	for range 2 {
		if _, err := number(&p.nodes); err != nil {
			return err
		}
	}
	for range 2 * buffers {
		if _, err := number(&p.places); err != nil {
			return err
		}
	}
	for _, c := range f.children {
		if err := p.skip(c); err != nil {
			return err
		}
	}
	return nil
}
