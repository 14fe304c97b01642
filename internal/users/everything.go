package users

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the users who may do everything in all Accounts: the first user, and those whom the operator gives
// this right. The pages neither give it nor take it away, because the rights of their users end at an Account.
// decisions.md: 138

func errAllAccounts(p *User) error {
	return enlist.Invalid("user", p.Name+" may do everything in all Accounts: only the operator "+
		"changes this, with enlist user remove")
}

// InviteToAll gives a user all rights in all Accounts, also in those added later. It adds a user whose address is
// new. Errors: InvalidParameters.
func (s *Service) InviteToAll(ctx context.Context, email, name string) error {
	p, err := newUser(email, name)
	if err != nil {
		return err
	}
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		user, err := userByKey(tx, p.emailKey)
		if errors.Is(err, errNoUser) {
			added := *p
			user, err = &added, nil
		}
		if err != nil || user.AllAccounts {
			return err
		}
		return giveEverything(ctx, tx, user, now)
	})
}

// giveEverything stores a user, who may be new, with all rights. The audit log of each Account has a row.
func giveEverything(ctx context.Context, tx *db.Tx, p *User, now int64) error {
	p.AllAccounts = true
	store := userTable.Save
	if p.ID == 0 {
		p.CreationTime, store = now, userTable.Add
	}
	if err := store(tx, p); err != nil {
		return err
	}
	if err := tx.Do("DELETE FROM membership WHERE person_id = ?", int64(p.ID)); err != nil {
		return err
	}
	known, err := accounts.All(tx)
	for i := range known {
		m := &Member{User: *p, Membership: everything(p.ID, known[i].ID)}
		err = errors.Join(err, accounts.Audit(tx, accounts.OperatorIn(ctx, &known[i]), now, auditObject(p.ID), nil,
			auditValues(m)))
	}
	return err
}

// InviteFirst invites the user whom the operator has declared as the first user: it adds the user with all rights
// if there are no users, and makes a link as long as this user has never signed in. The link is mailed, once in an
// hour, or else returned. It returns nil if there is nothing to do. url is where the pages are. Errors:
// InvalidParameters.
func (s *Service) InviteFirst(ctx context.Context, email, name, url string) (*MemberLink, error) {
	p, err := newUser(email, name)
	if err != nil {
		return nil, err
	}
	text := rand.Text()
	to, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*LinkMail, error) {
		user, err := s.firstUser(ctx, tx, p, now)
		if err != nil || user == nil {
			return nil, err
		}
		known, err := accounts.All(tx)
		if err != nil || len(known) == 0 {
			return nil, err
		}
		return &LinkMail{Kind: MailLink, To: user.Email, Name: user.Name, By: "The operator of this server",
			Account: known[0].Name, URL: url + LinkPath + text, Language: user.Language}, addLink(tx, text, user.ID, now, LinkTime)
	})
	if err != nil || to == nil {
		return nil, err
	}
	link := &MemberLink{URL: to.URL}
	if !s.SendsMail() {
		return link, nil
	}
	if err := s.settings.Mail(ctx, to); err != nil {
		link.Mail = fmt.Errorf("mail the link: %w", err)
		return link, nil
	}
	return new(MemberLink), nil
}

// firstUser returns the declared first user, if the user needs a link.
func (s *Service) firstUser(ctx context.Context, tx *db.Tx, p *User, now int64) (*User, error) {
	empty, err := isEmpty(tx)
	if err != nil {
		return nil, err
	}
	if empty {
		added := *p
		return &added, giveEverything(ctx, tx, &added, now)
	}
	user, err := userByKey(tx, p.emailKey)
	if errors.Is(err, errNoUser) {
		return nil, nil
	}
	if err != nil || user.SignInTime != 0 || !user.AllAccounts {
		return nil, err
	}
	waiting, err := tx.Number("SELECT count(*) FROM sign_in_link WHERE person_id = ? AND expiry_time > ?",
		int64(user.ID), now)
	if err != nil || waiting > 0 && s.SendsMail() { // a server that starts again and again mails one
		return nil, err
	}
	return user, nil
}

// NameOf returns the name of a user whose address is all that is known: what is before the @.
func NameOf(email string) string {
	name, _, _ := strings.Cut(email, "@")
	return name
}
