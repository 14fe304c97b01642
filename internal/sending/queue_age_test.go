package sending_test

import (
	"slices"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/messages"
)

// This file tests how long mails have waited, which is kept for a plot.

// covers: decision 137
func TestAgesOfMailsThatWait(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "the age of the oldest mail of each Account is kept, and removed after a week", Test: agesAreKept},
		{Name: "a mail has waited since it was due, whichever state its job is in", Test: sinceAMailIsDue},
		{Name: "a removed Account gets no age, and one of a clock that was ahead is removed", Test: agesAreRemoved},
	})
}

// queueAges returns the last ages that are not 0, by the minutes that have passed since the start of their period.
func queueAges(o *apptest.Account, c *enlist.Caller) map[int64]int64 {
	o.Helper()
	all, err := o.App.Sending.QueueAges(o.Context(), c, o.Now.Add(-24*time.Hour).Unix())
	o.Must(err)
	if len(all) != 24*60/5+1 {
		o.Errorf("%d ages are returned", len(all))
	}
	ages, start := make(map[int64]int64), o.Now.Truncate(5*time.Minute).Unix()
	for _, a := range all {
		if a.Age != 0 {
			ages[(start-a.Time)/60] = a.Age
		}
	}
	return ages
}

// startOfPeriod sets the clock to the start of the next five minutes. Jobs are stored with the time of the database.
func startOfPeriod(o *apptest.Account) {
	o.Now = time.Now().Truncate(5 * time.Minute).Add(10 * time.Minute)
}

// setCreated sets when all jobs were stored.
func setCreated(o *apptest.Account, at time.Time) {
	o.Helper()
	o.Update(func(tx *db.Tx) error {
		if tx.SQL.Arrays {
			return tx.Do("UPDATE river_job SET created_at = to_timestamp(CAST(? AS BIGINT))", at.Unix())
		}
		return tx.Do("UPDATE river_job SET created_at = datetime(?, 'unixepoch')", at.Unix())
	})
}

func agesAreKept(o *apptest.Account) {
	startOfPeriod(o)
	start, other := o.Now, o.NewCaller()
	keep := func() {
		o.Helper()
		o.Must(o.App.Sending.KeepQueueAges(o.Context()))
	}
	list := o.AddList()
	o.Update(func(tx *db.Tx) error { return tx.Enqueue(events.Notify{List: list}) })
	setCreated(o, start)
	o.Now = start.Add(59 * time.Second)
	keep()
	if ages := queueAges(o, o.Caller); len(ages) > 0 {
		o.Errorf("a mail that has waited for less than a minute has the ages %v", ages)
	}
	for _, seconds := range []int{100, 250, 200} { // the last one is of a process whose clock is late
		o.Now = start.Add(time.Duration(seconds) * time.Second)
		keep()
	}
	apptest.Same(o.T, "ages in the first five minutes", queueAges(o, o.Caller), map[int64]int64{0: 250})
	o.Now = start.Add(16 * time.Minute) // no process ran meanwhile
	keep()
	o.Update(func(tx *db.Tx) error { return tx.Do("DELETE FROM river_job") })
	o.Now = start.Add(21 * time.Minute)
	keep()
	apptest.Same(o.T, "ages after a pause", queueAges(o, o.Caller), map[int64]int64{5: 960, 10: 660, 15: 360, 20: 250})
	if ages := queueAges(o, other); len(ages) > 0 {
		o.Errorf("another Account sees the ages %v", ages)
	}
	_, err := o.App.Sending.QueueAges(o.Context(), o.Restricted(list), 0)
	o.Refused(err, enlist.Denied, "")

	rows := func() (n int64) {
		o.Must(o.Store.View(o.Context(), func(tx *db.Tx) (err error) {
			n, err = tx.Number("SELECT count(*) FROM queue_age")
			return err
		}))
		return n
	}
	for _, c := range []struct {
		after time.Duration
		rows  int64
	}{{7 * 24 * time.Hour, 2}, {7*24*time.Hour + 6*time.Minute, 1}} {
		o.Now = start.Add(c.after)
		o.Must(o.App.Sending.DeleteQueueAges(o.Context()))
		apptest.Same(o.T, "stored ages", rows(), c.rows)
	}
}

