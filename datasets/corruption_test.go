package datasets

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// unbounded noise, for statistics that clipping would spoil.
var unbounded = math.Inf(-1)

func constant(m, n int, v float64) *mat.Dense {
	x := mat.NewDense(m, n, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return v }, x)
	return x
}

func TestCorruptions(t *testing.T) {
	x, _, _ := LowRank(12*9, 30, 3, 1)
	x.Scale(50, x)
	for _, c := range []Corruption{
		Gaussian{Sigma: 3},
		Laplace{Scale: 3},
		SaltPepper{Share: 0.3},
		Block{Size: 4, Value: 550, Height: 12, Width: 9},
		Removal{Share: 0.4},
		OutlierSamples{Share: 0.2},
		OutlierSamples{Share: 0.2, Kind: PermutedEntries},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			before := mat.DenseCopyOf(x)
			y, mask, err := c.Apply(x, 7)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(x, before) {
				t.Error("the input was modified")
			}
			if mat.Min(y) < 0 {
				t.Errorf("negative entry %g", mat.Min(y))
			}
			for k, struck := range mask.RawMatrix().Data {
				if struck != 0 && struck != 1 {
					t.Fatalf("mask holds %g", struck)
				}
				if struck == 0 && y.RawMatrix().Data[k] != x.RawMatrix().Data[k] {
					t.Fatal("an entry outside the mask has changed")
				}
			}
			again, maskAgain, _ := c.Apply(x, 7)
			if !mat.Equal(y, again) || !mat.Equal(mask, maskAgain) {
				t.Error("the same seed gave another result")
			}
			other, _, _ := c.Apply(x, 8)
			if mat.Equal(y, other) {
				t.Error("another seed gave the same result")
			}
			// A view, and data that is no *mat.Dense, work alike.
			view, _, err := c.Apply(x.T().T(), 7)
			if err != nil || !mat.Equal(y, view) {
				t.Errorf("a view differs (%v)", err)
			}
			if _, _, err := c.Apply(&mat.Dense{}, 1); !errors.Is(err, ErrSize) {
				t.Errorf("no data: %v", err)
			}
		})
	}
}

func TestNoiseStatistics(t *testing.T) {
	x := constant(200, 500, 100)
	for _, c := range []struct {
		name     string
		c        Corruption
		dev      float64
		kurtosis float64
	}{
		{"Gaussian", Gaussian{Sigma: 10, Min: unbounded}, 10, 0},
		{"Laplace", Laplace{Scale: 10, Min: unbounded}, 10 * math.Sqrt2, 3},
	} {
		y, mask, err := c.c.Apply(x, 3)
		if err != nil {
			t.Fatal(err)
		}
		mean, dev := stat.MeanStdDev(y.RawMatrix().Data, nil)
		if math.Abs(mean-100) > 0.2 || math.Abs(dev/c.dev-1) > 0.01 {
			t.Errorf("%s: mean %g, deviation %g, want 100 and %g", c.name, mean, dev, c.dev)
		}
		if k := stat.ExKurtosis(y.RawMatrix().Data, nil); math.Abs(k-c.kurtosis) > 0.2 {
			t.Errorf("%s: excess kurtosis %g, want %g", c.name, k, c.kurtosis)
		}
		if mat.Sum(mask) != 200*500 {
			t.Errorf("%s: the mask is not all ones", c.name)
		}
	}
}

func TestNoiseClipped(t *testing.T) {
	black := mat.NewDense(200, 500, nil)
	for _, c := range []struct {
		c    Corruption
		lift float64
	}{
		{Gaussian{Sigma: 10}, 10 / math.Sqrt(2*math.Pi)},
		{Laplace{Scale: 10}, 5},
	} {
		y, _, err := c.c.Apply(black, 3)
		if err != nil {
			t.Fatal(err)
		}
		if mean := stat.Mean(y.RawMatrix().Data, nil); mat.Min(y) != 0 || math.Abs(mean-c.lift) > 0.1 {
			t.Errorf("%+v: mean %g of a black image, want %g", c.c, mean, c.lift)
		}
	}
	y, _, err := Laplace{Scale: 100, Min: 5, Max: 255}.Apply(black, 3)
	if err != nil || mat.Min(y) != 5 || mat.Max(y) != 255 {
		t.Errorf("clipped to %g..%g, %v", mat.Min(y), mat.Max(y), err)
	}
	y, mask, err := Gaussian{}.Apply(black, 3)
	if err != nil || !mat.Equal(y, black) || mat.Sum(mask) != 0 {
		t.Errorf("no noise changed the data (%v)", err)
	}
}

