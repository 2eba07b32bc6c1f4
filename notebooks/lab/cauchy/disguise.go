package cauchy

import (
	"cmp"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"iter"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

//go:embed disguise.csv
var disguise string

// DisguiseResults returns what DisguiseCommand has stored. The experiment "clusters" is
// Fig. 9: of each number of persons k, model and trial the accuracy and nmi. The experiment
// "recognition" is Table 5: the accuracy is that of all test images, and the columns with
// the names of Conditions have it for the images of each. The trial is the seed.
var DisguiseResults = sync.OnceValue(func() stored.Table { return stored.Parse(disguise) })

// Conditions are those of Table 5.
var Conditions = []string{"normal", "expressions", "illuminations", "scarves", "sunglasses"}

// Table5 is Table 5 of the paper, in shares of 1, for lesson.Printed.
const Table5 = `
| accuracy | normal | expressions | illuminations | scarves | sunglasses
truncated, printed rule | 0.90 | 0.99 | 0.9667 | 0.9267 | 0.9067 | 0.77
CIM | 0.8254 | 0.96 | 0.9233 | 0.9067 | 0.8233 | 0.6033
L1 | 0.8715 | 0.94 | 0.90 | 0.9533 | 0.8467 | 0.7633
L2 | 0.8038 | 0.90 | 0.85 | 0.9533 | 0.7933 | 0.5867
Huber | 0.4885 | 0.70 | 0.5933 | 0.5133 | 0.4833 | 0.2933
L2,1 | 0.7523 | 0.87 | 0.8333 | 0.88 | 0.72 | 0.5367
RNMF-L1 | 0.4992 | 0.67 | 0.5533 | 0.5533 | 0.52 | 0.3133
SEC | 0.7892 | 0.95 | 0.9333 | 0.9067 | 0.7467 | 0.5167
`

// Disguised are images of persons in two sessions, each under a condition, a number of
// Conditions.
type Disguised struct {
	*datasets.Set
	Second    []bool // an image is of the second session
	Condition []int
}

// OfAR orders the 26 images of each person of AR, which Set must have in the order of their
// numbers: in each session one normal, three expressions, three lights, three with
// sunglasses and three with a scarf.
func OfAR(s *datasets.Set) (Disguised, error) {
	d := Disguised{Set: s.Scaled()}
	seen := make([]int, len(s.Classes))
	for _, l := range s.Labels {
		k := seen[l]
		if seen[l]++; k >= 26 {
			return d, fmt.Errorf("class %s has more than 26 images", s.Classes[l])
		}
		d.Second = append(d.Second, k >= 13)
		d.Condition = append(d.Condition, []int{0, 1, 1, 1, 2, 2, 2, 4, 4, 4, 3, 3, 3}[k%13])
	}
	for l, n := range seen {
		if n != 26 {
			return d, fmt.Errorf("class %s has %d images, want 26", s.Classes[l], n)
		}
	}
	return d, nil
}

// Disguise is a stand-in for AR made from faces under many lights, such as Extended Yale B
// at 32×32: in each of two sessions two images of each person under even light ("normal"),
// three under light from a side ("illuminations"), three with a scarf and three with
// sunglasses. There are no expressions. The scarf is the cloth of a pullover of Fashion-MNIST
// over the lower third of the face, another one on each image; the sunglasses are two dark
// ellipses with a bridge. Both are where they always are, as in AR.
func Disguise(faces *datasets.Set, seed uint64) (Disguised, error) {
	const normal, lights, scarves, glasses = 0, 2, 3, 4
	plan := []int{normal, normal, normal, normal}
	for _, c := range []int{scarves, glasses} {
		plan = append(plan, slices.Repeat([]int{c}, 6)...)
	}
	s := faces.Scaled()
	if s.Height != 32 || s.Width != 32 {
		return Disguised{}, fmt.Errorf("images of %d×%d, want 32×32", s.Height, s.Width)
	}
	rng := rand.New(rand.NewPCG(seed, 45))
	of := make([][]int, len(s.Classes))
	for j, l := range s.Labels {
		of[l] = append(of[l], j)
	}
	d := Disguised{}
	var columns []int
	for l, images := range of {
		if len(images) < 22 {
			return d, fmt.Errorf("class %s has %d images, want 22", s.Classes[l], len(images))
		}
		// The evenest light first: bright, and the same on both sides.
		even := map[int]float64{}
		for _, j := range images {
			var left, right float64
			for i := range 1024 {
				if i%32 < 16 {
					left += s.X.At(i, j)
				} else {
					right += s.X.At(i, j)
				}
			}
			even[j] = left + right - 2*math.Abs(left-right)
		}
		slices.SortFunc(images, func(a, b int) int {
			if even[a] > even[b] || even[a] == even[b] && a < b {
				return -1
			}
			return 1
		})
		first, side := slices.Clone(images[:16]), slices.Clone(images[16:22])
		for _, part := range [][]int{first, side} {
			rng.Shuffle(len(part), func(a, b int) { part[a], part[b] = part[b], part[a] })
		}
		for i, j := range append(first, side...) {
			condition := lights
			if i < 16 {
				condition = plan[i]
			}
			columns = append(columns, j)
			d.Condition, d.Second = append(d.Condition, condition), append(d.Second, i%2 == 1)
		}
	}
	var err error
	if d.Set, err = s.Pick(columns); err != nil {
		return d, err
	}
	fashion := datasets.Fashion()
	var cloth []int
	for j, l := range fashion.Labels {
		if fashion.Classes[l] == "Pullover" {
			cloth = append(cloth, j)
		}
	}
	for j, c := range d.Condition {
		switch c {
		case scarves:
			from := cloth[rng.IntN(len(cloth))]
			for r := 21; r < 32; r++ {
				for k := range 32 { // the middle of the pullover, 11 rows and 16 columns of it
					d.X.Set(r*32+k, j, fashion.X.At((r-13)*28+6+k/2, from)/255)
				}
			}
		case glasses:
			dark := 0.02 + 0.08*rng.Float64()
			for r := range 32 {
				for k := range 32 {
					x := math.Abs(float64(k) - 15.5)
					y := float64(r) - 8
					if (x-8.5)*(x-8.5)/49+y*y/20 < 1 || x < 2.5 && math.Abs(y) < 1 {
						d.X.Set(r*32+k, j, dark)
					}
				}
			}
		}
	}
	d.Name = "Extended Yale B in disguise"
	return d, nil
}

// Disguises returns AR, if it is at hand, or else the stand-in.
func Disguises(ctx context.Context) (Disguised, error) {
	if s, err := datasets.AR.Load(ctx); err == nil {
		return OfAR(s)
	}
	s, err := datasets.ExtendedYaleB.Load(ctx)
	if err != nil {
		return Disguised{}, err
	}
	return Disguise(s, 1)
}

// disguiseRivals are the seven of the paper, the rule for a normal distribution and ours.
func disguiseRivals() (some []Rival) {
	for _, r := range Rivals() {
		switch r.Name {
		case "capped L2,1", "Cauchy", "two stages, printed first":
		default:
			some = append(some, r)
		}
	}
	return some
}

// DisguiseCommand runs Fig. 9 and Table 5 on AR or its stand-in and stores them. A run that
// was stopped goes on where its file ends: remove the file for a fresh one.
func DisguiseCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("disguise", flag.ContinueOnError)
	run := stored.Trials{Count: 10, Out: "notebooks/lab/cauchy/disguise.csv"}
	run.Flags(f)
	only := f.String("only", "", "one `experiment`: clusters or recognition; empty: both")
	if err := f.Parse(args); err != nil {
		return err
	}
	d, err := Disguises(ctx)
	if err != nil {
		return err
	}
	log.Print(d.Set)
	return d.store(ctx, run, *only, 10, 0)
}

