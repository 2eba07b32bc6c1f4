package rnmf

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"gonum.org/v1/gonum/mat"
)

// A saved Result is saveMagic, the version as two bytes, savedResult as gob, and from version 2 on
// the CRC-32 (IEEE) of the gob in four bytes: gob reads damaged numbers as other numbers. Numbers
// are big-endian. A later version of this package reads all earlier versions; testdata/saved has
// one file of each.
const (
	saveMagic   = "rnmf"
	saveVersion = 2
)

// savedResult is what the file holds, in versions 1 and 2.
type savedResult struct {
	Rows, Rank, Cols int
	W, H             []float64 // row by row
	Loss             Loss
	Solver           Solver
	OnH              []Penalty
	Objective, KKT   float64
	Trace            Trace
	Reason           Reason
	Signed           bool // W may have negative entries
}

// A freeW is the solver in files of earlier versions where W may be negative; it holds that of H.
type freeW struct{ Solver Solver }

// Improve is never called.
func (freeW) Improve(*Quadratic, *mat.Dense) {}

func init() {
	for _, v := range []any{Frobenius{}, L1{}, Huber{}, Hypersurface{}, Correntropy{}, Cauchy{}, LogShrink{}, Manhattan{},
		Truncated{}, TwoStage{}, ByColumn{}, HALS{}, MU{}, OGM{}, FGD{}, RRA{}, ProxLinear{}, Additive{},
		Sparse{}, LogSparse{}, Ridge{}, Labels{}, Laplacian{}} {
		gob.Register(v)
	}
	gob.RegisterName("github.com/robustnmf/robustnmf/rnmf.FreeW", freeW{})
}

// Save writes the Result to w, without the mask (see Outliers) and without the fields of types that
// embed a Result (U, G, Support). Register parts of your own by gob.Register.
func (r *Result) Save(w io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	m, k := r.W.Dims()
	_, n := r.H.Dims()
	var body bytes.Buffer
	err := gob.NewEncoder(&body).Encode(savedResult{Rows: m, Rank: k, Cols: n,
		W: flat(r.W), H: flat(r.H), Loss: cmp.Or[Loss](r.Loss, Frobenius{}), Solver: r.Solver, OnH: r.OnH,
		Objective: r.Objective, KKT: r.KKT, Trace: r.Trace, Reason: r.Reason, Signed: mat.Min(r.W) < 0})
	if err != nil {
		return fmt.Errorf("rnmf: save: %w (register a loss, solver or penalty of your own by gob.Register)", err)
	}
	head := binary.BigEndian.AppendUint16([]byte(saveMagic), saveVersion)
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body.Bytes()))
	if _, err := io.Copy(w, io.MultiReader(bytes.NewReader(head), &body, bytes.NewReader(sum))); err != nil {
		return fmt.Errorf("rnmf: save: %w", err)
	}
	return nil
}

// Load reads a Result that Save wrote, to the end of r. A file that is something else, is damaged,
// or was written by a later version, is an error that wraps ErrFormat; if reading fails, the error
// is that of r. Load only files that you trust: gob does not guard against made-up ones that take
// much time and memory.
func Load(r io.Reader) (*Result, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("rnmf: load: %w", err)
	}
	head := len(saveMagic) + 2
	if len(data) < head {
		return nil, fmt.Errorf("%w: %w", ErrFormat, io.ErrUnexpectedEOF)
	}
	if string(data[:len(saveMagic)]) != saveMagic {
		return nil, fmt.Errorf("%w: it starts with %q", ErrFormat, data[:len(saveMagic)])
	}
	version, body := binary.BigEndian.Uint16(data[len(saveMagic):]), data[head:]
	switch {
	case version == 0 || version > saveVersion:
		return nil, fmt.Errorf("%w: version %d, this package reads up to %d", ErrFormat, version, saveVersion)
	case version >= 2:
		end := max(len(body)-4, 0)
		if len(body) < 4 || crc32.ChecksumIEEE(body[:end]) != binary.BigEndian.Uint32(body[end:]) {
			return nil, fmt.Errorf("%w: wrong checksum: it is damaged or cut off", ErrFormat)
		}
		body = body[:end]
	}
	s, err := decodeResult(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return s, nil
}

// decodeResult reads the gob of a Result and checks all of it.
func decodeResult(body []byte) (*Result, error) {
	var s savedResult
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(&s); err != nil {
		return nil, err
	}
	switch {
	case s.Rows < 1 || s.Rank < 1 || s.Cols < 1 ||
		len(s.W)%s.Rank != 0 || len(s.W)/s.Rank != s.Rows || len(s.H)%s.Rank != 0 || len(s.H)/s.Rank != s.Cols:
		return nil, fmt.Errorf("W of %d and H of %d entries do not fit the shapes %d×%d and %d×%d",
			len(s.W), len(s.H), s.Rows, s.Rank, s.Rank, s.Cols)
	case s.Loss == nil:
		return nil, errors.New("no loss")
	case s.Reason < 0 || s.Reason > Collapsed:
		return nil, fmt.Errorf("reason %d", int(s.Reason))
	}
	if a, ok := s.Solver.(Additive); ok {
		if f, ok := a.Solver.(freeW); ok {
			s.Solver, s.Signed = Additive(f), true
		}
	}
	if f, ok := s.Solver.(freeW); ok {
		s.Solver, s.Signed = f.Solver, true
	}
	w, h := mat.NewDense(s.Rows, s.Rank, s.W), mat.NewDense(s.Rank, s.Cols, s.H)
	if err := errors.Join(checkFactor("W", w, s.Signed), checkFactor("H", h, false), checkPart(s.Loss),
		checkPart(s.Solver), checkPenalties(s.OnH, s.Rank, s.Cols)); err != nil {
		return nil, err
	}
	return &Result{W: w, H: h, Loss: s.Loss, Objective: s.Objective, KKT: s.KKT,
		Trace: s.Trace, Reason: s.Reason, Solver: s.Solver, OnH: s.OnH}, nil
}

func flat(a *mat.Dense) []float64 { return mat.DenseCopyOf(a).RawMatrix().Data }
