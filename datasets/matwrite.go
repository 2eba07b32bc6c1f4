package datasets

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/npy"
)

// A MATVar is a matrix, or a column of texts, to be written, and the name it gets in a file
// of MATLAB or of NumPy. One of M and Text is nil.
type MATVar struct {
	Name string
	M    mat.Matrix
	Text []string // a cell array of n×1 in MATLAB, an array of strings in NumPy
}

var matName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,62}$`)

// WriteMAT writes matrices and texts as a MATLAB file of level 5, plain: class double,
// and cell arrays of characters. MATLAB, Octave and SciPy read it; SciPy needs uint16_codec="utf-16"
// for texts that are not ASCII, which are written as MATLAB writes them. Names must be valid in
// MATLAB and differ, and a variable holds less than 2 GiB. All this is checked before the
// first byte is written (ErrParameter, ErrTooLarge, ErrSize if a matrix is nil).
func WriteMAT(w io.Writer, vars ...MATVar) error {
	for _, v := range vars {
		if !matName.MatchString(v.Name) {
			return fmt.Errorf("%w: %q is not a valid name of a MATLAB variable", ErrParameter, v.Name)
		}
	}
	if err := checkVars(vars); err != nil {
		return err
	}
	out := bufio.NewWriter(w) // keeps the first error, for Flush
	// No date in the text: the same matrices give the same bytes.
	fmt.Fprintf(out, "%-124s\x00\x01IM", "MATLAB 5.0 MAT-file, written by robustnmf")
	for _, v := range vars {
		if v.Text != nil {
			writeMATCell(out, v)
		} else {
			writeMATVar(out, v)
		}
	}
	return out.Flush()
}

// checkVars finds a variable that cannot be written, or one of two of a name.
func checkVars(vars []MATVar) error {
	seen := make(map[string]bool)
	for _, v := range vars {
		if seen[v.Name] {
			return fmt.Errorf("%w: two variables have the name %q", ErrParameter, v.Name)
		}
		seen[v.Name] = true
		if v.Text != nil && v.M != nil {
			return fmt.Errorf("%w: %q has both a matrix and texts", ErrParameter, v.Name)
		}
		if v.Text != nil {
			size := 0
			for k, t := range v.Text {
				if size += 64 + 2*len(t); !utf8.ValidString(t) || strings.Contains(t, "\x00") {
					return fmt.Errorf("%w: text %d of %q is %.40q, with a NUL or of invalid UTF-8", ErrParameter, k, v.Name, t)
				}
			}
			if size > math.MaxInt32-256 {
				return fmt.Errorf("%w: texts %q", ErrTooLarge, v.Name)
			}
			continue
		}
		if err := usable(v.M); err != nil {
			return fmt.Errorf("matrix %q: %w", v.Name, err)
		}
		if r, c := v.M.Dims(); product((math.MaxInt32-256)/8, r, c) < 0 {
			return fmt.Errorf("%w: matrix %q is %d×%d", ErrTooLarge, v.Name, r, c)
		}
	}
	return nil
}

// little writes numbers of four bytes.
func little(w *bufio.Writer, vs ...uint32) {
	for _, v := range vs {
		w.Write(binary.LittleEndian.AppendUint32(nil, v))
	}
}

// matHead writes what begins a variable of some bytes after its name.
func matHead(w *bufio.Writer, name string, class uint32, r, c, bytes int) {
	pad := -len(name) & 7
	little(w, miMATRIX, uint32(16+16+8+len(name)+pad+bytes))
	little(w, miUINT32, 8, class, 0) // no flags
	little(w, miINT32, 8, uint32(r), uint32(c))
	little(w, miINT8, uint32(len(name)))
	w.WriteString(name)
	w.Write(make([]byte, pad))
}

func writeMATVar(w *bufio.Writer, v MATVar) {
	r, c := v.M.Dims()
	matHead(w, v.Name, 6, r, c, 8+8*r*c)
	little(w, miDOUBLE, uint32(8*r*c))
	var b [8]byte
	for j := range c {
		for i := range r {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v.M.At(i, j)))
			w.Write(b[:])
		}
	}
}

// writeMATCell writes texts as a cell array of rows of characters.
func writeMATCell(w *bufio.Writer, v MATVar) {
	units := make([][]uint16, len(v.Text))
	all := 0
	for i, t := range v.Text {
		units[i] = utf16.Encode([]rune(t))
		all += 8 + 16 + 16 + 8 + 8 + (2*len(units[i])+7)&^7
	}
	matHead(w, v.Name, 1, len(v.Text), 1, all)
	for _, u := range units {
		padded := (2*len(u) + 7) &^ 7
		matHead(w, "", 4, 1, len(u), 8+padded)
		little(w, miUINT16, uint32(2*len(u)))
		for _, c := range u {
			w.Write(binary.LittleEndian.AppendUint16(nil, c))
		}
		w.Write(make([]byte, padded-2*len(u)))
	}
}

// WriteNPZ writes matrices and texts as an archive of arrays, as numpy.savez does: of
// float64 and of Unicode strings. Errors are those of WriteMAT, and ErrParameter for a
// name that is empty or has a slash.
func WriteNPZ(w io.Writer, vars ...MATVar) error {
	for _, v := range vars {
		if v.Name == "" || strings.ContainsAny(v.Name, `/\`) {
			return fmt.Errorf("%w: %q is not a valid name of an array", ErrParameter, v.Name)
		}
	}
	if err := checkVars(vars); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, v := range vars {
		// Without a date: the same matrices give the same bytes.
		f, err := z.CreateHeader(&zip.FileHeader{Name: v.Name + ".npy", Method: zip.Deflate})
		if err != nil {
			return err
		}
		if v.Text != nil {
			err = writeNPYText(f, v.Text)
		} else {
			err = WriteNPY(f, v.M)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// writeNPYText writes an array of strings, each as long as the longest.
func writeNPYText(w io.Writer, texts []string) error {
	most := 1
	for _, t := range texts {
		most = max(most, utf8.RuneCountInString(t))
	}
	if product((math.MaxInt32-256)/4, most, len(texts)) < 0 {
		return fmt.Errorf("%w: %d strings of up to %d characters", ErrTooLarge, len(texts), most)
	}
	out := bufio.NewWriter(w)
	out.Write(npy.Append(nil, fmt.Sprintf("<U%d", most), []int{len(texts)}, npyAlign))
	for _, t := range texts {
		k := 0
		for _, r := range t {
			little(out, uint32(r))
			k++
		}
		out.Write(make([]byte, 4*(most-k)))
	}
	return out.Flush()
}

// variables returns the set as arrays: X with a sample in each row, the classes in words,
// and the names of samples and features.
func (s *Set) variables(label string) ([]MATVar, error) {
	if err := s.checkDense(); err != nil {
		return nil, err
	}
	samples, features, classes, err := s.Names()
	if err != nil {
		return nil, err
	}
	vars := []MATVar{{Name: "X", M: s.X.T()}, {Name: "sample_names", Text: samples}, {Name: "feature_names", Text: features}}
	if classes != nil {
		vars = append(vars, MATVar{Name: label, Text: classes})
	}
	return vars, nil
}

// WriteNPZ writes the set as an archive of NumPy: X (a sample in each row), sample_names,
// feature_names and, if there are classes, y. ReadNPZ reads it.
func (s *Set) WriteNPZ(w io.Writer) error {
	vars, err := s.variables("y")
	if err != nil {
		return err
	}
	return WriteNPZ(w, vars...)
}

// WriteMAT writes the set as a file of MATLAB: X (a sample in each row), sample_names,
// feature_names and, if there are classes, Y. It is read with MATLayout{Samples:
// "sample_names", Features: "feature_names", Raster: true}.
func (s *Set) WriteMAT(w io.Writer) error {
	vars, err := s.variables("Y")
	if err != nil {
		return err
	}
	return WriteMAT(w, vars...)
}
