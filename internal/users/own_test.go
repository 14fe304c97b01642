package users_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// covers: decision 146, decision 167
func TestUsersAlone(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a forgotten password is changed by a link, once and within an hour, and ends all sessions", Test: forgotten},
		{Name: "each address is answered alike", Test: askedAlike},
		{Name: "a user gets one mail in five minutes, and each of its links works for an hour", Test: askedOften},
		{Name: "a mail that the mail server refuses is mailed again", Test: askedWithoutServer},
		{Name: "requests of others neither keep a user from a link nor use up those of a device", Test: askedByOthers},
		{Name: "a new address counts when its link is used, and the old one gets notes before and after", Test: newAddress},
		{Name: "each change of how a user signs in is told by a note, and counts", Test: notes},
		{Name: "a user changes the own name, as the audit log says", Test: newName},
		{Name: "an invitation is valid for seven days, can be sent again, and only its last link counts", Test: invitationTime},
		{Name: "a password has 12 characters and is neither common nor about its user", Test: passwordRules},
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
	from := browser
	from.Language = "de"
	err := f.App.Users.AskPassword(f.Context(), email, from)
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
		before := len(*mails)
		pass(f, 5*time.Minute)
		if f.Must(ask(f, "MARIA@example.com")); len(*mails) != before+1 {
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
	if _, err := f.App.Users.ResetPassword(f.Context(), "unknown", password, browser); !users.IsLinkError(err) {
		f.Errorf("an unknown link: %v", err)
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
	for _, used := range []string{text, old} {
		if _, err := f.App.Users.ResetPassword(f.Context(), used, password, browser); !users.IsLinkError(err) {
			f.Errorf("the link %q after one was used: %v", used, err)
		}
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
	f.Must(f.App.Users.AskPassword(f.Context(), "no address", browser))
}

func askedOften(f *apptest.Account) {
	mails := mailbox(f)
	becomeFirst(f)
	for range 20 {
		f.Must(ask(f, "maria@example.com"))
		pass(f, time.Minute)
	}
	if len(*mails) != 4 {
		f.Fatalf("20 requests in 20 minutes cause %d mails, want 4", len(*mails))
	}
	_, err := f.App.Users.ResetPassword(f.Context(), textOf((*mails)[0]), "another horse battery", browser)
	f.Must(err)
}

func askedWithoutServer(f *apptest.Account) {
	becomeFirst(f)
	fails := true
	var mails int
	f.App.Users.SetSettings(users.Settings{Mail: func(context.Context, *users.LinkMail) error {
		if fails {
			return errors.New("the mail server does not answer")
		}
		mails++
		return nil
	}})
	job := users.SendPasswordLink{EmailKey: "maria@example.com"}
	if err := f.App.Users.MailPasswordLink(f.Context(), db.Job{}, job); err == nil {
		f.Errorf("the job is done without a mail")
	}
	fails = false
	f.Must(f.App.Users.MailPasswordLink(f.Context(), db.Job{}, job))
	if mails != 1 {
		f.Errorf("the second try mails %d links", mails)
	}
	f.Must(f.App.Users.MailPasswordLink(f.Context(), db.Job{Attempt: 1}, job)) // of another request
	f.Must(f.App.Users.MailPasswordLink(f.Context(), db.Job{Attempt: 2}, job)) // after a process that died before it mailed
	if mails != 2 {
		f.Errorf("the tries after a process that died mail %d links, want 1", mails-1)
	}
}

// asks asks for a link from a browser, and reports whether the request is accepted.
func asks(f *apptest.Account, email string, b users.Browser) bool {
	f.Helper()
	err := f.App.Users.AskPassword(f.Context(), email, b)
	if err != nil && !errors.Is(err, users.ErrTooManyTries) {
		f.Must(err)
	}
	return err == nil
}

func askedByOthers(f *apptest.Account) {
	f.App.Users.SetSettings(users.Settings{Key: enlist.LinkKey{1}})
	v := visit(f, becomeFirst(f))
	for i := range 300 { // from three networks, each up to its limit
		if !asks(f, "maria@example.com", users.Browser{IP: fmt.Sprintf("203.0.%d.1", i/100)}) {
			f.Fatalf("request %d of others is refused", i)
		}
	}
	if asks(f, "maria@example.com", users.Browser{IP: "203.0.0.9"}) {
		f.Errorf("a network has no limit")
	}
	owner := users.Browser{IP: "192.0.2.77"}
	if !asks(f, "maria@example.com", owner) {
		f.Errorf("others keep the owner, in a browser that never signed in, from a link")
	}
	owner.IP, owner.Device = "203.0.0.2", f.App.Users.NewDevice(v.User.ID+1)
	if asks(f, "maria@example.com", owner) {
		f.Errorf("the device of another user counts")
	}
	owner.Device = f.App.Users.NewDevice(v.User.ID)
	for i := range 11 {
		if asks(f, "maria@example.com", owner) != (i < 10) {
			f.Errorf("request %d of the owner's device, in a network at its limit, is not answered as wanted", i)
		}
	}
}

// wantNotes does the waiting jobs of notes, and compares their mails.
func wantNotes(f *apptest.Account, mails *[]users.LinkMail, want ...users.LinkMail) {
	f.Helper()
	before := len(*mails)
	for _, args := range f.Store.(*dbtest.Store).WaitingArgs(f.T, "user_note") {
		var n users.SendNote
		f.Must(json.Unmarshal([]byte(args), &n))
		f.Must(f.App.Users.MailNote(f.Context(), db.Job{}, n))
	}
	if got := (*mails)[before:]; !slices.Equal(got, want) {
		f.Errorf("the notes are\n%+v, want\n%+v", got, want)
	}
	*mails = (*mails)[:before]
}

func notes(f *apptest.Account) {
	mails := mailbox(f)
	v := visit(f, becomeFirst(f))
	for i := range 6 {
		v.Language = "de"
		err := f.App.Users.SetPassword(f.Context(), v, []string{goodPassword, "another horse battery"}[i%2],
			[]string{"another horse battery", goodPassword}[i%2])
		if (err == nil) != (i < 5) || err != nil && !errors.Is(err, users.ErrTooManyTries) {
			f.Errorf("change %d: %v", i, err)
		}
		cookie, err := f.App.Users.SignIn(f.Context(), "maria@example.com", []string{"another horse battery", goodPassword}[i%2], browser)
		if i < 5 {
			f.Must(err)
			v = visit(f, cookie)
		}
	}
	note := users.LinkMail{Kind: users.MailNewPassword, To: "Maria@Example.com", Name: "Maria", About: "Maria@Example.com", Language: "de",
		URL: "https://lists.example.com/admin/forgot"}
	wantNotes(f, mails, slices.Repeat([]users.LinkMail{note}, 5)...)
	f.Must(f.App.Users.ChooseLanguage(f.Context(), v, "fr"))
	f.Must(ask(f, "maria@example.com"))
	_, err := f.App.Users.ResetPassword(f.Context(), textOf((*mails)[0]), "a third horse battery", browser)
	f.Must(err)
	note.Language = "fr"
	wantNotes(f, mails, slices.Repeat([]users.LinkMail{note}, 6)...)
	before := len(*mails)
	f.Must(f.App.Users.MailNote(f.Context(), db.Job{}, users.SendNote{User: v.User.ID + 1000, To: "gone@example.com", Note: users.NoteMoved}))
	if len(*mails) != before {
		f.Errorf("a user who was removed gets a note")
	}
}

func newAddress(f *apptest.Account) {
	mails, v := mailbox(f), visit(f, becomeFirst(f))
	v.Language = "nl"
	member(f, "li@example.com", users.Membership{Role: enlist.Owner})
	if err := f.App.Users.AskAddress(f.Context(), v, "wrong", "m@example.org"); !errors.Is(err, users.ErrSignIn) {
		f.Errorf("with a wrong password: %v", err)
	}
	f.Must(f.App.Users.AskAddress(f.Context(), v, goodPassword, "li@example.com"))
	f.Must(f.App.Users.AskAddress(f.Context(), v, goodPassword, "M@example.org"))
	if len(*mails) != 2 || (*mails)[1].To != "M@example.org" || (*mails)[1].Kind != users.MailAddress {
		f.Fatalf("the mails are %+v", *mails)
	}
	note := users.LinkMail{Kind: users.MailAsked, To: "Maria@Example.com", Name: "Maria", About: "M@example.org", Language: "nl",
		URL: "https://lists.example.com/admin/you"}
	toLi := note
	toLi.About = "li@example.com"
	wantNotes(f, mails, toLi, note)
	if err := f.App.Users.ConfirmAddress(f.Context(), textOf((*mails)[0]), ""); !users.IsLinkError(err) {
		f.Errorf("an earlier link: %v", err)
	}
	if p, email, err := f.App.Users.AddressOfLink(f.Context(), textOf((*mails)[1])); err != nil || email != "M@example.org" || p.Email != "Maria@Example.com" {
		f.Errorf("before the link is used: %+v, %s, %v", p, email, err)
	}
	f.Must(f.App.Users.ConfirmAddress(f.Context(), textOf((*mails)[1]), "nl"))
	moved := note
	moved.Kind, moved.URL = users.MailMoved, ""
	wantNotes(f, mails, toLi, note, moved)
	cookie, err := f.App.Users.SignIn(f.Context(), "m@example.org", goodPassword, browser)
	f.Must(err)
	f.Must(f.App.Users.AskAddress(f.Context(), visit(f, cookie), goodPassword, "li@example.com"))
	if err := f.App.Users.ConfirmAddress(f.Context(), textOf((*mails)[2]), ""); enlist.KindOf(err) != enlist.InvalidParameters {
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
		pass(f, 5*time.Minute) // only some changes are allowed in a quarter of an hour
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
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 OPR/112.0.0.0":                        "Opera on Linux",
		"Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/127.0 Mobile/15E148 Safari/605.1.15":           "Firefox on iPad",
		"Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko":                                                                      "Internet Explorer on Windows",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36 EdgA/126.0.0.0":             "Edge on Android",
		"curl/8.5.0": " on ",
	} {
		s := users.Session{Agent: agent}
		if browser, system := s.Software(); browser+" on "+system != want {
			t.Errorf("%s is %s on %s, want %s", agent, browser, system, want)
		}
	}
}
