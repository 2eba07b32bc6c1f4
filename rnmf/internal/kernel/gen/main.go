// Command gen writes the micro-kernels of the package above it, kernel_amd64.s,
// and their Go declarations, kernel_amd64.go. Run it with "go generate" in that
// package. It is a module of its own, so that the generator library is no
// dependency of the library.
//
// A vector register holds four columns with AVX2 and eight with AVX-512. Every
// kernel handles a block of some vectors of columns. All the kernels of a kind do
// the same operations in the same order on a column, so that the result for a
// column depends neither on the block that it falls into nor on the registers.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// An isa is a set of vector instructions. With AVX2, a kernel whose name ends in
// m handles one vector of which a mask tells the columns that exist. With AVX-512,
// the last vector of every product has one; the loops that change a tile have none,
// since a load waits for a masked store that its columns seem to overlap.
type isa struct {
	suffix string
	bytes  int // in a vector
	panel  int // rows of a packed panel
	vector func() VecVirtual
}

var (
	avx2   = isa{"", 32, 4, YMM}
	avx512 = isa{"z", 64, 8, ZMM}
)

func main() {
	ConstraintExpr("amd64")

	for _, cols := range []int{3, 2, 1} {
		avx2.gemm(4, cols, false, false)
		avx2.gemm(2, cols, false, false)
		avx2.gram(cols)
		avx2.rows(4, cols)
		avx2.rows(1, cols)
	}
	for _, cols := range []int{8, 6, 4, 2, 1} {
		avx2.gemm(1, cols, false, false)
	}
	for _, rows := range []int{4, 2, 1} {
		avx2.gemm(rows, 1, true, false)
	}
	avx2.gemm(4, 3, false, true)
	for _, cols := range []int{4, 2, 1} {
		avx2.weighted(cols, true, false)
		avx2.weighted(cols, false, false)
	}
	avx2.weighted(1, true, true)
	avx2.weighted(1, false, true)
	for _, masked := range []bool{false, true} {
		avx2.pair(1, true, masked)
		avx2.pair(1, false, masked)
	}
	avx2.pair(2, true, false)
	avx2.pair(2, false, false)
	for _, cols := range []int{8, 4, 2, 1} {
		avx2.subOuter(cols, false)
	}
	avx2.subOuter(1, true)
	avx2.diagonal()
	avx2.peak()

	for _, cols := range []int{3, 2, 1} {
		for _, rows := range []int{8, 4, 2, 1} {
			avx512.gemm(rows, cols, true, false)
		}
		avx512.gram(cols)
		avx512.rows(8, cols)
		avx512.rows(1, cols)
		avx512.weighted(cols, true, false)
		avx512.weighted(cols, false, false)
		avx512.pair(cols, true, false)
		avx512.pair(cols, false, false)
		avx512.subOuter(cols, false)
	}
	avx512.gemm(1, 6, true, false)
	avx512.gemm(8, 3, true, true)
	avx512.peak()

	pack(false)
	pack(true)
	negate()
	copyRows()
	cpuid()
	Generate()
}

// vectors is a number of vector registers.
func (s isa) vectors(n int) []VecVirtual {
	v := make([]VecVirtual, n)
	for i := range v {
		v[i] = s.vector()
	}
	return v
}

// stride is a parameter that counts float64 values, turned into bytes.
func stride(name string) Register {
	s := Load(Param(name), GP64())
	SHLQ(Imm(3), s)
	return s
}

// masks tells which lanes of which vectors of a kernel exist: all, but for the
// last vector of a masked kernel.
func (s isa) masks(cols int, masked bool) []Op {
	m := make([]Op, cols)
	switch {
	case !masked:
	case s.bytes == 32:
		p, v := Load(Param("mask"), GP64()), YMM()
		VMOVUPD(Mem{Base: p}, v)
		m[cols-1] = v
	default:
		bits, k := GP64(), K()
		Load(Param("mask"), bits)
		KMOVW(bits.As32(), k)
		m[cols-1] = k
	}
	return m
}

