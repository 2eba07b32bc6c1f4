package rnmf_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// A problem is a model and data, drawn at random from all that can be combined.
type problem struct {
	Model
	x *mat.Dense
	// smooth: no round raises the objective. plain: not at the edge of what can be
	// represented, so that small terms count.
	smooth, plain bool
	faint         bool    // squares of the data are hardly numbers
	least         float64 // what rounding errors of penalties may be
}

func (p problem) String() string {
	m, n := p.x.Dims()
	return fmt.Sprintf("%d×%d of %.2g to %.2g, rank %d, %s, %T%+v, OnW %s, OnH %s, mask %v, %T, MaxIter %d, Tol %g, TuneFor %d, TraceEvery %d",
		m, n, mat.Min(p.x), mat.Max(p.x), p.Rank, LossName(p.Loss), p.Solver, p.Solver, penaltyNames(p.OnW), penaltyNames(p.OnH), p.Mask != nil, p.Init, p.MaxIter, p.Tol, p.TuneFor, p.TraceEvery)
}

func penaltyNames(list []Penalty) (names string) {
	for _, p := range list {
		switch p := p.(type) {
		case Laplacian:
			names += fmt.Sprintf(" Laplacian %g", p.Lambda)
		case Labels:
			names += fmt.Sprintf(" Labels %g", p.Weight)
		default:
			names += fmt.Sprintf(" %T%v", p, p)
		}
	}
	return names
}

