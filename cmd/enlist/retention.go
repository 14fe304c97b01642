package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/privacy"
)

// enlist retention: sets how many days an Account keeps opens, clicks, the texts of its records of mails and the audit
// log, and removes what is older.

type retentionCommand struct {
	Set retentionSet `cmd:"" help:"Set how many days an Account keeps old data. A server then removes older data once a day."`
	Run retentionRun `cmd:"" help:"Remove the data that is older than the settings of an Account now."`
}

// days is a flag: a number of days, or "forever".
type days int64

// UnmarshalText parses days. Kong calls it for flags.
func (d *days) UnmarshalText(text []byte) error {
	if string(text) == "forever" {
		*d = 0
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n <= 0 {
		return fmt.Errorf("%q is neither a number of days nor the word forever", text)
	}
	*d = days(n)
	return nil
}

// String formats days in the form that UnmarshalText parses.
func (d days) String() string {
	if d == 0 {
		return "forever"
	}
	return strconv.FormatInt(int64(d), 10)
}

type retentionSet struct {
	reporting
	Account    int64 `placeholder:"ID" help:"ID of the Account; needed if there are several Accounts."`
	Events     *days `placeholder:"DAYS" help:"Days to keep the opens and clicks of mails, at least 30, or forever."`
	Deliveries *days `placeholder:"DAYS" help:"Days to keep addresses, subjects and replies in the records of mails, at least 30, or forever."`
	Audit      *days `placeholder:"DAYS" help:"Days to keep the rows of the audit log, at least 366, or forever."`
	DryRun     bool  `help:"Only print what these settings would remove now."`
}

// Run sets the days. A flag that is not given leaves its setting.
func (c *retentionSet) Run(ctx context.Context, out *console, s *app.App) error {
	caller, err := operator(ctx, s, c.Account)
	if err != nil {
		return err
	}
	r := caller.Account.Retention
	if c.Events != nil {
		r.Events = int64(*c.Events)
	}
	if c.Deliveries != nil {
		r.Deliveries = int64(*c.Deliveries)
	}
	if c.Audit != nil {
		r.Audit = int64(*c.Audit)
	}
	if !c.DryRun {
		if err := s.Privacy.SetRetention(ctx, caller.Account.ID, r); err != nil {
			return err
		}
	}
	return printRetention(ctx, out, c.format, s, caller, r)
}

type retentionRun struct {
	reporting
	Account int64 `placeholder:"ID" help:"ID of the Account; needed if there are several Accounts."`
	DryRun  bool  `help:"Only print what would be removed."`
}

// Run removes old data. It is safe to stop and to repeat.
func (c *retentionRun) Run(ctx context.Context, out *console, s *app.App) error {
	caller, err := operator(ctx, s, c.Account)
	if err != nil {
		return err
	}
	if c.DryRun {
		return printRetention(ctx, out, c.format, s, caller, caller.Account.Retention)
	}
	step := privacy.ApplyRetention{Account: caller.Account.ID}
	for done := false; !done; {
		step, done, err = s.Privacy.ApplyRetention(ctx, step)
		if err != nil {
			return err
		}
	}
	return c.one(out.stdout, record{{"events", step.Events}, {"deliveries", step.Deliveries},
		{"audit", step.Audit}},
		"removed %d opens and clicks, the texts of %d records of mails, and %d rows of the audit log",
		step.Events, step.Deliveries, step.Audit)
}

// printRetention prints what a Retention removes.
func printRetention(ctx context.Context, out *console, f format, s *app.App, c *enlist.Caller,
	r enlist.Retention) error {
	plans, err := s.Privacy.PlanRetention(ctx, c, r)
	if err != nil {
		return err
	}
	return f.list(out.stdout, records(plans, func(p *privacy.RetentionPlan) record {
		oldest := ""
		if p.Oldest != 0 {
			oldest = time.Unix(p.Oldest, 0).UTC().Format(time.DateOnly)
		}
		return record{{"kind", p.Kind}, {"days", days(p.Days).String()}, {"rows", p.Rows}, {"oldest", oldest},
			{"delayed_batches", append([]enlist.BatchID{}, p.Delayed...)}}
	}), "kind", "days", "rows", "oldest", "delayed_batches")
}
