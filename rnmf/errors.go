package rnmf

import (
	"errors"
	"fmt"
)

// The kinds of errors. Each error wraps one of these, so that errors.Is finds it; the message names
// the place.
var (
	ErrShape     = errors.New("rnmf: shapes do not match")
	ErrEmpty     = errors.New("rnmf: empty data")
	ErrNotFinite = errors.New("rnmf: not a finite number")
	ErrNegative  = errors.New("rnmf: negative entry")
	ErrTooLarge  = errors.New("rnmf: entry too large to be squared")
	ErrRank      = errors.New("rnmf: rank out of range")
	ErrLabels    = errors.New("rnmf: wrong labels")
	ErrParameter = errors.New("rnmf: parameter out of range")
	ErrFormat    = errors.New("rnmf: unreadable data")
)

// An EntryError names the first bad entry of a matrix.
type EntryError struct {
	Matrix   string // "X", "W", "H", "Mask", "G"
	Row, Col int
	Value    float64
	Err      error // ErrNotFinite, ErrNegative or ErrTooLarge
}

// Error also says what can be done where the entry is one of X.
func (e *EntryError) Error() string {
	text := fmt.Sprintf("%v: %s[%d,%d] = %g", e.Err, e.Matrix, e.Row, e.Col, e.Value)
	switch {
	case e.Matrix == "X" && e.Err == ErrNotFinite:
		text += " (for missing entries set Model.Mask, which datasets.Set.Mask makes)"
	case e.Matrix == "X" && e.Err == ErrNegative:
		text += " (if it stands for a missing value, as -1 and -999 often do, leave it out by Model.Mask, which datasets.Set.Mask makes of what OpenOptions.Missing names; for data with signs set Model.Signed, or use SemiNMF or datasets.ShiftFeatures)"
	}
	return text
}

func (e *EntryError) Unwrap() error { return e.Err }

func errParameter(name string, value any, want string) error {
	return fmt.Errorf("%w: %s is %v, want %s", ErrParameter, name, value, want)
}
