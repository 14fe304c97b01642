package movein

// This file moves the consent ledger and the answers to preferences.

import (
	"context"
	"fmt"
)

// consentStep is the number of Contacts whose consents are stored together.
const consentStep = 200

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
	for n := 0; ; {
		state := m.move.Lists[l.id]
		ids, err := m.records.MovedContactIDs(ctx, m.Caller, m.move, l.id, state.Consents, consentStep)
		if err != nil {
			return err
		}
		found, err := m.From.Consents(ctx, int64(l.id), l.hasPreferences, ids)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			state.Consents = 0
			return m.records.SetMovedList(ctx, m.Caller, m.move, l.id, state)
		}
		state.Consents = ids[len(ids)-1]
		added, problems, err := m.records.MoveConsents(ctx, m.Caller, m.move, l.id, found, state)
		if err != nil {
			return err
		}
		m.refused(problems)
		n += len(ids)
		m.result.Consents += added
		m.Report(fmt.Sprintf("List %d: consents of %d of about %d Contacts read", l.id, n, l.contacts))
	}
}
