package storetest

import (
	"strings"

	"enlist/internal/enlist"
)

// This file tests the limits on the size of Messages and on the number of autoresponders.

// messageLimits tests how large the texts of a Message may be, and how many autoresponders
// a List may have. decisions.md: 54
func messageLimits(o *accountFixture) {
	add := func(pairs ...any) (enlist.MessageID, error) {
		pairs = append([]any{"name", "Welcome", "subject", "Hello"}, pairs...)
		return o.service.Messages.AddMessage(o.Context(), o.caller, details(pairs...))
	}
	const most = 2 << 20
	for _, key := range []string{"html_content", "text_content", "sms_content"} {
		_, err := add(key, strings.Repeat("x", most))
		o.must(err)
		_, err = add(key, strings.Repeat("x", most+1))
		o.refused(err, enlist.InvalidParameters, key)
	}
	_, err := add("subject", strings.Repeat("x", 998))
	o.must(err)
	_, err = add("subject", strings.Repeat("ä", 500))
	o.refused(err, enlist.InvalidParameters, "subject")

	message, err := add()
	o.must(err)
	list, other := o.addList(), o.addList()
	respond := func(list enlist.ListID) (enlist.AutoresponderID, error) {
		return o.service.Batches.AddAutoresponder(o.Context(), o.caller,
			details("list_id", int(list), "message_id", int(message), "event_type", "subscribe"))
	}
	for range 100 {
		_, err := respond(list)
		o.must(err)
	}
	_, err = respond(list)
	o.refused(err, enlist.InvalidParameters, "list_id")
	ofOther, err := respond(other)
	o.must(err)
	_, err = o.service.Batches.EditAutoresponder(o.Context(), o.caller, ofOther, details("list_id", int(list)))
	o.refused(err, enlist.InvalidParameters, "list_id")
	all, err := o.service.Batches.SearchAutoresponders(o.Context(), o.restricted(list), enlist.Query{})
	o.must(err)
	if len(all) != 100 {
		o.Errorf("the List has %d autoresponders, want 100", len(all))
	}
	_, err = o.service.Batches.EditAutoresponder(o.Context(), o.caller, all[0].ID, details("is_active", false))
	o.must(err) // a List that has the maximum number of autoresponders can still be edited
	if n := o.subscribe(list, "Email", "a@x.io"); n == 0 {
		o.Error("the subscription returned no ID")
	}
}
