// Command enlist keeps contact lists, subscriptions and consent, and serves
// them as a JSON-RPC API.
//
// Each subcommand has a file of its own here, which reads what was asked for,
// has it done by package audience and prints what came of it; no rule lives
// here. Every one works beside a running server on the same database.
//
// Exit status: 0 done, 1 failed, 2 not understood; bounce has one more.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	_ "time/tzdata" // machines without zone files know all zones too

	"github.com/alecthomas/kong"
)

type program struct {
	Serve      serveCommand      `cmd:"" help:"Serve the API."`
	Key        keyCommand        `cmd:"" help:"Create, list and revoke API keys."`
	Account    accountCommand    `cmd:"" help:"Add, list and change Accounts."`
	List       listCommand       `cmd:"" help:"Add and show Lists."`
	Field      fieldCommand      `cmd:"" help:"Add and list the Fields of a List."`
	Index      indexCommand      `cmd:"" help:"See, make and drop the indexes of searches."`
	Jobs       jobsCommand       `cmd:"" help:"See what waits to be sent, and send again what failed."`
	Bounce     bounceCommand     `cmd:"" help:"Take a report of a mail that came back, for a mail server's pipe."`
	Copy       copyCommand       `cmd:"" help:"Copy a SQLite database to a PostgreSQL server."`
	Distribute distributeCommand `cmd:"" help:"Spread the large tables of a PostgreSQL database over a Citus cluster."`
	Doctor     doctorCommand     `cmd:"" help:"Check a database and this machine, and say what is wrong."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
}

// console is where a command prints, and what it may read of its surroundings.
type console struct {
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
}

func main() {
	os.Exit(run(os.Args[1:], &console{os.Stdout, os.Stderr, os.Getenv}))
}

// run carries out one command line and returns the exit status.
func run(args []string, out *console) int {
	var p program
	parser, err := kong.New(&p,
		kong.Name("enlist"),
		kong.Description("Contact lists, subscriptions and consent behind a JSON-RPC API. Every flag has an environment variable, --db for example ENLIST_DB."),
		kong.DefaultEnvars("ENLIST"),
		kong.Writers(out.stdout, out.stderr),
		kong.BindTo(context.Background(), (*context.Context)(nil)),
		kong.Bind(out),
	)
	if err != nil {
		panic(err) // the tags of program are wrong
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(out.stderr, "enlist: %v\nRun \"%s --help\" to see what there is.\n", err, asked(err))
		return 2
	}
	if err := command.Run(); err != nil {
		fmt.Fprintf(out.stderr, "enlist: %v\n", err)
		if _, wrong := errors.AsType[*usageError](err); wrong {
			return 2
		}
		if _, later := errors.AsType[*laterError](err); later {
			return tryLater
		}
		return 1
	}
	return 0
}

// asked returns the command that was understood before the mistake.
func asked(err error) string {
	path := []string{"enlist"}
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok {
		for _, step := range wrong.Context.Path {
			if step.Command != nil {
				path = append(path, step.Command.Name)
			}
		}
	}
	return strings.Join(path, " ")
}

// usageError is a mistake in how the program was called: exit status 2.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }
