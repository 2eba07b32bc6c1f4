//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

type safeBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// A liveServer is Jupyter as people start it, on copies of the notebooks.
type liveServer struct {
	folder, base, token string
}

func startServer(t *testing.T) *liveServer {
	t.Helper()
	s := ready(t)
	if err := s.jupyter(t.Context(), true, false); err != nil {
		t.Skipf("no notebook server: %v", err)
	}
	root := t.TempDir()
	folder := filepath.Join(root, "notebooks")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("*.ipynb")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, file), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("CI", "1") // no gopls
	t.Setenv("RNMF_QUICK", "1")
	t.Setenv("RNMF_HEADLESS", "")
	t.Setenv("JUPYTER_CONFIG_DIR", filepath.Join(root, "config"))
	t.Setenv("JUPYTER_DATA_DIR", filepath.Join(root, "data"))
	t.Setenv("JUPYTER_RUNTIME_DIR", filepath.Join(root, "run"))
	var out safeBuffer
	served := *s
	served.root, served.out = root, &out
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- served.serve(ctx, time.Now(), false, nil) }()
	t.Cleanup(func() {
		stop()
		<-stopped
	})
	address := regexp.MustCompile(`(http://localhost:\d+/)\w+\?token=(\w+)`)
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if m := address.FindStringSubmatch(out.String()); m != nil {
			return &liveServer{folder, m[1], m[2]}
		}
		if time.Now().After(end) {
			t.Fatalf("the server does not start: %s", out.String())
		}
	}
}

// notebook opens a notebook and waits for its kernel.
func (l *liveServer) notebook(c *chrome, name string) *page {
	c.t.Helper()
	p := c.open(l.base + "notebooks/" + name + "?token=" + l.token)
	end := time.Now().Add(30 * time.Second)
	for ; ; time.Sleep(100 * time.Millisecond) {
		var is string
		_ = p.js(`window.Jupyter && Jupyter.notebook ? "classic" : document.querySelector(".jp-Notebook") ? "new" : ""`, &is)
		if is == "classic" {
			break
		}
		if is == "new" {
			c.t.Skip("this test knows how to drive notebook 6, this is a newer one")
		}
		if time.Now().After(end) {
			p.shot("failure")
			c.t.Fatalf("%s does not open", name)
		}
	}
	p.until("a kernel", `Jupyter.notebook._fully_loaded && Jupyter.notebook.kernel && Jupyter.notebook.kernel.is_connected() && Jupyter.notebook.kernel.info_reply.status === "ok"`, 30*time.Second)
	// A notebook that was run must show new outputs only, and must not be saved.
	if err := p.js(`Jupyter.notebook.clear_all_output(), Jupyter.notebook.set_autosave_interval(0), 0`, nil); err != nil {
		c.t.Fatal(err)
	}
	return p
}

const (
	runCell = `Jupyter.notebook.execute_cells([%d]), 0`
	cells   = `Jupyter.notebook.get_cells()`
	codes   = cells + `.filter(c => c.cell_type === "code")`
	stopBtn = `button[data-jupyter-action="jupyter-notebook:interrupt-kernel"]`
	// A cell that is running has a star for a number.
	allDone = codes + `.every(c => typeof c.input_prompt_number === "number")`
	outputs = codes + `.flatMap(c => c.output_area.outputs)`
	wrong   = outputs + `.filter(o => o.output_type === "error" || o.name === "stderr").map(o => JSON.stringify(o).slice(0, 500)).join("\n")`
	// Pictures that the browser could decode, of all there are.
	seen = `(() => { const i = [...document.querySelectorAll(".output_area img")]; return i.filter(x => x.complete && x.naturalWidth > 0).length + " of " + i.length; })()`
)

