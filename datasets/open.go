package datasets

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/npy"
)

// OpenOptions say what Open cannot know, or guessed wrong. Its zero value guesses all. An option that
// does nothing for a kind of file is ErrParameter there.
type OpenOptions struct {
	// ID and Label name what holds the names of the samples and their classes: a column of a table,
	// by its name or number; a variable, array or path in files of several (.mat, .npz, HDF5). ""
	// guesses, and "-" is none. A first line that has the name is one of names, also if all else in it
	// is numbers.
	ID, Label string
	// Data names the variable, array or path of the data in files of several.
	Data string
	// Skip are columns of a table to be left out.
	Skip []string
	// Missing are the values that mean that nothing was measured, besides NaN, empty fields and
	// the usual words such as NA: texts ("?", "<0,60"), numbers ("-1"), and ranges of numbers ("<0",
	// ">=9999"). Where fields of a table have "<5" for their text, as those below a limit of detection,
	// they are meant, and not the numbers below 5. What is missing is NaN in X, and counts in Set.Mask.
	// The zeros of a sparse matrix are never missing. A note tells of values that come nowhere.
	Missing []string
	// Transposed takes the matrix the other way round: what is a feature without it is a sample.
	Transposed bool
	// Height and Width are those of images: what pictures are made smaller to, or the size of the
	// images that are rows of a matrix. 0 is a guess for pictures: the size of most of them where none is
	// smaller, or else 32×32, 16×16 or 8×8, and at most 64 pixels high and wide. It is none for a matrix,
	// and the own size of images that are in an array, as those of IDX.
	Height, Width int
	// Sideways turns images that lie on their side without it: of images that are rows of a matrix it
	// takes the pixels in the other order, column by column in place of row by row or the reverse.
	Sideways bool
	// Sparse keeps a sparse matrix without its zeros whatever its size: see Set.Sparse.
	Sparse bool
}

// fewEntries is up to how many entries, with its zeros, a sparse matrix becomes X, and someZeros the
// share of entries that are not 0 from which a larger one does, too.
const (
	fewEntries = 1 << 24
	someZeros  = 0.2
)

// Open reads a file or a folder of any kind that this package knows, by its content and name:
//
//   - tables of text (.csv, .tsv, .txt, .data, .arff), also those of R, pandas and Excel;
//   - matrices of NumPy and SciPy (.npy, .npz) and MATLAB (.mat), Matrix Market (.mtx, or a folder of
//     matrix.mtx with the names next to it), HDF5 (.h5, .h5ad, .loom), IDX (that of MNIST, with the
//     labels next to the images);
//   - images: a folder, a .zip, .tar or .tar.gz.
//
// All but those of HDF5 and MATLAB may be packed by gzip. Tables of Parquet and Arrow are read in a
// program that imports package columnar, a module of its own, which the error says: see RegisterTables.
//
// Above a table of text, lines that begin with #, ! or % are passed over, but for one with as many fields as the next,
// which may be a header, and so is a title: one field over three names or more.
//
// The set has the name of the file, and its Notes tell what was guessed: the separator, whether a first
// line with numbers names the columns, which columns name samples and classes and which were left out,
// whether a line is a sample or a feature, which texts were taken for missing values, and numbers that
// look as if they meant one. The options say otherwise. Missing values are NaN in X, which a fit refuses: give it Model.Mask = set.Mask().
// OpenCSV, OpenMAT and the like have more of them for one format each.
//
// Errors are those of the readers, and ErrUnsupported for a file of no known kind.
func Open(ctx context.Context, path string, o OpenOptions) (*Set, error) {
	missing := parseMissing(o.Missing)
	info, err := statOf(path)
	if err != nil {
		return nil, err
	}
	var s *Set
	if info.IsDir() {
		s, err = openFolder(ctx, path, o)
	} else if err = regular(path, info); err == nil {
		s, err = openFile(ctx, path, o, missing)
	}
	if err != nil {
		return nil, err
	}
	return s.opened(o, missing)
}

