package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"enlist/internal/bench"
)

type benchCommand struct {
	Connections int           `help:"Connections at once." default:"64"`
	Duration    time.Duration `help:"How long each load runs." default:"5s"`
	Rounds      int           `help:"Pairs of loads, of which the median ratio counts." default:"5"`
	Contacts    int           `help:"Contacts in the List that is searched; a tenth as many notifications wait to be sent." default:"1000000"`
	Dir         string        `help:"Folder for the databases; a temporary one by default." type:"existingdir"`
	Postgres    string        `help:"URL of an empty PostgreSQL database to measure on, too." placeholder:"URL"`
	Plot        string        `help:"Also measure searches in Lists of 10,000 Contacts, ten times as many and so on up to --contacts, and draw that as an SVG file." placeholder:"FILE"`
	Only        string        `placeholder:"PART" help:"Measure only subscribe, notify, kill, search, indexes, growth, writes or postgres." enum:"subscribe,notify,kill,search,indexes,growth,writes,postgres," default:""`

	Bare   bool   `help:"Be the bare handler that the others are compared with." hidden:""`
	Listen string `help:"Address of the bare handler." hidden:"" default:"127.0.0.1:0"`
}

// Run measures this program beside a bare handler and prints a table.
func (c *benchCommand) Run(ctx context.Context, out *console) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if c.Bare {
		return bench.ServeBare(ctx, c.Listen)
	}
	if c.Connections < 1 || c.Rounds < 1 || c.Contacts < 1 || c.Duration <= 0 {
		return usage("--connections, --rounds, --contacts and --duration must be more than 0")
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	return bench.Run(ctx, bench.Options{
		Program: program, Dir: c.Dir, Connections: c.Connections, Duration: c.Duration,
		Rounds: c.Rounds, Contacts: c.Contacts, Only: c.Only, Plot: c.Plot, Postgres: c.Postgres,
	}, out.stdout, out.stderr)
}
