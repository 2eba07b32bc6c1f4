package datasets

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
	"gonum.org/v1/gonum/mat"
)

// ErrNoImages is returned where no image was found.
var ErrNoImages = errors.New("datasets: no images found")

const (
	maxImageBytes  = 1 << 26 // of a file
	maxImagePixels = 1 << 24 // 4096×4096, as stored

	// Images that are shrunk may be many. So that a small archive is no long work, the
	// pixels to be decoded are bounded: those of four images of the largest size, and
	// more for each byte that is stored, where a photograph has three or four, a
	// drawing a hundred, and a white sheet eight thousand.
	freePixels    = 4 * maxImagePixels
	pixelsPerByte = 256
)

// ImageLayout says how a tree of files becomes a Set. Its zero value takes all
// images as they are, and the name of the folder of an image for its class.
type ImageLayout struct {
	// Class returns the class of a file by its path (with slashes, below the root), and
	// whether the file is to be read at all; nil reads all files, and the class of each
	// is the name of its folder. It is called only for images, which are known by their
	// extension. If all classes are "", there are no labels.
	Class func(path string) (class string, take bool)
	// Height and Width are what images larger than that are resized to, by
	// the mean over the area of a pixel; 0 leaves them as they are.
	Height, Width int
	// Color keeps colours: an image becomes three grey images below each other, its red,
	// green and blue, so that Set.Height is three times that of the files. Up to a
	// million features are named, as in "red (3, 4)". Of a grey image all three are the
	// same. Portable anymaps (.ppm) are then ErrUnsupported.
	Color bool
}

// ReadImages reads the images of a tree of files (os.DirFS, embed.FS,
// *zip.Reader ...): PGM, PPM, PNG, JPEG, GIF, BMP, TIFF and WebP, known by their
// extension. Other files and symbolic links are passed over; Set.Notes tell of pictures of
// other kinds among them. Colours become grey by their luminance unless the layout has Color,
// transparent pixels black; values are 0..255, not rounded where an image has more than eight
// bits or was resized. Of a file with several images, such as a film or the pages of a scan,
// it reads the first; for TIFF files Set.Notes say so. How a camera was held (EXIF) is not read, so
// photographs may lie on their side.
//
// Columns are sorted by class and path, in natural order: s2/9.pgm, s2/10.pgm, s10/1.pgm;
// the path is the name of the sample. After any resizing images must have one size; if
// not, the error is ErrSize and names the first that is not of the most frequent size. Other errors are ErrFormat
// and ErrTooLarge (a file of more than 64 MiB, an image of more than 4096×4096 pixels,
// images that are far larger than their files), with the path, ErrNoImages, those of
// fsys, and ctx.Err(): when ctx ends, so does the reading, at most a second later, which
// is what decoding one image may take.
func ReadImages(ctx context.Context, fsys fs.FS, l ImageLayout) (*Set, error) {
	return readImages(ctx, fsys, l, maxValues())
}

func readImages(ctx context.Context, fsys fs.FS, l ImageLayout, limit int) (*Set, error) {
	c := newCollector(ctx, l, limit)
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
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
			return fmt.Errorf("%s: %w", p, readError(err))
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil {
			c.stored += info.Size()
		}
		return c.add(p, class, f)
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return c.set()
}

// An imageCollector gathers images in any order.
type imageCollector struct {
	ctx    context.Context
	layout ImageLayout
	left   budget // of pixels and the rest
	bytes  int64  // that files may still unpack to
	stored int64  // bytes that the images come from, packed in an archive
	pixels int64  // that were decoded
	file   bytes.Buffer
	images []collected
	at     map[string]int // where the image of a path is
	note   noted          // what Set.Notes are to tell
}

func newCollector(ctx context.Context, l ImageLayout, limit int) *imageCollector {
	return &imageCollector{ctx: ctx, layout: l, left: budget(limit), bytes: maxArchive, at: map[string]int{}}
}

// imageCost is what an image takes in addition to its pixels and its path, in values: a
// small archive can hold millions of images of one pixel.
const imageCost = 32

type collected struct {
	path, class   string
	height, width int
	pixels        []float64
}

