package pgtest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// This file starts PostgreSQL servers from the installed programs.

// required is an environment variable. If it is set and there is no server, tests fail
// instead of being skipped.
const required = "ENLIST_TEST_POSTGRES_REQUIRED"

// Server is a PostgreSQL server in a temporary folder. Those that tests share run with fsync off. With this setting a
// crash of the machine can lose data, but a crash of the server cannot.
type Server struct {
	dir string              // its data, socket and log
	bin string              // the folder of PostgreSQL's programs
	as  *syscall.Credential // the user who runs the server; nil: the user who runs the test

	connections int  // largest number of connections; 0: 200
	port        int  // also on 127.0.0.1; 0: 5432, and only on a Unix socket
	isDurable   bool // it writes as a server of an operator does: with fsync and full_page_writes

	unmount func(folder string) error // ends the file system of dir; nil: dir has none of its own
}

// ErrNoServer says how to install a server.
var ErrNoServer = errors.New("there is no PostgreSQL server: set " + serverURL + " to the URL of a server, " +
	"or install one (Debian: apt-get install postgresql)")

// StartServer starts a server that only the caller uses. The caller can stop, start and
// crash this server. It has fsync on.
func StartServer() (*Server, error) { return (&Server{isDurable: true}).create(nil) }

// StartTCPServer is StartServer for a server that also listens on 127.0.0.1. It returns the URL of its database postgres
// there.
func StartTCPServer() (s *Server, at string, err error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	s = &Server{port: free.Addr().(*net.TCPAddr).Port}
	at = "postgres://postgres@" + free.Addr().String() + "/postgres"
	if err := free.Close(); err != nil {
		return nil, "", err
	}
	s, err = s.create(nil)
	return s, at, err
}

// StartSmallServer is StartServer on a file system of its own, which mount mounts on the folder of the server. It
// should have at least 256 MiB. The log of transactions has small files, so it needs a new one soon after the file
// system is full. If mount fails, the error is an ErrNotMounted.
func StartSmallServer(mount, unmount func(folder string) error) (*Server, error) {
	s := &Server{unmount: unmount}
	small := func(folder string) error {
		if err := mount(folder); err != nil {
			s.unmount = nil
			return fmt.Errorf("%w: %w", ErrNotMounted, err)
		}
		return nil
	}
	if _, err := s.create(small, "--wal-segsize=1"); err != nil {
		return nil, err
	}
	if err := errors.Join(s.Set("min_wal_size", "'2MB'"), s.Set("max_wal_size", "'64MB'")); err != nil {
		s.Remove()
		return nil, err
	}
	return s, nil
}

// ErrNotMounted is the error of StartSmallServer without the right to mount a file system.
var ErrNotMounted = errors.New("mount a small file system")

// create creates the data of a server and starts it. prepare, if it is not nil, gets the new folder of the server.
func (s *Server) create(prepare func(folder string) error, flags ...string) (_ *Server, err error) {
	if s.bin, err = binaries(); err != nil {
		return nil, err
	}
	if err := s.prepare(prepare); err != nil {
		return nil, err
	}
	if err := s.initialise(flags...); err != nil {
		return nil, errors.Join(err, s.removeFiles())
	}
	return s, nil
}

// initialise creates the data in the server's folder and starts the server.
func (s *Server) initialise(flags ...string) error {
	err := s.run("initdb", append([]string{"-D", s.data(), "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8",
		"--locale=C.UTF-8"}, flags...)...)
	if err != nil {
		return err
	}
	return s.Start()
}

// prepare creates the server's folder. mount, if it is not nil, mounts a file system on it.
func (s *Server) prepare(mount func(folder string) error) (err error) {
	s.dir, err = os.MkdirTemp("", "enlist-postgres-")
	if err != nil {
		return err
	}
	if mount != nil {
		err = mount(s.dir)
	}
	if err == nil {
		err = s.dropRoot()
	}
	if err != nil {
		return errors.Join(err, s.removeFiles())
	}
	return nil
}

// removeFiles removes the files of a server that does not run.
func (s *Server) removeFiles() error {
	if s.unmount != nil {
		if err := s.unmount(s.dir); err != nil {
			return err
		}
	}
	return os.RemoveAll(s.dir)
}

// Dir returns the folder with the data of the server.
func (s *Server) Dir() string { return s.dir }

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

// Start starts a stopped server and returns when it accepts connections. It does not compile queries (jit): this took a
// tenth to a fifth of its processor time, because the planner has no statistics of the tests' few rows.
func (s *Server) Start() error {
	listen := "-c listen_addresses="
	if s.port != 0 {
		listen = "-c listen_addresses=127.0.0.1 -c port=" + strconv.Itoa(s.port)
	}
	durable := " -c fsync=off -c full_page_writes=off"
	if s.isDurable {
		durable = " -c fsync=on -c full_page_writes=on"
	}
	return s.run("pg_ctl", "-D", s.data(), "-w", "-t", "60", "-l", filepath.Join(s.dir, "log"), "-o",
		listen+" -c unix_socket_directories="+s.dir+
			durable+" -c synchronous_commit=on -c max_connections="+
			strconv.Itoa(cmp.Or(s.connections, 200))+
			" -c shared_buffers=64MB -c max_locks_per_transaction=256 -c autovacuum_naptime=60s -c jit=off", "start")
}

// Resume starts the server if it does not run, and returns when it accepts connections. A server that crashed because
// its disk was full may have ended, or may be about to end.
func (s *Server) Resume() (err error) {
	for range 30 {
		if err = s.Await("SELECT true"); err == nil {
			return nil
		}
		s.Start() // returns an error if the server is starting, or has not ended yet
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

// Stop stops the server. With the mode fast the server rolls back its transactions. The
// mode immediate has the effect of a crash.
func (s *Server) Stop(mode string) error {
	return s.run("pg_ctl", "-D", s.data(), "-w", "-t", "60", "-m", mode, "stop")
}

// Remove stops the server and removes its files.
func (s *Server) Remove() {
	s.Stop("immediate") // returns an error if the test has already stopped the server
	if err := s.removeFiles(); err != nil {
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
	return "", ErrNoServer
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
