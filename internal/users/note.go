package users

import (
	"context"
	"errors"

	"enlist/internal/db"
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
)

// mailsOfNotes are the mails of the kinds.
var mailsOfNotes = map[NoteKind]MailKind{NoteAsked: MailAsked, NoteMoved: MailMoved, NotePassword: MailNewPassword,
	NotePasskey: MailPasskey}

// maxChanges is the largest number of changes of each kind that a user makes in triesTime. So notes fill no mailbox.
const maxChanges = 5

// SendNote mails a note.
type SendNote struct {
	User     UserID   `json:"user_id"`
	To       string   `json:"to"`
	Note     NoteKind `json:"kind"`
	About    string   `json:"about"`    // the new address, or the name of the passkey
	Language string   `json:"language"` // of the browser
}

// Kind implements Effect.
func (SendNote) Kind() string { return "user_note" }

// noteOf returns a note to the present address of a user.
func noteOf(p *User, kind NoteKind, about, language string) SendNote {
	return SendNote{User: p.ID, To: p.Email, Note: kind, About: about, Language: language}
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
	p, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (*User, error) { return userByID(tx, e.User) })
	if errors.Is(err, errNoUser) || !s.SendsMail() {
		return nil
	}
	if err != nil {
		return err
	}
	m := LinkMail{Kind: mailsOfNotes[e.Note], To: e.To, About: e.About, Language: e.Language}
	switch e.Note {
	case NoteAsked, NotePasskey:
		m.URL = s.pagesURL() + "/admin/you"
	case NotePassword:
		m.URL = s.pagesURL() + "/admin/forgot"
	}
	return s.mailOwn(ctx, p, m)
}
