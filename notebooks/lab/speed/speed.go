// Package speed measures what notebook 09 shows: how fast data come, how fast the loops of
// package rnmf run next to that, and fits by the clock.
package speed

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// Cores is the number of processors that a fit uses.
func Cores() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// Best returns the seconds of the fastest of several runs of f: what the code can do.
func Best(runs int, f func()) float64 {
	best := math.Inf(1)
	for range runs {
		start := time.Now()
		f()
		best = min(best, time.Since(start).Seconds())
	}
	return best
}

// Once yields the numbers of a list, each with the count 1, as [rnmf.Residuals.All] yields those of a histogram.
func Once(list []float64) iter.Seq2[float64, int] {
	return func(yield func(float64, int) bool) {
		for _, v := range list {
			if !yield(v, 1) {
				return
			}
		}
	}
}

// Bandwidth returns the GB/s, read and written, of one core while all cores copy from one
// half of a buffer to the other, each its own buffer of so many bytes: the best of some
// windows of 4 ms. It copies 4 KB at a time, as copy writes past the caches from 1 MB on.
func Bandwidth(size, windows int) float64 {
	const piece = 4 << 10
	buffers := make([][]byte, Cores())
	for i := range buffers {
		buffers[i] = bytes.Repeat([]byte{1}, size) // touched, so that it is really there
	}
	best := 0.0
	for range windows {
		var done sync.WaitGroup
		moved := make([]float64, len(buffers))
		start := time.Now()
		for i, b := range buffers {
			done.Add(1)
			go func() {
				defer done.Done()
				n := 0
				for time.Since(start) < 4*time.Millisecond {
					for range 1 + (1<<18)/size {
						for at := 0; at < size/2; at += piece {
							n += 2 * copy(b[at:min(at+piece, size/2)], b[size/2+at:])
						}
					}
				}
				moved[i] = float64(n)
			}()
		}
		done.Wait()
		took, sum := time.Since(start).Seconds(), 0.0
		for _, v := range moved {
			sum += v
		}
		best = max(best, sum/took/float64(len(buffers))/1e9)
	}
	return best
}

// Loops are the rates in GFLOP/s, on one core, of the loops over a tile of 1024 × 8 with 40
// parts, which lies in the second-level cache.
type Loops struct {
	Level string // avx512, avx2 or portable: the set of loops that fits use on this machine
	Peak  float64
	Rates map[string]float64 // of Sub, Add, SubOuter, Weighted and WeightedPair
}

var benchmark = regexp.MustCompile(`^Benchmark(?:Kernels|Peak)/(\w+)/(\w+)\S*\s.* ([\d.e+]+) best-GFLOP/s`)

// inUse is what the test of the levels says.
var inUse = regexp.MustCompile(`in use: (\w+)`)

// MeasureLoops runs the benchmarks of rnmf/internal/kernel, for so long each.
func MeasureLoops(each time.Duration) (Loops, error) {
	out, err := exec.Command("go", "test", "-count=1", "-v", "-run=^TestLevel$", "-benchtime="+each.String(),
		"-bench=^Benchmark(Peak|Kernels)$/^(portable|avx2|avx512)$/^(one|Sub|Add|SubOuter|Weighted|WeightedPair)$/^m=1024,r=40,b=8$",
		"github.com/robustnmf/robustnmf/rnmf/internal/kernel").CombinedOutput()
	if err != nil {
		return Loops{}, fmt.Errorf("speed: the benchmarks: %w: %s", err, out)
	}
	return readLoops(string(out))
}

func readLoops(out string) (Loops, error) {
	all := map[string]map[string]float64{}
	for text := range strings.Lines(out) {
		if f := benchmark.FindStringSubmatch(text); f != nil {
			if all[f[1]] == nil {
				all[f[1]] = map[string]float64{}
			}
			v, err := strconv.ParseFloat(f[3], 64)
			if err != nil {
				return Loops{}, fmt.Errorf("speed: %q: %w", text, err)
			}
			all[f[1]][f[2]] = v
		}
	}
	used := inUse.FindStringSubmatch(out)
	if used == nil || len(all[used[1]]) == 0 {
		return Loops{}, fmt.Errorf("speed: no rates in %q", out)
	}
	l := Loops{Level: used[1], Rates: all[used[1]]}
	l.Peak = l.Rates["one"]
	delete(l.Rates, "one")
	if l.Peak == 0 { // the loops in Go have no such benchmark
		for _, v := range l.Rates {
			l.Peak = max(l.Peak, v)
		}
	}
	return l, nil
}

