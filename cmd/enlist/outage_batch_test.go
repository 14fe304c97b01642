package main

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"
	"enlist/internal/mail/mailtest"
)

// These tests restart the database while the program sends a Batch, and kill the program after a Batch was cancelled.

// The database server crashes or restarts several times while a Batch is sent. The process that sends continues by
// itself, and each recipient gets the mail. A mail that arrives again was in doubt, and has the same Message-ID.
//
// covers: decision 59
func TestBatchIsSentDespiteOutagesOfTheDatabase(t *testing.T) {
	t.Parallel()
	database := databaseServer(t)
	server := mailtest.Start(t, mailtest.Options{})
	server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Wait(5*time.Millisecond)))
	setSettings(t, database.URL("postgres"), map[string]string{"mail-from": "news@example.com"})
	c := newCrashAt(t, database.URL("postgres"), server.URL())
	p := c.process()
	defer p.end(os.Kill)
	c.client = p.client
	message := c.recipients()
	var batches []int64
	for round := range crashRounds(t, 3) {
		mode := []string{"immediate", "fast"}[round%2]
		id := c.addBatch(round, message)
		batches = append(batches, id)
		sendFor(t.Context(), server, rand.IntN(crashRecipients))
		c.killed++ // as many mails are in doubt as after a kill
		restart(t, database, mode)
		c.untilChosen(round, id)
		c.untilCompleted(id)
	}
	c.onlyDoubtfulAgain(c.inspectBatches(server.Messages(), batches, crashRecipients))
}

// restart stops and starts a database server.
func restart(t *testing.T, database *pgtest.Server, mode string) {
	t.Helper()
	if err := database.Stop(mode); err != nil {
		t.Fatal(err)
	}
	if err := database.Start(); err != nil {
		t.Fatal(err)
	}
}

// untilChosen is chooseWinner, again until the server has answered.
func (c *crash) untilChosen(round int, batch int64) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for round%3 == 1 && c.client.ChooseBatchWinner(ctx, batch, 2) != nil {
		if ctx.Err() != nil {
			c.t.Fatalf("Batch %d has no winner after a minute", batch)
		}
		<-look.C
	}
}

// untilCompleted waits until a Batch is completed. Calls may fail while the database starts.
func (c *crash) untilCompleted(id int64) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 3*time.Minute)
	defer cancel()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		status, err := c.client.GetBatchStatus(ctx, id)
		if err == nil && status.SendStatus == "completed" {
			return
		}
		if ctx.Err() != nil {
			c.t.Fatalf("Batch %d is %v after 3 minutes: %v", id, status, err)
		}
		<-look.C
	}
}

// A process that is killed after it has cancelled a Batch has sent no more mails than it stored, but for the mails in
// doubt. No other process continues the cancelled Batch.
//
// covers: decision 59
func TestKilledServerLeavesACancelledBatchAlone(t *testing.T) {
	dbtest.EachParallel(t, killedServerLeavesACancelledBatchAlone)
}

func killedServerLeavesACancelledBatchAlone(t *testing.T, e dbtest.Engine) {
	if testing.Short() {
		t.Skip("this test kills processes: run it with \"make faults\"")
	}
	server := mailtest.Start(t, mailtest.Options{})
	server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Wait(5*time.Millisecond)))
	c := newCrash(t, e, server.URL())
	message := int64(0)
	for round := range crashRounds(t, 3) {
		p := c.process()
		c.client = p.client
		if round == 0 {
			message = c.recipients()
		}
		before := len(server.Messages())
		id := must(c.client.AddBatch(t.Context(), message, []api.Population{{ListID: 1}}, 0, false, api.BatchOptions{}))(t)
		sendFor(t.Context(), server, 1+rand.IntN(crashRecipients/4))
		must(0, c.client.EditBatch(t.Context(), id, api.CancelBatch, 0))(t)
		p.end(os.Kill)
		must(0, dbtest.EndLeases(t.Context(), c.db))(t)

		p = c.process()
		c.client = p.client
		cancelled := len(server.Messages())
		next := must(c.client.AddBatch(t.Context(), message, []api.Population{{ListID: 1}}, 0, false, api.BatchOptions{}))(t)
		c.untilCompleted(next)
		record := must(c.client.GetBatchByID(t.Context(), id))(t)
		p.end(os.Kill)
		if record.SendStatus != "cancelled" {
			t.Errorf("Batch %d is %s, want cancelled", id, record.SendStatus)
		}
		if got := len(server.Messages()) - cancelled; got != crashRecipients {
			t.Errorf("%d mails arrived after the cancellation, want only the %d of the next Batch", got, crashRecipients)
		}
		arrived, stored := int64(cancelled-before), record.SendCurrentCount
		if stored > arrived || arrived > stored+16*8 {
			t.Errorf("%d mails of the cancelled Batch arrived and %d are stored as sent", arrived, stored)
		}
	}
}
