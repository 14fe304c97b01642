package users_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// covers: decision 167
func TestUsersAlone(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a forgotten password is changed by a link, once and within an hour, and ends all sessions", Test: forgotten},
		{Name: "each address is answered alike, and asks only a few times", Test: askedAlike},
		{Name: "requests of others do not use up those of a device of the owner", Test: askedByOthers},
		{Name: "a new address counts when its link is used, and the old one gets a note", Test: newAddress},
		{Name: "a user changes the own name, as the audit log says", Test: newName},
		{Name: "an invitation is valid for seven days, can be sent again, and only its last link counts", Test: invitationTime},
		{Name: "a password has 12 letters and is neither common nor about its user", Test: passwordRules},
	})
}

// mailbox returns the mails that users get.
func mailbox(f *apptest.Account) *[]users.LinkMail {
	var mails []users.LinkMail
	f.App.Users.SetSettings(users.Settings{PublicURL: "https://lists.example.com", Mail: func(_ context.Context, m *users.LinkMail) error {
		mails = append(mails, *m)
		return nil
	}})
	return &mails
}

// ask asks for a link to another password, and does its job.
func ask(f *apptest.Account, email string) error {
	f.Helper()
	jobs := f.Jobs("password_link")
	err := f.App.Users.AskPassword(f.Context(), email, "de", browser)
	if err != nil {
		return err
	}
	if n := f.Jobs("password_link"); n != jobs+1 {
		f.Errorf("%s causes %d jobs, want 1 as for each address", email, n-jobs)
	}
	return f.App.Users.MailPasswordLink(f.Context(), db.Job{}, users.SendPasswordLink{EmailKey: strings.ToLower(email), Language: "de"})
}

// textOf returns the text of the link of a mail.
func textOf(m users.LinkMail) string { return m.URL[strings.LastIndexByte(m.URL, '/')+1:] }

func forgotten(f *apptest.Account) {
	mails, first := mailbox(f), becomeFirst(f)
	link := func() string {
		if f.Must(ask(f, "MARIA@example.com")); len(*mails) == 0 {
			f.Fatalf("no link was mailed")
		}
		m := (*mails)[len(*mails)-1]
		if m.To != "Maria@Example.com" || m.Kind != users.MailPassword || m.Language != "de" || !strings.HasPrefix(m.URL, "https://lists.example.com"+users.PasswordPath) {
			f.Errorf("the mail is %+v", m)
		}
		return textOf(m)
	}
	old := link()
	text := link()
	const password = "another horse battery"
	for _, bad := range []string{old, "unknown"} {
		if _, err := f.App.Users.ResetPassword(f.Context(), bad, password, browser); !users.IsLinkError(err) {
			f.Errorf("the link %q: %v", bad, err)
		}
	}
	if _, err := f.App.Users.UseLink(f.Context(), text, browser); !users.IsLinkError(err) {
		f.Errorf("the link signs in without a password: %v", err)
	}
	if _, err := f.App.Users.ResetPassword(f.Context(), text, "short", browser); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a short password: %v", err)
	}
	cookie, err := f.App.Users.ResetPassword(f.Context(), text, password, browser)
	f.Must(err)
	if visit(f, cookie) == nil || visit(f, first) != nil {
		f.Errorf("the new session is %v, and the earlier one %v", visit(f, cookie), visit(f, first))
	}
	if _, err := f.App.Users.ResetPassword(f.Context(), text, password, browser); !users.IsLinkError(err) {
		f.Errorf("a second use: %v", err)
	}
	if _, err := f.App.Users.SignIn(f.Context(), "maria@example.com", goodPassword, browser); !errors.Is(err, users.ErrSignIn) {
		f.Errorf("the earlier password: %v", err)
	}
	_, err = f.App.Users.SignIn(f.Context(), "maria@example.com", password, browser)
	f.Must(err)
	late := link()
	pass(f, users.LinkTime*time.Second)
	if _, err := f.App.Users.UserOfPasswordLink(f.Context(), late); !users.IsLinkError(err) {
		f.Errorf("after an hour: %v", err)
	}
}

