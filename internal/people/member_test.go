package people_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/people"
)

func TestMembers(t *testing.T) {
	apptest.Run(t, apptest.Own, newAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a person of level full invites, changes and removes others, in the audit log", Test: manage},
		{Name: "no other person may, and a person of another Account does not exist", Test: notManagers},
		{Name: "no person gives a right that the person does not have", Test: noMoreRights},
		{Name: "no person sees a link of another, but who may do everything in all Accounts does without mail", Test: memberLinks},
		{Name: "an inviter cannot become a person whom another Account invites later", Test: invitedTwice},
		{Name: "one person of level full always remains, also if two remove or lower each other at once", Test: lastManager},
	})
}

// member invites a person and returns the visit.
func member(f *apptest.Account, email string, m people.Membership) *people.Visit {
	f.Helper()
	return visit(f, invite(f, people.Invitation{Email: email, Name: "Name of " + email, Membership: m}))
}

func manage(f *apptest.Account) {
	v := member(f, "maria@example.com", people.Membership{Level: enlist.Full, MaySend: true})
	list := f.AddList()
	m, _, err := f.App.People.InviteMember(f.Context(), v, people.Invitation{Email: "li@example.com", Name: "Li",
		Membership: people.Membership{Level: enlist.Read, Lists: []enlist.ListID{list}}})
	f.Must(err)
	if _, _, err := f.App.People.InviteMember(f.Context(), v, people.Invitation{Email: "LI@example.com", Name: "X"}); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a second invitation: %v", err)
	}
	li := visit(f, invite(f, people.Invitation{Email: "li@example.com", Name: "Li", Membership: m.Membership}))
	f.Must(f.App.People.ChangeMember(f.Context(), v, m.ID, people.Membership{Level: enlist.Standard, MaySend: true}))
	got, sessions, err := f.App.People.AccountMember(f.Context(), v, m.ID)
	f.Must(err)
	if got.Level != enlist.Standard || got.Lists != nil || !got.MaySend || len(sessions) != 1 || sessions[0].ID != li.Session.ID {
		f.Errorf("the person is %+v with %+v", got, sessions)
	}
	f.Must(f.App.People.EndMemberSession(f.Context(), v, m.ID, li.Session.ID))
	if _, sessions, err = f.App.People.AccountMember(f.Context(), v, m.ID); err != nil || len(sessions) != 0 {
		f.Errorf("after its end, the sessions are %+v, %v", sessions, err)
	}
	f.Must(f.App.People.RemoveMember(f.Context(), v, m.ID))
	if all, err := f.App.People.AccountMembers(f.Context(), v); err != nil || len(all) != 1 {
		f.Errorf("after the removal there are %+v, %v", all, err)
	}
	for _, err := range []error{f.App.People.ChangeMember(f.Context(), v, v.Person.ID, people.Membership{}), f.App.People.RemoveMember(f.Context(), v, v.Person.ID)} {
		if enlist.KindOf(err) != enlist.InvalidParameters {
			f.Errorf("a change of oneself: %v", err)
		}
	}
	by := 0
	for _, row := range f.AuditLog(f.Caller.Account.ID) {
		if row.Method == "sign in" && row.IP != browser.IP {
			f.Errorf("the audit log has a sign-in from %q, want %s", row.IP, browser.IP)
		}
		if row.User == "maria@example.com" && (row.Object == "Person" || row.Object == "Session") {
			by++
		}
	}
	if by != 5 { // the sign-in of Maria, an invitation, a change, the end of a session and a removal
		f.Errorf("the audit log has %d rows of the person, want 5", by)
	}
}

func notManagers(f *apptest.Account) {
	v := member(f, "maria@example.com", people.Membership{Level: enlist.Full, MaySend: true})
	other := f.NewCaller().Account.ID
	for email, m := range map[string]people.Membership{"read@example.com": {Level: enlist.Standard, MaySend: true},
		"one@example.com":  {Level: enlist.Full, Lists: []enlist.ListID{f.AddList()}, MaySend: true},
		"else@example.com": {Account: other, Level: enlist.Full, MaySend: true}} {
		w := member(f, email, m)
		_, _, err := f.App.People.AccountMember(f.Context(), w, v.Person.ID)
		_, linked := f.App.People.NewMemberLink(f.Context(), w, v.Person.ID)
		for _, err := range []error{err, linked, f.App.People.ChangeMember(f.Context(), w, v.Person.ID, people.Membership{}),
			f.App.People.RemoveMember(f.Context(), w, v.Person.ID), f.App.People.EndMemberSession(f.Context(), w, v.Person.ID, v.Session.ID)} {
			if enlist.KindOf(err) != enlist.Denied {
				f.Errorf("%s: %v, want Denied", email, err)
			}
		}
		if m.Account != 0 {
			continue
		}
		if _, err := f.App.People.AccountMembers(f.Context(), w); enlist.KindOf(err) != enlist.Denied {
			f.Errorf("%s sees the people: %v", email, err)
		}
		if _, _, err := f.App.People.InviteMember(f.Context(), w, people.Invitation{Email: "x@example.com", Name: "X"}); enlist.KindOf(err) != enlist.Denied {
			f.Errorf("%s invites: %v", email, err)
		}
	}
}

