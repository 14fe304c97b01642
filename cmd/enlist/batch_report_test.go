package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"

	"github.com/google/go-cmp/cmp"
)

// This test sends a Batch to a mail server, opens mails and clicks links, and compares the reports.

// reader is a User-Agent of a person.
const reader = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Thunderbird/140.0"

// The mail server refuses one address. Of the others, some open the mail, some click, one unsubscribes. The report
// has the numbers that the mail server and the test have seen.
//
// covers: spec batch.numbers, batch.own, batch.rows, decision 60, decision 61
func TestReportsOfABatchEqualWhatHappened(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, reportsOfABatchEqualWhatHappened)
}

func reportsOfABatchEqualWhatHappened(t *testing.T, e dbtest.Engine) {
	const n = 30
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	l := &linked{T: t, mails: mailtest.Start(t, mailtest.Options{}), ctx: ctx}
	l.mails.Script(func(s mailtest.Step) mailtest.Action {
		if s.Stage == mailtest.Rcpt && slices.Contains(s.To, "r7@example.com") {
			return mailtest.Reply(550, "5.1.1 no such user")
		}
		return mailtest.Action{}
	})
	db := e.New(t)
	setSettings(t, db, map[string]string{"mail-from": "news@example.com"})
	addr, key := startServerOn(t, e, config.Serve{Database: config.Database{DB: db}, SMTP: l.mails.URL()})
	l.client = api.NewClient("http://"+addr, key)
	t.Cleanup(l.client.Close)
	batch := l.sendBatch(n)

	time.Sleep(2 * time.Second) // what comes earlier is no person
	mails := make(map[string]received)
	for _, m := range must(l.mails.Wait(ctx, n-1))(t) {
		mails[m.To[0]] = l.read(m.Data)
	}
	for i := range 5 {
		l.get(mails[fmt.Sprintf("r%d@example.com", i)].link(t, "/o/"), reader)
	}
	l.get(mails["r5@example.com"].link(t, "/o/"), "Mozilla/5.0 (compatible; Googlebot/2.1)")
	l.get(mails["r0@example.com"].link(t, "/k/"), reader)
	l.get(mails["r6@example.com"].link(t, "/k/"), reader)
	l.follow("POST", mails["r8@example.com"].link(t, "/u/"), "List-Unsubscribe=One-Click", http.StatusOK)

	got := must(l.client.GetBatchStatistics(ctx, batch))(t)
	own := must(l.client.GetBatchReport(ctx, batch))(t)
	if got.FirstSentTime == 0 || got.LastSentTime < got.FirstSentTime || len(own.Periods) == 0 {
		t.Errorf("the times are %d and %d, with %d periods", got.FirstSentTime, got.LastSentTime, len(own.Periods))
	}
	edition := api.BatchEdition{MessageID: 1, Subject: "Hello", SentCount: n - 1}
	if len(own.Editions) == 1 {
		edition.MessageTime, edition.FirstSentTime = own.Editions[0].MessageTime, got.FirstSentTime
	}
	want := &api.BatchStatistics{SendTime: got.SendTime, FirstSentTime: got.FirstSentTime, LastSentTime: got.LastSentTime, EmailCount: n,
		GrossHTML: 6, GrossPlain: 1, HTMLOpenCount: 6, TextOpenCount: 1, OpenedCount: 7, NotOpenedCount: n - 1 - 7, BounceCount: 1,
		UnsubscribeCount: 1, UniqueContactClick: 2, UniqueLinkClick: 2, GrossClick: 2, SendStatus: "completed",
		DeviceStatistics: map[string]api.DeviceNumbers{"desktop": {TotalCount: 6, Percentage: 85.71}, "mobile": {}, "unknown": {TotalCount: 1, Percentage: 14.29}},
		MailClients: map[string]api.MailClientNumbers{"thunderbird": {Title: "Thunderbird", Total: 6, Percent: 85.71},
			"unknown": {Title: "Unknown", Total: 1, Percent: 14.29}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the numbers differ from what happened (-want +got):\n%s", diff)
	}
	wantOwn := &api.BatchReport{HumanOpenedCount: 6, HumanContactClick: 2, HumanLinkClick: 2, SentCount: n - 1, RefusedCount: 1,
		MeasuredOpens: n - 1, MeasuredClicks: n - 1, Track: true, LeftOut: own.LeftOut, Periods: own.Periods, Editions: []api.BatchEdition{edition}, Variants: []api.BatchVariantNumbers{},
		Domains: []api.BatchDomain{{Domain: "other", SentCount: n - 1, RefusedCount: 1, BounceCount: 1, OpenedCount: 7, HumanOpenedCount: 6,
			UniqueContactClick: 2, HumanContactClick: 2, MeasuredOpens: n - 1, MeasuredClicks: n - 1}},
		BounceReasons: []api.BatchBounceReason{{Reason: "unknown_address", RefusedCount: 1, BounceCount: 1}}}
	if diff := cmp.Diff(wantOwn, own); diff != "" {
		t.Errorf("the report differs from what happened (-want +got):\n%s", diff)
	}
	l.compareRows(batch)
}

// sendBatch sends a Batch to n Contacts and waits until it is completed.
func (l *linked) sendBatch(n int) (batch int64) {
	l.Helper()
	must(l.client.EditList(l.ctx, api.Details{"id": 1, "track_opens": true, "track_clicks": true}))(l.T)
	rows := make([]api.Details, n)
	for i := range rows {
		rows[i] = api.Details{"Email": fmt.Sprintf("r%d@example.com", i)}
	}
	must(l.client.AddContacts(l.ctx, 1, rows, api.AddOptions{}))(l.T)
	message := must(l.client.AddMessage(l.ctx, api.Details{"name": "May", "subject": "Hello",
		"html_content": `<p><a href="https://shop.example/">Our shop</a> and <a href="https://news.example/">news</a></p>`}))(l.T)
	batch = must(l.client.AddBatch(l.ctx, message, []api.Population{{ListID: 1}}, 0, false, api.BatchOptions{}))(l.T)
	for must(l.client.GetBatchStatus(l.ctx, batch))(l.T).SendStatus != "completed" {
		time.Sleep(20 * time.Millisecond)
	}
	return batch
}

// get requests a link as a mail program with a User-Agent does.
func (l *linked) get(url, agent string) {
	l.Helper()
	req := must(http.NewRequestWithContext(l.ctx, "GET", url, nil))(l.T)
	req.Header.Set("User-Agent", agent)
	req.Close = true
	resp := must(http.DefaultTransport.RoundTrip(req))(l.T)
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// compareRows compares the rows of each kind.
func (l *linked) compareRows(batch int64) {
	l.Helper()
	c := l.client
	for _, kind := range []struct {
		name, want string
		call       func(context.Context, int64, api.Query) (map[int64][]api.Recipient, error)
	}{
		{"opened", "r0 r1 r2 r3 r4 r5 r6", c.GetBatchOpened}, {"bounced", "r7", c.GetBatchBounced},
		{"unsubscribed", "r8", c.GetBatchUnsubscribed}, {"clicked", "r0 r6", c.GetBatchClicked}, {"opens", "r0 r1 r2 r3 r4 r5 r6", c.GetBatchOpens},
		{"complained", "", c.GetBatchComplained}, {"updated", "", c.GetBatchUpdated}, {"deactivated", "", c.GetBatchAutoDeactivated},
	} {
		rows := must(kind.call(l.ctx, batch, api.Query{}))(l.T)[1]
		var names []string
		for _, row := range rows {
			names = append(names, strings.TrimSuffix(row.ContactEmail, "@example.com"))
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != kind.want {
			l.Errorf("%s: got %s, want %s", kind.name, got, kind.want)
		}
		if kind.name == "bounced" && rows[0].Code != "5.1.1" {
			l.Errorf("the bounce is %+v, want the code 5.1.1", rows[0])
		}
		if kind.name == "clicked" {
			links := must(l.client.GetBatchContactLinks(l.ctx, batch, rows[0].SendID, api.Query{}))(l.T)[1]
			if len(links) != 1 || links[0].LinksClicked != 1 {
				l.Errorf("the links of the recipient are %+v", links)
			}
		}
	}
	links := must(l.client.GetBatchLinkStatistics(l.ctx, batch))(l.T)
	clicks := int64(0)
	for _, link := range links {
		clicks += link.ClickCount
		rows := must(l.client.GetBatchLinkContacts(l.ctx, batch, link.LinkURL, api.Query{}))(l.T)[1]
		if int64(len(rows)) != link.ContactCount {
			l.Errorf("the link %s has %d recipients, want %d", link.LinkURL, len(rows), link.ContactCount)
		}
	}
	if len(links) != 2 || clicks != 2 {
		l.Errorf("the links are %+v, want 2 links with 2 clicks", links)
	}
}
