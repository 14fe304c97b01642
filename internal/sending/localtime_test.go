package sending_test

import (
	"fmt"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file tests Batches whose recipients get the mail at the send time of their own zones, with a clock that the test
// sets.

// addZones adds the Field Zone to the List and subscribes a Contact for each zone. Its address is zoneN@x.io.
func addZones(f *apptest.Batches, zones ...string) (field enlist.FieldID) {
	f.Helper()
	field = f.AddField(f.News, "name", "Zone", "type", "text")
	for i, zone := range zones {
		f.Subscribe(f.News, "Email", fmt.Sprintf("zone%d@x.io", i), "Zone", zone)
	}
	return field
}

// addLocal adds a Batch with local times. accountZone is the time zone of the Account.
func addLocal(f *apptest.Batches, accountZone string, at time.Time) enlist.BatchID {
	f.Helper()
	f.Must(f.App.Accounts.SetTimeZone(f.Context(), f.Caller.Account.ID, accountZone))
	id, err := f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message, SendTime: at.Unix(),
		Populations: []batches.PopulationRequest{apptest.Whole(f.News)}, Options: batches.BatchOptions{LocalTime: "Zone"}})
	f.Must(err)
	f.Prepare(id)
	return id
}

// wantLocal moves the clock to a time, runs the job of the Batch, and checks to whom mails are sent then.
func wantLocal(f *apptest.Batches, id enlist.BatchID, at string, want ...string) {
	f.Helper()
	when, err := time.Parse(time.RFC3339, at)
	f.Must(err)
	f.Now = when
	f.Prepare(id)
	f.Log(at)
	f.WantAddresses(f.SendAll(nil), want...)
}

func localTimeFollowsTheZones(f *apptest.Batches) {
	addZones(f, "Asia/Tokyo", "America/New_York", "", "Mars/Olympus", "Asia/Kolkata", "Local")
	id := addLocal(f, "Europe/Berlin", time.Date(2026, 6, 17, 7, 0, 0, 0, time.UTC)) // 09:00 in Berlin
	f.WantStatus(id, batches.BatchPending)
	wantLocal(f, id, "2026-06-16T23:59:59Z")
	f.WantStatus(id, batches.BatchSending)
	wantLocal(f, id, "2026-06-17T00:00:00Z", "zone0@x.io") // 09:00 in Tokyo
	wantLocal(f, id, "2026-06-17T03:29:59Z")
	f.Edit(id, "pause")
	wantLocal(f, id, "2026-06-17T03:30:00Z")
	f.Edit(id, "unpause")
	wantLocal(f, id, "2026-06-17T04:00:00Z", "zone4@x.io")
	wantLocal(f, id, "2026-06-17T07:00:00Z", "zone2@x.io", "zone3@x.io", "zone5@x.io")
	wantLocal(f, id, "2026-06-17T12:59:59Z")
	f.WantStatus(id, batches.BatchSending)
	wantLocal(f, id, "2026-06-17T13:00:00Z", "zone1@x.io")
	f.WantStatus(id, batches.BatchCompleted)
}

// On the night of 29 March 2026 the clocks of Berlin skip the time from 02:00 to 03:00. On the night of 25 October they
// show it twice.
func localTimeOnDaylightSavingNights(f *apptest.Batches) {
	addZones(f, "Europe/Berlin", "Africa/Lagos", "Europe/London")
	f.Now = time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	id := addLocal(f, "Africa/Lagos", time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC)) // 02:30 in Lagos
	wantLocal(f, id, "2026-03-29T00:59:59Z")
	wantLocal(f, id, "2026-03-29T01:00:00Z", "zone0@x.io")               // 03:00 in Berlin: 02:30 was skipped
	wantLocal(f, id, "2026-03-29T01:30:00Z", "zone1@x.io", "zone2@x.io") // 02:30 in Lagos, and in London, which skips 01:30
	f.WantStatus(id, batches.BatchCompleted)

	f.Now = time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC)
	id = addLocal(f, "Africa/Lagos", time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC)) // 02:30 in Lagos
	wantLocal(f, id, "2026-10-25T00:29:59Z")
	wantLocal(f, id, "2026-10-25T00:30:00Z", "zone0@x.io") // the first 02:30 in Berlin
	wantLocal(f, id, "2026-10-25T01:30:00Z", "zone1@x.io") // the second 02:30 in Berlin
	wantLocal(f, id, "2026-10-25T02:30:00Z", "zone2@x.io")
	f.WantStatus(id, batches.BatchCompleted)
}

