package users_test

import (
	"context"
	"errors"
	"path"
	"slices"
	"sync"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// The tests in this file have users who may do everything in all Accounts.

func everythingLater(f *apptest.Account) {
	first := visit(f, becomeFirst(f))
	later, err := f.App.Accounts.AddAccount(f.Context(), accounts.AccountDetails{Name: "Later", ContactLimit: enlist.NoContactLimit})
	f.Must(err)
	f.Must(f.App.Users.SwitchAccount(f.Context(), first, later.ID))
	v := visit(f, becomeAgain(f))
	if v == nil || v.Caller.Account.ID != later.ID || v.Caller.Key.Level != enlist.Full || !v.Caller.May(enlist.Send) || v.Caller.Key.Lists != nil {
		f.Fatalf("in the later Account the visit is %+v", v)
	}
	if err := f.App.Users.SwitchAccount(f.Context(), v, later.ID+1000); !errors.Is(err, users.ErrNoSession) {
		f.Errorf("an Account that does not exist: %v", err)
	}
	other := member(f, "full@example.com", users.Membership{Level: enlist.Full, MaySend: true})
	for name, err := range map[string]error{
		"a change":  f.App.Users.ChangeMember(f.Context(), other, v.User.ID, users.Membership{Level: enlist.Read}),
		"a removal": f.App.Users.RemoveMember(f.Context(), other, v.User.ID),
		"a link":    func() error { _, err := f.App.Users.NewMemberLink(f.Context(), other, v.User.ID); return err }(),
	} {
		if enlist.KindOf(err) != enlist.InvalidParameters {
			f.Errorf("%s by a user of one Account: %v", name, err)
		}
	}
}

// everythingWithOthers tries each change of a user of level full and of the user with all rights, alone and at once.
func everythingWithOthers(f *apptest.Account) {
	account := f.Caller.Account.ID
	full := users.Membership{Level: enlist.Full, MaySend: true}
	root, a, b := visit(f, everywhere(f)), member(f, "a@example.com", full), member(f, "b@example.com", full)
	remove := func(v *users.Visit, id users.UserID) error { return f.App.Users.RemoveMember(f.Context(), v, id) }
	lower := func(v *users.Visit, id users.UserID) error {
		return f.App.Users.ChangeMember(f.Context(), v, id, users.Membership{Level: enlist.Read})
	}
	link := func(v *users.Visit, id users.UserID) error {
		_, err := f.App.Users.NewMemberLink(f.Context(), v, id)
		return err
	}
	invite := func(v *users.Visit, email string) error {
		_, _, err := f.App.Users.InviteMember(f.Context(), v, users.Invitation{Email: email, Name: "X", Membership: full})
		return err
	}
	f.App.Users.SetSettings(users.Settings{Mail: func(context.Context, *users.LinkMail) error { return nil }})
	for _, c := range []struct {
		name string
		err  error
		want enlist.Kind
	}{
		{"a member removes who may do everything", remove(a, root.User.ID), enlist.InvalidParameters},
		{"a member lowers who may do everything", lower(a, root.User.ID), enlist.InvalidParameters},
		{"a member makes a link for who may do everything", link(a, root.User.ID), enlist.InvalidParameters},
		{"a member invites who may do everything", invite(a, "root@example.com"), enlist.InvalidParameters},
		{"who may do everything removes itself", remove(root, root.User.ID), enlist.InvalidParameters},
		{"who may do everything lowers itself", lower(root, root.User.ID), enlist.InvalidParameters},
		{"the operator removes it from one Account", f.App.Users.Remove(f.Context(), "root@example.com", account), enlist.InvalidParameters},
	} {
		if enlist.KindOf(c.err) != c.want {
			f.Errorf("%s: %v", c.name, c.err)
		}
	}
	f.Must(lower(root, b.User.ID))
	for name, err := range map[string]error{"removes": remove(b, a.User.ID), "lowers": lower(b, a.User.ID), "links": link(b, a.User.ID),
		"signs out": f.App.Users.EndMemberSession(f.Context(), b, a.User.ID, a.Session.ID)} {
		if enlist.KindOf(err) != enlist.Denied {
			f.Errorf("a page from before the visitor was lowered %s: %v", name, err)
		}
	}
	f.Must(remove(root, b.User.ID)) // also the last stored one of level full
	f.Must(remove(root, a.User.ID))
	f.Must(invite(root, "a@example.com"))
	f.Must(f.App.Users.Remove(f.Context(), "root@example.com", 0))
	for name, err := range map[string]error{"removes": remove(root, a.User.ID), "invites": invite(root, "c@example.com")} {
		if enlist.KindOf(err) != enlist.Denied {
			f.Errorf("who was removed meanwhile %s: %v", name, err)
		}
	}
	for range 5 { // the operator gives the right while a colleague takes the membership away
		a, b := member(f, "a@example.com", full), member(f, "b@example.com", full)
		var both sync.WaitGroup
		var given, taken error
		both.Go(func() { given = f.App.Users.InviteToAll(f.Context(), "b@example.com", "B") })
		both.Go(func() { taken = remove(a, b.User.ID) })
		both.Wait()
		all, err := f.App.Users.Members(f.Context(), 0)
		if given != nil || taken != nil && enlist.KindOf(taken) != enlist.InvalidParameters {
			f.Errorf("at once: given %v, taken %v", given, taken)
		}
		if i := slices.IndexFunc(all, func(m users.Member) bool { return m.Email == "b@example.com" }); err != nil || i < 0 || !all[i].AllAccounts {
			f.Errorf("after both there are %+v, %v", all, err)
		}
		f.Must(f.App.Users.Remove(f.Context(), "b@example.com", 0))
	}
}

// becomeAgain signs the first user in once more.
func becomeAgain(f *apptest.Account) string {
	text, err := f.App.Users.NewLink(f.Context(), "maria@example.com")
	f.Must(err)
	cookie, err := f.App.Users.UseLink(f.Context(), text, browser)
	f.Must(err)
	return cookie
}

func declaredFirst(f *apptest.Account) {
	inviteFirst := func() *users.MemberLink {
		link, err := f.App.Users.InviteFirst(f.Context(), "ann@example.com", "Ann", "https://lists.example.com")
		f.Must(err)
		return link
	}
	link := inviteFirst()
	if link == nil || link.URL == "" {
		f.Fatalf("without a mail server the link is %+v", link)
	}
	var mails []*users.LinkMail
	failure := errors.New("no route")
	f.App.Users.SetSettings(users.Settings{Mail: func(_ context.Context, m *users.LinkMail) error {
		mails = append(mails, m)
		return failure
	}})
	if again := inviteFirst(); again != nil || mails != nil {
		f.Errorf("a second start within an hour mails %+v", again)
	}
	pass(f, users.LinkTime*time.Second)
	if failed := inviteFirst(); failed == nil || failed.URL == "" || !errors.Is(failed.Mail, failure) {
		f.Errorf("a link that cannot be mailed is %+v", failed)
	}
	pass(f, users.LinkTime*time.Second)
	failure = nil
	if mailed := inviteFirst(); mailed == nil || mailed.Mail != nil || mailed.URL != "" {
		f.Errorf("a mailed link is %+v", mailed)
	}
	cookie, err := f.App.Users.UseLink(f.Context(), path.Base(mails[1].URL), browser)
	f.Must(err)
	if v := visit(f, cookie); v == nil || !v.User.AllAccounts {
		f.Errorf("the first user visits as %+v", v)
	}
	pass(f, users.LinkTime*time.Second)
	if after := inviteFirst(); after != nil {
		f.Errorf("after the first sign-in there is a link %+v", after)
	}
	if other, err := f.App.Users.InviteFirst(f.Context(), "else@example.com", "Else", ""); other != nil || err != nil {
		f.Errorf("another first user of a database with users: %+v, %v", other, err)
	}
}
