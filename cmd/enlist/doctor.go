package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"enlist/internal/app"
	"enlist/internal/backup"
	"enlist/internal/config"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search/advisor"
)

// enlist doctor: checks a database and its keys, and prints one line for each finding.

type doctorCommand struct {
	config.Database
	config.DNS
	config.TLS
	BackupDir   string `placeholder:"DIR" help:"Set as in enlist serve: none says that another program makes backups."`
	Checkpoints string `placeholder:"WHO" help:"Set as in enlist serve."`
	format
}

// Run runs the checks and prints the findings. It returns an error if there is a problem.
func (c *doctorCommand) Run(ctx context.Context, out *console) error {
	var found findings
	if c.DNS.DNS || c.TrySMTP {
		var err error
		if c.TrySMTP {
			err = c.checkSMTP(ctx, &found)
		}
		if c.DNS.DNS && err == nil {
			err = c.checkDNS(ctx, &found)
		}
		if err != nil {
			return err
		}
		return c.conclude(out, &found)
	}
	err := withStore(ctx, c.Database, func(store *database) error { return found.check(ctx, store, c) })
	if err != nil {
		return err
	}
	return c.conclude(out, &found)
}

// check runs the checks that need only the database, and the flags of mails and of the certificate.
func (f *findings) check(ctx context.Context, store *database, c *doctorCommand) error {
	service, indexes := newService(store)
	declareSettings(service, c.Database)
	for _, check := range []struct {
		about string
		run   func() (problems, notes []string, err error)
	}{
		{"database", func() (p, n []string, err error) { p, err = store.check(ctx); return }},
		{"writing", func() (p, n []string, err error) { return problemOf(store.Ready(ctx)), nil, nil }},
		{"jobs", func() (p, n []string, err error) { return checkJobs(ctx, store) }},
		{"indexes", func() (p, n []string, err error) { return checkIndexes(ctx, store, indexes) }},
		{"access", func() (p, n []string, err error) { p, err = checkAccess(ctx, service); return }},
		{"proxy", func() (p, n []string, err error) { p, err = checkProxies(ctx, service); return }},
		{"senders", func() (p, n []string, err error) { p, err = service.Accounts.RefusedSenders(ctx); return }},
		{"hold", func() (p, n []string, err error) { p, err = checkHold(ctx, service); return }},
		{"backup", func() (p, n []string, err error) { return checkBackup(ctx, service, c, time.Now()) }},
		{"mails", func() (p, n []string, err error) { return checkMails(ctx, service, c.DNS) }},
		{"certificate", func() (p, n []string, err error) { p, n = checkCertificate(c.TLS, c.Database); return }},
	} {
		problems, notes, err := check.run()
		if errors.Is(err, db.ErrDamaged) {
			problems, err = problemOf(err), nil // the other checks go on
		}
		if err != nil {
			return err
		}
		f.add(check.about, problems, notes...)
	}
	return nil
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

// Levels of findings, beside those of package dns.
const (
	levelOK      = "ok"
	levelNote    = "note" // news: the server needs no help
	levelProblem = "problem"
)

// add adds one record for each problem of a check, and one for each note. If there is no problem, it adds one record
// that says "ok".
func (f *findings) add(about string, problems []string, notes ...string) {
	if len(problems) == 0 {
		f.addOne(about, levelOK, "")
	}
	for _, p := range problems {
		f.addOne(about, levelProblem, p)
	}
	for _, n := range notes {
		f.addOne(about, levelNote, n)
	}
}

// addOne adds a record. Only a problem has ok false.
func (f *findings) addOne(about, level, text string, more ...value) {
	isProblem := level == levelProblem
	if isProblem {
		f.wrong++
	}
	f.records = append(f.records, append(record{{"check", about}, {"ok", !isProblem}, {"level", level}, {"problem", text}},
		more...))
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

// checkIndexes compares the search indexes in the database with the recorded ones. What a running service repairs by
// itself is a note.
func checkIndexes(ctx context.Context, store db.Engine,
	indexes *advisor.Advisor) (problems, notes []string, err error) {
	built, err := store.BuiltIndexes(ctx)
	if err != nil {
		return nil, nil, err
	}
	recorded, err := indexes.Reports(ctx)
	if err != nil {
		return nil, nil, err
	}
	add := func(to *[]string, format string, args ...any) { *to = append(*to, fmt.Sprintf(format, args...)) }
	for _, x := range recorded {
		switch {
		case x.Missing:
			add(&notes, "index %d of List %d for the key %s is missing or invalid in the database: "+
				"a running service builds it again within minutes", x.ID, x.ListID, x.Key)
		case x.State == enlist.IndexFailed:
			add(&problems, "index %d of List %d for the key %s could not be built: %s: try again with: "+
				"enlist index create --list %[2]d --key %[3]s", x.ID, x.ListID, x.Key, x.Error)
		}
	}
	for _, b := range built {
		if !slices.ContainsFunc(recorded, func(x advisor.Report) bool { return x.ID == b.ID }) {
			add(&notes, "index search_%d is in the database, but not in the list of indexes: "+
				"a running service drops it within minutes", b.ID)
		}
	}
	return problems, notes, nil
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
	return []string{heldText(hold) + ": send or discard them with: enlist release"}, nil
}

// checkBackup returns a problem if a server makes backups and the last good one is too old, and a note if none was ever
// made: another program may make them.
func checkBackup(ctx context.Context, s *app.App, c *doctorCommand,
	now time.Time) (problems, notes []string, err error) {
	b, err := backup.Last(ctx, s.DB)
	if err == nil && b == nil && (config.Serve{BackupDir: c.BackupDir, Checkpoints: c.Checkpoints}).OtherBackups() {
		return nil, nil, nil
	}
	if err == nil && b == nil {
		return nil, []string{"no server has ever made a backup of this database: start one with --backup-dir FOLDER, unless " +
			"another program backs the database up"}, nil
	}
	if err != nil || !b.IsOverdue(now.Unix()) {
		return nil, nil, err
	}
	problem := fmt.Sprintf("the last good backup is of %s UTC, but there should be one every %s: look at the log of the "+
		"server with --backup-dir", formatTime(time.DateTime, b.Time, "never"), time.Duration(b.Every)*time.Second)
	if b.Error != "" {
		problem += "; the last one failed: " + b.Error
	}
	return []string{problem}, nil, nil
}
