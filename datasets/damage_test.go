package datasets

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"gonum.org/v1/gonum/mat"
)

// ours tells whether an error says what is wrong with a file.
func ours(err error) bool {
	for _, known := range []error{ErrFormat, ErrTooLarge, ErrUnsupported, ErrSize, ErrNoImages, ErrNoVariable, ErrMAT73} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// Whatever is damaged of a file that is packed, and wherever it is cut off: either nothing
// is lost, or the error is one of this package. Where unpacking fails it is ErrFormat.
func TestDamagedPacking(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, 300) // cannot be packed, so that blocks are stored, too
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	var lines strings.Builder
	for range 40 {
		fmt.Fprintf(&lines, "%d,%d\n", rnd.IntN(99), rnd.IntN(9999))
	}
	wine := strings.Repeat("1,14.23,1.71,2.43,15.6,127,2.8,3.06,.28,2.29,5.64,1.04,3.92,1065\n", 9)
	pen := strings.Repeat("47,100,27,81,57,37,26,0,0,23,56,53,100,90,40,98,8\n", 9)
	b := matBytes{binary.LittleEndian}
	matFile := append(b.file(), b.compressed(b.array(9, "fea", []int32{1, 300}, b.element(miUINT8, noise)))...)
	readers := []struct {
		name string
		file []byte
		read func(r io.Reader) (*Set, error)
	}{
		{"CSV", gzipped([]byte(lines.String())), func(r io.Reader) (*Set, error) { return ReadCSV(t.Context(), r, CSVLayout{}) }},
		{"CSV of blanks", gzipped([]byte(strings.ReplaceAll(lines.String(), ",", " "))), func(r io.Reader) (*Set, error) { return ReadCSV(t.Context(), r, CSVLayout{}) }},
		{"Semeion", gzipped([]byte(semeionLine(3, 4) + "\n" + semeionLine(5, 6))), func(r io.Reader) (*Set, error) { return ReadSemeion(t.Context(), r) }},
		{"Pendigits", gzipped([]byte(pen)), func(r io.Reader) (*Set, error) { return ReadPendigits(t.Context(), r) }},
		{"Wine", gzipped([]byte(wine)), func(r io.Reader) (*Set, error) { return ReadWine(t.Context(), r) }},
		{"IDX", gzipped(idx(0x08, []int{3, 100}, noise)), func(r io.Reader) (*Set, error) { return ReadIDXSet(t.Context(), r, nil) }},
		{"IDX labels", gzipped(idx(0x08, []int{300}, noise)), func(r io.Reader) (*Set, error) {
			return ReadIDXSet(t.Context(), bytes.NewReader(idx(0x08, []int{300, 1}, noise)), r)
		}},
		{"NPY", gzipped(npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 100), }\n", string(noise))),
			func(r io.Reader) (*Set, error) { return ReadNPY(t.Context(), r, NPYLayout{}) }},
		{"MAT", matFile, func(r io.Reader) (*Set, error) {
			f, err := ReadMAT(t.Context(), r)
			if err != nil {
				return nil, err
			}
			return f.Set(MATLayout{})
		}},
		{"tar", gzipped(tarFile(faces())), func(r io.Reader) (*Set, error) { return ReadTar(t.Context(), r, ImageLayout{}) }},
		{"zip", zipFile(faces()), func(r io.Reader) (*Set, error) {
			all, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			return ReadZip(t.Context(), bytes.NewReader(all), int64(len(all)), ImageLayout{})
		}},
		{"zip as a folder", zipFile(faces()), func(r io.Reader) (*Set, error) {
			all, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			z, err := zip.NewReader(bytes.NewReader(all), int64(len(all)))
			if err != nil {
				return nil, readError(err)
			}
			return ReadImages(t.Context(), z, ImageLayout{})
		}},
	}
	for _, c := range readers {
		t.Run(c.name, func(t *testing.T) {
			want, err := c.read(bytes.NewReader(c.file))
			if err != nil {
				t.Fatal(err)
			}
			try := func(what string, file []byte, mayBeFine bool) {
				t.Helper()
				got, err := c.read(bytes.NewReader(file))
				switch {
				case err != nil && !ours(err):
					// A tree of files has errors of its own: for names that are no paths,
					// and for places before the first byte.
					var ofPath *fs.PathError
					if c.name != "zip as a folder" || !errors.As(err, &ofPath) && !strings.Contains(err.Error(), "negative offset") {
						t.Errorf("%s: %v", what, err)
					}
				case err == nil && !mayBeFine:
					t.Errorf("%s: no error", what)
				case err == nil && c.name != "zip as a folder" && c.name != "zip" && c.name != "MAT" && !mat.Equal(got.X, want.X):
					// Names in the list of a zip and in a MAT file have no checksum.
					t.Errorf("%s: other values and no error", what)
				}
			}
			step, several := 1, 300
			if testing.Short() {
				step, several = 3, 100
				t.Log("-short: a third of the damages")
			}
			for i := 0; i < len(c.file); i += step {
				for _, flip := range []byte{1, 0x80, 0xff} {
					file := bytes.Clone(c.file)
					file[i] ^= flip
					try(fmt.Sprintf("byte %d ^ %#x", i, flip), file, true)
				}
				// A MAT file may end after its header, a zip anywhere in an empty one.
				try(fmt.Sprintf("cut off at %d", i), c.file[:i], c.name == "MAT" && i == matHeader)
			}
			for range several {
				file := bytes.Clone(c.file)
				for range 1 + rnd.IntN(8) {
					file[rnd.IntN(len(file))] = byte(rnd.Uint32())
				}
				try("many bytes", file, true)
			}
			if c.file[0] == 0x1f {
				try("bytes after gzip", append(bytes.Clone(c.file), "more"...), false)
			}
		})
	}
}

