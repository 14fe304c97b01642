package audience

import (
	"strings"

	"enlist/internal/enlist"
)

// This file stores the events of recipients, and adds them to the sums of their Batches. batchreport.go reads both.

func mapRecipientEvent(m *mapper, e *RecipientEvent) {
	m.naturalKey("list_id", (*int64)(&e.List))
	m.naturalKey("batch_id", (*int64)(&e.Batch))
	m.naturalKey("contact_id", (*int64)(&e.Contact))
	m.naturalKey("kind", (*string)(&e.Kind))
	m.naturalKey("link_id", (*int64)(&e.Link))
	m.value("time", &e.Time)
	m.value("last_time", &e.LastTime)
	m.value("count", &e.Count)
	m.value("human_time", &e.Human)
	m.value("device", (*string)(&e.Device))
	m.value("mail_client", &e.Client)
}

// mapBatchSums describes the columns to which AddBatchSums adds.
func mapBatchSums(m *mapper, s *BatchSums) {
	m.fixed("opens", &s.Opens)
	m.fixed("image_opened", &s.ImageOpened)
	m.fixed("click_opened", &s.ClickOpened)
	m.fixed("human_opened", &s.HumanOpened)
	m.fixed("clicks", &s.Clicks)
	m.fixed("clicked", &s.Clicked)
	m.fixed("links_clicked", &s.LinksClicked)
	m.fixed("human_clicked", &s.HumanClicked)
	m.fixed("human_links_clicked", &s.HumanLinks)
}

// mapLinkSums describes the columns to which AddBatchLink adds.
func mapLinkSums(m *mapper, s *LinkSums) {
	m.fixed("clicks", &s.Clicks)
	m.fixed("contacts", &s.Contacts)
	m.fixed("humans", &s.Humans)
}

var (
	recipientEventTable = newMapping("recipient_event", mapRecipientEvent)

	addBatchSums = addTo("batch_sum", []string{"batch_id", "time", "part"}, nil, mapBatchSums)
	addBatchLink = addTo("batch_link", []string{"batch_id", "link_id", "part"}, []string{"url"}, mapLinkSums)
)

// addTo returns an INSERT that adds to the numbers of a row if the row exists. Its arguments are the columns of the
// key, the columns that only an insertion sets, and the numbers.
func addTo[T any](table string, key, fixed []string, numbers func(*mapper, *T)) string {
	m := new(mapper)
	numbers(m, new(T))
	columns := append(append([]string{}, key...), fixed...)
	set := make([]string, len(m.columns))
	for i, c := range m.columns {
		columns = append(columns, c.name)
		set[i] = c.name + " = " + table + "." + c.name + " + excluded." + c.name
	}
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (?" +
		strings.Repeat(", ?", len(columns)-1) + ") ON CONFLICT (" + strings.Join(key, ", ") + ") DO UPDATE SET " +
		strings.Join(set, ", ")
}

// RecipientEvents returns the events of a recipient, in order of link.
func (t *Tx) RecipientEvents(list enlist.ListID, batch enlist.BatchID, contact enlist.ContactID) (
	[]RecipientEvent, error) {
	return recipientEventTable.all(t, "WHERE list_id = ? AND batch_id = ? AND contact_id = ? ORDER BY link_id",
		int64(list), int64(batch), int64(contact))
}

// PutRecipientEvent stores an event of a recipient.
func (t *Tx) PutRecipientEvent(e *RecipientEvent) error {
	return recipientEventTable.put(t, e)
}

// DeleteRecipientEvents removes some events of a Batch in a List.
func (t *Tx) DeleteRecipientEvents(list enlist.ListID, batch enlist.BatchID, limit int) (int64, error) {
	return t.Exec(`DELETE FROM recipient_event WHERE list_id = ? AND batch_id = ? AND contact_id IN (
		SELECT contact_id FROM recipient_event WHERE list_id = ? AND batch_id = ? ORDER BY contact_id`+limited+`)`,
		int64(list), int64(batch), int64(list), int64(batch), int64(limit))
}

// MessageLinks returns the links that a Message has or had.
func (t *Tx) MessageLinks(message enlist.MessageID) (links []MessageLink, err error) {
	err = t.each(func(row *Cursor) error {
		links = append(links, MessageLink{ID: enlist.LinkID(row.Int()), URL: row.Text(), Since: row.Int(), Until: row.Int()})
		return nil
	}, "SELECT id, url, since_time, until_time FROM link WHERE message_id = ? ORDER BY id", int64(message))
	return links, err
}

// AddBatchSums adds to a part of the sums of a period.
func (t *Tx) AddBatchSums(batch enlist.BatchID, period, part int64, s *BatchSums) error {
	m := mapper{job: inserted, args: []any{int64(batch), period, part}}
	mapBatchSums(&m, s)
	return t.Do(addBatchSums, m.args...)
}

// AddBatchLink adds to a part of the numbers of a link.
func (t *Tx) AddBatchLink(batch enlist.BatchID, part int64, s *LinkSums) error {
	m := mapper{job: inserted, args: []any{int64(batch), int64(s.Link), part, s.URL}}
	mapLinkSums(&m, s)
	return t.Do(addBatchLink, m.args...)
}

// AddBatchAgent adds to a part of the numbers of opens by program.
func (t *Tx) AddBatchAgent(batch enlist.BatchID, part int64, s *AgentSums) error {
	return t.Do(`INSERT INTO batch_agent (batch_id, device, mail_client, part, opened) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (batch_id, device, mail_client, part) DO UPDATE SET opened = batch_agent.opened + excluded.opened`,
		int64(batch), string(s.Device), s.Client, part, s.Opened)
}
