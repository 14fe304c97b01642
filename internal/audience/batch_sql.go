package audience

import (
	"cmp"
	"database/sql/driver"
	"math"
	"strings"

	"enlist/internal/enlist"
)

// This file stores Batches and their populations. recipient.go stores the recipients, and
// batchslice.go the slices.

func mapBatch(m *mapper, b *Batch) {
	m.id("id", (*int64)(&b.ID))
	m.fixed("account_id", (*int64)(&b.AccountID))
	m.fixed("creator_key_id", (*int64)(&b.CreatorKeyID))
	m.fixed("creator_name", &b.CreatorName)
	m.fixed("creation_time", &b.CreationTime)
	m.fixed("list_id", (*int64)(&b.ListID))
	m.value("message_id", (*int64)(&b.MessageID))
	m.fixed("message_type", &b.MessageType)
	m.fixed("is_test", &b.IsTest)
	m.fixed("name", &b.Name)
	m.fixed("rate", &b.Rate)
	m.fixed("skips_doubtful", &b.SkipsDoubtful)
	m.fixed("local_time", &b.LocalTime)
	m.value("variants", variantsJSON{&b.Variants})
	m.value("is_scheduled", &b.IsScheduled)
	m.value("is_populated", &b.IsPopulated)
	m.value("status", (*string)(&b.Status))
	m.value("reason", &b.Reason)
	m.value("send_time", &b.SendTime)
	m.value("active_time", &b.ActiveTime)
	m.value("recent_mails", &b.RecentMails)
	m.value("recent_bounces", &b.RecentBounces)
	m.value("recent_complaints", &b.RecentComplaints)
	m.value("begun_time", &b.Begun)
	m.computed("events_removed", &b.EventsRemoved) // only MarkEventsRemoved and SetEventsRemoved change it
	m.fixed("first_sent_time", &b.FirstSent)
	m.fixed("last_sent_time", &b.LastSent)
	mapBatchCounts(m, &b.BatchCounts)
}

// mapBatchCounts describes the columns to which AddToBatch adds.
func mapBatchCounts(m *mapper, c *BatchCounts) {
	m.fixed("recipients", &c.Recipients)
	m.fixed("sent", &c.Sent)
	m.fixed("refused", &c.Refused)
	m.fixed("bounced", &c.Bounced)
	m.fixed("failed", &c.Failed)
	m.fixed("skipped", &c.Skipped)
	m.fixed("complained", &c.Complained)
	m.fixed("unsubscribed", &c.Unsubscribed)
	m.fixed("deactivated", &c.Deactivated)
	m.fixed("repeated", &c.Repeated)
	m.fixed("doubtful", &c.Doubtful)
	m.fixed("contradicted", &c.Contradicted)
	m.fixed("left_unsubscribed", &c.LeftUnsubscribed)
	m.fixed("left_inactive", &c.LeftInactive)
	m.fixed("left_unconfirmed", &c.LeftUnconfirmed)
	m.fixed("left_no_address", &c.LeftNoAddress)
	m.fixed("left_suppressed", &c.LeftSuppressed)
	m.fixed("left_duplicate", &c.LeftDuplicate)
	m.fixed("left_sent_before", &c.LeftSentBefore)
	m.fixed("left_excluded", &c.LeftExcluded)
	m.fixed("left_gone", &c.LeftGone)
}

func mapPopulation(m *mapper, p *Population) {
	m.naturalKey("batch_id", (*int64)(&p.Batch))
	m.naturalKey("number", &p.Number)
	m.fixed("list_id", (*int64)(&p.List))
	m.value("type", (*string)(&p.Type))
	m.value("contacts", (*contactSet)(p))
	m.fixed("criteria", criteriaJSON{&p.Criteria})
	m.fixed("at_send", &p.AtSend)
	m.value("upto", (*int64)(&p.Upto))
	m.value("last_id", (*int64)(&p.Last))
	m.value("done", &p.Done)
}

// contactSet is the set of Contacts of a population, stored as JSON.
type contactSet Population

func (p *contactSet) decode(v driver.Value) error { return decodeJSON(v, &p.Contacts) }
func (p *contactSet) encode() (any, error)        { return encodeJSON(len(p.Contacts), p.Contacts) }

