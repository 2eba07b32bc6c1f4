package viz_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/robustnmf/robustnmf/viz"
)

// played returns the pages that a reader of animated PNGs shows, and how long each stays: by the
// rules of the format, from the chunks alone.
func played(t *testing.T, file []byte) (pages []*image.RGBA, stay []time.Duration) {
	t.Helper()
	head := file[:8]
	var header, colours, clear, data []byte
	var x, y, w, h uint32
	frames, want := uint32(0), uint32(0)
	put := func(b *bytes.Buffer, name string, body []byte) {
		b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(body))))
		b.WriteString(name)
		b.Write(body)
		b.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(append([]byte(name), body...))))
	}
	end := func() {
		if data == nil {
			return
		}
		var b bytes.Buffer
		b.Write(head)
		of := bytes.Clone(header)
		binary.BigEndian.PutUint32(of, w)
		binary.BigEndian.PutUint32(of[4:], h)
		put(&b, "IHDR", of)
		if colours != nil {
			put(&b, "PLTE", colours)
			put(&b, "tRNS", clear)
		}
		put(&b, "IDAT", data)
		put(&b, "IEND", nil)
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		page := image.NewRGBA(image.Rect(0, 0, int(binary.BigEndian.Uint32(header)), int(binary.BigEndian.Uint32(header[4:]))))
		if len(pages) > 0 {
			copy(page.Pix, pages[len(pages)-1].Pix)
		}
		draw.Draw(page, img.Bounds().Add(image.Pt(int(x), int(y))), img, image.Point{}, draw.Over)
		pages, data = append(pages, page), nil
	}
	next := func(body []byte) {
		if n := binary.BigEndian.Uint32(body); n != want {
			t.Fatalf("the number in the sequence is %d, want %d", n, want)
		}
		want++
	}
	for rest := file[8:]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		name, body := string(rest[4:8]), rest[8:8+n]
		if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(rest[8+n:]) {
			t.Fatalf("the checksum of %s is wrong", name)
		}
		rest = rest[12+n:]
		switch name {
		case "IHDR":
			header = body
		case "acTL":
			frames = binary.BigEndian.Uint32(body)
		case "PLTE":
			colours = body
		case "tRNS":
			clear = body
		case "fcTL":
			end()
			next(body)
			w, h, x, y = binary.BigEndian.Uint32(body[4:]), binary.BigEndian.Uint32(body[8:]), binary.BigEndian.Uint32(body[12:]), binary.BigEndian.Uint32(body[16:])
			stay = append(stay, time.Second*time.Duration(binary.BigEndian.Uint16(body[20:]))/time.Duration(binary.BigEndian.Uint16(body[22:])))
		case "fdAT":
			next(body)
			data = append(data, body[4:]...)
		case "IDAT":
			data = append(data, body...)
		}
	}
	end()
	if int(frames) != len(pages) || len(stay) != len(pages) {
		t.Fatalf("%d frames are announced, %d shown, %d have a time", frames, len(pages), len(stay))
	}
	return pages, stay
}

// Every frame is shown as it was drawn, with a palette and without, whatever stands before it.
func TestAnimation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	noise := filled(60, 40, func(int, int) color.RGBA {
		return color.RGBA{uint8(rng.IntN(256)), uint8(rng.IntN(256)), uint8(rng.IntN(256)), 255}
	})
	block := func(at int) *image.RGBA {
		return filled(50, 30, func(x, y int) color.RGBA {
			if x >= at && x < at+9 && y > 12 {
				return color.RGBA{200, uint8(at), 0, 255}
			}
			return color.RGBA{uint8(5 * x), uint8(5 * x), uint8(5 * x), 255}
		})
	}
	dots := func() *image.RGBA { // smaller whole than as what differs from the page before
		return filled(60, 40, func(int, int) color.RGBA { return color.RGBA{uint8(200 * rng.IntN(2)), 0, 0, 255} })
	}
	for name, images := range map[string][]*image.RGBA{
		"palette":     {block(3), block(20), block(20), block(41)},
		"dots":        {dots(), dots()},
		"all colours": {noise, block(3), noise},
		"one":         {block(3)},
	} {
		var frames []viz.Figure
		for _, img := range images {
			frames = append(frames, rawFigure{img})
		}
		var b bytes.Buffer
		if err := viz.WriteAnimation(&b, frames, 300*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		pages, stay := played(t, b.Bytes())
		if len(pages) != len(images) || stay[len(stay)-1] != 900*time.Millisecond || len(stay) > 1 && stay[0] != 300*time.Millisecond {
			t.Fatalf("%s: %d pages, %v", name, len(pages), stay)
		}
		still, err := png.Decode(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		for i, img := range images {
			for y := range pages[i].Rect.Dy() {
				for x := range pages[i].Rect.Dx() {
					want := color.Color(color.RGBA{255, 255, 255, 255}) // beyond a smaller frame
					if image.Pt(x, y).In(img.Rect) {
						want = img.At(x, y)
					}
					if d := distance(pages[i].At(x, y), want); d > 0 {
						t.Fatalf("%s, frame %d: (%d, %d) has %v for %v", name, i, x, y, pages[i].At(x, y), want)
					}
					if i == 0 && distance(still.At(x, y), want) > 0 {
						t.Fatalf("%s: a reader of still pictures sees %v at (%d, %d)", name, still.At(x, y), x, y)
					}
				}
			}
		}
	}
}

func TestAnimationErrors(t *testing.T) {
	one := rawFigure{image.NewRGBA(image.Rect(0, 0, 2, 2))}
	for name, c := range map[string]struct {
		frames []viz.Figure
		each   time.Duration
		want   error
	}{
		"none":     {nil, time.Second, viz.ErrEmpty},
		"nil":      {[]viz.Figure{one, nil}, time.Second, viz.ErrEmpty},
		"no time":  {[]viz.Figure{one}, 0, viz.ErrOption},
		"too long": {[]viz.Figure{one}, time.Minute, viz.ErrOption},
	} {
		var b bytes.Buffer
		if err := viz.WriteAnimation(&b, c.frames, c.each); !errors.Is(err, c.want) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, b.Len())
		}
	}
}
