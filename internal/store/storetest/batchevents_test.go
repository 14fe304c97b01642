package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/reports"
	"enlist/internal/webhooks"
)

// This file tests the opens and clicks of the mails of a Batch.

// User-Agents of a person and of a program that fetches links.
const (
	personAgent  = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Thunderbird/140.0"
	phoneAgent   = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"
	scannerAgent = "Mozilla/5.0 (compatible; Proofpoint URL Defense)"
)

// eventFixture is a batchFixture with a Batch that was sent a minute ago to a List that tracks opens and clicks. The
// Message has four links.
type eventFixture struct {
	*batchFixture
	batch    enlist.BatchID
	created  int64 // creation time of the Batch
	contacts []enlist.ContactID
	links    []enlist.LinkID
}

func newEventFixture(t *testing.T, open func(t *testing.T) db.Engine, recipients int) *eventFixture {
	f := &eventFixture{batchFixture: &batchFixture{accountFixture: newAccountFixture(t, open)}}
	f.message = f.addMessage("May")
	f.news = f.addList("track_opens", true, "track_clicks", true)
	f.contacts = f.subscribeMany(f.news, recipients)
	links, err := f.service.Sending.LinkTargets(t.Context(), f.message, f.now.Unix(), []string{"https://a.example/", "https://b.example/",
		"https://c.example/?for={{Email}}", "https://d.example/"})
	f.must(err)
	f.links = links
	f.created = f.now.Unix()
	f.batch = f.add(whole(f.news))
	f.sendAll(nil)
	f.pass(time.Minute)
	return f
}

func (f *eventFixture) pass(d time.Duration) { f.now = f.now.Add(d) }

// mail returns the key of a recipient's mail.
func (f *eventFixture) mail(contact enlist.ContactID) enlist.DeliveryKey {
	return enlist.DeliveryKey{List: f.news, Contact: contact, Time: f.created, Cause: batches.CauseBatch(f.batch)}
}

func (f *eventFixture) open(contact enlist.ContactID, agent string) {
	f.Helper()
	f.must(f.service.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: f.mail(contact)}, agent))
}

func (f *eventFixture) click(contact enlist.ContactID, link enlist.LinkID, agent string) {
	f.Helper()
	l := enlist.Link{Kind: enlist.LinkClick, DeliveryKey: f.mail(contact), Target: link}
	f.must(f.service.Sending.Clicked(f.Context(), l, agent))
}

func (f *eventFixture) report() *reports.BatchReport {
	f.Helper()
	r, err := f.service.Reports.BatchReport(f.Context(), f.caller, f.batch)
	f.must(err)
	return r
}

func (f *eventFixture) wantSums(want batches.BatchSums) {
	f.Helper()
	same(f.T, "sums", f.report().BatchSums, want)
}

// runBatchEvents tests events of the mails of Batches.
func runBatchEvents(t *testing.T, open func(t *testing.T) db.Engine) {
	for _, test := range []struct {
		rule string
		run  func(*eventFixture)
	}{
		{"an open is counted once for the mail, and each time for all opens", opensAreCounted},
		{"a click counts the link, the mail and an open", clicksAreCounted},
		{"requests of known programs and within 2 s of the hand-over are not by a person", machinesAreToldApart},
		{"clicks of more than half of the links within 10 s are not by a person", burstsAreToldApart},
		{"a Batch has the links of the editions that it has sent", linksOfEditions},
		{"without tracking nothing is counted", trackingOff},
		{"a mail that was not sent, or of another Batch, has no events", otherMails},
		{"the sums equal the events of the recipients after random requests", randomAccesses},
		{"requests at the same time are all counted", concurrentAccesses},
		{"after a week the sums are of days", periodsOfSums},
		{"a deleted Batch and a deleted Contact lose their events", deletedEvents},
		{"webhooks get the first open, the first click of a link, a bounce, a complaint and the end of the Batch", webhookEventsOfMails},
		{"the figures of an autoresponder are read like those of a Batch", autoresponderFigures},
		{"the figures of an autoresponder count each Contact once", autoresponderCountsContactsOnce},
		{"a report after the end of its autoresponder changes the Contact", reportsAfterDeletedAutoresponder},
		{"webhooks get the events of an autoresponder's mails, with the Batch of the autoresponder", webhookEventsOfAutoresponders},
		{"of mails that are read together, each is sent or left out by itself", mailsReadTogether},
		{"an address on the Unsubscriber List for all Lists gets no mail of an autoresponder, until it is subscribed again",
			suppressedGetsNoAutoresponder},
		{"the Batch of an autoresponder is hidden and changes with the autoresponder only", autoresponderBatchIsHidden},
		{"old opens and clicks are removed, and the numbers stay", oldEventsAreRemoved},
		{"opens and clicks stay while a Batch needs them to choose its recipients", awaitedEventsStay},
		{"opens and clicks stay for a Batch that is added before the removal begins", batchAddedBeforeRemoval},
		{"a removal waits for a Batch that is being added", removalBeginsWhileABatchIsAdded},
		{"old opens and clicks of autoresponders are removed, and those of younger mails stay", oldEventsOfAutorespondersAreRemoved},
		{"old records of mails lose their texts, and still prove what was sent", oldTextsAreRemoved},
		{"an autoresponder of an earlier version gets its Batch with its first mail", autoresponderOfEarlierVersion},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			test.run(newEventFixture(t, open, 6))
		})
	}
}