// opened does what is common to all formats.
func (s *Set) opened(o OpenOptions, missing absent) (*Set, error) {
	if err := missing.check(); err != nil {
		return nil, err
	}
	for _, b := range missing.values {
		if b.fields > 0 {
			s.noted("%q in OpenOptions.Missing means the text of %s, and no numbers", b.text, many(b.fields, "field"))
		}
	}
	if s.Sparse != nil && !o.Sparse {
		m, n := s.Sparse.Dims()
		share := float64(len(s.Sparse.Value)) / float64(m) / float64(n)
		if product(fewEntries, m, n) > 0 || share >= someZeros {
			t, err := s.Dense()
			if err != nil {
				return nil, err
			}
			s = t
		} else {
			s.noted("the matrix stays sparse: with its zeros it would take %.2g GB (Set.Dense fills them in)", 8e-9*float64(m)*float64(n))
		}
	}
	if s.X == nil {
		for _, b := range missing.values {
			if b.fields == 0 && b.is(0) {
				return nil, fmt.Errorf("%w: %q in Missing has the zeros of a sparse matrix, too, which it does not keep", ErrParameter, b.text)
			}
		}
	}
	hidden := 0
	s.change(func(_, _ int, v float64) float64 {
		if !math.IsNaN(v) && missing.number(v) {
			hidden++
			return math.NaN()
		}
		return v
	})
	if hidden > 0 {
		s.noted("%s taken for missing, as OpenOptions.Missing says", are(hidden, "number"))
	}
	for _, text := range missing.unseen() {
		s.noted("no value is %q, which OpenOptions.Missing has", text)
	}
	if s.X == nil {
		return s, s.Check()
	}
	s.noteSentinels()
	s.noteStuck()
	m, _ := s.Dims()
	if side := int(math.Round(math.Sqrt(float64(m)))); !s.isImage() && s.Features == nil && side >= smallSide && side*side == m {
		s.noted("%d features are as many as the pixels of %d×%d: if a sample is an image, say so by OpenOptions.Height and Width", m, side, side)
	}
	return s.checked()
}

// smallSide is that of the smallest images that are taken for such without a word.
const smallSide = 8

// only returns an error for an option that is set and does nothing for files of a kind, which has these.
func (o OpenOptions) only(kind string, has ...string) error {
	for _, option := range []struct {
		name string
		set  bool
	}{{"ID", none(o.ID) != ""}, {"Label", none(o.Label) != ""}, {"Data", o.Data != ""}, {"Skip", len(o.Skip) > 0}, {"Transposed", o.Transposed}} {
		if option.set && !slices.Contains(has, option.name) {
			return fmt.Errorf("%w: OpenOptions.%s does nothing for %s", ErrParameter, option.name, kind)
		}
	}
	return nil
}

func openFolder(ctx context.Context, path string, o OpenOptions) (*Set, error) {
	if besideMTX(path, "matrix.mtx") != "" {
		return openFileMTX(ctx, path, o)
	}
	s, err := openPictures(ctx, path, o)
	if !errors.Is(err, ErrNoImages) {
		return s, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, tidyName(e.Name()))
	}
	return nil, fmt.Errorf("%w: the folder %s has neither images nor a matrix.mtx; it has %s: give the path of one file", ErrNoImages, path, cmp.Or(list(names), "no files"))
}