func TestSaltPepper(t *testing.T) {
	x := constant(1000, 20, 100)
	x.Set(3, 4, 200)
	y, mask, err := SaltPepper{Share: 0.3}.Apply(x, 5)
	if err != nil {
		t.Fatal(err)
	}
	salt := 0
	for j := range 20 {
		if n := floats.Sum(mat.Col(nil, j, mask)); n != 300 {
			t.Errorf("column %d: %g entries struck", j, n)
		}
		for i := range 1000 {
			if mask.At(i, j) == 0 {
				continue
			}
			switch y.At(i, j) {
			case 200:
				salt++
			case 0:
			default:
				t.Fatalf("a struck entry is %g", y.At(i, j))
			}
		}
	}
	if salt < 2850 || salt > 3150 { // 3000 ± 4 deviations
		t.Errorf("%d of 6000 struck entries are salt", salt)
	}
	y, _, err = SaltPepper{Share: 1, Low: 10, High: 20}.Apply(x, 5)
	if err != nil || mat.Min(y) != 10 || mat.Max(y) != 20 {
		t.Errorf("10..20: %g..%g, %v", mat.Min(y), mat.Max(y), err)
	}
}

func TestBlock(t *testing.T) {
	const height, width, size = 10, 7, 3
	x := constant(height*width, 400, 1)
	y, mask, err := Block{Size: size, Value: 550, Height: height, Width: width}.Apply(x, 5)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(mask, Changed(x, y)) {
		t.Error("the mask is not what has changed")
	}
	corners := map[[2]int]bool{}
	for j := range 400 {
		top, left, bottom, right, n := height, width, -1, -1, 0
		for r := range height {
			for c := range width {
				if y.At(r*width+c, j) == 550 {
					top, left, bottom, right = min(top, r), min(left, c), max(bottom, r), max(right, c)
					n++
				}
			}
		}
		if n != size*size || bottom-top != size-1 || right-left != size-1 {
			t.Fatalf("image %d: %d pixels in rows %d..%d, columns %d..%d", j, n, top, bottom, left, right)
		}
		corners[[2]int{top, left}] = true
	}
	if want := (height - size + 1) * (width - size + 1); len(corners) != want {
		t.Errorf("%d places in 400 images, want all %d", len(corners), want)
	}
}

func TestRemoval(t *testing.T) {
	x := constant(50, 40, 3)
	for _, share := range []float64{0, 0.2, 0.4, 0.6, 1} {
		y, mask, err := Removal{Share: share}.Apply(x, 5)
		if err != nil {
			t.Fatal(err)
		}
		if mat.Sum(mask) != math.Round(2000*share) || mat.Sum(y) != 3*(2000-mat.Sum(mask)) {
			t.Errorf("share %g: %g removed", share, mat.Sum(mask))
		}
		if seen := Observed(mask); mat.Sum(seen) != 2000-mat.Sum(mask) || mat.Min(seen) < 0 {
			t.Errorf("share %g: %g observed", share, mat.Sum(seen))
		}
	}
}

func TestOutlierSamples(t *testing.T) {
	x, _, _ := LowRank(60, 40, 3, 1)
	for _, kind := range []OutlierKind{UniformNoise, PermutedEntries} {
		y, mask, err := OutlierSamples{Share: 0.25, Kind: kind}.Apply(x, 5)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for j := range 40 {
			switch s := floats.Sum(mat.Col(nil, j, mask)); s {
			case 0:
				continue
			case 60:
				n++
			default:
				t.Fatalf("%v: %g entries of column %d in the mask", kind, s, j)
			}
			was, is := mat.Col(nil, j, x), mat.Col(nil, j, y)
			if floats.Equal(was, is) {
				t.Errorf("%v: column %d is as it was", kind, j)
			}
			if kind == PermutedEntries && math.Abs(floats.Sum(was)-floats.Sum(is)) > 1e-9 {
				t.Errorf("%v: column %d has other values", kind, j)
			}
		}
		if n != 10 {
			t.Errorf("%v: %d of 40 columns", kind, n)
		}
	}
	y, _, err := OutlierSamples{Share: 1, Max: 255}.Apply(x, 5)
	if err != nil || mat.Max(y) < 250 || mat.Max(y) > 255 {
		t.Errorf("noise up to %g, %v", mat.Max(y), err)
	}
	// Without a Max it is as bright as the brightest pixel.
	x.Set(7, 3, 40)
	y, _, err = OutlierSamples{Share: 1}.Apply(x, 5)
	if err != nil || mat.Max(y) < 39 || mat.Max(y) > 40 || mat.Min(y) < 0 || mat.Min(y) > 1 {
		t.Errorf("noise of %g..%g, want 0..40, %v", mat.Min(y), mat.Max(y), err)
	}
}

