package main

import (
	"strings"
	"testing"
	"time"
)

// A package is told when it ends, a failed test with what it printed, also when it never
// ended, and the slowest are named last.
func TestTellTests(t *testing.T) {
	const events = `{"Action":"start","Package":"a/fine"}
{"Action":"run","Package":"a/fine","Test":"TestOne"}
{"Action":"output","Package":"a/fine","Test":"TestOne","Output":"=== RUN   TestOne\n"}
{"Action":"output","Package":"a/fine","Test":"TestOne","Output":"    what a good test says\n"}
{"Action":"pass","Package":"a/fine","Test":"TestOne","Elapsed":2}
{"Action":"output","Package":"a/fine","Output":"PASS\n"}
{"Action":"output","Package":"a/fine","Output":"ok  \ta/fine\t2.100s\n"}
{"Action":"pass","Package":"a/fine","Elapsed":2.1}
{"Action":"output","Package":"a/none","Output":"?   \ta/none\t[no test files]\n"}
{"Action":"skip","Package":"a/none","Elapsed":0}
not of this format
{"ImportPath":"a/broken","Action":"build-output","Output":"broken.go:3: undefined: x\n"}
{"Action":"output","Package":"a/broken","Output":"FAIL\ta/broken [build failed]\n"}
{"Action":"fail","Package":"a/broken","Elapsed":0}
{"Action":"run","Package":"a/bad","Test":"TestGood"}
{"Action":"output","Package":"a/bad","Test":"TestGood","Output":"quiet\n"}
{"Action":"pass","Package":"a/bad","Test":"TestGood","Elapsed":0}
{"Action":"run","Package":"a/bad","Test":"TestBad"}
{"Action":"output","Package":"a/bad","Test":"TestBad","Output":"    bad_test.go:7: 2, want 3\n"}
{"Action":"fail","Package":"a/bad","Test":"TestBad","Elapsed":0}
{"Action":"run","Package":"a/bad","Test":"TestPanics"}
{"Action":"output","Package":"a/bad","Test":"TestPanics","Output":"panic: no\n"}
{"Action":"output","Package":"a/bad","Output":"FAIL\ta/bad\t7.000s\n"}
{"Action":"fail","Package":"a/bad","Elapsed":7}
`
	const want = `ok  	a/fine	2.100s
not of this format
broken.go:3: undefined: x
FAIL	a/broken [build failed]
panic: no
    bad_test.go:7: 2, want 3
FAIL	a/bad	7.000s
the slowest packages: a/bad 7 s, a/fine 2 s
the slowest tests: a/fine TestOne 2 s
`
	var out strings.Builder
	if err := tellTests(&out, strings.NewReader(events), time.Hour); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("told\n%s\nwant\n%s", out.String(), want)
	}
}

// What is running is named with its newest test, or else the compiler.
func TestTellWaiting(t *testing.T) {
	var out strings.Builder
	tellWaiting(&out, nil, 30*time.Second)
	now := time.Now()
	tellWaiting(&out, map[string]*packageTest{
		module + "/viz": {since: now, running: []string{"TestA", "TestB"}},
		"another/one":   {since: now},
		module:          {since: now},
	}, time.Minute)
	const want = "    after 30 s, waiting for the compiler\n" +
		"    after 60 s, waiting for another/one (0 s); " + module + " (0 s); viz, TestB (0 s)\n"
	if out.String() != want {
		t.Errorf("told\n%s\nwant\n%s", out.String(), want)
	}
}
