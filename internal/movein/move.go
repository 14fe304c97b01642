package movein

import (
	"context"
	"encoding/json"
	"maps"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/webhooks"
)

// This file has the record of a move: an Account moves in from another service and keeps its IDs. The files store_*.go
// store what the other service sends. Nothing of a move causes an event, a mail or a webhook.

// move says how far an Account has moved in. It is stored with each change, so that a move that was stopped continues.
type move struct {
	Source string `json:"-"` // URL of the other service
	// LastContact is the greatest ID of a Contact that was moved. A Contact that this service adds gets a greater one.
	LastContact enlist.ContactID `json:"last_contact"`
	// IDFactor is the number by which the Source computes IDs. 0 means that the source has the same
	// API and keeps the IDs. Any other source knows only the last change of a subscription.
	IDFactor int64                        `json:"id_factor,omitempty"`
	Lists    map[enlist.ListID]movedState `json:"lists"`
}

// movedState says how far the Contacts of a List are read.
type movedState struct {
	Read     enlist.ContactID `json:"read"`     // the first reading has come to this ID
	Complete bool             `json:"complete"` // the first reading has ended
	Since    int64            `json:"since"`    // Contacts that changed at this time or later are to be read again
	Consents enlist.ContactID `json:"consents"` // the reading of consents has come to this ID; 0: it has not begun, or has ended
}

// Problem is something that could not be moved, with the reason. Key is the Field or attribute, or "" if the
// complete record is left out.
type Problem struct {
	// Record is list, field, contact, message, folder, file, autoresponder, webhook, preference, unsubscriber or
	// subscriber.
	Record string        `json:"record"`
	List   enlist.ListID `json:"list_id,omitempty"`
	ID     int64         `json:"id,omitempty"`
	Key    string        `json:"key,omitempty"`
	Value  string        `json:"value,omitempty"` // the beginning of the value
	Reason string        `json:"reason"`
}

// beginMove begins the move, or continues it. A move begins only in an empty Account that is alone in its database,
// because IDs are unique in a database.
// Errors: InvalidParameters for another Account, or if programs already add Contacts to this one.
// decisions.md: 87
func (m *Mover) beginMove(ctx context.Context) (*move, error) {
	c := m.Caller
	return db.Update(ctx, m.Service.DB, c, func(tx *db.Tx, now int64) (*move, error) {
		from, state, err := accounts.LoadMove(tx, c.Account.ID)
		switch {
		case err != nil:
			return nil, err
		case from == "":
			on := accounts.AuditObject{Kind: "Account", ID: int64(c.Account.ID), List: 0}
			if err := accounts.Audit(tx, c, now, on, nil, accounts.AuditValues{"moves_in_from": m.Source}); err != nil {
				return nil, err
			}
			return m.emptyAccount(tx, &move{Source: m.Source, IDFactor: m.From.IDFactor(), Lists: make(map[enlist.ListID]movedState)})
		case from != m.Source:
			return nil, enlist.Refuse(enlist.InvalidParameters,
				"Account %d moves in from %s; give the same URL, or a new database",
				c.Account.ID, from)
		}
		stored := &move{Source: m.Source}
		if err := json.Unmarshal([]byte(state), stored); err != nil {
			return nil, err
		}
		return stored, stored.checkUntouched(tx, c)
	})
}

// emptyAccount removes from the Account what every new Account has, and stores the new move.
func (m *Mover) emptyAccount(tx *db.Tx, begun *move) (*move, error) {
	all, err := requireEmpty(tx, m.Caller.Account)
	if err != nil {
		return nil, err
	}
	for _, id := range all {
		if err := lists.MarkListDeleted(tx, id); err != nil {
			return nil, err
		}
		if err := m.Service.Contacts.DropList(tx, id); err != nil {
			return nil, err
		}
	}
	folders, err := accounts.Folders(tx, m.Caller.Account.ID)
	if err != nil {
		return nil, err
	}
	for i := range folders {
		if err := accounts.DeleteFolder(tx, folders[i].ID); err != nil {
			return nil, err
		}
	}
	return begun, begun.save(tx, m.Caller.Account.ID)
}

