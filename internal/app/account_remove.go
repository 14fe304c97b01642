package app

import (
	"context"
	"fmt"
	"math"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/files"
	"enlist/internal/imports"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/sending"
	"enlist/internal/users"
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
		s.removeFiles, s.removeDomains, s.removeSettings, s.removePeople,
	} {
		if err := step(ctx, c); err != nil {
			return err
		}
	}
	return s.Accounts.DeleteAccount(ctx, id, imports.RemoveAll, messages.RemoveSaved, events.RemoveTargets, sending.RemoveQueueAges)
}

// each calls do for all records, until one call fails. err is the error of the search for the records.
func each[T any](records []T, err error, do func(*T) error) error {
	for i := range records {
		if err != nil {
			return err
		}
		err = do(&records[i])
	}
	return err
}

// removeImports also removes the files that dry runs have kept.
func (s *App) removeImports(ctx context.Context, c *enlist.Caller) error {
	ofAccount, err := s.Imports.AllImports(ctx, c)
	err = each(ofAccount, err, func(i *imports.Import) error {
		if i.Ended() {
			return nil
		}
		return s.Imports.CancelImport(ctx, c, i.ID)
	})
	if err != nil {
		return err
	}
	return s.DB.Update(ctx, func(tx *db.Tx) error { return imports.ReleaseKept(tx, c.Account.ID, s.DB.Now().Unix()) })
}

// removeBatches removes the newest Batch first, because a Batch that another one leaves out cannot be deleted.
func (s *App) removeBatches(ctx context.Context, c *enlist.Caller) error {
	ofAccount, err := s.Batches.SearchBatches(ctx, c, enlist.Query{})
	err = each(ofAccount, err, func(b *batches.Batch) error {
		if b.Ended() {
			return nil
		}
		if err := s.Batches.EditBatch(ctx, c, b.ID, "cancel", 0); err != nil {
			return fmt.Errorf("cancel the Batch %d: %w", b.ID, err)
		}
		return nil
	})
	slices.SortFunc(ofAccount, func(a, b batches.Batch) int { return int(b.ID - a.ID) })
	return each(ofAccount, err, func(b *batches.Batch) error {
		if err := s.Batches.DeleteBatch(ctx, c, b.ID); err != nil {
			return fmt.Errorf("delete the Batch %d: %w", b.ID, err)
		}
		return nil
	})
}

func (s *App) removeWebhooks(ctx context.Context, c *enlist.Caller) error {
	webhooks, err := s.Webhooks.SearchWebhooks(ctx, c, enlist.Query{})
	return each(webhooks, err, func(w *enlist.Webhook) error { return s.Webhooks.DeleteWebhook(ctx, c, w.ID) })
}

// removeAutoresponders also removes the recipients of all deleted Batches, which include those of autoresponders.
func (s *App) removeAutoresponders(ctx context.Context, c *enlist.Caller) error {
	autoresponders, err := s.Batches.SearchAutoresponders(ctx, c, enlist.Query{})
	err = each(autoresponders, err, func(a *enlist.Autoresponder) error {
		return s.Batches.DeleteAutoresponder(ctx, c, a.ID)
	})
	if err != nil {
		return err
	}
	deleted, err := db.OwnView(ctx, s.DB, func(tx *db.Tx) ([]enlist.BatchID, error) {
		return batches.IDs(tx, c.Account.ID)
	})
	return each(deleted, err, func(id *enlist.BatchID) (err error) {
		for done := false; err == nil && !done; {
			done, err = s.Batches.RemoveBatch(ctx, batches.RemoveBatch{Batch: *id})
		}
		return err
	})
}

// removeLists removes the Contacts in steps before each List. Then it does the same for the Lists that are deleted, but
// whose Contacts are not removed yet.
func (s *App) removeLists(ctx context.Context, c *enlist.Caller) error {
	ofAccount, err := s.Lists.SearchLists(ctx, c, enlist.Query{})
	err = each(ofAccount, err, func(l *enlist.List) error {
		if err := s.Contacts.ClearList(ctx, c, l.ID); err != nil {
			return err
		}
		return s.Contacts.DeleteList(ctx, c, l.ID)
	})
	if err != nil {
		return err
	}
	deleted, err := db.OwnView(ctx, s.DB, func(tx *db.Tx) ([]enlist.ListID, error) {
		return lists.WithDeleted(tx, c.Account.ID)
	})
	return each(deleted, err, func(id *enlist.ListID) (err error) {
		for done := false; err == nil && !done; {
			done, err = s.Contacts.RemoveContacts(ctx, contacts.RemoveContacts{List: *id, Upto: math.MaxInt64,
				Delete: true})
		}
		return err
	})
}

func (s *App) removeMessages(ctx context.Context, c *enlist.Caller) error {
	ofAccount, err := s.Messages.SearchMessages(ctx, c, enlist.Query{})
	return each(ofAccount, err, func(m *messages.Message) error { return s.Messages.DeleteMessage(ctx, c, m.ID) })
}

func (s *App) removeFiles(ctx context.Context, c *enlist.Caller) error {
	ofAccount, err := s.Files.SearchFiles(ctx, c, enlist.Query{})
	return each(ofAccount, err, func(f *files.StoredFile) error { return s.Files.DeleteFile(ctx, c, f.ID) })
}

func (s *App) removeDomains(ctx context.Context, c *enlist.Caller) error {
	domains, err := s.Accounts.SendingDomains(ctx)
	return each(domains, err, func(d *accounts.SendingDomain) error {
		if d.AccountID != c.Account.ID {
			return nil
		}
		_, err := s.Accounts.RemoveSendingDomain(ctx, d.Domain)
		return err
	})
}

// removePeople ends the memberships of the Account. A person of other Accounts, or of all, stays.
func (s *App) removePeople(ctx context.Context, c *enlist.Caller) error {
	members, err := s.Users.Members(ctx, c.Account.ID)
	return each(members, err, func(m *users.Member) error {
		if m.AllAccounts {
			return nil
		}
		return s.Users.Remove(ctx, m.Email, c.Account.ID)
	})
}

func (s *App) removeSettings(ctx context.Context, c *enlist.Caller) error {
	stored, err := s.Accounts.StoredSettings(ctx)
	unset := make(map[string]string)
	for _, v := range stored {
		if v.Account == c.Account.ID {
			unset[v.Name] = ""
		}
	}
	if err != nil || len(unset) == 0 {
		return err
	}
	return s.Accounts.ChangeSettings(ctx, c.Account.ID, unset)
}
