package datasets

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spakin/netpbm"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"gonum.org/v1/gonum/mat"
)

// ErrNoImages is returned where no image was found.
var ErrNoImages = errors.New("datasets: no images found")

const (
	maxImageBytes  = 1 << 26 // of a file
	maxImagePixels = 1 << 24 // 4096×4096, as stored
)

// ImageLayout says how a tree of files becomes a Set. Its zero value takes all
// images as they are, and the name of the folder of an image for its class.
type ImageLayout struct {
	// Class returns the class of the file of a path (with slashes, below the
	// root), and whether the file is to be taken at all; nil takes all and
	// gives them the name of their folder. It is asked about images only,
	// which their extension tells. If all classes are "", there are no labels.
	Class func(path string) (class string, take bool)
	// Height and Width are what images larger than that are resized to, by
	// the mean over the area of a pixel; 0 leaves them as they are.
	Height, Width int
}

// ReadImages reads the images of a tree of files (os.DirFS, embed.FS,
// *zip.Reader ...): PGM, PPM, PNG, JPEG, GIF, BMP and TIFF, known by their
// extension. Other files and symbolic links are passed over. Colours become
// grey by their luminance, transparent pixels black; values are 0..255, not
// rounded where an image has more than eight bits or was resized.
//
// Columns are sorted by class and path, in natural order: s2/9.pgm,
// s2/10.pgm, s10/1.pgm. Images must have one size, resized or not; if not, the
// error is ErrSize and names the first that differs. Other errors are
// ErrFormat and ErrTooLarge, with the path, ErrNoImages, and those of fsys.
func ReadImages(fsys fs.FS, l ImageLayout) (*Set, error) { return readImages(fsys, l, MaxValues) }

func readImages(fsys fs.FS, l ImageLayout, limit int) (*Set, error) {
	c := newCollector(l, limit)
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			return nil
		}
		class, take := c.takes(p)
		if !take {
			return nil
		}
		f, err := fsys.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		return c.add(p, class, f)
	})
	if err != nil {
		return nil, err
	}
	return c.set()
}

// An imageCollector gathers images in any order.
type imageCollector struct {
	layout ImageLayout
	left   int   // values that may still be taken
	bytes  int64 // bytes that files may still unpack to
	images []collected
	at     map[string]int // where the image of a path is
}

func newCollector(l ImageLayout, limit int) *imageCollector {
	return &imageCollector{layout: l, left: limit, bytes: maxArchive, at: map[string]int{}}
}

// imageCost is what an image takes beside its pixels and its path, in values: a
// small archive can hold millions of images of one pixel.
const imageCost = 16

type collected struct {
	path, class   string
	height, width int
	pixels        []float64
}

// takes tells whether a file is an image to be read, and its class.
func (c *imageCollector) takes(p string) (class string, take bool) {
	if imageFormat(p) == nil || strings.HasPrefix(path.Base(p), ".") { // ._x.png: written by macOS
		return "", false
	}
	if c.layout.Class != nil {
		return c.layout.Class(p)
	}
	if class = path.Base(path.Dir(p)); class == "." || class == "/" {
		class = ""
	}
	return class, true
}

func (c *imageCollector) add(p, class string, r io.Reader) error {
	data, err := io.ReadAll(&capReader{r: r, left: min(maxImageBytes, c.bytes)})
	c.bytes -= int64(len(data))
	if err == nil {
		var img collected
		if img, err = c.layout.decode(p, data); err == nil {
			img.class = class
			return c.put(img)
		}
	}
	return fmt.Errorf("%s: %w", p, err)
}

// put takes an image, in place of the one of its path if there is one.
func (c *imageCollector) put(img collected) error {
	if c.left -= len(img.pixels) + len(img.path)/8 + imageCost; c.left < 0 {
		return fmt.Errorf("%w: images of more than %d values in all, reached at %s", ErrTooLarge, MaxValues, img.path)
	}
	i, again := c.at[img.path]
	if again {
		c.images[i] = img
		return nil
	}
	c.at[img.path] = len(c.images)
	c.images = append(c.images, img)
	return nil
}

// link takes the image of another path once more, if there is one.
func (c *imageCollector) link(p, class, to string) error {
	i, ok := c.at[to]
	if !ok {
		return nil
	}
	img := c.images[i]
	img.path, img.class, img.pixels = p, class, slices.Clone(img.pixels)
	return c.put(img)
}

