package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"enlist/internal/audience"
	"enlist/internal/enlist"
	"enlist/internal/store/sqlite"
)

// This file has the parts "notify" and "kill". They measure how much notifications slow down subscriptions, how fast
// the server sends notifications, and when it sends them after a crash. sink.go is the mail server.

// waiting returns the number of notifications in the queue for the measurement of
// memory and of the sending rate: a tenth of --contacts.
func (b *bench) waiting() int { return max(1, b.Contacts/10) }

// notifying measures the cost of notifications. It subscribes while the mail server
// is paused, and while the server sends the queued notifications. It also measures
// the server's memory while notifications wait, and the sending rate.
func (b *bench) notifying() error {
	quiet, notified, err := b.makeNotifyingList("notify.db", 0)
	if err != nil {
		return err
	}
	mails, err := newSink()
	if err != nil {
		return err
	}
	defer mails.close()
	server, err := b.serveMails("notify.db", mails)
	if err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // the server becomes idle
	empty := server.resident(false)
	one := b.subscriptions(server, notified, b.Connections)
	none := b.subscriptions(server, quiet, b.Connections)
	ratio, o, err := b.pairs("one notification, the server sends no mails", one, none)
	if err == nil {
		b.add(figure{"subscribeContact with one notification, while the server sends no mails; " +
			"ratio to a List without notifications", perSecond(o), ratio, "0.60"})
		b.add(figure{"– its p99", milliseconds(o.percentile(0.99)), 0, "100 ms"})
		err = b.whileDraining(mails, one, none)
	}
	if err := errors.Join(err, server.stop()); err != nil {
		return err
	}
	return b.draining(empty)
}

// whileDraining alternates two loads: subscriptions with a notification while the
// server sends the queued notifications, and subscriptions without a notification while the mail server is paused.
func (b *bench) whileDraining(mails *sink, notified, quiet *load) error {
	var worst time.Duration
	draining := func() (outcome, error) {
		before := mails.taken.Load()
		mails.resume()
		o, err := notified.run(b.ctx)
		sent := mails.taken.Load() - before
		mails.pause()
		worst = max(worst, o.percentile(0.99))
		b.say("the server sent %.0f mails/s", float64(sent)/o.elapsed.Seconds())
		return o, err
	}
	ratio, o, err := b.alternate("one notification, the server sends the queued mails", draining,
		func() (outcome, error) { return quiet.run(b.ctx) })
	mails.resume()
	if err != nil {
		return err
	}
	b.add(figure{"subscribeContact with one notification, while the server sends the queued mails; " +
		"ratio to a List without notifications", perSecond(o), ratio, "0.25"})
	b.add(figure{"– its p99 in the worst round", milliseconds(worst), 0, "100 ms"})
	return nil
}

// draining measures a server that only sends queued notifications. empty is the memory
// of a server without queued notifications, in MiB.
func (b *bench) draining(empty float64) error {
	waiting := b.waiting()
	if _, _, err := b.makeNotifyingList("drain.db", waiting); err != nil {
		return err
	}
	mails, err := newSink()
	if err != nil {
		return err
	}
	defer mails.close()
	server, err := b.serveMails("drain.db", mails)
	if err != nil {
		return err
	}
	defer server.stop()
	time.Sleep(3 * time.Second) // the server fetches the first jobs in this time
	b.add(figure{fmt.Sprintf("additional memory while %d notifications wait", waiting),
		fmt.Sprintf("%.1f MiB", server.resident(false)-empty), 0, "64 MiB"})
	began, cpu := time.Now(), server.cpu()
	mails.resume()
	if err := b.taken(mails, waiting); err != nil {
		return err
	}
	took := time.Since(began)
	b.add(figure{"queued notifications sent to a mail server on this machine",
		fmt.Sprintf("%.0f/s", float64(waiting)/took.Seconds()), 0, "1000/s"})
	b.add(figure{"– processor time of each", fmt.Sprint((server.cpu() - cpu) / time.Duration(waiting)), 0, ""})
	return nil
}

// taken waits until the mail server has accepted n messages.
func (b *bench) taken(mails *sink, n int) error {
	for began := time.Now(); mails.taken.Load() < int64(n); time.Sleep(time.Millisecond) {
		if time.Since(began) > 5*time.Minute || b.ctx.Err() != nil {
			late := fmt.Errorf("%d of %d notifications arrived", mails.taken.Load(), n)
			return errors.Join(late, context.Cause(b.ctx))
		}
	}
	return nil
}

// killing starts a server, kills it while it sends notifications, and starts another
// server. It measures how long the other server takes to send the remaining notifications.
func (b *bench) killing() error {
	const waiting = 500 // more than the server sends at the same time
	if _, _, err := b.makeNotifyingList("kill.db", waiting); err != nil {
		return err
	}
	mails, err := newSink()
	if err != nil {
		return err
	}
	defer mails.close()
	server, err := b.serveMails("kill.db", mails)
	if err != nil {
		return err
	}
	for mails.met.Load() == 0 && b.ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	server.kill()
	mails.resume()
	b.say("waiting some minutes for the notifications that the killed server was sending")
	server, err = b.serveMails("kill.db", mails)
	if err != nil {
		return err
	}
	defer server.stop()
	began := time.Now()
	if err := b.taken(mails, waiting); err != nil {
		return err
	}
	b.add(figure{"time from the restart after a SIGKILL until all notifications are sent",
		fmt.Sprintf("%.0f s", time.Since(began).Seconds()), 0, "180 s"})
	return nil
}

// serveMails starts enlist with a mail server.
func (b *bench) serveMails(db string, to *sink) (*process, error) {
	return b.serve(db, "--smtp", to.url(), "--mail-from", "bench@example.com")
}

// makeNotifyingList creates a database with two Lists. For each subscription to the
// second List, the server notifies an address. The second List has the given number
// of Contacts, and the queue has a notification for each of them.
func (b *bench) makeNotifyingList(name string, contacts int) (quiet, notified enlist.ListID, err error) {
	quiet, err = b.makeDatabase(name, 0)
	if err != nil {
		return 0, 0, err
	}
	store, err := sqlite.Open(b.ctx, filepath.Join(b.Dir, name), sqlite.Options{})
	if err != nil {
		return 0, 0, err
	}
	defer store.Close()
	service := audience.NewService(store, time.Now)
	caller, err := service.Authenticate(b.ctx, apiKey)
	if err != nil {
		return 0, 0, err
	}
	notified, err = b.addList(service, caller, detail("on_register_address", "owner@example.com"))
	if err != nil {
		return 0, 0, err
	}
	if err := b.fill(store, notified, contacts); err != nil {
		return 0, 0, err
	}
	return quiet, notified, b.fillQueue(store, notified, contacts)
}

// fillQueue enqueues a notification for each Contact of a List.
func (b *bench) fillQueue(store audience.Store, list enlist.ListID, contacts int) error {
	return b.inBatches(store, contacts, func(tx *audience.Tx, from, to int) (err error) {
		for i := from; i < to && err == nil; i++ {
			err = tx.Enqueue(audience.Notify{List: list, Contact: enlist.ContactID(i + 1),
				Event: enlist.EventSubscribe, Address: "owner@example.com", Time: 1_700_000_000 + int64(i)})
		}
		return err
	})
}
