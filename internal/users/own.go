package users

import (
	"context"
	"crypto/rand"
	"errors"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has what a user does without another one: a password that was forgotten, another name, another address. A
// link is mailed for the first and the last, and note.go tells the user. No answer says which addresses have users.
// decisions.md: 146, 167

// purpose is what an ownLink is for.
type purpose string

const (
	forPassword purpose = "password"
	forAddress  purpose = "address"
)

// mailPause is the time in seconds after a mail with a link to another password in which its user gets no other one. Its
// link works meanwhile, also if another person has asked for it.
const mailPause = 5 * 60

// SendPasswordLink mails a link to the user with an address, if there is one.
type SendPasswordLink struct {
	EmailKey string `json:"email_key"`
	Language string `json:"language"` // of the browser
}

// Kind implements Effect.
func (SendPasswordLink) Kind() string { return "password_link" }

// AskPassword mails a link with which the user with an address chooses another password. The answer is the same for
// each address: a job finds out who gets a mail. Requests count by the network, or by a device in which the user was signed
// in, and never by the address: others could use up its limit. Errors: ErrTooManyTries.
func (s *Service) AskPassword(ctx context.Context, email string, b Browser) error {
	_, key, ok := address.ParseEmail(email)
	if !ok {
		return nil
	}
	p, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (*User, error) { return userByKey(tx, key) })
	if err != nil && !errors.Is(err, errNoUser) {
		return err
	}
	from := limit{"forgot network\n" + networkOf(b.IP), ofNetwork}
	if err == nil && s.IsDevice(p.ID, b.Device) {
		from = limit{"forgot device\n" + b.Device, maxTries}
	}
	if !s.tries.begin(from) {
		return ErrTooManyTries
	}
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, _ int64) error {
		return tx.Enqueue(SendPasswordLink{EmailKey: key, Language: b.Language})
	})
}

// MailPasswordLink does such a job. A user who was invited and has never signed in has no password to forget. In mailPause
// after a mail there is no other one, but its link works: so others can neither fill a mailbox nor keep a user out.
func (s *Service) MailPasswordLink(ctx context.Context, job db.Job, e SendPasswordLink) error {
	if !s.SendsMail() {
		return nil
	}
	l := &ownLink{purpose: forPassword}
	text := rand.Text()
	l.hash = hashOf(text)
	p, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*User, error) {
		p, err := userByKey(tx, e.EmailKey)
		if errors.Is(err, errNoUser) || err == nil && p.SignInTime == 0 {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		mailed, err := tx.Number("SELECT count(*) FROM person_link WHERE person_id = ? AND purpose = ? AND expiry_time > ?",
			int64(p.ID), string(forPassword), now-mailPause+LinkTime)
		if err != nil || mailed > 0 && job.Attempt <= 1 { // a process that died stored the link, and mailed nothing
			return nil, err
		}
		l.user = p.ID
		return p, l.add(tx, now)
	})
	if err != nil || p == nil {
		return err
	}
	err = s.mailOwn(ctx, p, LinkMail{Kind: MailPassword, To: p.Email, URL: s.ownURL(PasswordPath, text), Language: e.Language})
	if err != nil { // the job tries again, and must not find this link
		ctx := context.WithoutCancel(ctx)
		err = errors.Join(err, db.OwnChange(ctx, s.db, func(tx *db.Tx, _ int64) error {
			return tx.Do("DELETE FROM person_link WHERE hash = ?", l.hash[:])
		}))
	}
	return err
}

// mailOwn mails something to a user, in the language that the user has chosen.
func (s *Service) mailOwn(ctx context.Context, p *User, m LinkMail) error {
	m.Name = p.Name
	if p.Language != "" {
		m.Language = p.Language
	}
	return s.settings.Mail(ctx, &m)
}

// add stores a link. Of links to another address, only the last one counts. Each mailed link to another password works.
func (l *ownLink) add(tx *db.Tx, now int64) error {
	err := tx.Do("DELETE FROM person_link WHERE expiry_time <= ? OR person_id = ? AND purpose = ? AND purpose <> ?", now,
		int64(l.user), string(l.purpose), string(forPassword))
	if err != nil {
		return err
	}
	l.expiry = now + LinkTime
	return ownLinkTable.Queue(tx, l)
}

// ownLinkOf returns a link that is valid, and its user. Errors: errLink.
func ownLinkOf(tx *db.Tx, text string, of purpose, now int64) (*ownLink, *User, error) {
	hash := hashOf(text)
	l, err := ownLinkTable.One(tx, errLink, "WHERE hash = ? AND purpose = ? AND expiry_time > ?", hash[:], string(of), now)
	if err != nil {
		return nil, nil, err
	}
	p, err := userByID(tx, l.user)
	if errors.Is(err, errNoUser) {
		err = errLink
	}
	return l, p, err
}

// takeOwnLink is ownLinkOf, and ends the link.
func takeOwnLink(tx *db.Tx, text string, of purpose, now int64) (*ownLink, *User, error) {
	l, p, err := ownLinkOf(tx, text, of, now)
	if err != nil {
		return nil, nil, err
	}
	n, err := tx.Exec("DELETE FROM person_link WHERE hash = ?", l.hash[:])
	if err == nil && n == 0 {
		err = errLink
	}
	return l, p, err
}

// UserOfPasswordLink returns the user whose password a link changes, without using it. Errors: one of IsLinkError.
func (s *Service) UserOfPasswordLink(ctx context.Context, text string) (*User, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*User, error) {
		_, p, err := ownLinkOf(tx, text, forPassword, s.db.Now().Unix())
		return p, err
	})
}

