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
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/newfile"
)

// WriteMTX writes the entries of a matrix that are not 0 in the format of Matrix Market,
// column by column. ReadMTX reads it. Errors are ErrSize if it is nil, and that of w.
func WriteMTX(w io.Writer, m mat.Matrix) error {
	if err := usable(m); err != nil {
		return err
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
// barcodes.tsv into a folder that is new or empty: the files of 10x Genomics, with the names
// of the samples as barcodes. OpenMTX reads the folder. Classes are not written. Samples, and features, of
// one name get a number, as in x, x.1. Errors are ErrValue for a value that is not a finite
// number, ErrParameter for a name that would not be read as it is (also one with a tab or a line feed),
// fs.ErrExist for a folder that has files, and those of Check and of the file system.
func (s *Set) SaveMTX(folder string) error {
	if err := s.checkDense(); err != nil {
		return err
	}
	m, _ := s.X.Dims()
	for i := range m {
		for j, v := range s.X.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return s.wrong(i, j, v, "which Matrix Market does not have")
			}
		}
	}
	unlabelled := *s
	unlabelled.Labels, unlabelled.Classes = nil, nil
	samples, features, _, err := unlabelled.Names()
	if err != nil {
		return err
	}
	lines := func(names []string) func(io.Writer) error {
		return func(w io.Writer) error {
			out := bufio.NewWriter(w)
			if mark := "\uFEFF"; strings.HasPrefix(names[0], mark) {
				out.WriteString(mark) // one of which readers leave out
			}
			for _, name := range names {
				out.WriteString(name + "\n")
			}
			return out.Flush()
		}
	}
	for k, name := range slices.Concat(samples, features) {
		if strings.ContainsAny(name, "\t\n") {
			of := "sample"
			if k >= len(samples) {
				k, of = k-len(samples), "feature"
			}
			return fmt.Errorf("%w: the name of %s %d is %.40q, and a tab or a line feed ends a name in such a file", ErrParameter, of, k, name)
		}
	}
	if err := newfile.Folder(folder); err != nil {
		return err
	}
	return errors.Join(
		newfile.Write(filepath.Join(folder, "matrix.mtx"), func(w io.Writer) error { return WriteMTX(w, s.X) }),
		newfile.Write(filepath.Join(folder, "features.tsv"), lines(features)),
		newfile.Write(filepath.Join(folder, "barcodes.tsv"), lines(samples)))
}

// SaveImages writes each sample as a PNG file, in grey as Image draws it, into the folder
// of its class below folder, which is new or empty. OpenImages reads them, possibly in another order. A file has
// the name of its sample, or its number; slashes become dashes, and dots around a name go. Errors are ErrNotImages,
// ErrParameter for two samples of one class and name, two classes of one folder, and a class that would not be
// read as it is, fs.ErrExist for a folder that has files, and those of Check and of the file
// system.
func (s *Set) SaveImages(folder string) error {
	if !s.isImage() {
		return ErrNotImages
	}
	if err := s.checkDense(); err != nil {
		return err
	}
	if err := checkWritten("class", s.Classes); err != nil {
		return err
	}
	plain := strings.NewReplacer("/", "-", `\`, "-")
	folders := map[string]string{}
	for _, class := range s.Classes {
		of := strings.Trim(plain.Replace(class), ".")
		if other, taken := folders[of]; taken {
			return fmt.Errorf("%w: the classes %q and %q would have the folder %q", ErrParameter, other, class, of)
		}
		folders[of] = class
	}
	if err := newfile.Folder(folder); err != nil {
		return err
	}
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
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := newfile.Write(path, func(w io.Writer) error { return png.Encode(w, s.Image(j)) }); err != nil {
			return err
		}
	}
	return nil
}
