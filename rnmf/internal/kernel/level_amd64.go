package kernel

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/cpu"
)

// Whether the processor has the instructions and the operating system keeps the
// registers: cpu reads both from CPUID and XCR0. AVX-512 is taken for what all
// processors since Skylake-SP have of it, the level x86-64-v4 (F, BW, CD, DQ, VL).
var (
	haveAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	haveAVX512 = haveAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW &&
		cpu.X86.HasAVX512CD && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
)

// halves tells whether the processor has AVX-512 and does its operations in two halves, as
// Zen 4 does, AMD's family 25: see the comment of the package.
var halves = haveAVX512 && family() == "AuthenticAMD 25"

// family returns the maker of the processor and its family.
func family() string {
	_, b, c, d := cpuid(0)
	var maker []byte
	for _, part := range []uint32{b, d, c} {
		maker = binary.LittleEndian.AppendUint32(maker, part)
	}
	a, _, _, _ := cpuid(1)
	f := a >> 8 & 0xf
	if f == 0xf {
		f += a >> 20 & 0xff
	}
	return fmt.Sprintf("%s %d", maker, f)
}
