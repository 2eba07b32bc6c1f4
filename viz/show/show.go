// Package show displays figures, tables and text in a notebook of the Go kernel GoNB.
// Outside such a notebook its functions display nothing, so code that is moved from a cell
// to a program or a test stays silent.
//
//	show.Figure(viz.Must(viz.Gallery(w, viz.GalleryOptions{Height: 32, Width: 32})))
//
// Fit and Compare run fits of any type and show their progress; outside a notebook they only
// run them, with a line of progress on a terminal. Interact shows sliders and choices, and a
// figure that follows them.
//
// This is the only package of the module that depends on GoNB.
package show

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/robustnmf/robustnmf/viz"
)

// InNotebook reports whether the program is a cell of a GoNB notebook.
func InNotebook() bool { return gonbui.IsNotebook }

// Figure displays figures below each other as PNG, at their nominal size of viz.DPI pixels per
// inch. Outside a notebook it draws nothing. It panics if a figure cannot be drawn, as an error in
// a cell should be seen.
func Figure(figs ...viz.Figure) {
	if !InNotebook() {
		return
	}
	for i, f := range figs {
		data, err := message(f)
		if err != nil {
			panic(fmt.Errorf("show: figure %d: %w", i, err))
		}
		gonbui.SendData(data)
	}
	flush()
}

// Animation displays frames one after the other, again and again, as viz.WriteAnimation writes them:
// also where the notebook is only shown. Outside a notebook it draws nothing. It panics if a frame
// cannot be drawn.
func Animation(frames []viz.Figure, each time.Duration) {
	if !InNotebook() {
		return
	}
	data, err := asPNG(func(w io.Writer) error { return viz.WriteAnimation(w, frames, each) })
	if err != nil {
		panic(fmt.Errorf("show: %w", err))
	}
	gonbui.SendData(data)
	flush()
}

// message returns what displays f.
func message(f viz.Figure) (*protocol.DisplayData, error) {
	return asPNG(func(w io.Writer) error { return viz.WritePNG(w, f) })
}

// asPNG returns what displays the PNG that write writes.
func asPNG(write func(w io.Writer) error) (*protocol.DisplayData, error) {
	var buf bytes.Buffer
	if err := write(&buf); err != nil {
		return nil, err
	}
	cfg, err := png.DecodeConfig(bytes.NewReader(buf.Bytes()))
	if err != nil {
		return nil, err
	}
	// Browsers show 96 pixels per inch; the rest is for dense screens. Without
	// a height the picture keeps its shape on a narrow page.
	shown := map[string]int{"width": cfg.Width * 96 / viz.DPI}
	return &protocol.DisplayData{
		Data:     map[protocol.MIMEType]any{protocol.MIMEImagePNG: buf.Bytes()},
		Metadata: map[string]any{string(protocol.MIMEImagePNG): shown},
	}, nil
}

// Table displays tables below each other.
func Table(tables ...*viz.Table) {
	for _, t := range tables {
		if t != nil {
			HTML(t.HTML())
		}
	}
}

// Markdown displays Markdown, with formulas between dollar signs.
func Markdown(text string) {
	if !InNotebook() {
		return
	}
	gonbui.DisplayMarkdown(text)
	flush()
}

// HTML displays a fragment of HTML, which the caller has escaped.
func HTML(fragment string) {
	if !InNotebook() {
		return
	}
	gonbui.DisplayHTML(fragment)
	flush()
}

// flush waits until the kernel has read what was sent: it drops the pipe when
// the program ends. It gives up after a while, for gonbui.Sync waits for ever
// when the pipe is broken.
func flush() {
	if gonbui.Error() != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		gonbui.Sync()
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
	}
}
