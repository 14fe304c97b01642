package recipients

import (
	"slices"
	"strings"

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
	"contact_email": "r.address", "unsubscribe_email": "r.address",
	"text": "r.detail",
	"time": "e.time", "complaint_timestamp": "e.time",
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

// sorted calls each for the rows that match c.Where, in the order c.Sort. Rows with equal values are in order of
// Contact.
func (c *rowsCursor) sorted(each func(*Row) error) error {
	q := search.Records(c.tx, "", nil, rowColumns)
	byField := c.Sort != nil && c.Sort.Field != nil
	value := ""
	if byField {
		value = ", CAST(" + q.Ordered(c.Sort) + " AS TEXT)"
	}
	c.rows(q, value, byField || needsContact(c.Where))
	q.And(c.Where)
	q.OrderRecords(c.Sort, "id", c.Descending)
	q.Add(db.Limited, c.left)
	var ids []enlist.ContactID
	orders := make(map[enlist.ContactID]fieldOrder)
	err := c.tx.Each(func(row *db.Cursor) (err error) {
		id := enlist.ContactID(row.Int())
		ids = append(ids, id)
		if byField {
			orders[id], err = readFieldOrder(c.Sort, row.Value())
		}
		return err
	}, q.Text.String(), q.Args...)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(ids, rowsChunk) {
		rows, err := c.load(chunk)
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i].order = orders[rows[i].Contact]
			if err := each(&rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// needsContact reports whether a condition tests a Field or a preference.
func needsContact(c *enlist.Condition) bool {
	tests := func(part enlist.Condition) bool { return needsContact(&part) }
	return c != nil && (c.Key != nil && IsOfContact(c.Key) || slices.ContainsFunc(c.All, tests) ||
		slices.ContainsFunc(c.Any, tests))
}

// rows writes a SELECT of the IDs of all rows and of another value, with e and r for rowColumns. Engines leave the
// join with r out if the query does not need it. NoIndex makes SQLite use recipient_event_kind, because the primary
// key finds all kinds. withContacts adds the rows of the Contacts, which have the Fields.
func (c *rowsCursor) rows(q *search.Query, value string, withContacts bool) {
	list, batch := int64(c.List), int64(c.Batch)
	alias, joined := "r", "recipient r"
	if c.hasEvents() {
		alias, joined = "e", `recipient_event e
			LEFT JOIN recipient r ON r.list_id = ? AND r.batch_id = ? AND r.contact_id = e.contact_id`
		q.Args = append(q.Args, list, batch)
	}
	q.Add("SELECT " + alias + ".contact_id AS id" + value + " FROM " + joined)
	if withContacts {
		q.Add(" JOIN contact ON contact.list_id = ? AND contact.id = "+alias+".contact_id", list)
	}
	q.Add(" WHERE "+alias+".list_id = ? AND "+alias+".batch_id = ?", list, batch)
	switch c.Kind {
	case RowsSent:
		q.Add(" AND r.status <> 'skipped'")
	case RowsAccepted:
		q.Add(" AND r.sent_time <> 0")
	case RowsDeferred:
		q.Add(" AND r.attempts > 0")
	case RowsFailed:
		q.Add(" AND r.status = 'failed'")
	case RowsDelivered:
		q.Add(delivered, list, batch)
	case RowsNotOpened:
		q.Add(notOpened, list, batch)
	default:
		q.Add(" AND e.kind = ? AND e.link_id = ?", string(c.Kind), int64(c.Link))
	}
	index := ""
	if c.hasEvents() {
		index = c.tx.SQL.NoIndex
	}
	q.Add(" AND "+index+alias+".contact_id BETWEEN ? AND ?", c.first, c.last)
}
