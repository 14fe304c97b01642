package people

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has what a person of level full does with the people of the present Account. person.go has the same for the
// operator, who may do everything. A person gives no right that the person does not have, and a link only to people who
// use no other Account: with the link of another person, one could sign in there.

// LinkMail is a mail with a link to sign in.
type LinkMail struct {
	To, Name    string // of the person
	By, Account string // who invites, and to what
	URL         string
}

var (
	errNotManager = enlist.Refuse(enlist.Denied, "you may not see the people of this Account")
	errNoMember   = enlist.Refuse(enlist.Denied, "the Account has no such person")
)

// requireManager refuses a visitor who may not manage people.
func requireManager(v *Visit) error {
	if v.Caller.Key.Level < enlist.Full {
		return errNotManager
	}
	return enlist.RequireWholeAccount(v.Caller)
}

// requireOther is requireManager, and refuses a change of the visitor: the last person could lose the Account.
func requireOther(v *Visit, id PersonID) error {
	if id == v.Person.ID {
		return enlist.Invalid("person", "you cannot change your own rights: ask another person of level full")
	}
	return requireManager(v)
}

// AccountMembers returns the people of the visitor's Account in the order of their addresses. Errors: Denied.
func (s *Service) AccountMembers(ctx context.Context, v *Visit) ([]Member, error) {
	if err := requireManager(v); err != nil {
		return nil, err
	}
	return s.Members(ctx, v.Caller.Account.ID)
}

// AccountMember returns a person of the visitor's Account, with the sessions in it, the newest first. Errors: Denied,
// also for people of other Accounts.
func (s *Service) AccountMember(ctx context.Context, v *Visit, id PersonID) (m *Member, sessions []Session, err error) {
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
		return m, err
	})
	return m, sessions, err
}

// memberIn returns a person of an Account. Errors: errNoMember.
func memberIn(tx *db.Tx, account enlist.AccountID, id PersonID) (*Member, error) {
	membership, err := membershipTable.One(tx, errNoMember, "WHERE person_id = ? AND account_id = ?", int64(id),
		int64(account))
	if err != nil {
		return nil, err
	}
	p, err := personByID(tx, id)
	if err != nil {
		return nil, err
	}
	return &Member{*p, *membership}, nil
}

// InviteMember gives a person a membership of the visitor's Account. Errors: Denied, InvalidParameters (also for a
// member: ChangeMember changes one), NoList.
func (s *Service) InviteMember(ctx context.Context, v *Visit, i Invitation) (*Member, error) {
	if err := requireManager(v); err != nil {
		return nil, err
	}
	if i.MaySend && v.Caller.NoSending {
		return nil, errMayNotSend
	}
	i.Account = v.Caller.Account.ID
	all, err := s.Members(ctx, i.Account)
	if err != nil {
		return nil, err
	}
	p, err := newPerson(i.Email, i.Name)
	if err != nil {
		return nil, err
	}
	for k := range all {
		if all[k].emailKey == p.emailKey {
			return nil, enlist.Invalid("email", all[k].Name+" already uses this Account")
		}
	}
	return s.Invite(accounts.WithActor(ctx, v.Caller.Actor), i)
}

var errMayNotSend = enlist.Invalid("may_send", "you may not send, so you cannot allow it")

// ChangeMember changes level, Lists and right to send of a person of the visitor's Account. Errors: Denied,
// InvalidParameters, NoList.
func (s *Service) ChangeMember(ctx context.Context, v *Visit, id PersonID, to Membership) error {
	if err := requireOther(v, id); err != nil {
		return err
	}
	ctx = accounts.WithActor(ctx, v.Caller.Actor)
	_, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (bool, error) {
		m, err := memberIn(tx, v.Caller.Account.ID, id)
		if err != nil {
			return false, err
		}
		if to.MaySend && !m.MaySend && v.Caller.NoSending {
			return false, errMayNotSend
		}
		m.Level, m.Lists, m.MaySend = to.Level, to.Lists, to.MaySend
		return true, addMembership(ctx, tx, v.Caller.Account, m, now)
	})
	return err
}

