package show

import (
	"github.com/janpfeifer/gonb/gonbui"
	"github.com/robustnmf/robustnmf/viz"
)

// A Slot is a place in the output of a cell that shows one figure, the last that was
// put there: a picture that changes while a program runs. The saved notebook keeps the
// last one.
type Slot struct{ id string }

// NewSlot returns a slot, which takes its place below what the cell has displayed
// when the first figure is put into it.
func NewSlot() *Slot { return &Slot{"rnmf_slot_" + gonbui.UniqueId()} }

// Put displays f in the place of the figure before. Outside a notebook it does
// nothing. It returns the error of a figure that cannot be drawn.
func (s *Slot) Put(f viz.Figure) error {
	if !InNotebook() {
		return nil
	}
	if err := update(s.id, f); err != nil {
		return err
	}
	flush()
	return nil
}
