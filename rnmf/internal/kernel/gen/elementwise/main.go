// Command elementwise writes the kernels that go over the entries of a tile one
// by one, elementwise_amd64.s, and their Go declarations. The same source gives
// AVX2 and AVX-512: the two differ in the number of lanes and in how an
// incomplete vector and a comparison are written down, which the methods of isa
// hide. Every lane does the same operations in both, so the results are equal
// to the last bit.
package main

import (
	"fmt"
	"iter"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// An isa is a set of instructions.
type isa struct {
	name  string
	lanes int // in a vector
}

var avx2, avx512 = isa{"AVX2", 4}, isa{"AVX512", 8}

// A rule writes the weight of a loss and, if wanted, its value; see weigh.
type rule func(l *loop, value bool) func(e, s VecVirtual) (omega, rho VecVirtual)

var losses = []struct {
	name string
	rule rule
}{{"square", square}, {"l1", l1}, {"huber", huber}, {"hypersurface", hypersurface}, {"cauchy", cauchy}, {"correntropy", correntropy}}

func main() {
	ConstraintExpr("amd64")
	tables()
	for _, v := range []isa{avx2, avx512} {
		for _, value := range []bool{false, true} {
			for _, l := range losses {
				v.weigh(l.name, value, l.rule)
			}
		}
		for _, sum := range []bool{false, true} {
			for _, l := range losses {
				v.split(l.name, sum, l.rule)
			}
			for _, l := range losses {
				v.splitPanels(l.name, sum, l.rule, nil)
			}
		}
		if !v.wide() { // AVX-512 has twice the registers and half the vectors in a panel
			v.splitPanels("l1", false, nil, leanL1)
			v.splitPanels("hypersurface", false, nil, leanHypersurface)
		}
		v.each("mul", "does Mul.", "x, y *float64, n int", []string{"x", "y"}, mul)
		v.each("apart", "does what Product.Apart has left.", "e, x, y *float64, n int", []string{"e", "x", "y"}, apart)
		v.each("shift", "does Shift.", "x, e, omega *float64, n int, bound float64", []string{"x", "e", "omega"}, shift)
		v.each("ratio", "does Ratio.", "v, num, den *float64, n int", []string{"v", "num", "den"}, ratio)
		v.each("step", "does Step.", "v, delta, num, den *float64, n int", []string{"v", "delta", "num", "den"}, step)
		v.poisson()
		v.sum("sum", false, false)
		v.sum("sumMasked", true, false)
		v.sum("sumSquares", false, true)
		v.sum("sumSquaresMasked", true, true)
		for _, masked := range []bool{false, true} {
			for _, cols := range []int{4, 2, 1} {
				v.squares(cols, masked, false)
			}
			v.squares(1, masked, true)
		}
		for _, rows := range []int{4, 1} {
			for _, f := range []form{plain, weighted, diagonal} {
				v.descend(rows, 3, f, false)
				v.descend(rows, 1, f, false)
				v.descend(rows, 1, f, true)
			}
		}
	}
	Generate()
}

// Registers, constants and memory.

func (v isa) wide() bool { return v.lanes == 8 }

func (v isa) reg() VecVirtual {
	if v.wide() {
		return ZMM()
	}
	return YMM()
}

var lanesTable, bitsTable Mem

// tables writes what the masks of an incomplete vector are read from.
func tables() {
	lanesTable = GLOBL("lanes", RODATA|NOPTR)
	for i := range 16 {
		if i < 8 {
			DATA(8*i, I64(-1))
		} else {
			DATA(8*i, I64(0))
		}
	}
	bitsTable = GLOBL("bits", RODATA|NOPTR)
	for i := range 8 {
		DATA(2*i, U16(1<<i-1))
	}
}

// first is the mask of the lanes i with i + skip < n, n < v.lanes + skip ≤ 8.
func (v isa) first(n Register, skip int) Op {
	p := GP64()
	if v.wide() {
		LEAQ(bitsTable, p)
		mask := K()
		KMOVW(Mem{Base: p, Index: n, Scale: 2}, mask)
		return mask
	}
	LEAQ(lanesTable, p)
	mask, back := YMM(), GP64()
	MOVQ(n, back)
	NEGQ(back)
	VMOVUPD(Mem{Base: p, Index: back, Scale: 8, Disp: 8 * (8 + skip)}, mask)
	return mask
}

func (v isa) load(m Mem, tail Op) VecVirtual {
	defer turn()
	x := v.reg()
	switch {
	case tail == nil:
		VMOVUPD(m, x)
	case v.wide():
		VMOVUPD_Z(m, tail, x)
	default:
		VMASKMOVPD(m, tail, x)
	}
	return x
}

func (v isa) store(x VecVirtual, m Mem, tail Op) {
	defer turn()
	switch {
	case tail == nil:
		VMOVUPD(x, m)
	case v.wide():
		VMOVUPD(x, tail, m)
	default:
		VMASKMOVPD(x, tail, m)
	}
}

// param is a parameter of the function in all lanes.
func (v isa) param(name string) VecVirtual {
	x := v.reg()
	VBROADCASTSD(v.address(name), x)
	return x
}

// bits is a constant in memory, in four lanes; AVX-512 broadcasts the first.
func bits(u uint64) Mem {
	if m, ok := constants[u]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("c%016x", u), RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(u))
	}
	constants[u] = m
	return m
}

var constants = map[uint64]Mem{}

