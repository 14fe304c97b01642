package users

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"slices"
	"strconv"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has sign-in with a password, and sessions.

const (
	idleTime    = 12 * 60 * 60      // seconds without a request after which a session ends
	longestTime = 30 * 24 * 60 * 60 // seconds after which every session ends
	useStep     = 60                // seconds between two changes of LastUsedTime
)

var (
	// ErrNoSession is the error of a session that has ended or never existed.
	ErrNoSession = enlist.Refuse(enlist.InvalidKey, "not signed in")
	// ErrSignIn is the error of a wrong address or password. It does not say which.
	ErrSignIn = enlist.Refuse(enlist.InvalidKey, "the address or the password is wrong")
	// ErrTooManyTries is the error of a sign-in after too many that failed.
	ErrTooManyTries = enlist.Refuse(enlist.Busy, "too many tries for this address: wait a quarter of an hour, or use a link")
	// ErrBusy is the error of a password for which too many others wait.
	ErrBusy = enlist.Refuse(enlist.Busy, "too many users sign in at this moment: try again in some seconds")
)

// SessionID identifies a session.
type SessionID int64

// Session is a browser in which a user is signed in.
type Session struct {
	ID           SessionID
	User         UserID
	Account      enlist.AccountID // that the pages show
	Agent        string           // User-Agent of the browser
	IP           string           // from which the user signed in
	CreationTime int64
	LastUsedTime int64 // may be a minute earlier than the last use

	hash enlist.KeyHash
}

// Browser says from where a user signs in.
type Browser struct {
	Agent, IP string
	Device    string // that NewDevice has returned; "": the browser has none
	Language  string // of the pages in it, for mails to users who have chosen none
}

// maxAgent is the number of bytes of a User-Agent that are stored.
const maxAgent = 200

// signIn stores a session of a user and returns the text of its cookie. It shows the Account of the session before,
// or else the first one. Errors: errLink for a user without a membership.
func signIn(tx *db.Tx, p *User, b Browser, now int64) (cookie string, err error) {
	memberships, err := membershipsOf(tx, p)
	if err != nil {
		return "", err
	}
	if len(memberships) == 0 {
		return "", errLink
	}
	last, err := tx.Number("SELECT coalesce(max(account_id), 0) FROM session WHERE id = "+
		"(SELECT max(id) FROM session WHERE person_id = ?)", int64(p.ID))
	if err != nil {
		return "", err
	}
	s := &Session{User: p.ID, Account: memberships[0].Account, Agent: b.Agent[:min(len(b.Agent), maxAgent)], IP: b.IP,
		CreationTime: now, LastUsedTime: now}
	if slices.ContainsFunc(memberships, func(m Membership) bool { return m.Account == enlist.AccountID(last) }) {
		s.Account = enlist.AccountID(last)
	}
	cookie = rand.Text() + rand.Text()
	s.hash = hashOf(cookie)
	err = tx.Do("DELETE FROM session WHERE person_id = ? AND (last_used_time <= ? OR creation_time <= ?)", int64(p.ID),
		now-idleTime, now-longestTime)
	if err != nil {
		return "", err
	}
	p.SignInTime = now
	return cookie, errors.Join(sessionTable.Add(tx, s), userTable.Save(tx, p), auditSession(tx, p, s, now, nil,
		accounts.AuditValues{"agent": s.Agent}))
}

// auditSession adds a row about a session to the audit log of its Account.
func auditSession(tx *db.Tx, p *User, s *Session, now int64, before, after accounts.AuditValues) error {
	c := &enlist.Caller{Account: &enlist.Account{ID: s.Account}, Key: new(enlist.Key),
		Actor: enlist.Actor{Method: "sign in", User: p.Email, Address: net.JoinHostPort(s.IP, "0")}}
	return accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Session", ID: int64(s.ID)}, before, after)
}