// variantsJSON are the variants of a Batch, stored as JSON. "" means none.
type variantsJSON struct{ variants **Variants }

func (p variantsJSON) decode(v driver.Value) error { return decodeJSON(v, p.variants) }

func (p variantsJSON) encode() (any, error) {
	if *p.variants == nil {
		return "", nil
	}
	return encodeJSON(1, *p.variants)
}

// criteriaJSON is criteria, stored as JSON. "" means none.
type criteriaJSON struct{ criteria **enlist.Criteria }

func (p criteriaJSON) decode(v driver.Value) error { return decodeJSON(v, p.criteria) }

func (p criteriaJSON) encode() (any, error) {
	if *p.criteria == nil {
		return "", nil
	}
	return encodeJSON(1, *p.criteria)
}

var (
	batchTable      = newMapping("batch", mapBatch)
	populationTable = newMapping("batch_population", mapPopulation)
	addToBatch      = addToBatchStatement()
)

// addToBatchStatement returns the UPDATE of AddToBatch. Its first arguments are the counts.
// RecentMails, RecentBounces and RecentComplaints are halved when there are 1,000 mails, so that old mails lose
// their weight.
func addToBatchStatement() string {
	m := new(mapper)
	mapBatchCounts(m, new(BatchCounts))
	set := make([]string, len(m.columns))
	for i, c := range m.columns {
		set[i] = c.name + " = " + c.name + " + ?"
	}
	return "UPDATE batch SET " + strings.Join(set, ", ") + `, active_time = ?,
		first_sent_time = CASE WHEN first_sent_time = 0 THEN CAST(? AS BIGINT) ELSE first_sent_time END,
		last_sent_time = CASE WHEN last_sent_time < CAST(? AS BIGINT) THEN CAST(? AS BIGINT) ELSE last_sent_time END,
		recent_mails = CASE WHEN recent_mails < 1000 THEN recent_mails ELSE recent_mails / 2 END + ?,
		recent_bounces = CASE WHEN recent_mails < 1000 THEN recent_bounces ELSE recent_bounces / 2 END + ?,
		recent_complaints = CASE WHEN recent_mails < 1000 THEN recent_complaints ELSE recent_complaints / 2 END + ?
		WHERE id = ?`
}

// Batch returns a Batch by its ID, or ErrNoBatch.
func (t *Tx) Batch(id enlist.BatchID) (*Batch, error) {
	return batchTable.one(t, ErrNoBatch, "WHERE id = ?", int64(id))
}

// LockBatch returns a Batch. With concurrent writers it locks the row.
func (t *Tx) LockBatch(id enlist.BatchID) (*Batch, error) {
	return batchTable.one(t, ErrNoBatch, "WHERE id = ?"+t.locking(), int64(id))
}

// Batches returns Batches of an Account in the order of their IDs.
func (t *Tx) Batches(account enlist.AccountID, f BatchFilter) ([]Batch, error) {
	clauses, args, err := t.batchClauses(account, f)
	if err != nil {
		return nil, err
	}
	return batchTable.all(t, clauses, args...)
}

// batchClauses returns the end of a statement that reads Batches: its WHERE clause, its order and its limit.
func (t *Tx) batchClauses(account enlist.AccountID, f BatchFilter) (clauses string, args []any, err error) {
	where, args, err := t.filterBatches(account, f)
	if err != nil {
		return "", nil, err
	}
	q := t.recordQuery(where, args, batchColumns)
	id := "id"
	if f.Open { // SQLite would rather read all Batches in order than sort the open ones
		id = t.SQL.NoIndex + id
	}
	q.orderRecords(f.Sort, id, f.Descending)
	if f.Limit > 0 || f.Offset > 0 {
		q.add(limited+" OFFSET CAST(? AS BIGINT)", cmp.Or(f.Limit, math.MaxInt64), f.Offset)
	}
	return q.text.String(), q.args, nil
}

// batchColumns are the columns of those keys of a Batch that have another name.
var batchColumns = map[string]string{"creator_user_id": "creator_key_id", "send_status": "status"}

// BatchCount returns the number of Batches of an Account.
func (t *Tx) BatchCount(account enlist.AccountID, f BatchFilter) (int64, error) {
	where, args, err := t.filterBatches(account, f)
	if err != nil {
		return 0, err
	}
	return t.number("SELECT count(*) FROM batch "+where, args...)
}