// RemoveMember ends the membership of a person of the visitor's Account, as Remove does. Errors: Denied,
// InvalidParameters.
func (s *Service) RemoveMember(ctx context.Context, v *Visit, id PersonID) error {
	if err := requireOther(v, id); err != nil {
		return err
	}
	m, _, err := s.AccountMember(ctx, v, id)
	if err != nil {
		return err
	}
	return s.Remove(accounts.WithActor(ctx, v.Caller.Actor), m.Email, v.Caller.Account.ID)
}

// EndMemberSession ends a session of a person in the visitor's Account. Errors: Denied, also for an unknown session.
func (s *Service) EndMemberSession(ctx context.Context, v *Visit, person PersonID, id SessionID) error {
	if err := requireManager(v); err != nil {
		return err
	}
	_, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (bool, error) {
		n, err := tx.Exec("DELETE FROM session WHERE id = ? AND person_id = ? AND account_id = ?", int64(id),
			int64(person), int64(v.Caller.Account.ID))
		if err != nil {
			return false, err
		}
		if n == 0 {
			return false, errNoMember
		}
		return true, accounts.Audit(tx, v.Caller, now, accounts.AuditObject{Kind: "Session", ID: int64(id)},
			accounts.AuditValues{"person_id": int64(person)}, nil)
	})
	return err
}

// MemberLink is a link that signs a person in once.
type MemberLink struct {
	URL    string // "" if only the person may see it
	Mailed bool
	Mail   error // why the mail was not sent; nil also if there is no mail server
}

var errOtherHost = errors.New("the address of this page is not below the public URL")

// NewMemberLink returns a link for a person of the visitor's Account, and mails it. host is the Host of the request:
// the link leads to the pages that the visitor sees. If the server has other Accounts and sends mails, only the mail
// has the link: a visitor who uses it can choose the password of a person whom another Account invites later.
// Errors: Denied, and InvalidParameters for a person of several Accounts, or with a right that the visitor does not
// have.
func (s *Service) NewMemberLink(ctx context.Context, v *Visit, id PersonID, host string) (*MemberLink, error) {
	if err := requireManager(v); err != nil {
		return nil, err
	}
	text, alone := rand.Text(), false
	m, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*Member, error) {
		m, err := memberIn(tx, v.Caller.Account.ID, id)
		if err != nil {
			return nil, err
		}
		of, err := membershipsOf(tx, id)
		switch {
		case err != nil:
			return nil, err
		case len(of) > 1:
			return nil, enlist.Invalid("person", m.Name+" uses several Accounts: only the person who runs this "+
				"server makes a link, with enlist person link")
		case m.MaySend && v.Caller.NoSending:
			return nil, enlist.Invalid("person", m.Name+" may send and you may not, so you cannot make a link")
		}
		all, err := accounts.All(tx)
		alone = len(all) == 1
		return m, errors.Join(err, addLink(tx, text, id, now), accounts.Audit(tx, v.Caller, now, auditObject(id), nil,
			accounts.AuditValues{"link": m.Email}))
	})
	if err != nil {
		return nil, err
	}
	scheme, _, _ := strings.Cut(s.settings.PublicURL, "://")
	link := &MemberLink{URL: cmp.Or(scheme, "http") + "://" + host + LinkPath + text}
	switch {
	case s.settings.Mail == nil:
		return link, nil
	case !alone && !s.isOwnHost(host): // a false Host would lead the person, and the link, to another site
		link.Mail = errOtherHost
	default:
		link.Mail = s.settings.Mail(ctx, &LinkMail{To: m.Email, Name: m.Name, By: v.Person.Name,
			Account: v.Caller.Account.Name, URL: link.URL})
	}
	link.Mailed = link.Mail == nil
	if link.Mail != nil {
		link.Mail = fmt.Errorf("mail the link: %w", link.Mail)
	}
	if !alone {
		link.URL = ""
	}
	return link, nil
}

// LinkPath is the path of a link before its text.
const LinkPath = "/admin/link/"
