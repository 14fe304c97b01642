package users

import (
	"crypto/sha256"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores users, memberships, links and sessions.

func mapUser(m *db.Mapper, p *User) {
	m.ID("id", (*int64)(&p.ID))
	m.Value("email", &p.Email)
	m.Value("email_key", &p.emailKey)
	m.Value("name", &p.Name)
	m.Value("password", &p.password)
	m.Fixed("creation_time", &p.CreationTime)
	m.Value("sign_in_time", &p.SignInTime)
	m.Value("all_accounts", &p.AllAccounts)
	m.Value("language", &p.Language)
}

func mapMembership(m *db.Mapper, p *Membership) {
	m.NaturalKey("person_id", (*int64)(&p.User))
	m.NaturalKey("account_id", (*int64)(&p.Account))
	m.Value("role", (*string)(&p.Role))
	m.Value("level", (*db.KeyLevel)(&p.Level))
	m.Value("lists", (*db.KeyLists)(&p.Lists))
	m.Value("may_send", &p.MaySend)
}

// link is a stored link.
type link struct {
	hash   enlist.KeyHash
	user   UserID
	expiry int64
}

func mapLink(m *db.Mapper, l *link) {
	m.NaturalKey("hash", (*db.HashBytes)(&l.hash))
	m.Fixed("person_id", (*int64)(&l.user))
	m.Fixed("expiry_time", &l.expiry)
}

// ownLink is a stored link with which a user chooses a password or an address.
type ownLink struct {
	hash    enlist.KeyHash
	user    UserID
	purpose purpose
	email   string // the new address
	expiry  int64
}

func mapOwnLink(m *db.Mapper, l *ownLink) {
	m.NaturalKey("hash", (*db.HashBytes)(&l.hash))
	m.Fixed("person_id", (*int64)(&l.user))
	m.Fixed("purpose", (*string)(&l.purpose))
	m.Fixed("email", &l.email)
	m.Fixed("expiry_time", &l.expiry)
}

func mapSession(m *db.Mapper, s *Session) {
	m.ID("id", (*int64)(&s.ID))
	m.Stored("hash", (*db.HashBytes)(&s.hash))
	m.Fixed("person_id", (*int64)(&s.User))
	m.Value("account_id", (*int64)(&s.Account))
	m.Fixed("agent", &s.Agent)
	m.Fixed("ip", &s.IP)
	m.Fixed("creation_time", &s.CreationTime)
	m.Value("last_used_time", &s.LastUsedTime)
}

func mapPasskey(m *db.Mapper, p *Passkey) {
	m.ID("id", (*int64)(&p.ID))
	m.Fixed("person_id", (*int64)(&p.User))
	m.Stored("hash", (*db.HashBytes)(&p.hash))
	m.Fixed("name", &p.Name)
	m.Value("credential", &p.credential)
	m.Fixed("creation_time", &p.CreationTime)
	m.Value("last_used_time", &p.LastUsedTime)
}

var (
	userTable       = db.NewMapping("person", mapUser)
	membershipTable = db.NewMapping("membership", mapMembership)
	linkTable       = db.NewMapping("sign_in_link", mapLink)
	ownLinkTable    = db.NewMapping("person_link", mapOwnLink)
	sessionTable    = db.NewMapping("session", mapSession)
	passkeyTable    = db.NewMapping("passkey", mapPasskey)
)

// userByKey returns the user with a normalised address. An Update locks the row, as in userByID.
func userByKey(tx *db.Tx, key string) (*User, error) {
	return userTable.One(tx, errNoUser, "WHERE email_key = ?"+tx.Locking(), key)
}

// userByID returns a user. An Update locks the row, so that a sign-in does not store the password from before a
// change again, and the change ends its session.
func userByID(tx *db.Tx, id UserID) (*User, error) {
	return userTable.One(tx, errNoUser, "WHERE id = ?"+tx.Locking(), int64(id))
}

// isEmpty reports whether there is no user yet.
func isEmpty(tx *db.Tx) (bool, error) {
	n, err := tx.Number("SELECT count(*) FROM person")
	return n == 0, err
}

// membershipsOf returns the memberships of a user in the order of the Accounts. Who may do everything has one of each
// Account, and they are not stored, so that they include the Accounts that are added later.
func membershipsOf(tx *db.Tx, p *User) ([]Membership, error) {
	if !p.AllAccounts {
		stored, err := membershipTable.All(tx, "WHERE person_id = ? ORDER BY account_id", int64(p.ID))
		for i := range stored {
			stored[i].readRole()
		}
		return stored, err
	}
	known, err := accounts.All(tx)
	of := make([]Membership, len(known))
	for i := range known {
		of[i] = everything(p.ID, known[i].ID)
	}
	return of, err
}

// allIn returns all memberships of an Account, with a user who may do everything.
func allIn(tx *db.Tx, account enlist.AccountID) ([]Membership, error) {
	all, err := membershipTable.All(tx, "WHERE account_id = ? ORDER BY person_id", int64(account))
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].readRole()
	}
	everywhere, err := userTable.All(tx, "WHERE all_accounts <> 0 ORDER BY id")
	for i := range everywhere {
		all = append(all, everything(everywhere[i].ID, account))
	}
	return all, err
}

