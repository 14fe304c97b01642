package users

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has what a program does with the users of its Account, by a key of the level full for all Lists. It gives and
// takes no role with the right to administer: such a user makes keys, so a key that a thief has for a day would be one for
// ever. decisions.md: 172

// MemberAttributes are the keys of a Member record, in the order of a reply.
var MemberAttributes = []enlist.Attribute[Member]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(m *Member) UserID { return m.ID })),
	enlist.Searchable(enlist.TextKey("email", func(m *Member) *string { return &m.Email }, enlist.ReadLine)),
	enlist.Searchable(enlist.TextKey("name", func(m *Member) *string { return &m.Name }, enlist.ReadLine)),
	enlist.Searchable(enlist.TextKey("role", func(m *Member) *string { return (*string)(&m.Role) }, readGivenRole)),
	listsKey(),
	enlist.Searchable(enlist.ReadOnlyText("language", func(m *Member) string { return m.Language })),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(m *Member) int64 { return m.CreationTime })),
	enlist.Searchable(enlist.ReadOnlyInt("sign_in_time", func(m *Member) int64 { return m.SignInTime })),
	enlist.Searchable(enlist.ReadOnlyInt("invited_until", func(m *Member) int64 { return m.InvitedUntil })),
}

// readGivenRole reads a role that a program can give.
func readGivenRole(text string) (string, error) {
	role, err := enlist.ParseRole(text)
	if err != nil || role.May(enlist.Administer) {
		return "", enlist.Expected("reader, writer, sender or manager: an owner makes other owners, on the pages")
	}
	return text, nil
}

// listsKey is the key of the Lists of a Member: their IDs with commas, "" for all. Another value without an ID never means
// all: a program that has lost its Lists would open all of them.
func listsKey() enlist.Attribute[Member] {
	a := enlist.ReadOnlyText("list_ids", func(m *Member) string {
		ids := make([]string, len(m.Lists))
		for i, id := range m.Lists {
			ids[i] = strconv.FormatInt(int64(id), 10)
		}
		return strings.Join(ids, ",")
	})
	a.Set = func(m *Member, in enlist.Input) error {
		if in.Kind != enlist.InputText && in.Omitted() {
			return nil
		}
		text, ok := in.AsText()
		m.Lists = nil
		for _, item := range enlist.SplitTrimmed(text) {
			id, isNumber := enlist.ParseInteger(item)
			ok = ok && isNumber && id > 0
			m.Lists = append(m.Lists, enlist.ListID(id))
		}
		if !ok || text != "" && m.Lists == nil {
			return enlist.Expected(`IDs of Lists, or "" for all`)
		}
		return nil
	}
	return a
}

// errUnknownMember is the same for a user who does not exist and for one of another Account.
var errUnknownMember = enlist.Invalid("member_id", "the Account has no user with this ID")

// requireAdministering is requireManager for a program.
func requireAdministering(c *enlist.Caller) error {
	if !c.May(enlist.Administer) {
		return errNotManager
	}
	return enlist.RequireWholeAccount(c)
}

// SearchMembers returns the users of the caller's Account that match. Errors: Denied, InvalidSearch.
func (s *Service) SearchMembers(ctx context.Context, c *enlist.Caller, q enlist.Query) ([]Member, error) {
	if err := requireAdministering(c); err != nil {
		return nil, err
	}
	all, err := s.Members(ctx, c.Account.ID)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
	return enlist.SearchRecords(MemberAttributes, all, q)
}

// SetMember adds the user with an address to the caller's Account, or changes the role and the Lists that are sent. It
// returns the ID. A user who has never signed in and has no link gets an invitation by mail. Errors: Denied, NoList,
// InvalidParameters, also for a user who needs an invitation that this server cannot mail.
// reference.md: member.record
func (s *Service) SetMember(ctx context.Context, c *enlist.Caller, details []enlist.Detail) (UserID, error) {
	if err := requireAdministering(c); err != nil {
		return 0, err
	}
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (UserID, error) {
		if err := accounts.Lock(tx, c.Account.ID); err != nil {
			return 0, err
		}
		var sent Member
		if err := enlist.Assign(&sent, MemberAttributes, details); err != nil {
			return 0, err
		}
		p, wrong := readUser(sent.Email, sent.Name)
		if p.emailKey == "" {
			return 0, wrong[0]
		}
		known, err := userByKey(tx, p.emailKey)
		var m *Member
		if err == nil {
			m, err = memberIn(tx, c.Account.ID, known.ID)
		}
		switch {
		case errors.Is(err, errNoUser):
			if len(wrong) > 0 { // the name, which a known user keeps
				return 0, wrong[0]
			}
			return s.addMember(ctx, tx, c, p, sent.Membership, now)
		case errors.Is(err, errNoMember):
			return s.addMember(ctx, tx, c, known, sent.Membership, now)
		case err != nil:
			return 0, err
		}
		return m.ID, s.changeMember(ctx, tx, c, m, details, now)
	})
}