// pickOne returns one of some values.
func pickOne[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

// randomProblem draws the problem of a seed.
func randomProblem(seed uint64) problem {
	rng := rand.New(rand.NewPCG(seed, 0x70726f70))
	side := func() int {
		return pickOne(rng, 1, 2, 3, 5, 7, 8, 9, 11, 12, 13, 16, 23, 24, 25, 31, 35, 36, 37, 49, 73, 1+rng.IntN(60))
	}
	m, n := side(), side()
	rank := 1 + rng.IntN(min(m, n))
	if rng.IntN(4) > 0 {
		rank = min(rank, 6)
	}
	p := problem{smooth: true, plain: true}
	// Data of size about 1, then a unit.
	x, _ := Planted(m, n, 1+rng.IntN(rank), pickOne(rng, 0, 0.05, 0.5), pickOne(rng, 0, 0.1, 0.5), seed)
	switch rng.IntN(12) {
	case 0:
		x.Zero()
	case 1:
		x.Apply(func(int, int, float64) float64 { return 0.7 }, x)
	case 2: // a single entry
		x.Zero()
		x.Set(rng.IntN(m), rng.IntN(n), 1)
	case 3: // rows and columns of 0
		x.Apply(func(i, j int, v float64) float64 {
			if i%3 == 1 || j%4 == 2 {
				return 0
			}
			return v
		}, x)
	case 4: // mostly 0
		x.Apply(func(_, _ int, v float64) float64 {
			if rng.Float64() < 0.9 {
				return 0
			}
			return v
		}, x)
	case 5: // samples all the same
		x.Apply(func(i, _ int, _ float64) float64 { return float64(i % 5) }, x)
	case 6: // many orders of magnitude; beyond sixteen rounding errors rule
		orders := pickOne(rng, 10., 60)
		x.Apply(func(_, _ int, v float64) float64 { return v * math.Pow(10, orders*(rng.Float64()-0.5)) }, x)
		p.plain, p.smooth = false, orders < 16
	case 7: // small integers, with many ties
		x.Apply(func(_, _ int, v float64) float64 { return math.Round(v) }, x)
	}
	if rng.IntN(8) == 0 {
		x.Apply(func(_, _ int, v float64) float64 { return v - 0.4 }, x)
		p.Signed = true
	}
	unit := 1.0
	switch rng.IntN(6) {
	case 0:
		unit = math.Pow(10, -300+400*rng.Float64())
	case 1:
		unit = math.Pow(10, -3+6*rng.Float64())
	case 2:
		unit = pickOne(rng, 1e-300, 1e-160, 1e-150, 1e-100, 1e-76, 1e-75, 1e-50, 1e50, 1e75, 1e99)
	}
	p.plain = p.plain && unit > 1e-10 && unit < 1e10
	if unit < 1e-140 {
		p.smooth, p.faint = false, true // the objective hardly knows of the data
	}
	x.Apply(func(_, _ int, v float64) float64 { return min(max(v*unit, -MaxEntry), MaxEntry) }, x)
	p.x = x

	p.Loss = randomLoss(rng, unit)
	p.Solver = pickOne(rng, append([]Solver{nil, HALS{NoExtrapolation: true}, RRA{Printed: true}}, AllSolvers[:oldSolvers]...)...)
	if newer := rand.New(rand.NewPCG(seed, 0x736f6c76)); !slices.Contains(foundProblems, seed) && newer.IntN(6) == 0 {
		p.Solver = pickOne(newer, AllSolvers[oldSolvers:]...)
	}
	switch s := p.Solver.(type) {
	case RRA:
		p.smooth = p.smooth && !s.Printed
	case Additive: // without data rounding errors of WH are all there is, and X − S loses all digits where an outlier is 1e16 times the scale
		p.smooth = p.smooth && (p.plain || unit != 1 && mat.Max(x) < 1e3*unit) && mat.Norm(x, 2) > 0
	case MU, FGD: // a penalty far above the data sends H to 0 and W to infinity
		p.smooth = p.smooth && unit > 1e-50
	}
	if rng.IntN(3) == 0 {
		p.OnW = randomPenalties(rng, unit, m, rank, false)
	}
	if rng.IntN(2) == 0 {
		p.OnH = randomPenalties(rng, unit, n, rank, true)
	}
	switch rng.IntN(4) {
	case 0:
		c := Masks(x, seed)["missing"]
		p.x, p.Mask = c[0], c[1]
	case 1:
		weights, size := mat.NewDense(m, n, nil), pickOne(rng, 1, 1, 1, 1e-50, 1e50, 1e-100, 1e100)
		weights.Apply(func(i, j int, _ float64) float64 { return size * max(0, 1.2*rng.Float64()-0.2) }, weights)
		weights.Set(0, 0, size)
		p.Mask = weights
		p.plain = p.plain && size == 1
		if size*unit*unit < 1e-150 {
			p.smooth = false
		}
		if _, ok := p.Solver.(Additive); ok && size > 1 {
			p.smooth = false // outliers, as above
		}
	}
	root := math.Sqrt(unit)
	switch rng.IntN(8) {
	case 0:
		fill := pickOne(rng, 0, 1, 2)
		p.Init = []Init{NNDSVD{}, NNDSVDa{}, NNDSVDar{}}[fill]
	case 1:
		p.Init = KMeansInit{Shift: pickOne(rng, 0, -1, 2.5), Scaled: rng.IntN(2) == 0}
	case 2: // badly scaled
		far := math.Pow(10, 20*rng.Float64()-10)
		p.Init = WarmStart{W: Scaled(Uniform(m, rank, seed), root*far), H: Scaled(Uniform(rank, n, seed+1), root/far)}
	case 3: // with zeros
		w, h := Uniform(m, rank, seed), Uniform(rank, n, seed+1)
		w.Apply(func(i, j int, v float64) float64 { return max(0, v-0.5) * root }, w)
		h.Apply(func(i, j int, v float64) float64 { return max(0, v-0.5) * root }, h)
		p.Init = WarmStart{W: w, H: h}
	case 4: // nothing at all
		p.Init = WarmStart{W: mat.NewDense(m, rank, nil), H: mat.NewDense(rank, n, nil)}
	}
	p.Rank, p.Seed, p.MaxIter = rank, seed, pickOne(rng, 1, 2, 6, 12, 40)
	p.Tol = pickOne(rng, -1, -1, 0, 1e-3, 0.5)
	p.TuneFor = pickOne(rng, 0, 0, 1, 3)
	p.TraceKKT = rng.IntN(4) == 0
	p.TraceEvery = pickOne(rng, 0, 0, 2, 5)
	return p
}

// randomLoss draws a loss for residuals of about a unit.
func randomLoss(rng *rand.Rand, unit float64) Loss {
	// A scale far above or below the data too, but within what is accepted.
	scale := func() float64 {
		if rng.IntN(3) == 0 {
			return 0
		}
		return min(max(unit*math.Pow(10, pickOne(rng, -1., -1, 0, 1, -6, 6)*rng.Float64()), 1e-75), 1e106)
	}
	one := []func() Loss{
		func() Loss { return Frobenius{} },
		func() Loss { return L1{Eps: scale()} },
		func() Loss { return Huber{Cut: scale()} },
		func() Loss { return Hypersurface{Scale: scale()} },
		func() Loss { return Correntropy{Scale: scale()} },
		func() Loss { return Cauchy{Scale: scale()} },
		func() Loss { return SmoothL1{Mu: scale()} },
		func() Loss { return LogShrink{Gamma: pickOne(rng, 0.1, 1, 6), Scale: scale()} },
	}
	draw := func() Loss { return pickOne(rng, one...)() }
	l := draw()
	switch rng.IntN(5) {
	case 0:
		l = Truncated{Loss: l, Cut: scale(), Rule: pickOne(rng, ThreeSigma, NormalThreeSigma)}
	case 1:
		if rng.IntN(3) == 0 {
			l = MMEstimator{}
		} else {
			l = MMEstimator{First: l, Then: Truncated{Loss: draw(), Rule: NormalThreeSigma}}
		}
	}
	switch rng.IntN(10) {
	case 0, 1, 2:
		return ByColumn{l}
	case 3:
		return nil
	case 4:
		return CellCase{Loss: l, Eps: pickOne(rng, 0, scale())}
	}
	return l
}

// randomPenalties draws penalties for a factor rank×n.
func randomPenalties(rng *rand.Rand, unit float64, n, rank int, samples bool) []Penalty {
	var list []Penalty
	for range 1 + rng.IntN(3) {
		lambda := pickOne(rng, 0, 1e-3, 0.1, 10, 1e6) * pickOne(rng, 1, unit)
		lambda = min(lambda, MaxEntry)
		switch rng.IntN(5) {
		case 0:
			list = append(list, Lasso{lambda})
		case 1:
			list = append(list, Ridge{lambda})
		case 2:
			list = append(list, Laplacian{Ring(n, uint64(n)), lambda})
		case 3:
			list = append(list, LogSparse{Lambda: lambda})
		case 4:
			if !samples {
				continue
			}
			class := make([]int, n)
			for j := range class {
				class[j] = rng.IntN(rank+1) - 1
			}
			list = append(list, Labels{Class: class, Weight: lambda})
		}
	}
	return list
}

// bounds evaluates the objective entry by entry, at residuals that rounding may
// have made smaller or larger.
func (p problem) bounds(l Loss, w, h *mat.Dense) (low, value, high float64) {
	m, n := p.x.Dims()
	entry, sample, bySample := OfSamples(l)
	_, byColumn := l.(ByColumn)
	const eps = 1e-13
	for j := range n {
		var s [3]float64
		for i := range m {
			k := 1.0
			if p.Mask != nil {
				k = p.Mask.At(i, j)
			}
			if k == 0 {
				continue
			}
			e := p.x.At(i, j)
			size := math.Abs(e)
			for a := range p.Rank {
				y := w.At(i, a) * h.At(a, j)
				e -= y
				size += math.Abs(y)
			}
			e = math.Abs(e)
			for at, v := range []float64{max(0, e-eps*size), e, e + eps*size} {
				switch {
				case !byColumn:
					v, _ = entry(v * v)
					s[at] += k * v
				case at == 2: // one of the two may vanish
					s[at] += max(k*v*v, k*(v*v))
				default:
					s[at] += min(k*v*v, k*(v*v))
				}
			}
		}
		if bySample {
			for at, v := range s {
				s[at], _ = sample(v)
			}
		}
		low, value, high = low+s[0], value+s[1], high+s[2]
	}
	var sum float64
	wt := mat.DenseCopyOf(w.T())
	for _, q := range p.OnW {
		sum += q.Value(wt)
	}
	for _, q := range p.OnH {
		sum += q.Value(h)
	}
	slack := 1e-9*math.Abs(value+sum) + p.least
	if p.faint {
		slack += math.Abs(value+sum) + 1e-160 // squares have lost their digits
	}
	return low + sum - slack, value + sum, high + sum + slack
}

// tooLarge tells whether an error is right: that a start is too large for its WH to be
// squared and weighed by the mask. That of another than one's own is of the size of the
// data, give or take some digits.
func (p problem) tooLarge(err error) bool {
	var entry *EntryError
	if !errors.As(err, &entry) || !errors.Is(err, ErrTooLarge) || p.Init == nil || entry.Matrix != "W" {
		return false
	}
	heaviest := 1.0
	if p.Mask != nil {
		heaviest = mat.Max(p.Mask)
	}
	m, n := p.x.Dims()
	var size float64
	if start, own := p.Init.(WarmStart); own {
		size = mat.Max(Mul(start.W, start.H))
	} else {
		p.x.Apply(func(_, _ int, v float64) float64 {
			if !math.IsNaN(v) {
				size = max(size, 1e4*math.Abs(v))
			}
			return v
		}, p.x)
	}
	return !(size*size*heaviest*float64(m)*float64(n) < 1e304 && size < 1e109)
}

// check fits a problem, and returns what is wrong.
func (p problem) check() (err error) {
	defer func() {
		if r := recover(); r != nil {
			var stack [8192]byte
			err = fmt.Errorf("panic: %v\n%s", r, stack[:runtime.Stack(stack[:], false)])
		}
	}()
	x, mask := mat.DenseCopyOf(p.x), (*mat.Dense)(nil)
	if p.Mask != nil {
		mask = mat.DenseCopyOf(p.Mask)
	}
	var last struct {
		Point
		loss      Loss
		low, high float64
	}
	var end *Result
	var losses []Loss
	for s, err := range p.Steps(context.Background(), p.x) {
		if err != nil {
			if p.tooLarge(err) {
				return nil
			}
			return err
		}
		r := s.Result()
		if err := finite(r, p.Signed); err != nil {
			return fmt.Errorf("round %d: %w", s.Round, err)
		}
		if s.Round == 0 {
			p.least = 1e-20 * math.Abs(s.Objective)
		}
		p.noise(r)
		low, value, high := p.bounds(r.Loss, r.W, r.H)
		for _, got := range []float64{s.Objective, r.Objective} {
			if !(got >= low && got <= high) {
				return fmt.Errorf("round %d: the objective is %.17g, not %.17g (%.17g to %.17g)", s.Round, got, value, low, high)
			}
		}
		if s.Round > 0 && p.smooth && last.loss == r.Loss && low > last.high {
			return fmt.Errorf("round %d: the objective rose from %.17g to %.17g", s.Round, last.Objective, s.Objective)
		}
		last.Point, last.loss, last.low, last.high = s.Point, r.Loss, low, high
		end, losses = r, append(losses, r.Loss)
	}
	r, err := p.Fit(context.Background(), p.x)
	if err != nil {
		return err
	}
	if err := finite(r, p.Signed); err != nil {
		return err
	}
	if err := p.checkKKT(r); err != nil {
		return err
	}
	if low, value, high := p.bounds(r.Loss, r.W, r.H); !(r.Objective >= low && r.Objective <= high) {
		return fmt.Errorf("the objective of the result is %.17g, not %.17g", r.Objective, value)
	}
	if _, _, high := p.bounds(end.Loss, end.W, end.H); r.Loss == end.Loss && r.Objective > high {
		return fmt.Errorf("Fit ends at %g, above Steps, %g", r.Objective, end.Objective)
	}
	if !sameBits(x, p.x) || mask != nil && !sameBits(mask, mat.DenseCopyOf(p.Mask)) {
		return errors.New("the data have changed")
	}
	k := len(losses) - 1
	return p.checkReason(r, k > 0 && losses[k] == losses[k-1])
}

// kktKnown counts the fits whose KKT residual has been compared, and those where
// rounding leaves it uncertain by less than a millionth.
var kktKnown, kktCompared atomic.Uint64

// checkKKT compares the KKT residual with a naive one.
func (p problem) checkKKT(r *Result) error {
	want := naiveKKT(p.Model, r.Loss, p.x, r.W, r.H)
	room := 1e-9
	if mat.Max(p.x) < 1e-140 { // squares of the data are denormal or 0, as docs/PROMISES.md says
		if p.OnW != nil || p.OnH != nil {
			return nil // and so may be a weight in their unit times a factor
		}
		room = 1e-6
	}
	if r.KKT < want.low*(1-room) || r.KKT > want.high*(1+room) {
		return fmt.Errorf("KKT residual %.17g, want %.17g to %.17g", r.KKT, want.low, want.high)
	}
	kktCompared.Add(1)
	if want.high-want.low <= 1e-6*want.high {
		kktKnown.Add(1)
	}
	return nil
}

// noise raises least to the rounding errors of penalties made of differences, and of
// their squares, one by one, in RRA.
func (p *problem) noise(r *Result) {
	wt, most := mat.DenseCopyOf(r.W.T()), 10.0
	if _, ok := p.Solver.(RRA); ok {
		most = 1e14
	}
	for _, q := range p.OnW {
		if q, ok := q.(interface{ Rounding(*mat.Dense) float64 }); ok {
			p.least = max(p.least, most*q.Rounding(wt))
		}
	}
	for _, q := range p.OnH {
		if q, ok := q.(interface{ Rounding(*mat.Dense) float64 }); ok {
			p.least = max(p.least, most*q.Rounding(r.H))
		}
	}
}

func finite(r *Result, signed bool) error {
	for _, f := range []*mat.Dense{r.W, r.H} {
		for _, v := range f.RawMatrix().Data {
			if !(v >= 0) || math.IsInf(v, 0) {
				return fmt.Errorf("a factor has the entry %g", v)
			}
		}
	}
	for _, q := range append(r.Trace, Point{Objective: r.Objective, KKT: r.KKT}) {
		for _, v := range []float64{q.Objective, q.Scale, q.KKT, q.Seconds} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("trace %+v", q)
			}
		}
	}
	if r.KKT < 0 {
		return fmt.Errorf("KKT residual %g", r.KKT)
	}
	return nil
}

