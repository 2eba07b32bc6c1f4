package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cavaliergopher/grab/v3"

	"github.com/robustnmf/robustnmf/internal/lockfile"
)

// The transfer, its resumption and its checksum are grab's. Added here are
// what a mirror in the wild needs: a limit on the size, a check that a resumed
// answer really goes on where the file ends, a time limit on silence, another
// try after an interruption, and an atomic rename.

var (
	// ErrServer is returned when a server answers a download with an error.
	ErrServer = errors.New("datasets: the server answers with an error")
	// ErrChecksum is returned when a downloaded file is not the expected one.
	// It is not kept.
	ErrChecksum = errors.New("datasets: wrong checksum")
)

// A remote is a file to download.
type remote struct {
	name   string
	urls   []string // mirrors, in the order of trial
	sha256 string   // hexadecimal; "" if it is not known
	size   int64    // bytes; 0 if it is not known
	limit  int64    // bytes to refuse at, for want of a size
}

// How often a file is asked for while every try brings more of it.
const attempts = 5

// How long a server may stay silent.
var patience = time.Minute

// fetch downloads f into the folder, unless it is there already. What an
// interrupted download has left behind is completed.
func (f remote) fetch(ctx context.Context, folder string, progress func(done, total int64)) error {
	path := filepath.Join(folder, f.name)
	if there, err := f.there(path, progress); there || err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("datasets: no folder to download to: %w", err)
	}
	// Two that go on with one file would both append to it.
	unlock, err := lockfile.Wait(ctx, folder+".lock")
	if err != nil {
		return fmt.Errorf("datasets: waiting for another download to %s: %w", folder, err)
	}
	defer unlock()
	if there, err := f.there(path, progress); there || err != nil { // meanwhile
		return err
	}
	part := path + ".part"
	if info, err := os.Lstat(part); err == nil && !info.Mode().IsRegular() {
		// Writing would go where a link points to, or into a folder under a
		// name that the server chooses.
		if err := remove(part); err != nil {
			return err
		}
	}
	var failed []error
	for _, url := range f.urls {
		err := f.insist(ctx, url, part, progress)
		if err == nil {
			if err := os.Rename(part, path); err != nil {
				return fmt.Errorf("datasets: %w", err)
			}
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("datasets: %s: %w", url, ctx.Err())
		}
		failed = append(failed, fmt.Errorf("%s: %w", url, err))
	}
	return errors.Join(failed...)
}

// there tells whether the file is there and is the right one.
func (f remote) there(path string, progress func(done, total int64)) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	if err := f.verify(path); errors.Is(err, ErrChecksum) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	progress(info.Size(), info.Size())
	return true, nil
}

// insist gets a file from one server. It tries again as long as each try
// brings more of it, and starts anew if what was there does not fit.
func (f remote) insist(ctx context.Context, url, part string, progress func(done, total int64)) error {
	for try := 1; ; try++ {
		before := sizeOf(part)
		err := f.transfer(ctx, url, part, progress)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil || try == attempts:
			return err
		case errors.Is(err, errResume) || before > 0 && errors.Is(err, ErrChecksum):
			if err := remove(part); err != nil {
				return err
			}
		case errors.Is(err, errTooMuch):
			return errors.Join(err, remove(part))
		case errors.Is(err, ErrServer) || errors.Is(err, ErrChecksum) || sizeOf(part) <= before:
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(try) * pause):
		}
	}
}

var (
	pause      = 500 * time.Millisecond
	errResume  = errors.New("cannot continue the interrupted download")
	errTooMuch = fmt.Errorf("%w to download", ErrTooLarge)
	errSilent  = errors.New("the server has fallen silent")
)

