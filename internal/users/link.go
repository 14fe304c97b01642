package users

import (
	"context"
	"crypto/rand"
	"errors"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has links with which a user signs in once: the first time, or without a password. The text of a link is
// not stored, only its SHA-256. Programs that look at mails open links too, so opening one changes nothing: the button
// of its page signs in.

// The times in seconds for which a link is valid: one that was asked for, and an invitation of a user who has never signed in.
const (
	LinkTime   = 60 * 60
	InviteTime = 7 * enlist.Day
)

// linkTime returns for how long a link of a user is valid.
func (p *User) linkTime() int64 {
	if p.SignInTime == 0 {
		return InviteTime
	}
	return LinkTime
}

// errLink is the error of a link that was used, has expired or never existed.
var errLink = enlist.Refuse(enlist.InvalidKey, "this link has been used or is too old")

// IsLinkError reports whether an error says that a link is not valid.
func IsLinkError(err error) bool { return errors.Is(err, errLink) }

// NewLinkFor returns the text of a link for a user, and for how long it is valid in seconds. Errors: InvalidParameters.
func (s *Service) NewLinkFor(ctx context.Context, email string) (text string, valid int64, err error) {
	text = rand.Text()
	err = db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		p, err := findUser(tx, email)
		if err != nil {
			return err
		}
		err = accounts.Audit(tx, accounts.OperatorIn(ctx, nil), now, auditObject(p.ID), nil,
			accounts.AuditValues{"link": p.Email})
		if err != nil {
			return err
		}
		valid = p.linkTime()
		return addLink(tx, text, p.ID, now, valid)
	})
	return text, valid, err
}

// NewLink is NewLinkFor without the time.
func (s *Service) NewLink(ctx context.Context, email string) (text string, err error) {
	text, _, err = s.NewLinkFor(ctx, email)
	return text, err
}

// FirstLink returns the text of a link that makes the first user, or "" if there are users.
// Earlier first links end.
func (s *Service) FirstLink(ctx context.Context) (text string, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (string, error) {
		empty, err := isEmpty(tx)
		if err != nil || !empty {
			return "", err
		}
		if err := tx.Do("DELETE FROM sign_in_link WHERE person_id = 0"); err != nil {
			return "", err
		}
		text := rand.Text()
		return text, addLink(tx, text, 0, now, LinkTime)
	})
}

func addLink(tx *db.Tx, text string, id UserID, now, valid int64) error {
	if err := tx.Do("DELETE FROM sign_in_link WHERE expiry_time <= ?", now); err != nil {
		return err
	}
	return linkTable.Queue(tx, &link{hash: hashOf(text), user: id, expiry: now + valid})
}

// UserOfLink returns the user that a link is for, without using it, or nil if it makes the first user.
func (s *Service) UserOfLink(ctx context.Context, text string) (*User, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*User, error) {
		l, err := findLink(tx, hashOf(text), s.db.Now().Unix())
		if err != nil || l.user == 0 {
			return nil, err
		}
		return userByID(tx, l.user)
	})
}

// FirstUser is what the first user types.
type FirstUser struct{ Email, Name, Password string }

// BecomeFirst uses the first link. The new user may do everything in all Accounts, and is signed in. Errors:
// InvalidParameters, and one of IsLinkError.
func (s *Service) BecomeFirst(ctx context.Context, text string, f FirstUser, b Browser) (cookie string, err error) {
	p, wrong := readUser(f.Email, f.Name)
	if bad := checkPassword(p, f.Password); bad != nil {
		wrong = append(wrong, bad)
	}
	if err := enlist.Together(wrong); err != nil {
		return "", err
	}
	if p.password, err = s.passwords.hash(ctx, f.Password); err != nil {
		return "", err
	}
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (string, error) {
		l, err := takeLink(tx, hashOf(text), now)
		if err != nil {
			return "", err
		}
		if empty, err := isEmpty(tx); err != nil || !empty || l.user != 0 {
			return "", errors.Join(err, errLink)
		}
		first := *p
		if err := giveEverything(ctx, tx, &first, now); err != nil {
			return "", err
		}
		return signIn(tx, &first, b, now)
	})
}

// UseLink signs the user of a link in. Errors: one of IsLinkError.
func (s *Service) UseLink(ctx context.Context, text string, b Browser) (cookie string, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (string, error) {
		l, err := takeLink(tx, hashOf(text), now)
		if err != nil {
			return "", err
		}
		p, err := userByID(tx, l.user)
		if errors.Is(err, errNoUser) {
			err = errLink
		}
		if err != nil {
			return "", err
		}
		return signIn(tx, p, b, now)
	})
}
