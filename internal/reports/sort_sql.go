package reports

import (
	"slices"
	"strings"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/search"
)

// This file reads the recipients of a Batch in another order than that of Contacts. There is no index for such an
// order, so one statement reads the values of all rows and returns the IDs of the first ones. The rows are then read by
// ID.

// rowColumns are the expressions of the keys of rows. e is the event, r the recipient. The columns have the collation
// C, so both engines sort alike.
var rowColumns = map[string]string{
	"send_id":       "r.contact_id",
	"contact_id":    "r.contact_id",
	"contact_email": "r.address",
	"text":          "r.detail",
	"time":          "e.time", "complaint_timestamp": "e.time",
	"open_count": "e.count", "links_clicked": "e.count",
	"is_human":    "CASE WHEN e.human_time = 0 THEN 0 ELSE 1 END",
	"device":      "e.device",
	"mail_client": clientTitle("e.mail_client"),
	"link_id":     "e.link_id",
	// These are the same in all rows.
	"type": "'hard'", "complaint_provider_type": "'feedback_loop'", "is_complaint": "(e.link_id + 1)",
}

// clientTitle returns the expression for the title of a group of mail programs.
func clientTitle(column string) string {
	text := "CASE " + column
	for _, c := range pace.MailClients() {
		text += " WHEN '" + c.Key + "' THEN '" + strings.ReplaceAll(c.Title, "'", "''") + "'"
	}
	return text + " ELSE " + column + " END"
}

// sorted calls each for the rows in the order c.Sort. Rows with equal values are in order of Contact.
func (c *rowsCursor) sorted(each func(*BatchRow) error) error {
	rows, args := c.unsorted()
	q := search.Records(c.tx, rows, args, rowColumns)
	q.And(c.Where)
	q.OrderRecords(c.Sort, "id", c.Descending)
	q.Add(db.Limited, c.left)
	ids, err := db.IDsOf[enlist.ContactID](c.tx, q.Text.String(), q.Args...)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(ids, rowsChunk) {
		rows, err := c.load(chunk)
		if err != nil {
			return err
		}
		for i := range rows {
			if err := each(&rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// unsorted returns a SELECT of the IDs of all rows, with e and r for rowColumns. Engines leave the join out if the
// query does not need it. NoIndex makes SQLite use recipient_event_kind, because the primary key finds all kinds.
func (c *rowsCursor) unsorted() (query string, args []any) {
	list, batch := int64(c.List), int64(c.Batch)
	switch c.Kind {
	case RowsSent:
		return "SELECT contact_id AS id FROM recipient r WHERE" + ofBatch + " AND status <> 'skipped'",
			c.batchKeys(c.first, c.last)
	case batches.RowsNotOpened:
		return "SELECT contact_id AS id FROM recipient r WHERE" + ofBatch + notOpened,
			append(c.batchKeys(c.first, c.last), list, batch)
	}
	return `SELECT e.contact_id AS id FROM recipient_event e
		LEFT JOIN recipient r ON r.list_id = ? AND r.batch_id = ? AND r.contact_id = e.contact_id
		WHERE e.list_id = ? AND e.batch_id = ? AND e.kind = ? AND e.link_id = ? AND ` + c.tx.SQL.NoIndex +
		"e.contact_id BETWEEN ? AND ?", append([]any{list, batch}, c.keys()...)
}