// everything is the membership of an Account with all rights.
func everything(id UserID, account enlist.AccountID) Membership {
	return Membership{User: id, Account: account, Role: enlist.Owner, Level: enlist.Full, MaySend: true}
}

// passkeysOf returns the passkeys of a user in the order of their IDs.
func passkeysOf(tx *db.Tx, id UserID) ([]Passkey, error) {
	return passkeyTable.All(tx, "WHERE person_id = ? ORDER BY id", int64(id))
}

// passkeyByHash returns the passkey whose credential ID has a hash. Errors: ErrPasskey.
func passkeyByHash(tx *db.Tx, hash enlist.KeyHash) (*Passkey, error) {
	return passkeyTable.One(tx, ErrPasskey, "WHERE hash = ?", hash[:])
}

// deleteUser removes a user with all sessions, links and passkeys.
func deleteUser(tx *db.Tx, id UserID) error {
	for _, statement := range []string{"DELETE FROM session WHERE person_id = ?",
		"DELETE FROM sign_in_link WHERE person_id = ?", "DELETE FROM person_link WHERE person_id = ?", "DELETE FROM passkey WHERE person_id = ?",
		"DELETE FROM membership WHERE person_id = ?", "DELETE FROM person WHERE id = ?"} {
		if err := tx.Do(statement, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

// takeLink removes a link and returns it. Errors: errLink.
func takeLink(tx *db.Tx, hash enlist.KeyHash, now int64) (*link, error) {
	l, err := findLink(tx, hash, now)
	if err != nil {
		return nil, err
	}
	n, err := tx.Exec("DELETE FROM sign_in_link WHERE hash = ?", hash[:])
	if err == nil && n == 0 { // another call has used it meanwhile
		err = errLink
	}
	return l, err
}

func findLink(tx *db.Tx, hash enlist.KeyHash, now int64) (*link, error) {
	return linkTable.One(tx, errLink, "WHERE hash = ? AND expiry_time > ?", hash[:], now)
}

// findSession returns the session with a hash that has not ended.
func findSession(tx *db.Tx, hash enlist.KeyHash, now int64) (*Session, error) {
	return sessionTable.One(tx, ErrNoSession, "WHERE hash = ? AND last_used_time > ? AND creation_time > ?", hash[:],
		now-idleTime, now-longestTime)
}

// invitedUntil returns until when users who have never signed in can use their last link.
func invitedUntil(tx *db.Tx) (map[UserID]int64, error) {
	links, err := linkTable.All(tx, "WHERE person_id IN (SELECT id FROM person WHERE sign_in_time = 0) ORDER BY expiry_time")
	until := make(map[UserID]int64, len(links))
	for i := range links {
		until[links[i].user] = links[i].expiry
	}
	return until, err
}

func hashOf(text string) enlist.KeyHash { return sha256.Sum256([]byte(text)) }