// set makes the Set and empties the collector.
func (c *imageCollector) set() (*Set, error) {
	if len(c.images) == 0 {
		return nil, ErrNoImages
	}
	slices.SortFunc(c.images, func(a, b collected) int {
		return cmp.Or(natural(a.class, b.class), natural(a.path, b.path))
	})
	first := c.images[0]
	s := &Set{Height: first.height, Width: first.width, Max: 255}
	names, named := make([]string, len(c.images)), false
	for j, img := range c.images {
		if img.height != s.Height || img.width != s.Width {
			return nil, fmt.Errorf("%w: %s is %d×%d, but %s is %d×%d (height × width)",
				ErrSize, img.path, img.height, img.width, first.path, s.Height, s.Width)
		}
		names[j] = img.class
		named = named || img.class != ""
	}
	if named {
		s.Labels, s.Classes = number(names)
	}
	s.X = mat.NewDense(s.Height*s.Width, len(c.images), nil)
	for j := range c.images {
		s.X.SetCol(j, c.images[j].pixels)
		c.images[j].pixels = nil // so that the set is in memory once
	}
	c.images, c.at = nil, nil
	return s.checked()
}

// A codec reads images of a format.
type codec struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	mend   func([]byte) ([]byte, error) // of files damaged in a known way; may be nil
}

// imageFormat returns the format of a file by its extension, nil if it is no
// image.
func imageFormat(p string) *codec {
	switch strings.ToLower(path.Ext(p)) {
	case ".pgm", ".ppm", ".pnm":
		return &codec{pnmConfig, decodePNM, mendPNM}
	case ".png":
		return &codec{png.DecodeConfig, png.Decode, nil}
	case ".jpg", ".jpeg":
		return &codec{jpeg.DecodeConfig, jpeg.Decode, nil}
	case ".gif":
		return &codec{gif.DecodeConfig, gif.Decode, nil}
	case ".bmp":
		return &codec{bmp.DecodeConfig, bmp.Decode, nil}
	case ".tif", ".tiff":
		return &codec{tiff.DecodeConfig, tiff.Decode, nil}
	}
	return nil
}

func (l ImageLayout) decode(p string, data []byte) (collected, error) {
	format := imageFormat(p)
	if format.mend != nil {
		var err error
		if data, err = format.mend(data); err != nil {
			return collected{}, err
		}
	}
	config, err := format.config(bytes.NewReader(data))
	if err != nil {
		return collected{}, imageError(err)
	}
	w, h := config.Width, config.Height
	if w <= 0 || h <= 0 {
		return collected{}, fmt.Errorf("%w: image of %d×%d", ErrFormat, h, w)
	}
	// Decoders allocate what the header says before they read a pixel.
	if product(maxImagePixels, w, h) < 0 {
		return collected{}, fmt.Errorf("%w: image of %d×%d", ErrTooLarge, h, w)
	}
	img, err := format.decode(bytes.NewReader(data))
	if err != nil {
		return collected{}, imageError(err)
	}
	if b := img.Bounds(); b.Dx() != w || b.Dy() != h {
		// A frame of a GIF may be smaller than the picture.
		return collected{}, fmt.Errorf("%w: image of %d×%d in a file of %d×%d", ErrFormat, b.Dy(), b.Dx(), h, w)
	}
	pixels, err := luminance(img)
	if err != nil {
		return collected{}, err
	}
	out := collected{path: p, height: h, width: w, pixels: pixels}
	if l.Height == 0 && l.Width == 0 || l.Height == h && l.Width == w {
		return out, nil
	}
	one := &Set{X: mat.NewDense(h*w, 1, pixels), Height: h, Width: w, Max: 255}
	small, err := one.Shrink(l.Height, l.Width)
	if err != nil {
		return collected{}, err
	}
	out.height, out.width, out.pixels = l.Height, l.Width, small.X.RawMatrix().Data
	return out, nil
}

func imageError(err error) error {
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// luminance returns the luminance of an image in raster order, 0..255.
func luminance(img image.Image) ([]float64, error) {
	b := img.Bounds()
	pixels := make([]float64, 0, b.Dx()*b.Dy())
	top := 0xffff
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			var v float64
			switch img := img.(type) {
			case *image.Gray:
				v = float64(img.GrayAt(x, y).Y)
			case *netpbm.GrayM:
				g := img.GrayMAt(x, y)
				v = float64(g.Y) * 255 / float64(g.M)
			case *netpbm.GrayM32:
				g := img.GrayM32At(x, y)
				v = float64(g.Y) * 255 / float64(g.M)
			default:
				// The weights are those of image/color; they sum to 1<<16.
				r, g, b, _ := img.At(x, y).RGBA()
				v = (19595*float64(r) + 38470*float64(g) + 7471*float64(b)) / (1 << 16) / 257
				top = max(top, int(r), int(g), int(b))
			}
			if v > 255 {
				top = max(top, 1<<16)
			}
			pixels = append(pixels, v)
		}
	}
	if top > 0xffff {
		return nil, fmt.Errorf("%w: a pixel is above the maximum that the header gives", ErrFormat)
	}
	return pixels, nil
}
