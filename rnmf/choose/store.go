package choose

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/robustnmf/robustnmf/internal/lockfile"
)

// A store is the file of a search: a header and a line for each setting, each a
// checksum and JSON. A line is written at once and is on disk when add returns, and a
// line counts if it is whole. So the file is right whenever the process ends.
type store struct {
	f      *os.File
	unlock func()
	failed error // of a write: half a line may be at the end, and nothing may follow it
}

// A header is the first line.
type header struct {
	Version int      `json:"version"`
	Task    string   `json:"task"`
	Names   []string `json:"names"`
}

// An entry is any other line.
type entry struct {
	Values []float64 `json:"values"`
	Scores Scores    `json:"scores"`
}

const storeVersion = 1

// key tells settings apart.
func key(values []float64) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		b.WriteByte(' ')
	}
	return b.String()
}

// openStore opens or makes a file and returns the settings that it has.
func openStore(path string, want header) (*store, map[string]Scores, error) {
	want.Version, want.Task, want.Names = storeVersion, valid(want.Task), slices.Clone(want.Names)
	for i, n := range want.Names {
		want.Names[i] = valid(n)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, err
	}
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		f.Close()
		return nil, nil, fmt.Errorf("%w: %s is a pipe or a device", ErrFile, path)
	}
	unlock, err := lockfile.Try(path + ".lock")
	if err == nil && unlock == nil {
		err = ErrBusy
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &store{f: f, unlock: unlock}
	known, err := s.read(want)
	if err != nil {
		s.close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, known, nil
}

func (s *store) read(want header) (map[string]Scores, error) {
	data, err := io.ReadAll(s.f)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	if len(lines) > 0 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	known := map[string]Scores{}
	good := 0 // bytes of whole lines
	for i, line := range lines {
		text, whole := unwrap(line)
		if !whole {
			if i < len(lines)-1 {
				return nil, fmt.Errorf("%w: line %d is damaged", ErrFile, i+1)
			}
			break // the process ended while it was written
		}
		if err := decode(text, i, want, known); err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrFile, i+1, err)
		}
		good += len(line)
	}
	if good == 0 && len(data) > 0 {
		// A header that was cut off. Nothing else may be overwritten.
		if begin := wrap(mustJSON(want)); !bytes.HasPrefix(begin, bytes.TrimRight(data, "\x00")) {
			return nil, fmt.Errorf("%w: it has no header", ErrFile)
		}
	}
	if err := s.f.Truncate(int64(good)); err != nil {
		return nil, err
	}
	if _, err := s.f.Seek(int64(good), io.SeekStart); err != nil {
		return nil, err
	}
	if good > 0 {
		return known, nil
	}
	if err := s.write(mustJSON(want)); err != nil {
		return nil, err
	}
	return known, syncFolder(s.f.Name())
}

// decode reads line i into known.
func decode(text []byte, i int, want header, known map[string]Scores) error {
	if i == 0 {
		var h header
		if err := json.Unmarshal(text, &h); err != nil {
			return err
		}
		if h.Version != want.Version || h.Task != want.Task || key2(h.Names) != key2(want.Names) {
			return fmt.Errorf("it belongs to the task %q with the parameters %q, not to %q with %q", h.Task, h.Names, want.Task, want.Names)
		}
		return nil
	}
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return err
	}
	if len(e.Values) != len(want.Names) {
		return fmt.Errorf("%d values, want %d", len(e.Values), len(want.Names))
	}
	if err := check(e.Scores); err != nil {
		return err
	}
	k := key(e.Values)
	if old, twice := known[k]; twice && !maps.Equal(old, e.Scores) {
		return errors.New("a setting has other scores than before")
	}
	known[k] = e.Scores
	return nil
}

// valid is what JSON makes of a text that may hold a file name in Latin-1.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func key2(names []string) string { return strings.Join(names, "\x00") }

// add writes a setting.
func (s *store) add(values []float64, scores Scores) error {
	text, err := json.Marshal(entry{values, scores})
	if err != nil {
		return err
	}
	return s.write(text)
}

func (s *store) write(text []byte) error {
	if s.failed == nil {
		_, s.failed = s.f.Write(wrap(text))
	}
	if s.failed == nil {
		s.failed = s.f.Sync()
	}
	return s.failed
}

func (s *store) close() error {
	defer s.unlock()
	return s.f.Close()
}

// wrap puts the checksum before a line.
func wrap(text []byte) []byte {
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(text), text)
}

// unwrap reports whether a line is whole.
func unwrap(line []byte) (text []byte, whole bool) {
	if len(line) < 10 || line[len(line)-1] != '\n' || line[8] != ' ' {
		return nil, false
	}
	text = line[9 : len(line)-1]
	return text, fmt.Sprintf("%08x", crc32.ChecksumIEEE(text)) == string(line[:8])
}

func mustJSON(h header) []byte {
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings and a number
	}
	return text
}

// syncFolder makes a new file's name last. Where folders cannot be synced, that is up
// to the system.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}