// takes tells whether a file is an image to be read, and its class.
func (c *imageCollector) takes(p string) (class string, take bool) {
	if strings.HasPrefix(path.Base(p), ".") { // ._x.png: written by macOS
		return "", false
	}
	if imageFormat(p) == nil {
		switch strings.ToLower(path.Ext(p)) {
		case ".pbm", ".pam", ".heic", ".heif", ".avif", ".jp2", ".jxl", ".svg", ".dcm", ".dng", ".cr2", ".nef", ".arw":
			c.note.others.add(p)
		}
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
	c.file.Reset()
	n, err := c.file.ReadFrom(&capReader{r: &source{ctx: c.ctx, r: r}, left: min(maxImageBytes, c.bytes)})
	c.bytes -= n
	if err != nil {
		return fmt.Errorf("%s: %w", p, readError(err))
	}
	img, err := c.decode(p, c.file.Bytes())
	if err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	img.class = tidyName(class)
	if moreTIFF(c.file.Bytes()) {
		c.note.paged.add(p)
	}
	return c.put(img)
}

// noted counts files, and keeps the first of each kind.
type noted struct{ others, paged someFiles }

type someFiles struct {
	first string
	count int
}

func (f *someFiles) add(p string) {
	if f.count++; f.count == 1 {
		f.first = tidyName(p)
	}
}

func (n noted) lines() []string {
	var lines []string
	if n.others.count > 0 {
		lines = append(lines, fmt.Sprintf("passed over are pictures of kinds that are not read (%d, as %s)", n.others.count, n.others.first))
	}
	if n.paged.count > 0 {
		lines = append(lines, fmt.Sprintf("files of several pages give their first page alone (%d, as %s)", n.paged.count, n.paged.first))
	}
	return lines
}

// put takes an image, in place of the one of its path if there is one.
func (c *imageCollector) put(img collected) error {
	if err := c.left.take(len(img.pixels) + len(img.path)/8 + imageCost); err != nil {
		return fmt.Errorf("all images up to %s: %w", img.path, err)
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
	img := c.images[i] // which shares its pixels
	img.path, img.class = p, tidyName(class)
	return c.put(img)
}

// set makes the Set and empties the collector.
func (c *imageCollector) set() (*Set, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	if len(c.images) == 0 {
		return nil, ErrNoImages
	}
	c.at, c.file = nil, bytes.Buffer{}
	slices.SortFunc(c.images, func(a, b collected) int {
		return cmp.Or(natural(a.class, b.class), natural(a.path, b.path))
	})
	if mixed := mixedSizesOf(c.images); mixed != nil {
		return nil, mixed
	}
	first := c.images[0]
	n := len(c.images)
	s := &Set{Notes: c.note.lines(), Height: first.height, Width: first.width, Max: 255, Labels: make([]int, n), Samples: make([]string, n)}
	for j, img := range c.images {
		if j == 0 || img.class != c.images[j-1].class { // they are sorted
			s.Classes = append(s.Classes, img.class)
		}
		s.Labels[j] = len(s.Classes) - 1
		s.Samples[j] = tidyName(img.path)
	}
	unique(s.Samples) // paths differ, but not always what is legible of them
	if len(s.Classes) == 1 && s.Classes[0] == "" {
		s.Labels, s.Classes = nil, nil
	}
	s.X = mat.NewDense(s.Height*s.Width, n, nil)
	for j := 0; j < n; j += 256 {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		some := c.images[j:min(j+256, n)]
		fill(s.X, j, len(some), func(j, i int) float64 { return some[j].pixels[i] })
		clear(some) // so that the set is in memory once
	}
	c.images = nil
	if c.layout.Color && s.Height*s.Width <= maxNamed {
		each := s.Height / len(channels)
		for _, name := range channels {
			for i := range each * s.Width {
				s.Features = append(s.Features, fmt.Sprintf("%s (%d, %d)", name, i/s.Width, i%s.Width))
			}
		}
	}
	return s.checked()
}

// A mixedSizes is the error of images that have several sizes. Others are those that are not of the usual size, and
// small those of them that are lower or narrower than that.
type mixedSizes struct {
	height, width      int // the usual size: that of the most images
	all, others, small int
	usual, least       string   // the first of the usual size, and the one with the fewest pixels, with its size
	someOthers         []string // the first few, with their sizes
	someSmall          []string
}

func (m *mixedSizes) Unwrap() error { return ErrSize }

func (m *mixedSizes) Error() string {
	return fmt.Sprintf("%v: %s is not of the size that %d of %d images have, as %s (%d×%d, height × width): set Height and Width of the layout to make them one size",
		ErrSize, m.someOthers[0], m.all-m.others, m.all, m.usual, m.height, m.width)
}

// mixedSizesOf returns nil for images of one size.
func mixedSizesOf(images []collected) *mixedSizes {
	type size struct{ height, width int }
	count := map[size]int{}
	for _, img := range images {
		count[size{img.height, img.width}]++
	}
	if len(count) == 1 {
		return nil
	}
	first, least := images[0], images[0]
	for _, img := range images {
		if count[size{img.height, img.width}] > count[size{first.height, first.width}] {
			first = img
		}
		if img.height*img.width < least.height*least.width {
			least = img
		}
	}
	name := func(img collected) string {
		return fmt.Sprintf("%s (%d×%d)", tidyName(img.path), img.height, img.width)
	}
	m := &mixedSizes{height: first.height, width: first.width, all: len(images), usual: first.path, least: name(least)}
	for _, img := range images {
		if img.height == m.height && img.width == m.width {
			continue
		}
		if m.others++; m.others <= fewNamed {
			m.someOthers = append(m.someOthers, name(img))
		}
		if img.height < m.height || img.width < m.width {
			if m.small++; m.small <= fewNamed {
				m.someSmall = append(m.someSmall, name(img))
			}
		}
	}
	return m
}

// fewNamed is the number of files that a note names.
const fewNamed = 3

// few joins the first names of all that there are.
func few(names []string, all int) string {
	if text := strings.Join(names, ", "); all > len(names) {
		return fmt.Sprintf("%s and %d more", text, all-len(names))
	}
	return strings.Join(names, ", ")
}

// A picture is an image in memory.
type picture interface {
	size() (height, width int)
	luminance(y int, to []float64) // of a row, 0..255
}

// A codec reads images of a format.
type codec struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	work   func(data []byte) (int, error) // in pixels, where the size does not tell it
}

// pnm is the format that has no codec.
var pnm = &codec{}

// imageFormat returns the format of a file by its extension, nil if it is no
// image.
func imageFormat(p string) *codec {
	switch strings.ToLower(path.Ext(p)) {
	case ".pgm", ".ppm", ".pnm":
		return pnm
	case ".png":
		return &codec{png.DecodeConfig, png.Decode, nil}
	case ".jpg", ".jpeg":
		return &codec{jpeg.DecodeConfig, jpeg.Decode, jpegPixels}
	case ".gif":
		return &codec{gif.DecodeConfig, gif.Decode, nil}
	case ".bmp":
		return &codec{bmp.DecodeConfig, bmp.Decode, nil}
	case ".tif", ".tiff":
		return &codec{tiff.DecodeConfig, tiff.Decode, tiffPixels}
	case ".webp":
		return &codec{webp.DecodeConfig, webp.Decode, webpPixels}
	}
	return nil
}

// decode reads an image and resizes it.
func (c *imageCollector) decode(p string, data []byte) (collected, error) {
	pic, err := c.picture(imageFormat(p), data)
	if err != nil {
		return collected{}, err
	}
	out := collected{path: p}
	out.height, out.width = pic.size()
	if c.layout.Height != 0 || c.layout.Width != 0 {
		if err := canShrink(out.height, out.width, c.layout.Height, c.layout.Width); err != nil {
			return collected{}, fmt.Errorf("%w: take a Height and a Width that no image is below, or leave it out by ImageLayout.Class", err)
		}
		out.height, out.width = c.layout.Height, c.layout.Width
	}
	if !c.layout.Color {
		out.pixels, err = c.reduce(pic, out.height, out.width)
		return out, err
	}
	for k := range channels {
		of, err := channel(pic, k)
		if err != nil {
			return collected{}, err
		}
		pixels, err := c.reduce(of, out.height, out.width)
		if err != nil {
			return collected{}, err
		}
		out.pixels = append(out.pixels, pixels...)
	}
	out.height *= len(channels)
	return out, nil
}

var channels = [3]string{"red", "green", "blue"}

// maxNamed is the number of features above which colours get no names: those would take
// more memory than a few images.
const maxNamed = 1 << 20

// A channelOf is one of the three of an image.
type channelOf struct {
	image.RGBA64Image
	k int
}

func channel(pic picture, k int) (picture, error) {
	switch p := pic.(type) {
	case decodedImage:
		return channelOf{p.RGBA64Image, k}, nil
	case *palettedImage:
		return channelOf{p.Paletted, k}, nil
	}
	return nil, fmt.Errorf("%w: portable anymaps are not read in colour: convert them to PNG", ErrUnsupported)
}

func (c channelOf) size() (height, width int) { return c.Bounds().Dy(), c.Bounds().Dx() }

// luminance returns the values of the channel.
func (c channelOf) luminance(y int, to []float64) {
	b := c.Bounds()
	for x := range to {
		at := c.RGBA64At(b.Min.X+x, b.Min.Y+y)
		to[x] = float64([3]uint16{at.R, at.G, at.B}[c.k]) / 257
	}
}

// picture decodes a file. Decoders allocate what the header says before they read a
// pixel, so that comes first.
func (c *imageCollector) picture(format *codec, data []byte) (picture, error) {
	if format == pnm {
		m, err := decodePNM(data)
		if err != nil {
			return nil, err
		}
		return m, c.charge(m.width * m.height)
	}
	work := 0
	if format.work != nil {
		var err error
		if work, err = format.work(data); err != nil {
			return nil, err
		}
	}
	config, err := format.config(bytes.NewReader(data))
	if err != nil {
		return nil, imageError(err)
	}
	w, h := config.Width, config.Height
	if err := checkPixels(w, h); err != nil {
		return nil, err
	}
	if err := c.charge(max(work, w*h)); err != nil {
		return nil, err
	}
	img, err := format.decode(watched{c.ctx, bytes.NewReader(data)})
	if c.ctx.Err() != nil {
		return nil, c.ctx.Err()
	}
	if err != nil {
		return nil, imageError(err)
	}
	if b := img.Bounds(); b.Dx() != w || b.Dy() != h {
		frame, ok := img.(*image.Paletted)
		if !ok || b.Empty() || !b.In(image.Rect(0, 0, w, h)) {
			return nil, fmt.Errorf("%w: image of %d×%d in a file of %d×%d", ErrFormat, b.Dy(), b.Dx(), h, w)
		}
		// The frame of a GIF may be smaller than the picture, which is transparent elsewhere.
		if _, err := newPalettedImage(frame); err != nil {
			return nil, err
		}
		canvas := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(canvas, b, frame, b.Min, draw.Src)
		return decodedImage{canvas}, nil
	}
	rgba, ok := img.(image.RGBA64Image) // all have it
	if !ok {
		return nil, fmt.Errorf("%w: image of type %T", ErrUnsupported, img)
	}
	if paletted, ok := img.(*image.Paletted); ok {
		return newPalettedImage(paletted)
	}
	return decodedImage{rgba}, nil
}

func checkPixels(width, height int) error {
	if width <= 0 || height <= 0 {
		return fmt.Errorf("%w: image of %d×%d", ErrFormat, height, width)
	}
	if product(maxImagePixels, width, height) < 0 {
		return fmt.Errorf("%w: image of %d×%d", ErrTooLarge, height, width)
	}
	return nil
}

// charge counts pixels that are to be decoded.
func (c *imageCollector) charge(pixels int) error {
	if c.pixels += int64(pixels); c.pixels > freePixels+pixelsPerByte*c.stored {
		return fmt.Errorf("%w: images of %d pixels in the first %d bytes", ErrTooLarge, c.pixels, c.stored)
	}
	return nil
}

// jpegPixels returns how many pixels an image has in all of its scans, which may each
// be of all pixels, in a few bytes. Files have up to ten or so; eight cost as much as
// the rest.
func jpegPixels(data []byte) (int, error) {
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, imageError(err)
	}
	if err := checkPixels(config.Width, config.Height); err != nil {
		return 0, err
	}
	scans := bytes.Count(data, []byte("\xff\xda"))
	return config.Width * config.Height * (1 + scans/8), nil
}

