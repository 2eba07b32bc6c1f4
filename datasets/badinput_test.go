package datasets

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"gonum.org/v1/gonum/mat"
)

var errDisk = errors.New("the disk is gone")

// failing takes some bytes, then none.
type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	n := min(len(p), f.after)
	if f.after -= n; n < len(p) {
		return n, errDisk
	}
	return n, nil
}

// Bad files, folders, servers and numbers, each with its error.
func TestBadInput(t *testing.T) {
	inHaste(t)
	gone := func() io.Reader { return iotest.ErrReader(errDisk) }
	set := func(_ any, err error) error { return err }
	two := func(_, _ any, err error) error { return err }
	read := func(s string) io.Reader { return strings.NewReader(s) }
	x := mat.NewDense(4, 3, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	labelled := &Set{Name: "four", X: x, Labels: []int{0, 1, 0}, Classes: []string{"a", "b"}, Height: 2, Width: 2}
	body, sum := points(5000)
	full := remote{sha256: sum, size: int64(len(body))}
	download := func(prepare func(cache string), ctx context.Context, r remote, m *mirror) error {
		cache := emptyCache(t)
		if prepare != nil {
			prepare(cache)
		}
		return testSource(r, serve(t, m)).Download(ctx, nil)
	}
	// A folder may be written by the superuser, whatever its mode says; a file
	// where it should be stops all.
	blocked := func(at ...string) func(string) {
		return func(cache string) {
			p := filepath.Join(append([]string{cache}, at...)...)
			if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, nil, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	occupied := func(cache string) {
		if err := os.MkdirAll(filepath.Join(cache, "Points", "points.txt", "x"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ended, end := context.WithCancel(context.Background())
	end()
	ctx := context.Background()
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("no archive"), 0o644); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		name string
		got  func() error
		want error // nil: any
		says string
	}{
		// Files.
		{"CSV, a word", func() error { return set(ReadCSV(t.Context(), read("1,2\n3,x\n"), CSVLayout{})) }, ErrFormat, `line 2, column 2`},
		{"CSV, NaN", func() error { return set(ReadCSV(t.Context(), read("1,2\n3,NaN\n"), CSVLayout{})) }, ErrFormat, `"NaN" is not a finite number`},
		{"CSV, a short line", func() error { return set(ReadCSV(t.Context(), read("1,2\n3\n"), CSVLayout{})) }, ErrFormat, "line 2 has 1 columns, not 2"},
		{"CSV, empty", func() error { return set(ReadCSV(t.Context(), read(""), CSVLayout{})) }, ErrFormat, "no data"},
		{"CSV, no such label", func() error { return set(ReadCSV(t.Context(), read("a,b\n1,2\n"), CSVLayout{Label: "c"})) }, ErrNoVariable, `column "c"; the file has a, b`},
		{"CSV, no such column", func() error { return set(ReadCSV(t.Context(), read("1,2\n"), CSVLayout{Label: "7"})) }, ErrNoVariable, "column 7 of 2"},
		{"CSV, other images", func() error { return set(ReadCSV(t.Context(), read("1,2\n"), CSVLayout{Height: 3, Width: 3})) }, ErrSize, "images of 3×3"},
		{"CSV, no disk", func() error { return set(ReadCSV(t.Context(), gone(), CSVLayout{})) }, errDisk, "disk"},
		{"IDX, another file", func() error { return set(ReadIDX(t.Context(), read("GIF89a..."))) }, ErrFormat, "a GIF image"},
		{"IDX, cut off", func() error { return set(ReadIDX(t.Context(), read("\x00\x00\x08\x01\x00\x00\x00\x05abc"))) }, ErrFormat, "cut off"},
		{"IDX, too large", func() error {
			return set(ReadIDX(t.Context(), read("\x00\x00\x08\x02\x7f\xff\xff\xff\x7f\xff\xff\xff")))
		}, ErrTooLarge, "IDX array of [2147483647 2147483647]"},
		{"IDX, bytes after it", func() error { return set(ReadIDX(t.Context(), read("\x00\x00\x08\x01\x00\x00\x00\x01ab"))) }, ErrFormat, "bytes after"},
		{"IDX, no disk", func() error { return set(ReadIDX(t.Context(), gone())) }, errDisk, "disk"},
		{"MAT, level 4", func() error { return set(ReadMAT(t.Context(), bytes.NewReader(make([]byte, 200)))) }, ErrUnsupported, "level 4"},
		{"MAT, HDF5", func() error { return set(ReadMAT(t.Context(), read("\x89HDF\r\n\x1a\n"+strings.Repeat("x", 200)))) }, ErrMAT73, "-v7"},
		{"MAT, cut off", func() error { return set(ReadMAT(t.Context(), read("MATLAB"))) }, ErrFormat, "cut off"},
		{"MAT, no disk", func() error { return set(ReadMAT(t.Context(), gone())) }, errDisk, "disk"},
		{"NPY, another file", func() error { return set(ReadNPY(t.Context(), read("GIF89a..."), NPYLayout{})) }, ErrFormat, "not an NPY file"},
		{"NPY, no disk", func() error { return set(ReadNPY(t.Context(), gone(), NPYLayout{})) }, errDisk, "disk"},
		{"Semeion, other columns", func() error { return set(ReadSemeion(t.Context(), read("1 2 3\n"))) }, ErrFormat, "line 1 has 3 columns, not 266"},
		{"Pendigits, no disk", func() error { return set(ReadPendigits(t.Context(), gone())) }, errDisk, "disk"},
		{"Wine, a word", func() error { return set(ReadWine(t.Context(), read(strings.Repeat("1,", 13)+"red\n"))) }, ErrFormat, "line 1, column 14"},
		{"gzip, damaged", func() error { return set(ReadWine(t.Context(), read("\x1f\x8b damaged"))) }, ErrFormat, "gzip"},
		{"images, none", func() error { return set(ReadImages(ctx, fstest.MapFS{"a.txt": {}}, ImageLayout{})) }, ErrNoImages, ""},
		{"images, damaged", func() error { return set(ReadImages(ctx, fstest.MapFS{"a.png": {Data: []byte("x")}}, ImageLayout{})) }, ErrFormat, "a.png"},
		{"tar, no disk", func() error { return set(ReadTar(ctx, gone(), ImageLayout{})) }, errDisk, "disk"},
		{"zip, another file", func() error { return set(ReadZip(ctx, strings.NewReader("no zip"), 6, ImageLayout{})) }, ErrFormat, "zip"},
		{"no folder", func() error { return set(OpenImages(ctx, filepath.Join(dir, "none"), ImageLayout{})) }, fs.ErrNotExist, "none"},
		{"no archive", func() error { return set(OpenImages(ctx, notes, ImageLayout{})) }, ErrUnsupported, "notes.txt"},
		{"a folder without images", func() error { return set(OpenImages(ctx, dir, ImageLayout{})) }, ErrNoImages, dir},

		// What is written.
		{"MAT, a full disk", func() error { return WriteMAT(&failing{200}, MATVar{Name: "x", M: x}) }, errDisk, "disk"},
		{"MAT, a bad name", func() error { return WriteMAT(io.Discard, MATVar{Name: "1 x", M: x}) }, ErrParameter, `"1 x" is not a valid name`},
		{"MAT, nil", func() error { return WriteMAT(io.Discard, MATVar{Name: "x", M: nil}) }, ErrSize, "nil"},
		{"CSV, a full disk", func() error { return WriteCSV(&failing{3}, x) }, errDisk, "disk"},
		{"NPY, a full disk", func() error { return WriteNPY(&failing{3}, x) }, errDisk, "disk"},
		{"NPY, nil", func() error { return WriteNPY(io.Discard, nil) }, ErrSize, "nil"},

		// Sets.
		{"a set of nothing", func() error { return (&Set{Name: "none"}).Check() }, ErrSize, `"none" holds no data`},
		{"too few labels", func() error { return (&Set{X: x, Labels: []int{0}}).Check() }, ErrSize, "1 labels for 3 columns"},
		{"a label without a class", func() error { return (&Set{X: x, Labels: []int{0, 0, 4}, Classes: []string{"a"}}).Check() }, ErrSize, "label 4 of column 2"},
		{"no such column", func() error { return set(labelled.Pick([]int{0, 3})) }, ErrColumn, "3 of 3"},
		{"columns of nothing", func() error { return set((&Set{}).Pick([]int{0})) }, ErrSize, "holds no data"},
		{"columns with too few labels", func() error { return set((&Set{X: x, Labels: []int{0}}).Pick([]int{2})) }, ErrSize, "1 labels for 3 columns"},
		{"nothing to corrupt", func() error { return two(SaltPepper{Share: 0.1}.Apply(nil, 1)) }, ErrSize, "X is nil"},
		{"no images to cover", func() error { return two(Block{Size: 1, Height: 2, Width: 2}.Apply(nil, 1)) }, ErrSize, "X is nil"},
		{"no columns", func() error { return set(labelled.Pick(nil)) }, ErrSize, "no columns"},
		{"too many of a class", func() error { return set(labelled.Sample(2, 1)) }, ErrSize, `class "b" has 1 samples, not 2`},
		{"no classes", func() error { return set((&Set{X: x}).Sample(1, 1)) }, ErrNoLabels, ""},
		{"larger images", func() error { return set(labelled.Shrink(3, 3)) }, ErrSize, "cannot shrink to 3×3"},
		{"no images", func() error { return set((&Set{X: x}).Shrink(1, 1)) }, ErrNotImages, ""},
		{"no labels to flip", func() error { return two(FlipLabels([]int{0, 5}, 2, 0.1, 1)) }, ErrParameter, "label 5 of sample 1"},

		// Corruptions.
		{"noise of NaN", func() error { return two(Gaussian{Sigma: math.NaN()}.Apply(x, 1)) }, ErrParameter, "Sigma is NaN"},
		{"clipping", func() error { return two(Laplace{Scale: 1, Min: 2, Max: 1}.Apply(x, 1)) }, ErrParameter, "2..1"},
		{"a share of 2", func() error { return two(SaltPepper{Share: 2}.Apply(x, 1)) }, ErrParameter, "share 2"},
		{"a block outside", func() error { return two(Block{Size: 3, Height: 2, Width: 2}.Apply(x, 1)) }, ErrParameter, "size 3"},
		{"a block in no image", func() error { return two(Block{Size: 1, Height: 3, Width: 2}.Apply(x, 1)) }, ErrSize, "3×2 do not fit 4 rows"},
		{"outliers", func() error { _, err := LinePoints(-1, 1); return err }, ErrParameter, "-1 outliers"},

		// Downloads.
		{"not for download", func() error { emptyCache(t); return AR.Download(ctx, nil) }, ErrAsk, "to get it"},
		{"nothing to load", func() error { emptyCache(t); return set(MNIST.Load(ctx)) }, ErrNotFound, "train-images-idx3-ubyte"},
		{"cancelled", func() error { return download(nil, ended, full, &mirror{body: body}) }, context.Canceled, ""},
		{"refused", func() error { return download(nil, ctx, full, &mirror{status: http.StatusForbidden}) }, ErrServer, "403 Forbidden"},
		{"interrupted for ever", func() error { return download(nil, ctx, full, &mirror{body: body, cut: 1, breaks: -1}) }, io.ErrUnexpectedEOF, ""},
		{"silent", func() error {
			defer impatient(200 * time.Millisecond)()
			return download(nil, ctx, full, &mirror{body: body, cut: 1, breaks: -1, hang: true})
		}, errSilent, "silent"},
		{"another file", func() error { return download(nil, ctx, full, &mirror{body: bytes.ToUpper(body[:len(body)-1])}) }, ErrChecksum, "points.txt"},
		{"too much", func() error { return download(nil, ctx, remote{limit: 9}, &mirror{body: body}) }, ErrTooLarge, "want at most 9"},
		{"no cache", func() error { return download(blocked(), ctx, full, &mirror{body: body}) }, nil, "no folder to download to"},
		{"no folder in the cache", func() error { return download(blocked("Points"), ctx, full, &mirror{body: body}) }, nil, "no folder to download to"},
		{"a folder in the way", func() error { return download(occupied, ctx, full, &mirror{body: body}) }, nil, "points.txt"},
		{"no server", func() error {
			emptyCache(t)
			s := httptest.NewServer(&mirror{})
			s.Close()
			return testSource(full, s.URL).Download(ctx, nil)
		}, nil, "refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name == "silent" {
				t.Skip("waits for a second; TestDownloadInterruptedTwice has a silent server with -short, too")
			}
			err := c.got()
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %v that says %q", err, c.want, c.says)
			}
		})
	}
}