// openMixed reads images of several sizes: all become that of most of them, or else squares of a side or less.
func openMixed(ctx context.Context, path string, mixed *mixedSizes, side int) (s *Set, err error) {
	usual := mixed.all - mixed.others
	most := 2*usual > mixed.all
	if most && mixed.small == 0 {
		if s, err = OpenImages(ctx, path, ImageLayout{Height: mixed.height, Width: mixed.width}); err != nil {
			return nil, err
		}
		return s.noted("%d of %d images are %d×%d, and the others became so (OpenOptions.Height and Width): %s", usual, mixed.all, mixed.height, mixed.width, few(mixed.someOthers, mixed.others)), nil
	}
	for ; side >= smallSide; side /= 2 {
		if s, err = OpenImages(ctx, path, ImageLayout{Height: side, Width: side}); err == nil || !errors.Is(err, ErrSize) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	s.noted("the images have several sizes and became %d×%d (OpenOptions.Height and Width)", side, side)
	if most {
		return s.noted("%d of %d images are %d×%d, as all would be without the smaller ones, %s: take them out, or let ImageLayout.Class of OpenImages do it", usual, mixed.all, mixed.height, mixed.width, few(mixed.someSmall, mixed.small)), nil
	}
	return s.noted("the smallest image is %s", mixed.least), nil
}

// openPictures reads images, and makes them one size, and small, where the options say nothing.
func openPictures(ctx context.Context, path string, o OpenOptions) (*Set, error) {
	if err := o.only("pictures"); err != nil {
		return nil, err
	}
	if (o.Height == 0) != (o.Width == 0) {
		return nil, fmt.Errorf("%w: images of %d×%d: set both Height and Width", ErrParameter, o.Height, o.Width)
	}
	const large = 64
	s, err := OpenImages(ctx, path, ImageLayout{Height: o.Height, Width: o.Width})
	var mixed *mixedSizes
	if errors.As(err, &mixed) {
		s, err = openMixed(ctx, path, mixed, large/2)
	}
	if err != nil {
		return nil, err
	}
	if o.Height == 0 && max(s.Height, s.Width) > large {
		h, w := s.Height, s.Width
		scale := float64(large) / float64(max(h, w))
		t, err := s.Shrink(max(1, int(math.Round(scale*float64(h)))), max(1, int(math.Round(scale*float64(w)))))
		if err != nil {
			return nil, err
		}
		s = t.noted("the images of %d×%d became %d×%d (OpenOptions.Height and Width)", h, w, t.Height, t.Width)
	}
	if len(s.Classes) == 1 || o.Label == "-" { // all are in one folder
		s.Labels, s.Classes = nil, nil
	}
	if s.Classes != nil {
		s.noted("the folder of an image is its class")
	}
	return s.upright(o, false, false, nil)
}

// The options of which only decides that tables, and files of several arrays, have them.
var (
	ofTables = []string{"ID", "Label", "Skip", "Transposed"}
	ofArrays = []string{"ID", "Label", "Data", "Transposed"}
)

func openFile(ctx context.Context, path string, o OpenOptions, missing absent) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	head, err := headOf(ctx, f)
	f.Close()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	lower := strings.TrimSuffix(strings.ToLower(path), ".gz")
	begins := func(with string) bool { return bytes.HasPrefix(head, []byte(with)) }
	unsupported := func(what string) (*Set, error) {
		return nil, fmt.Errorf("%s: %w: %s", path, ErrUnsupported, what)
	}
	switch {
	case len(head) == 0:
		return nil, fmt.Errorf("%s: %w: the file is empty", path, ErrFormat)
	case tableOf(head) != nil:
		if err := o.only("a table", ofTables...); err != nil {
			return nil, err
		}
		return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) {
			return readGuessed(ctx, func() (io.Reader, error) { return tableOf(head)(ctx, f, size) }, true, o, missing, maxValues())
		})
	case begins("PAR1") || begins("ARROW1") || begins("\xff\xff\xff\xff"):
		return unsupported("a table of Parquet or Arrow: a program that has import _ \"github.com/robustnmf/robustnmf/datasets/columnar\", a module of its own, reads it; so do pandas and R, which can save it as CSV")
	case begins("MATLAB"):
		if err := o.only("a file of MATLAB", ofArrays...); err != nil {
			return nil, err
		}
		return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) { return readGuessedMAT(ctx, f, size, o) })
	case begins("\x89HDF\r\n\x1a\n"):
		return openFileHDF5(ctx, path, o)
	case begins(npy.Magic):
		if err := o.only("an array of NumPy", "Transposed"); err != nil {
			return nil, err
		}
		return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) {
			s, err := ReadNPY(ctx, io.NewSectionReader(f, 0, size), NPYLayout{Height: o.Height, Width: o.Width, Columns: o.Transposed})
			if err == nil && s.ownSize(o) && o.Transposed {
				return nil, OpenOptions{Transposed: true}.only("images")
			}
			if err == nil && s.Height == 0 {
				s.noteOrientation("the array", o.Transposed)
			}
			return s.upright(o, o.Height > 0, false, err)
		})
	case begins("PK\x03\x04"):
		switch what, err := archiveOf(path); {
		case err != nil:
			return nil, err
		case what == "npz":
			if err := o.only("an archive of NumPy", ofArrays...); err != nil {
				return nil, err
			}
			return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) { return readGuessedNPZ(ctx, f, size, o) })
		case what == "xlsx":
			return unsupported("a workbook: save the sheet as CSV")
		}
		return openPictures(ctx, path, o)
	case begins("%%MatrixMarket") || begins("%%matrixmarket"):
		return openFileMTX(ctx, path, o)
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return openPictures(ctx, path, o)
	case len(head) >= 4 && head[0] == 0 && head[1] == 0 && head[2] >= 8 && head[2] <= 14 && head[3] >= 1 && head[3] <= 8:
		return openIDX(ctx, path, o)
	case imageFormat(lower) != nil:
		return unsupported("a single image: give the folder of the images")
	case strings.HasSuffix(lower, ".arff"):
		if err := o.only("a table", ofTables...); err != nil {
			return nil, err
		}
		s, err := OpenARFF(ctx, path, CSVLayout{ID: none(o.ID), Label: o.Label, Skip: o.Skip, open: &missing})
		return s.shaped(o, err)
	case isText(head):
		if err := o.only("a table", ofTables...); err != nil {
			return nil, err
		}
		return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) {
			return readGuessedCSV(ctx, io.NewSectionReader(f, 0, size), o, missing, maxValues())
		})
	}
	return unsupported(fmt.Sprintf("a file of no kind that is known here (it begins with % x): save it as CSV, .npz, .mat or Matrix Market", head[:min(8, len(head))]))
}

