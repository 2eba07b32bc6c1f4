// Package choosing measures how well package choose chooses, for notebook 07 and for
// CHOOSING.md: Criteria looks at parameters, Diagnose at losses.
package choosing

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/internal/newfile"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

// A tally counts how far choices are from the best of the four.
type tally struct {
	log, worst float64
	within     int // 5 % of it
	count      int
}

func (t *tally) add(ratio float64) {
	t.log += math.Log(ratio)
	t.worst = max(t.worst, ratio)
	t.count++
	if ratio <= 1.05 {
		t.within++
	}
}

func (t *tally) String() string {
	if t.count == 0 {
		return "none"
	}
	return fmt.Sprintf("within 5 %% of the best in %d of %d, on average %.1f %% above it, at worst %.0f %%",
		t.within, t.count, 100*(math.Exp(t.log/float64(t.count))-1), 100*(t.worst-1))
}

// Diagnose measures how often choose.HeldOut.CompareLosses is right: it spoils the embedded
// data, and some of the folder RNMF_DATA, in all ways of package datasets, and compares
// how near the factors of the suggested loss come to the data before with those of each
// loss of the four.
func Diagnose(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("diagnose", flag.ContinueOnError)
	out := f.String("out", "notebooks/lab/choosing/diagnose.txt", "new `file` to write")
	if err := f.Parse(args); err != nil {
		return err
	}
	return store(*out, func(w io.Writer) error { return diagnose(ctx, w, all) })
}

// store writes a report to a new file, when it is whole, and shows it as it grows.
func store(path string, report func(io.Writer) error) error {
	return newfile.Write(path, func(w io.Writer) error { return report(io.MultiWriter(os.Stdout, w)) })
}

// embedded returns parts of the embedded data.
func embedded(seed uint64) ([]*datasets.Set, error) {
	digits, err := datasets.Digits().Scaled().Sample(20, seed)
	if err != nil {
		return nil, err
	}
	fashion, err := datasets.Fashion().Scaled().Sample(15, seed)
	if err != nil {
		return nil, err
	}
	if fashion, err = fashion.Shrink(14, 14); err != nil {
		return nil, err
	}
	wine := datasets.Wine()
	digits.Name, fashion.Name, wine.Name = "Digits", "Fashion", "Wine"
	return []*datasets.Set{digits, fashion, wine}, nil
}

// all returns the embedded data and, of the folder RNMF_DATA, small faces and objects.
func all(seed uint64) ([]*datasets.Set, error) {
	sets, err := embedded(seed)
	if err != nil {
		return nil, err
	}
	for _, of := range []struct {
		source   *datasets.PublicSet
		name     string
		perClass int
	}{{datasets.ORL, "ORL", 4}, {datasets.Yale, "Yale", 10}, {datasets.COIL20, "COIL-20", 8}} {
		s, err := of.source.Load(context.Background())
		if err != nil {
			return nil, err
		}
		if s, err = s.Scaled().Sample(of.perClass, seed); err != nil {
			return nil, err
		}
		if s, err = s.Shrink(16, 16); err != nil {
			return nil, err
		}
		s.Name = of.name
		sets = append(sets, s)
	}
	return sets, nil
}

// ranksOf are those at which a loss is judged: the suggestion is one for all of them.
func ranksOf(s *datasets.Set) []int {
	if m, n := s.X.Dims(); min(m, n) < 20 {
		return []int{3, 5}
	}
	return []int{5, 10, 20}
}

