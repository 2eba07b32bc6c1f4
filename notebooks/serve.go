package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// serve runs the notebook server until ctx ends. Arguments go to Jupyter.
func (s *setup) serve(ctx context.Context, start time.Time, browser bool, args []string) error {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return fmt.Errorf("%q: names of notebooks go with -run, -check or -html", arg)
		}
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	token := rand.Text()
	if os.Geteuid() == 0 {
		args = append([]string{"--allow-root"}, args...)
	}
	args = append([]string{s.jup.server, "-y", "--no-browser", "--log-level=ERROR", fmt.Sprint("--port=", port), "--port-retries=0"}, args...)
	cmd := s.command(ctx, s.jup.path, args...)
	cmd.Dir = filepath.Join(s.root, "notebooks")
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
		open(address)
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

// freePort prefers Jupyter's usual ports.
func freePort() (int, error) {
	for port := 8888; ; port++ {
		if port == 8898 {
			port = 0
		}
		l, err := net.Listen("tcp", fmt.Sprintf("localhost:%d", port))
		if err == nil {
			defer l.Close()
			return l.Addr().(*net.TCPAddr).Port, nil
		}
		if port == 0 {
			return 0, err
		}
	}
}

// open shows the address in a browser if it can: the address is printed anyway.
func open(address string) {
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	if cmd := exec.Command(name, address); cmd.Start() == nil {
		go cmd.Wait()
	}
}
