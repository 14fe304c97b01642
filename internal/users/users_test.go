package users_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

func TestUsers(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "the first link makes the first user, once, who may do everything", Test: firstUser},
		{Name: "the first user may do everything also in an Account that is added later", Test: everythingLater},
		{Name: "only the operator changes who may do everything, also at the same time", Test: everythingWithOthers},
		{Name: "a declared first user is added once, and gets links until the first sign-in", Test: declaredFirst},
		{Name: "a link signs in once, within an hour", Test: linkOnce},
		{Name: "a session has the level and the Lists of its membership", Test: callerOfMembership},
		{Name: "a session ends after 12 hours without use, after 30 days, and when the user is removed", Test: sessionsEnd},
		{Name: "a wrong password and an unknown address are answered alike, and ten tries are allowed", Test: wrongPasswords},
		{Name: "guesses count by network, and lock no owner out of a known device", Test: guessesElsewhere},
		{Name: "guesses of many addresses from one network count together", Test: manyAddresses},
		{Name: "a new password ends the sessions of other devices", Test: newPassword},
		{Name: "a user switches only to Accounts of a membership", Test: switchAccount},
	})
}

const goodPassword = "correct horse battery"

var browser = users.Browser{Agent: "test", IP: "192.0.2.1"}

// becomeFirst makes the first user and returns the cookie.
func becomeFirst(f *apptest.Account) string {
	text, err := f.App.Users.FirstLink(f.Context())
	f.Must(err)
	cookie, err := f.App.Users.BecomeFirst(f.Context(), text,
		users.FirstUser{Email: "Maria@Example.com", Name: "Maria", Password: goodPassword}, browser)
	f.Must(err)
	return cookie
}

// pass lets time pass.
func pass(f *apptest.Account, d time.Duration) { f.Now = f.Now.Add(d) }

// visit returns the visit of a cookie, or nil if the session has ended.
func visit(f *apptest.Account, cookie string) *users.Visit {
	v, err := f.App.Users.Visit(f.Context(), cookie, enlist.Actor{})
	if errors.Is(err, users.ErrNoSession) {
		return nil
	}
	f.Must(err)
	return v
}

func firstUser(f *apptest.Account) {
	old, err := f.App.Users.FirstLink(f.Context())
	f.Must(err)
	_, err = f.App.Users.BecomeFirst(f.Context(), old, users.FirstUser{Email: "a@example.com", Name: "A", Password: "short"}, browser)
	if enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a short password: %v", err)
	}
	v := visit(f, becomeFirst(f))
	if v == nil || v.Caller.Key.Role != enlist.Owner || v.Caller.Key.Lists != nil || v.User.Email != "Maria@Example.com" {
		f.Fatalf("the first visit is %+v", v)
	}
	for _, used := range []string{old, "", "unknown"} {
		if _, err := f.App.Users.UserOfLink(f.Context(), used); !users.IsLinkError(err) {
			f.Errorf("the link %q: %v", used, err)
		}
	}
	if next, err := f.App.Users.FirstLink(f.Context()); err != nil || next != "" {
		f.Errorf("there is a first link %q, %v, although there is a user", next, err)
	}
}

// invite invites a user and returns the cookie of a session.
func invite(f *apptest.Account, i users.Invitation) string {
	if i.Account == 0 {
		i.Account = f.Caller.Account.ID
	}
	_, err := f.App.Users.Invite(f.Context(), i)
	f.Must(err)
	text, err := f.App.Users.NewLink(f.Context(), strings.ToUpper(i.Email))
	f.Must(err)
	cookie, err := f.App.Users.UseLink(f.Context(), text, browser)
	f.Must(err)
	return cookie
}

func linkOnce(f *apptest.Account) {
	becomeFirst(f)
	text, err := f.App.Users.NewLink(f.Context(), "maria@example.com")
	f.Must(err)
	late, err := f.App.Users.NewLink(f.Context(), "maria@example.com")
	f.Must(err)
	_, err = f.App.Users.UseLink(f.Context(), text, browser)
	f.Must(err)
	if _, err := f.App.Users.UseLink(f.Context(), text, browser); !users.IsLinkError(err) {
		f.Errorf("a second use: %v", err)
	}
	pass(f, users.LinkTime*time.Second)
	if _, err := f.App.Users.UseLink(f.Context(), late, browser); !users.IsLinkError(err) {
		f.Errorf("after an hour: %v", err)
	}
}

