package main

import (
	"errors"
	"fmt"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/recipients"
)

// This file makes what the pages show of years: Batches to all Contacts with their opens and clicks, reasons of
// departures, the Unsubscriber List, and the days of all Lists. For each Contact there are about ten mails, opens and
// clicks.

const (
	largeBatches = 4   // to all Contacts
	yearDays     = 365 // of each List
)

// The statements have the columns and values that packages batches and sending write. Of ten Contacts eight open a
// mail, seven by themselves, and three click. They do so within two days.
const (
	openedAt = "sent_time + 60 + contact_id * 7919 % 172800"

	addRecipients = `INSERT INTO recipient (list_id, batch_id, contact_id, slice, status, time, attempts, address,
			detail, sent_time, unsubscribed_time, deactivated_time)
		SELECT list_id, CAST(? AS BIGINT), id, 1, 'sent', CAST(? AS BIGINT), 0, dedupe_key, '250 ok',
			CAST(? AS BIGINT), 0, 0
		FROM contact WHERE list_id = ? AND id BETWEEN ? AND ?`

	ofRecipients = `time, last_time, count, human_time, device, mail_client)
		SELECT list_id, batch_id, contact_id, `
	fromRecipients = ` FROM recipient WHERE list_id = ? AND batch_id = ? AND contact_id BETWEEN ? AND ?
		AND status = 'sent' AND contact_id % 10 `
	addEvent = "INSERT INTO recipient_event (list_id, batch_id, contact_id, kind, link_id, " + ofRecipients
	addOpens = addEvent + "'opened', 0, " + openedAt + ", " + openedAt + ", 1, " +
		"CASE contact_id % 10 WHEN 7 THEN 0 ELSE " + openedAt + ` END, CASE contact_id % 2 WHEN 0 THEN 'mobile' ELSE 'desktop' END,
		CASE contact_id % 3 WHEN 0 THEN 'gmail' WHEN 1 THEN 'apple' ELSE 'outlook' END` + fromRecipients + "< 8"
	addClicks = addEvent + "'clicked', 0, " + openedAt + ", " + openedAt + ", 1, " + openedAt + ", '', ''" +
		fromRecipients + "< 3"
	addLinks = addEvent + "'link', CAST(? AS BIGINT), " + openedAt + ", " + openedAt + ", 1, " + openedAt + ", '', ''" +
		fromRecipients + "< 3"

	addReasons = `INSERT INTO departure (list_id, contact_id, time, reason, words)
		SELECT list_id, id, creation_time, CASE id % 3 WHEN 0 THEN 'too_many' WHEN 1 THEN 'not_interesting'
			ELSE 'other' END, CASE WHEN id % 250 = 0 THEN 'Once a month is enough.' ELSE '' END
		FROM contact WHERE list_id = ? AND id BETWEEN ? AND ? AND id % 50 = 0`
	addUnsubscribers = `INSERT INTO unsubscriber (account_id, list_id, contact_id, address_type, address, address_key,
			time)
		SELECT list.account_id, list_id, contact.id, 'email', dedupe_key, dedupe_key, contact.creation_time
		FROM contact JOIN list ON list.id = list_id
		WHERE list_id = ? AND contact.id BETWEEN ? AND ? AND contact.id % 10 = 0`
	addDays = `INSERT INTO list_day (list_id, day, contacts, added, confirmed, unsubscribed, bounced, complained,
			removed)
		SELECT id, CAST(? AS BIGINT), 1, 2, 0, 1, 0, 0, 0 FROM list WHERE true ON CONFLICT (list_id, day) DO NOTHING`
)

var (
	devices = []pace.Device{"mobile", "desktop"}
	clients = []string{"gmail", "apple", "outlook"}
)

