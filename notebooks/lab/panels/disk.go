package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// disk writes data of some GB into a folder of panels, and fits them with a state folder. Run it
// under a limit of memory, so that neither the program nor the page cache can have more.
func disk(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("disk", flag.ContinueOnError)
	dir := f.String("dir", filepath.Join(os.TempDir(), "panels-disk"), "`folder` for the data and the state, which stays")
	m := f.Int("m", 1024, "features")
	n := f.Int("n", 1<<20, "samples")
	width := f.Int("width", 4096, "samples in a panel")
	rank := f.Int("rank", 20, "components")
	rounds := f.Int("rounds", 3, "rounds")
	warm := f.Bool("warm", false, "compare with a fit in one piece in memory")
	if err := f.Parse(args); err != nil {
		return err
	}
	x := filepath.Join(*dir, "x")
	if _, err := os.Stat(filepath.Join(x, "checksums")); err != nil {
		begin := time.Now()
		if err := panel.Write(x, planted(*m, *n, *rank), *width, false); err != nil {
			return err
		}
		fmt.Printf("written in %.0f s\n", time.Since(begin).Seconds())
	}
	source, err := panel.Open(x)
	if err != nil {
		return err
	}
	rows, columns := source.Dims()
	model := rnmf.Model{Rank: *rank, Loss: rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-2}}, Tol: -1, MaxIter: *rounds, Solver: rnmf.HALS{Sweeps: 4}}
	state := filepath.Join(*dir, "state")
	if err := os.RemoveAll(state); err != nil {
		return err
	}
	r, err := panel.Batch{Model: model, State: state}.Fit(ctx, source)
	if err != nil {
		return err
	}
	last := r.Trace[len(r.Trace)-1]
	fmt.Printf("| %d×%d, %.1f GB in %d panels, r = %d | %.1f s a round | resident at most %.0f MB | objective %.6g |\n|---|---|---|---|\n",
		rows, columns, 8e-9*float64(rows)*float64(columns), source.Panels(), *rank, last.Seconds/float64(last.Round), resident(), r.Objective)
	if !*warm {
		return nil
	}
	whole := mat.NewDense(rows, columns, nil)
	for p := range source.Panels() {
		part, err := source.Load(p)
		if err != nil {
			return err
		}
		from, to := source.Columns(p)
		whole.Slice(0, rows, from, to).(*mat.Dense).Copy(part.Dense)
	}
	ours, fit, ourCPU, fitCPU := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
	each := func(fit func(m rnmf.Model) error) (seconds, busy float64, err error) {
		var begin time.Time
		var before float64
		watched := model
		watched.Watch = func(p rnmf.Point) {
			switch p.Round {
			case 1:
				begin, before = time.Now(), cpu()
			case *rounds:
				seconds, busy = time.Since(begin).Seconds()/float64(*rounds-1), (cpu()-before)/float64(*rounds-1)
			}
		}
		err = fit(watched)
		return seconds, busy, err
	}
	for range 5 {
		if err := os.RemoveAll(state); err != nil {
			return err
		}
		a, ca, err := each(func(m rnmf.Model) error {
			_, err := panel.Batch{Model: m, State: state}.Fit(ctx, source)
			return err
		})
		if err != nil {
			return err
		}
		b, cb, err := each(func(m rnmf.Model) error {
			_, err := m.Fit(ctx, whole)
			return err
		})
		if err != nil {
			return err
		}
		ours, fit, ourCPU, fitCPU = min(ours, a), min(fit, b), min(ourCPU, ca), min(fitCPU, cb)
	}
	fmt.Printf("| a round with warm cache | panels %.0f ms | Fit %.0f ms | ratio %.2f |\n| of processors | %.0f ms | %.0f ms | %.2f |\n",
		1e3*ours, 1e3*fit, ours/fit, 1e3*ourCPU, 1e3*fitCPU, ourCPU/fitCPU)
	return nil
}

// planted yields samples that are sums of a few parts, and noise; one in ten is gross.
func planted(m, n, r int) panel.Samples {
	return func(yield func([]float64, error) bool) {
		rng := rand.New(rand.NewPCG(1, 2))
		w := make([]float64, m*r)
		for i := range w {
			if rng.Float64() < 0.3 {
				w[i] = rng.ExpFloat64()
			}
		}
		x := make([]float64, m)
		for range n {
			for i := range x {
				x[i] = 0.1 * rng.Float64()
			}
			if rng.IntN(10) == 0 {
				for i := range x {
					x[i] = 10 * rng.Float64()
				}
			} else {
				for range 3 {
					k, a := rng.IntN(r), rng.ExpFloat64()
					for i := range x {
						x[i] += a * w[k*m+i]
					}
				}
			}
			if !yield(x, nil) {
				return
			}
		}
	}
}

