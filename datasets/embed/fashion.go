//go:build ignore

// Command fashion writes the balanced sample of Fashion-MNIST that the package
// embeds: the first 150 images of each of the ten classes of the test set, in
// the order in which the test set has them.
//
//	go run embed/fashion.go -from DIR
//
// reads *t10k-images-idx3-ubyte.gz and *t10k-labels-idx1-ubyte.gz (from
// github.com/zalandoresearch/fashion-mnist, or the Debian package
// dataset-fashion-mnist) in DIR and writes embed/fashion-images-idx3-ubyte.gz
// and embed/fashion-labels-idx1-ubyte.gz.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"io"
	"log"
	"os"
	"path/filepath"
)

const (
	perClass = 150
	classes  = 10
	pixels   = 28 * 28
	images   = 10000
)

func main() {
	log.SetFlags(0)
	from := flag.String("from", "", "folder of the Fashion-MNIST test set")
	flag.Parse()

	pictures := read(filepath.Join(*from, "*t10k-images-idx3-ubyte.gz"), 16, images*pixels)
	labels := read(filepath.Join(*from, "*t10k-labels-idx1-ubyte.gz"), 8, images)
	var some, of bytes.Buffer
	var count [classes]int
	for j, l := range labels {
		if count[l] == perClass {
			continue
		}
		count[l]++
		some.Write(pictures[j*pixels : (j+1)*pixels])
		of.WriteByte(l)
	}
	n := uint32(of.Len())
	if n != classes*perClass {
		log.Fatalf("%d images", n)
	}
	write("embed/fashion-images-idx3-ubyte.gz", []uint32{0x803, n, 28, 28}, some.Bytes())
	write("embed/fashion-labels-idx1-ubyte.gz", []uint32{0x801, n}, of.Bytes())
}

// read returns what follows the header of an IDX file: size bytes.
func read(path string, header, size int) []byte {
	found, err := filepath.Glob(path)
	check(err)
	if len(found) != 1 {
		log.Fatalf("%d files %s", len(found), path)
	}
	f, err := os.Open(found[0])
	check(err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	check(err)
	all, err := io.ReadAll(z)
	check(err)
	if len(all) != header+size {
		log.Fatalf("%s: %d bytes, not %d", path, len(all), header+size)
	}
	return all[header:]
}

func write(path string, header []uint32, body []byte) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	check(err)
	check(binary.Write(z, binary.BigEndian, header))
	_, err = z.Write(body)
	check(err)
	check(z.Close())
	check(os.WriteFile(path, b.Bytes(), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
