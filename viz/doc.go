// Package viz draws convergence curves, basis images and weight maps.
package viz