// store runs Fig. 9 with two persons and so on to most, and Table 5 with twice as many
// components as persons, or one of the two.
func (d Disguised) store(ctx context.Context, run stored.Trials, only string, most, rounds int) error {
	run.Keys = []string{"experiment", "k", "model", "trial"}
	run.Columns = slices.Concat([]string{"accuracy", "nmi"}, Conditions, []string{"rounds"})
	run.Version = func(key []string) (string, error) { return disguiseVersion(ctx, key[0], key[2]) }
	return run.Run(ctx, func(trial uint64) iter.Seq[stored.Line] {
		return func(yield func(stored.Line) bool) {
			line := func(experiment string, k int, model string, values func() ([]float64, error)) bool {
				if only != "" && only != experiment {
					return true
				}
				return yield(stored.Line{Key: []string{experiment, fmt.Sprint(k), model, fmt.Sprint(trial)}, Values: func() ([]string, error) {
					v, err := values()
					return append(stored.Numbers(v...), roundsOf(model, rounds)), err
				}})
			}
			persons := len(d.Classes)
			for _, r := range disguiseRivals() {
				if !line("recognition", persons, r.Name, func() ([]float64, error) { return d.recognise(ctx, r, trial, rounds) }) {
					return
				}
			}
			for k := 2; k <= min(most, persons); k++ {
				for _, r := range disguiseRivals() {
					if !line("clusters", k, r.Name, func() ([]float64, error) { return d.cluster(ctx, r, k, trial, rounds) }) {
						return
					}
				}
			}
			if trial == 1 { // it is slow, and draws nothing
				line("recognition", persons, "SEC", func() ([]float64, error) { return d.correct(ctx) })
			}
		}
	})
}

