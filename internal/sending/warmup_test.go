package sending_test

import (
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/pace"
)

// This file tests the warm-up plan with a fake clock.

func warmupIsShared(f *apptest.Batches) {
	f.Now = time.Date(2027, 2, 1, 23, 0, 0, 0, time.UTC)
	plan, err := pace.ParseWarmup("2027-02-01 10 2")
	f.Must(err)
	var processes [2]*app.App
	for i := range processes {
		processes[i] = app.New(f.Store, func() time.Time { return f.Now })
		processes[i].SetSending(pace.Settings{Relay: "mail.example.com", From: "news@example.com", Warmup: plan})
		if !processes[i].Sending.IsLimited(sliceAt("")) {
			f.Error("a slice is not limited on the first day of the plan")
		}
	}
	midnight := time.Date(2027, 2, 2, 0, 0, 0, 0, time.UTC)
	for i, want := range []int{7, 3, 0} {
		granted, next := take(f, processes[i%2], sliceAt(""), addressesAt(7, "example.com")...)
		if granted != want || granted < 7 && !next.Equal(midnight) {
			f.Errorf("%d mails are granted, and the others at %v; want %d, and the others at %v", granted, next, want, midnight)
		}
	}
	f.Now = midnight
	if granted, _ := take(f, processes[0], sliceAt(""), addressesAt(30, "example.com")...); granted != 20 {
		f.Errorf("%d mails are granted on the second day, want 20", granted)
	}
	f.Must(processes[0].Sending.DeleteFullBuckets(f.Context()))
	if granted, _ := take(f, processes[1], sliceAt(""), "a@example.com"); granted != 0 {
		f.Errorf("%d mails are granted after old days were deleted, want none", granted)
	}
}
