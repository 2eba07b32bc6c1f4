package datasets

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestSaveMTX(t *testing.T) {
	s := &Set{X: mat.NewDense(2, 3, []float64{0, 2, 0, 4.5, 0, -6}), Samples: []string{"a", "b c", "d"}}
	folder := filepath.Join(t.TempDir(), "cells")
	if err := s.SaveMTX(folder); err != nil {
		t.Fatal(err)
	}
	got, err := OpenMTX(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got.X, s.X) || !slices.Equal(got.Samples, []string{"a", "b c", "d"}) || !slices.Equal(got.Features, []string{"feature 0", "feature 1"}) {
		t.Errorf("%+v", got)
	}
	s.Samples[1] = "b\tc"
	if err := s.SaveMTX(folder); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), `sample 1 is "b\tc"`) {
		t.Error(err)
	}
	s.X.Set(1, 1, math.NaN())
	if err := s.SaveMTX(folder); !errors.Is(err, ErrValue) {
		t.Error(err)
	}
	if err := WriteMTX(&bytes.Buffer{}, nil); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
}

func TestSaveImages(t *testing.T) {
	s := &Set{X: mat.NewDense(2, 3, []float64{0, 51, 102, 255, 0, 5}), Height: 1, Width: 2, Max: 255,
		Labels: []int{1, 0, 1}, Classes: []string{"b/b", ".."}, Samples: []string{"../x", "", "y.png"}}
	folder := t.TempDir()
	if err := s.SaveImages(filepath.Join(folder, "in")); err != nil {
		t.Fatal(err)
	}
	got, err := OpenImages(t.Context(), filepath.Join(folder, "in"), ImageLayout{})
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range map[string][]float64{"-x.png": {0, 255}, "b-b/00001.png": {51, 0}, "y.png": {102, 5}} {
		k := slices.Index(got.Samples, j)
		if k < 0 || !slices.Equal(mat.Col(nil, k, got.X), want) {
			t.Errorf("%s is sample %d of %v", j, k, got.Samples)
		}
	}
	if all, _ := os.ReadDir(folder); len(all) != 1 {
		t.Errorf("files outside: %v", all)
	}
	s.Samples[2] = "../x"
	if err := s.SaveImages(t.TempDir()); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
	if err := (&Set{}).SaveImages(t.TempDir()); !errors.Is(err, ErrNotImages) {
		t.Error(err)
	}
}