// ResetPassword uses a link: the user gets the password, and is signed in. All other sessions and links end; passkeys
// stay. Errors: InvalidParameters, and one of IsLinkError.
func (s *Service) ResetPassword(ctx context.Context, text, password string, b Browser) (cookie string, err error) {
	p, err := s.UserOfPasswordLink(ctx, text)
	if err != nil {
		return "", err
	}
	if err := checkPassword(p, password); err != nil {
		return "", err
	}
	hash, err := s.passwords.hash(ctx, password)
	if err != nil {
		return "", err
	}
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (string, error) {
		_, p, err := takeOwnLink(tx, text, forPassword, now)
		if err != nil {
			return "", err
		}
		p.password = hash
		err = errors.Join(tx.Do("DELETE FROM session WHERE person_id = ?", int64(p.ID)),
			endLinks(tx, p))
		if err != nil {
			return "", err
		}
		cookie, err := signIn(tx, p, b, now) // stores the user too
		if err != nil {
			return "", err
		}
		return cookie, errors.Join(tx.Enqueue(noteOf(p, NotePassword, p.Email, b.Language)),
			s.auditOwn(ctx, tx, p, now, accounts.AuditValues{}, accounts.AuditValues{"password": "changed by a link"}))
	})
}

// endLinks ends all links that were mailed to a user.
func endLinks(tx *db.Tx, p *User) error {
	return errors.Join(tx.Do("DELETE FROM sign_in_link WHERE person_id = ?", int64(p.ID)),
		tx.Do("DELETE FROM person_link WHERE person_id = ?", int64(p.ID)))
}

// auditOwn adds a row to the audit log of each Account of a user about what the user has changed.
func (s *Service) auditOwn(ctx context.Context, tx *db.Tx, p *User, now int64, before, after accounts.AuditValues) error {
	of, err := membershipsOf(tx, p)
	for i := range of {
		c := accounts.OperatorIn(ctx, &enlist.Account{ID: of[i].Account})
		if c.Actor.User == "" {
			c.Actor = enlist.Actor{Method: "link", User: p.Email}
		}
		err = errors.Join(err, accounts.Audit(tx, c, now, auditObject(p.ID), before, after))
	}
	return err
}

// ChangeName changes the visitor's name. Errors: InvalidParameters.
func (s *Service) ChangeName(ctx context.Context, v *Visit, name string) error {
	read, err := newUser(v.User.Email, name)
	if err != nil {
		return err
	}
	ctx = accounts.WithActor(ctx, v.Caller.Actor)
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		p, err := userByID(tx, v.User.ID)
		if err != nil || p.Name == read.Name {
			return err
		}
		before := accounts.AuditValues{"name": p.Name}
		p.Name = read.Name
		return errors.Join(userTable.Save(tx, p), s.auditOwn(ctx, tx, p, now, before, accounts.AuditValues{"name": p.Name}))
	})
}

// AskAddress mails a link to the visitor's new address, which counts when the link is used, and a note to the present
// one. It does not say whether the new address has a user. Errors: InvalidParameters, ErrSignIn for a wrong present password, ErrTooManyTries.
func (s *Service) AskAddress(ctx context.Context, v *Visit, present, email string) error {
	spelling, _, ok := address.ParseEmail(email)
	switch {
	case !ok:
		return errNoAddress(email)
	case !s.SendsMail():
		return enlist.Invalid("email", errNoMail.Error())
	}
	if err := s.checkPresent(ctx, v, present); err != nil {
		return err
	}
	if err := s.beginChange(v, NoteAsked); err != nil {
		return err
	}
	text := rand.Text()
	err := db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		l := &ownLink{hash: hashOf(text), user: v.User.ID, purpose: forAddress, email: spelling}
		return errors.Join(l.add(tx, now), tx.Enqueue(noteOf(v.User, NoteAsked, spelling, v.Language)))
	})
	if err != nil {
		return err
	}
	return s.mailOwn(ctx, v.User, LinkMail{Kind: MailAddress, To: spelling, URL: s.ownURL(AddressPath, text), Language: v.Language})
}

// AddressOfLink returns the user of a link, and the new address, without using it. Errors: one of IsLinkError.
func (s *Service) AddressOfLink(ctx context.Context, text string) (p *User, email string, err error) {
	p, err = db.OwnView(ctx, s.db, func(tx *db.Tx) (*User, error) {
		l, p, err := ownLinkOf(tx, text, forAddress, s.db.Now().Unix())
		if err == nil {
			email = l.email
		}
		return p, err
	})
	return p, email, err
}

// ConfirmAddress uses a link: its address becomes that of its user, whose earlier address gets a note. Links for the
// password that were mailed to the earlier address end. language is that of the browser. Errors: one of IsLinkError, and
// InvalidParameters if another user has the address.
func (s *Service) ConfirmAddress(ctx context.Context, text, language string) error {
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		l, p, err := takeOwnLink(tx, text, forAddress, now)
		if err != nil {
			return err
		}
		spelling, key, ok := address.ParseEmail(l.email)
		if !ok {
			return errLink
		}
		other, err := userByKey(tx, key)
		switch {
		case err == nil && other.ID != p.ID:
			return enlist.Invalid("email", "another user has this address")
		case err != nil && !errors.Is(err, errNoUser):
			return err
		}
		old, note := p.Email, noteOf(p, NoteMoved, spelling, language)
		p.Email, p.emailKey = spelling, key
		return errors.Join(userTable.Save(tx, p), endLinks(tx, p),
			s.auditOwn(ctx, tx, p, now, accounts.AuditValues{"email": old}, accounts.AuditValues{"email": p.Email}),
			tx.Enqueue(note))
	})
}

// The paths of links before their texts.
const (
	PasswordPath = "/admin/password/"
	AddressPath  = "/admin/address/"
)

func (s *Service) ownURL(path, text string) string { return s.pagesURL() + path + text }
