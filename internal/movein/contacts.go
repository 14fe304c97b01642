package movein

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"enlist/api"
	"enlist/internal/enlist"
)

// This file moves the Contacts of the Lists, and compares them with the other service.

// readContacts reads the Contacts of each List: all of them the first time, and later those that have changed.
func (m *Mover) readContacts(ctx context.Context) error {
	for _, l := range m.lists {
		read := m.readAll
		if m.move.Lists[l.id].Complete {
			read = m.catchUp
		}
		if err := read(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads all Contacts of a List, or continues to do so.
func (m *Mover) readAll(ctx context.Context, l movedList) (err error) {
	state := m.move.Lists[l.id]
	if state.Read == 0 {
		state.Since, err = m.From.LastModified(ctx, int64(l.id))
		if err != nil {
			return err
		}
	}
	err = m.pages(ctx, l, int64(state.Read), 0, "read", func(page contactPage) error {
		state.Read = max(state.Read, page.Upto)
		page.Whole = len(page.Records) > 0
		return m.store(ctx, l, page, state, nil)
	})
	if err != nil {
		return err
	}
	state.Complete = true
	return m.setState(ctx, l.id, state)
}

// catchUp reads the Contacts of a List that have changed since the last reading began.
func (m *Mover) catchUp(ctx context.Context, l movedList) error {
	state := m.move.Lists[l.id]
	now, err := m.From.LastModified(ctx, int64(l.id))
	if err != nil {
		return err
	}
	err = m.pages(ctx, l, 0, state.Since, "read again", func(page contactPage) error {
		return m.store(ctx, l, page, state, nil)
	})
	if err != nil {
		return err
	}
	state.Since = max(state.Since, now)
	return m.setState(ctx, l.id, state)
}

// compare reads all Contacts of each List again. It stores what has changed meanwhile, removes the Contacts that the
// other service has deleted, and computes the checksums of both sides.
func (m *Mover) compare(ctx context.Context) error {
	for _, l := range m.lists {
		var sums checksums
		err := m.pages(ctx, l, 0, 0, "compared", func(page contactPage) error {
			page.Whole = true
			if len(page.Records) == 0 {
				page.Upto = m.move.LastContact
			}
			l.result.AtSource += len(page.Records)
			return m.store(ctx, l, page, m.move.Lists[l.id], &sums)
		})
		if err != nil {
			return err
		}
		l.result.SourceChecksum, l.result.Checksum = sums.source.text(), sums.stored.text()
	}
	return nil
}

// pages calls store with each page of Contacts above an ID that changed since a time, and at last with a page without
// records. A List that was deleted meanwhile has no more pages.
func (m *Mover) pages(ctx context.Context, l movedList, after, since int64, done string,
	store func(contactPage) error) error {
	for n := 0; ; {
		found, err := m.From.Contacts(ctx, int64(l.id), after, since)
		if isCode(err, api.CodeNoList) {
			m.refused([]Problem{{Record: "list", ID: int64(l.id),
				Reason: "the other service has deleted it meanwhile"}})
			return nil
		}
		if err != nil {
			return err
		}
		page := contactPage{List: l.id, Records: found, After: enlist.ContactID(after)}
		if len(found) > 0 {
			after = found[len(found)-1].ID()
			page.Upto = enlist.ContactID(after)
		}
		if err := store(page); err != nil {
			return err
		}
		n += len(found)
		if len(found) == 0 {
			return nil
		}
		of := ""
		if since == 0 {
			of = fmt.Sprintf(" of about %d", l.contacts)
		}
		m.Report(fmt.Sprintf("List %d: %d%s Contacts %s", l.id, n, of, done))
	}
}

// store stores a page. Problems are reported only by the last reading of a Run, because each reading finds them again.
func (m *Mover) store(ctx context.Context, l movedList, page contactPage, state movedState,
	sums *checksums) error {
	for again := true; again; {
		stored, problems, err := m.storePage(ctx, page, state)
		if err != nil {
			return err
		}
		l.result.Added, l.result.Changed = l.result.Added+stored.Added, l.result.Changed+stored.Changed
		l.result.Removed += stored.Removed
		again = stored.Again
		if again || sums == nil && !m.Quick {
			continue
		}
		m.refused(problems)
		if sums != nil {
			l.result.LeftOut += len(page.Records) - stored.Contacts - stored.Erased
			l.result.Erased += stored.Erased
			sums.source.add(stored.Source)
			sums.stored.add(stored.Stored)
		}
	}
	return nil
}

// checksums are the checksums of a List on both sides.
type checksums struct{ source, stored checksum }

// checksum is the checksum of the checksums of pages.
type checksum [sha256.Size]byte

func (c *checksum) add(page [sha256.Size]byte) { *c = sha256.Sum256(append(c[:], page[:]...)) }

// text returns the beginning of the checksum in hexadecimal, for people to compare.
func (c *checksum) text() string { return hex.EncodeToString(c[:8]) }
