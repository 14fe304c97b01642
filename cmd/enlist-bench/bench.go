package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// This file runs the parts of a measurement and prints the table. Each part has a file of its own.

// figure is one line of the report.
type figure struct {
	name  string
	value string
	ratio float64 // the measured rate divided by the rate that it is compared with; 0 if there is no comparison
}

// bench is one run of the program. The parts run one after another and append to figures.
type bench struct {
	options
	ctx     context.Context // ends when the user interrupts the run; its end kills the processes
	log     io.Writer       // for progress
	figures []figure
	runs    int // number of loads so far; makes the addresses of each load different
}

// measure runs the chosen parts. It writes the table to out and its progress to log.
func measure(ctx context.Context, o options, out, log io.Writer) (err error) {
	if o.Dir == "" {
		o.Dir, err = os.MkdirTemp("", "enlist-bench-")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.Dir)) }()
	}
	b := &bench{options: o, ctx: ctx, log: log}
	parts := []part{
		{"subscribe", b.subscribing}, {"search", b.searching}, {"bulk", b.addingInBulk}, {"import", b.importing},
		{"mail", b.mailing}, {"batch", b.batching}, {"pages", b.paging},
	}
	chosen, err := choose(parts, o.Only)
	if err != nil {
		return err
	}
	for _, part := range chosen {
		if err := part.run(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return b.report(out)
}

// part is a group of figures that --only can select.
type part struct {
	name string
	run  func() error
}

// choose returns the parts whose names are in only, a list with commas. If only is empty, it returns all parts.
func choose(parts []part, only string) (chosen []part, err error) {
	if only == "" {
		return parts, nil
	}
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no part %q to measure: --help names the parts", name)
		}
		chosen = append(chosen, parts[i])
	}
	return chosen, nil
}

// say writes a line of progress to the log.
func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }

// add adds a line to the table. It also logs the line at once, because a run may be interrupted after hours.
func (b *bench) add(f figure) {
	b.figures = append(b.figures, f)
	b.say("%s: %s %s", f.name, f.value, f.showRatio())
}

// showRatio formats the ratio. For a figure without a comparison it returns a dash.
func (f figure) showRatio() string {
	if f.ratio == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", f.ratio)
}

// report writes the table in the Markdown of doc/benchmarks.md.
func (b *bench) report(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(t, "| figure\t| measured\t| ratio\t|")
	fmt.Fprintln(t, "| ---\t| ---\t| ---\t|")
	for _, f := range b.figures {
		fmt.Fprintf(t, "| %s\t| %s\t| %s\t|\n", f.name, f.value, f.showRatio())
	}
	return t.Flush()
}

// pairs runs two loads alternately: base, which is the comparison, and l. It returns the results of alternate.
func (b *bench) pairs(name string, l, base *load) (ratio float64, o outcome, err error) {
	return b.alternate(name, func() (outcome, error) { return l.run(b.ctx) },
		func() (outcome, error) { return base.run(b.ctx) })
}

// alternate runs base and then run in each round. It returns the median ratio of
// their rates, and the outcome of run in the round with that ratio.
func (b *bench) alternate(name string, run, base func() (outcome, error)) (ratio float64, o outcome, err error) {
	type round struct {
		ratio float64
		outcome
	}
	var rounds []round
	for i := range b.Rounds {
		bare, err := base()
		if err != nil {
			return 0, o, err
		}
		got, err := run()
		if err != nil {
			return 0, o, err
		}
		rounds = append(rounds, round{got.rate() / bare.rate(), got})
		b.say("%s, round %d: rate %.0f/s (compared with %.0f/s), processor time for each call %v (compared with %v), "+
			"p50 %v, p99 %v", name, i+1, got.rate(), bare.rate(), got.each(), bare.each(),
			got.percentile(0.5).Round(time.Microsecond), got.percentile(0.99).Round(time.Microsecond))
	}
	slices.SortFunc(rounds, func(a, b round) int { return cmp.Compare(a.ratio, b.ratio) })
	middle := rounds[len(rounds)/2]
	return middle.ratio, middle.outcome, nil
}

// repeat runs a load in each round, without a comparison, and adds the median rate to the table.
func (b *bench) repeat(title string, run func() (outcome, error)) error {
	var rounds []outcome
	for i := range b.Rounds {
		got, err := run()
		if err != nil {
			return err
		}
		rounds = append(rounds, got)
		b.say("%s, round %d: rate %.0f/s", title, i+1, got.rate())
	}
	slices.SortFunc(rounds, func(a, b outcome) int { return cmp.Compare(a.rate(), b.rate()) })
	b.add(figure{title, perSecond(rounds[len(rounds)/2]), 0})
	return nil
}
