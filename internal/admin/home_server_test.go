package admin_test

import (
	"context"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"enlist/internal/admin"
	"enlist/internal/admin/home"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// This file tests what Home says of the server.

func TestHomeSaysWhatTheOperatorHasNotSetUp(t *testing.T) {
	apptest.Run(t, apptest.Own, newSite, []apptest.Rule[*site]{
		{Name: "backups, bounces, the public URL and the certificate, each only if it is missing or wrong", Test: (*site).notSetUp},
		{Name: "only users who may do everything see what is not set up", Test: (*site).whoSeesTheServer},
		{Name: "everybody sees that no change is stored", Test: (*site).noChangeIsStored},
	})
}

const (
	noBackup    = "Backups were never set up"
	noBounces   = "Bounces of your emails are not processed"
	noLinks     = "The links in emails do not work"
	certificate = "Browsers do not trust this server, or soon will not"
)

// home returns the text of the first page of a server, for a user who is signed in to another one of the database.
func (v *visitor) home(s home.Server) string {
	v.Helper()
	other := httptest.NewServer(admin.New(v.App, admin.Options{Delay: func(*http.Request) {}, Home: s, Log: slog.New(slog.DiscardHandler)}))
	defer other.Close()
	there := *v
	there.site = &site{v.SentBatch, other}
	status, at, text := there.get("/admin/")
	if status != http.StatusOK || at != "/admin/" {
		v.Errorf("the first page is answered with %d at %s", status, at)
	}
	return html.UnescapeString(text)
}

// notes checks which of the sentences about the server a page has.
func (v *visitor) notes(about, text string, want ...string) {
	v.Helper()
	for _, note := range []string{noBackup, noBounces, noLinks, certificate} {
		wanted := false
		for _, w := range want {
			wanted = wanted || w == note
		}
		if strings.Contains(text, "<b>"+note+"</b>") != wanted {
			v.Errorf("%s: the page says %q: %v, want %v", about, note, !wanted, wanted)
		}
	}
}

func (s *site) notSetUp() {
	s.Update(func(tx *db.Tx) error { return tx.Do("DELETE FROM backup") })
	v := s.full()
	wrong := home.Server{SendsMail: true, LinksToItself: true, Certificate: func() string { return "it has expired" }}
	text := v.home(wrong)
	v.notes("nothing is set up", text, noBackup, noBounces, noLinks, certificate)
	v.wantText(text, ": it has expired", "--backup-dir FOLDER", "bounce-address", "--public-url https://")
	for about, c := range map[string]struct {
		change func(*home.Server)
		want   []string
	}{
		"another program makes backups": {func(h *home.Server) { h.OtherBackups = true }, []string{noBounces, noLinks, certificate}},
		"a provider reports bounces":    {func(h *home.Server) { h.ReadsEvents = true }, []string{noBackup, noLinks, certificate}},
		"the public URL is one":         {func(h *home.Server) { h.LinksToItself = false }, []string{noBackup, noBounces, certificate}},
		"no mail is sent":               {func(h *home.Server) { h.SendsMail = false }, []string{noBackup, certificate}},
		"the certificate is good":       {func(h *home.Server) { h.Certificate = func() string { return "" } }, []string{noBackup, noBounces, noLinks}},
		"a proxy has the certificate":   {func(h *home.Server) { h.Certificate = nil }, []string{noBackup, noBounces, noLinks}},
	} {
		server := wrong
		c.change(&server)
		v.notes(about, v.home(server), c.want...)
	}
	s.Must(s.App.Accounts.ChangeSettings(s.Context(), 0, map[string]string{"bounce-address": "bounces@example.com"}))
	s.Must(s.App.ReadSettings(s.Context()))
	v.notes("bounces come to an address", v.home(wrong), noBackup, noLinks, certificate)
	s.Update(func(tx *db.Tx) error {
		return tx.Do("INSERT INTO backup (id, time, name, tried_time, lease_time, every, error) VALUES (1, ?, 'b', 0, 0, 3600, '')", s.Now.Unix())
	})
	v.notes("a server makes backups", v.home(wrong), noLinks, certificate)
}

func (s *site) whoSeesTheServer() {
	wrong := home.Server{SendsMail: true, LinksToItself: true, Certificate: func() string { return "it has expired" }}
	standard := s.as("standard", users.Membership{Level: enlist.Standard, MaySend: true})
	standard.notes("level standard", standard.home(wrong))
	full := s.full()
	full.notes("level full, one Account", full.home(wrong), noBackup, noBounces, noLinks, certificate)
	elsewhere := s.signedInElsewhere()
	full.notes("level full, several Accounts", full.home(wrong))
	elsewhere.notes("of another Account, several Accounts", elsewhere.home(wrong))
	s.Must(s.App.Users.InviteToAll(s.Context(), "p-full@example.com", "A"))
	full.notes("may do everything, several Accounts", full.home(wrong), noBackup, noBounces, noLinks, certificate)
}

// fullDisk is a database whose disk is full.
type fullDisk struct{ db.Engine }

func (fullDisk) Ready(context.Context) error { return db.ErrFull }

func (s *site) noChangeIsStored() {
	v := s.as("reader", users.Membership{Level: enlist.Read})
	if text := v.home(home.Server{}); strings.Contains(text, "No changes are being stored") {
		s.Errorf("a database that works is said to store nothing:\n%s", cut(text))
	}
	whole := s.App.DB.Engine
	s.App.DB.Engine = fullDisk{whole}
	defer func() { s.App.DB.Engine = whole }()
	v.wantText(v.home(home.Server{}), "No changes are being stored: "+db.ErrFull.Error())
}
