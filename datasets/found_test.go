package datasets

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/lockfile"
	"github.com/robustnmf/robustnmf/internal/npy"
)

// A line of separators costs a hundred times its bytes until it is counted.
func TestReadCSVLongLines(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		layout CSVLayout
		want   error
	}{
		"commas":     {strings.Repeat(",", maxFields+1<<17), CSVLayout{Separator: ','}, ErrTooLarge},
		"guessed":    {strings.Repeat(";", maxFields+1<<17), CSVLayout{}, ErrTooLarge},
		"in quotes":  {`"` + strings.Repeat("a\n", maxRecord/2+1<<17) + `"`, CSVLayout{Separator: ','}, ErrTooLarge},
		"blanks":     {strings.Repeat("1\t", maxFields) + "1", CSVLayout{Separator: ' '}, ErrTooLarge},
		"a word":     {"1 2\n" + strings.Repeat("1", maxRecord+1), CSVLayout{}, ErrTooLarge},
		"label only": {strings.Repeat("a\n", 1<<20), CSVLayout{Label: "1", Header: NoHeader}, ErrFormat},
	} {
		if testing.Short() && name != "a word" && name != "label only" {
			t.Logf("-short: without %s", name) // up to 64 MB, and lines that are read several times
			continue
		}
		if _, err := ReadCSV(t.Context(), strings.NewReader(c.text), c.layout); !errors.Is(err, c.want) || errors.Is(err, ErrFormat) && !strings.Contains(err.Error(), "line 1:") {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if testing.Short() {
		t.Log("-short: no long lines that are fine")
		return
	}
	// Lines that are long together are fine, and many that may be read at once.
	for _, separator := range []string{" ", ","} {
		line := strings.Repeat("1"+separator, maxFields/2) + "1\n"
		if s, err := ReadCSV(t.Context(), strings.NewReader(strings.Repeat(line, 9)), CSVLayout{}); err != nil {
			t.Errorf("in lines of half a million columns, %q between them: %v", separator, err)
		} else if _, n := s.X.Dims(); n != 9 {
			t.Errorf("%d samples", n)
		}
	}
	text := strings.Repeat(strings.Repeat("1,", 999)+"1\n", 5000)
	if s, err := ReadCSV(t.Context(), strings.NewReader(text), CSVLayout{}); err != nil {
		t.Error(err)
	} else if m, n := s.X.Dims(); m != 1000 || n != 5000 {
		t.Errorf("%d×%d", m, n)
	}
}

func TestReadCSVMissingNumbers(t *testing.T) {
	s, err := ReadCSV(t.Context(), strings.NewReader("a,b\n1,-999\n3,4\n"), CSVLayout{Missing: []string{"-999"}})
	if err != nil || !math.IsNaN(s.X.At(1, 0)) || s.X.At(1, 1) != 4 {
		t.Errorf("%v, %v", s, err)
	}
	// A first sample of which nothing is known is no header.
	s, err = ReadCSV(t.Context(), strings.NewReader("NA,NA\n1,2\n3,4\n"), CSVLayout{Missing: []string{"NA"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, n := s.X.Dims(); n != 3 {
		t.Errorf("%d samples, want 3", n)
	}
}

// A label column by number counts in the data, where a header may be shorter.
func TestReadCSVShortHeader(t *testing.T) {
	for _, column := range []int{5, -1, 1, -5} {
		for _, header := range []CSVHeader{WithHeader, GuessHeader} {
			text := "n,4,x,y\n1,2,3,4,0\n5,6,7,8,1\n"
			if header == GuessHeader {
				text = "n,m,x,y\n1,2,3,4,0\n5,6,7,8,1\n"
			}
			s, err := ReadCSV(t.Context(), strings.NewReader(text), CSVLayout{Label: strconv.Itoa(column), Header: header})
			if err != nil {
				t.Errorf("column %d: %v", column, err)
				continue
			}
			if m, n := s.X.Dims(); m != 4 || n != 2 || len(s.Classes) != 2 {
				t.Errorf("column %d: %d×%d, classes %v", column, m, n, s.Classes)
			}
		}
	}
	for _, column := range []int{6, -6} {
		if _, err := ReadCSV(t.Context(), strings.NewReader("n,4,x,y\n1,2,3,4,0\n"), CSVLayout{Label: strconv.Itoa(column), Header: WithHeader}); !errors.Is(err, ErrNoVariable) {
			t.Errorf("column %d: %v", column, err)
		}
	}
}

// An archive gives what it would give unpacked.
func TestReadTarAgain(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	file := func(name string, v byte) {
		w.WriteHeader(&tar.Header{Name: name, Size: int64(len(pgm(v))), Typeflag: tar.TypeReg})
		w.Write(pgm(v))
	}
	file("a/1.pgm", 1)
	w.WriteHeader(&tar.Header{Name: "./b/2.pgm", Linkname: "a/1.pgm", Typeflag: tar.TypeLink})
	file("./a/1.pgm", 3) // a later version, as tar -u appends it
	w.Close()
	s, err := ReadTar(t.Context(), &b, ImageLayout{})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(s.Classes, s.Labels) != "[a b] [0 1]" || s.X.At(0, 0) != 3 || s.X.At(0, 1) != 1 {
		t.Errorf("%v %v %v", s.Classes, s.Labels, mat.Formatted(s.X))
	}
}

// A badSector cannot be read at one byte.
type badSector struct {
	data []byte
	bad  int64
	err  error
}

func (b badSector) ReadAt(p []byte, off int64) (int, error) {
	if off <= b.bad && b.bad < off+int64(len(p)) {
		return copy(p, b.data[off:b.bad]), b.err
	}
	return bytes.NewReader(b.data).ReadAt(p, off)
}

// An error of the reader is told as such, not as a malformed file.
func TestReadErrorsPassOn(t *testing.T) {
	gone := errors.New("the network drive is gone")
	var mat5, tarred, zipped bytes.Buffer
	if err := WriteMAT(&mat5, MATVar{Name: "x", M: mat.NewDense(40, 50, nil)}); err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(&tarred)
	w.WriteHeader(&tar.Header{Name: "a/1.pgm", Size: int64(len(pgm(1))), Typeflag: tar.TypeReg})
	w.Write(pgm(1))
	w.Close()
	z := zip.NewWriter(&zipped)
	f, err := z.Create("a/1.pgm")
	if err != nil {
		t.Fatal(err)
	}
	f.Write(pgm(1))
	z.Close()
	step := 1
	if testing.Short() {
		step = 5
		t.Logf("-short: one byte in %d", step)
	}
	for bad := 0; bad < zipped.Len(); bad += step {
		_, err := ReadZip(t.Context(), badSector{zipped.Bytes(), int64(bad), gone}, int64(zipped.Len()), ImageLayout{})
		if err != nil && (!errors.Is(err, gone) || errors.Is(err, ErrFormat)) {
			t.Fatalf("zip, byte %d: %v", bad, err)
		} else if err == nil && bad < len(pgm(1)) {
			t.Fatalf("zip, byte %d: no error", bad)
		}
	}
	for name, c := range map[string]struct {
		data []byte
		read func(io.Reader) error
	}{
		"MAT": {mat5.Bytes(), func(r io.Reader) error { _, err := ReadMAT(t.Context(), r); return err }},
		"tar": {tarred.Bytes(), func(r io.Reader) error { _, err := ReadTar(t.Context(), r, ImageLayout{}); return err }},
		"gzip": {[]byte{0x1f, 0x8b, 8}, func(r io.Reader) error {
			_, err := ReadCSV(t.Context(), r, CSVLayout{})
			return err
		}},
	} {
		for cut := 0; cut < len(c.data); cut += step {
			r := io.MultiReader(bytes.NewReader(c.data[:cut]), iotest.ErrReader(gone))
			if err := c.read(r); !errors.Is(err, gone) || errors.Is(err, ErrFormat) {
				t.Fatalf("%s after %d bytes: %v", name, cut, err)
			}
		}
	}
}

func TestReadMATLevel4Small(t *testing.T) {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, []int32{0, 2, 2, 0, 2})
	b.WriteString("x\x00")
	binary.Write(&b, binary.LittleEndian, []float64{1, 2, 3, 4})
	if _, err := ReadMAT(t.Context(), &b); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
}

func TestReadNPYPython2(t *testing.T) {
	dict := "{'descr': '<f8', 'fortran_order': False, 'shape': (1L, 2L), }\n"
	file := npy.Magic + "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(dict)))) + dict
	data := binary.LittleEndian.AppendUint64([]byte(file), math.Float64bits(3))
	data = binary.LittleEndian.AppendUint64(data, math.Float64bits(4))
	s, err := ReadNPY(t.Context(), bytes.NewReader(data), NPYLayout{})
	if err != nil || s.X.At(0, 0) != 3 || s.X.At(1, 0) != 4 {
		t.Errorf("%v, %v", s, err)
	}
}

// A header of one line, with CR LF at its end, must not shift the picture.
func TestReadPNMOneLine(t *testing.T) {
	for _, text := range []string{"P5 2 1 255\r\n\x01\x02", "P5 2 1 255\n\x01\x02", "P5\r\n2 1\r\n255\r\n\x01\x02"} {
		c := newCollector(t.Context(), ImageLayout{}, MaxValues)
		if err := c.add("a.pgm", "", strings.NewReader(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if fmt.Sprint(c.images[0].pixels) != "[1 2]" {
			t.Errorf("%q: %v", text, c.images[0].pixels)
		}
	}
}

func TestNoNoiseIsClipped(t *testing.T) {
	x := mat.NewDense(1, 2, []float64{-3, 7})
	for _, c := range []Corruption{Gaussian{Max: 5}, Laplace{Max: 5}} {
		y, mask, err := c.Apply(x, 1)
		if err != nil || y.At(0, 0) != 0 || y.At(0, 1) != 5 || mat.Max(mask) != 0 {
			t.Errorf("%T: %v, %v", c, mat.Formatted(y), err)
		}
	}
}

// Two downloads of one file at once must not go on with each other's part.
func TestDownloadTwice(t *testing.T) {
	inHaste(t)
	body, sum := points(1 << 16)
	m := &mirror{body: body, cut: len(body) / 3, breaks: 2}
	url := serve(t, m)
	for _, known := range []bool{true, false} {
		folder := t.TempDir()
		f := remote{name: "x.zip", urls: []string{url}, size: int64(len(body)), limit: 1 << 30}
		if known {
			f.sha256 = sum
		}
		var group sync.WaitGroup
		for range 4 {
			group.Add(1)
			go func() {
				defer group.Done()
				if err := f.fetch(context.Background(), folder, func(done, total int64) {}); err != nil {
					t.Error(err)
				}
			}()
		}
		group.Wait()
		if got, err := os.ReadFile(filepath.Join(folder, "x.zip")); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if found, _ := os.ReadDir(folder); len(found) != 1 {
			t.Errorf("left behind: %v", found)
		}
	}
	// Another process that holds the folder is waited for, until ctx ends.
	folder := filepath.Join(t.TempDir(), "cache")
	unlock, err := lockfile.Try(folder + ".lock")
	if err != nil || unlock == nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	f := remote{name: "x.zip", urls: []string{url}, size: int64(len(body)), sha256: sum}
	if err := f.fetch(ctx, folder, func(done, total int64) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a folder that another process holds: %v", err)
	}
	unlock()
	if err := f.fetch(t.Context(), folder, func(done, total int64) {}); err != nil {
		t.Error(err)
	}
}
