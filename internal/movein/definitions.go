package movein

import (
	"context"
	"fmt"
	"io"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// This file moves Folders, Lists with their Fields and Segments, files, Messages, saved blocks, autoresponders, webhooks and the Unsubscriber
// List.

// folders moves the Folders of all types.
func (m *Mover) folders(ctx context.Context) (err error) {
	found := make(map[string][]Record)
	for _, folderType := range []string{accounts.FolderOfLists, accounts.FolderOfMessages, accounts.FolderOfFiles} {
		if found[folderType], err = m.From.Search(ctx, "searchFolders", folderType); err != nil {
			return err
		}
		m.result.Folders += len(found[folderType])
	}
	return m.storeFolders(ctx, found)
}

// readLists moves the definitions of all Lists.
func (m *Mover) readLists(ctx context.Context, found []Record) error {
	for i, record := range found {
		m.Report(fmt.Sprintf("List %d (%d of %d): Fields", record.ID(), i+1, len(found)))
		d := definition{list: record}
		stored, err := m.storedFields(ctx, enlist.ListID(record.ID()))
		if err != nil {
			return err
		}
		d.fields, err = m.From.Fields(ctx, record.ID(), stored)
		if err != nil {
			return err
		}
		d.preferences, err = m.From.Search(ctx, "searchListPreferences", record.ID())
		if err != nil {
			return err
		}
		d.segments, err = m.From.Search(ctx, "searchSegments", record.ID())
		if err != nil {
			return err
		}
		moved, err := m.storeList(ctx, d)
		if err != nil {
			return err
		}
		if moved {
			m.lists = append(m.lists, movedList{enlist.ListID(record.ID()), record.Int("contact_count"),
				len(d.preferences) > 0, &ListResult{ID: record.ID(), Name: record.Text("name")}})
		}
	}
	return m.reportDeletedLists()
}

// reportDeletedLists reports the Lists that the other service has deleted since they were moved. An operator decides
// whether to delete them here, because a List cannot be restored.
func (m *Mover) reportDeletedLists() error {
	for id := range m.move.Lists {
		if !slices.ContainsFunc(m.lists, func(l movedList) bool { return l.id == id }) {
			m.refused([]Problem{{Record: "list", ID: int64(id),
				Reason: "the other service has deleted it; to delete it here too, call deleteList"}})
		}
	}
	return nil
}

// messages moves the Messages with their contents.
func (m *Mover) messages(ctx context.Context) error {
	found, err := m.From.Search(ctx, "searchMessages")
	if err != nil {
		return err
	}
	key, err := m.Service.Messages.LinkKey(ctx)
	if err != nil {
		return err
	}
	return m.each("Messages", found, &m.result.Messages, func(head Record) (bool, error) {
		whole, err := m.From.Message(ctx, head.ID())
		if err != nil || len(whole) == 0 { // deleted meanwhile
			return false, err
		}
		whole, kept := m.links.replaced("message", whole, &key)
		m.refused(kept)
		return true, m.storeMessage(ctx, whole)
	})
}

// savedBlocks moves the saved blocks, which Messages get as copies.
func (m *Mover) savedBlocks(ctx context.Context) error {
	found, err := m.From.Search(ctx, "searchSavedBlocks")
	if err != nil {
		return err
	}
	key, err := m.Service.Messages.LinkKey(ctx)
	if err != nil {
		return err
	}
	return m.each("Saved blocks", found, &m.result.SavedBlocks, func(record Record) (bool, error) {
		record, kept := m.links.replaced("saved_block", record, &key)
		m.refused(kept)
		return m.storeSavedBlock(ctx, record)
	})
}

// each moves records one by one, and counts those that move does not leave out. name is for the progress.
func (m *Mover) each(name string, found []Record, n *int, move func(Record) (bool, error)) error {
	for i, record := range found {
		moved, err := move(record)
		if err != nil {
			return err
		}
		if moved {
			*n++
		}
		m.Report(fmt.Sprintf("%s: %d of %d", name, i+1, len(found)))
	}
	return nil
}

// files moves the files with their contents.
func (m *Mover) files(ctx context.Context) error {
	found, err := m.From.Search(ctx, "searchFiles")
	if err != nil {
		return err
	}
	m.links = newFileLinks()
	return m.each("Files", found, &m.result.Files, func(record Record) (bool, error) {
		moved, err := m.storeFile(ctx, record, func() (io.ReadCloser, int64, error) {
			return m.From.FileContent(ctx, record)
		})
		m.links.add(record.Text("url"), enlist.FileID(record.ID()), moved)
		return moved, err
	})
}

// webhooks moves the webhooks.
func (m *Mover) webhooks(ctx context.Context) error {
	found, err := m.From.Search(ctx, "searchWebhooks")
	if err != nil {
		return err
	}
	return m.each("Webhooks", found, &m.result.Webhooks, func(record Record) (bool, error) {
		return m.storeWebhook(ctx, record)
	})
}

// autoresponders moves the autoresponders. All of them are inactive here.
func (m *Mover) autoresponders(ctx context.Context) error {
	found, err := m.From.Search(ctx, "searchAutoresponders")
	if err != nil {
		return err
	}
	return m.each("Autoresponders", found, &m.result.Autoresponders, func(record Record) (bool, error) {
		if is, _ := record.value("is_active").AsBool(); is {
			m.result.Active = append(m.result.Active, record.ID())
		}
		return true, m.storeAutoresponder(ctx, record)
	})
}

// unsubscribers moves the Unsubscriber List.
func (m *Mover) unsubscribers(ctx context.Context) error {
	read, stored := 0, 0
	n, err := m.From.Unsubscribers(ctx, func(entries []Record) error {
		added, erased, err := m.storeUnsubscribers(ctx, entries)
		if err != nil {
			return err
		}
		m.result.ErasedUnsubs += erased
		read, stored = read+len(entries), stored+added
		m.Report(fmt.Sprintf("Unsubscriber List: %d entries read, %d added", read, stored))
		return nil
	})
	m.result.Unsubscribers = n
	return err
}
