package movein

// This file moves the consent ledger and the answers to preferences. The API has them only Contact by Contact, so
// several calls run at the same time.

import (
	"context"
	"fmt"

	"enlist/api"
	"enlist/internal/audience"

	"golang.org/x/sync/errgroup"
)

const (
	// consentCalls is the number of calls that run at the same time.
	consentCalls = 8
	// consentStep is the number of Contacts whose consents are stored together.
	consentStep = 200

	consentsMethod    = "getContactConsents"
	preferencesMethod = "getContactPreferences"
)

// consents moves the consents of the Contacts of each List.
func (m *Mover) consents(ctx context.Context) error {
	for _, l := range m.lists {
		if err := m.consentsOf(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

func (m *Mover) consentsOf(ctx context.Context, l movedList) error {
	for n, asked := 0, false; ; {
		state := m.move.Lists[l.id]
		ids, err := m.Service.MovedContactIDs(ctx, m.Caller, m.move, l.id, state.Consents, consentStep)
		if err != nil {
			return err
		}
		if len(ids) > 0 && !asked {
			if err := m.askForMethods(ctx, l, ids[0]); err != nil {
				return err
			}
			asked = true
		}
		if len(ids) == 0 || m.skipped[consentsMethod] && !m.asksPreferences(l) {
			state.Consents = 0
			return m.Service.SetMovedList(ctx, m.Caller, m.move, l.id, state)
		}
		found, err := m.readConsents(ctx, l, ids)
		if err != nil {
			return err
		}
		state.Consents = ids[len(ids)-1]
		added, problems, err := m.Service.MoveConsents(ctx, m.Caller, m.move, l.id, found, state)
		if err != nil {
			return err
		}
		m.refused(problems)
		n += len(ids)
		m.result.Consents += added
		m.Report(fmt.Sprintf("List %d: consents of %d of about %d Contacts read", l.id, n, l.contacts))
	}
}

// askForMethods finds out which of the two methods the other service has.
func (m *Mover) askForMethods(ctx context.Context, l movedList, id audience.ContactID) error {
	if !m.skipped[consentsMethod] {
		_, err := m.source.call(ctx, consentsMethod, l.id, id, 1, 0, true)
		m.onlyConsents = isCode(err, api.CodeInvalidParameters)
		if m.onlyConsents {
			_, err = m.source.call(ctx, consentsMethod, l.id, id)
		}
		if err := m.optional(consentsMethod, ignoreGone(err)); err != nil {
			return err
		}
	}
	if m.skipped[preferencesMethod] {
		return nil
	}
	_, err := m.source.call(ctx, preferencesMethod, l.id, id)
	return m.optional(preferencesMethod, ignoreGone(err))
}

// asksPreferences reports whether the answers to the preferences of a List are read.
func (m *Mover) asksPreferences(l movedList) bool {
	return l.hasPreferences && !m.skipped[preferencesMethod]
}

// readConsents reads the consents of some Contacts.
func (m *Mover) readConsents(ctx context.Context, l movedList, ids []audience.ContactID) (
	[]audience.MovedConsents, error) {
	found := make([]audience.MovedConsents, len(ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(consentCalls)
	for i, id := range ids {
		group.Go(func() error {
			found[i].Contact = id
			return ignoreGone(m.readConsent(ctx, l, &found[i]))
		})
	}
	return found, group.Wait()
}

// ignoreGone returns nil for a Contact or a List that was deleted meanwhile.
func ignoreGone(err error) error {
	if isCode(err, api.CodeNoContact) || isCode(err, api.CodeNoList) {
		return nil
	}
	return err
}

// readConsent reads the consents of one Contact.
func (m *Mover) readConsent(ctx context.Context, l movedList, c *audience.MovedConsents) error {
	for more := !m.skipped[consentsMethod]; more; {
		params := []any{l.id, c.Contact, pageSize, len(c.Rows)}
		if !m.onlyConsents {
			params = append(params, true) // also the rows of confirmations and unsubscriptions
		}
		in, err := m.source.call(ctx, consentsMethod, params...)
		if err != nil {
			return err
		}
		page, err := records(consentsMethod, in)
		if err != nil {
			return err
		}
		c.Rows = append(c.Rows, page...)
		more = len(page) == pageSize
	}
	if !m.asksPreferences(l) {
		return nil
	}
	in, err := m.source.call(ctx, preferencesMethod, l.id, c.Contact)
	if err != nil {
		return err
	}
	c.Preferences = recordOf(in)
	return nil
}
