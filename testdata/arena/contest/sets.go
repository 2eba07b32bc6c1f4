package contest

import (
	"context"
	"errors"

	"github.com/robustnmf/robustnmf/datasets"
)

// Sets returns the sets of the stored contest, in 0..1: samples of the embedded ones,
// 50 of each class, then ORL, Yale and a quarter of COIL-20 where they are at hand.
func Sets(ctx context.Context) ([]*datasets.Set, error) {
	var sets []*datasets.Set
	for _, from := range []struct {
		name     string
		set      *datasets.Set
		source   *datasets.Source
		perClass int // 0: all
	}{
		{name: "Digits", set: datasets.Digits(), perClass: 50},
		{name: "Fashion-MNIST", set: datasets.Fashion(), perClass: 50},
		{name: "ORL", source: datasets.ORL},
		{name: "Yale", source: datasets.Yale},
		{name: "COIL-20", source: datasets.COIL20, perClass: 18},
	} {
		s := from.set
		if s == nil {
			var err error
			if s, err = from.source.Load(ctx); errors.Is(err, datasets.ErrNotFound) {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		s = s.Scaled()
		if from.perClass > 0 {
			var err error
			if s, err = s.Sample(from.perClass, 1); err != nil {
				return nil, err
			}
		}
		s.Name = from.name
		sets = append(sets, s)
	}
	return sets, nil
}