// The rule of 6 hours is about the time at which recipients are due, and not about the time between two zones.
func localTimeIsLatePerZone(f *apptest.Batches) {
	addZones(f, "Asia/Tokyo", "America/New_York", "Pacific/Honolulu")
	id := addLocal(f, "Europe/Berlin", time.Date(2026, 6, 17, 7, 0, 0, 0, time.UTC))
	wantLocal(f, id, "2026-06-16T08:00:00Z")
	wantLocal(f, id, "2026-06-17T00:00:00Z", "zone0@x.io")
	wantLocal(f, id, "2026-06-17T13:00:00Z", "zone1@x.io") // 13 hours later, and in time
	wantLocal(f, id, "2026-06-18T02:00:00Z")               // 7 hours after 09:00 in Honolulu
	f.WantStatus(id, batches.BatchPaused)
	f.Edit(id, "unpause")
	f.Prepare(id)
	f.WantAddresses(f.SendAll(nil), "zone2@x.io")
	f.WantStatus(id, batches.BatchCompleted)
}

// If the server was down for hours when the Batch should have begun, and when the first zone was due, a person decides.
func localTimeIsLateAtTheBeginning(f *apptest.Batches) {
	addZones(f, "Pacific/Honolulu", "Asia/Tokyo")
	id := addLocal(f, "Europe/Berlin", time.Date(2026, 6, 17, 7, 0, 0, 0, time.UTC))
	wantLocal(f, id, "2026-06-17T06:00:01Z") // six hours after 09:00 in Tokyo
	f.WantStatus(id, batches.BatchPaused)
	f.Edit(id, "unpause")
	f.Prepare(id)
	f.WantAddresses(f.SendAll(nil), "zone1@x.io")
}

// A Batch that is added when some clocks have shown the time sends to their recipients at once.
func localTimeThatHasPassed(f *apptest.Batches) {
	addZones(f, "Asia/Tokyo", "America/New_York")
	f.Now = time.Date(2026, 6, 17, 6, 0, 0, 0, time.UTC)
	id := addLocal(f, "Europe/Berlin", f.Now.Add(time.Hour))
	f.WantAddresses(f.SendAll(nil), "zone0@x.io")
	f.Edit(id, "pause")
	err := f.App.Batches.EditBatch(f.Context(), f.Caller, id, "reschedule", f.Now.Add(24*time.Hour).Unix())
	f.Refused(err, enlist.InvalidParameters, "begun to send")
	f.Edit(id, "unpause")
	f.Prepare(id)
	wantLocal(f, id, "2026-06-17T13:00:00Z", "zone1@x.io")
}

func localTimeNeedsTheField(f *apptest.Batches) {
	_, err := f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message,
		Populations: []batches.PopulationRequest{apptest.Whole(f.News)}, Options: batches.BatchOptions{LocalTime: "Zone"}})
	f.Refused(err, enlist.InvalidParameters, "no Field")
	field := addZones(f, "Asia/Tokyo")
	id := addLocal(f, "Europe/Berlin", f.Now.Add(48*time.Hour))
	f.Must(f.App.Lists.DeleteField(f.Context(), f.Caller, f.News, field))
	wantLocal(f, id, "2026-06-17T11:59:59Z")
	wantLocal(f, id, "2026-06-17T12:00:00Z", "zone0@x.io") // the zone of the Account
}
