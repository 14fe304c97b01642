package main

import (
	"cmp"
	"fmt"
	"net/url"

	"enlist/internal/config"
	"enlist/internal/pace"
)

// This file builds the settings of Batches from the flags of serve.

// sendingOf returns the settings of the mails of Batches.
func sendingOf(c config.Serve) (s pace.Settings, err error) {
	_, from := c.Sender()
	s = pace.Settings{From: cmp.Or(from, placeholderSender), Relay: c.MailDir()}
	if c.SMTP != "" {
		server, err := url.Parse(c.SMTP)
		if err != nil {
			return s, fmt.Errorf("--smtp is not a URL such as smtp://HOST:PORT")
		}
		s.Relay = server.Host
	}
	s.Rates, err = pace.ParseRateLimits(c.BatchRate)
	if err != nil {
		return s, fmt.Errorf("--batch-rate: %w", err)
	}
	s.Calendar, err = pace.ParseCalendar(c.BatchCalendar)
	if err != nil {
		return s, fmt.Errorf("--batch-calendar: %w", err)
	}
	s.Warmup, err = pace.ParseWarmup(c.BatchWarmup)
	if err != nil {
		return s, fmt.Errorf("--batch-warmup: %w", err)
	}
	return s, nil
}
