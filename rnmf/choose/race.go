package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// A Race fits the loss that predicts hidden entries of the data best: the default where nobody knows
// what is wrong with them. Three losses take part:
//
//   - ByEntryAndSample, rnmf.CellCaseNMF: entries or samples may be wrong, or both;
//   - ByOmission, rnmf.RobustNMF: so much is wrong that entries are to be left out;
//   - BySample, rnmf.L21NMF: least squares that forgives wrong samples, and the cheapest.
//
// A tenth of the known entries is hidden by chance, and each loss is fitted to the others in few
// rounds. Let h_q be the root mean square error over the share q of the hidden entries that a loss
// predicts best itself (least trimmed squares, Rousseeuw 1984), so that neither wrong entries among
// them nor the entries that a loss gives up count. ByOmission wins against ByEntryAndSample if
//
//	h_0.6 is less, over the entries that are not 0, and its error over the best eight tenths of
//	the entries that it was fitted to and that are not 0 is less than 1.1 times as large.
//
// The second condition is there as a fit to half of the entries predicts a half of the hidden ones
// very well, too. BySample wins if its h_0.9 is less than that of both others. It also takes the place of
// ByEntryAndSample if nothing stands out among the residuals of any of the three and its h_1 is at
// least 1 % less: where no entry is grossly wrong all of them count. The winner goes on from its
// factors, with all entries, unless it is ByOmission: which entries that one leaves out depends on
// where it begins, so it begins anew with all that is known. The shares and limits were chosen on the
// eleven sets that notebooks/lab/arena names.
type Race struct {
	// Model has the rank and all else but the loss, which has to be nil: the mask, the seed of the
	// starts and of what is hidden, penalties, solvers, MaxIter and Tol of the winner.
	Model rnmf.Model
}

// Auto is the default where nobody knows what is wrong with the data: it fits a model of this rank, with the one
// of three robust losses that predicts hidden entries best. Set Model.Mask and Model.Seed before Fit; of
// the result, Winner and Why say which loss that was.
func Auto(rank int) Race { return Race{Model: rnmf.Model{Rank: rank}} }

// RaceResult is the Result of the winner, fitted to all entries, and what the race has shown.
type RaceResult struct {
	*rnmf.Result
	Winner LossKind
	// NoDifference says that the race cannot tell the losses apart: ByEntryAndSample and BySample
	// predict alike, within 1 %, or too few entries could be hidden. Then the cheapest wins.
	NoDifference bool
	// Judged are the losses in the order in which they were fitted; nil if the fit was cancelled
	// before the race was over, or too few entries could be hidden.
	Judged []JudgedLoss
	Why    string // who won, and by how much, in one line
}

// A JudgedLoss is what a Race has seen of a loss. The errors are root mean squares in the unit of X.
type JudgedLoss struct {
	Kind LossKind
	// Best is h_0.6 over the hidden entries that are not 0, Most and All are h_0.9 and h_1 over all of
	// them.
	Best, Most, All float64
	// Fitted is the error over the best eight tenths of the entries that were fitted and are not 0.
	Fitted float64
	// StandsOut says that among these something stands out: their residuals do not become ever rarer
	// from 2.5σ̂ to 6σ̂ (rnmf.ThreeOrSixSigma).
	StandsOut bool
	Rounds    int
}

// String says in one line who won, and by how much.
func (r *RaceResult) String() string { return fmt.Sprintf("%v: %s", r.Winner, r.Why) }

// The rounds of the race. What comes later changes the factors, and hardly the order of the losses.
const (
	raceRounds     = 25
	omissionRounds = 100 // it has two stages
	omissionTol    = 1e-3
)

// The shares and limits of the rule, and how many entries have to be hidden.
const (
	hiddenShare  = 0.1
	fewestHidden = 30
	bestShare    = 0.6 // of h
	mostShare    = 0.9 // of h
	fittedShare  = 0.8
	fittedLimit  = 1.1
	sameWithin   = 0.01
	raceSeed     = 0x72_61_63_65
	enoughFitted = 1 << 17 // entries of those that were fitted; more say no more
	judgedAtOnce = 1 << 17 // entries of WH in memory
)

// With returns the same with another Model, as edit changes it.
func (a Race) With(edit func(m *rnmf.Model)) rnmf.Fitter[*RaceResult] {
	if edit != nil {
		edit(&a.Model)
	}
	return a
}

