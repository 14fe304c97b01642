package demo

import (
	"context"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file sends the Messages of the club in Batches, and says how long other mails waited. No mail leaves: each mail
// only gets a result.

// addQueueAges adds how long other mails waited in the last day: for 40 minutes, the mail server did not answer.
func (b *builder) addQueueAges(ctx context.Context) error {
	return b.app.DB.Update(ctx, func(tx *db.Tx) error {
		for _, a := range []sending.QueueAge{{Time: b.end - 15*enlist.Hour, Age: 2460},
			{Time: b.end - 9*enlist.Hour, Age: 240}, {Time: b.end - 2*enlist.Hour, Age: 540}} {
			if err := sending.PutQueueAge(tx, b.caller.Account.ID, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// addMessage adds the Message of a send with its links.
func (b *builder) addMessage(ctx context.Context, c *enlist.Caller, s *send) (enlist.MessageID, error) {
	id, err := b.app.Messages.AddMessage(ctx, c, append(details("name", s.name, "subject", s.subject, "other_subjects", s.second),
		b.content(s.letter, s.list == news)...))
	if err != nil {
		return 0, err
	}
	m, err := b.app.Messages.Message(ctx, c, id)
	if err != nil {
		return 0, err
	}
	var urls []string
	for _, l := range s.links {
		urls = append(urls, l.url)
	}
	s.ids, err = b.app.Sending.LinkTargets(ctx, id, m.LastModifiedTime, urls)
	return id, err
}

// addBatch adds the Message and the Batch of a send, and begins to send it.
func (b *builder) addBatch(ctx context.Context, s *send) error {
	by := b.caller
	if s.by != "" {
		var err error
		if by, err = b.signIn(ctx, s.by); err != nil {
			return err
		}
	}
	message, err := b.addMessage(ctx, by, s)
	if err != nil {
		return err
	}
	r := batches.BatchRequest{Message: message, Options: batches.BatchOptions{Name: s.name},
		Populations: []batches.PopulationRequest{{List: b.lists[s.list].id, Criteria: s.to}}}
	if s.second != "" {
		r.Options.VariantOptions = batches.VariantOptions{Share: 40, Hours: 4,
			Variants: []batches.Variant{{}, {Subject: s.second}}}
	}
	if s.later > 0 {
		r.SendTime = b.daysAgo(-s.later, 9)
	}
	id, err := b.app.Batches.AddBatch(ctx, by, r)
	if err != nil {
		return err
	}
	if err := b.prepare(ctx, id); err != nil {
		return err
	}
	b.batch[id] = s
	found, err := b.app.Batches.Batch(ctx, b.caller, id)
	if err != nil {
		return err
	}
	b.say("Batch %q: %d recipients", s.name, found.ToSend())
	if s.later == 0 {
		b.later(20, func(ctx context.Context) error { return b.sendSlice(ctx, id) })
	}
	return nil
}

// later adds an event some seconds from now that runs alone.
func (b *builder) later(seconds int64, do func(context.Context) error) {
	b.add(b.seconds.Load()+seconds, enlist.PersonKey{}, do)
}

const (
	sliceTime  = 15      // seconds for the mails of a slice
	retryTime  = 10 * 60 // seconds until the next look whether the winner of the variants is known
	pausedWhen = 9       // slices until complaints pause a Batch
)

// sendSlice sends the next slice of a Batch, and adds what the recipients do to the timeline.
func (b *builder) sendSlice(ctx context.Context, id enlist.BatchID) error {
	s := b.batch[id]
	only := sending.LeaseTurn{Skip: func(_ enlist.AccountID, other enlist.BatchID) bool { return other != id }}
	slice, next, err := b.app.Sending.LeaseSlice(ctx, b.holder, only)
	if err != nil {
		return err
	}
	wait := int64(sliceTime)
	if slice == nil {
		if next == 0 {
			return nil // the Batch is completed or paused
		}
		wait = retryTime
	} else if err := b.hand(ctx, s, slice); err != nil {
		return err
	}
	b.later(wait, func(ctx context.Context) error { return b.sendSlice(ctx, id) })
	return nil
}

// hand hands the mails of a slice over, and stores their results.
func (b *builder) hand(ctx context.Context, s *send, slice *sending.LeasedSlice) error {
	all := slice.Recipients
	s.slices++
	pauses := s.complains && (s.slices == pausedWhen || b.Scale > 1)
	if pauses {
		all = all[:(len(all)+1)/2]
	}
	next, err := b.app.Sending.BatchMails(ctx, []sending.BatchPart{{Slice: slice, Recipients: all}})
	if err != nil {
		return err
	}
	if _, err := b.app.Sending.AdvanceBatches(ctx, next); err != nil {
		return err
	}
	done := sending.BatchProgress{Slice: slice, Release: true}
	for i := range next[0].Mark {
		m := &next[0].Mark[i]
		r := newReader(m.Delivery)
		done.Results = append(done.Results, sending.BatchResult{Recipient: m.Recipient, Address: m.Address,
			Failed: r.refuses()})
		b.expect(s, r)
	}
	if _, err := b.app.Sending.AdvanceBatches(ctx, []sending.BatchProgress{done}); err != nil {
		return err
	}
	for i := range min(3, len(next[0].Mark)) { // so many of 1,000 pause a Batch
		if !pauses {
			break
		}
		if _, err := b.app.Sending.Complained(ctx, next[0].Mark[i].Delivery, complaint); err != nil {
			return err
		}
	}
	return nil
}

// undelivered returns the answer of a mail server that refuses a recipient.
func undelivered(code int, text string) *messages.Undelivered {
	return &messages.Undelivered{Permanent: true, Recipient: true, Code: code, Detail: text}
}
