package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/dns/dnstest"
)

// This test checks the DNS records of an installation with the complete command.

// enlist doctor --dns asks for the records of all sending domains and senders, and prints those to publish. After the
// operator has published them as they were printed, it finds no problem.
//
// covers: decision 111
func TestDoctorChecksTheRecordsOfTheInstallation(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	ctx, db, zone := t.Context(), config.Database{DB: dbtest.SQLite.New(t)}, dnstest.Start(t)
	must(0, withService(ctx, db, func(s *app.App) error {
		if _, err := s.Bootstrap(ctx, ""); err != nil {
			return err
		}
		for _, domain := range []string{"example.org", "shop.example"} {
			if _, err := s.Accounts.AddSendingDomain(ctx, accounts.NewSendingDomain{Account: 1, Domain: domain}); err != nil {
				return err
			}
		}
		_, err := s.Accounts.RotateSendingDomain(ctx, accounts.NewSendingDomain{Domain: "shop.example", Selector: "next"})
		return err
	}))(t)
	setSettings(t, db.DB, map[string]string{"mail-from": "News <news@server.example>", "bounce-address": "enlist@bounces.example.org"})
	var out bytes.Buffer
	doctor := func(flags ...string) (status int) {
		t.Helper()
		out.Reset()
		args := append([]string{"doctor", "--dns", "--db", db.DB, "--resolver", zone.Addr, "--smtp-server", "smtp://mail.example.org",
			"--sending-ip", "192.0.2.1"}, flags...)
		return run(args, &console{stdout: &out, stderr: &out, getenv: os.Getenv})
	}
	if status := doctor("--json"); status != 1 {
		t.Fatalf("status %d, want 1: %s", status, out.String())
	}
	var found []struct {
		Check, Level, Problem string
		OK                    bool
		DNS                   struct{ Name, Type, Value, ZoneLine string }
	}
	text, _, _ := strings.Cut(out.String(), "\nenlist: ")
	must(0, json.Unmarshal([]byte(strings.ReplaceAll(text, "zone_line", "ZoneLine")), &found))(t)
	levels := make(map[string]string)
	for _, f := range found {
		levels[f.Check] = f.Level
		if f.OK != (f.Level != "problem") || (f.Problem == "") != (f.Level == "ok") {
			t.Errorf("%+v", f)
		}
		if f.DNS.Name != "" {
			zone.Add(t, f.DNS.ZoneLine)
		}
	}
	for check, level := range map[string]string{"DKIM next._domainkey.shop.example": "warning", "DMARC server.example": "problem",
		"DMARC shop.example": "problem", "SPF bounces.example.org": "problem", "MX bounces.example.org": "problem", "PTR 192.0.2.1": "problem",
		"public URL": "warning"} {
		if levels[check] != level {
			t.Errorf("the check %s has the level %q, want %s: %s", check, levels[check], level, out.String())
		}
	}
	zone.Add(t, "mail.example.org. A 192.0.2.1", "1.2.0.192.in-addr.arpa. PTR mail.example.org.")
	status := doctor()
	const unsigned = "problem: DMARC server.example: no signature and no envelope sender of this domain"
	if got := out.String(); status != 1 || strings.Count(got, "problem:") != 1 || !strings.Contains(got, unsigned) ||
		!strings.Contains(got, "ok: DKIM next._domainkey.shop.example\n") {
		t.Errorf("status %d, want 1 and one problem: %s", status, got)
	}
	setSettings(t, db.DB, map[string]string{"mail-from": "news@shop.example"})
	if status := doctor(); status != 0 {
		t.Errorf("status %d after all records are published: %s", status, out.String())
	}
	setSettings(t, db.DB, map[string]string{"mail-from": "news@server.example"})
	if status := doctor("--smtp-provider", "ses"); status != 0 || !strings.Contains(out.String(), "warning: DMARC server.example: ") ||
		!strings.Contains(out.String(), "warning: provider ses: ") || strings.Contains(out.String(), "SPF bounces") {
		t.Errorf("with a provider: status %d: %s", status, out.String())
	}
	zone.Add(t, "hostile.example. MX 10 mail.example.org.", "hostile.example. TXT \"v=spf1 x=\x1b[2J\\ ip4:192.0.2.9 -all\"")
	setSettings(t, db.DB, map[string]string{"mail-from": "news@shop.example", "bounce-address": "enlist@hostile.example"})
	status = doctor()
	if got := out.String(); status != 1 || strings.Contains(got, "\x1b") || !strings.Contains(got, `"v=spf1 ip4:192.0.2.1 x=\027[2J\\ ip4`) {
		t.Errorf("status %d, want 1 and no control character of the record: %q", status, got)
	}
	for _, flags := range [][]string{{"--resolver", "nowhere"}, {"--sending-ip", "x"}, {"--smtp-provider", "x"}} {
		if status := doctor(flags...); status != 2 {
			t.Errorf("%q: status %d, want 2: %s", flags, status, out.String())
		}
	}
}
