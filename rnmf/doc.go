// Package rnmf factorises a non-negative matrix X ≈ WH so that gross errors in
// X do not spoil W and H.
package rnmf
