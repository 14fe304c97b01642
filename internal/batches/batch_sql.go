package batches

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
	"enlist/internal/search"
)

// This file stores Batches and their populations.

func mapBatch(m *db.Mapper, b *Batch) {
	m.ID("id", (*int64)(&b.ID))
	m.Fixed("account_id", (*int64)(&b.AccountID))
	m.Fixed("creator_key_id", (*int64)(&b.CreatorKeyID))
	m.Fixed("creator_name", &b.CreatorName)
	m.Fixed("creation_time", &b.CreationTime)
	m.Fixed("list_id", (*int64)(&b.ListID))
	m.Value("message_id", (*int64)(&b.MessageID))
	m.Fixed("message_type", &b.MessageType)
	m.Fixed("is_test", &b.IsTest)
	m.Fixed("name", &b.Name)
	m.Fixed("rate", &b.Rate)
	m.Fixed("skips_doubtful", &b.SkipsDoubtful)
	m.Fixed("local_time", &b.LocalTime)
	m.Fixed("not_before", &b.NotBefore)
	m.Fixed("is_forced", &b.IsForced)
	m.Fixed("approve_above", &b.ApproveAbove)
	m.Value("untracked", &b.Untracked)
	m.Value("variants", variantsJSON{&b.Variants})
	m.Value("is_scheduled", &b.IsScheduled)
	m.Value("is_populated", &b.IsPopulated)
	m.Value("status", (*string)(&b.Status))
	m.Value("reason", &b.Reason)
	m.Value("send_time", &b.SendTime)
	m.Value("active_time", &b.ActiveTime)
	m.Value("recent_mails", &b.RecentMails)
	m.Value("recent_bounces", &b.RecentBounces)
	m.Value("recent_complaints", &b.RecentComplaints)
	m.Value("begun_time", &b.Begun)
	m.Computed("events_removed", &b.EventsRemoved) // only package privacy changes it
	m.Fixed("first_sent_time", &b.FirstSent)
	m.Fixed("last_sent_time", &b.LastSent)
	mapBatchCounts(m, &b.Counts)
}

// mapBatchCounts describes the columns to which AddToBatch adds.
func mapBatchCounts(m *db.Mapper, c *recipients.Counts) {
	m.Fixed("recipients", &c.Recipients)
	m.Fixed("sent", &c.Sent)
	m.Fixed("refused", &c.Refused)
	m.Fixed("bounced", &c.Bounced)
	m.Fixed("failed", &c.Failed)
	m.Fixed("skipped", &c.Skipped)
	m.Fixed("complained", &c.Complained)
	m.Fixed("unsubscribed", &c.Unsubscribed)
	m.Fixed("deactivated", &c.Deactivated)
	m.Fixed("repeated", &c.Repeated)
	m.Fixed("doubtful", &c.Doubtful)
	m.Fixed("contradicted", &c.Contradicted)
	m.Fixed("left_unsubscribed", &c.LeftUnsubscribed)
	m.Fixed("left_inactive", &c.LeftInactive)
	m.Fixed("left_unconfirmed", &c.LeftUnconfirmed)
	m.Fixed("left_no_address", &c.LeftNoAddress)
	m.Fixed("left_suppressed", &c.LeftSuppressed)
	m.Fixed("left_duplicate", &c.LeftDuplicate)
	m.Fixed("left_sent_before", &c.LeftSentBefore)
	m.Fixed("left_excluded", &c.LeftExcluded)
	m.Fixed("left_gone", &c.LeftGone)
	recipients.MapUnmeasured(m, &c.Unmeasured)
}

func mapPopulation(m *db.Mapper, p *Population) {
	m.NaturalKey("batch_id", (*int64)(&p.Batch))
	m.NaturalKey("number", &p.Number)
	m.Fixed("list_id", (*int64)(&p.List))
	m.Value("type", (*string)(&p.Type))
	m.Value("contacts", (*contactSet)(p))
	m.Fixed("criteria", db.CriteriaJSON{Criteria: &p.Criteria})
	m.Fixed("at_send", &p.AtSend)
	m.Value("upto", (*int64)(&p.Upto))
	m.Value("last_id", (*int64)(&p.Last))
	m.Value("done", &p.Done)
}

// contactSet is the set of Contacts of a population, stored as JSON.
type contactSet Population

func (p *contactSet) Decode(v driver.Value) error { return db.DecodeJSON(v, &p.Contacts) }
func (p *contactSet) Encode() (any, error)        { return db.EncodeJSON(len(p.Contacts), p.Contacts) }

// variantsJSON are the variants of a Batch, stored as JSON. "" means none.
type variantsJSON struct{ variants **Variants }

