package reports_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/recipients"
)

// This file tests the opens and clicks of the mails of a Batch.

// The tests open mails and click links as persons and programs do, and compare the sums with the recipients' events.
//
// covers: spec batch.events, batch.human, batch.domains, batch.returned, decision 60, decision 76, decision 117
// covers: decision 131, decision 155
func TestFiguresOfABatch(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(6), []apptest.Rule[*apptest.SentBatch]{
		{Name: "the uses of a Message are its Batches with their opens", Test: usesOfMessages},
		{Name: "an open is counted once for the mail, and each time for all opens", Test: opensAreCounted},
		{Name: "a click counts the link, the mail and an open", Test: clicksAreCounted},
		{Name: "requests of known programs and within 2 s of the hand-over are not by a person", Test: machinesAreToldApart},
		{Name: "clicks of more than half of the links within 10 s are not by a person", Test: burstsAreToldApart},
		{Name: "a Batch has the links of the editions that it has sent", Test: linksOfEditions},
		{Name: "without tracking nothing is counted", Test: trackingOff},
		{Name: "a refusal counts at once for mails that are sent, and a policy for all", Test: refusedTracking},
		{Name: "a mail that was not sent, or of another Batch, has no events", Test: otherMails},
		{Name: "the sums equal the events of the recipients after random requests", Test: randomAccesses},
		{Name: "mails are counted by the provider of the address and by the reason of a failure", Test: countedByDomain},
		{Name: "a refusal for the sender's fault counts with its reason, and not against the Contact", Test: refusedForTheSender},
		{Name: "the sums of several Batches are read at once, without those of others", Test: sumsOfSeveral},
		{Name: "requests at the same time are all counted", Test: concurrentAccesses},
		{Name: "after a week the sums are of days", Test: periodsOfSums},
		{Name: "a deleted Batch and a deleted Contact lose their events", Test: deletedEvents},
		{Name: "webhooks get the first open, the first click of a link, a bounce, a complaint and the end of the Batch", Test: webhookEventsOfMails},
		{Name: "the figures of an autoresponder are read like those of a Batch", Test: autoresponderFigures},
		{Name: "webhooks get the events of an autoresponder's mails, with the Batch of the autoresponder", Test: webhookEventsOfAutoresponders},
		{Name: "the figures of an autoresponder count each Contact once", Test: autoresponderCountsContactsOnce},
	})
}

func usesOfMessages(f *apptest.SentBatch) {
	f.Open(f.Contacts[0], apptest.PersonAgent)
	all, err := f.App.Reports.MessageUses(f.Context(), f.Caller)
	f.Must(err)
	uses := all[f.Message]
	if len(all) != 1 || len(uses) != 1 || uses[0].Batch != f.ID || uses[0].Delivered != 6 || uses[0].Opened != 1 || uses[0].Time == 0 {
		f.Errorf("the uses are %+v, want one with 6 mails, of which 1 was opened", all)
	}
	if all, err = f.App.Reports.MessageUses(f.Context(), f.NewCaller()); err != nil || len(all) > 0 {
		f.Errorf("another Account sees the uses %+v, error %v", all, err)
	}
	if all, err = f.App.Reports.MessageUses(f.Context(), f.Restricted(f.News)); err != nil || len(all) != 1 {
		f.Errorf("a caller of the List sees the uses %+v, error %v", all, err)
	}
	if all, err = f.App.Reports.MessageUses(f.Context(), f.Restricted(f.AddList())); err != nil || len(all) > 0 {
		f.Errorf("a caller of another List sees the uses %+v, error %v", all, err)
	}
}

