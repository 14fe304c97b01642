package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"enlist/internal/audience"
	"enlist/internal/config"
	"enlist/internal/mail"
)

type bounceCommand struct {
	config.Database
	Recipient string `placeholder:"ADDRESS" help:"Address that the report came to, as the mail server knows it; else its header says."`
}

// Help is what --help adds.
func (bounceCommand) Help() string {
	return `Meant for a mail server's pipe: what comes to the address given with --bounce-address,
whatever stands after a plus sign, goes to the standard input. A message that cannot be
delivered for good counts as a bounce, and a complaint unsubscribes the Contact; any other
mail is passed over. Exit status: 0 done, or nothing to do; 75 failed, try again later;
2 not understood.`
}

// Run reads one report and notes what it says. Output goes into the mail
// server's log: it names no address.
func (c *bounceCommand) Run(ctx context.Context, out *console) error {
	if err := c.Check(); err != nil {
		return &usageError{err}
	}
	err := withService(ctx, c.Database, func(s *audience.Service) error {
		key, err := s.LinkKey(ctx)
		if err != nil {
			return err
		}
		report := mail.ReadReport(os.Stdin, &key, c.Recipient)
		// Who writes into the pipe may take it for a failure when it ends early.
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return fmt.Errorf("read the report: %w", err)
		}
		return note(ctx, s, &report, out)
	})
	if err != nil {
		return &laterError{err}
	}
	return nil
}

// note has a report carried out.
func note(ctx context.Context, s *audience.Service, r *mail.Report, out *console) (err error) {
	var news bool
	switch r.Kind {
	case mail.BounceReport:
		news, err = s.Bounced(ctx, r.Delivery, r.Detail)
	case mail.ComplaintReport:
		news, err = s.Complained(ctx, r.Delivery, r.Detail)
	default:
		fmt.Fprintln(out.stdout, "nothing to do:", r.Detail)
		return nil
	}
	switch {
	case err != nil:
		return err
	case !news:
		fmt.Fprintf(out.stdout, "nothing to do: the %s of Contact %d in List %d is known, or the Contact is gone\n", r.Kind, r.Delivery.Contact, r.Delivery.List)
	default:
		fmt.Fprintf(out.stdout, "noted a %s of Contact %d in List %d\n", r.Kind, r.Delivery.Contact, r.Delivery.List)
	}
	return nil
}

// laterError is a failure that another try may mend: mail servers keep a mail
// whose pipe ends with this status, and try again.
type laterError struct{ error }

// tryLater is EX_TEMPFAIL of sysexits.h.
const tryLater = 75

func (e *laterError) Unwrap() error { return e.error }
