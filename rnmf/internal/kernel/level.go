package kernel

import "os"

// The sets of loops, each of which a processor that has the next one has too:
// portable < avx2 < avx512. A function uses the best that it has been written
// for, so useAVX512 implies useAVX2.
var useAVX2, useAVX512 = level(os.Getenv("RNMF_KERNEL"))

// level tells which sets of loops do the work. A name allows nothing above it, and what the
// machine lacks is not used whatever the name. Any other value takes the best, which is AVX2
// where AVX-512 does 512 bits in two halves.
func level(name string) (avx2, avx512 bool) {
	switch name {
	case "portable":
		return false, false
	case "avx2":
		return haveAVX2, false
	case "avx512":
		return haveAVX2, haveAVX512
	}
	return haveAVX2, haveAVX512 && !halves
}

// Level returns the name of the best set of loops in use.
func Level() string {
	switch {
	case useAVX512:
		return "avx512"
	case useAVX2:
		return "avx2"
	}
	return "portable"
}
