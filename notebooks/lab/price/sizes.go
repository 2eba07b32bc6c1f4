package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
)

const peerName = "scikit-learn's NMF"

// bySize prints seconds and memory of whole fits by size, each in a process of its own.
func bySize(want *regexp.Regexp) {
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "price-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	python, err := start("/usr/bin/python3", "-c", sklearn)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("# Seconds and memory by size\n\nMeasured on %s by `go run ./notebooks/lab/price -sizes` on %d cores (%s). Peer: %s, with its defaults and no limit of rounds. Made-up data: a product of factors with half as many parts as are fitted, noise of 5 %%, and 1 %% of the entries ten times too large. Seconds of one fit with default settings, until it ends by its own rule (ours after 500 rounds at the latest), and its largest memory beyond X, each in a process of its own.\n\n| features × samples | parts | model | seconds | rounds | MB beyond X |\n|---|---|---|---|---|---|\n",
		time.Now().Format("2 January 2006"), runtime.NumCPU(), processor(), python.ask(request{}).Facts)
	python.in.Close()
	for _, size := range []struct {
		m, n  int
		ranks []int
	}{{1000, 500, []int{10, 50}}, {5000, 1000, []int{10, 50}}, {5000, 5000, []int{10, 50}}, {20000, 5000, []int{10}}} {
		for _, rank := range size.ranks {
			for _, model := range []string{"NMF", "HuberNMF", "CellCaseNMF", "RobustNMF", "choose.Auto"} {
				name := fmt.Sprintf("%s %d %d %d", model, size.m, size.n, rank)
				if !want.MatchString(name) {
					continue
				}
				out, err := exec.Command(self, "-one", name).Output()
				if err != nil {
					log.Fatalf("%s: %v", name, err)
				}
				fmt.Print(string(out))
			}
			if !want.MatchString(fmt.Sprintf("%s %d %d %d", peerName, size.m, size.n, rank)) {
				continue
			}
			q := request{Path: filepath.Join(dir, "x"), M: size.m, N: size.n, Rank: rank, Seed: 1, MaxIter: 100000, Tol: 1e-4}
			write(q.Path, spoiled(size.m, size.n, max(1, rank/2)))
			python, err := start("/usr/bin/python3", "-c", sklearn)
			if err != nil {
				log.Fatal(err)
			}
			f := python.ask(q)
			python.in.Close()
			row(size.m, size.n, rank, peerName, f.Seconds, f.Rounds, f.MB)
		}
	}
}

func row(m, n, rank int, model string, seconds float64, rounds int, mb float64) {
	fmt.Printf("| %d×%d | %d | %s | %.2f | %d | %.0f |\n", m, n, rank, model, seconds, rounds, mb)
}

// oneSize measures "model features samples parts" in this process.
func oneSize(what string) {
	f := strings.Fields(what)
	if len(f) != 4 {
		log.Fatalf("-one %q: want a model and three numbers", what)
	}
	var v [3]int
	for i := range v {
		var err error
		if v[i], err = strconv.Atoi(f[i+1]); err != nil {
			log.Fatalf("-one: %v", err)
		}
	}
	m, n, rank := v[0], v[1], v[2]
	x := spoiled(m, n, max(1, rank/2))
	for _, model := range models {
		if model.name != f[0] {
			continue
		}
		before := peak()
		begin := time.Now()
		r, err := model.fit(context.Background(), x, rank, 1)
		if err != nil {
			log.Fatal(err)
		}
		seconds := time.Since(begin).Seconds()
		row(m, n, rank, model.name, seconds, r.Rounds(), float64(peak()-before)/1e6)
		return
	}
	log.Fatalf("-one: no model %q", f[0])
}

func spoiled(m, n, parts int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 2))
	factor := func(rows, cols int) *mat.Dense {
		d := mat.NewDense(rows, cols, nil)
		for i := range d.RawMatrix().Data {
			d.RawMatrix().Data[i] = max(0, rng.NormFloat64())
		}
		return d
	}
	x := mat.NewDense(m, n, nil)
	x.Mul(factor(m, parts), factor(parts, n))
	for i, e := range x.RawMatrix().Data {
		e = max(0, e*(1+0.05*rng.NormFloat64()))
		if rng.IntN(100) == 0 {
			e *= 10
		}
		x.RawMatrix().Data[i] = e
	}
	return x
}

// peak returns the largest memory of this process so far, in bytes.
func peak() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		log.Fatal(err)
	}
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if m == nil {
		log.Fatal("no VmHWM in /proc/self/status")
	}
	kb, err := strconv.Atoi(string(m[1]))
	if err != nil {
		log.Fatal(err)
	}
	return kb << 10
}
