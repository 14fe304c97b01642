package main

// enlist distribute: distributes the large tables of a PostgreSQL database over a Citus cluster.

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"enlist/internal/config"
	"enlist/internal/store/postgres"
)

type distributeCommand struct {
	config.Database
	DryRun bool `help:"Print the statements without running them."`
}

// Run distributes the large tables. After an interruption it continues with the tables that are left.
func (c *distributeCommand) Run(ctx context.Context, out *console) error {
	if err := c.Check(); err != nil {
		return &usageError{err}
	}
	if !c.IsPostgres() {
		return usage("only a PostgreSQL database with the extension Citus can be distributed: give its URL with --db")
	}
	ctx, restore := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer restore()
	d, err := postgres.OpenDistribution(ctx, c.DB)
	if err != nil {
		return err
	}
	defer d.Close(ctx)
	if d.Superuser {
		fmt.Fprintln(out.stderr, "A superuser owns the tables, and can change the consent ledger after it is "+
			"distributed: make a role without superuser rights their owner.")
	}
	show := func(statement string) { fmt.Fprintln(out.stdout, statement+";") }
	switch {
	case len(d.Statements) == 0:
		fmt.Fprintln(out.stdout, "The large tables are distributed already.")
	case c.DryRun:
		for _, statement := range d.Statements {
			show(statement)
		}
	default:
		if err := d.Run(ctx, show); err != nil {
			return next(err, "run the same command again to continue")
		}
		fmt.Fprintln(out.stdout, "Distributed. The service can be started.")
	}
	return nil
}
