package datasets

import (
	"encoding/binary"
	"fmt"
)

// Numbers of the tags of a TIFF file that the decoder keeps, and of which it believes
// what they say.
const (
	tiffWidth       = 256
	tiffHeight      = 257
	tiffCompression = 259
	tiffStripRows   = 278
	tiffStripBytes  = 279
	tiffTileWidth   = 322
	tiffTileHeight  = 323
	tiffTileBytes   = 325

	tiffPackBits = 32773 // a compression that unpacks to up to 64 times as much

	maxTIFFNumbers  = 1 << 20 // in all tags: places and lengths of strips or tiles
	maxTIFFPacked   = 1 << 23 // pixels of a packed strip or tile, which should have 8 KiB
	maxTIFFPackBits = 1 << 21 // its bytes
)

// A tiffEntry is a tag of a TIFF file.
type tiffEntry struct {
	size  int    // bytes of a number
	value []byte // numbers
	order binary.ByteOrder
}

func (e tiffEntry) at(i int) int {
	switch v := e.value[i*e.size:]; e.size {
	case 1:
		return int(v[0])
	case 2:
		return int(e.order.Uint16(v))
	default:
		return int(e.order.Uint32(v))
	}
}

func (e tiffEntry) len() int { return len(e.value) / max(e.size, 1) }

// first is 0 if there is no number, as for the decoder.
func (e tiffEntry) first() int {
	if e.len() == 0 {
		return 0
	}
	return e.at(0)
}

// tiffPixels returns how many pixels the decoder will unpack. It unpacks strips and
// tiles of any size, whatever that of the image is, and anything twice that two of them
// share; here all that is bounded. Rows of a strip are often said to be 2³²−1: they are
// set to those that there are.
func tiffPixels(data []byte) (int, error) {
	damaged := func(what string, a ...any) (int, error) {
		return 0, fmt.Errorf("%w: TIFF: %s", ErrFormat, fmt.Sprintf(what, a...))
	}
	var order binary.ByteOrder = binary.LittleEndian
	if len(data) < 8 {
		return damaged("%d bytes", len(data))
	}
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(data[4:])) + 2
	if at > int64(len(data)) {
		return damaged("tags at byte %d of %d", at-2, len(data))
	}
	entries := int(order.Uint16(data[at-2:]))
	if int64(len(data))-at < int64(12*entries) {
		return damaged("%d tags in the %d bytes left", entries, int64(len(data))-at)
	}
	tags, numbers := map[int]tiffEntry{}, 0
	for p := data[at : at+int64(12*entries)]; len(p) > 0; p = p[12:] {
		tag, kind, count := int(order.Uint16(p)), int(order.Uint16(p[2:])), int64(order.Uint32(p[4:]))
		if tag < tiffWidth || tag > 339 || kind == 2 { // others, and text
			continue
		}
		size := map[int]int{1: 1, 3: 2, 4: 4}[kind]
		if size == 0 {
			continue // the decoder does not take it either
		}
		value := p[8:12]
		if int64(size)*count > 4 {
			from := int64(order.Uint32(value))
			if from+int64(size)*count > int64(len(data)) {
				return damaged("%d numbers of tag %d at byte %d of %d", count, tag, from, len(data))
			}
			value = data[from:]
		}
		if numbers += int(count); numbers > maxTIFFNumbers {
			return 0, fmt.Errorf("%w: TIFF of more than %d strips or tiles", ErrTooLarge, maxTIFFNumbers/2)
		}
		tags[tag] = tiffEntry{size, value[:int64(size)*count], order}
	}
	width, height := tags[tiffWidth].first(), tags[tiffHeight].first()
	w, h, bytes := tags[tiffTileWidth].first(), tags[tiffTileHeight].first(), tags[tiffTileBytes]
	if w == 0 {
		w, h, bytes = width, tags[tiffStripRows].first(), tags[tiffStripBytes]
		if h > height { // it has one number; the others are not looked at
			e := tags[tiffStripRows]
			for i := range e.size {
				e.value[i] = 0
			}
			if e.size == 2 {
				order.PutUint16(e.value, uint16(height))
			} else if e.size == 4 {
				order.PutUint32(e.value, uint32(height))
			}
		}
		if h == 0 || h > height {
			h = height
		}
	}
	if w == 0 || h == 0 {
		return damaged("strips or tiles of %d×%d", h, w)
	}
	pixels := product(2*maxImagePixels, w, h, (width+w-1)/w, (height+h-1)/h)
	if pixels < 0 {
		return 0, fmt.Errorf("%w: TIFF of %d×%d in strips or tiles of %d×%d", ErrTooLarge, height, width, h, w)
	}
	packing := tags[tiffCompression].first() // 0 and 1 are none
	if packing > 1 && product(maxTIFFPacked, w, h) < 0 {
		return 0, fmt.Errorf("%w: TIFF of %d×%d with packed strips or tiles of %d×%d", ErrTooLarge, height, width, h, w)
	}
	total := 0
	for i := range bytes.len() {
		n := bytes.at(i)
		if total += n; total > 2*len(data) {
			return damaged("strips or tiles of more bytes than the file has")
		}
		if n > maxTIFFPackBits && packing == tiffPackBits {
			return 0, fmt.Errorf("%w: TIFF with %d packed bytes in one piece", ErrTooLarge, n)
		}
	}
	return pixels, nil
}

// moreTIFF tells whether data are of a TIFF file that has another image behind the first.
func moreTIFF(data []byte) bool {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case len(data) < 8:
		return false
	case string(data[:4]) == "MM\x00*":
		order = binary.BigEndian
	case string(data[:4]) != "II*\x00":
		return false
	}
	at := int64(order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return false
	}
	at += 2 + 12*int64(order.Uint16(data[at:]))
	return at+4 <= int64(len(data)) && order.Uint32(data[at:]) != 0
}
