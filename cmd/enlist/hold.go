package main

import (
	"context"
	"fmt"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/sending"
)

// enlist hold and enlist release: stop all mails, and let them be sent again, also while servers run.

type holdCommand struct {
	config.Database
	Reason string `placeholder:"TEXT" help:"Why the mails are held. The log of the server shows it."`
}

// Run holds all mails.
func (c *holdCommand) Run(ctx context.Context, out *console, s *app.App) error {
	if err := s.Sending.HoldMails(ctx, c.Reason); err != nil {
		return err
	}
	fmt.Fprintln(out.stdout, "all mails are held; send them with: enlist release")
	return nil
}

type releaseCommand struct {
	reporting
	DryRun  bool `help:"Only print what a release lets go."`
	Discard bool `xor:"due" help:"After a restore: discard what was due before the restore."`
	Yes     bool `help:"Do not ask before the mails are sent."`
	Send    bool `xor:"due" help:"After a restore: send also what was due before the restore, although it was probably sent already."`
}

// Run prints what is held, and releases it.
func (c *releaseCommand) Run(ctx context.Context, out *console, s *app.App) error {
	hold, work, err := s.Sending.HeldWork(ctx)
	if err != nil {
		return err
	}
	if hold == nil {
		c.say(out, "no mails were held")
		return nil
	}
	if c.Discard && !hold.Restored() {
		return usage("--discard is for the hold after a restore; discard single jobs with: enlist jobs discard")
	}
	if err := c.print(out, hold, work); err != nil || c.DryRun {
		return err
	}
	return c.release(ctx, out, s, work)
}

func (c *releaseCommand) release(ctx context.Context, out *console, s *app.App, work []sending.HeldWork) error {
	before, waiting := int64(0), int64(0)
	for _, w := range work {
		before, waiting = before+w.Before, waiting+w.Count
	}
	if before > 0 && !c.Send && !c.Discard {
		return usage("some of it was due before the restore and was probably sent already: choose --discard or --send")
	}
	if c.Discard {
		waiting -= before
	}
	if err := out.confirm(c.Yes, fmt.Sprintf("Send what waits (%d jobs and Batches)?", waiting)); err != nil {
		return err
	}
	if c.Discard {
		if err := discard(ctx, s); err != nil {
			return err
		}
		c.say(out, "discarded what was due before the restore")
	}
	if _, err := s.Sending.ReleaseMails(ctx); err != nil {
		return err
	}
	c.say(out, "mails are not held any more")
	return nil
}

// discard waits until the jobs that run at this moment are back in the queue. It takes as long as the interval at which processes read the hold.
func discard(ctx context.Context, s *app.App) error {
	for end := time.Now().Add(time.Minute); ; {
		running, err := s.Sending.DiscardHeld(ctx)
		switch {
		case err != nil || running == 0:
			return err
		case time.Now().After(end):
			return fmt.Errorf("%d jobs still run: run the same command again", running)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// say prints a line for people. With --json, standard output has only the JSON.
func (c *releaseCommand) say(out *console, line string) {
	w := out.stdout
	if c.JSON {
		w = out.stderr
	}
	fmt.Fprintln(w, line)
}

// print prints the hold and one row for each kind of work.
func (c *releaseCommand) print(out *console, hold *sending.Hold, work []sending.HeldWork) error {
	c.say(out, heldText(hold))
	if c.JSON {
		return c.list(out.stdout, records(work, func(w *sending.HeldWork) record {
			return record{{"kind", w.Kind}, {"count", w.Count}, {"oldest_time", w.Oldest},
				{"due_before_restore", w.Before}}
		}))
	}
	return c.list(out.stdout, records(work, func(w *sending.HeldWork) record {
		return record{{"kind", w.Kind}, {"waiting", w.Count}, {"since (utc)", formatTime(time.DateTime, w.Oldest, "–")},
			{"due before the restore", w.Before}}
	}), "kind", "waiting", "since (utc)", "due before the restore")
}

// heldText says what is held, since when and why.
func heldText(hold *sending.Hold) string {
	what := "all mails are held"
	if hold.Restored() {
		what = "all mails and webhooks are held"
	}
	what += " since " + formatTime(time.DateTime, hold.Time, "") + " UTC"
	if hold.Reason != "" {
		what += " (" + hold.Reason + ")"
	}
	return what
}
