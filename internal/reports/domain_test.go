package reports_test

import (
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/reports"
	"enlist/internal/sending"
)

// This file tests the numbers by group of domains and by reason.

// refusals are replies of mail servers by address. Other addresses accept the mail.
var refusals = map[string]*messages.Undelivered{
	"full@GMX.example":        {Permanent: true, Recipient: true, Code: 552, Detail: "5.2.2 quota exceeded"},
	"gone@gmail.com":          {Permanent: true, Recipient: true, Code: 550, Detail: "5.1.1 no such user"},
	"later@hotmail.co.uk":     {Code: 451, Detail: "4.7.500 server busy"},
	"wrong@ymail.com":         {Permanent: true, Code: 554, Detail: "5.6.0 malformed"},
	"unsaid@subdomain.me.com": {Permanent: true, Recipient: true, Code: 550, Detail: "rejected as spam"},
}

func countedByDomain(f *apptest.SentBatch) {
	list := f.AddList("track_opens", true, "track_clicks", true)
	ids := make(map[string]enlist.ContactID)
	for _, a := range []string{"ann@gmail.com", "bob@googlemail.com", "eve@icloud.com"} {
		ids[a] = f.Subscribe(list, "Email", a)
	}
	for a := range refusals {
		ids[a] = f.Subscribe(list, "Email", a)
	}
	f.Created, f.News = f.Now.Unix(), list
	f.ID = f.Add(apptest.Whole(list))
	tries := 0
	reply := func(m *sending.BatchMail) *messages.Undelivered {
		if m.Address == "later@hotmail.co.uk" {
			tries++
			if tries > 2 { // it is deferred twice, and counted once
				return nil
			}
		}
		return refusals[m.Address]
	}
	for range 3 {
		f.SendAll(reply)
		f.Pass(time.Hour)
	}
	f.Open(ids["ann@gmail.com"], apptest.PersonAgent)
	f.Open(ids["bob@googlemail.com"], apptest.ScannerAgent)
	f.Click(ids["ann@gmail.com"], f.Links[0], apptest.PersonAgent)
	_, err := f.App.Sending.Bounced(f.Context(), f.Mail(ids["eve@icloud.com"]), "smtp; 550 5.2.1 account disabled")
	f.Must(err)
	_, err = f.App.Sending.Complained(f.Context(), f.Mail(ids["bob@googlemail.com"]), "spam")
	f.Must(err)
	for range 2 {
		_, err = f.App.Sending.UnsubscribeByLink(f.Context(), f.Mail(ids["ann@gmail.com"]), "")
		f.Must(err)
	}

	r := f.Report()
	apptest.Same(f.T, "domains", r.ByDomain(), []recipients.DomainSums{
		{Group: "apple", Sent: 1, Bounced: 1},
		{Group: "gmail", Sent: 2, Refused: 1, Bounced: 1, Opened: 2, HumanOpened: 1, Clicked: 1, HumanClicked: 1},
		{Group: "microsoft", Sent: 1, Deferred: 1},
		{Group: "other", Refused: 2, Bounced: 2},
		{Group: "yahoo", Failed: 1},
	})
	apptest.Same(f.T, "reasons", r.ByReason(), []recipients.DomainSums{
		{Reason: recipients.ReasonContent, Failed: 1},
		{Reason: recipients.ReasonDisabled, Bounced: 1},
		{Reason: recipients.ReasonFull, Refused: 1, Bounced: 1},
		{Reason: "spam", Refused: 1, Bounced: 1},
		{Reason: "try_later", Deferred: 1},
		{Reason: recipients.ReasonUnknownAddress, Refused: 1, Bounced: 1},
	})
	sameByDomain(f, r)
	peopleOfParts(f, r)
	last := r.Periods[len(r.Periods)-1]
	if last.Unsubscribed != 2 || last.Complained != 1 || last.Time != f.Now.Unix()/3600*3600 {
		f.Errorf("the last period is %+v, want 2 departures and 1 complaint now", last)
	}
}