func callerOfMembership(f *apptest.Account) {
	becomeFirst(f)
	list := f.AddList()
	cookie := invite(f, users.Invitation{Email: "li@example.com", Name: "Li",
		Membership: users.Membership{Level: enlist.Standard, Lists: []enlist.ListID{list}}})
	v := visit(f, cookie)
	if v.Caller.Key.Level != enlist.Standard || v.Caller.May(enlist.Send) || v.Caller.Key.Role != enlist.ContactsOnly || len(v.Caller.Key.Lists) != 1 || v.Caller.Key.Lists[0] != list {
		f.Errorf("the caller is %+v", v.Caller.Key)
	}
	if v.Caller.User != int64(v.User.ID) {
		f.Errorf("the caller is the user %d, want %d", v.Caller.User, v.User.ID)
	}
	if v.Caller.Actor.User != "li@example.com" {
		f.Errorf("the audit log would name %q", v.Caller.Actor.User)
	}
	all, err := f.App.Lists.SearchLists(f.Context(), v.Caller, enlist.Query{})
	if err != nil || len(all) != 1 {
		f.Errorf("the user sees %d Lists, %v; want 1", len(all), err)
	}
	_, err = f.App.Users.Invite(f.Context(), users.Invitation{Email: "x@example.com", Name: "X",
		Membership: users.Membership{Account: f.Caller.Account.ID, Level: enlist.Read, Lists: []enlist.ListID{list + 1000}}})
	if enlist.KindOf(err) != enlist.NoList {
		f.Errorf("a List that does not exist: %v", err)
	}
}

func sessionsEnd(f *apptest.Account) {
	idle, used := becomeFirst(f), ""
	cookie, err := f.App.Users.SignIn(f.Context(), "maria@example.com", goodPassword, browser)
	f.Must(err)
	used = cookie
	for range 59 {
		pass(f, 12*time.Hour-time.Second)
		if visit(f, used) == nil {
			f.Fatalf("a session that is used has ended")
		}
	}
	if visit(f, idle) != nil {
		f.Errorf("an idle session goes on")
	}
	pass(f, 12*time.Hour-time.Second)
	if visit(f, used) == nil {
		f.Errorf("a session has ended a minute before 30 days")
	}
	pass(f, time.Minute)
	if visit(f, used) != nil {
		f.Errorf("a session goes on after 30 days")
	}
	li := invite(f, users.Invitation{Email: "li@example.com", Name: "Li", Membership: users.Membership{Level: enlist.Read}})
	f.Must(f.App.Users.Remove(f.Context(), "li@example.com", 0))
	if visit(f, li) != nil {
		f.Errorf("the session of a user who was removed goes on")
	}
	if err := f.App.Users.Remove(f.Context(), "li@example.com", 0); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a second removal: %v", err)
	}
}

func wrongPasswords(f *apptest.Account) {
	becomeFirst(f)
	for _, email := range []string{"maria@example.com", "nobody@example.com"} {
		for range 10 {
			if _, err := f.App.Users.SignIn(f.Context(), email, "wrong password", browser); !errors.Is(err, users.ErrSignIn) {
				f.Fatalf("a wrong password of %s: %v", email, err)
			}
		}
		if _, err := f.App.Users.SignIn(f.Context(), email, goodPassword, browser); !errors.Is(err, users.ErrTooManyTries) {
			f.Errorf("the eleventh try of %s: %v", email, err)
		}
	}
	pass(f, 15*time.Minute)
	if _, err := f.App.Users.SignIn(f.Context(), " MARIA@example.com", goodPassword, browser); err != nil {
		f.Errorf("after a quarter of an hour: %v", err)
	}
}

// guess tries wrong passwords from an address until a try is refused, and returns how many were checked.
func guess(f *apptest.Account, email, ip string, most int) (n int) {
	f.Helper()
	for n = range most {
		_, err := f.App.Users.SignIn(f.Context(), email, "wrong password", users.Browser{IP: ip})
		switch {
		case errors.Is(err, users.ErrTooManyTries):
			return n
		case !errors.Is(err, users.ErrSignIn):
			f.Fatalf("guess %d from %s: %v", n, ip, err)
		}
	}
	return most
}

func guessesElsewhere(f *apptest.Account) {
	f.App.Users.SetSettings(users.Settings{Key: enlist.LinkKey{1}})
	v := visit(f, becomeFirst(f))
	owner := users.Browser{IP: "192.0.2.77"}
	signIn := func(b users.Browser) error {
		_, err := f.App.Users.SignIn(f.Context(), "maria@example.com", goodPassword, b)
		return err
	}
	for _, ips := range [][]string{{"198.51.100.1", "198.51.100.2", "198.51.100.255"}, {"2001:db8:1::1", "2001:db8:1::2:1", "2001:db8:1:0:ffff::", "2001:db8:1:77::1"}} {
		if n := guess(f, "maria@example.com", ips[0], 20); n != 10 {
			f.Errorf("%d guesses from %s, want 10", n, ips[0])
		}
		for _, ip := range ips[1:] { // of the same network
			if n := guess(f, "maria@example.com", ip, 20); n != 0 {
				f.Errorf("%d more guesses from %s, want none", n, ip)
			}
		}
	}
	if err := signIn(owner); err != nil {
		f.Errorf("the owner at another network: %v", err)
	}
	total := 20
	for i := range 30 {
		total += guess(f, "maria@example.com", fmt.Sprintf("203.0.%d.1", i), 20)
	}
	if total != 100 {
		f.Errorf("%d guesses from many networks, want 100", total)
	}
	if err := signIn(owner); !errors.Is(err, users.ErrTooManyTries) {
		f.Errorf("an unknown browser after the guesses: %v", err)
	}
	owner.Device = f.App.Users.NewDevice(v.User.ID)
	for range 3 {
		if err := signIn(owner); err != nil {
			f.Errorf("the owner's device after the guesses: %v", err)
		}
	}
	for _, device := range []string{"", "x", f.App.Users.NewDevice(v.User.ID + 1), owner.Device + "A"} {
		if f.App.Users.IsDevice(v.User.ID, device) {
			f.Errorf("%q is taken for a device of the user", device)
		}
	}
	for range 10 {
		f.App.Users.SignIn(f.Context(), "maria@example.com", "wrong password", owner)
	}
	if err := signIn(owner); !errors.Is(err, users.ErrTooManyTries) {
		f.Errorf("the eleventh guess with a device: %v", err)
	}
}

