package kernel

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A caller draws the arguments of a function and keeps what it wrote.
type caller struct {
	rng     *rand.Rand
	kind    int // of the numbers
	m, r, b int
	out     []float64
}

// The kinds of numbers: of one size, of any size, and with infinities and NaN.
const (
	ofOneSize = iota
	ofAnySize
	ofAnyKind
	kinds
)

func (c *caller) numbers(n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = c.rng.Float64() - 0.3
		draw := c.rng.IntN(16)
		if c.kind >= ofAnySize {
			s[i] *= [...]float64{1, 1, 1, 1, 1e-320, 1e-308, 1e-160, 1e-30, 1e20, 1e75, 1e120, 1e149}[c.rng.IntN(12)]
		}
		switch {
		case draw == 0:
			s[i] = 0
		case draw == 1:
			s[i] = math.Copysign(0, -1)
		case draw == 2 && c.kind == ofAnyKind:
			s[i] = math.Inf(1 - 2*c.rng.IntN(2))
		case draw == 3 && c.kind == ofAnyKind:
			s[i] = math.NaN()
		case draw == 4 && c.kind == ofAnyKind:
			s[i] = math.MaxFloat64
		}
	}
	return s
}

func (c *caller) positive(n int) []float64 { return positive(c.numbers(n)) }

func (c *caller) note(s ...[]float64) {
	for _, s := range s {
		c.out = append(c.out, s...)
	}
}

// rhos calls f for every loss with some parameters.
func (c *caller) rhos(f func(r Rho, b int)) {
	for i, l := range lossTable {
		for _, cut2 := range []float64{math.Inf(1), 0.3} {
			f(l.of([]float64{1e-8, 0.04, 0.7, 65025}[c.rng.IntN(4)], cut2), []int{c.b, 8, 24}[(i+c.m)%3])
		}
	}
}

// backward is a Share.
func backward(n int, f func(i int)) {
	for i := n - 1; i >= 0; i-- {
		f(i)
	}
}

