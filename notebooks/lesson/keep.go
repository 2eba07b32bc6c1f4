package lesson

import (
	"encoding/gob"
	"fmt"
	"go/parser"
	"go/token"
	"hash/fnv"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
)

// Keep returns what load returns, and keeps it for the cells that follow. A cell is a program of
// its own, so without Keep each cell would read the file again.
//
//	func wines() *datasets.Set { return lesson.Keep(readWines) }
//
// What is kept lasts as long as the kernel runs, and until the text of load changes. load is a
// named function of the notebook, and its value is of a type that encoding/gob takes: sets,
// results, matrices, numbers, and slices and structs of them. The mask of a *rnmf.Result is not
// kept.
func Keep[T any](load func() T) (v T) {
	path, err := keptAs(load)
	Check(err)
	if f, err := os.Open(path); err == nil {
		defer f.Close()
		if gob.NewDecoder(f).Decode(&v) == nil {
			return v
		}
		v = *new(T)
	}
	v = load()
	Check(os.MkdirAll(filepath.Dir(path), 0o700))
	f, err := os.CreateTemp(filepath.Dir(path), "new")
	Check(err)
	defer os.Remove(f.Name())
	Check(gob.NewEncoder(f).Encode(v))
	Check(f.Close())
	Check(os.Rename(f.Name(), path)) // whole, or not at all
	return v
}

// keptAs returns the file of a function's value: that of its name and its text, in a folder
// of the kernel, which is the parent of a cell's program.
func keptAs(load any) (string, error) {
	of := runtime.FuncForPC(reflect.ValueOf(load).Pointer())
	name := of.Name()[strings.LastIndex(of.Name(), "/")+1:]
	if !reflect.ValueOf(load).IsValid() || strings.Contains(name, ".func") {
		return "", fmt.Errorf("lesson.Keep: %s has no name that another cell would know it by: declare a function, outside of cells with %%%%", name)
	}
	text, err := textOf(of)
	if err != nil {
		return "", err
	}
	sum := fnv.New64a()
	sum.Write([]byte(text))
	return filepath.Join(os.TempDir(), fmt.Sprintf("rnmf-kept-%d", os.Getppid()), fmt.Sprintf("%s-%x", name, sum.Sum64())), nil
}

// textOf returns the source of a function.
func textOf(of *runtime.Func) (string, error) {
	path, line := of.FileLine(of.Entry())
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	for _, d := range file.Decls {
		if begin, end := files.Position(d.Pos()), files.Position(d.End()); begin.Line <= line && line <= end.Line {
			return string(source[begin.Offset:end.Offset]), nil
		}
	}
	return "", fmt.Errorf("lesson.Keep: no source of %s in %s", of.Name(), path)
}
