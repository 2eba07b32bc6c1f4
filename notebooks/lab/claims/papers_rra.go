package claims

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
	"github.com/robustnmf/robustnmf/notebooks/lab/rra"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
)

// RRA are the claims of Liao and Zhang, notebook 05.
func RRA(d Data) List {
	const coil, made, yale, pie = "COIL-20 32×32", "made-up faces", "Extended Yale B 32×32", "CMU PIE 32×32, pose 27"
	// faster judges the quotients of the seconds of two solvers to one objective, over the starts, at
	// each rank.
	faster := func(set, slow, fast string, ranks ...string) (v Verdict, why string) {
		ahead, behind, cells := 0, 0, 0
		var text []string
		rows := d.Race.Where("set", set)
		for _, rank := range rows.Different("rank") {
			if len(ranks) > 0 && !slices.Contains(ranks, rank) {
				continue
			}
			var q []float64
			for _, r := range rows.Where("rank", rank, "solver", slow) {
				for _, f := range rows.Where("rank", rank, "solver", fast, "start", r.Text("start")) {
					if r.Text("outcome") != "exploded" && f.Text("outcome") != "exploded" {
						q = append(q, r.Number("seconds")/f.Number("seconds"))
					}
				}
			}
			if len(q) == 0 {
				continue
			}
			cells++
			of := QuartilesOf(q)
			if of.Low > 1 {
				ahead++
			} else if of.High < 1 {
				behind++
			}
			text = append(text, fmt.Sprintf("%s at r = %s", of, rank))
		}
		why = fmt.Sprintf("%s: %s", fast, strings.Join(text, ", "))
		switch {
		case cells == 0:
			return Open, "nothing is stored"
		case ahead == cells:
			return Reproduced, why
		case ahead == 0:
			return Not, why
		}
		return Partly, why
	}
	const fasterRule = "median (quartiles) of the quotients of the other's seconds by its own to one objective, ten starts, rows of two days. Faster: the lower quartile is above 1; everywhere, reproduced; somewhere, partly"
	// ended judges where rule (18) or the limit of rounds leaves Algorithm 1, next to where the rule
	// ends MUR from the same start.
	ended := func(set string) (v Verdict, why string) {
		rows := d.Algorithm1.Where("set", set)
		below, ranks := 0, rows.Different("rank")
		var text []string
		for _, rank := range ranks {
			var q []float64
			reached, rose, exploded, starts := 0, 0, 0, 0
			for _, r := range rows.Where("rank", rank) {
				for _, m := range d.Race.Where("set", set, "rank", rank, "start", r.Text("start"), "solver", "MUR") {
					q = append(q, r.Number("last")/m.Number("stop_objective"))
				}
				starts++
				if r.Number("target_round") >= 0 {
					reached++
				}
				if r.Number("rises") > 0 {
					rose++
				}
				if r.Text("outcome") == "exploded" {
					exploded++
				}
			}
			if len(q) == 0 {
				continue
			}
			of := QuartilesOf(q)
			if of.High < 1 {
				below++
			}
			text = append(text, fmt.Sprintf("r = %s: %s; of %s %d at the objective of the race, %d with rises, %d exploded", rank, of, plural(starts, "start"), reached, rose, exploded))
		}
		why = strings.Join(text, ". ")
		switch {
		case len(text) == 0:
			return Open, "nothing is stored"
		case below == len(text):
			return Reproduced, why
		case below == 0:
			return Not, why
		}
		return Partly, why
	}
	const endedRule = "Algorithm 1 as printed, β = 1, 95 % of Σσ, to rule (18) or for 4000/r rounds: median (quartiles) of the quotient of its objective by that of MUR where (18) ends it, from the same starts. " +
		"The upper quartile is below 1 at each rank: reproduced; at some: partly. No seconds, so it does not depend on the machine"
	clusters := func(set, who, value string, rivals ...string) []Cell {
		rows := d.Graph.Where("set", set)
		return cells(rows.Different("classes"), func(k string) (Cell, bool) {
			return Contest{Table: rows, Model: "solver", Who: who, Rivals: rivals, Value: value}.Cell(k+" classes", "classes", k)
		})
	}
	both := func(set, who string, rivals ...string) func() (Verdict, string) {
		return func() (Verdict, string) {
			v, why := Lead(who, true, clusters(set, who, "accuracy", rivals...))
			ahead, behind := 0, 0
			for _, c := range clusters(set, who, "nmi", rivals...) {
				ahead, behind = ahead+max(c.side(), 0), behind-min(c.side(), 0)
			}
			return v, fmt.Sprintf("%s; by NMI ahead in %d, behind in %d", why, ahead, behind)
		}
	}
	return List{
		{"algorithm1", "Fig. 1, Algorithm 1", "on COIL-20 RRA ends lower than MUR, at r = 20, 50, 100 and 200", endedRule, func() (Verdict, string) { return ended(coil) }},
		{"algorithm1-yale", "for Fig. 2", "the same on faces", "Extended Yale B. " + endedRule, func() (Verdict, string) { return ended(yale) }},
		{"fig1", "Fig. 1", "RRA is the fastest on COIL-20", "its safe form against MUR, as Algorithm 1 has not been timed in Go; " + fasterRule, func() (Verdict, string) { return faster(coil, "MUR", rra.Safe) }},
		{"fig1-nenmf", "Fig. 1", "faster than NeNMF on COIL-20", "the same against NeNMF; " + fasterRule, func() (Verdict, string) { return faster(coil, "NeNMF", rra.Safe) }},
		{"fig1-other", "not in the paper", "all of V, then all of U, is faster than MUR on COIL-20", "another algorithm, which the paper does not have; starts that explode are left out; " + fasterRule, func() (Verdict, string) { return faster(coil, "MUR", rra.VThenU) }},
		{"fig2", "Fig. 2", "the same on PIE", "races on PIE", judged(Open, "PIE is at hand and has not been raced")},
		{"fig2-here", "for Fig. 2", "RRA is faster than MUR on faces", "its safe form, on made-up faces of PIE's size and on Extended Yale B; " + fasterRule, func() (Verdict, string) {
			a, whyA := faster(made, "MUR", rra.Safe)
			b, whyB := faster(yale, "MUR", rra.Safe)
			v := Partly
			if a == b {
				v = a
			}
			return v, "made-up faces, " + whyA + "; Extended Yale B, " + whyB
		}},
		{"fig3-mur", "Fig. 3", "much faster than MUR, most at r = 10 (PIE), and on COIL-20 better than MUR up to r = 200", "its safe form on COIL-20, from r = 20 on; " + fasterRule, func() (Verdict, string) { return faster(coil, "MUR", rra.Safe, "20", "50", "100", "200") }},
		{"fig3-nenmf", "Fig. 3", "faster than NeNMF at r = 10, and about as fast from there on", "its safe form on COIL-20, r = 10; " + fasterRule, func() (Verdict, string) { return faster(coil, "NeNMF", rra.Safe, "10") }},
		{"coordinate", "not in the paper", "coordinate descent over the graph is faster than RRA's safe form", "COIL-20; " + fasterRule, func() (Verdict, string) { return faster(coil, rra.Safe, "coordinate descent") }},
		{"fig4", "Fig. 4", "on COIL-20 RRA clusters better than MUR and NeNMF", "Algorithm 1 as printed, to rule (18), accuracy, ten trials. " + LeadRule, both(coil, rra.Algorithm1, "MUR", "NeNMF")},
		{"fig4-nmf", "Fig. 4", "and better than NMF", "Algorithm 1 as printed. " + LeadRule, both(coil, rra.Algorithm1, "NMF")},
		{"fig5", "Fig. 5", "on PIE RRA clusters better than MUR and NeNMF", "Algorithm 1 as printed, to rule (18), accuracy, ten trials. " + LeadRule, both(pie, rra.Algorithm1, "MUR", "NeNMF")},
		{"fig5-nmf", "Fig. 5", "and better than NMF", "Algorithm 1 as printed. " + LeadRule, both(pie, rra.Algorithm1, "NMF")},
		{"fig5-here", "for Fig. 5", "the same on Extended Yale B", "Algorithm 1 as printed, against NMF, MUR and NeNMF. " + LeadRule, both(yale, rra.Algorithm1, "NMF", "MUR", "NeNMF")},
		{"held", "not in the paper", "GNMF with a weight of 10⁴ and a ridge clusters better than NMF", "COIL-20, ten trials; the weight was chosen with labels, on four of these trials. " + LeadRule, both(coil, rra.Held, "NMF")},
		{"table1", "Table 1", "95 % of the energy is the best share", "all of V, then all of U, on made-up faces: of one run of a share, the least seconds are at 95 %", func() (Verdict, string) {
			least, at := math.Inf(1), ""
			var text []string
			for _, r := range d.Energy.Where("solver", rra.VThenU) {
				s := r.Number("seconds")
				if text = append(text, fmt.Sprintf("%.2f s at %g %%", s, 100*r.Number("energy"))); s < least {
					least, at = s, r.Text("energy")
				}
			}
			v, why := yes(at == "0.95", "%s; rounds hardly depend on the share. One start, one machine", strings.Join(text, ", "))
			return v, why + "; Algorithm 1 and PIE: open"
		}},
		{"proposition", "Proposition 1", "limit points are stationary, as (15) is the minimum of (11)", "of 300 random problems (11) none is missed by (15)", func() (Verdict, string) {
			missed, worst := projections()
			return yes(missed == 0, "%d are missed, by up to %.0f %% of the least value", missed, 100*worst)
		}},
		{"seventeen", "(17)", "95 % of the energy is enough for the inverse", "Algorithm 1 on 120 digits, r = 8, β = 100, 20 rounds: none raises the objective", func() (Verdict, string) {
			s := must(datasets.Digits().Sample(12, 1)).Scaled()
			all := must(Orders(context.Background(), s.X, must(neighbor.KNN{}.Graph(context.Background(), s.X)), 8, 100, 20, 1))
			return yes(all[0].Rises == 0, "%d of 20 rounds rise, and with the exact inverse %d: along an eigenvector that is left out (17) takes 1/‖u‖² for 1/(‖u‖² + βσ). "+
				"It gives a point and no step from v: where βσ > ‖u‖² that point lies higher than 0 in that direction", all[0].Rises, all[2].Rises)
		}},
		{"few", "section 4.2", "p ≪ n eigenvectors hold 95 % of the energy", "the graph of 300 digits: at most a tenth of them", func() (Verdict, string) {
			g := digitGraph()
			kept, all, err := printed.RRA{Graph: g}.Kept()
			must(0, err)
			squares, _, err := printed.RRA{Graph: g, Squares: true}.Kept()
			must(0, err)
			return yes(10*kept <= all, "by Σσ it takes %d of %d, by Σσ² %d", kept, all, squares)
		}},
		{"smooth", "section 4.3", "the largest eigenvalues of L belong to the most smooth functions", "the roughness θᵀLθ of a unit eigenvector falls with its eigenvalue", func() (Verdict, string) {
			g := digitGraph()
			var e mat.EigenSym
			e.Factorize(printed.Laplacian(g), true)
			var theta mat.Dense
			e.VectorsTo(&theta)
			n, _ := theta.Dims()
			rough := func(k int) float64 {
				v := theta.ColView(k)
				return mat.Inner(v, printed.Laplacian(g), v)
			}
			low, high := rough(0), rough(n-1)
			return yes(high < low, "θᵀLθ = σ: it is %.2f for the smallest and %.2f for the largest eigenvalue of the graph of 300 digits", math.Abs(low), high)
		}},
		{"slow", "section 2", "multiplicative updates converge slowly", "where rule (18) ends MUR its KKT residual is more than that of NeNMF in at least nine of ten races", func() (Verdict, string) {
			worse, all := 0, 0
			for _, r := range d.Race.Where("solver", "MUR") {
				for _, o := range d.Race.Where("solver", "NeNMF", "set", r.Text("set"), "rank", r.Text("rank"), "start", r.Text("start")) {
					if a, b := r.Number("stop_kkt"), o.Number("stop_kkt"); !math.IsNaN(a) && !math.IsNaN(b) {
						if all++; a > b {
							worse++
						}
					}
				}
			}
			return yes(10*worse >= 9*all && all > 0, "in %d of %d", worse, all)
		}},
		{"scale", "(5)", "GNMF's objective has a minimum", "at factors of 120 digits, H/10 and 10 W have no smaller objective", func() (Verdict, string) {
			s := must(datasets.Digits().Sample(12, 1)).Scaled()
			m := rnmf.GNMF(8, must(neighbor.KNN{}.Graph(context.Background(), s.X)), 1)
			r := must(m.Fit(context.Background(), s.X))
			r.W.Scale(10, r.W)
			r.H.Scale(0.1, r.H)
			m.Init, m.MaxIter, m.Tol = rnmf.WarmStart{W: r.W, H: r.H}, 1, -1
			smaller := must(m.Fit(context.Background(), s.X)).Trace[0].Objective
			return yes(smaller >= r.Objective, "%.1f becomes %.1f: the graph term shrinks by t² and the loss does not change, so the infimum is that of NMF, and what is called a solution depends on where a solver stops (section 8)", r.Objective, smaller)
		}},
	}
}

