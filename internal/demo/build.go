package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file builds the club.

// The club.
const (
	accountName = "Fern Valley Garden Club"
	timeZone    = "Australia/Melbourne"
	imprint     = accountName + "\nThe Old Nursery, 4 Creek Road, Fern Valley VIC 3999"
)

// sender is the address from which the club writes.
const sender = "news@gardenclub.example"

// seed is the seed of all random numbers.
const seed = 1887

// Options say what Build makes.
type Options struct {
	Now   time.Time         // end of the year
	Scale int               // 1: all Contacts; 100: a hundredth of them
	Say   func(text string) // is told the progress; nil: nothing is told
}

// builder builds one club.
type builder struct {
	Options
	timeline
	app    *app.App
	caller *enlist.Caller
	random *rand.Rand
	zone   *time.Location
	crowd  *crowd
	lists  []*list
	batch  map[enlist.BatchID]*send // those that were added
	quiet  enlist.SegmentID         // Contacts who read nothing
	holder string                   // of the leases of slices

	pictures *strings.Replacer // their names in letters by their IDs
}

// Build fills an empty database. After an error or the end of ctx the database has a part of the club.
func Build(ctx context.Context, store db.Engine, o Options) error {
	zone, err := time.LoadLocation(timeZone)
	if err != nil {
		return err
	}
	b := &builder{Options: o, random: rand.New(rand.NewPCG(seed, 0)), zone: zone, batch: make(map[enlist.BatchID]*send)}
	b.crowd = newCrowd(b.random)
	b.end = o.Now.Add(-time.Minute).Unix()
	b.seconds.Store(b.daysAgo(366, 9))
	b.app = app.New(store, b.now)
	b.holder = db.NewHolder(ctx, b.app.DB)
	for _, step := range []func(context.Context) error{b.addAccount, b.addPictures, b.addLists, b.addUsers, b.addFirstContacts,
		b.plan, b.run, b.addQueueAges} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("build the demo: %w", err)
		}
	}
	return nil
}

// plan adds to the timeline what happens in the year.
func (b *builder) plan(context.Context) error {
	for _, l := range b.lists {
		b.planJoins(l)
	}
	b.add(b.daysAgo(2, 15), enlist.PersonKey{}, b.importFile)
	b.planUsers()
	for _, s := range newSends() {
		at := b.daysAgo(b.thursday(s.daysAgo), s.hour)
		if s.later > 0 {
			at = b.end - enlist.Hour
		}
		b.add(at, enlist.PersonKey{}, func(ctx context.Context) error { return b.addBatch(ctx, s) })
	}
	return nil
}

func (b *builder) say(format string, args ...any) {
	if b.Say != nil {
		b.Say(fmt.Sprintf(format, args...))
	}
}

// daysAgo returns a time some days before the end, at an hour of the club's day.
func (b *builder) daysAgo(days, hour int) int64 {
	y, m, d := b.Now.In(b.zone).Date()
	return enlist.WhenClockShows(time.Date(y, m, d-days, hour, 0, 0, 0, time.UTC), b.zone)
}

// thursday returns the number of days since the last Thursday that is at least so many days ago. Of the last two weeks
// it returns each day.
func (b *builder) thursday(days int) int {
	for days > 14 && time.Unix(b.daysAgo(days, 12), 0).In(b.zone).Weekday() != time.Thursday {
		days++
	}
	return days
}

// scaled returns a number of Contacts in the scale of the options. A List keeps enough Contacts to be a List.
func (b *builder) scaled(n int) int { return max(n/b.Scale, min(n, 12)) }

// addAccount adds the Account with its key.
func (b *builder) addAccount(ctx context.Context) error {
	a, err := b.app.Accounts.AddAccount(ctx, accountDetails)
	if err != nil {
		return err
	}
	_, text, err := b.app.Accounts.AddKey(ctx, keyDetails(a.ID))
	if err != nil {
		return err
	}
	b.caller, err = b.app.Accounts.Authenticate(ctx, text)
	return err
}

// detail returns an attribute as a caller sends it.
func detail(key, value string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.TextInput(value)}
}

// details returns attributes from their alternating keys and values.
func details(pairs ...string) (all []enlist.Detail) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, detail(pairs[i], pairs[i+1]))
	}
	return all
}

// is returns the criteria for the Contacts with a value in a Field.
func is(field, operator, value string) *enlist.Criteria {
	return &enlist.Criteria{Key: field, Operator: operator, Value: enlist.TextInput(value)}
}

// prepare runs the job that stores the recipients of a Batch.
func (b *builder) prepare(ctx context.Context, id enlist.BatchID) error {
	for done := false; !done; {
		var err error
		if done, _, err = b.app.Sending.PrepareBatch(ctx, batches.PrepareBatch{Batch: id}); err != nil {
			return err
		}
	}
	return nil
}
