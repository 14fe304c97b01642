package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"
)

// This file runs the command lines of scripts in a few processes, which take the working directory and the environment of
// each line's script. A process for each of the 400 lines took half of the processor time of this package's tests.

// commandLine is a line for commandLines.
type commandLine struct {
	Args []string
	Dir  string   // the working directory
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
	p := newParser()
	for {
		var l commandLine
		if lines.Decode(&l) != nil {
			return // the script has ended
		}
		if err := os.Chdir(l.Dir); err != nil {
			panic(err)
		}
		os.Clearenv()
		for _, v := range l.Env {
			name, value, _ := strings.Cut(v, "=")
			os.Setenv(name, value)
		}
		var stdout, stderr bytes.Buffer
		status := p.run(l.Args, &console{stdout: &stdout, stderr: &stderr, getenv: os.Getenv, environ: os.Environ})
		p.reset()
		results.Encode(lineResult{status, stdout.String(), stderr.String()})
	}
}

// reset forgets the command line of a parser. Building a parser takes half of the time of a command line.
func (p *parser) reset() {
	p.program = program{}
	kong.Visit(p.Model, func(node kong.Visitable, next kong.Next) error {
		switch node := node.(type) {
		case *kong.Node:
			node.Active = false
		case *kong.Flag:
			node.Negated = false
		case *kong.Value:
			node.Set, node.Active = false, false
		}
		return next(nil)
	})
}

// lineRunners has the processes of commandLines. Each line that runs has one.
type lineRunners struct {
	mu        sync.Mutex
	all, free []*lineRunner
}

// lineRunner is a process of commandLines.
type lineRunner struct {
	cmd     *exec.Cmd
	stdin   io.Closer
	lines   *json.Encoder
	results *json.Decoder
}

// take returns a process that runs no other line.
func (r *lineRunners) take(ts *testscript.TestScript) *lineRunner {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := len(r.free) - 1; last >= 0 {
		found := r.free[last]
		r.free = r.free[:last]
		return found
	}
	cmd := command(ts, []string{"command-lines"})
	stdin, err := cmd.StdinPipe()
	ts.Check(err)
	stdout, err := cmd.StdoutPipe()
	ts.Check(err)
	cmd.Stderr = os.Stderr // a panic
	ts.Check(cmd.Start())
	started := &lineRunner{cmd, stdin, json.NewEncoder(stdin), json.NewDecoder(stdout)}
	r.all = append(r.all, started)
	return started
}

// giveBack lets another line use a process. A process whose line failed to run is not given back.
func (r *lineRunners) giveBack(l *lineRunner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, l)
}

// end ends all processes.
func (r *lineRunners) end(t *testing.T) {
	for _, l := range r.all {
		l.stdin.Close()
		if err := l.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// runLine runs a command line of the program and returns its exit status. For a help text it starts a process, because
// package kong ends the process after it.
func runLine(ts *testscript.TestScript, args []string) int {
	if len(args) > 0 && (args[len(args)-1] == "--help" || args[0] == "help") {
		cmd := command(ts, append([]string{"enlist"}, args...))
		cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
		return exitStatus(ts, cmd.Run())
	}
	script := ts.Value(scriptKey{}).(*script)
	l := script.runners.take(ts)
	var result lineResult
	ts.Check(l.lines.Encode(commandLine{args, ts.MkAbs("."), environment(ts)}))
	ts.Check(l.results.Decode(&result))
	script.runners.giveBack(l)
	io.WriteString(ts.Stdout(), result.Stdout)
	io.WriteString(ts.Stderr(), result.Stderr)
	return result.Status
}
