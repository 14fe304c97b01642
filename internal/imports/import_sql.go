package imports

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores Imports and the results of their rows. files/file_sql.go stores their files.

func mapImport(m *db.Mapper, i *Import) {
	m.ID("id", (*int64)(&i.ID))
	m.Fixed("account_id", (*int64)(&i.AccountID))
	m.Fixed("list_id", (*int64)(&i.ListID))
	m.Fixed("creator_key_id", (*int64)(&i.CreatorKeyID))
	m.Fixed("creator_name", &i.CreatorName)
	m.Fixed("creation_time", &i.CreationTime)
	m.Fixed("options", jsonColumn{&i.Options})
	m.Value("content_id", (*int64)(&i.Content))
	m.Value("size", &i.Size)
	m.Value("sha256", &i.SHA256)
	m.Value("columns", jsonColumn{&i.Columns})
	m.Value("state", (*string)(&i.State))
	m.Value("reason", &i.Reason)
	m.Value("owner", &i.Owner)
	m.Value("lease_until", &i.LeaseUntil)
	m.Value("start_time", &i.StartTime)
	m.Value("end_time", &i.EndTime)
	m.Value("done_rows", &i.Rows)
	m.Value("done_bytes", &i.Bytes)
	m.Value("added", &i.Added)
	m.Value("updated", &i.Updated)
	m.Value("unchanged", &i.Unchanged)
	m.Value("skipped", &i.Skipped)
	m.Value("refused", &i.Refused)
	m.Value("published", jsonColumn{&i.Published})
	m.Value("speed", jsonColumn{&i.Speed})
	m.Value("report", jsonColumn{&i.Report})
}

// jsonColumn is a value that is stored as JSON. at points to the value.
type jsonColumn struct{ at any }

func (c jsonColumn) Decode(v driver.Value) error { return json.Unmarshal([]byte(db.TextOf(v)), c.at) }

func (c jsonColumn) Encode() (any, error) {
	b, err := json.Marshal(c.at)
	return string(b), err
}

var importTable = db.NewMapping("import", mapImport)

// add stores a new Import.
func (i *Import) add(tx *db.Tx) error { return importTable.Add(tx, i) }

// importByID returns an Import by its ID, or ErrNoImport.
func importByID(tx *db.Tx, id enlist.ImportID) (*Import, error) {
	return importTable.One(tx, ErrNoImport, "WHERE id = ?", int64(id))
}

// lockImport returns an Import. With concurrent writers it locks the row.
func lockImport(tx *db.Tx, id enlist.ImportID) (*Import, error) {
	return importTable.One(tx, ErrNoImport, "WHERE id = ?"+tx.Locking(), int64(id))
}

// Imports returns an Account's Imports in the order of their IDs.
func Imports(tx *db.Tx, account enlist.AccountID) ([]Import, error) {
	return importTable.All(tx, "WHERE account_id = ? ORDER BY id", int64(account))
}

// Contents returns the contents that the Imports of an Account have.
func Contents(tx *db.Tx, account enlist.AccountID) ([]enlist.ContentID, error) {
	return db.IDsOf[enlist.ContentID](tx, "SELECT content_id FROM import WHERE account_id = ? AND content_id <> 0",
		int64(account))
}

// CountUnderWay returns how many Imports into Lists that the caller may access wait for a process or run.
func CountUnderWay(tx *db.Tx, c *enlist.Caller) (int64, error) {
	where, args := "WHERE account_id = ? AND state IN ('waiting', 'running')", []any{int64(c.Account.ID)}
	if c.Key.Lists != nil {
		test, arg, err := db.OneOfIDs(tx, c.Key.Lists)
		if err != nil {
			return 0, err
		}
		where, args = where+" AND list_id"+test, append(args, arg)
	}
	return tx.Number("SELECT count(*) FROM import "+where, args...)
}

