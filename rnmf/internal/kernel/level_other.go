//go:build !amd64

package kernel

const haveAVX2, haveAVX512, halves = false, false, false
