package rnmf

import (
	"cmp"
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// Labels is the penalty of structured normalisation (RSS-NMF paper, (11)), for H. Component k
// stands for class k; over the labelled samples j,
//
//	½ w min over λ > 0 of Σ_k Σ_j (λ_k h_kj − y_kj)²,   y_kj = 1 if j is of class k, or 0,
//	λ_k = ⟨h_k, y_k⟩ / ⟨h_k, h_k⟩   (13).
//
// With λ minimised out it is a function of H alone, ½ w Σ_k n_k (1 − cos²(h_k, y_k)) with n_k the
// labelled samples of class k. It depends on the direction of each row and not on its length, so
// the fit needs no normalisation (23), (24) of W and H. With λ fixed at its best value for the
// present H, the sum is quadratic in H, nowhere below the penalty, and equal to it there: the
// bound.
//
// Components beyond the classes, and those of a class without labels, are free.
type Labels struct {
	// Class of each sample from 0 up, below the rank and, if there are no Names, below the number
	// of samples; Unlabelled if not known.
	Class []int
	// Names of the classes, or nil.
	Names []string
	// Weight is w. 0 is 1, the paper's value, which hardly matters where samples have many entries:
	// the term is at most w/2 for a labelled sample. Against sets it in units of the loss; with 100
	// of them it counts.
	Weight float64
}

// Unlabelled is the class of a sample whose class is not known.
const Unlabelled = -1

// Few keeps the labels of at most count samples of each class, the first in order, which is a
// permutation of the samples; all others become Unlabelled. What in order is no sample is passed over.
func (l Labels) Few(count int, order []int) Labels {
	class := make([]int, len(l.Class))
	for j := range class {
		class[j] = Unlabelled
	}
	kept := map[int]int{}
	for _, j := range order {
		if j < 0 || j >= len(class) {
			continue
		}
		if c := l.Class[j]; c >= 0 && class[j] == Unlabelled && kept[c] < count {
			class[j] = c
			kept[c]++
		}
	}
	l.Class = class
	return l
}

// SampleLabels returns l. A penalty of your own with this method gives Result.Predict its labels.
func (l Labels) SampleLabels() Labels { return l }

// Classes returns the number of classes.
func (l Labels) Classes() int {
	count := len(l.Names)
	for _, c := range l.Class {
		count = max(count, c+1)
	}
	return count
}

// Name returns the name of a class, or its number where it has none.
func (l Labels) Name(class int) string {
	if class >= 0 && class < len(l.Names) {
		return l.Names[class]
	}
	if class == Unlabelled {
		return "unlabelled"
	}
	return strconv.Itoa(class)
}

// Check finds the first label that is wrong for a factor r×n.
func (l Labels) Check(r, n int) error {
	if err := l.check(n); err != nil {
		return err
	}
	for j, c := range l.Class {
		if c >= r {
			return fmt.Errorf("%w: sample %d is of class %d, but there are only %d components", ErrLabels, j, c, r)
		}
	}
	return nil
}

// check is Check without a rank, for models whose components stand for no class.
func (l Labels) check(n int) error {
	if !(l.Weight >= 0 && l.Weight <= maxEntry) {
		return errParameter("Labels.Weight", l.Weight, "0 or more")
	}
	most := max(n, len(l.Names)) // more classes than samples cannot have samples
	if l.Names != nil {
		most = len(l.Names)
	}
	for j, c := range l.Class[:min(n, len(l.Class))] {
		if c < Unlabelled || c >= most {
			return fmt.Errorf("%w: sample %d is of class %d, want -1 to %d", ErrLabels, j, c, most-1)
		}
	}
	if len(l.Class) < n {
		return fmt.Errorf("%w: %d labels for %d samples: sample %d is the first without a label (%d says that none is known)", ErrLabels, len(l.Class), n, len(l.Class), Unlabelled)
	}
	if len(l.Class) > n {
		return fmt.Errorf("%w: %d labels for %d samples: label %d is the first without a sample", ErrLabels, len(l.Class), n, n)
	}
	return nil
}

func (l Labels) weight() float64 { return cmp.Or(l.Weight, 1) }

// sizes returns the number of labelled samples of each class.
func (l Labels) sizes() []int {
	n := make([]int, l.Classes())
	for _, c := range l.Class {
		if c >= 0 {
			n[c]++
		}
	}
	return n
}

// The range of λ keeps its square finite. Its lower end makes it positive where (13) is 0.
const leastLambda, mostLambda = 1e-100, 1e100

// Lambda returns the diagonal of Λ (13) for coefficients of the labelled samples. It is positive:
// where a row of H is 0 on all of them any λ is as good, and it is 1, by which the row can grow
// again; free components have the mean of the others.
func (l Labels) Lambda(h *mat.Dense) []float64 {
	r, _ := h.Dims()
	lambda := make([]float64, r)
	var sum, count float64
	sizes := l.sizes()
	for k := range min(r, len(sizes)) {
		if sizes[k] == 0 {
			continue
		}
		var hy, hh float64
		row := h.RawRowView(k)
		for j, c := range l.Class {
			if c >= 0 {
				hh += row[j] * row[j]
			}
			if c == k {
				hy += row[j]
			}
		}
		lambda[k] = 1
		if hh > 0 {
			lambda[k] = min(max(hy/hh, leastLambda), mostLambda)
		}
		sum += lambda[k]
		count++
	}
	for k := range lambda {
		if lambda[k] == 0 {
			lambda[k] = 1
			if count > 0 {
				lambda[k] = sum / count
			}
		}
	}
	return lambda
}

// Value returns the penalty at its best Λ.
func (l Labels) Value(h *mat.Dense) float64 {
	var sum float64
	lambda := l.Lambda(h)
	for k, size := range l.sizes() {
		if size == 0 {
			continue
		}
		row := h.RawRowView(k)
		for j, c := range l.Class {
			switch {
			case c == k:
				d := lambda[k]*row[j] - 1
				sum += d * d
			case c >= 0:
				d := lambda[k] * row[j]
				sum += d * d
			}
		}
	}
	return 0.5 * l.weight() * sum
}

// Rounding is 1e-28 of the most that the labelled samples can add, as the value is a difference.
func (l Labels) Rounding(h *mat.Dense) float64 {
	return 1e-28 * l.weight() * float64(len(l.Class))
}

// Majorize adds the penalty at the Λ of h: ½wΛ² to D, ½wΛY to C.
func (l Labels) Majorize(q *Quadratic, h *mat.Dense) {
	lambda := l.Lambda(h)
	d, c := q.Diagonal(), q.Linear()
	w := 0.5 * l.weight()
	for k, size := range l.sizes() {
		if size == 0 {
			continue
		}
		dk, ck := d.RawRowView(k), c.RawRowView(k)
		for j, class := range l.Class {
			if class >= 0 {
				dk[j] += w * lambda[k] * lambda[k]
			}
			if class == k {
				ck[j] += w * lambda[k]
			}
		}
	}
}

// Against sets the weight to times the loss of a sample in plain, a fit without labels: its
// objective over its number of samples. So it depends on neither the unit of X, nor the number of
// entries of a sample, nor the loss and its scale. The term of a labelled sample is at most half
// the weight: 1 hardly changes a fit, at 100 the labelled coefficients have the form of (9) of the
// RSS-NMF paper, and more changes little. If the loss is 0 the weight is 1.
func (l Labels) Against(plain *Result, times float64) Labels {
	_, n := plain.H.Dims()
	l.Weight = times * plain.Objective / float64(n)
	return l
}
