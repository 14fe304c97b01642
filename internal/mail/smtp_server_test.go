package mail

import (
	"errors"
	"strings"
	"testing"

	"enlist/internal/mail/mailtest"
	"enlist/internal/messages"
)

// The tests in this file connect with and without TLS and a login, and parse the URL of a mail
// server.

// The sender uses TLS and the login according to the URL and to the extensions of the server.
//
// covers: decision 50
func TestTLSAndLoginFollowTheURLAndTheServer(t *testing.T) {
	login := mailtest.Options{User: "me@example.org", Password: "p@ss/word:%"}
	for _, c := range []struct {
		name    string
		options mailtest.Options
		change  func(*mailServer)
		want    string // text in the error, or "" if the message is sent
	}{
		{"STARTTLS", mailtest.Options{StartTLS: true}, nil, ""},
		{"TLS", mailtest.Options{TLS: true}, nil, ""},
		{"login", login, nil, ""},
		{"login after STARTTLS", mailtest.Options{User: "a", Password: "b", StartTLS: true}, nil, ""},
		{"login with TLS", mailtest.Options{User: "a", Password: "b", TLS: true}, nil, ""},
		{"wrong password", login, func(s *mailServer) { s.password = "x" }, "535"},
		{"an unknown certificate with TLS", mailtest.Options{TLS: true}, func(s *mailServer) { s.roots = nil },
			"certificate"},
		{"an unknown certificate on this machine", mailtest.Options{StartTLS: true}, func(s *mailServer) { s.roots = nil }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newSMTPFixture(t, c.options, nil)
			if c.change != nil {
				c.change(&p.sender.server)
			}
			err := p.send(1)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			u, ok := errors.AsType[*messages.Undelivered](err)
			if !ok || u.Permanent || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got the error %v, want a temporary failure with %q", err, c.want)
			}
		})
	}
}

// The sender sends the password to a server on another machine only with TLS. It refuses a
// certificate of an unknown authority.
//
// covers: decision 50
func TestPasswordIsSentToOtherMachinesOnlyWithTLS(t *testing.T) {
	far := func(o mailtest.Options) *smtpFixture {
		p := newSMTPFixture(t, o, nil)
		p.sender.server.loopback = false
		return p
	}
	p := far(mailtest.Options{User: "a", Password: "b"})
	if err := p.send(1); err == nil || !strings.Contains(err.Error(), "with TLS only") {
		t.Errorf("without TLS, got %v, want an error", err)
	}
	p = far(mailtest.Options{User: "a", Password: "b", StartTLS: true})
	p.mustSend(1)
	p = far(mailtest.Options{StartTLS: true})
	p.sender.server.roots = nil
	if err := p.send(1); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("with a certificate of an unknown authority, got %v, want an error", err)
	}
	for _, c := range []struct {
		host     string
		loopback bool
	}{
		{"localhost", true}, {"127.0.0.1", true}, {"127.0.0.2", true}, {"[::1]", true},
		{"mail.example.com", false}, {"192.0.2.1", false},
	} {
		t.Run(c.host, func(t *testing.T) {
			if s, err := parseServer("smtp://" + c.host); err != nil || s.loopback != c.loopback {
				t.Errorf("parseServer returned loopback %v, %v, want %v", s.loopback, err, c.loopback)
			}
		})
	}
}

// The error for a wrong URL does not contain the password of the URL.
func TestServerURLIsParsed(t *testing.T) {
	for _, c := range []struct {
		url  string
		want mailServer
	}{
		{"smtp://mail.example.com", mailServer{host: "mail.example.com", port: 25}},
		{"smtp://localhost:2525/", mailServer{host: "localhost", port: 2525, loopback: true}},
		{"smtp://[::1]:25", mailServer{host: "::1", port: 25, loopback: true}},
		{"smtp://me:p%40ss@mail.example.com", mailServer{host: "mail.example.com", port: 587, user: "me", password: "p@ss"}},
		{"smtps://me:x@mail.example.com", mailServer{host: "mail.example.com", port: 465, tls: true, user: "me", password: "x"}},
		{"smtps://me%40a.b:x@mail.example:99", mailServer{host: "mail.example", port: 99, tls: true, user: "me@a.b", password: "x"}},
	} {
		t.Run(c.url, func(t *testing.T) {
			if got, err := parseServer(c.url); err != nil || got != c.want {
				t.Errorf("parseServer returned %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
	for _, text := range []string{"", "mail.example.com", "localhost:25", "http://a", "smtp://", "smtp://:25", "smtp://a/b", "smtp://a?b",
		"smtp://me@a", "smtp://:s3cret@a", "smtp://a:s3cret", "smtp://me:s3cret%@a", "smtp://a:0", "smtp://a:70000", "smtp://me:s3 cret@a"} {
		t.Run("refuses "+text, func(t *testing.T) {
			if _, err := parseServer(text); err == nil || strings.Contains(err.Error(), "s3") {
				t.Errorf("got %v, want an error without the password", err)
			}
		})
	}
}
