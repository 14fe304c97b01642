package mail

import (
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/mail/mailtest"
)

// The tests in this file try a mail server that follows a script.

// trialMailer returns a Mailer that sends to a server from news@example.org.
func trialMailer(t *testing.T, server *mailtest.Server, url string) *Mailer {
	t.Helper()
	m, err := New(Options{Settings: fixedSettings(accounts.Settings{From: "news@example.org", FromName: "News"}), Transport: Transport{SMTP: url}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// A trial connects, logs in and names the sender, but sends no mail. It says which step the server refused.
func TestTrialSendsNoMail(t *testing.T) {
	for _, c := range []struct {
		name   string
		script func(mailtest.Step) mailtest.Action
		want   string
	}{
		{"accepted", nil, ""},
		{"sender refused", mailtest.Always(mailtest.Mail, mailtest.Reply(553, "5.1.8 sender rejected")), "sender news@example.org: send the sender's address: the mail server answered 553 5.1.8 sender rejected"},
		{"sender refused late", mailtest.Always(mailtest.Rcpt, mailtest.Reply(553, "5.7.1 not your address")), "sender news@example.org: send the recipient's address: the mail server answered 553 5.7.1 not your address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := mailtest.Start(t, mailtest.Options{User: "ada", Password: "secret"})
			server.Script(c.script)
			trial, err := trialMailer(t, server, server.URL()).TryServer(t.Context())
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Fatalf("the error is %v, want %q", err, c.want)
			}
			if trial.User != "ada" || (trial.Sender == "<news@example.org>") != (c.want == "") || strings.Contains(trial.String(), "secret") {
				t.Errorf("the trial is %+v: %s", trial, trial)
			}
			if n := len(server.Messages()); n != 0 {
				t.Errorf("%d mails were sent, want none", n)
			}
		})
	}
}

// A refused login and a server that does not answer are errors.
func TestTrialFailsWithoutConnectionOrLogin(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{User: "ada", Password: "secret"})
	wrong := strings.Replace(server.URL(), "secret", "wrong", 1)
	for _, url := range []string{wrong, "smtp://127.0.0.1:1"} {
		if _, err := trialMailer(t, server, url).TryServer(t.Context()); err == nil || !strings.Contains(err.Error(), "connect to the mail server 127.0.0.1:") {
			t.Errorf("the error is %v, want one that names the server", err)
		}
	}
}

// A trial with an address sends one mail and returns the reply to it.
func TestTrialWithAnAddressReturnsTheReply(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{})
	m := trialMailer(t, server, server.URL())
	trial, err := m.SendTrial(t.Context(), "ada@example.com")
	if err != nil || !strings.HasPrefix(trial.Reply, "250 ") {
		t.Fatalf("the trial is %+v, error %v; want a reply with 250", trial, err)
	}
	arrived := server.Messages()
	if len(arrived) != 1 || arrived[0].To[0] != "ada@example.com" || !strings.Contains(string(arrived[0].Data), "From: \"News\" <news@example.org>") {
		t.Errorf("%d mails arrived: %+v", len(arrived), arrived)
	}
	server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user")))
	if _, err := m.SendTrial(t.Context(), "bea@example.com"); err == nil || !strings.Contains(err.Error(), "550 5.1.1 no such user") {
		t.Errorf("the error is %v, want the reply of the server", err)
	}
}

// A link to sign in is mailed at once from the sender of the server, and a refusal is an error.
func TestSignInLinkIsMailed(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{})
	m := trialMailer(t, server, server.URL())
	link := &SignInLink{To: "li@example.com", Name: "Li", By: "Maria\nBcc: x@example.com", Account: "Club <b>", URL: "https://lists.example.com/admin/link/X"}
	if err := m.SendSignInLink(t.Context(), link); err != nil {
		t.Fatal(err)
	}
	arrived := server.Messages()
	if len(arrived) != 1 || len(arrived[0].To) != 1 || !strings.Contains(string(arrived[0].Data), "/admin/link/X") ||
		strings.Contains(string(arrived[0].Data), "\nBcc:") {
		t.Errorf("%d mails arrived: %+v", len(arrived), arrived)
	}
	server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user")))
	if err := m.SendSignInLink(t.Context(), link); err == nil {
		t.Error("a refused mail is no error")
	}
	none, err := New(Options{Transport: Transport{SMTP: server.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	if err := none.SendSignInLink(t.Context(), link); err == nil || !strings.Contains(err.Error(), "mail-from") {
		t.Errorf("without a sender: %v", err)
	}
}
