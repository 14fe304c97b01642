package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file runs an Import and shows its progress, with the rate and the part of the file. On a terminal it also shows the
// time left.

// importEvery is the time between two reads of an Import.
const importEvery = 200 * time.Millisecond

// runImport runs an Import and shows its progress. If another process runs it already, runImport only shows the
// progress, unless that process dies. The first SIGINT or SIGTERM pauses the Import, and a second one ends the process.
func runImport(ctx context.Context, s *app.App, caller *enlist.Caller, id enlist.ImportID, f format,
	out *console) error {
	ctx, restore := untilSignal(ctx)
	defer restore()
	ran, ended := make(chan error, 1), make(chan struct{})
	go func() {
		ran <- runWhenFree(ctx, s, id)
		close(ended)
	}()
	followed := make(chan error, 1)
	following, stop := context.WithCancel(ctx)
	defer stop()
	go func() { followed <- followImport(following, s, caller, id, f, out, ended) }()
	err := <-ran
	if err != nil && ctx.Err() == nil {
		stop()
		<-followed
		return next(err, fmt.Sprintf("continue with: enlist import resume %d", id))
	}
	err = <-followed
	if ctx.Err() == nil {
		return err
	}
	restore()
	if err := s.Imports.PauseImport(context.WithoutCancel(ctx), caller, id); err != nil {
		return err
	}
	return fmt.Errorf("import %d is paused: continue with: enlist import resume %[1]d", id)
}

// runWhenFree runs an Import. If another process runs it, runWhenFree waits until that process has ended it, or until
// its lease has ended because it died.
func runWhenFree(ctx context.Context, s *app.App, id enlist.ImportID) error {
	for {
		err := s.Imports.RunImport(ctx, id)
		if !errors.Is(err, imports.ErrImportRuns) {
			return err
		}
		select {
		case <-time.After(importEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// followImport shows the progress of an Import until it has ended or is paused, and then prints the result. It returns
// an error unless the Import is done. ended says that this process has run it to its end; nil: another process runs it.
func followImport(ctx context.Context, s *app.App, caller *enlist.Caller, id enlist.ImportID, f format,
	out *console, ended <-chan struct{}) error {
	p := newImportProgress(out.stderr)
	tick := time.NewTicker(importEvery)
	defer tick.Stop()
	for {
		i, err := s.Imports.Import(ctx, caller, id)
		if err != nil {
			p.end()
			return err
		}
		p.print(i, time.Now())
		if i.Ended() || i.State == imports.ImportPaused {
			p.end()
			return importEnd(i, f, out)
		}
		select {
		case <-ctx.Done():
			p.end()
			return ctx.Err()
		case <-ended: // read at once, because most files take less time than a tick
			ended = nil
		case <-tick.C:
		}
	}
}

// importEnd prints the counts of an Import that has ended or is paused.
func importEnd(i *imports.Import, f format, out *console) error {
	would := ""
	if i.Options.DryRun {
		would = " (a dry run: nothing was stored)"
	}
	err := f.one(out.stdout, importRecord(i), "import %d is %s%s: %d rows: %d added, %d updated, %d unchanged, %d skipped, %d refused",
		i.ID, i.State, would, i.Added+i.Updated+i.Unchanged+i.Skipped+i.Refused, i.Added, i.Updated, i.Unchanged,
		i.Skipped, i.Refused)
	if i.Ended() {
		printReport(out.stderr, i)
	}
	switch {
	case err != nil:
		return err
	case i.State == imports.ImportPaused:
		return fmt.Errorf("import %d is paused: continue with: enlist import resume %[1]d", i.ID)
	case i.State == imports.ImportCancelled:
		return fmt.Errorf("import %d was cancelled", i.ID)
	case i.State == imports.ImportFailed:
		return fmt.Errorf("import %d failed: %s", i.ID, i.Reason)
	case i.Skipped+i.Refused > 0:
		fmt.Fprintf(out.stderr, "see why with: enlist import results %d --only skipped --only refused\n", i.ID)
		if i.Refused > 0 {
			fmt.Fprintf(out.stderr, "mend the refused rows: enlist import refused %d > refused.csv, and import this file\n", i.ID)
		}
	}
	return nil
}

// printReport prints what an Import did not use, and who can get mail.
func printReport(w io.Writer, i *imports.Import) {
	r, o := &i.Report, &i.Options
	for _, c := range r.Status {
		became := map[string]string{"": "left out; choose with --status unsubscribe or subscribe",
			imports.StatusLeaveOut: "left out", imports.StatusUnsubscribe: "on the Unsubscriber List",
			imports.StatusSubscribe: "imported as subscribed"}[o.Status]
		fmt.Fprintf(w, "the column %q says %s in %d of %d rows: %s\n", c.Column, strings.Join(c.Samples, ", "), c.Rows,
			i.Total(), became)
	}
	for _, c := range r.LeftOut {
		fmt.Fprintf(w, "%d values of the column %q were left out (%s): %s\n", c.Rows, c.Column,
			strings.Join(c.Samples, ", "), c.Reason)
	}
	if r.Fixable > 0 {
		fmt.Fprintf(w, "%d refused rows have only a value that does not fit: --bad-values leave_out imports them without it\n",
			r.Fixable)
	}
	if r.Mail.Waiting > 0 {
		fmt.Fprintf(w, "%d of %d new Contacts can get mail; %d must confirm first, see --confirm\n", r.Mail.Receiving,
			r.Mail.Receiving+r.Mail.Waiting, r.Mail.Waiting)
	}
}

// importProgress prints the progress of an Import.
type importProgress struct {
	*progress
	rows, bytes meter
}

func newImportProgress(out io.Writer) *importProgress {
	p := &importProgress{progress: newStatus(out)}
	p.printed = time.Now()
	return p
}

// print prints one line about the Import, if it is due.
func (p *importProgress) print(i *imports.Import, now time.Time) {
	line := fmt.Sprintf("%s: %d rows", i.State, i.Rows)
	if rate := p.rows.rate(i.Rows, now); rate > 0 {
		line += fmt.Sprintf(", %.0f rows/s", rate)
	}
	if i.Size > 0 {
		line += fmt.Sprintf(", %d %% of the file", 100*i.Bytes/i.Size)
	}
	if rate := p.bytes.rate(i.Bytes, now); p.replaces {
		line += timeLeft(i.Size-i.Bytes, rate)
	}
	p.show(false, now, line)
}
