package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A request and its reply are one line of JSON each, the same for our library
// and for its peers.
type request struct {
	Op      string  `json:"op"`
	Data    string  `json:"data,omitempty"`
	M       int     `json:"m,omitempty"`
	N       int     `json:"n,omitempty"`
	Rank    int     `json:"rank,omitempty"`
	Path    string  `json:"path,omitempty"` // of the files .x, .w, .h to read
	Out     string  `json:"out,omitempty"`  // of the files .w, .h to write
	Loss    string  `json:"loss,omitempty"`
	Scale   float64 `json:"scale"`
	Rounds  int     `json:"rounds,omitempty"`
	Cold    bool    `json:"cold,omitempty"`    // no round before those that are timed
	Kind    string  `json:"kind,omitempty"`    // NumPy: whole matrices or blocks
	Variant string  `json:"variant,omitempty"` // NumPy: of that kind, else the fastest; ours: see byDefault
	Tries   int     `json:"tries,omitempty"`   // to find it
	Solver  string  `json:"solver,omitempty"`  // scikit-learn: cd or mu
	Target  float64 `json:"target"`            // objective or error that ends a fit
	Most    int     `json:"most,omitempty"`    // rounds that end it
	Limit   float64 `json:"limit,omitempty"`   // seconds that end it
	Share   float64 `json:"share,omitempty"`   // scale over the median residual
}

type reply struct {
	Seconds   float64   `json:"seconds,omitempty"`
	Objective float64   `json:"objective,omitempty"`
	Off       float64   `json:"off,omitempty"` // relative error against the clean data
	Reason    string    `json:"reason,omitempty"`
	Rounds    int       `json:"rounds,omitempty"`
	Trace     []float64 `json:"trace,omitempty"` // objective after 0, 1, ... rounds
	Variant   string    `json:"variant,omitempty"`
	Bytes     int64     `json:"bytes,omitempty"`
	Facts     string    `json:"facts,omitempty"`
	Error     string    `json:"error,omitempty"`
}

// A peer is a process that answers requests.
type peer struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	rest time.Duration
}

// startPeer starts a program without the variables whose names start with drop.
func startPeer(name string, rest time.Duration, drop, add []string, program string, args ...string) (*peer, error) {
	p := &peer{name: name, cmd: exec.Command(program, args...), rest: rest}
	p.cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return slices.ContainsFunc(drop, func(d string) bool { return strings.HasPrefix(v, d) })
	}), add...)
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

// ask sends a request and waits for its reply. Then it lets threads that spin
// for more work (OpenBLAS) fall asleep before another process is measured.
func (p *peer) ask(q request) reply {
	line, err := json.Marshal(q)
	if err != nil {
		fail(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		fail(fmt.Errorf("%s: %w", p.name, err))
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		fail(fmt.Errorf("%s: %w", p.name, err))
	}
	var r reply
	if err := json.Unmarshal(answer, &r); err != nil {
		fail(fmt.Errorf("%s: %w in %q", p.name, err, answer))
	}
	if r.Error != "" {
		fail(fmt.Errorf("%s: %s: %s", p.name, q.Op, r.Error))
	}
	time.Sleep(p.rest)
	return r
}

func (p *peer) close() {
	p.in.Close()
	p.cmd.Wait()
}