func (p variantsJSON) Decode(v driver.Value) error { return db.DecodeJSON(v, p.variants) }

func (p variantsJSON) Encode() (any, error) {
	if *p.variants == nil {
		return "", nil
	}
	return db.EncodeJSON(1, *p.variants)
}

var (
	batchTable      = db.NewMapping("batch", mapBatch)
	populationTable = db.NewMapping("batch_population", mapPopulation)
	addToBatch      = addToBatchStatement()
)

// addToBatchStatement returns the UPDATE of AddToBatch. Its first arguments are the counts.
// RecentMails, RecentBounces and RecentComplaints are halved when there are 1,000 mails, so that old mails lose
// their weight.
func addToBatchStatement() string {
	m := new(db.Mapper)
	mapBatchCounts(m, new(recipients.Counts))
	set := make([]string, len(m.Columns))
	for i, c := range m.Columns {
		set[i] = c.Name + " = " + c.Name + " + ?"
	}
	return "UPDATE batch SET " + strings.Join(set, ", ") + `, active_time = ?,
		first_sent_time = CASE WHEN first_sent_time = 0 THEN CAST(? AS BIGINT) ELSE first_sent_time END,
		last_sent_time = CASE WHEN last_sent_time < CAST(? AS BIGINT) THEN CAST(? AS BIGINT) ELSE last_sent_time END,
		recent_mails = CASE WHEN recent_mails < 1000 THEN recent_mails ELSE recent_mails / 2 END + ?,
		recent_bounces = CASE WHEN recent_mails < 1000 THEN recent_bounces ELSE recent_bounces / 2 END + ?,
		recent_complaints = CASE WHEN recent_mails < 1000 THEN recent_complaints ELSE recent_complaints / 2 END + ?
		WHERE id = ?`
}

// ByID returns a Batch by its ID, or errNoBatch.
func ByID(tx *db.Tx, id enlist.BatchID) (*Batch, error) {
	return batchTable.One(tx, errNoBatch, "WHERE id = ?", int64(id))
}

// LockBatch returns a Batch. With concurrent writers it locks the row.
func LockBatch(tx *db.Tx, id enlist.BatchID) (*Batch, error) {
	return batchTable.One(tx, errNoBatch, "WHERE id = ?"+tx.Locking(), int64(id))
}

// Batches returns Batches of an Account in the order of their IDs.
func Batches(tx *db.Tx, account enlist.AccountID, f BatchFilter) ([]Batch, error) {
	clauses, args, err := BatchClauses(tx, account, f)
	if err != nil {
		return nil, err
	}
	return batchTable.All(tx, clauses, args...)
}

// BatchClauses returns the end of a statement that reads Batches: its WHERE clause, its order and its limit.
func BatchClauses(tx *db.Tx, account enlist.AccountID, f BatchFilter) (clauses string, args []any, err error) {
	where, args, err := filterBatches(tx, account, f)
	if err != nil {
		return "", nil, err
	}
	q := search.Records(tx, where, args, batchColumns)
	id := "id"
	if f.Open { // SQLite would rather read all Batches in order than sort the open ones
		id = tx.SQL.NoIndex + id
	}
	q.OrderRecords(f.Sort, id, f.Descending)
	if f.Limit > 0 || f.Offset > 0 {
		q.Add(db.Limited+" OFFSET CAST(? AS BIGINT)", cmp.Or(f.Limit, math.MaxInt64), f.Offset)
	}
	return q.Text.String(), q.Args, nil
}

// batchColumns are the columns of those keys of a Batch that have another name.
var batchColumns = map[string]string{"creator_user_id": "creator_key_id", "send_status": "status"}

func batchCount(tx *db.Tx, account enlist.AccountID, f BatchFilter) (int64, error) {
	where, args, err := filterBatches(tx, account, f)
	if err != nil {
		return 0, err
	}
	return tx.Number("SELECT count(*) FROM batch "+where, args...)
}

// CountUnderWay returns how many Batches that the caller may access are being prepared or sent.
func CountUnderWay(tx *db.Tx, c *enlist.Caller) (int64, error) {
	where, args, err := filterBatches(tx, c.Account.ID, BatchFilter{Lists: c.Key.Lists, Open: true})
	if err != nil {
		return 0, err
	}
	return tx.Number("SELECT count(*) FROM batch "+where+" AND status IN ('initialising', 'sending')", args...)
}

// filterBatches returns the WHERE clause of a filter. Open, Message and HasVariants have an index each.
func filterBatches(tx *db.Tx, account enlist.AccountID, f BatchFilter) (where string, args []any, err error) {
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
	if f.Since != 0 {
		where += " AND (creation_time > ? OR send_time > ? OR last_sent_time > ?)"
		args = append(args, f.Since, f.Since, f.Since)
	}
	within, more, err := withinLists(tx, f.Lists)
	if err != nil {
		return "", nil, err
	}
	q := search.Records(tx, where+within, append(args, more...), batchColumns)
	q.And(f.Where)
	return q.Text.String(), q.Args, nil
}

