package datasets

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"

	"gonum.org/v1/gonum/mat"
)

// A MATVar is a matrix to be written and the name it gets.
type MATVar struct {
	Name string
	M    mat.Matrix
}

var matName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,62}$`)

// WriteMAT writes matrices as a MATLAB file of level 5: class double, plain.
// MATLAB, Octave and SciPy read it. Names must be MATLAB's and differ, and a
// matrix holds less than 2 GiB; all that is checked before the first byte (ErrParameter,
// ErrTooLarge, ErrSize where one is nil).
func WriteMAT(w io.Writer, vars ...MATVar) error {
	seen := make(map[string]bool)
	for _, v := range vars {
		if !matName.MatchString(v.Name) || seen[v.Name] {
			return fmt.Errorf("%w: %q is no name of a MATLAB variable, or is used twice", ErrParameter, v.Name)
		}
		seen[v.Name] = true
		if isNil(v.M) {
			return fmt.Errorf("%w: matrix %q is nil", ErrSize, v.Name)
		}
		if r, c := v.M.Dims(); product((math.MaxInt32-256)/8, r, c) < 0 {
			return fmt.Errorf("%w: matrix %q is %d×%d", ErrTooLarge, v.Name, r, c)
		}
	}
	out := bufio.NewWriter(w) // keeps the first error, for Flush
	// No date in the text: the same matrices give the same bytes.
	fmt.Fprintf(out, "%-124s\x00\x01IM", "MATLAB 5.0 MAT-file, written by robustnmf")
	for _, v := range vars {
		writeMATVar(out, v)
	}
	return out.Flush()
}

func writeMATVar(w *bufio.Writer, v MATVar) {
	u32 := func(vs ...uint32) {
		for _, v := range vs {
			var b [4]byte
			binary.LittleEndian.PutUint32(b[:], v)
			w.Write(b[:])
		}
	}
	r, c := v.M.Dims()
	pad := -len(v.Name) & 7
	u32(miMATRIX, uint32(16+16+8+len(v.Name)+pad+8+8*r*c))
	u32(miUINT32, 8, 6, 0) // class double, no flags
	u32(miINT32, 8, uint32(r), uint32(c))
	u32(miINT8, uint32(len(v.Name)))
	w.WriteString(v.Name)
	w.Write(make([]byte, pad))
	u32(miDOUBLE, uint32(8*r*c))
	var b [8]byte
	for j := range c {
		for i := range r {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v.M.At(i, j)))
			w.Write(b[:])
		}
	}
}
