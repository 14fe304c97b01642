package users_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// covers: decision 166
func TestMembers(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "an owner invites, changes and removes others, in the audit log", Test: manage},
		{Name: "each membership from before there were roles keeps exactly its rights, also beside the version without roles", Test: rolesBefore},
		{Name: "no other user may, and a user of another Account does not exist", Test: notManagers},
		{Name: "no user gives a right that the user does not have", Test: noMoreRights},
		{Name: "no user sees a link of another, but who may do everything in all Accounts does without mail", Test: memberLinks},
		{Name: "an inviter cannot become a user whom another Account invites later", Test: invitedTwice},
		{Name: "an invitation gives what its user may do when the link is used", Test: invitedLater},
		{Name: "one owner always remains, also if two remove or lower each other at once", Test: lastManager},
	})
}

// member invites a user and returns the visit.
func member(f *apptest.Account, email string, m users.Membership) *users.Visit {
	f.Helper()
	return visit(f, invite(f, users.Invitation{Email: email, Name: "Name of " + email, Membership: m}))
}

func manage(f *apptest.Account) {
	v := member(f, "maria@example.com", users.Membership{Level: enlist.Full, MaySend: true})
	list := f.AddList()
	m, _, err := f.App.Users.InviteMember(f.Context(), v, users.Invitation{Email: "li@example.com", Name: "Li",
		Membership: users.Membership{Level: enlist.Read, Lists: []enlist.ListID{list}}})
	f.Must(err)
	if _, _, err := f.App.Users.InviteMember(f.Context(), v, users.Invitation{Email: "LI@example.com", Name: "X"}); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a second invitation: %v", err)
	}
	li := visit(f, invite(f, users.Invitation{Email: "li@example.com", Name: "Li", Membership: m.Membership}))
	f.Must(f.App.Users.ChangeMember(f.Context(), v, m.ID, users.Membership{Level: enlist.Standard, MaySend: true}))
	got, sessions, err := f.App.Users.AccountMember(f.Context(), v, m.ID)
	f.Must(err)
	if got.Level != enlist.Standard || got.Lists != nil || !got.MaySend || len(sessions) != 1 || sessions[0].ID != li.Session.ID {
		f.Errorf("the user is %+v with %+v", got, sessions)
	}
	f.Must(f.App.Users.EndMemberSession(f.Context(), v, m.ID, li.Session.ID))
	if _, sessions, err = f.App.Users.AccountMember(f.Context(), v, m.ID); err != nil || len(sessions) != 0 {
		f.Errorf("after its end, the sessions are %+v, %v", sessions, err)
	}
	f.Must(f.App.Users.RemoveMember(f.Context(), v, m.ID))
	if all, err := f.App.Users.AccountMembers(f.Context(), v); err != nil || len(all) != 1 {
		f.Errorf("after the removal there are %+v, %v", all, err)
	}
	for _, err := range []error{f.App.Users.ChangeMember(f.Context(), v, v.User.ID, users.Membership{}), f.App.Users.RemoveMember(f.Context(), v, v.User.ID)} {
		if enlist.KindOf(err) != enlist.InvalidParameters {
			f.Errorf("a change of oneself: %v", err)
		}
	}
	by := 0
	for _, row := range f.AuditLog(f.Caller.Account.ID) {
		if row.Method == "sign in" && row.IP != browser.IP {
			f.Errorf("the audit log has a sign-in from %q, want %s", row.IP, browser.IP)
		}
		if row.User == "maria@example.com" && (row.Object == "User" || row.Object == "Session") {
			by++
		}
	}
	if by != 5 { // the sign-in of Maria, an invitation, a change, the end of a session and a removal
		f.Errorf("the audit log has %d rows of the user, want 5", by)
	}
}

