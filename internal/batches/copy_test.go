package batches_test

import (
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file tests the request that would add a Batch again, and the search for Batches by name.

func TestCopiesOfBatches(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(3), []apptest.Rule[*apptest.SentBatch]{
		{Name: "a copy is the request that added the Batch", Test: copyIsTheRequest},
		{Name: "the Contacts that did not open a Batch are found in all its Lists", Test: notOpenedPopulations},
		{Name: "Batches are found by their name, or else by that of their Message", Test: findByName},
		{Name: "the Lists of Batches are counted for callers who may use all of them", Test: countLists},
		{Name: "copies and names of other Accounts and other Lists are refused", Test: copiesOfOthers},
	})
}

func copyIsTheRequest(f *apptest.SentBatch) {
	text := enlist.Input{Kind: enlist.InputText, Text: "a1"}
	criteria := &enlist.Criteria{All: []enlist.Criteria{{Key: "Email", Operator: "contains", Value: text}}}
	f.AddField(f.News, "name", "Zone", "type", "text")
	for _, want := range []batches.BatchRequest{
		{Message: f.Message, Populations: []batches.PopulationRequest{{List: f.News, Type: "list"}, {List: f.News, Type: "unsent", Time: "send"},
			{List: f.News, Type: "contacts", Contacts: f.Contacts[:2]}, {List: f.News, Criteria: criteria}},
			Options: batches.BatchOptions{Name: "A name", Doubt: "skip", Rate: "100/hour", LocalTime: "Zone",
				Exclude: batches.Exclusion{Criteria: criteria, Batches: []enlist.BatchID{f.ID}}}},
		{Message: f.Message, Populations: []batches.PopulationRequest{{List: f.News, Type: "list"}}, Options: batches.BatchOptions{
			VariantOptions: batches.VariantOptions{Variants: []batches.Variant{{Message: f.Message, Subject: "A"}, {Message: f.Message}},
				Share: 30, Winner: "opens", Hours: 7}}},
	} {
		id := f.AddChecked(want)
		for _, when := range []string{"before", "after"} {
			got, err := f.App.Batches.Copy(f.Context(), f.Caller, id)
			f.Must(err)
			apptest.Same(f.T, "copy "+when+" the recipients are stored", *got, want)
			f.Prepare(id)
		}
	}
}

func notOpenedPopulations(f *apptest.SentBatch) {
	second := f.AddList("track_opens", true)
	f.Subscribe(second, "Email", "b@example.com")
	f.Subscribe(f.News, "Email", "late@example.com")
	f.ID, f.Created = f.Add(apptest.Whole(f.News), apptest.Whole(second)), f.Now.Unix()
	f.SendAll(nil)
	f.Open(f.Contacts[0], apptest.ScannerAgent)
	f.Subscribe(f.News, "Email", "later@example.com") // was not sent the Batch
	all, err := f.App.Batches.NotOpened(f.Context(), f.Caller, f.ID, false)
	f.Must(err)
	f.Add(all...)
	f.WantAddresses(f.SendAll(nil), "a1@example.com", "a2@example.com", "b@example.com", "late@example.com")
}

func findByName(f *apptest.SentBatch) {
	named := f.AddWith(batches.BatchOptions{Name: "Harvest"})
	find := func(c *enlist.Caller, q batches.NameSearch) (ids []enlist.BatchID, all int64) {
		page, all, err := f.App.Batches.SearchByName(f.Context(), c, q)
		f.Must(err)
		for i := range page {
			ids = append(ids, page[i].ID)
		}
		return ids, all
	}
	for _, c := range []struct {
		q    batches.NameSearch
		want []enlist.BatchID
		all  int64
	}{
		{batches.NameSearch{Limit: 9}, []enlist.BatchID{named, f.ID}, 2},
		{batches.NameSearch{Limit: 1, Offset: 1}, []enlist.BatchID{f.ID}, 2},
		{batches.NameSearch{Limit: 1, Offset: 7}, nil, 2},
		{batches.NameSearch{Text: "arv", Limit: 9}, []enlist.BatchID{named}, 1},
		{batches.NameSearch{Text: "MAY", Limit: 9}, []enlist.BatchID{f.ID}, 1},
		{batches.NameSearch{Statuses: []batches.BatchStatus{batches.BatchCompleted}, Limit: 9}, []enlist.BatchID{f.ID}, 1},
	} {
		ids, all := find(f.Caller, c.q)
		apptest.Same(f.T, "Batches", ids, c.want)
		if all != c.all {
			f.Errorf("%+v finds %d Batches, want %d", c.q, all, c.all)
		}
	}
	one := f.Restricted(f.News)
	one.User = 7
	if ids, _ := find(one, batches.NameSearch{Text: "may", Limit: 9}); len(ids) != 1 {
		f.Errorf("a person of one List finds %v by the name of a Message that was sent to it", ids)
	}
	f.Add(apptest.Whole(f.AddList()))
	if ids, _ := find(one, batches.NameSearch{Text: "may", Limit: 9}); ids != nil {
		f.Errorf("a person who does not see a Message finds %v by its name", ids)
	}
	if ids, _ := find(f.NewCaller(), batches.NameSearch{Limit: 9}); ids != nil {
		f.Errorf("a caller of another Account finds %v", ids)
	}
}

func countLists(f *apptest.SentBatch) {
	other := f.AddList()
	both := f.AddChecked(batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{{List: f.News}, {List: other},
		{List: other, Type: "unsent"}}})
	for _, of := range []struct {
		caller *enlist.Caller
		want   map[enlist.BatchID]int64
	}{{f.Caller, map[enlist.BatchID]int64{f.ID: 1, both: 2}}, {f.Restricted(f.News), map[enlist.BatchID]int64{f.ID: 1}},
		{f.Restricted(other), map[enlist.BatchID]int64{}}, {f.NewCaller(), map[enlist.BatchID]int64{}}} {
		got, err := f.App.Batches.CountLists(f.Context(), of.caller, []enlist.BatchID{f.ID, both})
		f.Must(err)
		apptest.Same(f.T, "Lists", got, of.want)
	}
	if got, err := f.App.Batches.CountLists(f.Context(), f.Caller, nil); err != nil || len(got) != 0 {
		f.Errorf("no Batches have the Lists %v, %v", got, err)
	}
}

func copiesOfOthers(f *apptest.SentBatch) {
	for kind, c := range map[enlist.Kind]*enlist.Caller{enlist.NoBatch: f.NewCaller(), enlist.Denied: f.Restricted(f.AddList())} {
		_, err := f.App.Batches.Copy(f.Context(), c, f.ID)
		f.Refused(err, kind, "")
		_, err = f.App.Batches.NotOpened(f.Context(), c, f.ID, false)
		f.Refused(err, kind, "")
	}
}
