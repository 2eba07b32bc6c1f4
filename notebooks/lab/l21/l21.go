// Package l21 has the data sets of the L2,1-NMF paper (Kong, Ding, Huang 2011) in the
// paper's form, as far as the paper describes it, the numbers of its tables, and stored results of
// what takes too long for notebook 01.
package l21

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/robustnmf/robustnmf/datasets"
)

// A Set is data for Table 3: images with values from 0 to 1, and tables as they are.
type Set struct {
	*datasets.Set
	Printed bool   // in Table 3
	Figure  string // of its confusion matrices in the paper, "" if it shows none
}

// Sets returns those of the paper's sets that are at hand, in its form, then Yale (or, if
// it is not at hand, Fashion-MNIST) and Digits, which the paper does not have; and the
// names of the paper's sets that are missing, with the reason if a file is there.
//
// The paper has AT&T at 56×46 pixels; 18 images of each person of UMIST at 28×23, 15 of
// each digit of MNIST and 10 of each person of PIE, drawn here at random; the 31 persons
// of Extended Yale B with all 64 images, here at 32×32. MNIST is its test images where
// those for training are not at hand. German has its 24 numbers, where the paper counts 20
// attributes; Cars are those of Auto MPG without a missing value, with 7 features, where
// the paper counts 8 (the eighth may be the origin, which is the class).
func Sets(ctx context.Context) (sets []Set, missing []string) { return SetsOf(ctx, 1) }

// SetsOf returns the same with the images that a seed draws, where they are drawn.
func SetsOf(ctx context.Context, seed uint64) (sets []Set, missing []string) {
	type form func(*datasets.Set) (*datasets.Set, error)
	draw := func(each int) form {
		return func(s *datasets.Set) (*datasets.Set, error) { return s.Sample(each, seed) }
	}
	shrink := func(h, w int) form {
		return func(s *datasets.Set) (*datasets.Set, error) { return s.Shrink(h, w) }
	}
	for _, c := range []struct {
		name    string
		figure  string
		sources []*datasets.PublicSet
		forms   []form
	}{
		{"AT&T", "", []*datasets.PublicSet{datasets.ORLOriginal}, []form{shrink(56, 46)}},
		{"UMIST", "Fig. 6", []*datasets.PublicSet{datasets.UMISTSmall}, []form{draw(18)}},
		{"Yale B", "Fig. 7", []*datasets.PublicSet{datasets.ExtendedYaleB}, []form{only64}},
		{"MNIST", "Fig. 8", []*datasets.PublicSet{datasets.MNIST, datasets.MNISTTest}, []form{draw(15)}},
		{"PIE", "Fig. 9", []*datasets.PublicSet{datasets.CMUPIE}, []form{draw(10)}},
		{"Bin-alpha", "", []*datasets.PublicSet{datasets.BinaryAlphadigits}, nil},
		{"German", "", []*datasets.PublicSet{datasets.German}, nil},
		{"Cars", "", []*datasets.PublicSet{datasets.AutoMPG}, []form{complete}},
		{"Vehicle", "", []*datasets.PublicSet{datasets.Vehicle}, nil},
	} {
		var s *datasets.Set
		err := error(datasets.ErrNotFound)
		for _, source := range c.sources {
			if errors.Is(err, datasets.ErrNotFound) {
				s, err = source.Load(ctx)
			}
		}
		if errors.Is(err, datasets.ErrNotFound) {
			missing = append(missing, c.name)
			continue
		}
		for _, f := range c.forms {
			if err == nil {
				s, err = f(s)
			}
		}
		if err != nil { // the file holds something else
			missing = append(missing, fmt.Sprintf("%s (%v)", c.name, err))
			continue
		}
		if s.Height > 0 {
			s = s.Scaled()
		}
		s.Name = c.name
		sets = append(sets, Set{s, true, c.figure})
	}
	sets = append(sets, Set{Set: datasets.Wine(), Printed: true})
	yale, err := datasets.Yale.Load(ctx)
	if err != nil {
		yale = datasets.Fashion()
	}
	return append(sets, Set{Set: yale.Scaled()}, Set{Set: datasets.Digits().Scaled()}), missing
}

