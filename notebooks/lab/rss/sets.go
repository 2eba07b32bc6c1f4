// Package rss computes one trial of the tables of the RSS-NMF paper (Wang et al. 2019, section IV),
// and of experiments that the paper does not have. It has the stored results of many trials, for
// notebook 03.
package rss

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A Set is data with pixels in 0..1 and what the paper does with them.
type Set struct {
	*datasets.Set
	Name    string
	Table   int   // of the paper; 0: none
	Classes []int // how many are drawn
	Each    int   // labelled samples of a class
}

// Sets returns the sets of Tables 2 to 5 that are at hand in the paper's form, and
// ours: COIL-20 in the place of COIL-100, and ORL. It names the others. The paper has
// UMIST at 40×40 pixels; where only a smaller form is at hand, that is taken. Georgia Tech
// has the 768 pixels of Table 1: 32×24 of the faces or, where only the photographs are at
// hand, 24×32 of these.
func Sets(ctx context.Context) (sets []Set, missing []string) {
	umist := func(s *datasets.Set) (*datasets.Set, error) {
		if min(s.Height, s.Width) < 40 {
			return s, nil
		}
		return s.Shrink(40, 40)
	}
	gt := func(s *datasets.Set) (*datasets.Set, error) {
		if s.Height < s.Width {
			return s.Shrink(24, 32)
		}
		return s.Shrink(32, 24)
	}
	for _, c := range []struct {
		source *datasets.PublicSet
		form   func(*datasets.Set) (*datasets.Set, error)
		Set
	}{
		{datasets.Yale, nil, Set{nil, "Yale", 2, []int{2, 5, 8, 10, 15}, 2}},
		{datasets.COIL100, nil, Set{nil, "COIL-100", 3, []int{10, 20, 50, 80, 100}, 2}},
		{datasets.UMIST, umist, Set{nil, "UMIST", 4, []int{2, 5, 8, 10, 20}, 5}},
		{datasets.GeorgiaTech, gt, Set{nil, "GT", 5, []int{2, 5, 10, 30, 50}, 10}},
		{datasets.COIL20, nil, Set{nil, "COIL-20", 0, []int{10, 20}, 2}},
		{datasets.ORL, nil, Set{nil, "ORL", 0, []int{10, 40}, 2}},
	} {
		s, err := c.source.Load(ctx)
		if errors.Is(err, datasets.ErrNotFound) {
			missing = append(missing, c.Name)
			continue
		}
		if err == nil && c.form != nil {
			s, err = c.form(s)
		}
		if err != nil { // a file that holds something else
			missing = append(missing, fmt.Sprintf("%s (%v)", c.Name, err))
			continue
		}
		c.Set.Set = s.Scaled()
		sets = append(sets, c.Set)
	}
	return sets, missing
}

// A Task is a number of classes drawn at random, with few labels.
type Task struct {
	*datasets.Set             // the classes drawn, numbered from 0
	Labels        rnmf.Labels // of some samples; wrong ones among them if so asked
	Seed          uint64
}

// Draw draws k classes of s, and each samples of each class to be labelled.
func Draw(s *datasets.Set, k, each int, seed uint64) (Task, error) {
	rng := rand.New(rand.NewPCG(seed, 3))
	if k > len(s.Classes) {
		return Task{}, fmt.Errorf("%d classes of %d", k, len(s.Classes))
	}
	number := make([]int, len(s.Classes))
	for c := range number {
		number[c] = -1
	}
	names := make([]string, k)
	for i, c := range rng.Perm(len(s.Classes))[:k] {
		number[c], names[i] = i, s.Classes[c]
	}
	var columns []int
	for j, c := range s.Labels {
		if number[c] >= 0 {
			columns = append(columns, j)
		}
	}
	d, err := s.Pick(columns)
	if err != nil {
		return Task{}, err
	}
	for j, c := range d.Labels {
		d.Labels[j] = number[c]
	}
	d.Classes = names
	labels := rnmf.Labels{Class: d.Labels, Names: names}.Few(each, rng.Perm(len(columns)))
	return Task{d, labels, seed}, nil
}

// Share draws all classes of s with a share of labels in each, rounded up, and
// replaces a share of these labels by wrong ones.
func Share(s *datasets.Set, share, wrong float64, seed uint64) (Task, error) {
	_, n := s.X.Dims()
	each := int(math.Ceil(share * float64(n) / float64(len(s.Classes))))
	t, err := Draw(s, len(s.Classes), each, seed)
	if err != nil || wrong == 0 {
		return t, err
	}
	var given, at []int
	for j, c := range t.Labels.Class {
		if c >= 0 {
			given, at = append(given, c), append(at, j)
		}
	}
	given, _, err = datasets.FlipLabels(given, len(s.Classes), wrong, seed)
	for i, j := range at {
		t.Labels.Class[j] = given[i]
	}
	return t, err
}
