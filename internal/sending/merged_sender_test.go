package sending_test

import (
	"slices"
	"strings"
	"testing"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file tests Batches whose sender depends on the Contact.

// covers: decision 128, spec merge.address
func TestMergedSenderIsThatOfTheContact(t *testing.T) {
	dbtest.EachParallel(t, mergedSenderIsThatOfTheContact)
}

func mergedSenderIsThatOfTheContact(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	p.startSender()
	_, err := p.service.Lists.AddField(p.Context(), p.caller, p.list, []enlist.Detail{detail("name", "Owner"), detail("type", "text")})
	p.must(err)
	p.must(p.service.Accounts.SetSendingDomains(p.Context(), p.caller.Account.ID, []string{"ours.example", "more.example"}))
	owners := []struct{ owner, from, why string }{
		{"ann@ours.example", `"Example" <ann@ours.example>`, ""},
		{"bob@more.example", `"Example" <bob@more.example>`, ""},
		{"boss@bank.example", "", "the sender @bank.example has none of the domains that the Account may use: more.example ours.example"},
		{"ann@ours.example, boss@bank.example", "", "the merge fields of from_address make no email address for this Contact"},
		{"", "", "the merge fields of from_address make no email address for this Contact"},
	}
	var ids []enlist.ContactID
	for i, o := range owners {
		id, err := p.service.Contacts.Subscribe(p.Context(), p.caller, contacts.SubscribeRequest{List: p.list,
			Details: []enlist.Detail{detail("Email", string(rune('a'+i))+"@example.com"), detail("Owner", o.owner)}})
		p.must(err)
		ids = append(ids, id)
	}
	message, err := p.service.Messages.AddMessage(p.Context(), p.caller, []enlist.Detail{detail("name", "May"), detail("subject", "May"),
		detail("text_content", "May"), detail("from_name", "Example"), detail("from_address", "{{Owner}}"),
		detail("reply_to", "{{Owner|news@ours.example}}")})
	p.must(err)
	id, err := p.service.Batches.AddBatch(p.Context(), p.caller, batches.BatchRequest{Message: message,
		Populations: []batches.PopulationRequest{{List: p.list}}})
	p.must(err)
	p.prepare(id)
	p.untilStatus(id, batches.BatchCompleted)
	var froms []string
	for _, m := range p.server.Messages() {
		froms = append(froms, header(t, m, "From"))
		if reply := header(t, m, "Reply-To"); !strings.HasSuffix(froms[len(froms)-1], reply) {
			t.Errorf("the mail from %s has the address for replies %s", froms[len(froms)-1], reply)
		}
	}
	p.must(p.store.View(p.Context(), func(tx *db.Tx) error {
		found, err := recipients.ByID(tx, p.list, id, ids)
		for i, o := range owners {
			switch r := found[ids[i]]; {
			case o.why == "" && !slices.Contains(froms, o.from):
				t.Errorf("the mails are from %q, want one from %s", froms, o.from)
			case o.why != "" && (r.Status != "failed" || !strings.Contains(r.Detail, o.why)):
				t.Errorf("the mail of %q is %s: %q, want failed: %q", o.owner, r.Status, r.Detail, o.why)
			}
		}
		return err
	}))
	if len(froms) != 2 {
		t.Errorf("the mails are from %q, want two mails", froms)
	}
}
