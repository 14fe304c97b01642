package jobs_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/jobs"
	"enlist/internal/sending"
	"enlist/internal/webhooks/post"
)

// idleStatements is the largest number of statements of an idle process in a minute: 60 looks, and what is read each
// minute.
const idleStatements = 90

// changeStatements is the largest number of statements that read what a commit has changed.
const changeStatements = 40

// All that a server does in the background runs without a call for ten minutes. Who adds something that reads the
// database regularly makes it a db.Periodic with IfChanged, or raises this number.
func TestAnIdleProcessRunsFewStatements(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		address := e.New(t)
		synctest.Test(t, func(t *testing.T) { idle(t, address) })
	})
}

func idle(t *testing.T, address string) {
	store, err := dbtest.Open(t.Context(), address, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	service, indexes, log := app.New(store, time.Now), newAdvisor(store), slog.New(slog.DiscardHandler)
	if _, err := service.Bootstrap(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	poster := post.New(post.Options{})
	defer poster.Close()
	sender := service.Sending.NewBatchSender(sending.SenderOptions{Mailer: refusingMailer{}, Log: log})
	client, err := store.Jobs(jobs.Config(jobs.Options{Service: service, Store: store, Mailer: refusingMailer{},
		Batches: sender, Poster: poster, Log: log}))
	if err != nil {
		t.Fatal(err)
	}
	client.Start(t.Context())
	defer client.StopAndCancel(context.Background())
	sender.Start()
	defer sender.Stop(t.Context())
	ctx, stop := context.WithCancel(t.Context())
	var repeating sync.WaitGroup
	defer repeating.Wait()
	defer stop()
	repeating.Go(func() {
		jobs.Repeat(ctx, slices.Concat(service.Periodic(), indexes.Periodic(), []db.Periodic{
			{Name: "settings", Every: time.Second, Do: service.ReadSettings, IfChanged: true}}), store.Watch, log)
	})
	const minutes = 10
	<-time.After(2 * time.Minute) // what the start has changed is seen
	var changes atomic.Int64      // on a PostgreSQL server, also of the databases of other tests
	defer store.Watch(func(changed bool) { changes.Add(db.Bit(changed)) })()
	before := store.Statements()
	<-time.After(minutes * time.Minute)
	synctest.Wait()
	n, most := store.Statements()-before, minutes*idleStatements+changes.Load()*changeStatements
	if n < 60*minutes || n > most {
		t.Errorf("an idle process ran %d statements in %d minutes with %d changes, want %d to %d", n, minutes,
			changes.Load(), 60*minutes, most)
	}
}
