package datasets_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing/fstest"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
)

// A table of text: a line is a sample, its columns are the features.
func ExampleReadCSV() {
	table := "length,width,kind\n5.1,3.5,setosa\n6.2,2.9,virginica\n4.9,3.0,setosa\n"
	s, err := datasets.ReadCSV(context.Background(), strings.NewReader(table), datasets.CSVLayout{Label: "kind"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(s.X))
	fmt.Println(s.Labels, s.Classes)
	// Output:
	// ⎡5.1  6.2  4.9⎤
	// ⎣3.5  2.9    3⎦
	// [0 1 0] [setosa virginica]
}

// A folder of images: os.DirFS("faces"), or any other file system. The name of the
// folder of an image is its class.
func ExampleReadImages() {
	gray := image.NewGray(image.Rect(0, 0, 8, 8))
	gray.SetGray(0, 0, color.Gray{Y: 255})
	var file bytes.Buffer
	if err := png.Encode(&file, gray); err != nil {
		fmt.Println(err)
		return
	}
	faces := fstest.MapFS{
		"ann/1.png": {Data: file.Bytes()},
		"ann/2.png": {Data: file.Bytes()},
		"bob/1.png": {Data: file.Bytes()},
	}
	s, err := datasets.ReadImages(context.Background(), faces, datasets.ImageLayout{Height: 4, Width: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := s.X.Dims()
	fmt.Println(rows, "pixels,", cols, "images of", s.Classes, s.Labels)
	// Output: 16 pixels, 3 images of [ann bob] [0 0 1]
}

// Factors for MATLAB, Octave or SciPy, and data from there.
func ExampleWriteMAT() {
	w := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	var file bytes.Buffer // or an *os.File
	if err := datasets.WriteMAT(&file, datasets.MATVar{Name: "W", M: w}); err != nil {
		fmt.Println(err)
		return
	}
	back, err := datasets.ReadMAT(context.Background(), &file)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := back.Var("W")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Class, v.Dims)
	// Output: double [2 2]
}

// Every corruption comes with the truth: the entries that it has hit.
func ExampleSaltPepper() {
	s := datasets.Digits()
	dirty, where, err := datasets.SaltPepper{Share: 0.1, High: s.Max}.Apply(s.X, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := dirty.Dims()
	fmt.Println(mat.Sum(where)/float64(cols), "of", rows, "pixels of each image")
	// Output: 6 of 64 pixels of each image
}
