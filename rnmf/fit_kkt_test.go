package rnmf_test

import (
	"cmp"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// An interval holds a number that rounding has left uncertain.
type interval struct{ low, high float64 }

// around is an interval about v, which comes from sums of the given size.
func around(v, size float64) interval {
	const eps = 1e-13
	return interval{v - eps*size, v + eps*size}
}

func (a interval) add(b interval) interval { return interval{a.low + b.low, a.high + b.high} }

func (a interval) scale(f float64) interval { // f ≥ 0
	return interval{f * a.low, f * a.high}
}

// times is ab for a ≥ 0.
func (a interval) times(b interval) interval {
	p, q, r, s := a.low*b.low, a.low*b.high, a.high*b.low, a.high*b.high
	return interval{min(p, q, r, s), max(p, q, r, s)}
}

// naiveKKT is the KKT residual from its definition, as far as rounding lets it be known:
//
//	max over V ∈ {W, H} of ‖max(0, V − ∇/(2·curvature)) − V‖_F / ‖V‖_F,
//
// where half the gradient is −U(Ω∘E) and that of the penalties, and the curvature is
// U∘U·Ω and that of the penalties.
func naiveKKT(m Model, l Loss, x, w, h *mat.Dense) interval {
	slopes := weighed(m, l, x, w, h)
	rows, cols := x.Dims()
	ofH := naiveMoves(h, m.OnH, func(k, j int) (down, bend interval) {
		for i := range rows {
			slopes.join(&down, &bend, i, j, w.At(i, k))
		}
		return down, bend
	})
	wt := mat.DenseCopyOf(w.T())
	ofW := naiveMoves(wt, m.OnW, func(k, i int) (down, bend interval) {
		for j := range cols {
			slopes.join(&down, &bend, i, j, h.At(k, j))
		}
		return down, bend
	})
	return interval{max(ofH.low, ofW.low), max(ofH.high, ofW.high)}
}

// An uncertain has the residuals and their weights, the mask times ρ′.
type uncertain struct {
	cols     int
	e, omega []interval
}

func weighed(m Model, l Loss, x, w, h *mat.Dense) uncertain {
	rows, cols := x.Dims()
	entry, sample, _ := OfSamples(l)
	s := uncertain{cols, make([]interval, rows*cols), make([]interval, rows*cols)}
	for j := range cols {
		var norm interval
		for i := range rows {
			mask := 1.0
			if m.Mask != nil {
				mask = m.Mask.At(i, j)
			}
			if mask == 0 {
				continue
			}
			y := x.At(i, j)
			size := math.Abs(y)
			for k := range m.Rank {
				p := w.At(i, k) * h.At(k, j)
				y, size = y-p, size+math.Abs(p)
			}
			e := around(y, size)
			s.e[i*cols+j] = e
			low, high := min(math.Abs(e.low), math.Abs(e.high)), max(math.Abs(e.low), math.Abs(e.high))
			if e.low < 0 && e.high > 0 {
				low = 0
			}
			s.omega[i*cols+j] = slopeIn(entry, interval{low * low, high * high}).scale(mask)
			least, _ := entry(low * low)
			most, _ := entry(high * high)
			norm.low, norm.high = norm.low+mask*least, norm.high+mask*most
		}
		of := slopeIn(sample, norm)
		for i := range rows {
			if a := s.omega[i*cols+j]; a.high > 0 {
				s.omega[i*cols+j] = interval{a.low * of.low, a.high * of.high}
			}
		}
	}
	return s
}

// slopeIn is ρ′, which falls, with some room for the vector form of it.
func slopeIn(rho func(s float64) (value, slope float64), s interval) interval {
	const eps = 1e-12
	_, most := rho(s.low * (1 - eps))
	_, least := rho(s.high * (1 + eps))
	if _, first := rho(0); least < 1e-300*first {
		least = 0 // the vector form may take it for 0
	}
	return interval{least * (1 - eps), most * (1 + eps)}
}

// join adds what entry (i, j) of X gives to a coordinate whose partner in the product
// is u.
func (s uncertain) join(down, bend *interval, i, j int, u float64) {
	o := s.omega[i*s.cols+j]
	*bend = bend.add(o.scale(u * u))
	if u < 0 {
		e := s.e[i*s.cols+j]
		*down = down.add(o.times(interval{-e.high, -e.low}).scale(-u))
		return
	}
	*down = down.add(o.times(s.e[i*s.cols+j]).scale(u))
}

// naiveMoves returns how far the coordinates of v move, relative to its norm, with
// half of minus the gradient and the curvature that the data give.
func naiveMoves(v *mat.Dense, list []Penalty, ofData func(k, j int) (down, bend interval)) interval {
	r, n := v.Dims()
	var sum interval
	for k := range r {
		for j := range n {
			at := v.At(k, j)
			down, bend := ofData(k, j)
			graphs := 0.0
			for _, p := range list {
				switch p := p.(type) {
				case Lasso: // λv
					down = down.add(around(-p.Lambda/2, p.Lambda))
				case Ridge: // λv²
					down = down.add(around(-p.Lambda*at, p.Lambda*at))
					bend = bend.add(interval{p.Lambda, p.Lambda})
				case LogSparse: // λ log(1 + v/ε), whose bound is linear
					slope := p.Lambda / (cmp.Or(p.Scale, 1) + at) / 2
					down = down.add(around(-slope, slope))
				case Laplacian: // λ Σ G_jl (v_j − v_l)²: its diagonal, or, if it is not the first, twice that
					if p.Lambda == 0 {
						continue
					}
					graphs = min(graphs+1, 2)
					var pull, size, degree float64
					for l := range n {
						g := p.Graph.At(j, l)
						pull += g * (v.At(k, l) - at)
						size += g * (v.At(k, l) + at)
						degree += g
					}
					down = down.add(around(p.Lambda*pull, p.Lambda*size*2))
					bend = bend.add(around(p.Lambda*degree*graphs, p.Lambda*degree))
				case Labels: // ½w Σ (λ_k v − y)² over the labelled samples of classes that have some
					if p.Class[j] == Unlabelled || !hasClass(p.Class, k) {
						continue
					}
					weight, y := p.Weight, 0.0
					if weight == 0 {
						weight = 1
					}
					if p.Class[j] == k {
						y = 1
					}
					scale := naiveLambda(p.Class, v.RawRowView(k), k)
					down = down.add(around(weight/2*scale*(y-scale*at), weight*scale*(y+scale*at)))
					bend = bend.add(around(weight/2*scale*scale, weight*scale*scale))
				}
			}
			moved := moveOf(at, down, bend)
			if moved.low > 0 || moved.high < 0 {
				low, high := min(math.Abs(moved.low), math.Abs(moved.high)), max(math.Abs(moved.low), math.Abs(moved.high))
				sum = sum.add(interval{low * low, high * high})
			} else {
				far := max(-moved.low, moved.high)
				sum = sum.add(interval{0, far * far})
			}
		}
	}
	norm := mat.Norm(v, 2)
	if norm == 0 {
		norm = 1
	}
	return interval{min(math.Sqrt(sum.low)/norm, math.MaxFloat64), math.Sqrt(sum.high) / norm}
}

// moveOf is max(0, v + down/bend) − v. Without curvature v stays, or goes to 0.
func moveOf(v float64, down, bend interval) interval {
	at := func(n, d float64) float64 {
		switch {
		case d > 0:
			return max(-v, n/d)
		case n < 0:
			return -v
		}
		return 0
	}
	out := interval{math.Inf(1), math.Inf(-1)}
	far, near := false, false
	for _, n := range []float64{down.low, down.high} {
		for _, d := range []float64{max(0, bend.low*(1-1e-12)), max(0, bend.high*(1+1e-12))} {
			to := at(n, d)
			if to+v >= MaxFactor { // a step that far is not taken
				to, far = 0, true
			} else {
				near = true
			}
			out = interval{min(out.low, to), max(out.high, to)}
		}
	}
	if far && near { // but one that is almost as far may be
		out.high = MaxFactor
	}
	slack := 1e-12*max(math.Abs(out.low), math.Abs(out.high)) + 1e-15*v
	return interval{out.low - slack, out.high + slack}
}

func hasClass(class []int, k int) bool {
	for _, c := range class {
		if c == k {
			return true
		}
	}
	return false
}

// naiveLambda is (13) of the RSS-NMF paper for a row of H, 1 where that vanishes on
// all labelled samples.
func naiveLambda(class []int, row []float64, k int) float64 {
	var hy, hh float64
	for j, c := range class {
		if c >= 0 {
			hh += row[j] * row[j]
		}
		if c == k {
			hy += row[j]
		}
	}
	if hh == 0 {
		return 1
	}
	return min(max(hy/hh, 1e-100), 1e100)
}

// Near a minimum an exact step of each coordinate moves nothing.
func TestKKTVanishes(t *testing.T) {
	take := OneIn(t, 11)
	x, _ := Planted(12, 15, 2, 0.05, 0, 3)
	for _, loss := range FixedLosses {
		if _, ok := loss.(Truncated); ok {
			continue // not smooth
		}
		if !take() {
			continue
		}
		m := Model{Rank: 2, Loss: loss, MaxIter: 1500, Tol: -1, OnW: []Penalty{Ridge{0.01}}, OnH: []Penalty{Ridge{0.01}}, TraceKKT: true}
		r := MustFit(t, m, x)
		if r.KKT > 1e-4 || r.Trace[0].KKT < 100*r.KKT {
			t.Errorf("%s: KKT %g at first, %g in the end (%v after %d)", LossName(loss), r.Trace[0].KKT, r.KKT, r.Reason, len(r.Trace))
		}
	}
}
