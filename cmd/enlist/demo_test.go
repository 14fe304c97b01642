package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"enlist/internal/demo"
)

var demoLink = regexp.MustCompile(`http://\S+/admin/link/\S+`)

// startDemo runs enlist demo in a folder until the function that it returns is called. It returns what the command has
// printed.
func startDemo(t *testing.T, dir string) (printed string, stop func()) {
	t.Helper()
	c := &demoCommand{Listen: "127.0.0.1:0", Dir: dir, scale: 200}
	ctx, cancel := context.WithCancel(t.Context())
	out, stdout := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := c.Run(ctx, &console{stdout: stdout, stderr: t.Output(), getenv: func(string) string { return "" }})
		stdout.CloseWithError(io.EOF)
		ended <- err
	}()
	for text := make([]byte, 4096); !demoLink.MatchString(printed); {
		n, err := out.Read(text)
		if err != nil {
			t.Fatalf("the demo ended with %v after it printed %q", <-ended, printed)
		}
		printed += string(text[:n])
	}
	return printed, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the demo ended with %v", err)
		}
	}
}

// The demo is built once in a folder. Its link leads to the pages, and its mails are files of the folder.
func TestDemoIsBuiltAndServed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "club")
	printed, stop := startDemo(t, dir)
	reply, err := http.Get(demoLink.FindString(printed))
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(reply.Body)
	reply.Body.Close()
	if err != nil || reply.StatusCode != http.StatusOK || !strings.Contains(string(page), demo.Users()[0].Name) {
		t.Errorf("the link answers %s and %s, want a page for %s", reply.Status, page, demo.Users()[0].Name)
	}
	if !strings.Contains(printed, filepath.Join(dir, "mail")) {
		t.Errorf("the command printed %q, want the folder of mails in %s", printed, dir)
	}
	stop()
	built, err := os.Stat(filepath.Join(dir, demoMark))
	if err != nil {
		t.Fatal(err)
	}
	_, stop = startDemo(t, dir)
	stop()
	again, err := os.Stat(filepath.Join(dir, demoMark))
	if err != nil || again.ModTime() != built.ModTime() {
		t.Errorf("the second start built the demo again (%v)", err)
	}
}

// A demo whose address is in use says so before it builds anything.
func TestDemoAtAnAddressInUseBuildsNothing(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	dir := filepath.Join(t.TempDir(), "club")
	c := &demoCommand{Listen: other.Addr().String(), Dir: dir, scale: 200}
	err = c.Run(t.Context(), &console{stdout: t.Output(), stderr: t.Output(), getenv: func(string) string { return "" }})
	if err == nil || !strings.Contains(err.Error(), "--listen") {
		t.Errorf("the demo ended with %v, want an error that names --listen", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("the folder has %v (%v), want no file", files, err)
	}
}

// A demo that is stopped while it is built leaves no file.
func TestStoppedDemoLeavesNoFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "club")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := &demoCommand{Listen: "127.0.0.1:0", Dir: dir}
	err := c.Run(ctx, &console{stdout: t.Output(), stderr: t.Output(), getenv: func(string) string { return "" }})
	if err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("the demo ended with %v, want an error that says that it was stopped", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("the folder has %v (%v), want no file", files, err)
	}
}
