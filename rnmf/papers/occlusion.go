package papers

import (
	"cmp"
	"context"
	"fmt"
	"github.com/robustnmf/robustnmf/rnmf"
	"math"
	"time"

	"github.com/robustnmf/robustnmf/rnmf/internal/ising"
	"gonum.org/v1/gonum/mat"
)

// OcclusionNMF is for images of which something covers a part: outliers that hang together. They are
// a set of pixels, z_ij = 1, and the others are fitted by least squares:
//
//	min over W, H ≥ 0 and z of
//	  Σ (1 − z_ij)(X − WH)²_ij + c² Σ z_ij + βc² Σ_{i~k} |z_ij − z_kj|,
//
// where i~k are pixels that share an edge. An outlier costs c², so with β = 0 this is
// Truncated{Loss: Frobenius{}, Cut: c}. By the last sum a pixel among outliers becomes one, however
// well it is fitted, and a lonely pixel that is off by little more than c does not. It is the
// Markov random field of DECOLOR (Zhou, Yang and Yu 2013), which bounds a nuclear norm instead.
//
// Model is fitted first, which gives the start and c. Then updates of z alternate with some rounds
// of W and H. Each lowers the sum, so it never rises.
//
// It helps where the covering object is no brighter or darker than the images. Errors in single
// pixels it takes for noise; RobustNMF or a convex loss finds those.
type OcclusionNMF struct {
	// Model is fitted first. A nil Loss is MMEstimator whose Then cuts at NormalThreeSigma.
	Model rnmf.Model
	// Height and Width are those of the images, whose pixels are in raster order.
	Height, Width int
	// Beta is β; 0 is 0.5.
	Beta float64
	// Cut is c; 0 is 2.5 standard deviations of a normal distribution with the median residual of
	// the first fit: less than three, as β keeps lonely pixels out.
	Cut float64
}

// OcclusionNMFResult is the Result of least squares without the outliers. Its objective and trace are
// those of the whole sum, from the first z on; rounds and seconds count from the beginning.
type OcclusionNMFResult struct {
	*rnmf.Result
	// Support (m×n) is z.
	Support *mat.Dense
}

// roundsOfW is the number of rounds of W and H between two updates of z.
const roundsOfW = 5

// With returns the same with another Model, as edit changes it.
func (c OcclusionNMF) With(edit func(m *rnmf.Model)) rnmf.Fitter[*OcclusionNMFResult] {
	if edit != nil {
		edit(&c.Model)
	}
	return c
}

// Fit factorises x (m×n, a column is an image) as Model.Fit does. MaxIter bounds the rounds before
// the first z and those after it; Tol is for a turn of W, H and z. If ctx ends before the first z,
// Support is 0 and the rest is the result of Model.
func (c OcclusionNMF) Fit(ctx context.Context, x mat.Matrix) (*OcclusionNMFResult, error) {
	d, err := c.check(x)
	if err != nil {
		return nil, err
	}
	model := c.Model
	model.Loss = cmp.Or[rnmf.Loss](model.Loss, rnmf.MMEstimator{Then: rnmf.Truncated{Loss: rnmf.Frobenius{}, Rule: rnmf.NormalThreeSigma}})
	r, err := model.Fit(ctx, x)
	if r == nil {
		return nil, err
	}
	f := newOcclusionFit(model, d, r)
	if err == nil {
		err = f.run(ctx, c)
	}
	return f.result(err), err
}

func (c OcclusionNMF) check(x mat.Matrix) (*mat.Dense, error) {
	d, err := matrix("X", x)
	if err := cmp.Or(err, wantGaussian("OcclusionNMF", c.Model)); err != nil {
		return nil, err
	}
	m, _ := d.Dims()
	if c.Height < 1 || c.Width < 1 || c.Height > m/c.Width || c.Height*c.Width != m {
		return nil, fmt.Errorf("%w: X has %d rows, want those of images of %d×%d", rnmf.ErrShape, m, c.Height, c.Width)
	}
	if !(c.Beta >= 0 && c.Beta <= maxEntry) {
		return nil, errParameter("OcclusionNMF.Beta", c.Beta, "0 to 1e+100")
	}
	return d, checkScale("OcclusionNMF.Cut", c.Cut)
}

// An occlusionFit is the state of an OcclusionNMF.
type occlusionFit struct {
	model   rnmf.Model
	x, mask *mat.Dense // mask nil if all entries count
	field   ising.Field
	cut     float64
	z       [][]bool   // of each image
	support *mat.Dense // m×n, z
	last    *rnmf.Result

	price   float64 // of z: all of the sum but the squares and the penalties
	squares float64
	trace   rnmf.Trace
	rounds  int
	seconds float64
}

// newOcclusionFit begins with what the first fit has found and spent.
func newOcclusionFit(model rnmf.Model, x *mat.Dense, r *rnmf.Result) *occlusionFit {
	m, n := x.Dims()
	end := r.Trace[len(r.Trace)-1]
	return &occlusionFit{model: model, x: x, mask: r.Mask, z: noLabels(m, n), support: mat.NewDense(m, n, nil), last: r,
		rounds: end.Round, seconds: end.Seconds}
}

// run finds c and z, and then all by turns.
func (f *occlusionFit) run(ctx context.Context, c OcclusionNMF) error {
	begin := time.Now()
	if f.cut = c.Cut; f.cut == 0 {
		if err := f.estimate(ctx); err != nil {
			return err
		}
	}
	f.field = ising.Field{Height: c.Height, Width: c.Width, B: cmp.Or(c.Beta, 0.5) * f.cut * f.cut}
	f.seconds += time.Since(begin).Seconds()
	if err := f.label(ctx); err != nil {
		return err
	}
	return f.alternate(ctx)
}

