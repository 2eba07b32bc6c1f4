package datasets

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of every file that is downloaded the size is bounded, and its checksum is
// known where the documentation of Download does not say otherwise.
func TestRemotesAreBounded(t *testing.T) {
	unknown := map[string]bool{"ORL": true, "ORLOriginal": true, "COIL100": true, "Yale": true,
		"ExtendedYaleB": true, "BinaryAlphadigits": true, "UMIST": true, "UMISTSmall": true,
		"German": true, "Vehicle": true, "AutoMPG": true}
	for _, s := range allPublicSets {
		for _, r := range s.remote {
			sum, err := hex.DecodeString(r.sha256)
			if err != nil || len(sum) != 32 && !(len(sum) == 0 && unknown[s.Name]) {
				t.Errorf("%s: %s has the checksum %q", s.Name, r.name, r.sha256)
			}
			if r.size <= 0 && r.limit <= 0 || max(r.size, r.limit) > 1<<29 {
				t.Errorf("%s: %s has the size %d, limit %d", s.Name, r.name, r.size, r.limit)
			}
			if r.name != filepath.Base(r.name) || strings.HasPrefix(r.name, ".") || strings.ContainsAny(r.name, `/\:`) {
				t.Errorf("%s: the name %q", s.Name, r.name)
			}
			for _, u := range r.urls {
				p, err := url.Parse(u)
				if err != nil || p.Scheme != "https" && !(p.Scheme == "http" && p.Host == "www.cad.zju.edu.cn") {
					t.Errorf("%s: %s", s.Name, u) // that one has no https
				}
			}
		}
	}
}

// An answer from https does not lead to http, and redirects end.
func TestRedirects(t *testing.T) {
	request := func(u string) *http.Request {
		r, err := http.NewRequest(http.MethodGet, u, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	many := make([]*http.Request, 10)
	for i := range many {
		many[i] = request("https://a/")
	}
	for _, c := range []struct {
		to   string
		via  []*http.Request
		fine bool
	}{
		{"https://b/", many[:3], true},
		{"http://b/", []*http.Request{request("http://a/")}, true},
		{"https://b/", []*http.Request{request("http://a/")}, true},
		{"http://b/", many[:1], false},
		{"https://b/", many, false},
	} {
		if err := staySafe(request(c.to), c.via); (err == nil) != c.fine || err != nil && !errors.Is(err, ErrServer) {
			t.Errorf("to %s after %d: %v", c.to, len(c.via), err)
		}
	}
	inHaste(t)
	cache := emptyCache(t)
	var loop *httptest.Server
	loop = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, loop.URL+"/again", http.StatusFound)
	}))
	defer loop.Close()
	if err := testSource(remote{limit: 1000}, loop.URL).Download(t.Context(), nil); !errors.Is(err, ErrServer) {
		t.Errorf("a loop: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Join(cache, "Points")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A download that an https server sends to http ends there: the other server is not even
// asked. Where it sends on to https all is well, so it is not the certificate.
func TestDownloadStaysSecure(t *testing.T) {
	inHaste(t)
	body, sum := points(5000)
	open, secure := &mirror{body: body}, &mirror{body: body}
	plain, other := httptest.NewServer(open), httptest.NewTLSServer(secure)
	defer plain.Close()
	defer other.Close()
	var to string
	first := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to, http.StatusFound)
	}))
	defer first.Close()
	// The client of a download has the default transport, which learns to trust here.
	was := http.DefaultTransport
	http.DefaultTransport = first.Client().Transport
	defer func() { http.DefaultTransport = was }()
	for _, c := range []struct {
		name, to string
		asked    *mirror
		want     error
	}{{"to https", other.URL, secure, nil}, {"to http", plain.URL, open, ErrServer}} {
		to = c.to + "/file"
		for _, f := range []remote{{sha256: sum, size: int64(len(body))}, {limit: 1 << 20}} {
			cache := emptyCache(t)
			before := len(c.asked.log())
			if err := testSource(f, first.URL).Download(t.Context(), nil); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
			if asked := len(c.asked.log()) > before; asked != (c.want == nil) {
				t.Errorf("%s: requests %v", c.name, c.asked.log())
			}
			if left, _ := os.ReadDir(filepath.Join(cache, "Points")); (len(left) != 0) != (c.want == nil) {
				t.Errorf("%s: the cache holds %v", c.name, left)
			}
		}
	}
}

