package privacy

import (
	"context"
	"slices"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/files"
	"enlist/internal/imports"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file erases everything that an Account stores about the person with an address. It erases what an export finds
// (person.go), in several transactions. Each of them is safe to repeat, so an erasure that was interrupted continues
// when it is started again. The Contacts come last, because they lead to the other rows. decisions.md: 99

// Erasure says what an erasure has removed, or would remove.
type Erasure struct {
	Rows []ErasedRows `json:"rows"` // one for each section, in the order of an export
	Left []string     `json:"left"` // settings, texts and other Contacts that contain the address, such as "list 3"; they stay
}

// ErasedRows is the number of rows of one section.
type ErasedRows struct {
	Section PersonSection `json:"section"`
	Rows    int64         `json:"rows"`
}

const (
	// eraseStep is the largest number of rows that one transaction erases.
	eraseStep = 500
	// erasePasses is how often an erasure looks again for rows, because a mail that was being sent can store some.
	erasePasses = 5
	// eraseWait is the longest time that an erasure waits for jobs about the person that run.
	eraseWait = 20 * time.Second
)

// PlanErasure returns what ErasePerson would remove. Errors: as of ExportPerson.
func (s *Service) PlanErasure(ctx context.Context, c *enlist.Caller, text string) (*Erasure, error) {
	rows, err := s.findToErase(ctx, c, text)
	if err != nil {
		return nil, err
	}
	return rows.erasure(), nil
}

// ErasePerson removes everything that the Account stores about an email address or a mobile number: the Contacts with
// the address in all Lists, and everything that ExportPerson finds. Two things stay without the person: the rows of the
// ledger, and the entries of the Unsubscriber List, which have a keyed hash in place of the address. So imports still
// leave the address out. The webhooks get the event that the Contacts were removed. Errors: as of ExportPerson, and
// Busy while an Import of the Account or a change of many Contacts with a value runs, while a mail to the person is
// being sent, and if the engine could not remove the data from its files. A repeated call continues.
func (s *Service) ErasePerson(ctx context.Context, c *enlist.Caller, text string) (*Erasure, error) {
	var result *Erasure
	for range erasePasses {
		rows, err := s.findToErase(ctx, c, text)
		if err != nil {
			return nil, err
		}
		if result == nil {
			result = rows.erasure()
		}
		if rows.isEmpty() {
			return s.finishErasure(ctx, c, rows.keys, result)
		}
		for _, erase := range []func(context.Context, *personFound) error{
			s.eraseChanges, s.eraseJobs, s.eraseAuditRows, s.eraseMails, s.eraseImports, s.eraseAddress, s.eraseContacts,
		} {
			if err := erase(c.Context(ctx), rows); err != nil {
				return nil, err
			}
		}
	}
	return nil, enlist.Refuse(enlist.Busy, "new data about the person was stored meanwhile: erase the person again")
}

// finishErasure removes the files of Imports that have ended, and deleted data from the files of the database.
func (s *Service) finishErasure(ctx context.Context, c *enlist.Caller, k *personKeys,
	result *Erasure) (*Erasure, error) {
	released, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) ([]enlist.ContentID, error) {
		if err := imports.ReleaseKept(tx, c.Account.ID, now); err != nil {
			return nil, err
		}
		return files.ReleasedContents(tx, c.Account.ID)
	})
	if err != nil {
		return nil, err
	}
	for _, id := range released {
		for done := false; !done; {
			done, err = s.files.RemoveContent(ctx, files.RemoveContent{Content: id})
			if err != nil {
				return nil, err
			}
		}
	}
	if err := s.db.Scrub(ctx); err != nil {
		return nil, err
	}
	// With an Idempotency-Key, this stores the numbers for a repeated call.
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (*Erasure, error) {
		values := make(accounts.AuditValues)
		for _, r := range result.Rows {
			values[string(r.Section)] = r.Rows
		}
		return result, auditPerson(tx, c, now, k, values)
	})
}

