package rnmf

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"gonum.org/v1/gonum/mat"
)

// check finds what is wrong with a model of x, except for entries of x.
func (m Model) check(x mat.Matrix, onlyH bool) error {
	if err := wantMatrix("X", x); err != nil {
		return err
	}
	rows, cols := x.Dims()
	if rows == 0 || cols == 0 {
		return fmt.Errorf("%w: X is %d×%d", ErrEmpty, rows, cols)
	}
	if m.Rank < 1 || m.Rank > min(rows, cols) && !onlyH {
		err := fmt.Errorf("%w: %d, want 1 to %d for X of %d×%d", ErrRank, m.Rank, min(rows, cols), rows, cols)
		if m.Rank > 0 {
			err = fmt.Errorf("%w (a column must be a sample: is X transposed?)", err)
		}
		return err
	}
	if m.MaxIter < 0 {
		return errParameter("MaxIter", m.MaxIter, "0 or more")
	}
	if m.TuneFor < -1 {
		return errParameter("TuneFor", m.TuneFor, "-1 or more")
	}
	if m.TraceEvery < 0 {
		return errParameter("TraceEvery", m.TraceEvery, "0 or more")
	}
	if math.IsNaN(m.Tol) {
		return errParameter("Tol", m.Tol, "a number")
	}
	solverW, solverH := m.solvers()
	return cmp.Or(checkLoss(m.Loss), checkPart(m.Init), checkPart(m.Solver), checkSolvers(solverW, solverH, m.OnW), m.checkFamily(),
		checkPenalties(m.OnW, m.Rank, rows), checkPenalties(m.OnH, m.Rank, cols))
}

// checkMask returns the mask of data of m×n, which has to leave something of them.
func checkMask(mask mat.Matrix, m, n int) (*mat.Dense, error) {
	if err := wantDims("Mask", mask, m, n); err != nil {
		return nil, err
	}
	d := asDense(mask)
	if err := checkEntries("Mask", d, nil, false); err != nil {
		return nil, err
	}
	if mat.Max(d) == 0 {
		return nil, fmt.Errorf("%w: Mask leaves no entry of X", ErrEmpty)
	}
	return d, nil
}

// checkPart calls the method Check of a loss, solver or penalty, if there is one, and of what a solver
// wraps.
func checkPart(part any) error {
	if v := reflect.ValueOf(part); v.Kind() == reflect.Pointer && v.IsNil() {
		return errParameter("a loss, solver, penalty or start", fmt.Sprintf("a nil %T", part), "a value")
	}
	if t := reflect.TypeOf(part); t != nil {
		for _, o := range optional {
			if m, has := o.find(t); has && !t.Implements(o.as) {
				return errParameter(fmt.Sprintf("the method %s of %T", m.Name, part), m.Type, "that of "+o.as.String())
			}
		}
	}
	if c, ok := part.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return err
		}
	}
	if w, ok := part.(interface{ Unwrap() Solver }); ok {
		return checkPart(w.Unwrap())
	}
	return nil
}

// checkLoss also finds a loss of a given scale that gives no weight, or is not concave, and one around a loss
// whose scale nobody estimates.
func checkLoss(l Loss) error {
	if err := checkPart(l); err != nil || tuningOf(l) != nil {
		return err
	}
	rho, byColumn := unpack(l)
	inner := rho
	if byColumn {
		inner = ByColumn{rho}
	}
	if rho == nil {
		return errParameter(fmt.Sprintf("the loss in %T", l), rho, "a loss")
	}
	if tuningOf(inner) != nil {
		return fmt.Errorf("%w: the scale of %T in %T is not given, and %T has no Tuning", ErrParameter, rho, l, l)
	}
	return checkWeights(l, cmp.Or[Loss](l, Frobenius{}))
}