// complete keeps the samples of which all values are known.
func complete(s *datasets.Set) (*datasets.Set, error) {
	m, n := s.X.Dims()
	var columns []int
samples:
	for j := range n {
		for i := range m {
			if math.IsNaN(s.X.At(i, j)) {
				continue samples
			}
		}
		columns = append(columns, j)
	}
	return s.Pick(columns)
}

// only64 keeps the classes of 64 samples.
func only64(s *datasets.Set) (*datasets.Set, error) {
	count := make([]int, len(s.Classes))
	for _, l := range s.Labels {
		count[l]++
	}
	var columns []int
	for j, l := range s.Labels {
		if count[l] == 64 {
			columns = append(columns, j)
		}
	}
	s, err := s.Pick(columns)
	if err != nil {
		return nil, err
	}
	number := map[int]int{}
	var classes []string
	for j, l := range s.Labels {
		if _, ok := number[l]; !ok {
			number[l] = len(classes)
			classes = append(classes, s.Classes[l])
		}
		s.Labels[j] = number[l]
	}
	s.Classes = classes
	return s, nil
}

// Table1 is Table 1 of the paper, for lesson.Printed.
const Table1 = `
| samples | features | classes
AT&T | 400 | 2576 | 40
MNIST | 150 | 784 | 10
PIE | 680 | 1024 | 68
UMIST | 360 | 644 | 20
Yale B | 1984 | 2016 | 31
Bin-alpha | 1404 | 320 | 36
German | 1000 | 20 | 2
Cars | 392 | 8 | 3
Wine | 178 | 13 | 3
Vehicle | 846 | 18 | 4
`

// Table2 is Table 2 of the paper, for lesson.Printed: each model in the norm of its own.
const Table2 = `
| NCE | seconds | rounds
UMIST, L2,1-NMF | 0.1598 | 73.6396 | 3906
UMIST, NMF | 0.1721 | 52.6239 | 4932
AT&T, L2,1-NMF | 0.1185 | 121.5217 | 4029
AT&T, NMF | 0.1375 | 96.0741 | 4783
`

// Table3 is Table 3 of the paper, a row for each set and method, for lesson.Printed.
const Table3 = `
| accuracy | NMI | purity
AT&T, L2,1-NMF      | 0.6808 | 0.8206 | 0.7210
AT&T, NMF           | 0.6496 | 0.7945 | 0.6822
AT&T, k-means       | 0.6519 | 0.8134 | 0.7021
MNIST, L2,1-NMF     | 0.7719 | 0.7429 | 0.7849
MNIST, NMF          | 0.7297 | 0.6966 | 0.7461
MNIST, k-means      | 0.6872 | 0.6788 | 0.7068
UMIST, L2,1-NMF     | 0.5176 | 0.6174 | 0.5306
UMIST, NMF          | 0.4861 | 0.5869 | 0.5029
UMIST, k-means      | 0.4744 | 0.6030 | 0.5185
PIE, L2,1-NMF       | 0.4321 | 0.6782 | 0.4562
PIE, NMF            | 0.4138 | 0.6557 | 0.4377
PIE, k-means        | 0.2227 | 0.5386 | 0.2429
Yale B, L2,1-NMF    | 0.2117 | 0.3114 | 0.2238
Yale B, NMF         | 0.1950 | 0.2882 | 0.2082
Yale B, k-means     | 0.0870 | 0.0933 | 0.0943
Bin-alpha, L2,1-NMF | 0.3594 | 0.5621 | 0.4138
Bin-alpha, NMF      | 0.3283 | 0.4987 | 0.3791
Bin-alpha, k-means  | 0.3342 | 0.5072 | 0.3897
German, L2,1-NMF    | 0.6670 | 0.4621 | 0.7000
German, NMF         | 0.6431 | 0.4306 | 0.7000
German, k-means     | 0.6308 | 0.4275 | 0.7000
Cars, L2,1-NMF      | 0.6171 | 0.4394 | 0.6720
Cars, NMF           | 0.5436 | 0.3837 | 0.6406
Cars, k-means       | 0.4617 | 0.2989 | 0.6356
Wine, L2,1-NMF      | 0.8764 | 0.6373 | 0.8764
Wine, NMF           | 0.8371 | 0.5619 | 0.8371
Wine, k-means       | 0.7138 | 0.4268 | 0.7138
Vehicle, L2,1-NMF   | 0.4812 | 0.3987 | 0.4934
Vehicle, NMF        | 0.4697 | 0.3767 | 0.4719
Vehicle, k-means    | 0.4456 | 0.3429 | 0.4456
`

