package beam

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/robustnmf/robustnmf/rnmf/panel/internal/files"
)

// folder is a folder that all workers see: a local one, or one in an object store, by the scheme of
// its name, with the file systems of Beam. It is an fs.FS.
type folder struct {
	ctx   context.Context // of objects, which io/fs has no place for
	dir   string
	store filesystem.Interface // nil for a local folder
}

func openFolder(ctx context.Context, dir string) (folder, error) {
	f := folder{ctx: ctx, dir: dir}
	if !strings.Contains(dir, "://") {
		return f, nil
	}
	var err error
	f.dir = strings.TrimRight(dir, "/")
	f.store, err = filesystem.New(ctx, dir)
	return f, err
}

func (f folder) close() {
	if f.store != nil {
		_ = f.store.Close()
	}
}

func (f folder) path(name string) string {
	if f.store == nil {
		return filepath.Join(f.dir, name)
	}
	return f.dir + "/" + name
}

// make makes the folder where that is needed.
func (f folder) make() error {
	if f.store == nil {
		return os.MkdirAll(f.dir, 0o777)
	}
	return nil
}

// names returns the names of files, in order.
func (f folder) names() ([]string, error) {
	var names []string
	if f.store == nil {
		entries, err := os.ReadDir(f.dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names, err
	}
	all, err := f.store.List(f.ctx, f.dir+"/*")
	for _, name := range all {
		names = append(names, path.Base(name))
	}
	return names, err
}

// has reports whether there is a file of this name.
func (f folder) has(name string) (bool, error) {
	if f.store == nil {
		_, err := os.Stat(f.path(name))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	found, err := f.store.List(f.ctx, f.path(name))
	return len(found) > 0, err
}

// read returns a file. The error is fs.ErrNotExist if there is none.
func (f folder) read(name string) ([]byte, error) {
	if f.store == nil {
		return os.ReadFile(f.path(name))
	}
	return fs.ReadFile(f, name)
}

// write writes a file so that it is complete or as it was, also where several workers do. Object
// stores show a file once it is closed.
func (f folder) write(name string, b []byte, sync bool) error {
	if f.store != nil {
		ctx, cancel := context.WithCancel(f.ctx)
		defer cancel()
		out, err := f.store.OpenWrite(ctx, f.path(name))
		if err != nil {
			return fmt.Errorf("%s: %w", f.path(name), err)
		}
		if _, err = out.Write(b); err != nil {
			cancel() // so that Close does not keep the part that was written
		}
		return errors.Join(err, out.Close())
	}
	return files.Replace(f.path(name), fmt.Sprintf(".%d-%d.new", os.Getpid(), writes.Add(1)), b, sync)
}

// writes makes the names of temporary files differ.
var writes atomic.Int64

// remove removes a file. What cannot be removed is only in the way, and tried again later.
func (f folder) remove(name string) {
	if f.store == nil {
		_ = os.Remove(f.path(name))
	} else if r, ok := f.store.(filesystem.Remover); ok {
		_ = r.Remove(f.ctx, f.path(name))
	}
}

// Open opens a file, for io/fs.
func (f folder) Open(name string) (fs.File, error) {
	if f.store == nil {
		return os.DirFS(f.dir).Open(name)
	}
	fail := func(err error) (fs.File, error) { return nil, &fs.PathError{Op: "open", Path: f.path(name), Err: err} }
	if there, err := f.has(name); err != nil || !there {
		if err == nil {
			err = fs.ErrNotExist
		}
		return fail(err)
	}
	size, err := f.store.Size(f.ctx, f.path(name))
	if err != nil {
		return fail(err)
	}
	in, err := f.store.OpenRead(f.ctx, f.path(name))
	if err != nil {
		return fail(err)
	}
	return &object{Reader: bufio.NewReaderSize(in, 1<<20), Closer: in, entry: entry{name, size}}, nil
}

// ReadDir lists the folder, for io/fs.
func (f folder) ReadDir(string) ([]fs.DirEntry, error) {
	if f.store == nil {
		return fs.ReadDir(os.DirFS(f.dir), ".")
	}
	names, err := f.names()
	if err != nil {
		return nil, &fs.PathError{Op: "list", Path: f.dir, Err: err}
	}
	var entries []fs.DirEntry
	for _, name := range names {
		entries = append(entries, fs.FileInfoToDirEntry(entry{name, 0}))
	}
	return entries, nil
}

// object is a file of an object store.
type object struct {
	io.Reader
	io.Closer
	entry
}

func (o *object) Stat() (fs.FileInfo, error) { return o.entry, nil }

// entry is what is known about an object.
type entry struct {
	name string
	size int64
}

func (e entry) Name() string     { return e.name }
func (e entry) Size() int64      { return e.size }
func (entry) Mode() fs.FileMode  { return 0o444 }
func (entry) ModTime() time.Time { return time.Time{} }
func (entry) IsDir() bool        { return false }
func (entry) Sys() any           { return nil }

// stored is what has a binary form.
type stored interface {
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
}

func (f folder) get(name string, v stored) error {
	b, err := f.read(name)
	if err != nil {
		return err
	}
	if err := v.UnmarshalBinary(b); err != nil {
		return fmt.Errorf("%s: %w", f.path(name), err)
	}
	return nil
}

func (f folder) put(name string, v stored) error {
	b, err := v.MarshalBinary()
	if err != nil {
		return err
	}
	return f.write(name, b, false)
}
