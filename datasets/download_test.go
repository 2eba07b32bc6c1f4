package datasets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A mirror serves one file, badly.
type mirror struct {
	body   []byte
	cut    int  // bytes to send before the connection breaks, at each answer; 0: all
	breaks int  // how many answers break; -1: all
	deaf   bool // ignores Range
	liar   bool // answers a Range with another one
	blind  bool // sends no length
	hang   bool // falls silent after the cut
	status int

	mu       sync.Mutex
	requests []string
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.requests = append(m.requests, strings.TrimSpace(r.Method+" "+r.Header.Get("Range")))
	broken := r.Method == http.MethodGet && m.cut > 0 && m.breaks != 0
	if broken {
		m.breaks--
	}
	m.mu.Unlock()
	if m.status != 0 {
		http.Error(w, "no", m.status)
		return
	}
	body, code := m.body, http.StatusOK
	w.Header().Set("Accept-Ranges", "bytes")
	if asked := r.Header.Get("Range"); asked != "" && !m.deaf {
		var from int
		fmt.Sscanf(asked, "bytes=%d-", &from)
		if m.liar {
			from--
		}
		code = http.StatusPartialContent
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(body)-1, len(body)))
		body = body[from:]
	}
	if !m.blind {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	}
	w.WriteHeader(code)
	if r.Method == http.MethodHead {
		return
	}
	if !broken {
		w.Write(body)
		return
	}
	w.Write(body[:min(m.cut, len(body))])
	w.(http.Flusher).Flush()
	if m.hang {
		select {
		case <-r.Context().Done():
		case <-time.After(5 * time.Second):
		}
	}
	panic(http.ErrAbortHandler)
}

func (m *mirror) log() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.requests...)
}

func serve(t *testing.T, m *mirror) string {
	t.Helper()
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	return s.URL + "/file"
}

// emptyCache makes a cache of the test's own.
func emptyCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, v := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(v, dir)
	}
	t.Setenv(FolderEnv, "")
	cache, err := cacheFolder()
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

// inHaste makes no pauses between tries. Of servers it stays patient, or a machine that
// stalls for a moment would count as one that has fallen silent.
func inHaste(t *testing.T) {
	was := pause
	pause = time.Millisecond
	t.Cleanup(func() { pause = was })
}

// impatient is for servers that do fall silent, until the returned function is called.
func impatient(d time.Duration) (patient func()) {
	was := patience
	patience = d
	return func() { patience = was }
}

// points is a file of samples, and its SHA-256.
func points(n int) ([]byte, string) {
	var b bytes.Buffer
	for j := range n {
		fmt.Fprintf(&b, "%d %d\n", j, j*j)
	}
	sum := sha256.Sum256(b.Bytes())
	return b.Bytes(), hex.EncodeToString(sum[:])
}

// testSource is a set of 2 × 5000 points at some address.
func testSource(r remote, urls ...string) *PublicSet {
	r.name, r.urls = "points.txt", urls
	if r.limit == 0 {
		r.limit = 1 << 20
	}
	return &PublicSet{
		Name: "Points",
		Home: "https://example.org/points",
		forms: []form{{
			files: [][]string{{"points.txt"}}, samples: 5000,
			read: func(ctx context.Context, paths []string) (*Set, error) {
				return reading(ctx, paths[0], func(_ context.Context, r io.Reader) (*Set, error) {
					var flat []float64
					for {
						var x, y float64
						if _, err := fmt.Fscan(r, &x, &y); err == io.EOF {
							return &Set{X: columnsOf(flat, 2)}, nil
						} else if err != nil {
							return nil, fmt.Errorf("%w: %w", ErrFormat, err)
						}
						flat = append(flat, x, y)
					}
				})
			},
		}},
		remote: []remote{r},
	}
}

