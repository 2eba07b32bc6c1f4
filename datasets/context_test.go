package datasets

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"gonum.org/v1/gonum/mat"
)

// An ending reader ends a context when it is read for the k-th time, and counts what is read after it.
type ending struct {
	*bytes.Reader
	cancel   context.CancelFunc
	k, after int
	read     int
}

func (e *ending) tick(n int) {
	if e.k--; e.k == 0 {
		e.cancel()
	} else if e.k < 0 {
		e.after++
	}
	e.read += n
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	e.tick(n)
	return n, err
}

func (e *ending) ReadAt(p []byte, off int64) (int, error) {
	n, err := e.Reader.ReadAt(p, off)
	e.tick(n)
	return n, err
}

// Every reader of this package ends with its context: it reads no more of the file, and the error is
// that of the context. Of one that has ended before nothing is read.
func TestReadersEndWithContext(t *testing.T) {
	x := mat.NewDense(40, 50, nil)
	for i := range 40 {
		for j := range 50 {
			x.Set(i, j, float64(i*50+j)/7)
		}
	}
	s := &Set{X: x}
	write := func(f func(io.Writer) error) []byte {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	file := func(name string) []byte {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	table := write(s.WriteCSV)
	b := matBytes{binary.LittleEndian}
	wine := strings.Repeat("1,14.23,1.71,2.43,15.6,127,2.8,3.06,.28,2.29,5.64,1.04,3.92,1065\n", 400)
	pen := strings.Repeat("47,100,27,81,57,37,26,0,0,23,56,53,100,90,40,98,8\n", 400)
	for name, c := range map[string]struct {
		file []byte
		read func(ctx context.Context, r *ending, size int64) (any, error)
	}{
		"CSV": {table, func(ctx context.Context, r *ending, _ int64) (any, error) {
			return ReadCSV(ctx, r, CSVLayout{ID: "sample"})
		}},
		"CSV, gzip": {gzipped(table), func(ctx context.Context, r *ending, _ int64) (any, error) {
			return ReadCSV(ctx, r, CSVLayout{ID: "sample"})
		}},
		"ARFF": {[]byte("@attribute a numeric\n@data\n" + strings.Repeat("1\n", 9000)), func(ctx context.Context, r *ending, _ int64) (any, error) {
			return ReadARFF(ctx, r, CSVLayout{})
		}},
		"MTX":     {write(func(w io.Writer) error { return WriteMTX(w, x) }), func(ctx context.Context, r *ending, _ int64) (any, error) { return ReadMTX(ctx, r) }},
		"names":   {[]byte(strings.Repeat("a name\n", 2000)), func(ctx context.Context, r *ending, _ int64) (any, error) { return ReadNames(ctx, r, 0) }},
		"NPY":     {write(func(w io.Writer) error { return WriteNPY(w, x) }), func(ctx context.Context, r *ending, _ int64) (any, error) { return ReadNPY(ctx, r, NPYLayout{}) }},
		"NPZ":     {write(s.WriteNPZ), func(ctx context.Context, r *ending, n int64) (any, error) { return ReadNPZ(ctx, r, n, NPYLayout{}) }},
		"IDX":     {idx(0x08, []int{30000}, make([]byte, 30000)), func(ctx context.Context, r *ending, _ int64) (any, error) { return ReadIDX(ctx, r) }},
		"IDX set": {idx(0x08, []int{300, 100}, make([]byte, 30000)), func(ctx context.Context, r *ending, _ int64) (any, error) { return ReadIDXSet(ctx, r, nil) }},
		"MAT":     {write(s.WriteMAT), func(ctx context.Context, r *ending, _ int64) (any, error) { return ReadMAT(ctx, r) }},
		"MAT, packed": {append(b.file(), b.compressed(b.array(9, "fea", []int32{1, 300}, b.element(miUINT8, make([]byte, 300))))...),
			func(ctx context.Context, r *ending, _ int64) (any, error) { return ReadMAT(ctx, r) }},
		"HDF5":           {file("testdata/hdf5/dense.h5ad"), func(ctx context.Context, r *ending, n int64) (any, error) { return ReadHDF5(ctx, r, n, HDF5Layout{}) }},
		"Semeion":        {[]byte(strings.Repeat(semeionLine(3, 4)+"\n", 20)), func(ctx context.Context, r *ending, _ int64) (any, error) { return ReadSemeion(ctx, r) }},
		"Pendigits":      {[]byte(pen), func(ctx context.Context, r *ending, _ int64) (any, error) { return ReadPendigits(ctx, r) }},
		"Wine":           {[]byte(wine), func(ctx context.Context, r *ending, _ int64) (any, error) { return ReadWine(ctx, r) }},
		"images in tar":  {tarFile(faces()), func(ctx context.Context, r *ending, _ int64) (any, error) { return ReadTar(ctx, r, ImageLayout{}) }},
		"images in .zip": {zipFile(faces()), func(ctx context.Context, r *ending, n int64) (any, error) { return ReadZip(ctx, r, n, ImageLayout{}) }},
	} {
		all := &ending{Reader: bytes.NewReader(c.file), cancel: func() {}}
		if _, err := c.read(t.Context(), all, int64(len(c.file))); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for k := 0; k <= -all.k && k < 12; k++ {
			ctx, cancel := context.WithCancel(t.Context())
			r := &ending{Reader: bytes.NewReader(c.file), cancel: cancel, k: k}
			if k == 0 {
				cancel()
			}
			got, err := c.read(ctx, r, int64(len(c.file)))
			if last := k == -all.k; !errors.Is(err, context.Canceled) && !last || r.after > 0 || k == 0 && r.read > 0 {
				t.Errorf("%s, ended at read %d of %d: %v, and %d reads after it", name, k, -all.k, err, r.after)
			} else if err != nil && !strings.Contains("<nil> []", fmt.Sprint(got)) {
				t.Errorf("%s: %v with an error", name, got)
			}
			cancel()
		}
	}
}

// A few packed bytes of text are no long work: the readers stop where a file unpacks to a hundred times
// what was read of it, and read no further. A table that is mostly 0 is read.
func TestTextBombs(t *testing.T) {
	if testing.Short() {
		t.Log("-short: one bomb")
	}
	for name, c := range map[string]struct {
		line string
		read func(r io.Reader) error
	}{
		"CSV": {"1\n", func(r io.Reader) error { _, err := ReadCSV(t.Context(), r, CSVLayout{}); return err }},
		"ARFF": {"%%%%%%%%%%%%%%%%%%%\n", func(r io.Reader) error {
			_, err := ReadARFF(t.Context(), r, CSVLayout{})
			return err
		}},
		"MTX":   {"%%%%%%%%%%%%%%%%%%%\n", func(r io.Reader) error { _, err := ReadMTX(t.Context(), r); return err }},
		"names": {"%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%\n", func(r io.Reader) error { _, err := ReadNames(t.Context(), r, 0); return err }},
		"tar":   {"", func(r io.Reader) error { _, err := ReadTar(t.Context(), r, ImageLayout{}); return err }},
	} {
		if testing.Short() && name != "MTX" {
			continue
		}
		text := strings.Repeat(c.line, 1+(1<<27)/max(1, len(c.line)))
		switch name {
		case "MTX":
			text = "%%MatrixMarket matrix coordinate real general\n" + text
		case "tar":
			text = string(tarFile(fstest.MapFS{"zeros.txt": {Data: make([]byte, 1<<27)}}))
		}
		r := &ending{Reader: bytes.NewReader(gzipped([]byte(text)))}
		if err := c.read(r); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "unpack it first") {
			t.Errorf("%s: %v", name, err)
		}
		if int64(r.read) > r.Size()/2 {
			t.Errorf("%s: read %d of %d bytes", name, r.read, r.Size())
		}
	}
	if testing.Short() {
		return
	}
	// 95 % of it are 0, and it unpacks to more than the bound that has no regard to its size.
	var rare strings.Builder
	for i := range 4000 {
		for j := range 100 {
			if k := i*100 + j; k*k%20 == 9 {
				fmt.Fprintf(&rare, "%d,", k%97)
			} else {
				rare.WriteString("0,")
			}
		}
		rare.WriteString("0\n")
	}
	packed := gzipped([]byte(strings.Repeat(rare.String(), 1+freeUnpacked/rare.Len())))
	if _, err := ReadCSV(t.Context(), bytes.NewReader(packed), CSVLayout{}); err != nil {
		t.Errorf("a table of %d bytes, mostly 0: %v", len(packed), err)
	}
}