// filterBatches returns the WHERE clause of a filter. Open, Message and HasVariants have an index each.
func (t *Tx) filterBatches(account enlist.AccountID, f BatchFilter) (where string, args []any, err error) {
	where, args = "WHERE account_id = ?", []any{int64(account)}
	if f.Open {
		where += " AND status IN ('initialising', 'pending', 'sending', 'paused')"
	} else {
		where += " AND status NOT IN ('deleted', 'running')"
	}
	if f.Message != 0 {
		where += " AND message_id = ?"
		args = append(args, int64(f.Message))
	}
	if f.HasVariants {
		where += " AND variants <> ''"
	}
	if f.Lists != nil {
		test, arg, err := oneOfIDs(t, f.Lists)
		if err != nil {
			return "", nil, err
		}
		where += ` AND NOT EXISTS (SELECT 1 FROM batch_population p
			WHERE p.batch_id = batch.id AND NOT (p.list_id` + test + `))`
		args = append(args, arg)
	}
	q := t.recordQuery(where, args, batchColumns)
	q.and(f.Where)
	return q.text.String(), q.args, nil
}

// BatchLists returns the Lists of a Batch's populations.
func (t *Tx) BatchLists(id enlist.BatchID) ([]enlist.ListID, error) {
	return idsOf[enlist.ListID](t, "SELECT DISTINCT list_id FROM batch_population WHERE batch_id = ? ORDER BY list_id",
		int64(id))
}

// AddBatch stores a new Batch with its populations.
func (t *Tx) AddBatch(b *Batch, populations []Population) error {
	if err := batchTable.add(t, b); err != nil {
		return err
	}
	for i := range populations {
		populations[i].Batch = b.ID
		if err := populationTable.queue(t, &populations[i]); err != nil {
			return err
		}
	}
	return nil
}

// SetBatchState stores the columns of a Batch that describe its state.
func (t *Tx) SetBatchState(b *Batch) error { return batchTable.save(t, b) }

// AddToBatch adds to the counts of a Batch.
func (t *Tx) AddToBatch(id enlist.BatchID, counts BatchCounts, now int64) error {
	m := mapper{job: inserted}
	mapBatchCounts(&m, &counts)
	sent := now
	if counts.Sent == 0 {
		sent = 0
	}
	args := append(m.args, now, sent, sent, sent, counts.Sent+counts.Refused, counts.Bounced, counts.Complained,
		int64(id))
	return t.Do(addToBatch, args...)
}

// Populations returns the populations of a Batch in the order of their numbers.
func (t *Tx) Populations(id enlist.BatchID) ([]Population, error) {
	return populationTable.all(t, "WHERE batch_id = ? ORDER BY number", int64(id))
}

// SetPopulation stores the columns of a population that change.
func (t *Tx) SetPopulation(p *Population) error { return populationTable.save(t, p) }

// SendingBatches returns the IDs of the Batches that are sending.
func (t *Tx) SendingBatches() ([]enlist.BatchID, error) {
	return idsOf[enlist.BatchID](t, "SELECT id FROM batch WHERE status = 'sending' ORDER BY id")
}

// BatchesOfList returns the IDs of the Batches with a population of the List.
func (t *Tx) BatchesOfList(list enlist.ListID) ([]enlist.BatchID, error) {
	return idsOf[enlist.BatchID](t, "SELECT DISTINCT batch_id FROM batch_population WHERE list_id = ?", int64(list))
}

// DeleteBatch removes a Batch without its recipients.
func (t *Tx) DeleteBatch(id enlist.BatchID) error {
	for _, query := range []string{
		"DELETE FROM batch_slice WHERE batch_id = ?",
		"DELETE FROM batch_population WHERE batch_id = ?",
		"DELETE FROM batch_exclusion WHERE batch_id = ?",
		"DELETE FROM batch_sum WHERE batch_id = ?",
		"DELETE FROM batch_link WHERE batch_id = ?",
		"DELETE FROM batch_agent WHERE batch_id = ?",
		"DELETE FROM batch_edition WHERE batch_id = ?",
		"DELETE FROM batch WHERE id = ?",
	} {
		if err := t.Do(query, int64(id)); err != nil {
			return err
		}
	}
	return nil
}
