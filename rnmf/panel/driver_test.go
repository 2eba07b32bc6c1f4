package panel

import (
	"context"
	"encoding"
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// sent puts a value through its bytes, as to another process.
func sent[T any, P interface {
	*T
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}](t *testing.T, v P) P {
	t.Helper()
	b, err := v.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	to := P(new(T))
	if err := to.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return to
}

// Without extrapolation nothing is kept between rounds but W, H and, in a panel, its norms, under
// losses with which no step can go too far.
func TestNoExtrapolationKeepsLittle(t *testing.T) {
	ctx := context.Background()
	x := FromDense(planted(60, 170, 4, 2, 0.1, false), 50)
	for _, loss := range append(append([]rnmf.Loss{}, columnLosses...), entryLosses...) {
		b := Batch{Model: rnmf.Model{Rank: 4, Loss: loss, Seed: 2, MaxIter: 9, Tol: -1, Solver: rnmf.HALS{NoExtrapolation: true}}}
		d := new(Driver)
		_, s, _, err := b.begin(ctx, x, d)
		if err != nil {
			t.Fatal(err)
		}
		st := newStepper(ctx)
		ofEntries := d.Next().ofEntries()
		for d.Reason() == 0 {
			sums, err := st.round(ctx, x, d, s)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Take(ctx, sums, 0); err != nil {
				t.Fatal(err)
			}
			if err := s.checkpoint(d); err != nil {
				t.Fatal(err)
			}
			for g, panels := range s.(memory) {
				for p, c := range panels {
					if c.Unextrapolated != nil {
						t.Fatalf("%T: panel %d keeps H before an extrapolation", loss, p)
					}
				}
				if !ofEntries && g != d.Generation() {
					t.Fatalf("%T: generation %d is kept, the next round reads %d", loss, g, d.Generation())
				}
			}
			if d.plain != nil || d.last != nil && !ofEntries {
				t.Fatalf("%T: an earlier W is kept: %v, before an extrapolation: %v", loss, d.last != nil, d.plain != nil)
			}
		}
	}
}

// A driver that leads panels in other processes, where everything goes as bytes and the driver
// itself is begun anew after each round, has the bits of Fit.
func TestDriver(t *testing.T) {
	ctx := context.Background()
	x := FromDense(planted(60, 170, 4, 2, 0.1, false), 50)
	for _, b := range onDisk {
		b.Model.MaxIter = 25
		want, err := b.Fit(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		summary := new(DataSummary)
		panels := make([]Panel, x.Panels())
		for p := range panels {
			if panels[p], err = x.Load(p); err != nil {
				t.Fatal(err)
			}
			from, _ := x.Columns(p)
			s, err := NewDataSummary(panels[p], from)
			if err != nil {
				t.Fatal(err)
			}
			if err := summary.Merge(sent(t, s)); err != nil {
				t.Fatal(err)
			}
		}
		d, err := NewDriver(b, summary, 60)
		if err != nil {
			t.Fatal(err)
		}
		h := map[[2]int]*Coefficients{}
		for p := range panels {
			from, to := x.Columns(p)
			h[[2]int{0, p}] = d.Start(from, to)
		}
		for d.Reason() == 0 {
			sum := new(Statistics)
			for p := range panels {
				round := sent(t, d.Next())
				next, s, err := round.Do(ctx, panels[p], sent(t, h[[2]int{d.Generation(), p}]))
				if err != nil {
					t.Fatal(err)
				}
				h[[2]int{next.Generation(), p}] = sent(t, next)
				if err := sum.Merge(sent(t, s)); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Take(ctx, sum, 0); err != nil {
				t.Fatal(err)
			}
			d = sent(t, d)
			for k := range h {
				if k[0] < d.Kept() {
					delete(h, k)
				}
			}
		}
		if got := d.Result(); !mat.Equal(got.W, want.W) || got.Objective != want.Objective || got.Reason != want.Reason {
			t.Errorf("%T: %g, want %g", b.Model.Loss, got.Objective, want.Objective)
		}
		for p := range panels {
			w, err := want.Coefficients(p)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(h[[2]int{d.Generation(), p}].H, w) {
				t.Errorf("H of panel %d differs", p)
			}
		}
		if err := d.Take(ctx, new(Statistics), 0); err == nil {
			t.Error("a driver that has ended takes statistics")
		}
	}
	s, err := NewDataSummary(Panel{Dense: mat.NewDense(3, 4, nil)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDriver(Batch{Model: rnmf.Model{Rank: 2}}, s, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Take(ctx, &Statistics{of: stamp{fit: d.fit, generation: 1}, m: 3, r: 2, samples: 3}, 0); !errors.Is(err, rnmf.ErrShape) {
		t.Errorf("statistics of some of the samples: %v", err)
	}
	if err := d.CheckCoefficients(nil, 0); !errors.Is(err, rnmf.ErrParameter) {
		t.Errorf("no coefficients: %v", err)
	}
}