func TestDownload(t *testing.T) {
	cache := emptyCache(t)
	body, sum := points(5000)
	m := &mirror{body: body}
	s := testSource(remote{sha256: sum, size: int64(len(body))}, serve(t, m))
	if _, err := s.Load(t.Context()); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "points.txt") || !strings.Contains(err.Error(), "Download") {
		t.Fatalf("before: %v", err)
	}
	var done, total int64
	if err := s.Download(t.Context(), func(d, n int64) {
		if d < done {
			t.Errorf("progress went back from %d to %d", done, d)
		}
		done, total = d, n
	}); err != nil {
		t.Fatal(err)
	}
	if done != int64(len(body)) || total != done {
		t.Errorf("progress ends at %d of %d, want %d", done, total, len(body))
	}
	set, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if set.Name != "Points" || set.X.At(1, 70) != 4900 {
		t.Errorf("loaded %v", set)
	}
	if got, _ := os.ReadDir(filepath.Join(cache, "Points")); len(got) != 1 {
		t.Errorf("the cache holds %v", got)
	}
	// What is there is not fetched again.
	before := len(m.log())
	if err := s.Download(t.Context(), nil); err != nil || len(m.log()) != before {
		t.Errorf("second download: %v, requests %v", err, m.log()[before:])
	}
	// A file that has been damaged since is.
	os.WriteFile(filepath.Join(cache, "Points", "points.txt"), []byte("1 1\n"), 0o644)
	if err := s.Download(t.Context(), nil); err != nil || len(m.log()) == before {
		t.Errorf("download over a damaged file: %v, requests %v", err, m.log()[before:])
	}
}

func TestDownloadResumes(t *testing.T) {
	inHaste(t)
	body, sum := points(5000)
	for _, c := range []struct {
		name   string
		m      *mirror
		r      remote
		resume bool
	}{
		{"with checksum", &mirror{cut: len(body) / 3, breaks: 2}, remote{sha256: sum, size: int64(len(body))}, true},
		{"without", &mirror{cut: len(body) / 3, breaks: 2}, remote{}, true},
		{"a server that ignores Range", &mirror{cut: len(body) / 2, breaks: 1, deaf: true}, remote{sha256: sum}, false},
		{"a server that answers with another Range", &mirror{cut: len(body) / 2, breaks: 1, liar: true}, remote{}, false},
		{"silence", &mirror{cut: len(body) / 2, breaks: 1, hang: true}, remote{sha256: sum}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := emptyCache(t)
			m := c.m
			m.body = body
			if m.hang {
				if testing.Short() {
					t.Skip("waits for a second")
				}
				defer impatient(time.Second)()
			}
			if err := testSource(c.r, serve(t, m)).Download(t.Context(), nil); err != nil {
				t.Fatalf("%v; requests %v", err, m.log())
			}
			got, err := os.ReadFile(filepath.Join(cache, "Points", "points.txt"))
			if err != nil || !bytes.Equal(got, body) {
				t.Errorf("another file, %v", err)
			}
			last := m.log()[len(m.log())-1]
			if resumed := strings.Contains(last, fmt.Sprintf("bytes=%d-", c.m.cut)) || strings.Contains(last, fmt.Sprintf("bytes=%d-", 2*c.m.cut)); resumed != c.resume {
				t.Errorf("requests %v", m.log())
			}
		})
	}
}

