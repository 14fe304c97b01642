package main

import (
	"context"
	"fmt"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db/postgres"
)

// enlist distribute: distributes the large tables of a PostgreSQL database over a Citus cluster.

type distributeCommand struct {
	config.Database
	DryRun bool `help:"Print the statements without running them."`
}

// Run distributes the large tables. If an earlier run was interrupted, it continues with the remaining tables.
func (c *distributeCommand) Run(ctx context.Context, out *console) error {
	if err := c.Check(); err != nil {
		return &usageError{err}
	}
	if !c.IsPostgres() {
		return usage("only a PostgreSQL database with the extension Citus can be distributed: give its URL with --db")
	}
	ctx, restore := untilSignal(ctx)
	defer restore()
	d, err := postgres.OpenDistribution(ctx, c.DB)
	if err != nil {
		return err
	}
	defer d.Close(ctx)
	if d.Superuser {
		fmt.Fprintln(out.stderr, "A superuser owns the tables. A superuser can also change the consent ledger after "+
			"the distribution. Make a role without superuser rights the owner of the tables.")
	}
	show := func(statement string) { fmt.Fprintln(out.stdout, statement+";") }
	switch {
	case len(d.Statements) == 0:
		fmt.Fprintln(out.stdout, "The large tables were already distributed.")
	case c.DryRun:
		for _, statement := range d.Statements {
			show(statement)
		}
	default:
		if err := d.Run(ctx, show); err != nil {
			return next(err, "run the same command again to continue")
		}
		err := withService(ctx, c.Database, func(s *app.App) error {
			return s.Accounts.RecordAct(ctx, "Database", map[string]any{"distributed": true})
		})
		if err != nil {
			return fmt.Errorf("the tables are distributed, but the audit log has no row: %w", err)
		}
		fmt.Fprintln(out.stdout, "The large tables are distributed. You can start the service.")
	}
	return nil
}
