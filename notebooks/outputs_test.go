package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	stream := func(name, text string) string {
		line, _ := json.Marshal(text)
		return fmt.Sprintf(`{"output_type": "stream", "name": %q, "text": [%s]}`, name, line)
	}
	for _, c := range []struct {
		name, outputs, want string
	}{
		{"nothing", ``, ""},
		{"a log on stderr", stream("stderr", "2026/01/02 iteration 3\n"), ""},
		{"talk of panic on stdout", stream("stdout", "no panic: all is well, exit status 0 is good\n"), ""},
		{"panic", stream("stderr", "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2\n"), "panic: boom"},
		{"coloured exit status", stream("stderr", "\x1b[31mno\x1b[0mexit status 3\n"), "noexit status 3"},
		{"in two pieces", stream("stderr", "exit st") + "," + stream("stderr", "atus 4\n"), "exit status 4"},
		{"signal", stream("stderr", "signal: killed\n"), "signal: killed"},
		{"core dump", stream("stderr", "signal: aborted (core dumped)\n"), "aborted"},
		{"failed test", stream("stdout", "=== RUN   TestX\n    --- FAIL: TestX/sub (0.00s)\n"), "TestX/sub"},
		{"unknown command", stream("stderr", `"%x" unknown or not implemented yet.`), "unknown"},
		{"error", `{"output_type": "error", "ename": "ERROR", "evalue": "undefined: x", "traceback": ["Cell[1]: Line 2"]}`, "Line 2"},
	} {
		nb, err := parseNotebook([]byte(`{"cells": [{"cell_type": "markdown", "source": "text"},
			{"cell_type": "code", "execution_count": 7, "metadata": {}, "source": ["x"], "outputs": [` + c.outputs + `]}]}`))
		if err != nil {
			t.Fatal(c.name, err)
		}
		bad := strings.Join(nb.check(), "\n")
		if (bad == "") != (c.want == "") || !strings.Contains(bad, c.want) || bad != "" && !strings.HasPrefix(bad, "cell 2 [7]: ") {
			t.Errorf("%s: got %q, want %q", c.name, bad, c.want)
		}
		nb.cells()[1]["metadata"] = map[string]any{"tags": []any{"raises-exception"}}
		if bad := nb.check(); bad != nil {
			t.Errorf("%s, expected to fail: got %q", c.name, bad)
		}
	}
	nb, err := parseNotebook([]byte(`{"cells": [{"cell_type": "code", "execution_count": null, "source": "x", "outputs": []}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if bad := nb.check(); len(bad) != 1 || !strings.Contains(bad[0], "not executed") {
		t.Errorf("a cell that did not run: got %q", bad)
	}
	if _, err := parseNotebook([]byte(`{"metadata": {}}`)); err == nil {
		t.Error("a notebook without cells is an error")
	}
}

func TestClean(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	t.Setenv("RNMF_DATA", "/srv/data")
	nb, err := parseNotebook([]byte(`{"cells": [{"cell_type": "code", "execution_count": 1,
		"metadata": {"execution": {"iopub.status.busy": "now"}}, "source": "/home/ada/x", "outputs": [
		{"data": {"image/png": "/home/ada/", "text/plain": ["/var/folders/a_b/T/gonb_01234abc/main.go:3\n", "/srv/data/orl <b> 1.50e-7\n"]}},
		{"text": "/home/ada/co/rnmf/a.go /home/ada/go/pkg /home/ada/colour\n"}]}],
		"metadata": {"language_info": {"name": "go", "version": "go1.0"}}, "nbformat": 4}`))
	if err != nil {
		t.Fatal(err)
	}
	nb.clean("/home/ada/co")
	data, err := nb.format()
	if err != nil {
		t.Fatal(err)
	}
	got := string(data)
	for _, want := range []string{`"/gonb/main.go:3\n"`, `"$RNMF_DATA/orl <b> 1.50e-7\n"`, `"rnmf/a.go ~/go/pkg ~/colour\n"`,
		`"source": "/home/ada/x"`, `"image/png": "/home/ada/"`, "\n \"nbformat\": 4\n}\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	for _, bad := range []string{"busy", "go1.0"} {
		if strings.Contains(got, bad) {
			t.Errorf("%s is still in\n%s", bad, got)
		}
	}
}