func noMoreRights(f *apptest.Account) {
	v := member(f, "maria@example.com", people.Membership{Level: enlist.Full})
	li := member(f, "li@example.com", people.Membership{Level: enlist.Read, MaySend: true})
	_, _, err := f.App.People.InviteMember(f.Context(), v, people.Invitation{Email: "x@example.com", Name: "X", Membership: people.Membership{MaySend: true}})
	_, linked := f.App.People.NewMemberLink(f.Context(), v, li.Person.ID)
	for _, err := range []error{err, linked} {
		if enlist.KindOf(err) != enlist.InvalidParameters {
			f.Errorf("a person who may not send gives the right: %v", err)
		}
	}
	f.Must(f.App.People.ChangeMember(f.Context(), v, li.Person.ID, people.Membership{Level: enlist.Standard, MaySend: true})) // as before
	f.Must(f.App.People.ChangeMember(f.Context(), v, li.Person.ID, people.Membership{Level: enlist.Standard}))
	if err := f.App.People.ChangeMember(f.Context(), v, li.Person.ID, people.Membership{MaySend: true}); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a person who may not send gives the right to another: %v", err)
	}
}

func memberLinks(f *apptest.Account) {
	v := member(f, "maria@example.com", people.Membership{Level: enlist.Full, MaySend: true})
	li := member(f, "li@example.com", people.Membership{Level: enlist.Read})
	f.App.People.SetSettings(people.Settings{PublicURL: "https://lists.example.com/"})
	if _, err := f.App.People.NewMemberLink(f.Context(), v, li.Person.ID); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a link for a colleague without mail: %v", err)
	}
	invitation := people.Invitation{Email: "unlinked@example.com", Name: "New", Membership: people.Membership{Level: enlist.Read}}
	if _, link, err := f.App.People.InviteMember(f.Context(), v, invitation); err != nil || link == nil || link.URL != "" || link.Mail == nil {
		f.Errorf("without mail an invitation gives %+v, %v, want no link and why", link, err)
	}
	invitation.Email = "new@example.com"
	_, link, err := f.App.People.InviteMember(f.Context(), visit(f, everywhere(f)), invitation)
	f.Must(err)
	text, ok := strings.CutPrefix(link.URL, "https://lists.example.com/admin/link/")
	if _, err := f.App.People.UseLink(f.Context(), text, browser); err != nil || !ok || link.Mail != nil {
		f.Errorf("the link to a new person %+v: %v", link, err)
	}
	if _, link, err := f.App.People.InviteMember(f.Context(), v, invitation); enlist.KindOf(err) != enlist.InvalidParameters || link != nil {
		f.Errorf("a second invitation gives %+v, %v", link, err)
	}
	var mails []*people.LinkMail
	var failure error
	f.App.People.SetSettings(people.Settings{PublicURL: "https://lists.example.com", Mail: func(_ context.Context, m *people.LinkMail) error {
		mails = append(mails, m)
		return failure
	}})
	link, err = f.App.People.NewMemberLink(f.Context(), v, li.Person.ID)
	if err != nil || *link != (people.MemberLink{}) || mails[0].To != "li@example.com" || !strings.HasPrefix(mails[0].URL, "https://lists.example.com/admin/link/") {
		f.Errorf("the link %+v, %v, mailed as %+v", link, err, mails)
	}
	failure = errors.New("no route")
	if link, err = f.App.People.NewMemberLink(f.Context(), v, li.Person.ID); err != nil || link.URL != "" || !errors.Is(link.Mail, failure) {
		f.Errorf("the link that is not mailed is %+v, %v", link, err)
	}
	other := f.NewCaller().Account.ID
	member(f, "li@example.com", people.Membership{Account: other, Level: enlist.Read})
	if _, err := f.App.People.NewMemberLink(f.Context(), v, li.Person.ID); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a link for a person of two Accounts: %v", err)
	}
	member(f, "there@example.com", people.Membership{Account: other, Level: enlist.Read})
	invitation.Email = "there@example.com"
	if m, link, err := f.App.People.InviteMember(f.Context(), v, invitation); err != nil || link != nil || m.Name != "Name of there@example.com" {
		f.Errorf("an invitation of a person of another Account gives %+v, %+v, %v", m, link, err)
	}
}

