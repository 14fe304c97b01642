package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// This file runs the command lines of a script in one process, which has the working directory of the script. A process
// for each of the 400 lines took half of the processor time of this package's tests.

// commandLine is a line for commandLines.
type commandLine struct {
	Args []string
	Env  []string // the environment, each variable as NAME=VALUE
}

// lineResult is what a command line did.
type lineResult struct {
	Status         int
	Stdout, Stderr string
}

// commandLines is a program that runs the command lines that it reads, one after the other.
func commandLines() {
	lines, results := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var l commandLine
		if lines.Decode(&l) != nil {
			return // the script has ended
		}
		os.Clearenv()
		for _, v := range l.Env {
			name, value, _ := strings.Cut(v, "=")
			os.Setenv(name, value)
		}
		var stdout, stderr bytes.Buffer
		status := run(l.Args, &console{stdout: &stdout, stderr: &stderr, getenv: os.Getenv, environ: os.Environ})
		results.Encode(lineResult{status, stdout.String(), stderr.String()})
	}
}

type linesKey struct{}

// lineRunner is the script's process of commandLines.
type lineRunner struct {
	lines   *json.Encoder // nil: not started
	results *json.Decoder
}

func (r *lineRunner) start(ts *testscript.TestScript) {
	cmd := command(ts, []string{"command-lines"})
	stdin, err := cmd.StdinPipe()
	ts.Check(err)
	stdout, err := cmd.StdoutPipe()
	ts.Check(err)
	cmd.Stderr = os.Stderr // a panic
	ts.Check(cmd.Start())
	ts.Defer(func() {
		stdin.Close()
		ts.Check(cmd.Wait())
	})
	r.lines, r.results = json.NewEncoder(stdin), json.NewDecoder(stdout)
}

// runLine runs a command line of the program and returns its exit status. For a help text it starts a process, because
// package kong ends the process after it.
func runLine(ts *testscript.TestScript, args []string) int {
	if len(args) > 0 && (args[len(args)-1] == "--help" || args[0] == "help") {
		cmd := command(ts, append([]string{"enlist"}, args...))
		cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
		return exitStatus(ts, cmd.Run())
	}
	r := ts.Value(linesKey{}).(*lineRunner)
	if r.lines == nil {
		r.start(ts)
	}
	var result lineResult
	ts.Check(r.lines.Encode(commandLine{args, environment(ts)}))
	ts.Check(r.results.Decode(&result))
	io.WriteString(ts.Stdout(), result.Stdout)
	io.WriteString(ts.Stderr(), result.Stderr)
	return result.Status
}
