//go:build unix

package show

import (
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/robustnmf/robustnmf/viz"
)

func TestSlot(t *testing.T) {
	chart := viz.Must(viz.Lines([]viz.Series{{Y: []float64{1, 2, 3}}}, viz.LinesOptions{}))
	if err := NewSlot().Put(nil); err != nil && !InNotebook() {
		t.Errorf("outside a notebook: %v", err)
	}
	got := make(chan *protocol.DisplayData, 10)
	inNotebook(t, func(d *protocol.DisplayData) { got <- d })
	one, other := NewSlot(), NewSlot()
	for _, s := range []*Slot{one, one, other} {
		if err := s.Put(chart); err != nil {
			t.Fatal(err)
		}
	}
	a, b, c := <-got, <-got, <-got
	if a.DisplayID == "" || a.DisplayID != b.DisplayID || a.DisplayID == c.DisplayID {
		t.Errorf("places %q, %q of one slot and %q of another", a.DisplayID, b.DisplayID, c.DisplayID)
	}
	if a.Data[protocol.MIMEImagePNG] == nil {
		t.Error("no picture")
	}
	if one.Put(&viz.Picture{}) == nil {
		t.Error("no error for a figure that cannot be drawn")
	}
}