// everywhere signs a person in who may do everything in all Accounts.
func everywhere(f *apptest.Account) (cookie string) {
	f.Must(f.App.People.InviteToAll(f.Context(), "root@example.com", "Root"))
	text, err := f.App.People.NewLink(f.Context(), "root@example.com")
	f.Must(err)
	cookie, err = f.App.People.UseLink(f.Context(), text, browser)
	f.Must(err)
	return cookie
}

// A person of one Account must not get a link of a new person, choose the password, and wait until another Account invites
// the person. Also an invitation to a person who has never signed in shows no link.
func invitedTwice(f *apptest.Account) {
	one := member(f, "maria@example.com", people.Membership{Level: enlist.Full, MaySend: true})
	other := member(f, "noor@example.com", people.Membership{Account: f.NewCaller().Account.ID, Level: enlist.Full, MaySend: true})
	invitation := people.Invitation{Email: "li@example.com", Name: "Li", Membership: people.Membership{Level: enlist.Full}}
	var mails []string
	for range 2 {
		for _, v := range []*people.Visit{one, other} {
			m, link, err := f.App.People.InviteMember(f.Context(), v, invitation)
			if err != nil || link == nil || link.URL != "" {
				f.Errorf("the inviter gets %+v, %v", link, err)
			}
			if linked, err := f.App.People.NewMemberLink(f.Context(), v, m.ID); linked != nil && linked.URL != "" {
				f.Errorf("another link gives %+v, %v", linked, err)
			}
		}
		f.Must(f.App.People.Remove(f.Context(), "li@example.com", 0))
		f.App.People.SetSettings(people.Settings{PublicURL: "https://lists.example.com", Mail: func(_ context.Context, m *people.LinkMail) error {
			mails = append(mails, m.To+" of "+m.By)
			return nil
		}})
	}
	apptest.Same(f.T, "mails", mails, []string{"li@example.com of Name of maria@example.com",
		"li@example.com of Name of maria@example.com", "li@example.com of Name of noor@example.com"})
}

func lastManager(f *apptest.Account) {
	list := f.AddList()
	change := map[string]func(v *people.Visit, id people.PersonID) error{
		"remove": func(v *people.Visit, id people.PersonID) error { return f.App.People.RemoveMember(f.Context(), v, id) },
		"lower": func(v *people.Visit, id people.PersonID) error {
			return f.App.People.ChangeMember(f.Context(), v, id, people.Membership{Level: enlist.Read})
		},
		"restrict": func(v *people.Visit, id people.PersonID) error {
			return f.App.People.ChangeMember(f.Context(), v, id, people.Membership{Level: enlist.Full, Lists: []enlist.ListID{list}})
		},
	}
	for name, end := range change {
		for range 5 {
			a := member(f, "a@example.com", people.Membership{Level: enlist.Full, MaySend: true})
			b := member(f, "b@example.com", people.Membership{Level: enlist.Full, MaySend: true})
			var both sync.WaitGroup
			errs := make([]error, 2)
			both.Go(func() { errs[0] = end(a, b.Person.ID) })
			both.Go(func() { errs[1] = end(b, a.Person.ID) })
			both.Wait()
			if (errs[0] == nil) == (errs[1] == nil) || enlist.KindOf(errors.Join(errs...)) != enlist.Denied {
				f.Fatalf("%s: %v, want that one is done and one is denied", name, errs)
			}
		}
	}
	// One after the other, with a page that was read before.
	a := member(f, "a@example.com", people.Membership{Level: enlist.Full, MaySend: true})
	b := member(f, "b@example.com", people.Membership{Level: enlist.Full, MaySend: true})
	f.Must(change["lower"](a, b.Person.ID))
	for name, end := range change {
		if err := end(b, a.Person.ID); enlist.KindOf(err) != enlist.Denied {
			f.Errorf("%s by a person whose level was lowered: %v", name, err)
		}
	}
	if _, _, err := f.App.People.InviteMember(f.Context(), b, people.Invitation{Email: "c@example.com", Name: "C"}); enlist.KindOf(err) != enlist.Denied {
		f.Errorf("an invitation by a person whose level was lowered: %v", err)
	}
}
