package users_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// covers: spec batch.approval
func TestMailApproval(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "a Batch that waits is mailed once to each user who may approve it, in the language of the user", Test: approvalMails},
		{Name: "nothing is mailed after the approval was decided, or to users who may not approve it any more", Test: approvalMailsOver},
		{Name: "one address is one user, so nobody approves the own Batch as another user", Test: oneAddress},
	})
}

// waiting adds a Batch to both Lists by a user, which needs an approval, and returns it with the job that tells the others.
func waiting(f *apptest.Batches, by *users.Visit, lists ...enlist.ListID) (enlist.BatchID, batches.AskApproval) {
	f.Helper()
	var populations []batches.PopulationRequest
	for _, list := range lists {
		populations = append(populations, apptest.Whole(list))
	}
	id, err := f.App.Batches.AddBatch(f.Context(), by.Caller, batches.BatchRequest{Message: f.Message, Populations: populations})
	f.Must(err)
	f.Prepare(id)
	var last batches.AskApproval
	for _, e := range asked(f) {
		if e.Batch == id {
			last = e
		}
	}
	if last.Batch == 0 || last.User != 0 {
		f.Fatalf("the job of the Batch is %+v", last)
	}
	return id, last
}

// asked returns the waiting jobs.
func asked(f *apptest.Batches) (all []batches.AskApproval) {
	f.Helper()
	for _, args := range f.Store.(*dbtest.Store).WaitingArgs(f.T, "ask_approval") {
		var e batches.AskApproval
		f.Must(json.Unmarshal([]byte(args), &e))
		all = append(all, e)
	}
	return all
}

// approvers adds users and lets the Account want approvals of Batches to more than one Contact.
func approvers(f *apptest.Batches) (mara *users.Visit, mails *[]users.LinkMail, lists []enlist.ListID) {
	f.Must(f.App.Accounts.ChangeSettings(f.Context(), f.Caller.Account.ID, map[string]string{"approve-above": "1"}))
	f.Must(f.App.Accounts.ReadSettings(f.Context()))
	lists = []enlist.ListID{f.News, f.AddList()}
	f.Subscribe(lists[0], "Email", "one@example.com")
	f.Subscribe(lists[1], "Email", "two@example.com")
	mails = mailbox(f.Account)
	for name, m := range map[string]users.Membership{"noor": {Role: enlist.Sender}, "olga": {Role: enlist.Owner}, "li": {Role: enlist.Writer},
		"zed": {Role: enlist.Reader}, "ada": {Role: enlist.Sender, Lists: lists[:1]}, "silent": {Role: enlist.OwnerWithoutSend}} {
		member(f.Account, name+"@example.com", m)
	}
	return member(f.Account, "mara@example.com", users.Membership{Role: enlist.Sender}), mails, lists
}

// told does the jobs that follow the job of a Batch, and returns to whom they mailed.
func told(f *apptest.Batches, mails *[]users.LinkMail, e batches.AskApproval) (to []string) {
	f.Helper()
	before := len(asked(f))
	f.Must(f.App.Users.MailApproval(f.Context(), db.Job{}, e))
	for _, one := range asked(f)[before:] {
		f.Must(f.App.Users.MailApproval(f.Context(), db.Job{}, one))
	}
	for _, m := range *mails {
		to = append(to, m.To)
	}
	slices.Sort(to)
	return to
}

func approvalMails(f *apptest.Batches) {
	becomeFirst(f.Account)
	mara, mails, lists := approvers(f)
	noor := member(f.Account, "noor@example.com", users.Membership{Role: enlist.Sender})
	f.Must(f.App.Users.ChooseLanguage(f.Context(), noor, "vi"))
	id, job := waiting(f, mara, lists...)
	if to := told(f, mails, job); !slices.Equal(to, []string{"Maria@Example.com", "noor@example.com", "olga@example.com"}) {
		f.Errorf("the mails are to %v, want the first user and those who may send to both Lists, without who asks", to)
	}
	want := users.LinkMail{Kind: users.MailApproval, To: "noor@example.com", Name: noor.User.Name, By: mara.User.Name, Account: f.Caller.Account.Name,
		About: "May", URL: "https://lists.example.com/admin/sends/" + strconv.FormatInt(int64(id), 10) + "/approve", Language: "vi"}
	if !slices.Contains(*mails, want) {
		f.Errorf("the mails are %+v, want %+v", *mails, want)
	}
}

