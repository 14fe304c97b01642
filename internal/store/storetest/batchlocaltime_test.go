package storetest

import (
	"fmt"
	"time"

	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file tests Batches whose recipients get the mail at the send time of their own zones, with a clock that the test
// sets.

// addZones adds the Field Zone to the List and subscribes a Contact for each zone. Its address is zoneN@x.io.
func (f *batchFixture) addZones(zones ...string) (field enlist.FieldID) {
	f.Helper()
	field = f.addField(f.news, "name", "Zone", "type", "text")
	for i, zone := range zones {
		f.subscribe(f.news, "Email", fmt.Sprintf("zone%d@x.io", i), "Zone", zone)
	}
	return field
}

// addLocal adds a Batch with local times. accountZone is the time zone of the Account.
func (f *batchFixture) addLocal(accountZone string, at time.Time) enlist.BatchID {
	f.Helper()
	f.must(f.service.Accounts.SetTimeZone(f.Context(), f.caller.Account.ID, accountZone))
	id, err := f.service.Batches.AddBatch(f.Context(), f.caller, batches.BatchRequest{Message: f.message, SendTime: at.Unix(),
		Populations: []batches.PopulationRequest{whole(f.news)}, Options: batches.BatchOptions{LocalTime: "Zone"}})
	f.must(err)
	f.prepare(id)
	return id
}

// wantLocal moves the clock to a time, runs the job of the Batch, and checks to whom mails are sent then.
func (f *batchFixture) wantLocal(id enlist.BatchID, at string, want ...string) {
	f.Helper()
	when, err := time.Parse(time.RFC3339, at)
	f.must(err)
	f.now = when
	f.prepare(id)
	f.Log(at)
	f.wantAddresses(f.sendAll(nil), want...)
}

func localTimeFollowsTheZones(f *batchFixture) {
	f.addZones("Asia/Tokyo", "America/New_York", "", "Mars/Olympus", "Asia/Kolkata", "Local")
	id := f.addLocal("Europe/Berlin", time.Date(2026, 6, 17, 7, 0, 0, 0, time.UTC)) // 09:00 in Berlin
	f.wantStatus(id, batches.BatchPending)
	f.wantLocal(id, "2026-06-16T23:59:59Z")
	f.wantStatus(id, batches.BatchSending)
	f.wantLocal(id, "2026-06-17T00:00:00Z", "zone0@x.io") // 09:00 in Tokyo
	f.wantLocal(id, "2026-06-17T03:29:59Z")
	f.edit(id, "pause")
	f.wantLocal(id, "2026-06-17T03:30:00Z")
	f.edit(id, "unpause")
	f.wantLocal(id, "2026-06-17T04:00:00Z", "zone4@x.io")
	f.wantLocal(id, "2026-06-17T07:00:00Z", "zone2@x.io", "zone3@x.io", "zone5@x.io")
	f.wantLocal(id, "2026-06-17T12:59:59Z")
	f.wantStatus(id, batches.BatchSending)
	f.wantLocal(id, "2026-06-17T13:00:00Z", "zone1@x.io")
	f.wantStatus(id, batches.BatchCompleted)
}

// On the night of 29 March 2026 the clocks of Berlin skip the time from 02:00 to 03:00. On the night of 25 October they
// show it twice.
func localTimeOnDaylightSavingNights(f *batchFixture) {
	f.addZones("Europe/Berlin", "Africa/Lagos", "Europe/London")
	f.now = time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	id := f.addLocal("Africa/Lagos", time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC)) // 02:30 in Lagos
	f.wantLocal(id, "2026-03-29T00:59:59Z")
	f.wantLocal(id, "2026-03-29T01:00:00Z", "zone0@x.io")               // 03:00 in Berlin: 02:30 was skipped
	f.wantLocal(id, "2026-03-29T01:30:00Z", "zone1@x.io", "zone2@x.io") // 02:30 in Lagos, and in London, which skips 01:30
	f.wantStatus(id, batches.BatchCompleted)

	f.now = time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC)
	id = f.addLocal("Africa/Lagos", time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC)) // 02:30 in Lagos
	f.wantLocal(id, "2026-10-25T00:29:59Z")
	f.wantLocal(id, "2026-10-25T00:30:00Z", "zone0@x.io") // the first 02:30 in Berlin
	f.wantLocal(id, "2026-10-25T01:30:00Z", "zone1@x.io") // the second 02:30 in Berlin
	f.wantLocal(id, "2026-10-25T02:30:00Z", "zone2@x.io")
	f.wantStatus(id, batches.BatchCompleted)
}