func num(x float64) Mem { return bits(math.Float64bits(x)) }

// hold is a constant in a register.
func (v isa) hold(m Mem) VecVirtual {
	defer turn()
	x := v.reg()
	VBROADCASTSD(m, x)
	return x
}

// sideBySide calls f for 0..n-1, and has them write one operation each by turns. What is
// done with a vector is a long chain; of several chains one after the other the processor
// does not see enough to keep its units at work.
func sideBySide(n int, f func(i int)) {
	defer func(outer func()) { turn = outer }(turn)
	turns, next := make([]func(), n), make([]func() (struct{}, bool), n)
	for i := range n {
		next[i], _ = iter.Pull(func(yield func(struct{}) bool) {
			turns[i] = func() { yield(struct{}{}) }
			turn = turns[i]
			f(i)
		})
	}
	for left := n; left > 0; {
		for i := range next {
			if next[i] == nil {
				continue
			}
			turn = turns[i]
			if _, more := next[i](); !more {
				next[i] = nil
				left--
			}
		}
	}
}

// turn is called after each operation of losses.
var turn = func() {}

// Arithmetic. The operand that may be a constant in memory is an Op.

func (v isa) binary(f, bcst func(ops ...Op), b Op, a VecVirtual) VecVirtual {
	defer turn()
	x := v.reg()
	if _, memory := b.(Mem); memory && v.wide() {
		f = bcst
	}
	f(b, a, x)
	return x
}

func (v isa) add(a VecVirtual, b Op) VecVirtual { return v.binary(VADDPD, VADDPD_BCST, b, a) }
func (v isa) sub(a VecVirtual, b Op) VecVirtual { return v.binary(VSUBPD, VSUBPD_BCST, b, a) }
func (v isa) mul(a VecVirtual, b Op) VecVirtual { return v.binary(VMULPD, VMULPD_BCST, b, a) }
func (v isa) div(a VecVirtual, b Op) VecVirtual { return v.binary(VDIVPD, VDIVPD_BCST, b, a) }

// min and max return b where one of the two is not a number, or both are zeros.
func (v isa) min(a VecVirtual, b Op) VecVirtual { return v.binary(VMINPD, VMINPD_BCST, b, a) }
func (v isa) max(a VecVirtual, b Op) VecVirtual { return v.binary(VMAXPD, VMAXPD_BCST, b, a) }

func (v isa) addInt(a VecVirtual, b Op) VecVirtual { return v.binary(VPADDQ, VPADDQ_BCST, b, a) }
func (v isa) subInt(a VecVirtual, b Op) VecVirtual { return v.binary(VPSUBQ, VPSUBQ_BCST, b, a) }

// abs returns |a|.
func (v isa) abs(a VecVirtual) VecVirtual {
	if v.wide() {
		return v.binary(VPANDQ, VPANDQ_BCST, bits(1<<63-1), a)
	}
	return v.binary(VANDPD, nil, bits(1<<63-1), a)
}

func (v isa) shiftRight(a VecVirtual, n int) VecVirtual {
	defer turn()
	x := v.reg()
	VPSRLQ(Imm(uint64(n)), a, x)
	return x
}

func (v isa) shiftLeft(a VecVirtual, n int) VecVirtual {
	x := v.reg()
	VPSLLQ(Imm(uint64(n)), a, x)
	return x
}

// zero writes all lanes: a part alone would leave the register in use before.
func (v isa) zero() VecVirtual {
	x := v.reg()
	if v.wide() {
		VPXORQ(x, x, x)
	} else {
		VXORPD(x, x, x)
	}
	return x
}

func (v isa) copy(a VecVirtual) VecVirtual {
	defer turn()
	x := v.reg()
	VMOVAPD(a, x)
	return x
}

// addMul does acc ← acc + ab, subMul acc ← acc − ab, each with one rounding.
func (v isa) addMul(acc, a VecVirtual, b Op) {
	defer turn()
	if _, memory := b.(Mem); memory && v.wide() {
		VFMADD231PD_BCST(b, a, acc)
	} else {
		VFMADD231PD(b, a, acc)
	}
}

func (v isa) subMul(acc, a VecVirtual, b Op) {
	defer turn()
	if _, memory := b.(Mem); memory && v.wide() {
		VFNMADD231PD_BCST(b, a, acc)
	} else {
		VFNMADD231PD(b, a, acc)
	}
}

// poly returns c[0] + c[1]x + …
func (v isa) poly(x VecVirtual, c ...float64) VecVirtual {
	p := v.hold(num(c[len(c)-1]))
	for i := len(c) - 2; i >= 0; i-- {
		if v.wide() {
			VFMADD213PD_BCST(num(c[i]), x, p)
		} else {
			VFMADD213PD(num(c[i]), x, p)
		}
		turn()
	}
	return p
}

// poly2 does so too, as the sum of the even and the odd part: they are computed
// at the same time.
func (v isa) poly2(x, square VecVirtual, c ...float64) VecVirtual {
	var part [2][]float64
	for i, a := range c {
		part[i%2] = append(part[i%2], a)
	}
	p := v.poly(square, part[0]...)
	v.addMul(p, x, v.poly(square, part[1]...))
	return p
}

// Comparisons give a mask, false for what is not a number unless they say not.
const (
	less       = 0x11
	greater    = 0x1e
	notGreater = 0x1a
)