// alternate fits W and H to what is no outlier, and labels again.
func (f *occlusionFit) alternate(ctx context.Context) error {
	model := f.model
	left, tol := cmp.Or(model.MaxIter, 500), cmp.Or(model.Tol, 1e-5) // the defaults of Model
	model.Loss, model.Tol = rnmf.Frobenius{}, -1
	start := f.point()
	if model.TraceKKT {
		var err error
		if start.KKT, err = f.kkt(ctx, model); err != nil {
			return err
		}
	}
	f.trace = rnmf.Trace{start}
	if watch := model.Watch; watch != nil {
		watch(f.trace[0])
		model.Watch = func(p rnmf.Point) {
			if p.Round > 0 {
				watch(f.pointOfSum(p))
			}
		}
	}
	for {
		good := f.good()
		if err := ctx.Err(); err != nil {
			return err
		}
		if good == nil { // the cut-off of the user is too small
			f.last.Reason = rnmf.Stalled
			return nil
		}
		before := f.trace[len(f.trace)-1].Objective
		model.Init, model.Mask, model.MaxIter = rnmf.WarmStart{W: f.last.W, H: f.last.H}, good, min(roundsOfW, left)
		r, err := model.Fit(ctx, f.x)
		if r == nil {
			return err
		}
		f.last = r
		rounds := r.Trace[1:]
		for _, p := range rounds {
			f.trace = append(f.trace, f.pointOfSum(p))
		}
		end := r.Trace[len(rounds)]
		f.rounds += end.Round
		left -= end.Round
		f.seconds += end.Seconds
		if err != nil {
			return err
		}
		if err := f.label(ctx); err != nil {
			return err
		}
		now := f.point() // with the z that belongs to W and H
		if len(rounds) > 0 {
			f.trace = f.trace[:len(f.trace)-1]
		}
		converged := tol >= 0 && before-now.Objective <= tol*math.Abs(before)
		ends := converged || r.Reason != rnmf.MaxIter || left == 0
		if ends || model.TraceKKT {
			if r.KKT, err = f.kkt(ctx, model); model.TraceKKT {
				now.KKT = r.KKT
			}
		}
		f.trace = append(f.trace, now)
		if err != nil {
			return err
		}
		if converged {
			r.Reason = rnmf.Converged
		}
		if ends {
			return nil
		}
	}
}

// kkt is the KKT residual of W and H with the present z, -1 if ctx ends.
func (f *occlusionFit) kkt(ctx context.Context, model rnmf.Model) (float64, error) {
	good := f.good()
	if good == nil {
		return 0, ctx.Err() // nothing is left to fit
	}
	model.Init, model.Mask = rnmf.WarmStart{W: f.last.W, H: f.last.H}, good
	model.TraceKKT = true
	for start, err := range model.Steps(ctx, f.x) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return -1, err
		}
		return start.KKT, nil
	}
	return -1, ctx.Err()
}

// pointOfSum turns a Point of the fit of W and H into one of the whole sum.
func (f *occlusionFit) pointOfSum(p rnmf.Point) rnmf.Point {
	p.Round += f.rounds
	p.Seconds += f.seconds
	p.Objective += f.price
	p.Scale = f.cut
	return p
}

// point is the Point of the present W, H and z.
func (f *occlusionFit) point() rnmf.Point {
	p := rnmf.Point{Round: f.rounds, Seconds: f.seconds, Objective: f.squares + f.price, Scale: f.cut, KKT: -1}
	for _, penalty := range f.model.OnW {
		p.Objective += penalty.Value(mat.DenseCopyOf(f.last.W.T()))
	}
	for _, penalty := range f.model.OnH {
		p.Objective += penalty.Value(f.last.H)
	}
	return p
}

// result is what the fit returns; with an error it has ended early.
func (f *occlusionFit) result(err error) *OcclusionNMFResult {
	r := *f.last
	r.Mask = f.mask
	if err != nil {
		r.Reason, r.KKT = rnmf.Cancelled, -1
	}
	if f.trace != nil {
		r.Loss, r.Objective, r.Trace = rnmf.Truncated{Loss: rnmf.Frobenius{}, Cut: f.cut}, f.trace[len(f.trace)-1].Objective, f.trace
	}
	return &OcclusionNMFResult{&r, f.support}
}

// Outliers reports on x (m×n), the data of the fit, under a mask as Result.Outliers does. The
// pixels of the support have weight 0, the others and those that are missing 1.
func (r *OcclusionNMFResult) Outliers(x, mask mat.Matrix) (*rnmf.Outliers, error) {
	o, err := r.Result.Outliers(x, mask)
	if err != nil {
		return nil, err
	}
	if mask == nil && r.Mask != nil {
		mask = r.Mask
	}
	return r.supported(o, x, mask), nil
}

// supported replaces the weights and outliers of a report on x by those of the support.
func (r *OcclusionNMFResult) supported(o *rnmf.Outliers, x, mask mat.Matrix) *rnmf.Outliers {
	var wh mat.Dense
	wh.Mul(r.W, r.H)
	m, n := r.Support.Dims()
	for j := range n {
		o.Samples[j] = 0
		for i := range m {
			weight, s := 1.0, 0.0
			if r.Support.At(i, j) == 1 && (isNil(mask) || mask.At(i, j) > 0) {
				weight, s = 0, x.At(i, j)-wh.At(i, j)
			}
			o.Weights.Set(i, j, weight)
			o.S.Set(i, j, s)
			o.Samples[j] = min(o.Samples[j]+weight/float64(m), 1)
		}
	}
	return o
}