// A server that breaks off again and again, or stays silent to the end, is an error. What
// has arrived is used by the next download.
func TestDownloadInterruptedTwice(t *testing.T) {
	for name, hang := range map[string]bool{"broken off": false, "silent": true} {
		t.Run(name, func(t *testing.T) {
			inHaste(t)
			patient := func() {}
			if hang {
				patient = impatient(100 * time.Millisecond)
			}
			defer func() { patient() }()
			cache := emptyCache(t)
			body, sum := points(5000)
			m := &mirror{body: body, cut: 1000, breaks: -1, hang: hang}
			s := testSource(remote{sha256: sum}, serve(t, m))
			part := filepath.Join(cache, "Points", "points.txt.part")
			// If the machine stalls, also the first bytes may come too late.
			for try := 0; try == 0 || hang && sizeOf(part) == 0 && try < 5; try++ {
				err := s.Download(t.Context(), nil)
				if err == nil || errors.Is(err, errSilent) != hang {
					t.Fatalf("%v", err)
				}
			}
			got := sizeOf(part)
			if most := int64(1000 * attempts); got > most || !hang && got < most || got == 0 {
				t.Errorf("%d bytes are left to continue with, want %d", got, most)
			}
			if _, err := s.Load(t.Context()); !errors.Is(err, ErrNotFound) {
				t.Errorf("half a file was loaded: %v", err)
			}
			patient()
			m.mu.Lock()
			m.breaks = 0
			m.mu.Unlock()
			if err := s.Download(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if last := m.log()[len(m.log())-1]; last != fmt.Sprintf("GET bytes=%d-", got) {
				t.Errorf("last request: %s, with %d bytes there", last, got)
			}
			if sizeOf(part) != 0 {
				t.Error("the part is still there")
			}
		})
	}
}

// A server that takes a request and never answers it is silent, too.
func TestDownloadWithoutAnswer(t *testing.T) {
	inHaste(t)
	defer impatient(100 * time.Millisecond)()
	cache := emptyCache(t)
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-ended:
		case <-time.After(5 * time.Second):
		}
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	defer close(ended)
	if err := testSource(remote{}, server.URL).Download(t.Context(), nil); !errors.Is(err, errSilent) {
		t.Errorf("%v, want %v", err, errSilent)
	}
	if left, _ := os.ReadDir(filepath.Join(cache, "Points")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDownloadOtherPart(t *testing.T) {
	inHaste(t)
	body, sum := points(5000)
	for name, stale := range map[string][]byte{
		"other bytes": bytes.Repeat([]byte("x"), 500),
		"too long":    bytes.Repeat([]byte("x"), len(body)+500),
		"same length": bytes.Repeat([]byte("x"), len(body)),
	} {
		for _, size := range []int64{0, int64(len(body))} {
			t.Run(fmt.Sprintf("%s, size %d", name, size), func(t *testing.T) {
				cache := emptyCache(t)
				os.MkdirAll(filepath.Join(cache, "Points"), 0o755)
				os.WriteFile(filepath.Join(cache, "Points", "points.txt.part"), stale, 0o644)
				m := &mirror{body: body}
				if err := testSource(remote{sha256: sum, size: size}, serve(t, m)).Download(t.Context(), nil); err != nil {
					t.Errorf("%v; requests %v", err, m.log())
				}
			})
		}
	}
}

func TestDownloadErrors(t *testing.T) {
	inHaste(t)
	body, sum := points(5000)
	size := int64(len(body))
	few, _ := points(4999)
	for _, c := range []struct {
		name string
		m    *mirror
		r    remote
		want error
	}{
		{"not found", &mirror{status: 404}, remote{sha256: sum, size: size}, ErrServer},
		{"server error", &mirror{status: 503}, remote{}, ErrServer},
		{"wrong checksum", &mirror{body: few}, remote{sha256: sum}, ErrChecksum},
		{"wrong bytes of the right length", &mirror{body: bytes.ToUpper(bytes.ReplaceAll(body, []byte("1"), []byte("2")))}, remote{sha256: sum, size: size}, ErrChecksum},
		{"too short", &mirror{body: few}, remote{sha256: sum, size: size}, ErrChecksum},
		{"too large", &mirror{body: body}, remote{limit: 1000}, ErrTooLarge},
		{"larger than the known size", &mirror{body: append(body[:size:size], "1 1\n"...)}, remote{sha256: sum, size: size}, ErrTooLarge},
		{"too large, without a length", &mirror{body: body, blind: true}, remote{limit: 1000}, ErrTooLarge},
		{"other content", &mirror{body: few}, remote{}, ErrContent},
		{"a page in place of the file", &mirror{body: []byte("<html>Moved</html>")}, remote{}, ErrFormat},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := emptyCache(t)
			s := testSource(c.r, serve(t, c.m))
			if err := s.Download(t.Context(), nil); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			} else {
				t.Log(err)
			}
			if left, _ := os.ReadDir(filepath.Join(cache, "Points")); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			if _, err := s.Load(t.Context()); !errors.Is(err, ErrNotFound) {
				t.Errorf("then loaded: %v", err)
			}
		})
	}
}

