package people_test

import (
	"context"
	"errors"
	"path"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/people"
)

// The tests in this file have people who may do everything in all Accounts.

func everythingLater(f *apptest.Account) {
	first := visit(f, becomeFirst(f))
	later, err := f.App.Accounts.AddAccount(f.Context(), accounts.AccountDetails{Name: "Later", ContactLimit: enlist.NoContactLimit})
	f.Must(err)
	f.Must(f.App.People.SwitchAccount(f.Context(), first, later.ID))
	v := visit(f, becomeAgain(f))
	if v == nil || v.Caller.Account.ID != later.ID || v.Caller.Key.Level != enlist.Full || v.Caller.NoSending || v.Caller.Key.Lists != nil {
		f.Fatalf("in the later Account the visit is %+v", v)
	}
	if err := f.App.People.SwitchAccount(f.Context(), v, later.ID+1000); !errors.Is(err, people.ErrNoSession) {
		f.Errorf("an Account that does not exist: %v", err)
	}
	other := member(f, "full@example.com", people.Membership{Level: enlist.Full, MaySend: true})
	for name, err := range map[string]error{
		"a change":  f.App.People.ChangeMember(f.Context(), other, v.Person.ID, people.Membership{Level: enlist.Read}),
		"a removal": f.App.People.RemoveMember(f.Context(), other, v.Person.ID),
		"a link":    func() error { _, err := f.App.People.NewMemberLink(f.Context(), other, v.Person.ID); return err }(),
	} {
		if enlist.KindOf(err) != enlist.InvalidParameters {
			f.Errorf("%s by a person of one Account: %v", name, err)
		}
	}
}

// becomeAgain signs the first person in once more.
func becomeAgain(f *apptest.Account) string {
	text, err := f.App.People.NewLink(f.Context(), "maria@example.com")
	f.Must(err)
	cookie, err := f.App.People.UseLink(f.Context(), text, browser)
	f.Must(err)
	return cookie
}

func declaredFirst(f *apptest.Account) {
	inviteFirst := func() *people.MemberLink {
		link, err := f.App.People.InviteFirst(f.Context(), "ann@example.com", "Ann", "https://lists.example.com")
		f.Must(err)
		return link
	}
	link := inviteFirst()
	if link == nil || link.URL == "" {
		f.Fatalf("without a mail server the link is %+v", link)
	}
	var mails []*people.LinkMail
	failure := errors.New("no route")
	f.App.People.SetSettings(people.Settings{Mail: func(_ context.Context, m *people.LinkMail) error {
		mails = append(mails, m)
		return failure
	}})
	if again := inviteFirst(); again != nil || mails != nil {
		f.Errorf("a second start within an hour mails %+v", again)
	}
	pass(f, people.LinkTime*time.Second)
	if failed := inviteFirst(); failed == nil || failed.URL == "" || !errors.Is(failed.Mail, failure) {
		f.Errorf("a link that cannot be mailed is %+v", failed)
	}
	pass(f, people.LinkTime*time.Second)
	failure = nil
	if mailed := inviteFirst(); mailed == nil || mailed.Mail != nil || mailed.URL != "" {
		f.Errorf("a mailed link is %+v", mailed)
	}
	cookie, err := f.App.People.UseLink(f.Context(), path.Base(mails[1].URL), browser)
	f.Must(err)
	if v := visit(f, cookie); v == nil || !v.Person.AllAccounts {
		f.Errorf("the first user visits as %+v", v)
	}
	pass(f, people.LinkTime*time.Second)
	if after := inviteFirst(); after != nil {
		f.Errorf("after the first sign-in there is a link %+v", after)
	}
	if other, err := f.App.People.InviteFirst(f.Context(), "else@example.com", "Else", ""); other != nil || err != nil {
		f.Errorf("another first user of a database with people: %+v, %v", other, err)
	}
}
