// Package localproxy makes releases of this repository in a folder that serves as a module
// proxy (GOPROXY=file://…), so that tests can take them as a user would.
package localproxy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// Module is the path of this repository's own module.
const Module = "github.com/robustnmf/robustnmf"

// Add makes a release of the module in the folder sub of the checkout root ("" is the
// repository's own), with all files that git knows or would add, and returns its path.
func Add(proxy, root, sub, version string) (string, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return "", fmt.Errorf("localproxy: git ls-files: %w", err)
	}
	var files []zip.File
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		inside, ok := name, true
		if sub != "" {
			inside, ok = strings.CutPrefix(name, sub+"/")
		}
		if f := (file{filepath.Join(root, filepath.FromSlash(name)), inside}); ok {
			if _, err := f.Lstat(); errors.Is(err, fs.ErrNotExist) {
				continue // removed, which git does not know yet
			}
			files = append(files, f)
		}
	}
	if sub != "" { // go takes the repository's licence for a module without one
		files = append(files, file{filepath.Join(root, "LICENSE"), "LICENSE"})
	}
	m := module.Version{Path: path.Join(Module, sub), Version: version}
	return m.Path, add(proxy, m, func(w io.Writer) error { return zip.Create(w, m, files) }, func() ([]byte, error) {
		return modFile(filepath.Join(root, filepath.FromSlash(sub), "go.mod"), version)
	})
}

// modFile reads a go.mod file. A nested module requires the repository's at the same version.
func modFile(name, version string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	mod, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range mod.Require {
		if r.Mod.Path == Module {
			if err := mod.AddRequire(Module, version); err != nil {
				return nil, err
			}
		}
	}
	return mod.Format()
}

// add writes the four files that a proxy has of a version.
func add(proxy string, m module.Version, archive func(io.Writer) error, goMod func() ([]byte, error)) (err error) {
	dir := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	mod, err := goMod()
	if err != nil {
		return err
	}
	list, err := os.OpenFile(filepath.Join(dir, "list"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(list, m.Version); err != nil {
		return errors.Join(err, list.Close())
	}
	if err := list.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, m.Version+".mod"), mod, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, m.Version+".info"), []byte(`{"Version": "`+m.Version+`"}`), 0o644); err != nil {
		return err
	}
	z, err := os.Create(filepath.Join(dir, m.Version+".zip"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	return archive(z)
}

// A file is one of the checkout, under its name in the archive.
type file struct{ name, inside string }

func (f file) Path() string                 { return f.inside }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.name) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.name) }

// URL is the address of a folder, for GOPROXY.
func URL(folder string) string {
	folder = filepath.ToSlash(folder)
	if !strings.HasPrefix(folder, "/") { // C:/…
		folder = "/" + folder
	}
	return "file://" + folder
}

// Forget takes a version out of the module cache, which is not writable.
func Forget(cache, modulePath, version string) error {
	dir := filepath.Join(cache, filepath.FromSlash(modulePath)+"@"+version)
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	versions := filepath.Join(cache, "cache", "download", filepath.FromSlash(modulePath), "@v")
	files, err := filepath.Glob(filepath.Join(versions, version+".*"))
	for _, file := range append(files, dir, filepath.Join(versions, "list")) { // go asks for the list again
		err = errors.Join(err, os.RemoveAll(file))
	}
	return err
}
