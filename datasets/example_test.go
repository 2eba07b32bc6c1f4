package datasets_test

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
)

func ExampleDigits() {
	fmt.Println(datasets.Digits())
	// Output:
	// Digits: 64 pixels (images 8×8) × 1797 samples, 10 classes, values 0 to 16
}

// A white block hides a part of each image; the mask says which.
func ExampleBlock() {
	s := datasets.Fashion()
	block := datasets.Block{Size: 7, Value: 550, Height: s.Height, Width: s.Width}
	y, mask, err := block.Apply(s.X, 1)
	if err != nil {
		panic(err)
	}
	m, n := y.Dims()
	fmt.Printf("%.4f of the pixels are hidden\n", mat.Sum(mask)/float64(m*n))
	// Output:
	// 0.0625 of the pixels are hidden
}

// A set from the user's folder, or downloaded the first time.
func ExamplePublicSet() {
	ctx := context.Background()
	s, err := datasets.ORL.Load(ctx)
	if errors.Is(err, datasets.ErrNotFound) {
		err = datasets.ORL.Download(ctx, func(done, total int64) {
			fmt.Printf("%d of %d bytes\n", done, total)
		})
		if err == nil {
			s, err = datasets.ORL.Load(ctx)
		}
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s)
}
