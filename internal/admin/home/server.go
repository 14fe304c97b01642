package home

import (
	"context"
	"errors"
	"slices"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/backup"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file says what is wrong with the server, and what the operator has not set up yet. The people of one Account of
// several can do nothing about it, so only users who may do everything see it, except that no change is stored.

// Server is what the page must know of the process.
type Server struct {
	SendsMail     bool // to a mail server
	ReadsEvents   bool // an email provider posts its bounces
	LinksToItself bool // the public URL leads to the reader's own machine
	OtherBackups  bool // another program makes the backups
	// Certificate says what is wrong with the TLS certificate; "": nothing. nil: another program has it.
	Certificate func() string
}

// probeTime is the longest time in which the database must store a change.
const probeTime = time.Second

// server adds what the operator should do. It needs Lists.
func (d *data) server(r *ui.Request, s Server) error {
	ctx, done := context.WithTimeout(r.Context(), probeTime)
	defer done()
	ready := r.App.DB.Ready(ctx)
	for _, trouble := range []error{db.ErrFull, db.ErrDamaged} {
		if errors.Is(ready, trouble) {
			d.need("No change is stored", trouble.Error(), "", "")
		}
	}
	alone, err := r.IsAlone()
	if err != nil || r.Caller.Key.Level < enlist.Full || !alone && !r.User.AllAccounts {
		return err
	}
	if s.Certificate != nil {
		if trouble := s.Certificate(); trouble != "" {
			d.need("Browsers refuse this server, or will soon", trouble, "", "")
		}
	}
	if !slices.ContainsFunc(d.Lists, func(l list) bool { return l.ContactCount > 0 }) {
		return nil // there is nothing to lose yet
	}
	last, err := backup.Last(r.Context(), r.App.DB)
	if err == nil && last == nil && !s.OtherBackups {
		d.need("No backup was ever set up", "start the server with --backup-dir FOLDER, or with --backup-dir none if "+
			"another program backs the database up", "/admin/backups", "Backups")
	}
	if !s.SendsMail {
		return err
	}
	if s.LinksToItself {
		d.need("The links in mails lead nowhere", "the public URL of this server is missing, or is that of the reader's own "+
			"machine: start the server with --public-url https://lists.example.com", "/admin/sending", "Sending health")
	}
	if !s.ReadsEvents && r.App.Accounts.Settings().Bounces.Domain == "" {
		d.need("No program reads the bounces of your mails", "addresses that do not exist are sent to again and again: set "+
			"the setting bounce-address, or --smtp-provider", "/admin/sending", "Sending health")
	}
	return err
}
