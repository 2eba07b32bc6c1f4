package show

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/janpfeifer/gonb/gonbui/widgets"

	"github.com/robustnmf/robustnmf/viz"
)

// A Control is a number that the reader of a notebook sets: by a slider from Min to
// Max, or as the index of a choice, if there are Choices.
type Control struct {
	Name     string
	Min, Max int // of a slider
	Choices  []string
	Start    int // the value at first
	// Format writes a value of the slider; nil: as it is.
	Format func(v int) string
}

// text is what stands beside the name.
func (c Control) text(v int) string {
	switch {
	case c.Choices != nil:
		return c.Choices[v]
	case c.Format != nil:
		return c.Format(v)
	}
	return fmt.Sprint(v)
}

func (c Control) limits() (low, high int) {
	if c.Choices != nil {
		return 0, len(c.Choices) - 1
	}
	return c.Min, c.Max
}

// patience is how long Interact waits for a sign of a browser.
var patience = 15 * time.Second

// Interact displays controls and a figure, which draw makes of their values and makes
// anew whenever one is moved; ctx ends when there are newer values already. It
// returns when the reader presses done or the stop button, or when ctx ends, and leaves
// the last figure in the notebook.
//
// Where no browser answers, because a program runs the notebook, it draws the figure
// once, for the values at the start, says so, and returns; outside a notebook it calls draw once
// and shows nothing. So a cell with Interact never hangs.
//
// An error of draw ends it, unless there were newer values.
func Interact(ctx context.Context, controls []Control, draw func(ctx context.Context, values []int) (viz.Figure, error)) error {
	values := make([]int, len(controls))
	for i, c := range controls {
		low, high := c.limits()
		if c.Start < low || c.Start > high {
			return fmt.Errorf("show: control %d (%q) starts at %d, want %d to %d", i, c.Name, c.Start, low, high)
		}
		values[i] = c.Start
	}
	if !InNotebook() {
		_, err := draw(ctx, values)
		return err
	}
	ctx, stop := untilStopButton(ctx)
	defer stop()
	defer flush()
	id := "rnmf_interact_" + gonbui.UniqueId()
	first, err := draw(ctx, values)
	if err != nil {
		return err
	}
	// As GoNB's widgets wait for a browser without end, what builds them is given up
	// where nothing comes back. Programs that run our notebooks say that they do.
	if os.Getenv("RNMF_HEADLESS") != "" {
		Figure(first)
		return nil
	}
	p := &panel{id: id, controls: controls, values: values, newest: make([]int, len(values)), moved: make(chan struct{}, 1), done: make(chan struct{})}
	gonbui.UpdateHTML(id, p.html())
	if err := update(id+"_figure", first); err != nil {
		return err
	}
	built := make(chan struct{})
	go func() {
		defer close(built)
		p.build()
	}()
	select {
	case <-built:
	case <-ctx.Done():
	case <-time.After(patience):
		// GoNB (v0.11.3) gives a browser half a second to connect, and does not try
		// again: on a busy machine that may be too little.
		gonbui.UpdateHTML(id, "No browser answered, so there are no controls. In a browser, run the cell again.")
		return nil
	}
	defer p.close()
	return p.serve(ctx, func(v []int, drawing context.Context) error {
		f, err := draw(drawing, v)
		if err == nil && drawing.Err() == nil {
			err = update(id+"_figure", f)
		}
		return err
	})
}

// update shows f in the element of an id, as PNG.
func update(id string, f viz.Figure) error {
	data, err := message(f)
	if err != nil {
		return err
	}
	data.DisplayID = id
	gonbui.SendData(data)
	return nil
}

// A panel holds the controls.
type panel struct {
	id       string
	controls []Control
	moved    chan struct{} // a value has changed
	done     chan struct{} // the button was pressed
	pressed  sync.Once

	mu     sync.Mutex
	values []int
	newest []int // the number of the value of each
}

