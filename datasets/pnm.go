package datasets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// The Go library for this format skips what is no digit in a text, so that -1 is 1 and
// 1.5 is 1 and 5, and never returns from a comment without an end.

// A pnmImage is a PGM or PPM file, with the pixels of the raw form.
type pnmImage struct {
	width, height int
	top           int // the value of white
	channels      int // 1 for grey, 3 for colours
	bytes         int // of a value: 1 or 2
	pixels        []byte
}

func (m *pnmImage) row() int { return m.width * m.channels * m.bytes }

// A pnmScanner reads numbers between blanks and comments.
type pnmScanner struct {
	data []byte
	at   int
}

const pnmHuge = 1 << 40 // stands for larger numbers

// skip passes over blanks and comments.
func (s *pnmScanner) skip() {
	for ; s.at < len(s.data) && (blank(s.data[s.at]) || s.data[s.at] == '#'); s.at++ {
		if s.data[s.at] == '#' {
			s.comment()
		}
	}
}

// number reads the next number.
func (s *pnmScanner) number(what string) (int, error) {
	s.skip()
	from, v := s.at, 0
	for ; s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9'; s.at++ {
		v = min(10*v+int(s.data[s.at]-'0'), pnmHuge)
	}
	switch {
	case s.at == len(s.data) && from == s.at:
		return 0, fmt.Errorf("%w: the file is cut off before %s", ErrFormat, what)
	case from == s.at, s.at < len(s.data) && !blank(s.data[s.at]) && s.data[s.at] != '#':
		for s.at < len(s.data) && s.at < from+20 && !blank(s.data[s.at]) {
			s.at++
		}
		return 0, fmt.Errorf("%w: %s is %q in line %d, which is not a whole number", ErrFormat, what, s.data[from:s.at], 1+bytes.Count(s.data[:from], []byte("\n")))
	}
	return v, nil
}

// comment goes to the end of the line.
func (s *pnmScanner) comment() {
	for s.at < len(s.data) && s.data[s.at] != '\n' && s.data[s.at] != '\r' {
		s.at++
	}
	s.at = min(s.at, len(s.data)-1) // one that never ends
}