func notManagers(f *apptest.Account) {
	v := member(f, "maria@example.com", users.Membership{Level: enlist.Full, MaySend: true})
	other := f.NewCaller().Account.ID
	for email, m := range map[string]users.Membership{"read@example.com": {Level: enlist.Standard, MaySend: true},
		"one@example.com":  {Level: enlist.Full, Lists: []enlist.ListID{f.AddList()}, MaySend: true},
		"else@example.com": {Account: other, Level: enlist.Full, MaySend: true}} {
		w := member(f, email, m)
		_, _, err := f.App.Users.AccountMember(f.Context(), w, v.User.ID)
		_, linked := f.App.Users.NewMemberLink(f.Context(), w, v.User.ID)
		for _, err := range []error{err, linked, f.App.Users.ChangeMember(f.Context(), w, v.User.ID, users.Membership{}),
			f.App.Users.RemoveMember(f.Context(), w, v.User.ID), f.App.Users.EndMemberSession(f.Context(), w, v.User.ID, v.Session.ID)} {
			if enlist.KindOf(err) != enlist.Denied {
				f.Errorf("%s: %v, want Denied", email, err)
			}
		}
		if m.Account != 0 {
			continue
		}
		if _, err := f.App.Users.AccountMembers(f.Context(), w); enlist.KindOf(err) != enlist.Denied {
			f.Errorf("%s sees the users: %v", email, err)
		}
		if _, _, err := f.App.Users.InviteMember(f.Context(), w, users.Invitation{Email: "x@example.com", Name: "X"}); enlist.KindOf(err) != enlist.Denied {
			f.Errorf("%s invites: %v", email, err)
		}
	}
}

func noMoreRights(f *apptest.Account) {
	v := member(f, "maria@example.com", users.Membership{Role: enlist.OwnerWithoutSend})
	li := member(f, "li@example.com", users.Membership{Role: enlist.Sender})
	_, _, err := f.App.Users.InviteMember(f.Context(), v, users.Invitation{Email: "x@example.com", Name: "X", Membership: users.Membership{Role: enlist.Sender}})
	_, linked := f.App.Users.NewMemberLink(f.Context(), v, li.User.ID)
	for _, err := range []error{err, linked} {
		if enlist.KindOf(err) != enlist.InvalidParameters {
			f.Errorf("a user who may not send gives the right: %v", err)
		}
	}
	f.Must(f.App.Users.ChangeMember(f.Context(), v, li.User.ID, users.Membership{Role: enlist.Manager})) // who may send too
	f.Must(f.App.Users.ChangeMember(f.Context(), v, li.User.ID, users.Membership{Role: enlist.Writer}))
	for _, to := range []users.Membership{{Role: enlist.Sender}, {Role: enlist.ContactsOnly}, {Role: "king"}, {Level: enlist.Full, MaySend: true},
		{Role: enlist.Owner, Lists: []enlist.ListID{f.AddList()}}} {
		if err := f.App.Users.ChangeMember(f.Context(), v, li.User.ID, to); enlist.KindOf(err) != enlist.InvalidParameters {
			f.Errorf("an owner who may not send gives %+v: %v", to, err)
		}
	}
}

