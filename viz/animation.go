package viz

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"time"
)

// WriteAnimation writes frames to w as an animated PNG, which begins anew when it ends: each frame
// stays for a while, the last one three times as long. It is a PNG for every program: one that does
// not know animations shows the first frame. Smaller frames stand in the upper left corner of the
// largest, on white. Equal frames give equal bytes.
//
// It returns ErrEmpty without frames or for one without pixels, and ErrOption for a time that is not
// from a millisecond to 20 seconds.
func WriteAnimation(w io.Writer, frames []Figure, each time.Duration) error {
	if len(frames) == 0 {
		return fmt.Errorf("%w: no frames", ErrEmpty)
	}
	if each < time.Millisecond || each > time.Minute/3 {
		return fmt.Errorf("%w: a frame of %v, want a millisecond to 20 seconds", ErrOption, each)
	}
	pictures, err := samePage(frames)
	if err != nil {
		return err
	}
	drawn := onePalette(pictures)
	out := &chunks{w: w}
	out.bytes([]byte("\x89PNG\r\n\x1a\n"))
	sequence := uint32(0)
	for i, ways := range drawn {
		parts, err := smallest(ways)
		if err != nil {
			return err
		}
		if i == 0 {
			out.put("IHDR", parts["IHDR"])
			out.put("acTL", be(uint32(len(drawn)), uint32(0)))
			for _, name := range []string{"PLTE", "tRNS"} { // those of all frames
				if parts[name] != nil {
					out.put(name, parts[name])
				}
			}
		}
		stay := each
		if i == len(drawn)-1 {
			stay *= 3
		}
		r := ways[0].Bounds()
		out.put("fcTL", append(be(sequence, uint32(r.Dx()), uint32(r.Dy()), uint32(r.Min.X), uint32(r.Min.Y),
			uint16(stay.Milliseconds()), uint16(1000)), 0, 1)) // onto the frame before, which stays
		sequence++
		if i == 0 {
			out.put("IDAT", parts["IDAT"])
			continue
		}
		out.put("fdAT", append(be(sequence), parts["IDAT"]...))
		sequence++
	}
	out.put("IEND", nil)
	return out.err
}

// smallest returns the chunks of that PNG of some images which has the least data.
func smallest(images []image.Image) (least map[string][]byte, err error) {
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	for _, img := range images {
		var b bytes.Buffer
		if err := enc.Encode(&b, img); err != nil {
			return nil, err
		}
		if parts := split(b.Bytes()); least == nil || len(parts["IDAT"]) < len(least["IDAT"]) {
			least = parts
		}
	}
	return least, nil
}

// samePage draws frames on white pages of one size.
func samePage(frames []Figure) ([]*image.RGBA, error) {
	var images []image.Image
	var size image.Point
	for i, f := range frames {
		img, err := render(f)
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", i, err)
		}
		images = append(images, img)
		size = image.Pt(max(size.X, img.Bounds().Dx()), max(size.Y, img.Bounds().Dy()))
	}
	var pages []*image.RGBA
	for _, img := range images {
		p, err := blank(size.X, size.Y)
		if err != nil {
			return nil, err
		}
		p.paste(img, image.Point{})
		pages = append(pages, p.img)
	}
	return pages, nil
}

// onePalette draws pages with a palette of all of them: the first one whole, of each other the
// rectangle that differs from the one before, in two ways: all its pixels, and only those that differ.
// Where no palette holds their colours, as in photographs, the colours stay, and the rectangle has all pixels.
func onePalette(pages []*image.RGBA) [][]image.Image {
	all := newColours()
	var even []*image.RGBA
	for _, p := range pages {
		even = append(even, evenGreys(p))
		all.add(even[len(even)-1])
	}
	pal := all.palette(255)
	lost := pal == nil
	if !lost {
		pages = even
	}
	clear, index := uint8(len(pal)), all.index()
	pal = append(pal[:len(pal):len(pal)], color.RGBA{})
	var drawn [][]image.Image
	for i, p := range pages {
		r := p.Bounds()
		if i > 0 {
			r = changed(pages[i-1], p)
		}
		if lost {
			drawn = append(drawn, []image.Image{p.SubImage(r)})
			continue
		}
		all, changes := image.NewPaletted(r, pal), image.NewPaletted(r, pal)
		eachPixel(p.SubImage(r).(*image.RGBA), func(x, y int, c color.RGBA) {
			at := all.PixOffset(x, y)
			all.Pix[at], changes.Pix[at] = index(c), index(c)
			if i > 0 && pages[i-1].RGBAAt(x, y) == c {
				changes.Pix[at] = clear
			}
		})
		drawn = append(drawn, []image.Image{all, changes})
	}
	return drawn
}

// changed returns the least rectangle outside of which two pages are equal, a pixel at least.
func changed(a, b *image.RGBA) image.Rectangle {
	var r image.Rectangle
	eachPixel(b, func(x, y int, c color.RGBA) {
		if a.RGBAAt(x, y) != c {
			r = r.Union(image.Rect(x, y, x+1, y+1))
		}
	})
	if r.Empty() {
		return image.Rectangle{b.Bounds().Min, b.Bounds().Min.Add(image.Pt(1, 1))}
	}
	return r
}

// chunks writes those of a PNG, up to the first error.
type chunks struct {
	w   io.Writer
	err error
}

func (c *chunks) bytes(b []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(b)
	}
}

func (c *chunks) put(name string, data []byte) {
	body := append([]byte(name), data...)
	c.bytes(be(uint32(len(data))))
	c.bytes(body)
	c.bytes(be(crc32.ChecksumIEEE(body)))
}

// split returns the data of each kind of chunk of a PNG that an Encoder has written, joined.
func split(png []byte) map[string][]byte {
	parts := map[string][]byte{}
	for rest := png[8:]; len(rest) >= 12; {
		n := binary.BigEndian.Uint32(rest)
		name := string(rest[4:8])
		parts[name] = append(parts[name], rest[8:8+n]...)
		rest = rest[12+n:]
	}
	return parts
}

// be writes numbers as PNG does, the first bytes first.
func be(numbers ...any) []byte {
	var b []byte
	for _, v := range numbers {
		switch v := v.(type) {
		case uint32:
			b = binary.BigEndian.AppendUint32(b, v)
		case uint16:
			b = binary.BigEndian.AppendUint16(b, v)
		}
	}
	return b
}
