package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"
	"strings"

	"github.com/spakin/netpbm"
	"github.com/spakin/netpbm/npcolor"
)

// pnmReader prepares bytes for package netpbm, which loops for ever on a
// comment that never ends: a line end after the last byte ends it.
func pnmReader(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReader(io.MultiReader(r, strings.NewReader("\n")))
	magic, _ := in.Peek(2)
	switch string(magic) {
	case "P2", "P3", "P5", "P6":
		return in, nil
	}
	return nil, fmt.Errorf("no PGM or PPM file (it begins with %q)", magic)
}

func pnmConfig(r io.Reader) (image.Config, error) {
	in, err := pnmReader(r)
	if err != nil {
		return image.Config{}, err
	}
	config, err := netpbm.DecodeConfig(in)
	if err != nil {
		return config, err
	}
	// Neither form has less than a byte for a pixel.
	rest, err := io.Copy(io.Discard, in)
	if p := product(maxImagePixels, config.Width, config.Height); err == nil && int64(p) > rest {
		err = fmt.Errorf("%d×%d pixels in %d bytes", config.Height, config.Width, rest)
	}
	return config, err
}

func decodePNM(r io.Reader) (image.Image, error) {
	in, err := pnmReader(r)
	if err != nil {
		return nil, err
	}
	img, err := netpbm.Decode(in, &netpbm.DecodeOptions{Target: netpbm.PNM})
	if err != nil {
		return nil, err
	}
	if _, err := in.Peek(1); err != nil { // the added line end served as a pixel
		return nil, io.ErrUnexpectedEOF
	}
	return img, nil
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
	// A header of one line has only its end to tell.
	oneLine := !bytes.HasPrefix(data[2:], []byte("\r\n"))
	head, _, size, err := rawPNM(data)
	if err != nil && oneLine {
		return data, nil // the decoder says what is wrong
	} else if err != nil {
		return nil, imageError(err)
	}
	pixels := data[head:]
	if oneLine && (data[head-1] != '\r' || len(pixels) != size+1 || pixels[0] != '\n') {
		return data, nil
	}
	switch {
	case len(pixels) == size: // the header ends in CR
		return data, nil
	case len(pixels) == size+1 && pixels[0] == '\n': // only the header is changed
		return slices.Concat(data[:head], pixels[1:]), nil
	}
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	head, width, size, err := rawPNM(data)
	if err != nil {
		return nil, imageError(err)
	}
	pixels = data[head:]
	ends := bytes.Count(pixels, []byte("\n"))
	switch {
	case len(pixels) == size:
		return data, nil
	case len(pixels) != size-1 || ends == 0 || ends > (1<<26)/size:
		return nil, fmt.Errorf("%w: line ends were changed to CR LF; without CR there are %d bytes of pixels, not %d", ErrFormat, len(pixels), size)
	}
	var best []byte
	least := -1
	for i, v := range pixels {
		if v != '\n' {
			continue
		}
		trial := slices.Concat(pixels[:i], []byte("\r"), pixels[i:])
		if r := roughness(trial, width); least < 0 || r < least {
			best, least = trial, r
		}
	}
	return slices.Concat(data[:head], best), nil
}

// rawPNM returns the length of the header, the bytes of a row and those of all
// pixels, that a raw file should have.
func rawPNM(data []byte) (head, width, size int, err error) {
	in, err := pnmReader(bytes.NewReader(data))
	if err != nil {
		return 0, 0, 0, err
	}
	config, err := netpbm.DecodeConfig(in)
	if err != nil {
		return 0, 0, 0, err
	}
	rest, err := io.Copy(io.Discard, in)
	if err != nil {
		return 0, 0, 0, err
	}
	channel := 1
	switch config.ColorModel.(type) {
	case npcolor.GrayM32Model:
		channel = 2
	case npcolor.RGBMModel:
		channel = 3
	case npcolor.RGBM64Model:
		channel = 6
	}
	size = product(maxImagePixels*channel, config.Width, config.Height, channel)
	if head = len(data) + 1 - int(rest); size <= 0 || head > len(data) {
		return 0, 0, 0, errors.New("bad size in the header")
	}
	return head, config.Width * channel, size, nil
}

// roughness sums the differences between rows.
func roughness(pixels []byte, width int) (sum int) {
	for i := width; i < len(pixels); i++ {
		d := int(pixels[i]) - int(pixels[i-width])
		sum += max(d, -d)
	}
	return sum
}
