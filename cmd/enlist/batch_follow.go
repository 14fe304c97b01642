package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/enlist"

	"github.com/mattn/go-isatty"
)

// This file shows the progress of a Batch until it has ended. On a terminal the progress is one line that is written
// again. Elsewhere, such as in a log, it is a line each time the status changes, and every lineEvery.

const (
	// followEvery is the time between two reads of the Batch.
	followEvery = time.Second
	// lineEvery is the shortest time between two lines of the same status if the output is no terminal.
	lineEvery = 10 * time.Second
)

// followBatch shows the progress of a Batch until it has ended, or was paused. It returns an error unless the Batch
// is completed.
func followBatch(ctx context.Context, s *app.App, caller *enlist.Caller, id enlist.BatchID,
	out *console) error {
	p := batchProgress{statusLine: newStatusLine(out.stderr)}
	for {
		b, err := s.Batches.Batch(ctx, caller, id)
		if err != nil {
			return err
		}
		p.print(b, time.Now())
		switch b.Status {
		case batches.BatchCompleted:
			p.end()
			return nil
		case batches.BatchCancelled, batches.BatchFailed, batches.BatchPaused:
			p.end()
			return stoppedError(b)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followEvery):
		}
	}
}

// stoppedError returns the error for a Batch that was not sent to the end.
func stoppedError(b *batches.Batch) error {
	err := fmt.Errorf("the Batch %d is %s", b.ID, b.Status)
	if b.Reason != "" {
		err = fmt.Errorf("%w: %s", err, b.Reason)
	}
	if b.Status == batches.BatchPaused {
		return next(err, fmt.Sprintf("continue it with: enlist batch resume %d", b.ID))
	}
	return err
}

// isTerminal reports whether a person sees the output at once.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && isatty.IsTerminal(f.Fd())
}

// statusLine prints what goes on: on a terminal each line replaces the one before, elsewhere the lines follow one
// another.
type statusLine struct {
	out      io.Writer
	terminal bool
	begun    bool // a line was written
}

func newStatusLine(out io.Writer) statusLine { return statusLine{out: out, terminal: isTerminal(out)} }

func (l *statusLine) write(line string) {
	l.begun = true
	if l.terminal {
		fmt.Fprint(l.out, "\r", line, "\x1b[K")
	} else {
		fmt.Fprintln(l.out, line)
	}
}

// end ends the line of a terminal, if there is one.
func (l *statusLine) end() {
	if l.terminal && l.begun {
		fmt.Fprintln(l.out)
	}
}

// batchProgress prints the progress of a Batch.
type batchProgress struct {
	statusLine
	status  batches.BatchStatus // of the last line
	printed time.Time           // when the last line was printed
	first   time.Time           // when the first mail of this command's time was sent
	before  int64               // mails that were sent before
}

// print prints one line about the Batch, if it is due.
func (p *batchProgress) print(b *batches.Batch, now time.Time) {
	sent := b.Sent + b.Refused + b.Failed + b.Doubtful
	if p.first.IsZero() && b.Status == batches.BatchSending {
		p.first, p.before = now, sent
	}
	if p.terminal || b.Status != p.status || now.Sub(p.printed) >= lineEvery {
		p.write(progressLine(b, sent, p.rate(sent, now)))
		p.printed = now
	}
	p.status = b.Status
}

// rate returns how many mails a second were sent since the first read, or 0 if this is not known yet.
func (p *batchProgress) rate(sent int64, now time.Time) float64 {
	passed := now.Sub(p.first).Seconds()
	if p.first.IsZero() || passed < 1 {
		return 0
	}
	return float64(sent-p.before) / passed
}

// progressLine describes the state of a Batch in one line.
func progressLine(b *batches.Batch, sent int64, rate float64) string {
	total := b.Recipients - b.Skipped
	line := fmt.Sprintf("%s: %d of %d", b.Status, sent, total)
	if !b.IsPopulated {
		line = fmt.Sprintf("%s: %d recipients so far", b.Status, b.Recipients)
	}
	if b.Status == batches.BatchPending {
		line += ", begins at " + formatTime(time.DateTime, b.SendTime, "") + " UTC"
	}
	if n := b.Refused + b.Failed; n > 0 {
		line += fmt.Sprintf(", %d not accepted", n)
	}
	if rate > 0 && b.Status == batches.BatchSending {
		line += fmt.Sprintf(", %.0f/s", rate)
		if left := time.Duration(float64(total-sent)/rate) * time.Second; left > 0 {
			line += ", " + left.String() + " left"
		}
	}
	return line
}
