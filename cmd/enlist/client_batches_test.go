package main

// This test uses the Go client's options of Batches.

import (
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/config"
)

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
		check.Findings[1].Level != "warning" || check.Findings[1].Code != "no_unsubscribe_link" {
		t.Errorf("the check returns %+v, want one recipient, one excluded Contact and two findings", *check)
	}
	id := must(client.AddBatchWithOptions(ctx, message, []api.Population{{ListID: 1}}, 0, false, options))(t)
	b := must(client.GetBatchByID(ctx, id))(t)
	for look := time.NewTicker(50 * time.Millisecond); b.SendStatus != "completed"; <-look.C {
		b = must(client.GetBatchByID(ctx, id))(t)
	}
	if b.Name != "Spring" || b.SendContactCount != 1 {
		t.Errorf("the Batch is %+v, want the name Spring and one recipient", b)
	}
}