func imageError(err error) error {
	var ofPNG png.UnsupportedError
	var ofJPEG jpeg.UnsupportedError
	var ofTIFF tiff.UnsupportedError
	if errors.As(err, &ofPNG) || errors.As(err, &ofJPEG) || errors.As(err, &ofTIFF) || errors.Is(err, bmp.ErrUnsupported) {
		return fmt.Errorf("%w: %w: save it as PNG, or as TIFF with whole numbers of 8 or 16 bits", ErrUnsupported, err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return readError(err)
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// A watched reader ends with its context.
type watched struct {
	ctx context.Context
	*bytes.Reader
}

func (w watched) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Reader.Read(p)
}

// A decodedImage is one of package image.
type decodedImage struct{ image.RGBA64Image }

func (d decodedImage) size() (height, width int) { return d.Bounds().Dy(), d.Bounds().Dx() }

func (d decodedImage) luminance(y int, to []float64) {
	b := d.Bounds()
	y += b.Min.Y
	if img, ok := d.RGBA64Image.(*image.Gray); ok {
		for x, v := range img.Pix[img.PixOffset(b.Min.X, y):][:len(to)] {
			to[x] = float64(v)
		}
		return
	}
	for x := range to {
		c := d.RGBA64At(b.Min.X+x, y)
		to[x] = grey(uint32(c.R), uint32(c.G), uint32(c.B))
	}
}

// A palettedImage has few colours, which are made grey once.
type palettedImage struct {
	*image.Paletted
	grey [256]float64
}

func newPalettedImage(img *image.Paletted) (*palettedImage, error) {
	if top := int(slices.Max(img.Pix)); top >= len(img.Palette) {
		return nil, fmt.Errorf("%w: colour %d of %d", ErrFormat, top, len(img.Palette))
	}
	p := &palettedImage{Paletted: img}
	for i, c := range img.Palette {
		r, g, b, _ := c.RGBA()
		p.grey[i] = grey(r, g, b)
	}
	return p, nil
}

func (p *palettedImage) size() (height, width int) { return p.Rect.Dy(), p.Rect.Dx() }

func (p *palettedImage) luminance(y int, to []float64) {
	for x, v := range p.Pix[y*p.Stride:][:len(to)] {
		to[x] = p.grey[v]
	}
}

// grey returns the luminance of a colour in 0..65535, in 0..255. The weights are those
// of image/color; they sum to 1<<16.
func grey(r, g, b uint32) float64 {
	return (19595*float64(r) + 38470*float64(g) + 7471*float64(b)) / (1 << 16) / 257
}

// reduce returns the luminance of a picture of height × width or more, each pixel the
// mean of the area that it covers, with the bits of Shrink, but row by row.
func (c *imageCollector) reduce(pic picture, height, width int) ([]float64, error) {
	h, w := pic.size()
	out := make([]float64, height*width)
	if h == height && w == width {
		for y := range h {
			if err := c.ctx.Err(); err != nil {
				return nil, err
			}
			pic.luminance(y, out[y*w:(y+1)*w])
		}
		return out, nil
	}
	row, have := make([]float64, w), -1
	across := shares(w, width)
	for r, down := range shares(h, height) {
		to := out[r*width : (r+1)*width]
		for _, v := range down {
			if err := c.ctx.Err(); err != nil {
				return nil, err
			}
			if v.at != have { // the last one may be shared with the next pixel
				pic.luminance(v.at, row)
				have = v.at
			}
			for k := range to {
				for _, a := range across[k] {
					to[k] += v.share * a.share * row[a.at]
				}
			}
		}
	}
	return out, nil
}
