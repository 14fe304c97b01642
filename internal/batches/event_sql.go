package batches

import (
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the events of recipients, and adds them to the sums of their Batches. Package reports reads both.

func mapRecipientEvent(m *db.Mapper, e *RecipientEvent) {
	m.NaturalKey("list_id", (*int64)(&e.List))
	m.NaturalKey("batch_id", (*int64)(&e.Batch))
	m.NaturalKey("contact_id", (*int64)(&e.Contact))
	m.NaturalKey("kind", (*string)(&e.Kind))
	m.NaturalKey("link_id", (*int64)(&e.Link))
	m.Value("time", &e.Time)
	m.Value("last_time", &e.LastTime)
	m.Value("count", &e.Count)
	m.Value("human_time", &e.Human)
	m.Value("device", (*string)(&e.Device))
	m.Value("mail_client", &e.Client)
}

// mapBatchSums describes the columns to which AddBatchSums adds.
func mapBatchSums(m *db.Mapper, s *BatchSums) {
	m.Fixed("opens", &s.Opens)
	m.Fixed("image_opened", &s.ImageOpened)
	m.Fixed("click_opened", &s.ClickOpened)
	m.Fixed("human_opened", &s.HumanOpened)
	m.Fixed("clicks", &s.Clicks)
	m.Fixed("clicked", &s.Clicked)
	m.Fixed("links_clicked", &s.LinksClicked)
	m.Fixed("human_clicked", &s.HumanClicked)
	m.Fixed("human_links_clicked", &s.HumanLinks)
}

// mapLinkSums describes the columns to which AddBatchLink adds.
func mapLinkSums(m *db.Mapper, s *LinkSums) {
	m.Fixed("clicks", &s.Clicks)
	m.Fixed("contacts", &s.Contacts)
	m.Fixed("humans", &s.Humans)
}

var (
	RecipientEventTable = db.NewMapping("recipient_event", mapRecipientEvent)

	addBatchSums = addTo("batch_sum", []string{"batch_id", "time", "part"}, nil, mapBatchSums)
	addBatchLink = addTo("batch_link", []string{"batch_id", "link_id", "part"}, []string{"url"}, mapLinkSums)
)

// addTo returns an INSERT that adds to the numbers of a row if the row exists. Its arguments are the columns of the
// key, the columns that only an insertion sets, and the numbers.
func addTo[T any](table string, key, fixed []string, numbers func(*db.Mapper, *T)) string {
	m := new(db.Mapper)
	numbers(m, new(T))
	columns := append(append([]string{}, key...), fixed...)
	set := make([]string, len(m.Columns))
	for i, c := range m.Columns {
		columns = append(columns, c.Name)
		set[i] = c.Name + " = " + table + "." + c.Name + " + excluded." + c.Name
	}
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (?" +
		strings.Repeat(", ?", len(columns)-1) + ") ON CONFLICT (" + strings.Join(key, ", ") + ") DO UPDATE SET " +
		strings.Join(set, ", ")
}

// sumsOf returns the sums of the columns that a mapping describes. The CAST is for PostgreSQL, whose sums are of
// another type.
func sumsOf[T any](numbers func(*db.Mapper, *T)) string {
	m := new(db.Mapper)
	numbers(m, new(T))
	text := ""
	for i, c := range m.Columns {
		if i > 0 {
			text += ", "
		}
		text += "CAST(sum(" + c.Name + ") AS BIGINT)"
	}
	return text
}

// RecipientEvents returns the events of a recipient, in order of link.
func RecipientEvents(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, contact enlist.ContactID) (
	[]RecipientEvent, error) {
	return RecipientEventTable.All(tx, "WHERE list_id = ? AND batch_id = ? AND contact_id = ? ORDER BY link_id",
		int64(list), int64(batch), int64(contact))
}

// EventsByBatch returns the events of a Contact in some Batches, those of a Batch in order of link.
func EventsByBatch(tx *db.Tx, among []enlist.BatchID, list enlist.ListID, contact enlist.ContactID) (
	map[enlist.BatchID][]RecipientEvent, error) {
	query, first, err := lookUpInBatches(tx, among, RecipientEventTable.Columns, "recipient_event",
		"list_id = ? AND contact_id = ?")
	if err != nil {
		return nil, err
	}
	events := make(map[enlist.BatchID][]RecipientEvent)
	return events, RecipientEventTable.EachOf(tx, func(e *RecipientEvent) error {
		events[e.Batch] = append(events[e.Batch], *e)
		return nil
	}, query+" ORDER BY link_id, kind", first, int64(list), int64(contact))
}

// PutRecipientEvent stores an event of a recipient.
func PutRecipientEvent(tx *db.Tx, e *RecipientEvent) error {
	return RecipientEventTable.Put(tx, e)
}

// AddBatchSums adds to a part of the sums of a period.
func AddBatchSums(tx *db.Tx, batch enlist.BatchID, period, part int64, s *BatchSums) error {
	m := db.Mapper{Job: db.Inserted, Args: []any{int64(batch), period, part}}
	mapBatchSums(&m, s)
	return tx.Do(addBatchSums, m.Args...)
}

// PartSums returns the sums of a Batch for each part.
func PartSums(tx *db.Tx, batch enlist.BatchID) (map[int64]BatchSums, error) {
	all := make(map[int64]BatchSums)
	return all, tx.Each(func(row *db.Cursor) error {
		var s BatchSums
		part := row.Int()
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapBatchSums(&m, &s)
		all[part] = s
		return m.Err
	}, `SELECT part, `+sumsOf(mapBatchSums)+` FROM batch_sum WHERE batch_id = ? GROUP BY part`, int64(batch))
}

// AddBatchLink adds to a part of the numbers of a link.
func AddBatchLink(tx *db.Tx, batch enlist.BatchID, part int64, s *LinkSums) error {
	m := db.Mapper{Job: db.Inserted, Args: []any{int64(batch), int64(s.Link), part, s.URL}}
	mapLinkSums(&m, s)
	return tx.Do(addBatchLink, m.Args...)
}

// AddBatchAgent adds to a part of the numbers of opens by program.
func AddBatchAgent(tx *db.Tx, batch enlist.BatchID, part int64, s *AgentSums) error {
	return tx.Do(`INSERT INTO batch_agent (batch_id, device, mail_client, part, opened) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (batch_id, device, mail_client, part) DO UPDATE SET opened = batch_agent.opened + excluded.opened`,
		int64(batch), string(s.Device), s.Client, part, s.Opened)
}
