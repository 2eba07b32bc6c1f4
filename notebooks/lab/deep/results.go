package deep

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"iter"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

//go:embed printed.csv
var printed string

// Results returns what Command has stored, in package rss, as the claims of the paper are judged by it: of each set, number of classes k, method
// (pixels, autoencoder, IDEC, MSAEClust or MSAEClust ½) and trial the accuracy and the nmi (over the
// larger entropy) of the clusters of all samples, unlabelled, the accuracy on those without
// labels, the number of empty clusters, the rounds (epochs) of a network before its centres, the steps
// with them, the seconds and the seconds of all processors (cpu), the build, and the version,
// which another build can change. The seed is that of the trial's draw. MSAEClust ½ has images of half the height and width,
// which takes a sixteenth of the weights: the whole images take a quarter of an hour on two
// processors for 165 samples, and so are there for few trials.
var Results = rss.Deep

// Printed returns Tables 2 to 5 of the RSS-NMF paper for the two methods, in percent: of
// each set, k and method the accuracy and the nmi.
var Printed = sync.OnceValue(func() stored.Table { return stored.Parse(printed) })

// half is MSAEClust on images of half the size.
const half = "MSAEClust ½"

// maxSteps bounds IDEC in what is stored: 10 targets. The paper goes on to 20000 steps.
const maxSteps = rss.IDECSteps

// sets are those of Tables 2, 4 and 5 that lie in the folder RNMF_DATA. UMIST has 32×32
// pixels, and not 40×40, Georgia Tech the 32×24 = 768 of Table 1.
func sets(ctx context.Context) (all []rss.Set, missing []string) {
	folder := os.Getenv(datasets.FolderEnv)
	for _, c := range []struct {
		rss.Set
		load func() (*datasets.Set, error)
	}{
		{rss.Set{Name: "Yale", Table: 2, Classes: []int{2, 5, 8, 10, 15}, Each: 2}, func() (*datasets.Set, error) { return datasets.Yale.Load(ctx) }},
		{rss.Set{Name: "UMIST", Table: 4, Classes: []int{2, 5, 8, 10, 20}, Each: 5}, func() (*datasets.Set, error) {
			f, err := os.Open(filepath.Join(folder, "UMIST.mat"))
			if err != nil {
				return nil, err
			}
			defer f.Close()
			m, err := datasets.ReadMAT(ctx, f)
			if err != nil {
				return nil, err
			}
			return m.Set(datasets.MATLayout{Height: 32, Width: 32, Max: 255})
		}},
		{rss.Set{Name: "GT", Table: 5, Classes: []int{2, 5, 10, 30, 50}, Each: 10}, func() (*datasets.Set, error) {
			return datasets.OpenImages(ctx, filepath.Join(folder, "GT_40x30.zip"), datasets.ImageLayout{Height: 32, Width: 24, Class: person})
		}},
	} {
		s, err := c.load()
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s (%v)", c.Name, err))
			continue
		}
		c.Set.Set = s.Scaled()
		all = append(all, c.Set)
	}
	return all, missing
}

// person is who is on an image of the cropped Georgia Tech faces, GT/1.jpg to GT/750.jpg,
// of which 15 after each other show one.
func person(path string) (class string, take bool) {
	number, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(path), ".jpg"))
	return fmt.Sprintf("%02d", (number-1)/15+1), err == nil && number >= 1
}

// Command fills deep.csv of package rss; -h lists its flags.
func Command(ctx context.Context, args []string) error {
	run := stored.Trials{Count: 3, Out: filepath.Join("..", "rss", "deep.csv")}
	f := flag.NewFlagSet("store", flag.ContinueOnError)
	run.Flags(f)
	only := f.String("set", "", "one `set` alone: Yale, UMIST or GT")
	k := f.Int("k", 0, "one `number` of classes alone; 0: all")
	method := f.String("method", "", "one `method` alone: pixels, IDEC (with its autoencoder), MSAEClust or MSAEClust ½")
	older := f.Bool("stale", false, "compute nothing, and list the rows that are of an older version or of another build")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *older {
		return stored.ListStale(os.Stdout, false, file(ctx, rivals))
	}
	all, missing := sets(ctx)
	log.Printf("not at hand: %s", strings.Join(missing, ", "))
	return store(ctx, run, slices.DeleteFunc(all, func(s rss.Set) bool { return *only != "" && s.Name != *only }),
		func(classes int, name string) bool {
			return (*k == 0 || classes == *k) && (*method == "" || name == *method)
		}, rivals)
}

// settings are those of both methods; of each fit K, the seed and the labels are its own.
type settings struct {
	idec IDEC
	msae MSAEClust
}

// rivals are the settings of what is stored.
var rivals = settings{idec: IDEC{MaxIter: maxSteps}}

// fits has the methods whose clusters come with one fit.
var fits = map[string][]string{"pixels": {"pixels"}, "IDEC": {"autoencoder", "IDEC"}, half: {half}, "MSAEClust": {"MSAEClust"}}

