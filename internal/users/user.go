package users

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has users and what they may do in each Account.

// UserID identifies a user.
type UserID int64

// User may use the pages.
type User struct {
	ID           UserID
	Email        string
	Name         string // as the pages greet the user
	CreationTime int64
	SignInTime   int64  // of the last sign-in; 0: never
	AllAccounts  bool   // may do everything in all Accounts, also in those added later
	Language     string // of the pages and of mails, ISO 639-1; "": that of the browser

	emailKey string // the normalised address
	password string // as passwords.hash returns it; "": signs in by links only
}

// HasPassword reports whether the user can sign in with a password.
func (p *User) HasPassword() bool { return p.password != "" }

// Membership says what a user may do in an Account.
type Membership struct {
	User    UserID
	Account enlist.AccountID
	Role    enlist.Role
	Lists   []enlist.ListID // nil: all Lists of the Account
	// What the version without roles reads. Without a Role, an Invitation says with them what the user may do.
	Level   enlist.Level
	MaySend bool
}

// Member is a user with a membership.
type Member struct {
	User
	Membership
	InvitedUntil int64 // when the last link of a user who has never signed in expires; 0: there is none, or the user has
}

var errNoUser = errors.New("no user has this address")

// maxName is the longest name of a user in letters.
const maxName = 100

// Service has the calls about users. It is safe for concurrent use.
type Service struct {
	db        *db.DB
	passwords *passwords
	tries     *tries
	settings  Settings
}

// Settings are what the program knows of its surroundings.
type Settings struct {
	PublicURL string         // of the pages; passkeys are for its host, and links to sign in begin with it
	Key       enlist.LinkKey // signs challenges; all processes of a database share it
	// Mail sends a mail with a link to sign in; nil: there is no mail.
	Mail func(context.Context, *LinkMail) error
}

// SetSettings sets the Settings. Call it before any other method. Without a call, there are no passkeys and no mail.
func (s *Service) SetSettings(settings Settings) { s.settings = settings }

// New returns a Service over a database.
func New(database *db.DB) *Service {
	return &Service{db: database, passwords: newPasswords(), tries: newTries(database.Now)}
}

// Invitation describes a new membership.
type Invitation struct {
	Email, Name string // a user who exists keeps the name
	Membership         // without the user
}

// Invite gives a user a membership of an Account, or changes the one that the user has. Invite adds a user whose
// address is new. Errors: InvalidParameters.
func (s *Service) Invite(ctx context.Context, i Invitation) (*Member, error) {
	p, err := newUser(i.Email, i.Name)
	if err != nil {
		return nil, err
	}
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*Member, error) {
		return invite(ctx, tx, p, i.Membership, now)
	})
}

// invite is Invite in a transaction.
func invite(ctx context.Context, tx *db.Tx, p *User, to Membership, now int64) (*Member, error) {
	account, err := accounts.FindAccount(tx, to.Account)
	if err != nil {
		return nil, err
	}
	user, err := userByKey(tx, p.emailKey)
	if errors.Is(err, errNoUser) {
		user = &User{Email: p.Email, Name: p.Name, emailKey: p.emailKey, CreationTime: now}
		err = userTable.Add(tx, user)
	}
	if err == nil && user.AllAccounts {
		err = errAllAccounts(user)
	}
	if err != nil {
		return nil, err
	}
	m := &Member{User: *user, Membership: to}
	m.Membership.User = user.ID
	return m, addMembership(ctx, tx, account, m, now)
}

// addMembership stores a membership with a row in the audit log.
func addMembership(ctx context.Context, tx *db.Tx, account *enlist.Account, m *Member, now int64) error {
	m.setRole()
	if m.Lists != nil && m.Role.HasAllLists() {
		return enlist.Invalid("list", "an owner uses all Lists")
	}
	before, err := membershipsOf(tx, &m.User)
	if err != nil {
		return err
	}
	var old accounts.AuditValues
	var kept []enlist.ListID // may have been deleted since
	if i := slices.IndexFunc(before, func(b Membership) bool { return b.Account == account.ID }); i >= 0 {
		old, kept = auditValues(&Member{User: m.User, Membership: before[i]}), before[i].Lists
	}
	if m.Lists == nil || !slices.Equal(m.Lists, kept) {
		if m.Lists, err = accounts.CheckLists(tx, account.ID, m.Lists); err != nil {
			return err
		}
	}
	if err := membershipTable.Put(tx, &m.Membership); err != nil {
		return err
	}
	return accounts.Audit(tx, accounts.OperatorIn(ctx, account), now, auditObject(m.ID), old, auditValues(m))
}

func auditObject(id UserID) accounts.AuditObject {
	return accounts.AuditObject{Kind: "User", ID: int64(id)}
}

