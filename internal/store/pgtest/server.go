package pgtest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// required is the environment variable that makes the absence of a server a failure.
const required = "ENLIST_TEST_POSTGRES_REQUIRED"

// Server is a PostgreSQL server in a temporary folder. It does not wait for the
// disk: only crashes of the machine could tell, and no test makes those.
type Server struct {
	dir string
	bin string
	as  *syscall.Credential // nil: whoever runs the test
}

// errMissing says how to get a server.
var errMissing = errors.New("there is no server: set " + serverURL + " to the URL of one, or install it (Debian: apt-get install postgresql)")

// StartServer starts a server of the test's own, which the test may stop, start
// and kill.
func StartServer() (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if err := s.run("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	if err := s.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

// prepare makes the server's folder.
func (s *Server) prepare() (err error) {
	if s.dir, err = os.MkdirTemp("", "enlist-postgres-"); err != nil {
		return err
	}
	if err := s.dropRoot(); err != nil {
		return errors.Join(err, os.RemoveAll(s.dir))
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// URL is that of a database.
func (s *Server) URL(database string) string { return URL(database, s) }

// URL is that of a database which one of several servers has at a time.
func URL(database string, servers ...*Server) string {
	dirs := make([]string, len(servers))
	for i, s := range servers {
		dirs[i] = s.dir
	}
	return "postgres:///" + database + "?user=postgres&host=" + url.QueryEscape(strings.Join(dirs, ","))
}

// Start starts a server that was stopped, and returns when it can be used.
func (s *Server) Start() error {
	return s.run("pg_ctl", "-D", s.data(), "-w", "-t", "60", "-l", filepath.Join(s.dir, "log"), "-o",
		"-c listen_addresses= -c unix_socket_directories="+s.dir+" -c fsync=off -c synchronous_commit=on -c full_page_writes=off"+
			" -c max_connections=200 -c shared_buffers=64MB -c max_locks_per_transaction=256 -c autovacuum_naptime=10s", "start")
}

// Stop stops the server: fast breaks off what runs, immediate is a crash.
func (s *Server) Stop(mode string) error {
	return s.run("pg_ctl", "-D", s.data(), "-w", "-t", "60", "-m", mode, "stop")
}

// Remove stops the server and removes its files.
func (s *Server) Remove() {
	s.Stop("immediate") // it may have been stopped
	if err := os.RemoveAll(s.dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// dropRoot has the server run as somebody else where the test runs as root, as
// which it refuses to.
func (s *Server) dropRoot() error {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return err
		}
		s.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return os.Chown(s.dir, int(uid), int(gid))
	}
	return errors.New("there is no user to run a server as: make one called postgres")
}

func (s *Server) run(program string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	out, err := os.CreateTemp(s.dir, program) // no pipe: the server would hold it open
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		return fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(said))
	}
	return nil
}

// binaries finds the folder with the newest server's programs.
func binaries() (string, error) {
	if dir, ok := lookForBinaries(); ok {
		return dir, nil
	}
	return "", errMissing
}

func lookForBinaries() (string, bool) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(real), true
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is right
	if len(found) == 0 {
		return "", false
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path, "/")[4])
		return n
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(version(a), version(b)) })), true
}