// digitGraph is the graph of the neighbours of 300 digits.
func digitGraph() *rnmf.Graph {
	s := must(datasets.Digits().Sample(30, 1))
	return must(neighbor.KNN{}.Graph(context.Background(), s.X))
}

// projections counts, of 300 random problems (11) with two to seven samples, those whose
// minimum over v ≥ 0 the point (15) misses, and by what share of it at most.
func projections() (missed int, worst float64) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		n := 2 + rng.IntN(6)
		k, b := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
		beta := math.Pow(10, 3*rng.Float64()-1)
		for i := range n {
			k.SetSym(i, i, k.At(i, i)+1)
			b.SetVec(i, 3*rng.NormFloat64())
			for j := range i {
				if rng.Float64() < 0.6 {
					k.SetSym(i, j, -beta)
					k.SetSym(i, i, k.At(i, i)+beta)
					k.SetSym(j, j, k.At(j, j)+beta)
				}
			}
		}
		var v mat.VecDense
		must(0, v.SolveVec(k, b))
		for i := range n {
			v.SetVec(i, max(0, v.AtVec(i)))
		}
		at, least := mat.Inner(&v, k, &v)-2*mat.Dot(b, &v), 0.
		for set := 1; set < 1<<n; set++ { // of entries that are not 0
			var free []int
			for i := range n {
				if set>>i&1 == 1 {
					free = append(free, i)
				}
			}
			sub, rhs := mat.NewSymDense(len(free), nil), mat.NewVecDense(len(free), nil)
			for a, i := range free {
				rhs.SetVec(a, b.AtVec(i))
				for c, j := range free {
					sub.SetSym(a, c, k.At(i, j))
				}
			}
			var x mat.VecDense
			if err := x.SolveVec(sub, rhs); err == nil && mat.Min(&x) >= 0 {
				least = min(least, -mat.Dot(&x, rhs))
			}
		}
		if at > least+1e-9 {
			missed, worst = missed+1, max(worst, (at-least)/math.Max(-least, 1e-12))
		}
	}
	return missed, worst
}
