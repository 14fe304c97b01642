package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"enlist/internal/db/dbcopy"

	"github.com/mattn/go-isatty"
)

// This file shows the progress of commands that take long.

const (
	// followEvery is the time between two reads of a Batch, and between two lines on a terminal that replace each other.
	followEvery = time.Second
	// lineEvery is the shortest time between two lines of the same status elsewhere, such as in a log.
	lineEvery = 10 * time.Second
	// stepEvery is the shortest time between two lines about a subject that are never replaced.
	stepEvery = 2 * time.Second
)

// isTerminal reports whether a person sees the output at once.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && isatty.IsTerminal(f.Fd())
}

// progress prints lines about what goes on.
type progress struct {
	out      io.Writer
	replaces bool // each line replaces the one before, on a terminal
	every    time.Duration
	printed  time.Time // when the last line was printed
	begun    bool      // a line was printed
}

// newProgress returns a progress whose lines follow one another.
func newProgress(out *console) *progress { return &progress{out: out.stderr, every: stepEvery} }

// newStatus returns a progress of one line that a terminal shows at each call. Elsewhere, a line follows another after
// lineEvery.
func newStatus(out io.Writer) *progress {
	if isTerminal(out) {
		return &progress{out: out, replaces: true}
	}
	return &progress{out: out, every: lineEvery}
}

// show prints a line if it is due or must be shown.
func (p *progress) show(must bool, now time.Time, line string) {
	if !must && now.Sub(p.printed) < p.every {
		return
	}
	p.printed, p.begun = now, true
	if p.replaces {
		fmt.Fprint(p.out, "\r", plainText(line, ""), "\x1b[K")
	} else {
		fmt.Fprintln(p.out, plainText(line, ""))
	}
}

// end ends the line of a terminal, if there is one.
func (p *progress) end() {
	if p.replaces && p.begun {
		fmt.Fprintln(p.out)
	}
}

// ofCopy implements the Report of dbcopy.Copier. The last line of a table is always shown.
func (p *progress) ofCopy(s dbcopy.Step) {
	what := "copied"
	if s.Verify {
		what = "verified"
	}
	p.show(s.Done, time.Now(), fmt.Sprintf("%s: %s %d of %d rows", s.Table, what, s.Rows, s.Of))
}

// ofMove returns a function that prints lines which begin with their subject. A line about another subject is shown at
// once.
func (p *progress) ofMove() func(line string) {
	last := ""
	return func(line string) {
		subject, _, _ := strings.Cut(line, ":")
		p.show(subject != last, time.Now(), line)
		last = subject
	}
}

// meter measures a rate.
type meter struct {
	first  time.Time
	before int64
}

// rate returns by how much a number has grown in a second since the first call, or 0 if this is not known yet.
func (m *meter) rate(n int64, now time.Time) float64 {
	if m.first.IsZero() {
		m.first, m.before = now, n
	}
	passed := now.Sub(m.first).Seconds()
	if passed < 1 {
		return 0
	}
	return float64(n-m.before) / passed
}

// timeLeft returns ", 12s left" for what is left at a rate, or "" if that is not known or nothing.
func timeLeft(n int64, rate float64) string {
	if rate <= 0 || float64(n) < rate {
		return ""
	}
	return ", " + (time.Duration(float64(n)/rate) * time.Second).String() + " left"
}
