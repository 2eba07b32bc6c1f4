//go:build unix

package show

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/robustnmf/robustnmf/viz"
)

func picture() viz.Figure {
	return viz.Must(viz.Lines([]viz.Series{{Y: []float64{1, 2}}}, viz.LinesOptions{Width: 1, Height: 1}))
}

var knobs = []Control{
	{Name: "size <x>", Min: 2, Max: 9, Start: 3, Format: func(v int) string { return fmt.Sprintf("%d %%", 10*v) }},
	{Name: "kind", Choices: []string{"a", "b"}, Start: 1},
}

// A browser plays the page: it hands out the address of each panel, and tells its state.
type browser struct {
	output
	addresses chan string
}

func newBrowser(answers bool) *browser {
	b := &browser{addresses: make(chan string, 10)}
	b.onData = func(d *protocol.DisplayData) {
		s, ok := d.Data[protocol.MIMECommSubscribe].(protocol.CommSubscription)
		if ok && answers && strings.HasPrefix(s.Address, "/rnmf_interact_") {
			b.addresses <- s.Address
		}
	}
	return b
}

func TestInteract(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	patience = time.Minute // a slow machine is no missing browser
	t.Setenv("RNMF_HEADLESS", "")
	b := newBrowser(true)
	inNotebook(t, b.add)
	var ended atomic.Bool
	var calls atomic.Int32
	drawn := make(chan string, 100)
	slow, once := make(chan struct{}), sync.Once{}
	finished := make(chan error, 1)
	go func() {
		finished <- Interact(t.Context(), knobs, func(ctx context.Context, v []int) (viz.Figure, error) {
			calls.Add(1)
			if v[0] == 5 { // drawn until there is something newer
				once.Do(func() { close(slow) })
				<-ctx.Done()
				ended.Store(true)
				return nil, ctx.Err()
			}
			drawn <- fmt.Sprint(v)
			return picture(), nil
		})
	}()
	address := <-b.addresses
	want := func(v string) {
		t.Helper()
		for deadline := time.After(time.Minute); ; {
			select {
			case got := <-drawn:
				if got == v {
					return
				}
				t.Logf("drawn for %s before %s", got, v)
			case <-deadline:
				t.Fatalf("not drawn for %s", v)
			}
		}
	}
	want("[3 1]")
	send(address, "1 0 3 1") // what is set already is no news
	for _, bad := range []string{"", "x", "2 0 3", "2 0 3 1 1", "2 0 3 2", "2 0 1 1", "2 0 4 y", "99999999999999999999 0 4 1"} {
		send(address, bad)
	}
	send(address, "2 0 4 1")
	want("[4 1]")
	send(address, "3 0 5 1")
	<-slow
	send(address, "5 0 6 0")
	send(address, "4 0 8 0") // comes late
	want("[6 0]")
	if !ended.Load() {
		t.Error("the drawing of old values was not ended")
	}
	send(address, "6 1 6 0") // done
	if err := <-finished; err != nil {
		t.Fatal(err)
	}
	// The first, 4, 5 and 6, and 8 if it came before.
	if n := calls.Load(); n < 4 || n > 5 {
		t.Errorf("%d drawings", n)
	}
	saved := b.saved()
	var pngs, texts int
	for _, d := range saved {
		if _, ok := d.Data[protocol.MIMEImagePNG]; ok {
			pngs++
		} else if text := htmlOf(d); strings.Contains(text, "<") || strings.Contains(text, "script") {
			t.Errorf("left in the notebook: %.200s", text)
		} else if text == "size &lt;x&gt; 60 % · kind a" {
			texts++
		}
	}
	if pngs != 1 || texts != 1 {
		t.Errorf("%d pictures and %d texts are left", pngs, texts)
	}
}