func opensAreCounted(f *eventFixture) {
	first := f.now.Unix()
	f.open(f.contacts[0], personAgent)
	f.open(f.contacts[0], personAgent) // in the same second
	f.pass(time.Second)
	f.open(f.contacts[0], phoneAgent)
	f.open(f.contacts[1], phoneAgent)
	f.wantSums(batches.BatchSums{Opens: 3, ImageOpened: 2, HumanOpened: 2})
	r := f.report()
	same(f.T, "agents", r.Agents, []batches.AgentSums{{Device: pace.Desktop, Client: "thunderbird", Opened: 1},
		{Device: pace.Mobile, Client: "apple_mail", Opened: 1}})
	if r.NotOpened() != 4 || r.Emails() != 6 || r.Unsent() != 0 {
		f.Errorf("%d mails, %d not opened, %d unsent; want 6, 4 and 0", r.Emails(), r.NotOpened(), r.Unsent())
	}
	c := f.contact(f.news, f.contacts[0])
	if c.LastOpenTime != first+1 || c.LastClickTime != 0 {
		f.Errorf("the Contact was opened at %d and clicked at %d, want %d and 0", c.LastOpenTime, c.LastClickTime, first+1)
	}
}

// contact returns a Contact.
func (f *eventFixture) contact(list enlist.ListID, id enlist.ContactID) (c *enlist.ByID) {
	f.Helper()
	view(f.T, f.store, func(tx *db.Tx) (err error) {
		c, err = contacts.ByID(tx, list, id)
		return err
	})
	return c
}

func clicksAreCounted(f *eventFixture) {
	f.click(f.contacts[0], f.links[0], personAgent)
	f.pass(time.Minute)
	f.click(f.contacts[0], f.links[0], personAgent)
	f.click(f.contacts[1], f.links[0], personAgent)
	f.open(f.contacts[0], personAgent)
	f.wantSums(batches.BatchSums{Opens: 1, ClickOpened: 2, HumanOpened: 2, Clicks: 3, Clicked: 2, LinksClicked: 2, HumanClicked: 2, HumanLinks: 2})
	links, err := f.service.Reports.BatchLinks(f.Context(), f.caller, f.batch)
	f.must(err)
	same(f.T, "links", links, []batches.LinkSums{
		{Link: f.links[0], URL: "https://a.example/", Clicks: 3, Contacts: 2, Humans: 2},
		{Link: f.links[1], URL: "https://b.example/"},
		{Link: f.links[2], URL: "https://c.example/?for={{Email}}"},
		{Link: f.links[3], URL: "https://d.example/"}})
	f.must(f.service.Messages.DeleteMessage(f.Context(), f.caller, f.message))
	links, err = f.service.Reports.BatchLinks(f.Context(), f.caller, f.batch)
	f.must(err)
	if len(links) != 1 || links[0].URL != "https://a.example/" {
		f.Errorf("after the Message was deleted, the links are %+v, want the clicked one", links)
	}
}