// diagnose writes the report on the sets of three seeds.
func diagnose(ctx context.Context, w io.Writer, sets func(seed uint64) ([]*datasets.Set, error)) error {
	kinds := []choose.LossKind{choose.BySquares, choose.ByEntry, choose.BySample, choose.ByOmission}
	always := make([]tally, len(kinds))
	var suggested, decided, undecided, same tally
	var names []string
	bySet, bySeed := map[string]*tally{}, [2]tally{}
	clean, robust := 0, 0
	fmt.Fprintf(w, "%-10s %-20s  %4s  %-8s %-8s %-8s %-8s  %s\n", "data", "errors", "rank", "squares", "entries", "samples", "omission", "suggestion")
	for seed := uint64(1); seed <= 3; seed++ {
		parts, err := sets(seed)
		if err != nil {
			return err
		}
		for _, s := range parts {
			x := unspoiled(s)
			if bySet[s.Name] == nil {
				bySet[s.Name] = &tally{}
				names = append(names, s.Name)
			}
			for _, c := range corruptions(s, mat.Max(x)) {
				dirty, bad := x, mat.NewDense(x.RawMatrix().Rows, x.RawMatrix().Cols, nil)
				if c.how != nil {
					if dirty, bad, err = c.how.Apply(x, seed); err != nil {
						return err
					}
				}
				d, err := choose.HeldOut{Folds: 3, Seed: seed}.CompareLosses(ctx, dirty)
				if err != nil {
					return err
				}
				if c.how == nil {
					clean++
					if d.Suggestion != choose.BySquares {
						robust++
					}
				}
				for _, rank := range ranksOf(s) {
					var rec []float64
					for _, kind := range kinds {
						model := kind.Model(rank)
						model.Seed = seed
						r, err := model.Fit(ctx, dirty)
						if err != nil {
							return err
						}
						rec = append(rec, recovery(x, bad, r, c.samples))
					}
					best := slices.Min(rec)
					for k, v := range rec {
						always[k].add(v / best)
					}
					ratio, word := rec[d.Suggestion]/best, ""
					for _, to := range []*tally{&suggested, bySet[s.Name], &bySeed[(seed-1)/2]} {
						to.add(ratio)
					}
					switch {
					case d.NoDifference:
						same.add(ratio)
						word = ", no difference"
					case d.Undecided:
						undecided.add(ratio)
						word = ", undecided"
					default:
						decided.add(ratio)
					}
					fmt.Fprintf(w, "%-10s %-20s  %4d  %.3f    %.3f    %.3f    %.3f     %v%s\n", s.Name, c.name, rank, rec[0], rec[1], rec[2], rec[3], d.Suggestion, word)
				}
			}
		}
	}
	fmt.Fprintln(w)
	for k := range always {
		fmt.Fprintf(w, "always %v: %v\n", choose.LossKind(k), &always[k])
	}
	fmt.Fprintf(w, "as suggested: %v\n", &suggested)
	fmt.Fprintf(w, "  seeds 1 and 2, by which the limits were set: %v\n", &bySeed[0])
	fmt.Fprintf(w, "  seed 3: %v\n", &bySeed[1])
	fmt.Fprintf(w, "  decided: %v\n", &decided)
	fmt.Fprintf(w, "  no difference: %v\n", &same)
	fmt.Fprintf(w, "  undecided: %v\n", &undecided)
	for _, name := range names {
		fmt.Fprintf(w, "  %s: %v\n", name, bySet[name])
	}
	fmt.Fprintf(w, "a robust loss is suggested for %d of %d clean sets\n", robust, clean)
	return nil
}

// unspoiled returns the data of a set. The features of Wine have units of their own.
func unspoiled(s *datasets.Set) *mat.Dense {
	x := mat.DenseCopyOf(s.X)
	if s.Name != "Wine" {
		return x
	}
	for i := range x.RawMatrix().Rows {
		row := x.RawRowView(i)
		most := slices.Max(row)
		for j := range row {
			row[j] /= most
		}
	}
	return x
}

type corruption struct {
	name    string
	how     datasets.Corruption
	samples bool // whole ones
}

func corruptions(s *datasets.Set, most float64) []corruption {
	list := []corruption{{name: "none"}}
	for _, v := range []float64{0.05, 0.2} {
		list = append(list, corruption{fmt.Sprintf("normal %g", v), datasets.Gaussian{Sigma: v * most}, false})
	}
	for _, v := range []float64{0.1, 0.3} {
		list = append(list, corruption{fmt.Sprintf("Laplace %g", v), datasets.Laplace{Scale: v * most}, false})
	}
	for _, v := range []float64{0.05, 0.1, 0.2, 0.4} {
		list = append(list, corruption{fmt.Sprintf("salt & pepper %g", v), datasets.SaltPepper{Share: v}, false})
	}
	for _, v := range []float64{0.1, 0.3} {
		list = append(list, corruption{fmt.Sprintf("removed %g", v), datasets.Removal{Share: v}, false})
	}
	if s.Height > 0 {
		list = append(list, corruption{"block", datasets.Block{Size: s.Height / 3, Value: most, Height: s.Height, Width: s.Width}, false})
	}
	for _, kind := range []datasets.OutlierKind{datasets.UniformNoise, datasets.PermutedEntries} {
		for _, v := range []float64{0.05, 0.2} {
			list = append(list, corruption{fmt.Sprintf("%v %g", kind, v), datasets.OutlierSamples{Share: v, Kind: kind}, true})
		}
	}
	return list
}

// recovery is ‖X̂ − WH‖/‖X̂‖ with X̂ the data before, without samples that are gone.
func recovery(clean, bad *mat.Dense, r *rnmf.Result, samples bool) float64 {
	var wh mat.Dense
	wh.Mul(r.W, r.H)
	var num, den float64
	m, n := clean.Dims()
	for j := range n {
		if samples && bad.At(0, j) > 0 {
			continue
		}
		for i := range m {
			e := clean.At(i, j) - wh.At(i, j)
			num += e * e
			den += clean.At(i, j) * clean.At(i, j)
		}
	}
	return math.Sqrt(num / den)
}