// A TableReader returns a table as text: its first line has the names of the columns, commas are between
// them, and quotes where they must be, as encoding/csv has it. An empty field, and NaN, is missing.
// The text is read before the file is closed. Errors on the way are those of Read.
type TableReader func(ctx context.Context, file io.ReaderAt, size int64) (io.Reader, error)

var (
	tablesMu sync.RWMutex
	tables   []struct {
		begins string
		read   TableReader
	}
)

// RegisterTables lets Open read tables of one more format, known by what files begin with. It is for the
// init of a package that reads it, as image.RegisterFormat is; a later one comes first. Open then guesses which
// columns are names and classes, as it does for text. It panics without a beginning or a reader.
func RegisterTables(begins string, read TableReader) {
	if begins == "" || read == nil {
		panic(fmt.Errorf("%w: RegisterTables without a beginning or a reader", ErrParameter))
	}
	tablesMu.Lock()
	defer tablesMu.Unlock()
	tables = append(tables, struct {
		begins string
		read   TableReader
	}{begins, read})
}

// tableOf returns what reads tables that begin so, nil if nothing does.
func tableOf(head []byte) TableReader {
	tablesMu.RLock()
	defer tablesMu.RUnlock()
	for _, t := range slices.Backward(tables) {
		if bytes.HasPrefix(head, []byte(t.begins)) {
			return t.read
		}
	}
	return nil
}

// statOf is os.Stat, which says of an empty path that it is.
func statOf(path string) (os.FileInfo, error) {
	if path == "" {
		return nil, fmt.Errorf("the path is empty: %w", os.ErrNotExist)
	}
	return os.Stat(path)
}

// regular returns an error for what is no file: a folder, a pipe, a device.
func regular(path string, info os.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s: %w: it is a folder: OpenImages reads one of images, OpenMTX one of Matrix Market", path, ErrUnsupported)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w: it is a pipe or a device, and no file: save it as one, or give a reader to ReadCSV and the like", path, ErrUnsupported)
	}
	return nil
}

// none takes "-" for no name at all.
func none(name string) string {
	if name == "-" {
		return ""
	}
	return name
}

// headOf returns the first bytes of a file, unpacked.
func headOf(ctx context.Context, f io.Reader) ([]byte, error) {
	r, err := (&source{ctx: ctx, r: f}).unpacked()
	if err != nil {
		return nil, err
	}
	head := make([]byte, 4096)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, readError(err)
	}
	return head[:n], nil
}

// isText tells whether bytes are text: UTF-16 with its mark, or without a zero.
func isText(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) || !bytes.Contains(head, []byte{0})
}

