//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A frontEnd is what people open notebooks with, and how the test drives it: by an
// object nb in the page.
type frontEnd struct {
	base, token string // of the server
	folder      string // of the notebooks, in the server's addresses
	stop        string // selects the stop button
	nb          string // makes nb for the notebook with the name %q, or is false until that can be done
}

const classicNB = `window.Jupyter && Jupyter.notebook && Jupyter.notebook._fully_loaded && Jupyter.notebook.notebook_name === %q && (window.nb = {
	area: ".output_area",
	kernel: () => Jupyter.notebook.kernel && Jupyter.notebook.kernel.is_connected() && Jupyter.notebook.kernel.info_reply.status === "ok",
	clear: () => (Jupyter.notebook.clear_all_output(), Jupyter.notebook.set_autosave_interval(0), 0),
	codes: () => Jupyter.notebook.get_cells().filter(c => c.cell_type === "code"),
	run: i => (Jupyter.notebook.execute_cells([Jupyter.notebook.get_cells().indexOf(nb.codes()[i])]), 0),
	runAll: () => (Jupyter.notebook.execute_all_cells(), 0),
	done: i => typeof nb.codes()[i].input_prompt_number === "number", // a running cell has a star
	outputs: i => nb.codes()[i].output_area.outputs,
	text: i => nb.codes()[i].output_area.element.text(),
	saved: () => Jupyter.notebook.toJSON(),
})`

// JupyterLab, and Notebook 7, which is made of its parts.
const labNB = `window.jupyterapp?.shell.currentWidget?.context?.path === %q && jupyterapp.shell.currentWidget.content.widgets && (window.nb = {
	area: ".jp-OutputArea-output",
	panel: jupyterapp.shell.currentWidget,
	kernel: () => { const s = nb.panel.sessionContext.session; return s && s.kernel && s.kernel.connectionStatus === "connected" && s.kernel.status === "idle"; },
	clear: () => (jupyterapp.commands.execute("notebook:clear-all-cell-outputs"), 0),
	codes: () => nb.panel.content.widgets.filter(c => c.model.type === "code"),
	run: i => (nb.panel.content.activeCellIndex = nb.panel.content.widgets.indexOf(nb.codes()[i]), jupyterapp.commands.execute("notebook:run-cell"), 0),
	runAll: () => (jupyterapp.commands.execute("notebook:run-all-cells"), 0),
	done: i => typeof nb.codes()[i].model.executionCount === "number",
	outputs: i => nb.codes()[i].model.outputs.toJSON(),
	text: i => nb.codes()[i].outputArea.node.textContent,
	saved: () => nb.panel.content.model.toJSON(),
})`

// startServer serves copies of the notebooks as people do, by a subcommand of
// Jupyter, or skips the test.
func startServer(t *testing.T, server string) *frontEnd {
	t.Helper()
	s := ready(t)
	var args []string
	f := &frontEnd{stop: `[data-command="notebook:interrupt-kernel"]`, nb: labNB, folder: "lab/tree/"}
	version, err := output(exec.CommandContext(t.Context(), s.jup.path, server, "--version"))
	switch {
	case err == nil && server == "notebook" && strings.HasPrefix(version, "6."):
		*f = frontEnd{stop: `button[data-jupyter-action="jupyter-notebook:interrupt-kernel"]`, nb: classicNB, folder: "notebooks/"}
	case err == nil:
		args = []string{"--expose-app-in-browser"}
		if server == "notebook" {
			f.folder = "notebooks/"
		}
	case server != "notebook":
		if _, err := output(exec.CommandContext(t.Context(), s.jup.path, "server", "--version")); err != nil {
			t.Skipf("no JupyterLab, and no server for one (apt-get install jupyter-server python3-jupyterlab-server): %v", err)
		}
		t.Setenv("RNMF_LAB_BUILT", builtLab(t, s))
		t.Setenv("PYTHONPATH", filepath.Join(s.root, "notebooks", "testdata", "lab"))
		if server == "notebook 7" {
			f.folder = "notebooks/"
		}
		server, args = "server", []string{"--ServerApp.jpserver_extensions=rnmf_lab=True"}
	default:
		t.Skip(err)
	}
	s.jup.server = server

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
	served.folder, served.out = folder, &out
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- served.serve(ctx, time.Now(), 0, false, args) }()
	t.Cleanup(func() {
		stop()
		<-stopped
	})
	address := regexp.MustCompile(`(http://localhost:\d+/)\w*\?token=(\w+)`)
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if m := address.FindStringSubmatch(out.String()); m != nil {
			f.base, f.token = m[1], m[2]
			resp, err := http.Get(f.base + "lab?token=" + f.token)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if server == "server" && resp.StatusCode != http.StatusOK {
				t.Skip("no JupyterLab, and no Python package to serve one (apt-get install python3-jupyterlab-server)")
			}
			return f
		}
		if time.Now().After(end) {
			t.Fatalf("the server does not start: %s", out.String())
		}
	}
}