// refusedForTheSender: mails that the receiver refuses for the sender's fault count as failed, with their reason, also if
// the mail server had accepted them. Nothing is held against the Contacts.
func refusedForTheSender(f *apptest.SentBatch) {
	list := f.AddList()
	ids := f.SubscribeMany(list, 6) // a0 to a5
	f.Created, f.News = f.Now.Unix(), list
	f.ID = f.Add(apptest.Whole(list))
	const outlook = "5.7.515 550 5.7.515 Access denied, sending domain does not meet the required authentication level"
	returned := func(id enlist.ContactID, detail string, want bool) {
		f.Helper()
		changed, err := f.App.Sending.Returned(f.Context(), f.Mail(id), detail)
		f.Must(err)
		if changed != want {
			f.Errorf("the refusal of the mail to Contact %d is new: %v, want %v", id, changed, want)
		}
	}
	f.SendAll(func(m *sending.BatchMail) *messages.Undelivered {
		switch m.Contact.ID {
		case ids[0]:
			return &messages.Undelivered{Permanent: true, Code: 550, Detail: "5.7.25 the IP address has no PTR record"}
		case ids[5]:
			returned(ids[5], outlook, true) // before the sender stores that the mail server accepted the mail
		}
		return nil
	})
	returned(ids[1], outlook, true)
	returned(ids[1], outlook, false)
	returned(ids[2], outlook, true)
	returned(ids[0], outlook, false) // the mail server refused it
	returned(ids[3], "5.7.1 550 5.7.1 part of their network is on our block list (S3150)", true)
	_, err := f.App.Sending.Bounced(f.Context(), f.Mail(ids[3]), "550 5.1.1 no such user") // which the receiver says later
	f.Must(err)
	_, err = f.App.Sending.Complained(f.Context(), f.Mail(ids[4]), "spam")
	f.Must(err)
	returned(ids[4], outlook, false)

	r := f.Report()
	if r.Sent != 2 || r.Failed != 4 || r.Bounced != 1 || r.Processed() != 6 || r.Delivered() != 1 {
		f.Errorf("the counts are %+v, want 2 sent, 4 failed, 1 bounced and 1 delivered", r.Counts)
	}
	apptest.Same(f.T, "reasons", r.ByReason(), []recipients.DomainSums{
		{Reason: "authentication", Failed: 3},
		{Reason: "reverse_dns", Failed: 1},
		{Reason: recipients.ReasonUnknownAddress, Bounced: 1},
	})
	for _, s := range r.ByReason() {
		part := recipients.Part{Reason: s.Reason}
		for _, q := range []enlist.Query{{}, {SortBy: "contact_email"}} {
			if rows := f.Rows(reports.RowsRequest{Kind: recipients.RowsFailed, Part: part}, q).Rows; int64(len(rows)) != s.Failed {
				f.Errorf("the rows of %s are %v, want %d", s.Reason, rows, s.Failed)
			}
		}
	}
	sameByDomain(f, r)
	for i, id := range ids {
		if c := f.Contact(list, id); !c.IsActive || c.IsBounceDeactivated || c.IsUnsubscribed != (i == 4) {
			f.Errorf("Contact %d is %+v", id, c)
		}
	}
}