// transfer gets what is missing of a file, once.
func (f remote) transfer(ctx context.Context, url, part string, progress func(done, total int64)) error {
	req, err := grab.NewRequest(part, url)
	if err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	req = req.WithContext(ctx)
	req.HTTPRequest.Header.Set("Accept-Encoding", "identity") // the bytes that the checksum is of
	req.IgnoreRemoteTime = true
	req.NoCreateDirectories = true
	req.Size = f.size
	if f.sha256 != "" {
		sum, err := hex.DecodeString(f.sha256)
		if err != nil {
			return fmt.Errorf("datasets: checksum of %s: %w", f.name, err)
		}
		req.SetChecksum(sha256.New(), sum, true)
	}
	limit := f.limit
	if f.size > 0 {
		limit = f.size
	}
	client := grab.NewClient()
	client.UserAgent = "rnmf-datasets"
	client.HTTPClient = &careful{&http.Client{CheckRedirect: staySafe}, limit}
	resp := client.Do(req)
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for waiting := true; waiting; {
		select {
		case <-resp.Done:
			waiting = false
		case <-ticker.C:
			progress(resp.BytesComplete(), resp.Size())
		}
	}
	err = resp.Err()
	var status grab.StatusCodeError
	switch {
	case err == nil:
		progress(resp.BytesComplete(), resp.Size())
		return nil
	case errors.As(err, &status):
		return fmt.Errorf("%w: %d %s", ErrServer, int(status), http.StatusText(int(status)))
	case errors.Is(err, grab.ErrBadChecksum):
		return fmt.Errorf("%w: %s does not have the SHA-256 %s", ErrChecksum, f.name, f.sha256)
	case errors.Is(err, grab.ErrBadLength):
		// Of the server's file, or of what the last download has left.
		if f.size > 0 && sizeOf(part) <= f.size {
			return fmt.Errorf("%w: %s does not have %d bytes", ErrChecksum, f.name, f.size)
		}
		return errResume
	}
	return err
}

// staySafe follows ten redirects, as net/http does, but none from https to
// http, where anybody on the way could put another file.
func staySafe(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return fmt.Errorf("%w: it redirects too often", ErrServer)
	}
	if last := via[len(via)-1]; last.URL.Scheme == "https" && req.URL.Scheme != "https" {
		return fmt.Errorf("%w: it redirects from https to %s", ErrServer, req.URL)
	}
	return nil
}

// verify returns ErrChecksum if a file is not the expected one.
func (f remote) verify(path string) error {
	if f.sha256 == "" {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != f.sha256 {
		return fmt.Errorf("%w: %s does not have the SHA-256 %s", ErrChecksum, path, f.sha256)
	}
	return nil
}

// sizeOf is 0 for a file that is not there.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("datasets: %w", err)
	}
	return nil
}

// careful is a client that refuses files over the limit and answers that do
// not go on at the byte that was asked for, and that gives up on silence.
type careful struct {
	client *http.Client
	limit  int64
}

func (c *careful) Do(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	timer := time.AfterFunc(patience, func() { cancel(errSilent) })
	resp, err := c.client.Do(req.WithContext(ctx))
	if err != nil {
		timer.Stop()
		cancel(nil)
		if context.Cause(ctx) == errSilent {
			err = errSilent
		}
		return nil, err
	}
	body := &carefulBody{ReadCloser: resp.Body, ctx: ctx, cancel: cancel, timer: timer, left: c.limit}
	resp.Body = body
	var from int64
	if asked := req.Header.Get("Range"); asked != "" && req.Method == http.MethodGet {
		ok := resp.StatusCode == http.StatusPartialContent &&
			strings.HasPrefix(resp.Header.Get("Content-Range"), strings.Replace(asked, "=", " ", 1))
		if ok {
			fmt.Sscanf(asked, "bytes=%d-", &from)
		} else if resp.StatusCode < 300 || resp.StatusCode == http.StatusRequestedRangeNotSatisfiable {
			resp.Body.Close()
			return nil, errResume
		}
	}
	body.left -= from
	if resp.StatusCode < 300 && resp.ContentLength > body.left {
		resp.Body.Close()
		return nil, fmt.Errorf("%w: %d bytes, want at most %d", errTooMuch, from+resp.ContentLength, c.limit)
	}
	return resp, nil
}

type carefulBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	left   int64
}

func (b *carefulBody) Read(p []byte) (int, error) {
	b.timer.Reset(patience)
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooMuch
	}
	if err != nil && context.Cause(b.ctx) == errSilent {
		err = errSilent
	}
	return n, err
}

func (b *carefulBody) Close() error {
	b.timer.Stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