// addLargeBatches adds the Batches to all Contacts, which were sent a week after one another. They are the first
// ones of the database, and have no recipients yet.
func (b *bench) addLargeBatches(in *mailingList) (all []batches.Batch, err error) {
	store, _, caller, err := b.open(in.db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return all, store.Update(b.ctx, func(tx *db.Tx) error {
		all = nil
		for weeks := int64(1); weeks <= largeBatches; weeks++ {
			at := time.Now().Unix() - weeks*7*enlist.Day
			one := batches.Batch{AccountID: caller.Account.ID, CreatorKeyID: caller.Key.ID, CreationTime: at,
				ListID: in.list, MessageID: in.message, MessageType: "email", Name: fmt.Sprintf("%d weeks ago", weeks),
				IsPopulated: true, Status: batches.BatchCompleted, SendTime: at, Begun: at, FirstSent: at, LastSent: at,
				ActiveTime: at}
			one.Recipients, one.Sent = int64(b.Contacts), int64(b.Contacts)
			to := []batches.Population{{List: in.list, Type: batches.PopulationList, Done: true}}
			if err := one.Insert(tx, to); err != nil {
				return err
			}
			all = append(all, one)
		}
		return nil
	})
}

// addEvents makes the past of a List. No server runs.
func (b *bench) addEvents(in *mailingList, large []batches.Batch) (err error) {
	store, err := b.openStore(in.db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for i := range large {
		b.say("adding the mails, opens and clicks of the Batch %d of %d", i+1, len(large))
		if err := b.addEventsOf(store, in, &large[i]); err != nil {
			return fmt.Errorf("events of the Batch %d: %w", large[i].ID, err)
		}
	}
	list := int64(in.list)
	err = b.inContacts(store, in, func(tx *db.Tx, first, last int64) error {
		return errors.Join(tx.Do(addReasons, list, first, last), tx.Do(addUnsubscribers, list, first, last))
	})
	if err != nil {
		return err
	}
	for i := range int64(yearDays) {
		day := enlist.DayOf(time.Now().Unix()-i*enlist.Day, "")
		if err := store.Update(b.ctx, func(tx *db.Tx) error { return tx.Do(addDays, day) }); err != nil {
			return err
		}
	}
	return nil
}

// inContacts calls write for the Contacts of a List, in transactions of 1,000.
func (b *bench) inContacts(store db.Engine, in *mailingList, write func(tx *db.Tx, first, last int64) error) error {
	return b.inBatches(store, b.Contacts, func(tx *db.Tx, from, to int) error {
		return write(tx, int64(in.first)+int64(from), int64(in.first)+int64(to)-1)
	})
}

// addEventsOf adds the recipients of a Batch, their opens and clicks, and the sums.
func (b *bench) addEventsOf(store db.Engine, in *mailingList, one *batches.Batch) error {
	list, batch, link := int64(in.list), int64(one.ID), int64(0)
	err := store.Update(b.ctx, func(tx *db.Tx) (err error) {
		link, err = tx.Number("SELECT min(id) FROM link WHERE message_id = ?", int64(in.message))
		return err
	})
	if err != nil {
		return err
	}
	err = b.inContacts(store, in, func(tx *db.Tx, first, last int64) error {
		return errors.Join(tx.Do(addRecipients, batch, one.SendTime, one.SendTime, list, first, last),
			tx.Do(addOpens, list, batch, first, last), tx.Do(addClicks, list, batch, first, last),
			tx.Do(addLinks, link, list, batch, first, last))
	})
	if err != nil {
		return err
	}
	return store.Update(b.ctx, func(tx *db.Tx) error { return b.addSumsOf(tx, in, one, enlist.LinkID(link)) })
}

// addSumsOf adds the sums of the events of a Batch.
func (b *bench) addSumsOf(tx *db.Tx, in *mailingList, one *batches.Batch, link enlist.LinkID) error {
	type period struct{ time, part int64 }
	sums := make(map[period]*recipients.Sums)
	agents := make(map[recipients.AgentSums]int64)
	var domains recipients.DomainChanges
	domain := domains.To(address(0))
	links := recipients.LinkSums{Link: link, URL: "https://example.com/"}
	for id := int64(in.first); id < int64(in.first)+int64(b.Contacts); id++ {
		domain.Sent++
		if id%10 > 7 {
			continue
		}
		at := period{one.Period(one.SendTime + 60 + id*7919%172800), one.SumPart(enlist.ContactID(id))}
		if sums[at] == nil {
			sums[at] = new(recipients.Sums)
		}
		change := recipients.Sums{Opens: 1, ImageOpened: 1, HumanOpened: db.Bit(id%10 != 7)}
		if clicks := db.Bit(id%10 < 3); clicks > 0 {
			change.Clicks, change.Clicked, change.LinksClicked, change.HumanClicked, change.HumanLinks = 1, 1, 1, 1, 1
			links.Clicks, links.Contacts, links.Humans = links.Clicks+1, links.Contacts+1, links.Humans+1
		}
		sums[at].Add(&change)
		domain.Opened, domain.HumanOpened = domain.Opened+1, domain.HumanOpened+change.HumanOpened
		domain.Clicked, domain.HumanClicked = domain.Clicked+change.Clicked, domain.HumanClicked+change.HumanClicked
		agents[recipients.AgentSums{Device: devices[id%2], Client: clients[id%3]}]++
	}
	for at, s := range sums {
		if err := recipients.AddSums(tx, one.ID, at.time, at.part, s); err != nil {
			return err
		}
	}
	for agent, n := range agents {
		agent.Opened = n
		if err := recipients.AddAgent(tx, one.ID, 0, &agent); err != nil {
			return err
		}
	}
	return errors.Join(recipients.AddLink(tx, one.ID, 0, &links), domains.Store(tx, one.ID))
}