func TestDownloadMirrors(t *testing.T) {
	inHaste(t)
	emptyCache(t)
	body, sum := points(5000)
	wrong, _ := points(10)
	urls := []string{serve(t, &mirror{status: 404}), serve(t, &mirror{body: wrong}), serve(t, &mirror{body: body})}
	if err := testSource(remote{sha256: sum}, urls...).Download(t.Context(), nil); err != nil {
		t.Error(err)
	}
	emptyCache(t)
	err := testSource(remote{sha256: sum}, urls[:2]...).Download(t.Context(), nil)
	if !errors.Is(err, ErrServer) || !errors.Is(err, ErrChecksum) {
		t.Errorf("both failures: %v", err)
	}
}

func TestDownloadUnreachable(t *testing.T) {
	inHaste(t)
	emptyCache(t)
	server := httptest.NewServer(&mirror{})
	url := server.URL
	server.Close()
	if err := testSource(remote{}, url).Download(t.Context(), nil); err == nil {
		t.Error("no error from a server that is not there")
	}
}

func TestDownloadCancelled(t *testing.T) {
	cache := emptyCache(t)
	body, sum := points(5000)
	m := &mirror{body: body, cut: 2000, breaks: 1, hang: true}
	s := testSource(remote{sha256: sum}, serve(t, m))
	ctx, cancel := context.WithCancel(t.Context())
	started := time.Now()
	err := s.Download(ctx, func(done, _ int64) {
		if done >= 2000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || time.Since(started) > 3*time.Second {
		t.Fatalf("%v after %v", err, time.Since(started))
	}
	if got := sizeOf(filepath.Join(cache, "Points", "points.txt.part")); got != 2000 {
		t.Errorf("%d bytes kept, want 2000", got)
	}
	if err := s.Download(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
	if err := s.Download(t.Context(), nil); err != nil {
		t.Errorf("continued: %v", err)
	}
	if _, err := s.Load(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("load with a cancelled context: %v", err)
	}
}

func TestDownloadUnwritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o644)
	for _, v := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(v, file) // a file where there should be a folder
	}
	t.Setenv(FolderEnv, "")
	body, sum := points(5000)
	m := &mirror{body: body}
	s := testSource(remote{sha256: sum}, serve(t, m))
	var path *fs.PathError
	if err := s.Download(t.Context(), nil); !errors.As(err, &path) || !strings.Contains(err.Error(), file) || len(m.log()) != 0 {
		t.Errorf("%v, requests %v", err, m.log())
	}
	for _, v := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(v, "")
	}
	if err := s.Download(t.Context(), nil); err == nil {
		t.Error("no error without a cache folder")
	}
	if _, err := s.Load(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("load without a cache folder: %v", err)
	}
}

func TestDownloadSeveralFiles(t *testing.T) {
	emptyCache(t)
	body, sum := points(5000)
	s := testSource(remote{sha256: sum, size: int64(len(body))}, serve(t, &mirror{body: body}))
	second := s.remote[0]
	second.name = "second.txt"
	s.remote = append(s.remote, second)
	var last, total int64
	if err := s.Download(t.Context(), func(done, n int64) {
		if done < last || n != 2*int64(len(body)) {
			t.Errorf("progress %d of %d", done, n)
		}
		last, total = done, n
	}); err != nil || last != total {
		t.Errorf("%v, %d of %d", err, last, total)
	}
}