// store computes the trials of some sets.
func store(ctx context.Context, run stored.Trials, sets []rss.Set, wanted func(k int, name string) bool, with settings) error {
	run.Keys = []string{"set", "k", "method", "trial"}
	run.Columns = []string{"accuracy", "nmi", "unlabelled", "empty", "rounds", "steps", "seconds", "cpu", "build"}
	run.Version = func(key []string) (string, error) { return version(ctx, key[2], with) }
	return run.Run(ctx, func(trial uint64) iter.Seq[stored.Line] {
		return func(yield func(stored.Line) bool) {
			for _, s := range sets {
				for _, k := range s.Classes {
					for _, name := range []string{"pixels", "IDEC", half, "MSAEClust"} {
						if !wanted(k, name) {
							continue
						}
						lines := sync.OnceValues(func() (map[string][]string, error) { return linesOf(ctx, s, k, name, trial, with) })
						for _, method := range fits[name] {
							if !yield(stored.Line{Key: []string{s.Name, fmt.Sprint(k), method, fmt.Sprint(trial)}, Values: func() ([]string, error) {
								all, err := lines()
								return slices.Clone(all[method]), err
							}}) {
								return
							}
						}
					}
				}
			}
		}
	})
}

// linesOf are the values of a fit, by the methods that come with it.
func linesOf(ctx context.Context, s rss.Set, k int, name string, trial uint64, with settings) (map[string][]string, error) {
	t, err := task(s, k, name, trial)
	if err != nil {
		return nil, err
	}
	found, err := fit(ctx, t, k, name, with)
	if err != nil {
		return nil, err
	}
	lines := map[string][]string{}
	for _, o := range found {
		scores, err := judge(t, o.labels)
		if err != nil {
			return nil, err
		}
		lines[o.method] = slices.Concat(stored.Numbers(scores...), []string{fmt.Sprint(o.empty), fmt.Sprint(o.rounds), fmt.Sprint(o.steps),
			stored.Number(o.seconds, 'f', 1), stored.Number(o.cpu, 'f', 1), build()})
	}
	return lines, nil
}

// task draws k classes, those of rss for this trial.
func task(s rss.Set, k int, name string, trial uint64) (t rss.Task, err error) {
	set := s.Set
	if name == half {
		if set, err = set.Shrink(set.Height/2, set.Width/2); err != nil {
			return t, err
		}
	}
	return rss.Draw(set, k, s.Each, trial)
}

// An outcome is the clusters that a method has found, and what it took.
type outcome struct {
	method               string
	labels               []int
	codes                *mat.Dense // nil for pixels
	empty, rounds, steps int
	seconds, cpu         float64
}

// fit runs what is behind a name: k-means on the pixels, IDEC with the autoencoder that it begins
// with, whose cost is that of both, or MSAEClust.
func fit(ctx context.Context, t rss.Task, k int, name string, with settings) ([]outcome, error) {
	start, used := time.Now(), cpu()
	took := func(o outcome) outcome {
		o.seconds, o.cpu = time.Since(start).Seconds(), cpu()-used
		return o
	}
	switch name {
	case "pixels":
		c, err := baseline.KMeans{K: k, Restarts: starts, Seed: t.Seed}.Fit(ctx, t.X)
		if err != nil {
			return nil, err
		}
		return []outcome{took(outcome{method: name, labels: c.Labels})}, nil
	case "IDEC":
		idec := with.idec
		idec.K, idec.Seed = k, t.Seed
		d, err := idec.Fit(ctx, t.X)
		if err != nil {
			return nil, err
		}
		return []outcome{took(outcome{method: "autoencoder", labels: d.Autoencoder.Labels, codes: d.Codes, rounds: len(d.Losses)}),
			took(outcome{method: name, labels: d.Labels, codes: d.Codes, empty: len(d.Empty), rounds: len(d.Losses), steps: d.Steps})}, nil
	}
	msae := with.msae
	msae.K, msae.Seed, msae.Labels = k, t.Seed, t.Labels
	d, err := msae.Fit(ctx, t.X)
	if err != nil {
		return nil, err
	}
	return []outcome{took(outcome{method: name, labels: d.Labels, codes: d.Codes, rounds: len(d.Losses)})}, nil
}

// judge returns the accuracy and the NMI of all samples, as the paper does, and the
// accuracy on those without labels.
func judge(t rss.Task, found []int) (scores []float64, err error) {
	a, err := score.NewAgreement(t.Set.Labels, found)
	if err != nil {
		return nil, err
	}
	var truth, open []int
	for j, c := range t.Labels.Class {
		if c < 0 {
			truth, open = append(truth, t.Set.Labels[j]), append(open, found[j])
		}
	}
	unlabelled := math.NaN()
	if truth != nil {
		if unlabelled, err = score.Accuracy(truth, open); err != nil {
			return nil, err
		}
	}
	return []float64{a.Accuracy, a.NMI[score.NMIMax], unlabelled}, nil
}

// build names the versions that made a line.
func build() string {
	text := []string{runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			switch d.Path {
			case "github.com/gomlx/gomlx", "github.com/gomlx/compute":
				text = append(text, filepath.Base(d.Path)+" "+d.Version)
			}
		}
	}
	return strings.Join(text, "; ") // runtime.Version names GOEXPERIMENT
}
