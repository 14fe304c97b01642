package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/jobs"
	enlistmail "enlist/internal/mail"
	"enlist/internal/sending"
)

// This file sends Batches beside the jobs of the queue. The tests of the BatchSender itself are in package sending.

// startBatches starts the workers of the queue and the sender of Batches.
func (p *listWithMailServer) startBatches() {
	p.Helper()
	key, err := p.service.Messages.LinkKey(p.Context())
	p.must(err)
	quiet := slog.New(slog.DiscardHandler)
	mailer, err := enlistmail.New(enlistmail.Options{From: "news@example.com", PublicURL: "https://example.com", Key: key, Links: p.service.Sending,
		Transport: enlistmail.Transport{SMTP: p.server.URL(), Key: key, Log: quiet, Connections: 4}})
	p.must(err)
	p.Cleanup(func() { mailer.Close() })
	slots := sending.NewSlots(8)
	sender := p.service.Sending.NewBatchSender(sending.SenderOptions{Mailer: mailer, Slots: slots, Connections: 4, Log: quiet})
	p.start(jobs.Options{Service: p.service, Mailer: mailer, Slots: slots, Batches: sender, Poster: p.poster, Log: quiet}, nil)
	sender.Start()
	p.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		sender.Stop(ctx)
	})
}

// addBatch subscribes n Contacts and adds a Batch for the List. It sets the Message and the populations of the request.
func (p *listWithMailServer) addBatch(n int, r batches.BatchRequest) enlist.BatchID {
	p.Helper()
	for i := range n {
		p.subscribe(fmt.Sprintf("a%d@example.com", i))
	}
	message, err := p.service.Messages.AddMessage(p.Context(), p.caller, []enlist.Detail{detail("name", "May"), detail("subject", "Hello {{Email}}"),
		detail("text_content", "Dear {{Email}}"), detail("html_content", "<p>Dear {{Email}}</p>")})
	p.must(err)
	r.Message, r.Populations = message, []batches.PopulationRequest{{List: p.list}}
	id, err := p.service.Batches.AddBatch(p.Context(), p.caller, r)
	p.must(err)
	return id
}

// untilStatus waits until a Batch has a status.
func (p *listWithMailServer) untilStatus(id enlist.BatchID, want batches.BatchStatus) *batches.Batch {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		b, err := p.service.Batches.Batch(ctx, p.caller, id)
		p.must(err)
		if b.Status == want {
			return b
		}
		<-look.C
	}
}
