package people

import (
	"crypto/sha256"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores people, memberships, links and sessions.

func mapPerson(m *db.Mapper, p *Person) {
	m.ID("id", (*int64)(&p.ID))
	m.Fixed("email", &p.Email)
	m.Fixed("email_key", &p.emailKey)
	m.Value("name", &p.Name)
	m.Value("password", &p.password)
	m.Fixed("creation_time", &p.CreationTime)
	m.Value("sign_in_time", &p.SignInTime)
	m.Value("all_accounts", &p.AllAccounts)
}

func mapMembership(m *db.Mapper, p *Membership) {
	m.NaturalKey("person_id", (*int64)(&p.Person))
	m.NaturalKey("account_id", (*int64)(&p.Account))
	m.Value("level", (*db.KeyLevel)(&p.Level))
	m.Value("lists", (*db.KeyLists)(&p.Lists))
	m.Value("may_send", &p.MaySend)
}

// link is a stored link.
type link struct {
	hash   enlist.KeyHash
	person PersonID
	expiry int64
}

func mapLink(m *db.Mapper, l *link) {
	m.NaturalKey("hash", (*db.HashBytes)(&l.hash))
	m.Fixed("person_id", (*int64)(&l.person))
	m.Fixed("expiry_time", &l.expiry)
}

func mapSession(m *db.Mapper, s *Session) {
	m.ID("id", (*int64)(&s.ID))
	m.Stored("hash", (*db.HashBytes)(&s.hash))
	m.Fixed("person_id", (*int64)(&s.Person))
	m.Value("account_id", (*int64)(&s.Account))
	m.Fixed("agent", &s.Agent)
	m.Fixed("ip", &s.IP)
	m.Fixed("creation_time", &s.CreationTime)
	m.Value("last_used_time", &s.LastUsedTime)
}

func mapPasskey(m *db.Mapper, p *Passkey) {
	m.ID("id", (*int64)(&p.ID))
	m.Fixed("person_id", (*int64)(&p.Person))
	m.Stored("hash", (*db.HashBytes)(&p.hash))
	m.Fixed("name", &p.Name)
	m.Value("credential", &p.credential)
	m.Fixed("creation_time", &p.CreationTime)
	m.Value("last_used_time", &p.LastUsedTime)
}

var (
	personTable     = db.NewMapping("person", mapPerson)
	membershipTable = db.NewMapping("membership", mapMembership)
	linkTable       = db.NewMapping("sign_in_link", mapLink)
	sessionTable    = db.NewMapping("session", mapSession)
	passkeyTable    = db.NewMapping("passkey", mapPasskey)
)

// personByKey returns the person with a normalised address. An Update locks the row, as in personByID.
func personByKey(tx *db.Tx, key string) (*Person, error) {
	return personTable.One(tx, errNoPerson, "WHERE email_key = ?"+tx.Locking(), key)
}

// personByID returns a person. An Update locks the row, so that a sign-in does not store the password from before a
// change again, and the change ends its session.
func personByID(tx *db.Tx, id PersonID) (*Person, error) {
	return personTable.One(tx, errNoPerson, "WHERE id = ?"+tx.Locking(), int64(id))
}

// isEmpty reports whether there is no person yet.
func isEmpty(tx *db.Tx) (bool, error) {
	n, err := tx.Number("SELECT count(*) FROM person")
	return n == 0, err
}

// membershipsOf returns the memberships of a person in the order of the Accounts. Who may do everything has one of each
// Account, and they are not stored, so that they include the Accounts that are added later.
func membershipsOf(tx *db.Tx, p *Person) ([]Membership, error) {
	if !p.AllAccounts {
		return membershipTable.All(tx, "WHERE person_id = ? ORDER BY account_id", int64(p.ID))
	}
	all, err := accounts.All(tx)
	of := make([]Membership, len(all))
	for i := range all {
		of[i] = everything(p.ID, all[i].ID)
	}
	return of, err
}

// everything is the membership of an Account with all rights.
func everything(id PersonID, account enlist.AccountID) Membership {
	return Membership{Person: id, Account: account, Level: enlist.Full, MaySend: true}
}

// passkeysOf returns the passkeys of a person in the order of their IDs.
func passkeysOf(tx *db.Tx, id PersonID) ([]Passkey, error) {
	return passkeyTable.All(tx, "WHERE person_id = ? ORDER BY id", int64(id))
}

// passkeyByHash returns the passkey whose credential ID has a hash. Errors: ErrPasskey.
func passkeyByHash(tx *db.Tx, hash enlist.KeyHash) (*Passkey, error) {
	return passkeyTable.One(tx, ErrPasskey, "WHERE hash = ?", hash[:])
}

// deletePerson removes a person with all sessions, links and passkeys.
func deletePerson(tx *db.Tx, id PersonID) error {
	for _, statement := range []string{"DELETE FROM session WHERE person_id = ?",
		"DELETE FROM sign_in_link WHERE person_id = ?", "DELETE FROM passkey WHERE person_id = ?",
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

func hashOf(text string) enlist.KeyHash { return sha256.Sum256([]byte(text)) }