// SignIn signs a user in with a password and returns the text of the cookie. Errors: ErrSignIn, ErrTooManyTries after
// too many tries (tries.go), and ErrBusy if too many passwords wait to be checked.
func (s *Service) SignIn(ctx context.Context, email, password string, b Browser) (cookie string, err error) {
	_, key, ok := address.ParseEmail(email)
	if !ok || utf8.RuneCountInString(password) > maxPassword {
		return "", ErrSignIn
	}
	p, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (*User, error) { return userByKey(tx, key) })
	if errors.Is(err, errNoUser) {
		p, err = new(User), nil
	}
	if err != nil {
		return "", err
	}
	limits := limitsOf(s.IsDevice(p.ID, b.Device), b, key)
	if !s.tries.begin(limits...) {
		return "", ErrTooManyTries
	}
	good, err := s.passwords.matches(ctx, b.IP, password, p.password)
	if err != nil {
		return "", err
	}
	if !good {
		return "", ErrSignIn
	}
	s.tries.succeed(limits...)
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (string, error) {
		current, err := userByKey(tx, key)
		if errors.Is(err, errNoUser) || err == nil && current.password != p.password {
			return "", ErrSignIn
		}
		if err != nil {
			return "", err
		}
		return signIn(tx, current, b, now)
	})
}

// Visit is a request of a user who is signed in.
type Visit struct {
	Session  *Session
	User     *User
	Accounts []enlist.Account // to which the user can switch, with the present one
	Caller   *enlist.Caller   // with the level and the Lists of the membership
	Language string           // as in Browser; the caller of Visit sets it

	// In how many seconds the session ends: if no request comes, and at the latest.
	IdleLeft, LongestLeft int64
}

// Visit returns the session of a cookie. actor says for the audit log what the request does. Errors: ErrNoSession.
func (s *Service) Visit(ctx context.Context, cookie string, actor enlist.Actor) (*Visit, error) {
	now := s.db.Now().Unix()
	v, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (*Visit, error) { return visit(tx, cookie, now, actor) })
	if err != nil {
		return nil, err
	}
	v.IdleLeft, v.LongestLeft = v.Session.LastUsedTime+idleTime-now, v.Session.CreationTime+longestTime-now
	if now-v.Session.LastUsedTime < useStep {
		return v, nil
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		return tx.Do("UPDATE session SET last_used_time = ? WHERE id = ?", now, int64(v.Session.ID))
	})
	if err == nil {
		v.IdleLeft = idleTime
	}
	if err != nil && ctx.Err() == nil { // pages are shown also while no change is stored: the session ends earlier then
		err = nil
	}
	return v, err
}

func visit(tx *db.Tx, cookie string, now int64, actor enlist.Actor) (*Visit, error) {
	session, err := findSession(tx, hashOf(cookie), now)
	if err != nil {
		return nil, err
	}
	user, err := userByID(tx, session.User)
	if err != nil {
		return nil, err
	}
	memberships, err := membershipsOf(tx, user)
	if err != nil {
		return nil, err
	}
	v := &Visit{Session: session, User: user}
	actor.User = user.Email
	for _, m := range memberships {
		a, err := accounts.ByID(tx, m.Account)
		if err != nil {
			return nil, err
		}
		v.Accounts = append(v.Accounts, *a)
		if m.Account == session.Account {
			v.Caller = &enlist.Caller{Account: a, Actor: actor, User: int64(user.ID), Key: m.key(user)}
		}
	}
	if v.Caller == nil {
		return nil, ErrNoSession
	}
	return v, nil
}

// key returns what stands for a key in calls of a user. Its Level is that of a role with no less rights: what asks for a
// level of a user in place of a right refuses too much rather than too little.
func (m *Membership) key(p *User) *enlist.Key {
	return &enlist.Key{Name: p.Name, AccountID: m.Account, Role: m.Role, Level: beforeOf[m.Role].level, Lists: m.Lists}
}