// TestInteractConnectsAgain has a page that GoNB reaches at the third try only, and loses.
func TestInteractConnectsAgain(t *testing.T) {
	defer func(p, s time.Duration) { patience, silence = p, s }(patience, silence)
	patience, silence = time.Minute, 10*time.Millisecond
	t.Setenv("RNMF_HEADLESS", "")
	var b browser
	var tries atomic.Int32
	address := ""
	b.onData = func(d *protocol.DisplayData) {
		if s, ok := d.Data[protocol.MIMECommSubscribe].(protocol.CommSubscription); ok {
			address = s.Address
		}
		if v, ok := d.Data[protocol.MIMECommValue].(protocol.CommValue); ok && v.Address == protocol.GonbuiStartAddress {
			switch tries.Add(1) {
			case 3:
				send(address, "1 0 4 1")
			case 6:
				send(address, "2 1 4 1")
			}
		}
	}
	inNotebook(t, b.add)
	if err := Interact(t.Context(), knobs, func(context.Context, []int) (viz.Figure, error) { return picture(), nil }); err != nil {
		t.Fatal(err)
	}
	for _, d := range b.saved() {
		if text := htmlOf(d); text != "" && text != "size &lt;x&gt; 40 % · kind b" {
			t.Errorf("left: %.200s", text)
		}
	}
}

// TestInteractWithoutBrowser must not hang.
func TestInteractWithoutBrowser(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	patience = 100 * time.Millisecond
	draw := func(context.Context, []int) (viz.Figure, error) { return picture(), nil }
	for _, headless := range []string{"", "1"} {
		t.Setenv("RNMF_HEADLESS", headless)
		b := newBrowser(false)
		inNotebook(t, b.add)
		finished := make(chan error, 1)
		go func() { finished <- Interact(t.Context(), knobs, draw) }()
		select {
		case err := <-finished:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("it hangs")
		}
		pngs, left := 0, ""
		for _, d := range b.saved() {
			if _, ok := d.Data[protocol.MIMEImagePNG]; ok {
				pngs++
			} else {
				left += htmlOf(d)
			}
		}
		// Programs that say what they are get nothing else; a reader is told what to do.
		if told := strings.Contains(left, "run the cell again"); told != (headless == "") || strings.Contains(left, "<") || headless != "" && left != "" {
			t.Errorf("left: %.200s", left)
		}
		if pngs != 1 {
			t.Errorf("%d pictures", pngs)
		}
	}
}

func TestInteractEnds(t *testing.T) {
	t.Setenv("RNMF_HEADLESS", "")
	b := newBrowser(true)
	inNotebook(t, b.add)
	defer pressed.Store(false)
	defer func(d time.Duration) { patience = d }(patience)
	patience = time.Minute // a slow machine is no missing browser
	failure := errors.New("cannot draw")
	drawn := make(chan int, 100)
	fail := func(_ context.Context, v []int) (viz.Figure, error) {
		if v[0] == 9 {
			return nil, failure
		}
		drawn <- v[0]
		return picture(), nil
	}
	// moved waits until a figure of what was moved is drawn: by then all listen.
	moved := func(address string, v int) {
		t.Helper()
		send(address, fmt.Sprint("1 0 ", v, " 1"))
		for deadline := time.After(time.Minute); ; {
			select {
			case got := <-drawn:
				if got == v {
					return
				}
			case <-deadline:
				t.Fatalf("not drawn for %d", v)
			}
		}
	}
	finished := make(chan error, 1)
	go func() { finished <- Interact(t.Context(), knobs, fail) }()
	address := <-b.addresses
	moved(address, 4)
	send(address, "2 0 9 1")
	if err := <-finished; !errors.Is(err, failure) {
		t.Error(err)
	}
	go func() { finished <- Interact(t.Context(), knobs, fail) }()
	moved(<-b.addresses, 5)
	_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
	if err := <-finished; err != nil {
		t.Error("stop button:", err)
	}
	bad := []Control{{Name: "x", Min: 1, Max: 2}}
	if err := Interact(t.Context(), bad, fail); err == nil {
		t.Error("no error for a start out of range")
	}
}

func TestInteractOutside(t *testing.T) {
	calls := 0
	err := Interact(t.Context(), knobs, func(_ context.Context, v []int) (viz.Figure, error) {
		calls++
		return nil, nil
	})
	if err != nil || calls != 1 {
		t.Error(err, calls)
	}
}
