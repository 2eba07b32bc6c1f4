//go:build unix

package show

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" { // which measures it as it is
		drawInterval = 40 * time.Millisecond
	}
	os.Exit(m.Run())
}

// An output collects what a cell displays, by its id as Jupyter does.
type output struct {
	mu     sync.Mutex
	all    []*protocol.DisplayData
	onData func(*protocol.DisplayData) // called with each
}

func (o *output) add(d *protocol.DisplayData) {
	o.mu.Lock()
	o.all = append(o.all, d)
	o.mu.Unlock()
	if o.onData != nil {
		o.onData(d)
	}
}

var roundShown = regexp.MustCompile(`round (\d+) of`)

// stopAtTen presses the stop button, by SIGINT, at the first picture from the third on
// that shows ten rounds, however long that takes. It hands that picture over.
func (o *output) stopAtTen() <-chan string {
	picture, n := make(chan string, 1), 0
	o.onData = func(d *protocol.DisplayData) {
		n++
		found := roundShown.FindStringSubmatch(htmlOf(d))
		if n < 3 || found == nil {
			return
		}
		if round, err := strconv.Atoi(found[1]); err != nil || round < 10 {
			return
		}
		select {
		case picture <- htmlOf(d):
			_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
		default: // pressed already
		}
	}
	return picture
}

// first is closed when the first output comes.
func (o *output) first() <-chan struct{} {
	came, once := make(chan struct{}), sync.Once{}
	o.onData = func(*protocol.DisplayData) { once.Do(func() { close(came) }) }
	return came
}

// saved returns what a saved notebook would hold.
func (o *output) saved() []*protocol.DisplayData {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []*protocol.DisplayData
	for _, d := range o.all {
		i := slices.IndexFunc(out, func(s *protocol.DisplayData) bool { return d.DisplayID != "" && s.DisplayID == d.DisplayID })
		if i < 0 {
			out = append(out, d)
		} else {
			out[i] = d
		}
	}
	return out
}

func htmlOf(d *protocol.DisplayData) string {
	s, _ := d.Data[protocol.MIMETextHTML].(string)
	return s
}

// endless is a fit that only a stop ends.
var endless = rnmf.Model{Rank: 8, Seed: 3, MaxIter: 1 << 30, Tol: -1, Solver: rnmf.MU{}}

