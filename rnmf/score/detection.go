package score

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A Detection says how well flags find the true outliers:
//
//	Precision = Hits/Flagged    Recall = Hits/True
//	F1 = 2·Hits/(Flagged + True), their harmonic mean
//
// A ratio 0/0 is 1: with nothing flagged there is no false alarm, and with
// nothing to find there is no miss.
type Detection struct {
	Precision, Recall, F1 float64
	Flagged, True, Hits   int
}

// String returns the scores and the counts in a line.
func (d Detection) String() string {
	return fmt.Sprintf("precision %.3f, recall %.3f, F1 %.3f: %d flagged, %d of the %d outliers among them", d.Precision, d.Recall, d.F1, d.Flagged, d.Hits, d.True)
}

// Detect compares flagged entries with those that truly are outliers. In both
// matrices an entry that is not 0 is one. See [rnmf.Outliers.Flags].
func Detect(flags, truth mat.Matrix) (Detection, error) {
	f, t, err := withTruth("flags", flags, truth)
	if err != nil {
		return Detection{}, err
	}
	m, _ := f.Dims()
	var d Detection
	for i := range m {
		actual := t.RawRowView(i)
		for j, v := range f.RawRowView(i) {
			d.count(v != 0, actual[j] != 0)
		}
	}
	return d.rated(), nil
}

// DetectSamples is Detect for whole samples. See [rnmf.Outliers.FlagSamples].
func DetectSamples(flags, truth []bool) (Detection, error) {
	if err := sameLength("flags", len(flags), len(truth)); err != nil {
		return Detection{}, err
	}
	var d Detection
	for j, f := range flags {
		d.count(f, truth[j])
	}
	return d.rated(), nil
}

func (d *Detection) count(flagged, actual bool) {
	if flagged {
		d.Flagged++
	}
	if actual {
		d.True++
	}
	if flagged && actual {
		d.Hits++
	}
}

func (d Detection) rated() Detection {
	ratio := func(a, b int) float64 {
		if b == 0 {
			return 1
		}
		return float64(a) / float64(b)
	}
	d.Precision = ratio(d.Hits, d.Flagged)
	d.Recall = ratio(d.Hits, d.True)
	d.F1 = ratio(2*d.Hits, d.Flagged+d.True)
	return d
}

// AveragePrecision measures without a threshold how well weights find the true outliers (entries of
// truth that are not 0). Entries are ranked by weight, the lowest first; it is the mean, over the
// true outliers, of the precision of flagging all entries up to this one,
//
//	AP = 1/T Σ_{true outliers at rank p} (true outliers up to rank p)/p.
//
// Entries of equal weight have no order, so AP is averaged over all of their
// orders, in closed form (McSherry and Najork 2008). A perfect ranking
// gives 1, and random weights give about the share of outliers. It is 1 if there is
// no outlier to find.
func AveragePrecision(weights, truth mat.Matrix) (float64, error) {
	w, t, err := withTruth("weights", weights, truth)
	if err != nil {
		return 0, err
	}
	m, n := w.Dims()
	r := make(ranking, 0, m*n)
	for i := range m {
		actual := t.RawRowView(i)
		for j, v := range w.RawRowView(i) {
			r = append(r, ranked{v, actual[j] != 0})
		}
	}
	return r.averagePrecision(), nil
}

// AveragePrecisionSamples is AveragePrecision for the weights of whole samples.
func AveragePrecisionSamples(weights []float64, truth []bool) (float64, error) {
	if err := sameLength("weights", len(weights), len(truth)); err != nil {
		return 0, err
	}
	if err := input.Finite("weights", weights); err != nil {
		return 0, err
	}
	r := make(ranking, len(weights))
	for j, v := range weights {
		r[j] = ranked{v, truth[j]}
	}
	return r.averagePrecision(), nil
}

type ranked struct {
	weight  float64
	outlier bool
}

type ranking []ranked

// averagePrecision sorts the ranking. In a group of g equal weights, t of them
// outliers, after a entries with b outliers, the i-th place holds an outlier
// with probability t/g; given that, each of the i−1 places before it does with
// probability (t−1)/(g−1). So the group is expected to add
//
//	Σᵢ₌₁ᵍ t/g · (b + 1 + (i−1)(t−1)/(g−1)) / (a + i).
func (r ranking) averagePrecision() float64 {
	slices.SortFunc(r, func(x, y ranked) int {
		switch {
		case x.weight < y.weight:
			return -1
		case x.weight > y.weight:
			return 1
		}
		return 0
	})
	var sum, before float64
	for a := 0; a < len(r); {
		end, t := a, 0.0
		for ; end < len(r) && r[end].weight == r[a].weight; end++ {
			if r[end].outlier {
				t++
			}
		}
		if g := float64(end - a); t > 0 {
			var part float64
			for i := range end - a {
				part += (before + 1 + float64(i)*(t-1)/max(g-1, 1)) / float64(a+i+1)
			}
			sum += t / g * part
		}
		before += t
		a = end
	}
	if before == 0 {
		return 1
	}
	return math.Min(sum/before, 1)
}

// withTruth checks a matrix and the mask that it is judged by.
func withTruth(name string, a, truth mat.Matrix) (_, t *mat.Dense, err error) {
	d, err := input.Matrix(name, a)
	if err != nil {
		return nil, nil, err
	}
	if t, err = input.Matrix("truth", truth); err != nil {
		return nil, nil, err
	}
	m, n := d.Dims()
	return d, t, input.Dims("truth", t, m, n)
}

func sameLength(name string, got, want int) error {
	switch {
	case got != want:
		return fmt.Errorf("%w: %d %s for %d samples", rnmf.ErrShape, got, name, want)
	case got == 0:
		return fmt.Errorf("%w: no %s", rnmf.ErrEmpty, name)
	}
	return nil
}
