package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"enlist/api"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// This file runs the scripts in testdata and has their commands.

// programName is the name of the program in a script and in PATH. testscript must not know it as a program: it would run
// each line that begins with the name in a process, instead of the command of the same name below.
const programName = "enlist"

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == programName {
		enlistProgram()
	}
	testscript.Main(stopping{m}, map[string]func(){"command-lines": commandLines})
}

// enlistProgram is the program without the variables that are for tests, which it would refuse.
func enlistProgram() {
	if dir := os.Getenv("ENLIST_TEST_POWER_CUT"); dir != "" {
		go besidesServer(dir)
	}
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "ENLIST_TEST_") || name == "ENLIST_CRASH_ROUNDS" {
			os.Unsetenv(name)
		}
	}
	main()
}

// stopping is a testscript.TestingM: it runs the tests, and then stops the database server that some tests start, and looks
// for goroutines that still run.
type stopping struct{ *testing.M }

// Run implements testscript.TestingM.
func (s stopping) Run() int {
	if err := addProgram(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := s.M.Run()
	pgtest.Stop()
	certificateServer := goleak.IgnoreTopFunction("github.com/letsencrypt/pebble/v2/va.VAImpl.processTasks") // cannot be stopped
	if err := goleak.Find(certificateServer); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// addProgram puts the program into the folder of PATH that testscript made for command-lines.
func addProgram() error {
	path, err := exec.LookPath("command-lines")
	if err != nil {
		return err
	}
	return os.Link(path, filepath.Join(filepath.Dir(path), programName))
}

// TestScripts runs the command lines in testdata/*.txt. Besides the
// commands of testscript there are:
//
//	enlist …              run a command line of the program
//	status N enlist …     run a command line; it must end with status N
//	exec enlist …         run the program as a process of its own, which can
//	                      read the standard input, and print its help
//	serve enlist serve …  run a server until the script ends; sets $URL to its
//	                      endpoint, $ADDR to its address and, on a new
//	                      database, $KEY and $CURL; without --db, a new
//	                      database has its tables already
//	occupy ADDR           listen on the address, unless another program already does
//	call METHOD [PARAMS]  call the server with $KEY; prints the result as JSON
//	hang                  send the first part of a call
//	finish                send the rest of this call; the call must succeed
//	signal NAME           send INT or TERM to the server
//	logs REGEXP           wait until the server logs a line that matches; sets
//	                      $LOGGED to the first group of REGEXP
//	get URL               print the status and the body of a GET
//	ended STATUS          wait for the server's end
func TestScripts(t *testing.T) {
	empty, err := os.ReadFile(dbtest.SQLite.New(t))
	if err != nil {
		t.Fatal(err)
	}
	runners := new(lineRunners)
	t.Cleanup(func() { runners.end(t) })
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Values[scriptKey{}] = &script{runners: runners, empty: empty}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			programName: line, "status": status, "serve": serve, "call": call, "hang": hang, "finish": finish, "occupy": occupy, "get": get,
			"signal": signalServer, "logs": logs, "ended": ended,
		},
	})
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := runLine(ts, args[2:]); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func line(ts *testscript.TestScript, neg bool, args []string) {
	if got := runLine(ts, args); (got != 0) != neg {
		ts.Fatalf("exit status %d", got)
	}
}

// command returns a command that runs the program in the script's directory, with variables of the
// script's environment.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), string(os.PathListSeparator)) {
		if path, err := exec.LookPath(dir + "/" + args[0]); err == nil {
			cmd.Path, cmd.Err = path, nil
			break
		}
	}
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = environment(ts)
	return cmd
}

// environment returns the variables of a script that the program may read, and GOGC, which make test sets.
func environment(ts *testscript.TestScript) []string {
	all := []string{"ENLIST_OPS_LISTEN=none"}
	if v := os.Getenv("GOGC"); v != "" {
		all = append(all, "GOGC="+v)
	}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOCOVERDIR", "ENLIST_BOOTSTRAP_KEY", "ENLIST_DB", "ENLIST_JSON", "ENLIST_OPS_LISTEN", "ENLIST_MEMORY", "ENLIST_BOUNCE_SECRET",
		"ENLIST_SERVICE_HOST", "ENLIST_PORT", "ENLIST_PORT_8080_TCP_ADDR", "ENLIST_API_SERVICE_HOST", "ENLIST_NAME", "ENLIST_CONFIG",
		"ENLIST_MAIL_FROM", "ENLIST_DKIM_KEY_FILE", "ENLIST_FIRST_USER", "ENLIST_DB_FILE"} {
		if v := ts.Getenv(name); v != "" {
			all = append(all, name+"="+v)
		}
	}
	return all
}

// exitStatus returns the exit status of a process, or the negative number of the signal
// that ended the process.
func exitStatus(ts *testscript.TestScript, err error) int {
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		ts.Fatalf("%v", err)
	}
	if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return -int(s.Signal())
	}
	return exit.ExitCode()
}

type scriptKey struct{}

// script has what the commands of a script share.
type script struct {
	server  running
	runners *lineRunners // of all scripts
	empty   []byte       // the file of a database that has its tables, but no rows
}

// running is the script's server.
type running struct {
	cmd    *exec.Cmd
	lines  chan string  // lines of the log; closed when the server ends
	seen   bytes.Buffer // log lines that were received from the channel lines
	finish func()       // sends the rest of the call that hang began
}

func serverOf(ts *testscript.TestScript) *running {
	r := &ts.Value(scriptKey{}).(*script).server
	if r.cmd == nil {
		ts.Fatalf("no server runs")
	}
	return r
}

