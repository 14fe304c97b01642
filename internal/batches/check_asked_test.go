package batches_test

import (
	"slices"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests the warnings of a Batch that asks people again.

// covers: decision 162
func TestAskedRecently(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(4), []apptest.Rule[*apptest.SentBatch]{
		{Name: "a check warns of people who were asked in the last six months, or have answered", Test: askedRecently},
	})
}

func askedRecently(f *apptest.SentBatch) {
	var err error
	f.Message, err = f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details("name", "Ask", "subject", "May we?",
		"html_content", `<a href="{{tracking_agree_url}}">Yes</a>`, "text_content", "{{tracking_agree_url}}"))
	f.Must(err)
	request := batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{apptest.Whole(f.News)}}
	want := func(asked, answered int64) {
		f.Helper()
		check, err := f.App.Batches.CheckBatch(f.Context(), f.Caller, request)
		f.Must(err)
		for code, n := range map[messages.FindingCode]int64{batches.FindingAskedRecently: asked, batches.FindingAnswered: answered} {
			i := slices.IndexFunc(check.Findings, func(found messages.Finding) bool { return found.Code == code })
			if (i >= 0) != (n > 0) || i >= 0 && check.Findings[i].Contacts != n {
				f.Errorf("the check says %+v, want %s of %d", check.Findings, code, n)
			}
		}
	}
	want(0, 0)
	f.Decide(f.News, enlist.TrackingDenied, f.Contacts[0])
	want(0, 1)
	asking := f.AddWith(batches.BatchOptions{})
	f.SendAll(nil)
	want(3, 1)
	request.Options.Exclude.Batches = []enlist.BatchID{asking}
	want(0, 0)
	request.Options.Exclude.Batches = nil
	f.Pass(184 * 24 * 3_600_000_000_000)
	want(0, 1)
}
