package users

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has what an owner does with the users of the present Account. user.go has the same for the
// operator, who may do everything. A user gives no right that the user does not have, and sees no link of another
// user, with which one could sign in and choose the password. decisions.md: 146

// MailKind is what a mail to a user is about.
type MailKind int

// The kinds of mails.
const (
	MailLink        MailKind = iota // a link to sign in
	MailInvitation                  // such a link, which is valid for InviteTime
	MailPassword                    // a link to another password
	MailAddress                     // a link that confirms a new address
	MailAsked                       // says that another address was asked for
	MailMoved                       // says that the user has another address
	MailNewPassword                 // says that the user has another password
	MailPasskey                     // says that the user has one more passkey
	MailApproval                    // says that a Batch waits for an approval
	MailAdded                       // says that a program has added a user
	MailRights                      // says that a program has changed what a user may do
	MailRemoved                     // says that a program has removed a user
)

// LinkMail is a mail to a user, mostly with a link.
type LinkMail struct {
	Kind        MailKind
	To, Name    string // of the user
	By, Account string // of links to sign in: who invites, and to what; of MailApproval: who asks, and where; of MailAdded and what follows: the key
	About       string // the new address, the name of the passkey, that of the Batch of MailApproval, or the address of another user
	URL         string
	Language    string // of the user, or else of who invites; "": not known
}

var (
	errNotManager = enlist.Refuse(enlist.Denied, "you may not see the users of this Account")
	errNoMember   = enlist.Refuse(enlist.Denied, "the Account has no such user")
)

func requireManager(v *Visit) error {
	if !v.Caller.May(enlist.Administer) {
		return errNotManager
	}
	return enlist.RequireWholeAccount(v.Caller)
}

// requireOther is requireManager, and refuses a change of the visitor: the last user could lose the Account.
func requireOther(v *Visit, id UserID) error {
	if id == v.User.ID {
		return enlist.Invalid("user", "you cannot change your own rights: ask another owner")
	}
	return requireManager(v)
}

// AccountMembers returns the users of the visitor's Account in the order of their addresses. Errors: Denied.
func (s *Service) AccountMembers(ctx context.Context, v *Visit) ([]Member, error) {
	if err := requireManager(v); err != nil {
		return nil, err
	}
	return s.Members(ctx, v.Caller.Account.ID)
}

// AccountMember returns a user of the visitor's Account, with the sessions in it, the newest first. Errors: Denied,
// also for users of other Accounts.
func (s *Service) AccountMember(ctx context.Context, v *Visit, id UserID) (m *Member, sessions []Session, err error) {
	if err := requireManager(v); err != nil {
		return nil, nil, err
	}
	account, now := v.Caller.Account.ID, s.db.Now().Unix()
	m, err = db.OwnView(ctx, s.db, func(tx *db.Tx) (*Member, error) {
		m, err := memberIn(tx, account, id)
		if err != nil {
			return nil, err
		}
		sessions, err = sessionTable.All(tx, "WHERE person_id = ? AND account_id = ? AND last_used_time > ? AND "+
			"creation_time > ? ORDER BY id DESC", int64(id), int64(account), now-idleTime, now-longestTime)
		if err != nil || m.SignInTime != 0 {
			return m, err
		}
		until, err := invitedUntil(tx)
		m.InvitedUntil = until[id]
		return m, err
	})
	return m, sessions, err
}

// memberIn returns a user of an Account. Errors: errNoMember.
func memberIn(tx *db.Tx, account enlist.AccountID, id UserID) (*Member, error) {
	p, err := userByID(tx, id)
	if errors.Is(err, errNoUser) {
		err = errNoMember
	}
	if err != nil {
		return nil, err
	}
	of, err := membershipsOf(tx, p)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(of, func(m Membership) bool { return m.Account == account })
	if i < 0 {
		return nil, errNoMember
	}
	return &Member{User: *p, Membership: of[i]}, nil
}

// managerIn is requireManager in a transaction, which no other change of the Account's users by a user overlaps. So two
// owners cannot end each other's rights, and one always remains. It returns the visitor's present rights.
func managerIn(tx *db.Tx, v *Visit) (*Member, error) {
	if err := accounts.Lock(tx, v.Caller.Account.ID); err != nil {
		return nil, err
	}
	m, err := memberIn(tx, v.Caller.Account.ID, v.User.ID)
	if errors.Is(err, errNoMember) || err == nil && !m.Role.May(enlist.Administer) {
		err = errNotManager
	}
	return m, err
}

