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
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// A saved Result is saveMagic, the version as two bytes, savedResult as gob, and the CRC-32 (IEEE) of
// the gob in four bytes: gob reads damaged numbers as other numbers. Numbers are big-endian. A later
// version of this package reads all earlier versions; testdata/saved has files of each.
const (
	saveMagic   = "rnmf"
	saveVersion = 1
)

// savedResult is what the file holds, in version 1.
type savedResult struct {
	Rows, Rank, Cols int
	W, H             []float64 // row by row
	Loss             Loss
	Family           Family
	Solver           Solver
	OnH              []Penalty
	Objective, KKT   float64
	Trace            Trace
	Reason           Reason
	Signed           bool // W may have negative entries
}

func init() {
	for _, v := range []any{Frobenius{}, L1{}, Huber{}, Hypersurface{}, Correntropy{}, Cauchy{}, Truncated{}, MMEstimator{},
		ByColumn{}, HALS{}, MU{}, NormalEquations{}, Lasso{}, Ridge{}, Labels{}, Laplacian{}} {
		gob.Register(v)
	}
}

// Save writes the Result to w, without the mask (see Outliers) and without the fields of types that
// embed a Result (U, G, Support). What is in it by interface, its loss, solver and penalties, has to be
// known to gob under its name: a loss, penalty or solver of your own is registered by gob.Register, in
// the program that saves and in the one that loads. The files of package panel and its cluster, which
// hold a Model, need the same.
func (r *Result) Save(w io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	m, k := r.W.Dims()
	_, n := r.H.Dims()
	var body bytes.Buffer
	err := gob.NewEncoder(&body).Encode(savedResult{Rows: m, Rank: k, Cols: n,
		W: flat(r.W), H: flat(r.H), Loss: cmp.Or[Loss](r.Loss, Frobenius{}), Family: r.Family, Solver: r.Solver, OnH: r.OnH,
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
// is that of r. A part of the Result whose package the program does not import, such as package papers,
// is an error that wraps ErrFormat and names the package. Load only files that you trust: gob does not
// guard against made-up ones that take much time and memory.
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
	if version != saveVersion {
		return nil, fmt.Errorf("%w: version %d, this package reads version %d", ErrFormat, version, saveVersion)
	}
	end := max(len(body)-4, 0)
	if len(body) < 4 || crc32.ChecksumIEEE(body[:end]) != binary.BigEndian.Uint32(body[end:]) {
		return nil, fmt.Errorf("%w: wrong checksum: it is damaged or cut off", ErrFormat)
	}
	body = body[:end]
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
		return nil, unregistered(err)
	}
	switch {
	case s.Rows < 1 || s.Rank < 1 || s.Cols < 1 ||
		len(s.W)%s.Rank != 0 || len(s.W)/s.Rank != s.Rows || len(s.H)%s.Rank != 0 || len(s.H)/s.Rank != s.Cols:
		return nil, fmt.Errorf("W of %d and H of %d entries do not fit the shapes %d×%d and %d×%d",
			len(s.W), len(s.H), s.Rows, s.Rank, s.Rank, s.Cols)
	case s.Family < 0 || s.Family >= families:
		return nil, fmt.Errorf("family %d", int(s.Family))
	case s.Loss == nil:
		return nil, errors.New("no loss")
	case s.Reason < 0 || s.Reason > Collapsed:
		return nil, fmt.Errorf("reason %d", int(s.Reason))
	}
	w, h := mat.NewDense(s.Rows, s.Rank, s.W), mat.NewDense(s.Rank, s.Cols, s.H)
	if err := errors.Join(checkFactor("W", w, s.Signed), checkFactor("H", h, false), checkPart(s.Loss),
		checkPart(s.Solver), checkPenalties(s.OnH, s.Rank, s.Cols)); err != nil {
		return nil, err
	}
	return &Result{W: w, H: h, Loss: s.Loss, Family: s.Family, Objective: s.Objective, KKT: s.KKT,
		Trace: s.Trace, Reason: s.Reason, Solver: s.Solver, OnH: s.OnH}, nil
}

// unregistered names the package that the program has to import where gob does not know a type.
func unregistered(err error) error {
	_, name, found := strings.Cut(err.Error(), "name not registered for interface: ")
	name, bad := strconv.Unquote(name)
	if !found || bad != nil {
		return err
	}
	pkg := name
	if slash := strings.LastIndexByte(name, '/'); slash < 0 {
		pkg, _, _ = strings.Cut(name, ".")
	} else if dot := strings.IndexByte(name[slash:], '.'); dot >= 0 {
		pkg = name[:slash+dot]
	}
	return fmt.Errorf("it holds a %s: import package %q, which has to register it by gob.Register", name, pkg)
}

func flat(a *mat.Dense) []float64 { return mat.DenseCopyOf(a).RawMatrix().Data }
