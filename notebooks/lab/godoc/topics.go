package godoc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Match finds, for each column of a, the column of b that belongs to it, so that the sum of the cosines
// of all pairs is as large as possible, and returns these cosines: how far the topics of two fits are the
// same.
func Match(a, b *mat.Dense) (of []int, cosines []float64, err error) {
	_, r := a.Dims()
	cost := mat.NewDense(r, r, nil)
	cost.Apply(func(k, l int, _ float64) float64 {
		u, v := a.ColView(k), b.ColView(l)
		return -mat.Dot(u, v) / max(mat.Norm(u, 2)*mat.Norm(v, 2), 1e-300)
	}, cost)
	of, err = score.Assignment(cost)
	for k, l := range of {
		cosines = append(cosines, -cost.At(k, l))
	}
	return of, cosines, err
}

// Cosines returns those of Match.
func Cosines(a, b *mat.Dense) ([]float64, error) {
	_, cosines, err := Match(a, b)
	return cosines, err
}

// Between returns the cosines of all columns in the left half of a, in rows, with all in its right half: for what
// Became returns, how far each column was kept, on the diagonal.
func Between(a *mat.Dense) *mat.Dense {
	_, n := a.Dims()
	all := mat.NewDense(n/2, n/2, nil)
	all.Apply(func(k, l int, _ float64) float64 {
		u, v := a.ColView(k), a.ColView(n/2+l)
		return mat.Dot(u, v) / max(mat.Norm(u, 2)*mat.Norm(v, 2), 1e-300)
	}, all)
	return all
}

// Became returns the first n columns of a, and next to each other those that became of them in other
// factors: first n columns of a, then those of the first factor that belong to them, and so on.
func Became(n int, a *mat.Dense, others ...*mat.Dense) (*mat.Dense, error) {
	m, _ := a.Dims()
	all := mat.NewDense(m, n*(1+len(others)), nil)
	for i, b := range append([]*mat.Dense{a}, others...) {
		of, _, err := Match(a, b)
		if err != nil {
			return nil, err
		}
		for k := range n {
			all.SetCol(i*n+k, mat.Col(nil, of[k], b))
		}
	}
	return all, nil
}

// Count returns how many numbers are at least a limit.
func Count(x []float64, limit float64) (n int) {
	for _, v := range x {
		if v >= limit {
			n++
		}
	}
	return n
}

// Mean returns the mean of some numbers.
func Mean(x []float64) float64 { return floats.Sum(x) / float64(len(x)) }

// Lengthened returns a copy of x in which the chosen columns are so many times as long.
func Lengthened(x *sparse.Matrix, chosen []int, times float64) *sparse.Matrix {
	y := *x
	y.Value = append([]float64(nil), x.Value...)
	for _, j := range chosen {
		floats.Scale(times, y.Value[y.Start[j]:y.Start[j+1]])
	}
	return &y
}

// KMeans divides the columns of x, which have length 1, into k groups by the cosine with the mean of
// each group, for at most so many rounds, from means of one column each that are drawn by chance
// (spherical k-means: Dhillon and Modha, Machine Learning 2001).
func KMeans(x *sparse.Matrix, k, rounds int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 10))
	means := mat.NewDense(x.Rows, k, nil)
	for c, j := range rng.Perm(x.Cols)[:k] {
		for at := x.Start[j]; at < x.Start[j+1]; at++ {
			means.Set(int(x.Row[at]), c, x.Value[at])
		}
	}
	group, cosine := make([]int, x.Cols), make([]float64, k)
	for range rounds {
		moved := false
		for j := range x.Cols {
			clear(cosine)
			for at := x.Start[j]; at < x.Start[j+1]; at++ {
				floats.AddScaled(cosine, x.Value[at], means.RawRowView(int(x.Row[at])))
			}
			best := floats.MaxIdx(cosine)
			moved = moved || best != group[j]
			group[j] = best
		}
		if !moved {
			break
		}
		means.Zero()
		for j, c := range group {
			for at := x.Start[j]; at < x.Start[j+1]; at++ {
				i := int(x.Row[at])
				means.Set(i, c, means.At(i, c)+x.Value[at])
			}
		}
		for c := range k {
			column := means.ColView(c).(*mat.VecDense)
			if norm := mat.Norm(column, 2); norm > 0 {
				column.ScaleVec(1/norm, column)
			}
		}
	}
	return group
}

