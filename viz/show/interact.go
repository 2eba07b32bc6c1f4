package show

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/protocol"

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

// text is what stands next to the name.
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

// patience is how long Interact waits for a sign of a browser, and silence how long
// before it tries to connect anew: GoNB (v0.11.3) tries once, for half a second, and
// another notebook in the same page of JupyterLab takes its connection.
var patience, silence = 15 * time.Second, 3 * time.Second

// Interact displays controls and a figure, which draw makes of their values and makes
// anew whenever one is moved; ctx ends when there are newer values already. It
// returns when the reader presses done or the stop button, or when ctx ends, and leaves
// the last figure in the notebook.
//
// Where no browser answers, because a program runs the notebook, it draws the figure once, for the
// values at the start, says so, and returns; outside a notebook it calls draw once and shows
// nothing. So a cell with Interact never hangs. GoNB (v0.11.3) reaches a browser only if Jupyter is
// at http://localhost, not if it is at https or below a path, as in JupyterHub. It serves one panel
// of a page at a time: in two notebooks of one JupyterLab they take turns, which takes seconds.
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
	if os.Getenv("RNMF_HEADLESS") != "" { // programs that run our notebooks say that they do
		Figure(first)
		return nil
	}
	p := &panel{id: id, controls: controls, values: values, heard: make(chan struct{}, 1), moved: make(chan struct{}, 1), done: make(chan struct{})}
	gonbui.UpdateHTML(id, p.html())
	if err := update(id+"_figure", first); err != nil {
		return err
	}
	comms.Subscribe(p.address(), func(_ string, state string) { p.set(state) })
	giveUp := time.After(patience)
	for waiting := true; waiting; {
		select {
		case <-p.heard:
			waiting = false
		case <-ctx.Done():
			waiting = false
		case <-time.After(silence):
			comms.Start()
		case <-giveUp:
			gonbui.UpdateHTML(id, "No browser answered, so there are no controls. In a browser, run the cell again. (GoNB reaches Jupyter at http://localhost only.)")
			return nil
		}
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

// A panel holds the controls. The page tells the state of them all again and again, so
// that nothing is lost with a message.
type panel struct {
	id       string
	controls []Control
	heard    chan struct{} // the page has told something
	moved    chan struct{} // a value has changed
	done     chan struct{} // the button was pressed
	pressed  sync.Once

	mu     sync.Mutex
	values []int
	newest int64 // the number of the state that they are from
}

// address is where the page tells the state.
func (p *panel) address() string { return "/" + p.id }

func (p *panel) html() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<div id="%s" class="rnmf-panel" style="font-size:13px;line-height:2">`, p.id)
	texts := make([][]string, len(p.controls))
	for i, c := range p.controls {
		fmt.Fprintf(&b, `<label style="white-space:nowrap;margin-right:2em;font-weight:normal">%s `, html.EscapeString(c.Name))
		if c.Choices != nil {
			b.WriteString("<select>")
			for v, text := range c.Choices {
				selected := ""
				if v == c.Start {
					selected = " selected"
				}
				fmt.Fprintf(&b, `<option value="%d"%s>%s</option>`, v, selected, html.EscapeString(text))
			}
			b.WriteString("</select>")
		} else {
			widest := 0
			for v := c.Min; v <= c.Max; v++ {
				texts[i] = append(texts[i], c.text(v))
				widest = max(widest, len([]rune(c.text(v))))
			}
			// Classic Jupyter would make a slider as wide as the page.
			fmt.Fprintf(&b, `<input type="range" min="%d" max="%d" value="%d" style="display:inline-block;width:13em;vertical-align:middle"> <output style="display:inline-block;min-width:%dch">%s</output>`,
				c.Min, c.Max, c.Start, widest, html.EscapeString(c.text(c.Start)))
		}
		b.WriteString("</label> ")
	}
	b.WriteString(`<button type="button">done</button></div>`)
	data, _ := json.Marshal(texts) // of strings: there is no error, and no < that could end the script
	// The text follows the slider at once, also while a figure is drawn. States have a number
	// that grows, as GoNB hands them on in no order. Keys are kept from JupyterLab, and from
	// Jupyter's classic page, which would go to another cell.
	fmt.Fprintf(&b, `<script>(() => {
const panel = document.getElementById(%q), controls = [...panel.querySelectorAll("input, select")], button = panel.querySelector("button"), texts = %s;
let n = 0, done = 0;
const tell = () => globalThis.gonb_comm?.send(%q, [n = Math.max(n + 1, Date.now()), done, ...controls.map(c => c.value)].join(" "));
panel.addEventListener("input", () => {
controls.forEach((c, i) => { if (texts[i]) c.nextElementSibling.textContent = texts[i][c.value - c.min]; });
tell(); });
button.addEventListener("click", () => { done = 1; tell(); });
for (const c of [...controls, button]) c.dataset.lmSuppressShortcuts = true;
panel.addEventListener("keydown", e => e.stopPropagation());
const again = setInterval(() => panel.isConnected ? tell() : clearInterval(again), 500);
})();</script>`, p.id, data, p.address())
	return b.String()
}

// set takes a state unless there is a newer one: its number, whether the button was
// pressed, and the values.
func (p *panel) set(state string) {
	fields := strings.Fields(state)
	if len(fields) != len(p.controls)+2 {
		return
	}
	numbers := make([]int64, len(fields))
	for i, field := range fields {
		var err error
		if numbers[i], err = strconv.ParseInt(field, 10, 64); err != nil {
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	values, changed := make([]int, len(p.values)), false
	for i, v := range numbers[2:] {
		if low, high := p.controls[i].limits(); v < int64(low) || v > int64(high) {
			return
		}
		values[i] = int(v)
		changed = changed || values[i] != p.values[i]
	}
	if numbers[0] <= p.newest {
		return
	}
	p.newest, p.values = numbers[0], values
	notify(p.heard)
	if changed {
		notify(p.moved)
	}
	if numbers[1] != 0 {
		p.pressed.Do(func() { close(p.done) })
	}
}

// notify leaves a note unless there is one.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
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
		case <-p.heard:
			continue
		case <-time.After(silence):
			comms.Start()
			continue
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
			notify(p.moved)
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
