package panel

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// folder keeps the state of a fit in files: driver, and for each panel and generation h-G-P. A file
// is written under another name first and then renamed, so each is complete or not there; a round
// that was interrupted is done again from the coefficients with which it began.
type folder struct {
	dir    string
	panels int
}

const driverFile = "driver"

func (f folder) name(generation, p int) string {
	return filepath.Join(f.dir, fmt.Sprintf("h-%d-%d", generation, p))
}

func (f folder) get(generation, p int) (*Coefficients, error) {
	name := f.name(generation, p)
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("coefficients of panel %d: %w", p, err)
	}
	c := new(Coefficients)
	if err := c.UnmarshalBinary(b); err != nil {
		return nil, fmt.Errorf("coefficients of panel %d, %s: %w", p, name, err)
	}
	return c, nil
}

func (f folder) put(generation, p int, c *Coefficients) error {
	b, err := c.MarshalBinary()
	if err != nil {
		return err
	}
	if err := replace(f.name(generation, p), b, false); err != nil {
		return fmt.Errorf("coefficients of panel %d: %w", p, err)
	}
	return nil
}

func (f folder) checkpoint(s state) error {
	b, err := s.MarshalBinary()
	if err != nil {
		return err
	}
	if err := replace(filepath.Join(f.dir, driverFile), b, true); err != nil {
		return fmt.Errorf("state of the fit: %w", err)
	}
	files, err := os.ReadDir(f.dir)
	if err != nil {
		return fmt.Errorf("state of the fit: %w", err)
	}
	for _, file := range files {
		parts := strings.Split(file.Name(), "-")
		if len(parts) != 3 || parts[0] != "h" {
			continue
		}
		if g, err := strconv.Atoi(parts[1]); err == nil && g != s.Kept() && g != s.Generation() {
			// It is only in the way: the next round writes it again, or nobody reads it.
			_ = os.Remove(filepath.Join(f.dir, file.Name()))
		}
	}
	return nil
}

// replace writes a file so that it is complete or as it was.
func replace(name string, b []byte, sync bool) error {
	temporary := name + ".new"
	f, err := os.Create(temporary)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil && sync {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		_ = os.Remove(temporary)
	}
	return err
}

// openState opens a state folder, and reads what it has into s, unless it is new.
func openState(dir string, b Batch, x Source, s state) (f folder, found bool, err error) {
	f = folder{dir: dir, panels: x.Panels()}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return f, false, fmt.Errorf("state of the fit: %w", err)
	}
	name := filepath.Join(f.dir, driverFile)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return f, false, nil
	}
	if err != nil {
		return f, true, fmt.Errorf("state of the fit: %w", err)
	}
	if err := s.UnmarshalBinary(data); err != nil {
		return f, true, fmt.Errorf("state of the fit, %s: %w", name, err)
	}
	m, n := x.Dims()
	if err := s.Resume(b, m, n); err != nil {
		return f, true, fmt.Errorf("%s: %w", f.dir, err)
	}
	for p := range f.panels {
		if _, err := os.Stat(f.name(s.Generation(), p)); err != nil {
			return f, true, fmt.Errorf("coefficients of panel %d: %w", p, err)
		}
	}
	return f, true, nil
}
