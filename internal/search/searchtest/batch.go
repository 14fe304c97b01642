package searchtest

import (
	"context"
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file draws which Contacts of a random List were sent Batches, and criteria about them.

// batchKeys are the keys of criteria about Batches.
var batchKeys = []string{enlist.KeyBatchSent, enlist.KeyBatchOpened, enlist.KeyBatchClicked,
	enlist.KeyBatchOpensMeasured, enlist.KeyBatchClicksMeasured}

// sendBatches stores three Batches with random recipients, opens and clicks. The model has the IDs of the Batches with
// a comma before and after each.
func (l *list) sendBatches(t *rapid.T, store db.Engine) {
	now := int64(1_700_000_000)
	chosen := make(map[string]bool) // by key, Batch and index of the Contact
	for _, key := range batchKeys {
		for batch := range 3 {
			for i := range l.records {
				chosen[fmt.Sprint(key, batch+1, " ", i)] = rapid.Bool().Draw(t, "sent")
			}
		}
	}
	for what, sent := range chosen {
		if of, isMeasured := strings.CutPrefix(what, enlist.KeyBatchOpensMeasured); isMeasured {
			chosen[what] = sent && chosen[enlist.KeyBatchSent+of]
		}
		if of, isMeasured := strings.CutPrefix(what, enlist.KeyBatchClicksMeasured); isMeasured {
			chosen[what] = sent && chosen[enlist.KeyBatchSent+of]
		}
	}
	err := store.Update(context.Background(), func(tx *db.Tx) error {
		for batch := range enlist.BatchID(3) {
			for i := range l.records {
				is := func(key string) bool { return chosen[fmt.Sprint(key, batch+1, " ", i)] }
				if err := l.sendBatch(tx, batch+1, enlist.ContactID(l.records[i].id), is, now); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.records {
		for _, key := range batchKeys {
			l.records[i].values[key] = ","
			for batch := range 3 {
				if chosen[fmt.Sprint(key, batch+1, " ", i)] {
					l.records[i].values[key] += fmt.Sprint(batch+1, ",")
					if key == enlist.KeyBatchSent {
						l.records[i].values["last_message_time"] = "1"
					}
				}
			}
		}
	}
}

// sendBatch makes a Contact a recipient of a Batch, with the events for which is returns true.
func (l *list) sendBatch(tx *db.Tx, batch enlist.BatchID, id enlist.ContactID, is func(key string) bool,
	now int64) error {
	ids := []enlist.ContactID{id}
	slice := recipients.FilledSlice{Slice: recipients.Slice{Batch: batch, List: l.id, First: id, Last: id},
		Contacts: ids}
	if _, err := recipients.AddSlices(tx, []recipients.FilledSlice{slice}, true, now); err != nil {
		return err
	}
	if is(enlist.KeyBatchSent) {
		var lacks enlist.Unmeasured
		if !is(enlist.KeyBatchOpensMeasured) {
			lacks |= enlist.UnmeasuredOpens
		}
		if !is(enlist.KeyBatchClicksMeasured) {
			lacks |= enlist.UnmeasuredClicks
		}
		if err := recipients.MarkSending(tx, l.id, batch, ids, now); err != nil {
			return err
		}
		if _, err := recipients.MarkSent(tx, l.id, batch, ids, lacks, 1); err != nil {
			return err
		}
		if err := contacts.Sent(tx, l.id, ids, 1); err != nil {
			return err
		}
	}
	for key, kind := range map[string]recipients.EventKind{enlist.KeyBatchOpened: recipients.EventOpened,
		enlist.KeyBatchClicked: recipients.EventClicked} {
		if !is(key) {
			continue
		}
		e := recipients.Event{List: l.id, Batch: batch, Contact: id, Kind: kind, Time: now, LastTime: now, Count: 1}
		if err := e.Put(tx); err != nil {
			return err
		}
	}
	return nil
}

// batchTest draws a criterion about Batches.
func (l *list) batchTest(t *rapid.T) enlist.Criteria {
	c := enlist.Criteria{Key: rapid.SampledFrom(batchKeys).Draw(t, "key"),
		Operator: rapid.SampledFrom([]string{"exactly", "not", "in"}).Draw(t, "operator")}
	number := func() enlist.Input {
		text := rapid.SampledFrom([]string{"1", "2", "3", "4", "-1", "1.5", ""}).Draw(t, "Batch")
		return enlist.TextInput(text)
	}
	c.Value = number()
	if c.Operator == "in" {
		c.Value = enlist.Input{Kind: enlist.InputArray, Items: []enlist.Input{number(), number()}}
	}
	return c
}
