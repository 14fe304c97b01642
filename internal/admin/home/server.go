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
			d.need(r.Text("home.no_change_stored"), trouble.Error(), "", "")
		}
	}
	alone, err := r.IsAlone()
	if err != nil || !r.Caller.May(enlist.Manage) || !alone && !r.User.AllAccounts {
		return err
	}
	if s.Certificate != nil {
		if trouble := s.Certificate(); trouble != "" {
			d.need(r.Text("home.browsers_refuse_server_or_will"), trouble, "", "")
		}
	}
	if !slices.ContainsFunc(d.Lists, func(l list) bool { return l.ContactCount > 0 }) {
		return nil // there is nothing to lose yet
	}
	last, err := backup.Last(r.Context(), r.App.DB)
	if err == nil && last == nil && !s.OtherBackups {
		d.need(r.Text("home.no_backup_was_ever_set"), r.Text("home.set_backup_up"), "/admin/backups", r.Text("home.backups"))
	}
	if !s.SendsMail {
		return err
	}
	if s.LinksToItself {
		d.need(r.Text("home.links_mails_lead_nowhere"), r.Text("home.public_url_missing"), "/admin/sending", r.Text("home.sending_health"))
	}
	if !s.ReadsEvents && r.App.Accounts.Settings().Bounces.Domain == "" {
		d.need(r.Text("home.no_program_reads_bounces_your"), r.Text("home.set_bounce_address"), "/admin/sending", r.Text("home.sending_health"))
	}
	return err
}