func approvalMailsOver(f *apptest.Batches) {
	mara, _, lists := approvers(f)
	noor := member(f.Account, "noor@example.com", users.Membership{Role: enlist.Sender})
	account := f.Caller.Account.ID
	change := func(m users.Membership) func(enlist.BatchID) {
		return func(enlist.BatchID) {
			m.Account = account
			_, err := f.App.Users.Invite(f.Context(), users.Invitation{Email: "noor@example.com", Name: "Noor", Membership: m})
			f.Must(err)
		}
	}
	for _, c := range []struct {
		name   string
		happen func(enlist.BatchID)
	}{
		{"a user who became a writer", change(users.Membership{Role: enlist.Writer})},
		{"a user who may not use one of the Lists any more", change(users.Membership{Role: enlist.Sender, Lists: lists[:1]})},
		{"a refused Batch", func(id enlist.BatchID) { f.Must(f.App.Batches.RefuseApproval(f.Context(), noor.Caller, id, "no")) }},
		{"a cancelled Batch", func(id enlist.BatchID) { f.Edit(id, "cancel") }},
		{"a deleted Batch", func(id enlist.BatchID) { f.Edit(id, "cancel"); f.RemoveBatch(id) }},
		{"a Batch whose approval was asked for again", func(id enlist.BatchID) {
			f.Must(f.App.Batches.RefuseApproval(f.Context(), noor.Caller, id, "no"))
			f.Now = f.Now.Add(60e9)
			f.Must(f.App.Batches.EditBatch(f.Context(), mara.Caller, id, "unpause", 0))
			f.Prepare(id)
		}},
		{"a server without mail", func(enlist.BatchID) { f.App.Users.SetSettings(users.Settings{}) }},
		{"a user who was removed", func(enlist.BatchID) { f.Must(f.App.Users.Remove(f.Context(), "noor@example.com", account)) }},
	} {
		change(users.Membership{Role: enlist.Sender})(0)
		mails := mailbox(f.Account)
		id, job := waiting(f, mara, lists...)
		job.User = int64(noor.User.ID)
		f.Must(f.App.Users.MailApproval(f.Context(), db.Job{}, job))
		if len(*mails) != 1 {
			f.Errorf("before: %d mails", len(*mails))
		}
		c.happen(id)
		f.Must(f.App.Users.MailApproval(f.Context(), db.Job{}, job))
		if len(*mails) != 1 {
			f.Errorf("%s: Noor gets the mail", c.name)
		}
	}
	failed := errors.New("the mail server does not answer")
	change(users.Membership{Role: enlist.Sender})(0)
	f.App.Users.SetSettings(users.Settings{Mail: func(context.Context, *users.LinkMail) error { return failed }})
	again, err := f.App.Users.Members(f.Context(), account)
	f.Must(err)
	_, job := waiting(f, mara, lists...)
	for i := range again {
		if again[i].Email == "noor@example.com" {
			job.User = int64(again[i].ID)
		}
	}
	if err := f.App.Users.MailApproval(f.Context(), db.Job{}, job); !errors.Is(err, failed) {
		f.Errorf("a mail that fails: %v, so the queue does not try again", err)
	}
}

func oneAddress(f *apptest.Batches) {
	mara, mails, lists := approvers(f)
	id, _ := waiting(f, mara, lists...)
	w, err := f.App.Batches.Approval(f.Context(), mara.Caller, id)
	f.Must(err)
	again, err := f.App.Users.Invite(f.Context(), users.Invitation{Email: "MARA@EXAMPLE.COM", Name: "Another name",
		Membership: users.Membership{Account: f.Caller.Account.ID, Role: enlist.Owner}})
	f.Must(err)
	if again.ID != mara.User.ID {
		f.Fatalf("another spelling of an address is another user")
	}
	olga := member(f.Account, "olga@example.com", users.Membership{Role: enlist.Owner})
	f.Must(f.App.Users.AskAddress(f.Context(), olga, "", "Mara@example.COM"))
	if err := f.App.Users.ConfirmAddress(f.Context(), textOf((*mails)[len(*mails)-1]), ""); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("two users have one address: %v", err)
	}
	f.Must(f.App.Users.AskAddress(f.Context(), mara, "", "new@example.com"))
	f.Must(f.App.Users.ConfirmAddress(f.Context(), textOf((*mails)[len(*mails)-1]), ""))
	text, err := f.App.Users.NewLink(f.Context(), "new@example.com")
	f.Must(err)
	cookie, err := f.App.Users.UseLink(f.Context(), text, browser)
	f.Must(err)
	if err := f.App.Batches.Approve(f.Context(), visit(f.Account, cookie).Caller, id, w.Approval.Version); enlist.KindOf(err) != enlist.Denied {
		f.Errorf("who has asked approves with another role and another address: %v", err)
	}
}
