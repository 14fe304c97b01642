package app

import (
	"context"
	"fmt"
	"slices"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file removes an Account with all that belongs to it, in many short transactions. The consent ledger, the
// Unsubscriber List and the audit log stay: they are evidence.

// RemoveAccount removes an Account. First no key of it works any more, and at the end the Account is gone. After an
// error or an interruption a repeated call goes on. Errors: InvalidParameters for an unknown Account, and for the only
// one.
func (s *App) RemoveAccount(ctx context.Context, id enlist.AccountID) error {
	if err := s.Accounts.CloseAccount(ctx, id); err != nil {
		return err
	}
	c, err := s.Accounts.Operator(ctx, id)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context, *enlist.Caller) error{
		s.removeImports, s.removeBatches, s.removeWebhooks, s.removeAutoresponders, s.removeLists, s.removeMessages,
		s.removeFiles,
		s.removeDomains, s.removeSettings, s.removePeople,
	} {
		if err := step(ctx, c); err != nil {
			return err
		}
	}
	return s.Accounts.DeleteAccount(ctx, id)
}

func (s *App) removeImports(ctx context.Context, c *enlist.Caller) error {
	all, err := s.Imports.AllImports(ctx, c)
	for i := range all {
		if err == nil && !all[i].Ended() {
			err = s.Imports.CancelImport(ctx, c, all[i].ID)
		}
	}
	return err
}

// removeBatches removes the newest Batch first, because a Batch that another one leaves out cannot be deleted.
func (s *App) removeBatches(ctx context.Context, c *enlist.Caller) error {
	all, err := s.Batches.SearchBatches(ctx, c, enlist.Query{})
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].Ended() {
			continue
		}
		if err := s.Batches.EditBatch(ctx, c, all[i].ID, "cancel", 0); err != nil {
			return fmt.Errorf("cancel the Batch %d: %w", all[i].ID, err)
		}
	}
	slices.SortFunc(all, func(a, b batches.Batch) int { return int(b.ID - a.ID) })
	for i := range all {
		if err := s.Batches.DeleteBatch(ctx, c, all[i].ID); err != nil {
			return fmt.Errorf("delete the Batch %d: %w", all[i].ID, err)
		}
	}
	return nil
}

func (s *App) removeWebhooks(ctx context.Context, c *enlist.Caller) error {
	all, err := s.Webhooks.SearchWebhooks(ctx, c, enlist.Query{})
	for i := range all {
		if err == nil {
			err = s.Webhooks.DeleteWebhook(ctx, c, all[i].ID)
		}
	}
	return err
}

// removeAutoresponders also removes the recipients of all deleted Batches, which include those of autoresponders.
func (s *App) removeAutoresponders(ctx context.Context, c *enlist.Caller) error {
	all, err := s.Batches.SearchAutoresponders(ctx, c, enlist.Query{})
	if err != nil {
		return err
	}
	for i := range all {
		if err := s.Batches.DeleteAutoresponder(ctx, c, all[i].ID); err != nil {
			return err
		}
	}
	left, err := db.OwnView(ctx, s.DB, func(tx *db.Tx) (ids []enlist.BatchID, err error) {
		err = tx.Each(func(row *db.Cursor) error {
			ids = append(ids, enlist.BatchID(row.Int()))
			return nil
		}, "SELECT id FROM batch WHERE account_id = ? ORDER BY id", int64(c.Account.ID))
		return ids, err
	})
	for _, id := range left {
		for done := false; err == nil && !done; {
			done, err = s.Batches.RemoveBatch(ctx, batches.RemoveBatch{Batch: id})
		}
	}
	return err
}

// removeLists removes the Contacts in steps before each List.
func (s *App) removeLists(ctx context.Context, c *enlist.Caller) error {
	all, err := s.Lists.SearchLists(ctx, c, enlist.Query{})
	for i := range all {
		if err == nil {
			err = s.Contacts.ClearList(ctx, c, all[i].ID)
		}
		if err == nil {
			err = s.Contacts.DeleteList(ctx, c, all[i].ID)
		}
	}
	if err != nil {
		return err
	}
	hidden, err := db.OwnView(ctx, s.DB, func(tx *db.Tx) (ids []enlist.ListID, err error) {
		err = tx.Each(func(row *db.Cursor) error {
			ids = append(ids, enlist.ListID(row.Int()))
			return nil
		}, "SELECT id FROM list WHERE account_id = ? ORDER BY id", int64(c.Account.ID))
		return ids, err
	})
	for _, id := range hidden {
		for done := false; err == nil && !done; {
			done, err = s.Contacts.RemoveContacts(ctx, contacts.RemoveContacts{List: id, Upto: maxContact,
				Delete: true})
		}
	}
	return err
}

// maxContact is more than any ID of a Contact.
const maxContact = 1<<63 - 1

func (s *App) removeMessages(ctx context.Context, c *enlist.Caller) error {
	all, err := s.Messages.SearchMessages(ctx, c, enlist.Query{})
	for i := range all {
		if err == nil {
			err = s.Messages.DeleteMessage(ctx, c, all[i].ID)
		}
	}
	return err
}

func (s *App) removeFiles(ctx context.Context, c *enlist.Caller) error {
	all, err := s.Files.SearchFiles(ctx, c, enlist.Query{})
	for i := range all {
		if err == nil {
			err = s.Files.DeleteFile(ctx, c, all[i].ID)
		}
	}
	return err
}

func (s *App) removeDomains(ctx context.Context, c *enlist.Caller) error {
	all, err := s.Accounts.SendingDomains(ctx)
	for i := range all {
		if err == nil && all[i].AccountID == c.Account.ID {
			_, err = s.Accounts.RemoveSendingDomain(ctx, all[i].Domain)
		}
	}
	return err
}

// removePeople ends the memberships of the Account. A person of other Accounts stays.
func (s *App) removePeople(ctx context.Context, c *enlist.Caller) error {
	all, err := s.People.Members(ctx, c.Account.ID)
	for i := range all {
		if err == nil {
			err = s.People.Remove(ctx, all[i].Email, c.Account.ID)
		}
	}
	return err
}

func (s *App) removeSettings(ctx context.Context, c *enlist.Caller) error {
	all, err := s.Accounts.StoredSettings(ctx)
	unset := make(map[string]string)
	for _, v := range all {
		if v.Account == c.Account.ID {
			unset[v.Name] = ""
		}
	}
	if err != nil || len(unset) == 0 {
		return err
	}
	return s.Accounts.ChangeSettings(ctx, c.Account.ID, unset)
}
