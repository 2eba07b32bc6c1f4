package panel

import (
	"fmt"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A stamp is where coefficients or statistics belong. It lies inside the checksum of their binary
// form, so that a file which was swapped with another, or restored from another moment, is noticed.
type stamp struct {
	fit        string // the name of the fit, drawn when it begins; "" where there is no Driver
	generation int    // of coefficients; of statistics, the one that their round may write
	from       int    // the first column in X
}

// is returns an error if s is not the stamp that is wanted; what are "coefficients", for the message.
func (s stamp) is(want stamp, what string) error {
	switch {
	case s.fit != want.fit:
		return fmt.Errorf("%w: %s of another fit (%.6q, want %.6q)", rnmf.ErrParameter, what, s.fit, want.fit)
	case s.generation != want.generation:
		return fmt.Errorf("%w: %s of generation %d, want %d", rnmf.ErrParameter, what, s.generation, want.generation)
	case s.from != want.from:
		return fmt.Errorf("%w: %s of the panel that begins with column %d, want the one that begins with %d", rnmf.ErrParameter, what, s.from, want.from)
	}
	return nil
}

func (e *encoder) stamp(s stamp) {
	e.bytes([]byte(s.fit))
	e.int(s.generation)
	e.int(s.from)
}

func (d *decoder) stamp() stamp {
	return stamp{fit: string(d.bytes()), generation: d.int(), from: d.int()}
}
