package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// This file starts and stops the servers that are measured, and reads their processor time and memory from /proc.

// process is a server that was started for a measurement.
type process struct {
	cmd  *exec.Cmd
	addr string
	bare bool
	up   time.Duration // time from the start to the first status 200 of /readyz
}

// apiKey is the API key of every database that this program creates.
const apiKey = "00000000000000000000000000000000000000000000000000000000000be4c0"

// freeAddr returns an address with a free port. If another program takes the port before the server
// listens, the server does not start and the run fails.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// serve starts enlist on a database. db is the value of --db.
func (b *bench) serve(db string, flags ...string) (*process, error) {
	ops, err := freeAddr()
	if err != nil {
		return nil, err
	}
	return b.start(b.Program, append([]string{"serve", "--db", db, "--ops-listen", ops}, flags...)...)
}

// bareHandler starts the bare handler (bare.go), an HTTP server that does almost no work for a request.
func (b *bench) bareHandler() (*process, error) {
	p, err := b.startSelf("--bare")
	if err == nil {
		p.bare = true
	}
	return p, err
}

// floor starts the floor (floor.go) beside a database.
func (b *bench) floor(database string) (*process, error) {
	database, err := b.floorDatabase(database)
	if err != nil {
		return nil, err
	}
	return b.startSelf("--floor", database)
}

// startSelf starts this program.
func (b *bench) startSelf(args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the path of enlist-bench: %w", err)
	}
	return b.start(self, args...)
}

// start starts a program that listens on a free port, and waits until it is ready.
func (b *bench) start(program string, args ...string) (*process, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	return b.startAt(addr, os.Stderr, program, args...)
}

// startAt is start for a given address. The process writes its log to log.
func (b *bench) startAt(addr string, log io.Writer, program string, args ...string) (*process, error) {
	p := &process{addr: addr, cmd: exec.CommandContext(b.ctx, program, append(args, "--listen", addr)...)}
	p.cmd.Stderr = log
	// The program refuses variables that it does not know, such as those of tests.
	p.cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "ENLIST_") })
	p.cmd.Env = append(p.cmd.Env, "ENLIST_BOOTSTRAP_KEY="+apiKey)
	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if err := p.ready(b.ctx); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	p.up = time.Since(began)
	return p, nil
}

// ready waits until /readyz answers with 200, for two minutes at most. It asks every millisecond,
// because the report shows the time from the start to this answer.
func (p *process) ready(ctx context.Context) error {
	deadline := time.Now().Add(2 * time.Minute)
	for time.Now().Before(deadline) && ctx.Err() == nil {
		reply, err := http.Get("http://" + p.addr + "/readyz")
		if err == nil {
			reply.Body.Close()
			if reply.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("%s did not answer", strings.Join(p.cmd.Args, " "))
}

// stop sends SIGTERM, so that enlist finishes its work, and waits for the end of the process.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	err := p.cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		return nil // this program does not catch SIGTERM, so Wait always returns an ExitError for it
	}
	return err
}

// kill ends the process at once, as a crash does.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait() // its error says that the process was killed
}

// cpu returns the processor time that the process has used. On systems other than Linux it returns 0.
func (p *process) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	// The name in parentheses is followed by the state and 10 numbers, and then by
	// the user time and the system time in hundredths of a second.
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// resident returns the present resident memory of the process in MiB. If peak is
// true, it returns the maximum since forgetPeak. On systems other than Linux it
// returns 0.
func (p *process) resident(peak bool) float64 {
	name := "VmRSS:"
	if peak {
		name = "VmHWM:"
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kib, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib / 1024
		}
	}
	return 0
}

// forgetPeak resets the peak to the present resident memory.
func (p *process) forgetPeak() {
	// An error is ignored, because the reported peak is then too high, never too low.
	os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0)
}