// checkWeights finds a loss, tuned from another, that is nil, gives no weight, or is not concave.
func checkWeights(from, l Loss) error {
	rho, _ := unpack(l)
	if l == nil || rho == nil {
		return errTunedToNil(from)
	}
	entries, eps, cells := cellsOf(l)
	if cells = cells && !isSquared(entries); cells && !(eps >= leastScale && eps <= mostScale) {
		return errParameter(fmt.Sprintf("ε of %T", l), eps, "1e-75 to 1e+150")
	}
	last := math.Inf(1)
	for _, s := range []float64{0, 1e-20, 1e-12, 1e-8, 1e-4, 1e-2, 1, 1e2, 1e4, 1e8, 1e12} {
		v, w := rho.Rho(s)
		if !(w <= last*(1+1e-6)) || s == 0 && w <= 0 || s > 0 && math.IsNaN(v-v) {
			return errLoss(rho, s, "the value is %g and the slope %g, want numbers, and a slope above 0 that falls from 0 on (is a scale 0?); see CheckLoss", v, w)
		}
		if cells && v < 0 {
			return errLoss(rho, s, "the value is %g, want 0 or more, as %T takes the root of a sum of values", v, l)
		}
		last = w
	}
	return nil
}

// optional are the methods that a loss, a solver or a penalty may have. One of another
// signature would be passed over in silence. They are found by constants: with one call of
// MethodByName for any name, the linker would keep every exported method of a program that
// imports this package.
var optional = []struct {
	as   reflect.Type
	find func(reflect.Type) (reflect.Method, bool)
}{
	{reflect.TypeFor[interface {
		Weigh(omega, value, e []float64)
	}](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Weigh") }},
	{reflect.TypeFor[interface{ ScaleNow() float64 }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("ScaleNow") }},
	{reflect.TypeFor[interface{ Tuning() Tuning }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Tuning") }},
	{reflect.TypeFor[interface{ TuningOfColumns() Tuning }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("TuningOfColumns") }},
	{reflect.TypeFor[interface{ Squared() bool }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Squared") }},
	{reflect.TypeFor[interface{ OfColumns() Loss }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("OfColumns") }},
	{reflect.TypeFor[interface{ OfCells() (Loss, float64) }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("OfCells") }},
	{reflect.TypeFor[interface{ SampleLabels() Labels }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("SampleLabels") }},
	{reflect.TypeFor[interface{ AfterTuning() Solver }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("AfterTuning") }},
	{reflect.TypeFor[interface {
		Refill(*Quadratic, *mat.Dense)
	}](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Refill") }},
	{reflect.TypeFor[interface{ Relax() Loss }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Relax") }},
	{reflect.TypeFor[interface{ Extrapolates() bool }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Extrapolates") }},
	{reflect.TypeFor[interface{ SignedU() bool }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("SignedU") }},
	{reflect.TypeFor[interface{ Signed() bool }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Signed") }},
	{reflect.TypeFor[interface{ Takes(Family) bool }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Takes") }},
	{reflect.TypeFor[interface{ Unwrap() Solver }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Unwrap") }},
	{reflect.TypeFor[interface{ Rounding(*mat.Dense) float64 }](), func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Rounding") }},
}

// checkSolvers finds a bad solver, and a factor or a penalty that does not suit a solver.
func checkSolvers(solverW, solverH Solver, onW []Penalty) error {
	if err := errors.Join(checkPart(solverW), checkPart(solverH)); err != nil {
		return err
	}
	if leavesSigns(solverH) {
		return errParameter("the solver of H", fmt.Sprintf("%T", solverH), "one that leaves no negative entries")
	}
	if !leavesSigns(solverW) {
		return nil
	}
	if !takesSignedU(solverH) {
		return errParameter("the solver of H", fmt.Sprintf("%T", solverH), "one with a method SignedU() that returns true, such as HALS or MU, as W may be negative")
	}
	for _, p := range onW {
		if s, ok := p.(interface{ Signed() bool }); !ok || !s.Signed() {
			return errParameter("a penalty in OnW", fmt.Sprintf("%T", p), "one with a method Signed() that returns true, such as Ridge, as W may be negative")
		}
	}
	return nil
}

// checkPenalties finds the first penalty that is nil or wrong, or does not suit a factor r×n.
func checkPenalties(penalties []Penalty, r, n int) error {
	for _, p := range penalties {
		if p == nil {
			return errParameter("a penalty", p, "a value")
		}
		if err := checkPart(p); err != nil {
			return err
		}
		if s, ok := p.(SamplePenalty); ok {
			if err := s.Check(r, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// wantFrom finds the first entry of C or D, which may be nil, that is too small or not finite.
func wantFrom(least float64, a *mat.Dense, p Penalty, name string) error {
	for i := 0; a != nil && i < a.RawMatrix().Rows; i++ {
		for j, v := range a.RawRowView(i) {
			if !(v >= least && v <= math.MaxFloat64) {
				return errParameter(fmt.Sprintf("%s()[%d,%d] after %T.Majorize", name, i, j, p), v, fmt.Sprintf("a finite number from %.3g on", least))
			}
		}
	}
	return nil
}

// wantCoupling finds a graph or a λ with which a penalty cannot couple the columns.
func (q *Quadratic) wantCoupling(p Penalty) error {
	switch c := q.refused; {
	case c == nil:
		return nil
	case c.graph == nil:
		return errParameter(fmt.Sprintf("the graph of %T", p), nil, "a graph")
	case c.graph.n != q.n:
		return fmt.Errorf("%w: the graph of %T has %d vertices, want %d", ErrShape, p, c.graph.n, q.n)
	default:
		return checkLambda(fmt.Sprintf("λ of %T", p), c.lambda)
	}
}

// wantMatrix finds a matrix that is nil, or is a pointer that is, or a sparse one whose parts do not fit together.
func wantMatrix(name string, a mat.Matrix) error {
	if isnil.Matrix(a) {
		hint := ""
		if name == "X" {
			hint = " (that of a sparse datasets.Set is: see its method Dense, and package panel)"
		}
		return fmt.Errorf("%w: %s is nil%s", ErrEmpty, name, hint)
	}
	if err := isnil.Check(a); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrShape, name, err)
	}
	return nil
}

// checkScale finds a scale or cut-off that is negative or NaN, or whose square is not finite or has
// no finite inverse.
func checkScale(name string, v float64) error {
	if !(v == 0 || v >= leastScale && v <= mostScale) {
		return errParameter(name, v, "1e-75 to 1e+150, or 0 to have it estimated")
	}
	return nil
}

// checkLambda finds a weight of a penalty that is negative, too large or NaN.
func checkLambda(name string, v float64) error {
	if !(v >= 0 && v <= maxEntry) {
		return errParameter(name, v, "0 to 1e+100")
	}
	return nil
}

// checkInner finds what cannot be a loss of a squared residual within another.
func checkInner(name string, l Loss) error {
	if l == nil {
		return errParameter(name, l, "a loss")
	}
	if _, _, cells := cellsOf(l); cells {
		return errParameter(name, "CellCase", "a loss of a squared residual: put CellCase outside")
	}
	if _, nested := unpack(l); nested {
		return errParameter(name, "ByColumn", "a loss of a squared residual: put ByColumn outside")
	}
	return checkPart(l)
}

// wantDims finds a matrix that is nil, or of another shape.
func wantDims(name string, a mat.Matrix, rows, cols int) error {
	if err := wantMatrix(name, a); err != nil {
		return err
	}
	if r, c := a.Dims(); r != rows || c != cols {
		return fmt.Errorf("%w: %s is %d×%d, want %d×%d", ErrShape, name, r, c, rows, cols)
	}
	return nil
}

// checkEntries returns an error that names the first entry that is not finite, is negative (unless
// signed) or is too large to be squared. Entries whose mask is 0 may be anything.
func checkEntries(name string, a, mask *mat.Dense, signed bool) error {
	return checkUpTo(maxEntry, name, a, mask, signed)
}

// checkFactor is checkEntries for a factor, which may have grown in a fit.
func checkFactor(name string, a *mat.Dense, signed bool) error {
	return checkUpTo(MaxFactor, name, a, nil, signed)
}

func checkUpTo(most float64, name string, a, mask *mat.Dense, signed bool) error {
	rows, _ := a.Dims()
	for i := range rows {
		var known []float64
		if mask != nil {
			known = mask.RawRowView(i)
		}
		for j, v := range a.RawRowView(i) {
			if v >= 0 && v <= most || known != nil && known[j] == 0 {
				continue
			}
			var bad error
			switch {
			case math.IsNaN(v) || math.IsInf(v, 0):
				bad = ErrNotFinite
			case v < 0 && !signed:
				bad = ErrNegative
			case math.Abs(v) > most:
				bad = ErrTooLarge
			}
			if bad != nil {
				return &EntryError{Matrix: name, Row: i, Col: j, Value: v, Err: bad}
			}
		}
	}
	return nil
}

// maxEntry is the largest entry accepted: weighted sums of squares stay far from overflow.
const maxEntry = 1e100

// checkStart finds factors that are not there, or not m×r and r×n, and bad entries in them;
// heaviest is the largest weight of the mask.
func checkStart(w, h *mat.Dense, m, r, n int, signedW bool, heaviest float64) error {
	if w == nil || h == nil {
		return fmt.Errorf("%w: the start lacks W or H", ErrShape)
	}
	if err := errors.Join(wantDims("W", w, m, r), wantDims("H", h, r, n)); err != nil {
		return err
	}
	return cmp.Or(checkFactor("W", w, signedW), checkFactor("H", h, false), checkProduct(w, h, heaviest))
}

// checkProduct finds the largest entry of W where an entry of WH could be too large to be squared,
// and weighed by the heaviest weight of the mask.
func checkProduct(w, h *mat.Dense, heaviest float64) error {
	largest := mat.Max(w)
	if least := mat.Min(w); -least > largest {
		largest = least
	}
	m, r := w.Dims()
	_, n := h.Dims()
	most := largestProduct(m, n, heaviest)
	if float64(r)*math.Abs(largest)*mat.Max(h) <= most {
		return nil
	}
	var wh mat.Dense
	wh.Mul(w, h)
	if mat.Max(&wh) <= most && mat.Min(&wh) >= -most {
		return nil
	}
	for i := range m {
		if j := slices.Index(w.RawRowView(i), largest); j >= 0 {
			return &EntryError{Matrix: "W", Row: i, Col: j, Value: largest, Err: fmt.Errorf("%w after multiplication by %g in H", ErrTooLarge, mat.Max(h))}
		}
	}
	return nil
}

// largestProduct is up to what an entry of WH, m×n, can be squared, and weighed by the heaviest weight of a
// mask.
func largestProduct(m, n int, heaviest float64) float64 {
	return min(1e10*maxEntry, math.Sqrt(1e305/heaviest/float64(m)/float64(n)))
}

// dataMatrix returns a as a dense matrix, the same one if it is dense, after checking that it is
// there and that its entries are finite and can be squared.
func dataMatrix(name string, a mat.Matrix) (*mat.Dense, error) {
	if err := wantMatrix(name, a); err != nil {
		return nil, err
	}
	if m, n := a.Dims(); m == 0 || n == 0 {
		return nil, fmt.Errorf("%w: %s is %d×%d", ErrEmpty, name, m, n)
	}
	d := asDense(a)
	return d, checkEntries(name, d, nil, true)
}

// asDense returns a itself if it is a *mat.Dense, or a copy.
func asDense(a mat.Matrix) *mat.Dense {
	if d, ok := a.(*mat.Dense); ok {
		return d
	}
	return mat.DenseCopyOf(a)
}