func manyAddresses(f *apptest.Account) {
	n := 0
	for i := range 15 {
		n += guess(f, fmt.Sprintf("p%d@example.com", i), fmt.Sprintf("198.51.100.%d", i), 10)
	}
	if n != 100 {
		f.Errorf("%d guesses for many addresses from a network, want 100", n)
	}
}

func newPassword(f *apptest.Account) {
	here := becomeFirst(f)
	there, err := f.App.Users.SignIn(f.Context(), "maria@example.com", goodPassword, browser)
	f.Must(err)
	v := visit(f, here)
	if err := f.App.Users.SetPassword(f.Context(), v, "wrong password", "another password"); !errors.Is(err, users.ErrSignIn) {
		f.Errorf("a wrong present password: %v", err)
	}
	mails := mailbox(f)
	f.Must(f.App.Users.AskAddress(f.Context(), v, goodPassword, "intruder@example.org"))
	link, err := f.App.Users.NewLink(f.Context(), "maria@example.com")
	f.Must(err)
	f.Must(f.App.Users.SetPassword(f.Context(), v, goodPassword, "another password"))
	if err := f.App.Users.ConfirmAddress(f.Context(), textOf((*mails)[0]), ""); !users.IsLinkError(err) {
		f.Errorf("an address that was asked for before: %v", err)
	}
	if _, err := f.App.Users.UserOfLink(f.Context(), link); !users.IsLinkError(err) {
		f.Errorf("a link to sign in from before: %v", err)
	}
	if visit(f, here) == nil || visit(f, there) != nil {
		f.Errorf("the present session has ended, or the other one goes on")
	}
	if _, err := f.App.Users.SignIn(f.Context(), "maria@example.com", goodPassword, browser); !errors.Is(err, users.ErrSignIn) {
		f.Errorf("the old password: %v", err)
	}
}

func switchAccount(f *apptest.Account) {
	becomeFirst(f)
	other := f.NewCaller().Account.ID
	cookie := invite(f, users.Invitation{Email: "li@example.com", Name: "Li", Membership: users.Membership{Level: enlist.Read}})
	v := visit(f, cookie)
	if err := f.App.Users.SwitchAccount(f.Context(), v, other); !errors.Is(err, users.ErrNoSession) {
		f.Errorf("an Account without a membership: %v", err)
	}
	_, err := f.App.Users.Invite(f.Context(), users.Invitation{Email: "li@example.com", Name: "Li",
		Membership: users.Membership{Account: other, Level: enlist.Full, MaySend: true}})
	f.Must(err)
	f.Must(f.App.Users.SwitchAccount(f.Context(), v, other))
	if v = visit(f, cookie); v.Caller.Account.ID != other || v.Caller.Key.Level != enlist.Full || len(v.Accounts) != 2 {
		f.Errorf("after the switch the caller is %+v of %+v, with %d Accounts", v.Caller.Key, v.Caller.Account, len(v.Accounts))
	}
}

// changingStore is a Store that calls a function once before the first statement that stores a session.
type changingStore struct {
	db.Engine
	change func()
}

func (s *changingStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	return s.Engine.Update(ctx, apptest.Watch{Statement: func(query string, _ []any) error {
		if change := s.change; change != nil && strings.HasPrefix(query, "INSERT INTO session") {
			s.change = nil
			change()
		}
		return nil
	}}.Run(fn))
}

// A user changes the password while another device signs in with the old one. The new password stays, and the other
// device is not signed in.
func TestSignInDuringAChangeOfThePassword(t *testing.T) {
	f := apptest.NewAccount(t, dbtest.Postgres.Own(t)) // SQLite has one writer
	v := visit(f, becomeFirst(f))
	changed := make(chan error, 1)
	const next = "another horse battery"
	signIn := app.New(&changingStore{f.Store, func() {
		go func() { changed <- f.App.Users.SetPassword(f.Context(), v, goodPassword, next) }()
		select { // without the lock the change ends before the sign-in
		case err := <-changed:
			changed <- err
		case <-time.After(200 * time.Millisecond):
		}
	}}, f.Clock)
	signIn.Users.WeakPasswords()
	cookie, err := signIn.Users.SignIn(f.Context(), v.User.Email, goodPassword, browser)
	f.Must(err)
	f.Must(<-changed)
	if visit(f, cookie) != nil {
		t.Error("the session of the old password has not ended")
	}
	if _, err := f.App.Users.SignIn(f.Context(), v.User.Email, next, browser); err != nil {
		t.Errorf("sign in with the new password: %v", err)
	}
}