// A picture in text is one of whole numbers, each of them a pixel.
func TestPNMTextIsStrict(t *testing.T) {
	for _, c := range []struct{ file, says string }{
		{"P2\n3 1\n9\n1.5 2\n", `"1.5"`},
		{"P2\n3 1\n9\n1 -1 2\n", `"-1"`},
		{"P2\n3 1\n9\n1 +1 2\n", `"+1"`},
		{"P2\n3 1\n9\n1 x2 2\n", `"x2"`},
		{"P2\n3 1\n9\n1 2x 2\n", `"2x"`},
		{"P2\n3 1\n9\n1,2,3\n", `"1,2,3"`},
		{"P2\n3 1\n9\n1e0 2 3\n", `"1e0"`},
		{"P2\n3 1\n9\n0x1 2 3\n", `"0x1"`},
		{"P2\n3 1\n9\n1 2 3 4\n", "more than the 3 pixels"},
		{"P2\n3 1\n9\n1 2 3 x\n", "more than the 3 pixels"},
		{"P2\n3 1\n9\n1 2\n", "cut off"},
		{"P2\n3 1\n9\n1 2 # 3\n", "cut off"},
		{"P2\n3 1\n9\n1 2 10\n", "pixel 3 is 10"},
		{"P2\n3 1\n300\n1 2 301\n", "pixel 3 is 301"},
		{"P2\n3 1\n255\n1 2 256\n", "pixel 3 is 256"},
		{"P2\n3 1\n255\n1 2 18446744073709551617\n", "pixel 3"},
		{"P3\n1 1\n9\n1 2 3.0\n", `"3.0"`},
		{"P3\n1 1\n9\n1 2\n", "cut off"},
		{"P3\n1 1\n9\n1 2 10\n", "pixel 1 is 10"},
		{"P2\n3 -1\n9\n1 2 3\n", `"-1"`},
		{"P2\n3.0 1\n9\n1 2 3\n", `"3.0"`},
		{"P2\n3 1\n9.5\n1 2 3\n", `"9.5"`},
		{"P2\n3 1\n0\n0 0 0\n", "white is 0"},
		{"P2\n3 1\n65536\n0 0 0\n", "white is 65536"},
		{"P5\n3 -1\n255\n123", `"-1"`},
		{"P5\n-3 1\n255\n123", `"-3"`},
		{"P5 3 1 2x5\n123", `"2x5"`},
		{"P5 3 1 65536\n123456", "white is 65536"},
		{"P6 1 1 255x123", `"255x123"`},
		{"P6 x1 1 255\n123", `"x1"`},
		{"P53 1 255\n123", "begins with"},
		{"P5", "cut off"},
		{"P5 3", "cut off"},
		{"P5 3 1 255", "cut off"},
		{"P5 # a comment without end", "cut off"},
		{"P2 3 1 9 1 2 #", "cut off"},
	} {
		_, err := ReadImages(t.Context(), fstest.MapFS{"a.pnm": {Data: []byte(c.file)}}, ImageLayout{})
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.file, err)
		}
	}
	// What is well formed is the same in text and raw.
	rnd := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		colours, top := rnd.IntN(2), 1+rnd.IntN(0xffff)
		if rnd.IntN(2) == 0 {
			top = 1 + rnd.IntN(255)
		}
		w, h := 1+rnd.IntN(5), 1+rnd.IntN(5)
		ends := []string{" ", "\n", "\r\n", "\t", "  ", " # a comment 1 -1 x\n", "\n#\n"}
		end := func() string { return ends[rnd.IntN(len(ends))] }
		text := fmt.Sprintf("P%d%s%d%s%d%s%d", 2+colours, end(), w, end(), h, end(), top)
		raw := fmt.Appendf(nil, "P%d %d %d %d\n", 5+colours, w, h, top)
		for range w * h * (1 + 2*colours) {
			v := rnd.IntN(top + 1)
			text += end() + fmt.Sprint(v)
			if top > 255 {
				raw = append(raw, byte(v>>8))
			}
			raw = append(raw, byte(v))
		}
		text += end()
		a, err := ReadImages(t.Context(), fstest.MapFS{"a.pnm": {Data: []byte(text)}}, ImageLayout{})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		b, err := ReadImages(t.Context(), fstest.MapFS{"a.pnm": {Data: raw}}, ImageLayout{})
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if !mat.Equal(a.X, b.X) || a.Height != h || a.Width != w || mat.Min(a.X) < 0 || mat.Max(a.X) > 255 {
			t.Fatalf("%q:\n%v\n%v", text, mat.Formatted(a.X), mat.Formatted(b.X))
		}
	}
}

