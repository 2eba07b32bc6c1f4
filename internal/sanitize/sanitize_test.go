package sanitize

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// fragment parses what stands in a body.
func fragment(t testing.TB, text string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader("<body>" + text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// active finds what in a text a browser would run, send, fetch or follow by itself.
func active(t testing.TB, text string) (all []string) {
	t.Helper()
	for n := range fragment(t, text).Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "style", "link", "meta", "base", "iframe", "frame", "frameset", "object", "embed", "applet", "form", "input", "button",
			"textarea", "select", "audio", "video", "source", "track", "svg", "math", "template", "marquee", "portal", "dialog", "area":
			all = append(all, n.Data)
		}
		for _, a := range n.Attr {
			value := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
			switch scheme, _, is := strings.Cut(value, ":"); {
			case strings.HasPrefix(a.Key, "on"), a.Key == "srcset", a.Key == "formaction", a.Key == "srcdoc", a.Key == "background", a.Key == "ping",
				a.Key == "style" && strings.Contains(value, "url("),
				a.Key == "href" && is && !slices.Contains([]string{"http", "https", "mailto"}, scheme) && !strings.ContainsAny(scheme, "/?#"),
				a.Key == "src" && !strings.HasPrefix(value, "data:image/"):
				all = append(all, n.Data+" "+a.Key+"="+a.Val)
			}
		}
	}
	return all
}

var attacks = []string{
	`<script>alert(1)</script>`, `<SCRIPT SRC=http://e/x.js></SCRIPT>`, `<scr<script>ipt><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`,
	`<a href="javascript:alert(1)">x</a>`, `<a href=" java	script:alert(1)">x</a>`, `<a href="&#106;avascript:alert(1)">x</a>`,
	`<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>`, `<a href="data:image/svg+xml;base64,PHN2Zz4=">x</a>`, `<a href="vbscript:x">x</a>`, `<a href="file:///etc/passwd">x</a>`,
	`<a href="https://e" ping="https://f" onclick=alert(1)>x</a>`,
	`<meta http-equiv=refresh content="0;url=http://e">`, `<base href=http://e>`, `<link rel=stylesheet href=http://e>`,
	`<form action=http://e><input name=a autofocus onfocus=alert(1)><button formaction=javascript:alert(1)>x</button></form>`,
	`<iframe src=http://e></iframe>`, `<iframe srcdoc="<script>alert(1)</script>"></iframe>`, `<object data=http://e></object>`, `<embed src=http://e>`,
	`<style>@import "http://e"; body { background: url(http://e) }</style>`, `<p style="background:url(http://e);position:fixed">x</p>`, `<table background=http://e><tr><td>1</table>`,
	`<img srcset="http://e 1x">`, `<img src="\\\\e">`, `<img src=" //e">`, `<img src="http://e">`, `<picture><source srcset=http://e><img src=//e></picture>`, `<video src=http://e poster=http://f></video>`, `<audio src=http://e>`,
	`<svg onload=alert(1)><script>alert(1)</script><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>`, `<svg><style><img src=x onerror=alert(1)></style></svg>`,
	`<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>`, `<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>`,
	`<template><script>alert(1)</script></template>`, `<details open ontoggle=alert(1)>x</details>`, `<marquee onstart=alert(1)>x</marquee>`, `<p>x</p><body onload=alert(1)>`,
}

// TestNothingRuns wants that of no attack anything is left that runs or loads.
func TestNothingRuns(t *testing.T) {
	for _, text := range append(attacks, strings.Join(attacks, "\n")) {
		if len(active(t, text)) == 0 {
			t.Errorf("no attack: %s", text)
		}
		doc := fragment(t, text)
		if _, err := Embed(doc, t.TempDir()); err != nil {
			t.Error(err)
		}
		var b bytes.Buffer
		if err := html.Render(&b, doc); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{b.String(), text} {
			out := HTML(text)
			left := slices.DeleteFunc(active(t, out), func(s string) bool { return s == "img src=x" }) // a file, which Embed replaces
			if len(left) > 0 {
				t.Errorf("%s\nbecame %s\nwith %q", text, out, left)
			}
		}
	}
}

