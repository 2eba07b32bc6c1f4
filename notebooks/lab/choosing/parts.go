package choosing

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Parts measures how near choose.ConsensusParts comes to planted parts, next to the single fits that
// it is made of, on ten sets. parts.txt is what it writes.
func Parts(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("parts", flag.ContinueOnError)
	out := f.String("out", "notebooks/lab/choosing/parts.txt", "new `file` to write")
	if err := f.Parse(args); err != nil {
		return err
	}
	return store(*out, func(w io.Writer) error { return parts(ctx, w, plantedSets(), 20) })
}

// A plantedSet is data with known parts.
type plantedSet struct {
	name  string
	x, w  *mat.Dense
	model rnmf.Model
}

// plantedSets are of sparse parts, of which each sample has few, with errors of several kinds.
func plantedSets() []plantedSet {
	var sets []plantedSet
	add := func(name string, seed uint64, rank int, model rnmf.Model, noise float64, spoil datasets.Corruption) {
		x, w := topics(120, 200, rank, noise, seed)
		if spoil != nil {
			var err error
			if x, _, err = spoil.Apply(x, seed); err != nil {
				panic(err)
			}
		}
		sets = append(sets, plantedSet{name, x, w, model})
	}
	add("little noise", 1, 6, rnmf.NMF(6), 0.1, nil)
	add("noise", 2, 6, rnmf.NMF(6), 0.5, nil)
	add("much noise", 3, 6, rnmf.NMF(6), 1, nil)
	add("twelve parts", 4, 12, rnmf.NMF(12), 0.5, nil)
	add("rank too high by 2", 5, 6, rnmf.NMF(8), 0.5, nil)
	add("rank too low by 1", 6, 6, rnmf.NMF(5), 0.5, nil)
	add("5 % wrong entries, Huber", 7, 6, rnmf.HuberNMF(6), 0.3, datasets.SaltPepper{Share: 0.05, High: 2})
	add("5 % wrong entries, least squares", 8, 6, rnmf.NMF(6), 0.3, datasets.SaltPepper{Share: 0.05, High: 2})
	add("10 % foreign samples, L2,1", 9, 6, rnmf.L21NMF(6), 0.3, datasets.OutlierSamples{Share: 0.1, Max: 1})
	s, w, _ := datasets.Swimmer()
	limbs := mat.DenseCopyOf(w.Slice(0, 1024, 1, 17)) // the torso may be divided among them
	sets = append(sets, plantedSet{"Swimmer, 16 limbs", s.X, limbs, rnmf.NMF(17)})
	return sets
}

// topics returns x = w·h + |noise|, of which w has a fifth of the entries and h a third: the noise is
// a share of the mean of wh.
func topics(m, n, rank int, noise float64, seed uint64) (x, w *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 0x70_61_72_74))
	some := func(share float64) func(_, _ int, _ float64) float64 {
		return func(_, _ int, _ float64) float64 {
			if rng.Float64() < share {
				return rng.ExpFloat64()
			}
			return 0
		}
	}
	w, h := mat.NewDense(m, rank, nil), mat.NewDense(rank, n, nil)
	w.Apply(some(0.2), w)
	h.Apply(some(0.35), h)
	x = mat.NewDense(m, n, nil)
	x.Mul(w, h)
	mean := mat.Sum(x) / float64(m) / float64(n)
	x.Apply(func(_, _ int, v float64) float64 { return max(0, v+noise*mean*rng.NormFloat64()) }, x)
	return x, w
}

// likeness is the mean cosine of the planted parts and those found, each matched to another where
// there are enough.
func likeness(truth, found mat.Matrix) (float64, error) {
	_, k := truth.Dims()
	_, r := found.Dims()
	size := max(k, r)
	cost := mat.NewDense(size, size, nil)
	for a := range k {
		u := mat.Col(nil, a, truth)
		for b := range r {
			v := mat.Col(nil, b, found)
			if d := mat.Norm(mat.NewVecDense(len(u), u), 2) * mat.Norm(mat.NewVecDense(len(v), v), 2); d > 0 {
				cost.Set(a, b, -mat.Dot(mat.NewVecDense(len(u), u), mat.NewVecDense(len(v), v))/d)
			}
		}
	}
	to, err := score.Assignment(cost)
	if err != nil {
		return 0, err
	}
	var sum float64
	for a := range k {
		sum -= cost.At(a, to[a])
	}
	return sum / float64(k), nil
}

// parts writes a line for each set.
func parts(ctx context.Context, w io.Writer, sets []plantedSet, starts int) error {
	fmt.Fprintf(w, "Mean cosine between planted parts and those found, of %d starts\n%-34s %9s %9s %9s %9s %9s\n", starts,
		"set", "mean fit", "best fit*", "worst fit", "consensus", "stability")
	wins := 0
	var singles, together float64
	for _, s := range sets {
		found, err := choose.ConsensusParts{X: s.x, Fit: choose.NewFitFunc(s.model), Starts: starts, Seed: 1}.Run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		var mean, best float64
		worst := math.Inf(1)
		for k, r := range found.Fits {
			v, err := likeness(s.w, r.W)
			if err != nil {
				return err
			}
			mean += v / float64(starts)
			if worst = min(worst, v); k == found.Best {
				best = v
			}
		}
		v, err := likeness(s.w, found.W)
		if err != nil {
			return err
		}
		if v >= mean-0.0005 {
			wins++
		}
		singles, together = singles+mean, together+v
		fmt.Fprintf(w, "%-34s %9.3f %9.3f %9.3f %9.3f %4.2f–%4.2f\n", s.name, mean, best, worst, v, slices.Min(found.Stability), slices.Max(found.Stability))
	}
	fmt.Fprintf(w, "\nThe consensus is as near as the mean single fit, or nearer, on %d of %d sets; means %.3f and %.3f.\n* of the lowest objective\n",
		wins, len(sets), together/float64(len(sets)), singles/float64(len(sets)))
	return nil
}