func (s isa) load(m Mem, mask Op, v VecVirtual) {
	switch {
	case mask == nil:
		VMOVUPD(m, v)
	case s.bytes == 32:
		VMASKMOVPD(m, mask, v)
	default:
		VMOVUPD_Z(m, mask, v)
	}
}

func (s isa) store(v VecVirtual, mask Op, m Mem) {
	switch {
	case mask == nil:
		VMOVUPD(v, m)
	case s.bytes == 32:
		VMASKMOVPD(v, mask, m)
	default:
		VMOVUPD(v, mask, m)
	}
}

// at is vector j from a pointer on.
func (s isa) at(p Register, j int) Mem { return Mem{Base: p, Disp: j * s.bytes} }

func (s isa) zero(v VecVirtual) {
	if s.bytes == 32 {
		VXORPD(v, v, v)
	} else {
		VPXORQ(v, v, v)
	}
}

// text begins a function; masked adds the parameter.
func (s isa) text(name string, masked bool, params, doc string) {
	switch {
	case masked && s.bytes == 64:
		params += ", mask int"
	case masked:
		params += ", mask *int64"
	}
	name = s.name(name, masked)
	TEXT(name, NOSPLIT, "func("+params+")")
	Doc(name + " " + doc)
	Pragma("noescape")
}

func (s isa) name(name string, masked bool) string {
	if masked && s.bytes == 32 {
		name += "m"
	}
	return name + s.suffix
}

// end closes a loop that runs n times, once at least.
func end(label string, n Register) {
	DECQ(n)
	JNZ(LabelRef(label))
}

func ret() {
	VZEROUPPER()
	RET()
}

// loadRows loads rows of vectors, ldc apart, from c on; it uses row.
func (s isa) loadRows(c, row, ldc Register, acc []VecVirtual, cols int) {
	MOVQ(c, row)
	for i, v := range acc {
		if i > 0 && i%cols == 0 {
			ADDQ(ldc, row)
		}
		VMOVUPD(s.at(row, i%cols), v)
	}
}

// unrolled runs step n times, by a number at a time. It changes no register
// but those that step does.
func unrolled(n Register, by int, step func()) {
	count, shift := GP64(), 1
	if by == 4 {
		shift = 2
	}
	MOVQ(n, count)
	SHRQ(Imm(uint64(shift)), count)
	JZ(LabelRef("rest"))
	Label("loop")
	for range by {
		step()
	}
	end("loop", count)
	Label("rest")
	MOVQ(n, count)
	ANDQ(Imm(uint64(by-1)), count)
	JZ(LabelRef("done"))
	Label("single")
	step()
	end("single", count)
	Label("done")
}