// Stored is what go run ./notebooks/lab/panels has measured on data that do not fit into memory, and
// on a sparse collection next to scikit-learn.
type Stored struct {
	GB, LimitMB, MB, Seconds float64 // on disk; the memory that was allowed, and was taken; of a round
	// Seconds on TDT2 to the objective of scikit-learn's solver cd, in two runs: its own and those of the
	// default, its own and those of the default without extrapolation; and the MB of both of ours.
	Peer, Default, PlainPeer, Plain, DefaultMB, PlainMB float64
	PeerCPU, DefaultCPU, PlainPeerCPU, PlainCPU         float64 // the same in seconds of processors
}

var (
	ofDisk   = regexp.MustCompile(`1024×1048576, ([\d.]+) GB in \d+ panels, r = 20 \| ([\d.]+) s a round \| resident at most (\d+) MB`)
	ofLimit  = regexp.MustCompile(`memory was limited to (\d+) bytes`)
	ofSparse = regexp.MustCompile(`\["sparse" "-pairs" "3"\][\s\S]*?\| seconds \| ([\d.]+) \| ([\d.]+) \|[\s\S]*?\| seconds of processors \| ([\d.]+) \| ([\d.]+) \|[\s\S]*?\(with garbage\), and the matrix and the factors \| ([\d.]+)`)
	ofPlain  = regexp.MustCompile(`\["sparse" "-pairs" "3" "-plain"\][\s\S]*?\| seconds \| ([\d.]+) \| ([\d.]+) \|[\s\S]*?\| seconds of processors \| ([\d.]+) \| ([\d.]+) \|[\s\S]*?\(with garbage\), and the matrix and the factors \| ([\d.]+)`)
)

// Panels reads the results that go run ./notebooks/lab/panels has stored.
func Panels(file string) (s Stored, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	for _, c := range []struct {
		what *regexp.Regexp
		into []*float64
	}{
		{ofDisk, []*float64{&s.GB, &s.Seconds, &s.MB}}, {ofLimit, []*float64{&s.LimitMB}},
		{ofSparse, []*float64{&s.Default, &s.Peer, &s.DefaultCPU, &s.PeerCPU, &s.DefaultMB}}, {ofPlain, []*float64{&s.Plain, &s.PlainPeer, &s.PlainCPU, &s.PlainPeerCPU, &s.PlainMB}},
	} {
		found := c.what.FindSubmatch(text)
		if found == nil {
			return s, fmt.Errorf("godoc: nothing in %s is like %v", file, c.what)
		}
		for i, v := range c.into {
			if *v, err = strconv.ParseFloat(string(found[i+1]), 64); err != nil {
				return s, err
			}
		}
	}
	s.LimitMB = math.Round(s.LimitMB / 1e6)
	s.MB *= (1 << 20) / 1e6 // what a process holds is stored in units of 1024² bytes
	return s, nil
}

var (
	ofImages = regexp.MustCompile(`^\| 784×(\d+), r = 40, panels of`)
	ofPass   = regexp.MustCompile(`^\| (\d+) passes \| ([\d.e+]+) \| ([\d.]+) \([\d.]+\) \| ([\d.]+) \([\d.]+\), \d+ \| ([\d.]+)`)
	ofTheirs = regexp.MustCompile(`^\| scikit-learn's MiniBatchNMF, (\d+) passes \| ([\d.e+]+) \| ours, 1 passes to ([\d.e+]+): ([\d.]+) \([\d.]+\) \| ([\d.]+)`)
)

// Minibatches reads what go run ./notebooks/lab/panels minibatch has stored. A row has the columns images (their
// number), passes, side (minibatch; batch, until it has the minibatch's objective after so many passes; scikit-learn),
// seconds, and ratio: of the batch the seconds over those of the minibatch, of scikit-learn the objective over that of our first pass.
func Minibatches(file string) (all stored.Table, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	images := ""
	add := func(passes, side, seconds, ratio string) {
		all = append(all, stored.Row{"images": images, "passes": passes, "side": side, "seconds": seconds, "ratio": ratio})
	}
	for line := range strings.Lines(string(text)) {
		if f := ofImages.FindStringSubmatch(line); f != nil {
			images = f[1]
		} else if f := ofPass.FindStringSubmatch(line); f != nil {
			passes := f[1] + " passes"
			if f[1] == "1" {
				passes = "1 pass"
			}
			add(passes, "minibatch", f[3], "1")
			add(passes, "batch", f[4], f[5])
		} else if f := ofTheirs.FindStringSubmatch(line); f != nil {
			theirs, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				return nil, err
			}
			ours, err := strconv.ParseFloat(f[3], 64)
			if err != nil {
				return nil, err
			}
			add(f[1]+" passes", "scikit-learn", f[5], stored.Number(theirs/ours, 'f', 2))
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("godoc: %s has no minibatch", file)
	}
	return all, nil
}
