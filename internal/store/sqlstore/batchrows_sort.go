package sqlstore

// This file reads the recipients of a Batch in another order than that of Contacts. There is no index for such an order,
// so one statement reads the values of all rows and returns the IDs of the first ones. The rows are then read by ID.

import (
	"slices"
	"strings"

	"enlist/internal/audience"
)

// rowOrders are the expressions by which rows are sorted. Texts have their ordered form (searchexpr.go). Their columns
// have the collation C, so both engines sort alike. e is the event, r the recipient.
var rowOrders = map[audience.RowsOrder]string{
	audience.RowsByAddress: orderedText("r.address"),
	audience.RowsByDetail:  orderedText("r.detail"),
	audience.RowsByTime:    "e.time",
	audience.RowsByCount:   "e.count",
	audience.RowsByHuman:   "CASE WHEN e.human_time = 0 THEN 0 ELSE 1 END",
	audience.RowsByDevice:  orderedText("e.device"),
	audience.RowsByClient:  orderedText(clientTitle("e.mail_client")),
}

// orderedText returns the ordered form of a text.
func orderedText(text string) string {
	return "substr(lower(" + text + "), 1, " + comparedCharacters() + ")"
}

// clientTitle returns the expression for the title of a group of mail programs.
func clientTitle(column string) string {
	text := "CASE " + column
	for _, c := range audience.MailClients() {
		text += " WHEN '" + c.Key + "' THEN '" + strings.ReplaceAll(c.Title, "'", "''") + "'"
	}
	return text + " ELSE " + column + " END"
}

// sorted calls each for the rows in the order c.Order. Rows with equal values are in order of Contact.
func (c *rowsCursor) sorted(each func(*audience.BatchRow) error) error {
	direction := ""
	if c.Descending {
		direction = " DESC"
	}
	rows, args := c.unsorted()
	ids, err := idsOf[audience.ContactID](c.tx, rows+" ORDER BY "+rowOrders[c.Order]+direction+", id"+direction+limited,
		append(args, c.left)...)
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

// unsorted returns a SELECT of the IDs of all rows, with e and r for rowOrders. Engines leave the join out if the order
// does not need it. NoIndex makes SQLite use recipient_event_kind, because the primary key finds all kinds.
func (c *rowsCursor) unsorted() (query string, args []any) {
	list, batch := int64(c.List), int64(c.Batch)
	switch c.Kind {
	case audience.RowsSent:
		return "SELECT contact_id AS id FROM recipient r WHERE" + ofBatch + " AND status <> 'skipped'", c.batchKeys(c.first, c.last)
	case audience.RowsNotOpened:
		return "SELECT contact_id AS id FROM recipient r WHERE" + ofBatch + notOpened, append(c.batchKeys(c.first, c.last), list, batch)
	}
	return `SELECT e.contact_id AS id FROM recipient_event e
		LEFT JOIN recipient r ON r.list_id = ? AND r.batch_id = ? AND r.contact_id = e.contact_id
		WHERE e.list_id = ? AND e.batch_id = ? AND e.kind = ? AND e.link_id = ? AND ` + c.tx.sql.NoIndex +
		"e.contact_id BETWEEN ? AND ?", append([]any{list, batch}, c.keys()...)
}
