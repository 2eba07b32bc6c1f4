package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"context"

	"gonum.org/v1/gonum/mat"
)

// bySize prints seconds and memory of whole fits by size, each in a process of its own.
func bySize(want *regexp.Regexp) {
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print("\n## By size\n\nMade-up data: a product of factors with half as many parts as are fitted, noise of 5 %, and 1 % of the entries ten times too large. Seconds of one fit with default settings, and its largest memory beyond X.\n\n| features × samples | parts | model | seconds | rounds | MB beyond X |\n|---|---|---|---|---|---|\n")
	for _, size := range [][2]int{{1000, 500}, {5000, 1000}, {5000, 5000}, {20000, 5000}} {
		for _, rank := range []int{10, 50} {
			for _, model := range []string{"NMF", "HuberNMF", "CellCaseNMF", "RobustNMF"} {
				name := fmt.Sprintf("%s %d %d %d", model, size[0], size[1], rank)
				if !want.MatchString(name) {
					continue
				}
				out, err := exec.Command(self, "-one", name).Output()
				if err != nil {
					log.Fatalf("%s: %v", name, err)
				}
				fmt.Print(string(out))
			}
		}
	}
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
		fmt.Printf("| %d×%d | %d | %s | %.2f | %d | %.0f |\n", m, n, rank, model.name, seconds, r.Rounds(), float64(peak()-before)/1e6)
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
