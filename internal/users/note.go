package users

import (
	"context"
	"errors"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the notes that tell a user of each change of how the user signs in, at the address that counted before
// it. It says what to do if another person has made the change. decisions.md: 167

// NoteKind is what a note is about.
type NoteKind string

// The kinds.
const (
	NoteAsked    NoteKind = "address asked" // another address was asked for
	NoteMoved    NoteKind = "address"       // and counts now
	NotePassword NoteKind = "password"      // another password was chosen
	NotePasskey  NoteKind = "passkey"       // a passkey was added
	// Of a program, to each owner of its Account.
	NoteAdded   NoteKind = "user added"
	NoteRights  NoteKind = "user rights"
	NoteRemoved NoteKind = "user removed"
)

// mailsOfNotes are the mails of the kinds.
var mailsOfNotes = map[NoteKind]MailKind{NoteAsked: MailAsked, NoteMoved: MailMoved, NotePassword: MailNewPassword,
	NotePasskey: MailPasskey, NoteAdded: MailAdded, NoteRights: MailRights, NoteRemoved: MailRemoved}

// maxChanges is the largest number of changes of each kind that a user makes in triesTime. So notes fill no mailbox.
const maxChanges = 5

// SendNote mails a note.
type SendNote struct {
	User     UserID   `json:"user_id"`
	To       string   `json:"to"` // "": the present address
	Note     NoteKind `json:"kind"`
	About    string   `json:"about"`    // the new address, the name of the passkey, or the address of another user
	Language string   `json:"language"` // of the browser

	Account enlist.AccountID `json:"account_id,omitempty"` // of a note to an owner
	By      string           `json:"by,omitempty"`         // the name of the key
}

// Kind implements Effect.
func (SendNote) Kind() string { return "user_note" }

// noteOf returns a note to the present address of a user.
func noteOf(p *User, kind NoteKind, about, language string) SendNote {
	return SendNote{User: p.ID, To: p.Email, Note: kind, About: about, Language: language}
}

// noteOwners tells each owner of the caller's Account what a program has done with a user. decisions.md: 172
func noteOwners(tx *db.Tx, c *enlist.Caller, kind NoteKind, m *Member) error {
	all, err := allIn(tx, c.Account.ID)
	for i := range all {
		if all[i].Role.May(enlist.Administer) {
			err = errors.Join(err, tx.Enqueue(SendNote{User: all[i].User, Note: kind, About: m.Email, Account: c.Account.ID, By: c.Key.Name}))
		}
	}
	return err
}

// beginChange counts a change of the visitor, of which a note will tell. Errors: ErrTooManyTries.
func (s *Service) beginChange(v *Visit, kind NoteKind) error {
	if !s.tries.begin(limit{"change\n" + string(kind) + "\n" + v.User.emailKey, maxChanges}) {
		return ErrTooManyTries
	}
	return nil
}

// MailNote does such a job.
func (s *Service) MailNote(ctx context.Context, _ db.Job, e SendNote) error {
	m := LinkMail{Kind: mailsOfNotes[e.Note], To: e.To, About: e.About, By: e.By, Language: e.Language}
	p, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (*User, error) {
		if e.Account == 0 {
			return userByID(tx, e.User)
		}
		owner, err := memberIn(tx, e.Account, e.User)
		if err != nil {
			return nil, err
		}
		if !owner.Role.May(enlist.Administer) { // any more
			return nil, errNoMember
		}
		account, err := accounts.FindAccount(tx, e.Account)
		if err != nil {
			return nil, err
		}
		m.To, m.Account = owner.Email, account.Name
		return &owner.User, nil
	})
	if errors.Is(err, errNoUser) || errors.Is(err, errNoMember) || !s.SendsMail() {
		return nil
	}
	if err != nil {
		return err
	}
	switch e.Note {
	case NoteAsked, NotePasskey:
		m.URL = s.pagesURL() + "/admin/you"
	case NotePassword:
		m.URL = s.pagesURL() + "/admin/forgot"
	case NoteAdded, NoteRights, NoteRemoved:
		m.URL = s.pagesURL() + "/admin/users"
	}
	return s.mailOwn(ctx, p, m)
}
