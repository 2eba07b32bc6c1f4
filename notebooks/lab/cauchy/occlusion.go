package cauchy

import (
	"cmp"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"iter"
	"math"
	"sync"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

//go:embed occlusion.csv
var occlusion string

// OcclusionResults returns what OcclusionCommand has stored, on ten persons of AR: thirteen images of
// one session each, of which three are with real sunglasses and three with a real scarf. The
// experiment "clusters" is Fig. 9, with the accuracy and nmi for each number of persons k. The
// experiment "weights" is what Fig. 2 and 3 show, from one fit to all images: shares of the pixels
// whose weight is less than a hundredth of the median weight. "sunglasses" and "scarves" are the
// shares in the band of rows that these cover, "eyes" and "mouths" those in the same bands of the
// images without them.
var OcclusionResults = sync.OnceValue(func() stored.Table { return stored.Parse(occlusion) })

// The bands, in sixtieths of the height. Nearly all that is in them is covered where something covers
// them at all.
var eyes, mouth = [2]int{16, 31}, [2]int{42, 59}

// occluded are the images with sunglasses (1) and with a scarf (2), by their number within a person.
var occluded = [13]int{7: 1, 8: 1, 9: 1, 10: 2, 11: 2, 12: 2}

// OcclusionCommand stores OcclusionResults. It wants AR10P in the folder that RNMF_DATA names.
func OcclusionCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("occlusion", flag.ContinueOnError)
	run := stored.Trials{Count: 10, Out: "notebooks/lab/cauchy/occlusion.csv"}
	run.Flags(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	s, err := datasets.AR10P.Load(ctx)
	if err != nil {
		return err
	}
	return storeOcclusion(ctx, run, s.Scaled(), 10, 0)
}

func storeOcclusion(ctx context.Context, run stored.Trials, s *datasets.Set, most, rounds int) error {
	run.Keys = []string{"experiment", "k", "model", "trial"}
	run.Columns = []string{"accuracy", "nmi", "sunglasses", "eyes", "scarves", "mouths", "rounds"}
	run.Version = func(key []string) (string, error) { return occlusionVersion(ctx, key[0], key[2]) }
	d := Disguised{Set: s}
	return run.Run(ctx, func(trial uint64) iter.Seq[stored.Line] {
		return func(yield func(stored.Line) bool) {
			for _, r := range disguiseRivals() {
				line := func(experiment string, k int, values func() ([]float64, error)) bool {
					return yield(stored.Line{Key: []string{experiment, fmt.Sprint(k), r.Name, fmt.Sprint(trial)}, Values: func() ([]string, error) {
						v, err := values()
						return append(stored.Numbers(v...), roundsOf(r.Name, rounds)), err
					}})
				}
				if r.Model.Rank > 0 && !line("weights", len(s.Classes), func() ([]float64, error) { return d.weights(ctx, r, trial, rounds) }) {
					return
				}
				for k := 2; k <= min(most, len(s.Classes)); k++ {
					if !line("clusters", k, func() ([]float64, error) {
						v, err := d.cluster(ctx, r, k, trial, rounds)
						if err != nil {
							return nil, err
						}
						return append(v[:2], math.NaN(), math.NaN(), math.NaN(), math.NaN()), nil
					}) {
						return
					}
				}
			}
		}
	})
}

// weights fits twice as many parts as there are persons, and counts pixels that the fit gave up.
func (d Disguised) weights(ctx context.Context, rival Rival, seed uint64, rounds int) ([]float64, error) {
	m := rival.Model
	m.Rank, m.Seed, m.MaxIter, m.Tol = 2*len(d.Classes), seed, cmp.Or(rounds, 60), -1
	r, err := m.Fit(ctx, d.X)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rival.Name, err)
	}
	out, err := r.Outliers(d.X, nil)
	if err != nil {
		return nil, err
	}
	share := func(band [2]int, covered func(what int) bool) float64 {
		low, all, of := 0., 0., map[int]int{}
		for j, l := range d.Labels {
			k := of[l]
			of[l]++
			if !covered(occluded[k%13]) {
				continue
			}
			for row := band[0] * d.Height / 60; row < band[1]*d.Height/60; row++ {
				for col := range d.Width {
					all++
					if out.Weights.At(row*d.Width+col, j) < 0.01 {
						low++
					}
				}
			}
		}
		return low / all
	}
	is := func(wanted int) func(int) bool { return func(what int) bool { return what == wanted } }
	isNot := func(unwanted int) func(int) bool { return func(what int) bool { return what != unwanted } }
	return []float64{math.NaN(), math.NaN(), share(eyes, is(1)), share(eyes, isNot(1)), share(mouth, is(2)), share(mouth, isNot(2))}, nil
}

// occlusionVersion is that of a row of OcclusionResults.
func occlusionVersion(ctx context.Context, experiment, model string) (string, error) {
	if experiment == "clusters" {
		return disguiseVersion(ctx, experiment, model)
	}
	return versions.Of("weights, "+model, func() (any, error) {
		s, err := datasets.Fashion().Sample(13, 1)
		if err != nil {
			return nil, err
		}
		if s, err = s.Scaled().Shrink(14, 14); err != nil {
			return nil, err
		}
		for _, r := range Rivals() {
			if r.Name == model {
				return Disguised{Set: s}.weights(ctx, r, 1, 4)
			}
		}
		return nil, fmt.Errorf("there is no model %q", model)
	})
}
