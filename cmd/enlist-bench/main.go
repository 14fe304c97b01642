// Command enlist-bench measures the whole program over loopback. It starts
// enlist and a bare handler as processes of their own, drives both alternately
// with the same load, and prints each figure with its ratio to the bare
// handler's. Absolute times are never compared: they depend on the machine and
// on what else it does. doc/benchmarks.md has figures and explains them.
//
// It is not part of the program that operators run.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/alecthomas/kong"
)

// command has the flags. --bare and --listen are for the process that is the bare handler.
type command struct {
	Program     string        `help:"Path of the enlist program to measure." default:"./enlist"`
	Connections int           `help:"Number of concurrent connections." default:"64"`
	Duration    time.Duration `help:"Duration of each load." default:"5s"`
	Rounds      int           `help:"Number of pairs of loads; the median ratio counts." default:"5"`
	Contacts    int           `help:"Number of Contacts in the List that is searched; a tenth as many notifications wait to be sent." default:"1000000"`
	Dir         string        `help:"Folder for the databases; a temporary one by default." type:"existingdir"`
	Postgres    string        `help:"URL of an empty PostgreSQL database to measure too." placeholder:"URL"`
	Plot        string        `help:"Also measure searches in Lists of 10,000 Contacts, ten times as many and so on up to --contacts, and draw the result as an SVG file." placeholder:"FILE"`
	Only        string        `placeholder:"PART" help:"Measure only subscribe, notify, kill, search, indexes, growth, writes or postgres; several with commas."`

	Bare   bool   `help:"Serve as the bare handler." hidden:""`
	Listen string `help:"Address of the bare handler." hidden:"" default:"127.0.0.1:0"`
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run carries out one command line. The exit status is 0 after success, 1 after a failure, 2 for wrong flags.
func run(args []string, stdout, stderr io.Writer) int {
	var c command
	parser, err := kong.New(&c, kong.Name("enlist-bench"), kong.Writers(stdout, stderr),
		kong.Description("Measures enlist on this machine beside a bare handler and prints a table."))
	if err != nil {
		panic(err) // the tags of command are wrong
	}
	if _, err := parser.Parse(args); err != nil {
		fmt.Fprintf(stderr, "enlist-bench: %v\nRun \"enlist-bench --help\" for the flags.\n", err)
		return 2
	}
	if c.Connections < 1 || c.Rounds < 1 || c.Contacts < 1 || c.Duration <= 0 {
		fmt.Fprintln(stderr, "enlist-bench: --connections, --rounds, --contacts and --duration must be more than 0")
		return 2
	}
	if err := c.run(stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "enlist-bench: %v\n", err)
		return 1
	}
	return 0
}

// run measures until it is done or interrupted.
func (c *command) run(stdout, stderr io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if c.Bare {
		return serveBare(ctx, c.Listen)
	}
	program, err := exec.LookPath(c.Program)
	if err != nil {
		return errors.New("there is no program at " + c.Program + ": build it with make build, or give its path with " +
			"--program")
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the path of enlist-bench: %w", err)
	}
	return measure(ctx, options{
		program: program, self: self, Dir: c.Dir, Connections: c.Connections, Duration: c.Duration,
		Rounds: c.Rounds, Contacts: c.Contacts, Only: c.Only, Plot: c.Plot, Postgres: c.Postgres,
	}, stdout, stderr)
}