// Fit runs the race and fits the winner. Its errors are those of rnmf.Model.Fit; ErrParameter if the
// model has a loss. If ctx ends, it returns ctx.Err() and the factors of the last complete round of a
// fit that was running, or of the one before; they lack the mask that Outliers remembers, so pass it
// there. The three fits run at the same time if X has less than 2²⁰ entries and the model has no Watch,
// which sees the fits one after the other. The result is the same, and a panic in a penalty, start
// or solver of the model is one of Fit, as it is in rnmf.Model.Fit.
func (a Race) Fit(ctx context.Context, x mat.Matrix) (*RaceResult, error) {
	if a.Model.Loss != nil {
		return nil, fmt.Errorf("%w: Race.Model.Loss is %T, want nil: the race chooses it", ErrParameter, a.Model.Loss)
	}
	shown, hidden, err := a.hide(x)
	if err != nil {
		return nil, err
	}
	collect(x)
	result := &RaceResult{Winner: BySample, NoDifference: true}
	if hidden == nil {
		result.Why = fmt.Sprintf("no difference can be seen, as fewer than %d entries that are not 0 can be hidden; the cheapest loss was taken", fewestHidden)
		result.Result, err = a.of(BySample).Fit(ctx, x)
		return result.orNil(), err
	}
	kinds := [...]LossKind{ByEntryAndSample, ByOmission, BySample}
	var fits [len(kinds)]*rnmf.Result
	var errs [len(kinds)]error
	fit := func(i int) {
		m := a.of(kinds[i])
		m.Mask, m.TraceKKT, m.MaxIter = shown, false, raceRounds
		if kinds[i] == ByOmission {
			m.MaxIter, m.Tol = omissionRounds, max(cmp.Or(a.Model.Tol, omissionTol), omissionTol)
		}
		if a.Model.MaxIter != 0 { // of one below 0 the fit says so
			m.MaxIter = min(m.MaxIter, a.Model.MaxIter)
		}
		fits[i], errs[i] = m.Fit(ctx, x)
	}
	together := !large(x)
	if together {
		x = mat.DenseCopyOf(x) // as At of another's matrix need not be safe for three goroutines
	}
	inTurn := !together || a.Model.Watch != nil
	each(len(kinds), !inTurn, func(i int) {
		if !inTurn || errors.Join(errs[:i]...) == nil {
			fit(i)
			collect(x)
		}
	})
	for i, err := range errs {
		if err == nil {
			continue
		}
		if fits[i] == nil && i > 0 {
			i-- // the one before
		}
		result.Winner, result.NoDifference, result.Why = kinds[i], false, "the race was not finished"
		result.Result = withoutMask(fits[i])
		return result.orNil(), err
	}
	result.Judged = make([]JudgedLoss, len(kinds))
	each(len(kinds), together, func(i int) { result.Judged[i] = judged(kinds[i], fits[i], x, shown, hidden) })
	result.decide()
	at := slices.IndexFunc(result.Judged, func(j JudgedLoss) bool { return j.Kind == result.Winner })
	final := a.of(result.Winner)
	if result.Winner != ByOmission {
		final.Init = rnmf.WarmStart{W: fits[at].W, H: fits[at].H}
	}
	r, err := final.Fit(ctx, x)
	if r == nil {
		r = withoutMask(fits[at])
	}
	result.Result = r
	return result.orNil(), err
}

// collect frees what a fit has left, where that is large: a fit with a mask takes a copy of X, and without this
// those of all three would be in memory at once.
func collect(x mat.Matrix) {
	if large(x) {
		runtime.GC()
	}
}

// large says that the copies of X which fits with a mask take are worth the time of collecting them.
func large(x mat.Matrix) bool {
	m, n := x.Dims()
	return m*n >= 1<<20
}

// each runs n parts, one after the other or each on a goroutine of its own. A panic of a part, or runtime.Goexit,
// is then one of the caller, when all have ended.
func each(n int, together bool, part func(i int)) {
	if !together {
		for i := range n {
			part(i)
		}
		return
	}
	var running sync.WaitGroup
	ends := make([]func(), n)
	for i := range n {
		ends[i] = runtime.Goexit // unless it returns or panics
		running.Add(1)
		go func() {
			defer running.Done()
			defer func() {
				if v := recover(); v != nil {
					p := work.PanicOf(v)
					ends[i] = func() { panic(p) }
				}
			}()
			part(i)
			ends[i] = func() {}
		}()
	}
	running.Wait()
	for _, end := range ends {
		end()
	}
}