// withinLists returns a further test for rows of the table batch, and its arguments: all recipients are in the Lists.
// With nil it is "".
func withinLists(tx *db.Tx, allowed []enlist.ListID) (test string, args []any, err error) {
	if allowed == nil {
		return "", nil, nil
	}
	test, arg, err := db.OneOfIDs(tx, allowed)
	return ` AND NOT EXISTS (SELECT 1 FROM batch_population p
		WHERE p.batch_id = batch.id AND NOT (p.list_id` + test + `))`, []any{arg}, err
}

// BatchLists returns the Lists of a Batch's populations.
func BatchLists(tx *db.Tx, id enlist.BatchID) ([]enlist.ListID, error) {
	return db.IDsOf[enlist.ListID](tx, "SELECT DISTINCT list_id FROM batch_population WHERE batch_id = ? ORDER BY list_id",
		int64(id))
}

// SumsOfBatches returns the sums of those of the Batches that the caller may access.
func SumsOfBatches(tx *db.Tx, c *enlist.Caller, ids []enlist.BatchID) (map[enlist.BatchID]recipients.Sums, error) {
	among, arg, err := db.OneOfIDs(tx, ids)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	within, args, err := withinLists(tx, c.Key.Lists)
	if err != nil {
		return nil, err
	}
	allowed, err := db.IDsOf[enlist.BatchID](tx, "SELECT id FROM batch WHERE id"+among+
		" AND account_id = ? AND status <> 'deleted'"+within, append([]any{arg, int64(c.Account.ID)}, args...)...)
	if err != nil {
		return nil, err
	}
	return recipients.SumsByBatch(tx, allowed)
}

// OfList returns the Batches with a population of a List, in order of ID.
func OfList(tx *db.Tx, list enlist.ListID) ([]enlist.BatchID, error) {
	return db.IDsOf[enlist.BatchID](tx,
		"SELECT DISTINCT batch_id FROM batch_population WHERE list_id = ? ORDER BY batch_id", int64(list))
}

// countLists returns the number of Lists of each of those Batches that the caller may access.
func countLists(tx *db.Tx, c *enlist.Caller, ids []enlist.BatchID) (map[enlist.BatchID]int64, error) {
	counts := make(map[enlist.BatchID]int64, len(ids))
	among, arg, err := db.OneOfIDs(tx, ids)
	if err != nil || len(ids) == 0 {
		return counts, err
	}
	having, args := "", []any{arg, int64(c.Account.ID)}
	if c.Key.Lists != nil {
		allowed, arg, err := db.OneOfIDs(tx, c.Key.Lists)
		if err != nil {
			return nil, err
		}
		having = " HAVING count(*) = count(CASE WHEN p.list_id" + allowed + " THEN 1 END)"
		args = append(args, arg)
	}
	return counts, tx.Each(func(row *db.Cursor) error {
		id := enlist.BatchID(row.Int())
		counts[id] = row.Int()
		return nil
	}, `SELECT p.batch_id, count(DISTINCT p.list_id) FROM batch_population p JOIN batch b ON b.id = p.batch_id
		WHERE p.batch_id`+among+" AND b.account_id = ? AND b.status <> 'deleted' GROUP BY p.batch_id"+having, args...)
}

// Insert stores a new Batch with its populations.
func (b *Batch) Insert(tx *db.Tx, populations []Population) error {
	if err := batchTable.Add(tx, b); err != nil {
		return err
	}
	for i := range populations {
		populations[i].Batch = b.ID
		if err := populationTable.Queue(tx, &populations[i]); err != nil {
			return err
		}
	}
	return nil
}

// Save stores the columns of a Batch that describe its state.
func (b *Batch) Save(tx *db.Tx) error { return batchTable.Save(tx, b) }

// AddToBatch adds to the counts of a Batch.
func AddToBatch(tx *db.Tx, id enlist.BatchID, counts recipients.Counts, now int64) error {
	m := db.Mapper{Job: db.Inserted}
	mapBatchCounts(&m, &counts)
	sent := now
	if counts.Sent == 0 {
		sent = 0
	}
	args := append(m.Args, now, sent, sent, sent, counts.Sent+counts.Refused, counts.Bounced, counts.Complained,
		int64(id))
	return tx.Do(addToBatch, args...)
}

