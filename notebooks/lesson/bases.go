package lesson

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf/score"
	"github.com/robustnmf/robustnmf/viz"
)

const (
	mostPairs = 20 // that Bases draws
	mostParts = 10 // that BasesOf draws
)

// Bases draws two bases above each other, row by row, as Basis draws one. The columns of lower
// are matched with those of upper, so that the sum of the cosines is as large as possible,
// and the pairs with the smallest cosines come first, at most 20; the title says if there are more.
func Bases(title string, s *datasets.Set, upperName string, upper mat.Matrix, lowerName string, lower mat.Matrix) viz.Figure {
	order, picked := match([]mat.Matrix{upper, lower}, mostPairs)
	return Must(viz.PairedGallery(upperName, picked[0], lowerName, picked[1],
		viz.GalleryOptions{Title: some(title, "pairs", len(order), upper), Height: s.Height, Width: s.Width, Columns: perRow(len(order)), Max: 1}))
}

// Pairs draws n pairs of the columns of two bases, matched as in Bases: from the pair of the smallest cosine to that of
// the largest, in even steps of the rank, each with its cosine below it.
func Pairs(title string, s *datasets.Set, n int, upperName string, upper mat.Matrix, lowerName string, lower mat.Matrix) viz.Figure {
	r := rowsOf(upper.T())
	n = min(n, r)
	_, picked := match([]mat.Matrix{upper, lower}, r)
	cosines := Cosines(upper, lower)
	opt := viz.GalleryOptions{Title: fmt.Sprintf("%s (%d of %d pairs, and their cosines)", title, n, r), Height: s.Height, Width: s.Width, Columns: n, Max: 1}
	some := []*mat.Dense{mat.NewDense(rowsOf(upper), n, nil), mat.NewDense(rowsOf(upper), n, nil)}
	for k := range n {
		rank := k * (r - 1) / max(1, n-1)
		opt.Captions = append(opt.Captions, fmt.Sprintf("%.2f", cosines[rank]))
		for i, w := range picked {
			some[i].SetCol(k, mat.Col(nil, rank, w))
		}
	}
	return Must(viz.PairedGallery(upperName, some[0], lowerName, some[1], opt))
}

// BasesOf draws the bases of several models, a row for each. The columns of all are matched with those
// of the first, and the parts of the smallest mean cosine come first, at most 10.
func BasesOf(title string, s *datasets.Set, names []string, bases ...mat.Matrix) viz.Figure {
	order, picked := match(bases, mostParts)
	return inRows(viz.ViewsOptions{Title: some(title, "parts", len(order), bases[0]), Height: s.Height, Width: s.Width, Names: names}, picked)
}

// PartsOf draws the first n parts of several bases, a row for each, in the order that they have: for
// parts that stand for classes. It is smaller than BasesOf, for many rows.
func PartsOf(title string, s *datasets.Set, n int, names []string, bases ...mat.Matrix) viz.Figure {
	var picked []*mat.Dense
	for _, w := range bases {
		picked = append(picked, columns(peaks(w), n))
	}
	return inRows(viz.ViewsOptions{Title: title, Height: s.Height, Width: s.Width, Names: names, Scale: max(1, 96/max(s.Height, s.Width))}, picked)
}

// PartsAcross draws what PartsOf draws with a column for each basis and a row for each part: a part that
// changes is then seen from left to right. Lines of a heading end in "\n".
func PartsAcross(title string, s *datasets.Set, n int, headings []string, bases ...mat.Matrix) viz.Figure {
	opt := viz.ViewsOptions{Title: title, Height: s.Height, Width: s.Width, Scale: max(1, 96/max(s.Height, s.Width))}
	for k := range n {
		opt.Samples = append(opt.Samples, k)
	}
	var views []viz.View
	for i, w := range bases {
		views = append(views, viz.View{Heading: headings[i], X: columns(peaks(w), n), Limit: 1})
	}
	return Must(viz.Views(views, opt))
}

// inRows draws each matrix in a row, column next to column.
func inRows(opt viz.ViewsOptions, rows []*mat.Dense) viz.Figure {
	for i := range rows {
		opt.Samples = append(opt.Samples, i)
	}
	m, n := rows[0].Dims()
	var parts []viz.View
	for k := range n {
		part := mat.NewDense(m, len(rows), nil)
		for i, w := range rows {
			part.SetCol(i, mat.Col(nil, k, w))
		}
		parts = append(parts, viz.View{X: part, Limit: 1})
	}
	return Must(viz.Views(parts, opt))
}

// some adds to a title how many of all parts are drawn, where these are not all.
func some(title, what string, n int, w mat.Matrix) string {
	if _, r := w.Dims(); n < r {
		return fmt.Sprintf("%s (the %d of %d %s that differ most)", title, n, r, what)
	}
	return title
}

// match returns columns of each basis, those that belong together at one place, by columns of the
// first in the order given.
func match(bases []mat.Matrix, most int) (order []int, picked []*mat.Dense) {
	_, r := bases[0].Dims()
	cosine := make([]float64, r) // sums over the bases
	partner := make([][]int, len(bases))
	first := directions(bases[0])
	for i, w := range bases {
		fitsEntries(bases[0], w)
		cost := Mul(first.T(), directions(w))
		cost.Scale(-1, cost)
		partner[i] = Must(score.Assignment(cost))
		for k, l := range partner[i] {
			cosine[k] -= math.Round(1e9*cost.At(k, l)) / 1e9 // so that rounding does not decide the order
		}
	}
	for k := range r {
		order = append(order, k)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cosine[a], cosine[b]) })
	order = order[:min(r, most)]
	for i, w := range bases {
		p := peaks(w)
		one := mat.NewDense(rowsOf(w), len(order), nil)
		for place, k := range order {
			one.SetCol(place, mat.Col(nil, partner[i][k], p))
		}
		picked = append(picked, one)
	}
	return order, picked
}

// directions returns a copy of w whose columns have the length 1, or 0.
func directions(w mat.Matrix) *mat.Dense {
	d := mat.DenseCopyOf(w)
	_, r := w.Dims()
	for k := range r {
		c := d.ColView(k).(*mat.VecDense)
		if long := mat.Norm(c, 2); long > 0 {
			c.ScaleVec(1/long, c)
		}
	}
	return d
}

// Cosines returns the cosines of the parts of two bases that belong together, in ascending order: 1
// for parts that are equal but for their unit.
func Cosines(a, b mat.Matrix) []float64 {
	order, picked := match([]mat.Matrix{a, b}, rowsOf(a.T()))
	one, other := directions(picked[0]), directions(picked[1])
	var cosines []float64
	for k := range order {
		cosines = append(cosines, mat.Dot(one.ColView(k), other.ColView(k)))
	}
	return cosines
}
