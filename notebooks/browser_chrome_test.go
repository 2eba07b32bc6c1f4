//go:build unix

package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A chrome is a headless Chromium that we tell what to do over two pipes, by the
// DevTools protocol: a message of JSON after the other, with a 0 byte between.
type chrome struct {
	t    *testing.T
	to   *os.File
	mu   sync.Mutex
	next int
	wait map[int]chan reply
}

type reply struct {
	ID     int
	Result json.RawMessage
	Error  *struct{ Message string }
}

// startChrome skips the test where there is none.
func startChrome(t *testing.T) *chrome {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium in PATH (apt-get install chromium): the notebooks are not tried in a browser")
	}
	profile, err := os.MkdirTemp("", "rnmf-chrome-") // t.TempDir fails when Chromium still writes as it ends
	if err != nil {
		t.Fatal(err)
	}
	theirIn, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--window-size=1100,1500",
		"--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking", "--mute-audio"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // it refuses to start otherwise; it sees our own pages only
	}
	cmd := exec.Command(path, append(args, "about:blank")...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.Env = append(os.Environ(), "HOME="+profile)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to end its helpers with it
	if err := cmd.Start(); err != nil {
		t.Skipf("%s does not start: %v", path, err)
	}
	theirIn.Close()
	theirOut.Close()
	c := &chrome{t: t, to: to, wait: map[int]chan reply{}}
	t.Cleanup(func() {
		to.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		from.Close()
		os.RemoveAll(profile)
	})
	go c.read(bufio.NewReaderSize(from, 1<<16))
	if err := c.call("", "Browser.getVersion", nil, nil); err != nil {
		t.Skipf("%s cannot be driven: %v", path, err)
	}
	return c
}

func (c *chrome) read(r *bufio.Reader) {
	for {
		data, err := r.ReadBytes(0)
		if err != nil {
			c.mu.Lock()
			for id, ch := range c.wait {
				ch <- reply{Error: &struct{ Message string }{"Chromium has ended"}}
				delete(c.wait, id)
			}
			c.mu.Unlock()
			return
		}
		var m reply
		if json.Unmarshal(data[:len(data)-1], &m) != nil {
			continue
		}
		c.mu.Lock()
		if ch, ok := c.wait[m.ID]; ok {
			ch <- m
			delete(c.wait, m.ID)
		}
		c.mu.Unlock()
	}
}

// call calls a method of the protocol, of a page if there is a session.
func (c *chrome) call(session, method string, params map[string]any, result any) error {
	c.mu.Lock()
	c.next++
	id, ch := c.next, make(chan reply, 1)
	c.wait[id] = ch
	m := map[string]any{"id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	if session != "" {
		m["sessionId"] = session
	}
	data, err := json.Marshal(m)
	if err == nil {
		_, err = c.to.Write(append(data, 0))
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case r := <-ch:
		if r.Error != nil {
			return fmt.Errorf("%s: %s", method, r.Error.Message)
		}
		if result != nil {
			return json.Unmarshal(r.Result, result)
		}
		return nil
	case <-time.After(30 * time.Second):
		return fmt.Errorf("%s: no answer", method)
	}
}

// A page is a tab.
type page struct {
	*chrome
	session string
}

// open opens a page until the end of the test.
func (c *chrome) open(url string) *page {
	c.t.Helper()
	var target struct{ TargetID string }
	var session struct{ SessionID string }
	err := c.call("", "Target.createTarget", map[string]any{"url": url}, &target)
	if err == nil {
		err = c.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	}
	if err == nil {
		err = c.call(session.SessionID, "Page.bringToFront", nil, nil)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = c.call("", "Target.closeTarget", map[string]any{"targetId": target.TargetID}, nil) })
	return &page{c, session.SessionID}
}

// js evaluates an expression, or a promise, into v.
func (p *page) js(expression string, v any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := p.call(p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if err != nil {
		return err
	}
	if d := r.ExceptionDetails; d != nil {
		return errors.New(d.Text + " " + d.Exception.Description)
	}
	if v == nil || len(r.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(r.Result.Value, v)
}

// until waits for an expression to be true, and fails otherwise.
func (p *page) until(what, expression string, limit time.Duration) {
	p.t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		var ok bool
		err := p.js("!!("+expression+")", &ok)
		if ok {
			return
		}
		if time.Now().After(end) {
			p.shot("failure")
			p.t.Fatalf("not within %v: %s (%v)", limit, what, err)
		}
	}
}

// still waits, for a screenshot alone, until the value of an expression has not
// changed for a second.
func (p *page) still(expression string) {
	if os.Getenv("RNMF_SCREENSHOTS") == "" {
		return
	}
	p.t.Helper()
	last, since := p.text(expression), time.Now()
	for end := since.Add(15 * time.Second); time.Since(since) < time.Second && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if now := p.text(expression); now != last {
			last, since = now, time.Now()
		}
	}
}

// text returns the value of an expression that is a string.
func (p *page) text(expression string) string {
	p.t.Helper()
	var s string
	if err := p.js(expression, &s); err != nil {
		p.t.Fatal(err)
	}
	return s
}

// click clicks the middle of what a selector finds, with the mouse.
func (p *page) click(selector string) {
	p.t.Helper()
	var at struct{ X, Y float64 }
	err := p.js(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2}; })()`, selector), &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		if err == nil {
			err = p.call(p.session, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
		}
	}
	if err != nil {
		p.t.Fatalf("click on %s: %v", selector, err)
	}
}

// key presses a key.
func (p *page) key(name string, code int) {
	p.t.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		err := p.call(p.session, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code}, nil)
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

// shot keeps a picture of the page in the folder that RNMF_SCREENSHOTS names.
func (p *page) shot(name string) {
	dir := os.Getenv("RNMF_SCREENSHOTS")
	if dir == "" {
		return
	}
	// What was changed is drawn by the second frame.
	_ = p.js(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`, nil)
	var r struct{ Data string }
	err := p.call(p.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	if err == nil {
		var data []byte
		if data, err = base64.StdEncoding.DecodeString(r.Data); err == nil {
			err = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(p.t.Name(), "/", "-")+"-"+name+".png"), data, 0o644)
		}
	}
	if err != nil {
		p.t.Log(err)
	}
}
