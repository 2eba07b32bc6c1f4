package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A notebook is its JSON, kept whole: we know of a few fields only.
type notebook map[string]any

// largest is how many bytes a notebook may have.
const largest = 1 << 30

// readNotebook reads a file. A pipe, say, would be waited for, and a device may have no end.
func readNotebook(file string) (notebook, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > largest {
		return nil, fmt.Errorf("%s is not a regular file of at most %d MB", file, largest>>20)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	nb, err := parseNotebook(data)
	if err != nil {
		return nil, fmt.Errorf("%s is no notebook: %w", file, err)
	}
	return nb, nil
}

func parseNotebook(data []byte) (notebook, error) {
	var nb notebook
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // write numbers as they were
	if err := d.Decode(&nb); err != nil {
		return nil, err
	}
	if nb.cells() == nil {
		return nil, fmt.Errorf("no cells")
	}
	return nb, nil
}

// format writes JSON as Jupyter does, so that it and we cause no diffs.
func (nb notebook) format() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(map[string]any(nb))
	return b.Bytes(), err
}

type cell map[string]any

func (nb notebook) cells() []cell { return objects[cell](nb["cells"]) }

func (c cell) outputs() []cell { return objects[cell](c["outputs"]) }

func (c cell) isCode() bool { return c["cell_type"] == "code" }

func (c cell) source() string { return text(c["source"]) }

func objects[T ~map[string]any](v any) []T {
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	all := make([]T, 0, len(list))
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			all = append(all, T(m))
		}
	}
	return all
}

// text joins a multi-line string, which may be a list of lines.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, line := range v {
			b.WriteString(text(line))
		}
		return b.String()
	}
	return ""
}

var (
	ansi = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
	// The kernel appends the exit status to whatever the cell wrote last,
	// on the same line if that had no end.
	badStderr = regexp.MustCompile(`(?m)^panic: |^fatal error: |^goroutine \d+ .*\[|exit status \d+[ \t]*$|signal: [a-z ]+( \(core dumped\))?[ \t]*$|unknown or not implemented yet|Program goimports is not installed`)
	badStdout = regexp.MustCompile(`(?m)^\s*--- FAIL: |^FAIL$|^panic: `)
)

// check lists what went wrong in an executed notebook. A GoNB that is not ours (see kernel.go) calls a
// cell good when its program could be started, and reports a panic, a
// failed test, or the exit status of a program or a shell line only in the
// text of stderr. A cell tagged raises-exception may fail, as in Jupyter.
func (nb notebook) check() []string {
	var bad []string
	for i, c := range nb.cells() {
		if !c.isCode() || c.tagged("raises-exception") {
			continue
		}
		name := fmt.Sprintf("cell %d", i+1)
		if n, ok := c["execution_count"].(json.Number); ok {
			name += fmt.Sprintf(" [%s]", n)
		} else if strings.TrimSpace(c.source()) != "" {
			bad = append(bad, name+" was not executed")
		}
		stderr, stdout := "", ""
		var errs []string
		for _, o := range c.outputs() {
			switch {
			case o["output_type"] == "error":
				var lines []string
				trace, _ := o["traceback"].([]any) // says which line of which cell, and all of evalue
				for _, t := range trace {
					lines = append(lines, text(t))
				}
				msg := strings.Join(lines, "\n")
				if msg == "" {
					msg = text(o["ename"]) + ": " + text(o["evalue"])
				}
				errs = append(errs, msg)
			case o["name"] == "stderr":
				stderr += text(o["text"])
			case o["name"] == "stdout":
				stdout += text(o["text"])
			}
		}
		stderr, stdout = ansi.ReplaceAllString(stderr, ""), ansi.ReplaceAllString(stdout, "")
		if badStdout.MatchString(stdout) {
			errs = append(errs, stdout)
		}
		if badStderr.MatchString(stderr) {
			errs = append(errs, stderr)
		}
		for _, e := range errs {
			bad = append(bad, name+": "+clip(ansi.ReplaceAllString(e, "")))
		}
	}
	return bad
}

func (c cell) tagged(tag string) bool {
	meta, _ := c["metadata"].(map[string]any)
	tags, _ := meta["tags"].([]any)
	return slices.Contains(tags, any(tag))
}

// clip keeps the first and last lines of a long text.
func clip(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) > 24 {
		lines = append(append(lines[:12:12], "..."), lines[len(lines)-11:]...)
	}
	return strings.Join(lines, "\n    ")
}

var kernelDir = regexp.MustCompile(`(?:/[\w.+@%-]+)*/gonb_[0-9a-f]{8}\b`)

// clean removes what differs from machine to machine and run to run: times,
// and the folders of this one.
func (nb notebook) clean(root string) {
	var pairs []string
	if data := os.Getenv("RNMF_DATA"); data != "" {
		pairs = append(pairs, data, "$RNMF_DATA")
	}
	pairs = append(pairs, root+"/", "", root+"\n", ".\n")
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 {
		pairs = append(pairs, filepath.Clean(home)+"/", "~/")
	}
	paths := strings.NewReplacer(pairs...)
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return paths.Replace(kernelDir.ReplaceAllString(v, "/gonb"))
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				if !strings.HasPrefix(k, "image/") || k == "image/svg+xml" {
					v[k] = walk(v[k])
				}
			}
		}
		return v
	}
	if meta, ok := nb["metadata"].(map[string]any); ok {
		if lang, ok := meta["language_info"].(map[string]any); ok {
			delete(lang, "version") // of Go
		}
	}
	for _, c := range nb.cells() {
		if meta, ok := c["metadata"].(map[string]any); ok {
			delete(meta, "execution")
		}
		if c.isCode() {
			c["outputs"] = walk(c["outputs"])
		}
	}
}