// For fits until so many seconds are over, at least one round, and returns what is there.
// The trace of the Result has the seconds of each round.
func For(seconds float64, m rnmf.Model, x mat.Matrix) (*rnmf.Result, error) {
	m.MaxIter, m.Tol = math.MaxInt32, -1
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil {
			return nil, err
		}
		if s.Round > 0 && s.Seconds > seconds {
			return s.Result(), nil
		}
	}
	return nil, fmt.Errorf("speed: the fit ended by itself")
}

// To fits until the objective is no larger than target, for at most so many rounds, and
// returns the round and the seconds in which it got there.
func To(target float64, rounds int, m rnmf.Model, x mat.Matrix) (rnmf.Point, error) {
	m.MaxIter, m.Tol = rounds, -1
	var last rnmf.Point
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil {
			return last, err
		}
		if last = s.Point; last.Objective <= target {
			break
		}
	}
	return last, nil
}

// Mean returns the seconds of a round on average over the first n rounds, in the fastest of some runs: with
// those that extrapolation repeats.
func Mean(runs, n int, m rnmf.Model, x mat.Matrix) (float64, error) {
	best := math.Inf(1)
	for range runs {
		p, err := To(math.Inf(-1), n, m, x)
		if err != nil {
			return 0, err
		}
		best = min(best, p.Seconds/float64(n))
	}
	return best, nil
}

// Median returns the milliseconds of a round, the median over those of a trace.
func Median(t rnmf.Trace) float64 {
	var ms []float64
	for k := range t[1:] {
		ms = append(ms, 1e3*(t[k+1].Seconds-t[k].Seconds))
	}
	slices.Sort(ms)
	return ms[len(ms)/2]
}

// Products returns the seconds of the six products in a round with whole matrices, the best of some runs.
func Products(runs int, x, w, h *mat.Dense) float64 {
	var wh, u, v mat.Dense
	return 2 * Best(runs, func() {
		wh.Mul(w, h)
		u.Mul(w.T(), x)
		v.Mul(x, h.T())
	})
}

// PerRound returns the seconds of the fastest of n rounds. It is measured by the wall clock,
// as the trace does not count what TraceKKT takes.
func PerRound(n int, m rnmf.Model, x mat.Matrix) (float64, error) {
	m.MaxIter, m.Tol = n+2, -1
	best, last, begin := math.Inf(1), 0.0, time.Now()
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil {
			return 0, err
		}
		t := time.Since(begin).Seconds()
		if s.Round > 1 && s.Round < n+2 { // the first warms up, the last does not look ahead
			best = min(best, t-last)
		}
		last = t
	}
	return best, nil
}

const portable = "RNMF_SPEED_PORTABLE"

// Portable returns what f returns without the vector kernels, which are chosen when a
// program begins: it runs this program once more, with RNMF_KERNEL=portable, up to this
// call. So it should be the first call of a program, before all that displays.
func Portable(f func() []float64) (v []float64, err error) {
	const mark = "speed of portable loops:"
	if os.Getenv(portable) != "" {
		fmt.Println(mark, strings.Trim(fmt.Sprint(f()), "[]"))
		os.Exit(0)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, os.Args[1:]...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GONB_") && !strings.HasPrefix(v, "RNMF_KERNEL=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "RNMF_KERNEL=portable", portable+"=1")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("speed: the same program with portable loops: %w", err)
	}
	_, text, _ := strings.Cut(string(out), mark)
	for _, number := range strings.Fields(text) {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return nil, err
		}
		v = append(v, x)
	}
	return v, nil
}