// A share is rounded, one half upwards: 1.5 of 5 are 2, 1.2 of 4 are 1.
func TestSharesAreRounded(t *testing.T) {
	for _, c := range []struct {
		n    int
		want float64
	}{{5, 2}, {4, 1}, {6, 2}, {1, 0}} {
		const share = 0.3
		column, row := constant(c.n, 1, 1), constant(1, c.n, 1)
		for _, of := range []struct {
			x *mat.Dense
			c Corruption
		}{{column, SaltPepper{Share: share}}, {column, Removal{Share: share}}, {row, Removal{Share: share}}, {row, OutlierSamples{Share: share}}} {
			if _, mask, err := of.c.Apply(of.x, 1); err != nil || mat.Sum(mask) != c.want {
				t.Errorf("%T strikes %g of %d, want %g, %v", of.c, mat.Sum(mask), c.n, c.want, err)
			}
		}
		_, changed, err := FlipLabels(make([]int, c.n), 2, share, 1)
		n := 0
		for _, flipped := range changed {
			if flipped {
				n++
			}
		}
		if err != nil || float64(n) != c.want {
			t.Errorf("%d of %d labels flipped, want %g, %v", n, c.n, c.want, err)
		}
	}
}

// Whatever draws with the same seed draws other numbers: each has a stream of its own,
// and could not have had its numbers from any other.
func TestStreamsDiffer(t *testing.T) {
	const n, seed = 40, 11
	apply := func(c Corruption, x *mat.Dense, mask bool) []float64 {
		y, struck, err := c.Apply(x, seed)
		if err != nil {
			t.Fatal(err)
		}
		if mask {
			y = struck
		}
		return y.RawMatrix().Data
	}
	// half strikes half of the entries.
	half := func(r *rand.Rand) []float64 {
		struck := make([]float64, n)
		for _, i := range r.Perm(n)[:n/2] {
			struck[i] = 1
		}
		return struck
	}
	column, row := mat.NewDense(n, 1, nil), mat.NewDense(1, n, nil)
	_, flipped, err := FlipLabels(make([]int, n), 2, 0.5, seed)
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]float64, n)
	for j, f := range flipped {
		if f {
			labels[j] = 1
		}
	}
	_, w, _ := LowRank(n, 1, 1, seed)
	line, err := LinePoints(0, seed)
	if err != nil {
		t.Fatal(err)
	}
	uniform := func(scale float64) func(r *rand.Rand) []float64 {
		return func(r *rand.Rand) []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = scale * r.Float64()
			}
			return v
		}
	}
	noise := func(of func(src rand.Source) interface{ Rand() float64 }) func(r *rand.Rand) []float64 {
		return func(r *rand.Rand) []float64 {
			v, d := make([]float64, n), of(r)
			for i := range v {
				v[i] = d.Rand()
			}
			return v
		}
	}
	for _, c := range []struct {
		name string
		got  []float64
		from func(r *rand.Rand) []float64
	}{
		{"Gaussian", apply(Gaussian{Sigma: 1, Min: unbounded}, column, false),
			noise(func(src rand.Source) interface{ Rand() float64 } { return distuv.Normal{Sigma: 1, Src: src} })},
		{"Laplace", apply(Laplace{Scale: 1, Min: unbounded}, column, false),
			noise(func(src rand.Source) interface{ Rand() float64 } { return distuv.Laplace{Scale: 1, Src: src} })},
		{"SaltPepper", apply(SaltPepper{Share: 0.5, High: 1}, column, true), half},
		{"Block", apply(Block{Size: 1, Value: 1, Height: n, Width: 1}, column, true), func(r *rand.Rand) []float64 {
			struck := make([]float64, n)
			struck[r.IntN(n)] = 1
			return struck
		}},
		{"Removal", apply(Removal{Share: 0.5}, column, true), half},
		{"OutlierSamples", apply(OutlierSamples{Share: 0.5, Max: 1}, row, true), half},
		{"FlipLabels", labels, half},
		{"LowRank", w.RawMatrix().Data, uniform(1)},
		{"LinePoints", line.X.RawRowView(0)[:n], uniform(100)},
	} {
		var from []uint64
		for stream := range uint64(streamLine + 1) {
			if slices.Equal(c.from(generator(seed, stream)), c.got) {
				from = append(from, stream)
			}
		}
		own := map[string]uint64{"Gaussian": streamGaussian, "Laplace": streamLaplace, "SaltPepper": streamSaltPepper,
			"Block": streamBlock, "Removal": streamRemoval, "OutlierSamples": streamOutliers, "FlipLabels": streamLabels,
			"LowRank": streamLowRank, "LinePoints": streamLine}[c.name]
		if !slices.Equal(from, []uint64{own}) {
			t.Errorf("%s draws as the streams %d do, want %d alone", c.name, from, own)
		}
	}
}

