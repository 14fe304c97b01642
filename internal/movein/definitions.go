package movein

// This file moves Folders, Lists with their Fields, Messages, autoresponders and the Unsubscriber List.

import (
	"context"
	"fmt"
	"slices"

	"enlist/internal/audience"
)

// folders moves the Folders of all types.
func (m *Mover) folders(ctx context.Context) error {
	const method = "searchFolders"
	for _, folderType := range []string{audience.FolderOfLists, audience.FolderOfMessages, audience.FolderOfFiles} {
		found, err := m.source.all(ctx, method, folderType)
		if err := m.optional(method, err); err != nil {
			return err
		}
		problems, err := m.Service.MoveFolders(ctx, m.Caller, folderType, found)
		if err != nil {
			return err
		}
		m.refused(problems)
		m.result.Folders += len(found)
	}
	return m.Service.AddMissingFolders(ctx, m.Caller)
}

// readLists moves the definitions of all Lists.
func (m *Mover) readLists(ctx context.Context, found []audience.MovedRecord) (err error) {
	for i, record := range found {
		m.Report(fmt.Sprintf("List %d (%d of %d): Fields", record.ID(), i+1, len(found)))
		d := audience.MovedDefinition{List: record}
		d.Fields, err = m.source.all(ctx, "searchFields", record.ID())
		if err != nil {
			return err
		}
		const method = "searchListPreferences"
		d.Preferences, err = m.source.all(ctx, method, record.ID())
		if err := m.optional(method, err); err != nil {
			return err
		}
		moved, problems, err := m.Service.MoveList(ctx, m.Caller, m.move, d)
		if err != nil {
			return err
		}
		m.refused(problems)
		if moved {
			m.lists = append(m.lists, movedList{audience.ListID(record.ID()), record.Int("contact_count"),
				len(d.Preferences) > 0, &ListResult{ID: record.ID(), Name: record.Text("name")}})
		}
	}
	return m.reportDeletedLists()
}

// reportDeletedLists reports the Lists that the other service has deleted since they were moved. An operator decides
// whether to delete them here, because a List cannot be restored.
func (m *Mover) reportDeletedLists() error {
	for id := range m.move.Lists {
		if !slices.ContainsFunc(m.lists, func(l movedList) bool { return l.id == id }) {
			m.refused([]audience.MoveProblem{{Record: "list", ID: int64(id),
				Reason: "the other service has deleted it; to delete it here too, call deleteList"}})
		}
	}
	return nil
}

// messages moves the Messages with their contents.
func (m *Mover) messages(ctx context.Context) error {
	const method = "searchMessages"
	found, err := m.source.all(ctx, method)
	if err := m.optional(method, err); err != nil {
		return err
	}
	for i, head := range found {
		in, err := m.source.call(ctx, "getMessageById", head.ID(), true)
		if err != nil {
			return err
		}
		whole, err := records("getMessageById", in)
		if err != nil {
			return err
		}
		if len(whole) != 1 || whole[0].ID() != head.ID() {
			return fmt.Errorf("getMessageById: expected the Message %d in the reply", head.ID())
		}
		problems, err := m.Service.MoveMessage(ctx, m.Caller, whole[0])
		if err != nil {
			return err
		}
		m.refused(problems)
		m.result.Messages++
		m.Report(fmt.Sprintf("Messages: %d of %d", i+1, len(found)))
	}
	return nil
}

// autoresponders moves the autoresponders. All of them are inactive here.
func (m *Mover) autoresponders(ctx context.Context) error {
	const method = "searchAutoresponders"
	found, err := m.source.all(ctx, method)
	if err := m.optional(method, err); err != nil {
		return err
	}
	for _, record := range found {
		problems, err := m.Service.MoveAutoresponder(ctx, m.Caller, record)
		if err != nil {
			return err
		}
		m.refused(problems)
		m.result.Autoresponders++
		if record.Int("is_active") == 1 || record.Text("is_active") == "1" || record.Text("is_active") == "true" {
			m.result.Active = append(m.result.Active, record.ID())
		}
	}
	return nil
}

// unsubscribers moves the Unsubscriber List. Its entries have no IDs, and new ones are the last ones. Each page begins
// with the last entry of the page before. If that is another entry, one was removed meanwhile, and the reading begins
// again: entries that are stored already are not added again.
func (m *Mover) unsubscribers(ctx context.Context) error {
	const method = "searchPreviousUnsubscribers"
	var pending []audience.MovedRecord // not stored yet; equal entries must be stored together
	for read, restarts := 0, 0; ; {
		page, err := m.source.search(ctx, method, []any{0}, nil, max(read-1, 0), "time")
		if err := m.optional(method, err); err != nil || m.skipped[method] {
			return err
		}
		if read > 0 {
			if len(page) == 0 || !sameRecord(page[0], pending[len(pending)-1]) {
				restarts++
				if restarts == maxAttempts {
					return fmt.Errorf("%s: the entries change while they are read, or the pages are not in the order of time", method)
				}
				read, pending = 0, nil
				continue
			}
			page = page[1:]
		}
		read, pending = read+len(page), append(pending, page...)
		next := len(pending)
		if len(page) > 0 {
			next = beginOfLastTime(pending)
		}
		added, problems, err := m.Service.MoveUnsubscribers(ctx, m.Caller, pending[:next])
		if err != nil {
			return err
		}
		m.refused(problems)
		m.result.Unsubscribers = read
		m.Report(fmt.Sprintf("Unsubscriber List: %d entries read, %d added", read, added))
		if len(page) == 0 {
			return nil
		}
		pending = pending[next:]
	}
}

// beginOfLastTime returns the position of the first of the last entries with the same time. The next page may have more
// of them.
func beginOfLastTime(entries []audience.MovedRecord) int {
	i := len(entries) - 1
	for last := entries[i].Int("time"); i > 0 && entries[i-1].Int("time") == last; {
		i--
	}
	return i
}

// sameRecord reports whether two entries of the Unsubscriber List are equal.
func sameRecord(a, b audience.MovedRecord) bool {
	for _, key := range []string{"contact_id", "list_id", "address_type", "address", "time"} {
		if a.Text(key) != b.Text(key) {
			return false
		}
	}
	return true
}