func (v isa) compare(a VecVirtual, relation uint64, b Op) Op {
	var mask Op = YMM()
	if v.wide() {
		mask = K()
	}
	VCMPPD(Imm(relation), b, a, mask)
	return mask
}

func (v isa) and(a, b Op) Op {
	if v.wide() {
		mask := K()
		KANDW(a, b, mask)
		return mask
	}
	mask := YMM()
	VANDPD(a, b, mask)
	return mask
}

// only returns a where the mask is true, and 0 elsewhere.
func (v isa) only(mask Op, a VecVirtual) VecVirtual {
	x := v.reg()
	if v.wide() {
		VMOVAPD_Z(a, mask, x)
	} else {
		VANDPD(mask, a, x)
	}
	return x
}

// negateWhere returns −a, of a ≥ 0, where the mask is true, and a elsewhere.
func (v isa) negateWhere(mask Op, a VecVirtual) VecVirtual {
	if v.wide() {
		VPORQ_BCST(bits(1<<63), a, mask, a)
		return a
	}
	sign := v.reg()
	VANDPD(bits(1<<63), mask, sign)
	VORPD(sign, a, a)
	return a
}

// choose returns a where the mask is true, and b elsewhere.
func (v isa) choose(mask Op, a, b VecVirtual) VecVirtual {
	x := v.reg()
	if v.wide() {
		VBLENDMPD(a, b, mask, x)
	} else {
		VBLENDVPD(mask, a, b, x)
	}
	return x
}

// A loop goes over the entries of slices of equal length.
type loop struct {
	isa
	slices map[string]Register
	at     Register // the entry, in bytes
	tail   Op       // of an incomplete vector
}

func (l *loop) in(name string) VecVirtual {
	return l.load(Mem{Base: l.slices[name], Index: l.at, Scale: 1}, l.tail)
}

func (l *loop) out(name string, x VecVirtual) {
	l.store(x, Mem{Base: l.slices[name], Index: l.at, Scale: 1}, l.tail)
}

// each writes a function that goes over slices. The body writes what comes
// before the loop and returns what writes the loop.
func (v isa) each(name, doc, params string, slices []string, body func(l *loop) func()) {
	TEXT(name+v.name, NOSPLIT, "func("+params+")")
	Doc(name + v.name + " " + doc)
	Pragma("noescape")
	l := &loop{isa: v, slices: map[string]Register{}, at: GP64()}
	for _, s := range slices {
		l.slices[s] = Load(Param(s), GP64())
	}
	n, whole := Load(Param("n"), GP64()), GP64()
	step := body(l)
	XORQ(l.at, l.at)
	MOVQ(n, whole)
	SHRQ(Imm(uint64(math.Log2(float64(v.lanes)))), whole)
	JZ(LabelRef("rest"))
	Label("loop")
	step()
	ADDQ(Imm(uint64(8*v.lanes)), l.at)
	DECQ(whole)
	JNZ(LabelRef("loop"))
	Label("rest")
	ANDQ(Imm(uint64(v.lanes-1)), n)
	JZ(LabelRef("done"))
	l.tail = v.first(n, 0)
	step()
	Label("done")
	VZEROUPPER()
	RET()
}

// weigh writes the function of a loss. The loss is given s = e², cut off, and
// returns the weight and, if wanted, the value.
func (v isa) weigh(name string, value bool, loss rule) {
	slices, doc := []string{"omega", "e"}, "writes weights."
	if value {
		slices, name, doc = append(slices, "value"), name+"Value", "writes weights and values."
	}
	v.each(name, doc, "omega, value, e *float64, n int, a, b, limit, cut2 float64", slices, func(l *loop) func() {
		limit, cut := l.param("limit"), l.param("cut2")
		rho := loss(l, value)
		return func() {
			e := l.in("e")
			s := l.mul(e, e)
			keep := l.compare(s, notGreater, cut)
			omega, y := rho(e, l.min(limit, s))
			if value {
				l.out("value", y)
			}
			l.out("omega", l.only(keep, omega))
		}
	})
}

// split writes the function that weighs data x, whose model is −y, and the model,
// without storing the weights. If wanted, it adds the values to eight sums as sum does.
func (v isa) split(name string, sum bool, loss rule) {
	name, doc := name+"Split", "does split."
	if sum {
		name, doc = name+"Sum", "does split and adds up the values in eight sums."
	}
	v.each(name, doc, "x, y, sums *float64, n int, a, b, limit, cut2 float64", []string{"x", "y"}, func(l *loop) func() {
		limit, cut := l.param("limit"), l.param("cut2")
		var sums Register
		if sum {
			sums = Load(Param("sums"), GP64())
		}
		rho := loss(l, sum)
		return func() {
			e := l.add(l.in("x"), l.in("y"))
			s := l.mul(e, e)
			keep := l.compare(s, notGreater, cut)
			omega, value := rho(e, l.min(limit, s))
			if sum {
				at := Mem{Base: sums}
				if !v.wide() { // two vectors, in turns
					half := GP64()
					MOVQ(l.at, half)
					ANDQ(Imm(32), half)
					at = Mem{Base: sums, Index: half, Scale: 1}
				}
				l.store(l.add(l.load(at, l.tail), value), at, l.tail)
			}
			omega = l.only(keep, omega)
			l.out("x", l.mul(l.in("x"), omega))
			model := v.zero()
			l.subMul(model, l.in("y"), omega)
			l.out("y", model)
		}
	})
}

