// Package baseline has the methods that papers on factorisation compare with, or measure
// their factors by: k-means, principal components, sparse representation classification
// (SRC, and SEC for images of which something covers a part), spectral clustering with
// labels (SSC-SR), and a learned metric (KISSME).
//
// Data are m×n, and a column is a sample. All functions take a context, and return its error
// soon after it ends. The other errors are those of package rnmf.
package baseline
