package users_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// covers: decision 172
func TestMembersOfPrograms(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a program adds users, who get an invitation by mail, changes and removes them", Test: programManages},
		{Name: "a program opens all Lists to a user by \"\" alone, and the Lists of a user may be deleted", Test: programRestricts},
		{Name: "an invitation that was lost or has expired is mailed again, and none is promised without mail", Test: programInvitesAgain},
		{Name: "each owner of an Account is told of a user whom a program adds, changes or removes", Test: ownersAreTold},
		{Name: "a program changes no owner, and no user of another Account", Test: programChangesNoOwner},
	})
}

func programManages(f *apptest.Account) {
	var mails []users.LinkMail
	f.App.Users.SetSettings(users.Settings{PublicURL: "https://lists.example.com", Mail: func(_ context.Context, m *users.LinkMail) error {
		mails = append(mails, *m)
		return nil
	}})
	list := f.AddList()
	id, err := f.App.Users.SetMember(f.Context(), f.Caller, apptest.Details("email", "Li@example.com", "name", "Li", "role", "writer", "list_ids", []any{list}))
	f.Must(err)
	invited := users.SendInvitation{User: int64(id), Account: f.Caller.Account.ID, Key: f.Caller.Key.ID, By: "test key"}
	f.Must(f.App.Users.MailInvited(f.Context(), db.Job{}, invited))
	if len(mails) != 1 || mails[0].Kind != users.MailInvitation || mails[0].To != "Li@example.com" || mails[0].By != f.Caller.Account.Name {
		f.Fatalf("the mails are %+v", mails)
	}
	_, text, _ := strings.Cut(mails[0].URL, users.LinkPath)
	_, err = f.App.Users.UseLink(f.Context(), text, browser)
	f.Must(err)
	f.Must(f.App.Users.MailInvited(f.Context(), db.Job{}, invited)) // the user has signed in
	again, err := f.App.Users.SetMember(f.Context(), f.Caller, apptest.Details("email", "LI@example.com", "name", "X", "role", "sender"))
	if f.Must(err); again != id || len(mails) != 1 {
		f.Errorf("the user %d becomes %d, with %d mails", id, again, len(mails))
	}
	all, err := f.App.Users.SearchMembers(f.Context(), f.Caller, enlist.Query{})
	if f.Must(err); len(all) != 1 || all[0].Name != "Li" || all[0].Role != enlist.Sender || len(all[0].Lists) != 1 || all[0].SignInTime == 0 {
		f.Errorf("the users are %+v", all)
	}
	f.Must(f.App.Users.DeleteMember(f.Context(), f.Caller, id))
	f.Must(f.App.Users.MailInvited(f.Context(), db.Job{}, invited)) // there is no such user any more
	links := 0
	for _, row := range f.AuditLog(f.Caller.Account.ID) {
		if row.After == `{"link":"Li@example.com"}` && row.KeyName == "test key" {
			links++
		}
		if row.Object == "User" && row.KeyName != "test key" && row.User == "" {
			f.Errorf("the audit log has a row without the key: %+v", row)
		}
	}
	if links != 1 {
		f.Errorf("the audit log has %d rows of mailed links", links)
	}
}

func programRestricts(f *apptest.Account) {
	mailbox(f)
	first, second := f.AddList(), f.AddList()
	set := func(details ...any) error {
		_, err := f.App.Users.SetMember(f.Context(), f.Caller, apptest.Details(append([]any{"email", "li@example.com"}, details...)...))
		return err
	}
	want := func(role enlist.Role, lists ...enlist.ListID) {
		f.Helper()
		all, err := f.App.Users.SearchMembers(f.Context(), f.Caller, enlist.Query{})
		if f.Must(err); all[0].Role != role || !slices.Equal(all[0].Lists, lists) {
			f.Errorf("the user is a %s of the Lists %v, want a %s of %v", all[0].Role, all[0].Lists, role, lists)
		}
	}
	f.Must(set("name", "Li", "role", "sender", "list_ids", []any{first, second}))
	for _, none := range []any{nil, []any{}, []any{[]any{}}} {
		f.Must(set("list_ids", none))
		want(enlist.Sender, first, second)
	}
	for _, wrong := range []any{" ", ",", []any{"", ""}, []any{[]any{}, []any{}}, false, 0, "News"} {
		f.Refused(set("list_ids", wrong), enlist.InvalidParameters, "expected IDs of Lists")
		want(enlist.Sender, first, second)
	}
	f.Must(f.App.Contacts.DeleteList(f.Context(), f.Caller, first))
	f.Must(set("role", "reader"))
	want(enlist.Reader, first, second)
	f.Must(f.App.Contacts.DeleteList(f.Context(), f.Caller, second))
	f.Must(set("role", "writer"))
	want(enlist.Writer, first, second)
	f.Must(set("list_ids", ""))
	want(enlist.Writer)
}

