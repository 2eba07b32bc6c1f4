// Package testkit is what tests of several packages share: numbers that are nearly
// equal, matrices to begin with, golden files, and contexts that are cancelled.
package testkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
)

// Golden reads a JSON file into a struct.
func Golden(t testing.TB, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

// FromRows makes a matrix of its rows.
func FromRows(rows [][]float64) *mat.Dense {
	d := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		d.SetRow(i, r)
	}
	return d
}

// Uniform returns numbers from [0, 1).
func Uniform(m, n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := mat.NewDense(m, n, nil)
	for i := range m {
		row := d.RawRowView(i)
		for j := range row {
			row[j] = rng.Float64()
		}
	}
	return d
}

// Falling returns an m×n matrix with singular values about k^−power.
func Falling(m, n int, power float64, seed uint64) *mat.Dense {
	p := min(m, n)
	u, v := Uniform(m, p, seed), Uniform(p, n, seed+1)
	for k := range p {
		for i := range m {
			u.Set(i, k, (u.At(i, k)-0.5)*math.Pow(float64(k+1), -power))
		}
		for j, x := range v.RawRowView(k) {
			v.Set(k, j, x-0.5)
		}
	}
	var x mat.Dense
	x.Mul(u, v)
	return &x
}

// Scaled multiplies x in place.
func Scaled(x *mat.Dense, by float64) *mat.Dense {
	x.Scale(by, x)
	return x
}

// Near takes small numbers, below 1, for equal when they differ by tol.
func Near(a, b, tol float64) bool {
	return math.Abs(a-b) <= tol*max(1, math.Abs(a), math.Abs(b))
}

// Nearly is Near for numbers of any size: it does not take small ones for equal.
func Nearly(a, b, tol float64) bool {
	return math.Abs(a-b) <= tol*max(math.Abs(a), math.Abs(b))
}

// Unorthonormal returns by how much the rows of a fail to be orthonormal.
func Unorthonormal(a mat.Matrix) float64 {
	var g mat.Dense
	g.Mul(a, a.T())
	r, _ := g.Dims()
	for i := range r {
		g.Set(i, i, g.At(i, i)-1)
	}
	return mat.Norm(&g, 2)
}

// Long reports whether tests may take hours: see docs/PROMISES.md.
func Long() bool { return os.Getenv("RNMF_LONG") != "" }

// A GapContext finds the longest time in which nobody asked whether it has ended.
type GapContext struct {
	context.Context
	mutex sync.Mutex
	last  time.Time
	Worst time.Duration
	Where string // the callers that asked after it
}

// NewGapContext begins the first gap.
func NewGapContext(ctx context.Context) *GapContext {
	return &GapContext{Context: ctx, last: time.Now()}
}

// Err is the question.
func (c *GapContext) Err() error {
	c.Ask()
	return c.Context.Err()
}

// Ask ends a gap.
func (c *GapContext) Ask() {
	now := time.Now()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if gap := now.Sub(c.last); gap > c.Worst {
		c.Worst = gap
		var pc [12]uintptr
		frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc[:])])
		c.Where = ""
		for {
			f, more := frames.Next()
			c.Where += fmt.Sprintf(" < %s:%d", f.Function[max(0, len(f.Function)-24):], f.Line)
			if !more {
				break
			}
		}
	}
	c.last = now
}

// Cancel runs each case under contexts that end, at once and later. It must soon return
// the error of its context, and leave no goroutine behind. With RNMF_LONG "soon" is
// 100 ms, and the longest gap is shown.
func Cancel(t *testing.T, cases map[string]func(ctx context.Context) error) {
	times, soon := []time.Duration{0, 10 * time.Millisecond}, 2*time.Second
	if Long() {
		times = append(times, 300*time.Millisecond, time.Second, 3*time.Second, 10*time.Second)
		soon = 100 * time.Millisecond
	}
	for name, run := range cases {
		t.Run(name, func(t *testing.T) {
			for _, after := range times {
				leak := goleak.IgnoreCurrent()
				inner, cancel := context.WithTimeout(context.Background(), after)
				ctx := NewGapContext(inner)
				err := run(ctx)
				ended, _ := inner.Deadline()
				late := time.Since(ended)
				cancel()
				faster := err == nil && after > 0 && late < soon
				if !faster && !errors.Is(err, context.DeadlineExceeded) || late > soon {
					t.Errorf("%v, %v late", err, late)
				}
				if Long() {
					ctx.Ask()
					t.Logf("%4d ms after %4d ms, longest gap %4d ms%.300s", late.Milliseconds(), after.Milliseconds(), ctx.Worst.Milliseconds(), ctx.Where)
				}
				goleak.VerifyNone(t, leak)
			}
		})
	}
}