var (
	greetingURL  = regexp.MustCompile(`enlist serves (\S+) from`)
	greetingAddr = regexp.MustCompile(`https?://([^/]+)/`)
	greetingKey  = regexp.MustCompile(`(?m)^    ([0-9a-f]{64})$`)
	greetingCurl = regexp.MustCompile(`(?m)^    (curl .*)$`)
)

func serve(ts *testscript.TestScript, neg bool, args []string) {
	script := ts.Value(scriptKey{}).(*script)
	r := &script.server
	if neg || r.cmd != nil {
		ts.Fatalf("a server runs already")
	}
	if db := ts.MkAbs("enlist.db"); !slices.Contains(args, "--db") && notExists(db) {
		ts.Check(os.WriteFile(db, script.empty, 0o600)) // half of the time of a first start
	}
	*r = running{cmd: command(ts, args), lines: make(chan string, 1000)}
	stdout, err := r.cmd.StdoutPipe()
	ts.Check(err)
	stderr, err := r.cmd.StderrPipe()
	ts.Check(err)
	ts.Check(r.cmd.Start())
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			r.lines <- lines.Text()
		}
		close(r.lines)
	}()
	ts.Defer(func() {
		if r.cmd != nil {
			r.cmd.Process.Kill()
			r.cmd.Wait()
		}
	})
	// The server writes its greeting with one call, so one read of the pipe returns all of it.
	greeting := make([]byte, 4096)
	n, _ := stdout.Read(greeting)
	if n == 0 {
		r.drain()
		ts.Fatalf("the server did not start:\n%s", r.seen.String())
	}
	ts.Stdout().Write(greeting[:n])
	for name, pattern := range map[string]*regexp.Regexp{"URL": greetingURL, "ADDR": greetingAddr, "KEY": greetingKey, "CURL": greetingCurl} {
		if found := pattern.FindSubmatch(greeting[:n]); found != nil {
			ts.Setenv(name, string(found[1]))
		}
	}
}

func notExists(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func (r *running) drain() {
	for line := range r.lines {
		r.seen.WriteString(line + "\n")
	}
}

func call(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: call METHOD [PARAMS]")
	}
	var params []any
	if len(args) == 2 {
		ts.Check(json.Unmarshal([]byte(args[1]), &params))
	}
	client := api.NewClient(ts.Getenv("URL"), ts.Getenv("KEY"))
	defer client.Close()
	var result json.RawMessage
	err := client.Call(context.Background(), args[0], params, &result)
	if (err != nil) != neg {
		ts.Fatalf("result %s, error %v", result, err)
	}
	if err != nil {
		ts.Stderr().Write([]byte(err.Error() + "\n"))
	}
	ts.Stdout().Write(append(result, '\n'))
}

func get(ts *testscript.TestScript, neg bool, args []string) {
	resp, err := http.Get(args[0])
	ts.Check(err)
	defer resp.Body.Close()
	fmt.Fprintln(ts.Stdout(), resp.StatusCode)
	_, err = io.Copy(ts.Stdout(), resp.Body)
	ts.Check(err)
}

func occupy(ts *testscript.TestScript, neg bool, args []string) {
	if l, err := net.Listen("tcp", args[0]); err == nil {
		ts.Defer(func() { l.Close() })
	}
}

// hang sends the header of a call. The reply 100 Continue shows that the server waits for the body.
func hang(ts *testscript.TestScript, neg bool, args []string) {
	conn, err := net.Dial("tcp", ts.Getenv("ADDR"))
	ts.Check(err)
	ts.Defer(func() { conn.Close() })
	body := fmt.Sprintf(`{"id":1,"method":"getSessionInfo","params":["%s"]}`, ts.Getenv("KEY"))
	_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: enlist\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body))
	ts.Check(err)
	replies := bufio.NewReader(conn)
	for _, want := range []string{"HTTP/1.1 100 Continue\r\n", "\r\n"} {
		if line, err := replies.ReadString('\n'); line != want {
			ts.Fatalf("got %q, %v", line, err)
		}
	}
	r := serverOf(ts)
	r.finish = func() {
		_, err := io.WriteString(conn, body)
		ts.Check(err)
		resp, err := http.ReadResponse(replies, nil)
		ts.Check(err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		ts.Check(err)
		if resp.StatusCode != http.StatusOK || !bytes.Contains(text, []byte(`"error":null`)) {
			ts.Fatalf("got %s: %s", resp.Status, text)
		}
	}
}

func finish(ts *testscript.TestScript, neg bool, args []string) { serverOf(ts).finish() }

func signalServer(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(serverOf(ts).cmd.Process.Signal(map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}[args[0]]))
}

func logs(ts *testscript.TestScript, neg bool, args []string) {
	r, pattern := serverOf(ts), regexp.MustCompile(args[0])
	for line := range r.lines {
		r.seen.WriteString(line + "\n")
		if found := pattern.FindStringSubmatch(line); found != nil {
			ts.Setenv("LOGGED", append(found, "")[1])
			return
		}
	}
	ts.Fatalf("the server ended without a line like %s:\n%s", args[0], r.seen.String())
}

func ended(ts *testscript.TestScript, neg bool, args []string) {
	r := serverOf(ts)
	r.drain()
	got := exitStatus(ts, r.cmd.Wait())
	ts.Stderr().Write(r.seen.Bytes())
	r.cmd = nil
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("exit status %d, want %s:\n%s", got, want, r.seen.String())
	}
}