var errNoMail = errors.New("this server sends no emails")

// InviteMember gives a user a membership of the visitor's Account, and a link to sign in to a user who has never
// signed in. Only the user sees the link, or without mail a visitor who may do everything in all Accounts: another
// visitor could sign in as the user, before another Account invites the same address. decisions.md: 146. Errors: Denied,
// InvalidParameters (also for a member: ChangeMember changes one), NoList.
func (s *Service) InviteMember(ctx context.Context, v *Visit, i Invitation) (*Member, *MemberLink, error) {
	if err := requireManager(v); err != nil {
		return nil, nil, err
	}
	if err := i.checkGiven(v, enlist.Reader); err != nil {
		return nil, nil, err
	}
	p, err := newUser(i.Email, i.Name)
	if err != nil {
		return nil, nil, err
	}
	text, mayLink := rand.Text(), false
	ctx, i.Account = accounts.WithActor(ctx, v.Caller.Actor), v.Caller.Account.ID
	m, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (m *Member, err error) {
		by, err := managerIn(tx, v)
		if err != nil {
			return nil, err
		}
		known, err := userByKey(tx, p.emailKey)
		if err == nil {
			_, err = memberIn(tx, i.Account, known.ID)
			if err == nil {
				return nil, enlist.Invalid("email", known.Name+" already uses this Account")
			}
		}
		if !errors.Is(err, errNoUser) && !errors.Is(err, errNoMember) {
			return nil, err
		}
		m, err = invite(ctx, tx, p, i.Membership, now)
		mayLink = s.SendsMail() || by.AllAccounts
		if err != nil || m.SignInTime != 0 || !mayLink {
			return m, err
		}
		return m, addMemberLink(tx, v, m, text, now)
	})
	switch {
	case err != nil || m.SignInTime != 0:
		return m, nil, err
	case !mayLink:
		return m, &MemberLink{Mail: errNoMail}, nil
	case !s.SendsMail():
		return m, &MemberLink{URL: s.linkURL(text)}, nil
	}
	return m, s.mailLink(ctx, v, m, text), nil
}

// SendsMail reports whether links are mailed.
func (s *Service) SendsMail() bool { return s.settings.Mail != nil }

var errMayNotSend = enlist.Invalid("role", "you may not send, so you cannot allow it")

// checkGiven refuses a role that the visitor cannot give to a user, who has a role now.
func (m *Membership) checkGiven(v *Visit, now enlist.Role) error {
	if _, err := enlist.ParseRole(string(m.Role)); err != nil && m.Role != "" && m.Role != now {
		return enlist.Invalid("role", "this role cannot be given")
	}
	m.setRole()
	if m.Role.May(enlist.Send) && !now.May(enlist.Send) && !v.Caller.May(enlist.Send) {
		return errMayNotSend
	}
	return nil
}

// ChangeMember changes role and Lists of a user of the visitor's Account. Errors: Denied,
// InvalidParameters, NoList.
func (s *Service) ChangeMember(ctx context.Context, v *Visit, id UserID, to Membership) error {
	return s.changeOther(ctx, v, id, func(ctx context.Context, tx *db.Tx, m *Member, now int64) error {
		if err := to.checkGiven(v, m.Role); err != nil {
			return err
		}
		if m.AllAccounts {
			return errAllAccounts(&m.User)
		}
		m.Role, m.Lists = to.Role, to.Lists
		return addMembership(ctx, tx, v.Caller.Account, m, now)
	})
}

// RemoveMember ends the membership of a user of the visitor's Account, as Remove does. Errors: Denied,
// InvalidParameters.
func (s *Service) RemoveMember(ctx context.Context, v *Visit, id UserID) error {
	return s.changeOther(ctx, v, id, func(ctx context.Context, tx *db.Tx, m *Member, now int64) error {
		return remove(ctx, tx, &m.User, v.Caller.Account.ID, now)
	})
}

