// Package datasets reads, downloads, generates and corrupts data for robust NMF.
package datasets
