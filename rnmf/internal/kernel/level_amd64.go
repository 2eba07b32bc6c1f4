package kernel

import "golang.org/x/sys/cpu"

// haveAVX2 tells whether the processor has the instructions and the operating system keeps the
// registers: cpu reads both from CPUID and XCR0.
var haveAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA
