package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db/jobqueue"
	"enlist/internal/jobs"
)

// This file has the checks of enlist doctor for failed jobs, proxies and the mail server.

// jobWords say what a job of a kind does, for the operator.
var jobWords = map[string]string{
	"notify":                "notifications about Contacts",
	"autorespond":           "mails of autoresponders",
	"ask_to_confirm":        "mails that ask to confirm a subscription",
	"send_link":             "mails with the link to the settings of a subscriber",
	"send_test":             "test mails of a Message",
	"remove_content":        "removals of the content of a file",
	"remove_contacts":       "removals of the Contacts of a List",
	"run_import":            "imports",
	"remove_import_results": "removals of results of imports",
	"forget_field":          "removals of the values of a Field",
	"convert_field":         "conversions of the values of a Field",
	"apply_retention":       "removals of old data",
	"forget_tracking":       "removals of opens and clicks of people who refused their recording",
	"prepare_batch":         "Batches whose recipients were not stored",
	"remove_batch":          "removals of a Batch",
}

// checkJobs returns a problem for each kind of failed jobs. A mail to an address that does not exist is only a note.
func checkJobs(ctx context.Context, store *database) (problems, notes []string, err error) {
	q, err := store.jobs(&jobqueue.Config{})
	if err != nil {
		return nil, nil, err
	}
	failed, err := jobs.Failures(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range failed {
		words := jobWords[f.Kind]
		if words == "" {
			words = "jobs of the kind " + f.Kind
		}
		if f.Refused {
			notes = append(notes, fmt.Sprintf("the mail servers of the recipients refused %d %s, such as: %s", f.Count,
				words, f.Last))
			continue
		}
		problems = append(problems, fmt.Sprintf("%d %s failed in all attempts and are not tried again. The last reason: %s. "+
			"Correct it, and try again with: enlist jobs retry --all --kind %s, or give them up with: enlist jobs discard --all --kind %[4]s",
			f.Count, words, f.Last, f.Kind))
	}
	return problems, notes, nil
}

// checkProxies returns a problem for each proxy that the server does not trust.
func checkProxies(ctx context.Context, s *app.App) (problems []string, err error) {
	all, err := s.UntrustedProxies(ctx)
	for _, p := range all {
		problems = append(problems, fmt.Sprintf("a request from %s had X-Forwarded-For (%s UTC), but this address is no trusted "+
			"proxy, so proofs of consent have it in place of the person's: if it is your proxy, start the service with "+
			"--trusted-proxy %[1]s, and otherwise restart the service", p.Address,
			formatTime(time.DateTime, p.Time, "")))
	}
	return problems, err
}

// checkSMTP tries the mail server of --smtp-server.
func (c *doctorCommand) checkSMTP(ctx context.Context, found *findings) error {
	if c.SMTP == "" {
		return usage("--smtp needs the URL of the mail server in --smtp-server or ENLIST_SMTP")
	}
	return withMailer(ctx, config.Serve{Database: c.Database, SMTP: c.SMTP, PublicURL: c.PublicURL},
		func(m mailTrier) error {
			trial, err := m.TryServer(ctx)
			if err != nil {
				found.add("mail server", []string{err.Error()})
				return nil
			}
			notes := []string{trial.String()}
			if trial.Sender == "" {
				notes = append(notes, "there is no sender to try: set one with: enlist settings set mail-from=news@example.com")
			}
			found.add("mail server", nil, notes...)
			return nil
		})
}

// checkMails looks at the flags with which mails are sent, as far as this command has them, and at the settings.
func checkMails(ctx context.Context, s *app.App, c config.DNS) (problems, notes []string, err error) {
	if c.SMTP == "" {
		return nil, nil, nil
	}
	if (config.Serve{PublicURL: c.PublicURL}).LinksToItself() {
		problems = append(problems, "mails are sent, but the public URL is missing or is that of the reader's own machine: "+
			"start the service with --public-url https://lists.example.com")
	}
	err = s.ReadSettings(ctx)
	if err == nil && c.SMTPProvider == "" && s.Accounts.Settings().Bounces.Domain == "" {
		notes = append(notes, "mails are sent, but no program reads their bounces: set bounce-address with enlist settings, "+
			"or --smtp-provider")
	}
	return problems, notes, err
}

// noAddr is the address of a program that does not listen.
var noAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
