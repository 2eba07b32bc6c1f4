package viz_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// The columns of W as images.
func ExampleGallery() {
	s := datasets.Digits().Scaled()
	r, err := rnmf.NMF(10).Fit(context.Background(), s.X)
	if err != nil {
		fmt.Println(err)
		return
	}
	gallery, err := viz.Gallery(r.W, viz.GalleryOptions{Height: s.Height, Width: s.Width, Title: "Parts"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	fmt.Println(viz.WritePNG(&file, gallery), file.Len() > 0)
	// Output: <nil> true
}
