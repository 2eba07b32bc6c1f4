package choosing

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

// Suspects measures which samples choose.OutlierSearch flags on sets that nobody has spoiled, and how
// many of twelve foreign ones it finds: noise from 0 to the largest value, and samples whose features have
// changed places. suspects.txt is what it writes.
func Suspects(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("suspects", flag.ContinueOnError)
	out := f.String("out", "notebooks/lab/choosing/suspects.txt", "new `file` to write")
	if err := f.Parse(args); err != nil {
		return err
	}
	return store(*out, func(w io.Writer) error { return suspects(ctx, w, suspectSets) })
}

// A rankedSet is one with the rank that is fitted.
type rankedSet struct {
	*datasets.Set
	rank int
}

// suspectSets returns at most 300 samples of the embedded sets and of those of the folder RNMF_DATA; tables
// have each feature in 0 to 1.
func suspectSets(ctx context.Context) ([]rankedSet, error) {
	sets := []rankedSet{{datasets.Digits(), 8}, {datasets.Fashion(), 10}, {datasets.Wine(), 3}}
	for _, c := range []struct {
		source *datasets.PublicSet
		rank   int
	}{{datasets.MNISTTest, 10}, {datasets.ORL, 15}, {datasets.Yale, 10}, {datasets.Semeion, 10}, {datasets.UMISTSmall, 10}, {datasets.COIL20, 15}, {datasets.BinaryAlphadigits, 15},
		{datasets.CMUPIE, 10}, {datasets.JAFFE, 10}, {datasets.Palm, 10}, {datasets.Pendigits, 6}, {datasets.Vehicle, 4}, {datasets.German, 6}} {
		s, err := c.source.Load(ctx)
		if errors.Is(err, datasets.ErrNotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		sets = append(sets, rankedSet{s, c.rank})
	}
	for k, s := range sets {
		_, n := s.Dims()
		columns := make([]int, min(n, 300))
		for j := range columns {
			columns[j] = j * n / len(columns)
		}
		some, err := s.Pick(columns)
		if err != nil {
			return nil, err
		}
		if s.Height == 0 {
			if some, _, err = datasets.Prepare(some, datasets.ScaleFeatures{By: datasets.RobustRange}); err != nil {
				return nil, err
			}
		}
		sets[k].Set = some
	}
	return sets, nil
}

const foreign = 12 // samples

// suspects writes a line for each set.
func suspects(ctx context.Context, w io.Writer, sets func(context.Context) ([]rankedSet, error)) error {
	all, err := sets(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Samples that OutlierSearch flags as wrong, by L21NMF and HuberNMF from one start each: in sets as they are, and with %d foreign samples\n", foreign)
	fmt.Fprintf(w, "%-24s %9s %5s  %-16s %-22s %s\n", "set", "size", "parts", "clean (rare)", "noise: found, others", "permuted: found, others")
	for _, s := range all {
		m, n := s.Dims()
		fmt.Fprintf(w, "%-24s %4d×%-4d %5d ", s.Name, m, n, s.rank)
		for _, kind := range []string{"clean", "noise", "permuted"} {
			found, hits, err := s.suspects(ctx, kind)
			if err != nil {
				return err
			}
			if kind == "clean" {
				fmt.Fprintf(w, " %4.1f %% (%4.1f %%)  ", 100*float64(found.Flagged)/float64(n), 100*float64(found.Rare)/float64(n))
			} else {
				fmt.Fprintf(w, " %2d of %d, %-12d", hits, foreign, found.Flagged-hits)
			}
		}
		fmt.Fprintln(w)
	}
	return nil
}

// suspects searches the set with foreign samples of a kind, and counts those that are flagged.
func (s rankedSet) suspects(ctx context.Context, kind string) (found *choose.Suspects, hits int, err error) {
	x := mat.DenseCopyOf(s.X)
	m, n := x.Dims()
	rng := rand.New(rand.NewPCG(3, 4))
	top, where := mat.Max(x), make([]int, foreign)
	for k := range where {
		j := (2*k + 1) * n / (2 * foreign)
		where[k] = j
		was, to := mat.Col(nil, j, x), rng.Perm(m)
		for i := range m {
			switch kind {
			case "noise":
				x.Set(i, j, top*rng.Float64())
			case "permuted":
				x.Set(i, j, was[to[i]])
			}
		}
	}
	models := []rnmf.Model{rnmf.L21NMF(s.rank), rnmf.HuberNMF(s.rank)}
	for k := range models {
		models[k].Signed = mat.Min(x) < 0
	}
	if found, err = (choose.OutlierSearch{X: x, Models: models, Starts: 1, Seed: 1}).Run(ctx); err != nil {
		return nil, 0, err
	}
	for _, j := range found.Columns(found.Flagged) {
		if slices.Contains(where, j) {
			hits++
		}
	}
	return found, hits, nil
}
