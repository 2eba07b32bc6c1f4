// Command gen writes the AVX2 micro-kernels of the package above it,
// kernel_amd64.s, and their Go declarations, kernel_amd64.go. Run it with "go
// generate" in that package. It is a module of its own, so that the generator
// library is no dependency of the library.
//
// A vector register holds four columns. Every kernel handles a block of a whole
// number of vectors; a kernel whose name ends in m handles one vector of which a
// mask tells the columns that exist. All the kernels of a kind do the same
// operations in the same order on a column, so that the result for a column does
// not depend on the block that it falls into.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const vec = 32 // bytes in a vector

func main() {
	ConstraintExpr("amd64")
	for _, sub := range []bool{false, true} {
		for _, cols := range []int{1, 2, 3} {
			gemm(4, cols, sub, false)
		}
		gemm(4, 1, sub, true)
		for _, cols := range []int{1, 2, 4, 6, 8} {
			gemm(1, cols, sub, false)
		}
		gemm(1, 1, sub, true)
	}
	for _, cols := range []int{4, 2, 1} {
		weighted(cols, true, false)
		weighted(cols, false, false)
	}
	weighted(1, true, true)
	weighted(1, false, true)
	for _, cols := range []int{8, 4, 2, 1} {
		subOuter(cols, false)
	}
	subOuter(1, true)
	for _, rows := range []int{4, 1} {
		dot(rows, false)
		dot(rows, true)
	}
	pack()
	Generate()
}

// vectors is a number of vector registers.
func vectors(n int) []VecVirtual {
	v := make([]VecVirtual, n)
	for i := range v {
		v[i] = YMM()
	}
	return v
}

// stride is a parameter that counts float64 values, turned into bytes.
func stride(name string) Register {
	s := Load(Param(name), GP64())
	SHLQ(Imm(3), s)
	return s
}

// tail is the mask of a kernel for an incomplete vector, nil for the others.
func tail(masked bool) VecVirtual {
	if !masked {
		return nil
	}
	p, mask := Load(Param("mask"), GP64()), YMM()
	VMOVUPD(Mem{Base: p}, mask)
	return mask
}

func load(m Mem, mask, v VecVirtual) {
	if mask == nil {
		VMOVUPD(m, v)
	} else {
		VMASKMOVPD(m, mask, v)
	}
}

func store(v, mask VecVirtual, m Mem) {
	if mask == nil {
		VMOVUPD(v, m)
	} else {
		VMASKMOVPD(v, mask, m)
	}
}

// names is the end of a function's name and of its parameters.
func names(masked bool) (suffix, param string) {
	if masked {
		return "m", ", mask *int64"
	}
	return "", ""
}

// begin and end write a loop that runs n times, once at least.
func begin(label string) { Label(label) }

func end(label string, n Register) {
	DECQ(n)
	JNZ(LabelRef(label))
}

func ret() {
	VZEROUPPER()
	RET()
}

