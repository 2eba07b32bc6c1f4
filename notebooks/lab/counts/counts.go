// Package counts has the experiments of notebook 11: what a robust loss of Poisson deviances does for
// counts that are not what they should be. Command runs them at full length.
package counts

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
)

//go:embed results.csv
var results string

// Results returns what Command has stored: of each experiment, case of it, damage, model and trial,
// which is the seed, the score, whose meaning its Experiment tells, and the rounds of the fit.
var Results = sync.OnceValue(func() stored.Table { return stored.Parse(results) })

// OverBest returns, for each value of a column, the median score of a model over the least median of all
// models: 1 where it is the best. A score is an error.
func OverBest(t stored.Table, column, model string) (over []float64) {
	median := func(rows stored.Table) float64 {
		v := rows.Numbers("score")
		slices.Sort(v)
		return (v[len(v)/2] + v[(len(v)-1)/2]) / 2
	}
	for _, value := range t.Different(column) {
		rows := t.Where(column, value)
		least := math.Inf(1)
		for _, m := range rows.Different("model") {
			least = min(least, median(rows.Where("model", m)))
		}
		over = append(over, median(rows.Where("model", model))/least)
	}
	return over
}

// An Experiment fits models to counts in some cases, each with some kinds of damage.
type Experiment struct {
	Name, Score string // what the score is
	Cases       []string
	Damages     []string
	Models      []string
	Trials      uint64
	run         func(ctx context.Context, size int, of, damage, model string, seed uint64) (Outcome, error)
}

// An Outcome is that of one fit.
type Outcome struct {
	Score  float64
	Rounds int
}

// Experiments returns them all.
func Experiments() []Experiment {
	entries := []string{"NMF", "HuberNMF", "RobustNMF", "PoissonNMF", "RobustPoissonNMF"}
	return []Experiment{
		{"planted", "error of the means in units of √mean", []string{"mean 20", "mean 2"}, []string{"clean", "5 % gross entries", "10 % foreign samples"},
			slices.Concat(entries, []string{"Huber of deviances", "Cauchy of deviances", "L2,1 of deviances"}), 10, planted},
		{"programs", "mean cosine of true and found programs", []string{"cells"}, []string{"clean", "1 % bursts"},
			slices.Concat(entries, []string{"NMF of shares, log(1 + x)", "RobustNMF of shares, log(1 + x)", "NMF of shares, log(1 + x), W fitted again", "RobustNMF of shares, log(1 + x), W fitted again"}), 10, programs},
		{"photons", "relative error of the image without noise", []string{"0.3 photons", "1 photon", "3 photons", "10 photons", "30 photons"}, []string{"clean", "1 % hot pixels"},
			entries, 2, photons},
		{"topics", "normalised mutual information with the topics of 2000 documents", []string{"TDT2", "Reuters-21578"}, []string{"clean", "2 % with a burst", "10 % foreign documents"},
			[]string{"least squares, TF-IDF", "least squares, log(1 + x)", "PoissonNMF", "RobustPoissonNMF", "L2,1 of deviances"}, 2, topics},
	}
}

// model returns a model by its name in Experiments.
func model(name string, rank int) (rnmf.Model, error) {
	name, _, _ = strings.Cut(name, " of shares")
	switch name {
	case "NMF":
		return rnmf.NMF(rank), nil
	case "HuberNMF":
		return rnmf.HuberNMF(rank), nil
	case "RobustNMF":
		return rnmf.RobustNMF(rank), nil
	case "PoissonNMF":
		return rnmf.PoissonNMF(rank), nil
	case "RobustPoissonNMF":
		return rnmf.RobustPoissonNMF(rank), nil
	case "Huber of deviances":
		return rnmf.Model{Rank: rank, Family: rnmf.Poisson, Loss: rnmf.Huber{}}, nil
	case "Cauchy of deviances":
		return rnmf.Model{Rank: rank, Family: rnmf.Poisson, Loss: rnmf.Cauchy{}}, nil
	case "L2,1 of deviances":
		return rnmf.Model{Rank: rank, Family: rnmf.Poisson, Loss: rnmf.L21NMF(rank).Loss}, nil
	}
	return rnmf.Model{}, fmt.Errorf("there is no model %q", name)
}

// fit fits a model by its name.
func fit(ctx context.Context, name string, rank, rounds int, x *mat.Dense, seed uint64) (*rnmf.Result, Outcome, error) {
	m, err := model(name, rank)
	if err != nil {
		return nil, Outcome{}, err
	}
	m.Seed, m.MaxIter = seed, rounds
	r, err := m.Fit(ctx, x)
	if err != nil {
		return nil, Outcome{}, err
	}
	return r, Outcome{Rounds: len(r.Trace) - 1}, nil
}