// Populations returns the populations of a Batch in the order of their numbers.
func Populations(tx *db.Tx, id enlist.BatchID) ([]Population, error) {
	return populationTable.All(tx, "WHERE batch_id = ? ORDER BY number", int64(id))
}

// SentToList returns the newest completed Batches that were sent to a whole List and whose Message exists, without
// tests, newest first. If only is not 0, it returns no other Batch.
func SentToList(tx *db.Tx, list enlist.ListID, only enlist.BatchID, limit int64) ([]Batch, error) {
	return batchTable.All(tx, `WHERE status = 'completed' AND is_test = 0 AND first_sent_time > 0
		AND id IN (SELECT batch_id FROM batch_population WHERE list_id = ? AND type = 'list')
		AND (CAST(? AS BIGINT) = 0 OR id = ?) AND message_id IN (SELECT id FROM message WHERE type = 'email')
		ORDER BY first_sent_time DESC, id DESC LIMIT ?`, int64(list), int64(only), int64(only), limit)
}

// Save stores the columns of a population that change.
func (p *Population) Save(tx *db.Tx) error { return populationTable.Save(tx, p) }

// SendingBatches returns the IDs of the Batches that are sending.
func SendingBatches(tx *db.Tx) (map[enlist.BatchID]enlist.AccountID, error) {
	sending := make(map[enlist.BatchID]enlist.AccountID)
	return sending, tx.Each(func(row *db.Cursor) error {
		id := enlist.BatchID(row.Int())
		sending[id] = enlist.AccountID(row.Int())
		return nil
	}, "SELECT id, account_id FROM batch WHERE status = 'sending'")
}

// Waiting is the mails that wait in a Batch.
type Waiting struct {
	Batch   enlist.BatchID
	Account enlist.AccountID
	Mails   int64
}

// MostWaiting returns the mails that wait in each Batch that is sending, most of them first, without those with local
// times: they do not leave one after another.
func MostWaiting(tx *db.Tx) ([]Waiting, error) {
	return db.RowsOf(tx, func(row *db.Cursor) Waiting {
		return Waiting{enlist.BatchID(row.Int()), enlist.AccountID(row.Int()), max(0, row.Int())}
	}, "SELECT id, account_id, recipients - skipped - sent - refused - failed - doubtful AS mails FROM batch "+
		"WHERE status = 'sending' AND local_time = '' ORDER BY mails DESC, id")
}

// Fastest returns how many mails an hour the fastest of the Account's last ten Batches had, or 0 if none was large and
// long enough to tell. The fastest one, because others were perhaps paused, or waited for a calendar.
func Fastest(tx *db.Tx, account enlist.AccountID) (int64, error) {
	return tx.Number(`SELECT coalesce(max((sent - 1) * 3600 / (last_sent_time - first_sent_time)), 0) FROM (
			SELECT sent, first_sent_time, last_sent_time FROM batch WHERE account_id = ? AND status = 'completed'
			ORDER BY id DESC LIMIT 10) last_batches
		WHERE sent >= 1000 AND last_sent_time - first_sent_time >= 10`, int64(account))
}

// Newest counts the newest Batches by status, and adds up the outcomes of their mails if they have sent some since a
// time. It reads rows by the primary key. The Batches of autoresponders are left out, because their numbers are of all
// time.
func Newest(tx *db.Tx, since int64, rows int, outcomes []string, byStatus map[BatchStatus]int64,
	mails map[string]int64) error {
	return tx.Each(func(c *db.Cursor) error {
		byStatus[BatchStatus(c.Text())] = c.Int()
		for _, outcome := range outcomes {
			mails[outcome] += c.Int()
		}
		return nil
	}, fmt.Sprintf(`SELECT status, count(*)%s FROM (SELECT * FROM batch WHERE status <> 'running'
		ORDER BY id DESC LIMIT %d) newest GROUP BY status`, db.Recent("last_sent_time", outcomes), rows), since)
}

// IDs returns the IDs of all Batches of an Account, also of deleted ones.
func IDs(tx *db.Tx, account enlist.AccountID) ([]enlist.BatchID, error) {
	return db.IDsOf[enlist.BatchID](tx, "SELECT id FROM batch WHERE account_id = ? ORDER BY id", int64(account))
}

// deleteBatch removes a Batch without its recipients.
func deleteBatch(tx *db.Tx, id enlist.BatchID) error {
	return errors.Join(recipients.DeleteSums(tx, id),
		tx.Do("DELETE FROM batch_population WHERE batch_id = ?", int64(id)),
		tx.Do("DELETE FROM batch_exclusion WHERE batch_id = ?", int64(id)),
		tx.Do("DELETE FROM batch_approval WHERE batch_id = ?", int64(id)),
		tx.Do("DELETE FROM batch WHERE id = ?", int64(id)))
}
