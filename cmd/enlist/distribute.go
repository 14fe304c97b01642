package main

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
	DryRun bool `help:"Print the statements, and run none."`
}

// Run distributes the large tables, and goes on with what was broken off.
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
		fmt.Fprintln(out.stderr, "The tables belong to a superuser, whom nothing keeps from changing the consent ledger once it is distributed: have them belong to a role that is none.")
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
			return next(err, "the same command goes on where it stopped")
		}
		fmt.Fprintln(out.stdout, "Distributed. The service can be started.")
	}
	return nil
}
