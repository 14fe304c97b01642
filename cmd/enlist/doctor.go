package main

import (
	"context"
	"fmt"
	"time"

	"enlist/internal/audience"
	"enlist/internal/config"
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
		problems, err = checkAccess(ctx, audience.NewService(store, time.Now))
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
