package users

import (
	"context"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// This file has passkeys (WebAuthn): the private key stays in a device, and the database has the public one. A passkey
// is found by itself, so a user types no address, and the device asks for a finger, a face or a PIN.
// passkey_challenge.go has what a browser must sign. decisions.md: 135

// PasskeyID identifies a passkey.
type PasskeyID int64

// Passkey lets a user sign in without a password.
type Passkey struct {
	ID           PasskeyID
	User         UserID
	Name         string // that the user chose, such as "Phone"
	CreationTime int64
	LastUsedTime int64 // of the last sign-in with it; 0: never

	hash       enlist.KeyHash // SHA-256 of the credential's ID
	credential string         // webauthn.Credential as JSON
}

// maxPasskeys is the largest number of passkeys of a user.
const maxPasskeys = 20

// ErrPasskey is the error of an answer of a browser that is not valid, and of a passkey that is not known.
var ErrPasskey = enlist.Refuse(enlist.InvalidKey, "this passkey is not known here, or it took too long: try again")

// Passkeys returns the passkeys of a user in the order in which they were added.
func (s *Service) Passkeys(ctx context.Context, id UserID) ([]Passkey, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) ([]Passkey, error) { return passkeysOf(tx, id) })
}

// PasskeyToAdd returns what a browser needs to make a passkey for the visitor, as JSON. It is "" if browsers make none
// for host, the Host of the request.
func (s *Service) PasskeyToAdd(ctx context.Context, v *Visit, host string) (options string, err error) {
	w := s.relyingParty(host)
	if w == nil {
		return "", nil
	}
	passkeys, err := s.Passkeys(ctx, v.User.ID)
	if err != nil {
		return "", err
	}
	owner := &passkeyOwner{User: v.User}
	for i := range passkeys {
		if err := owner.add(&passkeys[i]); err != nil {
			return "", err
		}
	}
	var exclude []protocol.CredentialDescriptor
	for i := range owner.credentials {
		exclude = append(exclude, owner.credentials[i].Descriptor())
	}
	creation, _, err := w.BeginRegistration(owner, webauthn.WithExclusions(exclude))
	if err != nil {
		return "", err
	}
	creation.Response.Challenge = s.newChallenge(addPasskey(v))
	return asJSON(creation.Response)
}

// AddPasskey stores the passkey that a browser has made for the visitor. answer is the JSON of the browser. present is
// the present password, which a user without one leaves out. Errors: ErrPasskey, ErrSignIn for a wrong password,
// ErrTooManyTries, InvalidParameters.
func (s *Service) AddPasskey(ctx context.Context, v *Visit, host, name, present, answer string) error {
	name, err := enlist.ReadLine(name)
	if err != nil || name == "" || utf8.RuneCountInString(name) > maxName {
		return enlist.Invalid("name", "the name must be one line of 1 to 100 characters")
	}
	w := s.relyingParty(host)
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil || w == nil || !s.isChallenge(parsed.Response.CollectedClientData.Challenge, addPasskey(v)) {
		return ErrPasskey
	}
	if err := s.checkPresent(ctx, v, present); err != nil {
		return err
	}
	session := ceremony(parsed.Response.CollectedClientData.Challenge)
	session.UserID, session.CredParams = handleOf(v.User.ID), webauthn.CredentialParametersDefault()
	made, err := w.CreateCredential(&passkeyOwner{User: v.User}, session, parsed)
	if err != nil {
		return ErrPasskey
	}
	made.Attestation = webauthn.CredentialAttestation{} // who built the device does not matter
	p := &Passkey{User: v.User.ID, Name: name, hash: hashOf(string(made.ID))}
	if p.credential, err = asJSON(made); err != nil {
		return err
	}
	if err := s.beginChange(v, NotePasskey); err != nil {
		return err
	}
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		passkeys, err := passkeysOf(tx, p.User)
		if err != nil {
			return err
		}
		if len(passkeys) >= maxPasskeys {
			return enlist.Invalid("name", "a user has at most 20 passkeys: remove one that you do not use")
		}
		p.CreationTime = now
		id, err := passkeyTable.AddNew(tx, p)
		if err != nil || id == 0 { // the device has given this passkey before
			return errors.Join(err, ErrPasskey)
		}
		return errors.Join(tx.Enqueue(noteOf(v.User, NotePasskey, p.Name, v.Language)),
			accounts.Audit(tx, v.Caller, now, auditPasskey(p), nil, accounts.AuditValues{"name": p.Name}))
	})
}