func opensAreCounted(f *apptest.SentBatch) {
	first := f.Now.Unix()
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.Open(f.Contacts[0], apptest.PersonAgent) // in the same second
	f.Pass(time.Second)
	f.Open(f.Contacts[0], apptest.PhoneAgent)
	f.Open(f.Contacts[1], apptest.PhoneAgent)
	f.WantSums(recipients.Sums{Opens: 3, ImageOpened: 2, HumanOpened: 2})
	r := f.Report()
	apptest.Same(f.T, "agents", r.Agents, []recipients.AgentSums{{Device: pace.Desktop, Client: "thunderbird", Opened: 1},
		{Device: pace.Mobile, Client: "apple_mail", Opened: 1}})
	if r.NotOpened() != 4 || r.ToSend() != 6 || r.Unsent() != 0 {
		f.Errorf("%d mails, %d not opened, %d unsent; want 6, 4 and 0", r.ToSend(), r.NotOpened(), r.Unsent())
	}
	c := f.Contact(f.News, f.Contacts[0])
	if c.LastOpenTime != first+1 || c.LastClickTime != 0 {
		f.Errorf("the Contact was opened at %d and clicked at %d, want %d and 0", c.LastOpenTime, c.LastClickTime, first+1)
	}
}

func clicksAreCounted(f *apptest.SentBatch) {
	f.Click(f.Contacts[0], f.Links[0], apptest.PersonAgent)
	f.Pass(time.Minute)
	f.Click(f.Contacts[0], f.Links[0], apptest.PersonAgent)
	f.Click(f.Contacts[1], f.Links[0], apptest.PersonAgent)
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.WantSums(recipients.Sums{Opens: 1, ClickOpened: 2, HumanOpened: 2, Clicks: 3, Clicked: 2, LinksClicked: 2, HumanClicked: 2, HumanLinks: 2})
	links, err := f.App.Reports.BatchLinks(f.Context(), f.Caller, f.ID)
	f.Must(err)
	apptest.Same(f.T, "links", links, []recipients.LinkSums{
		{Link: f.Links[0], URL: "https://a.example/", Clicks: 3, Contacts: 2, Humans: 2},
		{Link: f.Links[1], URL: "https://b.example/"},
		{Link: f.Links[2], URL: "https://c.example/?for={{Email}}"},
		{Link: f.Links[3], URL: "https://d.example/"}})
	f.Must(f.App.Messages.DeleteMessage(f.Context(), f.Caller, f.Message))
	links, err = f.App.Reports.BatchLinks(f.Context(), f.Caller, f.ID)
	f.Must(err)
	if len(links) != 1 || links[0].URL != "https://a.example/" {
		f.Errorf("after the Message was deleted, the links are %+v, want the clicked one", links)
	}
}

func machinesAreToldApart(f *apptest.SentBatch) {
	f.Open(f.Contacts[0], apptest.ScannerAgent)
	f.Click(f.Contacts[1], f.Links[0], apptest.ScannerAgent)
	f.Open(f.Contacts[2], "")
	f.WantSums(recipients.Sums{Opens: 2, ImageOpened: 2, ClickOpened: 1, Clicks: 1, Clicked: 1, LinksClicked: 1})
	f.Pass(time.Minute)
	f.Open(f.Contacts[0], apptest.PersonAgent) // later the person opens the mail too
	f.Click(f.Contacts[1], f.Links[0], apptest.PersonAgent)
	f.WantSums(recipients.Sums{Opens: 3, ImageOpened: 2, ClickOpened: 1, HumanOpened: 2, Clicks: 2, Clicked: 1, LinksClicked: 1, HumanClicked: 1, HumanLinks: 1})

	first := f.ID
	f.Created = f.Now.Unix()
	f.ID = f.Add(apptest.Whole(f.News))
	f.SendAll(nil)
	f.Pass(time.Second)
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.Open(f.Contacts[1], apptest.GmailAgent)
	f.WantSums(recipients.Sums{Opens: 2, ImageOpened: 2})
	f.Pass(time.Second)
	f.Open(f.Contacts[2], apptest.PersonAgent)
	f.Open(f.Contacts[3], apptest.GmailAgent)
	f.WantSums(recipients.Sums{Opens: 4, ImageOpened: 4, HumanOpened: 2})
	if first == f.ID {
		f.Error("the second Batch has the ID of the first")
	}
}