// Newest counts the newest Imports by state, and adds up the outcomes of the rows of those that began after a time. It
// reads rows by the primary key.
func Newest(tx *db.Tx, since int64, limit int, byState map[ImportState]int64, rows map[RowOutcome]int64) error {
	return tx.Each(func(c *db.Cursor) error {
		byState[ImportState(c.Text())] = c.Int()
		for _, outcome := range RowOutcomes {
			rows[outcome] += c.Int()
		}
		return nil
	}, fmt.Sprintf(`SELECT state, count(*)%s FROM (SELECT * FROM import ORDER BY id DESC LIMIT %d) newest
		GROUP BY state`, db.Recent("start_time", RowOutcomes), limit), since)
}

// save stores the columns of an Import that change.
func (i *Import) save(tx *db.Tx) error { return importTable.Save(tx, i) }

// EraseTexts removes from an Import what it has of the header of its file, because without a header the first row is a
// person's, and also a file name that mentions a person.
func EraseTexts(tx *db.Tx, id enlist.ImportID, mentions func(text string) bool) error {
	i, err := lockImport(tx, id)
	if err != nil {
		return ignoreNoImport(err)
	}
	o := &i.Options
	i.Columns, o.Map, o.Dates, o.Decimals, i.Report = nil, nil, nil, nil, Report{}
	for _, text := range []*string{&i.Reason, &o.FileName} {
		if mentions(*text) {
			*text = contacts.ErasedAddress
		}
	}
	return errors.Join(i.save(tx), i.saveOptions(tx))
}

// saveOptions stores the options of an Import, which setImport does not.
func (i *Import) saveOptions(tx *db.Tx) error {
	options, err := jsonColumn{&i.Options}.Encode()
	return errors.Join(err, tx.Do("UPDATE import SET options = ? WHERE id = ?", options, int64(i.ID)))
}

// addImportResults stores the results of a step.
func addImportResults(tx *db.Tx, id enlist.ImportID, number int64, data []byte) error {
	const add = "INSERT INTO import_result (import_id, number, data) VALUES (?, ?, ?)"
	return tx.Do(add, int64(id), number, data)
}

// importResults returns the results of steps in the order of their numbers.
func importResults(tx *db.Tx, id enlist.ImportID, from int64, limit int) (found []stepResults, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		r := stepResults{Number: row.Int()}
		r.Data = []byte(row.Text()) // a copy: the engine may use its bytes again
		found = append(found, r)
		return nil
	}, "SELECT number, data FROM import_result WHERE import_id = ? AND number >= ? ORDER BY number"+db.Limited,
		int64(id), from, int64(limit))
	return found, err
}

// EraseResults removes values and Contacts from those results of a step of an Import into a List that are about a
// person. It does nothing if the results were removed meanwhile.
func EraseResults(tx *db.Tx, p *enlist.Person, list enlist.ListID, id enlist.ImportID, number int64) error {
	stored, err := importResults(tx, id, number, 1)
	if err != nil || len(stored) == 0 || stored[0].Number != number {
		return err
	}
	var rows []RowResult
	err = unpackResults(stored[0].Data, func(r *RowResult) error {
		if r.isAbout(p, list) {
			*r = RowResult{Row: r.Row, Outcome: r.Outcome, Reason: contacts.ErasedAddress}
		}
		rows = append(rows, *r)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the results of import %d: %w", id, err)
	}
	data, err := new(resultPacker).pack(rows)
	if err != nil {
		return err
	}
	const set = "UPDATE import_result SET data = ? WHERE import_id = ? AND number = ?"
	return tx.Do(set, data, int64(id), number)
}

// deleteImportResults removes the results of at most limit steps, and returns how many it removed.
func deleteImportResults(tx *db.Tx, id enlist.ImportID, limit int) (deleted int64, err error) {
	const remove = `DELETE FROM import_result WHERE import_id = ? AND number IN (
		SELECT number FROM import_result WHERE import_id = ? ORDER BY number` + db.Limited + ")"
	return tx.Exec(remove, int64(id), int64(id), int64(limit))
}

// RemoveAll removes all Imports of an Account with their results.
func RemoveAll(tx *db.Tx, account enlist.AccountID) error {
	const results = "DELETE FROM import_result WHERE import_id IN (SELECT id FROM import WHERE account_id = ?)"
	return errors.Join(tx.Do(results, int64(account)), tx.Do("DELETE FROM import WHERE account_id = ?", int64(account)))
}
