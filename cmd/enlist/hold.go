package main

// enlist hold and enlist release: stop all mails, and let them be sent again, also while servers run.

import (
	"context"
	"fmt"

	"enlist/internal/audience"
	"enlist/internal/config"
)

type holdCommand struct {
	config.Database
	Reason string `placeholder:"TEXT" help:"Why the mails are held. The log of the server shows it."`
}

// Run holds all mails.
func (c *holdCommand) Run(ctx context.Context, out *console) error {
	return withService(ctx, c.Database, func(s *audience.Service) error {
		if err := s.HoldMails(ctx, c.Reason); err != nil {
			return err
		}
		fmt.Fprintln(out.stdout, "all mails are held; send them with: enlist release")
		return nil
	})
}

type releaseCommand struct {
	config.Database
}

// Run releases the mails.
func (c *releaseCommand) Run(ctx context.Context, out *console) error {
	return withService(ctx, c.Database, func(s *audience.Service) error {
		released, err := s.ReleaseMails(ctx)
		switch {
		case err != nil:
			return err
		case released:
			fmt.Fprintln(out.stdout, "mails are sent again")
		default:
			fmt.Fprintln(out.stdout, "no mails were held")
		}
		return nil
	})
}