func burstsAreToldApart(f *apptest.SentBatch) {
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.Pass(time.Minute)
	for _, link := range f.Links[:2] {
		f.Click(f.Contacts[0], link, apptest.PersonAgent)
		f.Pass(3 * time.Second)
	}
	f.WantSums(recipients.Sums{Opens: 1, ImageOpened: 1, HumanOpened: 1, Clicks: 2, Clicked: 1, LinksClicked: 2, HumanClicked: 1, HumanLinks: 2})
	f.Click(f.Contacts[0], f.Links[2], apptest.PersonAgent) // the third of four links
	f.WantSums(recipients.Sums{Opens: 1, ImageOpened: 1, HumanOpened: 1, Clicks: 3, Clicked: 1, LinksClicked: 3})
	f.Pass(time.Hour)
	f.Click(f.Contacts[0], f.Links[3], apptest.PersonAgent)
	f.WantSums(recipients.Sums{Opens: 1, ImageOpened: 1, HumanOpened: 1, Clicks: 4, Clicked: 1, LinksClicked: 4, HumanClicked: 1, HumanLinks: 1})
	links, err := f.App.Reports.BatchLinks(f.Context(), f.Caller, f.ID)
	f.Must(err)
	humans := int64(0)
	for _, l := range links {
		humans += l.Humans
	}
	if humans != 1 {
		f.Errorf("the links have %d clicks by persons, want 1", humans)
	}
}

func linksOfEditions(f *apptest.SentBatch) {
	links := func(id enlist.BatchID) (urls []string) {
		all, err := f.App.Reports.BatchLinks(f.Context(), f.Caller, id)
		f.Must(err)
		for _, l := range all {
			urls = append(urls, l.URL)
		}
		return urls
	}
	first := f.ID
	old := links(first)
	_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("subject", "New"))
	f.Must(err)
	targets, err := f.App.Sending.LinkTargets(f.Context(), f.Message, f.Now.Unix(), []string{old[0], old[1], "https://e.example/"})
	f.Must(err)
	f.Created = f.Now.Unix()
	f.ID = f.Add(apptest.Whole(f.News))
	apptest.Same(f.T, "links before the first mail", links(f.ID), []string{old[0], old[1], "https://e.example/"})
	f.SendAll(nil)
	f.Pass(time.Minute)
	apptest.Same(f.T, "links of the second Batch", links(f.ID), []string{old[0], old[1], "https://e.example/"})
	apptest.Same(f.T, "links of the first Batch", links(first), old)
	if len(old) != 4 {
		f.Errorf("the first Batch has %d links, want 4", len(old))
	}
	for _, link := range targets[:2] { // two of three, but of five that the Message had
		f.Click(f.Contacts[0], link, apptest.PersonAgent)
		f.Pass(time.Second)
	}
	if r := f.Report(); r.LinksClicked != 2 || r.HumanLinks != 0 {
		f.Errorf("%d links were clicked, %d by people; want 2 and none", r.LinksClicked, r.HumanLinks)
	}
}

func trackingOff(f *apptest.SentBatch) {
	_, err := f.App.Lists.EditList(f.Context(), f.Caller, f.News, apptest.Details("track_opens", false))
	f.Must(err)
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.Click(f.Contacts[0], f.Links[0], apptest.PersonAgent)
	f.WantSums(recipients.Sums{Clicks: 1, Clicked: 1, LinksClicked: 1, HumanClicked: 1, HumanLinks: 1})
	_, err = f.App.Lists.EditList(f.Context(), f.Caller, f.News, apptest.Details("track_clicks", false, "track_opens", true))
	f.Must(err)
	f.Click(f.Contacts[1], f.Links[0], apptest.PersonAgent)
	f.WantSums(recipients.Sums{ClickOpened: 1, HumanOpened: 1, Clicks: 1, Clicked: 1, LinksClicked: 1, HumanClicked: 1, HumanLinks: 1})
}

