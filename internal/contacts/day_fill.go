package contacts

import (
	"context"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file fills the days of Lists before the version that counts them, from the consent ledger. The migration has
// stored a row of list_day_fill for each List that existed then, with the time of the migration: a transaction counts
// a later change itself. Each step stores its counts and how far it came in one transaction, so an interruption neither
// loses nor repeats a row of the ledger. reference.md: listday.filled; decisions.md: 130

// fillStep is the number of rows of the ledger that one transaction reads. This took 13 ms on a busy machine. On SQLite
// no other caller can write during this time.
const fillStep = 1000

// FillDays fills the days of the Lists that still wait for that. Several processes may do so at the same time.
func (s *Service) FillDays(ctx context.Context) error {
	left, err := db.OwnView(ctx, s.db, func(tx *db.Tx) ([]enlist.ListID, error) {
		return db.IDsOf[enlist.ListID](tx, "SELECT list_id FROM list_day_fill ORDER BY list_id")
	})
	for _, list := range left {
		for done := false; err == nil && !done; {
			done, err = db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (bool, error) { return fillDays(tx, list) })
			if err == nil {
				err = ctx.Err()
			}
		}
	}
	return err
}

// dayFill is a row of list_day_fill: how far the days of a List are filled.
type dayFill struct {
	list      enlist.ListID
	before    int64 // rows of the ledger from this time on are counted already
	contact   enlist.ContactID
	number    int64
	receiving bool // after the last row that is done, the Contact could get mail
}

// fillDays counts the next rows of a List's ledger. done is true if no row is left.
func fillDays(tx *db.Tx, list enlist.ListID) (done bool, err error) {
	f := dayFill{list: list}
	found := false
	err = tx.Each(func(row *db.Cursor) error {
		found, f.before, f.contact = true, row.Int(), enlist.ContactID(row.Int())
		f.number, f.receiving = row.Int(), row.Int() == 1
		return nil
	}, "SELECT before_time, contact_id, number, is_receiving FROM list_day_fill WHERE list_id = ?"+tx.Locking(),
		int64(list))
	if err != nil || !found {
		return true, err
	}
	schema, err := lists.Schema(tx, list)
	if err != nil {
		return true, enlist.IgnoreKind(enlist.NoList, err) // the days of a deleted List go with its Contacts
	}
	rows, err := ledgerAfter(tx, list, f.contact, f.number)
	if err != nil {
		return false, err
	}
	stored, err := storedAmong(tx, list, rows)
	if err != nil {
		return false, err
	}
	for i := range rows {
		f.count(tx, schema, &rows[i], stored)
	}
	if len(rows) < fillStep {
		return true, tx.Do("DELETE FROM list_day_fill WHERE list_id = ?", int64(list))
	}
	receiving := int64(0)
	if f.receiving {
		receiving = 1
	}
	return false, tx.Do("UPDATE list_day_fill SET contact_id = ?, number = ?, is_receiving = ? WHERE list_id = ?",
		int64(f.contact), f.number, receiving, int64(list))
}

// ledgerRow is a row of the ledger, with what fillDays needs.
type ledgerRow struct {
	contact      enlist.ContactID
	number, time int64
	method, kind string
}

// ledgerAfter returns the next rows of a List's ledger, in the order of their Contacts.
func ledgerAfter(tx *db.Tx, list enlist.ListID, contact enlist.ContactID, number int64) (rows []ledgerRow, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		rows = append(rows, ledgerRow{enlist.ContactID(row.Int()), row.Int(), row.Int(), row.Text(), row.Text()})
		return nil
	}, `SELECT contact_id, number, time, method, type FROM consent WHERE list_id = ? AND (contact_id, number) > (?, ?)
		ORDER BY contact_id, number`+db.Limited, int64(list), int64(contact), number, int64(fillStep))
	return rows, err
}

// storedAmong returns which Contacts of the rows still exist.
func storedAmong(tx *db.Tx, list enlist.ListID, rows []ledgerRow) (map[enlist.ContactID]bool, error) {
	var ids []enlist.ContactID
	for _, r := range rows {
		if len(ids) == 0 || ids[len(ids)-1] != r.contact {
			ids = append(ids, r.contact)
		}
	}
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return nil, err
	}
	stored := make(map[enlist.ContactID]bool, len(ids))
	return stored, tx.Each(func(row *db.Cursor) error {
		stored[enlist.ContactID(row.Int())] = true
		return nil
	}, "SELECT id FROM contact WHERE list_id = ? AND "+test, append([]any{int64(list)}, args...)...)
}

// count counts a row of the ledger.
func (f *dayFill) count(tx *db.Tx, schema *enlist.Schema, r *ledgerRow, stored map[enlist.ContactID]bool) {
	isFirst := r.contact != f.contact
	f.contact, f.number = r.contact, r.number
	if isFirst {
		f.receiving = false
	}
	if r.time <= 0 || r.time >= f.before {
		return
	}
	n := db.ContactCount{List: f.list, Account: schema.List.AccountID, Day: enlist.DayOf(r.time, schema.TimeZone)}
	if n.As = r.dayCount(isFirst, f.receiving); n.As != enlist.NotCounted {
		n.Times = 1
		tx.Count(n)
	}
	switch n.As {
	case enlist.DayAdded:
		f.receiving = true
	case enlist.DayLeft, enlist.DayComplained, enlist.DayRemoved:
		f.receiving = false
	}
	if isFirst && stored[r.contact] {
		n.As, n.Times = enlist.DayContacts, 1
		tx.Count(n)
	}
}

// dayCount says as what a day counts a row. isFirst says that it is the first row of its Contact. receiving says
// whether the Contact could get mail before. An upload does not subscribe a Contact again.
func (r *ledgerRow) dayCount(isFirst, receiving bool) enlist.DayCount {
	isUpload := r.method == "addContacts" || r.method == "import"
	switch {
	case r.kind != "" && (isFirst || !receiving && !isUpload):
		return enlist.DayAdded
	case r.kind != "":
		return enlist.NotCounted
	case strings.Contains(r.method, "confirm"):
		return enlist.DayConfirmed
	case !receiving && !isFirst || r.method == MethodUnsubscribeAll: // the Contact left before, or stays
		return enlist.NotCounted
	case r.method == MethodComplaint:
		return enlist.DayComplained
	case r.method == MethodErasure:
		return enlist.DayRemoved
	case strings.Contains(r.method, "unsubscribe"), strings.HasSuffix(r.method, "blocklisted"), isUpload:
		return enlist.DayLeft
	}
	return enlist.NotCounted
}
