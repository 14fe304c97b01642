package main

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// This file checks the model with histories that are made up: those with one fault must be refused.

// made is a history that is made up. Each part is a call, or the reply to the call before it.
type made struct {
	rule   string
	ok     bool // the model explains it
	limit  int
	ledger map[int64][]string // of Contacts
	parts  []any
}

func TestModelFindsFaultsInHistories(t *testing.T) {
	ann := func(number, key int) historyCall {
		return historyCall{number: number, key: key, method: "subscribeContact", address: "ann@example.com"}
	}
	bea := historyCall{number: 2, method: "subscribeContact", address: "bea@example.com"}
	find := historyCall{number: 8, method: "searchContacts", address: "ann@example.com"}
	remove := historyCall{number: 3, method: "deleteContacts", contact: 1}
	end := historyCall{number: 9, method: methodReadAll}
	contact := func(id int64) historyReply { return historyReply{replyContact(id), id} }
	reply := func(text string) historyReply { return historyReply{text: text} }
	stored := reply("Contacts [{1 ann@example.com call 1 false}], rows of the ledger map[1:1], Unsubscriber List [], notifications map[1:1]")
	row, one := ann(1, 0).row(), map[int64][]string{1: {ann(1, 0).row()}}
	for _, m := range []made{
		{"a subscription is stored", true, 0, one, []any{ann(1, 0), contact(1), end, stored}},
		{"a call without an answer has taken place", true, 0, one, []any{ann(1, 0), end, stored}},
		{"a call without an answer has not taken place", true, 0, one, []any{ann(1, 0), contact(1), remove, end, stored}},
		{"the same call is sent twice at once", true, 0, one, []any{ann(1, 1), ann(1, 1), contact(1), end, stored}},
		{"a call is refused at the limit", true, 1, one, []any{ann(1, 0), contact(1), bea, reply("error 330"), end, stored}},
		{"a subscription is lost", false, 0, one, []any{ann(1, 0), contact(1), find, reply("[]"), end, stored}},
		{"a subscription is lost at the end", false, 0, nil, []any{ann(1, 0), contact(1), end,
			reply("Contacts [], rows of the ledger map[], Unsubscriber List [], notifications map[]")}},
		{"a ledger row is lost", false, 0, nil, []any{ann(1, 0), contact(1), end,
			reply("Contacts [{1 ann@example.com call 1 false}], rows of the ledger map[], Unsubscriber List [], notifications map[1:1]")}},
		{"a subscription notifies twice", false, 0, one, []any{ann(1, 0), contact(1), end,
			reply("Contacts [{1 ann@example.com call 1 false}], rows of the ledger map[1:1], Unsubscriber List [], notifications map[1:2]")}},
		{"a subscription is stored twice", false, 0, map[int64][]string{1: {row, row}}, []any{ann(1, 1), ann(1, 1), contact(1), end,
			reply("Contacts [{1 ann@example.com call 1 false}], rows of the ledger map[1:2], Unsubscriber List [], notifications map[1:1]")}},
		{"the replies to a repeated call differ", false, 0, map[int64][]string{1: {row}, 2: {row}}, []any{ann(1, 1), contact(1), ann(1, 1),
			contact(2), end, stored}},
		{"the key of another call is accepted", false, 0, map[int64][]string{1: {row, ann(4, 0).row()}}, []any{ann(1, 1), contact(1), ann(4, 1),
			contact(1)}},
		{"the limit is exceeded by one", false, 1, map[int64][]string{1: {row}, 2: {bea.row()}}, []any{ann(1, 0), contact(1), bea, contact(2), end,
			reply("Contacts [{1 ann@example.com call 1 false} {2 bea@example.com call 2 false}], rows of the ledger map[1:1 2:1], Unsubscriber List [], notifications map[1:1 2:1]")}},
		{"a call at the limit is refused although a Contact was deleted", false, 1, one, []any{ann(1, 0), contact(1), remove, reply(replyDone),
			bea, reply("error 330")}},
		{"a deleted Contact is read", false, 0, one, []any{ann(1, 0), contact(1), remove, reply(replyDone), find,
			reply("[{1 ann@example.com call 1 false}]")}},
		{"a deletion without an answer is undone", false, 0, one, []any{ann(1, 0), contact(1), remove, find, reply("[]"), end, stored}},
	} {
		t.Run(m.rule, func(t *testing.T) {
			r := recorder{modelRules: modelRules{limit: m.limit, notifies: true, ledger: m.ledger}}
			id := 0
			for _, part := range m.parts {
				switch v := part.(type) {
				case historyCall:
					id = r.begin(v)
				case historyReply:
					r.end(id, v)
				}
			}
			r.close()
			if got := porcupine.CheckEvents(r.model(), r.events); got != m.ok {
				t.Errorf("the model explains it: %v, want %v\n%s", got, m.ok, &r)
			}
		})
	}
}