func programInvitesAgain(f *apptest.Account) {
	li := apptest.Details("email", "li@example.com", "name", "Li", "role", "reader")
	_, err := f.App.Users.SetMember(f.Context(), f.Caller, li)
	f.Refused(err, enlist.InvalidParameters, "this server sends no emails")
	mails := mailbox(f)
	id, err := f.App.Users.SetMember(f.Context(), f.Caller, li)
	f.Must(err)
	job := users.SendInvitation{User: int64(id), Account: f.Caller.Account.ID}
	f.Must(f.App.Users.MailInvited(f.Context(), db.Job{}, job))
	jobs := func(want int) {
		f.Helper()
		_, err := f.App.Users.SetMember(f.Context(), f.Caller, li)
		if f.Must(err); f.Jobs("invitation") != want {
			f.Errorf("there are %d invitations, want %d", f.Jobs("invitation"), want)
		}
	}
	jobs(1)
	pass(f, (users.InviteTime+1)*time.Second)
	jobs(2)
	f.Must(f.App.Users.MailInvited(f.Context(), db.Job{}, job))
	_, err = f.App.Users.UseLink(f.Context(), textOf((*mails)[1]), browser)
	f.Must(err)
	pass(f, (users.InviteTime+1)*time.Second)
	jobs(2) // who has signed in needs none
}

func ownersAreTold(f *apptest.Account) {
	mails, v := mailbox(f), visit(f, becomeFirst(f)) // who may do everything is an owner of each Account
	f.Must(f.App.Users.ChooseLanguage(f.Context(), v, "fr"))
	member(f, "olga@example.com", users.Membership{Role: enlist.Owner})
	member(f, "mara@example.com", users.Membership{Role: enlist.Manager})
	note := users.LinkMail{To: "Maria@Example.com", Name: "Maria", Language: "fr", By: "test key", Account: f.Caller.Account.Name,
		About: "li@example.com", URL: "https://lists.example.com/admin/users"}
	var want []users.LinkMail
	for _, kind := range []users.MailKind{users.MailAdded, users.MailRights, users.MailRemoved} {
		note.Kind = kind
		toOlga := note
		toOlga.To, toOlga.Name, toOlga.Language = "olga@example.com", "Name of olga@example.com", ""
		want = append(want, toOlga, note)
	}
	id, err := f.App.Users.SetMember(f.Context(), f.Caller, apptest.Details("email", "li@example.com", "name", "Li", "role", "reader"))
	f.Must(err)
	for range 2 { // the second call changes nothing
		_, err = f.App.Users.SetMember(f.Context(), f.Caller, apptest.Details("email", "li@example.com", "role", "sender"))
		f.Must(err)
	}
	f.Must(f.App.Users.DeleteMember(f.Context(), f.Caller, id))
	wantNotes(f, mails, want...)
	f.Must(f.App.Users.Remove(f.Context(), "olga@example.com", f.Caller.Account.ID))
	wantNotes(f, mails, want[1], want[3], want[5])
}

func programChangesNoOwner(f *apptest.Account) {
	mailbox(f)
	v := member(f, "maria@example.com", users.Membership{Role: enlist.Owner})
	other := f.NewCaller()
	li, err := f.App.Users.SetMember(f.Context(), other, apptest.Details("email", "li@example.com", "name", "Li", "role", "reader"))
	f.Must(err)
	_, err = f.App.Users.SetMember(f.Context(), f.Caller, apptest.Details("email", "maria@example.com", "role", "reader"))
	f.Refused(err, enlist.Denied, "only an owner")
	f.Refused(f.App.Users.DeleteMember(f.Context(), f.Caller, v.User.ID), enlist.Denied, "only an owner")
	f.Refused(f.App.Users.DeleteMember(f.Context(), f.Caller, li), enlist.InvalidParameters, "no user")
	again, err := f.App.Users.SetMember(f.Context(), f.Caller, apptest.Details("email", "li@example.com", "role", "manager"))
	if f.Must(err); again != li {
		f.Errorf("the user of two Accounts has the IDs %d and %d", li, again)
	}
	f.Must(f.App.Users.DeleteMember(f.Context(), f.Caller, li))
	if all, err := f.App.Users.SearchMembers(f.Context(), other, enlist.Query{}); err != nil || len(all) != 1 || all[0].Role != enlist.Reader {
		f.Errorf("the other Account has %+v, %v", all, err)
	}
	f.Must(f.App.Users.InviteToAll(f.Context(), "all@example.com", "All"))
	_, err = f.App.Users.SetMember(f.Context(), f.Caller, apptest.Details("email", "all@example.com", "role", "reader"))
	f.Refused(err, enlist.InvalidParameters, "all Accounts")
	_, err = f.App.Users.SearchMembers(f.Context(), f.Restricted(f.AddList()), enlist.Query{})
	f.Refused(err, enlist.Denied, "")
}
