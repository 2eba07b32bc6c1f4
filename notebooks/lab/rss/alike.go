package rss

import (
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Means returns the mean of the samples of each class. A sample whose class is negative is in none.
func (t Task) Means(class []int) *mat.Dense {
	m, _ := t.X.Dims()
	means, count := mat.NewDense(m, len(t.Classes), nil), make([]float64, len(t.Classes))
	for j, k := range class {
		for i := 0; k >= 0 && i < m; i++ {
			means.Set(i, k, means.At(i, k)+t.X.At(i, j))
		}
		if k >= 0 {
			count[k]++
		}
	}
	means.Apply(func(_, k int, sum float64) float64 { return sum / count[k] }, means)
	return means
}

// Alike returns the mean correlation of the columns of w with those of faces in the same places.
func Alike(faces, w mat.Matrix) float64 {
	_, r := w.Dims()
	like := 0.0
	for k := range r {
		like += stat.Correlation(mat.Col(nil, k, faces), mat.Col(nil, k, w), nil) / float64(r)
	}
	return like
}

// Placed returns the columns of w in the places of those of faces in which Alike is largest.
func Placed(faces, w mat.Matrix) (*mat.Dense, error) {
	_, r := w.Dims()
	cost := mat.NewDense(r, r, nil)
	cost.Apply(func(k, l int, _ float64) float64 {
		return -stat.Correlation(mat.Col(nil, k, faces), mat.Col(nil, l, w), nil)
	}, cost)
	place, err := score.Assignment(cost)
	if err != nil {
		return nil, err
	}
	return Images(w, place), nil
}