func machinesAreToldApart(f *eventFixture) {
	f.open(f.contacts[0], scannerAgent)
	f.click(f.contacts[1], f.links[0], scannerAgent)
	f.open(f.contacts[2], "")
	f.wantSums(batches.BatchSums{Opens: 2, ImageOpened: 2, ClickOpened: 1, Clicks: 1, Clicked: 1, LinksClicked: 1})
	f.pass(time.Minute)
	f.open(f.contacts[0], personAgent) // later the person opens the mail too
	f.click(f.contacts[1], f.links[0], personAgent)
	f.wantSums(batches.BatchSums{Opens: 3, ImageOpened: 2, ClickOpened: 1, HumanOpened: 2, Clicks: 2, Clicked: 1, LinksClicked: 1, HumanClicked: 1, HumanLinks: 1})

	first := f.batch
	f.created = f.now.Unix()
	f.batch = f.add(whole(f.news))
	f.sendAll(nil)
	f.pass(time.Second)
	f.open(f.contacts[0], personAgent)
	f.wantSums(batches.BatchSums{Opens: 1, ImageOpened: 1})
	f.pass(time.Second)
	f.open(f.contacts[1], personAgent)
	f.wantSums(batches.BatchSums{Opens: 2, ImageOpened: 2, HumanOpened: 1})
	if first == f.batch {
		f.Error("the second Batch has the ID of the first")
	}
}

func burstsAreToldApart(f *eventFixture) {
	f.open(f.contacts[0], personAgent)
	f.pass(time.Minute)
	for _, link := range f.links[:2] {
		f.click(f.contacts[0], link, personAgent)
		f.pass(3 * time.Second)
	}
	f.wantSums(batches.BatchSums{Opens: 1, ImageOpened: 1, HumanOpened: 1, Clicks: 2, Clicked: 1, LinksClicked: 2, HumanClicked: 1, HumanLinks: 2})
	f.click(f.contacts[0], f.links[2], personAgent) // the third of four links
	f.wantSums(batches.BatchSums{Opens: 1, ImageOpened: 1, HumanOpened: 1, Clicks: 3, Clicked: 1, LinksClicked: 3})
	f.pass(time.Hour)
	f.click(f.contacts[0], f.links[3], personAgent)
	f.wantSums(batches.BatchSums{Opens: 1, ImageOpened: 1, HumanOpened: 1, Clicks: 4, Clicked: 1, LinksClicked: 4, HumanClicked: 1, HumanLinks: 1})
	links, err := f.service.Reports.BatchLinks(f.Context(), f.caller, f.batch)
	f.must(err)
	humans := int64(0)
	for _, l := range links {
		humans += l.Humans
	}
	if humans != 1 {
		f.Errorf("the links have %d clicks by persons, want 1", humans)
	}
}

func linksOfEditions(f *eventFixture) {
	links := func(id enlist.BatchID) (urls []string) {
		all, err := f.service.Reports.BatchLinks(f.Context(), f.caller, id)
		f.must(err)
		for _, l := range all {
			urls = append(urls, l.URL)
		}
		return urls
	}
	first := f.batch
	old := links(first)
	_, err := f.service.Messages.EditMessage(f.Context(), f.caller, f.message, details("subject", "New"))
	f.must(err)
	targets, err := f.service.Sending.LinkTargets(f.Context(), f.message, f.now.Unix(), []string{old[0], old[1], "https://e.example/"})
	f.must(err)
	f.created = f.now.Unix()
	f.batch = f.add(whole(f.news))
	same(f.T, "links before the first mail", links(f.batch), []string{old[0], old[1], "https://e.example/"})
	f.sendAll(nil)
	f.pass(time.Minute)
	same(f.T, "links of the second Batch", links(f.batch), []string{old[0], old[1], "https://e.example/"})
	same(f.T, "links of the first Batch", links(first), old)
	if len(old) != 4 {
		f.Errorf("the first Batch has %d links, want 4", len(old))
	}
	for _, link := range targets[:2] { // two of three, but of five that the Message had
		f.click(f.contacts[0], link, personAgent)
		f.pass(time.Second)
	}
	if r := f.report(); r.LinksClicked != 2 || r.HumanLinks != 0 {
		f.Errorf("%d links were clicked, %d by people; want 2 and none", r.LinksClicked, r.HumanLinks)
	}
}