func auditValues(m *Member) accounts.AuditValues {
	values := accounts.AuditValues{"email": m.Email, "name": m.Name, "role": string(m.Role)}
	if m.Lists != nil {
		accounts.AuditIDs(values, "lists", m.Lists)
	}
	return values
}

// newUser checks an address and a name. Errors: InvalidParameters.
func newUser(email, name string) (*User, error) {
	p, wrong := readUser(email, name)
	if err := enlist.Together(wrong); err != nil {
		return nil, err
	}
	return p, nil
}

// readUser is newUser with all mistakes.
func readUser(email, name string) (p *User, wrong []*enlist.Error) {
	spelling, key, ok := address.ParseEmail(email)
	if !ok {
		wrong = append(wrong, errNoAddress(email))
	}
	name, err := enlist.ReadLine(name)
	if err == nil && name == "" {
		wrong = append(wrong, enlist.Invalid("name", "the user needs a name"))
	} else if err != nil || utf8.RuneCountInString(name) > maxName || !utf8.ValidString(name) {
		wrong = append(wrong, enlist.Invalid("name", "the name must be one line of at most 100 characters"))
	}
	return &User{Email: spelling, Name: name, emailKey: key}, wrong
}

// Mistakes returns what is wrong with the address and the name.
func (i *Invitation) Mistakes() []*enlist.Error {
	_, wrong := readUser(i.Email, i.Name)
	return wrong
}

func errNoAddress(text string) *enlist.Error {
	return enlist.Invalid("email", enlist.Quoted(text)+" is not an email address")
}

// Members returns the users of an Account in the order of their addresses, or those of all Accounts if account is 0:
// then who may do everything is there once, with the Account 0.
func (s *Service) Members(ctx context.Context, account enlist.AccountID) ([]Member, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (members []Member, err error) {
		where, users, args := "", "", []any(nil)
		if account != 0 {
			where, args = "WHERE account_id = ? ", []any{int64(account)}
			users = "WHERE all_accounts <> 0 OR id IN (SELECT person_id FROM membership WHERE account_id = ?) "
		}
		stored, err := membershipTable.All(tx, where+"ORDER BY account_id", args...)
		if err != nil {
			return nil, err
		}
		of := make(map[UserID][]Membership)
		for _, m := range stored {
			m.readRole()
			of[m.User] = append(of[m.User], m)
		}
		until, err := invitedUntil(tx)
		if err != nil {
			return nil, err
		}
		all, err := userTable.All(tx, users+"ORDER BY email_key", args...)
		for i := range all {
			if all[i].AllAccounts {
				of[all[i].ID] = []Membership{everything(all[i].ID, account)}
			}
			for _, m := range of[all[i].ID] {
				members = append(members, Member{all[i], m, until[all[i].ID]})
			}
		}
		return members, err
	})
}

// Remove ends a user's membership of an Account, and all memberships if account is 0. A user without a
// membership is forgotten, and all sessions end. Errors: InvalidParameters.
func (s *Service) Remove(ctx context.Context, email string, account enlist.AccountID) error {
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		p, err := findUser(tx, email)
		if err != nil {
			return err
		}
		return remove(ctx, tx, p, account, now)
	})
}

// remove is Remove in a transaction.
func remove(ctx context.Context, tx *db.Tx, p *User, account enlist.AccountID, now int64) error {
	if p.AllAccounts && account != 0 {
		return errAllAccounts(p)
	}
	memberships, err := membershipsOf(tx, p)
	if err != nil {
		return err
	}
	left := 0
	for _, m := range memberships {
		if account != 0 && m.Account != account {
			left++
			continue
		}
		if err := removeMembership(ctx, tx, &Member{User: *p, Membership: m}, now); err != nil {
			return err
		}
	}
	if left == len(memberships) && account != 0 {
		return enlist.Invalid("email", "this user has no membership of the Account")
	}
	if left > 0 {
		return tx.Do("DELETE FROM session WHERE person_id = ? AND account_id = ?", int64(p.ID), int64(account))
	}
	return deleteUser(tx, p.ID)
}

func removeMembership(ctx context.Context, tx *db.Tx, m *Member, now int64) error {
	c := accounts.OperatorIn(ctx, &enlist.Account{ID: m.Account})
	if err := accounts.Audit(tx, c, now, auditObject(m.ID), auditValues(m), nil); err != nil {
		return err
	}
	return tx.Do("DELETE FROM membership WHERE person_id = ? AND account_id = ?", int64(m.ID), int64(m.Account))
}

// findUser returns the user with an address as it was typed. Errors: InvalidParameters.
func findUser(tx *db.Tx, email string) (*User, error) {
	_, key, ok := address.ParseEmail(email)
	if !ok {
		return nil, errNoAddress(email)
	}
	p, err := userByKey(tx, key)
	if errors.Is(err, errNoUser) {
		return nil, enlist.Invalid("email", "no user has the address "+enlist.Quoted(email))
	}
	return p, err
}
