package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/mail"
	"enlist/internal/sending"
)

// enlist bounce: reads one bounce or complaint report from the standard input and records it.
// A mail server starts it from a pipe, once for each report.

type bounceCommand struct {
	config.Database
	Recipient string `placeholder:"ADDRESS" help:"Address that received the report; by default from its header lines."`
}

// Help returns the text that --help prints after the usage.
func (bounceCommand) Help() string {
	return `A mail server starts this command from a pipe, once for each mail to the address of
the setting bounce-address, with or without a plus sign and further text. The mail server writes
the mail to the standard input. A report of a permanent delivery failure is recorded as
a bounce, or as a refusal if the address is not the reason: then the mail counts as failed.
A complaint unsubscribes the Contact, and so does a mail with the subject unsubscribe. All
other mail is ignored. Exit status:
0 recorded, or nothing to do; 75 failed, try again later; 2 wrong flags.`
}

// Run reads one report and records it. Its output goes into the mail server's
// log, so it contains no address.
func (c *bounceCommand) Run(ctx context.Context, out *console) error {
	if err := c.Check(); err != nil {
		return &usageError{err}
	}
	err := withService(ctx, c.Database, func(s *app.App) error {
		key, err := s.Messages.LinkKey(ctx)
		if err != nil {
			return err
		}
		report := mail.ReadReport(os.Stdin, &key, c.Recipient)
		// Read the rest of the input: if the pipe closes early, the mail server may report a failure.
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return fmt.Errorf("read the report: %w", err)
		}
		return recordReport(ctx, s, &report, out)
	})
	if err != nil {
		return &laterError{err}
	}
	return nil
}

// recordReport records what a mail reports or asks for, and prints what was recorded.
func recordReport(ctx context.Context, s *app.App, r *mail.Report, out *console) (err error) {
	var changed bool
	switch r.Kind {
	case mail.BounceReport:
		changed, err = s.Sending.Bounced(ctx, r.Delivery, r.Detail)
	case mail.RefusalReport:
		changed, err = s.Sending.Returned(ctx, r.Delivery, r.Detail)
	case mail.ComplaintReport:
		changed, err = s.Sending.Complained(ctx, r.Delivery, r.Detail)
	case mail.UnsubscribeMail:
		var before *sending.LinkView
		before, err = s.Sending.UnsubscribeByLink(ctx, r.Delivery, "")
		changed = err == nil && before.Subscribed
	default:
		fmt.Fprintln(out.stdout, "nothing to do:", r.Detail)
		return nil
	}
	switch {
	case err != nil:
		return err
	case !changed:
		fmt.Fprintf(out.stdout, "nothing to do: the %s of Contact %d in List %d was recorded before, or the Contact "+
			"was removed\n", r.Kind, r.Delivery.Contact, r.Delivery.List)
	default:
		fmt.Fprintf(out.stdout, "recorded a %s of Contact %d in List %d\n", r.Kind, r.Delivery.Contact, r.Delivery.List)
	}
	return nil
}

// laterError is a failure that may be temporary. The program then ends with
// status tryLater. The mail server keeps the mail and runs the command again.
type laterError struct{ error }

// tryLater is EX_TEMPFAIL of sysexits.h.
const tryLater = 75

func (e *laterError) Unwrap() error { return e.error }
