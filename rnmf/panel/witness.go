package panel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/robustnmf/robustnmf/rnmf"
)

// panelsFile has a line for each panel of a fit: the checksum of its numbers (CRC-32C).
const panelsFile = "panels"

// A witness is a Source that knows whether its panels are those of the state folder: the first time
// that one is loaded, its checksum is taken, or compared with the one that was taken. So no panel is
// read more often than without.
type witness struct {
	Source
	dir   string
	sums  []uint32
	known bool // sums are those of the folder
	seen  []bool
}

func newWitness(x Source, dir string) *witness {
	return &witness{Source: x, dir: dir, sums: make([]uint32, x.Panels()), seen: make([]bool, x.Panels())}
}

// Load loads panel p. The error, to which load adds the panel, is rnmf.ErrParameter for one with other
// numbers.
func (w *witness) Load(p int) (Panel, error) {
	x, err := w.Source.Load(p)
	if err != nil || w.seen[p] || x.Dense == nil && x.Sparse == nil {
		return x, err
	}
	if x.Sparse != nil {
		if err := x.Sparse.Check(); err != nil {
			return x, err
		}
	}
	sum := x.Checksum()
	if w.known && sum != w.sums[p] {
		return x, fmt.Errorf("%w: it has other numbers than when the fit in %s began (checksum %08x, was %08x); give the data of that fit, or another State", rnmf.ErrParameter, w.dir, sum, w.sums[p])
	}
	w.sums[p], w.seen[p] = sum, true
	return x, nil
}

// write stores the checksums.
func (w *witness) write() error {
	var b strings.Builder
	for _, sum := range w.sums {
		fmt.Fprintf(&b, "%08x\n", sum)
	}
	if err := replace(filepath.Join(w.dir, panelsFile), []byte(b.String()), true); err != nil {
		return fmt.Errorf("state of the fit: %w", err)
	}
	return nil
}

// read reads what write has written.
func (w *witness) read() error {
	name := filepath.Join(w.dir, panelsFile)
	b, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("state of the fit: %w", err)
	}
	lines := strings.Split(string(b), "\n")
	if n := len(lines) - 1; n != len(w.sums) {
		return fmt.Errorf("%w: %s is the state of a fit to %d panels, X has %d", rnmf.ErrParameter, w.dir, n, len(w.sums))
	}
	for p := range w.sums {
		if n, err := fmt.Sscanf(lines[p], "%08x", &w.sums[p]); n != 1 || len(lines[p]) != 8 {
			return fmt.Errorf("%s: %w: line %d is %.20q, want a checksum", name, errors.Join(rnmf.ErrFormat, err), p+1, lines[p])
		}
	}
	w.known = true
	return nil
}

// Checksum returns the CRC-32C of the numbers, and of their places where the panel is sparse.
func (x Panel) Checksum() (sum uint32) {
	buffer := make([]byte, 0, 1<<13)
	flush := func() {
		sum = crc32.Update(sum, castagnoli, buffer)
		buffer = buffer[:0]
	}
	add := func(v uint64) {
		if buffer = binary.LittleEndian.AppendUint64(buffer, v); len(buffer) == cap(buffer) {
			flush()
		}
	}
	if s := x.Sparse; s != nil {
		for j := range s.Cols {
			add(uint64(s.Start[j+1] - s.Start[j]))
			for k := s.Start[j]; k < s.Start[j+1]; k++ {
				add(uint64(s.Row[k]))
				add(math.Float64bits(s.Value[k]))
			}
		}
	} else {
		rows, _ := x.Dense.Dims()
		for i := range rows {
			for _, v := range x.Dense.RawRowView(i) {
				add(math.Float64bits(v))
			}
		}
	}
	flush()
	return sum
}
