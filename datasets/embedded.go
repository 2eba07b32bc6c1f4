package datasets

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
)

// The sources and licences of the files are in embed/README.md.
//
//go:generate go run embed/fashion.go -from $FASHION_MNIST
var (
	//go:embed embed/digits.csv.gz
	digitsFile []byte
	//go:embed embed/wine.csv
	wineFile []byte
	//go:embed embed/fashion-images-idx3-ubyte.gz
	fashionImages []byte
	//go:embed embed/fashion-labels-idx1-ubyte.gz
	fashionLabels []byte
)

// Digits returns handwritten digits: 64 pixels (images of 8×8) × 1797 samples
// of 10 classes, with values 0..16. Every call returns a set of its own.
func Digits() *Set {
	s, err := ReadCSV(context.Background(), bytes.NewReader(digitsFile), CSVLayout{
		Separator: ',', Header: NoHeader, Label: "-1", Height: 8, Width: 8, Max: 16,
	})
	must(err)
	s.Name = "Digits"
	s.Credit = "Alpaydin, Kaynak: Optical Recognition of Handwritten Digits (1998), UCI Machine Learning Repository, doi:10.24432/C50P49, CC BY 4.0"
	must(s.Check())
	return s
}

// Wine returns 13 measured constituents × 178 wines of three cultivars. The
// scales of the features differ widely: 0.13 (nonflavanoid phenols) to 1680
// (proline). Every call returns a set of its own.
func Wine() *Set {
	from := bytes.IndexByte(wineFile, '\n') + 1 // the first line counts samples and features
	s, err := ReadCSV(context.Background(), bytes.NewReader(wineFile[from:]), CSVLayout{Separator: ',', Header: NoHeader, Label: "-1"})
	must(err)
	s.Name = "Wine"
	s.Classes = []string{"1", "2", "3"}
	s.Features = wineFeatures()
	s.Credit = "Aeberhard, Forina: Wine (1991), UCI Machine Learning Repository, doi:10.24432/C5PC7J, CC BY 4.0"
	must(s.Check())
	return s
}

// Fashion returns a balanced sample of Fashion-MNIST: 784 pixels (images of
// 28×28) × 1500 samples, the first 150 of each of the 10 classes of the test
// set, with values 0..255. Every call returns a set of its own.
func Fashion() *Set {
	s, err := ReadIDXSet(context.Background(), bytes.NewReader(fashionImages), bytes.NewReader(fashionLabels))
	must(err)
	s.Name = "Fashion-MNIST"
	s.Classes = []string{
		"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
		"Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
	}
	s.Max = 255
	s.Credit = "Xiao, Rasul, Vollgraf: Fashion-MNIST (2017), github.com/zalandoresearch/fashion-mnist, © Zalando SE, MIT licence"
	must(s.Check())
	return s
}

// must is for embedded data, which the tests have read.
func must(err error) {
	if err != nil {
		panic(fmt.Errorf("datasets: embedded data: %w", err))
	}
}
