package rra

import (
	"math/rand/v2"
	"slices"

	"github.com/robustnmf/robustnmf/rnmf"
)

// edges are those of the graph, each once, within the classes and between two of them.
func (p Part) edges() (within, wrong []rnmf.Edge) {
	for i, class := range p.Labels {
		to, weight := p.Graph.Neighbors(i)
		for a, j := range to {
			if j < i {
				continue
			}
			e := rnmf.Edge{I: i, J: j, Weight: weight[a]}
			if p.Labels[j] == class {
				within = append(within, e)
			} else {
				wrong = append(wrong, e)
			}
		}
	}
	return within, wrong
}

// with is the part with other edges.
func (p Part) with(edges ...[]rnmf.Edge) (Part, error) {
	g, err := rnmf.NewGraph(len(p.Labels), slices.Concat(edges...))
	p.Graph = g
	return p, err
}

// Joined is the part with its connected parts in a chain, a single edge between random samples of each two that follow.
func (p Part) Joined() (Part, error) {
	rng := rand.New(rand.NewPCG(p.Seed, 1))
	of, count := p.parts()
	members := make([][]int, count)
	for i, part := range of {
		members[part] = append(members[part], i)
	}
	var links []rnmf.Edge
	for part := 1; part < count; part++ {
		a, b := members[part-1], members[part]
		links = append(links, rnmf.Edge{I: a[rng.IntN(len(a))], J: b[rng.IntN(len(b))], Weight: 1})
	}
	within, wrong := p.edges()
	return p.with(within, wrong, links)
}

// Wrong is the part with wrong edges taken away at random, or added between random samples, until they are a share of all edges, or
// until there are no more. It needs the labels.
func (p Part) Wrong(share float64) (Part, error) {
	within, wrong := p.edges()
	rng := rand.New(rand.NewPCG(p.Seed, 2))
	few := func() bool { return float64(len(wrong)) < share*float64(len(within)+len(wrong)) }
	if !few() {
		rng.Shuffle(len(wrong), func(i, j int) { wrong[i], wrong[j] = wrong[j], wrong[i] })
		for len(wrong) > 0 && !few() {
			wrong = wrong[1:]
		}
		return p.with(within, wrong)
	}
	free := p.free(rng)
	for len(free) > 0 && few() {
		wrong, free = append(wrong, free[0]), free[1:]
	}
	return p.with(within, wrong)
}

// free are the pairs of samples of two classes without an edge between them, in an order drawn at random.
func (p Part) free(rng *rand.Rand) (pairs []rnmf.Edge) {
	for i, class := range p.Labels {
		to, _ := p.Graph.Neighbors(i)
		for j := range i {
			if p.Labels[j] != class && !slices.Contains(to, j) {
				pairs = append(pairs, rnmf.Edge{I: i, J: j, Weight: 1})
			}
		}
	}
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return pairs
}

// Scattered is the part with as many wrong edges as it has, but between random samples. It needs the labels.
func (p Part) Scattered() (Part, error) {
	within, wrong := p.edges()
	clean, err := p.with(within)
	if err != nil {
		return p, err
	}
	return p.with(within, clean.free(rand.New(rand.NewPCG(p.Seed, 4)))[:len(wrong)])
}

// WrongShare is the share of edges that join two classes.
func (p Part) WrongShare() float64 {
	within, wrong := p.edges()
	return float64(len(wrong)) / float64(len(within)+len(wrong))
}

// parts numbers the connected parts of the graph, and counts them.
func (p Part) parts() (of []int, count int) {
	of = make([]int, len(p.Labels)) // 0 is none yet
	for i := range of {
		if of[i] > 0 {
			continue
		}
		count++
		of[i] = count
		for queue := []int{i}; len(queue) > 0; {
			to, _ := p.Graph.Neighbors(queue[0])
			queue = queue[1:]
			for _, j := range to {
				if of[j] == 0 {
					of[j], queue = count, append(queue, j)
				}
			}
		}
	}
	for i := range of {
		of[i]--
	}
	return of, count
}

// Connected counts the connected parts of the graph.
func (p Part) Connected() int {
	_, count := p.parts()
	return count
}