// eraseJobs deletes the jobs, the events for webhooks and the saved results. It waits for jobs that run.
func (s *Service) eraseJobs(ctx context.Context, f *personFound) error {
	for ids := range slices.Chunk(f.jobs, eraseStep) {
		for end := time.Now().Add(eraseWait); ; {
			running, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (int64, error) {
				return db.EraseJobs(tx, ids)
			})
			if err != nil {
				return err
			}
			if running == 0 {
				break
			}
			if time.Now().After(end) {
				return enlist.Refuse(enlist.Busy, "%d jobs about the person run, such as a mail: erase the person again later", running)
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
	if err := inChunks(ctx, s.db, f.events, events.RemoveByID); err != nil {
		return err
	}
	return inChunks(ctx, s.db, f.saved, forEach(func(tx *db.Tx, r savedResult) error {
		return accounts.EraseRetry(tx, f.caller.Account.ID, r.key, r.header)
	}))
}

// inChunks runs fn for the items, in an Update for each eraseStep of them.
func inChunks[T any](ctx context.Context, database *db.DB, items []T, fn func(tx *db.Tx, items []T) error) error {
	for chunk := range slices.Chunk(items, eraseStep) {
		if err := database.Update(ctx, func(tx *db.Tx) error { return fn(tx, chunk) }); err != nil {
			return err
		}
	}
	return nil
}

// forEach returns a function for inChunks that calls fn for each item.
func forEach[T any](fn func(tx *db.Tx, item T) error) func(tx *db.Tx, items []T) error {
	return func(tx *db.Tx, items []T) error {
		for _, item := range items {
			if err := fn(tx, item); err != nil {
				return err
			}
		}
		return nil
	}
}

// eraseMails removes the address from the records of mails to Contacts that have another address now.
func (s *Service) eraseMails(ctx context.Context, f *personFound) error {
	if err := inChunks(ctx, s.db, f.deliveries, forEach(messages.EraseDelivery)); err != nil {
		return err
	}
	return inChunks(ctx, s.db, f.recipients, forEach(func(tx *db.Tx, r recipients.Recipient) error {
		return r.Erase(tx)
	}))
}

// eraseImports removes values and Contacts from the results of Imports that are about the person, and headers and names
// of files.
func (s *Service) eraseImports(ctx context.Context, f *personFound) error {
	err := inChunks(ctx, s.db, f.imports, forEach(func(tx *db.Tx, id enlist.ImportID) error {
		return imports.EraseTexts(tx, id, f.keys.Mentions)
	}))
	if err != nil {
		return err
	}
	return inChunks(ctx, s.db, f.results, forEach(func(tx *db.Tx, step resultStep) error {
		return imports.EraseResults(tx, &f.keys.Person, step.list, step.id, step.number)
	}))
}

// eraseAddress erases the ledger rows of Contacts that were deleted before, and replaces the addresses on the
// Unsubscriber List by hashes. Each address gets an entry, even if it had none.
func (s *Service) eraseAddress(ctx context.Context, f *personFound) error {
	err := inChunks(ctx, s.db, f.keys.Former, forEach(func(tx *db.Tx, k enlist.PersonKey) error {
		return contacts.EraseLedger(tx, k.List, k.Contact)
	}))
	if err != nil {
		return err
	}
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		erased, err := erasedKeys(tx, f.caller.Account.ID)
		if err != nil {
			return err
		}
		for i, id := range f.entries {
			if err := contacts.EraseUnsubscriber(tx, id, erased.Of(f.hashes[i])); err != nil {
				return err
			}
		}
		known, err := contacts.UnsubscribedAmong(tx, f.caller.Account.ID, 0, f.addresses)
		if err != nil {
			return err
		}
		for _, key := range f.addresses {
			if known[key] {
				continue
			}
			known[key] = true
			u := contacts.Unsubscriber{AddressType: enlist.AddressEmail, Address: erased.Of(key),
				AddressKey: erased.Of(key), Time: now}
			if !strings.Contains(key, "@") {
				u.AddressType = enlist.AddressMobile
			}
			if err := contacts.AddUnsubscriber(tx, f.caller.Account.ID, &u); err != nil {
				return err
			}
		}
		return nil
	})
}

// erasedKeys returns the ErasedKeys of an Account. The first call stores the secret.
func erasedKeys(tx *db.Tx, account enlist.AccountID) (*contacts.ErasedKeys, error) {
	secret, err := accounts.StoredSecret(tx, contacts.ErasureSecret, 32)
	return contacts.NewErasedKeys(secret, account), err
}

// eraseContacts removes the Contacts, one in each transaction, because a Contact can have many rows.
func (s *Service) eraseContacts(ctx context.Context, f *personFound) error {
	notifiers := make(map[enlist.ListID]*contacts.Notifier)
	for _, k := range f.keys.Contacts {
		if notifiers[k.List] == nil {
			notifiers[k.List] = new(contacts.Notifier)
		}
		progress := *notifiers[k.List]
		err := db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
			progress = *notifiers[k.List]
			if err := tx.LockListForBulk(k.List); err != nil {
				return err
			}
			schema, err := lists.Schema(tx, k.List)
			if err != nil {
				return enlist.IgnoreKind(enlist.NoList, err) // a job removes the Contacts of a deleted List
			}
			removed, err := s.contacts.RemoveContactsByID(tx, now, k.List, []enlist.ContactID{k.Contact})
			if err != nil {
				return err
			}
			if err := contacts.EraseLedger(tx, k.List, k.Contact); err != nil {
				return err
			}
			if len(removed) == 0 {
				return nil
			}
			by := contacts.Origin{Method: contacts.MethodErasure, Key: f.caller.Key.ID}
			if err := by.Record(tx, &enlist.Contact{ListID: k.List, ID: k.Contact}, now); err != nil {
				return err
			}
			return progress.Publish(tx, schema, now, []contacts.ContactEvent{{Contact: k.Contact,
				Event: enlist.WebhookRemoved}})
		})
		if err != nil {
			return err
		}
		*notifiers[k.List] = progress
	}
	return nil
}
