package kernel

import "os"

// useAVX2 tells whether the loops in assembly do the work, not those in Go. RNMF_KERNEL=portable
// in the environment forbids it; what the machine lacks is not used whatever that says.
var useAVX2 = haveAVX2 && os.Getenv("RNMF_KERNEL") != "portable"

// Level returns the name of the set of loops in use.
func Level() string {
	if useAVX2 {
		return "avx2"
	}
	return "portable"
}
