// Package viz draws what robust factorisations find: convergence curves, parts,
// residuals, weights, confusion matrices and tables of scores.
//
// There are two kinds of figure, and both are a Figure. A Chart (curves, bars, stems,
// points) is a *plot.Plot of gonum with a size; you may change it until it is drawn, and
// it is written as PNG or SVG. A Picture (galleries, triplets, heat maps, confusion
// matrices) is a raster of tiles and captions.
//
//	c, err := viz.Convergence([]viz.Curve{{Name: "L2,1", Trace: res.Trace}}, viz.ConvergenceOptions{LogY: true})
//	if err != nil { … }
//	err = viz.Save("convergence.svg", c)
//
// Row and Grid put figures next to each other. In a notebook, package viz/show displays
// them:
//
//	show.Figure(viz.Must(viz.Gallery(res.W, viz.GalleryOptions{Height: 32, Width: 32})))
//
// # Conventions
//
// A column of a matrix is a sample, as everywhere in this module. An image of h×w pixels
// is a column of h·w rows in raster order: pixel (r, c) is row r·w + c. Data are the first
// arguments of a function and options the last. The zero value of each option is usable,
// except for the Height and Width of images.
//
// A constructor that cannot draw its data returns an error that wraps one of ErrEmpty,
// ErrShape, ErrNotFinite and ErrOption. Nothing here modifies its input or keeps a
// reference to it, and equal input gives equal bytes.
//
// The colours are those of Okabe and Ito (with dark red in place of yellow, which is faint
// on white), viridis, cividis, and RdBu and Blues of ColorBrewer. Colour-blind readers can
// tell them apart, and curves also differ in dash and marker.
package viz
