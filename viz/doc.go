// Package viz draws what robust factorisations find: convergence curves, basis
// images, residuals, weights, confusion matrices and tables of metrics.
//
// There are two kinds of figure. A Chart (curves, bars, stems, points) is a
// *plot.Plot of gonum with a size; it may be changed until it is drawn, and is
// written as PNG or SVG. A Picture (galleries, triplets, heat maps, confusion
// matrices) is a raster of tiles and captions. Both are a Figure:
//
//	c, err := viz.Convergence([]viz.Curve{{Name: "L2,1", Trace: res.Trace}}, viz.ConvergenceOptions{LogY: true})
//	if err != nil { … }
//	err = viz.Save("convergence.svg", c)
//
// Row and Grid lay figures side by side. In a notebook, package viz/show
// displays them:
//
//	show.Figure(viz.Must(viz.Gallery(res.W, viz.GalleryOptions{Height: 32, Width: 32})))
//
// # Conventions
//
// A column of a matrix is a sample, as everywhere in this module. An image of
// h×w pixels is a column of h·w rows in raster order: pixel (r, c) is row
// r·w + c. Data come first, options last; the zero value of every option is
// sound, but for the Height and Width of images. Every constructor returns an error, wrapping one of ErrEmpty,
// ErrShape, ErrNotFinite and ErrOption, instead of drawing something wrong.
// Nothing here modifies its input or keeps a reference to it, and equal
// input gives equal bytes.
//
// Colours are those of Okabe and Ito (with dark red for yellow, faint on white),
// viridis, cividis and ColorBrewer's RdBu and Blues, all safe for colour-blind
// readers; curves differ in dash and marker as well.
package viz