func askedAlike(f *apptest.Account) {
	mails := mailbox(f)
	becomeFirst(f)
	_, err := f.App.Users.Invite(f.Context(), users.Invitation{Email: "new@example.com", Name: "New", Membership: users.Membership{Account: f.Caller.Account.ID, Role: enlist.Reader}})
	f.Must(err)
	for _, email := range []string{"maria@example.com", "new@example.com", "unknown@example.com"} {
		f.Must(ask(f, email))
	}
	if len(*mails) != 1 {
		f.Errorf("the mails are %+v, want one to the user who has signed in", *mails)
	}
	for _, email := range []string{"maria@example.com", "unknown@example.com"} {
		f.Must(f.App.Users.AskPassword(f.Context(), email, "", browser))
		f.Must(f.App.Users.AskPassword(f.Context(), email, "", browser))
		if err := f.App.Users.AskPassword(f.Context(), email, "", browser); !errors.Is(err, users.ErrTooManyTries) {
			f.Errorf("a fourth time for %s: %v", email, err)
		}
	}
	f.Must(f.App.Users.AskPassword(f.Context(), "no address", "", browser))
}

func askedByOthers(f *apptest.Account) {
	f.App.Users.SetSettings(users.Settings{Key: enlist.LinkKey{1}})
	v := visit(f, becomeFirst(f))
	asks := func(b users.Browser) bool {
		err := f.App.Users.AskPassword(f.Context(), "maria@example.com", "", b)
		if err != nil && !errors.Is(err, users.ErrTooManyTries) {
			f.Must(err)
		}
		return err == nil
	}
	for i := range 6 {
		if !asks(users.Browser{IP: fmt.Sprintf("203.0.%d.1", i/3)}) {
			f.Errorf("request %d of others is refused", i)
		}
	}
	owner := users.Browser{IP: "192.0.2.77"}
	if asks(owner) {
		f.Errorf("a seventh request from an unknown browser is allowed")
	}
	owner.Device = f.App.Users.NewDevice(v.User.ID + 1)
	if asks(owner) {
		f.Errorf("a seventh request with the device of another user is allowed")
	}
	owner.Device = f.App.Users.NewDevice(v.User.ID)
	for i := range 4 {
		if asks(owner) != (i < 3) {
			f.Errorf("request %d of the owner's device is not answered as wanted", i)
		}
	}
}

func newAddress(f *apptest.Account) {
	mails, v := mailbox(f), visit(f, becomeFirst(f))
	member(f, "li@example.com", users.Membership{Role: enlist.Owner})
	if err := f.App.Users.AskAddress(f.Context(), v, "wrong", "m@example.org"); !errors.Is(err, users.ErrSignIn) {
		f.Errorf("with a wrong password: %v", err)
	}
	f.Must(f.App.Users.AskAddress(f.Context(), v, goodPassword, "li@example.com"))
	f.Must(f.App.Users.AskAddress(f.Context(), v, goodPassword, "M@example.org"))
	if len(*mails) != 2 || (*mails)[1].To != "M@example.org" || (*mails)[1].Kind != users.MailAddress {
		f.Fatalf("the mails are %+v", *mails)
	}
	if err := f.App.Users.ConfirmAddress(f.Context(), textOf((*mails)[0])); !users.IsLinkError(err) {
		f.Errorf("an earlier link: %v", err)
	}
	if p, email, err := f.App.Users.AddressOfLink(f.Context(), textOf((*mails)[1])); err != nil || email != "M@example.org" || p.Email != "Maria@Example.com" {
		f.Errorf("before the link is used: %+v, %s, %v", p, email, err)
	}
	f.Must(f.App.Users.ConfirmAddress(f.Context(), textOf((*mails)[1])))
	if f.Jobs("address_note") != 1 {
		f.Errorf("the old address gets %d notes", f.Jobs("address_note"))
	}
	f.Must(f.App.Users.MailAddressNote(f.Context(), db.Job{}, users.SendAddressNote{User: v.User.ID, To: "Maria@Example.com"}))
	if m := (*mails)[2]; m.Kind != users.MailMoved || m.To != "Maria@Example.com" || m.About != "M@example.org" || m.URL != "" {
		f.Errorf("the note is %+v", m)
	}
	cookie, err := f.App.Users.SignIn(f.Context(), "m@example.org", goodPassword, browser)
	f.Must(err)
	f.Must(f.App.Users.AskAddress(f.Context(), visit(f, cookie), goodPassword, "li@example.com"))
	if err := f.App.Users.ConfirmAddress(f.Context(), textOf((*mails)[3])); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("the address of another user: %v", err)
	}
}

