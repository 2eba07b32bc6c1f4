//go:build unix

package show

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
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

// A browser answers the widgets of a cell. It hands out the addresses of the controls,
// in order, and then that of the button.
type browser struct {
	output
	addresses chan string
}

// widgetScript has the address of a widget.
var widgetScript = regexp.MustCompile(`newSyncedVariable\("([^"]+)"`)

var told int // numbers the values, as the page does

// move sets a control of the knobs.
func move(address string, i, v int) {
	low, high := knobs[i].limits()
	told++
	send(address, told*(high-low+1)+v-low)
}

func newBrowser(answers bool) *browser {
	b := &browser{addresses: make(chan string, 10)}
	b.onData = func(d *protocol.DisplayData) {
		if !answers {
			return
		}
		s, ok := d.Data[protocol.MIMECommSubscribe].(protocol.CommSubscription)
		if ok && (strings.HasPrefix(s.Address, "/rnmf_interact_") || strings.HasPrefix(s.Address, "/button/")) {
			b.addresses <- s.Address
		}
		// A page tells the first value when it runs the widget's script, not before: GoNB's
		// slider writes what its own Done still reads until then.
		for _, text := range d.Data {
			if text, ok := text.(string); ok {
				for _, found := range widgetScript.FindAllStringSubmatch(text, -1) {
					go send(found[1], 0)
				}
			}
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
	var address [3]string
	for i := range address {
		address[i] = <-b.addresses
	}
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
	// The controls listen as their addresses come. The first drawing of what was moved
	// says that the button does, too: it was built before. The page's first values are no
	// news.
	send(address[0], -3) // no value of the page
	move(address[0], 0, 4)
	want("[4 1]")
	move(address[0], 0, 5)
	<-slow
	move(address[1], 1, 0)
	move(address[0], 0, 6)
	told -= 2
	move(address[0], 0, 8) // comes late
	told++
	want("[6 0]")
	if !ended.Load() {
		t.Error("the drawing of old values was not ended")
	}
	send(address[2], 1) // done
	if err := <-finished; err != nil {
		t.Fatal(err)
	}
	// The first, 4, 5 and 6, and up to two on the way to 6: kind a, and 8 if it came before.
	if n := calls.Load(); n < 4 || n > 6 {
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
	moved := func(slider string, v int) {
		t.Helper()
		move(slider, 0, v)
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
	slider := <-b.addresses
	<-b.addresses
	<-b.addresses
	moved(slider, 4)
	move(slider, 0, 9)
	if err := <-finished; !errors.Is(err, failure) {
		t.Error(err)
	}
	go func() { finished <- Interact(t.Context(), knobs, fail) }()
	slider = <-b.addresses
	<-b.addresses
	<-b.addresses
	moved(slider, 5)
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
