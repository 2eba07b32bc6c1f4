// Package sniff tells by its first bytes what a file is that was given to another reader.
package sniff

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// kinds are the beginnings of files that people have, and what they are.
var kinds = []struct{ begin, what string }{
	{"\x93NUMPY", "an array of NumPy (.npy)"},
	{"PK\x03\x04", "a zip archive, as .npz of NumPy (ReadNPZ) and .xlsx of Excel are"},
	{"\x89HDF", "HDF5 (.h5, .h5ad, .loom, .mat of version 7.3)"},
	{"MATLAB 7.3", "a MATLAB file of version 7.3, which is HDF5"},
	{"MATLAB", "a MATLAB file (.mat)"},
	{"PAR1", "a table of Parquet"},
	{"ARROW1", "a table of Arrow, or Feather"},
	{"FEA1", "Feather of version 1"},
	{"\xff\xff\xff\xff", "a stream of Arrow"},
	{"%%Matrix", "a matrix of Matrix Market (.mtx)"},
	{"\x1f\x8b", "packed by gzip"},
	{"BZh", "packed by bzip2"},
	{"\xfd7zXZ", "packed by xz"},
	{"\x28\xb5\x2f\xfd", "packed by Zstandard"},
	{"\x89PNG", "a PNG image"},
	{"\xff\xd8\xff", "a JPEG image"},
	{"GIF8", "a GIF image"},
	{"II*\x00", "a TIFF image"},
	{"MM\x00*", "a TIFF image"},
	{"BM", "a BMP image"},
	{"P5", "a PGM image"},
	{"P6", "a PPM image"},
	{"%PDF", "a PDF document"},
	{"\xd0\xcf\x11\xe0", "an old document of Office, as .xls"},
	{"SQLite format 3", "a database of SQLite"},
	{"RDX", "data of R (save): write them as CSV"},
	{"\x80\x04\x95", "a pickle of Python: save its arrays by numpy.savez"},
	{"@relation", "a table of Weka (.arff)"},
	{"@RELATION", "a table of Weka (.arff)"},
}

// Kind returns what a file looks like that begins so, as in "it looks like HDF5 (.h5)".
func Kind(head []byte) string {
	if len(head) == 0 {
		return "it is empty"
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "it looks like an archive of tar"
	}
	for _, k := range kinds {
		if bytes.HasPrefix(head, []byte(k.begin)) {
			return "it looks like " + k.what
		}
	}
	if text := head[:min(len(head), 64)]; !bytes.ContainsFunc(text, func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == utf8.RuneError && len(text) < 64
	}) {
		return fmt.Sprintf("it looks like text, which begins with %.20q", firstLine(text))
	}
	return fmt.Sprintf("it begins with % x", head[:min(len(head), 8)])
}

func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(bytes.TrimRight(line, "\r"))
}
