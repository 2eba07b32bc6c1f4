package panel

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A state folder knows its data: one entry that changed, by one bit, is an error that names the
// panel, whether the fit has ended or not, and the fit goes on with the right data.
func TestOtherData(t *testing.T) {
	ctx := context.Background()
	dense := planted(30, 60, 3, 4, 0.1, false)
	changed := mat.DenseCopyOf(dense)
	changed.Set(7, 45, 1.0000000000000002*(1+changed.At(7, 45)))
	sparse := func(x *mat.Dense) *sparse.Matrix {
		s := &sparse.Matrix{Rows: 30, Cols: 60, Start: []int{0}}
		for j := range 60 {
			for i := j % 2; i < 30; i += 2 {
				s.Row, s.Value = append(s.Row, int32(i)), append(s.Value, x.At(i, j))
			}
			s.Start = append(s.Start, len(s.Row))
		}
		return s
	}
	moved := sparse(dense)
	k := moved.Start[46] - 1 // the last entry of column 45, in row 29
	moved.Row[k]--
	for _, c := range []struct {
		name string
		x, y Source
	}{
		{name: "dense", x: FromDense(dense, 20), y: FromDense(changed, 20)},
		{name: "sparse", x: FromSparse(sparse(dense), 20), y: FromSparse(moved, 20)},
	} {
		b := Batch{Model: rnmf.Model{Rank: 3, MaxIter: 10, Tol: -1}}
		want, err := b.Fit(ctx, c.x)
		if err != nil {
			t.Fatal(err)
		}
		b.State = t.TempDir()
		b.Model.MaxIter = 4
		if _, err := b.Fit(ctx, c.x); err != nil {
			t.Fatal(err)
		}
		for _, rounds := range []int{4, 10} { // one that has ended, one that goes on
			b.Model.MaxIter = rounds
			if _, err := b.Fit(ctx, c.y); !errors.Is(err, rnmf.ErrParameter) || !strings.Contains(err.Error(), "panel 2: ") || !strings.Contains(err.Error(), b.State) {
				t.Errorf("%s, %d rounds, other data: %v", c.name, rounds, err)
			}
		}
		got, err := b.Fit(ctx, c.x)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want, c.x)
	}
}

// The same numbers have the same checksum wherever they lie; a 0 that is stored is another matrix than
// one that is not, as with Missing.
func TestPanelChecksum(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	part := Panel{Dense: x.Slice(0, 2, 1, 3).(*mat.Dense)}
	if part.Checksum() != (Panel{Dense: mat.DenseCopyOf(part.Dense)}).Checksum() {
		t.Error("a slice has another checksum than its copy")
	}
	a := &sparse.Matrix{Rows: 2, Cols: 2, Start: []int{0, 1, 2}, Row: []int32{0, 1}, Value: []float64{1, 2}}
	b := &sparse.Matrix{Rows: 2, Cols: 2, Start: []int{0, 2, 3}, Row: []int32{0, 1, 1}, Value: []float64{1, 0, 2}}
	c := &sparse.Matrix{Rows: 2, Cols: 2, Start: []int{0, 0, 2}, Row: []int32{0, 1}, Value: []float64{1, 2}}
	if s := (Panel{Sparse: a}).Checksum(); s == (Panel{Sparse: b}).Checksum() || s == (Panel{Sparse: c}).Checksum() {
		t.Error("different sparse panels have the same checksum")
	}
}

// badSource has panels that are no matrices.
type badSource struct {
	Source
	bad Panel
}

func (b badSource) Load(int) (Panel, error) { return b.bad, nil }

// Panels that are no matrices are errors with a state folder, too.
func TestBadPanelsWithState(t *testing.T) {
	for name, bad := range map[string]Panel{
		"nothing": {},
		"sparse":  {Sparse: &sparse.Matrix{Rows: 3, Cols: 4, Start: []int{0, 9, 1, 2, 3}, Row: []int32{0, 1, 2}, Value: []float64{1, 2, 3}}},
	} {
		x := badSource{FromDense(mat.NewDense(3, 4, nil), 4), bad}
		if _, err := (Batch{Model: rnmf.Model{Rank: 1}, State: t.TempDir()}).Fit(context.Background(), x); err == nil || !strings.Contains(err.Error(), "panel 0") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
