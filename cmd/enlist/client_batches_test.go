package main

import (
	"fmt"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/config"
)

// These tests use the Go client's calls for options, variants and editions of Batches, and for autoresponders.

// The test sends the options of a Batch, which leave out one of two Contacts, and waits for the end.
func TestClientAddsABatchWithOptions(t *testing.T) {
	addr, key := startServerWith(t, config.Serve{})
	client, ctx := api.NewClient("http://"+addr, key), t.Context()
	defer client.Close()
	message := must(client.AddMessage(ctx, api.Details{"name": "May", "subject": "Hello", "text_content": "Dear reader"}))(t)
	for _, address := range []string{"ann@example.com", "bob@example.com"} {
		must(client.SubscribeContact(ctx, 1, api.Details{"Email": address}, api.Consent{}))(t)
	}
	options := api.BatchOptions{Name: "Spring", Doubt: "skip",
		Exclude: &api.BatchExclusion{Criteria: api.Criteria{api.Test{"Email", "exactly", "bob@example.com"}}}}
	check := must(client.CheckBatch(ctx, message, []api.Population{{ListID: 1}}, options))(t)
	if check.SendContactCount != 1 || check.CheckedCount != 2 || !check.IsComplete || check.LeftOut["excluded"] != 1 || len(check.Findings) != 2 ||
		check.Findings[1].Level != "note" || check.Findings[1].Code != "no_unsubscribe_link" {
		t.Errorf("the check returns %+v, want one recipient, one excluded Contact and two findings", *check)
	}
	id := must(client.AddBatch(ctx, message, []api.Population{{ListID: 1}}, 0, false, options))(t)
	b := waitForBatch(t, client, id, func(b *api.Batch) bool { return b.SendStatus == "completed" })
	if r := must(client.GetBatchReport(ctx, id))(t); r.Name != "Spring" || b.SendContactCount != 1 {
		t.Errorf("the Batch is %+v, want the name Spring and one recipient", b)
	}
}

// waitForBatch returns a Batch when it is as wanted.
func waitForBatch(t *testing.T, client *api.Client, id int64, is func(*api.Batch) bool) *api.Batch {
	t.Helper()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		b := must(client.GetBatchByID(t.Context(), id))(t)
		if is(b) {
			return b
		}
		<-look.C
	}
}

// The test sends two variants, edits the Message, and sends to the others, which get the winner.
func TestClientReadsVariantsAndEditionsOfABatch(t *testing.T) {
	addr, key := startServerWith(t, config.Serve{})
	client, ctx := api.NewClient("http://"+addr, key), t.Context()
	defer client.Close()
	const n = 40
	message := must(client.AddMessage(ctx, api.Details{"name": "May", "subject": "Hello", "text_content": "Dear reader"}))(t)
	contacts := make([]api.Details, n)
	for i := range contacts {
		contacts[i] = api.Details{"Email": fmt.Sprintf("r%d@example.com", i)}
	}
	must(client.AddContacts(ctx, 1, contacts, api.AddOptions{}))(t)
	options := api.BatchOptions{Variants: []api.BatchVariant{{}, {Subject: "Good morning"}}, TestShare: 50, Winner: "hand"}
	id := must(client.AddBatch(ctx, message, []api.Population{{ListID: 1}}, 0, false, options))(t)
	sent := func() (sum int64) {
		for _, v := range must(client.GetBatchReport(ctx, id))(t).Variants {
			sum += v.SentCount
		}
		return sum
	}
	waitForBatch(t, client, id, func(*api.Batch) bool { return sent() > 0 })
	must(0, client.EditBatch(ctx, id, api.PauseBatch, 0))(t)
	must(client.EditMessage(ctx, api.Details{"id": message, "text_content": "Dear reader of May"}))(t)
	must(0, client.ChooseBatchWinner(ctx, id, 2))(t)
	must(0, client.EditBatch(ctx, id, api.UnpauseBatch, 0))(t)
	waitForBatch(t, client, id, func(b *api.Batch) bool { return b.SendStatus == "completed" })
	stats := must(client.GetBatchReport(ctx, id))(t)
	if len(stats.Variants) != 2 || stats.Variants[0].IsWinner || !stats.Variants[1].IsWinner || stats.Variants[1].Subject != "Good morning" ||
		stats.Variants[0].MessageID != message || sent() != n {
		t.Errorf("the variants are %+v, want two of Message %d with %d mails, and the second as the winner", stats.Variants, message, n)
	}
	sum := int64(0)
	for _, e := range stats.Editions {
		sum += e.SentCount
		if subject := []string{"", "Hello", "Good morning"}[e.Variant]; e.Subject != subject || e.MessageID != message || e.MessageTime == 0 || e.FirstSentTime == 0 {
			t.Errorf("an edition is %+v, want the subject %q and its times", e, subject)
		}
	}
	if sum != n || stats.WinnerReason == "" {
		t.Errorf("the editions %+v have %d mails, and the winner the reason %q; want %d mails and a reason", stats.Editions, sum, stats.WinnerReason, n)
	}
}

// The reports of an autoresponder are read by the ID of its Batch.
func TestClientReadsTheFiguresOfAnAutoresponder(t *testing.T) {
	addr, key := startServerWith(t, config.Serve{})
	client, ctx := api.NewClient("http://"+addr, key), t.Context()
	defer client.Close()
	message := must(client.AddMessage(ctx, api.Details{"name": "Welcome", "subject": "Hello", "text_content": "Dear reader"}))(t)
	autoresponder := must(client.AddAutoresponder(ctx, api.Details{"list_id": 1, "message_id": message, "event_type": "subscribe"}))(t)
	id := must(client.GetAutoresponderBatchID(ctx, autoresponder))(t)
	if b := must(client.GetBatchByID(ctx, id))(t); b.Type != "autoresponder" || b.MessageID != message || b.SendContactCount != 0 {
		t.Errorf("the Batch of the autoresponder is %+v", *b)
	}
	contact := must(client.SubscribeContact(ctx, 1, api.Details{"Email": "ann@example.com"}, api.Consent{}))(t)
	waitForBatch(t, client, id, func(b *api.Batch) bool { return b.SendCurrentCount == 1 })
	if s := must(client.GetBatchStatistics(ctx, id))(t); s.EmailCount != 1 || s.SendStatus != "sending" {
		t.Errorf("the numbers are %+v, want one mail and the status sending", *s)
	}
	rows := must(client.GetBatchNotOpened(ctx, id, api.Query{}))(t)[1]
	if len(rows) != 1 || rows[0].ContactID != contact {
		t.Errorf("getBatchNotOpened returns %+v, want the Contact %d", rows, contact)
	}
	if _, err := client.GetAutoresponderBatchID(ctx, 99); !isCode(err, api.CodeNoCampaign) {
		t.Errorf("an unknown autoresponder: %v, want the code %d", err, api.CodeNoCampaign)
	}
}
