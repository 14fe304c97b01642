package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/mail"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/jobs"
	"enlist/internal/mail/mailtest"
	"enlist/internal/sending"
)

// This test kills the program while it populates and sends Batches.

// Each round adds a Batch and kills the program at a random moment of its population or sending. The Batches are in turn
// plain ones, with variants, and with local times. In some rounds the test pauses and continues the Batch before. On
// PostgreSQL two processes send, and the test kills one of them or both. At the end another process sends the rest. Each
// recipient of each Batch has the mail. Two mails of a recipient have the same Message-ID, and the counts of the Batch
// equal what the mail server has seen.
//
// covers: spec batch.doubt, batch.counts, batch.variants, batch.local_time, decision 59
func TestKilledServerSendsEachMailOfABatch(t *testing.T) {
	dbtest.EachParallel(t, killedServerSendsEachMailOfABatch)
}

const crashRecipients = 300

// crashRounds returns the number of rounds of a test that kills processes: that of the environment variable
// ENLIST_CRASH_ROUNDS, or usual.
func crashRounds(t *testing.T, usual int) int {
	t.Helper()
	text := os.Getenv("ENLIST_CRASH_ROUNDS")
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("ENLIST_CRASH_ROUNDS is %q: expected a number of rounds", text)
	}
	return n
}

func killedServerSendsEachMailOfABatch(t *testing.T, e dbtest.Engine) {
	if testing.Short() {
		t.Skip("this test kills processes: run it with \"make faults\"")
	}
	rounds := crashRounds(t, 12)
	server := mailtest.Start(t, mailtest.Options{})
	server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Wait(time.Millisecond)))
	c := newCrash(t, e, server.URL())
	var ids []int64
	var message int64
	for round := range rounds {
		processes := []*process{c.process()}
		if strings.HasPrefix(c.db, "postgres:") {
			processes = append(processes, c.process())
		}
		c.client = processes[0].client
		if round == 0 {
			message = c.recipients()
		}
		ids = append(ids, c.addBatch(round, message))
		sendFor(t.Context(), server, rand.IntN(crashRecipients))
		c.chooseWinner(round, ids[round])
		if round%3 == 1 {
			must(0, c.client.EditBatch(t.Context(), ids[round], api.PauseBatch, 0))(t)
			must(0, c.client.EditBatch(t.Context(), ids[round], api.UnpauseBatch, 0))(t)
		}
		for i, p := range processes {
			if i > 0 && round%2 == 1 { // the other process continues for a moment
				sendFor(t.Context(), server, rand.IntN(crashRecipients))
			}
			p.end(os.Kill)
			c.killed++
		}
	}
	c.sendBatches(server.URL(), ids)
	c.onlyDoubtfulAgain(c.inspectBatches(server.Messages(), ids, crashRecipients))
}

// A real mail server gets the mails of some Batches, which are of the same kinds. In each round the test kills the program, the mail server or both
// at a random moment, and starts them again. At the end each recipient of each Batch has the mail.
//
// covers: decision 59, spec batch.variants, batch.local_time
func TestKilledServerSendsBatchesThroughOpenSMTPD(t *testing.T) {
	t.Parallel()
	sink := mailtest.Start(t, mailtest.Options{})
	server := mailtest.StartOpenSMTPD(t, sink)
	c := newCrash(t, dbtest.SQLite, server.URL())
	var ids []int64
	var message int64
	rounds := crashRounds(t, 4)
	recipients := max(20, 400/rounds) // OpenSMTPD forwards few mails a second
	for round := range rounds {
		p := c.process()
		c.client = p.client
		if round == 0 {
			message = c.recipientsAt(server.Domain, recipients)
		}
		ids = append(ids, c.addBatch(round, message))
		c.chooseWinner(round, ids[round])
		sendFor(t.Context(), sink, rand.IntN(recipients))
		if round > 0 {
			server.Kill()
		}
		p.end(os.Kill)
		c.killed++
		if round > 0 {
			server.Start()
		}
	}
	c.sendBatches(server.URL(), ids)
	server.Until("all mails have arrived", time.Duration(3+rounds)*time.Minute, func() bool {
		return len(messageIDs(t, server.Arrived())) >= len(ids)*recipients
	})
	c.inspectBatches(server.Arrived(), ids, int64(recipients)) // OpenSMTPD may also repeat a mail after a kill
}

// recipients adds a Message and the Contacts, and returns the Message.
func (c *crash) recipients() int64 {
	c.t.Helper()
	return c.recipientsAt("example.com", crashRecipients)
}

// recipientsAt is recipients for n addresses of a domain.
func (c *crash) recipientsAt(domain string, n int) int64 {
	c.t.Helper()
	rows := make([]api.Details, n)
	for i := range rows {
		rows[i] = api.Details{"Email": fmt.Sprintf("r%d@%s", i, domain), "Zone": []string{"Asia/Tokyo", ""}[i%2]}
	}
	must(c.client.AddField(c.t.Context(), 1, api.Details{"name": "Zone", "type": "text"}))(c.t)
	must(c.client.AddContacts(c.t.Context(), 1, rows, api.AddOptions{}))(c.t)
	return must(c.client.AddMessage(c.t.Context(), api.Details{"name": "May", "subject": "Batch {{Email}}", "text_content": "Hello"}))(c.t)
}

// addBatch adds the Batch of a round. Of a Batch with local times, the recipients in Tokyo are due at once, and the others
// in two seconds.
func (c *crash) addBatch(round int, message int64) int64 {
	c.t.Helper()
	var sendTime int64
	var o api.BatchOptions
	switch round % 3 {
	case 1:
		o.Variants, o.TestShare, o.Winner = []api.BatchVariant{{}, {Subject: "Other {{Email}}"}}, 50, "hand"
	case 2:
		sendTime, o.LocalTime = time.Now().Unix()+2, "Zone"
	}
	return must(c.client.AddBatch(c.t.Context(), message, []api.Population{{ListID: 1}}, sendTime, false, o))(c.t)
}