// of is the model of a kind.
func (a Race) of(kind LossKind) rnmf.Model {
	m := a.Model
	m.Loss = kind.Model(m.Rank).Loss
	return m
}

// orNil returns r, or nil where there are no factors.
func (r *RaceResult) orNil() *RaceResult {
	if r.Result == nil {
		return nil
	}
	return r
}

// withoutMask returns a result that has forgotten the mask of the race.
func withoutMask(r *rnmf.Result) *rnmf.Result {
	if r == nil {
		return nil
	}
	return &rnmf.Result{W: r.W, H: r.H, Loss: r.Loss, Family: r.Family, Objective: r.Objective, KKT: -1, Trace: r.Trace, Reason: rnmf.Cancelled, Solver: r.Solver, OnH: r.OnH}
}

// hide returns the mask without the entries that are hidden, and those, as numbers i·n + j; nil if too
// few can be hidden. Of no row and no column more than half of what is known is hidden.
func (a Race) hide(x mat.Matrix) (shown *mat.Dense, hidden []int, err error) {
	if isnil.Matrix(x) {
		return nil, nil, errNoX("X")
	}
	if isnil.Check(x) != nil {
		return nil, nil, nil // Model.Fit says what is wrong
	}
	m, n := x.Dims()
	if mask := a.Model.Mask; mask != nil {
		if isnil.Matrix(mask) {
			return nil, nil, fmt.Errorf("%w: Race.Model.Mask is nil within the interface", ErrParameter)
		}
		if rows, cols := mask.Dims(); rows != m || cols != n || isnil.Check(mask) != nil {
			return nil, nil, nil
		}
	}
	if m == 0 || n == 0 {
		return nil, nil, nil
	}
	shown = orOnes(nil, m, n).(*mat.Dense)
	if a.Model.Mask != nil {
		shown.Copy(a.Model.Mask)
	}
	rows, cols, count := make([]int, m), make([]int, n), 0
	for i := range m {
		for j, w := range shown.RawRowView(i) {
			if w > 0 {
				rows[i]++
				cols[j]++
				count++
			}
		}
	}
	known := make([]int, 0, count)
	for i := range m {
		for j, w := range shown.RawRowView(i) {
			if w > 0 {
				known = append(known, i*n+j)
			}
		}
	}
	rng := rand.New(rand.NewPCG(a.Model.Seed, raceSeed))
	rng.Shuffle(len(known), func(a, b int) { known[a], known[b] = known[b], known[a] })
	for i, count := range rows {
		rows[i] = count / 2
	}
	for j, count := range cols {
		cols[j] = count / 2
	}
	positive, most := 0, int(math.Round(hiddenShare*float64(len(known))))
	for _, k := range known {
		i, j := k/n, k%n
		if len(hidden) == most {
			break
		}
		if rows[i] == 0 || cols[j] == 0 {
			continue
		}
		rows[i]--
		cols[j]--
		hidden = append(hidden, k)
		shown.Set(i, j, 0)
		if x.At(i, j) != 0 {
			positive++
		}
	}
	if positive < fewestHidden {
		return nil, nil, nil
	}
	slices.Sort(hidden)
	return shown, hidden, nil
}

