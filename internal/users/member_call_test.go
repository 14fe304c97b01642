package users_test

import (
	"context"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// covers: decision 172
func TestMembersOfPrograms(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a program adds users, who get an invitation by mail, changes and removes them", Test: programManages},
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
	invited := users.SendInvitation{User: int64(id), Account: f.Caller.Account.ID, By: "test key"}
	f.Must(f.App.Users.MailInvited(f.Context(), db.Job{}, invited))
	if len(mails) != 1 || mails[0].Kind != users.MailInvitation || mails[0].To != "Li@example.com" || mails[0].By != "test key" {
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
	for _, row := range f.AuditLog(f.Caller.Account.ID) {
		if row.Object == "User" && row.KeyName != "test key" && row.User == "" {
			f.Errorf("the audit log has a row without the key: %+v", row)
		}
	}
}

func programChangesNoOwner(f *apptest.Account) {
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
