package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"enlist/internal/audience"
	"enlist/internal/config"
	"enlist/internal/indexadvisor"
)

type doctorCommand struct {
	config.Database
	format
}

// Run checks and prints one line for each finding. What is wrong makes it fail.
func (c *doctorCommand) Run(ctx context.Context, out *console) error {
	var found findings
	err := withStore(ctx, c.Database, func(store *database) error {
		problems, err := store.check(ctx)
		if err != nil {
			return err
		}
		found.add("database", problems)
		found.add("writing", problemOf(store.Ready(ctx)))
		service, advisor := newService(store, indexadvisor.DefaultRules())
		if problems, err = checkIndexes(ctx, store, advisor); err != nil {
			return err
		}
		found.add("indexes", problems)
		problems, err = checkAccess(ctx, service)
		found.add("access", problems)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.print(out, found.records); err != nil {
		return err
	}
	if found.wrong > 0 {
		return fmt.Errorf("found %d to put right", found.wrong)
	}
	return nil
}

// findings are what was looked at, and what was found there.
type findings struct {
	records []record
	wrong   int
}

func (f *findings) add(about string, problems []string) {
	if len(problems) == 0 {
		f.records = append(f.records, record{{"check", about}, {"ok", true}, {"problem", ""}})
	}
	for _, p := range problems {
		f.records = append(f.records, record{{"check", about}, {"ok", false}, {"problem", p}})
		f.wrong++
	}
}

func problemOf(err error) []string {
	if err == nil {
		return nil
	}
	return []string{err.Error()}
}

func (c *doctorCommand) print(out *console, found []record) error {
	if c.JSON {
		return c.list(out.stdout, found)
	}
	for _, f := range found {
		line := "ok: " + f.text("check")
		if problem := f.text("problem"); problem != "" {
			line = "problem: " + f.text("check") + ": " + problem
		}
		fmt.Fprintln(out.stdout, line)
	}
	return nil
}

// checkIndexes looks whether the database has the indexes of searches that it is
// said to have, and no others.
func checkIndexes(ctx context.Context, store audience.Store, advisor *indexadvisor.Advisor) (problems []string, err error) {
	built, err := store.BuiltIndexes(ctx)
	if err != nil {
		return nil, err
	}
	said, err := advisor.Reports(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range said {
		switch {
		case x.Missing:
			problems = append(problems, fmt.Sprintf("the database has no good index %d, of List %d by %s: a running service makes it again within minutes", x.ID, x.ListID, x.Key))
		case x.State == audience.IndexFailed:
			problems = append(problems, fmt.Sprintf("index %d, of List %d by %s, could not be made: %s: try again with: enlist index create --list %[2]d --key %[3]s", x.ID, x.ListID, x.Key, x.Error))
		}
	}
	for _, b := range built {
		if !slices.ContainsFunc(said, func(x indexadvisor.Report) bool { return x.ID == b.ID }) {
			problems = append(problems, fmt.Sprintf("index search_%d belongs to no search: a running service drops it within minutes", b.ID))
		}
	}
	return problems, nil
}

// checkAccess looks for what keeps everybody out.
func checkAccess(ctx context.Context, s *audience.Service) (problems []string, err error) {
	keys, err := s.Keys(ctx)
	if err != nil {
		return nil, err
	}
	now, good := time.Now().Unix(), 0
	for _, k := range keys {
		if k.RevokedTime == 0 && (k.ExpiryTime == 0 || k.ExpiryTime > now) {
			good++
		}
	}
	if good == 0 {
		problems = append(problems, "no API key is good: make one with: enlist key create --name NAME --level full")
	}
	accounts, err := s.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		if _, err := time.LoadLocation(a.TimeZone); err != nil {
			problems = append(problems, fmt.Sprintf("time zone %q of Account %d is not known: change it with: enlist account timezone %[2]d NAME", a.TimeZone, a.ID))
		}
	}
	return problems, nil
}