// RemovePasskey removes a passkey of the visitor. Errors: InvalidKey for any other.
func (s *Service) RemovePasskey(ctx context.Context, v *Visit, id PasskeyID) error {
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		p, err := passkeyTable.One(tx, ErrPasskey, "WHERE id = ? AND person_id = ?", int64(id), int64(v.User.ID))
		if err != nil {
			return err
		}
		if err := tx.Do("DELETE FROM passkey WHERE id = ?", int64(id)); err != nil {
			return err
		}
		return accounts.Audit(tx, v.Caller, now, auditPasskey(p), accounts.AuditValues{"name": p.Name}, nil)
	})
}

func auditPasskey(p *Passkey) accounts.AuditObject {
	return accounts.AuditObject{Kind: "Passkey", ID: int64(p.ID)}
}

// PasskeyToSignIn returns what a browser needs to sign in with a passkey, as JSON. It is "" if browsers have none for
// host, the Host of the request.
func (s *Service) PasskeyToSignIn(host string) (options string, err error) {
	w := s.relyingParty(host)
	if w == nil {
		return "", nil
	}
	assertion, _, err := w.BeginDiscoverableLogin()
	if err != nil {
		return "", err
	}
	assertion.Response.Challenge = s.newChallenge(signInPasskey)
	return asJSON(assertion.Response)
}

// SignInWithPasskey signs the owner of a passkey in and returns the text of the cookie. answer is the JSON of the
// browser. Errors: ErrPasskey.
func (s *Service) SignInWithPasskey(ctx context.Context, host, answer string, b Browser) (cookie string, err error) {
	w := s.relyingParty(host)
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil || w == nil || !s.isChallenge(parsed.Response.CollectedClientData.Challenge, signInPasskey) {
		return "", ErrPasskey
	}
	hash := hashOf(string(parsed.RawID))
	owner, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (*passkeyOwner, error) {
		p, err := passkeyByHash(tx, hash)
		if err != nil {
			return nil, err
		}
		user, err := userByID(tx, p.User)
		if err != nil {
			return nil, err
		}
		owner := &passkeyOwner{User: user}
		return owner, owner.add(p)
	})
	if err != nil {
		return "", err
	}
	challenge := parsed.Response.CollectedClientData.Challenge
	used, err := w.ValidateDiscoverableLogin(func(_, handle []byte) (webauthn.User, error) {
		if string(handle) != string(owner.WebAuthnID()) {
			return nil, ErrPasskey
		}
		return owner, nil
	}, ceremony(challenge), parsed)
	if err != nil || used.Authenticator.CloneWarning {
		return "", ErrPasskey
	}
	record, err := asJSON(used)
	if err != nil {
		return "", err
	}
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (string, error) {
		if err := useChallenge(tx, challenge, now); err != nil {
			return "", err
		}
		p, err := passkeyByHash(tx, hash) // it may have been removed meanwhile
		if err != nil {
			return "", err
		}
		p.credential, p.LastUsedTime = record, now
		if err := passkeyTable.Save(tx, p); err != nil {
			return "", err
		}
		user, err := userByID(tx, p.User)
		if err != nil {
			return "", err
		}
		return signIn(tx, user, b, now)
	})
}

// passkeyOwner is a user for the library.
type passkeyOwner struct {
	*User
	credentials []webauthn.Credential
}

func (o *passkeyOwner) add(p *Passkey) error {
	var c webauthn.Credential
	err := json.Unmarshal([]byte(p.credential), &c)
	o.credentials = append(o.credentials, c)
	return err
}

// The methods of webauthn.User.
func (o *passkeyOwner) WebAuthnID() []byte                         { return handleOf(o.ID) }
func (o *passkeyOwner) WebAuthnName() string                       { return o.Email }
func (o *passkeyOwner) WebAuthnDisplayName() string                { return o.Name }
func (o *passkeyOwner) WebAuthnCredentials() []webauthn.Credential { return o.credentials }

func asJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}
