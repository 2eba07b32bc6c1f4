package kernel

import "testing"

// levels runs a test or a benchmark with each set of loops that the machine has.
func levels[T interface{ Run(string, func(T)) bool }](t T, f func(t T)) {
	defer func(a, b bool) { useAVX2, useAVX512 = a, b }(useAVX2, useAVX512)
	for _, name := range []string{"portable", "avx2", "avx512"} {
		if useAVX2, useAVX512 = level(name); Level() == name {
			t.Run(name, f)
		}
	}
}

func TestLevel(t *testing.T) {
	for _, name := range []string{"", "AVX2", "best"} {
		if a, b := level(name); a != haveAVX2 || b != (haveAVX512 && !halves) {
			t.Errorf("%q: AVX2 %v, AVX-512 %v", name, a, b)
		}
	}
	if a, b := level("avx512"); a != haveAVX2 || b != haveAVX512 {
		t.Errorf("avx512: AVX2 %v, AVX-512 %v", a, b)
	}
	if a, b := level("avx2"); a != haveAVX2 || b {
		t.Errorf("avx2: AVX2 %v, AVX-512 %v", a, b)
	}
	if a, b := level("portable"); a || b {
		t.Errorf("portable: AVX2 %v, AVX-512 %v", a, b)
	}
	t.Log("in use:", Level())
}
