package claims

import (
	"math"

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
// a mean accuracy, both from 0 to 1. The classes have low to high samples each. It goes through all
// splits p of them; mixtures of splits at the mean accuracy a have at most
//
//	min_c max_p NMI_p + c (a − a_p).
//
// NMI is the mutual information over the larger entropy, as in (45) and (46) of the RSS-NMF paper.
func MostNMI(low, high int) func(accuracy float64) float64 {
	best := map[float64]float64{} // the largest NMI at an accuracy
	for n0 := low; n0 <= high; n0++ {
		for n1 := n0; n1 <= high; n1++ {
			for i := range n0 + 1 {
				for j := range n1 + 1 {
					accuracy, nmi := split(n0, n1, i, j)
					accuracy = math.Round(1e4*accuracy) / 1e4
					best[accuracy] = max(best[accuracy], nmi)
				}
			}
		}
	}
	return func(accuracy float64) float64 {
		bound := math.Inf(1)
		for c := 0.0; c < 20; c += 0.02 {
			top := 0.0
			for a, nmi := range best {
				top = max(top, nmi+c*(accuracy-a))
			}
			bound = min(bound, top)
		}
		return bound
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