// roundsOf returns the rounds of a model's fits, of which 0 are 60, and 0 for what has none.
func roundsOf(model string, rounds int) string {
	if model == "k-means" || model == "SEC" {
		return "0"
	}
	return fmt.Sprint(cmp.Or(rounds, 60))
}

// fit returns the coefficients of x, or x if the rival is k-means.
func fit(ctx context.Context, x *mat.Dense, rival Rival, rank int, seed uint64, rounds int) (*mat.Dense, error) {
	m := rival.Model
	if m.Rank == 0 {
		return x, nil
	}
	m.Rank, m.Seed, m.MaxIter, m.Tol = rank, seed, rounds, -1
	if rounds == 0 {
		m.MaxIter = 60
	}
	r, err := m.Fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rival.Name, err)
	}
	_, h := r.Normalized(2)
	return h, nil
}

// cluster draws k persons and clusters all their images by k-means on k coefficients.
func (d Disguised) cluster(ctx context.Context, rival Rival, k int, seed uint64, rounds int) ([]float64, error) {
	rng := rand.New(rand.NewPCG(seed, uint64(k)))
	number := map[int]int{}
	for i, c := range rng.Perm(len(d.Classes))[:k] {
		number[c] = i
	}
	part := &datasets.Set{Classes: make([]string, k)}
	var columns []int
	for j, l := range d.Labels {
		if i, ok := number[l]; ok {
			columns, part.Labels = append(columns, j), append(part.Labels, i)
		}
	}
	h, err := fit(ctx, pick(d.X, columns), rival, k, seed, rounds)
	if err != nil {
		return nil, err
	}
	found, err := clusters(ctx, part, h, seed)
	values := []float64{found.Accuracy, found.NMI[score.NMIArithmetic]}
	return append(values, slices.Repeat([]float64{math.NaN()}, len(Conditions))...), err
}

// recognise learns a subspace of all images and has SRC name those of the second session by
// those of the first. Without a model it does so on the images.
func (d Disguised) recognise(ctx context.Context, rival Rival, seed uint64, rounds int) ([]float64, error) {
	h, err := fit(ctx, d.X, rival, 2*len(d.Classes), seed, rounds)
	if err != nil {
		return nil, err
	}
	train, test := d.sessions()
	found, err := baseline.SRC{}.Classify(ctx, pick(h, train), at(d.Labels, train), pick(h, test))
	if err != nil {
		return nil, err
	}
	return d.judge(test, found), nil
}

// correct has SEC name the images of the second session.
func (d Disguised) correct(ctx context.Context) ([]float64, error) {
	train, test := d.sessions()
	found, _, err := baseline.SEC{Height: d.Height, Width: d.Width}.Classify(ctx, pick(d.X, train), at(d.Labels, train), pick(d.X, test))
	if err != nil {
		return nil, err
	}
	return d.judge(test, found), nil
}

func (d Disguised) sessions() (first, second []int) {
	for j, late := range d.Second {
		if late {
			second = append(second, j)
		} else {
			first = append(first, j)
		}
	}
	return first, second
}

// judge returns the share of the images that are named right, nothing for NMI, and the share
// in each condition.
func (d Disguised) judge(test, found []int) []float64 {
	right, all := make([]float64, len(Conditions)), make([]float64, len(Conditions))
	var sum float64
	for i, j := range test {
		c := d.Condition[j]
		all[c]++
		if found[i] == d.Labels[j] {
			right[c]++
			sum++
		}
	}
	values := []float64{sum / float64(len(test)), math.NaN()}
	for c, n := range all {
		values = append(values, right[c]/n) // NaN where there is none
	}
	return values
}

func pick(x mat.Matrix, columns []int) *mat.Dense {
	m, _ := x.Dims()
	out := mat.NewDense(m, len(columns), nil)
	for i, j := range columns {
		out.SetCol(i, mat.Col(nil, j, x))
	}
	return out
}

func at(v, index []int) (out []int) {
	for _, j := range index {
		out = append(out, v[j])
	}
	return out
}