// sameTable calls every function of the package that computes, and says what a hash of
// all the bits is that it writes.
var sameTable = map[string]struct {
	f    func(c *caller)
	hash uint64
}{
	"Mul": {func(c *caller) {
		x := c.numbers(c.m)
		Mul(x, c.numbers(c.m))
		c.note(x)
	}, 0x84faf7086aeb2133},
	"Shift": {func(c *caller) {
		x := c.numbers(c.m)
		Shift(x, c.numbers(c.m), c.numbers(c.m), 3)
		c.note(x)
	}, 0x9552f115a6b209a9},
	"Ratio": {func(c *caller) {
		x := c.positive(c.m)
		Ratio(x, c.numbers(c.m), c.numbers(c.m))
		c.note(x)
	}, 0xc6ec0df9ef786a26},
	"Step": {func(c *caller) {
		x, delta := c.positive(c.m), make([]float64, c.m)
		Step(x, delta, c.numbers(c.m), c.numbers(c.m))
		c.note(x, delta)
	}, 0x675c46c5f2400ce7},
	"Deviance": {func(c *caller) {
		e := make([]float64, c.m)
		Deviance(e, c.positive(c.m), c.positive(c.m))
		c.note(e)
	}, 0x392ca7d9bb412c86},
	"Score": {func(c *caller) {
		x, y := c.positive(c.m), c.positive(c.m)
		for _, omega := range [][]float64{nil, c.positive(c.m)} {
			score, curve := make([]float64, c.m), make([]float64, c.m)
			Score(score, curve, x, y, omega)
			c.note(score, curve)
		}
	}, 0xd7f338d9fe3e77f1},
	"Bends": {func(c *caller) {
		n := c.m * c.b
		x, y, p := c.positive(n), c.positive(n), c.numbers(n)
		for _, omega := range [][]float64{nil, c.positive(n)} {
			bend, least := make([]float64, c.b), make([]float64, c.b)
			Bends(bend, least, x, y, p, omega, c.m, c.b)
			c.note(bend, least)
		}
	}, 0x9cc11e5f664de515},
	"Sum": {func(c *caller) {
		x := c.numbers(c.m)
		c.note([]float64{Sum(x, nil), Sum(x, c.numbers(c.m))})
	}, 0x729afe91ec250fc4},
	"SumSquares": {func(c *caller) {
		x := c.numbers(c.m)
		for _, mask := range [][]float64{nil, c.numbers(c.m)} {
			s, n := SumSquares(x, mask)
			c.note([]float64{s, float64(n)})
		}
	}, 0xf16d7d15a1596b1b},
	"SquaredNorms": {func(c *caller) {
		e := c.numbers(c.m * c.b)
		for _, mask := range [][]float64{nil, c.numbers(c.m * c.b)} {
			s := make([]float64, c.b)
			SquaredNorms(s, e, mask, c.m, c.b)
			c.note(s)
		}
	}, 0x3ecb9c6144673b75},
	"Inverses": {func(c *caller) {
		inv := make([]float64, c.r)
		Inverses(inv, c.numbers(c.r*c.r), c.r)
		c.note(inv)
	}, 0x2a14c009cd4d5acd},
	"GramSweep": {func(c *caller) {
		v, change := c.positive(c.r*c.b), make([]float64, c.b)
		sum := GramSweep(change, v, c.numbers(c.r*c.b), c.numbers(c.r*c.r), c.positive(c.r), c.r, c.b)
		c.note(v, change, []float64{sum})
	}, 0x1789bbb5807d930f},
	"GramSweepWeighted": {func(c *caller) {
		for _, d := range [][]float64{nil, c.positive(c.r * c.b)} {
			v, change := c.positive(c.r*c.b), make([]float64, c.b)
			sum := GramSweepWeighted(change, v, c.numbers(c.r*c.b), c.positive(c.r*c.r), c.positive(c.b), d, c.r, c.b)
			c.note(v, change, []float64{sum})
		}
	}, 0x7046cc8ead35240f},
	"Weighted": {func(c *caller) {
		e, omega, u, num, den := c.numbers(c.m*c.b), c.numbers(c.m*c.b), c.numbers(c.m), make([]float64, c.b), make([]float64, c.b)
		for _, p := range [][]float64{nil, c.numbers(c.m)} {
			Weighted(num, den, e, omega, u, p, c.numbers(c.b), c.m, c.b)
			c.note(num, den, e)
		}
	}, 0x645988163af6a857},
	"WeightedPair": {func(c *caller) {
		e, omega, u, sums := c.numbers(c.m*c.b), c.numbers(c.m*c.b), c.numbers(2*c.m), make([]float64, 5*c.b)
		for _, p := range [][]float64{nil, c.numbers(2 * c.m)} {
			WeightedPair(sums, e, omega, u, p, c.numbers(2*c.b), c.m, c.b)
			c.note(sums, e)
		}
	}, 0xeec67645067c5cd8},
	"SubOuter": {func(c *caller) {
		e := c.numbers(c.m * c.b)
		SubOuter(e, c.numbers(c.m), c.numbers(c.b), c.m, c.b)
		c.note(e)
	}, 0xac48be0eff634593},
	"SubProduct": {func(c *caller) {
		e := c.numbers(c.m * c.b)
		subtract(e, c.numbers(c.r*c.m), c.numbers(c.r*c.b), c.m, c.r, c.b)
		c.note(e)
	}, 0xeb2bf51f673cf9c2},
	"AddCross": {func(c *caller) {
		n := c.numbers(c.r * c.b)
		AddCross(n, c.numbers(c.r*c.m), c.numbers(c.m*c.b), c.m, c.r, c.b)
		c.note(n)
	}, 0xe17c1426b2ece286},
	"Gram": {func(c *caller) {
		for _, d := range [][]float64{nil, c.numbers(c.m)} {
			g := make([]float64, c.r*c.r)
			Gram(g, c.numbers(c.r*c.m), d, c.m, c.r)
			c.note(g)
		}
	}, 0x2edc11b4856e6970},
	"Load": {func(c *caller) {
		for _, trans := range []bool{false, true} {
			tile := make([]float64, c.m*c.b)
			Load(tile, c.numbers((c.m+5)*(c.b+5)), map[bool]int{false: c.b + 3, true: c.m + 4}[trans], trans, 2, c.m, c.b)
			c.note(tile)
		}
	}, 0xacb140881cf03677},
	"Product.Set": {func(c *caller) {
		var p Product
		p.Set(c.numbers(c.m*c.r), c.m, c.r)
		e := c.numbers(c.m * c.b)
		p.Sub(e, c.numbers(c.r*c.b), c.b)
		c.note(e)
	}, 0x89a84000c352dc8},
	"Product.SetShared": {func(c *caller) {
		var p Product
		p.SetShared(c.numbers(c.m*c.r), c.m, c.r, backward)
		e := c.numbers(c.m * c.b)
		p.Sub(e, c.numbers(c.r*c.b), c.b)
		c.note(e)
	}, 0x89a84000c352dc8},
	"Product.Sub": {func(c *caller) {
		var p Product
		p.Set(c.numbers(c.m*c.r), c.m, c.r)
		for _, b := range []int{c.b, 3, 16} {
			e := c.numbers(c.m * b)
			p.Sub(e, c.numbers(c.r*b), b)
			c.note(e)
		}
	}, 0x3112a32ced3d7999},
	"Product.Residual": {func(c *caller) {
		var p Product
		p.Set(c.numbers(c.m*c.r), c.m, c.r)
		e := make([]float64, c.m*c.b)
		p.Residual(e, c.numbers(c.m*c.b), c.numbers(c.r*c.b), c.b)
		c.note(e)
	}, 0x89a84000c352dc8},
	"Product.Apart": {func(c *caller) {
		var p Product
		p.Set(c.numbers(c.m*c.r), c.m, c.r)
		e, y := make([]float64, c.m*c.b), make([]float64, c.m*c.b)
		p.Apart(e, y, c.numbers(c.m*c.b), c.numbers(c.r*c.b), c.b)
		c.note(e, y)
	}, 0x69e436ac0772161e},
	"Cross.Set": {func(c *caller) {
		for _, d := range [][]float64{nil, c.numbers(c.m)} {
			var x Cross
			x.Set(c.numbers(c.m*c.r), d, c.m, c.r)
			n := c.numbers(c.r * c.b)
			x.Add(n, c.numbers(c.m*c.b), c.b)
			c.note(n)
		}
	}, 0x2e54b2f413a29f00},
	"Cross.SetShared": {func(c *caller) {
		var x Cross
		x.SetShared(c.numbers(c.m*c.r), c.numbers(c.m), c.m, c.r, backward)
		n := c.numbers(c.r * c.b)
		x.Add(n, c.numbers(c.m*c.b), c.b)
		c.note(n)
	}, 0x5e10d3a855f57b15},
	"Cross.Add": {func(c *caller) {
		var x Cross
		x.Set(c.numbers(c.m*c.r), nil, c.m, c.r)
		for _, b := range []int{c.b, 3, 16} {
			n := c.numbers(c.r * b)
			x.Add(n, c.numbers(c.m*b), b)
			c.note(n)
		}
	}, 0x3f8ac63c51f76b17},
	"Cross.Of": {func(c *caller) {
		var x Cross
		x.Set(c.numbers(c.m*c.r), nil, c.m, c.r)
		for _, trans := range []bool{false, true} {
			n := make([]float64, c.r*c.b)
			x.Of(n, c.numbers((c.m+5)*(c.b+5)), map[bool]int{false: c.b + 3, true: c.m + 4}[trans], trans, 2, c.b)
			c.note(n)
		}
	}, 0xbc2b5d06c5138c17},
	"GramOf": {func(c *caller) {
		var x, y Cross
		u, g := c.numbers(c.m*c.r), make([]float64, c.r*c.r)
		x.Set(u, nil, c.m, c.r)
		y.Set(u, c.numbers(c.m), c.m, c.r)
		GramOf(g, &x, &y)
		c.note(g)
	}, 0x81d9594bf3ae48e4},
	"GramShared": {func(c *caller) {
		var x Cross
		g := make([]float64, c.r*c.r)
		x.Set(c.numbers(c.m*c.r), nil, c.m, c.r)
		GramShared(g, &x, &x, backward)
		c.note(g)
	}, 0xee9427fd04d75783},
	"Rho.Weigh": {func(c *caller) {
		c.rhos(func(r Rho, b int) {
			e, omega, value := c.numbers(c.m), make([]float64, c.m), make([]float64, c.m)
			r.Weigh(omega, nil, e)
			c.note(omega)
			r.Weigh(omega, value, e)
			c.note(omega, value)
		})
	}, 0x6c9f4f180ae09708},
	"Rho.Split": {func(c *caller) {
		c.kind = min(c.kind, ofAnySize) // the weight of what is no number is not promised
		c.rhos(func(r Rho, b int) {
			var p Product
			p.Set(c.positive(c.m*c.r), c.m, c.r)
			v, y := c.positive(c.r*b), make([]float64, c.m*b)
			for _, sum := range []bool{false, true} {
				x := c.numbers(c.m * b)
				s := r.Split(&p, x, y, nil, 0, 0, v, b, sum)
				c.note(x, y, []float64{s})
				s = r.Split(&p, x, y, c.numbers(c.m*(b+3)), b+3, 2, v, b, sum)
				c.note(x, y, []float64{s})
			}
		})
	}, 0xf58b7b330b9b2cfb},
}

