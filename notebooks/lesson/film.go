package lesson

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/show"
)

const (
	filmColumns  = 8                      // images in a row
	filmInterval = 500 * time.Millisecond // between live pictures
)

// Film yields the rounds 1 … n of an algorithm that the body of the loop spells out,
// and shows how the basis forms: the first columns of w as images, live, and in the end
// those of the start and of some rounds below each other, with a title if there is one. w is read after each round.
//
//	for range lesson.Film(s, w, 50) {
//		update(x, w, h)
//	}
//
// A panic of the body, for example as the shapes of two matrices do not match, ends the cell and
// names the line.
func Film(s *datasets.Set, w *mat.Dense, n int, title ...string) iter.Seq[int] {
	n = Rounds(n)
	return func(yield func(int) bool) { newFilm(s, n, title...).run(w, n, yield) }
}

// FilmAt is Film with rounds of one's own choice in the last picture, below that of the start. It has
// as many rounds as the last of them says.
func FilmAt(s *datasets.Set, w *mat.Dense, title string, rounds ...int) iter.Seq[int] {
	n := Rounds(slices.Max(rounds))
	return func(yield func(int) bool) {
		f := newFilm(s, n, title)
		f.wanted = map[int]bool{0: true, n: true}
		for _, t := range rounds {
			f.wanted[t] = t <= n
		}
		f.run(w, n, yield)
	}
}

// run films n rounds of w.
func (f *film) run(w *mat.Dense, n int, yield func(int) bool) {
	defer explain()
	f.add(0, w)
	for t := 1; t <= n; t++ {
		more := yield(t)
		f.add(t, w)
		if !more {
			break
		}
	}
	f.end()
}

// Watch is Fit, and shows how the basis forms, as Film does.
func Watch(s *datasets.Set, m rnmf.Model, title ...string) *rnmf.Result {
	m = short(m)
	f := newFilm(s, m.MaxIter, title...)
	var r *rnmf.Result
	for step, err := range m.Steps(context.Background(), s.X) {
		Check(err)
		f.add(step.Round, step.W())
		r = step.Result()
	}
	f.end()
	return r
}

// A film keeps the frames that its last picture shows.
type film struct {
	set    *datasets.Set
	title  string // of the last picture
	wanted map[int]bool
	rounds []int // of the frames
	frames []*mat.Dense
	last   int
	now    *mat.Dense
	slot   *show.Slot
	drawn  time.Time
}

func newFilm(s *datasets.Set, n int, title ...string) *film {
	f := &film{set: s, title: strings.Join(title, " "), wanted: map[int]bool{0: true, n: true}, slot: show.NewSlot(), drawn: time.Now()}
	for _, t := range []int{1, 3, 10, 30, 100, 300, 1000} {
		f.wanted[t] = t*3/2 <= n
	}
	f.wanted[n] = true
	return f
}

func (f *film) add(t int, w *mat.Dense) {
	f.last, f.now = t, peaks(columns(w, filmColumns))
	if f.wanted[t] {
		f.rounds, f.frames = append(f.rounds, t), append(f.frames, f.now)
	}
	if show.InNotebook() && time.Since(f.drawn) > filmInterval {
		Check(f.slot.Put(strip(f.set, "", []int{t}, []*mat.Dense{f.now})))
		f.drawn = time.Now()
	}
}

// end shows the frames, the last round among them.
func (f *film) end() {
	if last := len(f.rounds) - 1; last < 0 || f.rounds[last] != f.last {
		if last > 0 && f.rounds[last]*3/2 > f.last { // nearly the same picture
			f.rounds, f.frames = f.rounds[:last], f.frames[:last]
		}
		f.rounds, f.frames = append(f.rounds, f.last), append(f.frames, f.now)
	}
	Check(f.slot.Put(strip(f.set, f.title, f.rounds, f.frames)))
}

// strip draws a row for each frame and a column for each component.
func strip(s *datasets.Set, title string, rounds []int, frames []*mat.Dense) viz.Figure {
	m, r := frames[0].Dims()
	opt := viz.ViewsOptions{Title: title, Height: s.Height, Width: s.Width}
	for i, t := range rounds {
		opt.Samples = append(opt.Samples, i)
		opt.Names = append(opt.Names, fmt.Sprintf("round %d", t))
	}
	var parts []viz.View
	for k := range r {
		part := mat.NewDense(m, len(frames), nil)
		for i, f := range frames {
			part.SetCol(i, mat.Col(nil, k, f))
		}
		parts = append(parts, viz.View{Heading: fmt.Sprintf("part %d", k+1), X: part, Limit: 1})
	}
	return Must(viz.Views(parts, opt))
}