// requireEmpty refuses an Account that has more than a new one. It returns the List that Bootstrap has added, if no
// call has used it.
func requireEmpty(tx *db.Tx, a *enlist.Account) (unused []enlist.ListID, err error) {
	accounts, err := accounts.All(tx)
	if err != nil {
		return nil, err
	}
	if len(accounts) > 1 {
		return nil, notEmpty("the database has %d Accounts, and IDs are unique in a database", len(accounts))
	}
	lists, err := lists.OfAccount(tx, a.ID)
	if err != nil {
		return nil, err
	}
	for i := range lists {
		used, err := isUsed(tx, &lists[i])
		if err != nil {
			return nil, err
		}
		if used {
			return nil, notEmpty("the Account has the List %d", lists[i].ID)
		}
		unused = append(unused, lists[i].ID)
	}
	all, err := messages.Messages(tx, a.ID)
	if err != nil {
		return nil, err
	}
	saved := 0
	if err := messages.SavedTexts(tx, a.ID, func(int64, string) { saved++ }); err != nil {
		return nil, err
	}
	files, err := files.Files(tx, a.ID)
	if err != nil {
		return nil, err
	}
	addresses, err := contacts.CountUnsubscribers(tx, &contacts.UnsubscriberSearch{Account: a.ID})
	if err != nil {
		return nil, err
	}
	webhooks, err := webhooks.Webhooks(tx, a.ID)
	if err != nil {
		return nil, err
	}
	if len(all)+saved+len(files)+len(webhooks) > 0 || addresses > 0 {
		return nil, notEmpty("the Account has %d Messages, %d saved blocks, %d files, %d webhooks and %d addresses on its "+
			"Unsubscriber List", len(all), saved, len(files), len(webhooks), addresses)
	}
	return unused, nil
}

// notEmpty refuses a database, and says which one to give.
func notEmpty(format string, args ...any) error {
	return enlist.Refuse(enlist.InvalidParameters, format+": give a new database; enlist serve creates one", args...)
}

// isUsed reports whether a List is not as Bootstrap has added it.
func isUsed(tx *db.Tx, l *enlist.List) (bool, error) {
	schema, err := lists.Schema(tx, l.ID)
	if err != nil || l.Name != app.FirstListName || l.ContactCount > 0 ||
		len(schema.Fields) > len(lists.AddressFields()) || len(schema.Autoresponders) > 0 {
		return true, err
	}
	return contacts.HasLedger(tx, l.ID)
}

// checkUntouched refuses to continue a move if programs already use the Account. The move would remove their Contacts,
// because the other service does not have them.
func (m *move) checkUntouched(tx *db.Tx, c *enlist.Caller) error {
	lists, err := lists.Defined(tx, c.Account.ID)
	if err != nil {
		return err
	}
	for i := range lists {
		last, err := contacts.LastContactID(tx, lists[i].ID)
		if err != nil {
			return err
		}
		if _, moved := m.Lists[lists[i].ID]; !moved || last > m.LastContact {
			return enlist.Refuse(enlist.InvalidParameters, "programs already use this Account: since the move began, a Contact or a List "+
				"was added here (List %d). The move cannot go on; to begin again, give a new database", lists[i].ID)
		}
	}
	return nil
}

// save stores the move.
func (m *move) save(tx *db.Tx, account enlist.AccountID) error {
	state, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return accounts.SaveMove(tx, account, m.Source, string(state))
}

// writing is one transaction of a move.
type writing struct {
	tx       *db.Tx
	now      int64
	caller   *enlist.Caller
	next     *move // is stored with the transaction
	problems []Problem
}

// reader returns a reader of a record.
func (w *writing) reader(kind string, record Record) *reader {
	return &reader{record: record, about: Problem{Record: kind, ID: record.ID()}, problems: &w.problems}
}

// write runs fn in an Update, and stores the move as fn has changed next. It returns the problems that the last run of fn
// has found.
func (m *Mover) write(ctx context.Context, fn func(*writing) error) ([]Problem, error) {
	done, err := db.Update(ctx, m.Service.DB, m.Caller, func(tx *db.Tx, now int64) (*writing, error) {
		next := *m.move
		next.Lists = maps.Clone(m.move.Lists)
		w := &writing{tx: tx, now: now, caller: m.Caller, next: &next}
		if err := fn(w); err != nil {
			return nil, err
		}
		return w, next.save(tx, m.Caller.Account.ID)
	})
	if err != nil {
		return nil, err
	}
	m.move = done.next
	return done.problems, nil
}

// step is write, and reports the problems.
func (m *Mover) step(ctx context.Context, fn func(*writing) error) error {
	problems, err := m.write(ctx, fn)
	m.refused(problems)
	return err
}

// setState stores how far the Contacts of a List are read.
func (m *Mover) setState(ctx context.Context, id enlist.ListID, state movedState) error {
	return m.step(ctx, func(w *writing) error {
		w.next.Lists[id] = state
		return nil
	})
}
