package recipients

import (
	"strconv"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/pace"
)

// This file stores the slices of Batches. A process leases a slice and sends the mails of its recipients.

// Slice is a part of a Batch's recipients.
type Slice struct {
	Batch  enlist.BatchID
	Number int64
	List   enlist.ListID
	First  enlist.ContactID // the recipients whose IDs are from First to Last
	Last   enlist.ContactID
	Holder string // token of the process that has the lease
	Lease  int64  // end of the lease
	Done   bool
}

// FilledSlice is a slice to insert, with the Contacts that become its recipients, in order of ID.
type FilledSlice struct {
	Slice
	Contacts []enlist.ContactID
}

func mapSlice(m *db.Mapper, s *Slice) {
	m.NaturalKey("batch_id", (*int64)(&s.Batch))
	m.NaturalKey("number", &s.Number)
	m.Fixed("list_id", (*int64)(&s.List))
	m.Fixed("first_id", (*int64)(&s.First))
	m.Fixed("last_id", (*int64)(&s.Last))
	m.Value("holder", &s.Holder)
	m.Value("lease_time", &s.Lease)
	m.Value("done", &s.Done)
}

var sliceTable = db.NewMapping("batch_slice", mapSlice)

// AddSlices stores slices with the next numbers of their Batch, and their recipients.
func AddSlices(tx *db.Tx, filled []FilledSlice, fresh bool, now int64) (added int64, err error) {
	if len(filled) == 0 {
		return 0, nil
	}
	last, err := tx.Number("SELECT coalesce(max(number), 0) FROM batch_slice WHERE batch_id = ?", int64(filled[0].Batch))
	if err != nil {
		return 0, err
	}
	for i := range filled {
		filled[i].Number = last + int64(i) + 1
		if err := sliceTable.Queue(tx, &filled[i].Slice); err != nil {
			return 0, err
		}
	}
	schema, err := lists.Schema(tx, filled[0].List)
	if err != nil {
		return 0, err
	}
	address := "coalesce(" + tx.SQL.FieldText(strconv.FormatInt(int64(schema.Email().ID), 10)) + ", '')"
	if copier := tx.Copier(); copier != nil && fresh {
		return copyRecipients(tx, copier, filled, address, now)
	}
	for i := range filled {
		n, err := filled[i].write(tx, address, now)
		if err != nil {
			return 0, err
		}
		added += n
	}
	return added, nil
}

// FreeSlice returns the first free slice of a Batch, or ErrNotFound and the end of the earliest lease.
func FreeSlice(tx *db.Tx, batch enlist.BatchID, now int64) (slice *Slice, next int64, err error) {
	const free = "WHERE batch_id = ? AND done = 0 AND lease_time <= ? ORDER BY number" + db.Limited
	slice, err = sliceTable.One(tx, enlist.ErrNotFound, free, int64(batch), now, int64(1))
	if enlist.KindOf(err) != enlist.NotFound {
		return slice, 0, err
	}
	next, failed := tx.Number("SELECT min(lease_time) FROM batch_slice WHERE batch_id = ? AND done = 0", int64(batch))
	if failed != nil {
		return nil, 0, failed
	}
	return nil, next, err
}

// Take gives a slice to a holder. It returns false if its lease has changed meanwhile.
func (s *Slice) Take(tx *db.Tx, holder string, lease int64) (bool, error) {
	n, err := tx.Exec(`UPDATE batch_slice SET holder = ?, lease_time = ?
		WHERE batch_id = ? AND number = ? AND done = 0 AND lease_time = ?`,
		holder, lease, int64(s.Batch), s.Number, s.Lease)
	return n == 1, err
}

// Renew moves the end of a lease. It returns false if the holder no longer has the slice.
func (s *Slice) Renew(tx *db.Tx, lease int64) (bool, error) {
	n, err := tx.Exec(`UPDATE batch_slice SET lease_time = ?
		WHERE batch_id = ? AND number = ? AND holder = ? AND done = 0`, lease, int64(s.Batch), s.Number, s.Holder)
	return n == 1, err
}

// Pass gives the slice to another holder, if the holder still has it.
func (s *Slice) Pass(tx *db.Tx, to string, lease int64) error {
	return tx.Do("UPDATE batch_slice SET holder = ?, lease_time = ? WHERE batch_id = ? AND number = ? AND holder = ? AND done = 0",
		to, lease, int64(s.Batch), s.Number, s.Holder)
}

// Keep reports whether the holder has the slice, or has had it last: its lease was ended, and no process has taken the
// slice since. Until the transaction ends, none does.
func (s *Slice) Keep(tx *db.Tx) (bool, error) {
	n, err := tx.Exec("UPDATE batch_slice SET holder = holder WHERE batch_id = ? AND number = ? AND holder IN (?, ?)",
		int64(s.Batch), s.Number, s.Holder, endedHolder+s.Holder)
	return n == 1, err
}

// LastHolder returns who has the slice, or has had it last without releasing it. "" is no process.
func (s *Slice) LastHolder() string { return strings.TrimPrefix(s.Holder, endedHolder) }

// endedHolder is before the name of a holder whose lease EndLeases has ended.
const endedHolder = "ended "