// A server cannot choose where a file goes, nor can what lies in the cache.
func TestDownloadStaysInItsFolder(t *testing.T) {
	inHaste(t)
	body, sum := points(5000)
	named := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="../../elsewhere"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.Write(body)
	}))
	defer named.Close()
	for _, c := range []struct {
		name    string
		prepare func(part, victim string) error
		fails   bool
	}{
		{"nothing there", func(part, victim string) error { return nil }, false},
		{"a link to a file", func(part, victim string) error { return os.Symlink(victim, part) }, false},
		{"a link to nothing", func(part, victim string) error { return os.Symlink(victim+".new", part) }, false},
		{"a link to a folder", func(part, victim string) error { return os.Symlink(filepath.Dir(victim), part) }, false},
		{"an empty folder", func(part, victim string) error { return os.Mkdir(part, 0o755) }, false},
		{"a folder", func(part, victim string) error { return os.MkdirAll(filepath.Join(part, "x"), 0o755) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := emptyCache(t)
			folder, outside := filepath.Join(cache, "Points"), t.TempDir()
			victim := filepath.Join(outside, "victim")
			if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(victim, []byte("mine"), 0o644)); err != nil {
				t.Fatal(err)
			}
			if err := c.prepare(filepath.Join(folder, "points.txt.part"), victim); err != nil {
				t.Skip(err)
			}
			err := testSource(remote{sha256: sum, size: int64(len(body))}, named.URL+"/..%2f..%2fetc").Download(t.Context(), nil)
			if (err != nil) != c.fails {
				t.Error(err)
			}
			if got, _ := os.ReadFile(victim); string(got) != "mine" {
				t.Errorf("the file outside now holds %.20q", got)
			}
			if found, _ := os.ReadDir(outside); len(found) != 1 {
				t.Errorf("outside: %v", found)
			}
			if found, _ := os.ReadDir(cache); len(found) != 2 || found[1].Name() != "Points.lock" {
				t.Errorf("in the cache: %v", found)
			}
			info, err := os.Lstat(filepath.Join(folder, "points.txt"))
			if !c.fails && (err != nil || !info.Mode().IsRegular()) {
				t.Errorf("%v %v", info, err)
			}
		})
	}
}

