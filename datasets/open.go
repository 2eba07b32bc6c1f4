package datasets

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Open reads the file of a path by a reader, which is told its size. The set has the name of the file,
// unless the reader gives it another, and errors begin with the path. OpenCSV and the like are short
// for it; package columnar has readers for it, too.
func Open(path string, read func(file io.ReaderAt, size int64) (*Set, error)) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s, err := read(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(path), ".gz")
		s.Name = strings.TrimSuffix(s.Name, filepath.Ext(s.Name))
	}
	return s, nil
}

// OpenCSV reads a file of text by ReadCSV, plain or gzip.
func OpenCSV(path string, l CSVLayout) (*Set, error) {
	return Open(path, func(f io.ReaderAt, size int64) (*Set, error) {
		return ReadCSV(io.NewSectionReader(f, 0, size), l)
	})
}

// OpenNPY reads a file of NumPy: an array by ReadNPY, or an archive by ReadNPZ.
func OpenNPY(path string, l NPYLayout) (*Set, error) {
	return Open(path, func(f io.ReaderAt, size int64) (*Set, error) {
		head := make([]byte, 2)
		if _, err := f.ReadAt(head, 0); err != nil && err != io.EOF {
			return nil, err
		}
		if string(head) == "PK" {
			return ReadNPZ(f, size, l)
		}
		return ReadNPY(io.NewSectionReader(f, 0, size), l)
	})
}

// OpenMAT reads a file of MATLAB of version 5 to 7.3, by ReadMAT or ReadMAT73, and makes a Set of it.
func OpenMAT(path string, l MATLayout) (*Set, error) {
	return Open(path, func(f io.ReaderAt, size int64) (*Set, error) {
		m, err := ReadMAT(io.NewSectionReader(f, 0, size))
		if errors.Is(err, ErrMAT73) {
			m, err = ReadMAT73(f, size)
		}
		if err != nil {
			return nil, err
		}
		return m.Set(l)
	})
}

// OpenHDF5 reads a file of HDF5, also .h5ad and .loom, by ReadHDF5.
func OpenHDF5(path string, l HDF5Layout) (*Set, error) {
	return Open(path, func(f io.ReaderAt, size int64) (*Set, error) { return ReadHDF5(f, size, l) })
}
