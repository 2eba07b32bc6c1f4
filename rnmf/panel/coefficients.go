package panel

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// Coefficients are the state of a panel between rounds.
type Coefficients struct {
	// H (r×b) are the coefficients.
	H *mat.Dense
	// Unextrapolated is H as the last half-step left it, before it was extrapolated; nil at the start.
	Unextrapolated *mat.Dense

	of    stamp
	norms []float64   // squared norms of the columns of X, nil before the first round
	part  *Statistics // in a Minibatch: what the panel told of W when it last came by, a surrogate
}

// Generation returns the generation of the coefficients: 0 at the start, and later one that no other
// round of the fit has written, whether its factors were kept or not.
func (c *Coefficients) Generation() int { return c.of.generation }

// MarshalBinary returns the coefficients in a versioned form with a checksum.
func (c *Coefficients) MarshalBinary() ([]byte, error) {
	e := new(encoder)
	e.stamp(c.of)
	e.matrix(c.H)
	e.matrix(c.Unextrapolated)
	e.floats(c.norms)
	if c.part != nil {
		e.put(c.part)
	}
	return e.seal(kindCoefficients), nil
}

// UnmarshalBinary reads what MarshalBinary has written. The error is rnmf.ErrFormat.
func (c *Coefficients) UnmarshalBinary(b []byte) error {
	d, err := open(b, kindCoefficients)
	if err != nil {
		return err
	}
	read := Coefficients{of: d.stamp(), H: d.matrix(), Unextrapolated: d.matrix(), norms: d.floats()}
	if len(d.b) > 0 {
		read.part = d.statistics()
		read.part.linear = read.part.entries
	}
	if err := d.end(); err != nil {
		return err
	}
	*c = read
	return nil
}

// check finds coefficients that are not those of b columns and rank r.
func (c *Coefficients) check(r, b int) error {
	if c == nil || c.H == nil {
		return fmt.Errorf("%w: the panel has no H", rnmf.ErrEmpty)
	}
	for name, h := range map[string]*mat.Dense{"H": c.H, "Unextrapolated": c.Unextrapolated} {
		if h == nil {
			continue
		}
		if rows, columns := h.Dims(); rows != r || columns != b {
			return fmt.Errorf("%w: %s of the panel is %d×%d, want %d×%d", rnmf.ErrShape, name, rows, columns, r, b)
		}
	}
	if c.norms != nil && len(c.norms) != b {
		return fmt.Errorf("%w: the panel has %d norms, want %d", rnmf.ErrShape, len(c.norms), b)
	}
	return nil
}
