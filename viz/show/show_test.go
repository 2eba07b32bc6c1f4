//go:build unix

package show

import (
	"bytes"
	"encoding/gob"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/robustnmf/robustnmf/viz"
)

type failing struct{ viz.Figure } // panics when it is drawn

func TestOutsideNotebook(t *testing.T) {
	if InNotebook() {
		t.Skip("run from a notebook")
	}
	start := time.Now()
	Figure(failing{}, nil)
	Table(nil, &viz.Table{})
	Markdown("*x*")
	HTML("<b>x</b>")
	if d := time.Since(start); d > time.Second {
		t.Errorf("took %v", d)
	}
}

// A kernel stands at the other end of the two pipes. gonbui opens them once, so all
// tests of a process share one.
var kernel struct {
	sync.Once
	err  error
	mu   sync.Mutex
	seen func(*protocol.DisplayData)
	back *gob.Encoder // to the program
}

// send plays the browser: it sets a value at an address.
func send(address string, v any) {
	kernel.mu.Lock()
	defer kernel.mu.Unlock()
	_ = kernel.back.Encode(&protocol.CommValue{Address: address, Value: v})
}

// inNotebook makes the test a cell, and hands everything that it displays to seen.
func inNotebook(t testing.TB, seen func(*protocol.DisplayData)) {
	t.Helper()
	if os.Getenv(protocol.GONB_PIPE_ENV) != "" && kernel.seen == nil {
		t.Skip("run from a notebook")
	}
	kernel.Do(func() {
		dir, err := os.MkdirTemp("", "rnmf-show-")
		if err != nil {
			kernel.err = err
			return
		}
		there, back := filepath.Join(dir, "there"), filepath.Join(dir, "back")
		for _, p := range []string{there, back} {
			if kernel.err = syscall.Mkfifo(p, 0o600); kernel.err != nil {
				return
			}
		}
		os.Setenv(protocol.GONB_PIPE_ENV, there)
		os.Setenv(protocol.GONB_PIPE_BACK_ENV, back)
		go func() {
			in, err := os.Open(there)
			if err != nil {
				panic(err)
			}
			out, err := os.OpenFile(back, os.O_WRONLY, 0)
			if err != nil {
				panic(err)
			}
			os.RemoveAll(dir) // both are open
			dec := gob.NewDecoder(in)
			kernel.mu.Lock()
			kernel.back = gob.NewEncoder(out)
			kernel.mu.Unlock()
			for {
				d := new(protocol.DisplayData)
				if dec.Decode(d) != nil {
					return
				}
				if v, ok := d.Data[protocol.MIMECommValue].(protocol.CommValue); ok && v.Address == protocol.GonbuiSyncAddress {
					kernel.mu.Lock()
					_ = kernel.back.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: v.Value})
					kernel.mu.Unlock()
					continue
				}
				kernel.mu.Lock()
				f := kernel.seen
				kernel.mu.Unlock()
				f(d)
			}
		}()
	})
	if kernel.err != nil {
		t.Skip("no named pipes:", kernel.err)
	}
	kernel.mu.Lock()
	kernel.seen = seen
	kernel.mu.Unlock()
	gonbui.IsNotebook = true
	t.Cleanup(func() { gonbui.IsNotebook = false })
	gonbui.Sync() // opens the pipes
}

func TestInNotebook(t *testing.T) {
	if InNotebook() {
		t.Skip("run from a notebook")
	}
	got := make(chan *protocol.DisplayData, 10)
	inNotebook(t, func(d *protocol.DisplayData) { got <- d })

	chart := viz.Must(viz.Lines([]viz.Series{{Y: []float64{1, 2, 3}}}, viz.LinesOptions{}))
	table := viz.Must(viz.NewTable([]string{"a"}, [][]any{{1}}))
	start := time.Now()
	Figure(chart)
	Table(table)
	Markdown("*x*")
	if d := time.Since(start); d > 4*time.Second {
		t.Errorf("took %v: the answer of the kernel was missed", d)
	}
	d := <-got
	img, err := png.Decode(bytes.NewReader(d.Data[protocol.MIMEImagePNG].([]byte)))
	if err != nil {
		t.Fatal(err)
	}
	width := d.Metadata["image/png"].(map[string]int)["width"]
	if want := img.Bounds().Dx() * 96 / viz.DPI; width != want || width != 624 {
		t.Errorf("shown %d pixels wide, want %d", width, want)
	}
	if d := <-got; !strings.HasPrefix(d.Data[protocol.MIMETextHTML].(string), "<table>") {
		t.Errorf("table: %v", d.Data)
	}
	if d := <-got; d.Data[protocol.MIMETextMarkdown] != "*x*" {
		t.Errorf("markdown: %v", d.Data)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a figure that cannot be drawn")
		}
	}()
	Figure(nil)
}