func newName(f *apptest.Account) {
	v := visit(f, becomeFirst(f))
	if err := f.App.Users.ChangeName(f.Context(), v, "a\nb"); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a name of two lines: %v", err)
	}
	f.Must(f.App.Users.ChangeName(f.Context(), v, "Maria B."))
	rows := f.AuditLog(f.Caller.Account.ID)
	if !slices.ContainsFunc(rows, func(r accounts.AuditRow) bool {
		return r.Before == `{"name":"Maria"}` && r.After == `{"name":"Maria B."}`
	}) {
		f.Errorf("the audit log is %+v", rows)
	}
}

func invitationTime(f *apptest.Account) {
	mails := mailbox(f)
	v := member(f, "maria@example.com", users.Membership{Role: enlist.Owner})
	invite := func(email string) *users.Member {
		m, _, err := f.App.Users.InviteMember(f.Context(), v, users.Invitation{Email: email, Name: "Li", Membership: users.Membership{Role: enlist.Writer}})
		f.Must(err)
		return m
	}
	li := invite("li@example.com")
	first := textOf((*mails)[0])
	if (*mails)[0].Kind != users.MailInvitation {
		f.Errorf("the mail is %+v", (*mails)[0])
	}
	pass(f, 3*24*time.Hour)
	_, err := f.App.Users.NewMemberLink(f.Context(), v, li.ID)
	f.Must(err)
	if _, err := f.App.Users.UseLink(f.Context(), first, browser); !users.IsLinkError(err) {
		f.Errorf("the earlier link: %v", err)
	}
	m, _, err := f.App.Users.AccountMember(f.Context(), v, li.ID)
	f.Must(err)
	if m.InvitedUntil != f.Now.Unix()+users.InviteTime {
		f.Errorf("the invitation is valid until %d, want seven days from now", m.InvitedUntil)
	}
	pass(f, 6*24*time.Hour)
	_, err = f.App.Users.UseLink(f.Context(), textOf((*mails)[1]), browser)
	f.Must(err)
	ann := invite("ann@example.com")
	pass(f, 8*24*time.Hour)
	if _, err := f.App.Users.UseLink(f.Context(), textOf((*mails)[2]), browser); !users.IsLinkError(err) {
		f.Errorf("after eight days: %v", err)
	}
	f.Must(f.App.Users.RemoveMember(f.Context(), v, ann.ID))
}

func passwordRules(f *apptest.Account) {
	v := visit(f, becomeFirst(f))
	present := goodPassword
	for password, good := range map[string]bool{"correct hors": true, "correct hor": false, "ⅰⅱⅲⅳ горизонт 地図": true, strings.Repeat("жук ", 51): false,
		"basketball12": false, "!!password!!!": false, "1234567890123": false, "abcdefghijklm": false, "abcabcabcabc": false, "tree maria lamp": false, "maria@example.com": false,
		"unbelievable": false, "Three small cats": true, "8472-9938-1120": true} {
		err := f.App.Users.SetPassword(f.Context(), v, present, password)
		if (err == nil) != good || !good && enlist.KindOf(err) != enlist.InvalidParameters {
			f.Errorf("%q: %v", password, err)
		}
		if err == nil {
			present = password
			cookie, err := f.App.Users.SignIn(f.Context(), "maria@example.com", present, browser)
			f.Must(err)
			v = visit(f, cookie)
		}
	}
}

// A session says in words which browser it is.
func TestSessionsInWords(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0":                                                           "Firefox on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15":                      "Safari on Mac",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0":              "Edge on Windows",
		"Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36":                      "Chrome on Android",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1":    "Safari on iPhone",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0 Mobile/15E148 Safari/604.1":     "Chrome on iPhone",
		"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36":                             "Chrome on ChromeOS",
		"Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36": "Samsung Internet on Android",
		"curl/8.5.0": " on ",
	} {
		s := users.Session{Agent: agent}
		if browser, system := s.Software(); browser+" on "+system != want {
			t.Errorf("%s is %s on %s, want %s", agent, browser, system, want)
		}
	}
}
