package datasets

import "gonum.org/v1/gonum/mat"

// Swimmer returns a set in the manner of Donoho and Stodden (When does non-negative
// matrix factorization give a correct decomposition into parts? NIPS 2003): stick figures
// with a torso and four limbs, each in one of four positions. Pixels are 0 or 1; the
// drawing is our own.
//
// The set has 1024 pixels (32×32) × 256 samples, and x = w·h, where w is 1024×17 with the
// torso in column 0 and position p of limb l in column 1+4·l+p, and h is 17×256. No pixel
// belongs to two parts. As the torso is in every image, a factorisation can also divide
// it among the limbs.
func Swimmer() (s *Set, w, h *mat.Dense) {
	const (
		side   = 32
		length = 6 // of a limb
	)
	w, h = mat.NewDense(side*side, 17, nil), mat.NewDense(17, 256, nil)
	draw := func(r, c, part int) { w.Set(r*side+c, part, 1) }
	for r := 11; r <= 20; r++ {
		draw(r, 15, 0)
		draw(r, 16, 0)
	}
	limbs := [4]struct{ r, c, up, out int }{{11, 14, -1, -1}, {11, 17, -1, 1}, {20, 14, 1, -1}, {20, 17, 1, 1}}
	for l, limb := range limbs {
		steps := [4][2]int{{limb.up, 0}, {limb.up, limb.out}, {0, limb.out}, {-limb.up, limb.out}}
		for p, step := range steps {
			for k := 1; k <= length; k++ {
				draw(limb.r+k*step[0], limb.c+k*step[1], 1+4*l+p)
			}
		}
	}
	for j := range 256 {
		h.Set(0, j, 1)
		for l := range limbs {
			h.Set(1+4*l+j>>(2*l)&3, j, 1)
		}
	}
	s = &Set{
		Name:   "Swimmer",
		X:      mat.NewDense(side*side, 256, nil),
		Height: side,
		Width:  side,
		Max:    1,
		Credit: "after Donoho, Stodden: When does non-negative matrix factorization give a correct decomposition into parts? (NIPS 2003)",
	}
	s.X.Mul(w, h)
	return s, w, h
}
