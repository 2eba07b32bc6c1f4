package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// serve runs the notebook server until ctx ends. A first argument that is a folder is
// served, others go to Jupyter.
func (s *setup) serve(ctx context.Context, start time.Time, port int, browser bool, args []string) error {
	folder := s.folder
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
			return fmt.Errorf("%q is not a folder: names of notebooks go with -run, -check or -html", args[0])
		}
		folder, args = args[0], args[1:]
	}
	port, err := freePort(port)
	if err != nil {
		return err
	}
	s.others(ctx)
	token := rand.Text()
	if os.Geteuid() == 0 {
		args = append([]string{"--allow-root"}, args...)
	}
	args = append([]string{s.jup.server, "-y", "--no-browser", "--log-level=ERROR", fmt.Sprint("--port=", port), "--port-retries=0"}, args...)
	cmd := s.command(ctx, s.jup.path, args...)
	cmd.Dir = folder
	cmd.Env = append(cmd.Env, "JUPYTER_TOKEN="+token) // not in the arguments, which everyone on the machine can read
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	stopped := make(chan error, 1)
	go func() { stopped <- cmd.Wait() }()

	address := fmt.Sprintf("http://localhost:%d/", port)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		resp, err := http.Get(address + "api")
		if err == nil {
			resp.Body.Close()
			break
		}
		select {
		case err := <-stopped:
			return fmt.Errorf("jupyter %s: %w", s.jup.server, err)
		default:
		}
		if time.Now().After(deadline) {
			break // it may well come yet; the address is right
		}
	}
	page := map[string]string{"notebook": "tree", "lab": "lab"}[s.jup.server]
	address += page + "?token=" + token
	fmt.Fprintf(s.out, "Ready after %.1f s. The notebooks are at\n\n    %s\n\nCtrl-C stops the server.\n", time.Since(start).Seconds(), address)
	if browser {
		defer open(s.out, address)()
	}
	if os.Getenv("CI") == "" {
		go s.gopls(ctx)
	}
	err = <-stopped
	if ctx.Err() != nil {
		fmt.Fprintln(s.out, "Stopped.")
		return nil
	}
	return err
}

// others tells of servers of the user's that run already. They leave files, which say
// where, and which those that were killed leave for ever.
func (s *setup) others(ctx context.Context) {
	text, err := output(exec.CommandContext(ctx, s.jup.path, "--runtime-dir"))
	if err != nil {
		return
	}
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(text), "*server-*.json"))
	for _, file := range files {
		var server struct {
			Port         int
			URL          string
			Root_dir     string
			Notebook_dir string // of notebook 6
		}
		data, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(data, &server) != nil {
			continue
		}
		conn, err := net.DialTimeout("tcp", fmt.Sprintf("localhost:%d", server.Port), time.Second)
		if err != nil {
			continue
		}
		conn.Close()
		fmt.Fprintf(s.out, "A Jupyter of yours runs already, at %s for %s, and is left alone; go run ./notebooks -install makes the Go kernel known to it.\n", server.URL, server.Root_dir+server.Notebook_dir)
	}
}

// freePort finds one, of Jupyter's usual ones if it can, unless one is asked for.
func freePort(wanted int) (int, error) {
	try := func(port int) (int, error) {
		l, err := net.Listen("tcp", fmt.Sprintf("localhost:%d", port))
		if err != nil {
			return 0, err
		}
		defer l.Close()
		return l.Addr().(*net.TCPAddr).Port, nil
	}
	if wanted != 0 {
		port, err := try(wanted)
		if err != nil {
			err = fmt.Errorf("port %d cannot be used, perhaps because another program uses it: leave -port out, and a free port is taken (%w)", wanted, err)
		}
		return port, err
	}
	for port := 8888; port < 8898; port++ {
		if port, err := try(port); err == nil {
			return port, nil
		}
	}
	return try(0)
}

// open shows the address in a browser if it can: the address is printed anyway. The token in it
// would stand in the arguments of the program that opens a browser, which everyone on the machine
// can read. So that program gets a page, which no one else can read and which leads to the address,
// as Jupyter itself does it. The returned function removes the page.
func open(out io.Writer, address string) (forget func()) {
	no := func(err error) {
		fmt.Fprintf(out, "No browser could be opened (%v): open the address above yourself (on another machine, after ssh -L with its port).\n", err)
	}
	f, err := os.CreateTemp("", "rnmf-open-*.html") // with mode 0600
	if err != nil {
		no(err)
		return func() {}
	}
	page := "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"0;url=%[1]s\">\n<title>Opening Jupyter</title>\n<a href=\"%[1]s\">Jupyter</a>\n"
	_, err = fmt.Fprintf(f, page, html.EscapeString(address))
	if err = errors.Join(err, f.Close()); err != nil {
		no(err)
		return func() { os.Remove(f.Name()) }
	}
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	cmd := exec.Command(name, f.Name())
	err = cmd.Start()
	go func() {
		if err == nil {
			err = cmd.Wait()
		}
		if err != nil {
			no(err)
		}
	}()
	return func() { os.Remove(f.Name()) }
}