func data(t testing.TB) *mat.Dense {
	s, err := datasets.Digits().Sample(30, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s.Scaled().X
}

func onlyPNG(t *testing.T, o *output) {
	t.Helper()
	saved := o.saved()
	if len(saved) != 1 || len(saved[0].Data) != 1 {
		t.Fatalf("the saved notebook holds %d outputs", len(saved))
	}
	raw, ok := saved[0].Data[protocol.MIMEImagePNG].([]byte)
	if !ok {
		t.Fatalf("the saved output is %v", saved[0].Data)
	}
	if _, err := png.Decode(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
}

// TestFitIsModelFit wants the same bits, everywhere.
func TestFitIsModelFit(t *testing.T) {
	x, m := data(t), rnmf.Model{Rank: 5, Loss: rnmf.Huber{}, Seed: 7, MaxIter: 30}
	want, err := m.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	check := func(where string) {
		t.Helper()
		got, err := Fit(t.Context(), m, x)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(got.W, want.W) || !mat.Equal(got.H, want.H) || got.Objective != want.Objective || got.KKT != want.KKT || got.Reason != want.Reason || len(got.Trace) != len(want.Trace) {
			t.Errorf("%s: another result: %v %v, want %v %v", where, got.Reason, got.Objective, want.Reason, want.Objective)
		}
	}
	check("outside")
	o := new(output)
	inNotebook(t, o.add)
	leak := goleak.IgnoreCurrent()
	check("in a notebook")
	onlyPNG(t, o)
	goleak.VerifyNone(t, leak)
}

// TestStopButton presses it during a fit that has come some way.
func TestStopButton(t *testing.T) {
	o := new(output)
	picture := o.stopAtTen()
	inNotebook(t, o.add)
	defer pressed.Store(false)
	leak := goleak.IgnoreCurrent()
	x := data(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // if it is not heard
	defer cancel()
	r, err := Fit(ctx, endless, x)
	if err != nil || r.Reason != rnmf.Cancelled {
		t.Fatal(r, err)
	}
	if last := r.Trace[len(r.Trace)-1]; last.Round < 10 || r.Objective >= r.Trace[0].Objective/2 || math.Abs(r.Objective-last.Objective) > 1e-9*r.Objective {
		t.Errorf("stopped in round %d with %g, from %g", last.Round, r.Objective, r.Trace[0].Objective)
	}
	live := <-picture
	for _, want := range []string{"round ", "objective ", " rounds/s", "left", "<svg", "</svg>", "width:"} {
		if !strings.Contains(live, want) {
			t.Errorf("no %q in %.300s", want, live)
		}
	}
	if strings.Contains(live, "<?xml") || strings.Contains(live, "NaN") || len(live) > 40_000 {
		t.Errorf("%d bytes: %.300s", len(live), live)
	}
	onlyPNG(t, o)

	// What follows in the cell must not take the kernel's five seconds.
	before := len(o.saved())
	begin := time.Now()
	rs, err := Compare(t.Context(), x, Run{"a", endless}, Run{"b", rnmf.L1NMF(3)})
	if err != nil || len(rs) != 2 || rs[1].Reason != rnmf.Cancelled || time.Since(begin) > 5*time.Second {
		t.Errorf("after the button: %v, %v, %v", rs, err, time.Since(begin))
	}
	if after := len(o.saved()); after > before+1 {
		t.Errorf("%d outputs of fits that did not run", after-before)
	}
	goleak.VerifyNone(t, leak)
}

// TestParentEnds tells the stop button, which is no error, from the caller's context.
func TestParentEnds(t *testing.T) {
	x := data(t)
	for _, notebook := range []bool{false, true} {
		if notebook {
			inNotebook(t, new(output).add)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		r, err := Fit(ctx, endless, x)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || r == nil || r.Reason != rnmf.Cancelled {
			t.Errorf("notebook %v: %v, %v", notebook, r, err)
		}
	}
}

func TestCompare(t *testing.T) {
	o := new(output)
	first := o.first()
	inNotebook(t, o.add)
	leak := goleak.IgnoreCurrent()
	x := data(t)
	labels := rnmf.Labels{Class: make([]int, 300)} // the first hundred of class 0
	for j := 100; j < 300; j++ {
		labels.Class[j] = rnmf.Unlabelled
	}
	rs, err := Compare(t.Context(), x, Run{"standard <MU>", lazy{rnmf.NMF(8), first}}, Run{"L1", rnmf.L1NMF(4)}, Run{"CNMF", papers.CNMF{Model: rnmf.NMF(2), Labels: labels}})
	if err != nil || len(rs) != 3 {
		t.Fatal(len(rs), err)
	}
	onlyPNG(t, o)
	if live := htmlOf(o.all[0]); !strings.Contains(live, "standard &lt;MU&gt;") || !strings.Contains(live, "to come") {
		t.Errorf("%.500s", live)
	}
	// Bad input: the error names the run, and nothing is displayed.
	o.all = nil
	bad := mat.DenseCopyOf(x)
	bad.Set(2, 3, -1)
	rs, err = Compare(t.Context(), bad, Run{"first", rnmf.NMF(2)})
	if !errors.Is(err, rnmf.ErrNegative) || !strings.HasPrefix(err.Error(), "first: ") || len(rs) != 0 || len(o.all) != 0 {
		t.Error(rs, err, len(o.all))
	}
	if r, err := Fit(t.Context(), rnmf.NMF(0), x); r != nil || !errors.Is(err, rnmf.ErrRank) {
		t.Error(r, err)
	}
	if _, err := Compare(t.Context(), x, Run{Name: "none"}); err == nil {
		t.Error("no error for a run without a model")
	}
	if rs, err := Compare(t.Context(), x); rs != nil || err != nil {
		t.Error(rs, err)
	}
	goleak.VerifyNone(t, leak)
}

// TestOtherResults watches what returns more than a Result, and gets all of it.
func TestOtherResults(t *testing.T) {
	o := new(output)
	inNotebook(t, o.add)
	defer pressed.Store(false)
	leak := goleak.IgnoreCurrent()
	x := data(t)
	labels := rnmf.Labels{Class: make([]int, 300)}
	for j := range labels.Class {
		labels.Class[j] = j%3 - 1
	}

	picture := o.stopAtTen()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // if it is not heard
	defer cancel()
	r, err := Fit(ctx, papers.SSNMF{Model: endless, Labels: labels}, x)
	if err != nil || r.Reason != rnmf.Cancelled {
		t.Fatal(r, err)
	}
	if rows, cols := r.U.Dims(); rows != 2 || cols != 8 {
		t.Errorf("U is %d×%d", rows, cols)
	}
	if live := <-picture; !strings.Contains(live, "round ") || !strings.Contains(live, "<svg") {
		t.Errorf("%.300s", live)
	}
	onlyPNG(t, o)
	pressed.Store(false)

	o.all, o.onData = nil, nil
	covered := papers.OcclusionNMF{Model: rnmf.Model{Rank: 4, MaxIter: 15}, Height: 8, Width: 8}
	c, err := Fit(t.Context(), covered, x)
	if err != nil || c.Support == nil || c.W == nil {
		t.Fatal(c, err)
	}
	onlyPNG(t, o)
	rs, err := Compare(t.Context(), x, Run{"standard", rnmf.NMF(4)}, Run{"contiguous", Only(covered)})
	if err != nil || len(rs) != 2 || !mat.Equal(rs[1].W, c.W) {
		t.Error(rs, err)
	}

	// No result is no result, not a pointer to nothing.
	if r, err := Fit(t.Context(), papers.OcclusionNMF{}, x); r != nil || !errors.Is(err, rnmf.ErrShape) {
		t.Error(r, err)
	}
	if r, err := Fit[*rnmf.Result](t.Context(), nil, x); r != nil || err == nil {
		t.Error(r, err)
	}
	goleak.VerifyNone(t, leak)
}

// A fit that goes on with another objective begins another curve.
func TestAnotherObjective(t *testing.T) {
	p := newProgress([]Run{{Model: Only(papers.OcclusionNMF{})}, {Model: Only(papers.SSNMF{Model: rnmf.Model{MaxIter: 70}})}})
	for _, pt := range []rnmf.Point{{Round: 0, Objective: 9}, {Round: 1, Objective: 8}, {Round: 1, Objective: 2}, {Round: 2, Objective: 1}} {
		p.add(0, pt)
	}
	s := p.now()
	if got := s[0].trace; len(got) != 2 || got[0].Objective != 2 {
		t.Errorf("%v", got)
	}
	if s[0].limit != 0 || s[1].limit != 70 {
		t.Errorf("limits %d and %d", s[0].limit, s[1].limit)
	}
}

// lazy begins only then.
type lazy struct {
	m    rnmf.Model
	then <-chan struct{}
}

func (l lazy) Fit(ctx context.Context, x mat.Matrix) (*rnmf.Result, error) {
	select {
	case <-l.then:
	case <-ctx.Done():
	}
	return l.m.Fit(ctx, x)
}

func TestNothingYet(t *testing.T) {
	o := new(output)
	first := o.first()
	inNotebook(t, o.add)
	if _, err := Fit(t.Context(), lazy{rnmf.NMF(2), first}, data(t)); err != nil {
		t.Fatal(err)
	}
	if live := htmlOf(o.all[0]); !regexp.MustCompile(`running for \d\.\d s`).MatchString(live) {
		t.Errorf("%.300s", live)
	}
	onlyPNG(t, o)
}

func TestLineOnTerminal(t *testing.T) {
	var b bytes.Buffer
	s := lineScreen(&b)
	s.finish(nil)
	if b.Len() != 0 {
		t.Errorf("%q although nothing was drawn", b.String())
	}
	p := newProgress([]Run{{strings.Repeat("long ", 30), rnmf.NMF(3)}, {"short", rnmf.NMF(3)}})
	p.begin(0)
	p.add(0, rnmf.Point{Round: 1, Objective: 5})
	s.draw(p.now())
	s.finish(nil)
	lines := strings.Split(b.String(), "\r\x1b[K")
	if len(lines) != 3 || lines[0] != "" || lines[2] != "" || len([]rune(lines[1])) != 79 || !strings.HasPrefix(lines[1], "1/2 long") || strings.Contains(b.String(), "\n") {
		t.Errorf("%q", lines)
	}
}

// TestSilent runs a fit with standard error in a file: not a byte may appear.
func TestSilent(t *testing.T) {
	if gonbui.IsNotebook {
		t.Skip("run from a notebook")
	}
	f, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stderr
	os.Stderr = f
	defer func() { os.Stderr = old }()
	x := data(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*drawInterval)
	defer cancel()
	if _, err := Fit(ctx, endless, x); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if info, err := f.Stat(); err != nil || info.Size() != 0 {
		t.Error(info.Size(), err)
	}
}

// TestLeft checks the estimate on an objective whose decrease is known: a factor of
// 0.9 each round, so the tolerance is reached in a round that can be computed.
func TestLeft(t *testing.T) {
	p := newProgress([]Run{{"", rnmf.Model{Tol: 1e-6, MaxIter: 1000}}})
	ends := 0
	for r := range 200 {
		p.add(0, rnmf.Point{Round: r, Objective: 1 + math.Pow(0.9, float64(r))})
		if drop := math.Pow(0.9, float64(r)) / 9; ends == 0 && drop < 1e-6 {
			ends = r
		}
		s := p.now()[0]
		if r == 0 && s.left() != 1000 {
			t.Errorf("at the start: %d", s.left())
		}
		if r >= 30 && r <= 80 {
			if total := r + s.left(); total < ends-15 && ends > 0 || total > 140 || total < 85 {
				t.Errorf("round %d: %d left", r, s.left())
			}
		}
		if share := s.share(); !(share >= 0 && share <= 1) {
			t.Errorf("round %d: share %g", r, share)
		}
	}
	if ends < 100 || ends > 115 {
		t.Fatalf("the test's own round: %d", ends)
	}
	if got := (state{}).left(); got != -1 {
		t.Errorf("of nothing: %d", got)
	}
}

func TestThin(t *testing.T) {
	var long rnmf.Trace
	for r := range 100_000 {
		long = append(long, rnmf.Point{Round: r, Objective: 1})
	}
	got := thin(long)
	if len(got) > 500 || got[0].Round != 0 || got[1].Round != 1 || got[len(got)-1].Round != 99_999 {
		t.Errorf("%d points", len(got))
	}
	got[0].Objective = 7
	if long[0].Objective != 1 {
		t.Error("the trace itself was changed")
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 12.345678: "12.346", 123456.7: "123457", 1.5e9: "1.500e+09", -2e-5: "-2.000e-05", 0.25: "0.25"} {
		if got := number(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
	for d, want := range map[time.Duration]string{430 * time.Millisecond: "0.4 s", 12 * time.Second: "12 s", 99 * time.Second: "99 s", 100 * time.Second: "2 min", 3 * time.Hour: "3.0 h"} {
		if got := duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// BenchmarkOverhead fits in pairs, without and with a notebook that watches, in
// turn, and reports by how much the second is slower: of the fastest of each, and
// the median of the pairs. The final PNG counts apart, as it comes after the fit.
func BenchmarkOverhead(b *testing.B) {
	inNotebook(b, new(output).add)
	x := datasets.Fashion().Scaled().X
	for _, rounds := range []int{40, 100} {
		m := rnmf.Model{Rank: 20, Loss: rnmf.Huber{}, Seed: 1, MaxIter: rounds, Tol: -1}
		b.Run(fmt.Sprintf("%d rounds", rounds), func(b *testing.B) {
			var plain, seen, png, ratio []float64
			for b.Loop() {
				begin := time.Now()
				if _, err := m.Fit(b.Context(), x); err != nil {
					b.Fatal(err)
				}
				plain = append(plain, time.Since(begin).Seconds())

				p, s := newProgress([]Run{{Model: m}}), newScreen()
				begin = time.Now()
				wait := s.watch(p)
				p.begin(0)
				r, err := watched(m, func(pt rnmf.Point) { p.add(0, pt) }).Fit(b.Context(), x)
				if err != nil {
					b.Fatal(err)
				}
				seen = append(seen, time.Since(begin).Seconds())
				p.end(0, r)
				begin = time.Now()
				wait()
				png = append(png, time.Since(begin).Seconds())
				ratio = append(ratio, seen[len(seen)-1]/plain[len(plain)-1])
			}
			slices.Sort(ratio)
			b.ReportMetric(slices.Min(plain), "s-plain")
			b.ReportMetric(100*(slices.Min(seen)/slices.Min(plain)-1), "%-of-min")
			b.ReportMetric(100*(ratio[len(ratio)/2]-1), "%-median")
			b.ReportMetric(slices.Min(png), "s-png")
		})
	}
}

// BenchmarkDraw is what one drawing of a running fit takes, once fonts are there.
func BenchmarkDraw(b *testing.B) {
	p := newProgress([]Run{{Model: rnmf.NMF(20)}})
	p.begin(0)
	for r := range 500 {
		p.add(0, rnmf.Point{Round: r, Objective: 1e5 / float64(r+1)})
	}
	for b.Loop() {
		_ = cell(p.now(), time.Now())
	}
}

// A run that fails after some rounds is told as failed, with the time that it took.
func TestRunThatFails(t *testing.T) {
	p := newProgress([]Run{{"odd", rnmf.NMF(3)}, {"other", rnmf.NMF(3)}})
	p.begin(0)
	for i := range 3 {
		p.add(0, rnmf.Point{Round: i, Objective: 9 - float64(i)})
	}
	p.fail(0)
	p.begin(1)
	p.fail(1) // before it had a round
	runs := p.now()
	if text := runs[0].text(time.Now()); !strings.HasPrefix(text, "failed · 2 rounds · ") || strings.Contains(text, "−") || strings.Contains(text, "-") {
		t.Errorf("%q", text)
	}
	if text := runs[1].text(time.Now()); !strings.HasPrefix(text, "running for ") {
		t.Errorf("%q", text)
	}
}