func trackingOff(f *eventFixture) {
	_, err := f.service.Lists.EditList(f.Context(), f.caller, f.news, details("track_opens", false))
	f.must(err)
	f.open(f.contacts[0], personAgent)
	f.click(f.contacts[0], f.links[0], personAgent)
	f.wantSums(batches.BatchSums{Clicks: 1, Clicked: 1, LinksClicked: 1, HumanClicked: 1, HumanLinks: 1})
	_, err = f.service.Lists.EditList(f.Context(), f.caller, f.news, details("track_clicks", false, "track_opens", true))
	f.must(err)
	f.click(f.contacts[1], f.links[0], personAgent)
	f.wantSums(batches.BatchSums{ClickOpened: 1, HumanOpened: 1, Clicks: 1, Clicked: 1, LinksClicked: 1, HumanClicked: 1, HumanLinks: 1})
}

func otherMails(f *eventFixture) {
	id := f.subscribe(f.news, "Email", "later@x.io")
	f.open(id, personAgent)
	f.created++
	f.open(f.contacts[0], personAgent)
	f.created--
	f.batch++
	f.open(f.contacts[0], personAgent)
	f.batch--
	f.wantSums(batches.BatchSums{})
}

// sumsOfEvents computes the sums from the events of all recipients.
func (f *eventFixture) sumsOfEvents() (s batches.BatchSums) {
	f.Helper()
	view(f.T, f.store, func(tx *db.Tx) error {
		s = batches.BatchSums{}
		for _, id := range f.contacts {
			events, err := batches.RecipientEvents(tx, f.news, f.batch, id)
			if err != nil {
				return err
			}
			for _, e := range events {
				human := int64(0)
				if e.Human != 0 {
					human = 1
				}
				switch e.Kind {
				case batches.EventOpened:
					s.ImageOpened++ // or ClickOpened
					s.HumanOpened += human
				case batches.EventClicked:
					s.Clicked++
					s.Clicks += e.Count
					s.HumanClicked += human
				case batches.EventLink:
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
func (f *eventFixture) wantSumsOfEvents() {
	f.Helper()
	got := f.report().BatchSums
	got.ImageOpened, got.ClickOpened, got.Opens = got.Opened(), 0, 0
	same(f.T, "sums", got, f.sumsOfEvents())
	var agents int64
	for _, a := range f.report().Agents {
		agents += a.Opened
	}
	if agents != got.ImageOpened {
		f.Errorf("the sums of the programs are %d opens, want %d", agents, got.ImageOpened)
	}
	links, err := f.service.Reports.BatchLinks(f.Context(), f.caller, f.batch)
	f.must(err)
	var sum batches.LinkSums
	for _, l := range links {
		sum.Clicks += l.Clicks
		sum.Contacts += l.Contacts
		sum.Humans += l.Humans
	}
	if sum.Clicks != got.Clicks || sum.Contacts != got.LinksClicked || sum.Humans != got.HumanLinks {
		f.Errorf("the links have %+v, want the sums %+v", sum, got)
	}
}

func randomAccesses(f *eventFixture) {
	for range 300 {
		contact, agent := f.contacts[rand.IntN(len(f.contacts))], []string{personAgent, phoneAgent, scannerAgent}[rand.IntN(3)]
		if rand.IntN(2) == 0 {
			f.open(contact, agent)
		} else {
			f.click(contact, f.links[rand.IntN(len(f.links))], agent)
		}
		f.pass(time.Duration(rand.IntN(12)) * time.Second)
	}
	f.wantSumsOfEvents()
}

func concurrentAccesses(f *eventFixture) {
	var wait sync.WaitGroup
	for range 4 {
		for i, contact := range f.contacts {
			wait.Go(func() { f.open(contact, personAgent) })
			wait.Go(func() { f.click(contact, f.links[i%len(f.links)], personAgent) })
			wait.Go(func() { f.click(contact, f.links[(i+1)%len(f.links)], personAgent) })
		}
	}
	wait.Wait()
	f.wantSumsOfEvents()
	if got := f.report(); got.Opened() != 6 || got.Clicked != 6 || got.LinksClicked != 12 || got.Clicks != 12 {
		f.Errorf("the sums are %+v, want 6 opened and clicked mails, 12 clicks", got.BatchSums)
	}
}

func periodsOfSums(f *eventFixture) {
	f.open(f.contacts[0], personAgent)
	hour := f.now.Unix() / 3600 * 3600
	f.pass(8 * 24 * time.Hour)
	f.open(f.contacts[0], personAgent)
	f.pass(2 * time.Hour)
	f.open(f.contacts[1], personAgent)
	day := f.now.Unix() / 86400 * 86400
	same(f.T, "periods", f.report().Periods, []reports.PeriodSums{
		{Time: hour, BatchSums: batches.BatchSums{Opens: 1, ImageOpened: 1, HumanOpened: 1}},
		{Time: day, BatchSums: batches.BatchSums{Opens: 2, ImageOpened: 1, HumanOpened: 1}}})
}

func deletedEvents(f *eventFixture) {
	f.click(f.contacts[0], f.links[0], personAgent)
	f.click(f.contacts[1], f.links[0], personAgent)
	_, err := f.service.Contacts.DeleteContacts(f.Context(), f.caller, contacts.DeleteRequest{List: f.news, Contacts: f.contacts[:1]})
	f.must(err)
	events := func(contact enlist.ContactID) (n int) {
		view(f.T, f.store, func(tx *db.Tx) error {
			all, err := batches.RecipientEvents(tx, f.news, f.batch, contact)
			n = len(all)
			return err
		})
		return n
	}
	if n := []int{events(f.contacts[0]), events(f.contacts[1])}; !slices.Equal(n, []int{0, 3}) {
		f.Errorf("the deleted Contact and another one have %v events, want 0 and 3", n)
	}
	f.must(f.service.Batches.DeleteBatch(f.Context(), f.caller, f.batch))
	f.open(f.contacts[1], personAgent)
	for done := false; !done; {
		done, err = f.service.Batches.RemoveBatch(f.Context(), batches.RemoveBatch{Batch: f.batch})
		f.must(err)
	}
	if n := events(f.contacts[1]); n != 0 {
		f.Errorf("a recipient of the deleted Batch has %d events", n)
	}
	view(f.T, f.store, func(tx *db.Tx) error {
		sums, err := reports.LoadBatchSums(tx, f.batch)
		if err != nil || len(sums) > 0 {
			return fmt.Errorf("the deleted Batch has the sums %+v, %w", sums, err)
		}
		return nil
	})
}

// addMailWebhooks adds a webhook for each event of mails and for completed Batches.
func (f *eventFixture) addMailWebhooks() {
	f.Helper()
	for _, event := range []string{"opened", "clicked", "bounced", "complained", "completed"} {
		object := "contact"
		if event == "completed" {
			object = "batch"
		}
		_, err := f.service.Webhooks.AddWebhook(f.Context(), f.caller, details("object", object, "event", event, "url", "https://hooks.example/"))
		f.must(err)
	}
}

// webhookEvents returns the events that wait for webhooks: each with its Contact and its Batch.
func (f *eventFixture) webhookEvents() (got []string) {
	f.Helper()
	view(f.T, f.store, func(tx *db.Tx) error {
		all, err := webhooks.Webhooks(tx, f.caller.Account.ID)
		if err != nil {
			return err
		}
		events, err := webhooks.WebhookEvents(tx, all[0].Target, 0, 100)
		got = nil
		for _, e := range events {
			got = append(got, fmt.Sprint(e.Event, " ", e.Contact, " ", e.Batch))
		}
		return err
	})
	return got
}

func webhookEventsOfMails(f *eventFixture) {
	f.addMailWebhooks()
	for range 2 {
		f.open(f.contacts[0], personAgent)
		f.click(f.contacts[0], f.links[0], personAgent)
		f.pass(time.Minute)
	}
	_, err := f.service.Sending.Bounced(f.Context(), f.mail(f.contacts[1]), "550")
	f.must(err)
	_, err = f.service.Sending.Complained(f.Context(), f.mail(f.contacts[2]), "spam")
	f.must(err)
	second := f.add(whole(f.news))
	f.sendAll(nil)
	want := []string{fmt.Sprint("opened ", f.contacts[0], " ", f.batch), fmt.Sprint("clicked ", f.contacts[0], " ", f.batch),
		fmt.Sprint("bounced ", f.contacts[1], " ", f.batch), fmt.Sprint("complained ", f.contacts[2], " ", f.batch),
		fmt.Sprint("completed 0 ", second)}
	same(f.T, "events", f.webhookEvents(), want)
}