// HighestNMI returns the largest NMI, over the arithmetic mean of the entropies, that two
// clusters of two classes of a and b samples can have at an accuracy of at least low, and at
// most high, and a purity of at most pure.
func HighestNMI(a, b int, low, high, pure float64) (highest float64) {
	return highestNMI(a, b, low, high, pure, func(classes, clusters float64) float64 { return (classes + clusters) / 2 })
}

// HighestNMIOverSmaller is HighestNMI over the smaller of the two entropies: no mean of the two makes it larger.
func HighestNMIOverSmaller(a, b int, low, high, pure float64) (highest float64) {
	return highestNMI(a, b, low, high, pure, func(classes, clusters float64) float64 { return min(classes, clusters) })
}

func highestNMI(a, b int, low, high, pure float64, over func(classes, clusters float64) float64) (highest float64) {
	eachSplit(a, b, over, func(accuracy, purity, nmi float64) {
		if low <= accuracy && accuracy <= high && purity <= pure {
			highest = max(highest, nmi)
		}
	})
	return highest
}

// HighestMeanNMI returns the largest mean NMI that several clusterings of mean accuracy can have, each of two classes
// of a and b samples into two clusters. It is over the smaller of the two entropies, as that of HighestNMIOverSmaller.
func HighestMeanNMI(a, b int, accuracy float64) (highest float64) {
	best := map[float64]float64{} // the largest NMI at an accuracy
	eachSplit(a, b, func(classes, clusters float64) float64 { return min(classes, clusters) }, func(at, _, nmi float64) {
		best[at] = max(best[at], nmi)
	})
	// A mixture of more than two splits is never above the best of two, one on either side.
	for low, nmi := range best {
		for high, top := range best {
			switch {
			case low == accuracy:
				highest = max(highest, nmi)
			case low < accuracy && accuracy <= high:
				highest = max(highest, nmi+(top-nmi)*(accuracy-low)/(high-low))
			}
		}
	}
	return highest
}

// eachSplit visits all two clusters of two classes of a and b samples. Their NMI is over a mean of the entropies, and 0
// where one cluster is empty.
func eachSplit(a, b int, over func(classes, clusters float64) float64, visit func(accuracy, purity, nmi float64)) {
	n := float64(a + b)
	entropy := func(counts ...int) (h float64) {
		for _, c := range counts {
			if p := float64(c) / n; p > 0 {
				h -= p * math.Log(p)
			}
		}
		return h
	}
	classes := entropy(a, b)
	for i := range a + 1 { // in the first cluster: i of the first class and j of the second
		for j := range b + 1 {
			accuracy, purity := float64(max(i+b-j, j+a-i))/n, float64(max(i, j)+max(a-i, b-j))/n
			nmi := 0.0
			if clusters := entropy(i+j, a+b-i-j); clusters > 0 {
				nmi = (classes + clusters - entropy(i, j, a-i, b-j)) / over(classes, clusters)
			}
			visit(accuracy, purity, nmi)
		}
	}
}