// changeOther changes a user of the visitor's Account in a transaction, but not the visitor.
func (s *Service) changeOther(ctx context.Context, v *Visit, id UserID,
	change func(context.Context, *db.Tx, *Member, int64) error) error {
	if err := requireOther(v, id); err != nil {
		return err
	}
	ctx = accounts.WithActor(ctx, v.Caller.Actor)
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		if _, err := managerIn(tx, v); err != nil {
			return err
		}
		m, err := memberIn(tx, v.Caller.Account.ID, id)
		if err != nil {
			return err
		}
		return change(ctx, tx, m, now)
	})
}

// EndMemberSession ends a session of a user in the visitor's Account. Errors: Denied, also for an unknown session.
func (s *Service) EndMemberSession(ctx context.Context, v *Visit, user UserID, id SessionID) error {
	if err := requireManager(v); err != nil {
		return err
	}
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		if _, err := managerIn(tx, v); err != nil {
			return err
		}
		n, err := tx.Exec("DELETE FROM session WHERE id = ? AND person_id = ? AND account_id = ?", int64(id),
			int64(user), int64(v.Caller.Account.ID))
		if err != nil {
			return err
		}
		if n == 0 {
			return errNoMember
		}
		return accounts.Audit(tx, v.Caller, now, accounts.AuditObject{Kind: "Session", ID: int64(id)},
			accounts.AuditValues{"user_id": int64(user)}, nil)
	})
}

// MemberLink is a link that signs a user in once.
type MemberLink struct {
	URL  string // "" if only the user may see it: it was mailed, or Mail says why not
	Mail error
}

// NewMemberLink mails a link to a user of the visitor's Account. The visitor does not see it. Errors: Denied, and
// InvalidParameters for a user of several Accounts, or with a right that the visitor does not have, and if the server
// sends no mails.
func (s *Service) NewMemberLink(ctx context.Context, v *Visit, id UserID) (*MemberLink, error) {
	if err := requireManager(v); err != nil {
		return nil, err
	}
	text := rand.Text()
	m, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*Member, error) {
		if _, err := managerIn(tx, v); err != nil {
			return nil, err
		}
		m, err := memberIn(tx, v.Caller.Account.ID, id)
		if err != nil {
			return nil, err
		}
		of, err := membershipsOf(tx, &m.User)
		switch {
		case err != nil:
			return nil, err
		case len(of) > 1 || m.AllAccounts:
			return nil, enlist.Invalid("user", m.Name+" uses other Accounts too"+onlyOperator)
		case m.Role.May(enlist.Send) && !v.Caller.May(enlist.Send):
			return nil, enlist.Invalid("user", m.Name+" may send and you may not, so you cannot make a link")
		case !s.SendsMail():
			return nil, enlist.Invalid("user", errNoMail.Error()+onlyOperator)
		}
		return m, addMemberLink(tx, v, m, text, now)
	})
	if err != nil {
		return nil, err
	}
	return s.mailLink(ctx, v, m, text), nil
}

const onlyOperator = ": only the operator makes a link, with enlist user link"

// addMemberLink stores a link for a user, with a row in the audit log.
func addMemberLink(tx *db.Tx, v *Visit, m *Member, text string, now int64) error {
	if m.SignInTime == 0 { // the last invitation alone counts
		if err := tx.Do("DELETE FROM sign_in_link WHERE person_id = ?", int64(m.ID)); err != nil {
			return err
		}
	}
	return errors.Join(addLink(tx, text, m.ID, now, m.linkTime()), accounts.Audit(tx, v.Caller, now, auditObject(m.ID), nil,
		accounts.AuditValues{"link": m.Email}))
}

func (s *Service) mailLink(ctx context.Context, v *Visit, m *Member, text string) *MemberLink {
	kind := MailInvitation
	if m.SignInTime != 0 {
		kind = MailLink
	}
	err := s.settings.Mail(ctx, &LinkMail{Kind: kind, To: m.Email, Name: m.Name, By: v.User.Name,
		Account: v.Caller.Account.Name, URL: s.linkURL(text), Language: cmp.Or(m.Language, v.User.Language)})
	if err != nil {
		err = fmt.Errorf("mail the link: %w", err)
	}
	return &MemberLink{Mail: err}
}

// linkURL returns the URL of a link. It never has the Host of a request, which a stranger can choose.
func (s *Service) linkURL(text string) string {
	return s.pagesURL() + LinkPath + text
}

func (s *Service) pagesURL() string { return strings.TrimSuffix(s.settings.PublicURL, "/") }

// LinkPath is the path of a link before its text.
const LinkPath = "/admin/link/"