// A drawer draws random numbers for one trial.
type drawer struct{ *rand.Rand }

func drawerOf(seed uint64) drawer { return drawer{rand.New(rand.NewPCG(seed, 0x636f756e7473))} }

// Poisson draws a count.
func (d drawer) Poisson(mean float64) float64 {
	if mean <= 0 {
		return 0
	}
	return distuv.Poisson{Lambda: mean, Src: d}.Rand()
}

// Gamma draws from the gamma distribution of this shape and a scale of 1.
func (d drawer) Gamma(shape float64) float64 {
	return distuv.Gamma{Alpha: shape, Beta: 1, Src: d}.Rand()
}

// matrix fills a matrix.
func matrix(m, n int, at func(i, j int) float64) *mat.Dense {
	a := mat.NewDense(m, n, nil)
	a.Apply(func(i, j int, _ float64) float64 { return at(i, j) }, a)
	return a
}

// Planted draws counts of a mean with means of rank 6, and damages them: a twentieth of the entries are
// drawn with twenty times the mean, or a tenth of the samples from other programs, brighter ones. Bad
// tells these samples.
func Planted(level float64, damage string, m, n int, seed uint64) (x, means *mat.Dense, bad []bool) {
	d := drawerOf(seed)
	const r = 6
	w := matrix(m, r, func(int, int) float64 { return d.Gamma(0.3) })
	h := matrix(r, n, func(int, int) float64 { return d.Gamma(0.5) })
	means = new(mat.Dense)
	means.Mul(w, h)
	means.Scale(level*float64(m*n)/mat.Sum(means), means)
	x = matrix(m, n, func(i, j int) float64 { return d.Poisson(means.At(i, j)) })
	bad = make([]bool, n)
	switch damage {
	case "overdispersed":
		x.Apply(func(i, j int, _ float64) float64 { return d.Poisson(means.At(i, j) * d.Gamma(10) / 10) }, x)
	case "5 % gross entries":
		x.Apply(func(_, _ int, v float64) float64 {
			if d.Float64() < 0.05 {
				return d.Poisson(20 * level)
			}
			return v
		}, x)
	case "10 % foreign samples":
		for _, j := range d.Perm(n)[:n/10] {
			bad[j] = true
		}
		profile := make([]float64, m)
		for i := range profile {
			profile[i] = d.Gamma(0.3)
		}
		for j := range n {
			for i := 0; i < m && bad[j]; i++ {
				x.Set(i, j, d.Poisson(5*level*profile[i]*d.Gamma(1)))
			}
		}
	}
	return x, means, bad
}

// ErrorOfMeans returns the root of the mean of (y − mean)²/mean over the samples that are not bad, in
// which a mean below 0.05 counts as 0.05.
func ErrorOfMeans(r *rnmf.Result, means *mat.Dense, bad []bool) float64 {
	var y mat.Dense
	y.Mul(r.W, r.H)
	var sum, count float64
	m, n := means.Dims()
	for i := range m {
		for j := range n {
			if mean := means.At(i, j); !bad[j] {
				e := y.At(i, j) - mean
				sum += e * e / max(mean, 0.05)
				count++
			}
		}
	}
	return math.Sqrt(sum / count)
}

func planted(ctx context.Context, size int, of, damage, model string, seed uint64) (Outcome, error) {
	level := 20.0
	if of == "mean 2" {
		level = 2
	}
	x, means, bad := Planted(level, damage, 200/size, 300/size, seed)
	r, out, err := fit(ctx, model, 6, 150/size, x, seed)
	if err == nil {
		out.Score = ErrorOfMeans(r, means, bad)
	}
	return out, err
}

// programs finds the five programs of Cells. Parts of logarithms are not in the units of the programs: where W is
// fitted again, it is that of the shares for the H of their logarithms, by least squares.
func programs(ctx context.Context, size int, _, damage, model string, seed uint64) (Outcome, error) {
	x, w := Cells(damage, 300/size, 400/size, seed)
	var shares *mat.Dense
	if strings.Contains(model, "shares") {
		var err error
		if shares, x, err = LogShares(x); err != nil {
			return Outcome{}, err
		}
	}
	f, out, err := fit(ctx, model, 5, 200/size, x, seed)
	if err != nil {
		return out, err
	}
	if strings.HasSuffix(model, "W fitted again") {
		if f.W, err = Refit(ctx, shares, f.H, new(rnmf.Result)); err != nil {
			return out, err
		}
	}
	_, out.Score, err = Programs(w, f.W)
	return out, err
}

