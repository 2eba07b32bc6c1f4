// Command panels measures package rnmf/panel next to scikit-learn and to a fit in one piece:
//
//	go run ./notebooks/lab/panels sparse      # TDT2 of RNMF_DATA, next to scikit-learn's cd
//	go run ./notebooks/lab/panels sparse -counts # its Poisson deviance, next to scikit-learn's mu
//	go run ./notebooks/lab/panels disk        # 8 GB on disk, fitted in little memory
//	go run ./notebooks/lab/panels minibatch   # data of the size of MNIST, next to batch and MiniBatchNMF
//
// Each prints lines of Markdown; -h lists its flags. Times are the least of several runs that
// alternate between us and the peer, with the seconds that processors spent, which depend less on
// what else the machine does. Results lie in results.md. The peer needs Debian's packages python3-sklearn, python3-scipy
// and libopenblas0-pthread, and runs without the variables that make OpenBLAS slower.
package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

//go:embed panels.py
var program []byte

var commands = map[string]func(ctx context.Context, args []string) error{"sparse": fitSparse, "disk": disk, "minibatch": minibatch}

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		log.Fatal("panels: want sparse, disk or minibatch")
	}
	fmt.Printf("\n%s, with %q, %s\n\n", time.Now().Format("2006-01-02"), os.Args[1:], machine())
	if err := commands[os.Args[1]](ctx, os.Args[2:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		log.Fatal("panels: ", err)
	}
}

// machine tells what the times were measured on.
func machine() string {
	model, load := "an unknown processor", "unknown"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, found := strings.Cut(string(b), "model name\t: "); found {
			model, _, _ = strings.Cut(rest, "\n")
		}
	}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = strings.Join(strings.Fields(string(b))[:3], ", ")
	}
	return fmt.Sprintf("on %d processors of %s; load averages at the start: %s", runtime.NumCPU(), model, load)
}

// answer is that of panels.py.
type answer struct {
	Seconds, CPU, Objective float64
}

// peer runs panels.py.
func peer(ctx context.Context, python, dir string, task map[string]any) (a answer, err error) {
	script := filepath.Join(dir, "panels.py")
	if err := os.WriteFile(script, program, 0o600); err != nil {
		return a, err
	}
	arg, err := json.Marshal(task)
	if err != nil {
		return a, err
	}
	cmd := exec.CommandContext(ctx, python, script, string(arg))
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OPENBLAS_") && !strings.HasPrefix(v, "OMP_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return a, fmt.Errorf("%s: %w", python, err)
	}
	return a, json.Unmarshal(out, &a)
}

