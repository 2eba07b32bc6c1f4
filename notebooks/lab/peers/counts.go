package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
)

// counts compares fits of Poisson deviances to images as counts, up to 255, with scikit-learn's
// multiplicative updates of the Kullback-Leibler divergence: to the objective of 200 of their rounds. The
// robust model is compared with the plain one, both with default settings.
func (b *bench) counts() {
	for _, d := range []struct {
		source *datasets.PublicSet
		rank   int
	}{{datasets.ORL, 40}, {datasets.COIL20, 20}} {
		where := fmt.Sprintf("%s as counts, r = %d", d.source.Name, d.rank)
		work, robust := "to the objective of 200 rounds of scikit-learn, Kullback-Leibler, "+where, "default settings, RobustPoissonNMF, "+where+": times PoissonNMF (goal: at most 4)"
		if !b.want.MatchString(work) && !b.want.MatchString(robust) {
			continue
		}
		s, err := d.source.Load(context.Background())
		if err != nil {
			b.note("%s is not there, and its rows are left out: set %s.", d.source.Name, datasets.FolderEnv)
			continue
		}
		x := mat.DenseCopyOf(s.X)
		most := mat.Max(x)
		x.Apply(func(_, _ int, v float64) float64 { return math.Round(255 * v / most) }, x)
		set := b.share(strings.ReplaceAll(where, " ", "-"), x, d.rank)
		b.ours.ask(set)
		b.numpy.ask(set)
		if b.want.MatchString(work) {
			b.kullbackLeibler(work, set)
		}
		if b.want.MatchString(robust) {
			ask := func(model string) func() float64 {
				return func() float64 { return b.ours.ask(request{Op: "defaults", Data: set.Data, Loss: model}).Seconds }
			}
			t := alternate(b.pairs, ask("robust Poisson"), ask("Poisson"))
			r, plain := b.ours.ask(request{Op: "defaults", Data: set.Data, Loss: "robust Poisson"}), b.ours.ask(request{Op: "defaults", Data: set.Data, Loss: "Poisson"})
			b.add(row{robust, fmt.Sprintf("%s, %d rounds", duration(t.ours), r.Rounds), fmt.Sprintf("PoissonNMF %s, %d rounds", duration(t.peer), plain.Rounds), 1 / t.ratio, 0, false})
		}
		b.ours.ask(request{Op: "drop", Data: set.Data})
		b.numpy.ask(request{Op: "drop", Data: set.Data})
	}
}

func (b *bench) kullbackLeibler(work string, set request) {
	theirs := request{Op: "sklearn", Data: set.Data, Loss: "Poisson", Solver: "mu", Rounds: 200}
	mine := request{Op: "fit", Data: set.Data, Loss: "Poisson", Most: 200, Target: b.numpy.ask(theirs).Objective}
	first := theirs
	first.Rounds, first.Most, first.Limit = 0, 1, 1
	last := b.ours.ask(mine)
	if start := b.numpy.ask(first).Trace[0]; math.Abs(start/last.Trace[0]-1) > 1e-9 {
		fail(fmt.Errorf("%s: our objective of the start is %g, scikit-learn's %g", set.Data, last.Trace[0], start))
	}
	if last.Objective > mine.Target {
		b.add(row{work: work, ours: "not in 200 rounds", goal: 10})
		return
	}
	t := alternate(b.pairs, func() float64 { return b.ours.ask(mine).Seconds }, func() float64 { return b.numpy.ask(theirs).Seconds })
	b.add(row{work, fmt.Sprintf("%s, %d rounds", duration(t.ours), last.Rounds), duration(t.peer), t.ratio, 10, false})
}