// ahead is how many rows before their turn splitPanels asks for the lines of X:
// the rows of a large matrix are too far apart for the processor to foresee them. It
// takes so many panels at a time.
const ahead, panels = 32, 4

// splitPanels writes the function that computes a model, then weighs it and the
// data by their difference, for 8 columns, on one panel of rows after the other, with
// the factor U as Product lays it out. The rows of from, which is X, lie stride apart,
// those of x, y and v ld.
// To copy X beforehand takes as long as a quarter of all that; here its lines arrive
// while others are worked on.
//
// A lean loss, which is not cut off and has no sum, is weighed four vectors at a time. That
// takes all 16 registers of AVX2, so its constants lie in memory.
func (v isa) splitPanels(name string, sum bool, loss rule, lean leanRule) {
	name += "Panels"
	switch {
	case lean != nil:
		name += "Four"
	case sum:
		name += "Sum"
	}
	TEXT(name+v.name, NOSPLIT, "func(x, y, from, u, v, sums *float64, ld, stride, r, panels int, a, b, limit, cut2 float64)")
	Doc(name + v.name + " does Split on panels of 8 columns.")
	Pragma("noescape")
	panel, cols := v.lanes, 8/v.lanes
	x, y, from := Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("from"), GP64())
	u, ld, stride := Load(Param("u"), GP64()), Load(Param("ld"), GP64()), Load(Param("stride"), GP64())
	SHLQ(Imm(3), ld)
	SHLQ(Imm(3), stride)
	nextY, far := GP64(), GP64() // of the next panel, and to ask for
	MOVQ(y, nextY)
	IMUL3Q(Imm(ahead), stride, far)
	ADDQ(from, far)
	at := func(p Register, j int) Mem { return Mem{Base: p, Disp: 8 * v.lanes * j} }
	l := &loop{isa: v}
	var weigh func(e VecVirtual) VecVirtual
	if lean != nil {
		weigh = lean(l, func(name string) Mem {
			m := AllocLocal(8 * v.lanes)
			v.store(l.param(name), m, nil)
			return m
		})
	}

	// Some panels at a time: the first weights after a product come late.
	Label("group")
	some, n := GP64(), GP64()
	MOVQ(v.address("panels"), some)
	MOVQ(U32(panels), n)
	CMPQ(some, n)
	CMOVQGT(n, some)
	SUBQ(some, v.address("panels"))
	rows := GP64()
	MOVQ(some, rows)
	SHLQ(Imm(uint64(math.Log2(float64(panel)))), rows)
	Label("panel")
	acc := make([]VecVirtual, panel*cols)
	for i := range panel {
		PREFETCHT0(Mem{Base: far})
		for j := range cols {
			acc[i*cols+j] = v.zero()
		}
		ADDQ(stride, far)
	}
	pv := Load(Param("v"), GP64())
	step := func() {
		row := make([]VecVirtual, cols)
		for j := range row {
			row[j] = v.load(at(pv, j), nil)
		}
		for i := range panel {
			minus := v.hold(Mem{Base: u, Disp: 8 * i})
			for j := range row {
				v.subMul(acc[i*cols+j], row[j], minus)
			}
		}
		ADDQ(Imm(uint64(8*panel)), u)
		ADDQ(ld, pv)
	}
	n = GP64()
	MOVQ(v.address("r"), n)
	SUBQ(Imm(4), n)
	JL(LabelRef("few"))
	Label("four")
	for range 4 {
		step()
	}
	SUBQ(Imm(4), n)
	JGE(LabelRef("four"))
	Label("few")
	ADDQ(Imm(4), n)
	JZ(LabelRef("added"))
	Label("one")
	step()
	DECQ(n)
	JNZ(LabelRef("one"))
	Label("added")
	for i := range panel {
		for j := range cols {
			v.store(acc[i*cols+j], at(nextY, j), nil)
		}
		ADDQ(ld, nextY)
	}
	DECQ(some)
	JNZ(LabelRef("panel"))

	if lean != nil {
		SHRQ(Imm(uint64(math.Log2(float64(4/cols)))), rows)
		Label("rows")
		sideBySide(4, func(k int) {
			at := func(p, ld Register) Mem {
				if k < cols {
					return at(p, k)
				}
				return Mem{Base: p, Index: ld, Scale: 1, Disp: 8 * v.lanes * (k - cols)}
			}
			omega := weigh(v.sub(v.load(at(from, stride), nil), at(y, ld)))
			v.store(v.mul(omega, at(from, stride)), at(x, ld), nil)
			v.store(v.mul(omega, at(y, ld)), at(y, ld), nil)
		})
		for range 4 / cols {
			ADDQ(ld, x)
			ADDQ(ld, y)
			ADDQ(stride, from)
		}
		DECQ(rows)
		JNZ(LabelRef("rows"))
		CMPQ(v.address("panels"), Imm(0))
		JNE(LabelRef("group"))
		VZEROUPPER()
		RET()
		return
	}

	// What the loss needs of registers is free only now.
	limit, cut := l.param("limit"), l.param("cut2")
	rho := loss(l, sum)
	var sums Register
	if sum {
		sums = Load(Param("sums"), GP64())
	}
	Label("row")
	for j := range cols {
		e := v.load(at(from, j), nil)
		VSUBPD(at(y, j), e, e)
		s := v.mul(e, e)
		keep := v.compare(s, notGreater, cut)
		omega, value := rho(e, v.min(limit, s))
		if sum {
			v.store(v.add(v.load(at(sums, j), nil), value), at(sums, j), nil)
		}
		omega = v.only(keep, omega)
		v.store(v.mul(v.load(at(from, j), nil), omega), at(x, j), nil)
		v.store(v.mul(v.load(at(y, j), nil), omega), at(y, j), nil)
	}
	ADDQ(ld, x)
	ADDQ(ld, y)
	ADDQ(stride, from)
	DECQ(rows)
	JNZ(LabelRef("row"))
	CMPQ(v.address("panels"), Imm(0))
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// A leanRule writes the weight of a loss without its value, given the difference.
type leanRule func(l *loop, constant func(name string) Mem) func(e VecVirtual) (omega VecVirtual)

