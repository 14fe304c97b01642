package main

import (
	"testing"

	"enlist/api"
	"enlist/internal/db/dbtest"

	"github.com/google/go-cmp/cmp"
)

// This test calls the methods that change many Contacts with the Go client.

func TestClientChangesManyContactsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, clientChangesManyContactsAtOnce)
}

func clientChangesManyContactsAtOnce(t *testing.T, e dbtest.Engine) {
	client, ctx := startClient(t, e), t.Context()
	const list = 1
	people := []api.Details{{"Email": "ada@example.com"}, {"Email": "nobody"}, {"Email": "bob@example.com"}, {"Email": "cid@example.com"}}
	added := must(client.Idempotent("once").AddContacts(ctx, list, people, api.AddOptions{}))(t)
	ada, bob, cid := added[0], added[2], added[3]
	if len(added) != 3 || ada == 0 || bob == 0 || cid == 0 {
		t.Fatalf("addContacts: %v", added)
	}
	if again := must(client.Idempotent("once").AddContacts(ctx, list, people, api.AddOptions{}))(t); !cmp.Equal(again, added) {
		t.Errorf("the same addContacts again: %v", again)
	}
	must(client.UnsubscribeContactByID(ctx, list, bob, ""))(t)
	people[0]["Mobile Phone"] = "0412345678"
	over := must(client.AddContacts(ctx, list, people, api.AddOptions{Overwrite: true, RemoveUnsubscribers: 1}))(t)
	if !cmp.Equal(over, map[int]int64{0: ada, 3: cid}) {
		t.Errorf("addContacts that overwrites: %v", over)
	}
	edited := must(client.EditContacts(ctx, list, []api.Details{{"id": ada, "Email": "ada@example.org"}, {"id": bob, "Email": ""}}, true))(t)
	if !cmp.Equal(edited, map[int64]bool{ada: true, bob: false}) {
		t.Errorf("editContacts: %v", edited)
	}
	if c := must(client.GetContactByID(ctx, list, ada))(t); c.Values["Email"] != "ada@example.org" || c.Values["Mobile Phone"] != "0412345678" || c.SubscribedVia != "bulk_upload" {
		t.Errorf("after editContacts: %+v", c)
	}
	offers := must(client.AddList(ctx, api.Details{"name": "Offers"}))(t)
	for i, start := range []func() (int64, error){
		func() (int64, error) { return client.CopyContacts(ctx, list, offers, []int64{ada, bob}, nil) },
		func() (int64, error) {
			return client.MoveContacts(ctx, offers, list, nil, api.Criteria{api.Test{"Email", "contains", "ada"}})
		},
	} {
		var c *api.ContactChange
		change := must(start())(t)
		awaitTrue(t, func() bool {
			c = must(client.GetContactChangeByID(ctx, change))(t)
			return c.State != "running"
		})
		must(0, client.CancelContactChange(ctx, change))(t)
		if c.State != "done" || c.Reason != "" || c.Changed != 1 || c.Refused != int64(1-i) || c.Existed != int64(i) || c.Done != c.Total {
			t.Errorf("the change is %+v", c)
		}
	}
	if got := must(client.DeleteContacts(ctx, list, nil, api.Query{}))(t); len(got) != 0 {
		t.Errorf("deleteContacts without IDs and criteria: %v", got)
	}
	if got := must(client.DeleteContacts(ctx, list, []int64{ada, 99}, api.Query{}))(t); !cmp.Equal(got, map[int64]bool{ada: true, 99: false}) {
		t.Errorf("deleteContacts: %v", got)
	}
	unsubscribed := api.Query{Criteria: api.Criteria{api.Test{"is_unsubscribed", "exactly", 1}}}
	if got := must(client.DeleteContacts(ctx, list, nil, unsubscribed))(t); !cmp.Equal(got, map[int64]bool{bob: true}) {
		t.Errorf("deleteContacts with criteria: %v", got)
	}
	if n := must(client.CountContacts(ctx, list, nil))(t); n != 1 {
		t.Errorf("after deleteContacts the List has %d Contacts", n)
	}
}
