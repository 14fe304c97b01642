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
	const inNews = `default_sender 0: the Message and the List "News" have no from_address: its emails come from the sender of the server`
	want("two Lists", check(id, batches.BatchOptions{}, apptest.Whole(f.News), apptest.Whole(shop)),
		`unknown_field 0: the List "News" has no Field "Nick & Co"`, `unknown_field 0: the List "News" has no Field "Points"`,
		`unknown_field 0: the List "Shop" has no Field "Nick & Co"`,
		`missing_value 2: the merge field "City" has no fallback, and is empty for 2 of 3 recipients`, inNews)
	if sample := f.Composer.Checked[0]; len(f.Composer.Checked) != 1 || sample.Contact.ID != ann || sample.Message.ID != id {
		f.Errorf("the composer checked %+v, want one mail to the first recipient", f.Composer.Checked)
	}
	variants := batches.BatchOptions{VariantOptions: batches.VariantOptions{Variants: []batches.Variant{{Subject: "Hello"}, {Message: other}}}}
	want("variants", check(other, variants, apptest.Whole(shop)),
		`missing_value 1: the merge field "Points" has no fallback, and is empty for 1 of 2 recipients`,
		"few_measured 0: clicks of only 0 of 2 recipients can be measured, which is about 0 for each variant: with fewer than 50, the first variant wins")
	where := batches.PopulationRequest{List: f.News, Criteria: apptest.Criterion("Email", "exactly", "none@example.com")}
	want("a search that finds no Contact", check(other, batches.BatchOptions{}, where), `unknown_field 0: the List "News" has no Field "Points"`,
		"no_recipients 0: no Contact would get the email now")
	f.App.SetSending(pace.Settings{From: "server@example.com"})
	if got := check(id, batches.BatchOptions{}, apptest.Whole(f.News)); !slices.Contains(got, inNews+", server@example.com") {
		f.Errorf("the findings are %q, want one with the sender of the server", got)
	}
	if all, err := f.App.Batches.SearchBatches(f.Context(), f.Caller, enlist.Query{}); err != nil || len(all) != 0 {
		f.Errorf("the checks added the Batches %+v, %v", all, err)
	}
}

// checkReadsAll has more Contacts than one step reads, in populations that overlap.
func checkReadsAll(f *apptest.Batches) {
	f.AddMany(f.News, 6000)
	var seen []int64
	r := batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{apptest.Whole(f.News), apptest.Whole(f.News)}}
	k, err := f.App.Batches.CheckBatchWithin(f.Context(), f.Caller, r,
		batches.CheckLimits{Progress: func(k *batches.BatchCheck) { seen = append(seen, k.Checked) }})
	f.Must(err)
	if !k.Complete || k.Checked != 12_000 || k.Total != 12_000 || k.Recipients != 6000 || k.LeftDuplicate != 6000 {
		f.Errorf("the check is %+v, want 12,000 Contacts, of which half are duplicates", *k)
	}
	if want := []batches.PopulationCheck{{List: f.News, Contacts: 6000, Recipients: 6000}, {List: f.News, Contacts: 6000}}; !slices.Equal(k.Populations, want) {
		f.Errorf("the populations have %+v, want %+v", k.Populations, want)
	}
	some := batches.PopulationRequest{List: f.News, Criteria: apptest.Criterion("Email", "contains", "a11@")}
	k, err = f.App.Batches.CheckBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{some}})
	f.Must(err)
	if want := []batches.PopulationCheck{{List: f.News, Contacts: 1, Recipients: 1}}; !slices.Equal(k.Populations, want) {
		f.Errorf("the population of a search has %+v, want %+v", k.Populations, want)
	}
	if want := []int64{5000, 6000, 11_000, 12_000}; !slices.Equal(seen, want) {
		f.Errorf("the progress is %v, want %v", seen, want)
	}
}