// Release ends the lease of a slice, if the holder still has the slice.
func (s *Slice) Release(tx *db.Tx, done bool, from int64) error {
	return tx.Do(`UPDATE batch_slice SET done = ?, lease_time = ?, holder = ''
		WHERE batch_id = ? AND number = ? AND holder = ?`, db.Bit(done), from, int64(s.Batch), s.Number, s.Holder)
}

// Holders returns the holders of leased slices of Batches.
func Holders(tx *db.Tx, batches []enlist.BatchID) ([]string, error) {
	test, arg, err := db.OneOfIDs(tx, batches)
	if err != nil || len(batches) == 0 {
		return nil, err
	}
	return db.RowsOf(tx, (*db.Cursor).Text,
		"SELECT DISTINCT holder FROM batch_slice WHERE done = 0 AND holder <> '' AND holder NOT LIKE '"+endedHolder+
			"%' AND batch_id"+test, arg)
}

// EndLeases ends the leases of a holder at a time. It marks nothing more, and may store results until another process
// takes the slice.
func EndLeases(tx *db.Tx, batches []enlist.BatchID, holder string, at int64) error {
	test, arg, err := db.OneOfIDs(tx, batches)
	if err != nil {
		return err
	}
	return tx.Do("UPDATE batch_slice SET lease_time = ?, holder = ? WHERE holder = ? AND done = 0 AND batch_id"+test,
		at, endedHolder+holder, holder, arg)
}

// EndWait changes the leases of a Batch that end at a time, such as waitsForWinner.
func EndWait(tx *db.Tx, batch enlist.BatchID, from, to int64) error {
	return tx.Do("UPDATE batch_slice SET lease_time = ? WHERE batch_id = ? AND lease_time = ? AND done = 0",
		to, int64(batch), from)
}

// inSlice selects the recipients of a slice. Its arguments are those of sliceKey.
const inSlice = "list_id = ? AND batch_id = ? AND contact_id BETWEEN ? AND ? AND slice = ?"

func (s *Slice) key() []any {
	return []any{int64(s.List), int64(s.Batch), int64(s.First), int64(s.Last), s.Number}
}

// Due returns the recipients of a slice that a sender has to send now.
func (s *Slice) Due(tx *db.Tx, now int64) ([]Recipient, error) {
	const open = "WHERE " + inSlice + ` AND (status = 'waiting' OR status IN ('sending', 'deferred') AND time <= ?)
		ORDER BY contact_id`
	return table.All(tx, open, append(s.key(), now)...)
}

// Rest returns the number of recipients of a slice that are not sent yet, and when the first is due.
func (s *Slice) Rest(tx *db.Tx) (n, due int64, err error) {
	err = tx.Row([]any{&n, &due}, `SELECT count(*), coalesce(min(CASE WHEN status = 'waiting' THEN 0 ELSE time END), 0) FROM recipient
		WHERE `+inSlice+" AND status IN ('waiting', 'sending', 'deferred')", s.key()...)
	return n, due, err
}

// LastSlice returns the domain groups of the last open slice of a Batch, with their numbers of mails that wait.
func LastSlice(tx *db.Tx, batch enlist.BatchID) (map[string]int64, error) {
	const last = "WHERE batch_id = ? AND done = 0 ORDER BY number DESC" + db.Limited
	slice, err := sliceTable.One(tx, enlist.ErrNotFound, last, int64(batch), int64(1))
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.NotFound, err)
	}
	groups := make(map[string]int64)
	return groups, tx.Each(func(row *db.Cursor) error {
		groups[pace.DomainGroup(row.Text())]++
		return nil
	}, "SELECT address FROM recipient WHERE "+inSlice+" AND status IN ('waiting', 'sending', 'deferred')",
		slice.key()...)
}

// BegunSlices is the slices of a Batch that began last.
type BegunSlices struct {
	Last   []Slice // the newest one first
	Before int64   // slices that began before the newest one
	All    int64   // slices of the Batch
}

// Begun returns at most as many slices as most. Slices begin in the order of their numbers. The leases of those
// that have not begun are not after a time. It reads few rows, also of a Batch with thousands of slices.
func Begun(tx *db.Tx, batch enlist.BatchID, after, most int64) (s BegunSlices, err error) {
	s.All, err = tx.Number("SELECT coalesce(max(number), 0) FROM batch_slice WHERE batch_id = ?", int64(batch))
	if err != nil {
		return s, err
	}
	end := s.All + 1 // the first slice that has not begun
	free, _, err := FreeSlice(tx, batch, after)
	switch {
	case err == nil:
		end = free.Number
	case enlist.KindOf(err) != enlist.NotFound:
		return s, err
	}
	s.Before = end - 2
	const last = "WHERE batch_id = ? AND number < ? AND lease_time > ? ORDER BY number DESC" + db.Limited
	s.Last, err = sliceTable.All(tx, last, int64(batch), end, after, most)
	return s, err
}

// FirstMail returns when the first recipient of a slice got the mail, or 0 if none did. It reads one slice at most.
func (s *Slice) FirstMail(tx *db.Tx) (at int64, err error) {
	return tx.Number("SELECT sent_time FROM recipient WHERE "+inSlice+" AND sent_time > 0 ORDER BY contact_id"+db.Limited,
		append(s.key(), int64(1))...)
}