// openIDX reads images of IDX, and the labels of the file whose name has labels in place of images.
func openIDX(ctx context.Context, path string, o OpenOptions) (*Set, error) {
	if err := o.only("a file of IDX", "Label", "Transposed"); err != nil {
		return nil, err
	}
	labels := cmp.Or(o.Label, filepath.Join(filepath.Dir(path), strings.NewReplacer("images", "labels", "idx3", "idx1", "samples", "labels").Replace(filepath.Base(path))))
	var beside *os.File
	if labels != "-" && labels != path {
		f, err := os.Open(labels)
		if err == nil {
			beside = f
			defer f.Close()
		} else if o.Label != "" {
			return nil, err
		}
	}
	return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) {
		r := io.NewSectionReader(f, 0, size)
		if beside == nil {
			s, err := ReadIDXSet(ctx, r, nil)
			return s.shaped(o, err)
		}
		s, err := ReadIDXSet(ctx, r, beside)
		if err == nil {
			s.noted("the classes are those of %s", tidyName(filepath.Base(labels)))
		}
		return s.shaped(o, err)
	})
}

func openFileMTX(ctx context.Context, path string, o OpenOptions) (*Set, error) {
	if err := o.only("a matrix of Matrix Market", "Transposed"); err != nil {
		return nil, err
	}
	s, err := openMTX(ctx, path, true)
	return s.shaped(o, err)
}

func openFileHDF5(ctx context.Context, path string, o OpenOptions) (*Set, error) {
	if err := o.only("a file of HDF5", ofArrays...); err != nil {
		return nil, err
	}
	height, width := o.Height, o.Width
	if o.Transposed { // it has them afterwards
		height, width = 0, 0
	}
	return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) {
		s, err := ReadHDF5(ctx, f, size, HDF5Layout{X: o.Data, Labels: none(o.Label), Samples: none(o.ID), Height: height, Width: width, sparse: true, guess: o.Label == ""})
		other := slices.ContainsFunc([]string{none(o.Label), none(o.ID)}, func(name string) bool {
			return name != "" && err != nil && strings.Contains(err.Error(), strconv.Quote(name))
		})
		if err != nil && o.Data == "" && !other && (errors.Is(err, ErrNoVariable) || errors.Is(err, ErrUnsupported)) {
			return nil, fmt.Errorf("%w (OpenOptions.Data names the array of the data)", err)
		}
		return s.shaped(o, err)
	})
}

// ownSize tells whether the samples are images whose size is not that of the options.
func (s *Set) ownSize(o OpenOptions) bool {
	return s.isImage() && (s.Height != o.Height || s.Width != o.Width)
}

// shaped is upright for a matrix that was read without regard to Transposed, nor always to Height and Width.
func (s *Set) shaped(o OpenOptions, err error) (*Set, error) {
	if err != nil {
		return nil, err
	}
	if s.ownSize(o) && o.Transposed {
		return nil, OpenOptions{Transposed: true}.only("images")
	}
	if o.Transposed {
		s = s.transposed()
	}
	if !s.isImage() {
		s.Height, s.Width = o.Height, o.Width
		err = s.Check()
	}
	return s.upright(o, o.Height > 0, false, err)
}

// upright returns a set that was read without err with its images as they stand. Those that come flat, as
// rows of a matrix, of which the pixels were read row by row, are taken column by column if that is the
// custom of the format, or if neighbours then differ clearly less: of images that are not square the
// wrong order makes stripes. Of square ones it only lays them on their side, which differences of
// neighbours do not tell.
func (s *Set) upright(o OpenOptions, flat, columns bool, err error) (*Set, error) {
	if err != nil {
		return nil, err
	}
	if o.Height > 0 && s.ownSize(o) { // which is no matter of order
		h, w := s.Height, s.Width
		if s, err = s.Shrink(o.Height, o.Width); err != nil {
			return nil, err
		}
		s.noted("the images of %d×%d became %d×%d, as OpenOptions.Height and Width say", h, w, s.Height, s.Width)
		flat = false
	}
	if h, w := sizeByNames(s.Features); h > 0 && !s.isImage() {
		s.Height, s.Width, s.Features, flat = h, w, nil, false
		s.noted("the samples are images of %d×%d, as the names of the features say", h, w)
	}
	switch {
	case !s.isImage() && o.Sideways:
		return nil, fmt.Errorf("%w: Sideways turns images, and the samples are none: set Height and Width if they are", ErrParameter)
	case !s.isImage() || !flat && !o.Sideways:
		return s, nil
	case !flat:
		t, err := s.turned()
		if err != nil {
			return nil, err
		}
		return t.noted("the images of %d×%d are turned, as OpenOptions.Sideways says", s.Height, s.Width), nil
	}
	square := s.Height == s.Width
	if by, as := s.roughness(false), s.roughness(true); !square && min(by, as) < clearly*max(by, as) {
		columns = as < by
	}
	if columns = columns != o.Sideways; columns {
		s.Height, s.Width = s.Width, s.Height // whose rows are columns
		if s, err = s.turned(); err != nil {
			return nil, err
		}
	}
	order := "row by row"
	if columns {
		order = "column by column"
	}
	switch {
	case o.Sideways:
		return s.noted("the pixels of an image come %s, as OpenOptions.Sideways says", order), nil
	case square:
		return s.noted("the pixels of an image are taken %s (OpenOptions.Sideways turns images that lie on their side)", order), nil
	}
	return s.noted("the pixels of an image are taken %s (OpenOptions.Sideways takes the other order)", order), nil
}