func sinceAMailIsDue(o *apptest.Account) {
	startOfPeriod(o)
	other := o.NewCaller()
	list, deleted := o.AddList(), o.AddList()
	o.Must(o.App.Contacts.DeleteList(o.Context(), o.Caller, deleted))
	age := func(c *enlist.Caller) int64 { return queueAges(o, c)[0] }
	for _, one := range []struct {
		rule    string
		effects []db.Effect
		state   string
		want    []int64 // of the Account and of the other one
	}{
		{"a job of a List", []db.Effect{contacts.SendLink{List: list}}, "available", []int64{120, 0}},
		{"a job that is tried again", []db.Effect{contacts.RequestConfirmation{List: list}}, "retryable", []int64{120, 0}},
		{"a job that was put back", []db.Effect{events.Notify{List: list}}, "scheduled", []int64{120, 0}},
		{"a job that failed", []db.Effect{events.Notify{List: list}}, "discarded", []int64{0, 0}},
		{"a job of a deleted List", []db.Effect{events.Notify{List: deleted}}, "available", []int64{0, 0}},
		{"a job without a List", []db.Effect{messages.SendTest{Account: other.Account.ID}}, "available", []int64{0, 120}},
		{"a job that sends no mail", []db.Effect{events.DeliverWebhook{Account: other.Account.ID}}, "available", []int64{0, 0}},
		{"autoresponders count since they are due", []db.Effect{events.Autorespond{List: list, Due: o.Now.Unix() + 30},
			events.Autorespond{List: list, Due: o.Now.Unix() + 90}}, "available", []int64{90, 0}},
	} {
		o.Case(one.rule, func() {
			start := o.Now
			o.Update(func(tx *db.Tx) error {
				for _, table := range []string{"queue_age", "river_job"} {
					if err := tx.Do("DELETE FROM " + table); err != nil {
						return err
					}
				}
				for _, e := range one.effects {
					if err := tx.Enqueue(e); err != nil {
						return err
					}
				}
				return nil
			})
			finalized := map[bool]string{true: "created_at", false: "NULL"}[one.state == "discarded"]
			o.Update(func(tx *db.Tx) error { // an Update stores its jobs at its end
				return tx.Do("UPDATE river_job SET finalized_at = " + finalized + ", state = '" + one.state + "'")
			})
			setCreated(o, start)
			o.Now = start.Add(2 * time.Minute)
			o.Must(o.App.Sending.KeepQueueAges(o.Context()))
			got := []int64{age(o.Caller), age(other)}
			if o.Now = start; !slices.Equal(got, one.want) {
				o.Errorf("the oldest mails of the two Accounts have the ages %d, want %d", got, one.want)
			}
		})
	}
}

func agesAreRemoved(o *apptest.Account) {
	startOfPeriod(o)
	start, list, other := o.Now, o.AddList(), o.NewCaller()
	o.Update(func(tx *db.Tx) error {
		if err := tx.Enqueue(messages.SendTest{Account: other.Account.ID, Message: 1}); err != nil {
			return err
		}
		return tx.Enqueue(events.Notify{List: list})
	})
	setCreated(o, start)
	o.Must(o.App.RemoveAccount(o.Context(), other.Account.ID))
	accounts := func() (ids []enlist.AccountID) {
		o.Must(o.Store.View(o.Context(), func(tx *db.Tx) (err error) {
			ids, err = db.IDsOf[enlist.AccountID](tx, "SELECT account_id FROM queue_age ORDER BY account_id")
			return err
		}))
		return ids
	}
	o.Now = start.Add(48 * time.Hour)
	o.Must(o.App.Sending.KeepQueueAges(o.Context()))
	apptest.Same(o.T, "Accounts with an age", accounts(), []enlist.AccountID{o.Caller.Account.ID})
	o.Now = start
	o.Must(o.App.Sending.DeleteQueueAges(o.Context()))
	apptest.Same(o.T, "Accounts with an age in the future", accounts(), []enlist.AccountID(nil))
}