// Names with .. in an archive are names, no places; links, devices and folders
// in it are passed over. Nothing is ever written.
func TestArchiveNames(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	names := []string{"../../up/1.pgm", "/root/2.pgm", `..\..\win\3.pgm`, "C:/disk/4.pgm", "a/../../b/5.pgm", "./c/./6.pgm"}
	var tarred, zipped bytes.Buffer
	w, z := tar.NewWriter(&tarred), zip.NewWriter(&zipped)
	for _, kind := range []byte{tar.TypeSymlink, tar.TypeLink, tar.TypeChar, tar.TypeBlock, tar.TypeFifo, tar.TypeDir} {
		w.WriteHeader(&tar.Header{Name: "link/9.pgm", Linkname: "/etc/passwd", Typeflag: kind})
	}
	link := &zip.FileHeader{Name: "link/9.pgm"}
	link.SetMode(os.ModeSymlink | 0o777)
	if f, err := z.CreateHeader(link); err != nil {
		t.Fatal(err)
	} else {
		io.WriteString(f, "/etc/passwd")
	}
	for i, name := range names {
		w.WriteHeader(&tar.Header{Name: name, Size: int64(len(pgm(byte(i)))), Typeflag: tar.TypeReg})
		w.Write(pgm(byte(i)))
		f, err := z.CreateHeader(&zip.FileHeader{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		f.Write(pgm(byte(i)))
	}
	w.Close()
	z.Close()
	s, err := ReadTar(t.Context(), &tarred, ImageLayout{})
	if err != nil {
		t.Fatal(err)
	}
	// A backslash is a part of a name there, and this one is hidden.
	if got := fmt.Sprint(s.Classes); got != "[b c disk root up]" {
		t.Errorf("tar: classes %s", got)
	}
	if s, err = ReadZip(t.Context(), bytes.NewReader(zipped.Bytes()), int64(zipped.Len()), ImageLayout{}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Classes); got != "[b c disk root up win]" {
		t.Errorf("zip: classes %s", got)
	}
	if found, _ := os.ReadDir(dir); len(found) != 0 {
		t.Errorf("written: %v", found)
	}
}

// Links in a folder are passed over, wherever they lead.
func TestReadImagesLinks(t *testing.T) {
	dir, secret := t.TempDir(), t.TempDir()
	os.WriteFile(filepath.Join(secret, "s.pgm"), pgm(9), 0o644)
	os.Mkdir(filepath.Join(dir, "a"), 0o755)
	os.WriteFile(filepath.Join(dir, "a", "1.pgm"), pgm(1), 0o644)
	if err := errors.Join(os.Symlink(filepath.Join(secret, "s.pgm"), filepath.Join(dir, "a", "2.pgm")),
		os.Symlink(secret, filepath.Join(dir, "b")),
		os.Symlink(dir, filepath.Join(dir, "a", "loop"))); err != nil {
		t.Skip(err)
	}
	s, err := OpenImages(t.Context(), dir, ImageLayout{})
	if err != nil {
		t.Fatal(err)
	}
	if _, n := s.X.Dims(); n != 1 {
		t.Errorf("%v", s)
	}
}

// Small files that unpack to more than they may: in one file of an archive, in
// all together, in files that share bytes or that are not there at all, and in
// many tiny images.
func TestBombs(t *testing.T) {
	was := maxArchive
	maxArchive = 1 << 20
	defer func() { maxArchive = was }()
	padded := func(n int) []byte { return append(pgm(1), make([]byte, n)...) } // a picture, and zeros after it
	zipOf := func(count int, body []byte) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := range count {
			f, err := z.Create(fmt.Sprintf("%d.pgm", i))
			if err != nil {
				t.Fatal(err)
			}
			f.Write(body)
		}
		z.Close()
		return b.Bytes()
	}
	tarOf := func(count int, name string, body []byte) []byte {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		w := tar.NewWriter(z)
		for i := range count {
			w.WriteHeader(&tar.Header{Name: fmt.Sprintf(name, i), Size: int64(len(body)), Typeflag: tar.TypeReg})
			w.Write(body)
		}
		w.Close()
		z.Close()
		return b.Bytes()
	}
	asTar := func(b []byte) error {
		_, err := readTar(t.Context(), bytes.NewReader(b), ImageLayout{}, 1<<16)
		return err
	}
	asZip := func(b []byte) error {
		_, err := readZip(t.Context(), bytes.NewReader(b), int64(len(b)), ImageLayout{}, 1<<16)
		return err
	}
	for _, c := range []struct {
		name string
		err  error
	}{
		{"one file of a zip", asZip(zipOf(1, padded(2<<20)))},
		{"all files of a zip", asZip(zipOf(9, padded(1<<17)))},
		{"one file of a tar", asTar(tarOf(1, "%d.pgm", padded(2<<20)))},
		{"all files of a tar", asTar(tarOf(9, "%d.pgm", padded(1<<17)))},
		{"files of a tar that are no images", asTar(tarOf(9, "%d.txt", padded(1<<17)))},
		{"many tiny images", asZip(zipOf(5000, pgm(1)))},
		{"long names", asTar(tarOf(9, strings.Repeat("long", 25000)+"/%d.pgm", pgm(1)))},
		{"sparse files", asTar(sparseTar(t, 9, 1<<17))},
	} {
		if !errors.Is(c.err, ErrTooLarge) {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
	maxArchive = was
	if err := asZip(zipOf(9, padded(1<<17))); err != nil {
		t.Errorf("within the limits: %v", err)
	}
}

// sparseTar makes files of a picture and a hole, of which a reader sees zeros
// that the archive does not hold. archive/tar reads them but does not write them.
func sparseTar(t *testing.T, count, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	head := pgm(1)
	for i := range count {
		h := &tar.Header{Name: fmt.Sprintf("%d.pgm", i), Size: int64(len(head)), Typeflag: tar.TypeReg, Format: tar.FormatPAX,
			PAXRecords: map[string]string{"XXX.sparse.map": fmt.Sprintf("0,%d", len(head)), "XXX.sparse.numblocks": "1", "XXX.sparse.size": fmt.Sprint(size)}}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		w.Write(head)
	}
	w.Close()
	archive := bytes.ReplaceAll(b.Bytes(), []byte("XXX.sparse"), []byte("GNU.sparse"))
	h, err := tar.NewReader(bytes.NewReader(archive)).Next()
	if err != nil || h.Size != int64(size) {
		t.Fatalf("no sparse file: %+v, %v", h, err)
	}
	return archive
}

// A download writes to the cache alone. What a user has put into a folder of her own stays as it is, also
// where that folder, or a link in it, is the cache.
func TestDownloadLeavesYourFolder(t *testing.T) {
	inHaste(t)
	body, sum := points(5000)
	url := serve(t, &mirror{body: body})
	for name, own := range map[string]func(cache, outside string) (string, error){
		"another folder": func(_, outside string) (string, error) {
			return outside, os.Mkdir(filepath.Join(outside, "Points"), 0o755)
		},
		"the cache":            func(cache, _ string) (string, error) { return cache, nil },
		"the cache of the set": func(cache, _ string) (string, error) { return filepath.Join(cache, "Points"), nil },
		"a link to the cache": func(cache, outside string) (string, error) {
			return filepath.Join(outside, "own"), os.Symlink(cache, filepath.Join(outside, "own"))
		},
		"a link to that of a set": func(cache, outside string) (string, error) {
			return outside, os.Symlink(filepath.Join(cache, "Points"), filepath.Join(outside, "Points"))
		},
		"the cache is a link here": func(cache, outside string) (string, error) {
			mine := filepath.Join(outside, "Points")
			return outside, errors.Join(os.Rename(filepath.Join(cache, "Points"), mine), os.Symlink(mine, filepath.Join(cache, "Points")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			cache := emptyCache(t)
			if err := os.MkdirAll(filepath.Join(cache, "Points"), 0o755); err != nil {
				t.Fatal(err)
			}
			folder, err := own(cache, t.TempDir())
			if err != nil {
				t.Skip(err)
			}
			t.Setenv(FolderEnv, folder)
			mine := filepath.Join(folder, "points.txt")
			if info, err := os.Stat(filepath.Join(folder, "Points")); err == nil && info.IsDir() {
				mine = filepath.Join(folder, "Points", "points.txt")
			}
			if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
			err = testSource(remote{sha256: sum}, url).Download(t.Context(), nil)
			if want := name != "another folder"; errors.Is(err, ErrParameter) != want || !want && err != nil {
				t.Error(err)
			}
			if got, _ := os.ReadFile(mine); string(got) != "mine" {
				t.Errorf("the user's file now holds %.20q", got)
			}
		})
	}
}
