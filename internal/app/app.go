package app

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/forms"
	"enlist/internal/imports"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/pace"
	"enlist/internal/privacy"
	"enlist/internal/reports"
	"enlist/internal/sending"
	"enlist/internal/users"
	"enlist/internal/webhooks"
)

// This file has the App, which has the Services of all subjects.

// App has the Services over one database. They are safe for concurrent use.
type App struct {
	Accounts *accounts.Service
	Lists    *lists.Service
	Webhooks *webhooks.Service
	Contacts *contacts.Service
	Forms    *forms.Service
	Files    *files.Service
	Imports  *imports.Service
	Messages *messages.Service
	Batches  *batches.Service
	Sending  *sending.Service
	Reports  *reports.Service
	Privacy  *privacy.Service
	Users    *users.Service

	// DB is for the packages above all subjects: records that move in, backups, figures.
	DB      *db.DB
	sending *atomic.Pointer[pace.Settings] // what Batches follow, also in messages and sending
}

// New returns an App for a database. now is the only clock of the services, so that tests
// can set the time.
func New(store db.Engine, now func() time.Time) *App {
	d := &db.DB{Engine: store, Now: now, Confirm: accounts.Confirm}
	s := &App{DB: d, sending: new(atomic.Pointer[pace.Settings]), Accounts: accounts.New(d, lists.CheckFolderUnused),
		Webhooks: webhooks.New(d, sending.StopsWebhooks)}
	s.sending.Store(new(pace.Settings))
	s.Contacts = contacts.New(d, s.Accounts, contacts.Above{SegmentUnused: batches.CheckSegmentUnused, KeyOf: users.KeyOf,
		FormSent: forms.Sent, FormConfirmed: forms.Confirmed,
		Forget:   []func(*db.Tx, enlist.ListID, []enlist.ContactID) error{messages.ForgetContacts, batches.ForgetContacts},
		DropList: []func(*db.Tx, enlist.ListID) error{forms.RemoveOf, batches.RemoveAutoresponders}})
	s.Lists = lists.New(d, s.Contacts.ConvertField)
	s.Forms = forms.New(d, s.Contacts)
	s.Files = files.New(d, s.Accounts, files.Above{Unused: messages.CheckFileUnused,
		NewContent: messages.CheckNewContent, Shown: messages.ShownFiles(batches.SentTo), OfImports: imports.Contents})
	s.Messages = messages.New(d, s.Accounts, s.sending,
		messages.Above{Unused: batches.CheckUnused, SentTo: batches.SentTo, LastSent: batches.LastSent})
	s.Batches = batches.New(d, s.Messages, users.KeyOf)
	s.Sending = sending.New(d, s.Contacts, s.Messages, s.sending)
	s.Imports = imports.New(d, s.Lists, s.Files)
	s.Reports = reports.New(d)
	s.Privacy = privacy.New(d, s.Accounts, s.Contacts, s.Files)
	s.Users = users.New(d)
	return s
}

// SetSending sets the name of the mail server and the sender of last resort, and the limits until ReadSettings reads
// those of the database.
func (s *App) SetSending(settings pace.Settings) { s.sending.Store(&settings) }

// ReadSettings is accounts.Service.ReadSettings. The limits of Batches follow the settings.
func (s *App) ReadSettings(ctx context.Context) error {
	if err := s.Accounts.ReadSettings(ctx); err != nil {
		return err
	}
	old, read := s.sending.Load(), s.Accounts.Settings()
	s.SetSending(pace.Settings{Relay: old.Relay, From: old.From, Rates: read.Rates, Calendar: read.Calendar,
		Warmup: read.Warmup, MailRate: read.MailRate})
	return nil
}

// Periodic returns what each process repeats for the subjects, but not ReadSettings.
func (s *App) Periodic() []db.Periodic {
	return slices.Concat(s.Accounts.Periodic(), s.Contacts.Periodic(), s.Files.Periodic(), s.Sending.Periodic(), s.Privacy.Periodic())
}