// writeFloats writes a matrix row by row.
func writeFloats(name string, x *mat.Dense) error {
	rows, columns := x.Dims()
	b := make([]byte, 0, 8*rows*columns)
	for i := range rows {
		for _, v := range x.RawRowView(i) {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return os.WriteFile(name, b, 0o600)
}

// start draws factors and writes them for the peer.
func start(ctx context.Context, dir string, m, n, rank int, x panel.Source) (f rnmf.WarmStart, name string, err error) {
	r, err := panel.Batch{Model: rnmf.Model{Rank: rank, MaxIter: 1, Tol: -1, Seed: 1}}.Start(ctx, x)
	if err != nil {
		return f, "", err
	}
	name = filepath.Join(dir, "start")
	return r, name, errors.Join(writeFloats(name+".w", r.W.(*mat.Dense)), writeFloats(name+".h", r.H.(*mat.Dense)))
}

// until fits until an objective is reached, and returns the time that took, the rounds, and what was
// reached.
func until(ctx context.Context, b panel.Batch, x panel.Source, target float64) (seconds, busy float64, rounds int, objective float64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begin, before := time.Now(), cpu()
	b.Model.Watch = func(p rnmf.Point) {
		rounds, objective = p.Round, p.Objective
		if p.Objective <= target && seconds == 0 {
			seconds, busy = time.Since(begin).Seconds(), cpu()-before
			cancel()
		}
	}
	if _, err = b.Fit(ctx, x); errors.Is(err, context.Canceled) && seconds > 0 {
		err = nil
	}
	return seconds, busy, rounds, objective, err
}

func fitSparse(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("sparse", flag.ContinueOnError)
	python := f.String("python", "/usr/bin/python3", "`program` that has scikit-learn")
	file := f.String("file", filepath.Join(os.Getenv("RNMF_DATA"), "TDT2.mat"), "MATLAB `file` with the sparse variable fea")
	rank := f.Int("rank", 30, "components")
	rounds := f.Int("rounds", 200, "rounds of the peer")
	pairs := f.Int("pairs", 3, "runs of each")
	width := f.Int("width", 0, "columns in a panel; 0: one panel")
	plain := f.Bool("plain", false, "HALS without extrapolation, which takes less memory")
	counts := f.Bool("counts", false, "the Poisson deviance, next to multiplicative updates of the Kullback-Leibler divergence")
	if err := f.Parse(args); err != nil {
		return err
	}
	x, err := readSparse(*file)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "panels")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m, n := x.Dims()
	source := panel.FromSparse(x, *width)
	_, name, err := start(ctx, dir, m, n, *rank, source)
	if err != nil {
		return err
	}
	b := panel.Batch{Model: rnmf.Model{Rank: *rank, Seed: 1, Tol: -1, MaxIter: 2000, Solver: rnmf.HALS{NoExtrapolation: *plain}}} // draws the same start
	rule := "cd"
	if *counts {
		b.Model.Family, rule = rnmf.Poisson, "mu"
	}
	ours, theirs, ourCPU, theirCPU := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
	var at answer
	var took int
	var reached float64
	var memory heap
	for range *pairs {
		if at, err = peer(ctx, *python, dir, map[string]any{"task": "sparse", "file": *file, "rank": *rank, "rounds": *rounds, "start": name, "counts": *counts}); err != nil {
			return err
		}
		theirs, theirCPU = min(theirs, at.Seconds), min(theirCPU, at.CPU)
		runtime.GC()
		debug.SetGCPercent(10) // so that the heap is hardly more than what is in use
		stop := memory.watch()
		seconds, busy, k, objective, err := until(ctx, b, source, at.Objective)
		stop()
		if err != nil {
			return err
		}
		ours, ourCPU, took, reached = min(ours, seconds), min(ourCPU, busy), k, objective
		fmt.Fprintf(os.Stderr, "scikit-learn %.2f s (CPU %.2f s), ours %.2f s (CPU %.2f s), %d rounds\n", at.Seconds, at.CPU, seconds, busy, k)
	}
	fmt.Printf("| %s, %v, r = %d, to the objective of %d rounds of `%s`, %.6g | ours %d rounds | scikit-learn | ratio |\n|---|---|---|---|\n",
		filepath.Base(*file), x, *rank, *rounds, rule, at.Objective, took)
	fmt.Printf("| seconds | %.2f | %.2f | %.1f |\n| seconds of processors | %.2f | %.2f | %.1f |\n", ours, theirs, theirs/ours, ourCPU, theirCPU, theirCPU/ourCPU)
	fmt.Printf("| objective | %.6g | %.6g | |\n", reached, at.Objective)
	both := 12e-6*float64(len(x.Value)) + 8e-6*float64((m+n)**rank)
	fmt.Printf("| MB in use at most (with garbage), and the matrix and the factors | %.1f (%.1f) | %.1f | %.1f (%.1f) |\n",
		memory.live, memory.all, both, memory.live/both, memory.all/both)
	return nil
}

// heap is what was on the heap at most, in MB: what collections found in use, and all of it.
type heap struct{ live, all float64 }

// watch notes the largest heap until it is stopped.
func (h *heap) watch() (stop func()) {
	done := make(chan struct{})
	go func() {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
		for {
			metrics.Read(sample)
			h.live, h.all = max(h.live, 1e-6*float64(sample[0].Value.Uint64())), max(h.all, 1e-6*float64(sample[1].Value.Uint64()))
			select {
			case <-done:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() { close(done) }
}

// readSparse reads the variable fea, whose rows are samples.
func readSparse(name string) (*sparse.Matrix, error) {
	r, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	vars, err := datasets.ReadMAT(context.Background(), r)
	if err != nil {
		return nil, err
	}
	v, err := vars.Var("fea")
	if err != nil {
		return nil, err
	}
	if v.Sparse != nil {
		return v.Sparse.Transposed(), nil
	}
	return nil, fmt.Errorf("%s has no sparse variable fea", name)
}
