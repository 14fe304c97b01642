// Command enlist-bench measures the program enlist over the loopback interface.
// It starts enlist and another process, and sends the same load to both in turn:
// for reads a bare handler, which is an HTTP server that does almost no work, and
// for changes the floor, which only stores the same rows durably. It prints each
// rate of enlist with its ratio to the rate of the other. If a rate
// is compared with something else, the title of the figure names it. Do not
// compare absolute times of two runs, because they depend on the machine and its
// other work. doc/benchmarks.md explains the figures.
//
// Operators do not need this command.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/alecthomas/kong"
)

// options are the flags. Only the processes of the bare handler and the floor get --bare, --floor and --listen.
type options struct {
	Program     string        `default:"./enlist" help:"Path of the enlist program to measure."`
	Connections int           `default:"64" help:"Number of concurrent connections."`
	Duration    time.Duration `default:"5s" help:"Duration of each load."`
	Rounds      int           `default:"5" help:"Number of pairs of loads; the result is the median of their ratios."`
	Contacts    int           `default:"1000000" help:"Number of Contacts in the List that is searched."`
	Dir         string        `help:"Folder for the databases; a temporary one by default." type:"existingdir"`
	Postgres    string        `placeholder:"URL" help:"URL of an empty PostgreSQL database to measure too."`
	Only        string        `placeholder:"PART" help:"Parts to measure, with commas between; by default all."`

	Bare   bool   `hidden:"" help:"Serve as the bare handler."`
	Floor  string `hidden:"" help:"Serve as the floor, on this database."`
	Listen string `hidden:"" default:"127.0.0.1:0" help:"Address of the bare handler or the floor."`
}

// Help returns the text that --help prints after the usage.
func (options) Help() string {
	return `The parts are subscribe, search, bulk, import, mail, batch and pages. The part mail queues a tenth as many
mails as --contacts, and each file of the part import has a fifth as many rows. The part pages adds ten mails, opens and
clicks for each Contact.`
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs one command line and returns the exit status: 0 after success, 1 after a failure, 2 for wrong flags.
func run(args []string, stdout, stderr io.Writer) int {
	var c options
	parser, err := kong.New(&c, kong.Name("enlist-bench"), kong.Writers(stdout, stderr),
		kong.Description("Measures enlist on this machine beside servers that do almost no work, and prints a table."))
	if err != nil {
		panic(err) // a struct tag of options is invalid
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

// run measures until all parts are done or the user interrupts it.
func (c *options) run(stdout, stderr io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if c.Bare {
		return serve(ctx, c.Listen, http.HandlerFunc(bare))
	}
	if c.Floor != "" {
		f, err := openFloor(ctx, c.Floor)
		if err != nil {
			return err
		}
		return serve(ctx, c.Listen, f)
	}
	program, err := exec.LookPath(c.Program)
	if err != nil {
		return fmt.Errorf("there is no program at %s: build it with make build, or give its path with --program",
			c.Program)
	}
	c.Program = program
	return measure(ctx, *c, stdout, stderr)
}