// html has a place for each widget and for the text of its value.
func (p *panel) html() string {
	var b strings.Builder
	b.WriteString(`<div class="rnmf-panel" style="font-size:13px;line-height:2">`)
	for i, c := range p.controls {
		width := "" // of a slider, which classic Jupyter would make as wide as the page
		if c.Choices == nil {
			width = "display:inline-block;width:13em;"
		}
		fmt.Fprintf(&b, `<span style="white-space:nowrap;margin-right:2em">%s <span id="%s" style="%svertical-align:middle"></span>`, html.EscapeString(c.Name), p.slot(i), width)
		if c.Choices == nil {
			widest := 0
			for v := c.Min; v <= c.Max; v++ {
				widest = max(widest, len([]rune(c.text(v))))
			}
			fmt.Fprintf(&b, ` <output id="%s" style="display:inline-block;min-width:%dch"></output>`, p.slot(i)+"_text", widest)
		}
		b.WriteString("</span> ")
	}
	fmt.Fprintf(&b, `<span id="%s"></span></div>`, p.slot(len(p.controls)))
	// The text follows the slider at once, also while a figure is drawn. Values are told
	// with a number that grows, as GoNB hands them on in no order.
	b.WriteString("<script>(() => { let n = 0;")
	for i, c := range p.controls {
		low, high := c.limits()
		event, texts := "change", []string(nil)
		if c.Choices == nil {
			event = "input"
			for v := low; v <= high; v++ {
				texts = append(texts, fmt.Sprintf("%q", html.EscapeString(c.text(v))))
			}
		}
		fmt.Fprintf(&b, `{const slot = document.getElementById(%q), out = document.getElementById(%q), texts = [%s];
if (out) out.innerHTML = texts[%d];
slot.addEventListener(%q, e => {
const v = e.target.value - %d; if (out) out.innerHTML = texts[v];
globalThis.gonb_comm?.send(%q, ++n * %d + v); });}`,
			p.slot(i), p.slot(i)+"_text", strings.Join(texts, ","), c.Start-low, event, low, p.address(i), high-low+1)
	}
	b.WriteString("})();</script>")
	return b.String()
}

func (p *panel) slot(i int) string { return fmt.Sprintf("%s_%d", p.id, i) }

// address is where the page tells values of control i.
func (p *panel) address(i int) string { return "/" + p.slot(i) }

// build puts the widgets into their places, and listens.
func (p *panel) build() {
	for i, c := range p.controls {
		low, high := c.limits()
		span := high - low + 1
		comms.Subscribe(p.address(i), func(_ string, told int) { p.set(i, low+told%span, told/span) })
		if c.Choices != nil {
			escaped := make([]string, len(c.Choices))
			for k, text := range c.Choices {
				escaped[k] = html.EscapeString(text)
			}
			widgets.Select(escaped).SetDefault(c.Start).AppendTo(p.slot(i)).Done()
		} else {
			widgets.Slider(c.Min, c.Max, c.Start).AppendTo(p.slot(i)).Done()
		}
	}
	button := widgets.Button("done").AppendTo(p.slot(len(p.controls))).Done()
	comms.Subscribe(button.Address(), func(_ string, count int) {
		if count > 0 {
			p.pressed.Do(func() { close(p.done) })
		}
	})
}

// set takes the value of a control unless it has a newer one.
func (p *panel) set(i, v, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if low, high := p.controls[i].limits(); v < low || v > high || n <= p.newest[i] {
		return
	}
	p.newest[i] = n
	if v == p.values[i] {
		return
	}
	p.values[i] = v
	select {
	case p.moved <- struct{}{}:
	default:
	}
}

func (p *panel) now() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]int(nil), p.values...)
}

// serve redraws until the end. Values that come while a figure is drawn end that
// drawing and begin the next.
func (p *panel) serve(ctx context.Context, draw func(values []int, ctx context.Context) error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.done:
			return nil
		case <-p.moved:
		}
		drawing, cancel := context.WithCancel(ctx)
		result := make(chan error, 1)
		values := p.now()
		go func() { result <- draw(values, drawing) }()
		var err error
		select {
		case err = <-result:
		case <-p.moved:
			cancel()
			<-result
			select {
			case p.moved <- struct{}{}:
			default:
			}
		case <-p.done:
			cancel()
			<-result
		case <-ctx.Done():
			<-result
		}
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
}

// close leaves what was set last instead of the widgets, which a saved notebook could
// not move. It goes on listening: a value for an address that nobody listens to any
// more would lock up GoNB's comms (v0.11.3), and with them the end of the cell.
func (p *panel) close() {
	var parts []string
	for i, v := range p.now() {
		parts = append(parts, html.EscapeString(p.controls[i].Name)+" "+html.EscapeString(p.controls[i].text(v)))
	}
	gonbui.SendData(&protocol.DisplayData{DisplayID: p.id, Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: strings.Join(parts, " · ")}})
}
