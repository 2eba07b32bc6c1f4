package kernel

import (
	"os"
	"testing"
)

// levels runs a test or a benchmark with each set of loops that the machine has.
func levels[T interface{ Run(string, func(T)) bool }](t T, f func(t T)) {
	defer func(used bool) { useAVX2 = used }(useAVX2)
	useAVX2 = false
	t.Run(Level(), f)
	if useAVX2 = haveAVX2; useAVX2 {
		t.Run(Level(), f)
	}
}

// The best loops are used that the machine has, unless the environment forbids it; programs that
// measure read the line of the log.
func TestLevel(t *testing.T) {
	if forbidden := os.Getenv("RNMF_KERNEL") == "portable"; useAVX2 != (haveAVX2 && !forbidden) {
		t.Errorf("AVX2 used: %t, here: %t, forbidden: %t", useAVX2, haveAVX2, forbidden)
	}
	t.Log("in use:", Level())
}