// TestBrowser opens the tour and the interactive notebook in Jupyter in a headless
// Chromium, as a user does: runs them, looks for pictures and progress, moves a
// slider, and presses the stop button. RNMF_SCREENSHOTS names a folder for pictures.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("no browser with -short")
	}
	c := startChrome(t)
	server := startServer(t)

	t.Run("tour", func(t *testing.T) {
		c.t = t
		p := server.notebook(c, "00-tour.ipynb")
		p.shot("tour-open")
		if err := p.js(`Jupyter.notebook.execute_all_cells(), 0`, nil); err != nil {
			t.Fatal(err)
		}
		p.until("all cells of the tour", allDone, 3*time.Minute)
		if bad := p.text(wrong); bad != "" {
			t.Error(bad)
		}
		p.until("5 pictures of 5", seen+` === "5 of 5"`, 5*time.Second)
		if html := p.text(outputs + `.map(o => (o.data || {})["text/html"] || "").join("")`); strings.Contains(html, "rnmf-live") || strings.Count(html, "<table>") != 3 {
			t.Errorf("tables and leftovers: %.300s", html)
		}
		for i, selector := range []string{".output_area img", ".output_area table"} {
			_ = p.js(`document.querySelectorAll("`+selector+`")[1].scrollIntoView({block: "start"})`, nil)
			p.shot([]string{"tour-run", "tour-table"}[i])
		}
	})

	t.Run("interactive", func(t *testing.T) {
		c.t = t
		p := server.notebook(c, "08-interactive.ipynb")
		var code []int
		if err := p.js(cells+`.map((c, i) => c.cell_type === "code" ? i : -1).filter(i => i >= 0)`, &code); err != nil || len(code) != 4 {
			t.Fatal(code, err)
		}
		begin := func(i int) {
			t.Helper()
			if err := p.js(fmt.Sprintf(runCell, code[i]), nil); err != nil {
				t.Fatal(err)
			}
		}
		begin(0)
		// controls begins a cell that has some, again if GoNB did not connect within the
		// half second that it takes for it, as the cell then asks for.
		controls := func(i int) {
			t.Helper()
			for try := 1; ; try++ {
				begin(i)
				p.until("controls, or a request to run the cell again", `document.querySelector(".rnmf-panel button") || typeof `+codes+fmt.Sprintf("[%d]", i)+`.input_prompt_number === "number"`, 2*time.Minute)
				if p.text(`String(!!document.querySelector(".rnmf-panel button"))`) == "true" {
					return
				}
				said := p.text(codes + fmt.Sprintf("[%d]", i) + `.output_area.element.text()`)
				if !strings.Contains(said, "run the cell again") || try == 3 {
					t.Fatalf("no controls, try %d: %q", try, said)
				}
				t.Log("GoNB did not connect: the cell is run again")
			}
		}
		controls(1)
		p.until("a picture", seen+` === "1 of 1"`, 10*time.Second)
		_ = p.js(`document.querySelector(".rnmf-panel").scrollIntoView({block: "start"})`, nil)
		p.shot("slider")
		picture := `document.querySelector(".output_area img").src`
		label := `document.querySelector(".rnmf-panel output").textContent`
		before, was := p.text(picture), p.text(label)
		_ = p.js(`Jupyter.notebook.keyboard_manager.disable(), document.querySelector(".rnmf-panel input").focus()`, nil)
		for range 15 {
			p.key("ArrowRight", 39)
		}
		if now := p.text(label); was != "30" || now != "45" {
			t.Errorf("the label reads %s, then %s", was, now)
		}
		_ = p.js(`window.before = `+picture+`, 0`, nil)
		p.until("another picture", picture+` !== window.before || window.before.length !== `+strconv.Itoa(len(before)), 10*time.Second)
		p.still(picture)
		p.shot("slider-moved")
		p.click(".rnmf-panel button")
		p.until("the end of the cell", codes+`[1].input_prompt_number > 0`, 10*time.Second)
		if left := p.text(`document.querySelector(".output_area .output_html") ? [...document.querySelectorAll(".output_area .output_html")].map(e => e.textContent).join("").trim() : ""`); left != "outliers 45" {
			t.Errorf("the panel left %q", left)
		}

		controls(2)
		p.until("three controls", `document.querySelectorAll(".rnmf-panel input, .rnmf-panel select").length === 3`, 10*time.Second)
		p.until("two pictures", seen+` === "2 of 2"`, 10*time.Second)
		_ = p.js(`(() => { window.before = document.querySelectorAll(".output_area img")[1].src; const s = document.querySelector(".rnmf-panel select"); s.value = 0; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, nil)
		p.until("a picture of another loss", `document.querySelectorAll(".output_area img")[1].src !== window.before`, 20*time.Second)
		_ = p.js(`document.querySelector(".rnmf-panel").scrollIntoView({block: "start"})`, nil)
		p.shot("choice")
		p.click(stopBtn)
		p.until("the stop button to end the cell", codes+`[2].input_prompt_number > 0`, 4*time.Second)

		begin(3)
		p.until("progress", `document.querySelector(".rnmf-live svg")`, time.Minute)
		round := `document.querySelector(".rnmf-live").textContent.match(/round (\d+)/)[1]`
		first := p.text(round)
		p.until("more rounds", round+` !== "`+first+`"`, 15*time.Second)
		_ = p.js(`document.querySelector(".rnmf-live").scrollIntoView({block: "center"})`, nil)
		p.shot("progress")
		p.click(stopBtn)
		p.until("the stop button to end the fit", codes+`[3].input_prompt_number > 0`, 6*time.Second)
		p.until("the end to be shown", `document.querySelectorAll(".rnmf-live").length === 0`, 5*time.Second)
		if out := p.text(codes + `[3].output_area.outputs.filter(o => o.name === "stdout").map(o => o.text).join("")`); !strings.Contains(out, "cancelled") || !strings.Contains(out, "converged") {
			t.Errorf("after the stop button: %q", out)
		}
		p.until("a picture of the end", seen+` === "3 of 3"`, 5*time.Second)
		p.shot("stopped")
		if bad := p.text(wrong); bad != "" {
			t.Error(bad)
		}
		// What would be saved.
		saved := p.text(`JSON.stringify(Jupyter.notebook.toJSON().cells.flatMap(c => c.outputs || []).map(o => Object.assign({}, o.data || {}, {"image/png": 0})))`)
		for _, bad := range []string{"rnmf-live", "rnmf-panel", "<script", "<svg"} {
			if strings.Contains(saved, bad) {
				t.Errorf("%s is left in %.1500s", bad, saved)
			}
		}
	})
}
