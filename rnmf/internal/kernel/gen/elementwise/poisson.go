package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The bounds of poisson.go in package kernel.
const (
	leastMean  = 1e-150
	mostRatio  = 1e150
	leastCount = 1e-300
)

// poisson writes the kernels of the Poisson deviance.
func (v isa) poisson() {
	v.each("deviance", "does Deviance.", "e, x, y *float64, n int", []string{"e", "x", "y"}, deviance)
	v.each("score", "does Score without weights.", "score, curve, x, y, omega *float64, n int", []string{"score", "curve", "x", "y"}, score(false))
	v.each("scoreWeighted", "does Score.", "score, curve, x, y, omega *float64, n int", []string{"score", "curve", "x", "y", "omega"}, score(true))
	for _, weighted := range []bool{false, true} {
		v.bends(2, weighted, false)
		v.bends(1, weighted, false)
		v.bends(1, weighted, true)
	}
}

// deviance writes signed roots of deviances. With w = y/x = 2ᵏm, √½ ≤ m < √2, f = m − 1 and the
// R and t of log1p,
//
//	d/2 = x(w − 1 − ln w),   ln m = f − (f²/2 − t(f²/2 + R)).
//
// Where k = 0, w − 1 − ln w is f²/2 − t(f²/2 + R): nothing cancels, and f is (y − x)/x, as w − 1 has
// lost the digits of a small difference. Elsewhere it is not small.
func deviance(l *loop) func() {
	one, half := l.hold(num(1)), l.hold(num(0.5))
	return func() {
		x, y := l.in("x"), l.in("y")
		inverse := l.div(one, l.max(x, num(leastCount)))
		diff := l.sub(y, x)
		w := l.max(l.min(l.mul(y, inverse), num(1/leastCount)), num(leastCount))
		shifted := l.addInt(w, bits(0x3ff<<52-0x3fe6a09e667f3bcd)) // of 1 and of √½
		biased := l.shiftRight(shifted, 52)                        // k + 1023
		k := l.sub(l.addInt(biased, num(0x1p52)), num(0x1p52+1023))
		scale := l.subInt(l.hold(bits(2046<<52)), l.shiftLeft(biased, 52)) // 2⁻ᵏ
		near := l.compare(k, 0, l.zero())                                  // k = 0
		f := l.choose(near, l.mul(diff, inverse), l.sub(l.mul(w, scale), one))
		t := l.div(f, l.add(f, num(2)))
		z := l.mul(t, t)
		r := l.mul(z, l.poly2(z, l.mul(z, z),
			0x1.5555555555558p-1, 0x1.99999999951bep-2, 0x1.2492492e0f09cp-2, 0x1.c71c62c212eebp-3,
			0x1.7462be2d73569p-3, 0x1.39fd33ecdb9a0p-3, 0x1.2b662bdc2770ep-3))
		h := l.mul(l.mul(f, half), f)
		b := l.sub(h, l.mul(l.add(r, h), t)) // f − ln m
		// d/2 = xb where k = 0, else (y − x) − x(k·ln 2 + f − b).
		far := l.sub(f, b)
		l.addMul(far, k, num(0.6931471805599453))
		far = l.sub(diff, l.mul(x, far))
		d := l.max(l.choose(near, l.mul(x, b), far), l.zero())
		root := l.reg()
		VSQRTPD(l.add(d, d), root)
		l.out("e", l.negateWhere(l.compare(x, less, y), root))
	}
}

// score writes ω(q − 1) and ω·min(1, q)/y for q = x/y.
func score(weighted bool) func(l *loop) func() {
	return func(l *loop) func() {
		one := l.hold(num(1))
		return func() {
			inverse := l.div(one, l.max(l.in("y"), num(leastMean)))
			q := l.min(l.mul(l.in("x"), inverse), num(mostRatio))
			s, c := l.sub(q, one), l.mul(l.min(q, one), inverse)
			if weighted {
				omega := l.in("omega")
				s, c = l.mul(s, omega), l.mul(c, omega)
			}
			l.out("score", s)
			l.out("curve", c)
		}
	}
}

// bends writes a function that goes down the rows of some columns for Bends.
func (v isa) bends(cols int, weighted, part bool) {
	name := "bends"
	if weighted {
		name += "Weighted"
	}
	name += columns(cols, part) + v.name
	TEXT(name, NOSPLIT, "func(bend, least, x, y, p, omega *float64, ld, m, cols int)")
	Doc(name + " does Bends on a block of columns.")
	Pragma("noescape")
	x, y, p, m := Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("p"), GP64()), Load(Param("m"), GP64())
	ld := Load(Param("ld"), GP64())
	SHLQ(Imm(3), ld)
	tail := v.partMask(part)
	var omega Register
	if weighted {
		omega = Load(Param("omega"), GP64())
	}
	one := v.hold(num(1))
	bend, least := make([]VecVirtual, cols), make([]VecVirtual, cols)
	for j := range bend {
		bend[j], least[j] = v.zero(), v.zero()
	}
	Label("loop")
	for j := range bend {
		at := func(base Register) Mem { return Mem{Base: base, Disp: j * 8 * v.lanes} }
		a := v.load(at(x), tail)
		if weighted {
			a = v.mul(a, v.load(at(omega), tail))
		}
		z := v.mul(v.load(at(p), tail), v.div(one, v.max(v.load(at(y), tail), num(leastMean))))
		az := v.mul(a, z)
		v.addMul(bend[j], az, z)
		VMINPD(v.only(v.compare(az, less, v.zero()), z), least[j], least[j])
	}
	for _, base := range []Register{x, y, p} {
		ADDQ(ld, base)
	}
	if weighted {
		ADDQ(ld, omega)
	}
	DECQ(m)
	JNZ(LabelRef("loop"))
	for i, sums := range [][]VecVirtual{bend, least} {
		to := Load(Param([]string{"bend", "least"}[i]), GP64())
		for j, s := range sums {
			v.store(s, Mem{Base: to, Disp: j * 8 * v.lanes}, tail)
		}
	}
	VZEROUPPER()
	RET()
}
