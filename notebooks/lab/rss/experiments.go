package rss

import (
	"fmt"
	"slices"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// An Experiment is one cell of a table or one point of a figure: a task for each of
// some rivals.
type Experiment struct {
	Kind, Set, Level string // as in the results
	Task             func() (Task, error)
	Rivals           []Rival
}

// Levels of what the paper does not show.
var (
	Shares  = []float64{0, 0.05, 0.1, 0.2, 0.3, 0.5} // of labels
	Wrong   = []float64{0, 0.1, 0.2, 0.3}            // of these
	Noise   = []float64{0, 10, 20, 30, 40, 50}       // pixels black or white, %
	Blocks  = []int{0, 6, 10, 14}                    // size of a white square in an image
	Scales  = []float64{1. / 255, 0.03, 0.1, 0.3, 1} // of the hypersurface, for pixels in 0..1
	Weights = []float64{0, 1, 10, 100, 1000}         // of the labels, in losses of a sample
)

// Experiments returns all experiments of a trial, Tables 2 to 5 first.
func Experiments(sets []Set, seed uint64) (all []Experiment) {
	for _, s := range sets {
		for _, k := range s.Classes {
			all = append(all, Experiment{"tables", s.Name, fmt.Sprint(k), func() (Task, error) { return Draw(s.Set, k, s.Each, seed) }, Rivals()})
		}
	}
	for _, s := range sets {
		if s.Name == "Yale" {
			all = append(all, Beyond(s.Name, s.Set, s.Each, seed)...)
		}
	}
	return all
}

// Beyond returns the experiments with one set that the paper does not show: shares
// of labels, wrong ones among them; corrupted pixels; scales and weights.
func Beyond(name string, s *datasets.Set, each int, seed uint64) (all []Experiment) {
	surface := rnmf.Hypersurface{Scale: Scale}
	table := Rivals()
	pick := func(names ...string) (rivals []Rival) {
		for _, r := range table {
			if slices.Contains(names, r.Name) {
				rivals = append(rivals, r)
			}
		}
		return rivals
	}
	for _, share := range Shares {
		for _, wrong := range Wrong {
			if share == 0 && wrong > 0 {
				continue
			}
			rivals := pick("pixels", "NMF", "CNMF", "SCNMF", "RSS-NMF")
			if share == 0 { // all labels are missing
				rivals = pick("pixels", "NMF", "RNMF")
			}
			all = append(all, Experiment{"labels", name, Level(share, wrong),
				func() (Task, error) { return Share(s, share, wrong, seed) }, rivals})
		}
	}
	spoilt := func(c datasets.Corruption) func() (Task, error) {
		return func() (Task, error) {
			t, err := Draw(s, len(s.Classes), each, seed)
			if err != nil {
				return t, err
			}
			t.X, _, err = c.Apply(t.X, seed)
			return t, err
		}
	}
	rivals := append(pick("pixels", "NMF", "SCNMF", "RSS-NMF"), Labelled("two stages", rnmf.MMEstimator{}, 0, false), Labelled("two stages and labels", rnmf.MMEstimator{}, Times, true))
	for _, p := range Noise {
		all = append(all, Experiment{"pixels", name, fmt.Sprintf("salt & pepper %g", p), spoilt(datasets.SaltPepper{Share: p / 100, High: 1}), rivals})
	}
	for _, b := range Blocks {
		if b > 0 && b <= min(s.Height, s.Width) {
			all = append(all, Experiment{"pixels", name, fmt.Sprintf("block %d", b),
				spoilt(datasets.Block{Size: b, Value: 550. / 255, Height: s.Height, Width: s.Width}), rivals})
		}
	}
	for _, scale := range Scales {
		for _, times := range Weights {
			surface.Scale = scale
			all = append(all, Experiment{"weight", name, Level(scale, times),
				func() (Task, error) { return Draw(s, len(s.Classes), each, seed) }, []Rival{Labelled("RSS-NMF", surface, times, true)}})
		}
	}
	return all
}