// minibatch compares a Minibatch with a Batch and with MiniBatchNMF on images like those of MNIST.
func minibatch(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("minibatch", flag.ContinueOnError)
	python := f.String("python", "/usr/bin/python3", "`program` that has scikit-learn")
	file := f.String("file", filepath.Join(os.Getenv("RNMF_DATA"), "t10k-images-idx3-ubyte.gz"), "IDX `file` of images")
	copies := f.Int("copies", 1, "copies of the images, each moved by another pixel")
	rank := f.Int("rank", 40, "components")
	width := f.Int("width", 512, "samples in a panel")
	passes := f.Int("passes", 4, "passes of the Minibatch")
	theirs := f.Int("theirs", 20, "passes of MiniBatchNMF")
	pairs := f.Int("pairs", 3, "runs of each")
	if err := f.Parse(args); err != nil {
		return err
	}
	x, err := images(*file, *copies)
	if err != nil {
		return err
	}
	m, n := x.Dims()
	dir, err := os.MkdirTemp("", "panels")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source := panel.FromDense(x, *width)
	factors, name, err := start(ctx, dir, m, n, *rank, source)
	if err != nil {
		return err
	}
	data := filepath.Join(dir, "x")
	if err := writeFloats(data, mat.DenseCopyOf(x.T())); err != nil {
		return err
	}
	model := rnmf.Model{Rank: *rank, Init: factors, Tol: -1}
	type best struct{ seconds, cpu, objective float64 }
	ours, batch := make([]best, *passes+1), make([]best, *passes+1)
	for k := range ours {
		ours[k], batch[k] = best{math.Inf(1), math.Inf(1), 0}, best{math.Inf(1), math.Inf(1), 0}
	}
	sk, toTheirs := best{math.Inf(1), math.Inf(1), 0}, best{math.Inf(1), math.Inf(1), 0}
	few := 0
	for range *pairs {
		at, err := peer(ctx, *python, dir, map[string]any{"task": "minibatch", "file": data, "m": m, "n": n, "rank": *rank, "rounds": *theirs, "batch": 1024, "start": name})
		if err != nil {
			return err
		}
		sk = best{min(sk.seconds, at.Seconds), min(sk.cpu, at.CPU), at.Objective}
		done := false
		for k := 1; k <= *passes || !done && k < 40; k++ {
			model.MaxIter = k
			begin, before := time.Now(), cpu()
			r, err := panel.Minibatch{Model: model}.Fit(ctx, source)
			if err != nil {
				return err
			}
			now := best{time.Since(begin).Seconds(), cpu() - before, r.Objective}
			if !done && r.Objective <= at.Objective {
				done, few = true, k
				toTheirs = best{min(toTheirs.seconds, now.seconds), min(toTheirs.cpu, now.cpu), r.Objective}
			}
			if k > *passes {
				continue
			}
			ours[k] = best{min(ours[k].seconds, now.seconds), min(ours[k].cpu, now.cpu), r.Objective}
			whole := model
			whole.MaxIter = 1000
			seconds, busy, rounds, _, err := until(ctx, panel.Batch{Model: whole}, panel.FromDense(x, 0), r.Objective)
			if err != nil {
				return err
			}
			if seconds > 0 {
				batch[k] = best{min(batch[k].seconds, seconds), min(batch[k].cpu, busy), float64(rounds)}
			}
		}
	}
	fmt.Printf("| %d×%d, r = %d, panels of %d | objective | Minibatch, s (of processors) | Batch, s (of processors), rounds | ratio |\n|---|---|---|---|---|\n", m, n, *rank, *width)
	for k := 1; k <= *passes; k++ {
		fmt.Printf("| %d passes | %.6g | %.2f (%.2f) | %.2f (%.2f), %.0f | %.1f (%.1f) |\n", k, ours[k].objective, ours[k].seconds, ours[k].cpu,
			batch[k].seconds, batch[k].cpu, batch[k].objective, batch[k].seconds/ours[k].seconds, batch[k].cpu/ours[k].cpu)
	}
	fmt.Printf("| scikit-learn's MiniBatchNMF, %d passes | %.6g | ours, %d passes to %.6g: %.2f (%.2f) | %.2f (%.2f) | %.1f (%.1f) |\n",
		*theirs, sk.objective, few, toTheirs.objective, toTheirs.seconds, toTheirs.cpu, sk.seconds, sk.cpu, sk.seconds/toTheirs.seconds, sk.cpu/toTheirs.cpu)
	return nil
}

// images reads images as columns, and adds copies of them that are moved.
func images(name string, copies int) (*mat.Dense, error) {
	r, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s, err := datasets.ReadIDXSet(context.Background(), r, nil)
	if err != nil {
		return nil, err
	}
	x := s.X
	m, n := x.Dims()
	side := int(math.Sqrt(float64(m)))
	out := mat.NewDense(m, n*copies, nil)
	for c := range copies {
		dy, dx := c%3-1, c/3%3-1
		if copies == 1 {
			dy, dx = 0, 0
		}
		scale := 1 - 0.05*float64(c/9)
		for i := range m {
			row, column := i/side+dy, i%side+dx
			if row < 0 || row >= side || column < 0 || column >= side {
				continue
			}
			for j, v := range x.RawRowView(i) {
				out.Set(row*side+column, c*n+j, scale*v)
			}
		}
	}
	return out, nil
}
