// Command tiles writes the loops that copy rows of a matrix to columns of a tile,
// tiles_amd64.s, and their Go declarations, tiles_amd64.go. They move data only,
// so AVX2 is enough on any machine.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const vec = 32 // bytes in a vector of four

func main() {
	ConstraintExpr("amd64")
	for _, blocks := range []int{2, 1} {
		transpose(blocks)
	}
	Generate()
}

// stride is a parameter that counts float64 values, turned into bytes.
func stride(name string) Register {
	s := Load(Param(name), GP64())
	SHLQ(Imm(3), s)
	return s
}

func ret() {
	VZEROUPPER()
	RET()
}

// transpose writes a loop that turns rows of src into columns of dst, n groups of
// four values each.
func transpose(blocks int) {
	name := fmt.Sprintf("transpose%d", 4*blocks)
	TEXT(name, NOSPLIT, "func(dst, src *float64, ldd, lds, n int)")
	Doc(fmt.Sprintf("%s turns %d rows of 4n values into columns.", name, 4*blocks))
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	ldd, lds, n := stride("ldd"), stride("lds"), Load(Param("n"), GP64())
	ldd3, lds3 := GP64(), GP64()
	LEAQ(Mem{Base: ldd, Index: ldd, Scale: 2}, ldd3)
	LEAQ(Mem{Base: lds, Index: lds, Scale: 2}, lds3)
	at := func(base Register, ld, ld3 Register, i int) Mem {
		switch i {
		case 1:
			return Mem{Base: base, Index: ld, Scale: 1}
		case 2:
			return Mem{Base: base, Index: ld, Scale: 2}
		case 3:
			return Mem{Base: base, Index: ld3, Scale: 1}
		}
		return Mem{Base: base}
	}
	sources := []Register{src}
	if blocks == 2 {
		below := GP64()
		LEAQ(Mem{Base: src, Index: lds, Scale: 4}, below)
		sources = append(sources, below)
	}
	Label("loop")
	for b, from := range sources {
		var x [4]VecVirtual
		for i := range x {
			x[i] = YMM()
			VMOVUPD(at(from, lds, lds3, i), x[i])
		}
		low0, high0, low1, high1 := YMM(), YMM(), YMM(), YMM()
		VUNPCKLPD(x[1], x[0], low0)  // 00 10 02 12
		VUNPCKHPD(x[1], x[0], high0) // 01 11 03 13
		VUNPCKLPD(x[3], x[2], low1)
		VUNPCKHPD(x[3], x[2], high1)
		VPERM2F128(Imm(0x20), low1, low0, x[0])
		VPERM2F128(Imm(0x20), high1, high0, x[1])
		VPERM2F128(Imm(0x31), low1, low0, x[2])
		VPERM2F128(Imm(0x31), high1, high0, x[3])
		for i := range x {
			to := at(dst, ldd, ldd3, i)
			to.Disp = b * vec
			VMOVUPD(x[i], to)
		}
		ADDQ(Imm(vec), from)
	}
	LEAQ(Mem{Base: dst, Index: ldd, Scale: 4}, dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	ret()
}
