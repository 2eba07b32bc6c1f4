package datasets

import "fmt"

// FlipLabels gives a share of the labels, exactly round(share·len(labels)), a
// wrong class, drawn uniformly among the others. It returns the new labels and
// which of them are wrong now; labels stay as they are. The same seed flips the
// same labels.
//
// Labels are 0..classes-1. A share outside 0..1, a label that is no class, or
// nothing to flip to is an ErrParameter.
func FlipLabels(labels []int, classes int, share float64, seed uint64) (flipped []int, changed []bool, err error) {
	if err := inUnit(share); err != nil {
		return nil, nil, err
	}
	for j, l := range labels {
		if l < 0 || l >= classes {
			return nil, nil, fmt.Errorf("%w: label %d of sample %d is none of %d classes", ErrParameter, l, j, classes)
		}
	}
	flipped = append(make([]int, 0, len(labels)), labels...)
	changed = make([]bool, len(labels))
	rnd := generator(seed, streamLabels)
	for _, j := range choose(rnd, len(labels), share) {
		if classes < 2 {
			return nil, nil, fmt.Errorf("%w: no other class to flip to", ErrParameter)
		}
		flipped[j] = (labels[j] + 1 + rnd.IntN(classes-1)) % classes
		changed[j] = true
	}
	return flipped, changed, nil
}
