package kernel

import "golang.org/x/sys/cpu"

// Whether the processor has the instructions and the operating system keeps the
// registers: cpu reads both from CPUID and XCR0. AVX-512 is taken for what all
// processors since Skylake-SP have of it, the level x86-64-v4 (F, BW, CD, DQ, VL).
var (
	haveAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	haveAVX512 = haveAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW &&
		cpu.X86.HasAVX512CD && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
)