func refusedTracking(f *apptest.SentBatch) {
	decide := func(contact enlist.ContactID, consent enlist.TrackingConsent) {
		f.Helper()
		_, err := f.App.Contacts.DecideTracking(f.Context(), f.Caller, contacts.TrackingRequest{List: f.News, Contact: contact,
			Decision: contacts.TrackingDecision{Consent: consent, By: contacts.Origin{Method: contacts.MethodUser}}})
		f.Must(err)
	}
	policy := func(account, opens, clicks string) {
		f.Helper()
		f.Must(f.App.Accounts.EditAccount(f.Context(), f.Caller.Account.ID,
			func(a *enlist.Account) { a.TrackingPolicy = enlist.TrackingPolicy(account) }))
		_, err := f.App.Lists.EditList(f.Context(), f.Caller, f.News, apptest.Details("open_policy", opens, "click_policy", clicks))
		f.Must(err)
	}
	read := func(who ...int) {
		f.Helper()
		for _, i := range who {
			f.Pass(time.Minute)
			f.Open(f.Contacts[i], apptest.PersonAgent)
			f.Click(f.Contacts[i], f.Links[0], apptest.PersonAgent)
		}
	}
	decide(f.Contacts[0], enlist.TrackingDenied)
	decide(f.Contacts[1], enlist.TrackingGranted)
	read(0, 1)
	one := recipients.Sums{Opens: 1, ImageOpened: 1, HumanOpened: 1, Clicks: 1, Clicked: 1, LinksClicked: 1, HumanClicked: 1, HumanLinks: 1}
	f.WantSums(one)
	policy("ask", "", "off")
	read(2, 1) // 1, who has agreed, opens once more
	one.Opens++
	f.WantSums(one)
	policy("ask", "inform", "")
	read(2)
	one.Opens, one.ImageOpened, one.HumanOpened = one.Opens+1, 2, 2
	f.WantSums(one)
	decide(f.Contacts[1], enlist.TrackingDenied)
	policy("off", "inform", "inform")
	read(1)
	f.WantSums(one)
}

func otherMails(f *apptest.SentBatch) {
	id := f.Subscribe(f.News, "Email", "later@x.io")
	f.Open(id, apptest.PersonAgent)
	f.Created++
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.Created--
	f.ID++
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.ID--
	f.WantSums(recipients.Sums{})
}

// sumsOfEvents computes the sums from the events of all recipients.
func sumsOfEvents(f *apptest.SentBatch) (s recipients.Sums) {
	f.Helper()
	apptest.View(f.T, f.Store, func(tx *db.Tx) error {
		s = recipients.Sums{}
		for _, id := range f.Contacts {
			events, err := recipients.Events(tx, f.News, f.ID, id)
			if err != nil {
				return err
			}
			for _, e := range events {
				human := int64(0)
				if e.Human != 0 {
					human = 1
				}
				switch e.Kind {
				case recipients.EventOpened:
					s.ImageOpened++ // or ClickOpened
					s.HumanOpened += human
				case recipients.EventClicked:
					s.Clicked++
					s.Clicks += e.Count
					s.HumanClicked += human
				case recipients.EventLink:
					s.LinksClicked++
					s.HumanLinks += human
				}
			}
		}
		return nil
	})
	return s
}

// wantSumsOfEvents compares the sums of the report with those of the recipients.
func wantSumsOfEvents(f *apptest.SentBatch) {
	f.Helper()
	got := f.Report().Sums
	got.ImageOpened, got.ClickOpened, got.Opens = got.Opened(), 0, 0
	apptest.Same(f.T, "sums", got, sumsOfEvents(f))
	var agents int64
	for _, a := range f.Report().Agents {
		agents += a.Opened
	}
	if agents != got.ImageOpened {
		f.Errorf("the sums of the programs are %d opens, want %d", agents, got.ImageOpened)
	}
	links, err := f.App.Reports.BatchLinks(f.Context(), f.Caller, f.ID)
	f.Must(err)
	var sum recipients.LinkSums
	for _, l := range links {
		sum.Clicks += l.Clicks
		sum.Contacts += l.Contacts
		sum.Humans += l.Humans
	}
	if sum.Clicks != got.Clicks || sum.Contacts != got.LinksClicked || sum.Humans != got.HumanLinks {
		f.Errorf("the links have %+v, want the sums %+v", sum, got)
	}
}

