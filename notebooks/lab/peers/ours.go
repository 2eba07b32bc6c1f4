package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A problem is data and the factors to start from.
type problem struct {
	x, w, h *mat.Dense
	clean   *mat.Dense // x without its damage
}

// serve answers requests with our library, as peers.py does with the others.
func serve() error {
	sets := map[string]problem{}
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for in.Scan() {
		var q request
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			return err
		}
		r, err := answer(sets, q)
		if err != nil {
			r.Error = err.Error()
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	return in.Err()
}

func answer(sets map[string]problem, q request) (r reply, err error) {
	p, known := sets[q.Data]
	if !known && (q.Op == "rounds" || q.Op == "fit" || q.Op == "defaults") {
		return r, fmt.Errorf("no data %q", q.Data)
	}
	m := rnmf.Model{Loss: lossOf(q), MaxIter: q.Most, Tol: -1}
	if q.Loss == "Poisson" {
		m.Family = rnmf.Poisson
	}
	if known {
		_, m.Rank = p.w.Dims()
		m.Init = rnmf.WarmStart{W: p.w, H: p.h}
	}
	switch q.Op {
	case "load":
		sets[q.Data], err = load(q.Path, q.M, q.N, q.Rank)
	case "drop":
		delete(sets, q.Data)
		debug.FreeOSMemory()
	case "rounds": // multiplicative ones
		if q.Variant != byDefault {
			m.Solver = rnmf.MU{}
		}
		r, err = rounds(m, p.x, q)
	case "fit": // as users do, until the target is reached
		if q.Path != "" {
			rows, cols := p.x.Dims()
			w, errW := read(q.Path+".w", rows, m.Rank)
			h, errH := read(q.Path+".h", m.Rank, cols)
			if err := errors.Join(errW, errH); err != nil {
				return r, err
			}
			m.Init = rnmf.WarmStart{W: w, H: h}
		}
		r, err = fit(m, p.x, q)
	case "defaults": // all but the rank and the start
		d := defaults[q.Loss]
		d.Rank, d.Init = m.Rank, m.Init
		start := time.Now()
		fit, err := d.Fit(context.Background(), p.x)
		r.Seconds = time.Since(start).Seconds()
		if err != nil {
			return r, err
		}
		r.Rounds, r.Reason = fit.Trace[len(fit.Trace)-1].Round, fit.Reason.String()
		r.Off, err = fit.RelativeError(p.clean)
		return r, err
	case "peak":
		r.Bytes, err = peak()
	default:
		err = errors.New("no such request")
	}
	return r, err
}

// byDefault is the variant of rounds that has the default solver.
const byDefault = "default solver"

func lossOf(q request) rnmf.Loss {
	switch q.Loss {
	case "hypersurface":
		return rnmf.Hypersurface{Scale: q.Scale}
	case "cauchy":
		return rnmf.Cauchy{Scale: q.Scale}
	case "huber":
		return rnmf.Huber{Cut: q.Scale}
	case "l1":
		return rnmf.L1{Eps: q.Scale}
	case "l21":
		return rnmf.ByColumn{Loss: rnmf.L1{Eps: q.Scale}}
	}
	return nil
}

// rounds takes the wall time of rounds without their objectives, which NumPy does
// not compute either. The objective at the end is counted, the H half-step that comes
// with the one of the start is not.
func rounds(m rnmf.Model, x *mat.Dense, q request) (r reply, err error) {
	if !q.Cold {
		m.MaxIter = 1
		if _, err := m.Fit(context.Background(), x); err != nil {
			return r, err
		}
	}
	var start time.Time
	m.MaxIter, m.TraceEvery = q.Rounds, q.Rounds
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil {
			return r, err
		}
		if s.Round == 0 {
			start = time.Now()
		}
		if s.Round == m.MaxIter {
			r.Seconds = time.Since(start).Seconds()
			if q.Out != "" {
				err = errors.Join(write(q.Out+".w", s.W()), write(q.Out+".h", s.H()))
			}
			return r, err
		}
	}
	return r, fmt.Errorf("it ended before round %d", m.MaxIter)
}

// fit takes the wall time of a fit until its objective is the target, with all
// checks of the data and the trace.
func fit(m rnmf.Model, x *mat.Dense, q request) (r reply, err error) {
	start := time.Now()
	for s, err := range m.Steps(context.Background(), x) {
		r.Seconds = time.Since(start).Seconds()
		if err != nil {
			return r, err
		}
		r.Objective, r.Rounds = s.Objective, s.Round
		r.Trace = append(r.Trace, s.Objective)
		if s.Objective <= q.Target || q.Limit > 0 && r.Seconds > q.Limit {
			break
		}
	}
	return r, nil
}

// peak returns the largest resident size that this process has had.
func peak() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	_, err = fmt.Sscan(after, &kilobytes)
	return kilobytes << 10, err
}

func load(path string, m, n, rank int) (p problem, err error) {
	var e [3]error
	p.x, e[0] = read(path+".x", m, n)
	p.w, e[1] = read(path+".w", m, rank)
	p.h, e[2] = read(path+".h", rank, n)
	if p.clean, _ = read(path+".clean", m, n); p.clean == nil {
		p.clean = p.x
	}
	return p, errors.Join(e[:]...)
}

// read does without a second copy in memory, which would be counted.
func read(path string, m, n int) (*mat.Dense, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from, data := bufio.NewReaderSize(f, 1<<16), make([]float64, m*n)
	var b [8]byte
	for i := range data {
		if _, err := io.ReadFull(from, b[:]); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		data[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
	}
	return mat.NewDense(m, n, data), nil
}

func write(path string, a *mat.Dense) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	to := bufio.NewWriter(f)
	var b [8]byte
	for i := range a.RawMatrix().Rows {
		for _, v := range a.RawRowView(i) {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			to.Write(b[:]) // Flush tells of errors
		}
	}
	return errors.Join(to.Flush(), f.Close())
}