func TestCorruptionErrors(t *testing.T) {
	x := constant(12, 5, 1)
	nan := math.NaN()
	for _, c := range []struct {
		c    Corruption
		want error
	}{
		{Gaussian{Sigma: -1}, ErrParameter},
		{Gaussian{Sigma: nan}, ErrParameter},
		{Gaussian{Sigma: math.Inf(1)}, ErrParameter},
		{Gaussian{Sigma: 1, Min: 3, Max: 2}, ErrParameter},
		{Gaussian{Sigma: 1, Min: nan}, ErrParameter},
		{Gaussian{Sigma: 1, Min: math.Inf(1)}, ErrParameter},
		{Laplace{Scale: -1}, ErrParameter},
		{Laplace{Scale: 1e308}, ErrParameter},
		{SaltPepper{Share: 1.1}, ErrParameter},
		{SaltPepper{Share: nan}, ErrParameter},
		{SaltPepper{Share: 0.1, Low: 2, High: 1}, ErrParameter},
		{Block{Size: 1, Height: 5, Width: 2}, ErrSize},
		{Block{Size: 1}, ErrSize},
		{Block{Size: 1, Height: -3, Width: -4}, ErrSize},
		{Block{Size: 4, Height: 4, Width: 3}, ErrParameter},
		{Block{Size: -1, Height: 4, Width: 3}, ErrParameter},
		{Block{Size: 1, Value: nan, Height: 4, Width: 3}, ErrParameter},
		{Removal{Share: -0.1}, ErrParameter},
		{OutlierSamples{Share: 2}, ErrParameter},
		{OutlierSamples{Share: 0.1, Kind: 9}, ErrParameter},
		{OutlierSamples{Share: 0.1, Max: -1}, ErrParameter},
	} {
		if y, mask, err := c.c.Apply(x, 1); !errors.Is(err, c.want) || y != nil || mask != nil {
			t.Errorf("%T%+v: %v, want %v", c.c, c.c, err, c.want)
		}
	}
	for _, c := range []Corruption{OutlierSamples{Share: 1}, SaltPepper{Share: 1}} { // there is no largest entry
		if _, _, err := c.Apply(constant(3, 2, nan), 1); !errors.Is(err, ErrParameter) {
			t.Errorf("%T%+v: %v", c, c, err)
		}
	}
}

func TestFlipLabels(t *testing.T) {
	labels := make([]int, 300)
	for j := range labels {
		labels[j] = j % 3
	}
	flipped, changed, err := FlipLabels(labels, 3, 0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	var n, steps [3]int
	for j, l := range flipped {
		if labels[j] != j%3 {
			t.Fatal("the input was modified")
		}
		if changed[j] != (l != labels[j]) || l < 0 || l > 2 {
			t.Fatalf("label %d: %d became %d, changed: %t", j, labels[j], l, changed[j])
		}
		steps[(l-labels[j]+3)%3]++
		n[l]++
	}
	if steps[0] != 150 || steps[1] < 50 || steps[2] < 50 {
		t.Errorf("%v labels moved by 0, 1, 2", steps)
	}
	again, _, _ := FlipLabels(labels, 3, 0.5, 1)
	for j := range again {
		if again[j] != flipped[j] {
			t.Fatal("the same seed gave other labels")
		}
	}
	for _, c := range []struct {
		labels  []int
		classes int
		share   float64
	}{
		{[]int{0, 1}, 2, 1.5}, {[]int{0, 2}, 2, 0.5}, {[]int{-1, 0}, 2, 0.5}, {[]int{0, 0}, 1, 1}, {nil, 0, -1},
	} {
		if _, _, err := FlipLabels(c.labels, c.classes, c.share, 1); !errors.Is(err, ErrParameter) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if f, ch, err := FlipLabels([]int{0, 0}, 1, 0, 1); err != nil || len(f) != 2 || ch[0] {
		t.Errorf("nothing to flip: %v", err)
	}
	if f, _, err := FlipLabels(nil, 0, 0.5, 1); err != nil || len(f) != 0 {
		t.Errorf("no labels: %v", err)
	}
}
