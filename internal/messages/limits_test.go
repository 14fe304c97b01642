package messages_test

import (
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
)

// This file tests the limits on the size of Messages and on the number of autoresponders.

// covers: spec addMessage.contents, limit.events
func TestLimitsOfMessages(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "Messages and autoresponders have limits", Test: messageLimits},
	})
}

// messageLimits tests how large the texts of a Message may be, and how many autoresponders
// a List may have.
func messageLimits(o *apptest.Account) {
	add := func(pairs ...any) (enlist.MessageID, error) {
		pairs = append([]any{"name", "Welcome", "subject", "Hello"}, pairs...)
		return o.App.Messages.AddMessage(o.Context(), o.Caller, apptest.Details(pairs...))
	}
	const most = 2 << 20
	for _, key := range []string{"html_content", "text_content", "sms_content"} {
		_, err := add(key, strings.Repeat("x", most))
		o.Must(err)
		_, err = add(key, strings.Repeat("x", most+1))
		o.Refused(err, enlist.InvalidParameters, key)
	}
	_, err := add("subject", strings.Repeat("x", 998))
	o.Must(err)
	_, err = add("subject", strings.Repeat("ä", 500))
	o.Refused(err, enlist.InvalidParameters, "subject")

	message, err := add("text_content", "Hello")
	o.Must(err)
	list, other := o.AddList(), o.AddList()
	respond := func(list enlist.ListID) (enlist.AutoresponderID, error) {
		return o.App.Batches.AddAutoresponder(o.Context(), o.Caller,
			apptest.Details("list_id", int(list), "message_id", int(message), "event_type", "subscribe"))
	}
	for range 100 {
		_, err := respond(list)
		o.Must(err)
	}
	_, err = respond(list)
	o.Refused(err, enlist.InvalidParameters, "list_id")
	ofOther, err := respond(other)
	o.Must(err)
	_, err = o.App.Batches.EditAutoresponder(o.Context(), o.Caller, ofOther, apptest.Details("list_id", int(list)))
	o.Refused(err, enlist.InvalidParameters, "list_id")
	all, err := o.App.Batches.SearchAutoresponders(o.Context(), o.Restricted(list), enlist.Query{})
	o.Must(err)
	if len(all) != 100 {
		o.Errorf("the List has %d autoresponders, want 100", len(all))
	}
	_, err = o.App.Batches.EditAutoresponder(o.Context(), o.Caller, all[0].ID, apptest.Details("is_active", false))
	o.Must(err) // a List that has the maximum number of autoresponders can still be edited
	if n := o.Subscribe(list, "Email", "a@x.io"); n == 0 {
		o.Error("the subscription returned no ID")
	}
}