// The rule of 6 hours is about the time at which recipients are due, and not about the time between two zones.
func localTimeIsLatePerZone(f *batchFixture) {
	f.addZones("Asia/Tokyo", "America/New_York", "Pacific/Honolulu")
	id := f.addLocal("Europe/Berlin", time.Date(2026, 6, 17, 7, 0, 0, 0, time.UTC))
	f.wantLocal(id, "2026-06-16T08:00:00Z")
	f.wantLocal(id, "2026-06-17T00:00:00Z", "zone0@x.io")
	f.wantLocal(id, "2026-06-17T13:00:00Z", "zone1@x.io") // 13 hours later, and in time
	f.wantLocal(id, "2026-06-18T02:00:00Z")               // 7 hours after 09:00 in Honolulu
	f.wantStatus(id, batches.BatchPaused)
	f.edit(id, "unpause")
	f.prepare(id)
	f.wantAddresses(f.sendAll(nil), "zone2@x.io")
	f.wantStatus(id, batches.BatchCompleted)
}

// If the server was down for hours when the Batch should have begun, and when the first zone was due, a person decides.
func localTimeIsLateAtTheBeginning(f *batchFixture) {
	f.addZones("Pacific/Honolulu", "Asia/Tokyo")
	id := f.addLocal("Europe/Berlin", time.Date(2026, 6, 17, 7, 0, 0, 0, time.UTC))
	f.wantLocal(id, "2026-06-17T06:00:01Z") // six hours after 09:00 in Tokyo
	f.wantStatus(id, batches.BatchPaused)
	f.edit(id, "unpause")
	f.prepare(id)
	f.wantAddresses(f.sendAll(nil), "zone1@x.io")
}

// A Batch that is added when some clocks have shown the time sends to their recipients at once.
func localTimeThatHasPassed(f *batchFixture) {
	f.addZones("Asia/Tokyo", "America/New_York")
	f.now = time.Date(2026, 6, 17, 6, 0, 0, 0, time.UTC)
	id := f.addLocal("Europe/Berlin", f.now.Add(time.Hour))
	f.wantAddresses(f.sendAll(nil), "zone0@x.io")
	f.edit(id, "pause")
	err := f.service.Batches.EditBatch(f.Context(), f.caller, id, "reschedule", f.now.Add(24*time.Hour).Unix())
	f.refused(err, enlist.InvalidParameters, "begun to send")
	f.edit(id, "unpause")
	f.prepare(id)
	f.wantLocal(id, "2026-06-17T13:00:00Z", "zone1@x.io")
}

func localTimeNeedsTheField(f *batchFixture) {
	_, err := f.service.Batches.AddBatch(f.Context(), f.caller, batches.BatchRequest{Message: f.message,
		Populations: []batches.PopulationRequest{whole(f.news)}, Options: batches.BatchOptions{LocalTime: "Zone"}})
	f.refused(err, enlist.InvalidParameters, "no Field")
	field := f.addZones("Asia/Tokyo")
	id := f.addLocal("Europe/Berlin", f.now.Add(48*time.Hour))
	f.must(f.service.Lists.DeleteField(f.Context(), f.caller, f.news, field))
	f.wantLocal(id, "2026-06-17T11:59:59Z")
	f.wantLocal(id, "2026-06-17T12:00:00Z", "zone0@x.io") // the zone of the Account
}
