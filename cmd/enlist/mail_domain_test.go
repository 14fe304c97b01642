package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"

	"github.com/emersion/go-msgauth/dkim"
)

// This test checks the DKIM signatures of mails from the domains of several Accounts.

// A mail is signed by the sending domain of its sender, also if the operator adds the domain while the server runs. A mail
// from another domain, and the default sender, are signed by the domain of the server. A mail from a domain that another
// Account has is not sent.
//
// covers: decision 110
func TestMailsAreSignedByTheDomainOfTheirSender(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, mailsAreSignedByTheDomainOfTheirSender)
}

func mailsAreSignedByTheDomainOfTheirSender(t *testing.T, e dbtest.Engine) {
	ctx, db := t.Context(), config.Database{DB: e.New(t)}
	s := &signedMails{t: t, mailbox: mailbox{t, t.TempDir()}, records: make(map[string]string)}
	public, private, err := ed25519.GenerateKey(nil)
	must(0, err)(t)
	s.publish(must(accounts.DKIMRecord("server.example", "enlist", public))(t))
	setSettings(t, db.DB, map[string]string{"mail-from": "news@server.example", "dkim-key": privateKey(t, private)})
	addr, first := startServerOn(t, e, config.Serve{Database: db, Mail: "dir:" + s.dir})
	var second string
	operate := func(do func(*app.App) error) {
		t.Helper()
		must(0, withService(ctx, db, do))(t)
	}
	add := func(account enlist.AccountID, domain string, kind accounts.DKIMKeyType) {
		t.Helper()
		operate(func(service *app.App) error {
			d, err := service.Accounts.AddSendingDomain(ctx, accounts.NewSendingDomain{Account: account, Domain: domain, Type: kind})
			if err == nil {
				s.publish(must(d.Key.Record(domain))(t))
			}
			return err
		})
	}
	operate(func(service *app.App) error {
		a, err := service.Accounts.AddAccount(ctx, accounts.AccountDetails{Name: "Second", ContactLimit: enlist.NoContactLimit})
		must(0, err)(t)
		_, second, err = service.Accounts.AddKey(ctx, accounts.KeyDetails{Account: a.ID, Name: "second", Level: enlist.Full})
		return err
	})
	one, two := api.NewClient("http://"+addr, first), api.NewClient("http://"+addr, second)
	t.Cleanup(one.Close)
	t.Cleanup(two.Close)
	early := s.message(two, "early@a.example")
	s.test(two, early)
	s.wantSigned("early@a.example", "server.example")
	add(1, "a.example", accounts.DKIMRSA)
	add(1, "b.example", accounts.DKIMEd25519)
	for _, from := range []string{"x@a.example", "x@b.example"} {
		s.test(one, s.message(one, from))
		s.wantSigned(from, strings.TrimPrefix(from, "x@"))
	}
	s.test(two, s.message(two, "")) // before Account 2 has a domain: the default sender
	s.wantSigned("news@server.example", "server.example")
	s.test(two, early)
	s.wantFailed(db, "another Account has this domain")
	add(2, "c.example", accounts.DKIMRSA)
	add(2, "d.example", accounts.DKIMRSA)
	for _, from := range []string{"x@c.example", "x@d.example"} {
		s.test(two, s.message(two, from))
		s.wantSigned(from, strings.TrimPrefix(from, "x@"))
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "*.eml"))
	if err != nil || len(files) != 6 {
		t.Errorf("the mails %q were sent, %v, want 6", files, err)
	}
	operate(func(service *app.App) error { // the next key
		_, err := service.Accounts.RotateSendingDomain(ctx, accounts.NewSendingDomain{Domain: "d.example", Selector: "next"})
		must(0, err)(t)
		d, err := service.Accounts.SwitchSendingDomain(ctx, "d.example")
		s.records = map[string]string{}
		s.publish(must(d.Key.Record(d.Domain))(t))
		return err
	})
	s.test(two, s.message(two, "later@d.example"))
	s.wantSigned("later@d.example", "d.example")
}

// signedMails reads mails and checks their signatures with the published records.
type signedMails struct {
	mailbox
	t       *testing.T
	records map[string]string // TXT records by name
}

func (s *signedMails) publish(r accounts.DNSRecord) { s.records[r.Name] = r.Value }

// message adds a Message with a sender and returns its ID.
func (s *signedMails) message(client *api.Client, from string) int64 {
	s.t.Helper()
	return must(client.AddMessage(s.t.Context(), api.Details{"name": "x", "subject": "Hello", "text_content": "Hello", "from_address": from}))(s.t)
}

func (s *signedMails) test(client *api.Client, message int64) {
	s.t.Helper()
	must(0, client.SendTestMessage(s.t.Context(), message, []string{"ann@example.com"}, 0, 0))(s.t)
}

// wantSigned waits for the mail from an address. It must have one valid signature, by the domain.
func (s *signedMails) wantSigned(from, domain string) {
	s.t.Helper()
	mail := s.raw("<" + from + ">")
	found, err := dkim.VerifyWithOptions(bytes.NewReader(mail), &dkim.VerifyOptions{LookupTXT: func(name string) ([]string, error) {
		record, ok := s.records[name]
		if !ok {
			return nil, fmt.Errorf("no record %s", name)
		}
		return []string{record}, nil
	}})
	if err != nil || len(found) != 1 || found[0].Err != nil || found[0].Domain != domain {
		s.t.Fatalf("the mail from %s has the signatures %+v, %v, want a valid one of %s:\n%s", from, found, err, domain, mail)
	}
}

// wantFailed waits until a job has failed with a text.
func (s *signedMails) wantFailed(db config.Database, text string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	var out bytes.Buffer
	for {
		out.Reset()
		if status := run([]string{"jobs", "list", "--db", db.DB, "--state", "failed", "--json"}, &console{stdout: &out, stderr: &out, getenv: os.Getenv}); status != 0 {
			s.t.Fatal(out.String())
		}
		if strings.Contains(out.String(), text) {
			return
		}
		select {
		case <-ctx.Done():
			s.t.Fatalf("no job failed with %q: %s", text, out.String())
		case <-look.C:
		}
	}
}

// privateKey returns a key in PEM format.
func privateKey(t *testing.T, key any) string {
	t.Helper()
	der := must(x509.MarshalPKCS8PrivateKey(key))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}
