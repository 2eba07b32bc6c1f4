package datasets

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// WriteMTX writes the entries of a matrix that are not 0 in the format of Matrix Market,
// column by column. ReadMTX reads it. Errors are ErrSize if it is nil, and that of w.
func WriteMTX(w io.Writer, m mat.Matrix) error {
	if isNil(m) {
		return fmt.Errorf("%w: the matrix is nil", ErrSize)
	}
	rows, cols := m.Dims()
	count := 0
	each := func(f func(i, j int, v float64)) {
		for j := range cols {
			for i := range rows {
				if v := m.At(i, j); v != 0 {
					f(i, j, v)
				}
			}
		}
	}
	each(func(int, int, float64) { count++ })
	out := bufio.NewWriter(w) // keeps the first error, for Flush
	fmt.Fprintf(out, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", rows, cols, count)
	each(func(i, j int, v float64) {
		out.WriteString(strconv.Itoa(i+1) + " " + strconv.Itoa(j+1) + " " + strconv.FormatFloat(v, 'g', -1, 64) + "\n")
	})
	return out.Flush()
}

// SaveMTX writes the set as matrix.mtx (features × samples), features.tsv and
// barcodes.tsv into a folder, which it makes: the files of 10x Genomics, with the names
// of the samples as barcodes. OpenMTX reads the folder. Tabs and line feeds in names
// become blanks. Errors are ErrValue for a value that is not a finite number, and those
// of Check and of the file system.
func (s *Set) SaveMTX(folder string) error {
	if err := s.Check(); err != nil {
		return err
	}
	m, n := s.X.Dims()
	for i := range m {
		for j, v := range s.X.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return s.wrong(i, j, v, "which Matrix Market does not have")
			}
		}
	}
	names := func(n int, of func(int) string) func(io.Writer) error {
		return func(w io.Writer) error {
			out := bufio.NewWriter(w)
			for k := range n {
				out.WriteString(strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(of(k)) + "\n")
			}
			return out.Flush()
		}
	}
	return errors.Join(
		saveFile(filepath.Join(folder, "matrix.mtx"), func(w io.Writer) error { return WriteMTX(w, s.X) }),
		saveFile(filepath.Join(folder, "features.tsv"), names(m, s.FeatureName)),
		saveFile(filepath.Join(folder, "barcodes.tsv"), names(n, s.SampleName)))
}

// SaveImages writes each sample as a PNG file, in grey as Image draws it, into the folder
// of its class below folder. OpenImages reads them, possibly in another order. A file has
// the name of its sample, or its number; slashes become dashes. Errors are ErrNotImages,
// ErrParameter for two samples of one class and name, and those of Check and of the file
// system.
func (s *Set) SaveImages(folder string) error {
	if !s.isImage() {
		return ErrNotImages
	}
	if err := s.Check(); err != nil {
		return err
	}
	plain := strings.NewReplacer("/", "-", `\`, "-")
	_, n := s.X.Dims()
	seen := map[string]bool{}
	for j := range n {
		class := ""
		if s.Labels != nil {
			class = plain.Replace(s.Classes[s.Labels[j]])
		}
		name := strings.TrimSuffix(plain.Replace(nameAt(s.Samples, j, "")), ".png")
		path := filepath.Join(folder, cmp.Or(strings.Trim(class, "."), "."), cmp.Or(strings.Trim(name, "."), fmt.Sprintf("%05d", j))+".png")
		if seen[path] {
			return fmt.Errorf("%w: two images would have the path %s", ErrParameter, path)
		}
		seen[path] = true
		if err := saveFile(path, func(w io.Writer) error { return png.Encode(w, s.Image(j)) }); err != nil {
			return err
		}
	}
	return nil
}

// saveFile writes a file, and the folder that it lies in.
func saveFile(path string, write func(w io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