// FuzzHTML looks for text of which something is left that runs or loads.
func FuzzHTML(f *testing.F) {
	for _, text := range attacks {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := HTML(text)
		for _, left := range active(t, out) {
			// Files stay, of which Embed makes images.
			if file, is := strings.CutPrefix(left, "img src="); !is || strings.Contains(file, ":") || strings.HasPrefix(file, "/") || strings.HasPrefix(file, `\`) {
				t.Errorf("%q\nbecame %q\nwith %q", text, out, left)
			}
		}
	})
}

// TestKept wants what notebooks show to stay as it is.
func TestKept(t *testing.T) {
	for _, text := range []string{
		`<h1 id="Füße">Füße<a class="anchor-link" href="#F%C3%BC%C3%9Fe">¶</a></h1>`,
		`<table><caption>c</caption><thead><tr><th style="text-align: right">a</th></tr></thead><tbody><tr><td colspan="2">1</td></tr></tbody></table>`,
		`<details open=""><summary>s</summary>x</details>`,
		"<pre><span></span><span class=\"nx\">fmt</span>.Println(&#34;&lt;a&gt;&#34;)\n\n\tx</pre>",
		`<a href="01-l21-nmf.ipynb#Exercises">1</a><a href="https://example.com/a?b=c&amp;d">2</a><a href="mailto:me@example.com">3</a>`,
		`<img src="data:image/png;base64,iVBORw0KGgo=" alt="a">`, `<img src="files/a%20b.png">`,
		`<div class="jp-RenderedText" data-mime-type="application/vnd.jupyter.stderr"><pre>x</pre></div>`,
	} {
		if got := HTML(text); got != text {
			t.Errorf("%s\nbecame %s", text, got)
		}
	}
}

// TestEmbed takes images of the folder, under any name, and nothing else of the disk.
func TestEmbed(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		filepath.Join(outside, "secret.png"): picture.Bytes(),
		filepath.Join(dir, "a.png"):          picture.Bytes(),
		filepath.Join(dir, "Füße & 1.png"):   picture.Bytes(),
		filepath.Join(dir, "sub", "b.svg"):   []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"),
		filepath.Join(dir, "notes.txt"):      []byte("secret"),
		filepath.Join(dir, "fake.png"):       []byte("secret"),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	large, err := os.Create(filepath.Join(dir, "large.png"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := large.Write(picture.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := large.Truncate(most + 1); err != nil { // without a byte on the disk
		t.Fatal(err)
	}
	large.Close()
	links := map[string]string{"in.png": "a.png", "out.png": filepath.Join(outside, "secret.png"), "zero.png": "/dev/zero", "up": outside}
	for from, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip(err)
		}
	}
	pipe := makePipe(t, filepath.Join(dir, "pipe.png"))
	up := strings.Repeat("../", 30)
	relative, err := filepath.Rel(dir, filepath.Join(outside, "secret.png"))
	if err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]string{
		"a.png": "", "./sub/../a.png": "", "in.png": "", "F%C3%BC%C3%9Fe%20&amp;%201.png": "", "Füße &amp; 1.png": "", "sub/b.svg": "",
		up + "etc/hostname": "escapes", "/etc/hostname": "escapes", relative: "escapes", "out.png": "escapes", "zero.png": "escapes", "up/secret.png": "escapes",
		"/dev/zero": "escapes", "pipe.png": "regular", "sub": "regular", ".": "regular", "notes.txt": "not a PNG", "fake.png": "not a PNG", "none.png": "no such file",
		"large.png": "64 MB", "file:///etc/hostname": "not a file", "http://e/x.png": "not a file", "//e/x.png": "not a file", "": "not a file",
	} {
		if src == "pipe.png" && !pipe {
			continue
		}
		doc := fragment(t, `<p><img alt="words" src="`+src+`"></p>`)
		type result struct {
			notes []string
			err   error
		}
		ended := make(chan result, 1)
		go func() {
			notes, err := Embed(doc, dir)
			ended <- result{notes, err}
		}()
		var got result
		select {
		case got = <-ended:
		case <-time.After(20 * time.Second):
			t.Fatalf("%q: hangs", src)
		}
		var b bytes.Buffer
		if err := html.Render(&b, doc); err != nil || got.err != nil {
			t.Fatal(err, got.err)
		}
		out := HTML(b.String())
		switch {
		case want == "" && (len(got.notes) > 0 || !strings.Contains(out, `src="data:image/`)):
			t.Errorf("%q became %s, %q", src, out, got.notes)
		case want != "" && (len(got.notes) != 1 || !strings.Contains(got.notes[0], want) || strings.Contains(out, "<img") || !strings.Contains(out, "words")):
			t.Errorf("%q became %s, %q, want %q", src, out, got.notes, want)
		}
	}
	// All images of a page together have the bound, too.
	if err := os.Truncate(filepath.Join(dir, "large.png"), most/3); err != nil {
		t.Fatal(err)
	}
	notes, err := Embed(fragment(t, strings.Repeat(`<img src=large.png>`, 4)), dir)
	if err != nil || len(notes) != 1 {
		t.Errorf("four images of a third: %q, %v", notes, err)
	}
}

// TestDrawing makes an image of a drawing, which keeps what it shows.
func TestDrawing(t *testing.T) {
	doc := fragment(t, `<p>x<svg viewBox="0 0 1 1" onload=alert(1)><script>alert(1)</script><circle r=1 /><use xlink:href="#a"/></svg>y</p>`)
	if _, err := Embed(doc, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := html.Render(&b, doc); err != nil {
		t.Fatal(err)
	}
	out := HTML(b.String())
	_, data, _ := strings.Cut(out, "base64,")
	data, _, _ = strings.Cut(data, `"`)
	svg, err := base64.StdEncoding.DecodeString(data)
	if err != nil || !strings.Contains(out, "x<img") || !strings.Contains(out, "y</p>") {
		t.Fatal(out, err)
	}
	for _, want := range []string{`viewBox="0 0 1 1"`, "circle", `xmlns="http://www.w3.org/2000/svg"`, `xmlns:xlink="http`, `xlink:href="#a"`} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("no %q in %s", want, svg)
		}
	}
}