// checkReason tells whether the reason for stopping is true.
func (p problem) checkReason(r *Result, sameScale bool) error {
	last := len(r.Trace) - 1
	rounds, now := r.Trace[last].Round, r.Trace[last].Objective
	before := r.Trace[max(last-1, 0)].Objective
	since := float64(rounds - r.Trace[max(last-1, 0)].Round)
	tol := p.Tol
	if tol == 0 {
		tol = 1e-5
	}
	wrong := func(why string) error {
		return fmt.Errorf("%v after %d of %d rounds, %g to %g, KKT %g: %s", r.Reason, rounds, p.MaxIter, before, now, r.KKT, why)
	}
	if rounds > p.MaxIter {
		return wrong("too many")
	}
	switch r.Reason {
	case MaxIter:
		if rounds != p.MaxIter {
			return wrong("too few")
		}
	case Converged:
		low, _, high := p.bounds(r.Loss, r.W, r.H)
		if sameScale && p.smooth && p.plain && math.Abs(before-now) > since*max(tol, 0)*math.Abs(before)+(high-low) && r.KKT > 1e-6 {
			return wrong("it still fell")
		}
	case Stalled:
		if low, _, high := p.bounds(r.Loss, r.W, r.H); math.Abs(before-now) > high-low && sameScale {
			return wrong("something has changed")
		}
	case Diverged:
		if p.smooth {
			return wrong("the solver descends")
		}
	case Collapsed:
		if p.OnW == nil && p.OnH == nil {
			return wrong("without penalties")
		}
	default:
		return wrong("no such reason")
	}
	return nil
}