// builtLab returns the folder of JupyterLab and Notebook 7, built of their packages, which
// takes npm, the network and a minute: so RNMF_LAB=build must ask for it.
func builtLab(t *testing.T, s *setup) string {
	t.Helper()
	source := filepath.Join(s.root, "notebooks", "testdata", "lab")
	key := sha256.New()
	key.Write([]byte(labDate))
	for _, name := range []string{"package.json", "build.mjs"} {
		data, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		key.Write(data)
	}
	built := filepath.Join(s.cache, fmt.Sprintf("lab-%x", key.Sum(nil)[:4]))
	if _, err := os.Stat(built); err == nil {
		return built
	}
	if os.Getenv("RNMF_LAB") != "build" {
		t.Skip("no JupyterLab and no Notebook 7; with RNMF_LAB=build this test makes them with npm, and keeps them")
	}
	if err := os.MkdirAll(s.cache, 0o755); err != nil {
		t.Fatal(err)
	}
	tmp, err := os.MkdirTemp(s.cache, "lab-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	data, err := os.ReadFile(filepath.Join(source, "package.json"))
	if err == nil {
		err = os.WriteFile(filepath.Join(tmp, "package.json"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--before="+labDate)
	install.Dir = tmp
	if _, err := output(install); err != nil {
		t.Skipf("no JupyterLab, and its packages cannot be had: %v", err)
	}
	if _, err := output(exec.CommandContext(t.Context(), "node", filepath.Join(source, "build.mjs"), tmp, filepath.Join(tmp, "built"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(tmp, "built"), built); err != nil {
		t.Fatal(err)
	}
	return built
}

// labDate chooses versions that fit: those of that day, JupyterLab 4.6 and Notebook 7.6.
const labDate = "2026-10-15"

// notebook opens a notebook and waits for its kernel.
func (f *frontEnd) notebook(c *chrome, name string) *page {
	c.t.Helper()
	p := c.open(f.base + f.folder + name + "?reset&token=" + f.token)
	p.until("the notebook "+name, fmt.Sprintf(f.nb, name), 30*time.Second)
	p.until("a kernel", `nb.kernel()`, 30*time.Second)
	// A notebook that was run must show new outputs only, and must not be saved.
	if err := p.js(`nb.clear()`, nil); err != nil {
		c.t.Fatal(err)
	}
	return p
}

const (
	allDone = `nb.codes().every((c, i) => nb.done(i))`
	outputs = `nb.codes().flatMap((c, i) => nb.outputs(i))`
	// Pictures that the browser could decode, of all there are.
	seen  = `(() => { const i = [...document.querySelectorAll(nb.area + " img")]; return i.filter(x => x.complete && x.naturalWidth > 0).length + " of " + i.length; })()`
	wrong = outputs + `.filter(o => o.output_type === "error" || o.name === "stderr").map(o => JSON.stringify(o).slice(0, 500)).join("\n")`
)

// TestBrowser opens the tour and the interactive notebook in a headless Chromium, in each
// of Jupyter's pages, as a user does: runs them, looks for pictures and progress, moves a
// slider, and presses the stop button. RNMF_SCREENSHOTS names a folder for pictures.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("no browser with -short")
	}
	for _, server := range []string{"notebook", "lab", "notebook 7"} {
		t.Run(server, func(t *testing.T) {
			c := startChrome(t)
			f := startServer(t, server)
			t.Run("tour", func(t *testing.T) {
				if server == "notebook 7" {
					t.Skip("its outputs are those of JupyterLab")
				}
				c.t = t
				tour(t, f.notebook(c, "00-tour.ipynb"))
			})
			t.Run("interactive", func(t *testing.T) {
				c.t = t
				interactive(t, f.notebook(c, "08-interactive.ipynb"), f.stop)
			})
		})
	}
}

func tour(t *testing.T, p *page) {
	p.shot("tour-open")
	if err := p.js(`nb.runAll()`, nil); err != nil {
		t.Fatal(err)
	}
	p.until("all cells of the tour", allDone, 3*time.Minute)
	if bad := p.text(wrong); bad != "" {
		t.Error(bad)
	}
	p.until("10 pictures of 10", seen+` === "10 of 10"`, 5*time.Second)
	if html := p.text(outputs + `.map(o => (o.data || {})["text/html"] || "").join("")`); strings.Contains(html, "rnmf-live") || strings.Count(html, "<table>") != 1 {
		t.Errorf("tables and leftovers: %.300s", html)
	}
	for name, selector := range map[string]string{"tour-run": "img", "tour-table": "table"} {
		_ = p.js(`document.querySelectorAll(nb.area + " `+selector+`")[1].scrollIntoView({block: "start"})`, nil)
		p.shot(name)
	}
}

func interactive(t *testing.T, p *page, stopButton string) {
	if n := p.text(`String(nb.codes().length)`); n != "8" {
		t.Fatalf("%s cells of code", n)
	}
	begin := func(i int) {
		t.Helper()
		if err := p.js(fmt.Sprintf(`nb.run(%d)`, i), nil); err != nil {
			t.Fatal(err)
		}
	}
	begin(0)
	controls := func(i int) {
		t.Helper()
		begin(i)
		p.until("controls", `globalThis.gonb_comm && document.querySelector(".rnmf-panel button")`, time.Minute)
	}
	controls(1)
	p.until("two pictures", seen+` === "2 of 2"`, 10*time.Second)
	_ = p.js(`document.querySelector(".rnmf-panel").scrollIntoView({block: "start"})`, nil)
	p.shot("slider")
	picture := `document.querySelectorAll(nb.area + " img")[1].src` // the first one is of weights
	label := `document.querySelector(".rnmf-panel output").textContent`
	before, was := p.text(picture), p.text(label)
	_ = p.js(`document.querySelector(".rnmf-panel input").focus()`, nil)
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
	p.until("the end of the cell", `nb.done(1)`, 10*time.Second)
	p.until("what was set, in place of the panel", `nb.text(1).trim() === "outliers 45"`, 5*time.Second)

	controls(4)
	p.until("three controls", `document.querySelectorAll(".rnmf-panel input, .rnmf-panel select").length === 3`, 10*time.Second)
	p.until("three pictures", seen+` === "3 of 3"`, 10*time.Second)
	_ = p.js(`(() => { window.before = document.querySelectorAll(nb.area + " img")[2].src; const s = document.querySelector(".rnmf-panel select"); s.value = 1; s.dispatchEvent(new Event("input", {bubbles: true})); })()`, nil)
	p.until("a picture of another loss", `document.querySelectorAll(nb.area + " img")[2].src !== window.before`, 20*time.Second)
	_ = p.js(`document.querySelector(".rnmf-panel").scrollIntoView({block: "start"})`, nil)
	p.shot("choice")
	p.click(stopButton)
	p.until("the stop button to end the cell", `nb.done(4)`, 4*time.Second)

	begin(6)
	// Of the second fit: the first may end between two looks, and then no line has a round for a while.
	round := `(document.querySelector(".rnmf-live")?.textContent.match(/multiplicative · round (\d+)/)?.[1] ?? "")`
	p.until("progress", `document.querySelector(".rnmf-live svg") && `+round, time.Minute)
	first := p.text(round)
	p.until("more rounds", round+` && `+round+` !== "`+first+`"`, 15*time.Second)
	_ = p.js(`document.querySelector(".rnmf-live").scrollIntoView({block: "center"})`, nil)
	p.shot("progress")
	p.click(stopButton)
	p.until("the stop button to end the fit", `nb.done(6)`, 6*time.Second)
	p.until("the end to be shown", `document.querySelectorAll(".rnmf-live").length === 0`, 5*time.Second)
	if out := p.text(`nb.outputs(6).filter(o => o.name === "stdout").map(o => [o.text].flat().join("")).join("")`); !strings.Contains(out, "cancelled") || !strings.Contains(out, "converged") {
		t.Errorf("after the stop button: %q", out)
	}
	p.until("two pictures of the end", seen+` === "5 of 5"`, 5*time.Second)
	p.shot("stopped")
	if bad := p.text(wrong); bad != "" {
		t.Error(bad)
	}
	// What would be saved.
	saved := p.text(`JSON.stringify(nb.saved().cells.flatMap(c => c.outputs || []).map(o => Object.assign({}, o.data || {}, {"image/png": 0})))`)
	for _, bad := range []string{"rnmf-live", "rnmf-panel", "<script", "<svg"} {
		if strings.Contains(saved, bad) {
			t.Errorf("%s is left in %.1500s", bad, saved)
		}
	}
}
