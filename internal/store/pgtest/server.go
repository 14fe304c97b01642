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

// This file starts PostgreSQL servers from the installed programs.

// required is an environment variable. If it is set and there is no server, tests fail
// instead of being skipped.
const required = "ENLIST_TEST_POSTGRES_REQUIRED"

// Server is a PostgreSQL server in a temporary folder. It runs with fsync off. With this
// setting a crash of the machine can lose data, but a crash of the server cannot.
type Server struct {
	dir string              // its data, socket and log
	bin string              // the folder of PostgreSQL's programs
	as  *syscall.Credential // the user who runs the server; nil: the user who runs the test
}

// errMissing says how to install a server.
var errMissing = errors.New("there is no PostgreSQL server: set " + serverURL + " to the URL of a server, " +
	"or install one (Debian: apt-get install postgresql)")

// StartServer starts a server that only the caller uses. The caller can stop, start and
// crash this server.
func StartServer() (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if err := s.run("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8",
		"--locale=C.UTF-8"); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	if err := s.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

// prepare creates the server's folder.
func (s *Server) prepare() (err error) {
	s.dir, err = os.MkdirTemp("", "enlist-postgres-")
	if err != nil {
		return err
	}
	if err := s.dropRoot(); err != nil {
		return errors.Join(err, os.RemoveAll(s.dir))
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// URL returns the URL of a database.
func (s *Server) URL(database string) string { return URL(database, s) }

// URL returns the URL of a database. The URL contains all given servers, for example a
// primary and its standbys.
func URL(database string, servers ...*Server) string {
	dirs := make([]string, len(servers))
	for i, s := range servers {
		dirs[i] = s.dir
	}
	return "postgres:///" + database + "?user=postgres&host=" + url.QueryEscape(strings.Join(dirs, ","))
}

// Start starts a stopped server and returns when it accepts connections.
func (s *Server) Start() error {
	return s.run("pg_ctl", "-D", s.data(), "-w", "-t", "60", "-l", filepath.Join(s.dir, "log"), "-o",
		"-c listen_addresses= -c unix_socket_directories="+s.dir+
			" -c fsync=off -c synchronous_commit=on -c full_page_writes=off -c max_connections=200"+
			" -c shared_buffers=64MB -c max_locks_per_transaction=256 -c autovacuum_naptime=10s", "start")
}

// Stop stops the server. With the mode fast the server rolls back its transactions. The
// mode immediate has the effect of a crash.
func (s *Server) Stop(mode string) error {
	return s.run("pg_ctl", "-D", s.data(), "-w", "-t", "60", "-m", mode, "stop")
}

// Remove stops the server and removes its files.
func (s *Server) Remove() {
	s.Stop("immediate") // returns an error if the test has already stopped the server
	if err := os.RemoveAll(s.dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// dropRoot chooses another user for the server if the test runs as root, because
// PostgreSQL refuses to run as root.
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
	return errors.New("PostgreSQL does not run as root: create a user called postgres")
}

// run runs one of PostgreSQL's programs. Its error contains the output of the program.
func (s *Server) run(program string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	out, err := os.CreateTemp(s.dir, program) // not a pipe: the server would keep it open
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

// binaries returns the folder with the programs of the newest installed version.
func binaries() (string, error) {
	if dir, ok := lookForBinaries(); ok {
		return dir, nil
	}
	return "", errMissing
}

// lookForBinaries looks in PATH and where Debian installs PostgreSQL.
func lookForBinaries() (string, bool) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(real), true
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Glob fails only if the pattern is malformed
	if len(found) == 0 {
		return "", false
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path, "/")[4])
		return n
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(version(a), version(b)) })
	return filepath.Dir(newest), true
}