// sizeByNames returns the size of images whose pixels are named as FeatureName names them, row by row; 0
// for other names.
func sizeByNames(names []string) (height, width int) {
	if len(names) == 0 {
		return 0, 0
	}
	var r, c int
	if n, err := fmt.Sscanf(names[len(names)-1], "pixel (%d, %d)", &r, &c); n != 2 || err != nil || r < 0 || c < 0 || product(len(names), r+1, c+1) != len(names) {
		return 0, 0
	}
	s := &Set{Height: r + 1, Width: c + 1}
	for i, name := range names {
		if name != s.FeatureName(i) {
			return 0, 0
		}
	}
	return s.Height, s.Width
}

// clearly is the ratio of two roughnesses that tells the order of pixels: in noise it is near 1.
const clearly = 0.8

// roughness is the mean difference between neighbours in images whose pixels come row by row, or column by
// column.
func (s *Set) roughness(columns bool) float64 {
	if s.X == nil {
		return 0
	}
	var sum, pairs float64
	across, down := 1, s.Width // how far away neighbours are
	if columns {
		across, down = s.Height, 1
	}
	add := func(i, k int) {
		next := s.X.RawRowView(k)
		for j, v := range s.X.RawRowView(i) {
			if d := math.Abs(v - next[j]); d <= math.MaxFloat64 { // not NaN
				sum += d
				pairs++
			}
		}
	}
	for r := range s.Height {
		for c := range s.Width {
			at := r*down + c*across
			if c+1 < s.Width {
				add(at, at+across)
			}
			if r+1 < s.Height {
				add(at, at+down)
			}
		}
	}
	return sum / max(1, pairs)
}

// turned returns the set with each image mirrored at its diagonal: columns become rows.
func (s *Set) turned() (*Set, error) {
	rows := make([]int, 0, s.Height*s.Width)
	for c := range s.Width {
		for r := range s.Height {
			rows = append(rows, r*s.Width+c)
		}
	}
	t, err := s.PickFeatures(rows)
	if err != nil {
		return nil, err
	}
	if t.Height, t.Width = s.Width, s.Height; s.Features == nil {
		t.Features = nil
	}
	return t, nil
}

// transposed returns the set with samples for features.
func (s *Set) transposed() *Set {
	t := &Set{Name: s.Name, Samples: s.Features, Features: s.Samples, Max: s.Max, Credit: s.Credit, Notes: slices.Clone(s.Notes)}
	if s.Sparse != nil {
		t.Sparse = s.Sparse.Transposed()
	} else {
		t.X = mat.DenseCopyOf(s.X.T())
	}
	if s.Labels != nil {
		t.noted("the classes are left out, as they are those of the features after OpenOptions.Transposed")
	}
	return t
}

// noteOrientation tells what a sample is in a matrix, of which there are two ways.
func (s *Set) noteOrientation(what string, columns bool) {
	m, n := s.Dims()
	if columns {
		s.noted("a column of %s is a sample: %d of them, with %d features (OpenOptions.Transposed takes the rows)", what, n, m)
		return
	}
	s.noted("a row of %s is a sample: %d of them, with %d features (OpenOptions.Transposed takes the columns)", what, n, m)
}

