package show

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A progress is what the fits have reached, written by them and read by the
// goroutine that draws.
type progress struct {
	mu   sync.Mutex
	runs []state
}

// A state is that of one fit. Its trace is only ever appended to, or replaced, so a
// copy of the state may be read while the fit goes on.
type state struct {
	name         string
	trace        rnmf.Trace
	limit        int     // of the rounds, 0 if unknown
	tol          float64 // at which the fit ends, 0 or less if unknown
	begun, ended time.Time
	reason       rnmf.Reason // once it has ended
}

func newProgress(runs []Run) *progress {
	p := &progress{runs: make([]state, len(runs))}
	for i, r := range runs {
		s := &p.runs[i]
		s.name = r.Name
		with(r.Model, func(m *rnmf.Model) {
			s.limit, s.tol = m.MaxIter, m.Tol
			if s.limit == 0 {
				s.limit = 500 // as in rnmf.Model
			}
			if s.tol == 0 {
				s.tol = 1e-5
			}
		})
	}
	return p
}

func (p *progress) begin(i int) {
	p.mu.Lock()
	p.runs[i].begun = time.Now()
	p.mu.Unlock()
}

func (p *progress) add(i int, pt rnmf.Point) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.runs[i]
	if n := len(s.trace); n > 0 && pt.Round <= s.trace[n-1].Round {
		s.trace, s.limit, s.tol = nil, 0, 0 // another objective, or another fit: see rnmf.Model.Watch
	}
	s.trace = append(s.trace, pt)
}

func (p *progress) end(i int, r *rnmf.Result) {
	p.mu.Lock()
	p.runs[i].ended, p.runs[i].reason, p.runs[i].trace = time.Now(), r.Reason, r.Trace
	p.mu.Unlock()
}

// fail ends a run that has no result, if there is anything of it to show.
func (p *progress) fail(i int) {
	p.mu.Lock()
	if len(p.runs[i].trace) > 0 {
		p.runs[i].ended = time.Now()
	}
	p.mu.Unlock()
}

// outcome says how a run has ended: one without a reason has failed.
func (s state) outcome() string {
	if s.reason == 0 {
		return "failed"
	}
	return s.reason.String()
}

// now returns a copy that does not change any more.
func (p *progress) now() []state {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]state(nil), p.runs...)
}

// left estimates the rounds to come: those that the limit leaves, or fewer if the
// decrease of the objective, which is taken to fall by a constant factor from round
// to round, reaches the tolerance before. It is −1 if nothing is known.
func (s state) left() int {
	n := len(s.trace)
	if n == 0 || s.limit == 0 {
		return -1
	}
	left := max(s.limit-s.trace[n-1].Round, 0)
	// Decreases jump, with the scale of the loss and with extrapolation: compare the
	// means of the older and the newer half of what was seen lately.
	k := min(n-1, 40) / 2
	if s.tol <= 0 || k < 3 {
		return left
	}
	drop := func(from, to int) float64 {
		return math.Abs(s.trace[from].Objective-s.trace[to].Objective) / (float64(k) * math.Abs(s.trace[to].Objective))
	}
	older, newer := drop(n-1-2*k, n-1-k), drop(n-1-k, n-1)
	if !(newer > 0 && newer < older) || math.IsInf(older, 0) {
		return left
	}
	if more := math.Log(newer/s.tol) / math.Log(older/newer) * float64(k); more < float64(left) {
		left = max(int(more), 1)
	}
	return left
}

// share is how much of the fit is done, 0 to 1.
func (s state) share() float64 {
	left := s.left()
	if left < 0 || len(s.trace) == 0 {
		return 0
	}
	done := s.trace[len(s.trace)-1].Round
	return float64(done) / float64(max(done+left, 1))
}

// text tells in a line where the fit stands.
func (s state) text(now time.Time) string {
	if s.begun.IsZero() {
		return "to come"
	}
	var parts []string
	n := len(s.trace)
	if !s.ended.IsZero() {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d rounds", s.trace[n-1].Round), duration(s.ended.Sub(s.begun)), "objective "+number(s.trace[n-1].Objective))
		}
		return strings.Join(append([]string{s.outcome()}, parts...), " · ")
	}
	if n == 0 {
		return "running for " + duration(now.Sub(s.begun))
	}
	last := s.trace[n-1]
	parts = append(parts, fmt.Sprintf("round %d", last.Round))
	if s.limit > 0 {
		parts[0] += fmt.Sprintf(" of at most %d", s.limit)
	}
	parts = append(parts, "objective "+number(last.Objective))
	if spent := now.Sub(s.begun).Seconds(); last.Round > 0 && spent > 0 {
		rate := float64(last.Round) / spent
		parts = append(parts, fmt.Sprintf("%.3g rounds/s", rate))
		if left := s.left(); left >= 0 {
			parts = append(parts, "about "+duration(time.Duration(float64(left)/rate*float64(time.Second)))+" left")
		}
	}
	return strings.Join(parts, " · ")
}

// number writes v with five significant digits.
func number(v float64) string {
	if a := math.Abs(v); a != 0 && (a < 1e-3 || a >= 1e7) {
		return strconv.FormatFloat(v, 'e', 3, 64)
	} else if a >= 1e4 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}

// duration writes d so that it does not flicker: 0.4 s, 12 s, 3 min, 2.1 h.
func duration(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 9.95:
		return fmt.Sprintf("%.1f s", s)
	case s < 99.5:
		return fmt.Sprintf("%.0f s", s)
	case d.Minutes() < 99.5:
		return fmt.Sprintf("%.0f min", d.Minutes())
	default:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
}
