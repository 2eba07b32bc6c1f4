package show

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/mattn/go-isatty"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// A screen shows progress. Nothing is shown if draw is nil.
type screen struct {
	draw   func([]state) // again and again
	finish func([]state) // at the end
}

// drawInterval is how often a screen draws, the first time as well: what is over by
// then needs no progress. On a slow machine it is drawShare times what drawing takes,
// so that a hundredth of the time goes into it at most.
var drawInterval = 250 * time.Millisecond

const drawShare = 100

func newScreen() screen {
	switch {
	case InNotebook():
		return cellScreen("rnmf_fit_" + gonbui.UniqueId())
	case isatty.IsTerminal(os.Stderr.Fd()):
		return lineScreen(os.Stderr)
	}
	return screen{}
}

// watch draws p until the returned function is called, which draws the end.
func (s screen) watch(p *progress) func() {
	if s.draw == nil {
		return func() {}
	}
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		timer := time.NewTimer(drawInterval)
		defer timer.Stop()
		cost := time.Duration(math.MaxInt64 / drawShare)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-timer.C:
			}
			begin := time.Now()
			s.draw(p.now())
			if n == 0 { // which also loads the fonts
				timer.Reset(drawInterval)
				continue
			}
			// The least, as the clock runs on while others have the processor.
			cost = min(cost, time.Since(begin))
			timer.Reset(max(drawInterval, drawShare*cost))
		}
	}()
	return func() {
		close(stop)
		<-gone
		s.finish(p.now())
	}
}

// cellScreen draws in the output of a notebook's cell, in one element that is
// replaced each time, last by a PNG: that is all that a saved notebook keeps.
func cellScreen(id string) screen {
	shown := false
	return screen{
		draw: func(runs []state) {
			shown = true
			gonbui.UpdateHTML(id, cell(runs, time.Now()))
		},
		finish: func(runs []state) {
			defer flush()
			c := curves(runs, true)
			if c != nil {
				if data, err := message(c); err == nil {
					data.DisplayID = id
					gonbui.SendData(data)
					return
				}
			}
			// Of bad input nothing remains; of a model that went by itself, a line.
			var text string
			for _, s := range runs {
				if !s.ended.IsZero() {
					text += line(s, s.ended) + "<br>"
				}
			}
			if shown || text != "" {
				gonbui.SendData(&protocol.DisplayData{DisplayID: id, Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: text}})
			}
		},
	}
}

// cell returns what the cell shows while fits run.
func cell(runs []state, now time.Time) string {
	var b strings.Builder
	b.WriteString(`<div class="rnmf-live" style="font-size:13px;line-height:1.5">`)
	for _, s := range runs {
		share := s.share()
		if !s.ended.IsZero() {
			share = 1
		}
		fmt.Fprintf(&b, `<div>%s</div>`, line(s, now))
		fmt.Fprintf(&b, `<div style="height:5px;width:624px;max-width:100%%;margin:2px 0 6px;border-radius:3px;background:rgba(128,128,128,.25)">`+
			`<div style="height:5px;width:%.1f%%;border-radius:3px;background:#0072b2"></div></div>`, 100*share)
	}
	if c := curves(runs, false); c != nil {
		var svg bytes.Buffer
		if c.WriteSVG(&svg) == nil {
			text := svg.String()
			b.WriteString(text[max(strings.Index(text, "<svg"), 0):]) // without the head of a file
		}
	}
	b.WriteString("</div>")
	return b.String()
}

func line(s state, now time.Time) string {
	text := html.EscapeString(s.text(now))
	if s.name != "" {
		text = "<b>" + html.EscapeString(s.name) + "</b> · " + text
	}
	return text
}

// curves draws the runs that have any, or is nil.
func curves(runs []state, final bool) *viz.Chart {
	var all []viz.Curve
	positive, single := true, len(runs) == 1
	var names []string
	for _, s := range runs {
		c := viz.Curve{Name: s.name, Trace: thin(s.trace)}
		if len(c.Trace) < 2 {
			continue
		}
		if final && !single {
			c.Name = strings.TrimPrefix(s.name+": "+s.outcome()+fmt.Sprintf(", %d rounds, ", s.trace[len(s.trace)-1].Round)+duration(s.ended.Sub(s.begun)), ": ")
		}
		for _, p := range s.trace {
			positive = positive && p.Objective > 0
		}
		all, names = append(all, c), append(names, s.name)
	}
	if len(all) == 0 {
		return nil
	}
	opt := viz.ConvergenceOptions{LogX: true, LogY: positive, Height: 3}
	if single {
		all[0].Name = ""
		if final {
			opt.Title = runs[0].text(runs[0].ended)
			if runs[0].name != "" {
				opt.Title = runs[0].name + " · " + opt.Title
			}
		}
	} else {
		opt.YLabel = "objective / at the start"
		if final { // the legend is long, and goes below
			opt.Height += 0.25 * float64(len(all))
		}
		for i, c := range all {
			first := math.Abs(c.Trace[0].Objective)
			if first == 0 {
				first = 1
			}
			for k := range c.Trace {
				all[i].Trace[k].Objective /= first
			}
			names[i] = strings.TrimSuffix(fmt.Sprintf("%.3g %% (%s)", 100*c.Trace[len(c.Trace)-1].Objective, names[i]), " ()")
		}
		if final && len(all) <= 3 {
			opt.Title = "Ends at " + strings.Join(names, ", ") + " of the start"
		}
	}
	c, err := viz.Convergence(all, opt)
	if err != nil {
		return nil
	}
	return c
}

// thin returns a copy with the first rounds and, evenly on a logarithmic axis, some of
// the others, so that a long run takes no longer to draw than a short one.
func thin(t rnmf.Trace) rnmf.Trace {
	var out rnmf.Trace
	next := 0.0
	for i, p := range t {
		if float64(i) >= next || i == len(t)-1 {
			out = append(out, p)
			next = max(next+1, float64(i)*1.03)
		}
	}
	return out
}

// lineScreen writes one line, which it erases at the end.
func lineScreen(w io.Writer) screen {
	shown := false
	return screen{
		draw: func(runs []state) {
			for i, s := range runs {
				if s.begun.IsZero() || !s.ended.IsZero() {
					continue
				}
				text := s.text(time.Now())
				if s.name != "" {
					text = s.name + ": " + text
				}
				if len(runs) > 1 {
					text = fmt.Sprintf("%d/%d %s", i+1, len(runs), text)
				}
				fmt.Fprint(w, "\r\x1b[K", clip(text, 79))
				shown = true
				return
			}
		},
		finish: func([]state) {
			if shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
		},
	}
}

// clip keeps a line from wrapping, as what has wrapped cannot be erased.
func clip(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}