// bits calls a function with many random shapes and numbers.
func bits(f func(c *caller)) []uint64 {
	var all []uint64
	for i := range 100 {
		rng := rand.New(rand.NewPCG(20, uint64(i)))
		c := &caller{rng: rng, kind: i % kinds, m: rng.IntN(45), r: rng.IntN(30), b: rng.IntN(60)}
		if i == 99 { // more than the assembly handles at a time
			c.m, c.r, c.b = 617, 23, 29
		}
		f(c)
		for _, x := range c.out {
			if math.IsNaN(x) {
				x = math.NaN()
			}
			all = append(all, math.Float64bits(x))
		}
	}
	return all
}

// Every function gives the same bits at every level, and on every platform: those of the
// hash.
func TestSameBits(t *testing.T) {
	if len(lossTable) != int(losses) {
		t.Errorf("%d losses of %d", len(lossTable), losses)
	}
	for name, c := range sameTable {
		if testing.Short() && name == "Rho.Split" {
			t.Log("-short: without Rho.Split, which takes as long as all others")
			continue
		}
		var first []uint64
		levels(t, func(t *testing.T) {
			got := bits(c.f)
			if first == nil {
				first = got
				hash := fnv.New64a()
				binary.Write(hash, binary.LittleEndian, got)
				if s := hash.Sum64(); s != c.hash {
					t.Errorf("%s: the hash of %d numbers is %#x, want %#x", name, len(got), s, c.hash)
				}
			}
			if len(got) != len(first) || len(got) == 0 {
				t.Fatalf("%s: %d numbers, want %d", name, len(got), len(first))
			}
			for i, x := range got {
				if x != first[i] {
					t.Fatalf("%s: number %d is %x, in Go %x", name, i, x, first[i])
				}
			}
		})
	}
}

// On other processors the compiler makes one instruction of a product and a sum, where
// no conversion forbids it. It can say where: nowhere in this package.
func TestNothingFused(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for another processor")
	}
	fused := func(what string) string {
		cmd := exec.Command("go", "build", "-gcflags=-d=fmahash=vy", what)
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Skipf("%v: %v\n%s", cmd, err, out)
		}
		return string(out)
	}
	plain := filepath.Join(t.TempDir(), "plain.go")
	if err := os.WriteFile(plain, []byte("package plain\n\nfunc F(a, b, c float64) float64 { return a*b + c }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(fused(plain), "triggered") {
		t.Skip("the compiler does not say what it fuses")
	}
	if out := fused("."); strings.Contains(out, "triggered") {
		t.Error(out)
	}
}
