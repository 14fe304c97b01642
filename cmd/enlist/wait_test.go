package main

import (
	"bufio"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// These tests start the service or a command while its database server cannot be reached.

// A service that waits for its database server logs that it waits, and a signal stops the service.
func TestServiceThatWaitsForItsDatabaseCanBeStopped(t *testing.T) {
	cmd := exec.Command("enlist", "serve", "--db", "postgres://enlist@/enlist?host="+t.TempDir(), "--listen", "127.0.0.1:0", "--ops-listen", "none")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil || !strings.Contains(line, "waiting for it") {
		t.Errorf("the service logs %q, error %v; want a line with \"waiting for it\"", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM the service ended with %v", err)
	}
}

// The subcommand serve waits for its database server. All other subcommands fail at once.
func TestCommandsDoNotWaitForTheDatabase(t *testing.T) {
	out, err := exec.Command("enlist", "key", "list", "--db", "postgres://enlist@/enlist?host="+t.TempDir()).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "connect to the database") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("enlist key list ended with %v and printed %s", err, out)
	}
}