// rolesBefore changes rows as the version without roles does.
func rolesBefore(f *apptest.Account) {
	list := f.AddList()
	some := []enlist.ListID{list}
	role := func(cookie string) enlist.Role { return visit(f, cookie).Caller.Key.Role }
	for _, c := range []struct {
		before users.Membership
		want   enlist.Role
		rights enlist.Right
	}{
		{users.Membership{Level: enlist.Read}, enlist.Reader, enlist.See},
		{users.Membership{Level: enlist.Read, MaySend: true}, enlist.Reader, enlist.See},
		{users.Membership{Level: enlist.Standard}, enlist.ContactsOnly, enlist.SeeContacts},
		{users.Membership{Level: enlist.Standard, MaySend: true}, enlist.ContactsAndSend, enlist.SeeContacts | enlist.Send | enlist.SendTests},
		{users.Membership{Level: enlist.Full}, enlist.OwnerWithoutSend, enlist.Write | enlist.SeeContacts | enlist.Manage | enlist.Administer},
		{users.Membership{Level: enlist.Full, MaySend: true}, enlist.Owner, 1<<6 - 1},
		{users.Membership{Level: enlist.Full, Lists: some}, enlist.ManagerWithoutSend, enlist.Write | enlist.SeeContacts | enlist.Manage},
		{users.Membership{Level: enlist.Full, Lists: some, MaySend: true}, enlist.Manager, 1<<5 - 1},
	} {
		cookie := invite(f, users.Invitation{Email: "old@example.com", Name: "Old", Membership: users.Membership{Role: enlist.Writer, Lists: c.before.Lists}})
		stored := func(level enlist.Level, maySend bool) {
			f.Must(f.Store.Update(f.Context(), func(tx *db.Tx) error {
				return tx.Do("UPDATE membership SET level = ?, may_send = ? WHERE account_id = ?", int64(level), map[bool]int64{true: 1}[maySend], int64(f.Caller.Account.ID))
			}))
		}
		f.Must(f.Store.Update(f.Context(), func(tx *db.Tx) error {
			return tx.Do("UPDATE membership SET role = '' WHERE account_id = ?", int64(f.Caller.Account.ID))
		}))
		stored(c.before.Level, c.before.MaySend)
		if got := role(cookie); got != c.want || got.Rights() != c.rights {
			f.Errorf("%+v is a %s with the rights %b, want %s with %b", c.before, got, got.Rights(), c.want, c.rights)
		}
		for _, r := range enlist.Roles { // stored by this version, then changed by the other one
			if r == enlist.Owner && c.before.Lists != nil {
				continue
			}
			invite(f, users.Invitation{Email: "old@example.com", Name: "Old", Membership: users.Membership{Role: r, Lists: c.before.Lists}})
			if got := role(cookie); got != r {
				f.Errorf("a %s is read as a %s", r, got)
			}
			m, err := f.App.Users.Members(f.Context(), f.Caller.Account.ID)
			f.Must(err)
			if before := (users.Membership{Level: m[0].Level, MaySend: m[0].MaySend, Lists: m[0].Lists}); !r.May(enlist.Send) && before.MaySend ||
				!r.May(enlist.SeeContacts) && before.Level > enlist.Read || !r.May(enlist.Administer) && before.Level == enlist.Full {
				f.Errorf("the version without roles gives a %s the rights %+v", r, before)
			}
			if m[0].Level == c.before.Level && m[0].MaySend == c.before.MaySend {
				continue // that version changes nothing
			}
			stored(c.before.Level, c.before.MaySend)
			if got := role(cookie); got != c.want {
				f.Errorf("a %s whom the other version made %+v is a %s, want %s", r, c.before, got, c.want)
			}
		}
	}
}

func memberLinks(f *apptest.Account) {
	v := member(f, "maria@example.com", users.Membership{Level: enlist.Full, MaySend: true})
	li := member(f, "li@example.com", users.Membership{Level: enlist.Read})
	f.App.Users.SetSettings(users.Settings{PublicURL: "https://lists.example.com/"})
	if _, err := f.App.Users.NewMemberLink(f.Context(), v, li.User.ID); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a link for a colleague without mail: %v", err)
	}
	invitation := users.Invitation{Email: "unlinked@example.com", Name: "New", Membership: users.Membership{Level: enlist.Read}}
	if _, link, err := f.App.Users.InviteMember(f.Context(), v, invitation); err != nil || link == nil || link.URL != "" || link.Mail == nil {
		f.Errorf("without mail an invitation gives %+v, %v, want no link and why", link, err)
	}
	invitation.Email = "new@example.com"
	_, link, err := f.App.Users.InviteMember(f.Context(), visit(f, everywhere(f)), invitation)
	f.Must(err)
	text, ok := strings.CutPrefix(link.URL, "https://lists.example.com/admin/link/")
	if _, err := f.App.Users.UseLink(f.Context(), text, browser); err != nil || !ok || link.Mail != nil {
		f.Errorf("the link to a new user %+v: %v", link, err)
	}
	if _, link, err := f.App.Users.InviteMember(f.Context(), v, invitation); enlist.KindOf(err) != enlist.InvalidParameters || link != nil {
		f.Errorf("a second invitation gives %+v, %v", link, err)
	}
	var mails []*users.LinkMail
	var failure error
	f.App.Users.SetSettings(users.Settings{PublicURL: "https://lists.example.com", Mail: func(_ context.Context, m *users.LinkMail) error {
		mails = append(mails, m)
		return failure
	}})
	link, err = f.App.Users.NewMemberLink(f.Context(), v, li.User.ID)
	if err != nil || *link != (users.MemberLink{}) || mails[0].To != "li@example.com" || !strings.HasPrefix(mails[0].URL, "https://lists.example.com/admin/link/") {
		f.Errorf("the link %+v, %v, mailed as %+v", link, err, mails)
	}
	failure = errors.New("no route")
	if link, err = f.App.Users.NewMemberLink(f.Context(), v, li.User.ID); err != nil || link.URL != "" || !errors.Is(link.Mail, failure) {
		f.Errorf("the link that is not mailed is %+v, %v", link, err)
	}
	other := f.NewCaller().Account.ID
	member(f, "li@example.com", users.Membership{Account: other, Level: enlist.Read})
	if _, err := f.App.Users.NewMemberLink(f.Context(), v, li.User.ID); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a link for a user of two Accounts: %v", err)
	}
	member(f, "there@example.com", users.Membership{Account: other, Level: enlist.Read})
	invitation.Email = "there@example.com"
	if m, link, err := f.App.Users.InviteMember(f.Context(), v, invitation); err != nil || link != nil || m.Name != "Name of there@example.com" {
		f.Errorf("an invitation of a user of another Account gives %+v, %+v, %v", m, link, err)
	}
}