// gemm writes a kernel for C ← C ± AB, where C has the given rows and vectors
// and lies in registers: entry (i, l) of A is at a[i*ars+l*acs], row l of B at
// b[l*ldb], row i of C at c[i*ldc], and A has n columns.
func gemm(rows, cols int, sub, masked bool) {
	sign, verb, multiply := "Add", "adds", func(x Op, a, c VecVirtual) { VFMADD231PD(x, a, c) }
	if sub {
		sign, verb, multiply = "Sub", "subtracts", func(x Op, a, c VecVirtual) { VFNMADD231PD(x, a, c) }
	}
	suffix, param := names(masked)
	name := fmt.Sprintf("gemm%s%dx%d%s", sign, rows, cols, suffix)
	TEXT(name, NOSPLIT, "func(c, a, b *float64, ldc, ars, acs, ldb, n int"+param+")")
	Doc(fmt.Sprintf("%s %s a product to a block of %d rows and %d vectors.", name, verb, rows, cols))
	Pragma("noescape")
	c, a, b := Load(Param("c"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	acs, ldb, n := stride("acs"), stride("ldb"), Load(Param("n"), GP64())
	mask := tail(masked)
	var ldc, ars, ars3 Register
	if rows > 1 {
		ldc, ars = stride("ldc"), stride("ars")
		ars3 = GP64()
		LEAQ(Mem{Base: ars, Index: ars, Scale: 2}, ars3)
	}
	at := func(i int) Mem {
		switch i {
		case 1:
			return Mem{Base: a, Index: ars, Scale: 1}
		case 2:
			return Mem{Base: a, Index: ars, Scale: 2}
		case 3:
			return Mem{Base: a, Index: ars3, Scale: 1}
		}
		return Mem{Base: a}
	}
	acc := vectors(rows * cols)
	row := GP64()
	MOVQ(c, row)
	for i := range rows {
		if i > 0 {
			ADDQ(ldc, row)
		}
		for j := range cols {
			load(Mem{Base: row, Disp: j * vec}, mask, acc[i*cols+j])
		}
	}
	begin("loop")
	x, s := vectors(cols), YMM()
	if rows > 1 || masked {
		for j := range cols {
			load(Mem{Base: b, Disp: j * vec}, mask, x[j])
		}
	}
	for i := range rows {
		VBROADCASTSD(at(i), s)
		for j := range cols {
			if rows > 1 || masked {
				multiply(x[j], s, acc[i*cols+j])
			} else {
				multiply(Mem{Base: b, Disp: j * vec}, s, acc[j])
			}
		}
	}
	ADDQ(acs, a)
	ADDQ(ldb, b)
	end("loop", n)
	for i := range rows {
		if i > 0 {
			ADDQ(ldc, c)
		}
		for j := range cols {
			store(acc[i*cols+j], mask, Mem{Base: c, Disp: j * vec})
		}
	}
	ret()
}

// weighted writes a kernel for Weighted on some rows of a block of columns; it
// adds to the sums.
func weighted(cols int, prev, masked bool) {
	suffix, param := names(masked)
	first, extra := "First", ""
	if prev {
		first, extra = "", ", p, delta"
	}
	name := fmt.Sprintf("weighted%s%d%s", first, cols, suffix)
	TEXT(name, NOSPLIT, "func(num, den, e, omega, u"+extra+" *float64, ld, m int"+param+")")
	Doc(fmt.Sprintf("%s does Weighted on a block of %d vectors.", name, cols))
	Pragma("noescape")
	e, omega, u := Load(Param("e"), GP64()), Load(Param("omega"), GP64()), Load(Param("u"), GP64())
	ld, m := stride("ld"), Load(Param("m"), GP64())
	mask := tail(masked)
	num, den := vectors(cols), vectors(cols)
	pn, pd := Load(Param("num"), GP64()), Load(Param("den"), GP64())
	for j := range cols {
		load(Mem{Base: pn, Disp: j * vec}, mask, num[j])
		load(Mem{Base: pd, Disp: j * vec}, mask, den[j])
	}
	var p Register
	var delta []VecVirtual
	if prev {
		p = Load(Param("p"), GP64())
		d := Load(Param("delta"), GP64())
		delta = vectors(cols)
		for j := range cols {
			load(Mem{Base: d, Disp: j * vec}, mask, delta[j])
		}
	}
	begin("loop")
	a, q := YMM(), YMM()
	VBROADCASTSD(Mem{Base: u}, a)
	if prev {
		VBROADCASTSD(Mem{Base: p}, q)
	}
	for j := range cols {
		x, t := YMM(), YMM()
		if masked {
			load(Mem{Base: omega, Disp: j * vec}, mask, t)
			VMULPD(t, a, t)
		} else {
			VMULPD(Mem{Base: omega, Disp: j * vec}, a, t)
		}
		load(Mem{Base: e, Disp: j * vec}, mask, x)
		if prev {
			VFNMADD231PD(delta[j], q, x)
			store(x, mask, Mem{Base: e, Disp: j * vec})
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
		store(num[j], mask, Mem{Base: pn, Disp: j * vec})
		store(den[j], mask, Mem{Base: pd, Disp: j * vec})
	}
	ret()
}

// subOuter writes a kernel for SubOuter on all the rows of a block of columns.
func subOuter(cols int, masked bool) {
	suffix, param := names(masked)
	name := fmt.Sprintf("subOuter%d%s", cols, suffix)
	TEXT(name, NOSPLIT, "func(e, p, delta *float64, ld, m int"+param+")")
	Doc(fmt.Sprintf("%s does SubOuter on a block of %d vectors.", name, cols))
	Pragma("noescape")
	e, p, d := Load(Param("e"), GP64()), Load(Param("p"), GP64()), Load(Param("delta"), GP64())
	ld, m := stride("ld"), Load(Param("m"), GP64())
	mask := tail(masked)
	delta := vectors(cols)
	for j := range cols {
		load(Mem{Base: d, Disp: j * vec}, mask, delta[j])
	}
	begin("loop")
	q := YMM()
	VBROADCASTSD(Mem{Base: p}, q)
	for j := range cols {
		x := YMM()
		load(Mem{Base: e, Disp: j * vec}, mask, x)
		VFNMADD231PD(delta[j], q, x)
		store(x, mask, Mem{Base: e, Disp: j * vec})
	}
	ADDQ(Imm(8), p)
	ADDQ(ld, e)
	end("loop", m)
	ret()
}

// dot writes a kernel for the inner products of some rows of a matrix with two,
// each as four partial sums.
func dot(rows int, weighted bool) {
	name, extra := fmt.Sprintf("dot%dx2", rows), ""
	if weighted {
		name, extra = name+"w", "d, "
	}
	TEXT(name, NOSPLIT, "func(sums, x, "+extra+"y *float64, ldx, ldy, n int, mask *int64)")
	Doc(fmt.Sprintf("%s multiplies %d rows with 2: n whole vectors and a part of one.", name, rows))
	Pragma("noescape")
	x, y := Load(Param("x"), GP64()), Load(Param("y"), GP64())
	ldy, n := stride("ldy"), Load(Param("n"), GP64())
	var d, ldx, ldx3 Register
	if rows > 1 {
		ldx, ldx3 = stride("ldx"), GP64()
		LEAQ(Mem{Base: ldx, Index: ldx, Scale: 2}, ldx3)
	}
	if weighted {
		d = Load(Param("d"), GP64())
	}
	at := func(i int) Mem {
		switch i {
		case 1:
			return Mem{Base: x, Index: ldx, Scale: 1}
		case 2:
			return Mem{Base: x, Index: ldx, Scale: 2}
		case 3:
			return Mem{Base: x, Index: ldx3, Scale: 1}
		}
		return Mem{Base: x}
	}
	acc := vectors(rows * 2)
	for _, v := range acc {
		VXORPD(v, v, v)
	}
	step := func(mask VecVirtual) {
		y0, y1, w, v := YMM(), YMM(), YMM(), YMM()
		load(Mem{Base: y}, mask, y0)
		load(Mem{Base: y, Index: ldy, Scale: 1}, mask, y1)
		if weighted {
			load(Mem{Base: d}, mask, w)
		}
		for i := range rows {
			load(at(i), mask, v)
			if weighted {
				VMULPD(w, v, v)
			}
			VFMADD231PD(y0, v, acc[2*i])
			VFMADD231PD(y1, v, acc[2*i+1])
		}
	}
	TESTQ(n, n)
	JZ(LabelRef("rest"))
	begin("loop")
	step(nil)
	ADDQ(Imm(vec), x)
	ADDQ(Imm(vec), y)
	if weighted {
		ADDQ(Imm(vec), d)
	}
	end("loop", n)
	Label("rest")
	p := Load(Param("mask"), GP64())
	TESTQ(p, p)
	JZ(LabelRef("done"))
	mask := YMM()
	VMOVUPD(Mem{Base: p}, mask)
	step(mask)
	Label("done")
	sums := Load(Param("sums"), GP64())
	for i, v := range acc {
		VMOVUPD(v, Mem{Base: sums, Disp: i * vec})
	}
	ret()
}

// pack writes a kernel that copies 16 neighbouring columns of a matrix.
func pack() {
	TEXT("pack16", NOSPLIT, "func(dst, src *float64, ld, n int)")
	Doc("pack16 copies 16 columns of n rows, ld apart, to where they lie without gaps.")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	ld, n := stride("ld"), Load(Param("n"), GP64())
	begin("loop")
	for j := range 4 {
		v := YMM()
		VMOVUPD(Mem{Base: src, Disp: j * vec}, v)
		VMOVUPD(v, Mem{Base: dst, Disp: j * vec})
	}
	ADDQ(ld, src)
	ADDQ(Imm(4*vec), dst)
	end("loop", n)
	ret()
}
