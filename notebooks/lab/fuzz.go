package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// fuzz runs all fuzz targets of this repository, one after the other. An input that
// fails is kept in testdata/fuzz of its package, where go test repeats it: commit it
// with what mends it.
func fuzz(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	each := f.String("time", "1m", "how long each target runs, or on how many inputs: 1h, 1000x")
	only := f.String("run", "", "regular expression of the targets")
	parallel := f.Int("parallel", 0, "processes at once; 0 is one for each processor")
	if err := f.Parse(args); err != nil {
		return err
	}
	want, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	targets, err := list(".")
	if err != nil {
		return err
	}
	failed := 0
	for _, t := range targets {
		if !want.MatchString(t.name) {
			continue
		}
		begin := time.Now()
		// Go takes up to a minute to make each input smaller that reaches new code,
		// and tries no others meanwhile. Maps make gob reach new code every time.
		// In its folder, as that may be of a module of its own.
		args := []string{"-C", t.folder, "test", "-run", "^$", "-fuzz", "^" + t.name + "$", "-fuzztime", *each, "-fuzzminimizetime", "10x", "-timeout", "0"}
		if *parallel > 0 {
			args = append(args, "-parallel", fmt.Sprint(*parallel))
		}
		var out bytes.Buffer
		c := exec.Command("go", append(args, ".")...)
		c.Stdout, c.Stderr = &out, &out
		err := c.Run()
		last := ""
		for s := bufio.NewScanner(&out); s.Scan(); {
			if strings.HasPrefix(s.Text(), "fuzz: elapsed") {
				last = s.Text()
			} else if err != nil {
				fmt.Println("\t" + s.Text())
			}
		}
		verdict := "ok"
		if err != nil {
			verdict = err.Error()
			failed++
		}
		fmt.Printf("%-16s %-28s %8v  %s  %s\n", t.name, t.folder, time.Since(begin).Round(time.Second), strings.TrimPrefix(last, "fuzz: "), verdict)
		if err := ctx.Err(); err != nil { // go test has ended by itself
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d failed", failed)
	}
	return nil
}

type target struct{ name, folder string }

// list finds the targets in the source below root, the folder of the repository, as go
// test would have to build all tests.
func list(root string) (found []target, err error) {
	declared := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		folder, relErr := filepath.Rel(root, filepath.Dir(path))
		for _, m := range declared.FindAllSubmatch(source, -1) {
			found = append(found, target{string(m[1]), "./" + filepath.ToSlash(folder)})
		}
		return cmp.Or(err, relErr)
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no fuzz targets here: run it in the root of the repository")
	}
	return found, err
}