// Photons counts photons of an image of intensities, of which mean come to a pixel. With hot, one pixel in a hundred has
// 20 more, and 20 times the mean, as a cosmic ray leaves them. It returns the expected counts, too.
func Photons(x *mat.Dense, mean float64, hot bool, seed uint64) (counts, expected *mat.Dense) {
	d := drawerOf(seed)
	m, n := x.Dims()
	expected = mat.NewDense(m, n, nil)
	expected.Scale(mean*float64(m*n)/mat.Sum(x), x)
	counts = matrix(m, n, func(i, j int) float64 {
		v := d.Poisson(expected.At(i, j))
		if hot && d.Float64() < 0.01 {
			v += d.Poisson(20 + 20*mean)
		}
		return v
	})
	return counts, expected
}

// ErrorInDark returns the mean of |y − expected| over the pixels that expect less than a quarter of what a pixel
// expects on average.
func ErrorInDark(y, expected *mat.Dense) float64 {
	m, n := expected.Dims()
	limit := mat.Sum(expected) / float64(4*m*n)
	var sum, dark float64
	for i := range m {
		for j, e := range expected.RawRowView(i) {
			if e < limit {
				sum += math.Abs(y.At(i, j) - e)
				dark++
			}
		}
	}
	return sum / dark
}

func photons(ctx context.Context, size int, of, damage, model string, seed uint64) (Outcome, error) {
	var level float64
	if _, err := fmt.Sscanf(of, "%g photon", &level); err != nil {
		return Outcome{}, err
	}
	s, rank, err := datasets.Fashion(), 25, error(nil)
	if size == 1 {
		s, err = datasets.ORL.Load(ctx)
	} else if s, err = s.Sample(4, 1); err == nil {
		s, err = s.Shrink(14, 14)
		rank = 5
	}
	if err != nil {
		return Outcome{}, err
	}
	x, expected := Photons(s.X, level, damage != "clean", seed)
	r, out, err := fit(ctx, model, rank, 100/size, x, seed)
	if err == nil {
		out.Score, err = r.RelativeError(expected)
	}
	return out, err
}

// Command runs the experiments.
func Command(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("counts", flag.ContinueOnError)
	run := stored.Trials{Out: "notebooks/lab/counts/results.csv"}
	only := f.String("run", "", "only rows whose experiment, case, damage and model match this `regexp`")
	run.Flags(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	want, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	return store(ctx, run, want, 1)
}

// store runs the experiments; size divides that of their data.
func store(ctx context.Context, run stored.Trials, want *regexp.Regexp, size int) error {
	run.Keys, run.Columns = []string{"experiment", "case", "damage", "model", "trial"}, []string{"score", "rounds"}
	run.Version = func(key []string) (string, error) { return version(ctx, key[0], key[3]) }
	wanted := run.Count
	for _, e := range Experiments() {
		if run.Count = e.Trials; wanted > 0 {
			run.Count = wanted
		}
		err := run.Run(ctx, func(trial uint64) iter.Seq[stored.Line] {
			return func(yield func(stored.Line) bool) {
				for _, of := range e.Cases {
					for _, damage := range e.Damages {
						for _, model := range e.Models {
							key := []string{e.Name, of, damage, model, fmt.Sprint(trial)}
							if want.MatchString(strings.Join(key, ", ")) && !yield(stored.Line{Key: key, Values: func() ([]string, error) {
								out, err := e.run(ctx, size, of, damage, model, trial)
								return []string{stored.Number(out.Score, 'f', 4), fmt.Sprint(out.Rounds)}, err
							}}) {
								return
							}
						}
					}
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var versions stored.Versions

// version is that of a row of an experiment and a model: see stored.Version.
func version(ctx context.Context, experiment, model string) (string, error) {
	return versions.Of(experiment+", "+model, func() (any, error) {
		i := slices.IndexFunc(Experiments(), func(e Experiment) bool { return e.Name == experiment })
		if i < 0 {
			return nil, fmt.Errorf("there is no experiment %q", experiment)
		}
		var all []Outcome
		e := Experiments()[i]
		for _, damage := range e.Damages {
			out, err := e.run(ctx, 10, e.Cases[0], damage, model, 1)
			if err != nil {
				return nil, err
			}
			all = append(all, out)
		}
		return all, nil
	})
}

// Files are what this package stores, with the versions of now.
func Files(ctx context.Context) []stored.File {
	return []stored.File{{Name: "counts/results.csv", Rows: Results, By: []string{"experiment", "model"},
		Version: func(r stored.Row) (string, error) { return version(ctx, r.Text("experiment"), r.Text("model")) }}}
}