// noteStuck tells of a value that comes in ten samples or more in succession, of a feature in which no other value but
// the smallest and the largest comes in more than two: a sensor that was stuck. There are none in images.
func (s *Set) noteStuck() {
	if s.X == nil || s.Height > 0 {
		return
	}
	const stuck, usual = 10, 2
	found, first := 0, ""
	m, n := s.X.Dims()
	for i := range m {
		row := s.X.RawRowView(i)
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range row {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
		from, longest, others := 0, 0, 0 // others: the longest run of another value
		for j := 0; j < n; {
			run := 1
			for j+run < n && row[j+run] == row[j] {
				run++
			}
			switch inner := row[j] > low && row[j] < high; {
			case inner && run > longest:
				if longest > 0 && row[j] != row[from] {
					others = max(others, longest)
				}
				from, longest = j, run
			case inner && row[j] != row[from]:
				others = max(others, run)
			}
			j += run
		}
		if longest >= stuck && others <= usual {
			if found++; first == "" {
				first = fmt.Sprintf("%s is %v in %d samples in succession, from %s on: if a sensor was stuck there, OpenOptions{Missing: []string{%q}} takes these values for missing",
					s.FeatureName(i), row[from], longest, s.SampleName(from), strconv.FormatFloat(row[from], 'g', -1, 64))
			}
		}
	}
	if found > 1 {
		first += fmt.Sprintf("; %d features have such values", found)
	}
	if found > 0 {
		s.noted("warning: %s", first)
	}
}

// noteSentinels tells of numbers that look as if they meant a missing value: one number alone that is
// negative, and one far above all others that comes several times.
func (s *Set) noteSentinels() {
	m, _ := s.X.Dims()
	var negative, most float64
	negatives, tops, other := 0, 0, false
	where := [2][2]int{}
	var sizes []float64
	for i := range m {
		for j, v := range s.X.RawRowView(i) {
			switch {
			case v < 0 && negatives == 0:
				negative, negatives, where[0] = v, 1, [2]int{i, j}
			case v == negative && negatives > 0:
				negatives++
			case v < 0:
				other = true
			}
			switch {
			case v > most:
				most, tops, where[1] = v, 1, [2]int{i, j}
			case v == most:
				tops++
			}
			if v > 0 {
				sizes = append(sizes, v)
			}
		}
	}
	tell := func(v float64, count int, at [2]int, why string) {
		s.noted("warning: %v is %s; it comes %s, first in %s of %s: if it means that a value is missing, say so by OpenOptions{Missing: []string{%q}}",
			v, why, many(count, "time"), s.FeatureName(at[0]), s.SampleName(at[1]), strconv.FormatFloat(v, 'g', -1, 64))
	}
	if negatives > 0 && !other && len(sizes) > 0 {
		tell(negative, negatives, where[0], "the only negative number")
	}
	if len(sizes) == 0 || tops < 2 {
		return
	}
	slices.Sort(sizes)
	if below := sizes[max(0, len(sizes)-1-tops)]; most > 100*below {
		tell(most, tops, where[1], "more than a hundred times all other numbers")
	}
}

// many counts things.
func many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// are is many with its verb.
func are(n int, thing string) string {
	if n == 1 {
		return many(n, thing) + " is"
	}
	return many(n, thing) + " are"
}

// absent is what OpenOptions.Missing says.
type absent struct {
	words  []string        // texts alone
	seen   map[string]bool // those that are the text of a field
	values []*absentValue
}

// An absentValue is a number or a range, or the text of fields of a table that are no numbers.
type absentValue struct {
	text   string
	is     func(v float64) bool // nil: it can be a text only
	fields int                  // that have the text
	seen   bool                 // a number that it is
}

// number tells whether a number means missing, and remembers by which.
func (a absent) number(v float64) (is bool) {
	for _, b := range a.values {
		if b.fields == 0 && b.is != nil && b.is(v) {
			b.seen, is = true, true
		}
	}
	return is
}

// unseen returns what no value was.
func (a absent) unseen() (texts []string) {
	for _, word := range a.words {
		if !a.seen[word] {
			texts = append(texts, word)
		}
	}
	for _, b := range a.values {
		if b.fields == 0 && !b.seen {
			texts = append(texts, b.text)
		}
	}
	return texts
}

// text tells whether a field that is no number means missing, by its text, and remembers it. None does if a is nil.
func (a *absent) text(field string) bool {
	if a != nil {
		for _, b := range a.values {
			if b.text == strings.TrimSpace(field) {
				b.fields++
				return true
			}
		}
	}
	return false
}

// isLimit tells whether a text that begins like a range means missing.
func (a absent) isLimit(text string) bool {
	return slices.ContainsFunc(a.values, func(b *absentValue) bool { return b.text == text && strings.ContainsAny(text[:1], "<>=") })
}

// check returns an error for what is neither a range nor the text of a field that was read.
func (a absent) check() error {
	for _, b := range a.values {
		if b.is == nil && b.fields == 0 {
			return fmt.Errorf("%w: %q in Missing is neither a range such as \"<0\" or \">=9999\" nor the text of a field", ErrParameter, b.text)
		}
	}
	return nil
}

// parseMissing reads OpenOptions.Missing.
func parseMissing(texts []string) (a absent) {
	a.seen = map[string]bool{}
	for _, text := range texts {
		text = strings.TrimSpace(text)
		limit := strings.TrimLeft(text, "<>=")
		v, err := strconv.ParseFloat(strings.TrimSpace(limit), 64)
		isNumber, sign := err == nil && !math.IsNaN(v) && !strings.ContainsAny(limit, "_xX"), text[:len(text)-len(limit)]
		is := map[string]func(x float64) bool{
			"":   func(x float64) bool { return x == v },
			"<":  func(x float64) bool { return x < v },
			"<=": func(x float64) bool { return x <= v },
			">":  func(x float64) bool { return x > v },
			">=": func(x float64) bool { return x >= v },
		}[sign]
		switch {
		case sign == "" && !isNumber:
			a.words = append(a.words, text)
		case isNumber:
			a.values = append(a.values, &absentValue{text: text, is: is})
		default:
			a.values = append(a.values, &absentValue{text: text})
		}
	}
	return a
}

// OpenFile reads the file of a path by a reader, which is told its size. The set has the name of the file,
// unless the reader gives it another, and errors begin with the path. OpenCSV and the like are short
// for it; package columnar has readers for it, too.
func OpenFile(path string, read func(file io.ReaderAt, size int64) (*Set, error)) (*Set, error) {
	info, err := statOf(path)
	if err != nil {
		return nil, err
	}
	if err := regular(path, info); err != nil { // to open a pipe may wait for ever
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := read(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(path), ".gz")
		s.Name = strings.TrimSuffix(s.Name, filepath.Ext(s.Name))
	}
	return s, nil
}

// OpenCSV reads a file of text by ReadCSV, plain or gzip.
func OpenCSV(ctx context.Context, path string, l CSVLayout) (*Set, error) {
	return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) {
		return ReadCSV(ctx, io.NewSectionReader(f, 0, size), l)
	})
}

