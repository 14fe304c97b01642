package batches_test

import (
	"fmt"
	"slices"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/pace"

	"github.com/google/go-cmp/cmp"
)

// This file tests the check of a Batch. Batches.AddChecked compares its numbers with those of each Batch.

func checkFindsMistakes(f *apptest.Batches) {
	shop := f.AddList("name", "Shop", "from_address", "shop@example.com")
	for _, list := range []enlist.ListID{f.News, shop} {
		f.AddField(list, "name", "City", "type", "text")
	}
	f.AddField(shop, "name", "Points", "type", "decimal")
	ann := f.Subscribe(f.News, "Email", "ann@example.com", "City", "Ulm")
	f.Subscribe(f.News, "Email", "bob@example.com")
	f.Subscribe(shop, "Email", "bob@example.com") // a duplicate, whose value does not count
	f.Subscribe(shop, "Email", "eve@example.com", "Points", "3")
	id, err := f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details("name", "May", "subject", "{{City}} {{Points|0}}",
		"html_content", "{{City}} {{Nick &amp; Co}} {{list_name}} {{unsubscribe_url}}"))
	f.Must(err)
	other, err := f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details("name", "June", "subject", "{{City|?}}", "text_content", "{{Points}}",
		"from_address", "news@example.com"))
	f.Must(err)
	f.Composer.Found = []messages.Finding{{Level: messages.FindingError, Code: messages.FindingNoContent, Text: "empty"}}
	check := func(message enlist.MessageID, o batches.BatchOptions, populations ...batches.PopulationRequest) (found []string) {
		f.Helper()
		k, err := f.App.Batches.CheckBatch(f.Context(), f.Caller, batches.BatchRequest{Message: message, Options: o, Populations: populations})
		f.Must(err)
		for _, finding := range k.Findings {
			found = append(found, fmt.Sprintf("%s %d: %s", finding.Code, finding.Contacts, finding.Text))
		}
		return found
	}
	want := func(what string, got []string, want ...string) {
		f.Helper()
		if diff := cmp.Diff(append([]string{"no_content 0: empty"}, want...), got); diff != "" {
			f.Errorf("the findings about %s (-want +got):\n%s", what, diff)
		}
	}
	const inNews = `default_sender 0: the Message and the List "News" have no from_address: its mails come from the sender of the server`
	want("two Lists", check(id, batches.BatchOptions{}, apptest.Whole(f.News), apptest.Whole(shop)),
		`unknown_field 0: the List "News" has no Field "Nick & Co"`, `unknown_field 0: the List "News" has no Field "Points"`,
		`unknown_field 0: the List "Shop" has no Field "Nick & Co"`,
		`missing_value 2: the merge field "City" has no fallback, and is empty for 2 of 3 recipients`, inNews)
	if sample := f.Composer.Checked[0]; len(f.Composer.Checked) != 1 || sample.Contact.ID != ann || sample.Message.ID != id {
		f.Errorf("the composer checked %+v, want one mail to the first recipient", f.Composer.Checked)
	}
	variants := batches.BatchOptions{VariantOptions: batches.VariantOptions{Variants: []batches.Variant{{Subject: "Hello"}, {Message: other}}}}
	want("variants", check(other, variants, apptest.Whole(shop)),
		`missing_value 1: the merge field "Points" has no fallback, and is empty for 1 of 2 recipients`)
	where := batches.PopulationRequest{List: f.News, Criteria: apptest.Criterion("Email", "exactly", "none@example.com")}
	want("a search that finds no Contact", check(other, batches.BatchOptions{}, where), `unknown_field 0: the List "News" has no Field "Points"`,
		"no_recipients 0: no Contact would get the mail now")
	f.App.SetSending(pace.Settings{From: "server@example.com"})
	if got := check(id, batches.BatchOptions{}, apptest.Whole(f.News)); !slices.Contains(got, inNews+", server@example.com") {
		f.Errorf("the findings are %q, want one with the sender of the server", got)
	}
	if all, err := f.App.Batches.SearchBatches(f.Context(), f.Caller, enlist.Query{}); err != nil || len(all) != 0 {
		f.Errorf("the checks added the Batches %+v, %v", all, err)
	}
}

func checkIsLimited(f *apptest.Batches) {
	ids := make([]enlist.ContactID, 100_001)
	for i := range ids {
		ids[i] = enlist.ContactID(i + 1_000_000)
	}
	k, err := f.App.Batches.CheckBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message,
		Populations: []batches.PopulationRequest{{List: f.News, Type: "contacts", Contacts: ids}}})
	f.Must(err)
	if k.Complete || k.Checked != 100_000 || k.LeftGone != 100_000 {
		f.Errorf("the check read %d Contacts, of which %d are gone, complete %t; want the first 100,000", k.Checked, k.LeftGone, k.Complete)
	}
}