// judged measures a fit. The hidden entries are in the order of their numbers, so that a few rows of WH at a time do.
func judged(kind LossKind, r *rnmf.Result, x mat.Matrix, shown *mat.Dense, hidden []int) JudgedLoss {
	m, n := x.Dims()
	all, positive := make([]float64, 0, len(hidden)), make([]float64, 0, len(hidden))
	var fitted []float64
	next, step := 0, 1+m*n/enoughFitted // the next of those that were fitted
	rows := max(1, judgedAtOnce/n)
	wh := mat.NewDense(min(rows, m), n, nil)
	for top := 0; top < m; top += rows {
		end := min(top+rows, m)
		slab := wh.Slice(0, end-top, 0, n).(*mat.Dense)
		slab.Mul(r.W.Slice(top, end, 0, r.W.RawMatrix().Cols), r.H)
		residual := func(k int) (v, e float64) {
			v = x.At(k/n, k%n)
			return v, math.Abs(v - slab.At(k/n-top, k%n))
		}
		for ; len(hidden) > 0 && hidden[0] < end*n; hidden = hidden[1:] {
			v, e := residual(hidden[0])
			if all = append(all, e); v != 0 {
				positive = append(positive, e)
			}
		}
		for ; next < end*n; next += step {
			if v, e := residual(next); shown.At(next/n, next%n) > 0 && v != 0 {
				fitted = append(fitted, e)
			}
		}
	}
	for _, e := range [][]float64{all, positive, fitted} {
		slices.Sort(e)
	}
	return JudgedLoss{Kind: kind, Best: trimmed(positive, bestShare), Most: trimmed(all, mostShare), All: trimmed(all, 1), Fitted: trimmed(fitted, fittedShare), StandsOut: standsOut(fitted), Rounds: r.Rounds()}
}

// standsOut reports whether something stands out among magnitudes of residuals.
func standsOut(e []float64) bool {
	squares := make([]float64, len(e))
	for i, v := range e {
		squares[i] = v * v
	}
	s := rnmf.NewResiduals(squares...)
	return rnmf.ThreeOrSixSigma.Cut(s) < 4*s.Sigma()
}

// trimmed returns the root mean square of the smallest share of sorted magnitudes, at least of one, 0 of none.
func trimmed(e []float64, share float64) float64 {
	if len(e) == 0 {
		return 0
	}
	return rootMeanSquare(slices.Clone(e[:max(1, int(share*float64(len(e))))])) // which scales them
}

// decide names the winner, and says why.
func (r *RaceResult) decide() {
	both, omission, sample := r.Judged[0], r.Judged[1], r.Judged[2]
	r.Winner, r.NoDifference = ByEntryAndSample, false
	rival := both
	leaves := omission.Best < both.Best && omission.Fitted < fittedLimit*both.Fitted
	if leaves {
		r.Winner, rival = ByOmission, omission
	}
	quiet := !both.StandsOut && !omission.StandsOut && !sample.StandsOut
	switch {
	case !leaves && within(both.Best, sample.Best) && within(both.Most, sample.Most):
		r.Winner, r.NoDifference = BySample, true
		r.Why = fmt.Sprintf("no difference: of %.0f %% of the entries, which were hidden, it predicts the best six tenths %s than %v, and the best nine tenths %s; it is the cheapest",
			100*hiddenShare, better(sample.Best, both.Best), ByEntryAndSample, better(sample.Most, both.Most))
	case sample.Most < min(both.Most, omission.Most):
		r.Winner = BySample
		r.Why = fmt.Sprintf("it predicts the best nine tenths of what was hidden %s than %v, and %s than %v", better(sample.Most, both.Most), both.Kind, better(sample.Most, omission.Most), omission.Kind)
	case !leaves && quiet && sample.All < (1-sameWithin)*both.All:
		r.Winner = BySample
		r.Why = fmt.Sprintf("nothing stands out among the residuals, and it predicts all that was hidden %s than %v", better(sample.All, both.All), both.Kind)
	case leaves:
		r.Why = fmt.Sprintf("it predicts the best six tenths of what was hidden %s than %v, and the best nine tenths %s than %v",
			better(rival.Best, both.Best), both.Kind, better(rival.Most, sample.Most), sample.Kind)
	default:
		r.Why = fmt.Sprintf("it predicts the best six tenths of what was hidden %s than %v, and the best nine tenths %s than %v",
			better(both.Best, omission.Best), omission.Kind, better(both.Most, sample.Most), sample.Kind)
		if omission.Best < both.Best {
			r.Why += fmt.Sprintf("; but the former leaves so much out that its error over what was fitted is %.0f %% larger", 100*(omission.Fitted/both.Fitted-1))
		}
	}
}

// within reports whether two errors are the same, within 1 %.
func within(a, b float64) bool { return math.Abs(a-b) <= sameWithin*min(a, b) }

// better says in words by how much an error is below another.
func better(a, b float64) string {
	switch {
	case a == b:
		return "no better"
	case b == 0:
		return "worse"
	}
	return gain(1 - a/b)
}