// KeyOf returns the present level and Lists of a user in an Account, as in a Caller, or nil if the user does not use
// the Account. Package contacts calls it (contacts.Above).
func KeyOf(tx *db.Tx, account enlist.AccountID, user int64) (*enlist.Key, error) {
	m, err := memberIn(tx, account, UserID(user))
	if errors.Is(err, errNoMember) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return m.Membership.key(&m.User), nil
}

// SwitchAccount makes a session show another Account. Errors: ErrNoSession for an Account without a membership.
func (s *Service) SwitchAccount(ctx context.Context, v *Visit, account enlist.AccountID) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		_, err := memberIn(tx, account, v.User.ID)
		if errors.Is(err, errNoMember) {
			err = ErrNoSession
		}
		if err != nil {
			return err
		}
		n, err := tx.Exec("UPDATE session SET account_id = ? WHERE id = ?", int64(account), int64(v.Session.ID))
		if err == nil && n == 0 {
			err = ErrNoSession
		}
		return err
	})
}

// Sessions returns the sessions of a user that have not ended, the newest first.
func (s *Service) Sessions(ctx context.Context, id UserID) ([]Session, error) {
	now := s.db.Now().Unix()
	return db.OwnView(ctx, s.db, func(tx *db.Tx) ([]Session, error) {
		return sessionTable.All(tx, "WHERE person_id = ? AND last_used_time > ? AND creation_time > ? ORDER BY id DESC",
			int64(id), now-idleTime, now-longestTime)
	})
}

// EndSession ends a session of the visitor: the present one, or one of another device. Errors: ErrNoSession for any
// other.
func (s *Service) EndSession(ctx context.Context, v *Visit, id SessionID) error {
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		n, err := tx.Exec("DELETE FROM session WHERE id = ? AND person_id = ?", int64(id), int64(v.User.ID))
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNoSession
		}
		ended := *v.Session
		ended.ID = id
		return auditSession(tx, v.User, &ended, now, accounts.AuditValues{"agent": ended.Agent}, nil)
	})
}

// SetPassword changes the visitor's password. All other sessions and all links end, also that for another address, and the
// user gets a note. Errors: InvalidParameters, ErrTooManyTries, and ErrSignIn if the present password is wrong. Who has
// none needs none: a link has shown who it is.
func (s *Service) SetPassword(ctx context.Context, v *Visit, present, password string) error {
	if err := s.checkPresent(ctx, v, present); err != nil {
		return err
	}
	if err := checkPassword(v.User, password); err != nil {
		return err
	}
	if err := s.beginChange(v, NotePassword); err != nil {
		return err
	}
	hash, err := s.passwords.hash(ctx, password)
	if err != nil {
		return err
	}
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		p, err := userByID(tx, v.User.ID)
		if err != nil {
			return err
		}
		p.password = hash
		return errors.Join(userTable.Save(tx, p), tx.Enqueue(noteOf(p, NotePassword, p.Email, v.Language)),
			tx.Do("DELETE FROM session WHERE person_id = ? AND id <> ?", int64(p.ID), int64(v.Session.ID)), endLinks(tx, p),
			auditSession(tx, p, v.Session, now, nil, accounts.AuditValues{"password": "changed"}))
	})
}

// checkPresent checks the visitor's present password, if there is one, so that a browser that was left open gives no
// lasting access. Errors: ErrSignIn, ErrTooManyTries.
func (s *Service) checkPresent(ctx context.Context, v *Visit, present string) error {
	if !v.User.HasPassword() {
		return nil
	}
	session := limit{"session\n" + strconv.FormatInt(int64(v.Session.ID), 10), maxTries}
	if !s.tries.begin(session) {
		return ErrTooManyTries
	}
	good, err := s.passwords.matches(ctx, v.Session.IP, present, v.User.password)
	if err != nil {
		return err
	}
	if !good {
		return ErrSignIn
	}
	s.tries.succeed(session)
	return nil
}
