package panel

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/robustnmf/robustnmf/rnmf/panel/internal/files"
)

// ErrBusy is the error of a Fit whose State is in use by another fit, in this program or in another.
var ErrBusy = files.ErrBusy

// stateFolder keeps the state of a fit in files: driver, and for each panel and generation h-G-P. A file
// is written under another name first and then renamed, so each is complete or not there; a round
// that was interrupted is done again from the coefficients with which it began.
type stateFolder struct {
	dir string
	x   Source
	fit string // the name of the fit that the folder belongs to
}

const driverFile = "driver"

func (f *stateFolder) name(generation, p int) string {
	return filepath.Join(f.dir, fmt.Sprintf("h-%d-%d", generation, p))
}

func (f *stateFolder) get(generation, p int) (*Coefficients, error) {
	name := f.name(generation, p)
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("coefficients of panel %d: %w", p, err)
	}
	c := new(Coefficients)
	if err = c.UnmarshalBinary(b); err == nil {
		from, _ := f.x.Columns(p)
		err = c.of.is(stamp{f.fit, generation, from}, "coefficients")
	}
	if err != nil {
		return nil, fmt.Errorf("coefficients of panel %d, %s: %w", p, name, err)
	}
	return c, nil
}

func (f *stateFolder) put(p int, c *Coefficients) error {
	b, err := c.MarshalBinary()
	if err != nil {
		return err
	}
	if err := files.Replace(f.name(c.of.generation, p), ".new", b, false); err != nil {
		return fmt.Errorf("coefficients of panel %d: %w", p, err)
	}
	return nil
}

func (f *stateFolder) checkpoint(s state) error {
	b, err := s.MarshalBinary()
	if err != nil {
		return err
	}
	if err := files.Replace(filepath.Join(f.dir, driverFile), ".new", b, true); err != nil {
		return fmt.Errorf("state of the fit: %w", err)
	}
	names, err := os.ReadDir(f.dir)
	if err != nil {
		return fmt.Errorf("state of the fit: %w", err)
	}
	for _, file := range names {
		parts := strings.Split(file.Name(), "-")
		if len(parts) != 3 || parts[0] != "h" {
			continue
		}
		if g, err := strconv.Atoi(parts[1]); err == nil && g != s.Kept() && g != s.Generation() {
			// It is only in the way: nobody reads it.
			_ = os.Remove(filepath.Join(f.dir, file.Name()))
		}
	}
	return nil
}

// openState opens a state folder, which is locked until unlock is called, and reads what it has into
// s, unless it is new.
func openState(dir string, b Batch, x Source, s state) (f *stateFolder, found bool, unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, false, nil, fmt.Errorf("state of the fit: %w", err)
	}
	if unlock, err = files.Lock(dir); err != nil {
		return nil, false, nil, fmt.Errorf("state of the fit: %w", err)
	}
	f = &stateFolder{dir: dir, x: x}
	if found, err = f.read(b, s); err != nil {
		unlock()
		return nil, false, nil, err
	}
	return f, found, unlock, nil
}

// read reads the driver, if there is one, and looks whether it has its coefficients.
func (f *stateFolder) read(b Batch, s state) (found bool, err error) {
	name := filepath.Join(f.dir, driverFile)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("state of the fit: %w", err)
	}
	if err := s.UnmarshalBinary(data); err != nil {
		return true, fmt.Errorf("state of the fit, %s: %w", name, err)
	}
	m, n := f.x.Dims()
	if err := s.Resume(b, m, n); err != nil {
		return true, fmt.Errorf("%s: %w", f.dir, err)
	}
	f.fit = s.driver().fit
	for p := range f.x.Panels() {
		if _, err := os.Stat(f.name(s.Generation(), p)); err != nil {
			return true, fmt.Errorf("coefficients of panel %d: %w", p, err)
		}
	}
	return true, nil
}
