package claims

import (
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

// A TwoClass is an accuracy and an NMI that the RSS-NMF paper prints for two classes, in percent, and the largest
// mean NMI that clusterings can have at that accuracy.
type TwoClass struct {
	Set, Model          string
	Accuracy, NMI, Most float64
}

// Possible allows for the digits that are printed.
func (p TwoClass) Possible() bool { return p.NMI <= p.Most+0.1 }

// TwoClasses are those of Tables 2, 4 and 5. A person of Yale has 11 images, of GT 15, and of UMIST 19 to 48.
func TwoClasses(printed stored.Table) (all []TwoClass) {
	for i, set := range []string{"Yale", "UMIST", "GT"} {
		most := MostNMI([]int{11, 19, 15}[i], []int{11, 48, 15}[i])
		for _, r := range printed.Where("set", set, "k", "2") {
			all = append(all, TwoClass{set, r.Text("model"), r.Number("accuracy"), r.Number("nmi"), 100 * most(r.Number("accuracy")/100)})
		}
	}
	return all
}

// MostNMI returns the largest mean NMI that clusterings of two classes into two clusters can have at
// a mean accuracy, both from 0 to 1. The classes have low to high samples each. A mean over
// clusterings is a mixture of their points (accuracy, NMI), so the largest lie on the upper hull of
// the points of all splits.
//
// NMI is the mutual information over the larger entropy, as in (45) and (46) of the RSS-NMF paper.
func MostNMI(low, high int) func(accuracy float64) float64 {
	best := map[float64]float64{} // the largest NMI at an accuracy
	for n0 := low; n0 <= high; n0++ {
		for n1 := n0; n1 <= high; n1++ {
			for i := range n0 + 1 {
				for j := range n1 + 1 {
					accuracy, nmi := split(n0, n1, i, j)
					best[accuracy] = max(best[accuracy], nmi)
				}
			}
		}
	}
	var x, y []float64 // the corners of the hull
	for _, accuracy := range slices.Sorted(maps.Keys(best)) {
		nmi := best[accuracy]
		for k := len(x) - 1; k > 0 && (y[k]-y[k-1])*(accuracy-x[k-1]) <= (nmi-y[k-1])*(x[k]-x[k-1]); k-- {
			x, y = x[:k], y[:k] // below the line from the corner before to this point
		}
		x, y = append(x, accuracy), append(y, nmi)
	}
	return func(accuracy float64) float64 {
		k := min(max(1, sort.SearchFloat64s(x, accuracy)), len(x)-1)
		return y[k-1] + (y[k]-y[k-1])*(accuracy-x[k-1])/(x[k]-x[k-1])
	}
}

// split is the accuracy and the NMI where i of n0 samples and j of n1 samples are in the first cluster.
func split(n0, n1, i, j int) (accuracy, nmi float64) {
	n := float64(n0 + n1)
	a, b, c, d := float64(i)/n, float64(n0-i)/n, float64(j)/n, float64(n1-j)/n
	classes, clusters := entropy(a+b, c+d), entropy(a+c, b+d)
	return max(a+d, b+c), (classes + clusters - entropy(a, b, c, d)) / max(classes, clusters)
}

func entropy(shares ...float64) (h float64) {
	for _, p := range shares {
		if p > 0 {
			h -= p * math.Log(p)
		}
	}
	return h
}
