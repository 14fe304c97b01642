package sending

import (
	"context"
	"sync"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/limiter"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file shows the mails of public Lists. Anyone may ask for them, many times at once. So the list reads no contents,
// and each mail is composed once for each version of its Message.

// Archive is what a public List has sent to all its Contacts, newest first.
type Archive struct {
	Schema *enlist.Schema
	Mails  []ArchivedMail
}

// ArchivedMail is a Batch in an Archive.
type ArchivedMail struct {
	Batch   enlist.BatchID
	Subject string // for a Contact without values
	Time    int64

	version int64 // the last_modified_time of the Message
}

// maxArchive is the number of mails that an Archive has.
const maxArchive = 100

// Archive returns the Archive of a List, or nil if the List is not public. Each mail has its Message as it is now. A
// Batch for some Contacts only is not in it. decisions.md: 133
func (s *Service) Archive(ctx context.Context, list enlist.ListID) (*Archive, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*Archive, error) {
		a, _, err := archive(tx, list, 0)
		return a, err
	})
}

// archive returns the Archive of a List, or one Batch of it if only is not 0.
func archive(tx *db.Tx, list enlist.ListID, only enlist.BatchID) (*Archive, []batches.Batch, error) {
	schema, err := lists.Schema(tx, list)
	if err != nil || !schema.List.Public {
		return nil, nil, enlist.IgnoreKind(enlist.NoList, err)
	}
	a := &Archive{Schema: schema}
	sent, err := batches.SentToList(tx, list, only, maxArchive)
	if err != nil {
		return nil, nil, err
	}
	for i := range sent {
		heads, err := sent[i].Heads(tx)
		if enlist.KindOf(err) == enlist.NoMessage {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		m := heads[sent[i].Winner()]
		a.Mails = append(a.Mails, ArchivedMail{Batch: sent[i].ID, Time: sent[i].FirstSent, version: m.LastModifiedTime,
			Subject: messages.MergeText(schema, new(enlist.Contact), m.Subject)})
	}
	return a, sent, nil
}

// ArchivedMail returns a mail of an Archive without values of a Contact, or nil if the Archive does not have it.
func (s *Service) ArchivedMail(ctx context.Context, list enlist.ListID, batch enlist.BatchID) (*WebPage, error) {
	key, _, err := s.readArchived(ctx, list, batch, false)
	if err != nil || key == (archivedKey{}) {
		return nil, err
	}
	if page, cached := s.archived.get(key); cached {
		return page, nil
	}
	release, err := s.archived.composing.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if page, cached := s.archived.get(key); cached {
		return page, nil // another request has composed it
	}
	key, mail, err := s.readArchived(ctx, list, batch, true)
	page, err := s.webPage(ctx, mail, err)
	if err == nil && mail != nil && key.version < s.db.Now().Unix()-1 { // no later change has the same time
		s.archived.add(key, page)
	}
	return page, err
}

// readArchived returns the key of a mail, and also the mail if it is composed. The key is empty if there is no such
// mail.
func (s *Service) readArchived(ctx context.Context, list enlist.ListID, batch enlist.BatchID,
	composing bool) (key archivedKey, mail *messages.OutgoingMail, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		key, mail = archivedKey{}, nil
		a, sent, err := archive(tx, list, batch)
		if err != nil || a == nil || len(a.Mails) == 0 {
			return err
		}
		b := &sent[0]
		if composing {
			content, err := b.Contents(tx)
			if err != nil {
				return enlist.IgnoreKind(enlist.NoMessage, err)
			}
			mail = archivedMail(a.Schema,
				enlist.DeliveryKey{List: list, Time: b.FirstSent, Cause: batches.CauseBatch(b.ID)}, &content[b.Winner()])
			mail.Campaign = b.Name
		}
		definitions, err := tx.Catalogue()
		if err == nil {
			key = archivedKey{list, batch, b.Winner(), a.Mails[0].version, definitions.Version(),
				s.messages.UTM(a.Schema.List.AccountID)}
		}
		return err
	})
	return key, mail, err
}

// archivedKey identifies a version of a mail. definitions is the version of the catalogue, which has the List and
// the theme of the Account.
type archivedKey struct {
	list        enlist.ListID
	batch       enlist.BatchID
	winner      int
	version     int64
	definitions int64
	utm         enlist.UTM // of the Account
}

// archivedPages caches pages. Its zero value with composing is an empty cache.
type archivedPages struct {
	composing *limiter.Limiter // few at a time, because many readers ask for the same new mail

	mu    sync.Mutex
	pages map[archivedKey]*WebPage
	bytes int
}

// maxArchivedBytes is the size of all pages in the cache.
const maxArchivedBytes = 16 << 20

func (c *archivedPages) get(key archivedKey) (page *WebPage, cached bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	page, cached = c.pages[key]
	return page, cached
}

// add adds a page, which may be nil. It removes all others if they are too many: they are composed again.
func (c *archivedPages) add(key archivedKey, page *WebPage) {
	size := 256
	if page != nil {
		size += len(page.Subject) + len(page.HTML) + len(page.Text)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages == nil || c.bytes+size > maxArchivedBytes {
		c.pages, c.bytes = make(map[archivedKey]*WebPage), 0
	}
	if _, known := c.pages[key]; !known {
		c.bytes += size
	}
	c.pages[key] = page
}