func checkIsLimited(f *apptest.Batches) {
	ids := make([]enlist.ContactID, 100_001)
	for i := range ids {
		ids[i] = enlist.ContactID(i + 1_000_000)
	}
	r := batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{{List: f.News, Type: "contacts", Contacts: ids}}}
	k, err := f.App.Batches.CheckBatch(f.Context(), f.Caller, r)
	f.Must(err)
	if !k.Complete || k.Checked != 100_001 || k.LeftGone != 100_001 {
		f.Errorf("the check read %d Contacts, of which %d are gone, complete %t; want 100,001", k.Checked, k.LeftGone, k.Complete)
	}
	k, err = f.App.Batches.CheckBatchWithin(f.Context(), f.Caller, r, batches.CheckLimits{Time: 1})
	f.Must(err)
	if k.Complete || k.Checked != 5000 || k.Total != 100_001 {
		f.Errorf("after its time the check has read %d of %d Contacts, complete %t; want one step", k.Checked, k.Total, k.Complete)
	}
	f.AddMany(f.News, 6000)
	two := batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{apptest.Whole(f.News), apptest.Whole(f.News)}}
	k, err = f.App.Batches.CheckBatchWithin(f.Context(), f.Caller, two, batches.CheckLimits{Addresses: 5000})
	f.Must(err)
	if k.Complete || k.Checked != 5000 || k.Total != 12_000 {
		f.Errorf("with 5,000 addresses the check has read %d of %d Contacts, complete %t; want one step", k.Checked, k.Total, k.Complete)
	}
}

func checkCountsBlocks(f *apptest.Batches) {
	shop := f.AddList("name", "Shop", "from_address", "shop@example.com")
	f.AddField(f.News, "name", "City", "type", "text")
	f.Subscribe(f.News, "Email", "ann@example.com", "City", "Ulm")
	f.Subscribe(f.News, "Email", "bob@example.com", "City", "Rome")
	f.Subscribe(f.News, "Email", "eve@example.com")
	f.Subscribe(shop, "Email", "ulf@example.com")
	id, err := f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details("name", "May", "subject", "May", "email_type", "blocks",
		"blocks", `[{"type":"line"},{"type":"text","text":"**Dear**  Ulm","show_if":["City","exactly","ulm"]},{"type":"columns","left":[{"type":"text","text":"a",`+
			`"show_if":["City","exactly","Rome"]}],"left_if":["Email","contains","bob"]}]`))
	f.Must(err)
	f.Composer.Found = nil
	findings := func(c *enlist.Caller) (found []string) {
		k, err := f.App.Batches.CheckBatch(f.Context(), c, batches.BatchRequest{Message: id,
			Populations: []batches.PopulationRequest{apptest.Whole(f.News), apptest.Whole(shop)}})
		f.Must(err)
		for _, finding := range k.Findings {
			if finding.Code != messages.FindingDefaultSender {
				found = append(found, fmt.Sprintf("%s %s %d: %s", finding.Level, finding.Code, finding.Contacts, finding.Text))
			}
		}
		return found
	}
	const noCity = `no key "City" that can be searched`
	want := []string{`warning bad_condition 0: no Contact of the List "Shop" sees block 2 "Dear Ulm": ` + noCity,
		`warning bad_condition 0: no Contact of the List "Shop" sees block 3, left column, block 1 "a": ` + noCity,
		`warning empty_mail 2: the email is empty for 2 of 4 recipients, who meet no condition: give one block no condition`,
		`note shown_to 1: block 2 "Dear Ulm" is shown to 1 of 4 recipients`, `note shown_to 1: block 3, left column is shown to 1 of 4 recipients`,
		`note shown_to 1: block 3, left column, block 1 "a" is shown to 1 of 4 recipients`}
	if diff := cmp.Diff(want, findings(f.Caller)); diff != "" {
		f.Errorf("(-want +got):\n%s", diff)
	}
	sender := *f.Caller
	sender.Key = &enlist.Key{Role: enlist.Sender}
	if diff := cmp.Diff(want[:2], findings(&sender)); diff != "" {
		f.Errorf("for a user who may not see Contacts (-want +got):\n%s", diff)
	}
}