// everywhere signs a user in who may do everything in all Accounts.
func everywhere(f *apptest.Account) (cookie string) {
	f.Must(f.App.Users.InviteToAll(f.Context(), "root@example.com", "Root"))
	text, err := f.App.Users.NewLink(f.Context(), "root@example.com")
	f.Must(err)
	cookie, err = f.App.Users.UseLink(f.Context(), text, browser)
	f.Must(err)
	return cookie
}

// A user of one Account must not get a link of a new user, choose the password, and wait until another Account invites
// the user. Also an invitation to a user who has never signed in shows no link.
func invitedTwice(f *apptest.Account) {
	one := member(f, "maria@example.com", users.Membership{Level: enlist.Full, MaySend: true})
	other := member(f, "noor@example.com", users.Membership{Account: f.NewCaller().Account.ID, Level: enlist.Full, MaySend: true})
	invitation := users.Invitation{Email: "li@example.com", Name: "Li", Membership: users.Membership{Level: enlist.Full}}
	var mails []string
	for range 2 {
		for _, v := range []*users.Visit{one, other} {
			m, link, err := f.App.Users.InviteMember(f.Context(), v, invitation)
			if err != nil || link == nil || link.URL != "" {
				f.Errorf("the inviter gets %+v, %v", link, err)
			}
			if linked, err := f.App.Users.NewMemberLink(f.Context(), v, m.ID); linked != nil && linked.URL != "" {
				f.Errorf("another link gives %+v, %v", linked, err)
			}
		}
		f.Must(f.App.Users.Remove(f.Context(), "li@example.com", 0))
		f.App.Users.SetSettings(users.Settings{PublicURL: "https://lists.example.com", Mail: func(_ context.Context, m *users.LinkMail) error {
			mails = append(mails, m.To+" of "+m.By)
			return nil
		}})
	}
	apptest.Same(f.T, "mails", mails, []string{"li@example.com of Name of maria@example.com",
		"li@example.com of Name of maria@example.com", "li@example.com of Name of noor@example.com"})
}

