package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"enlist/api"
)

// This file steps the clock of the tested program. A step of the machine's clock would meet all programs of the
// machine, and Go does not read the time through the C library. So the program is built with a package time whose Now
// adds a number of seconds from a file. The clock that Go uses for timeouts does not change, as with a real step. A
// database has its own clock and is not stepped.

// clock is the clock of the tested program.
type clock struct {
	dir  string
	page []byte // the file, in memory
}

// clockFile is the environment variable with the path of the file.
const clockFile = "BENCH_CLOCK"

// newClock creates the file in a new folder.
func newClock(dir string) (*clock, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	c := &clock{dir: dir}
	f, err := os.Create(c.path())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(8); err != nil {
		return nil, err
	}
	if c.page, err = syscall.Mmap(int(f.Fd()), 0, 8, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED); err != nil {
		return nil, fmt.Errorf("map the file of the clock: %w", err)
	}
	return c, os.Setenv(clockFile, c.path())
}

func (c *clock) path() string { return filepath.Join(c.dir, "seconds") }

func (c *clock) close() error { return syscall.Munmap(c.page) }

// step sets the difference between the clock of the program and that of the machine.
func (c *clock) step(seconds int64) {
	atomic.StoreInt64((*int64)(unsafe.Pointer(&c.page[0])), seconds)
}

// steppedNow is the text that is added to package time. Its file is read by each process that starts.
//
//go:embed soak_clock.txt
var steppedNow string

// build builds the program and returns its path.
func (c *clock) build(ctx context.Context) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("find the source code of package time: %w", err)
	}
	folder := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	text, err := os.ReadFile(filepath.Join(folder, "time.go"))
	if err != nil {
		return "", err
	}
	const read = "sec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(text), read) != 1 {
		return "", errors.New("package time of this version of Go does not read the clock as expected: run with -soak-clock=false")
	}
	files := make(map[string]string)
	for name, text := range map[string]string{
		"time.go":    strings.Replace(string(text), read, read+"\tsec += stepped()\n", 1),
		"stepped.go": steppedNow,
	} {
		files[filepath.Join(folder, name)] = filepath.Join(c.dir, name)
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": files})
	if err != nil {
		return "", err
	}
	list, program := filepath.Join(c.dir, "overlay.json"), filepath.Join(c.dir, "enlist")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, "go", "build", "-overlay", list, "-o", program,
		"enlist/cmd/enlist").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the program: %w: %s", err, out)
	}
	return program, nil
}

// leastStep is the smallest step of the clock.
const leastStep = 10 * time.Minute

// stepClock steps the clock of the program by up to three hours, and back after the given time.
func (s *soak) stepClock(sign int64, length time.Duration) error {
	s.clock.step(sign * int64((leastStep + rand.N(3*time.Hour-leastStep)).Seconds()))
	defer s.clock.step(0)
	return s.sleep(length)
}

// compareClock counts the Contacts that were subscribed while the clock was stepped: their time is not one of the run.
func (s *soak) compareClock() error {
	if s.clock == nil {
		return nil
	}
	early, err := s.client.CountContacts(s.ctx, soakList, api.Criteria{api.Test{"creation_time", "less_than",
		s.began.Add(-leastStep / 2).Unix()}})
	if err != nil {
		return err
	}
	late, err := s.client.CountContacts(s.ctx, soakList, api.Criteria{api.Test{"creation_time", "greater_than",
		time.Now().Add(leastStep / 2).Unix()}})
	if err != nil {
		return err
	}
	s.add(figure{"– of these, with a time of a stepped clock: before the run, after it",
		fmt.Sprintf("%d, %d", early, late), 0})
	if early+late == 0 {
		s.problem("no Contact has a time of a stepped clock")
	}
	return nil
}
