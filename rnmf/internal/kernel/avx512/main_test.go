//go:build linux

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestEmulate runs this test binary in the place of the one on the virtual machine, with
// a test that does what its environment says.
func TestEmulate(t *testing.T) {
	switch os.Getenv("EMULATED") {
	case "pass":
		return
	case "fail":
		t.FailNow()
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("run.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, end string }{{"pass", "emulated: ended: <nil>"}, {"fail", "emulated: ended: exit status 1"}} {
		var port bytes.Buffer
		emulate(&port, "processor: 0\nmodel name: made up\nflags: avx512f\n", self, "-test.v\n-test.run=^TestEmulate$\n", "EMULATED="+c.what)
		got := port.String()
		if !strings.HasPrefix(got, "model name: made up\nflags: avx512f\n=== RUN   TestEmulate\n") || !strings.HasSuffix(got, "\n"+c.end+"\n") {
			t.Errorf("%s: %s", c.what, got)
		}
	}
	for _, want := range []string{"'^emulated: ended:'", "'^emulated: ended: <nil>'", " ./rnmf/internal/kernel/avx512\n"} {
		if !strings.Contains(string(script), want) {
			t.Errorf("run.sh does not have %s", want)
		}
	}
}
