package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// defaults are the models as people take them first: nothing is given but the rank.
var defaults = map[string]rnmf.Model{
	"NMF":          rnmf.NMF(0),
	"L1":           rnmf.L1NMF(0),
	"Huber":        rnmf.HuberNMF(0),
	"hypersurface": rnmf.HypersurfaceNMF(0, 0),
	"CIM":          rnmf.CIMNMF(0),
	"Cauchy":       rnmf.CauchyNMF(0),
	"truncated":    rnmf.TruncatedCauchyNMF(0),
	"RobustNMF":    rnmf.RobustNMF(0),

	"Poisson":        rnmf.PoissonNMF(0),
	"robust Poisson": rnmf.RobustPoissonNMF(0),
}

// estimated has the losses that NumPy is compared with, and their scale over the median residual.
var estimated = []struct {
	model, peer string
	share       float64
}{
	{"L1", "l1", 0.1}, {"Huber", "huber", 1.345 * 1.4826}, {"hypersurface", "hypersurface", 1.287 * 1.4826},
	{"CIM", "correntropy", 3.352 * 1.4826}, {"Cauchy", "cauchy", 2.385 * 1.4826}, {"truncated", "truncated", 2.385 * 1.4826},
}

// numpyLimit is the number of times our seconds after which NumPy is not waited for.
const numpyLimit = 30

// defaults measures fits with default settings against plain NMF, on clean and on damaged
// images, and against multiplicative updates in NumPy with the scale estimated in each round.
func (b *bench) defaults() {
	var allPlain, allNumPy []float64
	for _, c := range []struct {
		name   string
		load   func() (*datasets.Set, error)
		rank   int
		damage func(s *datasets.Set) datasets.Corruption
	}{
		{"ORL, blocks of 14", loaded(datasets.ORL), 40, func(s *datasets.Set) datasets.Corruption {
			return datasets.Block{Size: 14, Value: 1, Height: s.Height, Width: s.Width}
		}},
		{"COIL-20, clean", loaded(datasets.COIL20), 20, nil},
		{"Fashion-MNIST, 25 % salt & pepper", func() (*datasets.Set, error) { return datasets.Fashion(), nil }, 20,
			func(*datasets.Set) datasets.Corruption { return datasets.SaltPepper{Share: 0.25, High: 1} }},
		{"Extended Yale B, clean", loaded(datasets.ExtendedYaleB), 38, nil},
	} {
		where := fmt.Sprintf("%s, r = %d", c.name, c.rank)
		if !b.want.MatchString("defaults, " + where) {
			continue
		}
		s, err := c.load()
		if err != nil {
			b.note("%s is not there, and its rows are left out: set %s.", c.name, datasets.FolderEnv)
			continue
		}
		s = s.Scaled()
		x := mat.DenseCopyOf(s.X)
		if c.damage != nil {
			if x, _, err = c.damage(s).Apply(s.X, 1); err != nil {
				fail(err)
			}
		}
		set := b.share(strings.ReplaceAll(where, " ", "-"), x, c.rank)
		if err := write(filepath.Join(b.dir, set.Data+".clean"), s.X); err != nil {
			fail(err)
		}
		b.ours.ask(set)
		b.numpy.ask(set)
		ask := func(model string) func() float64 {
			return func() float64 { return b.ours.ask(request{Op: "defaults", Data: set.Data, Loss: model}).Seconds }
		}
		plain := b.ours.ask(request{Op: "defaults", Data: set.Data, Loss: "NMF"})
		for _, model := range []string{"L1", "Huber", "hypersurface", "CIM", "Cauchy", "truncated", "RobustNMF"} {
			r := b.ours.ask(request{Op: "defaults", Data: set.Data, Loss: model})
			t := alternate(b.pairs, ask(model), ask("NMF"))
			allPlain = append(allPlain, 1/t.ratio)
			b.add(row{fmt.Sprintf("default settings, %s, %s: times plain NMF (goal: at most 10)", model, where),
				fmt.Sprintf("%s, %d rounds, error %.4f, %s", duration(t.ours), r.Rounds, r.Off, r.Reason),
				fmt.Sprintf("plain NMF %s, %d rounds, error %.4f", duration(t.peer), plain.Rounds, plain.Off), 1 / t.ratio, 0, false})
			for _, e := range estimated {
				if e.model != model {
					continue
				}
				n := b.numpy.ask(request{Op: "estimated", Data: set.Data, Path: set.Path, Loss: e.peer, Share: e.share, Target: r.Off, Limit: min(numpyLimit*t.ours, b.patience)})
				allNumPy = append(allNumPy, n.Seconds/t.ours)
				b.add(row{fmt.Sprintf("default settings, %s, %s: to our error", model, where), duration(t.ours),
					fmt.Sprintf("NumPy %s, %d rounds, error %.4f", duration(n.Seconds), n.Rounds, n.Off), n.Seconds / t.ours, 25, n.Off > r.Off})
			}
		}
		b.ours.ask(request{Op: "drop", Data: set.Data})
		b.numpy.ask(request{Op: "drop", Data: set.Data})
	}
	if len(allPlain) > 0 {
		b.note("Default settings, seconds over those of plain NMF: geometric mean %.2f, NumPy's over ours (at least) %.1f.", geometric(allPlain), geometric(allNumPy))
	}
}

func loaded(s *datasets.PublicSet) func() (*datasets.Set, error) {
	return func() (*datasets.Set, error) { return s.Load(context.Background()) }
}

func geometric(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(v)))
}
