package neighbor_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/neighbor"
)

// Four samples of two features, in two pairs.
func ExampleKNN() {
	x := mat.NewDense(2, 4, []float64{
		0, 0, 9, 9,
		1, 2, 5, 6,
	})
	graph, err := neighbor.KNN{K: 1}.Graph(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(graph))
	// Output:
	// ⎡0  1  0  0⎤
	// ⎢1  0  0  0⎥
	// ⎢0  0  0  1⎥
	// ⎣0  0  1  0⎦
}