func randomAccesses(f *apptest.SentBatch) {
	for range 300 {
		contact, agent := f.Contacts[rand.IntN(len(f.Contacts))], []string{apptest.PersonAgent, apptest.PhoneAgent, apptest.ScannerAgent}[rand.IntN(3)]
		if rand.IntN(2) == 0 {
			f.Open(contact, agent)
		} else {
			f.Click(contact, f.Links[rand.IntN(len(f.Links))], agent)
		}
		f.Pass(time.Duration(rand.IntN(12)) * time.Second)
	}
	wantSumsOfEvents(f)
}

func concurrentAccesses(f *apptest.SentBatch) {
	var wait sync.WaitGroup
	for range 4 {
		for i, contact := range f.Contacts {
			wait.Go(func() { f.Open(contact, apptest.PersonAgent) })
			wait.Go(func() { f.Click(contact, f.Links[i%len(f.Links)], apptest.PersonAgent) })
			wait.Go(func() { f.Click(contact, f.Links[(i+1)%len(f.Links)], apptest.PersonAgent) })
		}
	}
	wait.Wait()
	wantSumsOfEvents(f)
	if got := f.Report(); got.Opened() != 6 || got.Clicked != 6 || got.LinksClicked != 12 || got.Clicks != 12 {
		f.Errorf("the sums are %+v, want 6 opened and clicked mails, 12 clicks", got.Sums)
	}
}

func periodsOfSums(f *apptest.SentBatch) {
	f.Open(f.Contacts[0], apptest.PersonAgent)
	hour := f.Now.Unix() / 3600 * 3600
	f.Pass(8 * 24 * time.Hour)
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.Pass(2 * time.Hour)
	f.Open(f.Contacts[1], apptest.PersonAgent)
	day := f.Now.Unix() / 86400 * 86400
	apptest.Same(f.T, "periods", f.Report().Periods, []recipients.PeriodSums{
		{Time: hour, Sums: recipients.Sums{Opens: 1, ImageOpened: 1, HumanOpened: 1}},
		{Time: day, Sums: recipients.Sums{Opens: 2, ImageOpened: 1, HumanOpened: 1}}})
}

func deletedEvents(f *apptest.SentBatch) {
	f.Click(f.Contacts[0], f.Links[0], apptest.PersonAgent)
	f.Click(f.Contacts[1], f.Links[0], apptest.PersonAgent)
	f.Click(f.Contacts[2], f.Links[0], apptest.PersonAgent)
	f.Click(f.Contacts[3], f.Links[0], apptest.PersonAgent)
	around := contacts.DeleteRequest{List: f.News, Contacts: []enlist.ContactID{f.Contacts[0], f.Contacts[2]}}
	_, err := f.App.Contacts.DeleteContacts(f.Context(), f.Caller, around)
	f.Must(err)
	farApart := []enlist.ContactID{f.Contacts[3], f.Contacts[3] + 1000}
	f.Update(func(tx *db.Tx) error { return recipients.Forget(tx, []enlist.BatchID{f.ID}, f.News, farApart) })
	events := func(contact enlist.ContactID) (n int) {
		apptest.View(f.T, f.Store, func(tx *db.Tx) error {
			all, err := recipients.Events(tx, f.News, f.ID, contact)
			n = len(all)
			return err
		})
		return n
	}
	got := []int{events(f.Contacts[0]), events(f.Contacts[1]), events(f.Contacts[2]), events(f.Contacts[3])}
	if !slices.Equal(got, []int{0, 3, 0, 0}) {
		f.Errorf("the Contacts have %v events; want 3 of the second one, the others are removed", got)
	}
	f.Must(f.App.Batches.DeleteBatch(f.Context(), f.Caller, f.ID))
	f.Open(f.Contacts[1], apptest.PersonAgent)
	for done := false; !done; {
		done, err = f.App.Batches.RemoveBatch(f.Context(), batches.RemoveBatch{Batch: f.ID})
		f.Must(err)
	}
	if n := events(f.Contacts[1]); n != 0 {
		f.Errorf("a recipient of the deleted Batch has %d events", n)
	}
	apptest.View(f.T, f.Store, func(tx *db.Tx) error {
		sums, err := recipients.PeriodsOf(tx, f.ID)
		if err != nil || len(sums) > 0 {
			return fmt.Errorf("the deleted Batch has the sums %+v, %w", sums, err)
		}
		return nil
	})
}