// invitedLater follows the link of an invitation after something has happened to the user.
func invitedLater(f *apptest.Account) {
	mails, v := mailbox(f), member(f, "maria@example.com", users.Membership{Role: enlist.Owner})
	invite := func() (*users.Member, string) {
		m, _, err := f.App.Users.InviteMember(f.Context(), v, users.Invitation{Email: "li@example.com", Name: "Li", Membership: users.Membership{Role: enlist.Sender}})
		f.Must(err)
		return m, textOf((*mails)[len(*mails)-1])
	}
	follow := func(about, text string, works bool) (cookie string) {
		f.Helper()
		cookie, err := f.App.Users.UseLink(f.Context(), text, browser)
		if (err == nil) != works || err != nil && !users.IsLinkError(err) {
			f.Errorf("%s: %v", about, err)
		}
		return cookie
	}
	m, text := invite()
	_, _, err := f.App.Users.InviteMember(f.Context(), v, users.Invitation{Email: "LI@example.com", Name: "Li", Membership: users.Membership{Role: enlist.Owner}})
	if enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a second invitation of the address: %v", err)
	}
	f.Must(f.App.Users.ChangeMember(f.Context(), v, m.ID, users.Membership{Role: enlist.Reader}))
	if li := visit(f, follow("a role that was lowered meanwhile", text, true)); li == nil || li.Caller.May(enlist.Send) {
		f.Errorf("the user has the rights of the invitation: %+v", li)
	}
	follow("a second use", text, false)
	f.Must(f.App.Users.RemoveMember(f.Context(), v, m.ID))
	m, text = invite()
	f.Must(f.App.Users.RemoveMember(f.Context(), v, m.ID))
	follow("a user who was removed meanwhile", text, false)
	again, newer := invite()
	follow("the link of the user before", text, false)
	pass(f, users.InviteTime*time.Second)
	follow("after seven days", newer, false)
	if again.ID == m.ID {
		f.Errorf("a user who was removed and invited again has the same ID")
	}
	other := f.NewCaller()
	f.Must(f.App.Users.Remove(f.Context(), "li@example.com", 0))
	_, err = f.App.Users.Invite(f.Context(), users.Invitation{Email: "li@example.com", Name: "Li", Membership: users.Membership{Account: other.Account.ID, Role: enlist.Writer}})
	f.Must(err)
	text, err = f.App.Users.NewLink(f.Context(), "li@example.com")
	f.Must(err)
	f.Must(f.App.RemoveAccount(f.Context(), other.Account.ID))
	follow("an Account that was removed meanwhile", text, false)
}

func lastManager(f *apptest.Account) {
	list := f.AddList()
	change := map[string]func(v *users.Visit, id users.UserID) error{
		"remove": func(v *users.Visit, id users.UserID) error { return f.App.Users.RemoveMember(f.Context(), v, id) },
		"lower": func(v *users.Visit, id users.UserID) error {
			return f.App.Users.ChangeMember(f.Context(), v, id, users.Membership{Level: enlist.Read})
		},
		"restrict": func(v *users.Visit, id users.UserID) error {
			return f.App.Users.ChangeMember(f.Context(), v, id, users.Membership{Level: enlist.Full, Lists: []enlist.ListID{list}})
		},
	}
	for name, end := range change {
		for range 5 {
			a := member(f, "a@example.com", users.Membership{Level: enlist.Full, MaySend: true})
			b := member(f, "b@example.com", users.Membership{Level: enlist.Full, MaySend: true})
			var both sync.WaitGroup
			errs := make([]error, 2)
			both.Go(func() { errs[0] = end(a, b.User.ID) })
			both.Go(func() { errs[1] = end(b, a.User.ID) })
			both.Wait()
			if (errs[0] == nil) == (errs[1] == nil) || enlist.KindOf(errors.Join(errs...)) != enlist.Denied {
				f.Fatalf("%s: %v, want that one is done and one is denied", name, errs)
			}
		}
	}
	// One after the other, with a page that was read before.
	a := member(f, "a@example.com", users.Membership{Level: enlist.Full, MaySend: true})
	b := member(f, "b@example.com", users.Membership{Level: enlist.Full, MaySend: true})
	f.Must(change["lower"](a, b.User.ID))
	for name, end := range change {
		if err := end(b, a.User.ID); enlist.KindOf(err) != enlist.Denied {
			f.Errorf("%s by a user whose level was lowered: %v", name, err)
		}
	}
	if _, _, err := f.App.Users.InviteMember(f.Context(), b, users.Invitation{Email: "c@example.com", Name: "C"}); enlist.KindOf(err) != enlist.Denied {
		f.Errorf("an invitation by a user whose level was lowered: %v", err)
	}
}
