package lesson

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image/png"
	"time"

	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/show"
)

// Move shows a figure that follows sliders and choices, as show.Interact does, until the
// reader presses done. draw gets their values in their order; an error of draw, or a panic,
// ends the cell. When a slider moves on, a Fit within draw ends at once, as nobody waits
// for it any longer.
//
//	lesson.Move(func(v []int) (viz.Figure, error) {
//		return line(float64(v[0]) / 10)
//	}, lesson.Slider("outliers", 10, 50, 20))
//
// Where a program runs the notebook, so that nobody can move anything, the figure moves by itself: the
// first control goes through at most 13 positions, the others stay at their start. Readers of the saved
// notebook, and of pages made of it, see this animation, too, and below it, smaller, its last picture: where
// nothing plays, as in print, the animation is only its first one.
func Move(draw func(values []int) (viz.Figure, error), controls ...show.Control) {
	safe := stoppable(draw)
	if len(controls) == 0 {
		stop("lesson: Move needs a control")
		return
	}
	if !Headless() {
		if err := show.Interact(context.Background(), controls, safe); !errors.Is(err, context.Canceled) {
			Check(err)
		}
		return
	}
	var figures []viz.Figure
	for _, first := range positions(controls[0]) {
		values := []int{first}
		for _, c := range controls[1:] {
			values = append(values, c.Start)
		}
		f, err := safe(context.Background(), values)
		Check(err)
		figures = append(figures, f)
	}
	text := "*Run this cell in a browser to move* " + names(controls) + " *yourself. Here* " + controls[0].Name
	if len(controls) > 1 {
		text += " *moves, and the rest stays.*"
	} else {
		text += " *moves.*"
	}
	show.Markdown(text)
	show.Animation(figures, frame)
	show.HTML("<div><i>The last picture:</i></div>" + small(figures[len(figures)-1]))
}

// small returns a figure as HTML, at 0.6 of the size that show.Figure gives it, but not below a width of 300,
// at which texts can still be read.
func small(f viz.Figure) string {
	var b bytes.Buffer
	Check(viz.WritePNG(&b, f))
	width := Must(png.DecodeConfig(bytes.NewReader(b.Bytes()))).Width * 96 / viz.DPI
	return fmt.Sprintf(`<div><img width="%d" src="data:image/png;base64,%s"></div>`, max(width*6/10, min(width, 300)), base64.StdEncoding.EncodeToString(b.Bytes()))
}

// moving is the context of the drawing that Move waits for, nil if there is none: when it
// ends, a Fit of the drawing panics with movedOn, as the picture is no longer wanted. Move
// makes one drawing at a time.
var moving context.Context

type movedOn struct{}

// stoppable gives draw a context that ends its fits, and ends the cell if it panics.
func stoppable(draw func([]int) (viz.Figure, error)) func(context.Context, []int) (viz.Figure, error) {
	return func(ctx context.Context, v []int) (f viz.Figure, err error) {
		moving = ctx
		defer func() {
			moving = nil
			switch p := recover(); p {
			case nil:
			case movedOn{}:
				f, err = nil, ctx.Err()
			default:
				stop(fmt.Sprint(p))
			}
		}()
		return draw(v)
	}
}

// Slider is a slider for whole numbers from low to high. For choices, or other texts, see
// show.Control.
func Slider(name string, low, high, start int) show.Control {
	return show.Control{Name: name, Min: low, Max: high, Start: start}
}

const (
	most  = 13 // positions of the first control in an animation
	frame = 900 * time.Millisecond
)

// positions returns values of a control from the lowest to the highest, evenly, as many as an
// animation has at most; in the quick setting the ends and the middle.
func positions(c show.Control) []int {
	low, high := c.Min, c.Max
	if c.Choices != nil {
		low, high = 0, len(c.Choices)-1
	}
	steps := min(most-1, high-low)
	if Quick() {
		steps = min(2, high-low)
	}
	p := []int{low}
	for i := 1; i <= steps; i++ {
		p = append(p, low+((high-low)*i+steps/2)/steps)
	}
	return p
}

func names(controls []show.Control) string {
	text := ""
	for i, c := range controls {
		if i > 0 {
			text += ", "
		}
		text += c.Name
	}
	return text
}
