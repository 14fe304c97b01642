package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search/advisor"
)

// enlist doctor: checks a database and its keys, and prints one line for each finding.

type doctorCommand struct {
	config.Database
	config.DNS
	format
}

// Run runs the checks and prints the findings. It returns an error if there is a problem.
func (c *doctorCommand) Run(ctx context.Context, out *console) error {
	var found findings
	if c.DNS.DNS {
		if err := c.checkDNS(ctx, &found); err != nil {
			return err
		}
		return c.conclude(out, &found)
	}
	err := withStore(ctx, c.Database, func(store *database) error {
		problems, err := store.check(ctx)
		if err != nil {
			return err
		}
		found.add("database", problems)
		found.add("writing", problemOf(store.Ready(ctx)))
		service, advisor := newService(store, advisor.DefaultRules())
		problems, err = checkIndexes(ctx, store, advisor)
		if err != nil {
			return err
		}
		found.add("indexes", problems)
		problems, err = checkAccess(ctx, service)
		if err != nil {
			return err
		}
		found.add("access", problems)
		problems, err = service.Accounts.RefusedSenders(ctx)
		if err != nil {
			return err
		}
		found.add("senders", problems)
		problems, err = checkHold(ctx, service)
		if err != nil {
			return err
		}
		found.add("hold", problems)
		problems, err = checkBackup(ctx, service, time.Now())
		found.add("backup", problems)
		return err
	})
	if err != nil {
		return err
	}
	return c.conclude(out, &found)
}

// conclude prints the findings and returns an error if there is a problem.
func (c *doctorCommand) conclude(out *console, found *findings) error {
	if err := c.print(out, found.records); err != nil {
		return err
	}
	if found.wrong > 0 {
		return fmt.Errorf("found %d problems", found.wrong)
	}
	return nil
}

// findings are the checks that ran and the problems that they found.
type findings struct {
	records []record
	wrong   int // number of problems
}

// add adds one record for each problem of a check. If there is no problem, it adds one record that says "ok".
func (f *findings) add(about string, problems []string) {
	if len(problems) == 0 {
		f.records = append(f.records, record{{"check", about}, {"ok", true}, {"problem", ""}})
	}
	for _, p := range problems {
		f.records = append(f.records, record{{"check", about}, {"ok", false}, {"problem", p}})
		f.wrong++
	}
}

// problemOf returns the text of an error as a list of one problem, and an empty list for no error.
func problemOf(err error) []string {
	if err == nil {
		return nil
	}
	return []string{err.Error()}
}

// print prints the findings as JSON, or one line for each finding.
func (c *doctorCommand) print(out *console, found []record) error {
	if c.JSON {
		return c.list(out.stdout, found)
	}
	for _, f := range found {
		line := "ok: " + f.text("check")
		if problem := f.text("problem"); problem != "" {
			line = cmp.Or(f.text("level"), "problem") + ": " + f.text("check") + ": " + problem
		}
		fmt.Fprintln(out.stdout, line)
		for _, v := range f {
			if r, ok := v.any.(toPublish); ok {
				printDNS(out.stdout, r.DNSRecord)
			}
		}
	}
	return nil
}

// checkIndexes compares the search indexes in the database with the recorded ones. A recorded index may be
// missing or have failed, and an index in the database may not be recorded.
func checkIndexes(ctx context.Context, store db.Engine, indexes *advisor.Advisor) (problems []string,
	err error) {
	built, err := store.BuiltIndexes(ctx)
	if err != nil {
		return nil, err
	}
	recorded, err := indexes.Reports(ctx)
	if err != nil {
		return nil, err
	}
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for _, x := range recorded {
		switch {
		case x.Missing:
			add("index %d of List %d for the key %s is missing or invalid in the database: "+
				"a running service builds it again within minutes", x.ID, x.ListID, x.Key)
		case x.State == enlist.IndexFailed:
			add("index %d of List %d for the key %s could not be built: %s: try again with: "+
				"enlist index create --list %[2]d --key %[3]s", x.ID, x.ListID, x.Key, x.Error)
		}
	}
	for _, b := range built {
		if !slices.ContainsFunc(recorded, func(x advisor.Report) bool { return x.ID == b.ID }) {
			add("index search_%d is in the database, but not in the list of indexes: "+
				"a running service drops it within minutes", b.ID)
		}
	}
	return problems, nil
}

// checkAccess returns problems that make calls fail: no valid key, or an Account with an unknown time zone.
func checkAccess(ctx context.Context, s *app.App) (problems []string, err error) {
	keys, err := s.Accounts.Keys(ctx)
	if err != nil {
		return nil, err
	}
	now := time.Now().Unix()
	valid := func(k enlist.Key) bool {
		return k.RevokedTime == 0 && (k.ExpiryTime == 0 || k.ExpiryTime > now)
	}
	if !slices.ContainsFunc(keys, valid) {
		problems = append(problems, "no API key is valid: create one with: enlist key create --name NAME --level full")
	}
	accounts, err := s.Accounts.AllAccounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		if _, err := time.LoadLocation(a.TimeZone); err != nil {
			problems = append(problems, fmt.Sprintf("time zone %q of Account %d is unknown: "+
				"change it with: enlist account timezone %[2]d NAME", a.TimeZone, a.ID))
		}
	}
	return problems, nil
}

// checkHold returns a problem if mails are held, because a forgotten hold sends no mail.
func checkHold(ctx context.Context, s *app.App) ([]string, error) {
	hold, err := s.Sending.Held(ctx)
	if err != nil || hold == nil {
		return nil, err
	}
	return []string{heldText(hold) + ": let them go with: enlist release"}, nil
}

// checkBackup returns a problem if a server makes backups and the last good one is too old.
func checkBackup(ctx context.Context, s *app.App, now time.Time) ([]string, error) {
	b, err := s.LastBackup(ctx)
	if err != nil || !b.IsOverdue(now.Unix()) {
		return nil, err
	}
	problem := fmt.Sprintf("the last good backup is of %s UTC, but there should be one every %s: look at the log of the "+
		"server with --backup-dir", formatTime(time.DateTime, b.Time, "never"), time.Duration(b.Every)*time.Second)
	if b.Error != "" {
		problem += "; the last one failed: " + b.Error
	}
	return []string{problem}, nil
}