// chooseWinner chooses the winner if the Batch of a round has variants.
func (c *crash) chooseWinner(round int, batch int64) {
	c.t.Helper()
	if round%3 == 1 {
		must(0, c.client.ChooseBatchWinner(c.t.Context(), batch, 2))(c.t)
	}
}

// sendBatches sends the rest of the Batches, as a process that starts minutes after the last one was killed.
func (c *crash) sendBatches(smtp string, all []int64) {
	c.t.Helper()
	must(0, dbtest.AgeKilledJobs(c.t.Context(), c.db))(c.t)
	store := c.open()
	defer store.Close()
	service := app.New(store, time.Now)
	must(0, service.ReadSettings(c.t.Context()))(c.t)
	quiet := slog.New(slog.DiscardHandler)
	mailer, _, err := newMailer(c.t.Context(), config.Serve{SMTP: smtp, PublicURL: "http://localhost", MailConnections: 8},
		service, nil, quiet)
	if err != nil {
		c.t.Fatal(err)
	}
	defer mailer.Close()
	slots := sending.NewSlots(16)
	sender := service.Sending.NewBatchSender(sending.SenderOptions{Mailer: mailer, Slots: slots, Log: quiet})
	settings := jobs.Config(jobs.Options{Service: service, Store: store, Mailer: mailer, Slots: slots, Batches: sender, Log: quiet})
	settings.Timeout, settings.RescueAfter = 0, 2*time.Second
	client, err := store.jobs(settings)
	if err != nil {
		c.t.Fatal(err)
	}
	client.Start(c.t.Context())
	defer client.StopAndCancel(context.Background())
	sender.Start()
	defer sender.Stop(c.t.Context())
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Minute)
	defer cancel()
	caller, err := service.Accounts.Operator(ctx, 1)
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for _, id := range all {
		for status := batches.BatchStatus(""); status != batches.BatchCompleted; <-look.C {
			b, failed := service.Batches.Batch(ctx, caller, enlist.BatchID(id))
			if err != nil || failed != nil {
				c.t.Fatalf("Batch %d is not completed: %v, %v", id, err, failed)
			}
			status = b.Status
		}
	}
}

// countOthers returns how many mails have the subject of the second variant. All messages with a Message-ID must have the
// same subject.
func countOthers(t *testing.T, messages []mailtest.Message) (others int64) {
	t.Helper()
	subjects := make(map[string]string)
	for _, m := range messages {
		read := must(mail.ReadMessage(bytes.NewReader(m.Data)))(t)
		id, subject := read.Header.Get("Message-Id"), read.Header.Get("Subject")
		switch before, again := subjects[id]; {
		case again && before != subject:
			t.Errorf("the mail %s has the subjects %q and %q", id, before, subject)
		case !again && strings.HasPrefix(subject, "Other "):
			others++
		}
		subjects[id] = subject
	}
	return others
}

// messageIDs counts the messages with each Message-ID.
func messageIDs(t *testing.T, messages []mailtest.Message) map[string]int {
	t.Helper()
	counts := make(map[string]int)
	for _, m := range messages {
		read, err := mail.ReadMessage(bytes.NewReader(m.Data))
		if err != nil {
			t.Fatal(err)
		}
		counts[read.Header.Get("Message-Id")]++
	}
	return counts
}

// inspectBatches compares the Batches with the messages that the mail server has accepted. It returns how many messages
// arrived again, and how many mails were in doubt.
func (c *crash) inspectBatches(messages []mailtest.Message, ids []int64, recipients int64) (again, doubt int64) {
	c.t.Helper()
	mails := messageIDs(c.t, messages)
	again = int64(len(messages) - len(mails))
	if want := len(ids) * int(recipients); len(mails) != want {
		c.t.Errorf("%d different mails arrived, want %d", len(mails), want)
	}
	store := c.open()
	defer store.Close()
	c.check(store)
	service := app.New(store, time.Now)
	caller, err := service.Accounts.Operator(c.t.Context(), 1)
	if err != nil {
		c.t.Fatal(err)
	}
	others := int64(0) // mails of the second variants
	for _, id := range ids {
		b, err := service.Batches.Batch(c.t.Context(), caller, enlist.BatchID(id))
		if err != nil || b.Sent != recipients || b.Recipients != recipients {
			c.t.Errorf("Batch %d has the counts %+v, %v, want %d sent", id, b.Counts, err, recipients)
			continue
		}
		doubt += b.Repeated
		report, err := service.Reports.BatchReport(c.t.Context(), caller, enlist.BatchID(id))
		if err != nil {
			c.t.Fatal(err)
		}
		for _, v := range report.ByVariant {
			if v.Winner {
				others += v.Sent
			}
		}
	}
	if got := countOthers(c.t, messages); got != others {
		c.t.Errorf("%d mails of the second variant arrived, and %d are counted", got, others)
	}
	// Each of the 8 connections of a killed process has marked at most 16 recipients.
	if most := int64(16 * 8 * c.killed); doubt > most {
		c.t.Errorf("%d mails were in doubt, want at most %d", doubt, most)
	}
	c.t.Logf("%d Batches, %d mails, %d in doubt, %d arrived twice", len(ids), len(mails), doubt, again)
	return again, doubt
}

// onlyDoubtfulAgain reports an error if more mails arrived again than were in doubt.
func (c *crash) onlyDoubtfulAgain(again, doubt int64) {
	c.t.Helper()
	if again > doubt {
		c.t.Errorf("%d mails arrived again, but only %d were in doubt", again, doubt)
	}
}