// addMember adds a membership, and mails a user who has never signed in.
func (s *Service) addMember(ctx context.Context, tx *db.Tx, c *enlist.Caller, p *User, to Membership, now int64) (UserID, error) {
	if to.Role == "" {
		return 0, enlist.Invalid("role", "the user needs a role: reader, writer, sender or manager")
	}
	to.Account = c.Account.ID
	m, err := invite(accounts.WithCaller(ctx, c), tx, p, to, now)
	if err == nil && m.SignInTime == 0 {
		if !s.SendsMail() {
			return 0, enlist.Invalid("email", errNoMail.Error()+onlyOperator)
		}
		err = tx.Enqueue(invitationBy(c, m))
	}
	if err != nil {
		return 0, err
	}
	return m.ID, noteOwners(tx, c, NoteAdded, m)
}

// inviteAgain invites a user who has never signed in, and whose link was not mailed or has expired.
func (s *Service) inviteAgain(tx *db.Tx, c *enlist.Caller, m *Member, now int64) error {
	if m.SignInTime != 0 || !s.SendsMail() {
		return nil
	}
	links, err := tx.Number("SELECT count(*) FROM sign_in_link WHERE person_id = ? AND expiry_time > ?", int64(m.ID), now)
	if err != nil || links > 0 {
		return err
	}
	return tx.Enqueue(invitationBy(c, m))
}

func invitationBy(c *enlist.Caller, m *Member) SendInvitation {
	return SendInvitation{User: int64(m.ID), Account: c.Account.ID, Key: c.Key.ID, By: c.Key.Name}
}

// changeMember changes the role and the Lists that are in the details.
func (s *Service) changeMember(ctx context.Context, tx *db.Tx, c *enlist.Caller, m *Member, details []enlist.Detail, now int64) error {
	if err := m.checkProgram(); err != nil {
		return err
	}
	changed := *m
	if err := enlist.Assign(&changed, MemberAttributes, details); err != nil {
		return err
	}
	changed.User = m.User // who keeps the name
	err := s.inviteAgain(tx, c, m, now)
	if err != nil || changed.Role == m.Role && slices.Equal(changed.Lists, m.Lists) {
		return err
	}
	return errors.Join(addMembership(accounts.WithCaller(ctx, c), tx, c.Account, &changed, now), noteOwners(tx, c, NoteRights, m))
}

// checkProgram refuses a change by a program of a user who may administer.
func (m *Member) checkProgram() error {
	if m.AllAccounts {
		return errAllAccounts(&m.User)
	}
	if m.Role.May(enlist.Administer) {
		return enlist.Refuse(enlist.Denied, "only an owner changes the rights of an owner, on the pages")
	}
	return nil
}

// DeleteMember ends the membership of a user of the caller's Account, as Remove does. Errors: Denied, InvalidParameters.
func (s *Service) DeleteMember(ctx context.Context, c *enlist.Caller, id UserID) error {
	if err := requireAdministering(c); err != nil {
		return err
	}
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		if err := accounts.Lock(tx, c.Account.ID); err != nil {
			return err
		}
		m, err := memberIn(tx, c.Account.ID, id)
		if errors.Is(err, errNoMember) {
			err = errUnknownMember
		}
		if err != nil {
			return err
		}
		if err := m.checkProgram(); err != nil {
			return err
		}
		return errors.Join(remove(accounts.WithCaller(ctx, c), tx, &m.User, c.Account.ID, now), noteOwners(tx, c, NoteRemoved, m))
	})
}

// SendInvitation mails a link to sign in to a user whom a program has added. The link is not in the job, because it is
// stored nowhere.
type SendInvitation struct {
	User    int64            `json:"user_id"`
	Account enlist.AccountID `json:"account_id"`
	Key     enlist.KeyID     `json:"key_id"`
	By      string           `json:"by"` // the name of the key, for the audit log
}

// Kind implements Effect.
func (SendInvitation) Kind() string { return "invitation" }

// MailInvited does such a job. A user who has signed in or was removed meanwhile gets no mail. Without mail, only the
// operator makes a link.
func (s *Service) MailInvited(ctx context.Context, _ db.Job, e SendInvitation) error {
	if !s.SendsMail() {
		return nil
	}
	text := rand.Text()
	var account *enlist.Account
	m, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (m *Member, err error) {
		if account, err = accounts.FindAccount(tx, e.Account); err != nil {
			return nil, enlist.IgnoreKind(enlist.InvalidParameters, err) // removed meanwhile
		}
		m, err = memberIn(tx, e.Account, UserID(e.User))
		if errors.Is(err, errNoMember) || err == nil && m.SignInTime != 0 {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if err := tx.Do("DELETE FROM sign_in_link WHERE person_id = ?", e.User); err != nil { // the last one alone counts
			return nil, err
		}
		c := &enlist.Caller{Account: account, Key: &enlist.Key{ID: e.Key, Name: e.By}, Actor: enlist.Actor{Method: "setMember"}}
		return m, errors.Join(addLink(tx, text, m.ID, now, m.linkTime()), accounts.Audit(tx, c, now, auditObject(m.ID), nil,
			accounts.AuditValues{"link": m.Email}))
	})
	if err != nil || m == nil {
		return err
	}
	return s.settings.Mail(ctx, &LinkMail{Kind: MailInvitation, To: m.Email, Name: m.Name, By: account.Name,
		Account: account.Name, URL: s.linkURL(text), Language: m.Language})
}