// peopleOfParts checks that as many rows are behind each number by group of domains and by reason as it says, and reads
// the pages of one part.
func peopleOfParts(f *apptest.SentBatch, r *reports.BatchReport) {
	f.Helper()
	check := func(kind recipients.EventKind, human string, part recipients.Part, want int64) {
		f.Helper()
		q := enlist.Query{}
		if human != "" {
			q.Criteria = apptest.Criterion("is_human", "exactly", human)
		}
		rows := f.Rows(reports.RowsRequest{Kind: kind, Part: part}, q).Rows
		if int64(len(rows)) != want {
			f.Errorf("%s %s of %+v: the rows are %v, want %d", kind, human, part, rows, want)
		}
	}
	for _, s := range r.ByDomain() {
		of := recipients.Part{Group: s.Group}
		check(recipients.RowsAccepted, "", of, s.Sent)
		check(recipients.RowsDeferred, "", of, s.Deferred)
		check(recipients.EventBounced, "", of, s.Bounced)
		check(recipients.RowsOpens, "true", of, s.HumanOpened)
		check(recipients.RowsOpens, "false", of, s.Opened-s.HumanOpened)
		check(recipients.EventClicked, "true", of, s.HumanClicked)
	}
	for _, s := range r.ByReason() {
		check(recipients.EventBounced, "", recipients.Part{Reason: s.Reason}, s.Bounced)
	}
	check(recipients.EventBounced, "", recipients.Part{Reason: recipients.ReasonPolicy}, 0)
	rename := func(from, to string) {
		f.Must(f.Store.Update(f.Context(), func(tx *db.Tx) error {
			return tx.Do("UPDATE batch_domain SET reason = ? WHERE batch_id = ? AND reason = ?", to, int64(f.ID), from)
		}))
	}
	for _, fault := range []string{"spam", "try_later"} {
		rename(fault, "policy in "+fault) // as an earlier version counted them
	}
	check(recipients.EventBounced, "", recipients.Part{Reason: recipients.ReasonPolicy}, 1)
	for _, fault := range []string{"spam", "try_later"} {
		rename("policy in "+fault, fault)
	}
	sorted := f.Rows(reports.RowsRequest{Kind: recipients.RowsDeferred}, enlist.Query{SortBy: "contact_email"})
	if len(sorted.All) != 1 || sorted.All[0].Address != "later@hotmail.co.uk" {
		f.Errorf("the deferred rows are %v", sorted.Rows)
	}
	check(recipients.EventBounced, "", recipients.Part{Group: "gmail", Reason: recipients.ReasonFull}, 0)
	all := f.Rows(reports.RowsRequest{Kind: recipients.RowsSent, Part: recipients.Part{Group: "gmail"}}, enlist.Query{}).Rows
	for _, q := range []enlist.Query{{}, {SortBy: "contact_id"}, {SortBy: "contact_email"}} {
		q.Limit, q.Offset = 1, 1
		rows := f.Rows(reports.RowsRequest{Kind: recipients.RowsSent, Part: recipients.Part{Group: "gmail"}}, q).Rows
		if len(all) != 3 || len(rows) != 1 || rows[0] != all[1] {
			f.Errorf("of %v the second by %q is %v", all, q.SortBy, rows)
		}
	}
}

// sameByDomain checks the numbers by group of domains against those of the whole Batch.
func sameByDomain(f *apptest.SentBatch, r *reports.BatchReport) {
	f.Helper()
	var all recipients.DomainSums
	for _, s := range r.ByDomain() {
		all.Add(&s)
	}
	if all.Sent != r.Sent || all.Opened != r.Opened() || all.HumanOpened != r.HumanOpened ||
		all.Clicked != r.Clicked || r.SendStatus() != batches.BatchSending && all.Bounced != r.Bounced ||
		r.Status != batches.BatchRunning && all.Failed != r.Failed {
		f.Errorf("the domains have %+v, and the Batch %+v and %+v", all, r.Counts, r.Sums)
	}
	var unsubscribed, complained int64
	for i := range r.Periods {
		unsubscribed += r.Periods[i].Unsubscribed
		complained += r.Periods[i].Complained
	}
	if unsubscribed != r.Unsubscribed || complained != r.Complained {
		f.Errorf("the periods have %d departures and %d complaints, the Batch %d and %d", unsubscribed, complained, r.Unsubscribed,
			r.Complained)
	}
}

func sumsOfSeveral(f *apptest.SentBatch) {
	f.Open(f.Contacts[0], apptest.PersonAgent)
	first := f.ID
	other := f.AddList("track_opens", true)
	f.Subscribe(other, "Email", "a@example.com")
	second := f.Add(apptest.Whole(other))
	ids := []enlist.BatchID{first, second, 99999}
	read := func(c *enlist.Caller) map[enlist.BatchID]recipients.Sums {
		sums, err := f.App.Reports.SumsOfBatches(f.Context(), c, ids)
		f.Must(err)
		return sums
	}
	apptest.Same(f.T, "sums", read(f.Caller), map[enlist.BatchID]recipients.Sums{first: f.Report().Sums})
	for name, c := range map[string]*enlist.Caller{"another Account": f.NewCaller(), "another List": f.Restricted(other)} {
		if sums := read(c); len(sums) != 0 {
			f.Errorf("a caller of %s reads %v", name, sums)
		}
	}
	if sums, err := f.App.Reports.SumsOfBatches(f.Context(), f.Caller, nil); err != nil || len(sums) != 0 {
		f.Errorf("no Batches have the sums %v, %v", sums, err)
	}
}