func blank(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

// pnmHeader reads up to the first pixel. The image has no pixels yet, but the sizes
// are such that it may have them.
func pnmHeader(data []byte) (m *pnmImage, text bool, head int, err error) {
	m = &pnmImage{channels: 1, bytes: 1}
	if len(data) < 2 || data[0] != 'P' || bytes.IndexByte([]byte("2356"), data[1]) < 0 {
		return nil, false, 0, fmt.Errorf("%w: not a PGM or PPM file (it begins with %q)", ErrFormat, data[:min(2, len(data))])
	}
	text = data[1] < '5'
	if data[1] == '3' || data[1] == '6' {
		m.channels = 3
	}
	s := &pnmScanner{data, 2}
	if len(data) > 2 && !blank(data[2]) && data[2] != '#' {
		return nil, false, 0, fmt.Errorf("%w: not a PGM or PPM file (it begins with %q)", ErrFormat, data[:3])
	}
	for _, n := range []struct {
		what string
		to   *int
	}{{"the width", &m.width}, {"the height", &m.height}, {"the value of white", &m.top}} {
		if *n.to, err = s.number(n.what); err != nil {
			return nil, false, 0, err
		}
	}
	if m.top < 1 || m.top > 0xffff {
		return nil, false, 0, fmt.Errorf("%w: the value of white is %d", ErrFormat, m.top)
	}
	if m.top > 0xff {
		m.bytes = 2
	}
	if err := checkPixels(m.width, m.height); err != nil {
		return nil, false, 0, err
	}
	if s.at < len(data) {
		if data[s.at] == '#' {
			s.comment()
		}
		s.at++ // one blank, or the end of the line, and then the first pixel
	}
	return m, text, s.at, nil
}

// decodePNM reads a PGM or PPM file, as text or raw.
func decodePNM(data []byte) (*pnmImage, error) {
	data, err := mendPNM(data)
	if err != nil {
		return nil, err
	}
	m, text, head, err := pnmHeader(data)
	if err != nil {
		return nil, err
	}
	size := m.row() * m.height
	if rest := len(data) - head; rest < size/m.bytes || !text && rest < size {
		return nil, fmt.Errorf("%w: the file is cut off: %d×%d pixels in %d bytes", ErrFormat, m.height, m.width, rest)
	}
	if !text {
		m.pixels = data[head : head+size]
	} else if err := m.readText(&pnmScanner{data, head}); err != nil {
		return nil, err
	}
	for i := range size / m.bytes { // of a text they are known to be
		if v := m.value(i); v > m.top {
			return nil, m.above(i, v)
		}
	}
	return m, nil
}

// above is the error of value i, which is larger than that of white.
func (m *pnmImage) above(i, v int) error {
	return fmt.Errorf("%w: pixel %d is %d, above the value of white, which is %d", ErrFormat, i/m.channels+1, v, m.top)
}

// value returns value i of the pixels and their channels.
func (m *pnmImage) value(i int) int {
	if m.bytes == 1 {
		return int(m.pixels[i])
	}
	return int(binary.BigEndian.Uint16(m.pixels[2*i:]))
}

// readText puts numbers into the raw form. There must be one for each value.
func (m *pnmImage) readText(s *pnmScanner) error {
	n := m.width * m.height * m.channels
	m.pixels = make([]byte, 0, n*m.bytes)
	for i := range n {
		v, err := s.number("a pixel")
		if err != nil {
			return err
		}
		if v > m.top {
			return m.above(i, v)
		}
		if m.bytes == 2 {
			m.pixels = append(m.pixels, byte(v>>8))
		}
		m.pixels = append(m.pixels, byte(v))
	}
	if s.skip(); s.at < len(s.data) {
		return fmt.Errorf("%w: there are more than the %d pixels of %d×%d", ErrFormat, m.width*m.height, m.height, m.width)
	}
	return nil
}

func (m *pnmImage) size() (height, width int) { return m.height, m.width }

func (m *pnmImage) luminance(y int, to []float64) {
	for x := range to {
		i := (y*m.width + x) * m.channels
		if m.channels == 1 {
			to[x] = float64(m.value(i)) * 255 / float64(m.top)
			continue
		}
		to[x] = grey(m.wide(i), m.wide(i+1), m.wide(i+2))
	}
}

// wide returns a value in 0..65535, as package image has them.
func (m *pnmImage) wide(i int) uint32 {
	top := uint32(m.top)
	return (uint32(m.value(i))*0xffff + top/2) / top
}

// mendPNM takes back what a program did to a raw file that held it for text
// and wrote CR LF for each LF. 150 of the 400 faces of ORL are so in a copy
// that is widely used; each pixel of value 10 shifts the rest of the face by one.
//
// A CR LF that was there before the change cannot be told from the others. If
// one was, the reading that makes the smoothest picture is taken; if there were
// more, the file is in error.
func mendPNM(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte("P5")) && !bytes.HasPrefix(data, []byte("P6")) {
		return data, nil
	}
	m, _, head, err := pnmHeader(data)
	if err != nil {
		return nil, err
	}
	pixels, size := data[head:], m.row()*m.height
	// A header of one line has only its end to tell.
	if !bytes.HasPrefix(data[2:], []byte("\r\n")) && (data[head-1] != '\r' || len(pixels) != size+1 || pixels[0] != '\n') {
		return data, nil
	}
	switch {
	case len(pixels) == size: // the header ends in CR
		return data, nil
	case len(pixels) == size+1 && pixels[0] == '\n': // only the header is changed
		return slices.Concat(data[:head], pixels[1:]), nil
	}
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if m, _, head, err = pnmHeader(data); err != nil {
		return nil, err
	}
	pixels, size = data[head:], m.row()*m.height
	switch {
	case len(pixels) == size:
		return data, nil
	case len(pixels) != size-1 || !bytes.Contains(pixels, []byte("\n")):
		return nil, fmt.Errorf("%w: line ends were changed to CR LF; without CR there are %d bytes of pixels, not %d", ErrFormat, len(pixels), size)
	}
	return slices.Insert(data, head+smoothest(pixels, m.row()), '\r'), nil
}

// smoothest returns at which line end a CR put before it makes the picture smoothest:
// where the differences between its rows are least in all.
//
// Those of the bytes before the CR are as they are, and so are those that both ends of
// come after it; in between, for the length of a row, a byte meets the one that was to
// the right of the one above it, and the CR itself is above one byte and below another.
func smoothest(p []byte, width int) int {
	differ := func(i, j int) int { // 0 where there is no row above
		if i < 0 {
			return 0
		}
		d := int(p[i]) - int(p[j])
		return max(d, -d)
	}
	before, between, after := 0, 0, 0
	for j := width; j < len(p); j++ {
		after += differ(j-width, j)
	}
	for j := range min(width-1, len(p)) { // the CR at 0
		between += differ(j+1-width, j)
	}
	best, least := -1, 0
	for i := range p { // a CR at i
		sum := before + between + after
		// After it come the pairs (j−width, j) of which both have moved: j ≥ i+width.
		cr := func(j int) int {
			if j < 0 || j >= len(p) {
				return 0
			}
			d := int(p[j]) - '\r'
			return max(d, -d)
		}
		if sum += cr(i-width) + cr(i+width-1); p[i] == '\n' && (best < 0 || sum < least) {
			best, least = i, sum
		}
		before += differ(i-width, i)
		between -= differ(i+1-width, i)
		if j := i + width - 1; j < len(p) {
			between += differ(j+1-width, j)
		}
		if j := i + width; j < len(p) {
			after -= differ(j-width, j)
		}
	}
	return best
}
