package rss

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/viz"
)

// Images returns some columns of x.
func Images(x mat.Matrix, samples []int) *mat.Dense {
	m, _ := x.Dims()
	some := mat.NewDense(m, len(samples), nil)
	for at, j := range samples {
		some.SetCol(at, mat.Col(nil, j, x))
	}
	return some
}

// Pairs returns the first two labelled samples of each of the first n classes that have two.
func (t Task) Pairs(n int) (first, second []int) {
	for class := range min(n, len(t.Classes)) {
		var of []int
		for j, c := range t.Labels.Class {
			if c == class {
				of = append(of, j)
			}
		}
		if len(of) > 1 {
			first, second = append(first, of[0]), append(second, of[1])
		}
	}
	return first, second
}

// Disputed returns a sample of each class that has one whose class some of those who name samples
// find, and some do not: the first, of those without a label.
func (t Task) Disputed(found ...[]int) (samples []int) {
	for class := range t.Classes {
		for j, c := range t.Set.Labels {
			right := 0
			for _, names := range found {
				if names[j] == c {
					right++
				}
			}
			if c == class && t.Labels.Class[j] < 0 && 0 < right && right < len(found) {
				samples = append(samples, j)
				break
			}
		}
	}
	return samples
}

// Persons returns for some samples the first labelled image of the class that is found for each,
// with a white cross over it where this is not the sample's class.
func (t Task) Persons(found, samples []int) *mat.Dense {
	var of []int
	for _, j := range samples {
		of = append(of, slices.Index(t.Labels.Class, found[j]))
	}
	persons := Images(t.X, of)
	for at, j := range samples {
		for row := 0; row < t.Height && found[j] != t.Set.Labels[j]; row++ {
			column := row * t.Width / t.Height
			persons.Set(row*t.Width+column, at, 1)
			persons.Set(row*t.Width+t.Width-1-column, at, 1)
		}
	}
	return persons
}

// ordered returns the samples of each class, in the order of the set.
func (t Task) ordered() [][]int {
	of := make([][]int, len(t.Classes))
	for j, c := range t.Set.Labels {
		of[c] = append(of[c], j)
	}
	return of
}

// Album draws the images of the first persons, a row for each: in a blue frame where an image without a label is found to
// be of its person, in an orange one where it is not, and without a frame where it has a label. It has 11 greys, which
// keeps its file small.
func (t Task) Album(title string, found []int, persons int) (viz.Figure, error) {
	rows := t.ordered()[:min(persons, len(t.Classes))]
	wide := len(slices.MinFunc(rows, func(a, b []int) int { return cmp.Compare(len(a), len(b)) }))
	var shown, right, wrong []int
	for _, row := range rows {
		for _, j := range row[:min(wide, 12)] {
			switch {
			case t.Labels.Class[j] >= 0:
			case found[j] == t.Set.Labels[j]:
				right = append(right, len(shown))
			default:
				wrong = append(wrong, len(shown))
			}
			shown = append(shown, j)
		}
	}
	album, err := viz.Gallery(Images(t.X, shown), viz.GalleryOptions{Title: title, Height: t.Height, Width: t.Width,
		Columns: len(shown) / len(rows), Scale: max(1, 64/t.Height), Max: 1, Marked: wrong, AlsoMarked: right})
	if err != nil {
		return nil, err
	}
	return few(album, 11, viz.Color(0), viz.Color(1))
}

// NamedAt returns the share of right names of the samples without a label at some places, from 1, in the order of their
// class, and that of the others; NaN where there are none.
func (t Task) NamedAt(found []int, places ...int) (these, others float64) {
	var at, off []int
	for _, of := range t.ordered() {
		for k, j := range of {
			switch {
			case t.Labels.Class[j] >= 0:
			case slices.Contains(places, k+1):
				at = append(at, j)
			default:
				off = append(off, j)
			}
		}
	}
	return right(t.Set.Labels, found, at), right(t.Set.Labels, found, off)
}

// Named returns the share of the samples without a label whose class is found.
func (t Task) Named(found []int) float64 {
	var open []int
	for j, class := range t.Labels.Class {
		if class < 0 {
			open = append(open, j)
		}
	}
	return right(t.Set.Labels, found, open)
}

// InOrder returns the samples class by class, the labelled ones of a class first, and marks in the order of the set:
// 0 for those with a label, −1 for the others.
func (t Task) InOrder() (order, marks []int) {
	for j, class := range t.Labels.Class {
		order, marks = append(order, j), append(marks, -1)
		if class >= 0 {
			marks[j] = 0
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(t.Set.Labels[i], t.Set.Labels[j]), cmp.Compare(marks[j], marks[i]))
	})
	return order, marks
}

// Mended returns x with the labelled samples as they are in the set, and the others as they are in x.
func (t Task) Mended(x *mat.Dense) *mat.Dense { return t.mended(x, true) }

// Alone returns x with the labelled samples as they are in x, and the others as they are in the set.
func (t Task) Alone(x *mat.Dense) *mat.Dense { return t.mended(x, false) }

// mended takes the samples with a label from the set, or those without.
func (t Task) mended(x *mat.Dense, labelled bool) *mat.Dense {
	mended := mat.DenseCopyOf(x)
	for j, class := range t.Labels.Class {
		if (class >= 0) == labelled {
			mended.SetCol(j, mat.Col(nil, j, t.X))
		}
	}
	return mended
}

// Trusted returns the mean weight of those entries of the labelled samples in which x differs from the set.
func (t Task) Trusted(x, weights mat.Matrix) float64 {
	sum, count := 0.0, 0
	for j, class := range t.Labels.Class {
		for i := 0; class >= 0 && i < t.Height*t.Width; i++ {
			if x.At(i, j) != t.X.At(i, j) {
				sum, count = sum+weights.At(i, j), count+1
			}
		}
	}
	return sum / float64(count)
}

// Halves divides the samples of each class of a set by chance, and keeps their order. Of an odd number the
// first half has one more.
func Halves(s *datasets.Set, seed uint64) (halves [2]*datasets.Set, err error) {
	var pick [2][]int
	seen := make([]int, len(s.Classes))
	for _, j := range rand.New(rand.NewPCG(seed, 4)).Perm(len(s.Labels)) {
		c := s.Labels[j]
		pick[seen[c]%2] = append(pick[seen[c]%2], j)
		seen[c]++
	}
	for i := range halves {
		slices.Sort(pick[i])
		if halves[i], err = s.Pick(pick[i]); err != nil {
			return halves, err
		}
	}
	return halves, nil
}

// NamedIn returns the share of the samples of another set whose class is found; both sets name their classes.
func (t Task) NamedIn(other *datasets.Set, found []int) float64 {
	right := 0
	for j, c := range found {
		if t.Classes[c] == other.Classes[other.Labels[j]] {
			right++
		}
	}
	return float64(right) / float64(len(found))
}