// The place of a CR is that where a trial of each finds the smoothest picture.
func TestSmoothest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		p := make([]byte, 1+rnd.IntN(30))
		for i := range p {
			p[i] = byte(8 + rnd.IntN(8)) // many line ends
		}
		width := 1 + rnd.IntN(9)
		best, least := -1, 0
		for i, v := range p {
			if v != '\n' {
				continue
			}
			trial := append(append(bytes.Clone(p[:i]), '\r'), p[i:]...)
			sum := 0
			for k := width; k < len(trial); k++ {
				sum += int(math.Abs(float64(trial[k]) - float64(trial[k-width])))
			}
			if best < 0 || sum < least {
				best, least = i, sum
			}
		}
		if got := smoothest(p, width); got != best {
			t.Fatalf("%v in rows of %d: at %d, want %d", p, width, got, best)
		}
	}
}

// Whatever is nil behind a mat.Matrix is an error of all that takes one.
func TestTypedNil(t *testing.T) {
	var dense *mat.Dense
	var vector *mat.VecDense
	var sym *mat.SymDense
	for _, x := range []mat.Matrix{nil, dense, vector, sym, (*mat.DiagDense)(nil), mat.Transpose{Matrix: dense}, mat.Transpose{Matrix: mat.Transpose{}},
		mat.TransposeVec{}, &mat.Dense{}} {
		name := fmt.Sprintf("%T", x)
		empty := x != nil && name == "*mat.Dense" && x != mat.Matrix(dense)
		for _, c := range []Corruption{Gaussian{Sigma: 1}, Laplace{Scale: 1}, SaltPepper{Share: 0.5}, Block{Size: 1, Height: 2, Width: 2},
			Removal{Share: 0.5}, OutlierSamples{Share: 0.5}} {
			if y, mask, err := c.Apply(x, 1); !errors.Is(err, ErrSize) || y != nil || mask != nil {
				t.Errorf("%T of %s: %v", c, name, err)
			}
		}
		if empty {
			continue // may be written
		}
		for what, err := range map[string]error{"CSV": WriteCSV(io.Discard, x), "NPY": WriteNPY(io.Discard, x), "MAT": WriteMAT(io.Discard, MATVar{Name: "x", M: x})} {
			if !errors.Is(err, ErrSize) {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
		for what, f := range map[string]func(){"Changed": func() { Changed(x, x) }, "Observed": func() { Observed(x) }, "Known": func() { Known(x) }} {
			func() {
				defer func() {
					if err, ok := recover().(error); !ok || !errors.Is(err, ErrSize) {
						t.Errorf("%s of %s: %v", what, name, err)
					}
				}()
				f()
			}()
		}
	}
}

// A first line that may be data is never dropped: not one of typos, nor of words for
// what is missing.
func TestGuessHeaderDropsNothing(t *testing.T) {
	first := func(line string, l CSVLayout) (int, error) {
		columns := strings.Count(line, ",") + 1
		s, err := ReadCSV(t.Context(), strings.NewReader(line+"\n"+strings.Repeat("1,", columns-1)+"2\n"), l)
		if err != nil {
			return 0, err
		}
		_, n := s.X.Dims()
		return n, nil
	}
	for _, line := range []string{"x,y", "sepal length (cm),width", ",x,y", "x1,x2", "V1,V2,V3", "pixel0,pixel1", "_a,_b", "# a,b", "#a,b", "größe,tiefe",
		"NO2,O3", "l,w,h", "a,I,O", "oil,lol,x", "1a,x,label", "\"a b\",c", "e1,e2", "x.1,x.2"} {
		l := CSVLayout{}
		if strings.Contains(line, "label") {
			l.Label = "label" // by which the line is known to be a header
		}
		if n, err := first(line, l); err != nil || n != 1 {
			t.Errorf("header %q: %d samples, %v", line, n, err)
		}
	}
	for _, line := range []string{"l.0,2.O", "1O,O1", "1.2.3,4..5", "--1,1-", "$5,$6", "5 %,6 %", "1e,2e", "NA,NA", "NaN,nan", "n/a,?", "-,-", "?", ",", "\"\",\"\"",
		"O,l", "lO,Ol", "O.5", "+,x", "−1,−2", "٣,٤", "Inf,-Inf", "0x,1x", "N/A,x", "null,null", "1_0.x,a"} {
		if n, err := first(line, CSVLayout{}); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "line 1, column ") || !strings.Contains(err.Error(), "set Header") {
			t.Errorf("%q: %d samples, %v", line, n, err)
		}
		if _, err := first(line, CSVLayout{Header: NoHeader}); !errors.Is(err, ErrFormat) {
			t.Errorf("%q as data: %v", line, err)
		}
		if n, err := first(line, CSVLayout{Header: WithHeader}); err != nil || n != 1 {
			t.Errorf("%q as a header: %d samples, %v", line, n, err)
		}
	}
	// One number, and the line is data, and its typo an error.
	for _, line := range []string{"1,l.0", "x,2", "1,NA"} {
		if _, err := first(line, CSVLayout{}); !errors.Is(err, ErrFormat) || strings.Contains(err.Error(), "set Header") {
			t.Errorf("%q: %v", line, err)
		}
	}
	// Missing values are known as such.
	if n, err := first("NA,NA", CSVLayout{Missing: []string{"NA"}}); err != nil || n != 2 {
		t.Errorf("missing: %d, %v", n, err)
	}
}