// OpenNPY reads a file of NumPy: an array by ReadNPY, or an archive by ReadNPZ.
func OpenNPY(ctx context.Context, path string, l NPYLayout) (*Set, error) {
	return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) {
		head := make([]byte, 2)
		if _, err := f.ReadAt(head, 0); err != nil && err != io.EOF {
			return nil, err
		}
		if string(head) == "PK" {
			return ReadNPZ(ctx, f, size, l)
		}
		return ReadNPY(ctx, io.NewSectionReader(f, 0, size), l)
	})
}

// OpenMAT reads a file of MATLAB of version 5 to 7.3, by ReadMAT or ReadMAT73, and makes a Set of it.
func OpenMAT(ctx context.Context, path string, l MATLayout) (*Set, error) {
	return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) {
		m, err := ReadMAT(ctx, io.NewSectionReader(f, 0, size))
		if errors.Is(err, ErrMAT73) {
			m, err = ReadMAT73(ctx, f, size)
		}
		if err != nil {
			return nil, err
		}
		return m.Set(l)
	})
}

// OpenHDF5 reads a file of HDF5, also .h5ad and .loom, by ReadHDF5.
func OpenHDF5(ctx context.Context, path string, l HDF5Layout) (*Set, error) {
	return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) { return ReadHDF5(ctx, f, size, l) })
}
