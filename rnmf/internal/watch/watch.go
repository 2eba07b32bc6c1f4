// Package watch has the key under which rnmf.WithTrace puts its function into a context, so that
// fits of other packages find it.
package watch

// Key is that of a func(rnmf.Point).
type Key struct{}