// oldSolvers is how many of allSolvers there were when foundProblems were found.
const oldSolvers = 13

// foundProblems have failed once, in millions. They stay the same as long as
// randomProblem draws in the same order.
var foundProblems = []uint64{
	4295002717, // a mask of 1e100 under Additive
	4295008297, // MU where WH is nothing beside X
	4295066708, // the same, over many rounds
	4295112382, // RRA thrown far along the constant vector by rounding errors
	4295129630, // scores of the start by clusters above 1e100
	40806,      // a mean square beyond all numbers, as scale
}

// Everything that can be combined, on data of odd shapes and sizes. RNMF_LONG=n
// takes n problems instead of some hundreds, and RNMF_PROBLEM=k the k-th alone.
func TestRandomProblems(t *testing.T) {
	if one := os.Getenv("RNMF_PROBLEM"); one != "" {
		seed, err := strconv.ParseUint(one, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		p := randomProblem(seed)
		t.Logf("%v", p)
		if err := p.check(); err != nil {
			t.Error(err)
		}
		return
	}
	count := uint64(300)
	if testing.Short() {
		t.Logf("-short: 60 of %d problems", count)
		count = 60
	}
	if long() {
		count = 20000
		if n, err := strconv.ParseUint(os.Getenv("RNMF_LONG"), 10, 64); err == nil && n > 1 {
			count = n
		}
	}
	var next, failed atomic.Uint64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for k := next.Add(1) - 1; k < count+uint64(len(foundProblems)) && failed.Load() < 20; k = next.Add(1) - 1 {
				seed := k
				if k >= count {
					seed = foundProblems[k-count]
				}
				p := randomProblem(seed)
				if err := p.check(); err != nil {
					failed.Add(1)
					t.Errorf("RNMF_PROBLEM=%d: %v\n%v", seed, p, err)
				}
			}
		}()
	}
	wait.Wait()
	known, compared := kktKnown.Load(), kktCompared.Load()
	t.Logf("KKT residuals: %d compared, %d of them to six digits", compared, known)
	if known < compared/3 {
		t.Error("too few of the KKT residuals are known: the comparison tells nothing")
	}
}
