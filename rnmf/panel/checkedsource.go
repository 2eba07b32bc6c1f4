package panel

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A checkedSource is the Source of a fit with a state folder: it compares each panel with the one that the
// DataSummary saw when the fit began, the first time that it is loaded.
type checkedSource struct {
	Source
	dir     string
	driver  *Driver
	checked []bool
}

// newCheckedSource returns a checkedSource; one that made the DataSummary itself has seen all panels.
func newCheckedSource(x Source, dir string, d *Driver, fresh bool) (*checkedSource, error) {
	if n := len(d.summary.sums); n != x.Panels() {
		return nil, fmt.Errorf("%w: %s is the state of a fit to %d panels, X has %d", rnmf.ErrParameter, dir, n, x.Panels())
	}
	w := &checkedSource{Source: x, dir: dir, driver: d, checked: make([]bool, x.Panels())}
	for p := range w.checked {
		w.checked[p] = fresh
	}
	return w, nil
}

// Load loads panel p. The error, to which load adds the panel, is rnmf.ErrParameter for one with other
// numbers.
func (w *checkedSource) Load(p int) (Panel, error) {
	x, err := w.Source.Load(p)
	if err != nil || w.checked[p] {
		return x, err
	}
	if err := w.driver.CheckPanel(p, x); err != nil {
		return x, fmt.Errorf("%s: %w", w.dir, err)
	}
	w.checked[p] = true
	return x, nil
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
