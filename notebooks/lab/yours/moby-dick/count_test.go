package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
)

// What count writes is read as a set: words of some chapters, but not of all.
func TestCount(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for k := 1; k <= 40; k++ {
		text := "Call me Ishmael. " // in every chapter
		if k%2 == 0 {
			text += "The whale, the WHALE."
		}
		chapter := fmt.Sprintf(`{"chapter": "%d", "title": "Loomings.", "text": %q}`, k, text)
		if err := os.WriteFile(filepath.Join(from, fmt.Sprintf("chapter_%d.json", k)), []byte(chapter), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := count(from, to); err != nil {
		t.Fatal(err)
	}
	s, err := datasets.Open(t.Context(), to, datasets.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if m, n := s.Dims(); m != 1 || n != 40 || s.Features[0] != "whale" || s.Samples[9] != "10 Loomings" || s.X == nil || s.X.At(0, 9) != 2 || s.X.At(0, 8) != 0 {
		t.Errorf("%d×%d, %q, %q, %g, %g", m, n, s.Features, s.Samples, s.X.At(0, 9), s.X.At(0, 8))
	}
	if err := os.WriteFile(filepath.Join(from, "bad.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := count(from, to); err == nil {
		t.Error("a chapter that is not JSON is no error")
	}
}