// gemm writes a kernel for C ← F + AB on one panel of A after the other; F is laid
// out like C, or is C. A panel has the given number of rows, and those of C follow
// each other:
//
//	c[(p·rows + i)·ldc + j] = from[(p·rows + i)·ldc + j] + Σ_l a[p·aps + l·lda + i] b[l·ldb + j],
//
// l < n, p < panels. For a B whose rows are far apart it asks for them some time ahead:
// the processor does not foresee them.
func (s isa) gemm(rows, cols int, masked, far bool) {
	const ahead = 48
	name := "gemm"
	if far {
		name = "gemmFar"
	}
	s.text(fmt.Sprintf("%s%dx%d", name, rows, cols), masked,
		"c, from, a, b *float64, ldc, lda, ldb, n, panels, aps int",
		fmt.Sprintf("adds products to blocks of %d rows and %d vectors.", rows, cols))
	c, a, b := Load(Param("c"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	from := Load(Param("from"), GP64())
	SUBQ(c, from)
	ldc, lda, ldb, aps := stride("ldc"), stride("lda"), stride("ldb"), stride("aps")
	n, panels := Load(Param("n"), GP64()), Load(Param("panels"), GP64())
	masks := s.masks(cols, masked)
	acc := s.vectors(rows * cols)
	var off Register
	if far {
		off = GP64()
		IMUL3Q(U32(ahead), ldb, off)
	}
	Label("panel")
	row, pa, pb := GP64(), GP64(), GP64()
	MOVQ(c, row)
	for i := range rows {
		if i > 0 {
			ADDQ(ldc, row)
		}
		for j := range cols {
			s.load(Mem{Base: row, Index: from, Scale: 1, Disp: j * s.bytes}, masks[j], acc[i*cols+j])
		}
	}
	MOVQ(a, pa)
	MOVQ(b, pb)
	by := 4
	if rows*cols > 12 {
		by = 2
	}
	step := func(last bool) {
		x, t := s.vectors(cols), s.vector()
		for j := range cols {
			if rows > 1 || masks[j] != nil {
				s.load(s.at(pb, j), masks[j], x[j])
			}
		}
		for d := 0; far && d < cols*s.bytes; d += 64 {
			PREFETCHT0(Mem{Base: pb, Index: off, Scale: 1, Disp: d})
		}
		for i := range rows {
			VBROADCASTSD(Mem{Base: pa, Disp: 8 * i}, t)
			for j := range cols {
				if rows > 1 || masks[j] != nil {
					VFMADD231PD(x[j], t, acc[i*cols+j])
				} else {
					VFMADD231PD(s.at(pb, j), t, acc[j])
				}
			}
			if last {
				for j := range cols {
					s.store(acc[i*cols+j], masks[j], s.at(c, j))
				}
				ADDQ(ldc, c)
			}
		}
		if !last {
			ADDQ(lda, pa)
			ADDQ(ldb, pb)
		}
	}
	DECQ(n)
	unrolled(n, by, func() { step(false) })
	INCQ(n)
	step(true)
	ADDQ(aps, a)
	end("panel", panels)
	ret()
}

// rows writes a kernel for C ← C + AB with the rows of A where they are, lda apart, and
// B packed in panels ps apart, as many as the block has vectors. It does one block of
// rows after the other:
//
//	c[i·ldc + j] += Σ_l a[i·lda + l] b[j/panel·ps + l·panel + j%panel],   l < n.
func (s isa) rows(rows, cols int) {
	name := fmt.Sprintf("rows%dx%d%s", rows, cols, s.suffix)
	TEXT(name, NOSPLIT, "func(c, a, b *float64, ldc, lda, n, blocks, ps int)")
	Doc(fmt.Sprintf("%s multiplies %d rows with %d panels.", name, rows, cols))
	Pragma("noescape")
	c, a, b := Load(Param("c"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	ldc, lda, ps := stride("ldc"), stride("lda"), stride("ps")
	n, blocks := Load(Param("n"), GP64()), Load(Param("blocks"), GP64())
	var lda3 Register
	if rows > 2 {
		lda3 = GP64()
		LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
	}
	acc := s.vectors(rows * cols)
	Label("block")
	row, pb := GP64(), GP64()
	s.loadRows(c, row, ldc, acc, cols)
	pa := []Register{GP64()} // of four rows each
	MOVQ(a, pa[0])
	if rows > 4 {
		pa = append(pa, GP64())
		LEAQ(Mem{Base: a, Index: lda, Scale: 4}, pa[1])
	}
	MOVQ(b, pb)
	by := 4
	if rows*cols > 12 {
		by = 2
	}
	step := func(l int) {
		x, t := s.vectors(cols), s.vector()
		for j := range cols {
			m := Mem{Base: pb, Disp: l * s.bytes}
			if j > 0 {
				m.Index, m.Scale = ps, uint8(j)
			}
			VMOVUPD(m, x[j])
		}
		for i := range rows {
			m := Mem{Base: pa[i/4], Disp: 8 * l}
			switch i % 4 {
			case 1, 2:
				m.Index, m.Scale = lda, uint8(i%4)
			case 3:
				m.Index, m.Scale = lda3, 1
			}
			VBROADCASTSD(m, t)
			for j := range cols {
				VFMADD231PD(x[j], t, acc[i*cols+j])
			}
		}
	}
	forward := func(l int) {
		for _, p := range pa {
			ADDQ(Imm(uint64(8*l)), p)
		}
		ADDQ(U32(l*s.bytes), pb)
	}
	some := GP64()
	MOVQ(n, some)
	SUBQ(Imm(uint64(by)), some)
	JL(LabelRef("few"))
	Label("some")
	for l := range by {
		step(l)
	}
	forward(by)
	SUBQ(Imm(uint64(by)), some)
	JGE(LabelRef("some"))
	Label("few")
	ADDQ(Imm(uint64(by)), some)
	JZ(LabelRef("done"))
	Label("one")
	step(0)
	forward(1)
	end("one", some)
	Label("done")
	for i := range rows {
		for j := range cols {
			VMOVUPD(acc[i*cols+j], s.at(c, j))
		}
		ADDQ(ldc, c)
		ADDQ(lda, a)
	}
	end("block", blocks)
	ret()
}

// gram writes a kernel for C ← C + ABᵀ, where A and B are both packed in panels
// ps apart, and C gets one panel of A after the other and as many of B as the
// block has vectors.
func (s isa) gram(cols int) {
	rows := s.panel
	name := fmt.Sprintf("gram%dx%d%s", rows, cols, s.suffix)
	TEXT(name, NOSPLIT, "func(c, a, b *float64, ldc, n, panels, ps int)")
	Doc(fmt.Sprintf("%s multiplies panels with %d panels.", name, cols))
	Pragma("noescape")
	c, a, b := Load(Param("c"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	ldc, ps := stride("ldc"), stride("ps")
	n, panels := Load(Param("n"), GP64()), Load(Param("panels"), GP64())
	acc := s.vectors(rows * cols)
	Label("panel")
	row, pa, pb := GP64(), GP64(), GP64()
	s.loadRows(c, row, ldc, acc, cols)
	MOVQ(a, pa)
	MOVQ(b, pb)
	by := 4
	if rows*cols > 12 {
		by = 2
	}
	unrolled(n, by, func() {
		x, t := s.vectors(cols), s.vector()
		for j := range cols {
			m := Mem{Base: pb}
			if j > 0 {
				m = Mem{Base: pb, Index: ps, Scale: uint8(j)}
			}
			VMOVUPD(m, x[j])
		}
		for i := range rows {
			VBROADCASTSD(Mem{Base: pa, Disp: 8 * i}, t)
			for j := range cols {
				VFMADD231PD(x[j], t, acc[i*cols+j])
			}
		}
		ADDQ(Imm(uint64(s.bytes)), pa)
		ADDQ(Imm(uint64(s.bytes)), pb)
	})
	for i := range rows {
		for j := range cols {
			VMOVUPD(acc[i*cols+j], s.at(c, j))
		}
		ADDQ(ldc, c)
	}
	ADDQ(ps, a)
	end("panel", panels)
	ret()
}

// diagonal writes a kernel for gram on two panels that meet themselves, without the
// part above the diagonal: its accumulators are just enough to hide the latency of
// a multiply-add, which those of one panel are not.
func (s isa) diagonal() {
	rows := s.panel
	TEXT("gramDiagonal", NOSPLIT, "func(c, a, b *float64, ldc, n, ps int)")
	Doc("gramDiagonal multiplies two panels with two, on the diagonal.")
	Pragma("noescape")
	c, a, b := Load(Param("c"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	ldc, ps, n := stride("ldc"), stride("ps"), Load(Param("n"), GP64())
	acc, row := s.vectors(3*rows), GP64()
	all := func(f func(v VecVirtual, at Mem)) {
		MOVQ(c, row)
		for i := range 2 * rows {
			if i > 0 {
				ADDQ(ldc, row)
			}
			if i < rows {
				f(acc[i], s.at(row, 0))
			} else {
				f(acc[2*i-rows], s.at(row, 0))
				f(acc[2*i-rows+1], s.at(row, 1))
			}
		}
	}
	all(func(v VecVirtual, at Mem) { VMOVUPD(at, v) })
	unrolled(n, 4, func() {
		x, t := s.vectors(2), s.vector()
		VMOVUPD(Mem{Base: b}, x[0])
		VMOVUPD(Mem{Base: b, Index: ps, Scale: 1}, x[1])
		for i := range rows {
			VBROADCASTSD(Mem{Base: a, Disp: 8 * i}, t)
			VFMADD231PD(x[0], t, acc[i])
		}
		for i := range rows {
			VBROADCASTSD(Mem{Base: a, Index: ps, Scale: 1, Disp: 8 * i}, t)
			VFMADD231PD(x[0], t, acc[rows+2*i])
			VFMADD231PD(x[1], t, acc[rows+2*i+1])
		}
		ADDQ(Imm(uint64(s.bytes)), a)
		ADDQ(Imm(uint64(s.bytes)), b)
	})
	all(func(v VecVirtual, at Mem) { VMOVUPD(v, at) })
	ret()
}

// weighted writes a kernel for Weighted on some rows of a block of columns; it
// adds to the sums.
func (s isa) weighted(cols int, prev, masked bool) {
	first, extra := "First", ""
	if prev {
		first, extra = "", ", p, delta"
	}
	s.text(fmt.Sprintf("weighted%s%d", first, cols), masked,
		"num, den, e, omega, u"+extra+" *float64, ld, m int",
		fmt.Sprintf("does Weighted on a block of %d vectors.", cols))
	e, omega, u := Load(Param("e"), GP64()), Load(Param("omega"), GP64()), Load(Param("u"), GP64())
	ld, m := stride("ld"), Load(Param("m"), GP64())
	masks := s.masks(cols, masked)
	num, den := s.vectors(cols), s.vectors(cols)
	pn, pd := Load(Param("num"), GP64()), Load(Param("den"), GP64())
	for j := range cols {
		s.load(s.at(pn, j), masks[j], num[j])
		s.load(s.at(pd, j), masks[j], den[j])
	}
	var p Register
	var delta []VecVirtual
	if prev {
		p = Load(Param("p"), GP64())
		d := Load(Param("delta"), GP64())
		delta = s.vectors(cols)
		for j := range cols {
			s.load(s.at(d, j), masks[j], delta[j])
		}
	}
	Label("loop")
	a, q := s.vector(), s.vector()
	VBROADCASTSD(Mem{Base: u}, a)
	if prev {
		VBROADCASTSD(Mem{Base: p}, q)
	}
	for j := range cols {
		x, t := s.vector(), s.vector()
		if masks[j] != nil {
			s.load(s.at(omega, j), masks[j], t)
			VMULPD(t, a, t)
		} else {
			VMULPD(s.at(omega, j), a, t)
		}
		s.load(s.at(e, j), masks[j], x)
		if prev {
			VFNMADD231PD(delta[j], q, x)
			s.store(x, masks[j], s.at(e, j))
		}
		VFMADD231PD(x, t, num[j])
		VFMADD231PD(a, t, den[j])
	}
	ADDQ(Imm(8), u)
	if prev {
		ADDQ(Imm(8), p)
	}
	ADDQ(ld, e)
	ADDQ(ld, omega)
	end("loop", m)
	for j := range cols {
		s.store(num[j], masks[j], s.at(pn, j))
		s.store(den[j], masks[j], s.at(pd, j))
	}
	ret()
}

// pair writes a kernel for WeightedPair on some rows of a block of columns; it
// adds to the five sums, which lie ls apart. The rows of u and of p lie lu apart,
// those of delta ls.
func (s isa) pair(cols int, prev, masked bool) {
	first, extra := "First", ""
	if prev {
		first, extra = "", ", p, delta"
	}
	s.text(fmt.Sprintf("pair%s%d", first, cols), masked,
		"sums, e, omega, u"+extra+" *float64, ld, m, lu, ls int",
		fmt.Sprintf("does WeightedPair on a block of %d vectors.", cols))
	e, omega, u := Load(Param("e"), GP64()), Load(Param("omega"), GP64()), Load(Param("u"), GP64())
	ld, m, lu, ls := stride("ld"), Load(Param("m"), GP64()), stride("lu"), stride("ls")
	masks := s.masks(cols, masked)
	var sums [5][]VecVirtual // num₀, num₁, den₀, den₁, cross
	row := GP64()
	Load(Param("sums"), row)
	for i := range sums {
		sums[i] = s.vectors(cols)
		for j := range cols {
			s.load(s.at(row, j), masks[j], sums[i][j])
		}
		if i < len(sums)-1 {
			ADDQ(ls, row)
		}
	}
	var p, d Register
	delta := [2][]VecVirtual{s.vectors(cols), s.vectors(cols)}
	// With 16 registers, the changes of two vectors stay in memory.
	inMemory := s.bytes == 32 && cols > 1
	if prev {
		p, d = Load(Param("p"), GP64()), Load(Param("delta"), GP64())
		if !inMemory {
			for i := range delta {
				for j := range cols {
					s.load(s.at(d, j), masks[j], delta[i][j])
				}
				ADDQ(ls, d)
			}
		}
	}
	Label("loop")
	x := s.vectors(cols)
	for j := range cols {
		s.load(s.at(e, j), masks[j], x[j])
	}
	if prev {
		for i, at := range []Mem{{Base: p}, {Base: p, Index: lu, Scale: 1}} {
			q := s.vector()
			VBROADCASTSD(at, q)
			for j := range cols {
				switch {
				case !inMemory:
					VFNMADD231PD(delta[i][j], q, x[j])
				case i == 0:
					VFNMADD231PD(s.at(d, j), q, x[j])
				default:
					VFNMADD231PD(Mem{Base: d, Index: ls, Scale: 1, Disp: j * s.bytes}, q, x[j])
				}
			}
		}
		for j := range cols {
			s.store(x[j], masks[j], s.at(e, j))
		}
	}
	u0, u1 := s.vector(), s.vector()
	VBROADCASTSD(Mem{Base: u}, u0)
	VBROADCASTSD(Mem{Base: u, Index: lu, Scale: 1}, u1)
	for j := range cols {
		t0, t1 := s.vector(), s.vector()
		once := masks[j] != nil || s.bytes == 64 // there are registers
		if once {
			s.load(s.at(omega, j), masks[j], t1)
			VMULPD(t1, u0, t0)
			VMULPD(t1, u1, t1)
		} else {
			VMULPD(s.at(omega, j), u0, t0)
		}
		VFMADD231PD(x[j], t0, sums[0][j])
		VFMADD231PD(u0, t0, sums[2][j])
		VFMADD231PD(u1, t0, sums[4][j])
		if !once {
			VMULPD(s.at(omega, j), u1, t1)
		}
		VFMADD231PD(x[j], t1, sums[1][j])
		VFMADD231PD(u1, t1, sums[3][j])
	}
	ADDQ(Imm(8), u)
	if prev {
		ADDQ(Imm(8), p)
	}
	ADDQ(ld, e)
	ADDQ(ld, omega)
	end("loop", m)
	Load(Param("sums"), row)
	for i := range sums {
		for j := range cols {
			s.store(sums[i][j], masks[j], s.at(row, j))
		}
		if i < len(sums)-1 {
			ADDQ(ls, row)
		}
	}
	ret()
}

// subOuter writes a kernel for SubOuter on all the rows of a block of columns.
func (s isa) subOuter(cols int, masked bool) {
	s.text(fmt.Sprintf("subOuter%d", cols), masked, "e, p, delta *float64, ld, m int",
		fmt.Sprintf("does SubOuter on a block of %d vectors.", cols))
	e, p, d := Load(Param("e"), GP64()), Load(Param("p"), GP64()), Load(Param("delta"), GP64())
	ld, m := stride("ld"), Load(Param("m"), GP64())
	masks := s.masks(cols, masked)
	delta := s.vectors(cols)
	for j := range cols {
		s.load(s.at(d, j), masks[j], delta[j])
	}
	Label("loop")
	q := s.vector()
	VBROADCASTSD(Mem{Base: p}, q)
	for j := range cols {
		x := s.vector()
		s.load(s.at(e, j), masks[j], x)
		VFNMADD231PD(delta[j], q, x)
		s.store(x, masks[j], s.at(e, j))
	}
	ADDQ(Imm(8), p)
	ADDQ(ld, e)
	end("loop", m)
	ret()
}

// peakChains is the number of multiply-adds that peak keeps in flight: more than
// two a cycle for as many cycles as one takes, on any processor.
const peakChains = 12

// peak writes a loop of independent multiply-adds, to measure how many the
// processor can do.
func (s isa) peak() {
	name := "peak" + s.suffix
	TEXT(name, NOSPLIT, "func(n int)")
	Doc(fmt.Sprintf("%s does %d n multiply-adds of vectors that do not depend on each other.", name, peakChains))
	n, acc := Load(Param("n"), GP64()), s.vectors(peakChains)
	for _, v := range acc {
		s.zero(v)
	}
	Label("loop")
	for _, v := range acc {
		VFMADD231PD(v, v, v)
	}
	end("loop", n)
	ret()
}

// pack writes a kernel that transposes 4 rows of 4n columns: column i goes to
// dst[i·ldd:], times d_i if scaled.
func pack(scaled bool) {
	name, extra := "pack4", ""
	if scaled {
		name, extra = "pack4d", ", d"
	}
	TEXT(name, NOSPLIT, "func(dst, src"+extra+" *float64, lds, ldd, n int)")
	Doc(name + " transposes 4 rows of 4n columns.")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	lds, ldd, n := stride("lds"), stride("ldd"), Load(Param("n"), GP64())
	var d Register
	if scaled {
		d = Load(Param("d"), GP64())
	}
	lds3, ldd3 := GP64(), GP64()
	LEAQ(Mem{Base: lds, Index: lds, Scale: 2}, lds3)
	LEAQ(Mem{Base: ldd, Index: ldd, Scale: 2}, ldd3)
	ldd4 := GP64()
	MOVQ(ldd, ldd4)
	SHLQ(Imm(2), ldd4)
	Label("loop")
	low, high, t := avx2.vectors(4), avx2.vectors(2), avx2.vectors(4)
	// Rows 0 and 2, 1 and 3, each half a register.
	halves := func(to VecVirtual, first, second Mem) {
		VMOVUPD(first, to.AsX())
		VINSERTF128(Imm(1), second, to, to)
	}
	r0, r1 := Mem{Base: src}, Mem{Base: src, Index: lds, Scale: 1}
	r2, r3 := Mem{Base: src, Index: lds, Scale: 2}, Mem{Base: src, Index: lds3, Scale: 1}
	halves(low[0], r0, r2)
	halves(low[1], r1, r3)
	halves(high[0], r0.Offset(16), r2.Offset(16))
	halves(high[1], r1.Offset(16), r3.Offset(16))
	VUNPCKLPD(low[1], low[0], t[0])
	VUNPCKHPD(low[1], low[0], t[1])
	VUNPCKLPD(high[1], high[0], t[2])
	VUNPCKHPD(high[1], high[0], t[3])
	for i, to := range []Mem{
		{Base: dst},
		{Base: dst, Index: ldd, Scale: 1},
		{Base: dst, Index: ldd, Scale: 2},
		{Base: dst, Index: ldd3, Scale: 1},
	} {
		if scaled {
			w := YMM()
			VBROADCASTSD(Mem{Base: d, Disp: 8 * i}, w)
			VMULPD(w, t[i], t[i])
		}
		VMOVUPD(t[i], to)
	}
	ADDQ(Imm(32), src)
	if scaled {
		ADDQ(Imm(32), d)
	}
	ADDQ(ldd4, dst)
	end("loop", n)
	ret()
}

// negate writes a kernel that copies groups of four values, with the other sign.
func negate() {
	TEXT("negate", NOSPLIT, "func(dst, src *float64, lds, ldd, n int)")
	Doc("negate writes the negatives of n groups of 4 values, lds apart, ldd apart.")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	lds, ldd, n := stride("lds"), stride("ldd"), Load(Param("n"), GP64())
	sign, v := YMM(), YMM()
	VPCMPEQD(sign, sign, sign)
	VPSLLQ(Imm(63), sign, sign)
	Label("loop")
	VXORPD(Mem{Base: src}, sign, v)
	VMOVUPD(v, Mem{Base: dst})
	ADDQ(lds, src)
	ADDQ(ldd, dst)
	end("loop", n)
	ret()
}

// ahead is how many rows before their turn copyRows asks for the lines of a row:
// the rows of a large matrix are too far apart for the processor to foresee them.
const ahead = 16

// copyRows writes a kernel that copies m rows of n vectors and a part of one, lds
// apart, to where they lie ldd apart; mask is nil where there is no part.
func copyRows() {
	TEXT("copyRows", NOSPLIT, "func(dst, src *float64, lds, ldd, m, n int, mask *int64)")
	Doc("copyRows copies m rows of n vectors and a part of one.")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	lds, ldd := stride("lds"), stride("ldd")
	m, n, p := Load(Param("m"), GP64()), Load(Param("n"), GP64()), Load(Param("mask"), GP64())
	mask, v := YMM(), YMM()
	VXORPD(mask, mask, mask)
	TESTQ(p, p)
	JZ(LabelRef("row"))
	VMOVUPD(Mem{Base: p}, mask)
	Label("row")
	from, to, next, count := GP64(), GP64(), GP64(), GP64()
	MOVQ(src, from)
	MOVQ(dst, to)
	IMUL3Q(Imm(ahead), lds, next)
	ADDQ(src, next)
	MOVQ(n, count)
	TESTQ(count, count)
	JZ(LabelRef("part"))
	Label("vector")
	PREFETCHT0(Mem{Base: next})
	VMOVUPD(Mem{Base: from}, v)
	VMOVUPD(v, Mem{Base: to})
	ADDQ(Imm(32), from)
	ADDQ(Imm(32), to)
	ADDQ(Imm(32), next)
	end("vector", count)
	Label("part")
	TESTQ(p, p)
	JZ(LabelRef("done"))
	PREFETCHT0(Mem{Base: next})
	VMASKMOVPD(Mem{Base: from}, mask, v)
	VMASKMOVPD(v, mask, Mem{Base: to})
	Label("done")
	ADDQ(lds, src)
	ADDQ(ldd, dst)
	end("row", m)
	ret()
}

// cpuid writes a function for the instruction of that name.
func cpuid() {
	TEXT("cpuid", NOSPLIT, "func(leaf uint32) (a, b, c, d uint32)")
	Doc("cpuid asks the processor what it is.")
	Load(Param("leaf"), EAX)
	XORL(ECX, ECX)
	CPUID()
	for i, r := range []Register{EAX, EBX, ECX, EDX} {
		Store(r, ReturnIndex(i))
	}
	RET()
}
