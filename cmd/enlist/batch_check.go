package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/mail"
	"enlist/internal/messages"
	"enlist/internal/reports"
)

// enlist batch check: shows what is probably wrong with a Batch, and who would get it. enlist batch add looks for the
// same before it adds a Batch.

type batchCheck struct {
	reporting
	newBatch
}

// Run checks the Batch. It fails if a finding is an error.
func (c *batchCheck) Run(ctx context.Context, out *console) error {
	request, err := c.request()
	if err != nil {
		return err
	}
	return withService(ctx, c.Database, func(s *app.App) error {
		caller, err := operator(ctx, s, c.Account)
		if err != nil {
			return err
		}
		check, err := checkBatch(ctx, out, s, caller, request)
		if err != nil {
			return err
		}
		if err := c.print(out.stdout, check); err != nil {
			return err
		}
		return failure(check)
	})
}

// print prints the result: JSON with the findings, or the numbers and a line for each finding.
func (c *batchCheck) print(w io.Writer, check *batches.BatchCheck) error {
	all := recordOf(batches.CheckAttributes, check)
	left := recordOf(reports.LeftOutAttributes, &check.Counts)
	if c.JSON {
		findings := []record{}
		for i := range check.Findings {
			findings = append(findings, recordOf(batches.FindingAttributes, &check.Findings[i]))
		}
		return printJSON(w, append(all, value{"left_out", left}, value{"findings", findings}))
	}
	for _, v := range left {
		all = append(all, value{"left_out_" + v.name, v.any})
	}
	if err := c.show(w, all); err != nil {
		return err
	}
	return printFindings(w, check)
}

// checkBatch checks a Batch without the settings of a server. So the default sender is unknown. It shows the progress
// if the check takes longer.
func checkBatch(ctx context.Context, out *console, s *app.App, caller *enlist.Caller, r batches.BatchRequest) (
	*batches.BatchCheck, error) {
	composer, err := mail.NewComposer(mail.Options{PublicURL: "https://lists.example.com"}) // only the length of links counts
	if err != nil {
		return nil, err
	}
	s.Messages.SetComposer(composer)
	p := newStatus(out.stderr)
	p.every, p.printed = max(p.every, followEvery), time.Now()
	defer p.end()
	return s.Batches.CheckBatchWithin(ctx, caller, r, batches.CheckLimits{Progress: func(k *batches.BatchCheck) {
		p.show(false, time.Now(), fmt.Sprintf("checked %d of %d Contacts, %d recipients", k.Checked, k.Total, k.Recipients))
	}})
}

// printFindings prints a line for each finding.
func printFindings(w io.Writer, check *batches.BatchCheck) error {
	for _, f := range check.Findings {
		line := record{{"text", fmt.Sprintf("%s: %s", f.Level, f.Text)}}
		if _, err := fmt.Fprintln(w, line.text("text")); err != nil {
			return err
		}
	}
	return nil
}

// failure returns an error if a finding is an error, for which no mail should be sent.
func failure(check *batches.BatchCheck) error {
	for _, f := range check.Findings {
		if f.Level == messages.FindingError {
			return errors.New("the Message cannot be sent like this: correct it with enlist message edit, or add --force to enlist batch add")
		}
	}
	return nil
}