func leanL1(l *loop, constant func(string) Mem) func(e VecVirtual) VecVirtual {
	limit, a, floor, root := constant("limit"), constant("a"), constant("b"), l.leanRsqrt()
	return func(e VecVirtual) VecVirtual {
		s := l.min(l.mul(e, e), limit)
		return l.mul(root(l.max(l.add(s, a), floor)), num(0.5))
	}
}

func leanHypersurface(l *loop, constant func(string) Mem) func(e VecVirtual) VecVirtual {
	limit, a, b, root := constant("limit"), constant("a"), constant("b"), l.leanRsqrt()
	return func(e VecVirtual) VecVirtual {
		s := l.min(l.mul(e, e), limit)
		return l.mul(root(l.add(l.mul(s, a), num(1))), b)
	}
}

// leanRsqrt is rsqrt without a register for its constants.
func (l *loop) leanRsqrt() func(x VecVirtual) VecVirtual {
	return l.rsqrtWith(func() VecVirtual { return l.hold(bits(rsqrtMagic)) }, func() VecVirtual { return l.hold(num(1)) })
}

// address is where a parameter of the function lies.
func (v isa) address(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// ρ(s) = s.
func square(l *loop, value bool) func(e, s VecVirtual) (omega, rho VecVirtual) {
	one := l.hold(num(1))
	return func(e, s VecVirtual) (omega, rho VecVirtual) { return one, s }
}

// With a = ε²: y = 1/√(s + a), ω = y/2, ρ = (s + a)y.
func l1(l *loop, value bool) func(e, s VecVirtual) (omega, rho VecVirtual) {
	a, root := l.param("a"), l.rsqrt()
	floor := l.param("b")
	return func(e, s VecVirtual) (omega, rho VecVirtual) {
		s = l.add(s, a)
		y := root(l.max(floor, s))
		if value {
			rho = l.mul(s, y)
		}
		return l.mul(y, num(0.5)), rho
	}
}

// With a = c: ω = c/max(|e|, c), ρ = t(2|e| − t), t = min(|e|, c); |e| ≤ b.
func huber(l *loop, value bool) func(e, s VecVirtual) (omega, rho VecVirtual) {
	c, b := l.param("a"), l.param("b")
	return func(e, s VecVirtual) (omega, rho VecVirtual) {
		e = l.abs(e)
		omega = l.div(c, l.max(c, e))
		if value {
			e = l.min(b, e)
			t := l.min(c, e)
			rho = l.mul(l.sub(l.add(e, e), t), t)
		}
		return omega, rho
	}
}

// With a = 1/σ², b = a/2: y = 1/√(1 + as), ω = by, ρ = as/(1 + (1 + as)y).
func hypersurface(l *loop, value bool) func(e, s VecVirtual) (omega, rho VecVirtual) {
	a, b, one, root := l.param("a"), l.param("b"), l.hold(num(1)), l.rsqrt()
	return func(e, s VecVirtual) (omega, rho VecVirtual) {
		x := l.mul(s, a)
		u := l.add(x, one)
		y := root(u)
		if value {
			d := l.copy(one)
			l.addMul(d, u, y)
			rho = l.div(x, d)
		}
		return l.mul(y, b), rho
	}
}

// With a = γ², b = 1/a: ω = 1/(a + s), ρ = ln(1 + bs).
func cauchy(l *loop, value bool) func(e, s VecVirtual) (omega, rho VecVirtual) {
	a, one := l.param("a"), l.hold(num(1))
	if !value {
		return func(e, s VecVirtual) (omega, rho VecVirtual) { return l.div(one, l.add(s, a)), nil }
	}
	b, log := l.param("b"), l.log1p()
	return func(e, s VecVirtual) (omega, rho VecVirtual) {
		return log(l.mul(s, b), l.add(s, a))
	}
}

// With a = −1/2σ², b = a·log₂e: ω = −a·exp(as), ρ = 1 − exp(as).
func correntropy(l *loop, value bool) func(e, s VecVirtual) (omega, rho VecVirtual) {
	const (
		ln2Hi = 6.93147180369123816490e-01 // its product with n is exact
		ln2Lo = 1.90821492927058770002e-10
	)
	a, b := l.param("a"), l.param("b")
	// Adding shift rounds to an integer, which is then in the last bits.
	shift := l.hold(num(0x1.8p52))
	minus := l.sub(l.hold(num(0)), a)
	one := l.hold(num(1))
	return func(e, s VecVirtual) (omega, rho VecVirtual) {
		// as = n·ln 2 + r, |r| ≤ ln 2 / 2.
		t := l.copy(shift)
		l.addMul(t, s, b)
		n := l.sub(t, shift)
		r := l.mul(s, a)
		l.subMul(r, n, num(ln2Hi))
		l.subMul(r, n, num(ln2Lo))
		// p = exp(r) − 1 = r + r²q(r), minimax to 2⁻⁵³.
		square := l.mul(r, r)
		q := l.poly2(r, square,
			0x1.0000000000001p-1, 0x1.5555555555558p-3, 0x1.5555555553d62p-5, 0x1.111111110f803p-7, 0x1.6c16c1788c0b6p-10,
			0x1.a01a01b00c602p-13, 0x1.a019b90c837fdp-16, 0x1.71ddf6b37121cp-19, 0x1.2891860f119d7p-22, 0x1.af632bae1c31ep-26)
		p := l.copy(r)
		l.addMul(p, square, q)
		scale := l.addInt(l.shiftLeft(t, 52), num(1)) // 2ⁿ
		exp := l.copy(scale)
		l.addMul(exp, scale, p)
		if value {
			rho = l.sub(one, scale)
			l.subMul(rho, scale, p)
		}
		return l.mul(exp, minus), rho
	}
}

// rsqrt returns 1/√x for normal positive x. Shifting the bits of x gives 1/√x
// within 3.5 %; two polynomials in h = 1 − xy² correct it, since
// 1/√x = y/√(1 − h): the first is minimax on the range of h and leaves 2.5e-5,
// the second is the series and leaves rounding. All of it takes half the time of
// a root and a division, and any x.
func (l *loop) rsqrt() func(x VecVirtual) VecVirtual {
	magic, one := l.hold(bits(rsqrtMagic)), l.hold(num(1))
	return l.rsqrtWith(func() VecVirtual { return magic }, func() VecVirtual { return l.copy(one) })
}

const rsqrtMagic = 0x5fe6eb50c7b537a9

// rsqrtWith is rsqrt, given where its constants come from; one is overwritten.
func (l *loop) rsqrtWith(magic, one func() VecVirtual) func(x VecVirtual) VecVirtual {
	return func(x VecVirtual) VecVirtual {
		y := l.subInt(magic(), l.shiftRight(x, 1))
		h := one()
		l.subMul(h, l.mul(x, y), y)
		y = l.mul(y, l.poly(h, 0x1.000003f5df25ep+0, 0x1.008ff05e6d126p-1, 0x1.807f060157de0p-2))
		h = one()
		l.subMul(h, l.mul(x, y), y)
		l.addMul(y, l.mul(y, h), l.poly(h, 1./2, 3./8, 5./16))
		return y
	}
}

// log1p returns 1/d and ln(1 + x), 0 ≤ x < 2¹⁰²². With 2ᵏ the power of two
// nearest to 1 + x, and f = x·2⁻ᵏ + (2⁻ᵏ − 1), in which only the addition
// rounds,
//
//	ln(1 + x) = k·ln 2 + ln(1 + f),   ln(1 + f) = f − (f²/2 − t(f²/2 + R(t²))),
//
// where t = f/(2 + f) and R is minimax for ln((1+t)/(1−t)) = 2t + tR, as in
// Sun's fdlibm. One division gives both 1/d and t.
func (l *loop) log1p() func(x, d VecVirtual) (inverse, log VecVirtual) {
	const (
		ln2Hi = 6.93147180369123816490e-01
		ln2Lo = 1.90821492927058770002e-10
	)
	one, two := l.hold(num(1)), l.hold(bits(2046<<52))
	rounding := bits(math.Float64bits(1) - math.Float64bits(math.Sqrt2/2))
	return func(x, d VecVirtual) (inverse, log VecVirtual) {
		biased := l.shiftRight(l.addInt(l.add(x, one), rounding), 52) // k + 1023
		k := l.sub(l.addInt(biased, num(0x1p52)), num(0x1p52+1023))
		scale := l.subInt(two, l.shiftLeft(biased, 52)) // 2⁻ᵏ
		f := l.sub(scale, one)
		l.addMul(f, scale, x)
		f2 := l.add(f, num(2))
		both := l.div(one, l.mul(f2, d))
		t := l.mul(l.mul(both, d), f)
		z := l.mul(t, t)
		r := l.mul(z, l.poly2(z, l.mul(z, z),
			0x1.5555555555558p-1, 0x1.99999999951bep-2, 0x1.2492492e0f09cp-2, 0x1.c71c62c212eebp-3,
			0x1.7462be2d73569p-3, 0x1.39fd33ecdb9a0p-3, 0x1.2b662bdc2770ep-3))
		half := l.mul(l.mul(f, num(0.5)), f)
		y := l.mul(l.add(r, half), t)
		l.addMul(y, k, num(ln2Lo))
		y = l.sub(f, l.sub(half, y))
		l.addMul(y, k, num(ln2Hi))
		return l.mul(both, f2), y
	}
}

// The element-wise kernels that are no loss.

func mul(l *loop) func() {
	return func() { l.out("x", l.mul(l.in("x"), l.in("y"))) }
}

func apart(l *loop) func() {
	zero := l.zero()
	return func() {
		minus := l.in("y")
		l.out("e", l.add(l.in("x"), minus))
		l.out("y", l.sub(zero, minus))
	}
}

func shift(l *loop) func() {
	bound, one := l.param("bound"), l.hold(num(1))
	return func() {
		s := l.mul(l.sub(one, l.div(l.in("omega"), bound)), l.in("e"))
		l.out("x", l.sub(l.in("x"), s))
	}
}

// maxFactor is that of package kernel.
const maxFactor = 1e120

func ratio(l *loop) func() {
	zero, most := l.hold(num(0)), l.hold(num(maxFactor))
	return func() {
		v, n, d := l.in("v"), l.in("num"), l.in("den")
		d = l.sub(d, l.min(n, zero))
		x := l.mul(l.div(l.max(zero, n), d), v)
		l.out("v", l.choose(l.and(l.compare(x, less, most), l.compare(d, greater, zero)), x, v))
	}
}

func step(l *loop) func() {
	return func() {
		v := l.in("v")
		x := l.descent(v, l.in("num"), l.in("den"))
		l.out("v", x)
		l.out("delta", l.sub(x, v))
	}
}

// descent returns max(0, v + n/d), or v where that is no number below
// maxFactor or d is not positive; but 0 where n < 0 then.
func (v isa) descent(old, n, d VecVirtual) VecVirtual {
	x := v.add(old, v.div(n, d))
	zero := v.hold(num(0))
	good := v.and(v.compare(x, less, v.hold(num(maxFactor))), v.compare(d, greater, zero))
	x = v.choose(good, v.max(x, zero), old)
	return v.choose(v.and(v.compare(n, less, zero), v.compare(d, notGreater, zero)), zero, x)
}

// sum writes a function that adds up x, or the products of x and mask, or the
// squares of x where the mask is positive, in eight partial sums: one for the
// entries 0, 8, 16, …, one for 1, 9, 17, … It counts the masked squares too.
func (v isa) sum(name string, masked, square bool) {
	count := masked && square
	TEXT(name+v.name, NOSPLIT, "func(sums, counts, x, mask *float64, n int)")
	Doc(name + v.name + " adds up in eight sums.")
	Pragma("noescape")
	x, n, whole := Load(Param("x"), GP64()), Load(Param("n"), GP64()), GP64()
	var mask Register
	if masked {
		mask = Load(Param("mask"), GP64())
	}
	zero := v.zero()
	var sums, counts []VecVirtual
	for range 8 / v.lanes {
		sums = append(sums, v.copy(zero))
		if count {
			counts = append(counts, v.copy(zero))
		}
	}
	part := func(i int, tail Op) {
		disp := i * 8 * v.lanes
		y := v.load(Mem{Base: x, Disp: disp}, tail)
		if square {
			y = v.mul(y, y)
		}
		if masked {
			w := v.load(Mem{Base: mask, Disp: disp}, tail)
			if square {
				in := v.compare(w, greater, zero)
				y = v.only(in, y)
				VADDPD(v.only(in, v.hold(num(1))), counts[i], counts[i])
			} else {
				y = v.mul(y, w)
			}
		}
		VADDPD(y, sums[i], sums[i])
	}
	MOVQ(n, whole)
	SHRQ(Imm(3), whole)
	JZ(LabelRef("rest"))
	Label("loop")
	for i := range sums {
		part(i, nil)
	}
	ADDQ(Imm(64), x)
	if masked {
		ADDQ(Imm(64), mask)
	}
	DECQ(whole)
	JNZ(LabelRef("loop"))
	Label("rest")
	ANDQ(Imm(7), n)
	JZ(LabelRef("done"))
	for i := range sums {
		part(i, v.first(n, i*v.lanes))
	}
	Label("done")
	v.leave("sums", sums)
	if count {
		v.leave("counts", counts)
	}
	VZEROUPPER()
	RET()
}

// leave stores vectors where a parameter points to.
func (v isa) leave(name string, x []VecVirtual) {
	p := Load(Param(name), GP64())
	for i, y := range x {
		v.store(y, Mem{Base: p, Disp: i * 8 * v.lanes}, nil)
	}
}

// columns is the end of the name of a function for some vectors of columns, or
// for an incomplete one.
func columns(cols int, part bool) string {
	if part {
		return "m"
	}
	return fmt.Sprint(cols)
}

// partMask is the mask of an incomplete vector of as many columns as the
// parameter cols says, or nil.
func (v isa) partMask(part bool) Op {
	if !part {
		return nil
	}
	return v.first(Load(Param("cols"), GP64()), 0)
}

// squares writes a function that adds up the squares of each column of a block,
// or the products of mask and squares.
func (v isa) squares(cols int, masked, part bool) {
	name := "squares"
	if masked {
		name += "Masked"
	}
	name += columns(cols, part) + v.name
	TEXT(name, NOSPLIT, "func(s, e, mask *float64, ld, m, cols int)")
	Doc(name + " does SquaredNorms on a block of columns.")
	Pragma("noescape")
	e, m := Load(Param("e"), GP64()), Load(Param("m"), GP64())
	ld := Load(Param("ld"), GP64())
	SHLQ(Imm(3), ld)
	tail := v.partMask(part)
	var mask Register
	if masked {
		mask = Load(Param("mask"), GP64())
	}
	s := make([]VecVirtual, cols)
	for j := range s {
		s[j] = v.zero()
	}
	Label("loop")
	for j := range s {
		disp := j * 8 * v.lanes
		x := v.load(Mem{Base: e, Disp: disp}, tail)
		y := x
		if masked {
			y = v.mul(v.load(Mem{Base: mask, Disp: disp}, tail), x)
		}
		VADDPD(v.mul(y, x), s[j], s[j])
	}
	ADDQ(ld, e)
	if masked {
		ADDQ(ld, mask)
	}
	DECQ(m)
	JNZ(LabelRef("loop"))
	p := Load(Param("s"), GP64())
	for j, x := range s {
		v.store(x, Mem{Base: p, Disp: j * 8 * v.lanes}, tail)
	}
	VZEROUPPER()
	RET()
}

// A form is a kind of GramSweep: without weights, with column weights, with a
// diagonal too.
type form int

const (
	plain form = iota
	weighted
	diagonal
)

// descend writes a function for some rows of a block of columns of GramSweep. It
// first gathers the products of all the rows with the V there is, as a product
// of matrices does, then takes one row after the other to its minimum, and
// corrects those that follow for its change.
func (v isa) descend(rows, cols int, f form, part bool) {
	if f != plain && cols == 3 {
		cols = 2 // of the 16 registers
	}
	name := fmt.Sprintf("descend%s%dx%s%s", [...]string{"", "Weighted", "Diagonal"}[f], rows, columns(cols, part), v.name)
	TEXT(name, NOSPLIT, "func(v, vk, n, row, diag, change, inv, w, d *float64, ld, r, cols int)")
	Doc(name + " does GramSweep on a block.")
	Pragma("noescape")
	old, g := Load(Param("v"), GP64()), Load(Param("row"), GP64())
	r, stride := Load(Param("r"), GP64()), GP64()
	ld := Load(Param("ld"), GP64())
	SHLQ(Imm(3), ld)
	MOVQ(r, stride)
	SHLQ(Imm(3), stride)
	var stride3 Register
	if rows > 1 {
		stride3 = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	}
	row := func(base Register, i, disp int) Mem {
		switch i {
		case 1:
			return Mem{Base: base, Index: stride, Scale: 1, Disp: disp}
		case 2:
			return Mem{Base: base, Index: stride, Scale: 2, Disp: disp}
		case 3:
			return Mem{Base: base, Index: stride3, Scale: 1, Disp: disp}
		}
		return Mem{Base: base, Disp: disp}
	}
	tail := v.partMask(part)
	at := func(base Register, j int) Mem { return Mem{Base: base, Disp: j * 8 * v.lanes} }
	n := Load(Param("n"), GP64())
	acc := make([][]VecVirtual, rows)
	next := GP64()
	MOVQ(n, next)
	for i := range acc {
		acc[i] = make([]VecVirtual, cols)
		for j := range acc[i] {
			if f == plain {
				acc[i][j] = v.load(at(next, j), tail)
			} else {
				acc[i][j] = v.reg()
				VXORPD(acc[i][j].AsX(), acc[i][j].AsX(), acc[i][j].AsX())
			}
		}
		if f == plain && i+1 < rows {
			ADDQ(ld, next)
		}
	}
	Label("loop")
	x := make([]VecVirtual, cols)
	for j := range x {
		x[j] = v.load(at(old, j), tail)
	}
	for i := range acc {
		a := v.hold(row(g, i, 0))
		for j := range x {
			v.subMul(acc[i][j], a, x[j])
		}
	}
	ADDQ(Imm(8), g)
	ADDQ(ld, old)
	DECQ(r)
	JNZ(LabelRef("loop"))

	vk, gk := Load(Param("vk"), GP64()), Load(Param("diag"), GP64())
	change := Load(Param("change"), GP64())
	var inv, w, d Register
	switch f {
	case plain:
		inv = Load(Param("inv"), GP64())
	case diagonal:
		d = Load(Param("d"), GP64())
		fallthrough
	default:
		w = Load(Param("w"), GP64())
	}
	for i := range acc {
		delta := acc[i]
		for j := range delta {
			y := v.load(at(vk, j), tail)
			x := acc[i][j]
			if f == plain {
				VFMADD213PD(y, v.hold(Mem{Base: inv, Disp: 8 * i}), x)
				good := v.compare(x, less, v.constant(num(maxFactor)))
				x = v.choose(good, v.max(x, v.constant(num(0))), y)
			} else {
				col := v.load(at(w, j), tail)
				VFMADD213PD(v.load(at(n, j), tail), col, x)
				den := v.mul(col, v.hold(row(gk, i, 8*i)))
				if f == diagonal {
					c := v.load(at(d, j), tail)
					v.subMul(x, c, y)
					den = v.add(den, c)
				}
				x = v.descent(y, x, den)
			}
			v.store(x, at(vk, j), tail)
			delta[j] = v.sub(x, y)
			sum := v.load(at(change, j), tail)
			v.addMul(sum, delta[j], delta[j])
			v.store(sum, at(change, j), tail)
		}
		for k := i + 1; k < rows; k++ {
			a := v.hold(row(gk, k, 8*i))
			for j := range delta {
				v.subMul(acc[k][j], a, delta[j])
			}
		}
		if i+1 < rows {
			ADDQ(ld, vk)
			if f != plain {
				ADDQ(ld, n)
			}
			if f == diagonal {
				ADDQ(ld, d)
			}
		}
	}
	VZEROUPPER()
	RET()
}

// constant is a constant as the operand of an instruction that has no form with
// a broadcast here.
func (v isa) constant(m Mem) Op {
	if v.wide() {
		return v.hold(m)
	}
	return m
}
